"""What the catalogue says of a measure: beside every chart, and in full on the page Measures."""

from collections.abc import Sequence

import streamlit as st

from engine.measures.entry import Measure
from engine.words import glossary


def measure_help(measure: Measure, key: str) -> None:
    """Show a measure's title, which opens its question, formula and terms."""
    with st.popover(measure.title, icon=":material/help:", type="tertiary", key=f"help_{key}"):
        measure_words(measure, key)
        terms((measure.title, measure.question), key)
        st.text(f"Its fields and options are on the Measures page, under {measure.name}.")


def terms(texts: Sequence[str], key: str) -> None:
    """Show the meaning of the glossary terms in these texts, if there are any."""
    if glossary_terms := glossary.terms_in(texts):
        with st.container(key=f"terms_{key}", gap="small"):
            for term in glossary_terms:
                st.text(f"{term.name}: {term.meaning}")


def measure_words(measure: Measure, key: str) -> None:
    """Show a measure's question, formula, what is left out, and where it comes from."""
    with st.container(key=f"words_{key}", gap="small"):
        st.text(measure.question)
        st.code(measure.formula, language=None, wrap_lines=True)
        st.text(f"Left out: {measure.left_out}.")
        st.text(f"From: {measure.paper}.")
