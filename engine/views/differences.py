"""The differences of one judge: own responses that an outside judge's verdict is different on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from engine.explore import judgment_page
from engine.explore.cells_beside import Beside
from engine.phrases import quantity
from engine.slices import Slice
from engine.views.judges import judges_or_none
from engine.views.keys import Filters, choice, choices_in, filters, nowhere
from engine.views.shown import Shown, ShownTable, VerdictQuery
from engine.views.verdicts import cells_of_judgment, filled_columns
from engine.views.view import View

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

MOST = 60
"""Most judgments listed."""

COLUMNS = {
    "criterion": ("Criterion", ""),
    "verdict": ("Judge says", ""),
    "verdict_beside": ("Judge of another family says", ""),
    "reference": ("Reference says", ""),
    "opponent": ("Opponent", "The other answer of a comparison"),
    "instance_id": ("Question", ""),
}

FIRST = ""
"""The outside judge that is compared with unless one is named: the first."""


def _beside(study: "MeasuredStudy") -> Mapping[str, str]:
    return {FIRST: "the first"} | {f"judge:{judge}": judge for judge in choices_in(study).judges}


@dataclass(frozen=True)
class DifferencesKeys:
    """The slice, the judge on whose own responses verdicts differ, and the judge that it differs from."""

    slice_: Annotated[Filters, filters("judges", "generators")]
    judge: Annotated[str, choice("Judge", "The judge that is opened", judges_or_none, where=nowhere)]
    beside: Annotated[str, choice("Judge of another family", "Of another family", _beside, where=nowhere)]


def outside_judges(study: "MeasuredStudy", judge: str) -> list[str]:
    """Return the judges of other families."""
    families = study.families()
    return [name for name in choices_in(study).judges if families[name] != families[judge]]


def beside_of(study: "MeasuredStudy", keys: DifferencesKeys) -> Beside | None:
    """Return the outside judge to compare with, the first unless one is named; None without any."""
    outside = [f"judge:{name}" for name in outside_judges(study, keys.judge)] if keys.judge else []
    if not outside:
        return None
    return Beside.of(keys.beside if keys.beside in outside else outside[0], differ=True)


def answer(study: "MeasuredStudy", keys: DifferencesKeys) -> Shown:
    """Show the verdicts that differ: overestimations that the other does not share, else any."""
    beside = beside_of(study, keys)
    if beside is None:
        return Shown()
    judge, spec = keys.judge, Slice.of(**keys.slice_)
    kind = "overestimation"
    page = judgment_page.rows(study, spec, kind, judge=judge, generator=judge, beside=beside, limit=MOST)
    if not page.rows:
        kind = "all"
        page = judgment_page.rows(study, spec, kind, judge=judge, generator=judge, beside=beside, limit=MOST)
    if not page.rows:
        return Shown(sentences=(_agreement(study, keys, beside),))
    of_kind = quantity(page.total, "verdict" if kind == "all" else kind)
    apart = "that differ" if kind == "all" else f"that {beside.name} does not share"
    names = filled_columns(page.rows, COLUMNS)
    if "criterion" not in names:  # what was judged comes first
        names = ("instance_id", *(name for name in names if name != "instance_id"))
    columns = {name: COLUMNS[name] for name in names}
    cells = (cells_of_judgment(study, row, names) for row in page.rows)
    return Shown(
        sentences=(f"{of_kind} {apart}.",),
        table=ShownTable.under(columns, cells, page.rows, max(page.total - len(page.rows), 0)),
        queries=(VerdictQuery(keys.slice_, kind, judge, judge),),
    )


def _agreement(study: "MeasuredStudy", keys: DifferencesKeys, beside: Beside) -> str:
    """Say on how many verdicts the two agree, if they gave any on the same responses."""
    judge, either = keys.judge, Beside(beside.role, beside.name)
    page = judgment_page.rows(
        study, Slice.of(**keys.slice_), "all", judge=judge, generator=judge, beside=either, limit=1
    )
    if page.total:
        return f"{judge} and {beside.name} agree on all {page.total:,} verdicts that both gave."
    return f"{beside.name} gave no verdict on these answers that can be compared with {judge}'s."


DIFFERENCES = View(
    "differences",
    "Where it differs from a judge of another family on its own answers",
    "On which of its own answers does a judge differ from a judge of another family?",
    DifferencesKeys,
    answer,
)
