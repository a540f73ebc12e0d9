"""What a study holds, and how many of its judgments have no verdict: the foot of the first page."""

import streamlit as st

from engine.collect.watch.unfinished_runs import unfinished_words
from engine.views.contents import CONTENTS
from engine.views.statuses import STATUSES_BY_JUDGE, STATUSES_BY_PARADIGM
from explorer import data
from explorer.parts import components
from explorer.parts.context import Context
from explorer.parts.sections import section
from explorer.parts.show import table


@section
def failures(context: Context) -> None:
    """Show judgments by paradigm and status, and the share that failed for each judge."""
    st.subheader(STATUSES_BY_PARADIGM.title, anchor=False)
    by_paradigm, by_judge = (
        data.shown(context.key, view.name, {}) for view in (STATUSES_BY_PARADIGM, STATUSES_BY_JUDGE)
    )
    if by_paradigm.problems:
        components.say(*by_paradigm.problems)
    components.note(*by_paradigm.sentences, key="no_failures")
    if unfinished_words(context.study.files):
        context.link("new_run", "Go on with the run")
    for key, shown in (("by_paradigm", by_paradigm), ("by_judge", by_judge)):
        if shown.table is not None:
            table(shown.table, key)
    components.note(*by_paradigm.basis, key="failed_share")


@section
def about(context: Context) -> None:
    """Show the counts of the study, and where it comes from."""
    st.subheader(CONTENTS.title, anchor=False)
    shown = data.shown(context.key, CONTENTS.name, {})
    components.note(*shown.sentences, key="sizes")
    with st.container(key="note_about", gap=None):
        for fact in shown.basis:
            st.text(fact)
