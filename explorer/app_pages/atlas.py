"""Atlas: judges of published studies side by side, means over studies, and where each study is from."""

import shlex
from collections.abc import Mapping
from typing import Any, cast

import streamlit as st

from engine.atlas.declared import declared
from engine.atlas.rows import StudyNumbers, shipped
from engine.charts.atlas import PICK
from engine.views.atlas import GROUPINGS, OUTSIDE_NOTE, By, cells_of, outside_note
from engine.views.shown import Shown
from explorer import data
from explorer.new_run import first_study
from explorer.page_list import BY_NAME
from explorer.parts import components, marks, published, selection, view_widgets
from explorer.parts.context import Context, show_page
from explorer.parts.show import table

KEY = "atlas_by"
ROW = "atlas_row"  # of the opened row: the study and its judge, as `STUDY/JUDGE`
CHART = "atlas_chart"


def render(context: Context) -> None:
    """Show the page below the head of a study."""
    show(context.root)


def first(root: str) -> None:
    """Show the page of a store without a study."""
    st.header(BY_NAME["atlas"].title, anchor=False)
    show(root)


def show(root: str) -> None:
    """Show the judges of all published studies, means over studies, and the studies."""
    view_widgets.drop_unknown(KEY, tuple(GROUPINGS), "Grouping")
    by = cast("By", view_widgets.part(KEY, {str(name): words for name, words in GROUPINGS.items()}, "study"))
    shown = published.judges(by)
    components.say(*shown.sentences, key="finding_atlas")
    rows = {_name(row): row for row in _rows(shown) if row["excess"] is not None}
    view_widgets.drop_unknown(ROW, tuple(rows), "Judge")
    row = rows.get(selection.value(ROW) or "")
    _draw(by, row)
    stored = data.studies(root)
    if row is not None:
        _row(root, row, stored)
    _numbers(shown, "atlas_numbers")
    for title, means in zip(("Families", "Models in more than one study"), published.means(), strict=True):
        st.subheader(f"{title}: means over studies", anchor=False)
        components.note(*means.problems, *means.basis, key=f"means_{title[:6]}")
        if means.table is not None:
            table(means.table, f"means_table_{title[:6]}")
    st.subheader("Studies", anchor=False)
    for study in shipped():
        _study(root, study, stored)


def _numbers(shown: Shown, key: str) -> None:
    """Show what the bars rest on, and below it the table, with the note on its marks."""
    components.note(*(line for line in shown.basis if line != OUTSIDE_NOTE), key=key)
    if shown.table is not None:
        with st.expander("Numbers", key=f"{key}_open"):
            components.note(*(line for line in shown.basis if line == OUTSIDE_NOTE), key=f"{key}_marks")
            table(shown.table, key)


def _rows(shown: Shown) -> list[Mapping[str, Any]]:
    """Return the rows behind the bars; those of the judges together have none."""
    return [] if shown.table is None else [row for row in shown.table.records if row["judge"] is not None]


def _name(row: Mapping[str, Any]) -> str:
    """Return the name of a row in the address; no study's name has a slash."""
    return f"{row['study']}/{row['judge']}"


def _draw(by: By, row: Mapping[str, Any] | None) -> None:
    """Draw the bars; a click on one opens its row."""
    mark = None if row is None else {name: str(row[name]) for name in ("study", "judge")}
    turn, _ = marks.turn_of(CHART, mark)

    def on_pick() -> None:
        picked = components.picked_mark(CHART, PICK, turn)
        marks.remember_turn(CHART, turn, picked, None)
        selection.choose(ROW, None if picked is None else _name(picked))

    key = components.picking(CHART, PICK, turn)
    published.draw(by, on_select=on_pick, selection_mode=PICK, key=key)


def _row(root: str, row: Mapping[str, Any], stored: list[str]) -> None:
    """Show the numbers of one judge in one study, where they are from, and what opens the study."""
    cells = cells_of(row)
    study = next(each for each in shipped() if each.study == row["study"])
    with st.container(border=True, key=ROW, gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", key="atlas_row_head"):
            st.subheader(cells["judge"], anchor=False, width="content")
            st.badge(cells["conclusion"])
            st.button("Close", key="atlas_row_close", icon=":material/close:", on_click=_close)
        st.text(f"{study.title} ({study.year}), {row['design']}.")
        own = f"Of 100 own cases {cells['given']} given, {cells['expected']} expected: {cells['excess']}"
        st.text(f"{own}; n {cells['n']}.")
        if row["excess_family"] is not None:
            st.text(f"Its family's other models: {cells['family']}; n {row['n_family']:,}.")
        for line in outside_note([row]):
            st.text(line)
        _source(study, f"row_{study.study}")
        _opener(root, study, stored, {"judge": [str(row["judge"])]})


def _close() -> None:
    selection.choose(ROW)


def _study(root: str, study: StudyNumbers, stored: list[str]) -> None:
    """Show where a study is from, and what opens it."""
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"of_{study.study}"):
        st.text(study.title)
        _source(study, study.study)
        _opener(root, study, stored, {})


def _source(study: StudyNumbers, key: str) -> None:
    state = f"{study.year}; licence: {study.licence}; computed {study.date}; commit {study.commit[:8]}"
    components.note(f"{study.study}: {state}.", study.source, key=f"about_{key}")


def _opener(root: str, study: StudyNumbers, stored: list[str], choices: Mapping[str, list[str]]) -> None:
    """Offer the study's page *Judges* if its verdicts are here, else say how to get them."""
    entry = declared().studies[study.study]
    if study.study in stored:
        page = BY_NAME["judges"]
        link = {"study": [study.study], **choices}
        st.page_link(page.path, label="Open it", icon=page.icon, query_params=link)
    elif entry.dataset is not None and not choices:
        first_study.offer(root, entry.dataset)
    elif entry.dataset is not None:
        _command("data", "fetch", entry.dataset, root)
    else:
        _command("atlas", "build", study.study, root)


def _command(group: str, name: str, of: str, root: str) -> None:
    """Show the command that brings a study into this store, to be copied."""
    st.code(shlex.join(["spb", group, name, of, "--store", root]), language=None, wrap_lines=True)


show_page(render, first)
