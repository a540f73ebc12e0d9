"""What the catalogue says of a measure: beside every chart, and in full on the page Measures."""

from collections.abc import Sequence

import streamlit as st

from engine.measures.entry import Measure
from engine.words import glossary


def measure_help(measure: Measure, key: str, chips: Sequence[str] = ()) -> None:
    """Show a measure's title, which opens what `chips` beside it mean, its question, formula and terms."""
    with st.popover(measure.title, icon=":material/help:", type="tertiary", key=f"help_{key}"):
        with st.container(key=f"chips_{key}", gap="small"):
            for words in chips:
                st.text(f"{words}: {glossary.meaning_of(words)}")
        measure_words(measure, key)
        terms((measure.title, measure.question), key, apart_from=chips)
        st.text(f"Its fields and options are on the Measures page, under {measure.name}.")


def terms(texts: Sequence[str], key: str, apart_from: Sequence[str] = ()) -> None:
    """Show the meaning of the glossary terms in these texts, if there are any, `apart_from` some."""
    if glossary_terms := [term for term in glossary.terms_in(texts) if term.name not in apart_from]:
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
