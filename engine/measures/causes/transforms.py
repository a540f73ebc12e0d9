"""`robustness`, rows `preference`: self-preference on rewritten responses, beside those as written."""

from dataclasses import replace
from typing import Any

import numpy as np

from engine.arrays.slicing.group_by import SliceGroup, group_views, keep_common
from engine.arrays.slicing.resolve import NoDataError, choose_paradigm
from engine.arrays.study_arrays import StudyArrays
from engine.errors import UsageError, unknown
from engine.measures import entry
from engine.measures.causes.robustness import pairing_of
from engine.measures.compute import prepare_slice
from engine.measures.entry import ONE_JUDGE, SMALL, Measure
from engine.measures.rows import FEW, Column, Options, Table
from engine.measures.scorecard.judge_numbers import BIASES, PICKS, SP, JudgeMeasure
from engine.slices import Slice
from engine.stats import Floats, Weights
from engine.stats.ratios import ratio
from engine.wording import option

Sides = tuple[Table, Table]

PLAIN = "none"
JUDGE_MEASURES = (*BIASES, SP, PICKS)


def transforms_table(
    study: StudyArrays, spec: Slice, options: Options, weights: Weights | None
) -> list[Table]:
    """Return a table for each measure and transform, a row for each judge that has both."""
    stored = [str(name) for name in study.inventory.values("transform")]
    if spec.transform is not None and spec.transform not in stored:
        raise unknown("transform", spec.transform, [name for name in stored if name != PLAIN])
    if spec.transform == PLAIN:
        raise UsageError(
            f"transform {PLAIN!r} is what the others are compared with; name another, or leave out ",
            option("transform"),
        )
    tables = []
    for measure in {number.measure.name: number.measure for number in JUDGE_MEASURES}.values():
        for transform in _transforms(study, spec, measure):
            sides, dropped = _both_sides(study, measure, spec, transform, weights, options["seed"])
            for number in (each for each in JUDGE_MEASURES if each.measure is measure):
                rows = [row for judge, both in sides.items() if (row := _row(number, judge, transform, both))]
                if any(row["effect"].values[0] is not None for row in rows):
                    instances = max(min(table.instances for table in pair) for pair in sides.values())
                    tables.append(Table.of(rows, instances, {"not_common": dropped}))
                    dropped = 0
    if not tables:
        raise NoDataError("no judge has judged the same answers both as written and rewritten")
    return tables


def _transforms(study: StudyArrays, spec: Slice, measure: Measure) -> list[str]:
    """Return the transforms with judgments to which the measure applies.

    If changed responses are paired with others as written, no pair is judged both ways; `robustness` has
    those.
    """
    try:
        paradigm = choose_paradigm(study, spec, measure.paradigms)
    except (NoDataError, UsageError):
        return []
    if spec.level is not None and measure.level not in (None, spec.level):
        return []
    names = [str(name) for name in study.inventory.values("transform", paradigm=paradigm)]
    names = [name for name in names if name != PLAIN and spec.transform in (None, name)]
    return [name for name in names if pairing_of(study, name) is None]


def _both_sides(
    study: StudyArrays, measure: Measure, spec: Slice, transform: str, weights: Weights | None, seed: int
) -> tuple[dict[str, Sides], int]:
    """Return the measure without the transform and under it, for each judge on what it judged in both.

    A model that rewrote a response is not a gold judge of it on either side, so that the panel is the same.
    The second is the number of responses that a judge judged in only one of the two.
    """
    options = measure.defaults
    level = measure.level or spec.level
    try:
        views = []
        for name in (PLAIN, transform):
            filters = prepare_slice(study, measure, replace(spec, transform=name, level=level), options, None)
            views.append(group_views(study, filters, None, weights, measure.paradigms)[0].view)
    except (NoDataError, UsageError):
        return {}, 0
    tables_of, dropped = {}, 0
    for judge in np.intersect1d(views[0].judges, views[1].judges):
        alone = [view.shown_judges(view.rows[view.judges == judge]) for view in views]
        try:
            groups, n_lost = keep_common([SliceGroup(None, view) for view in alone])
            settings = options | {"seed": seed, "rewritten": transform}
            tables = [measure.function(part.view, settings) for part in groups]
        except (NoDataError, UsageError):
            continue
        tables_of[study.index.models[judge]] = (tables[0], tables[1])
        dropped += n_lost
    return tables_of, dropped


