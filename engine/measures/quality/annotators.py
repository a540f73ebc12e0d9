"""`annotators`: how far people agree, with each other and the automatic label (MEASURES section 9)."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Any, cast

import numpy as np

from engine.arrays.label_table import EQUAL, SAYS_EQUAL, LabelTable, read_tasks
from engine.arrays.pairs.pair_quality import (
    check_difference,
    distance_groups,
    judged_quality,
    scores_by_reference,
)
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.slicing.slice_masks import instance_mask, rubric_mask
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.references import Exclusion, is_human
from engine.errors import UsageError, unknown
from engine.measures import entry
from engine.measures.columns import empty_column
from engine.measures.entry import EPSILON, QUALITY, SMALL, Field, Measure, Option
from engine.measures.rows import FEW, Column, Columns, Options, Table, stack_rows
from engine.slices import OF_CASES, Slice
from engine.stats import Floats, Ints, Weights
from engine.stats.intervals.bootstrap import cluster_weights
from engine.stats.judges import agreement, several_raters
from engine.stats.ratios import mean_of_defined, rate
from engine.stats.scores.ranks import TOLERANCE
from engine.stats.scores.system_scores import ScoreKind
from engine.wording import Wording

_CONFUSION = ("both_equal", "automatic_only", "people_only", "both_unequal")


def annotators_table(
    study: StudyArrays, spec: Slice, options: Options, weights: Weights | None
) -> list[Table]:
    """Return a table for each group: a row for each task and epsilon; NoDataError without annotations."""
    epsilon = options["epsilon"]
    check_difference("epsilon", epsilon)
    epsilons = list(dict.fromkeys([epsilon, *epsilons_of(options["epsilons"])]))
    tasks = _tasks_of(study, spec, options["tasks"])
    distances = {task.name: _distance(study, spec, options, task) for task in tasks}
    rows_of: dict[Any, list[Columns]] = {}
    for task in tasks:
        for value, part, distance in _groups(task, distances[task.name], options["by"]):
            for epsilon in epsilons:
                row = _row(part, distance, epsilon, weights, options["seed"])
                rows_of.setdefault(value, []).append(row)
    instances = len(  # an item without one is drawn by itself
        {
            place if place >= 0 else (task.name, item)
            for task in tasks
            for item, place in enumerate(task.instance.tolist())
        }
    )
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
        check_difference("epsilon", epsilon)
        epsilons.append(epsilon)
    return list(dict.fromkeys(epsilons))


def _tasks_of(study: StudyArrays, spec: Slice, names: tuple[str, ...]) -> list[LabelTable]:
    """Return the tasks named, or all, with the items that the filters on instances and generators keep."""
    tasks: list[LabelTable] = study.remember("annotations", lambda: read_tasks(study.files, study.index))
    if not tasks:
        raise NoDataError(*_no_task(study))
    for name in names:
        if name not in [task.name for task in tasks]:
            raise unknown("task", name, [task.name for task in tasks])
    index = study.index
    is_filtered = bool(spec.filters().keys() & {*OF_CASES})
    instances = np.append(instance_mask(index, spec, rubric_mask(index, spec)), not is_filtered)  # of none
    allowed = np.array([not spec.generators or name in spec.generators for name in index.models] + [True])
    return [
        task.of_items(instances[task.instance] & allowed[task.one] & allowed[task.two])
        for task in tasks
        if not names or task.name in names
    ]


def _no_task(study: StudyArrays) -> tuple[str | Wording, ...]:
    """Return that there is no labelling task, and where the agreement of labels that were imported is."""
    if any(map(is_human, study.references.stored_sources)):
        return (
            "the study has no labelling task; its labels are references, whose agreement is in ",
            Wording("`spb measure reference-agreement`", "study.reference_agreement()"),
        )
    return ("the study has no labels; create a task with `spb label new`, or import labels",)


def _distance(study: StudyArrays, spec: Slice, options: Options, task: LabelTable) -> Floats | None:
    """Return how far apart in quality each pair is, NaN where unknown; None without pairs or quality."""
    if task.kind not in EQUAL:
        return None
    try:
        if options["quality"] == "reference":
            source = study.references.choose(spec.reference)
            kind = cast("ScoreKind", spec.scores)
            q = 10 * scores_by_reference(study, source, np.arange(1), Exclusion(), kind)[0]
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
    item_weights = None if weights is None else weights_of_items(task, weights, seed)
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


def weights_of_items(task: LabelTable, weights: Weights, seed: int) -> Floats:
    """Return how often each resample holds each item: as its instance; without one, drawn by itself."""
    alone = np.flatnonzero(task.instance < 0)
    item_weights = weights[:, task.instance].astype(np.float64)
    if len(alone):
        item_weights[:, alone] = cluster_weights(len(alone), len(weights), np.random.default_rng(seed))
    return item_weights


def mean_kappa_of_two(task: LabelTable, weights: Floats | None) -> Floats:
    """Return the mean of Cohen's kappa over two people at a time, in all and in each resample."""
    kappas = agreement.cohens_kappa(several_raters.pair_tables(task.labels, len(task.classes), weights))
    return mean_of_defined(np.moveaxis(kappas, 0, -1))


