"""A check's verdicts on a text: strict, and loose as in IFEval."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.checkers.counts import Check
from engine.checkers.verifiers import UnreadableError


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a response meets an instruction; None if the check failed, with the reason in `problem`."""

    strict: bool | None
    loose: bool | None
    problem: str | None = None


def judge(check: Check, text: str) -> Verdict:
    """Return both verdicts. A blank text meets no instruction; a check that raises gives no verdict."""
    try:
        strict = bool(text.strip()) and bool(check(text))
    except Exception as error:
        # Checkers may be users' own and get any text: an error means no verdict, and is reported.
        return Verdict(None, None, f"{type(error).__name__}: {error}")
    if strict:
        return Verdict(strict=True, loose=True)
    try:
        return Verdict(strict=False, loose=any(check(variant) for variant in variants(text)))
    except Exception as error:
        return Verdict(strict=False, loose=None, problem=f"{type(error).__name__}: {error}")


def verify(check: Check, text: str) -> Verdict:
    """Return a verifier's verdict, which has no loose form; an answer that cannot be read has none."""
    try:
        return Verdict(strict=bool(check(text)), loose=None)
    except Exception as error:
        words = str(error) if isinstance(error, UnreadableError) else f"{type(error).__name__}: {error}"
        return Verdict(None, None, words)


def variants(text: str) -> Iterator[str]:
    """Yield the variants of a text; the loose verdict is true if the text or any variant passes.

    They are the text without its first line, its last, and both (an introduction, a closing remark), and all
    four without asterisks (Markdown). Blank and repeated ones are left out.
    """
    lines = text.split("\n")
    parts = ["\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])]
    candidates = [*parts, *(variant.replace("*", "") for variant in (text, *parts))]
    return (variant for variant in dict.fromkeys(candidates) if variant != text and variant.strip())
