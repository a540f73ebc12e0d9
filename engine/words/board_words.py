"""What stands on the board beside a judge's conclusion: its place, its number, agreement, doubts."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine import words
from engine.words.conclusions import CONCLUSIONS, place_of

ScorecardRow = Mapping[str, Any]
CLAIMING = ("favours_itself", "leans_to_itself")
"""The conclusions that place a judge's own responses above others'."""

MEANINGS = {
    "favours_itself": "it rates its own responses higher than outside judges do, by more than differences in "
    "taste explain",
    "leans_to_itself": "it rates its own responses higher than outside judges do, but differences in taste "
    "could explain it",
    "no_material_preference": "it rates its own responses so nearly as outside judges do that any difference "
    "is too small to matter",
    "inconclusive": "the study is too small, or its numbers vary too much, for a conclusion",
    "leans_against_itself": "it rates its own responses lower than outside judges do, but differences in "
    "taste could explain it",
    "disfavours_itself": "it rates its own responses lower than outside judges do, by more than differences "
    "in taste explain",
}
"""What each conclusion means."""

NUMBERS = {
    "odds_self": "odds of passing its own responses, relative to outside judges (1 = no preference)",
    "hspp_matched": "own failures passed, relative to others' on the same rubrics (1 = no preference)",
    "vote_outside": "votes for its own responses, in points above outside judges (0 = no preference)",
    "bonus_outside": "points for its own responses, above outside judges (0 = no preference)",
}
"""What each deciding number says, as the title of an axis."""

SHORT = {"odds_self": "odds", "hspp_matched": "ratio", "vote_outside": "votes", "bonus_outside": "points"}
"""What each number that decides is, in a word before it."""


def is_ratio(number: str) -> bool:
    """Return whether a deciding number is a ratio or odds, whose null is 1."""
    return number in ("odds_self", "hspp_matched")


def ordered(rows: Sequence[ScorecardRow]) -> list[dict[str, Any]]:
    """Return the rows sorted by conclusion, and within one by the estimate, the highest first."""
    places = list(CONCLUSIONS)

    def place(row: ScorecardRow) -> tuple[int, float, str]:
        return places.index(row["conclusion"]), *place_of(row)

    return [dict(row) for row in sorted((row for row in rows if row["judge"] is not None), key=place)]


def value(row: ScorecardRow) -> str:
    """Return the number that decided with its interval, `1.83 [1.37, 2.31]`; a dash where there is none."""
    if row["estimate"] is None:
        return "–"
    decided_by = str(row["decided_by"])
    factor = 100 if decided_by == "vote_outside" else 1
    value, low, high = (
        None if row[name] is None else factor * row[name] for name in ("estimate", "low", "high")
    )
    return words.with_interval(value, low, high, "ratio" if is_ratio(decided_by) else "signed")


def named_value(row: ScorecardRow) -> str:
    """Return the same with what it is, `odds 1.83 [1.37, 2.31]`, as a sentence beside it may have another."""
    return value(row) if row["estimate"] is None else f"{SHORT[row['decided_by']]} {value(row)}"


def agreement(row: ScorecardRow) -> str:
    """Return how many of the other numbers point the same way; empty where there is none."""
    agreeing, disagreeing = row.get("agreeing"), row.get("disagreeing")
    if agreeing is None or disagreeing is None or not agreeing + disagreeing:
        return ""
    return f"{agreeing} of {agreeing + disagreeing} measures agree"


def doubts(row: ScorecardRow) -> dict[str, str]:
    """Return what somebody must know who quotes a judge's conclusion: codes with a sentence each."""
    codes = dict.fromkeys(row.get("cautions") or ())
    sentences = {code: _DOUBTS.get(code, code.replace("_", " ").capitalize() + ".") for code in codes}
    if "family_in_reference" in sentences and row.get("family_in_reference"):
        share = f"{row['family_in_reference']:.0%}"
        sentences["family_in_reference"] = f"{share} of the reference's voters belong to the judge's family."
    if "missing_verdicts" in sentences and row.get("missing_own") is not None:
        sentences["missing_verdicts"] = (
            f"{row['missing_own']:.1%} of the verdicts on its own responses are missing, "
            f"{row['missing_other']:.1%} of those on others'."
        )
    if row.get("tipping") is not None:
        own = words.counted(row["tipping"], "response")
        sentences["tipping"] = (
            f"The conclusion no longer holds if the reference is wrong about {own} of its own that it passed "
            f"({row['tipping_share']:.0%} of them)."
        )
    if row.get("tie_share"):
        sentences["tie_share"] = f"The reference calls {row['tie_share']:.0%} of its pairs ties."
    above, below = row.get("themes_for"), row.get("themes_against")
    if row["conclusion"] in CLAIMING and above is not None and below:
        themes = words.counted(int(above + below), "theme")
        sentences["themes"] = f"In {below} of {themes} the opposite holds."
    rank, of = row.get("placebo_rank"), row.get("placebo_of")
    if row["conclusion"] in CLAIMING and rank is not None and of is not None and rank > 1:
        sentences["placebo_rank"] = (
            f"It treats {rank - 1} of {words.counted(int(of) - 1, 'other model')} as well or better."
        )
    return sentences


_DOUBTS = {
    "no_outside_judges": "No judge of another family judged the same responses, so they may simply convince "
    "every judge.",
    "strictness": "Without a reference every response counts, so a judge that is strict only with bad "
    "responses can seem to favour itself.",
    "tastes_assumed": "With fewer than five judges, differences in taste are assumed, not measured.",
    "family_in_reference": "Some of the reference's voters belong to the judge's family.",
    "missing_verdicts": "Verdicts on its own responses are missing more often than those on others'.",
}
