"""Instructions about the response as a whole: `combination:*`."""

from engine.checkers.counting import Text
from engine.checkers.registry import Check

BETWEEN = "******"


def repeat_prompt(prompt_to_repeat: Text) -> Check:
    """Ask that the request be repeated first, word for word; case does not count."""
    wanted = prompt_to_repeat.strip().lower()
    return lambda text: text.strip().lower().startswith(wanted)


def two_responses() -> Check:
    """Ask for two different responses, parted by six asterisks; neither may be blank."""

    def check(text: str) -> bool:
        parts = [part.strip() for part in text.split(BETWEEN)]
        if not all(parts[1:-1]):
            return False
        given = [part for part in parts if part]
        return len(given) == 2 and given[0] != given[1]

    return check
