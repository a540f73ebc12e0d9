"""How much verdicts change when what is judged is rewritten: for each judge, transform and paradigm."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.arrays.bits.confusion import Resampled
from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.left_out import in_slice
from engine.arrays.pairs.judged_pairs import judged_pairs, prefer_variant
from engine.arrays.pairs.pair_orders import STRUCTURED
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.scores.scores import ScoreCube
from engine.arrays.slicing.group_by import group_views
from engine.arrays.slicing.resolve import NoDataError, choose_paradigm
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.references import NONE
from engine.arrays.view import SliceView
from engine.errors import unknown
from engine.measures import entry
from engine.measures.columns import ALIKE, mean_column, share_of_few, student_t_column
from engine.measures.entry import ADDED, DELETED, SMALL, Field, Measure
from engine.measures.outside.outside_points import relevant_left_out
from engine.measures.rows import FEW, Column, Options, Table, first_reason
from engine.paradigms import COMPARABLE, TRAITS
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints, Weights
from engine.stats.intervals.bootstrap import resample
from engine.stats.intervals.delete_one import deleted_means, error_of_deleting
from engine.stats.ratios import rate
from engine.stats.scores.ranks import TOLERANCE

_WITHOUT_TIES = ("forced", STRUCTURED)


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums of values and numbers of cases by judge and instance, shape (judges, instances)."""

    total: Floats
    number: Ints

    def minus(self, other: "_Sums", weights: Weights | None, why: Any) -> Column:
        """Return the mean less another's, with the interval of deleting one instance at a time."""
        (mean, without), (other_mean, others_without) = (
            deleted_means(part.total, part.number) for part in (self, other)
        )
        value = mean - other_mean
        if weights is None:
            return Column(value, reasons=why)
        sums = [(part.total, part.number) for part in (self, other)]
        draws = [rate(*(resample(each, weights) for each in part)) for part in sums]
        n_instances = ((self.number > 0) | (other.number > 0)).sum(axis=-1)
        se = error_of_deleting(value, without - others_without, n_instances)
        return student_t_column(value, se, n_instances - 1, draws[0] - draws[1], why, ALIKE)


@dataclass(frozen=True, eq=False)
class _Changes:
    """Cases judged both as written and changed, by judge, generator and instance.

    `judges` and `generators` are models' positions. `same` counts the cases with the same verdict, `lift`
    sums by how much they rose, None if they cannot; if both responses of a pair are changed (`both`), it is
    that of the judge's own only.
    """

    judges: Ints
    generators: Ints
    number: Ints
    same: Floats
    lift: Floats | None
    both: bool = False


def robustness_table(
    study: StudyArrays, spec: Slice, options: Options, weights: Weights | None
) -> list[Table]:
    """Return a table for each paradigm and transform, a row for each judge that judged responses both ways.

    The robustness rate is the share of cases whose verdict under the transform equals that without it: rubric
    verdicts, scores of responses, and outcomes of pairs over both orders (section 4); for a response beside
    itself, the share of answers that are ties. Own: cases of the judge's own responses; others: of responses
    by generators outside its family; in pairs the response that was changed, or either if both were. `lift`
    is the mean change of a favourable verdict, score or vote.
    """
    stored = [str(name) for name in study.inventory.values("transform") if name != "none"]
    if spec.transform is not None and spec.transform not in stored:
        raise unknown("transform", spec.transform, stored)
    tables: list[Table] = []
    for paradigm in COMPARABLE if spec.paradigm is None else (choose_paradigm(study, spec),):
        for name in study.inventory.values("transform", paradigm=paradigm):
            if name == "none" or spec.transform not in (None, name):
                continue
            base_spec = replace(spec, paradigm=paradigm, level=None, reference=NONE)
            if TRAITS[paradigm].of_pairs:
                base_spec = prefer_variant(study, base_spec, None, "default", "forced", "forced_tie")
            try:
                sides = [
                    group_views(study, replace(base_spec, transform=each), None, weights, (paradigm,))[0].view
                    for each in ("none", str(name))
                ]
            except NoDataError:
                continue
            tables += _robustness(sides[0], sides[1], pairing_of(study, str(name)), options["seed"])
    if not tables:
        raise NoDataError("no judge has judged the same answers both as written and changed")
    return tables


def pairing_of(study: StudyArrays, transform: str) -> str | None:
    """Return what the responses of a transform are paired with; None: others under the same one."""
    table = study.files.table("responses", ("transform", "beside"))
    table = table.filter(pc.equal(table["transform"].cast("string"), transform))
    values = table["beside"].cast("string").drop_null().unique().to_pylist()
    return str(values[0]) if values else None


