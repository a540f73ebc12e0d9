"""The subjects of calls in each paradigm."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from engine.collect.calls import CallRequest, Subject
from engine.collect.configuration.config import RunConfig
from engine.collect.plan.judged_pairs import BOTH, PairSource
from engine.collect.plan.shown_orders import in_order, list_orders, option_orderings, rubric_orderings
from engine.collect.plan.study_texts import Library, ResponseKey
from engine.paradigms import TRAITS, Paradigm
from engine.schema import Beside
from engine.shown_order import shown_models, shown_order


@dataclass(frozen=True)
class SubjectSource:
    """The source of subjects: generators, pairs and transform; `exists` says whether a response does."""

    config: RunConfig
    library: Library
    generators: Sequence[str]
    pairs: PairSource
    transform: str
    exists: Callable[[ResponseKey], bool]
    beside: Beside | None = None

    def generators_of(self, instance_id: str) -> list[str]:
        return [each for each in self.generators if self.exists((instance_id, each, self.transform))]


def subjects(paradigm: Paradigm, source: SubjectSource, judge: str, instance_id: str) -> Iterator[Subject]:
    """Yield the subjects of a judge's calls about an instance.

    A response paired with itself is judged in pairs only, and one paired with others as written is in no
    list. Recognition and likelihoods are skipped for both, and if an author is shown.
    """
    traits = TRAITS[paradigm]
    change = source.config.transforms.get(source.transform)
    names_authors = change is not None and change.make == "author"
    if traits.gives in ("author", "likelihood") and (source.beside or names_authors):
        return iter(())
    if (source.beside == "itself" and not traits.of_pairs) or (source.beside and traits.of_lists):
        return iter(())
    return _MAKERS[paradigm](source, judge, instance_id)


def _single_rubric(source: SubjectSource, _: str, instance_id: str) -> Iterator[Subject]:
    rubrics = source.library.criteria(instance_id)
    for generator in source.generators_of(instance_id):
        for rubric in rubrics:
            yield _subject(source, instance_id, generator, rubric_ids=(rubric.rubric_id,))


def _all_rubrics(source: SubjectSource, _: str, instance_id: str, *, ordered: bool) -> Iterator[Subject]:
    names = tuple(rubric.rubric_id for rubric in source.library.criteria(instance_id))
    orderings = tuple(rubric_orderings(source.config.orderings, len(names))) if ordered else (None,)
    lists: dict[tuple[str, ...], str | None] = {}
    for ordering in orderings:  # of the orderings that give one list, only the first is judged
        lists.setdefault(in_order(names, ordering or "original"), ordering)
    for generator in source.generators_of(instance_id) if names else ():
        for rubric_ids, ordering in lists.items():
            yield _subject(source, instance_id, generator, rubric_ids=rubric_ids, ordering=ordering)


def _pairwise(source: SubjectSource, judge: str, instance_id: str) -> Iterator[Subject]:
    if source.beside == "itself":  # each response once; the opponent is the next model, not shown
        models = source.generators_of(instance_id)
        for model, following in zip(models, (*models[1:], *models[:1]), strict=True):
            if model != following:
                yield _subject(source, instance_id, model, opponent=following, first="generator")
        return
    others = "none" if source.beside == "plain" else source.transform
    for pair in source.pairs(judge, instance_id):
        sides = ((instance_id, pair.generator, source.transform), (instance_id, pair.opponent, others))
        if not all(map(source.exists, sides)):
            continue
        for first in pair.orders:
            yield _subject(source, instance_id, pair.generator, opponent=pair.opponent, first=first)


def _listwise(source: SubjectSource, _: str, instance_id: str) -> Iterator[Subject]:
    models, config = source.generators_of(instance_id), source.config
    for order in list_orders(models, config.lists, config.seed, instance_id):
        yield _subject(source, instance_id, order[0], ordering=shown_order(order))


def _recognition(source: SubjectSource, judge: str, instance_id: str) -> Iterator[Subject]:
    models = source.generators_of(instance_id)
    for other in models if judge in models else ():
        for first in BOTH if other != judge else ():
            yield _subject(source, instance_id, judge, opponent=other, first=first)


def _score_rubric(source: SubjectSource, _: str, instance_id: str) -> Iterator[Subject]:
    for generator in source.generators_of(instance_id):
        for rubric in source.library.score_rubrics(instance_id):
            assert rubric.criterion is not None  # noqa: S101 - score rubrics have options
            scores = [option.score for option in rubric.criterion.options]
            subject = _subject(source, instance_id, generator, rubric_ids=(rubric.rubric_id,))
            for ordering, trial in option_orderings(scores, source.config.repeats):
                yield replace(subject, ordering=ordering, trial=trial)


def _each_response(source: SubjectSource, _: str, instance_id: str) -> Iterator[Subject]:
    for generator in source.generators_of(instance_id):
        yield _subject(source, instance_id, generator)


def _subject(source: SubjectSource, instance_id: str, generator: str, **fields: object) -> Subject:
    return Subject(instance_id, generator, transform=source.transform, **fields)  # type: ignore[arg-type]


_MAKERS: dict[Paradigm, Callable[[SubjectSource, str, str], Iterator[Subject]]] = {
    "single_rubric": _single_rubric,
    "all_rubrics": partial(_all_rubrics, ordered=True),
    "direct_assessment": partial(_all_rubrics, ordered=False),
    "pairwise": _pairwise,
    "score_rubric": _score_rubric,
    "quality": _each_response,
    "listwise": _listwise,
    "recognition": _recognition,
    "familiarity": _each_response,
}


def subject_of_row(library: Library, row: Mapping[str, Any], rubrics: Sequence[str] | None = None) -> Subject:
    """Return the subject of a judgment row.

    Its rubrics are `rubrics` where given, else its own or all of its instance, by what its paradigm shows.
    """
    traits, ordering = TRAITS[row["paradigm"]], row["ordering"]
    models = shown_models(ordering) if traits.of_lists else None
    rubric_ids: tuple[str, ...] = ()
    if traits.one_rubric_a_call:
        rubric_ids = (row["rubric_id"],)
    elif rubrics is not None:
        rubric_ids = tuple(rubrics)
    elif "rubrics" in traits.needs:
        names = tuple(rubric.rubric_id for rubric in library.criteria(row["instance_id"]))
        rubric_ids = in_order(names, ordering or "original")
    return Subject(
        instance_id=row["instance_id"],
        generator=models[0] if models else row["generator"],
        opponent=row["opponent"],
        first=row["first"],
        transform=row["transform"],
        rubric_ids=rubric_ids,
        ordering=ordering,
        trial=row["trial"],
    )


def request_of_row(
    library: Library, row: Mapping[str, Any], rubrics: Sequence[str] | None = None
) -> CallRequest | None:
    """Return the request that a judgment row answers, that of the judge a stand-in answered for.

    None if the study's rubrics are not those shown; `rubrics` as for `subject_of_row`.
    """
    judge = row["stood_in_for"] or row["judge"]
    subject = subject_of_row(library, row, rubrics)
    request = CallRequest("judge", judge, row["paradigm"], row["variant"], subject)
    return request if request.key == row["call_id"] else None
