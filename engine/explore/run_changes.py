"""Whether a judge has changed between two runs of a study, for pipelines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError, unknown
from engine.explore.gate import GateResult, GateStatus
from engine.explore.strictness import STRICTNESS
from engine.measures.catalogue import MEASURES, find
from engine.measures.entry import Measure
from engine.measures.result import Result
from engine.paradigms import RUBRIC_PARADIGMS
from engine.phrases import at_most, join_names
from engine.stats.intervals.repeated_looks import alpha_of_look
from engine.wording import command_line

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

USUAL = ("hspp", "outside")
"""The measures tried if none is named: the latter needs no reference, and takes scores and pairs too."""

OF_OUTSIDE = ("ratio_outside", "difference_outside", "bonus_outside", "vote_outside")
"""The numbers of `outside`, of which verdicts, scores and pairs each have their own."""


@dataclass(frozen=True)
class NumberChange:
    """A judge whose number of a measure changed, and what it was in each run.

    `of_criteria` says whether it is of verdicts on criteria.
    """

    judge: str
    measure: str
    before: float
    after: float
    of_criteria: bool


@dataclass(frozen=True)
class JudgeChange(GateResult):
    """A judge's change between two runs, with its adjusted p.

    `p_is_smallest`: that is at most so much (`engine.measures.comparison.differences`).
    """

    p_adjusted: float | None = None
    p_is_smallest: bool = False


@dataclass(frozen=True)
class RunChanges:
    """The change of each row of a measure in its headline; if there are no results, `reason` says why.

    A judge has a row for each of what stands `beside` it, such as each model: it has changed if a row has,
    and cannot be tested if none can be. Of the `n_questions` of the runs, `n_in_both` are in both. `changed`
    has the numbers of the rows that changed, and `null` is no change. `is_named` says whether the measure was
    asked for; else self-preference is compared. P-values are from that many `resamples`. If rows `are_pairs`
    of judges, a pair counts wherever else a judge does, by the name of its result.
    """

    results: tuple[JudgeChange, ...]
    measure: Measure
    reason: str | None
    beside: tuple[str, ...] = ()
    n_judges: int = 0
    n_changed: int = 0
    n_untested: int = 0
    n_questions: int = 0
    n_in_both: int = 0
    changed: tuple[NumberChange, ...] = ()
    null: float = 0.0
    is_named: bool = False
    resamples: int = 0
    are_pairs: bool = False

    @property
    def of_shares(self) -> bool:
        """Whether a change is the difference of two shares."""
        headline = next(field for field in self.measure.fields if field.name == self.measure.headline)
        return headline.kind == "share" and self.measure.compared_as == "difference"


def comparable_measures() -> dict[str, Measure]:
    """Return what two runs can be compared by: strictness, and measures of a slice with rows of judges.

    The change of each can be tested.
    """
    of_slices = {name: each for name, each in MEASURES.items() if each.sliced and each.draws}
    of_judges = {name: each for name, each in of_slices.items() if "judge" in each.keys}
    return {STRICTNESS.name: STRICTNESS, **of_judges}


def changes(
    study: "MeasuredStudy",
    measure: str | None,
    before: str,
    after: str,
    *,
    look: int = 1,
    looks: int = 1,
    filters: Mapping[str, Any] = MappingProxyType({}),
) -> RunChanges:
    """Compare two runs of a study, judge by judge: FAIL if a judge's number has changed.

    `filters` select a slice of both runs, such as some judges.

    The number is the measure's headline; of `outside`, the one that the judgments have. Without a measure it
    is that of `USUAL` which tests more judges, the first if both test as many. The change is the measure's
    `--against` comparison on common resamples; a judge has changed if its adjusted p is below the alpha that
    this look may spend (`stats.intervals.repeated_looks`). Without a p the result is INCONCLUSIVE. Raises
    UsageError for an unknown run, for a measure that cannot be compared, or if both runs are the same.
    """
    runs = study.inventory.runs
    for run in (before, after):
        if run not in runs:
            raise unknown("run", run, runs)
    if before == after:
        raise UsageError(f"run {before!r} is compared with itself; name an earlier and a later run")
    alpha = alpha_of_look(look, looks)
    questions = [_questions_of(study, run) for run in (before, after)]
    in_both = set.intersection(*questions)
    if not in_both:
        reason = _shares_no_question((before, after), questions)
        alone = f"look at each run by itself: `{command_line('judges', study.files.name, '--run', before)}`"
        reason = f"{reason}; give the same questions the same instance_id, or {alone}"
        of = find(USUAL[0]) if measure is None else _comparable(measure)
        return RunChanges((), of, reason, is_named=measure is not None)
    candidates = [find(name) for name in USUAL] if measure is None else [_comparable(measure)]
    declared = [number for each in candidates for number in _numbers_of(each)]
    compared = [
        study.result(each, **filters, run=after, against={"run": before}, common=each.compared_in_common)
        for each in declared
    ]
    of_best, best = max(zip(declared, compared, strict=True), key=lambda pair: _tested(pair[1]))
    rule = f"p-value below {alpha:.4g} at look {look} of {looks}"
    beside = tuple(name for name in of_best.keys if name not in ("judge", "family"))
    rows = [row for row in best.rows if row["judge"] is not None]
    results = tuple(_change(row, of_best, beside, rule, alpha) for row in rows)
    are_pairs = _SECOND_JUDGE in beside
    by_judge: dict[str, set[GateStatus]] = {}
    for row, result in zip(rows, results, strict=True):
        by_judge.setdefault(result.judge if are_pairs else row["judge"], set()).add(result.status)
    return RunChanges(
        results,
        of_best,
        None if results else best.reason or "no judge has judgments of both runs",
        tuple(_KEY_WORDS.get(name, name.replace("_", " ")) for name in beside),
        len(by_judge),
        sum("FAIL" in statuses for statuses in by_judge.values()),
        sum(statuses == {"INCONCLUSIVE"} for statuses in by_judge.values()),
        len(set.union(*questions)),
        len(in_both),
        _numbers_that_changed(rows, results, of_best, best.filters.get("paradigm")),
        1.0 if of_best.compared_as == "ratio" else 0.0,
        measure is not None,
        int(best.filters["resamples"]),
        are_pairs,
    )


def _numbers_that_changed(
    rows: Sequence[dict[str, Any]], results: Sequence[GateResult], measure: Measure, paradigm: str | None
) -> tuple[NumberChange, ...]:
    of_criteria = paradigm in RUBRIC_PARADIGMS
    return tuple(
        NumberChange(
            result.judge if _SECOND_JUDGE in row else str(row["judge"]),
            measure.name,
            row["b"],
            row["a"],
            of_criteria,
        )
        for row, result in zip(rows, results, strict=True)
        if result.status == "FAIL"
    )


def strictness_or_accuracy_changes(
    study: "MeasuredStudy", before: str, after: str, options: Mapping[str, Any] = MappingProxyType({})
) -> tuple[NumberChange, ...]:
    """Return which judges changed in strictness or in accuracy, by the tests of `changes`."""
    names = (STRICTNESS.name, "accuracy")
    tested = (changes(study, name, before, after, filters=options) for name in names)
    return tuple(number for each in tested for number in each.changed)


@dataclass(frozen=True)
class StrictnessChange:
    """A judge whose strictness changed: its mean score of the same `n` answers, in each run.

    Of verdicts on criteria that is the share passed, the mean over answers.
    """

    judge: str
    before: float
    after: float
    n: int
    of_criteria: bool


@dataclass(frozen=True)
class BesideSelfPreference:
    """The judges whose strictness or accuracy changed, for whom compares self-preference."""

    strictness: tuple[StrictnessChange, ...]
    accuracy: tuple[NumberChange, ...]


def beside_self_preference(
    study: "MeasuredStudy",
    before: str,
    after: str,
    *,
    look: int = 1,
    looks: int = 1,
    filters: Mapping[str, Any] = MappingProxyType({}),
) -> BesideSelfPreference:
    """Return what else changed between two runs, by the tests of `changes`."""
    tested = partial(changes, study, before=before, after=after, look=look, looks=looks, filters=filters)
    strictness = _strictness_changes(study, before, after, tested(STRICTNESS.name), filters)
    accuracy = tested("accuracy").changed
    return BesideSelfPreference(tuple(strictness), accuracy)


def _strictness_changes(
    study: "MeasuredStudy", before: str, after: str, tested: RunChanges, filters: Mapping[str, Any]
) -> list[StrictnessChange]:
    """Return the judges whose strictness changed, by the test that `changes` makes of that measure.

    There are none where judgments, such as those of pairs, have no strictness.
    """
    changed = [result.judge for result in tested.results if result.status == "FAIL"]
    if not changed:
        return []
    result = study.result(STRICTNESS, **filters, run=(before, after), by="run", common=True, resamples=0)
    of_criteria = result.filters["paradigm"] in RUBRIC_PARADIGMS
    of_run = {(row["judge"], row["slice"]): row for row in result.rows}
    pairs = ((judge, of_run[judge, before], of_run[judge, after]) for judge in changed)
    return [
        StrictnessChange(judge, earlier["mean_score"], later["mean_score"], later["n"], of_criteria)
        for judge, earlier, later in pairs
    ]


def without_shared_question(study: "MeasuredStudy", before: str, after: str) -> str | None:
    """Return that two runs share no question, so that what differs may be the questions; None if they do."""
    questions = [_questions_of(study, run) for run in (before, after)]
    return None if set.intersection(*questions) else _shares_no_question((before, after), questions)


def _shares_no_question(runs: Sequence[str], questions: Sequence[set[str]]) -> str:
    of_each = (f"{run} has {_examples(each)}" for run, each in zip(runs, questions, strict=True))
    return f"the runs share no question ({'; '.join(of_each)}), and what differs may be the questions"


def _questions_of(study: "MeasuredStudy", run: str) -> set[str]:
    """Return the questions on which a run has judgments, read once."""

    def read() -> set[str]:
        rows = study.files.table("judgments", ["instance_id"], {"run_id": [run]})
        return set(rows["instance_id"].unique().to_pylist())

    return study.remember(("questions of a run", run), read)


def _examples(questions: set[str]) -> str:
    return join_names([repr(name) for name in sorted(questions)], 2)


_SECOND_JUDGE = "other_judge"
_KEY_WORDS = {"generator": "model"}
"""What people call a key of a measure's rows, where they do not use its name."""


