"""Which judgments a study has beside those that its conclusions rest on, and how to see theirs."""

from typing import TYPE_CHECKING

from engine.measures.scorecard.deciding_source import other_sources
from engine.phrases import join_names
from engine.wording import NameInMemory, Sentence, Wording, command_line, in_python
from engine.words.plain_names import paradigm_name

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.result import Result


def rests_on(decided: str, others: list[str]) -> str:
    """Return which judgments conclusions rest on, and which `others` could decide: a clause for a colon."""
    also = join_names([*map(paradigm_name, others)])
    return f"These conclusions rest on {paradigm_name(decided)} judgments; the study also has {also}"


def other_conclusions(study: "MeasuredStudy", decided: str | None) -> list[str]:
    """Return the sentence on that, with the call that concludes from the first of the others; or none.

    `decided` is the paradigm that decides, None where none does. Of a study in memory it is said in Python.
    """
    others = [] if decided is None else other_sources(study, decided)
    if decided is None or not others:
        return []
    return [_with_call(study, f"{rests_on(decided, others)}: see ", {"paradigm": others[0]})]


def other_variants(study: "MeasuredStudy", result: "Result") -> list[str]:
    """Return the same of the variants that a scorecard does not take, with what theirs conclude; or none."""
    words = rests_on_variant(study, result)
    if not words:
        return []
    paradigm = result.filters["paradigm"]
    flags = {"paradigm": paradigm} if other_sources(study, paradigm) else {}
    return [_with_call(study, f"{words} See ", flags | {"variant": unused_variants(study, result)[0]})]


def rests_on_variant(study: "MeasuredStudy", result: "Result") -> str:
    """Return which variant a scorecard takes, and what it would conclude from the others.

    Empty where the study has no other, or the variant was named.
    """
    others = unused_variants(study, result)
    if not others or not result.rows:
        return ""
    from engine.words.run_conclusions import conclusions_of_variants  # with pandas, unlike JSON

    variant = str(result.filters["variant"])
    count = _counts(study, result)
    also = join_names([f"{name} ({count[name]:,})" for name in others])
    kind = paradigm_name(result.filters["paradigm"])
    words = f"These conclusions rest on variant {variant} ({count[variant]:,} {kind} judgments); the study "
    words += f"also has {also}."
    return " ".join(filter(None, (words, conclusions_of_variants(study, result, others))))


def unused_variants(study: "MeasuredStudy", result: "Result") -> list[str]:
    """Return the variants of which a result that names none takes no judgments."""
    if not result.other_variants:
        return []
    return [name for name in _counts(study, result) if name != result.filters["variant"]]


def _counts(study: "MeasuredStudy", result: "Result") -> dict[str, int]:
    """Return how many judgments of a result's paradigm, and runs, each variant has."""
    where = {"paradigm": result.filters["paradigm"]}
    if runs := result.filters.get("run"):
        where["run_id"] = runs
    variants = map(str, study.inventory.values("variant", **where))
    return {name: study.inventory.total(variant=name, **where) for name in variants}


def _with_call(study: "MeasuredStudy", words: str, options: dict[str, str]) -> str:
    """Return a sentence that ends with the call which concludes from other judgments."""
    flags = [word for name, value in options.items() for word in (f"--{name}", value)]
    given = ", ".join(f'{name}="{value}"' for name, value in options.items())
    last = [*options][-1].capitalize()
    command = command_line("judges", study.name, *flags)
    sentence = Sentence(words, Wording(f"`{command}`", f"`judges({given})`", f"the filter {last}"), ".")
    return in_python(sentence) if isinstance(study.name, NameInMemory) else sentence
