"""Which of two responses is truly better: preferences, else scores (MEASURES sections 10 and 11)."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.cubes.gold import Preferences, read_rewriters, sources_asked
from engine.cubes.pair_rows import Bools, Floats, Ints
from engine.errors import unknown
from engine.metrics.scores import TOLERANCE
from engine.references import NONE
from engine.slices import Slice
from engine.views.quality import Quality, reference_scores
from engine.views.view import View

if TYPE_CHECKING:
    from engine.arrays import StudyArrays


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes on pairs by source, shape (pairs, sources): 1, 0.5 or 0 for the target, NaN for none."""

    by_source: Floats

    @property
    def known(self) -> Bools:
        """Which pairs have any vote."""
        return np.asarray((~np.isnan(self.by_source)).any(axis=1))

    def among(self, sources: Bools) -> "Votes":
        """Return the votes of some of the sources."""
        return Votes(self.by_source[:, sources])

    @property
    def mean(self) -> Floats:
        """The mean vote for the target, NaN without any."""
        present = ~np.isnan(self.by_source)
        total, number = np.where(present, self.by_source, 0.0).sum(axis=1), present.sum(axis=1)
        mean: Floats = np.divide(total, number, out=np.full(len(total), np.nan), where=number > 0)
        return mean

    @property
    def win(self) -> Floats:
        """1, 0.5 or 0: whether the mean vote is above, at or below one half; NaN without any."""
        above = self.mean - 0.5
        return np.where(np.abs(above) < TOLERANCE, 0.5, (1 + np.sign(above)) / 2)

    @property
    def oracle(self) -> Floats:
        """1 or 0 where more than half of the votes present say so, else NaN (EQB section 3.1)."""
        present = (~np.isnan(self.by_source)).sum(axis=1)
        wins, losses = ((self.by_source == side).sum(axis=1) for side in (1, 0))
        return np.where(2 * wins > present, 1.0, np.where(2 * losses > present, 0.0, np.nan))


class Gold:
    """The truth about pairs in one slice."""

    def __init__(self, view: View, named: tuple[str, ...] = (), transform: str | None = None) -> None:
        """Take the preferences of the sources named, or of all; without any the reference's scores.

        A model that rewrote a response is no source for it; `transform` is the rewriting that counts, where
        it is another than the one judged.
        Raises UsageError for a source that the study has not, LackingError where nothing says what is true.
        """
        self._view, self._named = view, named
        self._transform = transform or view.request.selection.transform
        preferences = stored_preferences(view.study)
        for name in named:
            if name not in preferences.sources:
                raise unknown("gold judge", name, preferences.sources)
        self._preferences = preferences if view.request.source is None and preferences.sources else None
        self._scores = None if self._preferences is not None else Quality(reference_scores(view))

    @property
    def sources(self) -> tuple[str, ...]:
        """The gold judges and people; none where the reference's scores decide."""
        if self._preferences is None:
            return ()
        chosen = sources_asked(self._preferences, self._named)
        return tuple(name for name, taken in zip(self._preferences.sources, chosen, strict=True) if taken)

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
        return Votes((1 + outcome) / 2).among(sources_asked(self._preferences, self._named))

    @property
    def differs_by_judge(self) -> bool:
        """Whether what is true depends on who judges: members left out of a committee."""
        return self._scores is not None and len(self._scores.values) > 1

    @cached_property
    def _rewriters(self) -> Ints:
        assert self._preferences is not None  # noqa: S101 - asked only where there are preferences
        study = self._view.study
        return read_rewriters(study.files, study.index, self._transform, self._preferences.sources)

    def blame(self, pairs: Any, *, ties: bool) -> list[tuple[str, Bools]]:
        """Return of which rows of pairs nothing is known, and with `ties` on which nobody has a majority."""
        row = np.minimum(np.searchsorted(self._view.judges, pairs.judge), len(self._view.judges) - 1)
        votes = self.votes(row, pairs.instance, pairs.generator, pairs.opponent)
        told = [("no_reference", ~votes.known)]
        return [*told, ("reference_tie", votes.known & np.isnan(votes.oracle))] if ties else told


def stored_preferences(study: "StudyArrays") -> Preferences:
    """Return the study's preferences."""
    return study.remember("preferences", lambda: Preferences.read(study.files, study.index))


def settle_truth(study: "StudyArrays", spec: Slice) -> Slice:
    """Return the slice without a reference where preferences take its place and none is asked for."""
    if spec.reference is None and stored_preferences(study).sources:
        return replace(spec, reference=NONE)
    return spec
