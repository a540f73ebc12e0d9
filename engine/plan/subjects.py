"""What calls are about, for each way of judging."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.calls import Subject
from engine.config import RunConfig
from engine.plan.library import Library, ResponseKey
from engine.plan.orders import in_order, option_orderings, rubric_orderings
from engine.plan.pairs import PairSource
from engine.schema import Paradigm


@dataclass(frozen=True)
class Matter:
    """What subjects are made of: whose responses, in which rewriting, and whether they can be judged."""

    config: RunConfig
    library: Library
    generators: Sequence[str]
    pairs: PairSource
    transform: str
    there: Callable[[ResponseKey], bool]

    def judged(self, instance_id: str) -> Iterator[str]:
        """Yield the generators whose response to an instance is there."""
        for generator in self.generators:
            if self.there((instance_id, generator, self.transform)):
                yield generator


def subjects(paradigm: Paradigm, matter: Matter, judge: str, instance_id: str) -> Iterator[Subject]:
    """Yield what a judge is asked about an instance."""
    return _MAKERS[paradigm](matter, judge, instance_id)


def _single_rubric(matter: Matter, judge: str, instance_id: str) -> Iterator[Subject]:
    del judge
    rubrics = matter.library.criteria(instance_id)
    for generator in matter.judged(instance_id):
        for rubric in rubrics:
            yield _subject(matter, instance_id, generator, rubric_ids=(rubric.rubric_id,))


def _all_rubrics(matter: Matter, judge: str, instance_id: str) -> Iterator[Subject]:
    del judge
    names = tuple(rubric.rubric_id for rubric in matter.library.criteria(instance_id))
    if not names:
        return
    for generator in matter.judged(instance_id):
        for ordering in rubric_orderings(matter.config.orderings, len(names)):
            shown = in_order(names, ordering)
            yield _subject(matter, instance_id, generator, rubric_ids=shown, ordering=ordering)


def _direct_assessment(matter: Matter, judge: str, instance_id: str) -> Iterator[Subject]:
    del judge
    names = tuple(rubric.rubric_id for rubric in matter.library.criteria(instance_id))
    if not names:
        return
    for generator in matter.judged(instance_id):
        yield _subject(matter, instance_id, generator, rubric_ids=names)


def _pairwise(matter: Matter, judge: str, instance_id: str) -> Iterator[Subject]:
    for pair in matter.pairs.of(judge, instance_id):
        sides = [(instance_id, side, matter.transform) for side in (pair.generator, pair.opponent)]
        if not all(map(matter.there, sides)):
            continue
        for first in pair.orders:
            yield _subject(matter, instance_id, pair.generator, opponent=pair.opponent, first=first)


def _score_rubric(matter: Matter, judge: str, instance_id: str) -> Iterator[Subject]:
    del judge
    for generator in matter.judged(instance_id):
        for rubric in matter.library.score_rubrics(instance_id):
            assert rubric.criterion is not None  # noqa: S101 - score rubrics have options
            scores = [option.score for option in rubric.criterion.options]
            about = _subject(matter, instance_id, generator, rubric_ids=(rubric.rubric_id,))
            for ordering, trial in option_orderings(scores, matter.config.repeats):
                yield replace(about, ordering=ordering, trial=trial)


def _quality(matter: Matter, judge: str, instance_id: str) -> Iterator[Subject]:
    del judge
    for generator in matter.judged(instance_id):
        yield _subject(matter, instance_id, generator)


def _subject(matter: Matter, instance_id: str, generator: str, **rest: object) -> Subject:
    return Subject(instance_id, generator, transform=matter.transform, **rest)  # type: ignore[arg-type]


_MAKERS: dict[Paradigm, Callable[[Matter, str, str], Iterator[Subject]]] = {
    "single_rubric": _single_rubric,
    "all_rubrics": _all_rubrics,
    "direct_assessment": _direct_assessment,
    "pairwise": _pairwise,
    "score_rubric": _score_rubric,
    "quality": _quality,
}
