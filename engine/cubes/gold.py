"""The table `preferences`: what gold judges and people say of pairs."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.cubes.arrow import encode, integers, text_array
from engine.cubes.index import StudyIndex
from engine.cubes.pair_rows import Bools, Floats, Ints
from engine.store import StudyFiles


@dataclass(frozen=True, eq=False)
class Preferences:
    """Outcomes of pairs by source: `outcome` of shape (pairs, sources), seen from the earlier model.

    NaN where a source says nothing. `pairs` holds the pairs' numbers, ascending.
    """

    sources: tuple[str, ...]
    outcome: Floats
    _pairs: Ints
    _models: int

    @classmethod
    def read(cls, files: StudyFiles, index: StudyIndex) -> "Preferences":
        """Read all preferences."""
        table = files.table("preferences")
        names = pc.unique(table.column("source").combine_chunks()).cast(pa.string())
        one, two = (encode(table.column(side), index.model_names) for side in ("generator", "opponent"))
        instance = encode(table.column("instance_id"), index.instances)
        models = len(index.models)
        pairs, place = np.unique(_number(models, instance, one, two), return_inverse=True)
        outcome = np.full((len(pairs), len(names)), np.nan)
        said = integers(table.column("outcome"), 0) * np.where(one > two, -1, 1)
        outcome[place.reshape(-1), encode(table.column("source"), names)] = said
        return cls(tuple(names.to_pylist()), outcome, pairs, models)

    def of(self, instance: Ints, target: Ints, other: Ints) -> Floats:
        """Return the outcomes of pairs seen from the target: (pairs asked for, sources), NaN unknown."""
        if len(self._pairs) == 0:
            return np.full((len(instance), len(self.sources)), np.nan)
        wanted = _number(self._models, instance, target, other)
        place = np.minimum(np.searchsorted(self._pairs, wanted), len(self._pairs) - 1)
        found = self.outcome[place] * np.where(target > other, -1.0, 1.0)[:, None]
        return np.where((self._pairs[place] == wanted)[:, None], found, np.nan)


def _number(models: int, instance: Ints, one: Ints, two: Ints) -> Ints:
    return (instance * models + np.minimum(one, two)) * models + np.maximum(one, two)


def read_rewriters(files: StudyFiles, index: StudyIndex, transform: str, sources: tuple[str, ...]) -> Ints:
    """Return which source rewrote each response, -1 for none of them: shape (models, instances)."""
    table = files.table("responses", ("instance_id", "generator", "transform", "transformed_by"))
    wanted = pc.is_in(table.column("transform").cast(pa.string()), value_set=text_array([transform]))
    table = table.filter(wanted)
    rewriter = np.full((len(index.models), index.n_instances), -1)
    place = (
        encode(table.column("generator"), index.model_names),
        encode(table.column("instance_id"), index.instances),
    )
    rewriter[place] = encode(table.column("transformed_by"), text_array(sources))
    return rewriter


def read_words(files: StudyFiles, index: StudyIndex, transform: str) -> Floats:
    """Return the number of words of each response, NaN where there are none: shape (models, instances)."""
    table = files.table("responses", ("instance_id", "generator", "transform", "text"))
    wanted = pc.is_in(table.column("transform").cast(pa.string()), value_set=text_array([transform]))
    table = table.filter(wanted)
    counts = [len((text or "").split()) for text in table.column("text").to_pylist()]
    words = np.full((len(index.models), index.n_instances), np.nan)
    place = (
        encode(table.column("generator"), index.model_names),
        encode(table.column("instance_id"), index.instances),
    )
    words[place] = counts
    return np.where(words > 0, words, np.nan)


def sources_asked(preferences: Preferences, named: tuple[str, ...]) -> Bools:
    """Return which sources are asked for; all where none is named."""
    return np.array([not named or source in named for source in preferences.sources], dtype=bool)
