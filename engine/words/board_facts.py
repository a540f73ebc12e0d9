"""What the board shows beside a judge's conclusion: its place, its number, agreement."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.conclusions import NOT_SHOWN, TOO_FEW, TRAITS, lacks_judges, lacks_spread
from engine.words.conclusions import conclusion_words, judges_of, nothing_to_conclude, place_of
from engine.words.group_conclusions import why_without_spread
from engine.words.written_numbers import with_interval

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

MOST_JUDGES = 40
"""Most judges that a board shows: those with the largest excess."""

_UNSURE = {
    "missing_verdicts": "some cases have no verdict, or several without a majority, and the conclusion "
    "depends on what it would have been",
    "discernment": "how well it tells good answers from bad could explain the difference",
    "adjustment": "the difference is not significant after adjustment for the number of judges",
}
"""What `not_shown` means for these reasons."""


def chips_on(rows: "Iterable[ScorecardRow]") -> tuple[str, ...]:
    """Return the words on the chips of the judges of a board, each once, in the order of its rows."""
    return tuple(dict.fromkeys(conclusion_words(row) for row in judges_of(rows) if row["conclusion"]))


def meaning_sentence(row: "ScorecardRow") -> str:
    """Return what the conclusion on a judge means, as a sentence, given the reason if nothing is shown."""
    if row["conclusion"] is None:
        return f"It {nothing_to_conclude(row)}."
    traits = TRAITS[row["conclusion"]]
    text = (row.get("decided_by") == "hspp_matched" and traits.alone) or traits.meaning
    if lacks_judges(row["conclusion"], row.get("reason")):
        return f"{conclusion_words(row).capitalize()}: judges of other families are missing."
    if lacks_spread(row["conclusion"], row.get("reason")):
        return f"{conclusion_words(row).capitalize()}: {why_without_spread([row])}."
    if row["conclusion"] == NOT_SHOWN:
        text = _UNSURE.get(str(row.get("reason")), text)
    if row["conclusion"] == TOO_FEW and row.get("estimate") is None:
        text = "the study lacks what a conclusion needs"
    return f"{conclusion_words(row).capitalize()}: {text}."


NUMBERS = {
    "odds_self": "odds of passing its own answers, relative to judges of other families (1 = no preference)",
    "hspp_matched": "own failures passed, relative to others' on the same criteria (1 = no preference)",
    "vote_outside": "votes for its own answers, in points above other judges' (0 = no preference)",
    "bonus_outside": "points for its own answers, above other judges' (0 = no preference)",
}
"""What each deciding number is, as the title of an axis."""

SHORT = {"odds_self": "odds", "hspp_matched": "ratio", "vote_outside": "votes", "bonus_outside": "points"}
"""The word before each deciding number."""


def is_ratio(number: str) -> bool:
    """Return whether a deciding number is a ratio or odds, whose null is 1."""
    return number in ("odds_self", "hspp_matched")


def null_of(number: str) -> int:
    """Return the value of a deciding number that means no preference."""
    return 1 if is_ratio(number) else 0


def by_excess(rows: "Iterable[ScorecardRow]") -> "list[ScorecardRow]":
    """Return the judges' rows, the largest excess first; those without a number last."""
    return sorted(judges_of(rows), key=place_of)


def value(row: "ScorecardRow") -> str:
    """Return the deciding number with its interval, `1.83 [1.37, 2.31]`; a dash if there is none."""
    estimate, decided_by = row["estimate"], str(row["decided_by"])
    if estimate is None:
        return "–"
    factor = 100 if decided_by == "vote_outside" else 1
    low, high = (None if end is None else factor * end for end in (row["low"], row["high"]))
    return with_interval(factor * estimate, low, high, "ratio" if is_ratio(decided_by) else "signed")


def named_value(row: "ScorecardRow") -> str:
    """Return `value` with its name, `odds 1.83 [1.37, 2.31]`: a sentence beside it may show another."""
    return value(row) if row["estimate"] is None else f"{SHORT[str(row['decided_by'])]} {value(row)}"


def agreement(row: "ScorecardRow") -> str:
    """Return how many of the other numbers point the same way; empty if there are none."""
    agreeing, disagreeing = row.get("agreeing"), row.get("disagreeing")
    if agreeing is None or disagreeing is None or not agreeing + disagreeing:
        return ""
    return f"{agreeing} of {agreeing + disagreeing} measures agree"
