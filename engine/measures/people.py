"""Annotators' labels: their agreement, and equal quality according to them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any, cast

import numpy as np

from engine.arrays.label_table import EQUAL, SAYS_EQUAL, LabelTable, read_tasks
from engine.arrays.pair_quality import Quality, distance_groups, judged_quality, quality_of, true_scores
from engine.arrays.references import Exclusion
from engine.arrays.resolve import NoDataError
from engine.arrays.slice_masks import instance_mask, rubric_mask
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.view import SliceView
from engine.errors import UsageError, unknown
from engine.measures.columns import empty_column
from engine.measures.rows import FEW, Column, Columns, Options, Table, stack_rows
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints, Weights, agreement, several_raters
from engine.stats.bootstrap import cluster_weights
from engine.stats.ranks import TOLERANCE
from engine.stats.ratios import mean_of_defined, rate
from engine.stats.system_scores import ScoreKind

# ------------------------------------------------------------------------------
# `annotators`: how far people agree, with each other and the automatic label (MEASURES section 9).

_CONFUSION = ("both_equal", "automatic_only", "people_only", "both_unequal")


def annotators_table(
    study: StudyArrays, spec: Slice, options: Options, weights: Weights | None
) -> list[Table]:
    """Return a table for each group: a row for each task and epsilon; NoDataError without annotations."""
    epsilon = options["epsilon"]
    if not epsilon >= 0:
        raise UsageError(f"epsilon {epsilon!r} is below 0; give a quality difference such as 0.25")
    epsilons = list(dict.fromkeys([epsilon, *epsilons_of(options["epsilons"])]))
    tasks = _tasks_of(study, spec, options["tasks"])
    distances = {task.name: _distance(study, spec, options, task) for task in tasks}
    rows_of: dict[Any, list[Columns]] = {}
    for task in tasks:
        for value, part, distance in _groups(task, distances[task.name], options["by"]):
            for epsilon in epsilons:
                row = _row(part, distance, epsilon, weights, options["seed"])
                rows_of.setdefault(value, []).append(row)
    instances = len({place for task in tasks for place in task.instance.tolist()})
    left_out = _left_out(tasks, distances)
    tables: list[Table] = []
    for value, rows in rows_of.items():
        keep = np.array([row["n_labels"].values[0] > 0 for row in rows])
        tables.append(Table(stack_rows(rows), keep, instances, {} if tables else left_out, slice=value))
    return tables


def epsilons_of(texts: Sequence[str]) -> list[float]:
    """Return the epsilons named; UsageError for one that is not a quality difference."""
    epsilons = []
    for text in texts:
        try:
            epsilon = float(text)
        except ValueError:
            epsilon = float("nan")
        if not epsilon >= 0:
            raise UsageError(
                f"epsilon {text!r} is not a quality difference of 0 or more; give values such as 0.1,0.25,0.5"
            )
        epsilons.append(epsilon)
    return list(dict.fromkeys(epsilons))


def _tasks_of(study: StudyArrays, spec: Slice, names: tuple[str, ...]) -> list[LabelTable]:
    """Return the tasks named, or all, with the items that the filters on instances and generators keep."""
    tasks: list[LabelTable] = study.remember("annotations", lambda: read_tasks(study.files, study.index))
    if not tasks:
        raise NoDataError(
            "the study has no annotations; create a task with `spb label new`, or import labels"
        )
    for name in names:
        if name not in [task.name for task in tasks]:
            raise unknown("task", name, [task.name for task in tasks])
    index = study.index
    instances = np.append(instance_mask(index, spec, rubric_mask(index, spec)), True)  # -1: of no instance
    allowed = np.array([not spec.generators or name in spec.generators for name in index.models] + [True])
    return [
        task.of_items(instances[task.instance] & allowed[task.one] & allowed[task.two])
        for task in tasks
        if not names or task.name in names
    ]


def _distance(study: StudyArrays, spec: Slice, options: Options, task: LabelTable) -> Floats | None:
    """Return how far apart in quality each pair is, NaN where unknown; None without pairs or quality."""
    if task.kind not in EQUAL:
        return None
    try:
        if options["quality"] == "reference":
            source = study.references.choose(spec.reference)
            kind = cast("ScoreKind", spec.scores)
            q = 10 * true_scores(study, source, np.arange(1), Exclusion(), kind)[0]
        else:
            q = judged_quality(study, spec, options).values[0]
    except NoDataError:
        return None
    is_known = (task.one >= 0) & (task.instance >= 0)
    return np.where(is_known, np.abs(q[task.one, task.instance] - q[task.two, task.instance]), np.nan)


def _groups(
    task: LabelTable, distance: Floats | None, by: str | None
) -> Iterator[tuple[Any, LabelTable, Floats | None]]:
    """Yield the task's groups: a person, two people, or items by their difference in quality."""
    people = range(len(task.people))
    if by is None:
        yield None, task, distance
    elif by == "annotator":
        yield from ((task.people[i], task.of_people([i]), distance) for i in people)
    elif by == "pair":
        for i, j in combinations(people, 2):
            yield f"{task.people[i]}, {task.people[j]}", task.of_people([i, j]), distance
    elif distance is not None:
        for name, items in distance_groups(distance):
            yield name, task.of_items(items), distance[items]


