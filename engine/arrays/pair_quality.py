"""The pairs of a slice, with the quality of both responses and the gold preference."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.index import (
    Relatives,
    Repeats,
    Selection,
    StudyIndex,
    encode,
    integers,
    positions,
    stored_responses,
)
from engine.arrays.pair_outcomes import PairRows, PairValues, winners
from engine.arrays.references import NONE, Exclusion
from engine.arrays.resolve import NoDataError
from engine.arrays.scores import QualityCube, read_quality, score_responses
from engine.arrays.view import SliceView, in_slice
from engine.errors import UsageError, unknown
from engine.schema import PAIR_PARADIGMS
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints, ParallelArrays
from engine.stats.quality_baseline import agreed_gold, mean_gold
from engine.stats.self_preference import TOLERANCE, ScoreKind, rate
from engine.store.arrow_types import text_array
from engine.store.study_files import StudyFiles

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


# ------------------------------------------------------------------------------
# The judged pairs of one slice, as sections 9 to 11 of MEASURES count them.


@dataclass(frozen=True, eq=False)
class JudgedPairs(ParallelArrays):
    """Pairs with a value by the judge, seen from `target`; `row` is the judge's place among those shown.

    `value` is the outcome (+1, 0, -1) or a probability of the target, `firm` +1 or -1 where both orders name
    the same response, `first` and `second` the winner in each order (NaN: resolved already), `p` the mean
    probability of the target in a forced choice (NaN: none).
    """

    row: Ints
    judge: Ints
    instance: Ints
    target: Ints
    other: Ints
    value: Floats
    firm: Floats
    first: Floats
    second: Floats
    p: Floats

    def swapped(self, value: Floats | None = None) -> "JudgedPairs":
        """Return the pairs seen from the other response, with the opposite value or another one."""
        value, firm = -self.value if value is None else value, -self.firm
        first, second, p = -self.first, -self.second, 1 - self.p
        swapped = replace(self, target=self.other, other=self.target, value=value, firm=firm)
        return replace(swapped, first=first, second=second, p=p)

    def both_ways(self) -> "JudgedPairs":
        return self.concatenate([self, self.swapped()])

    def own(self) -> "JudgedPairs":
        """Return the pairs with the judge's own response, seen from it."""
        every = self.both_ways()
        return every.select(every.target == every.judge)


def prefer_variant(study: "StudyArrays", spec: Slice, by: str | None, *variants: str) -> Slice:
    """Return the slice with the first of the variants that the study has, unless one is given."""
    if spec.variant is not None or by == "variant":
        return spec
    present = study.inventory.values("variant", paradigm=PAIR_PARADIGMS)
    return replace(spec, variant=next((name for name in variants if name in present), None))


def judged_pairs(view: SliceView, rows: PairRows, pairs: PairValues) -> JudgedPairs:
    """Return the pairs that are shown and kept."""
    keep = in_slice(view, pairs)
    one, two, judge, value = pairs.one[keep], pairs.two[keep], pairs.judge[keep], pairs.value[keep]
    winner, resolved = winners(rows), one == two
    first, second = (np.where(resolved, np.nan, winner[order]) for order in (one, two))
    agreed = np.where(first == second, first, 0.0)
    forced = np.where(np.isnan(rows.p_tie), rows.p, np.nan)
    return JudgedPairs(
        row=np.searchsorted(view.judges, judge),
        judge=judge,
        instance=pairs.instance[keep],
        target=pairs.generator[keep],
        other=pairs.opponent[keep],
        value=value,
        firm=np.where(resolved, value, agreed),
        first=first,
        second=second,
        p=(forced[one] + forced[two]) / 2,
    )


def kept_mask(view: SliceView, models: Ints) -> Bools:
    """Return which responses of models are kept, shape (models, instances)."""
    cells, generators = view.kept_cells, view.cube.generators
    if len(cells) == 1:
        return np.broadcast_to(cells, (len(models), cells.shape[1]))
    place = np.minimum(np.searchsorted(generators, models), len(generators) - 1)
    return np.asarray(cells[place] & (generators[place] == models)[:, None])


def by_judge(view: SliceView, pairs: JudgedPairs, keep: Bools) -> Ints:
    """Count pairs for each judge shown and instance: shape (judges, instances)."""
    shape = (len(view.judges), view.study.index.n_instances)
    cell = pairs.row[keep] * shape[1] + pairs.instance[keep]
    return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)


