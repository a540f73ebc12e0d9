"""What a report says, before it is written as HTML or Markdown."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.choices import choices_of
from engine.findings import Claim, Findings
from engine.findings.gathering import gathered, tried
from engine.findings.material import Material
from engine.measures.catalogue import MEASURES, Measure
from engine.report.exhibit import Exhibit, measured
from engine.report.provenance import File, files_of, rows_of, versions
from engine.report.views import exhibit_of
from engine.store import StudyInfo
from engine.store.info import Pin
from engine.stories import MAIN, pins_of

if TYPE_CHECKING:
    from engine.study import Study

SIMULATED = {
    "simulated": "Simulated: a program made up all judgments of this study. They say nothing of any model.",
    "mixed": "Partly simulated: a program made up some judgments of this study.",
}
"""What is said first of a study whose judgments were made up."""

Key = tuple[str, str]
"""A measure and its options: what tells figures apart."""


@dataclass(frozen=True)
class Figure:
    """A measure's chart and rows, which several claims may rest on."""

    number: int
    title: str
    exhibit: Exhibit


@dataclass(frozen=True)
class Shown:
    """A pinned view with what it shows now."""

    pin: Pin
    exhibit: Exhibit


@dataclass(frozen=True)
class Report:
    """Everything that is written. `date` is as it is to be printed.

    `figure_of` names the figure behind each claim, by the claim's id. `story` is the story's name, `screens`
    its views. `measures` are all that any number was taken of. `rows` counts each table's, `statuses` the
    judgments by judge, paradigm and status.
    """

    date: str
    info: StudyInfo
    found: Findings
    figures: tuple[Figure, ...]
    figure_of: Mapping[str, int]
    story: str
    screens: tuple[Shown, ...]
    measures: tuple[Measure, ...]
    files: tuple[File, ...]
    rows: Mapping[str, int]
    statuses: tuple[tuple[str, str, str, int], ...]
    versions: Mapping[str, str]

    @property
    def warning(self) -> str | None:
        """What is said first where judgments were made up, None where none was."""
        return SIMULATED.get(self.info.provenance)

    @property
    def commands(self) -> tuple[str, ...]:
        """Every command that prints a number of the report, once, in the order of their numbers."""
        told = [claim.command for claim in self.found.claims]
        told += [line for shown in self.screens for line in shown.exhibit.commands]
        return tuple(dict.fromkeys(filter(None, told)))


def content_of(study: "Study", *, date: str, story: str = MAIN, found: Findings | None = None) -> Report:
    """Take every number of a report: the findings (those given, where they are known) and a story's views.

    Raises UsageError where there is no such story.
    """
    pins = pins_of(study.info, story)
    material = Material(study)
    findings = gathered(study, tried(material)) if found is None else found
    figures, figure_of = _figures(material, findings.claims)
    choices = choices_of(study) if pins else None
    screens = tuple(Shown(pin, exhibit_of(study, pin, choices)) for pin in pins)
    used = [name for exhibit in _exhibits(figures, screens) for name in exhibit.measures]
    return Report(
        date=date,
        info=study.info,
        found=findings,
        figures=figures,
        figure_of=figure_of,
        story=story,
        screens=screens,
        measures=tuple(MEASURES[name] for name in dict.fromkeys(used) if name in MEASURES),
        files=files_of(study.files),
        rows=rows_of(study),
        statuses=tuple(study.inventory.statuses(study.index.models)),
        versions=versions(),
    )


def _exhibits(figures: Iterable[Figure], screens: Iterable[Shown]) -> list[Exhibit]:
    return [figure.exhibit for figure in figures] + [shown.exhibit for shown in screens]


def _figures(material: Material, claims: Iterable[Claim]) -> tuple[tuple[Figure, ...], dict[str, int]]:
    """Return a figure for each measure and its options, and which of them each claim rests on."""
    numbers: dict[Key, int] = {}
    made: list[Figure] = []
    figure_of: dict[str, int] = {}
    for claim in claims:
        measure = claim.chart or claim.measure
        key = measure, repr(sorted(claim.options.items()))
        if key not in numbers:
            exhibit = behind(material, measure, claim.options)
            numbers[key] = len(numbers) + 1
            made.append(Figure(numbers[key], _title(measure, claim.options), exhibit))
        figure_of[claim.id] = numbers[key]
    return tuple(made), figure_of


def behind(material: Material, measure: str, options: Mapping[str, Any]) -> Exhibit:
    """Return the chart and the rows of a measure that claims rest on."""
    result = material.result(measure, **options)
    told = f"{result.measure.title}: a mark for each row of the table that follows."
    shown = measured(material.study, measure, options, told=told, result=result)
    return shown if shown.chart else replace(shown, told="")


def _title(measure: str, options: Mapping[str, Any]) -> str:
    """Return a figure's title: the measure's, and by what it is grouped."""
    words = MEASURES[measure].title if measure in MEASURES else "Slices that stand apart"
    by = options.get("by")
    return f"{words}, by {str(by).replace('_', ' ')}" if by else words
