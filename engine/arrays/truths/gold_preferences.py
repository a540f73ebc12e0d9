"""Which of two responses is truly better: preferences, else scores (MEASURES 10 and 11)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.encoding import encode, integers
from engine.arrays.index import StudyIndex
from engine.arrays.judgment_rows import stored_responses
from engine.arrays.pairs.pair_quality import Quality, reference_scores
from engine.arrays.truths.references import COMMITTEE, NONE
from engine.arrays.view import SliceView
from engine.errors import unknown
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints
from engine.stats.pairs.dbg import mean_gold
from engine.stats.ratios import rate
from engine.stats.scores.ranks import TOLERANCE
from engine.store.arrow_types import text_array
from engine.store.study_files import StudyFiles

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


PLAIN = "none"
"""The transform of responses as they were written."""


@dataclass(frozen=True, eq=False)
class Preferences:
    """`outcome` of shape (pairs, sources), seen from the earlier model, NaN for none; `_pairs` ascend.

    They are those that hold for the responses of one transform.
    """

    sources: tuple[str, ...]
    outcome: Floats
    _pairs: Ints
    _models: int

    @classmethod
    def read(cls, files: StudyFiles, index: StudyIndex, transform: str = PLAIN) -> "Preferences":
        table = preferences_under(files.table("preferences"), transform)
        names = pc.unique(table.column("source").combine_chunks()).cast(pa.string())
        (one, instance), two = index.responses_of(table), encode(table.column("opponent"), index.model_names)
        models = len(index.models)
        pairs, place = np.unique(_number(models, instance, one, two), return_inverse=True)
        outcome = np.full((len(pairs), len(names)), np.nan)
        outcomes = integers(table.column("outcome"), 0) * np.where(one > two, -1, 1)
        outcome[place.reshape(-1), encode(table.column("source"), names)] = outcomes
        return cls(tuple(names.to_pylist()), outcome, pairs, models)

    @property
    def counting(self) -> tuple[str, ...]:
        """The sources that count unless others are named: not the panels, whose members count already."""
        return tuple(source for source in self.sources if not source.startswith(COMMITTEE))

    def of(self, instance: Ints, target: Ints, other: Ints) -> Floats:
        """Return the outcomes seen from the target, shape (pairs, sources); NaN if unknown."""
        if len(self._pairs) == 0:
            return np.full((len(instance), len(self.sources)), np.nan)
        numbers = _number(self._models, instance, target, other)
        place = np.minimum(np.searchsorted(self._pairs, numbers), len(self._pairs) - 1)
        outcomes = self.outcome[place] * np.where(target > other, -1.0, 1.0)[:, None]
        return np.where((self._pairs[place] == numbers)[:, None], outcomes, np.nan)


def preferences_under(table: pa.Table, transform: str) -> pa.Table:
    """Return the preferences that hold for the responses of a transform.

    Each source's own outcomes on them, if it has any; else a rewritten response inherits those on the
    original.
    """
    names = table.column("transform").cast(pa.string())
    own = table.filter(pc.equal(names, transform))
    if transform == PLAIN:
        return own
    sources = pc.unique(own.column("source").cast(pa.string()))
    plain = table.filter(pc.equal(names, PLAIN))
    inherited = plain.filter(pc.invert(pc.is_in(plain.column("source").cast(pa.string()), value_set=sources)))
    return pa.concat_tables([own, inherited])


def _number(models: int, instance: Ints, one: Ints, two: Ints) -> Ints:
    return (instance * models + np.minimum(one, two)) * models + np.maximum(one, two)


def read_words(files: StudyFiles, index: StudyIndex, transform: str) -> Floats:
    """Return the number of words of each response, NaN where there are none: shape (models, instances)."""
    place, texts = stored_responses(files, index, transform, "text")
    words = np.full((len(index.models), index.n_instances), np.nan)
    words[place] = [len((text or "").split()) for text in texts.to_pylist()]
    return np.where(words > 0, words, np.nan)


@dataclass(frozen=True, eq=False)
class SourceVotes:
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
    def oracle(self) -> Floats:
        """1 or 0 where more than half of the votes present say so, else NaN (EQB section 3.1)."""
        present = (~np.isnan(self.by_source)).sum(axis=1)
        wins, losses = ((self.by_source == side).sum(axis=1) for side in (1, 0))
        return np.where(2 * wins > present, 1.0, np.where(2 * losses > present, 0.0, np.nan))


class GoldTruth:
    """The truth about pairs in one slice."""

    def __init__(self, view: SliceView, names: tuple[str, ...] = (), transform: str | None = None) -> None:
        """Take the preferences of the sources named, or of all but panels; else the reference's scores.

        With an exclusion, a judge's family (or itself) is no source for it, and of a panel the other members
        vote. A model that rewrote a response is no source for it; `transform` is the rewriting that counts,
        if not the one judged. Raises UsageError for an unknown source, NoDataError if there is neither.
        """
        self._view, self._names = view, names
        self._transform = transform or view.request.selection.transform
        preferences = stored_preferences(view.study, view.request.selection.transform)
        for name in names:
            if name not in preferences.sources:
                raise unknown("gold judge", name, preferences.sources)
        has_gold = bool(names or preferences.counting)
        self._preferences = preferences if view.request.source is None and has_gold else None
        self._scores = None if self._preferences is not None else Quality(reference_scores(view))

    @property
    def sources(self) -> tuple[str, ...]:
        """The gold judges and people; none where the reference's scores decide."""
        if self._preferences is None:
            return ()
        counting = self._names or self._preferences.counting
        return tuple(source for source in self._preferences.sources if source in counting)

    def votes(self, row: Ints, instance: Ints, target: Ints, other: Ints) -> SourceVotes:
        """Return the votes on pairs; `row` is the judge's place among those shown."""
        if self._preferences is None:
            assert self._scores is not None  # noqa: S101 - one of the two is there
            gap = self._scores.of(row, target, instance) - self._scores.of(row, other, instance)
            sign = np.where(np.abs(gap) < TOLERANCE, 0.0, np.sign(gap))
            return SourceVotes((1 + sign)[:, None] / 2)
        outcome = self._without_relatives(row, self._preferences.of(instance, target, other))
        if self._transform != "none":
            sources = np.arange(outcome.shape[1])
            for model in (target, other):
                outcome[self._rewriters[model, instance][:, None] == sources] = np.nan
        return SourceVotes((1 + outcome[:, np.isin(self._preferences.sources, self.sources)]) / 2)

    @property
    def differs_by_judge(self) -> bool:
        if self._scores is None:
            return bool(self._view.request.exclusion)
        return len(self._scores.values) > 1

    def _without_relatives(self, row: Ints, outcome: Floats) -> Floats:
        """Return the outcomes, (pairs, sources), without those that the exclusion leaves out."""
        exclusion = self._view.request.exclusion
        if not exclusion:
            return outcome
        study = self._view.study
        excluded, models = self._excluded_sources, study.index.models
        assert self._preferences is not None  # noqa: S101 - asked only where there are preferences
        sources = self._preferences.sources
        without = np.where(excluded[row], np.nan, outcome)
        for place, source in enumerate(sources):
            panel = study.files.info.committees.get(source.removeprefix(COMMITTEE))
            if not source.startswith(COMMITTEE) or panel is None:
                continue
            members = [sources.index(m) for m in panel.members if m in sources and m in models]
            left_out = excluded[row][:, members].any(axis=1)
            anew = np.sign(2 * SourceVotes((1 + without[:, members]) / 2).win - 1)
            without[:, place] = np.where(left_out, anew, outcome[:, place])
        return without

    @cached_property
    def _excluded_sources(self) -> Bools:
        """Which sources the exclusion leaves out for each judge shown: shape (judges, sources)."""
        assert self._preferences is not None  # noqa: S101 - asked only where there are preferences
        exclusion, index = self._view.request.exclusion, self._view.study.index
        models = index.models
        place = np.array([models.index(s) if s in models else -1 for s in self._preferences.sources])
        relations = index.relations(self._view.judges, place, exclusion.relatives)
        out = relations.self_mask if not exclusion.exclude_family else ~relations.unrelated_mask
        return np.asarray(out & (place >= 0))

    @cached_property
    def _rewriters(self) -> Ints:
        """Which source rewrote each response, -1 for none of them: shape (models, instances)."""
        assert self._preferences is not None  # noqa: S101 - asked only where there are preferences
        study, index = self._view.study, self._view.study.index
        place, names = stored_responses(study.files, index, self._transform, "transformed_by")
        rewriter = np.full((len(index.models), index.n_instances), -1)
        rewriter[place] = encode(names, text_array(self._preferences.sources))
        return rewriter

    def blame(
        self, pairs: Any, undecided: Callable[[SourceVotes], Bools] | None = None
    ) -> list[tuple[str, Bools]]:
        """Return for which rows of pairs the truth is unknown, and which votes leave it `undecided`."""
        row = np.minimum(np.searchsorted(self._view.judges, pairs.judge), len(self._view.judges) - 1)
        votes = self.votes(row, pairs.instance, pairs.generator, pairs.opponent)
        reasons = [("no_reference", ~votes.has_vote)]
        if undecided is None:
            return reasons
        return [*reasons, ("reference_tie", votes.has_vote & undecided(votes))]


def stored_preferences(study: "StudyArrays", transform: str | None = None) -> Preferences:
    """Return the preferences that hold for the responses of a transform, by default as written."""
    name = transform or PLAIN
    return study.remember(("preferences", name), lambda: Preferences.read(study.files, study.index, name))


def resolve_truth(study: "StudyArrays", spec: Slice) -> Slice:
    """Return the slice without a reference if preferences take its place and none is requested."""
    if spec.reference is None and stored_preferences(study, spec.transform).counting:
        return replace(spec, reference=NONE)
    return spec
