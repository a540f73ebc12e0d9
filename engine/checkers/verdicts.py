"""A check's verdicts on a text: strict, and loose as IFEval has it."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.checkers.registry import Check


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a response meets an instruction; None where the checker could not tell, `problem` says why."""

    strict: bool | None
    loose: bool | None
    problem: str | None = None


def judge(check: Check, text: str) -> Verdict:
    """Return both verdicts. A blank text meets no instruction; a check that raises gives no verdict."""
    try:
        strict = bool(text.strip()) and bool(check(text))
    except Exception as error:
        # A checker may be anybody's, and any text may reach it: what it raises is no verdict, and is said.
        return Verdict(None, None, f"{type(error).__name__}: {error}")
    if strict:
        return Verdict(strict=True, loose=True)
    try:
        return Verdict(strict=False, loose=any(check(variant) for variant in variants(text)))
    except Exception as error:
        return Verdict(strict=False, loose=None, problem=f"{type(error).__name__}: {error}")


def variants(text: str) -> Iterator[str]:
    """Yield the texts, besides the text itself, that one of is enough for the loose verdict.

    Without its first line, its last, and both (an introduction, a closing remark); and each of the four
    without asterisks (Markdown). Blank ones and repeated ones are left out.
    """
    lines = text.split("\n")
    cut = ["\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])]
    found = [*cut, *(variant.replace("*", "") for variant in (text, *cut))]
    return (variant for variant in dict.fromkeys(found) if variant != text and variant.strip())