# ------------------------------------------------------------------------------
# The quality of responses, by judges of quality or by the reference (MEASURES section 9).


EDGES = (0.25, 0.5, 1, 1.5, 2)  # the differences of quality by which pairs are grouped


@dataclass(frozen=True, eq=False)
class Quality:
    """Q of responses by judges of quality, or by the reference."""

    values: Floats  # (judges shown or 1, models, instances), NaN for none
    judges: tuple[str, ...] = ()
    relatives: tuple[str, ...] = ()  # those of the judges that are related to a model they rate

    def of(self, row: Ints, model: Ints, instance: Ints) -> Floats:
        """Return Q of responses; `row` is the place of the judge among those shown."""
        return np.asarray(self.values[np.minimum(row, len(self.values) - 1), model, instance])

    def equal(self, row: Ints, one: Ints, two: Ints, instance: Ints, epsilon: float) -> Bools:
        """Return which pairs of responses are of equal quality."""
        return near(self.of(row, one, instance), self.of(row, two, instance), epsilon)

    def better(self, row: Ints, one: Ints, two: Ints, instance: Ints, gap: float) -> Ints:
        """Return 1 where the first response is better by the gap or more, -1 where the second is, else 0."""
        first, second = self.of(row, one, instance), self.of(row, two, instance)
        return np.where(far(first, second, gap), np.sign(first - second), 0).astype(np.int64)

    def unknown(self, row: Ints, one: Ints, two: Ints, instance: Ints) -> Bools:
        return np.isnan(self.of(row, one, instance)) | np.isnan(self.of(row, two, instance))


def near(one: Floats, two: Floats, epsilon: float) -> Bools:
    """Return where two qualities differ by at most epsilon; False for NaN."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(one - two) <= epsilon + TOLERANCE)


def far(one: Floats, two: Floats, gap: float) -> Bools:
    """Return where two qualities differ by at least a gap."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(one - two) >= gap - TOLERANCE)


def distance_groups(distance: Floats) -> Iterator[tuple[str, Bools]]:
    """Yield the groups of pairs by their difference in quality; NaN is in none."""
    place = np.searchsorted(np.array(EDGES) + TOLERANCE, distance, side="left")
    names = [f"{low:g}-{high:g}" for low, high in pairwise((0, *EDGES))] + [f"{EDGES[-1]:g}-"]
    for number, name in enumerate(names):
        yield name, (place == number) & ~np.isnan(distance)


def quality_of(view: SliceView, options: Mapping[str, Any]) -> Quality:
    """Return Q by the options, over all models; NoDataError without it, UsageError for ambiguous judges."""
    if options["quality"] == "reference":
        return Quality(10 * reference_scores(view))
    return judged_quality(view.study, view.request.spec, options)


def judged_quality(study: "StudyArrays", spec: Slice, options: Mapping[str, Any]) -> Quality:
    """Return Q by judges of quality, the same for all judges of pairs; raises the errors of `quality_of`."""
    cube, index = stored_quality(study, spec), study.index
    judges = _quality_judges(cube, index.models, tuple(options["quality_judges"]))
    relations = index.relations(judges, cube.rated, cast("Relatives", spec.relatives))
    relatives = judges[relations.family_with_self.any(axis=1)]
    scores = cube.scores[np.searchsorted(cube.judges, judges)].mean(axis=0, keepdims=True)
    return Quality(scores, tuple(index.models[j] for j in judges), tuple(index.models[j] for j in relatives))


def has_quality(study: "StudyArrays") -> bool:
    return study.inventory.total(paradigm="quality", variant="default", transform="none") > 0


def stored_quality(study: "StudyArrays", spec: Slice) -> QualityCube:
    """Return the quality rows of a study; NoDataError if it has none."""
    if not has_quality(study):
        raise NoDataError(
            "the study has no quality judgments; choose --quality reference to use the reference's scores"
        )
    selection = Selection(paradigm="quality", repeats=cast("Repeats", spec.repeats))
    return study.remember(("quality", selection), lambda: read_quality(study.files, study.index, selection))