def _row(number: JudgeMeasure, judge: str, transform: str, sides: Sides) -> dict[str, Column] | None:
    """Return a judge's row, None unless it has a counted row on both sides."""
    i, j = (_place(table, judge) for table in sides)
    if i is None or j is None:
        return None
    before, after = _cell(sides[0].columns[number.field], i), _cell(sides[1].columns[number.field], j)
    as_ratio = Column([None], _nothing(before.draws), "not_a_ratio")
    if number.null == 1.0:
        as_ratio = _compare(before, after, lambda a, b: ratio(b, a))
    n = int(np.asarray(sides[1].columns[number.count].values)[j])
    return {
        "measure": Column([number.title]),
        "judge": Column([judge]),
        "transform": Column([transform]),
        "without": before,
        "under": after,
        "effect": _compare(before, after, lambda a, b: b - a),
        "ratio": as_ratio,
        "n": Column([n]),
        "n_instances": Column([min(table.instances for table in sides)]),
        "small": Column([n < FEW]),
        "field": Column([f"{number.measure.name}.{number.field}"]),
    }


def _place(table: Table, judge: str) -> int | None:
    own = {"judge": (judge,), "opponent": (None,), "generator": (judge, None)}
    cells = [(table.columns[name].values, values) for name, values in own.items() if name in table.columns]
    places: list[int] = np.flatnonzero(table.keep).tolist()
    return next((row for row in places if all(column[row] in values for column, values in cells)), None)


def _cell(column: Column, row: int) -> Column:
    value = column.values[row]
    is_defined = value is not None and np.isfinite(value)
    draws = None if column.draws is None else column.draws[:, [row]]
    return Column([float(value) if is_defined else None], draws, column.reason(row))


def _compare(before: Column, after: Column, statistic: Any) -> Column:
    """Return a statistic of both values, with the draws, which share resamples."""
    a, b = before.values[0], after.values[0]
    if a is None or b is None:
        return Column([None], _nothing(before.draws), (before if a is None else after).reason(0))
    value = float(statistic(np.array(a), np.array(b)))
    draws = None
    if before.draws is not None and after.draws is not None:
        draws = statistic(before.draws, after.draws)
    return Column([value if np.isfinite(value) else None], draws, "denominator_is_zero")


def _nothing(draws: Floats | None) -> Floats | None:
    return None if draws is None else np.full(draws.shape, np.nan)


TRANSFORMS = Measure(
    name="transforms",
    part_of=("robustness", "preference"),
    title="Rewritten answers",
    question="Does self-preference fall when answers are rewritten in another style or obfuscated?",
    formula="effect = bias with the transform - bias without it, on answers judged in both forms",
    paper="dbg-score, section 4.2",
    left_out="answers that a judge judged in only one of the two forms (not_common)",
    function=transforms_table,
    keys=("measure", "judge", "transform"),
    headline="effect",
    sliced=False,
    fields=(
        entry.key("measure", "the measure; its field, where that is not the headline number"),
        ONE_JUDGE,
        entry.key("transform", "how the answers were rewritten"),
        entry.estimate("without", "bias on the answers as written"),
        entry.estimate("under", "bias on the rewritten answers"),
        entry.difference(
            "effect", "bias when rewritten minus bias as written, from the same resamples", "number"
        ),
        entry.ratio("ratio", "for ratios: bias when rewritten / bias as written", tested=False),
        entry.count("n", "cases behind the bias on the rewritten answers"),
        entry.count("n_instances", "questions on which both forms were judged"),
        SMALL,
        entry.key("field", "measure and field that the value comes from"),
    ),
)
