"""Everything that can be held against something else: references, preferences, judges, runs.

A source holds verdicts, outcomes of pairs, or scores, each about an item; two sources are compared on the
items that both have (MEASURES section 14).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.cubes.arrow import encode, integers, numbers, text_array
from engine.cubes.pairs import PairCube
from engine.cubes.rows import Selection
from engine.cubes.scores import ScoreCube
from engine.cubes.verdicts import VerdictCube
from engine.errors import UsageError, unknown
from engine.metrics.majority import plurality

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

KINDS = ("verdict", "outcome", "score")
OTHERS = "human:others"
"""The majority of all people but the one it is compared with."""

_PERSON = "human:"


@dataclass(frozen=True, eq=False)
class Values:
    """What a source says: one value for each (item, speaker).

    `item` numbers what is spoken of; `speaker` is the judge where a run holds several, else -1. Verdicts
    are 0 or 1, outcomes -1, 0 or 1 seen from the model earlier in the study; `turned` marks the outcomes
    that the source tells from the other side.
    """

    item: Ints
    instance: Ints
    speaker: Ints
    value: Floats
    turned: NDArray[np.bool_] | None = None


class Sources:
    """The sources of a study, read for one selection of judgments."""

    def __init__(self, study: "StudyArrays", selection: Selection | None, rubrics: NDArray[np.bool_]) -> None:
        """Keep what judges are read by; `rubrics` marks the rubrics that filters keep."""
        self._study, self._selection, self._rubrics = study, selection, rubrics

    def names(self) -> list[str]:
        """Return every source with a name of its own: references, preferences, judges, runs."""
        study = self._study
        preferences = pc.unique(study.files.table("preferences").column("source").cast(pa.string()))
        people = [name for name in study.references.stored if name.startswith(_PERSON)]
        judges = [f"judge:{name}" for name in study.inventory.values("judge")]
        runs = [f"run:{name}" for name in study.inventory.values("run_id")]
        others = [OTHERS] if len(people) > 2 else []
        told = [*study.references.sources, *preferences.to_pylist(), *others, *judges, *runs]
        return list(dict.fromkeys(told))

    def read(self, source: str, kind: str, against: str) -> Values | None:
        """Return what a source says of one kind, None where it says nothing of that kind.

        `against` is the other source: people's majority leaves it out where it is one of them.
        """
        spoken, _, name = source.partition(":")
        if spoken in ("judge", "run"):
            return self._judged(spoken, name, kind)
        readers: dict[str, Callable[[str, str], Values | None]] = {
            "verdict": self._verdicts,
            "outcome": self._outcomes,
            "score": self._scores,
        }
        return readers[kind](source, against)

    def persons(self) -> Values:
        """Return every person's verdicts, one speaker each."""
        table = self._references(lambda name: name.startswith(_PERSON) or name == "human")
        names = pc.unique(table.column("source").cast(pa.string()))
        values = self._told(table, numbers(table.column("met")))
        speaker = encode(table.column("source"), names)
        return replace(values, speaker=speaker[self._kept(table, numbers(table.column("met")))])

    def _verdicts(self, source: str, against: str) -> Values | None:
        if source == OTHERS or source == "human":
            return _majority(self._told_by(self._people(source, against), "met"))
        if source.startswith("committee:") and source not in self._study.references.stored:
            raise UsageError(f"{source!r} is defined but not written; write it with `spb committee`")
        return self._told_by(lambda name: name == source, "met")

    def _scores(self, source: str, against: str) -> Values | None:
        if source == OTHERS or source == "human":
            return _mean(self._told_by(self._people(source, against), "score"))
        return self._told_by(lambda name: name == source, "score")

    def _people(self, source: str, against: str) -> Callable[[str], bool]:
        left_out = against if source == OTHERS else None
        return lambda name: (name.startswith(_PERSON) or name == "human") and name != left_out

    def _told_by(self, who: Callable[[str], bool], column: str) -> Values | None:
        table = self._references(who)
        values = self._told(table, numbers(table.column(column)))
        return values if len(values.item) else None

    def _references(self, who: Callable[[str], bool]) -> pa.Table:
        table = self._study.files.table("references")
        wanted = text_array([name for name in self._study.references.stored if who(name)])
        return table.filter(pc.is_in(table.column("source").cast(pa.string()), value_set=wanted))

    def _kept(self, table: pa.Table, values: Floats) -> NDArray[np.bool_]:
        index = self._study.index
        instance = encode(table.column("instance_id"), index.instances)
        rubric = index.rubric_positions(instance, table.column("rubric_id"))
        return ~np.isnan(values) & (rubric >= 0) & self._rubrics[rubric]

    def _told(self, table: pa.Table, values: Floats) -> Values:
        index, kept = self._study.index, self._kept(table, values)
        instance = encode(table.column("instance_id"), index.instances)
        rubric = index.rubric_positions(instance, table.column("rubric_id"))
        generator = encode(table.column("generator"), index.model_names)
        item = generator * index.n_rubrics + rubric
        return Values(item[kept], instance[kept], np.full(int(kept.sum()), -1), values[kept])

    def _outcomes(self, source: str, against: str) -> Values | None:
        table, index = self._study.files.table("preferences"), self._study.index
        people = self._people(source, against)
        names = [
            name
            for name in pc.unique(table.column("source").cast(pa.string())).to_pylist()
            if (people(name) if source in (OTHERS, "human") else name == source)
        ]
        table = table.filter(pc.is_in(table.column("source").cast(pa.string()), value_set=text_array(names)))
        if not len(table):
            return None
        one, two = (encode(table.column(side), index.model_names) for side in ("generator", "opponent"))
        instance = encode(table.column("instance_id"), index.instances)
        outcome = integers(table.column("outcome"), 0) * np.where(one > two, -1, 1)
        item = self._pair_item(instance, np.minimum(one, two), np.maximum(one, two))
        told = Values(item, instance, np.full(len(item), -1), outcome.astype(np.float64), one > two)
        return _most(told) if source in (OTHERS, "human") else told

    def _pair_item(self, instance: Ints, low: Ints, high: Ints) -> Ints:
        n = len(self._study.index.models)
        return (instance * n + low) * n + high

    def _judged(self, spoken: str, name: str, kind: str) -> Values | None:
        if self._selection is None:
            return None
        selection = self._selection if spoken == "judge" else replace(self._selection, runs=(name,))
        cube = self._study.cube(selection)
        judges = cube.judges
        if spoken == "judge":
            judges = np.array([self._study.index.models.index(name)])
        if isinstance(cube, VerdictCube):
            told = self._of_verdicts(cube, judges) if kind == "verdict" else None
        elif isinstance(cube, ScoreCube):
            told = self._of_scores(cube, judges) if kind == "score" else None
        else:
            told = self._of_pairs(cube, judges) if kind == "outcome" else None
        if told is None or not len(told.item):
            return None
        return told if spoken == "run" else replace(told, speaker=np.full(len(told.item), -1))

    def _of_verdicts(self, cube: VerdictCube, judges: Ints) -> Values:
        index, rows = self._study.index, np.flatnonzero(np.isin(cube.judges, judges))
        met, ok = index.layout.unpack(cube.met[rows]), index.layout.unpack(cube.ok[rows]) & self._rubrics
        judge, generator, rubric = np.nonzero(ok)
        item = cube.generators[generator] * index.n_rubrics + rubric
        value = met[judge, generator, rubric].astype(np.float64)
        return Values(item, index.layout.instance_of[rubric], cube.judges[rows][judge], value)

    def _of_scores(self, cube: ScoreCube, judges: Ints) -> Values:
        rows = np.flatnonzero(np.isin(cube.judges, judges))
        judge, generator, instance = np.nonzero(~np.isnan(cube.scores[rows]))
        item = cube.generators[generator] * self._study.index.n_instances + instance
        return Values(item, instance, cube.judges[rows][judge], cube.scores[rows][judge, generator, instance])

    def _of_pairs(self, cube: PairCube, judges: Ints) -> Values:
        pairs = cube.outcomes.select(np.isin(cube.outcomes.judge, judges))
        item = self._pair_item(pairs.instance, pairs.generator, pairs.opponent)
        told = self._pair_item(cube.rows.instance, cube.rows.generator, cube.rows.opponent)
        width = len(self._study.index.models)
        keys, first = np.unique(told * width + cube.rows.judge, return_index=True)
        turned = cube.rows.turned[first[np.searchsorted(keys, item * width + pairs.judge)]]
        return Values(item, pairs.instance, pairs.judge, pairs.outcome.astype(np.float64), turned)


