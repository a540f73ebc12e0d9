"""The judged pairs that section 9's measures are made of: own, null, of relatives, and far apart."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from engine.cubes.answers import Answers
from engine.cubes.drawn import DrawnPairs
from engine.cubes.index import Relatives
from engine.cubes.pair_rows import Bools, Floats, Ints
from engine.errors import UsageError
from engine.measures.table import Column
from engine.metrics.draws import CONTRAST, NULL, lowest, seeded_keys
from engine.metrics.overestimation import Kinship
from engine.metrics.resampling import benjamini_hochberg
from engine.references import NONE
from engine.slices import Slice
from engine.views import View
from engine.views.paired import JudgedPairs, by_judge, pairs_left_out, prefer_variant
from engine.views.quality import Quality

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

MOST_NULL_PAIRS = 10


def settle_slice(study: "StudyArrays", spec: Slice, options: Mapping[str, Any], by: str | None) -> Slice:
    """Return the slice with section 9's variant, and without a reference unless quality comes from it.

    Raises UsageError for an option out of range.
    """
    for name in ("epsilon", "gap"):
        if options.get(name, 0) < 0:
            raise UsageError(
                f"{name} {options[name]!r} is below 0; give a difference of quality such as 0.25"
            )
    spec = prefer_variant(study, spec, by, "forced", "default")
    if options["quality"] == "reference" or spec.reference is not None:
        return spec
    return Slice.of(**spec.given() | {"reference": NONE})


@dataclass(frozen=True, eq=False)
class Sets:
    """Which pairs, each seen from either response, are of which set: masks of shape (pairs,)."""

    own: Bools
    null: Bools
    family: Bools


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of shape (judges, instances): pairs of a set, and firm choices of their targets."""

    own: Ints
    own_firm: Ints
    null: Ints
    null_firm: Ints
    family: Ints
    family_firm: Ints


def everyones_kin(view: View) -> Kinship:
    """Return who is kin to whom: judges shown by all models."""
    relatives = cast("Relatives", view.request.spec.relatives)
    index = view.study.index
    return index.kinship(view.judges, np.arange(len(index.models)), relatives)


def sets_of(view: View, quality: Quality, pairs: JudgedPairs, options: Mapping[str, Any]) -> Sets:
    """Sort pairs of equal quality, given from either response, into sets (MEASURES section 9)."""
    kin = everyones_kin(view)
    third = kin.other | kin.family if options["third_party"] == "all" else kin.other
    epsilon = options["epsilon"]

    def alike(one: Ints, two: Ints) -> Bools:
        return quality.equal(pairs.row, one, two, pairs.instance, epsilon)

    equal, others = alike(pairs.target, pairs.other), third[pairs.row, pairs.other]
    null = equal & third[pairs.row, pairs.target] & others
    null &= alike(pairs.target, pairs.judge) & alike(pairs.other, pairs.judge)
    return Sets(
        own=equal & (pairs.target == pairs.judge) & others,
        null=_null_pairs(view, pairs, null, options),
        family=equal & kin.family[pairs.row, pairs.target] & kin.other[pairs.row, pairs.other],
    )


def _null_pairs(view: View, pairs: JudgedPairs, null: Bools, options: Mapping[str, Any]) -> Bools:
    """Return the null pairs that count: stored ones where a judge has any, else a draw for each question."""
    names = (pairs.judge, pairs.instance, pairs.target, pairs.other)
    stored = stored_pairs(view, "null")
    has = _has_stored(stored, pairs.judge, options)
    chosen = null & has & stored.holds(*names)
    free = np.flatnonzero(null & ~has)
    if options["null_pairs"] == "drawn":
        keys = seeded_keys(options["seed"], NULL, *(part[free] for part in names))
        question = pairs.row[free] * view.study.index.n_instances + pairs.instance[free]
        free = free[lowest(question, keys, MOST_NULL_PAIRS)]
    chosen[free] = True
    return chosen


