"""A share that was given where cases of 100 are counted, in words."""

from engine.wording import Sentence, Wording


def share_of_cases(name: str, number: float | None) -> str | None:
    """Say of an option's number below 1 that it is cases of 100, and what a share would be; else None."""
    if number is None or not 0 < number < 1:
        return None
    flag = f"--{name.replace('_', '-')}"
    given = Wording(f"{flag} {number:g}", f"{name}={number:g}")
    meant = Wording(f"{flag} {100 * number:g}", f"{name}={100 * number:g}")
    return Sentence(given, f" is {number:g} of 100 own cases; a share of {number:g} is ", meant, ".")