def _row(
    task: LabelTable, distance: Floats | None, epsilon: float, weights: Weights | None, seed: int
) -> Columns:
    item_weights = _item_weights(task, weights, seed)
    n_equal = Column([None], reasons="kind_without_equal_label")
    if task.kind in SAYS_EQUAL:
        n_equal = Column([int(np.nansum(people_say_equal(task)))])
    counts = several_raters.label_counts(task.labels, len(task.classes))
    labelled = counts.sum(axis=1) > 0
    repeated = (task.labels >= 0) & (task.again >= 0)
    same = int((task.labels == task.again)[repeated].sum())
    return {
        "task": Column([task.name]),
        "kind": Column([task.kind]),
        "epsilon": Column([epsilon]),
        "n_items": Column([int(labelled.sum())]),
        "n_annotators": Column([int((task.labels >= 0).any(axis=0).sum())]),
        "n_labels": Column([int((task.labels >= 0).sum())]),
        "level": Column([task.level]),
        **_agreement(task, counts, item_weights),
        "self_agreement": Column([same / repeated.sum() if repeated.any() else None], reasons="no_repeats"),
        "n_repeats": Column([int(repeated.sum())]),
        "n_equal": n_equal,
        **_consistency(task, distance, epsilon, item_weights),
        "small": Column([int(labelled.sum()) < FEW]),
    }


def _item_weights(task: LabelTable, weights: Weights | None, seed: int) -> Floats | None:
    """Return how often each resample holds each item: as its instance; without one, drawn by itself."""
    if weights is None:
        return None
    alone = np.flatnonzero(task.instance < 0)
    item_weights = weights[:, task.instance].astype(np.float64)
    if len(alone):
        item_weights[:, alone] = cluster_weights(len(alone), len(weights), np.random.default_rng(seed))
    return item_weights


def _agreement(task: LabelTable, counts: Ints, item_weights: Floats | None) -> Columns:
    values = np.array(task.classes, dtype=np.float64) if task.kind == "score" else None
    several = bool((counts.sum(axis=1) > 1).any())
    why = "labels_all_alike" if several else "fewer_than_two_labels_of_an_item"

    def pairwise_kappa(weights: Floats | None) -> Floats:
        kappas = agreement.cohens_kappa(several_raters.pair_tables(task.labels, len(task.classes), weights))
        return mean_of_defined(np.moveaxis(kappas, 0, -1))

    columns = {}
    kappa = partial(several_raters.fleiss_kappa, counts)
    alpha = partial(several_raters.krippendorff_alpha, counts, task.level, values)
    for name, statistic in (("kappa", kappa), ("pairwise_kappa", pairwise_kappa), ("alpha", alpha)):
        of_scores = task.kind == "score" and name != "alpha"
        if of_scores or not several:
            columns[name] = empty_column(1, item_weights, "scores_have_alpha_only" if of_scores else why)
        else:
            draws = None if item_weights is None else statistic(item_weights)[:, None]
            columns[name] = Column([float(statistic(None))], draws, why)
    return columns


def _consistency(
    task: LabelTable, distance: Floats | None, epsilon: float, item_weights: Floats | None
) -> Columns:
    """Return how often the automatic label of equal quality is that of most people."""
    if task.kind not in EQUAL or distance is None:
        why = "no_quality" if task.kind in EQUAL else "kind_without_automatic_label"
        no_counts = dict.fromkeys(("n_compared", *_CONFUSION), Column([0]))
        return {"consistency": empty_column(1, item_weights, why)} | no_counts
    equal = people_say_equal(task)
    both = ~np.isnan(equal) & ~np.isnan(distance)
    cells = several_raters.confusion(distance[both] <= epsilon + TOLERANCE, equal[both] == 1)
    share = _share_alike(cells.sum(axis=0).astype(np.float64))
    draws = None if item_weights is None else _share_alike(item_weights[:, both] @ cells)[:, None]
    return {
        "consistency": Column([float(share)], draws, "no_pair_with_both_labels"),
        "n_compared": Column([len(cells)]),
        **{name: Column([int(cells[:, i].sum())]) for i, name in enumerate(_CONFUSION)},
    }


def people_say_equal(task: LabelTable) -> Floats:
    """Return 1 or 0 for each item: whether it was adjudicated as equal, else whether most people say so.

    NaN where they are evenly divided. A tie of two preferences is equal too.
    """
    equal_label = SAYS_EQUAL[task.kind]
    adjudicated = (task.adjudicated == equal_label).astype(np.float64)
    return np.where(
        task.adjudicated >= 0, adjudicated, several_raters.majority_of_two(task.labels, equal_label)
    )


