"""`scorecard`: the one place that says which judges favour themselves (MEASURES section 16)."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bitsets import count
from engine.arrays.joint_verdicts import family_masks, one_thread
from engine.arrays.references import COMMITTEE, NONE
from engine.arrays.resolve import NoDataError
from engine.errors import UsageError
from engine.measures.columns import judge_columns
from engine.measures.compute import compute_measure
from engine.measures.entries.rubrics import OUTSIDE
from engine.measures.group_row import family_words, group_of
from engine.measures.judge_summary import BIASES, number_rows
from engine.measures.missing_cells import Whose
from engine.measures.outside_judges import outside_table
from engine.measures.rows import Column, Intervals, Options, Table
from engine.measures.scorecard_inputs import Source, deciding_source
from engine.schema import RUBRIC_PARADIGMS
from engine.slices import Slice
from engine.stats import Bools, Counts, Floats, Ints
from engine.stats.conclusion_rules import (
    CLAIMS,
    FOR_ITSELF,
    LOGARITHMIC,
    MATERIAL,
    Answers,
    Conclusion,
    Evidence,
    Scale,
    answer,
    conclude,
)
from engine.stats.discernment import FEWEST
from engine.stats.given_and_expected import Expectation
from engine.stats.outside import compare_with_outside
from engine.stats.taste_spread import placebo_ranks
from engine.stats.tastes import FEW_FAMILIES

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


_ROUNDING = 1e-9
MOST_REFITTED = 20
"""Judges up to which tipping and missing verdicts' bounds are computed: each takes fits of all judges."""
MOST_CELLS_REFITTED = 2_000_000
"""Verdicts up to which tipping is computed: it takes a dozen fits per judge, a second each beyond."""
MOST_THEMES = 50
"""With more themes each has an instance or two, and none is reported."""
_MORE_CASES_DECIDE = ("undecided", "not_detectable", "few_instances", "few_credited", "few_uncredited")
"""The reasons for which more cases may decide; `few_pairs` is one as well."""
_CLOSE_ENOUGH: dict[Scale, float] = {
    "odds": float(np.log(MATERIAL["odds"])),
    "ratio": float(np.log(MATERIAL["ratio"])),
    "votes": 0.05,
    "points": MATERIAL["points"],
}
"""Roughly the distance from the null that is not material, to say how many cases decide."""
_BIASES = tuple(one for one in BIASES if one.name != "hspp_family")
_OUTSIDE = {"ratio_outside": 1.0, "bonus_outside": 0.0, "vote_outside": 0.0, "odds_self": 1.0}
_NO_ERROR = "hangs_on_one_instance"


@one_thread()
def scorecard_table(
    study: "StudyArrays", spec: Slice, options: Options, _weights: NDArray[np.float32] | None
) -> Table:
    """Return the row of the judges together, then one for each judge; NoDataError if there is none.

    A judge has a row if it has judged a response of its own, or one of its family with a number.
    """
    source = deciding_source(study, spec, options)
    if source.material is not None and source.material <= 1 and source.number != "bonus_outside":
        raise UsageError(
            f"material {source.material!r} is not above 1, but {source.number} is held against odds; give a "
            "ratio such as 1.25"
        )
    names = [study.index.models[j] for j in source.view.judges]
    is_shown = np.array([not spec.judges or name in spec.judges for name in names], dtype=bool)
    keep = (source.judged | _has_family_number(source)) & is_shown
    own = _Side.of_self(source, keep)
    columns = own.columns() | _missing_columns(source, keep) | _family_columns(source, keep)
    columns |= _other_numbers(study, spec, source, names)
    columns |= _doubt_columns(source, columns, keep)
    columns["cautions"] = Column(_cautions(source, columns))
    columns |= judge_columns(source.view)
    group = group_of(source, options["seed"])
    columns = {name: _with_first(column, group.get(name), name) for name, column in columns.items()} | {
        name: Column([value] + [None] * len(names), reasons="of_the_group")
        for name, value in group.items()
        if name not in columns
    }
    applied = {"truth": source.truth, "pairs": source.pairs, "decided_by": source.number}
    filters = source.view.request.filters() | applied
    shown = np.concatenate([[keep.any()], keep])
    return Table(columns, shown, source.view.study.index.n_instances, source.left_out, filters)


