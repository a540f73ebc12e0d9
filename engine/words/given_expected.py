"""Given and expected in words: the one pair of numbers that people read (MEASURES section 19).

Of 100 own cases, how many the judge gave and how many were expected from other judges as strict as it is. The
rows are those of `scorecard` or `expected`; in them the numbers are of 1.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from engine.conclusions import is_claim
from engine.measures.rows import FEW
from engine.measures.scorecard.beyond_scale import OWN_EXPECTED, is_beyond_scale
from engine.paradigms import PAIR_PARADIGMS
from engine.phrases import join_names, part_of, sentence_case
from engine.wording import Sentence, explain
from engine.words.caveats import NOT_CUT_OFF, marked_caveats
from engine.words.short_titles import title
from engine.words.written_numbers import p_value

if TYPE_CHECKING:
    from engine.measures.result import Result
    from engine.measures.row_types import ExpectedRow, ScorecardRow

    class SampledRow(ScorecardRow, total=False):
        """A row of `expected` as sentences read it: its interval is of sampling alone."""

        slice: str | int | None
        sampling_alone: bool


_BAR = (
    "A bar leads from what other judges make expected (tick, with its 95% interval) to what the judge gave "
    "(dot)"
)
_BAR_OF_MATCHED = (
    "A bar leads from others' failures that the judge passed (tick, with its 95% interval) to its own (dot). "
    "No other judge has a part in it."
)
_FAMILY_BAR = "; the green one below it is for its family's answers"
_TRIANGLES = " Triangles mark caveats."

SAMPLING_ALONE = "sampling_alone"
"""What `with_facts` adds to a row: that its intervals do not allow for judges' tastes."""

CLOSE = 2.0
"""Below this difference, in cases of 100, numbers are written with a decimal."""


CaseCount = Literal["n_own", "n_matched"]


@dataclass(frozen=True)
class HundredCases:
    """What the 100 cases are, and what a judge does with those that it gives.

    `axis` is their name on an axis; `mine` whose they are in a sentence on one judge, `gave` what it did, and
    `others` what is said of the expected number. Of the judges together, `counted` says what they gave,
    `expects` whence the expected number is, and `ours` what is counted.

    `heads` are those of columns of a table that have others elsewhere;
    `brief` is both numbers beside a name. `number` is the field with how many cases the numbers rest on, and
    `noun` what one of them is.
    """

    axis: str
    mine: str
    gave: str
    others: str
    counted: str
    expects: str
    ours: str
    heads: Mapping[str, str] = field(default_factory=dict)
    brief: str = "{given} given, {expected} expected"
    number: CaseCount = "n_own"
    noun: str = "own case"

    @property
    def axis_of_all(self) -> str:
        """The name of an axis on which numbers of its own and of its family's answers stand."""
        axis = self.axis.replace("its own answers", "these answers")
        return axis.replace("its own answer", "these answers")


_OTHER_JUDGES = "other judges as strict would have passed {expected}"
_AS_STRICT = "what other judges as strict would have passed"

FAILED = HundredCases(
    "passed, of 100 criteria that its own answers failed",
    "100 criteria that its own answers failed",
    "passed {given}",
    _OTHER_JUDGES,
    "they passed {given} of 100 {own}failures",
    _AS_STRICT,
    "criteria that their own answers failed",
)
MET = HundredCases(
    "passed, of 100 criteria that its own answers met",
    "100 criteria that its own answers met",
    "passed {given}",
    _OTHER_JUDGES,
    "they passed {given} of 100 {own}successes",
    _AS_STRICT,
    "criteria that their own answers met",
)
ANY = HundredCases(
    "passed, of 100 criteria of its own answers",
    "100 criteria of its own answers",
    "passed {given}",
    _OTHER_JUDGES,
    "they passed {given} of 100 {own}criteria",
    _AS_STRICT,
    "criteria of their own answers",
)
MATCHED = HundredCases(
    "passed, of 100 pairs of its own and another family's failure of the same criterion",
    "100 pairs of its own and another family's failure of the same criterion",
    "passed its own in {given}",
    "the other in {expected}",
    "they passed their own in {given} of 100 pairs of failures of the same criterion",
    "in how many of the same pairs they passed the other",
    "pairs of their own and another family's failure",
    {
        "own_given": "Own passed",
        "own_expected": "Others' passed",
        "excess": "Own minus others'",
        "n_matched": "n pairs",
    },
    "{given} of its own, {expected} of others'",
    "n_matched",
    "pair of failures",
)
"""Where no judge of another family stands outside: other answers' failures are all there is to compare."""
PAIRS = HundredCases(
    "votes for its own answer, of 100 pairs",
    "100 pairs with an answer of its own",
    "voted for its own in {given}",
    "{expected} were expected from other judges' votes",
    "{given} of 100 votes for their own",
    "from other judges' votes",
    "pairs with an answer of their own",
)
SCORES = HundredCases(
    "points for its own answers, of 100",
    "100 points",
    "gave its own answers {given}",
    "{expected} were expected from other judges' scores",
    "{given} of 100 points for their own",
    "from other judges' scores",
    "own answers",
)
OF_CRITERIA = replace(
    SCORES,
    others="{expected} were expected from other judges' verdicts",
    expects="from other judges' verdicts",
    ours="own answers, with scores made from verdicts on criteria",
)
"""Scores that are made from verdicts on criteria, the only ones for which it is said which of these count."""


