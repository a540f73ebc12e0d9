"""The grid of one question: every judge's verdict on each answer to it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from engine.arrays.text_names import criterion_words, question_names, question_text
from engine.explore.verdict_grid import IDLE, GridCell, GridRow, VerdictGrid, verdict_grid
from engine.findings.commands import command_words
from engine.paradigms import TRAITS
from engine.phrases import part_of, quantity, shortened
from engine.slices import Slice
from engine.views.keys import Filters, choice, choices_in, filters
from engine.views.shown import Shown, ShownTable
from engine.views.view import View
from engine.words.based_on import basis_of

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

MOST_ROWS = 200
"""Most rows shown; the rest are counted."""

LONGEST_CRITERION, LONGEST_QUESTION = 90, 240
"""Most characters shown of a criterion and of a question."""

EVERY_ANSWER = ""

COLUMNS = {
    "generator": ("Answer of", "The model that wrote the answer"),
    "opponent": ("Against", "The model that wrote the other answer of the pair"),
    "criterion": ("Criterion", "What the answer is judged by"),
    "reference": ("Reference", "The verdict taken as true"),
}
MARKS = {"self": " (own)", "family": " (family)", "other": ""}
"""How a cell says whose answer the judge judges."""

NOT_JUDGED = "–"
LEGEND = (
    "(own): the judge wrote the answer, or the other of the pair; (family): a model of its family did; "
    "–: not judged; ×2: so in two judgments, such as both orders of a pair. A criterion that takes points is "
    "passed if it is not met."
)


def answers(study: "MeasuredStudy") -> Mapping[str, str]:
    """Return whose answers can be chosen: all, or one model's."""
    return {EVERY_ANSWER: "all"} | {name: name for name in choices_in(study).models}


@dataclass(frozen=True)
class GridKeys:
    """The slice, the question, and whose answer to it."""

    slice_: Annotated[Filters, filters(*IDLE)]
    instance: Annotated[str | None, choice("Question", "The question that was answered", question_names)]
    response: Annotated[str, choice("Answer of", "Whose answer to it", answers)]


def needs(study: "MeasuredStudy") -> str | None:
    """Return why there is no grid, None if anything was judged."""
    if study.inventory.total() and len(study.index.instances):
        return None
    return "The study has no judgments."


def answer(study: "MeasuredStudy", keys: GridKeys) -> Shown:
    """Show every judge's verdict on each answer to the question."""
    if keys.instance is None:
        return Shown(problems=("The study has no questions.",))
    of_slice = {name: value for name, value in keys.slice_.items() if name not in IDLE}
    grid = verdict_grid(study, Slice.of(**of_slice), keys.instance, keys.response or None)
    options = of_slice | ({"response": keys.response} if keys.response else {})
    facts: dict[str, Any] = {
        "commands": (command_words(("study", "grid", keys.instance), study.name, options),)
    }
    if not grid.rows or grid.request is None:
        return Shown(problems=(f"There is nothing to show: {grid.reason}.",), **facts)
    has_reference = any(row.reference is not None for row in grid.rows)
    idle = {*IDLE, *(() if has_reference else ("reference",))}
    basis = basis_of({name: value for name, value in grid.request.filters().items() if name not in idle})
    return Shown(
        sentences=tuple(filter(None, (_question(study, keys.instance), *_sentences(grid)))),
        table=_table(grid),
        basis=(basis, LEGEND),
        **facts,
    )


def _question(study: "MeasuredStudy", instance: str) -> str:
    """Return the question's text, cut; nothing if it is not stored."""
    rows = study.files.table("instances", ("prompt",), {"instance_id": (instance,)})["prompt"].to_pylist()
    text = question_text(next(iter(rows), None), LONGEST_QUESTION)
    return f"Question: {text}" if text else ""


def _sentences(grid: VerdictGrid) -> Iterator[str]:
    """Yield how many verdicts there are, what is missing, and on how many rows judges differ."""
    every = [cell for row in grid.rows for cell in row.cells.values()]
    n_verdicts = sum(sum(cell.verdicts.values()) for cell in every)
    without: Counter[str] = Counter()
    for cell in every:
        without.update(cell.without)
    n_answers = len(
        {row.generator for row in grid.rows} | {row.opponent for row in grid.rows if row.opponent}
    )
    verb = "gave" if len(grid.judges) > 1 else "gives"
    text = (
        f"{quantity(len(grid.judges), 'judge')} {verb} {quantity(n_verdicts, 'verdict')} on "
        f"{quantity(n_answers, 'answer')}"
    )
    if without:
        statuses = ", ".join(f"{count:,} {status}" for status, count in sorted(without.items()))
        text += f"; {quantity(sum(without.values()), 'judgment')} without a verdict ({statuses})"
    yield f"{text}."
    several = [row for row in grid.rows if sum(bool(cell.verdicts) for cell in row.cells.values()) > 1]
    if several and grid.request is not None and TRAITS[grid.request.paradigm].gives in ("verdict", "outcome"):
        n_differ = sum(row.differs for row in several)
        yield f"The judges differ on {part_of(n_differ, len(several), 'row')} that several judged."


def _table(grid: VerdictGrid) -> ShownTable:
    """Return the grid as texts: a row for each answer and criterion, a column for each judge."""
    has = {
        "generator": True,
        "opponent": any(row.opponent is not None for row in grid.rows),
        "criterion": any(row.rubric_id is not None for row in grid.rows),
        "reference": any(row.reference is not None for row in grid.rows),
    }
    places = tuple(name for name in COLUMNS if has[name])
    heads = (*(COLUMNS[name][0] for name in places), *grid.judges)
    meanings = (*(COLUMNS[name][1] for name in places), *(f"The verdict of {name}" for name in grid.judges))
    rows = tuple(
        (*(_fact(row, name) for name in places), *(cell_words(row.cells.get(judge)) for judge in grid.judges))
        for row in grid.rows[:MOST_ROWS]
    )
    names = (*places, *(f"by {judge}" for judge in grid.judges))
    n_more = len(grid.rows) - len(rows)
    records = tuple(_record(row, grid.judges) for row in grid.rows)
    return ShownTable(heads, rows, n_more, names, meanings, records=records)


def _record(row: GridRow, judges: Iterable[str]) -> dict[str, Any]:
    """Return a row of the grid with whole texts."""
    facts = ("generator", "opponent", "rubric_id", "criterion", "reference")
    cells = {f"by {judge}": cell_words(row.cells.get(judge)) for judge in judges}
    return {name: getattr(row, name) for name in facts} | cells


def _fact(row: GridRow, name: str) -> str:
    if name == "criterion":
        text = criterion_words(row.criterion, row.rubric_id) or NOT_JUDGED
        return shortened(" ".join(text.split()), LONGEST_CRITERION)
    return str(getattr(row, name) or NOT_JUDGED)


def cell_words(cell: GridCell | None) -> str:
    """Return a cell in words: each verdict, how often if more than once, and what gave none."""
    if cell is None:
        return NOT_JUDGED
    counts = [*cell.verdicts.items(), *((f"no verdict ({name})", n) for name, n in cell.without.items())]
    return ", ".join(text if n == 1 else f"{text} ×{n}" for text, n in counts) + MARKS[cell.relation]


GRID = View(
    "grid", "All verdicts", "What does every judge say of each answer to a question?", GridKeys, answer, needs
)