def _with_first(column: Column, value: Any, name: str) -> Column:
    """Return a column with a row before its first: that of the judges together."""
    values = [value, *(column.values.tolist() if isinstance(column.values, np.ndarray) else column.values)]
    why = [column.reason(row) for row in range(len(column.values))]
    intervals = column.intervals
    if intervals is not None:
        low, high, p = (
            np.concatenate([[np.nan], part]) for part in (intervals.low, intervals.high, intervals.p)
        )
        intervals = Intervals(low, high, p, intervals.reason)
    of_group = "not_of_the_group" if name not in GROUP_FIELDS else "undefined"
    return Column(values, None, [of_group, *why], intervals)


GROUP_FIELDS = frozenset(
    {
        *("conclusion", "reason", "decided_by", "estimate", "low", "high", "p"),
        *("own_given", "own_expected", "own_expected_low", "own_expected_high"),
        *("excess", "excess_low", "excess_high", "family_conclusion", "family_reason"),
    }
)
"""The fields of judges' rows that the row of the judges together has as well."""


def _has_family_number(source: Source) -> Bools:
    relatives = source.case.evidence.relatives
    return np.zeros(len(source.judged), dtype=bool) if relatives is None else relatives.own.defined


@dataclass(frozen=True, eq=False)
class Refits:
    """The checks of a conclusion that take further fits, each made once, and only if it is asked for.

    `family`: of how judges treat their relatives' responses.
    """

    source: Source
    family: bool = False

    def first_filled(self, judge: int, side: int) -> bool:
        return self._unfilled(judge) or self._against(judge, side).same_side(judge, side)

    def second_filled(self, judge: int, side: int) -> bool:
        return self._unfilled(judge) or self._against(judge, side).open[judge] is None

    def alike_filled(self, judge: int) -> bool:
        if self._unfilled(judge):
            return True
        return all(bool(self._against(judge, side).alike[judge]) for side in (1, -1))

    def on_same_items(self, judge: int) -> bool:
        return self.source.upheld_on_same_items(judge, family=self.family)

    def _unfilled(self, judge: int) -> bool:
        return not self.source.unequal["family" if self.family else "own"][judge]

    def _against(self, judge: int, side: int) -> Answers:
        """Return the answers with what is missing speaking against a claim on this side."""
        if (judge, side) not in self._answers:
            sign = self.source.unequal["family" if self.family else "own"][judge]
            near = sign > 0
            kind: Whose = "family" if self.family else "own"
            whose: Whose = kind if near else "other"
            only = np.arange(len(self.source.judged)) == judge
            case = self.source.filled(only, whose, favourable=(side < 0) == near)
            of_self, of_family = answer(case.evidence)
            self._answers[judge, side] = of_family if self.family and of_family is not None else of_self
        return self._answers[judge, side]

    @cached_property
    def _answers(self) -> dict[tuple[int, int], Answers]:
        return {}


