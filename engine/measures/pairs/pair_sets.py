"""The judged pairs that section 9's measures are computed from: own, null, of relatives, and far apart."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.arrays.left_out import pairs_left_out
from engine.arrays.pairs.judged_pairs import JudgedPairs, by_judge, prefer_variant
from engine.arrays.pairs.pair_outcomes import OutcomesOfPairs
from engine.arrays.pairs.pair_quality import Quality, check_difference
from engine.arrays.pairs.stored_pairs import StoredPairs
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.references import NONE
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures.columns import ByJudge
from engine.measures.rows import Column, Options
from engine.slices import Slice
from engine.stats import Bools, Ints
from engine.stats.intervals.adjusted_p import benjamini_hochberg
from engine.stats.intervals.seeded_draws import CONTRAST, NULL, lowest, seeded_keys

MOST_NULL_PAIRS = 10


def prepare_pairs(study: StudyArrays, spec: Slice, options: Options, by: str | None) -> Slice:
    """Return the slice with section 9's variant, and without a reference unless quality comes from it."""
    for name in ("epsilon", "gap"):
        check_difference(name, options.get(name, 0))
    if options.get("contrast_pairs", 1) < 1:
        raise UsageError(
            f"contrast_pairs {options['contrast_pairs']!r} is below 1; give a number such as 100"
        )
    spec = prefer_variant(study, spec, by, "forced", "default")
    if options["quality"] == "reference" or spec.reference is not None:
        return spec
    return Slice.of(**spec.filters() | {"reference": NONE})


@dataclass(frozen=True, eq=False)
class PairTally:
    """The pairs of a set and the firm choices of their targets: counts of shape (judges, instances)."""

    firm: Ints
    number: Ints


def sets_of(view: SliceView, quality: Quality, pairs: JudgedPairs, options: Options) -> dict[str, Bools]:
    """Return which pairs of equal quality, seen from either response, each share is of (MEASURES 9)."""
    index = view.study.index
    everyone = np.arange(len(index.models))
    relations = index.relations(view.judges, everyone, view.request.exclusion.relatives)
    third = relations.unrelated_mask
    if options["third_party"] == "all":
        third = third | relations.family

    def alike(first: Ints, second: Ints) -> Bools:
        return quality.equal(pairs.row, first, second, pairs.instance, options["epsilon"])

    equal, others = alike(pairs.target, pairs.other), third[pairs.row, pairs.other]
    null = equal & third[pairs.row, pairs.target] & others
    null &= alike(pairs.target, pairs.judge) & alike(pairs.other, pairs.judge)
    family = relations.family[pairs.row, pairs.target] & relations.unrelated_mask[pairs.row, pairs.other]
    return {
        "pir": equal & (pairs.target == pairs.judge) & others,
        "null_pir": _null_pairs(view, pairs, null, options),
        "pir_family": equal & family,
    }


def _null_pairs(view: SliceView, pairs: JudgedPairs, null: Bools, options: Options) -> Bools:
    """Return the null pairs that count: stored ones if a judge has any, else a draw for each question."""
    names = (pairs.judge, pairs.instance, pairs.target, pairs.other)
    stored = stored_pairs(view, "null")
    has_stored = _has_stored(stored, pairs.judge, options)
    selected = null & has_stored & stored.holds(*names)
    free = np.flatnonzero(null & ~has_stored)
    if options["null_pairs"] == "drawn":
        keys = seeded_keys(options["seed"], NULL, *(part[free] for part in names))
        question = pairs.row[free] * view.study.index.n_instances + pairs.instance[free]
        free = free[lowest(question, keys, MOST_NULL_PAIRS)]
    selected[free] = True
    return selected


def stored_pairs(view: SliceView, purpose: str) -> StoredPairs:
    study = view.study
    return study.remember(("pairs", purpose), lambda: StoredPairs.read(study.files, study.index, purpose))


def _has_stored(stored: StoredPairs, judge: Ints, options: Options) -> Bools:
    """Return for which judges the stored pairs count: for none if people's labels decide."""
    # Stored pairs were drawn by scores, and people labelled few of them.
    return np.asarray(np.isin(judge, stored.judges) & (options["quality"] != "human"))


def tally(view: SliceView, pairs: JudgedPairs, sets: Mapping[str, Bools]) -> dict[str, PairTally]:
    counts = {name: (mask & (pairs.firm == 1), mask) for name, mask in sets.items()}
    return {name: PairTally(*(by_judge(view, pairs, of) for of in masks)) for name, masks in counts.items()}


def contrast_answers(
    view: SliceView, quality: Quality, answers: OutcomesOfPairs, options: Options
) -> tuple[Ints, Ints]:
    """Count right and all answers to pairs far apart in quality, stored or drawn, by judge and instance."""
    row = np.searchsorted(view.judges, answers.judge)
    sides = (answers.generator, answers.opponent)
    better = quality.better(row, *sides, answers.instance, options["gap"])
    selected = (better != 0) & (answers.judge != sides[0]) & (answers.judge != sides[1])
    names = (answers.judge, answers.instance, *sides)
    stored = stored_pairs(view, "contrast")
    has_stored = _has_stored(stored, answers.judge, options)
    reversed_names = (answers.judge, answers.instance, sides[1], sides[0])
    selected &= ~has_stored | stored.holds(*names) | stored.holds(*reversed_names)
    free = np.flatnonzero(selected & ~has_stored)
    keys = seeded_keys(options["seed"], CONTRAST, *(part[free] for part in names))
    selected[free] = lowest(row[free], keys, options["contrast_pairs"])
    selected &= ~np.isnan(answers.answer)
    of_judge = ByJudge(view, row, answers.instance)
    return of_judge.counts(selected & (answers.answer == better)), of_judge.counts(selected)


def adjusted_p(p: Column) -> Column:
    return Column(benjamini_hochberg(np.asarray(p.values)), reasons=p.reasons)


PairFilter = Callable[[Ints, Ints, Ints, Ints], Bools]


def at_epsilon(quality: Quality, epsilon: float) -> PairFilter:
    """Return a function that marks pairs of equal quality, for `count_left_out`."""
    return lambda row, one, two, instance: quality.equal(row, one, two, instance, epsilon)


def count_left_out(view: SliceView, cube: Any, quality: Quality, relevant: PairFilter) -> Mapping[str, int]:
    """Count what is left out of pairs that are `relevant` to the measure, or have no quality."""

    def places(pairs: Any) -> tuple[Ints, Ints, Ints, Ints]:
        row = np.searchsorted(view.judges, pairs.judge)
        return row, pairs.generator, pairs.opponent, pairs.instance

    return pairs_left_out(
        view,
        cube,
        concerned=lambda pairs: relevant(*places(pairs)) | quality.unknown(*places(pairs)),
        blame=lambda pairs: [("no_quality", quality.unknown(*places(pairs)))],
    )
