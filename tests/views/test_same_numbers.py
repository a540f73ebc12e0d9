"""A page, a pin, a report and a command show the same numbers, whatever is chosen.

For every view: its default, and seeded combinations of keys, in one study that has rows for it. With
`SPB_EVERY_VALUE` set, also each key alone with each value that it offers, in every study.
"""

import functools
import json
import os
import random
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner
from without_charts import without_charts

import engine
from engine.cli import app as spb
from engine.explore.find_slices import FIND
from engine.measures.catalogue import find
from engine.measures.result import Result, columns_of
from engine.report.exhibit import exhibit_of
from engine.slices import FLAGS
from engine.store.study_files import Pin
from engine.study import Study
from engine.views.keys import FILTER_KEYS, SAVED_SLICE, choices_in
from engine.views.registry import VIEWS
from engine.views.shown import ShownTable
from engine.views.view import AnyView
from engine.words.row_cells import format_rows
from engine.words.which_judge import without_reasons
from explorer.page_list import PAGES, PARTS_OF_VIEWS

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ("demo-health", "demo-pairs", "demo-orders", "demo-verifiable")
EVERY = bool(os.environ.get("SPB_EVERY_VALUE"))
COMBINATIONS = 200 if EVERY else 1

Texts = dict[str, tuple[str, ...]]


@pytest.fixture(scope="module")
def studies() -> dict[str, Study]:
    return {name: engine.open_study(ROOT / "results" / name) for name in STUDIES}


def offered(study: Study, view: AnyView) -> dict[str, list[str]]:
    """Return the values that each key of a view can take in a study, as texts."""
    values: dict[str, list[str]] = {}
    for name, key in view.declared.items():
        if key.kind == "switch":
            values[name] = ["true", "false"]
        elif key.kind == "number":
            low, high = key.bounds
            values[name] = [f"{low + share * (high - low):g}" for share in (0, 0.3, 1)]
        elif key.kind == "filters":
            of_study = filters_of(study).items()
            values |= {key.prefix + flag: texts for flag, texts in of_study if flag not in key.idle}
        else:
            values[name] = list(key.offers(study)) if key.offers is not None else []
    return {name: texts for name, texts in values.items() if texts}


def filters_of(study: Study) -> dict[str, list[str]]:
    """Return the values of every filter of a slice that the study has."""
    choices = choices_in(study)
    values = {name: list(texts) for name, texts in choices.values.items()}
    for name, (low, high) in choices.ranges.items():
        kind = next(flag.kind for flag in FLAGS if flag.name == name)
        middle = (low + high) / 2
        values[name] = [f"{low:g}:{middle:g}", f"{middle:g}:"] if kind == "range" else ["0.6", "0.9"]
    switches = [flag.name for flag in FLAGS if flag.kind == "switch"]
    values |= {name: ["true"] for name in switches}
    return {name: texts for name, texts in values.items() if name in FILTER_KEYS and name != SAVED_SLICE}


def choices(study: Study, view: AnyView) -> Iterator[Texts]:
    """Yield keys of a view: none, each alone with each value if all are tried, then seeded combinations."""
    values = offered(study, view)
    seed = random.Random(f"{study.name} {view.name}")
    yield {}
    if EVERY:
        yield from ({name: (text,)} for name, texts in values.items() for text in texts)
    for _ in range(COMBINATIONS):
        names = seed.sample(sorted(values), min(3, len(values)))
        yield {name: (seed.choice(values[name]),) for name in names}


def of_page(study: Study, view: AnyView, texts: Texts, table: ShownTable | None) -> list[tuple[str, ...]]:
    """Return the rows that the page shows in a table of these columns."""
    page, part = PARTS_OF_VIEWS[view.name]
    given = tuple({"study": (study.name,), page.part_key: (part,), **texts}.items())
    opened = page.parts[part] if not texts else (view.name,)
    names = () if table is None else table.names
    tables = [rows for columns, rows in tables_of_page(page.name, given, opened) if columns == names]
    if table is not None and list(table.rows) in tables:  # another view of the page may have the same columns
        return list(table.rows)
    return [row for rows in tables for row in rows]


@functools.cache
def tables_of_page(
    page: str, given: tuple[tuple[str, tuple[str, ...]], ...], opened: tuple[str, ...]
) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """Open a page with these views of it, once for all of them; return columns and rows of its tables."""
    app = AppTest.from_file(str(ROOT / "explorer" / "app.py"), default_timeout=60)
    for name, values in given:
        app.query_params[name] = list(values)
    for name in opened:
        app.session_state[f"{name}_open"] = True
    app.switch_page(f"app_pages/{page}.py")
    app.run()
    assert not app.exception, [error.stack_trace for error in app.exception]
    frames = [frame.value for frame in app.dataframe]
    return [(tuple(frame.columns), [tuple(row) for row in frame.itertuples(index=False)]) for frame in frames]


def of_command(command: str, table: ShownTable) -> list[tuple[str, ...]]:
    """Return the table's rows that a command prints, in the words of the table.

    A command prints the rows of all judges in the order of models; a view may show some, in another order.
    """
    words = [*shlex.split(command)[1:], "--store", str(ROOT / "results"), "--format", "json"]
    output = CliRunner().invoke(spb, words)
    assert output.exit_code == 0, output.output
    printed = json.loads(output.stdout)
    for row in printed["rows"]:
        if printed["measure"] == "which-judge":  # the sentences above the table have the reasons
            row["advice"] = without_reasons(row["advice"])
    by = words[words.index("--by") + 1] if "--by" in words else "slice" if "slice" in table.names else None
    parts = printed["study"], printed["filters"], columns_of(printed["rows"]), printed["left_out"], None
    entry = FIND if printed["measure"] == FIND.name else find(printed["measure"])
    result = Result(entry, *parts, by=by)
    fields = [name for name in table.names if name != "slice"]
    frame = format_rows(result, fields)
    lines = [tuple(row) for row in frame.itertuples(index=False)]
    return [row for row in table.rows if row in lines]


def studies_for(view: AnyView, studies: dict[str, Study]) -> list[Study]:
    """Return the studies in which a view is tried."""
    if EVERY:
        return list(studies.values())
    turn = PAGES.index(PARTS_OF_VIEWS[view.name][0]) % len(STUDIES)
    by_turn = [*studies.values()][turn:] + [*studies.values()][:turn]
    with without_charts():
        with_rows = (study for study in by_turn if (table := view.shown(study, {}).table) and table.rows)
        return [next(with_rows, by_turn[0])]


@pytest.mark.parametrize("name", VIEWS)
def test_page_pin_report_and_command_show_the_same_numbers(studies, monkeypatch, name):
    monkeypatch.setenv("SPB_STORE", str(ROOT / "results"))
    view = VIEWS[name]
    for study in studies_for(view, studies):
        for texts in choices(study, view):
            compare_ways(study, view, texts)


def compare_ways(study: Study, view: AnyView, texts: Texts) -> None:
    with without_charts():  # the page draws them
        shown = view.shown(study, texts)
        pinned = exhibit_of(study, Pin(id="00000000", page=view.name, view=dict(texts), title="x"))
    rows = [] if shown.table is None else list(shown.table.rows)
    choice = study.name, texts

    assert of_page(study, view, texts, shown.table) == rows, choice
    assert ([] if pinned.table is None else list(pinned.table.rows)) == rows, choice
    if shown.table is not None and shown.table.result is not None:
        assert of_command(shown.commands[0], shown.table) == rows, (choice, shown.commands)