@dataclass(frozen=True, eq=False)
class _Side:
    """How the judges treat their own responses, or those of their relatives: conclusions and numbers."""

    source: Source
    answers: Answers
    conclusions: list[Conclusion]
    expectations: list[Expectation]

    @classmethod
    def of_self(cls, source: Source, keep: Bools) -> "_Side":
        answers = source.answers[0]
        conclusions = conclude(answers, Refits(source), np.flatnonzero(keep))
        return cls(source, answers, conclusions, source.expectations())

    @classmethod
    def of_family(cls, source: Source, keep: Bools) -> "_Side | None":
        answers = source.answers[1]
        if answers is None:
            return None
        conclusions = conclude(answers, Refits(source, family=True), np.flatnonzero(keep))
        return cls(source, answers, conclusions, source.expectations("family"))

    @property
    def evidence(self) -> Evidence:
        return self.answers.evidence

    @cached_property
    def why(self) -> list[str | None]:
        return self.evidence.undefined

    @cached_property
    def unsure(self) -> list[str]:
        return [code or _NO_ERROR for code in self.why]

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """The interval that agrees with the adjusted p; of `discerned` where discernment is the reason."""
        level = self.answers.first.level
        fallen = np.array([one.reason == "discernment" for one in self.conclusions], dtype=bool)
        of_own, of_discerned = (
            number.interval(level=level) for number in (self.evidence.own, self.evidence.discerned)
        )
        low, high = (np.where(fallen, *both) for both in zip(of_discerned, of_own, strict=True))
        return low, high

    @cached_property
    def ends_plain(self) -> tuple[Floats, Floats]:
        return self.evidence.own.interval()

    @cached_property
    def ends_tastes(self) -> tuple[Floats, Floats]:
        return self.evidence.tastes.interval(level=self.answers.second.level)

    def scaled(self, values: Floats) -> Floats:
        return np.exp(values) if self.evidence.scale in LOGARITHMIC else values

    def expected(self, numbers: Floats) -> Floats:
        pairs = zip(self.expectations, numbers.tolist(), strict=True)
        return np.array([one.expected(number) for one, number in pairs])

    @cached_property
    def given(self) -> Floats:
        """The share of own cases given; undefined where the number is."""
        given = np.array([one.given for one in self.expectations])
        return np.where(np.isnan(self.evidence.own.value), np.nan, given)

    def columns(self) -> dict[str, Column]:
        evidence, answers, source = self.evidence, self.answers, self.source
        own, judges = evidence.own, len(self.conclusions)
        no_tastes = [code or "tastes_unknown" for code in self.why]
        no_discernment = [code or "discernment_untold" for code in self.why]
        reasons = [one.reason for one in self.conclusions]
        needed = _cases_needed(evidence, self.conclusions, source.case.n_own)
        ratios = source.ratios
        columns = {
            "conclusion": Column([one.code for one in self.conclusions], reasons=self.why),
            "decided_by": Column([source.number] * judges),
            "truth": Column([source.truth] * judges, reasons="not_of_these_judgments"),
            "estimate": Column(self.scaled(own.value), reasons=self.why),
            "discerned": Column(self.scaled(evidence.discerned.value), reasons=no_discernment),
            "p": Column(own.p(), reasons=self.unsure),
            "p_tastes": Column(evidence.tastes.p(), reasons=no_tastes),
            "p_adjusted": Column(answers.first.adjusted, reasons=self.unsure),
            "p_tastes_adjusted": Column(answers.second.adjusted, reasons=no_tastes),
            "reason": Column(reasons, reasons="concluded"),
            "ratio_outside": Column(ratios.ratio, reasons=ratios.reasons, intervals=ratios.interval),
            "n_outside": Column(ratios.judges),
            **{name: Column(getattr(source.case, name)) for name in ("n_own", "n_other", "n_family")},
            "detectable": Column(self.scaled(own.detectable(0.0)), reasons=self.unsure),
            "needed": Column(needed, reasons="not_for_lack_of_cases"),
        }
        for suffix, ends in (("", self.ends), ("_plain", self.ends_plain), ("_tastes", self.ends_tastes)):
            why = no_tastes if suffix == "_tastes" else self.unsure
            for end, values in zip(("low", "high"), ends, strict=True):
                columns[f"{end}{suffix}"] = Column(self.scaled(values), reasons=why)
        return columns | self.cases_columns("own_given", "own_expected", "excess", tastes=True)

    def cases_columns(self, given: str, expected: str, excess: str, *, tastes: bool) -> dict[str, Column]:
        """Return what was given and expected, with their difference: names of the three numbers."""
        share, middle = self.given, self.expected(self.evidence.own.value)
        alike = np.isnan(middle) & ~np.isnan(share)
        why = [
            code or ("all_own_cases_alike" if same else "undefined")
            for code, same in zip(self.why, alike, strict=True)
        ]
        columns = {
            given: Column(share, reasons=self.why),
            expected: Column(middle, reasons=why),
            excess: Column(share - middle, reasons=why),
        }
        unsure = [code if code != "undefined" else _NO_ERROR for code in why]
        kinds = [("", self.ends), ("_plain", self.ends_plain)] + (
            [("_tastes", self.ends_tastes)] if tastes else []
        )
        for suffix, (low, high) in kinds:
            most, least = self.expected(low), self.expected(high)
            without = [code or "tastes_unknown" for code in self.why] if suffix == "_tastes" else unsure
            if suffix == "":
                columns[f"{expected}_low"] = Column(least, reasons=unsure)
                columns[f"{expected}_high"] = Column(most, reasons=unsure)
            columns[f"{excess}_low{suffix}"] = Column(share - most, reasons=without)
            columns[f"{excess}_high{suffix}"] = Column(share - least, reasons=without)
        return columns


