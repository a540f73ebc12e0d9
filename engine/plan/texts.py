"""The texts of a request, out of a study's tables."""

from engine.calls import Request
from engine.paradigms.score_rubric import in_ordering
from engine.paradigms.texts import Criterion, Texts
from engine.plan.library import Library


def texts_of(library: Library, request: Request) -> Texts:
    """Return the texts of a request; what is not there is None, a criterion without words left out."""
    subject = request.subject
    about = library.instances.get(subject.instance_id)
    if about is None:
        return Texts()
    rewriting = request.role == "generator" and subject.transform != "none"
    shown = "none" if rewriting else subject.transform
    response = None
    if request.role == "judge" or rewriting:
        response = library.response((subject.instance_id, subject.generator, shown))
    opponent = None
    if subject.opponent is not None:
        opponent = library.response((subject.instance_id, subject.opponent, shown))
    return Texts(
        prompt=about.prompt,
        response=response,
        opponent=opponent,
        criteria=_criteria(library, request),
        reference_answer=about.reference_answer,
        context=about.context,
    )


def _criteria(library: Library, request: Request) -> tuple[Criterion, ...]:
    subject = request.subject
    if request.paradigm == "pairwise":
        named = library.criteria(subject.instance_id)
    else:
        found = [library.rubric(subject.instance_id, name) for name in subject.rubric_ids]
        named = [rubric for rubric in found if rubric is not None]
    criteria = tuple(rubric.criterion for rubric in named if rubric.criterion is not None)
    if request.paradigm == "score_rubric" and subject.ordering is not None:
        return tuple(in_ordering(each, subject.ordering) for each in criteria)
    return criteria
