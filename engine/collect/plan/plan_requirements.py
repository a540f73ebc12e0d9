"""What a study must contain for a run."""

from collections.abc import Collection, Sequence

from engine.collect.configuration.config import RunConfig
from engine.collect.plan.study_texts import Library
from engine.errors import UsageError, unknown
from engine.importers.earlier_imports import import_with_texts_of_criteria
from engine.paradigms import TRAITS, Paradigm

_OF_INSTANCES = ("prompt", "reference_answer", "context")
NO_TEXTS = "a study without texts cannot be judged"


def check_responses(config: RunConfig, library: Library, generators: Sequence[str]) -> None:
    """Raise UsageError for a generator without responses that cannot be called, or an unknown transform."""
    if not generators:
        raise UsageError(
            f"the study {library.study.name!r} has no answers and `generators` is empty; name models of "
            "[models] that write them, or give data with answers"
        )
    forms = dict.fromkeys(("none", *config.transforms, *sorted(library.transforms())))
    for name in config.judge_transforms or ():
        if name not in forms:
            raise unknown("transform of judge_transforms", name, forms)
    study_generators = library.generators()
    for name in (each for each in generators if each not in config.models):
        if name not in study_generators:
            choices = ", ".join(dict.fromkeys((*config.models, *study_generators))) or "(there are none)"
            raise UsageError(
                f"generators: {name!r} is not in [models] and the study {library.study.name!r} has no texts "
                f"of its answers; {NO_TEXTS}: choose from: {choices}"
            )


def check_criteria(library: Library, paradigm: Paradigm, instances: Sequence[str]) -> None:
    """Raise UsageError if no instance has the rubrics of a paradigm, or a rubric has no criterion."""
    needs = TRAITS[paradigm].needs
    if "options" in needs and not any(library.score_rubrics(each) for each in instances):
        raise UsageError(
            f"paradigms: {paradigm} needs criteria with options, and the study {library.study.name!r} "
            "has none; add them to the table `rubrics`, or choose another paradigm"
        )
    if "options" in needs or not {"rubric", "rubrics"} & set(needs):
        return
    rubrics = [(each, rubric) for each in instances for rubric in library.criteria(each)]
    if not rubrics:
        raise UsageError(
            f"paradigms: {paradigm} needs criteria, and the study {library.study.name!r} has none; add the "
            "table `rubrics`, or choose another paradigm"
        )
    without_text = [(each, rubric.rubric_id) for each, rubric in rubrics if rubric.criterion is None]
    if without_text:
        instance_id, rubric_id = without_text[0]
        again = import_with_texts_of_criteria(library.study, {rubric for _, rubric in without_text})
        raise UsageError(
            f"criterion {rubric_id!r} of question {instance_id!r}{_and_others(without_text)} has no text; "
            f"{NO_TEXTS}: import it again with the texts, {again}"
        )


def check_slots(library: Library, instances: Sequence[str], slots: Collection[str]) -> None:
    """Raise UsageError for an instance without a text that templates must show."""
    for slot in (each for each in _OF_INSTANCES if each in slots):
        missing = [each for each in instances if getattr(library.instances[each], slot) is None]
        if missing:
            raise UsageError(
                f"question {missing[0]!r}{_and_others(missing)} of the study {library.study.name!r} has no "
                f"{slot}; {NO_TEXTS}: add the texts to the table `instances`, or use a template without it"
            )


def _and_others(items: Sequence[object]) -> str:
    return f" (and {len(items) - 1:,} others)" if len(items) > 1 else ""
