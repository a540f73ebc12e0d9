"""`reference-agreement`: how far two sources agree, item by item (MEASURES section 14)."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, islice, product
from typing import Any

import numpy as np

from engine.arrays.slicing.resolve import NoDataError, resolve
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.item_values import KINDS, SCORES, Kind, RatedValues, SourceFilter
from engine.arrays.truths.references import HUMAN
from engine.arrays.truths.sources import OTHERS, Sources
from engine.errors import UsageError, unknown
from engine.measures import entry
from engine.measures.columns import NO_CORRELATION, empty_column
from engine.measures.entry import Field, Measure, Option
from engine.measures.rows import Column, Options, Table
from engine.paradigms import COMPARABLE
from engine.phrases import join_names
from engine.slices import Slice
from engine.stats import Floats, Ints, Weights
from engine.stats.intervals.bootstrap import resample
from engine.stats.judges import agreement
from engine.wording import Wording, command_line, option

_CHUNK = 1 << 22
"""Weights times items in memory at a time when correlations are drawn."""


_FIELDS = (
    *("agreement", "kappa", "balanced_f1", "win_rate_a", "win_rate_b", "spearman", "pearson"),
    *("mean_difference", "median_difference", "sd_difference", "within"),
)
"""The numbers, each of one kind of value only."""


@dataclass(frozen=True, eq=False)
class Joint:
    """The items that two sources share, shape (items,): instances, both values, place in the second."""

    instance: Ints
    a: Floats
    b: Floats
    place: Ints


def reference_agreement_table(
    study: StudyArrays, spec: Slice, options: Options, weights: Weights | None
) -> Table:
    """Return a row for each pair of sources and kind of value that both have.

    Without `a` and `b`: every two references that are stored, and each person against the others' majority,
    which is what `human` is too where it is compared with a person: nobody is compared with themselves.
    """
    source_filter = SourceFilter.of(study.index, spec)
    sources = sources_of(study, spec, source_filter)
    rows = []
    for (a, b), kind in product(_pairs(sources, options["a"], options["b"]), KINDS):
        first, second = sources.read(a, kind, against=b), sources.read(b, kind, against=a)
        if first is None or second is None:
            continue
        joint = join(first, second)
        tied = _tied(sources, a, b, kind, first, second)
        if len(joint.a) or tied:
            row = _row(study, sources, a, b, kind, joint, weights)
            rows.append(row | {"tied": Column([tied])})
    if not rows:
        if source_filter.refusal is not None:
            raise source_filter.refusal
        raise NoDataError(_NOTHING_SHARED, *_what_can_be_compared(study, sources, options))
    return Table.of(rows, study.index.n_instances)


_NOTHING_SHARED = "no two of these sources cover the same item"
_MOST_NAMED = 8
_MOST_TRIED = 50
"""Most pairs of sources that are tried for one that can be compared."""


def _what_can_be_compared(study: StudyArrays, sources: Sources, options: Options) -> Iterator[str | Wording]:
    """Yield, unless both sources are named, what judges and runs can be compared with, and the command."""
    fixed = [options[name] for name in ("a", "b") if options[name] is not None]
    if len(fixed) == 2:
        return
    names = [name for name in sources.names() if name != OTHERS and sources.is_stored(name)]
    every = ((fixed[0], name) for name in names if name != fixed[0]) if fixed else combinations(names, 2)
    shared = next((pair for pair in islice(every, _MOST_TRIED) if _share_items(sources, *pair)), None)
    if shared is None:
        return
    a, b = (option(name, value) for name, value in zip(("a", "b"), shared, strict=True))
    call = f'study.measure("reference-agreement", {a.python}, {b.python})'
    yield "; judges and runs are compared where both sides are named: "
    sides = shlex.split(f"{a.command} {b.command}")
    command = command_line("measure", "reference-agreement", study.name, *sides)
    yield Wording(command, call)
    yield f" (sources: {join_names(names, _MOST_NAMED)})"


def _share_items(sources: Sources, a: str, b: str) -> bool:
    both = ((sources.read(a, kind, against=b), sources.read(b, kind, against=a)) for kind in KINDS)
    return any(one is not None and two is not None and len(join(one, two).a) > 0 for one, two in both)


def sources_of(study: StudyArrays, spec: Slice, source_filter: SourceFilter) -> Sources:
    """Return the sources of a slice: those of the judges from the first paradigm that it has."""
    selection = None
    try:
        unreferenced = Slice.of(**spec.filters() | {"reference": None})
        selection = resolve(study, unreferenced, (*COMPARABLE, *SCORES)).selection
    except (NoDataError, UsageError) as error:
        if not isinstance(error, NoDataError) and (spec.paradigm or spec.variant):
            raise
    return Sources(study, selection, source_filter)


def _pairs(sources: Sources, a: str | None, b: str | None) -> Iterator[tuple[str, str]]:
    names = sources.names()
    for name in (a, b):
        if name is not None and name not in names:
            raise unknown("source", name, names)
    if a is not None and b is not None:
        yield a, b
        return
    single = [name for name in names if not name.startswith(("judge:", "run:")) and name != OTHERS]
    names_apart = [name for name in single if sources.is_stored(name)]
    fixed = a if a is not None else b
    if fixed is not None:
        yield from ((fixed, name) for name in names_apart if name != fixed)
        return
    voters = sources.voters()
    yield from (pair for pair in combinations(names_apart, 2) if not _is_others(pair, voters))
    if OTHERS in names:
        yield from ((name, OTHERS) for name in voters)


def _tied(sources: Sources, a: str, b: str, kind: Kind, first: RatedValues, second: RatedValues) -> int:
    """Return how many of one source's values stand beside a tie of the other's people or committee."""
    beside_a = np.isin(second.item, sources.tied(a, kind, against=b))
    return int(beside_a.sum() + np.isin(first.item, sources.tied(b, kind, against=a)).sum())


def _is_others(pair: tuple[str, str], voters: list[str]) -> bool:
    """Return whether a pair is `human` and a person, whose row is that of the person and the others."""
    return HUMAN in pair and not set(voters).isdisjoint(pair)


def join(first: RatedValues, second: RatedValues) -> Joint:
    """Bring both to their common items; for two runs each judge is compared with itself.

    Outcomes are seen from the side that `first` gives them from.
    """
    keys = (first.item, second.item)
    if (first.rater >= 0).any() and (second.rater >= 0).any():
        width = 1 + max(first.rater.max(), second.rater.max())
        keys = (first.item * width + first.rater, second.item * width + second.rater)
    if not len(keys[1]):
        return Joint(first.instance[:0], first.value[:0], second.value[:0], np.zeros(0, np.intp))
    if len(np.unique(keys[1])) < len(keys[1]):  # the source with several goes first
        joint = join(replace(second, swapped=None), first)
        side = _side(first, joint.place)
        return Joint(joint.instance, side * joint.b, side * joint.a, joint.place)
    order = np.argsort(keys[1])
    place = np.minimum(np.searchsorted(keys[1][order], keys[0]), len(order) - 1)
    matched = keys[1][order][place] == keys[0]
    at = order[place][matched]
    side = _side(first, np.flatnonzero(matched))
    return Joint(first.instance[matched], side * first.value[matched], side * second.value[at], at)


def _side(values: RatedValues, rows: Ints) -> Floats | float:
    """Return the factor that turns outcomes to the side from which the source gives them."""
    return 1.0 if values.swapped is None else np.where(values.swapped[rows], -1.0, 1.0)


def _row(
    study: StudyArrays, sources: Sources, a: str, b: str, kind: Kind, joint: Joint, weights: Weights | None
) -> dict[str, Column]:
    columns = {name: Column([value]) for name, value in (("a", a), ("b", b), ("kind", kind))}
    columns["n"] = Column([len(joint.a)])
    columns |= dict.fromkeys(_FIELDS, empty_column(1, weights, "of_another_kind"))
    if kind == "score":
        distance = np.abs(joint.a - joint.b)
        within = [float((distance <= step + 1e-9).mean()) for step in agreement.STEPS]
        spread = float(distance.std(ddof=1)) if len(distance) > 1 else None
        return columns | {
            "spearman": correlation_of(joint, weights, agreement.weighted_spearman),
            "pearson": correlation_of(joint, weights, agreement.weighted_pearson),
            "mean_difference": Column([float(distance.mean())]),
            "median_difference": Column([float(np.median(distance))]),
            "sd_difference": Column([spread], reasons="one_item"),
            "within": Column([[*within, 1.0]]),
        }
    table = table_of(study, joint, 2 if kind == "verdict" else 3, weights)
    columns["agreement"] = statistic_column(agreement.share_equal, *table)
    columns["kappa"] = statistic_column(agreement.cohens_kappa, *table)
    for name, wins in zip(("win_rate_a", "win_rate_b"), agreement.win_shares(table[0]), strict=True):
        columns[name] = Column([float(wins)])
    if kind == "verdict":
        if HUMAN in (a, b) and a != b:
            other_name = b if a == HUMAN else a
            other = sources.read(other_name, kind, against=HUMAN)
            if other is not None:
                table = table_of(study, join(sources.persons(against=other_name), other), 2, weights)
        columns["balanced_f1"] = statistic_column(agreement.balanced_f1, *table)
    return columns


def table_of(
    study: StudyArrays, joint: Joint, classes: int, weights: Weights | None
) -> tuple[Floats, Floats | None]:
    """Return the joint counts of the classes, and their draws."""
    low = 0 if classes == 2 else -1
    kind = ((joint.a - low) * classes + (joint.b - low)).astype(np.int64)
    instances = study.index.n_instances
    cells = np.bincount(kind * instances + joint.instance, minlength=classes * classes * instances)
    by_instance = cells.reshape(classes, classes, -1)
    draws = None if weights is None else resample(by_instance, weights)
    return by_instance.sum(axis=-1).astype(np.float64), draws


def statistic_column(statistic: Any, table: Floats, draws: Floats | None) -> Column:
    """Return a number of joint counts, with its draws."""
    value_draws = None if draws is None else statistic(draws)[:, None]
    return Column([float(statistic(table))], value_draws, "undefined_for_these_counts")


def correlation_of(joint: Joint, weights: Weights | None, statistic: Any) -> Column:
    """Return a correlation of the two sources' scores, with its draws."""
    value = float(statistic(joint.a, joint.b, np.ones(len(joint.a))))
    if weights is None:
        return Column([value], reasons=NO_CORRELATION)
    step = max(1, _CHUNK // max(len(joint.a), 1))
    parts = [
        statistic(joint.a, joint.b, weights[i : i + step][:, joint.instance].astype(np.float64))
        for i in range(0, len(weights), step)
    ]
    return Column([value], np.concatenate(parts)[:, None], NO_CORRELATION)


REFERENCE_AGREEMENT = Measure(
    name="reference-agreement",
    title="Agreement of two sources",
    question="How well do two references, people, judges or runs agree?",
    formula="share equal, Cohen's kappa, balanced F1 = mean of the F1 of met and of not met, correlations",
    paper="rubric-self-preference, Table 3",
    left_out="items that only one of the two covers; items on which the people of `human` (without the one "
    "compared) or a committee are split evenly, counted as tied",
    function=reference_agreement_table,
    keys=("a", "b", "kind"),
    headline="agreement",
    sliced=False,
    options=(
        Option("a", "name", "one source: a reference, a preference source, judge:<name> or run:<id>"),
        Option("b", "name", "the other source, written in the same way"),
    ),
    fields=(
        entry.key("a", "one source"),
        entry.key("b", "the other source"),
        entry.key("kind", "verdict, outcome or score"),
        entry.count("n", "items that both cover"),
        entry.count("tied", "items left out: one covers them, the other's people or judges are split evenly"),
        entry.share("agreement", "share of items on which both are equal"),
        entry.estimate("kappa", "Cohen's kappa"),
        entry.share("balanced_f1", "mean of the F1 of met and of not met"),
        entry.portion(
            "win_rate_a",
            "according to a, the share of criteria that are met, or of pairs that the first answer wins",
            title="Met or won, by a",
        ),
        entry.portion(
            "win_rate_b",
            "according to b, the share of criteria that are met, or of pairs that the first answer wins",
            title="Met or won, by b",
        ),
        entry.estimate("spearman", "Spearman's rank correlation of the scores"),
        entry.estimate("pearson", "Pearson's correlation of the scores"),
        entry.number("mean_difference", "mean of |difference| between the scores"),
        entry.number("median_difference", "median of |difference| between the scores"),
        entry.number("sd_difference", "standard deviation of |difference| between the scores"),
        Field("within", "list", "cumulative shares of |difference| up to 0, 0.25, 0.5, 1, 1.5, 2 and all"),
    ),
)