def _cases_needed(evidence: Evidence, conclusions: list[Conclusion], n_own: Ints) -> list[int | None]:
    """Return how many own cases in all would answer question 1, for judges that lack them."""
    times = evidence.own.times_needed(0.0, _CLOSE_ENOUGH[evidence.scale])
    return [
        int(np.ceil(n * max(more, 1.0)))
        if one.reason in (*_MORE_CASES_DECIDE, "few_pairs") and np.isfinite(more)
        else None
        for one, n, more in zip(conclusions, n_own.tolist(), times.tolist(), strict=True)
    ]


_FAMILY_NUMBERS = (
    *("family_conclusion", "family_reason", "odds_family", "odds_family_p", "odds_family_p_adjusted"),
    *("odds_family_p_tastes_adjusted", "family_given", "family_expected", "family_expected_low"),
    *("family_expected_high", "excess_family", "excess_family_low", "excess_family_high"),
)


_ODDS_OF_FAMILY = (
    *("odds_family", "odds_family_p", "odds_family_p_adjusted"),
    "odds_family_p_tastes_adjusted",
)


def _family_columns(source: Source, keep: Bools) -> dict[str, Column]:
    case = source.case
    judges, why = len(case.n_own), case.relatives_why
    side = _Side.of_family(source, keep)
    if side is None:
        nothing = Column([None] * judges, reasons=[code or "no_relatives" for code in why])
        return dict.fromkeys(_FAMILY_NUMBERS, nothing)
    evidence, answers = side.evidence, side.answers
    no_tastes = [code or "tastes_unknown" for code in side.why]
    with np.errstate(over="ignore"):
        low, high = (np.exp(end) for end in side.ends)
    interval = Intervals(low, high, evidence.own.p(), _NO_ERROR)
    conclusion = [None if one.code is None else family_words(one.code) for one in side.conclusions]
    reason = [one.reason for one in side.conclusions]
    columns = {
        "family_conclusion": Column(conclusion, reasons=side.why),
        "family_reason": Column(reason, reasons="concluded"),
    }
    if evidence.scale != "odds":
        elsewhere = Column([None] * judges, reasons="not_of_these_judgments")
        columns |= dict.fromkeys(_ODDS_OF_FAMILY, elsewhere)
        return columns | side.cases_columns("family_given", "family_expected", "excess_family", tastes=False)
    columns |= {
        "odds_family": Column(np.exp(evidence.own.value), reasons=side.why, intervals=interval),
        "odds_family_p": Column(evidence.own.p(), reasons=side.unsure),
        "odds_family_p_adjusted": Column(answers.first.adjusted, reasons=side.unsure),
        "odds_family_p_tastes_adjusted": Column(answers.second.adjusted, reasons=no_tastes),
    }
    return columns | side.cases_columns("family_given", "family_expected", "excess_family", tastes=False)


def _missing_columns(source: Source, keep: Bools) -> dict[str, Column]:
    """Return the shares of missing verdicts, and the number if all of its own were for or against it."""
    own, other = source.missing.shares("own"), source.missing.shares("other")
    value = source.case.evidence.own.value
    few = int(keep.sum()) <= MOST_REFITTED
    low, high = np.array([value, value]) if few else np.full((2, len(value)), np.nan)
    for j in np.flatnonzero(keep & (np.nan_to_num(own.together) > 0) & source.judged).tolist():
        if few:
            low[j], high[j] = source.bounds(j)
    why = [code or ("undefined" if few else "many_judges") for code in source.case.evidence.undefined]
    if source.case.evidence.scale in LOGARITHMIC:
        low, high = np.exp(low), np.exp(high)
    return {
        "missing_own": Column(own.missing, reasons="nothing_asked"),
        "missing_other": Column(other.missing, reasons="nothing_asked"),
        "absent_own": Column(own.absent, reasons="nothing_asked"),
        "absent_other": Column(other.absent, reasons="nothing_asked"),
        "bound_low": Column(low, reasons=why),
        "bound_high": Column(high, reasons=why),
    }