_ON_ITSELF = " The words at the end of a row are on the judge's own answers, not on its family's."
"""What is said of the chips where a judge has a claim on its family, which they do not show."""


def marks_words(rows: "Sequence[ScorecardRow]") -> str:
    """Return what those marks mean that the board of these judges has."""
    if any(row.get("decided_by") == "hspp_matched" for row in rows):
        return f"{_BAR_OF_MATCHED}{_TRIANGLES if marked_caveats(rows) else ''}"
    of_family = any(None not in (row.get("family_given"), row.get("family_expected")) for row in rows)
    triangles = _TRIANGLES if marked_caveats(rows) else ""
    claimed = any(is_claim(row.get("family_conclusion")) for row in rows)
    return f"{_BAR}{_FAMILY_BAR if of_family else ''}.{_ON_ITSELF if claimed else ''}{triangles}"


def cases_of(row: "ScorecardRow") -> HundredCases:
    """Return what the cases of a row are, by the number that decides and the verdicts that count."""
    decided_by, truth = str(row.get("decided_by") or "odds_self"), row.get("truth")
    if decided_by.startswith("vote"):
        return PAIRS
    if decided_by.startswith("bonus"):
        return SCORES if truth is None else OF_CRITERIA
    if decided_by == "hspp_matched":
        return MATCHED
    return {"any": ANY, "met": MET}.get(str(truth), FAILED)


def axis_title(rows: "Iterable[ScorecardRow]") -> str:
    """Return what an axis counts, such as `passed, of 100 criteria that its own answers failed`."""
    first = next(filter(has_numbers, rows), None)
    return FAILED.axis if first is None else cases_of(first).axis


def counted_fields(fields: Sequence[str], result: "Result") -> tuple[str, ...]:
    """Return the columns of a table of judges with the number of cases that its numbers rest on."""
    if result.filters.get("decided_by") != "hspp_matched":
        return tuple(fields)
    return tuple(MATCHED.number if name == "n_own" else name for name in fields)


def head_of(name: str, result: "Result") -> str:
    """Return the head of a column of numbers that are not of own cases and other judges; else nothing."""
    if result.measure.name != "scorecard" or result.filters.get("decided_by") != "hspp_matched":
        return ""
    return MATCHED.heads.get(name, "")


def has_numbers(row: "ScorecardRow") -> bool:
    """Return whether a row has both numbers."""
    return row.get("own_given") is not None and row.get("own_expected") is not None


def number_words(value: float, decimals: int = 0) -> str:
    """Return a share of 1 as cases of 100."""
    return f"{100 * value:z.{decimals}f}"


def decimals_of(row: "ScorecardRow") -> int:
    """Return how many decimals keep a row's two numbers apart where they are close but not equal."""
    return decimals_between(row["own_given"] or 0.0, row["own_expected"] or 0.0)


def decimals_between(given: float, expected: float) -> int:
    """Return how many decimals keep two shares apart in cases of 100."""
    return 1 if 0 < 100 * abs(given - expected) < CLOSE else 0


def interval_words(row: "ScorecardRow") -> str:
    """Return ` (95% CI 12 to 28)` of the expected number; empty without an interval.

    Where the row is one of `expected`, add that the interval is of sampling alone: that of `scorecard`, which
    is wider, allows for judges' tastes too. Where discernment is the reason that nothing is shown, the
    interval is of what it leaves (MEASURES section 16), so that the expected number may lie outside: say so.
    """
    low, high = row.get("own_expected_low"), row.get("own_expected_high")
    if low is None or high is None:
        return ""
    more = ", of sampling alone" if row.get(SAMPLING_ALONE) else ""
    if row.get("judge") is not None and row.get("reason") == _DISCERNMENT:
        more = _ONCE_ALLOWED_FOR
    return _interval(low, high, decimals_of(row), more)