def check(name: str, names: list[str]) -> None:
    """Raise UsageError for a source that is none of `names`."""
    if name not in names:
        raise unknown("source", name, names)


def _grouped(values: Values) -> tuple[Ints, Ints, Ints]:
    item, first, group = np.unique(values.item, return_index=True, return_inverse=True)
    return item, values.instance[first], group.reshape(-1)


def _majority(values: Values | None) -> Values | None:
    """Return the strict majority on each item; items on which people are divided are left out."""
    if values is None:
        return None
    item, instance, group = _grouped(values)
    share = np.bincount(group, weights=values.value) / np.bincount(group)
    told = Values(item, instance, np.full(len(item), -1), (share > 0.5).astype(np.float64))
    return _where(told, share != 0.5)


def _most(values: Values) -> Values:
    """Return the outcome that more than half of the people give; items without one are left out."""
    item, instance, group = _grouped(values)
    most = plurality(group, values.value, len(item))
    votes = np.bincount(group, weights=values.value == most[group])
    _, first = np.unique(values.item, return_index=True)
    turned = None if values.turned is None else values.turned[first]
    told = Values(item, instance, np.full(len(item), -1), most, turned)
    return _where(told, votes * 2 > np.bincount(group))


def _mean(values: Values | None) -> Values | None:
    if values is None:
        return None
    item, instance, group = _grouped(values)
    mean = np.bincount(group, weights=values.value) / np.bincount(group)
    return Values(item, instance, np.full(len(item), -1), mean)


def _where(values: Values, keep: NDArray[np.bool_]) -> Values:
    kept = {name: None if part is None else part[keep] for name, part in vars(values).items()}
    return Values(**kept)  # type: ignore[arg-type]
