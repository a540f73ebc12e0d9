"""Panels of the sources of a reference: their majority's verdicts, for any subset of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays.bits.bitsets import Words
from engine.arrays.truths.reference_planes import ReferencePlanes
from engine.arrays.truths.references import COMMITTEE, HUMAN, Exclusion, References, is_human, vote
from engine.arrays.view import SliceView
from engine.stats import Bools


@dataclass(frozen=True, eq=False)
class ReferencePanels:
    """The verdicts of several sources on the responses of a slice's cube.

    `met` and `has` have shape (sources, generators, words); `excluded` marks the sources that do not count
    for a judge of the cube, shape (judges, sources), or (1, sources) where all count for all.
    """

    sources: tuple[str, ...]
    met: Words
    has: Words
    excluded: Bools

    @classmethod
    def of(cls, view: SliceView) -> "ReferencePanels":
        """Take a committee's members or all people, if the slice's reference is theirs; else every source.

        A reference that was named and is one program or person is its only source.
        """
        study, request = view.study, view.request
        judges, generators = view.cube.judges, view.cube.generators
        if request.source is not None and request.source.startswith(COMMITTEE):
            members, met, ok = study.references.members_verdicts(request.source, generators)
            names = tuple(study.index.models[m] for m in members)
            excluded = np.zeros((1, len(members)), dtype=bool)
            if request.exclusion:
                relations = study.index.relations(judges, members, request.exclusion.relatives)
                out = relations.family_with_self if request.exclusion.exclude_family else relations.self_mask
                excluded = np.asarray(out)
            return cls(names, met & ok, ok, excluded)
        names = _single_sources(study.references, request.spec.reference)
        planes = [study.references.planes(name, judges, generators, Exclusion()) for name in names]
        nothing = np.zeros((0, len(generators), study.index.layout.n_words), dtype=np.uint64)
        met, has = (
            np.concatenate([nothing, *(getattr(each, part) for each in planes)]) for part in ("met", "has")
        )
        voting = np.asarray(has.any(axis=(1, 2)))
        names = tuple(name for name, votes in zip(names, voting, strict=True) if votes)
        return cls(names, met[voting], has[voting], np.zeros((1, len(names)), dtype=bool))

    def majority(self, panel: Sequence[int]) -> ReferencePlanes:
        """Return what most of a panel's sources say, for each judge where they differ; even is no verdict."""
        members = np.zeros(len(self.sources), dtype=bool)
        members[list(panel)] = True
        rows = []
        for out in self.excluded:
            voting = members & ~out
            rows.append(vote(self.met[voting], self.has[voting], at_least=1))
        return ReferencePlanes(*(np.stack(part) for part in zip(*rows, strict=True)))


def _single_sources(references: References, request: str | None) -> tuple[str, ...]:
    if request == HUMAN:
        return references.voters
    if request is not None:
        return (request,) if references.stored_as(request) else ()
    others = (name for name in references.stored_sources if not is_human(name))
    return tuple(sorted((*references.voters, *(name for name in others if not name.startswith(COMMITTEE)))))
