"""Atlas: judges of published studies side by side, means over studies, and where each study is from."""

from typing import cast

import streamlit as st

from engine.atlas.declared import declared
from engine.atlas.rows import StudyNumbers, shipped
from engine.views.atlas import GROUPINGS, By
from engine.views.shown import Shown
from explorer import data
from explorer.new_run import studies
from explorer.parts import components, published, selection
from explorer.parts.context import Context, show_page
from explorer.parts.page_list import BY_NAME
from explorer.parts.show import table

KEY = "atlas_by"


def render(context: Context) -> None:
    """Show the page below the head of a study."""
    show(context.root)


def first(root: str) -> None:
    """Show the page of a store without a study."""
    st.header(BY_NAME["atlas"].title, anchor=False)
    show(root)


def show(root: str) -> None:
    """Show the judges of all published studies, means over studies, and the studies."""
    selection.drop_unknown(KEY, tuple(GROUPINGS), "Grouping")
    by = cast("By", selection.part(KEY, {str(name): words for name, words in GROUPINGS.items()}, "study"))
    shown = published.judges(by)
    components.say(*shown.sentences, key="finding_atlas")
    published.draw(by)
    _numbers(shown, "atlas_numbers")
    for title, means in zip(("Families", "Models in more than one study"), published.means(), strict=True):
        st.subheader(f"{title}: means over studies", anchor=False)
        components.note(*means.problems, *means.basis, key=f"means_{title[:6]}")
        if means.table is not None:
            table(means.table, f"means_table_{title[:6]}")
    st.subheader("Studies", anchor=False)
    stored = data.studies(root)
    for study in shipped():
        _study(root, study, stored)


def _numbers(shown: Shown, key: str) -> None:
    components.note(*shown.basis, key=key)
    if shown.table is not None:
        with st.expander("Numbers", key=f"{key}_open"):
            table(shown.table, key)


def _study(root: str, study: StudyNumbers, stored: list[str]) -> None:
    """Show where a study is from, and what opens it: its verdicts if they are here, else how to get them."""
    entry = declared().studies[study.study]
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"of_{study.study}"):
        st.text(study.title)
        state = f"{study.year}; licence: {study.licence}; computed {study.date}; commit {study.commit[:8]}"
        components.note(f"{study.study}: {state}.", study.source, key=f"about_{study.study}")
        if study.study in stored:
            link = {"study": [study.study]}
            st.page_link(
                BY_NAME["judges"].path, label="Open it", icon=BY_NAME["judges"].icon, query_params=link
            )
        elif entry.dataset is not None:
            studies.offer(root, entry.dataset)
        else:
            components.note(f"spb atlas build {study.study} --store {root}", key=f"get_{study.study}")


show_page(render, first)
