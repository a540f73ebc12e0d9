"""Which truth counts: programs, people, committees (MEASURES section 7)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.bits.bitsets import Words
from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.encoding import integers
from engine.arrays.index import Relatives, StudyIndex, positions
from engine.arrays.study_cache import CacheEntry, StudyCache
from engine.arrays.truths.reference_planes import ReferencePlanes
from engine.errors import UsageError, unknown
from engine.stats import Ints
from engine.stats.judges.combined_verdicts import majority, packed_majority
from engine.store.study_files import StudyFiles
from engine.wording import command_line, option

FEWEST_MEMBERS = 3  # the fewest committee members with a verdict for a reference
COMMITTEE = "committee:"
NONE = "none"  # the source that means no reference
HUMAN = "human"  # all people together; one person is `human:NAME`
UNNAMED = "human:unnamed"  # what is stored as `human` itself, without the persons who have names


@dataclass(frozen=True)
class Exclusion:
    """Which members of a committee do not vote when a judge is compared with it."""

    exclude_family: bool = False
    leave_self_out: bool = False
    relatives: Relatives = "family"

    def __bool__(self) -> bool:
        """Whether the reference depends on the judge."""
        return self.exclude_family or self.leave_self_out


@dataclass(frozen=True, eq=False)
class References:
    """The reference sources of a study."""

    _files: StudyFiles
    _index: StudyIndex
    _committee_verdicts: Callable[[str], tuple[Ints, VerdictCube]]  # of members, by name
    _cache: StudyCache  # what was read, from one opening to the next

    @cached_property
    def stored_sources(self) -> tuple[str, ...]:
        """The sources in the table, sorted."""

        def read() -> tuple[str, ...]:
            column = self._files.table("references", ("source",)).column("source")
            return tuple(sorted(pc.unique(column.cast(pa.string())).to_pylist()))

        return self._cache.cached_or_built(
            "reference sources",
            read,
            lambda sources: CacheEntry(facts={"sources": sources}),
            lambda entry: tuple(entry.facts["sources"]),
        )

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Every source: the stored ones, those of people together and without a name, and the committees."""
        people = [HUMAN] if any(is_human(source) for source in self.stored_sources) else []
        people += self.voters
        defined = self._files.info.committees.items()
        committees = [COMMITTEE + name for name, each in defined if each.paradigm != "pairwise"]
        return tuple(dict.fromkeys((*people, *self.stored_sources, *committees)))

    @property
    def voters(self) -> tuple[str, ...]:
        """Each person, and what is stored without a person's name if there are persons beside it."""
        return voters_among(self.stored_sources)

    def choose(self, source: str | None) -> str | None:
        """Return the source requested, or the default: `program`, else `human`, else the only one.

        None if the study has none, or none is wanted; UsageError if the choice is ambiguous or unknown.
        """
        if source == NONE:
            return None
        if source is not None:
            if source not in self.sources and not self.stored_as(source):
                raise unknown("reference", source, self.sources)
            return source
        for preferred in ("program", HUMAN):
            if preferred in self.sources:
                return preferred
        if len(self.sources) > 1:
            problem = "the study has several references and no default"
            names = ", ".join(self.sources)
            raise UsageError(f"{problem}; choose one with ", option("reference"), f": {names}")
        return self.sources[0] if self.sources else None

    def stored_as(self, source: str) -> tuple[str, ...]:
        """Return the stored sources whose rows are those of a source."""
        return stored_as(source, self.stored_sources)

    def planes(
        self, source: str | None, judges: Ints, generators: Ints, exclusion: Exclusion
    ) -> ReferencePlanes:
        """Return the source's verdicts on the generators' responses, for each judge where they differ."""
        if source is None:
            nothing = np.zeros((1, len(generators), self._index.layout.n_words), dtype=np.uint64)
            return ReferencePlanes(nothing, nothing, nothing)
        name = source.removeprefix(COMMITTEE)
        defined = source.startswith(COMMITTEE) and name in self._files.info.committees
        if defined and (exclusion or source not in self.stored_sources):
            return self._committee(name, judges, generators, exclusion)
        if exclusion and source.startswith(COMMITTEE):
            words = ("--name", name, "--members", "NAMES")
            defining = command_line("reference", "committee", self._files.name, *words)
            raise UsageError(
                f"study.json does not list the members of {source!r}, so none can be left out; "
                f"define it with `{defining}`"
            )
        of_all = self._cache.cached_or_built(
            f"reference {source}",
            lambda: self._stored_planes(source),
            lambda planes: CacheEntry(vars(planes)),
            self._unpack,
        )
        return ReferencePlanes(*(plane[:, generators] for plane in vars(of_all).values()))

    def _unpack(self, entry: CacheEntry) -> ReferencePlanes:
        planes = ReferencePlanes(**entry.arrays)
        shape = (1, len(self._index.models), self._index.layout.n_words)
        if any(plane.shape != shape for plane in vars(planes).values()):
            raise ValueError(f"it has the shape {planes.met.shape}, the study {shape}")
        return planes

    def _stored_planes(self, source: str) -> ReferencePlanes:
        """Return stored verdicts on the responses of all models; for people, the strict majority."""
        sources = self.stored_as(source)
        columns = ("instance_id", "generator", "rubric_id", "met")
        table = self._files.table("references", columns, {"source": sources})
        (model, _), rubric = self._index.responses_of(table), self._index.rubrics_of(table)
        valid = (model >= 0) & (rubric >= 0)
        shape = (len(self._index.models), self._index.n_rubrics)
        met = integers(table.column("met").cast(pa.int8()), -1)
        cell = model * shape[1] + rubric
        size = int(np.prod(shape))
        voters = np.bincount(cell[valid & (met >= 0)], minlength=size)
        ayes = np.bincount(cell[valid & (met == 1)], minlength=size)
        verdict, decided = majority(ayes, voters)
        divided = (voters > 0) & ~decided
        if source.startswith(COMMITTEE):  # stored without a verdict where its members were divided
            divided[cell[valid & (met < 0)]] = True
        pack = self._index.layout.pack
        return ReferencePlanes(*(pack(part.reshape(1, *shape)) for part in (verdict, decided, divided)))

    def members_verdicts(self, source: str, generators: Ints) -> tuple[Ints, Words, Words]:
        """Return a committee's members with verdicts, and their (met, ok): (members, generators, words)."""
        members, cube = self._committee_verdicts(source.removeprefix(COMMITTEE))
        rows = np.flatnonzero(np.isin(cube.judges, members))
        judged = np.isin(generators, cube.generators)
        column = np.searchsorted(cube.generators, generators[judged])
        met, ok = np.zeros((2, len(rows), len(generators), self._index.layout.n_words), dtype=np.uint64)
        met[:, judged], ok[:, judged] = (plane[np.ix_(rows, column)] for plane in (cube.met, cube.ok))
        return cube.judges[rows], met, ok

    def _committee(self, name: str, judges: Ints, generators: Ints, exclusion: Exclusion) -> ReferencePlanes:
        """Return the majority of the members' verdicts, without those that `exclusion` leaves out."""
        members, cube = self._committee_verdicts(name)
        is_member = np.isin(cube.judges, members)
        relations = self._index.relations(judges, cube.judges, exclusion.relatives)
        out = relations.family_with_self if exclusion.exclude_family else relations.self_mask
        votes = is_member & ~out if exclusion else is_member[None, :]
        judged = np.isin(generators, cube.generators)
        column = np.searchsorted(cube.generators, generators[judged])
        met, ok = cube.met[:, column], cube.ok[:, column]
        shape = (len(votes), len(generators), self._index.layout.n_words)
        verdict, decided, divided = (np.zeros(shape, dtype=np.uint64) for _ in range(3))
        for row, voting in enumerate(votes):
            verdict[row, judged], decided[row, judged], divided[row, judged] = vote(met[voting], ok[voting])
        return ReferencePlanes(verdict, decided, divided)