def _agreement(task: LabelTable, counts: Ints, item_weights: Floats | None) -> Columns:
    values = np.array(task.classes, dtype=np.float64) if task.kind == "score" else None
    several = bool((counts.sum(axis=1) > 1).any())
    why = "labels_all_alike" if several else "fewer_than_two_labels_of_an_item"
    columns = {}
    kappa = partial(several_raters.fleiss_kappa, counts)
    alpha = partial(several_raters.krippendorff_alpha, counts, task.level, values)
    pairwise_kappa = partial(mean_kappa_of_two, task)
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


ANNOTATORS = Measure(
    name="annotators",
    title="Agreement among labellers",
    question="Do people agree with each other, and does the automatic label of equality agree with people?",
    formula="Fleiss' kappa, Krippendorff's alpha; consistency = share of pairs labelled automatically as "
    "most people do",
    paper="equal-quality-pairs, section 3.2",
    left_out="items that a person skipped or could not decide; pairs on which people are evenly split",
    function=annotators_table,
    keys=("task", "epsilon"),
    headline="kappa",
    sliced=False,
    groups=("annotator", "pair", "quality_difference"),
    options=(
        Option("tasks", "names", "use only these tasks", ()),
        *QUALITY,
        EPSILON,
        Option("epsilons", "names", "also give a row for each of these epsilons", ()),
    ),
    fields=(
        entry.key("task", "the task"),
        entry.key(
            "kind", "what people were asked: equal_pair, preference, clusters, rubric_verdict or score"
        ),
        entry.estimate(
            "kappa",
            "Fleiss' kappa; of pairs, over first, second and neither in the order stored; for clusters, over "
            "pairs in the same cluster or not",
        ),
        entry.estimate("pairwise_kappa", "mean Cohen's kappa over pairs of people"),
        entry.estimate("alpha", "Krippendorff's alpha"),
        entry.key("level", "how alpha weighs differences between labels: nominal, ordinal or interval"),
        entry.count("n_items", "items with a label; for clusters, pairs of answers"),
        entry.count("n_annotators", "people who gave a label"),
        entry.count("n_labels", "labels without hidden repeats"),
        entry.portion("self_agreement", "share of hidden repeats labelled as the first time"),
        entry.count("n_repeats", "hidden repeats labelled"),
        Field("n_equal", "count", "items that most people call equal or a tie"),
        entry.share("consistency", "share of pairs on which the automatic label equals most people's"),
        entry.number("epsilon", "largest quality difference, of 10, that is automatically called equal"),
        entry.count("n_compared", "pairs with an automatic and a human label"),
        entry.count("both_equal", "pairs that both call equal"),
        entry.count("automatic_only", "pairs that only the automatic label calls equal"),
        entry.count("people_only", "pairs that only people call equal"),
        entry.count("both_unequal", "pairs that neither calls equal"),
        SMALL,
    ),
)
