"""The ways to a first study: the demonstration, a published study, or a file of one's own."""

from collections.abc import Collection
from pathlib import Path

import streamlit as st

from engine.errors import SpbError
from engine.importers.datasets.catalogue import Dataset, catalogue, copy_demonstrations, demonstrations, fetch
from engine.phrases import sentence_case
from engine.store import Store
from explorer import data, permissions
from explorer.page_list import BY_NAME
from explorer.parts import components, leaving, published

PUBLISHED = "rubric-self-preference"
"""The published study behind the second door: small, and it allows every conclusion."""


def doors(root: str) -> None:
    """Show the three ways to a first study of an empty store."""
    st.header("Does your judge favour itself?", anchor=False)
    components.say(WHAT_IT_IS, *published.sentences(), key="known_so_far")
    if not permissions.may_write():
        components.note(f"No study yet in {root}; {permissions.writing_refusal()}.", key="first_start")
        return
    components.note(f"No study yet in {root}. Start with one of these.", key="first_start")
    with st.container(horizontal=True, key="doors"):
        with _door("demo", "A demonstration", "Simulated studies in which some judges favour themselves."):
            if "://" not in root and st.button("Open the demonstration", key="door_demo", type="primary"):
                copy_demonstrations(Path(root))
                _open("demo-health")
        entry = catalogue()[PUBLISHED]
        with _door("published", "A published study", f"{entry.title}. Licence: {entry.licence}."):
            _button(root, entry, "door_published")
        with _door(
            "own", "Your own file", "Judgments from another tool, or a table: CSV, Excel, JSON, Parquet."
        ):
            st.page_link(BY_NAME["data"].path, label="Choose a file", icon=BY_NAME["data"].icon)
            run = BY_NAME["new_run"]
            st.page_link(run.path, label="Or have your models answer your questions", icon=run.icon)
    published.draw("study")
    st.page_link(BY_NAME["atlas"].path, label="All published numbers", icon=BY_NAME["atlas"].icon)


WHAT_IT_IS = (
    "A judge prefers itself if it passes its own answers more often than other judges as strict pass the "
    "same answers."
)
"""What self-preference is, for somebody who has never heard of it."""


def after_the_demonstration(root: str, studies: tuple[str, ...]) -> None:
    """Show the other two ways if the store holds only demonstrations."""
    if not permissions.may_write() or not set(studies) <= set(demonstrations()):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="doors"):
        st.text("This is a demonstration. Next:", width="content")
        entry = catalogue()[PUBLISHED]
        _button(root, entry, "door_published", f"Get a published study ({entry.size})")
        st.page_link(BY_NAME["data"].path, label="Import your own file", icon=BY_NAME["data"].icon)


def gallery(root: str) -> None:
    """Show the published studies and data sets, each with its download button."""
    entries = list(catalogue().values())
    st.subheader("Published studies", anchor=False)
    components.note("Downloaded from their authors, checked, and added to your studies.", key="gallery")
    _cards(root, [entry for entry in entries if entry.measures])
    with st.expander("Data sets to run judges on", key="questions_to_run"):
        _cards(root, [entry for entry in entries if not entry.measures])


def _cards(root: str, entries: list[Dataset]) -> None:
    stored_studies = data.studies(root)
    for entry in entries:
        with st.container(
            border=True, horizontal=True, vertical_alignment="center", key=f"published_{entry.name}"
        ):
            with st.container(gap=None, key=f"about_{entry.name}"):
                st.text(entry.title)
                measures = f"{entry.measures[0].upper()}{entry.measures[1:]}. " if entry.measures else ""
                about = f"{sentence_case(entry.size)} from {entry.host}; licence: {entry.licence}."
                components.note(f"{measures}{about}", key=f"published_{entry.name}")
            _button(root, entry, f"get_{entry.name}", stored_studies=stored_studies)


def _door(key: str, title: str, about: str) -> "st.delta_generator.DeltaGenerator":
    place = st.container(border=True, key=f"door_{key}_box", width=340)
    place.subheader(title, anchor=False)
    place.text(about)
    return place


def _button(
    root: str, entry: Dataset, key: str, label: str | None = None, stored_studies: Collection[str] = ()
) -> None:
    """Show the button that downloads a study, or a link to it if it is stored."""
    if entry.name in stored_studies:
        link = {"study": [entry.name]}
        st.page_link(BY_NAME["judges"].path, label="Open it", icon=BY_NAME["judges"].icon, query_params=link)
        return
    if not permissions.may_write():
        return
    icon = ":material/download:"
    size, *_ = entry.size.partition(" in ")  # the number of files would not fit on a phone
    if st.button(label or f"Download ({size})", key=key, icon=icon):
        _get(root, entry)


def offer(root: str, name: str) -> None:
    """Show the button that downloads a study of the catalogue, if the visitor may write."""
    _button(root, catalogue()[name], f"offer_{name}")


def _get(root: str, entry: Dataset) -> None:
    """Download a study, write it and open it; or say why that failed."""
    bar = st.progress(0.0, f"Downloading from {entry.host} …")

    def progress(done: int, total: int | None) -> None:
        share = min(done / total, 1.0) if total else 0.0
        bar.progress(share, f"{done / 1e6:.1f} of {entry.size} from {entry.host}")

    try:
        permissions.check_writable(entry.name)
        fetch(entry.name, Store(root), progress=progress)
    except SpbError as error:
        problem = str(error).rpartition("; ")[0] or str(error)  # its remedy is for the command line
        components.say(
            f"{problem}.",
            "Try again, or download the file yourself and import it on the Data page.",
            key=f"failed_{entry.name}",
        )
        return
    finally:
        bar.empty()
    _open(entry.name)


def _open(study: str) -> None:
    leaving.leave_for(BY_NAME["judges"], {"study": [study]})
