"""The conclusion on the judges together, and on the judges of each family, in words."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from engine.conclusions import (
    NO_ODDS,
    NOT_SHOWN,
    NOT_TESTED,
    OF_GROUP,
    ONE_SIDED,
    OPEN_OF_FAMILY,
    OPEN_OF_SEVERAL,
    TOO_FEW,
    TRAITS,
    group_code,
    is_claim,
    is_firm,
    is_open,
)
from engine.explore.planned_excess import too_few_planned
from engine.measures.undefined_reasons import meaning
from engine.phrases import quantity, sentence_case
from engine.stats.conclusions.conclusion_rules import SURE
from engine.words import given_expected
from engine.words.written_numbers import Form, in_sentence, number, p_value

SHARED_TASTE = "shared_taste"
SHARED_TASTE_NEEDS = (
    "what is left of the difference without that taste (shared_taste_left in `spb judges --all`) must be "
    "significant, with p below .05 (shared_taste_p), and of the judges together two thirds must be left"
)
"""What a claim of self-preference needs once a taste that judges share is taken off."""

_SHARED_BY_ALL = "their answers may be of a kind that judges in general like, and they like more"
"""The reason `shared_taste` of the judges together; on one judge it is in the singular."""

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow


def group_sentence(rows: "Iterable[ScorecardRow]") -> str:
    """Return what the scorecard concludes on the judges together, short enough for two lines of a phone.

    Empty where it has no such row. How sure it is says `group_basis`.
    """
    every = list(rows)
    row = group_row(every)
    if row is None or row["conclusion"] is None:
        return ""
    code = str(row["conclusion"])
    traits = TRAITS[code]
    if traits is TRAITS[TOO_FEW]:
        return _too_few_families(row, every)
    first = f"The judges as a group {OF_GROUP[code]}"
    if traits.clause:
        first = f"{traits.clause} for the judges as a group{though_sure(row)}"
    evidence = given_expected.of_group(row, own="" if is_open(code) else "own ")  # overrating names its own
    return f"{first}{f': {evidence}' if evidence else ''}."


def though_sure(row: "ScorecardRow") -> str:
    """Return why nothing is shown though p is below .05, in brackets; empty where it is not."""
    p, reason = row.get("p"), row.get("reason")
    is_sure = row["conclusion"] == NOT_SHOWN and p is not None and p < SURE
    return f" ({meaning(reason)})" if reason and is_sure else ""


def reason_words(row: "ScorecardRow") -> str:
    """Return a row's reason in words; of a shared taste also what is left without it, and must be."""
    words, left = meaning(row["reason"]), row.get("shared_taste_left")
    if row["reason"] != SHARED_TASTE or left is None:
        return words
    share = f"without that taste {100 * left:.0f}% of the difference is left"
    if row["judge"] is None:
        return f"{_SHARED_BY_ALL}; {share}, and two thirds are needed"
    p = row.get("shared_taste_p")
    needed = "" if p is None else f", and it must be significant, with p below .05; its p is {p_value(p)}"
    return f"{words}; {share}{needed}"


def why_without_spread(
    rows: "Sequence[ScorecardRow]", whose: Literal["", "family_"] = "", *, of_all: bool = False
) -> str:
    """Return why judges whose differences from others are all the same cannot be tested, after a colon.

    `of_all`: it is said of all judges, of whom these rows may have one.
    """
    is_one = len(rows) == 1 and not of_all
    if rows[0].get(f"{whose}reason") in ONE_SIDED:
        return _why_one_sided(rows, whose)
    if rows[0].get(f"{whose}reason") in NO_ODDS:
        return _why_no_odds(rows, whose)
    if any(row.get(f"{whose or 'own_'}given") not in (0, 1) for row in rows):
        who = "it differs" if is_one else "each differs"
        return f"on every question {who} from other judges by the same, which leaves no error to test by"
    answers = f"{'its' if is_one else 'their'} {_WHOSE[whose][not is_one]} answers"
    given = {str(row.get("decided_by")).partition("_")[0] for row in rows}
    things = "votes" if given == {"vote"} else "verdicts" if rows[0].get("truth") else "scores"
    return f"all {things} on {answers} are the same, and more like these would not help"


def _why_one_sided(rows: "Sequence[ScorecardRow]", whose: Literal["", "family_"]) -> str:
    """Return that judges passed all, or none, of the cases that could tell their odds from others'."""
    [row, *others] = rows
    it, its = ("they", "their") if others else ("it", "its")
    given, number = row.get("own_given"), row.get("n_own")
    is_counted = not others and not whose and given is not None and number
    counts = f" ({round((given or 0) * (number or 0)):,} of {number:,} own cases)" if is_counted else ""
    passed = f"{it} passed {ONE_SIDED[str(row.get(f'{whose}reason'))]}{counts}"
    cases = f"of {its} {_WHOSE[whose][bool(others)]} cases on which judges disagree"
    return f"{cases} {passed}, which leaves {its} odds without a number"


