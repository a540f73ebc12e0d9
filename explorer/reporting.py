"""The report of a study, to be sent: a menu that writes it when it is opened."""

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from engine.report import Form
from engine.stories import MAIN, pins_of
from explorer import data, downloads, presenting

if TYPE_CHECKING:
    from explorer.context import Context

FORMS: dict[Form, tuple[str, str, str]] = {
    "html": ("One HTML file", "html", "text/html"),
    "markdown": ("Markdown", "md", "text/markdown"),
}
STORY = "report_story"


@st.fragment
def button(here: "Context") -> None:
    """Show the menu that writes the findings and a story's pinned views into a file."""
    info = data.files(here.root, here.name).info
    meaning = "Findings and pinned views in one file that needs no network"
    menu = st.popover("Report", icon=":material/send:", key="report", help=meaning, on_change="rerun")
    if not menu.open:
        return
    with menu:
        names = presenting.stories(info)
        story = MAIN
        if len(names) > 1:
            story = str(st.selectbox("With the story", names, key=STORY))
        pins = pins_of(info, story)
        st.text(f"With {len(pins)} pinned views." if len(pins) != 1 else "With 1 pinned view.")
        made = data.report(here.key, story, datetime.now(UTC).date().isoformat(), repr(pins))
        files = [
            downloads.File(label, ending, kind, partial(made.__getitem__, form))
            for form, (label, ending, kind) in FORMS.items()
        ]
        downloads.buttons("report", "report", files)