def _comparable(name: str) -> Measure:
    measures = comparable_measures()
    if (measure := measures.get(name.lower().replace("_", "-"))) is not None:
        return measure
    if name not in MEASURES:
        raise unknown("measure", name, list(measures))
    lacks = "no row for each judge of a run" if MEASURES[name].draws else "no change that can be tested"
    raise UsageError(f"measure {name!r} has {lacks}; choose from: {', '.join(measures)}")


def _numbers_of(measure: Measure) -> Sequence[Measure]:
    if measure.name != "outside":
        return (measure,)
    return [
        replace(measure, headline=name, compared_as="ratio" if name.startswith("ratio") else "difference")
        for name in OF_OUTSIDE
    ]


def _tested(result: Result) -> tuple[int, int]:
    rows = [row for row in result.rows if row["judge"] is not None]
    return sum(row["p_adjusted"] is not None for row in rows), sum(
        row["difference"] is not None for row in rows
    )


def _change(
    row: dict[str, Any], measure: Measure, beside: Sequence[str], rule: str, alpha: float
) -> JudgeChange:
    others = [str(row[name]) for name in beside if row[name] is not None]
    name = " / ".join([str(row["judge"]), *others])
    p = row["p_adjusted"]
    numbers = {"estimate": row["difference"], "low": row["low"], "high": row["high"]}
    if not isinstance(p, float):
        reasons = row.get("reasons")
        code = reasons.get("p_adjusted") or reasons.get("difference") if isinstance(reasons, dict) else None
        why = f"the change cannot be tested ({str(code or 'undefined').replace('_', ' ')})"
        return JudgeChange(name, "INCONCLUSIVE", rule, why, kind="change", is_checked=False, **numbers)
    status: GateStatus = "FAIL" if p < alpha else "PASS"
    is_smallest = bool(row["p_is_smallest"])
    why = f"adjusted p {at_most(p) if is_smallest else f'= {p:.3g}'}"
    if measure.changes is not None and status == "FAIL":
        why = f"{measure.changes[row['difference'] > 0]}, {why}"
    return JudgeChange(
        name, status, rule, why, kind="change", p_adjusted=p, p_is_smallest=is_smallest, **numbers
    )