_DISCERNMENT, _ONCE_ALLOWED_FOR = "discernment", " once its discernment is allowed for"


def discerned_words(rows: "Iterable[ScorecardRow]") -> Sentence:
    """Return of which judges the interval allows for discernment and the number does not; empty for none."""
    judges = [str(row["judge"]) for row in rows if row["judge"] and row.get("reason") == _DISCERNMENT]
    if not judges:
        return Sentence("")
    return Sentence(
        f"The brackets of {join_names(judges)} allow for how clearly a judge tells good answers from bad; "
        "the expected number before them does not, so it may lie outside (",
        explain(_DISCERNMENT),
        ").",
    )


def _interval(low: float, high: float, decimals: int, more: str = "") -> str:
    """Return the interval with what `more` is to be said of it, and that it is not cut off at the scale."""
    ends = number_words(low, decimals), number_words(high, decimals)
    borders = [border for border, beyond in (("0", low < 0), ("100", high > 1)) if beyond]
    not_cut = f", not cut off at {' and '.join(borders)}" if borders and ends != ("0", "100") else ""
    return f" (95% CI {ends[0]} to {ends[1]}{more}{not_cut})"


def briefly(row: "ScorecardRow") -> str:
    """Return `37 given, 19 expected`; empty without the numbers."""
    if not has_numbers(row):
        return ""
    given, expected = _numbers(row)
    return cases_of(row).brief.format(given=given, expected=expected)


def _numbers(row: "ScorecardRow") -> tuple[str, str]:
    """Return the two numbers of a row that has both."""
    decimals = decimals_of(row)
    return number_words(row["own_given"] or 0.0, decimals), number_words(row["own_expected"] or 0.0, decimals)


def of_judge(row: "ScorecardRow") -> str:
    """Return `of 100 criteria that its own answers failed, it passed 37; other judges ...`, or nothing."""
    if not has_numbers(row):
        return ""
    cases, (given, expected) = cases_of(row), _numbers(row)
    others = cases.others.format(expected=expected)
    return f"of {cases.mine}, it {cases.gave.format(given=given)}; {others}{interval_words(row)}"


def of_group(row: "ScorecardRow", own: str = "own ") -> str:
    """Return `they passed 36 of 100 own failures, 28 expected` of the judges together, or nothing."""
    if not has_numbers(row):
        return ""
    given, expected = _numbers(row)
    cases = cases_of(row)
    beside = f"and the other in {expected}" if cases is MATCHED else f"{expected} expected"
    return f"{cases.counted.format(given=given, own=own)}, {beside}"


def basis_of_group(row: "ScorecardRow") -> str:
    """Return how sure the expected number of the judges together is, and of how many cases it is."""
    low, high, p = row.get("own_expected_low"), row.get("own_expected_high"), row.get("p")
    if not has_numbers(row) or low is None or high is None or p is None:
        return ""
    cases, interval = cases_of(row), _interval(low, high, decimals_of(row))
    sure = f"p {p_value(p, 'below ')}; n {row[cases.number] or 0:,} {cases.ours}"
    return f"Expected: {cases.expects}{interval}; {sure}."


MEANS_OF_GROUP = (
    "Both are means over families; the expected one is as if, on average, it made no "
    "difference whose answer it is."
)
"""Why the numbers of the judges together are no counts of all their cases (MEASURES section 19)."""


def of_family(row: "ScorecardRow") -> str:
    """Return what a judge gave the other models of its family, and what was expected; empty without both."""
    given, expected = row.get("family_given"), row.get("family_expected")
    if given is None or expected is None:
        return ""
    cases, decimals = cases_of(row), decimals_between(given, expected)
    of = cases.mine.replace("its own answers", "its family's answers")
    of = of.replace("an answer of its own", "an answer of its family")
    gave = cases.gave.format(given=number_words(given, decimals)).replace("its own", "its family's")
    low, high = row.get("family_expected_low"), row.get("family_expected_high")
    more = _ONCE_ALLOWED_FOR if row.get("family_reason") == _DISCERNMENT else ""
    interval = "" if low is None or high is None else _interval(low, high, decimals, more)
    return f"of {of}, it {gave}; {cases.others.format(expected=number_words(expected, decimals))}{interval}"


