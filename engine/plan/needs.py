"""What a study must hold for a run to be asked about it."""

from collections.abc import Iterable, Sequence

from engine.config import RunConfig
from engine.errors import UsageError
from engine.plan.library import Library
from engine.schema import Paradigm

_OF_INSTANCES = ("prompt", "reference_answer", "context")
_REMEDY = "a study without texts cannot be judged"


def check_responses(
    config: RunConfig, library: Library, generators: Sequence[str], instances: Sequence[str]
) -> None:
    """Raise UsageError for a generator that cannot be called and lacks a response."""
    if not generators:
        raise UsageError(
            f"the study {library.study.name!r} has no responses and generators is empty; name models of "
            "[models] that write them, or give data with responses"
        )
    known = library.generators()
    for name in generators:
        if name in config.models:
            continue
        if name not in known:
            listed = ", ".join(dict.fromkeys((*config.models, *known))) or "(there are none)"
            raise UsageError(
                f"generators: {name!r} is not in [models] and the study {library.study.name!r} has no texts "
                f"of its responses; {_REMEDY}: choose from: {listed}"
            )
        missing = [each for each in instances if not library.has_response((each, name, "none"))]
        if missing:
            raise UsageError(
                f"generators: {name!r} has no text of its response to {missing[0]!r}{_and_others(missing)} "
                "and is not in [models]; add it there to collect what is missing, or leave it out"
            )


def check_criteria(library: Library, paradigm: Paradigm, instances: Sequence[str]) -> None:
    """Raise UsageError where no instance has the rubrics of a paradigm, or one of them has no words."""
    if paradigm not in ("single_rubric", "all_rubrics", "direct_assessment", "score_rubric"):
        return
    if paradigm == "score_rubric":
        if not any(library.score_rubrics(each) for each in instances):
            raise UsageError(
                f"paradigms: score_rubric needs rubrics with options, and the study {library.study.name!r} "
                "has none; add them to the table rubrics, or choose another paradigm"
            )
        return
    rubrics = [(each, rubric) for each in instances for rubric in library.criteria(each)]
    if not rubrics:
        raise UsageError(
            f"paradigms: {paradigm} needs rubrics, and the study {library.study.name!r} has none; add the "
            "table rubrics, or choose another paradigm"
        )
    silent = [(each, rubric.rubric_id) for each, rubric in rubrics if rubric.criterion is None]
    if silent:
        instance_id, rubric_id = silent[0]
        raise UsageError(
            f"rubric {rubric_id!r} of instance {instance_id!r}{_and_others(silent)} has no criterion; "
            f"{_REMEDY}: add the texts to the table rubrics"
        )


def check_slots(library: Library, instances: Sequence[str], slots: Iterable[str]) -> None:
    """Raise UsageError for a text of instances that templates must show and that is not there."""
    for slot in slots:
        if slot not in _OF_INSTANCES:
            continue
        missing = [each for each in instances if getattr(library.instances[each], slot) is None]
        if missing:
            raise UsageError(
                f"instance {missing[0]!r}{_and_others(missing)} of the study {library.study.name!r} has no "
                f"{slot}; {_REMEDY}: add the texts to the table instances, or take a template without it"
            )


def _and_others(found: Sequence[object]) -> str:
    return f" (and {len(found) - 1:,} others)" if len(found) > 1 else ""
