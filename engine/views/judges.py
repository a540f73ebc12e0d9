"""The board of judges: the judges together, and what each gave its own answers and was expected to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from engine.charts import board
from engine.charts.chart_spec import spec_of
from engine.explore.doctor import judges_itself, unknown_self_preference
from engine.measures.result import Result
from engine.phrases import sentence_case
from engine.views.keys import Filters, choice, choices_in, filters, nowhere, switch
from engine.views.of_measure import measure, shown_of_rows, with_remarks
from engine.views.shown import Figure, Shown
from engine.views.view import View
from engine.words import board_facts, conclusions, slice_words
from engine.words.caveats import shared_caveats
from engine.words.conclusion_remarks import remarks_on_conclusions
from engine.words.given_expected import axis_title, counted_fields, marks_words
from engine.words.other_judgments import other_conclusions, other_variants

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import ScorecardRow

FIELDS = (
    *("judge", "conclusion", "own_given", "own_expected", "excess", "n_own", "reason"),
    *("family_conclusion", "family_given", "family_expected"),
)
NOBODY = ""


def judges_or_none(study: "MeasuredStudy") -> Mapping[str, str]:
    return {NOBODY: "all judges"} | {judge: judge for judge in choices_in(study).judges}


def _many(study: "MeasuredStudy", _: Mapping[str, Any]) -> bool:
    return len(choices_in(study).judges) > board_facts.MOST_JUDGES


@dataclass(frozen=True)
class JudgesKeys:
    """The slice, whether all judges are drawn, and the judge whose row is shaded."""

    slice_: Annotated[Filters, filters()]
    all_claims: Annotated[
        bool, switch("All judges", f"Off: the {board_facts.MOST_JUDGES} with the largest excess", where=_many)
    ]
    judge: Annotated[str, choice("Judge", "The judge that is opened", judges_or_none, where=nowhere)]


def needs(study: "MeasuredStudy") -> str | None:
    """Return why no judge can be concluded on, None if one has judged responses of its own."""
    if not study.inventory.total() or study.remember("judges itself", lambda: judges_itself(study)):
        return None
    return unknown_self_preference(study)


def answer(study: "MeasuredStudy", keys: JudgesKeys) -> Shown:
    """Show the conclusions on the judges together and on each judge."""
    result = measure(study, "scorecard", keys.slice_)
    most = None if keys.all_claims else board_facts.MOST_JUDGES
    shown = shown_of_scorecard(result, keys.slice_, most, keys.judge)
    if result.rows:
        elsewhere = [] if "paradigm" in keys.slice_ else other_conclusions(study, result.filters["paradigm"])
        elsewhere += other_variants(study, result)
        shown = replace(shown, sentences=(*shown.sentences, *elsewhere))
    return with_remarks(shown, remarks_on_conclusions(study, result))


def shown_of_scorecard(
    result: Result, options: Mapping[str, Any], most: int | None = None, judge: str = NOBODY
) -> Shown:
    """Show the conclusions of a scorecard with these options; `most` judges are drawn, or all of them."""
    rows: list[ScorecardRow] = result.rows
    judges = board_facts.by_excess(rows)
    group = [row for row in rows if row["judge"] is None]
    ordered = result.with_rows([*group, *judges]) if judges else result
    every = (
        slice_words.without_scale(result.left_out),
        *conclusions.study_sentences(rows),
        slice_words.unused_reference(result.filters),
    )
    sentences = tuple(filter(None, every)) if judges else ()
    figure = _figure(judges[:most], judges, judge)
    fields = counted_fields(FIELDS, result)
    shown = shown_of_rows(ordered, options, fields, sentences=sentences, figure=figure)
    return replace(shown, basis=(*shared_caveats(rows), *shown.basis))


def boards(study: "MeasuredStudy", keys: JudgesKeys, most: int) -> tuple[Figure, ...]:
    """Return the board in figures of at most `most` judges, as many as a printed page has room for."""
    result = measure(study, "scorecard", keys.slice_)
    judges = board_facts.by_excess(result.rows)
    pages = (judges[place : place + most] for place in range(0, len(judges), most))
    figures = (_figure(page, judges, NOBODY) for page in pages)
    return tuple(figure for figure in figures if figure is not None)


def _figure(rows: "Sequence[ScorecardRow]", every: "Sequence[ScorecardRow]", judge: str) -> Figure | None:
    """Draw some of all judges' rows, wide and narrow; None if none can be tested, or without Altair."""
    if not rows or not conclusions.can_be_tested(every):
        return None
    try:
        specs = [spec_of(board.board(rows, narrow=narrow)) for narrow in (False, True)]
    except ImportError:
        return None
    wide, narrow = (board.shade_row(spec, judge or None) for spec in specs)
    caption = "; ".join(f"{row['judge']} {conclusions.conclusion_words(row)}" for row in rows)
    marks = f"{axis_of(rows)} {marks_words(rows)}"
    return replace(Figure(wide, caption, marks, len(rows), len(every)), narrow=narrow, pick=board.PICK)


def axis_of(rows: "Sequence[ScorecardRow]") -> str:
    """Return a sentence on what the board's axis counts."""
    return f"{sentence_case(axis_title(rows))}."


def click(mark: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    """Return the keys that open the judge of a row."""
    return {"judge": (str(mark["judge"]),)}


JUDGES = View(
    "judges",
    "Judges",
    "Which judges favour their own answers, and by how much?",
    JudgesKeys,
    answer,
    needs,
    click,
    "Click a judge's bar to open the judge.",
)