def stored_pairs(view: View, purpose: str) -> DrawnPairs:
    """Return the pairs of table `pairs` of one purpose."""
    study = view.study
    return study.remember(("pairs", purpose), lambda: DrawnPairs.read(study.files, study.index, purpose))


def _has_stored(stored: DrawnPairs, judge: Ints, options: Mapping[str, Any]) -> Bools:
    """Return whose stored pairs are the ones that count: none where people's labels do.

    They were drawn by scores, and few of them are among those that people labelled.
    """
    return np.asarray(np.isin(judge, stored.judges) & (options["quality"] != "human"))


def tally(view: View, pairs: JudgedPairs, sets: Sets) -> Tally:
    """Count each set and its firm choices."""
    firm = pairs.firm == 1
    counts = [
        by_judge(view, pairs, part)
        for mask in (sets.own, sets.null, sets.family)
        for part in (mask, mask & firm)
    ]
    return Tally(*counts)


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Answers to pairs far apart in quality, one entry each; `correct` is NaN where there is no answer."""

    row: Ints
    instance: Ints
    correct: Floats


def contrasts(view: View, quality: Quality, answers: Answers, options: Mapping[str, Any]) -> Contrasts:
    """Return the answers to the contrast pairs: the stored ones where a judge has any, else a draw."""
    row = np.searchsorted(view.judges, answers.judge)
    sides = (answers.generator, answers.opponent)
    better = quality.better(row, *sides, answers.instance, options["gap"])
    chosen = (better != 0) & (answers.judge != sides[0]) & (answers.judge != sides[1])
    names = (answers.judge, answers.instance, *sides)
    stored = stored_pairs(view, "contrast")
    has = _has_stored(stored, answers.judge, options)
    back = (answers.judge, answers.instance, sides[1], sides[0])
    chosen &= ~has | stored.holds(*names) | stored.holds(*back)
    free = np.flatnonzero(chosen & ~has)
    keys = seeded_keys(options["seed"], CONTRAST, *(part[free] for part in names))
    chosen[free] = lowest(row[free], keys, options["contrast_pairs"])
    right = np.where(np.isnan(answers.answer), np.nan, answers.answer == better)
    return Contrasts(row[chosen], answers.instance[chosen], right[chosen])


def tally_contrasts(view: View, found: Contrasts) -> tuple[Ints, Ints]:
    """Return correct answers and ok answers, each of shape (judges, instances)."""
    shape = (len(view.judges), view.study.index.n_instances)
    cell = found.row * shape[1] + found.instance
    ok = ~np.isnan(found.correct)
    size = shape[0] * shape[1]
    correct = np.bincount(cell[found.correct == 1], minlength=size).reshape(shape)
    return correct, np.bincount(cell[ok], minlength=size).reshape(shape)


def adjusted(p: Column) -> Column:
    """Return the p-values of a family of tests over judges after Benjamini and Hochberg."""
    return Column(benjamini_hochberg(np.asarray(p.values)), reasons=p.reasons)


Concerned = Callable[[Ints, Ints, Ints, Ints], Bools]


def at_epsilon(quality: Quality, epsilon: float) -> Concerned:
    """Return what tells which pairs are of equal quality, for `left_out`."""
    return lambda row, one, two, instance: quality.equal(row, one, two, instance, epsilon)


def left_out(view: View, cube: Any, quality: Quality, concerned: Concerned) -> Mapping[str, int]:
    """Count what is left out of pairs that are of equal quality (or far apart), or have no quality.

    `concerned` tells from judge's row, both responses' models and instance which pairs the measure is about.
    """

    def places(pairs: Any) -> tuple[Ints, Ints, Ints, Ints]:
        row = np.searchsorted(view.judges, pairs.judge)
        return row, pairs.generator, pairs.opponent, pairs.instance

    return pairs_left_out(
        view,
        cube,
        lambda pairs: concerned(*places(pairs)) | quality.unknown(*places(pairs)),
        lambda pairs: [("no_quality", quality.unknown(*places(pairs)))],
    )