def _robustness(plain: SliceView, changed: SliceView, beside: str | None, seed: int) -> Iterator[Table]:
    """Yield the table of one transform; none if no judge judged anything both ways."""
    if beside == "itself":
        changes = _ties(changed)
    elif isinstance(changed.cube, PairCube):
        changes = _pair_changes(plain, changed, one_sided=beside == "plain")
    elif isinstance(changed.cube, VerdictCube):
        changes = _verdict_changes(plain, changed)
    else:
        changes = _score_changes(plain, changed)
    if not changes.number.any():
        return
    index, weights = changed.study.index, changed.weights
    relations = index.relations(changes.judges, changes.generators, changed.request.exclusion.relatives)
    masks = {"own": relations.self_mask[..., None], "other": relations.unrelated_mask[..., None]}

    def sums(values: NDArray[np.number], side: str) -> _Sums:
        mask = masks[side]
        total = np.where(mask, values, 0).sum(axis=1).astype(np.float64)
        return _Sums(total, np.where(mask, changes.number, 0).sum(axis=1))

    same = {side: sums(changes.same, side) for side in masks}
    n = {side: part.number.sum(axis=-1) for side, part in same.items()}
    reasons = {"own": "no_own_case", "other": "no_case_of_others"}
    lacking = first_reason(*((n[side] == 0, reasons[side]) for side in masks))
    columns = {
        "judge": Column([index.models[j] for j in changes.judges]),
        "paradigm": Column([changed.request.paradigm] * len(changes.judges)),
        "transform": Column([changed.request.selection.transform] * len(changes.judges)),
        "difference": same["own"].minus(same["other"], weights, lacking),
    }
    for side, of_side in same.items():
        hits, trials = (Resampled.over_instances(part, weights) for part in (of_side.total, of_side.number))
        columns[f"robustness_{side}"] = share_of_few(hits, trials, seed, reasons[side])
        columns[f"n_{side}"] = Column(n[side])
    nothing = Column(np.full(len(changes.judges), np.nan), reasons="no_side_to_rise")
    columns |= dict.fromkeys(("lift_own", "lift_other", "lift_difference"), nothing)
    if changes.lift is not None:
        lift = {side: sums(changes.lift, side) for side in masks}
        columns["lift_own"] = mean_column(lift["own"].total, lift["own"].number, weights, reasons["own"])
        if not changes.both:
            rise = rate(lift["other"].total.sum(axis=-1), n["other"])
            columns["lift_other"] = Column(rise, reasons=reasons["other"])
            columns["lift_difference"] = lift["own"].minus(lift["other"], weights, lacking)
    columns["small"] = Column(list(np.minimum(n["own"], n["other"]) < FEW))
    keep, instances = changes.number.any(axis=(1, 2)), int(changes.number.any(axis=(0, 1)).sum())
    yield Table(columns, np.asarray(keep), instances, relevant_left_out(changed))


def _common_models(plain: SliceView, changed: SliceView) -> tuple[Ints, Ints, list[tuple[Ints, Ints]]]:
    """Return the judges and generators of both sides, and their places among those shown on each."""
    judges = np.intersect1d(plain.judges, changed.judges)
    generators = np.intersect1d(plain.generators, changed.generators)
    places = [
        (np.searchsorted(view.judges, judges), np.searchsorted(view.generators, generators))
        for view in (plain, changed)
    ]
    return judges, generators, places


def _verdict_changes(plain: SliceView, changed: SliceView) -> _Changes:
    judges, generators, places = _common_models(plain, changed)
    ok, good = [], []
    for view, at in zip((plain, changed), places, strict=True):
        assert isinstance(view.cube, VerdictCube)  # noqa: S101 - both are of one paradigm
        ok.append(view.rubric.take(view.rubric.planes.cube.ok)[np.ix_(*at)])
        good.append(view.rubric.take(view.rubric.planes.favourable)[np.ix_(*at)])
    both, layout = ok[0] & ok[1], plain.study.index.layout
    counts = [layout.count_by_instance(plane) for plane in (both, both & ~(good[0] ^ good[1]))]
    before, after = (layout.count_by_instance(both & plane).astype(np.float64) for plane in good)
    return _Changes(
        judges, generators, counts[0].astype(np.int64), counts[1].astype(np.float64), after - before
    )


def _score_changes(plain: SliceView, changed: SliceView) -> _Changes:
    judges, generators, places = _common_models(plain, changed)
    scores = []
    for view, at in zip((plain, changed), places, strict=True):
        assert isinstance(view.cube, ScoreCube)  # noqa: S101 - both are of one paradigm
        kept_scores = np.where(view.kept_cells, view.cube.scores, np.nan)
        scores.append(kept_scores[np.ix_(view.rows, view.columns)][np.ix_(*at)])
    change = scores[1] - scores[0]
    defined = ~np.isnan(change)
    same = defined & (np.abs(np.nan_to_num(change)) < TOLERANCE)
    return _Changes(
        judges, generators, defined.astype(np.int64), same.astype(np.float64), np.nan_to_num(change)
    )