def _other_numbers(study: "StudyArrays", spec: Slice, source: Source, names: list[str]) -> dict[str, Column]:
    """Return the study's other numbers on each judge, and how many point the same way."""
    numbers: dict[str, dict[str, float]] = {name: {} for name in names}
    hspp: dict[str, dict[str, float]] = {"hspp_self": {}, "hspp_matched": {}}
    for number, row in number_rows(study, spec, _BIASES, 0, 0):
        if row[number.field] is None or number.null is None or row["judge"] not in numbers:
            continue
        numbers[row["judge"]].setdefault(number.name, row[number.field] - number.null)
        if number.field in hspp:
            hspp[number.field].setdefault(row["judge"], row[number.field])
    for row in _rows_outside(study, spec, source, names):
        if row["judge"] in numbers:
            for name, null in _OUTSIDE.items():
                if row[name] is not None:
                    numbers[row["judge"]].setdefault(name, row[name] - null)
    agreeing, disagreeing = [], []
    for name, value in zip(names, source.case.evidence.own.value.tolist(), strict=True):
        others = [n for of, n in numbers[name].items() if of != source.number and abs(n) > _ROUNDING]
        same = sum((number > 0) == (value > 0) for number in others)
        has_side = abs(value) > _ROUNDING
        agreeing.append(same if has_side else 0)
        disagreeing.append(len(others) - same if has_side else 0)
    columns = {
        field: Column([hspp[field].get(name) for name in names], reasons="no_verdict_with_a_reference")
        for field in hspp
    }
    return columns | {"agreeing": Column(agreeing), "disagreeing": Column(disagreeing)}