def vote(met: Words, ok: Words, at_least: int = FEWEST_MEMBERS) -> tuple[Words, Words, Words]:
    """Return (verdict, decided, divided) of a committee from its members' planes along the first axis.

    Decided where at least three members (or `at_least`) have a verdict and one side has more than half of
    them; divided where enough have one and the sides are even.
    """
    return packed_majority(met & ok, ok & ~met, at_least)


def is_human(source: str) -> bool:
    """Return whether a source is a person, or all people together."""
    return source == HUMAN or source.startswith(f"{HUMAN}:")


def unnamed_source(stored: Sequence[str]) -> str:
    """Return the name of what is stored as `human` itself; another one where a person has that name."""
    numbered = (f"{UNNAMED}-{number}" for number in count(1))
    return next(name for name in chain((UNNAMED,), numbered) if name not in stored)


def voters_among(stored: Sequence[str]) -> tuple[str, ...]:
    """Return the persons among stored sources, those without a name as one if there are others."""
    persons = tuple(name for name in stored if name.startswith(f"{HUMAN}:"))
    return (unnamed_source(stored), *persons) if persons and HUMAN in stored else persons


def stored_as(source: str, stored: Sequence[str]) -> tuple[str, ...]:
    """Return the stored sources whose rows are those of a source: of `human` all people's."""
    if source == unnamed_source(stored):
        source = HUMAN
        return (source,) if source in stored else ()
    return tuple(name for name in stored if (is_human(name) if source == HUMAN else name == source))


def committee_members(files: StudyFiles, index: StudyIndex, name: str) -> Ints:
    """Return the positions of a committee's members; UsageError for one that the study does not know."""
    members = files.info.committees[name].members
    for member in members:
        if member not in index.models:
            raise unknown(f"member of committee {name!r}", member, index.models)
    return positions(members, index.models)