def _pair_changes(plain: SliceView, changed: SliceView, *, one_sided: bool) -> _Changes:
    """Return the pairs with an outcome both ways, seen from the response changed, or the judge's own."""
    sides = [judged_pairs(view, view.pair_cube.rows, view.pair_cube.pairs) for view in (plain, changed)]
    size, instances = len(plain.study.index.models), plain.study.index.n_instances
    shape = (size, instances, size, size)
    keys = [np.ravel_multi_index((p.judge, p.instance, p.target, p.other), shape) for p in sides]
    _, in_plain, in_changed = np.intersect1d(keys[0], keys[1], return_indices=True)
    cube, pairs = changed.pair_cube, sides[1].select(in_changed)
    before, after = sides[0].value[in_plain], pairs.value
    if one_sided:
        first = cube.pairs.one[np.flatnonzero(in_slice(changed, cube.pairs))[in_changed]]
        swapped = cube.rows.swapped[first]
    else:
        swapped = pairs.other == pairs.judge
    target = np.where(swapped, pairs.other, pairs.target)
    other = np.where(swapped, pairs.target, pairs.other)
    unchanged = other != pairs.judge  # the judge's own response was the one not changed
    judges, generators, _ = _common_models(plain, changed)
    rise = np.where(swapped, before - after, after - before) / 2
    values = (np.ones(len(before)), before == after, rise)
    number, same, lift = _by_response(
        (judges, generators, np.arange(instances)),
        (pairs.judge[unchanged], target[unchanged], pairs.instance[unchanged]),
        *(each[unchanged] for each in values),
    )
    return _Changes(judges, generators, number.astype(np.int64), same, lift, both=not one_sided)


def _ties(changed: SliceView) -> _Changes:
    """Return the answers on a response beside itself, and which of them are ties, if ties were offered."""
    rows = changed.pair_cube.rows
    offers = changed.request.selection.variant not in _WITHOUT_TIES
    places = np.flatnonzero(in_slice(changed, rows) & ~np.isnan(rows.choice) & offers)
    target = np.where(rows.swapped[places], rows.opponent[places], rows.generator[places])
    number, same = _by_response(
        (changed.judges, changed.generators, np.arange(changed.study.index.n_instances)),
        (rows.judge[places], target, rows.instance[places]),
        *(np.ones(len(places)), rows.choice[places] == 0),
    )
    return _Changes(changed.judges, changed.generators, number.astype(np.int64), same, None)


def _by_response(
    axes: tuple[Ints, Ints, Ints], cases: tuple[Ints, Ints, Ints], *values: Floats | Bools
) -> list[Floats]:
    """Return sums of cases' values by judge, generator and instance; `axes` lists the ones to count."""
    shape = tuple(map(len, axes))
    places = [np.searchsorted(axis, of) for axis, of in zip(axes, cases, strict=True)]
    cell = np.ravel_multi_index(places, shape)
    size = int(np.prod(shape))
    sums = [np.bincount(cell, weights=each, minlength=size).reshape(shape) for each in values]
    return [np.asarray(each, dtype=np.float64) for each in sums]


ROBUSTNESS = Measure(
    name="robustness",
    title="Robustness to changes",
    question="Do verdicts stay the same when answers are changed but not improved, own and others' alike?",
    formula="difference = share of own verdicts that stay the same - share of verdicts on others' answers",
    paper="none; defined by this project",
    left_out="cases without a verdict on the original, or without one on the changed answer",
    function=robustness_table,
    chart="robustness",
    keys=("paradigm", "transform", "judge"),
    headline="difference",
    sliced=False,
    options=(
        entry.rows_option(
            "verdicts", preference="self-preference when answers are rewritten, or authors named"
        ),
    ),
    intervals={
        DELETED: ("difference", "lift_difference", "lift_own"),
        ADDED: ("robustness_own", "robustness_other"),
    },
    fields=(
        entry.key("judge", "the judge"),
        entry.key("paradigm", "the paradigm"),
        entry.key("transform", "how the answers were changed"),
        entry.difference(
            "difference",
            "robustness_own - robustness_other; below 0 verdicts on its own answers change more easily",
        ),
        entry.share("robustness_own", "share of verdicts on its own answers that stay the same"),
        entry.share("robustness_other", "share of verdicts on other families' answers that stay the same"),
        entry.difference(
            "lift_difference", "lift_own - lift_other; above 0 the change helps its own answers more"
        ),
        entry.difference(
            "lift_own",
            "mean rise of verdicts, scores or votes on its own answers; where authors are named, "
            "how much more it favours itself than when they are hidden",
        ),
        Field(
            "lift_other", "difference", "mean rise of verdicts, scores or votes on other families' answers"
        ),
        entry.count("n_own", "cases of its own answers, judged both as written and changed"),
        entry.count("n_other", "cases of other families' answers, judged both as written and changed"),
        SMALL,
    ),
)