def _rows_outside(
    study: "StudyArrays", spec: Slice, source: Source, names: list[str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of `outside` for each paradigm and level; for what decides, the ratio is known."""
    decides = source.number == "odds_self"
    measure = replace(
        OUTSIDE, function=partial(outside_table, odds=not decides, placebos=False, families=False)
    )
    known_paradigm = source.view.request.spec.paradigm if decides and source.truth == "failed" else None
    for paradigm in study.inventory.values("paradigm") if spec.paradigm is None else [spec.paradigm]:
        for level in ("rubric", "instance") if paradigm in RUBRIC_PARADIGMS else (None,):
            if level == "rubric" and paradigm == known_paradigm:
                for name, ratio in zip(names, source.ratios.ratio.tolist(), strict=True):
                    known_ratio = None if np.isnan(ratio) else ratio
                    yield dict.fromkeys(_OUTSIDE) | {"judge": name, "ratio_outside": known_ratio}
                continue
            flags = spec.filters() | {"paradigm": paradigm, "level": level}
            if level == "instance":
                flags["reference"] = NONE
            with suppress(UsageError, NoDataError):
                yield from compute_measure(study, measure, resamples=0, **flags).rows


def _doubt_columns(source: Source, columns: Mapping[str, Column], keep: Bools) -> dict[str, Column]:
    """Return tipping, the reference's family, ties and the rank among placebos."""
    judges, case = len(keep), source.case
    tipping: list[int | None] = [None] * judges
    shares: list[float | None] = [None] * judges
    untipped = ["not_standing"] * judges
    cells = 0 if source.joint is None else int(count(source.joint.counted).sum())
    for j in np.flatnonzero(keep).tolist():
        conclusion = columns["conclusion"].values[j]
        if source.truth != "failed" or conclusion not in FOR_ITSELF:
            continue
        if keep.sum() > MOST_REFITTED:
            untipped[j] = "many_judges"
        elif cells > MOST_CELLS_REFITTED:
            untipped[j] = "many_verdicts"
        else:
            tipping[j], shares[j] = _tipping(source, j, str(conclusion))
    rank, number = placebo_ranks(case.evidence.own.value, case.placebos.value)
    why, pairs = case.evidence.undefined, source.own_pairs
    ties = Column([None] * judges, reasons="not_of_pairs")
    if pairs is not None:
        ties = Column(pairs.tie_share, reasons="no_reference")
    return {
        "tipping": Column(tipping, reasons=untipped),
        "tipping_share": Column(shares, reasons=untipped),
        "family_in_reference": Column(_family_in_reference(source)),
        "tie_share": ties,
        **_theme_columns(source, judges),
        "placebo_rank": Column([int(n) or None for n in rank], reasons=why),
        "placebo_of": Column([int(n) or None for n in number], reasons=why),
    }


def _theme_columns(source: Source, judges: int) -> dict[str, Column]:
    """Return in how many themes each judge credits its own more than outside judges do, and in how many less.

    For verdicts, by the sign of `difference_outside` among the instances of one theme; themes in which it is
    undefined or 0 are in neither.
    """
    themes = np.array(source.view.study.index.instance_fields["theme"], dtype=object)
    names = [theme for theme in dict.fromkeys(themes.tolist()) if theme is not None]
    joint = source.joint
    if joint is None or len(names) < 2 or len(names) > MOST_THEMES:
        code = "not_of_these_judgments" if joint is None else "no_themes"
        nothing = Column([None] * judges, reasons=code)
        return {"themes_for": nothing, "themes_against": nothing}
    of_theme = (themes[:, None] == np.array(names, dtype=object)).astype(np.float32)

    def by_theme(counts: Counts) -> Floats:
        sums = counts.astype(np.float32) @ of_theme  # of so few they are exact
        return np.asarray(sums, dtype=np.float64)

    of_themes = replace(joint, clusters=None).common_in(by_theme)
    [shares] = compare_with_outside(of_themes, joint.masks, joint.masks.own)
    above, below = (sign * shares.difference > _ROUNDING for sign in (1, -1))
    return {"themes_for": Column(above.sum(axis=1)), "themes_against": Column(below.sum(axis=1))}


def _tipping(source: Source, judge: int, conclusion: str) -> tuple[int | None, float | None]:
    """Return how many own failures must be removed, credited ones first, to change the conclusion.

    That is until the answers to its questions by the numbers alone no longer hold.
    """
    joint = source.joint
    assert joint is not None  # noqa: S101 - only verdicts tip
    cells, credited = joint.own_cells_by_doubt(judge)

    def holds(number: int) -> bool:
        removed = np.zeros(len(joint.layout.instance_of), dtype=bool)
        removed[cells[:number]] = True
        case = source.case_of(joint.without_own(judge, joint.layout.pack(removed)))
        answers, _ = answer(case.evidence)
        firm = conclusion == "favours_itself"
        return answers.same_side(judge, 1) and not (firm and answers.open[judge])

    # Each cell removed weakens the case for the conclusion, which allows bisection.
    low, high = 0, min(max(credited, 1), len(cells))
    while high < len(cells) and holds(high):
        low, high = high, min(2 * high, len(cells))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high, high / credited if credited else None


def _family_in_reference(source: Source) -> list[float]:
    """Return the share of a committee's members that are the judge or of its family, 0 for others."""
    view, judges, committee = source.view, len(source.view.judges), None
    name = view.request.source or ""
    if name.startswith(COMMITTEE) and source.truth != "any":
        committee = view.study.info.committees.get(name.removeprefix(COMMITTEE))
    if committee is None:
        return [0.0] * judges
    positions = np.array([view.study.index.models.index(member) for member in committee.members])
    relations = view.study.index.relations(view.judges, positions, view.request.exclusion.relatives)
    related, voting = relations.self_mask | relations.family, np.ones((judges, len(positions)), dtype=bool)
    if view.request.spec.exclude_family:
        voting &= ~related
    elif view.request.spec.leave_self_out:
        voting &= ~relations.self_mask
    heads = np.maximum(voting.sum(axis=1), 1)
    return list(((related & voting).sum(axis=1) / heads).tolist())


def _cautions(source: Source, columns: Mapping[str, Column]) -> list[list[str]]:
    case = source.case
    gap = source.unequal["own"] != 0
    family = columns["family_in_reference"].values
    takes_side = np.isin(np.array(columns["conclusion"].values, dtype=object), CLAIMS)
    has_placebo = np.isfinite(case.placebos.value) & (case.placebos.se > 0)
    unmeasured = takes_side & (has_placebo.sum(axis=1) < FEWEST) & (source.number != "hspp_matched")
    families = len(np.unique(family_masks(source.view).outside, axis=0))
    few_families = families < FEW_FAMILIES and source.number != "hspp_matched"
    return [
        [
            code
            for code, holds in (
                ("no_outside_judges", source.number == "hspp_matched"),
                ("strictness", source.number == "odds_self" and source.truth == "any"),
                ("tastes_assumed", case.tastes.assumed),
                ("few_families", bool(takes_side[j]) and few_families and not case.tastes.assumed),
                ("discernment_untold", bool(unmeasured[j])),
                ("family_in_reference", family[j] > 0),
                ("missing_verdicts", bool(gap[j])),
            )
            if holds
        ]
        for j in range(len(gap))
    ]
