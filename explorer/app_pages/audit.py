"""Audit: what the study says on its judges, question by question, with the files for a paper."""

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from engine.views.audit import answers
from explorer import data
from explorer.parts import components, downloads
from explorer.parts.context import Context, show_page
from explorer.parts.page_list import BELOW, PARTS_OF_VIEWS
from explorer.parts.show import show, show_more

FORMS: downloads.Forms[data.AuditForm] = {
    "One HTML file": ("html", "text/html", "html"),
    "Markdown": ("md", "text/markdown", "markdown"),
    "All files": ("zip", "application/zip", "zip"),
}


def render(context: Context) -> None:
    """Show every question with its answer, and the numbers behind it or a link to them."""
    write = partial(data.audit, context.key, datetime.now(UTC).date().isoformat())
    downloads.menu("audit_files", downloads.files(FORMS, write))
    if not show(context, "audit"):
        return
    below = context.page.parts[BELOW]
    for answer in answers(context.study):
        st.subheader(answer.section.question, anchor=False)
        for view in (each.view for each in answer.exhibits):
            if view.name in below:
                show_more(context, view.name)
            else:
                components.note(*answer.sentences, key=f"{answer.section.name}_{view.name}")
                page, _ = PARTS_OF_VIEWS[view.name]
                context.link(page.name, view.title)
        if not answer.is_answered:
            components.note(*answer.sentences, key=answer.section.name)


show_page(render)
