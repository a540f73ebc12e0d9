"""Audit: what the study says on its judges, question by question, with the files for a paper."""

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from engine.views.audit import answers
from explorer import data
from explorer.page_list import BELOW
from explorer.parts import components, downloads
from explorer.parts.context import Context, show_page
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
        for each in answer.exhibits:
            name = each.view.name
            if name in below:
                show_more(context, name)
            else:
                components.note(*each.shown.sentences, key=f"{answer.section.name}_{name}")
                context.link(name, each.view.title, each.keys)
        if not answer.is_answered:
            components.note(*answer.sentences, key=answer.section.name)


show_page(render)