def _share_alike(cells: Floats) -> Floats:
    return np.asarray(rate(cells[..., 0] + cells[..., 3], cells.sum(axis=-1)))


def _left_out(tasks: list[LabelTable], distances: dict[str, Floats | None]) -> dict[str, int]:
    """Count rows without a label, and pairs without one of the labels that are compared."""
    left_out = {
        "skipped": sum(task.skipped for task in tasks),
        "cannot_tell": sum(task.cannot_tell for task in tasks),
        "no_majority": 0,
        "no_quality": 0,
    }
    for task in tasks:
        if task.kind in EQUAL:
            labelled, apart = (task.labels >= 0).any(axis=1), distances[task.name]
            left_out["no_majority"] += int((np.isnan(people_say_equal(task)) & labelled).sum())
            left_out["no_quality"] += int(labelled.sum() if apart is None else np.isnan(apart).sum())
    return left_out


# ------------------------------------------------------------------------------
# Equal quality by people's labels, in place of scores (MEASURES section 9, human check).

_DIRECTED = ("equal_pair", "preference")
"""The kinds that say which of two responses is better: labels 0 and 2 of three."""


@dataclass(frozen=True, eq=False)
class LabelledPairs(Quality):
    """People's labels of pairs, by instance and both models: shape (instances, models, models).

    `alike` is 1 where most call them equal, 0 where most do not, NaN without a majority. `leads` is 1 where
    most call the first model's better, -1 where most call the second's so, else 0. A response has no score
    of its own here, and neither epsilon nor gap applies.
    """

    alike: Floats = field(kw_only=True)
    leads: Ints = field(kw_only=True)

    def equal(self, row: Ints, one: Ints, two: Ints, instance: Ints, epsilon: float) -> Bools:  # noqa: ARG002
        return np.asarray(self.alike[instance, one, two] == 1)

    def better(self, row: Ints, one: Ints, two: Ints, instance: Ints, gap: float) -> Ints:  # noqa: ARG002
        return np.asarray(self.leads[instance, one, two])

    def unknown(self, row: Ints, one: Ints, two: Ints, instance: Ints) -> Bools:  # noqa: ARG002
        return np.asarray(np.isnan(self.alike[instance, one, two]) & (self.leads[instance, one, two] == 0))


def quality_of_pairs(view: SliceView, options: Options) -> Quality:
    """Return which responses are equal and which are better, by the option `quality`."""
    return labelled_pairs(view) if options["quality"] == "human" else quality_of(view, options)


def labelled_pairs(view: SliceView) -> LabelledPairs:
    """Return the annotators' labels of the study's pairs; NoDataError if there are none.

    Which are equal comes from equal pairs and clusters, which one is better from equal pairs and preferences.
    If tasks disagree on a pair, the majority of them decides.
    """
    study, index = view.study, view.study.index
    tasks: list[LabelTable] = study.remember("annotations", lambda: read_tasks(study.files, index))
    if not any(task.kind in (*EQUAL, *_DIRECTED) for task in tasks):
        raise NoDataError("no annotations say which responses are of equal quality; choose another --quality")
    size = (index.n_instances, len(index.models), len(index.models))
    equal, votes, leads = (np.zeros(size) for _ in range(3))
    for task in tasks:
        if task.kind in EQUAL:
            label = people_say_equal(task)
            _add(equal, task, label)
            _add(votes, task, np.where(np.isnan(label), np.nan, 1.0))
        if task.kind in _DIRECTED:  # 1 where most call the first better, -1 the second, 0 where neither
            adjudicated = np.where(task.adjudicated >= 0, task.adjudicated - 1.0, np.nan)
            first, second = (several_raters.majority_of_two(task.labels, label) == 1 for label in (2, 0))
            better = np.where(np.isnan(adjudicated), first.astype(np.float64) - second, adjudicated)
            _add(leads, task, better)
    equal, votes = (part + part.transpose(0, 2, 1) for part in (equal, votes))
    alike = np.where(votes > 0, np.sign(2 * equal - votes), np.nan)
    alike = np.where(alike == 0, np.nan, np.maximum(alike, 0))
    return LabelledPairs(
        np.full((1, len(index.models), index.n_instances), np.nan),
        alike=alike,
        leads=np.sign(leads - leads.transpose(0, 2, 1)).astype(np.int64),
    )


def _add(total: Floats, task: LabelTable, values: Floats) -> None:
    labelled = ~np.isnan(values) & (task.instance >= 0) & (task.one >= 0)
    np.add.at(total, (task.instance[labelled], task.one[labelled], task.two[labelled]), values[labelled])
