"""A judge's self-preference ratio in sentences, beside other judges' and its family's."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from engine.measures.rows import SURE
from engine.phrases import join_names, quantity
from engine.wording import Sentence, Wording
from engine.words.no_numbers import judges_without, why_undefined
from engine.words.row_cells import Row
from engine.words.written_numbers import confidence, in_sentence, number, with_interval

if TYPE_CHECKING:
    from engine.measures.row_types import HsppRow


BY_ONE_JUDGE = Sentence(
    "Compared is a judge's HSPP ratio in a slice with its own elsewhere; ",
    Wording("`spb measure hspp --by COLUMN`", "`hspp(by=COLUMN)`"),
    " compares the mean HSPP ratio over judges of each slice, which may order slices otherwise.",
)
"""By what number slices that stand out are found, and which command uses another."""


def within_slices(column: str, *, of_one: bool) -> Sentence:
    """Return by what number, `of_one` judge or of several, slices are compared; and where by another."""
    compared = "HSPP ratio" if of_one else "mean HSPP ratio over judges"
    return Sentence(
        f"Compared is the {compared} of each slice; ",
        Wording(f"`spb slices --by {column}`", f'`slices(by="{column}")`'),
        " compares a judge's HSPP ratio in a slice with its own elsewhere, which may order slices otherwise.",
    )


def ratio_text(row: Row, field: str) -> str:
    low, high = row[f"{field}_low"], row[f"{field}_high"]
    return number(row[field]) if low is None or high is None else in_sentence(row[field], low, high)


def self_preference(rows: "Sequence[HsppRow]", level: str = "rubric") -> list[str]:
    """Return which ratios are above 1, and whether they remain so once matched, in sentences.

    `rows` are those of `hspp` (one slice, at one level). A ratio counts as above 1 if it is significantly
    (`significant`), and survives matching if the matched ratio's interval is above 1 too. Judges without a
    ratio are counted, never called unbiased. Only the scorecard concludes who favours itself.
    """
    judges = [row for row in rows if row.get("judge") is not None]
    rated = sorted((row for row in judges if row["hspp_self"] is not None), key=lambda row: -row["hspp_self"])
    if not rated:
        why = why_undefined(judges, "hspp_self")
        return [f"No judge has a ratio here{f': {why}' if why else ''}."]
    tested = [row for row in rated if row["hspp_self_low"] is not None]
    above = [row for row in tested if significant(row, "hspp_self", 1) and row["hspp_self"] > 1]
    if not above:
        highest = f"{rated[0]['judge']}'s, {ratio_text(rated[0], 'hspp_self')}"
        first = f"No ratio is clearly above 1; the highest is {highest}."
        if not tested:
            first = f"The highest ratio is {highest}, without an interval."
        return [first, *_other_judges(judges, rated, ())]
    top = above[0]
    own = "passes its own failed answers"
    if level == "instance":
        own = "turns comparisons that its own answers lost into wins or ties"
    times, ci = number(top["hspp_self"]), confidence(top["hspp_self_low"], top["hspp_self_high"])
    return [
        f"{top['judge']} {own} {times} times as often as other families' ({ci}), {_place(rated, above)}.",
        *([_matched_sentence(top)] if level == "rubric" else []),
        *_also_above(above[1:]),
        *_few_cases(above),
        *_other_judges(judges, rated, above),
    ]


def _place(rated: "Sequence[HsppRow]", above: "Sequence[HsppRow]") -> str:
    """Return of which ratios the first one above 1 is the highest; all are in order, highest first."""
    top = above[0]
    if top is rated[0]:
        return "the highest ratio here"
    if all(row["hspp_self_low"] is None for row in rated[: rated.index(top)]):
        return "the highest ratio with an interval"
    return "the only ratio clearly above 1" if len(above) == 1 else "the highest of those clearly above 1"


def _few_cases(above: "Sequence[HsppRow]") -> list[str]:
    """Return which of the ratios that are called above 1 rest on few cases (`small`)."""
    names = [str(row["judge"]) for row in above if row.get("small")]
    return [f"Few cases, fewer than 30, are behind the ratio of {join_names(names)}."] if names else []


def _matched_sentence(row: "HsppRow") -> str:
    verdict = _survival(row)
    if verdict is None:
        return "No criterion was failed by both answers, so its failures may simply be harder."
    ratio = ratio_text(row, "hspp_matched")
    if verdict:
        return f"The same on criteria that both answers failed: {ratio}."
    return f"Not clear on criteria that both answers failed: {ratio}."


def _survival(row: "HsppRow") -> bool | None:
    """Return whether the matched interval is above 1, None if there is none."""
    low = row.get("hspp_matched_low")
    return None if low is None else bool(low > 1)


def _also_above(rows: "Sequence[HsppRow]") -> list[str]:
    """Return whose ratios are also above 1, and which of these are not clearly so once matched."""
    sentences = []
    if rows:
        names = join_names([f"{row['judge']} ({number(row['hspp_self'])})" for row in rows])
        sentences.append(f"Also above 1: {names}.")
    unclear = [row for row in rows if _survival(row) is False]
    if unclear:
        names = join_names([f"{row['judge']} ({number(row['hspp_matched'])})" for row in unclear])
        sentences.append(f"Not clear on criteria that both answers failed: {names}.")
    return sentences


def _other_judges(
    judges: "Sequence[HsppRow]", rated: "Sequence[HsppRow]", above: "Sequence[HsppRow]"
) -> list[str]:
    """Return how many other intervals include 1, which ratios are below it, and how many judges have none."""
    firsts = {row["judge"] for row in above}
    others = [row for row in rated if row["judge"] not in firsts and row["hspp_self_low"] is not None]
    around = [row for row in others if row["hspp_self_low"] <= 1 <= row["hspp_self_high"]]
    below = [row for row in others if significant(row, "hspp_self", 1)]
    sentences = []
    if around and above:
        includes = "interval includes" if len(around) == 1 else "intervals include"
        sentences.append(f"For {quantity(len(around), 'other judge')} the {includes} 1.")
    if below:
        sentences.append(f"Below 1: {join_names([_judge_with_number(row, 'hspp_self') for row in below])}.")
    sentences += unadjusted(rated, "hspp_self", 1, lambda row: f"{row['judge']} ({number(row['hspp_self'])})")
    no_interval = [row for row in rated if row["hspp_self_low"] is None]
    if no_interval and len(no_interval) < len(rated):
        names = join_names([f"{row['judge']} ({number(row['hspp_self'])})" for row in no_interval], MOST)
        sentences.append(f"Too few cases for an interval: {names}.")
    n_unrated = len(judges) - len(rated)
    if n_unrated:
        sentences.append(f"{quantity(n_unrated, 'judge')} {'has' if n_unrated == 1 else 'have'} no ratio.")
    return sentences


def family_preference(rows: "Sequence[HsppRow]") -> list[str]:
    """Return whose ratios for the rest of their family are above 1; rows of `hspp` (one slice)."""
    rated = [row for row in rows if row.get("judge") is not None and row.get("hspp_family") is not None]
    judges = [row for row in rated if row["hspp_family_low"] is not None]
    judges.sort(key=lambda row: -row["hspp_family"])
    above = [row for row in judges if significant(row, "hspp_family", 1) and row["hspp_family"] > 1]
    if not rated:
        return ["No judge has a ratio for the rest of its family here."]
    untested = judges_without(rated, "hspp_family_low", "No interval of the ratio for the rest of the family")
    if not judges:
        return [untested]
    first = "No ratio for the rest of a family is clearly above 1."
    if above:
        names = join_names([_judge_with_number(row, "hspp_family") for row in above])
        first = f"For the rest of the family, above 1: {names}."
    open_ones = unadjusted(judges, "hspp_family", 1, partial(_judge_with_number, field="hspp_family"))
    return [first, *open_ones, *filter(None, [untested])]


def has_interval(row: Row, field: str) -> bool:
    return row[f"{field}_low"] is not None and row[f"{field}_high"] is not None


def excludes(row: Row, field: str, null: float) -> bool:
    """Return whether a number has an interval that excludes `null`."""
    return has_interval(row, field) and (row[f"{field}_low"] > null or row[f"{field}_high"] < null)


def significant(row: Row, field: str, null: float) -> bool:
    """Return whether a number's interval excludes `null` and its adjusted p, if it has one, is below 0.05."""
    p = row.get(f"{field}_p_adjusted")
    return excludes(row, field, null) and (p is None or p < SURE)


def unadjusted(rows: Sequence[Row], field: str, null: float, name: Callable[[Row], str]) -> list[str]:
    """Name the judges, by `name`, whose numbers differ from `null` only if p is not adjusted over judges."""
    names = [name(row) for row in rows if excludes(row, field, null) and not significant(row, field, null)]
    if not names:
        return []
    tests = sum(row.get(f"{field}_p_adjusted") is not None for row in rows)
    return [f"Not significant once adjusted for {quantity(tests, 'judge')}: {join_names(names, MOST)}."]


def _judge_with_number(row: Row, field: str) -> str:
    """Return a judge with its number: `m1 1.38 [1.20, 1.55]`."""
    return f"{row['judge']} {with_interval(row[field], row[f'{field}_low'], row[f'{field}_high'])}"


MOST = 3  # how many judges get a sentence each; with more, first places are counted by model
