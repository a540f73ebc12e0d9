"""A reference on few verdicts, or on selected ones: what it says little of, and what says more."""

from typing import TYPE_CHECKING

from engine.arrays.truths.references import NONE, is_human
from engine.phrases import join_names
from engine.wording import Sentence, command_words, option

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.result import Result
    from engine.measures.row_types import ScorecardRow

BY_VERDICTS = ("equal", "hard", "disagreement", "overestimation")
"""The selections of items by what judges said, which are not like all others."""

_OF_AGREEMENT = ("accuracy", "people", "reference-agreement", "which-judge")


def selected_labels(study: "MeasuredStudy", result: "Result") -> list[Sentence]:
    """Return that people labelled items selected by what judges said, where agreement with them is shown."""
    sources = [str(result.filters.get(name)) for name in ("reference", "a", "b")]
    if result.measure.name not in _OF_AGREEMENT:
        return []
    if result.measure.name != "people" and not any(map(is_human, sources)):
        return []
    by_selection: dict[str, list[str]] = {}
    for task, selection in (study.info.label_selections if result.rows else {}).items():
        if selection in BY_VERDICTS:
            by_selection.setdefault(selection, []).append(task)
    return [
        Sentence(
            f"People labelled items selected by {selection} ({join_names(tasks)}), no random sample: how "
            "often judges and people agree on them is not how often they agree on all",
            command_words(", for which there is `spb label new --select random`"),
            ".",
        )
        for selection, tasks in by_selection.items()
    ]


def beyond_the_reference(study: "MeasuredStudy", result: "Result") -> list[Sentence]:
    """Return how conclusions on all verdicts may be had where the reference is on fewer than half of them."""
    rows: list[ScorecardRow] = result.rows
    if result.measure.name != "scorecard" or not {row["truth"] for row in rows} & {"failed", "met"}:
        return []
    without = result.left_out.get("no_reference", 0)
    n_verdicts = study.inventory.total(status="ok", paradigm=result.filters["paradigm"])
    if 2 * without < n_verdicts:
        return []
    ways = [Sentence("without a reference: ", option("reference", NONE))]
    source = str(result.filters["reference"])
    others = [name for name in study.references.stored_sources if name != source]
    if is_human(source):  # other people labelled as few
        others = [name for name in others if not is_human(name)]
    ways += [Sentence("by another reference: ", option("reference", name)) for name in others[:1]]
    few = f"The reference ({source}) says nothing of {without:,} of {n_verdicts:,} verdicts"
    return [Sentence(f"{few}. Conclusions ", *_joined(ways), ".")]


def _joined(ways: list[Sentence]) -> list[Sentence]:
    return [part for way in ways for part in (Sentence("; "), way)][1:]