def _quality_judges(cube: QualityCube, models: tuple[str, ...], names: tuple[str, ...]) -> Ints:
    present = [models[j] for j in cube.judges]
    for name in names:
        if name not in present:
            raise unknown("judge of quality", name, present)
    if names:
        return positions(names, models)
    unrated = np.setdiff1d(cube.judges, cube.rated)
    if len(unrated) == 0:
        raise UsageError(
            "every quality judge is itself rated; choose whose scores count with --quality-judges: "
            f"{', '.join(present)}"
        )
    return unrated


def reference_scores(view: SliceView) -> Floats:
    """Return `true_scores` by the view's reference, for the judges shown."""
    request, kind = view.request, cast("ScoreKind", view.request.spec.scores)
    return true_scores(view.study, request.source, view.judges, request.exclusion, kind)


def true_scores(
    study: "StudyArrays", source: str | None, judges: Ints, exclusion: Exclusion, kind: ScoreKind
) -> Floats:
    """Return a reference's scores, (judges or 1, models, instances); NoDataError without a reference."""
    if source is None:
        raise NoDataError("the study has no reference that scores responses")
    index = study.index
    truth = study.references.planes(source, judges, np.arange(len(index.models)), exclusion)
    every_rubric = index.layout.pack(np.ones((1, 1, index.n_rubrics), dtype=bool))
    return score_responses(index, truth.met, truth.has, every_rubric, kind).values


# ------------------------------------------------------------------------------
# The table `preferences`: outcomes of pairs by gold judges and people.


@dataclass(frozen=True, eq=False)
class Preferences:
    """`outcome` of shape (pairs, sources), seen from the earlier model, NaN for none; `_pairs` ascend."""

    sources: tuple[str, ...]
    outcome: Floats
    _pairs: Ints
    _models: int

    @classmethod
    def read(cls, files: StudyFiles, index: StudyIndex) -> "Preferences":
        table = files.table("preferences")
        names = pc.unique(table.column("source").combine_chunks()).cast(pa.string())
        (one, instance), two = index.responses_of(table), encode(table.column("opponent"), index.model_names)
        models = len(index.models)
        pairs, place = np.unique(_number(models, instance, one, two), return_inverse=True)
        outcome = np.full((len(pairs), len(names)), np.nan)
        outcomes = integers(table.column("outcome"), 0) * np.where(one > two, -1, 1)
        outcome[place.reshape(-1), encode(table.column("source"), names)] = outcomes
        return cls(tuple(names.to_pylist()), outcome, pairs, models)

    def of(self, instance: Ints, target: Ints, other: Ints) -> Floats:
        """Return the outcomes seen from the target, shape (pairs, sources); NaN if unknown."""
        if len(self._pairs) == 0:
            return np.full((len(instance), len(self.sources)), np.nan)
        numbers = _number(self._models, instance, target, other)
        place = np.minimum(np.searchsorted(self._pairs, numbers), len(self._pairs) - 1)
        outcomes = self.outcome[place] * np.where(target > other, -1.0, 1.0)[:, None]
        return np.where((self._pairs[place] == numbers)[:, None], outcomes, np.nan)


def _number(models: int, instance: Ints, one: Ints, two: Ints) -> Ints:
    return (instance * models + np.minimum(one, two)) * models + np.maximum(one, two)


def read_words(files: StudyFiles, index: StudyIndex, transform: str) -> Floats:
    """Return the number of words of each response, NaN where there are none: shape (models, instances)."""
    place, texts = stored_responses(files, index, transform, "text")
    words = np.full((len(index.models), index.n_instances), np.nan)
    words[place] = [len((text or "").split()) for text in texts.to_pylist()]
    return np.where(words > 0, words, np.nan)