ALLOWED_FOR = (
    "The conclusions on the page Judges also allow for judges' tastes and for the number of judges, so they "
    "claim less."
)
"""Why fewer judges are named there than are above 0 here."""


def of_rows(result: "Result") -> tuple[str, ...]:
    """Return what `expected` comes to: the farthest above 0, how many are, and what is off the scale."""
    every: list[ExpectedRow] = result.rows
    rows = [with_facts(row, result) for row in every if row["excess"] is not None]
    return tuple(filter(None, (*_farthest(rows, result), beyond_scale_words(rows)))) if rows else ()


def beyond_scale_words(rows: "Sequence[Mapping[str, Any]]") -> str:
    """Return in how many rows the share expected for own cases is off the scale; empty for none.

    That for a family's, which a table has only where there is room, is among the row's cautions.
    """
    beyond = sum(is_beyond_scale(row, OWN_EXPECTED) for row in rows)
    if not beyond:
        return ""
    return (
        f"In {part_of(beyond, len(rows), 'row')} the expected number or its interval lies beyond "
        f"0 to 100: {NOT_CUT_OFF}"
    )


def _farthest(rows: "list[SampledRow]", result: "Result") -> tuple[str, ...]:
    many = [row for row in rows if row["n_own"] >= FEW and row["excess_low"] is not None]
    tested = [row for row in rows if row["excess_low"] is not None]
    above = sum((row["excess_low"] or 0.0) > 0 for row in tested)
    things = (
        ("judge", "judges") if result.by is None else ("pair of judge and slice", "pairs of judge and slice")
    )
    without = len(rows) - len(tested)
    who = sentence_case(part_of(above, len(tested), *things))
    allowed_for = f" {ALLOWED_FOR}" if above else ""
    counted = (
        f"{who} {'is' if above < 2 else 'are'} above what was expected by more than sampling explains "
        f"(95% interval of each alone{f'; {without:,} without one' if without else ''})"
    )
    some = "" if len(many) == len(rows) else f"of those with an interval and {FEW} own cases or more, "
    if result.by is None:
        counted = f"{counted}.{allowed_for}"
        highest = max(many, key=lambda row: row["excess"] or 0.0, default=None)
        if highest is None or (highest["excess"] or 0.0) <= 0:
            return (counted,)
        farthest = sentence_case(f"{some}farthest above is")
        return (f"{farthest} {highest['judge']}: {of_judge(highest)}.", counted)
    by_clarity = sorted(rows, key=lambda row: -(row["excess_low"] or 0.0))
    names = join_names([_place(row, result) for row in by_clarity[:above]], MOST_SLICES)
    counted = f"{counted}{f': {names}' if names else ''}.{allowed_for}"
    highest = max(many, key=lambda row: row["excess_low"] or 0.0, default=None)
    if highest is None or (highest["excess_low"] or 0.0) <= 0:
        return (counted,)
    chance = "The clearest of many slices is partly clear by chance."
    return (
        f"{sentence_case(f'{some}most clearly above is')} {_place(highest, result)}: {of_judge(highest)}.",
        f"{counted} {chance}",
    )


MOST_SLICES = 4
"""Judges in slices that are named as above what was expected; the rest are counted."""


def _place(row: "SampledRow", result: "Result") -> str:
    """Return a judge and the slice of its row: `a where theme is cardiology`."""
    cells = cast("dict[str, Any]", row)
    groups = (
        f"{title(by).lower()} is "
        f"{'no value' if cells[name] is None else result.names.get(cells[name], cells[name])}"
        for name, by in result.group_columns.items()
    )
    return f"{row['judge']} where {' and '.join(groups)}"


def with_facts(row: "ExpectedRow", result: "Result") -> "SampledRow":
    """Return a row of `expected` with what sentences read and `scorecard` has in its rows."""
    facts = {"decided_by": decided_by(result), "truth": result.filters.get("truth"), SAMPLING_ALONE: True}
    return cast("SampledRow", {**row, **facts})


def decided_by(result: "Result") -> str:
    """Return the number that decides in rows of `scorecard` or `expected`."""
    if (number := result.filters.get("decided_by")) is not None:
        return str(number)
    if result.filters.get("truth") is not None:
        return "odds_self"
    return "vote_outside" if result.filters.get("paradigm") in PAIR_PARADIGMS else "bonus_outside"
