"""The ways to a first study: the demonstration, one that others published, a file of one's own."""

from collections.abc import Collection
from pathlib import Path

import streamlit as st

from engine.errors import SpbError
from engine.importers.datasets import Dataset, catalogue, demonstrations, fetch, lay_out
from engine.store import Store
from engine.values import read_only
from explorer import data
from explorer.parts import components
from explorer.parts.address import BY_NAME

PUBLISHED = "rubric-self-preference"
"""The published study behind the second door: small, and it allows every conclusion."""


def doors(root: str) -> None:
    """Show the three ways to a first study of an empty store."""
    st.header("Does your judge favour itself?", anchor=False)
    if read_only():
        components.note(f"No study yet in {root}; this explorer is read only.", key="first_start")
        return
    components.note(f"No study yet in {root}. Begin with one of these.", key="first_start")
    with st.container(horizontal=True, key="doors"):
        with _door("demo", "Look around", "Simulated studies in which some judges favour themselves."):
            if _local(root) and st.button("Open the demonstration", key="door_demo", type="primary"):
                _demonstration(root)
        entry = catalogue()[PUBLISHED]
        with _door("published", "A published study", f"{entry.title}. Licence: {entry.licence}."):
            _button(root, entry, "door_published")
        with _door(
            "own", "Your own file", "Judgments of another tool, or a table: CSV, Excel, JSON, Parquet."
        ):
            st.page_link(BY_NAME["data"].path, label="Choose a file", icon=BY_NAME["data"].icon)


def after_the_demonstration(root: str, studies: tuple[str, ...]) -> None:
    """Show the other two ways where the store holds demonstrations only."""
    if read_only() or not set(studies) <= set(demonstrations()):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="doors"):
        st.text("This is a demonstration. Next:", width="content")
        _button(root, catalogue()[PUBLISHED], "door_published", f"Get a published study ({_size()})")
        st.page_link(BY_NAME["data"].path, label="Bring your own file", icon=BY_NAME["data"].icon)


def gallery(root: str) -> None:
    """Show the studies and data sets that others published, each with the button that gets it."""
    entries = list(catalogue().values())
    st.subheader("Studies that others published", anchor=False)
    components.note(
        "They are downloaded from their authors, checked, and stored with your studies.", key="gallery"
    )
    _cards(root, [entry for entry in entries if entry.measures])
    with st.expander("Questions to run judges on", key="questions_to_run"):
        _cards(root, [entry for entry in entries if not entry.measures])


def _cards(root: str, entries: list[Dataset]) -> None:
    there = data.studies(root)
    for entry in entries:
        with st.container(border=True, key=f"published_{entry.name}"):
            st.text(entry.title)
            components.note(_about(entry), key=f"published_{entry.name}")
            _button(root, entry, f"get_{entry.name}", there=there)


def _about(entry: Dataset) -> str:
    measures = f"{entry.measures[0].upper()}{entry.measures[1:]}. " if entry.measures else ""
    return f"{measures}{entry.size} from {entry.host}; licence: {entry.licence}."


def _size() -> str:
    return catalogue()[PUBLISHED].size


def _door(key: str, title: str, about: str) -> "st.delta_generator.DeltaGenerator":
    place = st.container(border=True, key=f"door_{key}_box", width=340)
    place.subheader(title, anchor=False)
    place.text(about)
    return place


def _button(
    root: str, entry: Dataset, key: str, label: str | None = None, there: Collection[str] = ()
) -> None:
    """Show the button that gets a study, or the link to it where it is there."""
    if entry.name in there:
        link = {"study": [entry.name]}
        st.page_link(BY_NAME["judges"].path, label="Open it", icon=BY_NAME["judges"].icon, query_params=link)
        return
    if read_only():
        return
    icon = ":material/download:"
    if st.button(label or f"Get it ({entry.size})", key=key, icon=icon):
        _get(root, entry)


def _get(root: str, entry: Dataset) -> None:
    """Download a study, write it and open it; or say how that failed."""
    bar = st.progress(0.0, f"Downloading from {entry.host} …")

    def progress(done: int, total: int | None) -> None:
        share = min(done / total, 1.0) if total else 0.0
        bar.progress(share, f"{done / 1e6:.1f} of {entry.size} from {entry.host}")

    try:
        data.check_writable(entry.name)
        fetch(entry.name, Store(root), progress=progress)
    except SpbError as error:
        problem = str(error).rpartition("; ")[0] or str(error)  # its remedy is one for the command line
        components.say(
            f"{problem}.",
            "Try again; or download the file yourself, and choose it on the page Data.",
            key=f"failed_{entry.name}",
        )
        return
    finally:
        bar.empty()
    _open(entry.name)


def _demonstration(root: str) -> None:
    lay_out(Path(root))
    _open("demo-health")


def _local(root: str) -> bool:
    return "://" not in root


def _open(study: str) -> None:
    st.switch_page(BY_NAME["judges"].path, query_params={"study": [study]})
