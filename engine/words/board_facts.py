"""What the board shows beside a judge's conclusion: its place, its number, agreement, doubts."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.phrases import quantity
from engine.words.conclusions import FRAGILE, conclusion_words, judges_of, place_of
from engine.words.written_numbers import with_interval

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

MOST_JUDGES = 40
"""Most judges that a board shows: those with the largest excess."""

CLAIMING = ("favours_itself", "overrates_itself")
"""The conclusions by which a judge rates its own responses above others'."""

MEANINGS = {
    "favours_itself": "it rates its own answers higher than judges of other families do, by more than "
    "differences in taste can explain",
    "overrates_itself": "it rates its own answers higher than judges of other families do; why is open",
    "no_material_preference": "it rates its own answers about as judges of other families do; any "
    "difference is too small to matter",
    "not_shown": "there are enough cases, and no difference from judges of other families is shown",
    "too_few_cases": "the study is too small, or its numbers vary too much, for a conclusion",
    "underrates_itself": "it rates its own answers lower than judges of other families do; why is open",
    "disfavours_itself": "it rates its own answers lower than judges of other families do, by more than "
    "differences in taste can explain",
}
"""What each conclusion means."""

_UNSURE = {
    "missing_verdicts": "some verdicts are missing, and the conclusion depends on what they would have been",
    "discernment": "how well it tells good answers from bad could explain the difference",
    "adjustment": "the difference is not significant after adjustment for the number of judges",
}
"""What `not_shown` means for these reasons."""


def meaning_sentence(row: "ScorecardRow") -> str:
    """Return what the conclusion on a judge means, as a sentence, given the reason if nothing is shown."""
    if row["conclusion"] is None:
        return "It judged no answer of its own."
    text = MEANINGS[row["conclusion"]]
    if row["conclusion"] == "not_shown":
        text = _UNSURE.get(str(row.get("reason")), text)
    if row["conclusion"] == "too_few_cases" and row.get("estimate") is None:
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


def doubts(row: "ScorecardRow") -> dict[str, str]:
    """Return the caveats on a judge's conclusion: a sentence for each code."""
    codes = dict.fromkeys(row.get("cautions") or ())
    sentences = {code: CAVEATS.get(code, code.replace("_", " ").capitalize() + ".") for code in codes}
    share = row.get("family_in_reference")
    if "family_in_reference" in sentences and share:
        sentences["family_in_reference"] = (
            f"{share:.0%} of the reference's voters belong to the judge's family."
        )
    if "missing_verdicts" in sentences and row.get("missing_own") is not None:
        sentences["missing_verdicts"] = (
            f"{row['missing_own']:.1%} of the verdicts on its own answers are missing, "
            f"{row['missing_other']:.1%} of those on others'."
        )
    if (tipping := row.get("tipping")) is not None:
        labels = quantity(int(tipping), "wrong reference label")
        sentences["tipping"] = (
            f"{'Fragile: ' if tipping <= FRAGILE else ''}{labels} "
            f"({row['tipping_share']:.0%} of its own failures that it passed) would undo this conclusion."
        )
    if row.get("tie_share"):
        sentences["tie_share"] = f"The reference calls {row['tie_share']:.0%} of its pairs ties."
    if row["conclusion"] not in CLAIMING:
        return sentences
    above, below = row.get("themes_for"), row.get("themes_against")
    if above is not None and below:
        sentences["themes"] = f"The opposite holds in {below} of {quantity(int(above + below), 'theme')}."
    rank, of = row.get("placebo_rank"), row.get("placebo_of")
    if rank is not None and of is not None and rank > 1:
        others = quantity(int(of) - 1, "other model")
        sentences["placebo_rank"] = f"It treats {rank - 1} of {others} at least as well."
    return sentences


CAVEATS = {
    "no_outside_judges": "No judge of another family judged the same answers, so they may simply convince "
    "every judge.",
    "strictness": "Without a reference every answer counts, so a judge that is strict only with bad "
    "answers can seem to favour itself.",
    "tastes_assumed": "With fewer than five judges, differences in taste are assumed, not measured.",
    "few_families": "With fewer than six families, a taste that a family shares can look like "
    "self-preference.",
    "discernment_untold": "With fewer than three other models, how well it tells good answers from bad is "
    "assumed, not measured.",
    "family_in_reference": "Some of the reference's voters belong to the judge's family.",
    "missing_verdicts": "Verdicts on its own answers and on others' are not missing equally often.",
    "beyond_scale": "The expected number, or an end of its interval, lies beyond 0 to 100: it is an estimate "
    "from few or unlike cases, and is not cut off there.",
}
"""The caveats on a conclusion, each a sentence."""
