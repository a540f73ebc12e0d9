"""The report of a study, to be sent: a menu that writes it when it is asked for."""

from collections.abc import Callable
from datetime import UTC, datetime
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


def button(here: "Context") -> None:
    """Show the menu that writes the findings and a story's pinned views into a file."""
    info = data.files(here.root, here.name).info
    meaning = "Findings and pinned views in one file that needs no network"
    with st.popover("Report", icon=":material/send:", key="report", help=meaning):
        names = presenting.stories(info)
        story = MAIN
        if len(names) > 1:
            story = str(st.selectbox("With the story", names, key=STORY))
        count = len(pins_of(info, story))
        st.text(f"With {count} pinned views." if count != 1 else "With 1 pinned view.")
        for form, (label, ending, kind) in FORMS.items():
            st.download_button(
                label,
                _made(here, form, story),
                downloads.file_name("report", ending),
                kind,
                key=f"report_{ending}",
                on_click="ignore",
            )


def _made(here: "Context", form: Form, story: str) -> Callable[[], bytes]:
    """Return what writes the report as the story is when it is asked for."""

    def made() -> bytes:
        pins = repr(pins_of(data.files(here.root, here.name).info, story))
        return data.report(here.key, form, story, datetime.now(UTC).date().isoformat(), pins)

    return made