def _why_no_odds(rows: "Sequence[ScorecardRow]", whose: Literal["", "family_"]) -> str:
    """Return that odds have no number, and of one judge what it passed of its own cases and of others'."""
    [row, *others] = rows
    own = row.get("family_given") if whose else row.get("own_given")
    other = row.get("other_given")
    if others or own is None or other is None:
        return meaning(str(row.get(f"{whose}reason")))
    passed = {0.0: "none", 1.0: "all"}.get(other, number(other, "percent"))
    why = ", as" if other in (0, 1) else ":"
    share, apart = number(own, "percent"), number(abs(own - other), "share")
    cases = f"of other families' cases and {share} of its {_WHOSE[whose][0]}, {apart} points apart"
    return f"its odds have no number{why} it passed {passed} {cases}"


_WHOSE = {"": ("own", "own"), "family_": ("family's", "families'")}


def _is_alike(row: "ScorecardRow") -> bool:
    return row["conclusion"] == TOO_FEW and row["reason"] == "all_differences_alike"


def _too_few_families(row: "ScorecardRow", rows: "Sequence[ScorecardRow]") -> str:
    """Return that four families are needed, and how many have a judge that counts."""
    number = row.get("families")
    judges = [each for each in rows if each["judge"] is not None]
    if number == 0 and judges and all(_is_alike(each) for each in judges):
        return f"The judges as a group {NOT_TESTED}: {why_without_spread(judges, of_all=True)}."
    if number is None:
        return "There are too few families for a conclusion on the judges as a group; four are needed."
    have = f"{quantity(int(number), 'family')} {'has' if number == 1 else 'have'}"
    which = f"Only {have}" if number else "No family has"
    return f"{which} a judge that can be compared; a conclusion on the judges together takes four."


def no_more_than_a_mean(families: int) -> str | None:
    """Return that a mean over judges of so few families is no conclusion on them; None with enough."""
    few = too_few_planned(families)
    return None if few is None else f"The mean over judges is a number alone: {few}."


def group_basis(rows: "Iterable[ScorecardRow]") -> str:
    """Return how sure the conclusion on the judges together is; empty where none was drawn."""
    row = group_row(rows)
    if row is None or row["conclusion"] in (None, group_code(TOO_FEW)):
        return ""
    left = f": {reason_words(row)}" if row.get("shared_taste_left") and row["reason"] == SHARED_TASTE else ""
    cause = f"{sentence_case(OPEN_OF_SEVERAL)}{left}." if is_open(row["conclusion"]) else ""
    basis = given_expected.basis_of_group(row)
    means = given_expected.MEANS_OF_GROUP if basis else ""
    return " ".join(filter(None, (basis, cause, means, _as_large_elsewhere(row))))


def _as_large_elsewhere(row: "ScorecardRow") -> str:
    """Return how often families' tastes for others' answers are as large, if nothing is shown for that."""
    p, number = row.get("p_families"), row.get("assignments")
    if row.get("reason") != "permutation" or p is None or not number:
        return ""
    return (
        f"In {round(p * number):,} of {quantity(int(number), 'way')} of giving each family another family's "
        "answers in place of its own, the mean is as large."
    )


def group_family_sentence(row: "ScorecardRow") -> str:
    """Return what the scorecard's first row concludes on families; empty unless something is claimed."""
    code = row.get("family_conclusion")
    if not is_claim(code):
        return ""
    may_be = "" if is_firm(code) else f"; {OPEN_OF_FAMILY}"
    return f"The judges as a group {OF_GROUP[str(code)]}{may_be}{_family_number(row)}."


def _family_number(row: "ScorecardRow") -> str:
    """Return how far the judges together favour their families, with its interval, p and n."""
    value, p = row.get("family_estimate"), row.get("family_p")
    if value is None or p is None:
        return ""
    name = str(row["decided_by"])
    form: Form = "ratio" if name.startswith("odds") else "share" if name.startswith("vote") else "points"
    number = in_sentence(value, row.get("family_low"), row.get("family_high"), form)
    what = _FAMILY_NUMBERS[form].format(number)
    return f": {what}; p {p_value(p, 'below ')}; n {row['n_family']:,}"


_FAMILY_NUMBERS: dict[Form, str] = {
    "ratio": "their odds of passing are {} times those of other judges",
    "share": "votes for them {} beyond other judges'",
    "points": "scores of them {} beyond other judges'",
}
"""What the number on families is, by its form."""


def group_row(rows: "Iterable[ScorecardRow]") -> "ScorecardRow | None":
    """Return the row of the judges together, the scorecard's first."""
    return next((row for row in rows if row["judge"] is None), None)