# ------------------------------------------------------------------------------
# Which of two responses is truly better: preferences, else scores (MEASURES sections 10 and 11).


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes on pairs by source, shape (pairs, sources): 1, 0.5 or 0 for the target, NaN for none."""

    by_source: Floats

    @property
    def has_vote(self) -> Bools:
        """Which pairs have any vote."""
        return np.asarray((~np.isnan(self.by_source)).any(axis=1))

    @property
    def mean(self) -> Floats:
        """The mean vote for the target, NaN without any."""
        return rate(np.nansum(self.by_source, axis=1), (~np.isnan(self.by_source)).sum(axis=1))

    @property
    def win(self) -> Floats:
        """1, 0.5 or 0: whether the mean vote is above, at or below one half; NaN without any."""
        return mean_gold(self.by_source)

    @property
    def agreed(self) -> Floats:
        """1 or 0 where at least two gold judges name the winner, and more than name the other; else NaN."""
        return agreed_gold(self.by_source)

    @property
    def oracle(self) -> Floats:
        """1 or 0 where more than half of the votes present say so, else NaN (EQB section 3.1)."""
        present = (~np.isnan(self.by_source)).sum(axis=1)
        wins, losses = ((self.by_source == side).sum(axis=1) for side in (1, 0))
        return np.where(2 * wins > present, 1.0, np.where(2 * losses > present, 0.0, np.nan))


class Gold:
    """The truth about pairs in one slice."""

    def __init__(self, view: SliceView, names: tuple[str, ...] = (), transform: str | None = None) -> None:
        """Take the preferences of the sources named, or of all; without any the reference's scores.

        A model that rewrote a response is no source for it; `transform` is the rewriting that counts, if not
        the one judged. Raises UsageError for an unknown source, NoDataError if there is neither.
        """
        self._view, self._names = view, names
        self._transform = transform or view.request.selection.transform
        preferences = stored_preferences(view.study)
        for name in names:
            if name not in preferences.sources:
                raise unknown("gold judge", name, preferences.sources)
        self._preferences = preferences if view.request.source is None and preferences.sources else None
        self._scores = None if self._preferences is not None else Quality(reference_scores(view))

    @property
    def sources(self) -> tuple[str, ...]:
        """The gold judges and people; none where the reference's scores decide."""
        stored = () if self._preferences is None else self._preferences.sources
        return tuple(source for source in stored if not self._names or source in self._names)

    def votes(self, row: Ints, instance: Ints, target: Ints, other: Ints) -> Votes:
        """Return the votes on pairs; `row` is the judge's place among those shown."""
        if self._preferences is None:
            assert self._scores is not None  # noqa: S101 - one of the two is there
            gap = self._scores.of(row, target, instance) - self._scores.of(row, other, instance)
            sign = np.where(np.abs(gap) < TOLERANCE, 0.0, np.sign(gap))
            return Votes((1 + sign)[:, None] / 2)
        outcome = self._preferences.of(instance, target, other)
        if self._transform != "none":
            sources = np.arange(outcome.shape[1])
            for model in (target, other):
                outcome[self._rewriters[model, instance][:, None] == sources] = np.nan
        return Votes((1 + outcome[:, np.isin(self._preferences.sources, self.sources)]) / 2)

    @property
    def differs_by_judge(self) -> bool:
        return self._scores is not None and len(self._scores.values) > 1

    @cached_property
    def _rewriters(self) -> Ints:
        """Which source rewrote each response, -1 for none of them: shape (models, instances)."""
        assert self._preferences is not None  # noqa: S101 - asked only where there are preferences
        study, index = self._view.study, self._view.study.index
        place, names = stored_responses(study.files, index, self._transform, "transformed_by")
        rewriter = np.full((len(index.models), index.n_instances), -1)
        rewriter[place] = encode(names, text_array(self._preferences.sources))
        return rewriter

    def blame(self, pairs: Any, undecided: Callable[[Votes], Bools] | None = None) -> list[tuple[str, Bools]]:
        """Return for which rows of pairs the truth is unknown, and which votes leave it `undecided`."""
        row = np.minimum(np.searchsorted(self._view.judges, pairs.judge), len(self._view.judges) - 1)
        votes = self.votes(row, pairs.instance, pairs.generator, pairs.opponent)
        reasons = [("no_reference", ~votes.has_vote)]
        if undecided is None:
            return reasons
        return [*reasons, ("reference_tie", votes.has_vote & undecided(votes))]


def stored_preferences(study: "StudyArrays") -> Preferences:
    return study.remember("preferences", lambda: Preferences.read(study.files, study.index))


def resolve_truth(study: "StudyArrays", spec: Slice) -> Slice:
    """Return the slice without a reference if preferences take its place and none is requested."""
    if spec.reference is None and stored_preferences(study).sources:
        return replace(spec, reference=NONE)
    return spec
