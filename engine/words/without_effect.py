"""Filters and options that were given and change nothing in a result, with what they need to count."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from engine.arrays.truths.references import COMMITTEE
from engine.measures.pairs.gold_stress import GOLD_STRESS
from engine.paradigms import PAIR_PARADIGMS, RUBRIC_PARADIGMS
from engine.slices import FLAGS
from engine.wording import Sentence, Wording, comma_list, option

if TYPE_CHECKING:
    from engine.measures.result import Result

_DEFAULTS = {flag.name: flag.default for flag in FLAGS}
_OF_COMMITTEES = ("exclude_family", "leave_self_out")
_OF_AGREEMENT = ("agreement_of", "agreement_without_family")
_OF_LENGTH = ("length_unit",)
_OF_EQUAL_PAIRS = ("epsilon", "quality", "quality_judges")
_OF_ONE_LEVEL = ("expected", "hspp", "outside", "overestimation")
"""Measures that make scores of answers at the level of instances alone."""
_VERDICTS = "verdicts on single criteria"
_CONCLUDED_FROM = {"odds_self": _VERDICTS, "hspp_matched": _VERDICTS, "bonus_outside": "scores of answers"}


def without_effect(result: "Result") -> list[Sentence]:
    """Return a sentence for each kind of filter or option that was given and changes nothing."""
    if "against" in result.filters:
        return []
    return [
        Sentence(comma_list(map(option, names)), " changes" if len(names) == 1 else " change", *why)
        for names, why in _unused(result)
    ]


def _unused(result: "Result") -> Iterator[tuple[list[str], tuple[str | Wording, ...]]]:
    """Yield what was given of each kind without effect, and why that is."""
    filters, measure = result.filters, result.measure
    defaults = _DEFAULTS | measure.defaults

    def given(names: Iterable[str]) -> list[str]:
        return [name for name in names if filters.get(name, defaults.get(name)) != defaults.get(name)]

    paradigm, reference = filters.get("paradigm"), filters.get("reference")
    of_judges = paradigm is not None and paradigm not in PAIR_PARADIGMS  # gold judges decide on pairs
    of_judges = of_judges and measure.name != GOLD_STRESS.name  # which leaves the judge out by itself
    has_committee = "members" in defaults or str(reference or "").startswith(COMMITTEE)
    which = "there is no reference" if reference is None else f"the reference is {reference}"
    no_committee = f" nothing: {which}, no committee that a judge could be left out of."
    by = filters.get("by")
    yield from _unused_in_conclusions(filters, given(["scores"]))
    kinds: tuple[tuple[bool, tuple[str, ...], tuple[str | Wording, ...]], ...] = (
        (of_judges and not has_committee, _OF_COMMITTEES, (no_committee,)),
        (
            filters.get("min_agreement") is None and "agreement" not in (by, *filters.get("columns", ())),
            _OF_AGREEMENT[:1] if measure.name == "find" else _OF_AGREEMENT,  # a search sets the second itself
            (" nothing without ", option("min_agreement"), "."),
        ),
        (
            filters.get("length") is None and by != "length",
            _OF_LENGTH,
            (" nothing without ", option("length"), "."),
        ),
        (
            measure.name in _OF_ONE_LEVEL and filters.get("level") == "rubric",
            ("scores",),
            (" nothing without ", option("level", "instance"), "."),
        ),
        (
            "pairs" in defaults and filters.get("pairs") != "equal",
            _OF_EQUAL_PAIRS,
            (" nothing without ", option("pairs", "equal"), "."),
        ),
    )
    for is_unused, names, why in kinds:
        if is_unused and (of_kind := given(names)):
            yield of_kind, why


def _unused_in_conclusions(
    filters: Mapping[str, Any], scores: list[str]
) -> Iterator[tuple[list[str], tuple[str]]]:
    """Yield what does not reach the conclusions on judges: another level, and `scores` that are not made."""
    concluded_from = _CONCLUDED_FROM.get(str(filters.get("decided_by")))
    if concluded_from is None:
        return
    of_scores = concluded_from != _VERDICTS
    are_made = of_scores and filters.get("paradigm") in RUBRIC_PARADIGMS
    names = [*(["level"] if "unused_level" in filters else []), *([] if are_made else scores)]
    if names:
        as_given = " as the judges gave them" if of_scores and not are_made else ""
        yield names, (f" no conclusion here: that rests on {concluded_from}{as_given}.",)
