"""The words of the catalogue about a measure: beside every chart, and whole on the page of measures."""

from typing import Any

import pandas as pd
import streamlit as st

from engine.measures.catalogue import Field, Measure
from engine.measures.intervals import method
from explorer import downloads

KINDS = {
    "text": "text",
    "count": "count",
    "share": "share of 1",
    "ratio": "ratio",
    "points": "percent points",
    "number": "number",
    "flag": "yes or no",
    "list": "list",
}
INTERVAL = (
    "Its ends: _low and _high. Percentiles of 1,000 resamples of instances; where a method is named, it "
    "holds better there (docs/intervals.md)"
)


def shortly(measure: Measure, key: str) -> None:
    """Show a measure's title; what it asks and how it is taken opens beneath."""
    with st.popover(measure.title, icon=":material/help:", type="tertiary", key=f"help_{key}"):
        words(measure, key)
        st.text(f"All its fields and options stand on the page Measures, under {measure.name}.")


def words(measure: Measure, key: str) -> None:
    """Show a measure's question, formula, what is left out, and where it comes from."""
    with st.container(key=f"words_{key}", gap="small"):
        st.text(measure.question)
        st.code(measure.formula, language=None, wrap_lines=True)
        st.text(f"Left out: {measure.left_out}.")
        st.text(f"From: {measure.paper}.")


def fields(measure: Measure) -> None:
    """Show what each row of a measure holds."""
    rows = [
        {
            "field": field.name,
            "meaning": field.meaning,
            "kind": KINDS[field.kind],
            "interval": _interval(measure, field),
            "tested": "" if field.null is None else f"against {field.null:g}",
        }
        for field in measure.fields
    ]
    config = {
        "field": st.column_config.TextColumn("Field", width=170, help="Its name in JSON, CSV and Python"),
        "meaning": st.column_config.TextColumn("Meaning", width=420),
        "kind": st.column_config.TextColumn("Kind", width=90),
        "interval": st.column_config.TextColumn("Interval", width=120, help=INTERVAL),
        "tested": st.column_config.TextColumn("Tested", width=80, help="Its p-values are _p and _p_adjusted"),
    }
    _table(pd.DataFrame(rows), config, "fields")


def _interval(measure: Measure, field: Field) -> str:
    if not field.interval:
        return ""
    other = method(measure.name, field.name)
    return "95%" if other is None else f"95%, {other}"


def options(measure: Measure) -> None:
    """Show what can be asked of a measure besides a slice."""
    rows = [
        {
            "option": "--" + option.name.replace("_", "-"),
            "meaning": option.meaning,
            "choices": ", ".join(option.choices) or option.kind,
            "default": "" if option.default is None else str(option.default),
        }
        for option in measure.options
    ]
    if not rows:
        st.text("It has no options of its own.")
        return
    config = {
        "option": st.column_config.TextColumn("Option", help="In Python with underscores, without hyphens"),
        "meaning": st.column_config.TextColumn("Meaning", width=470),
        "choices": st.column_config.TextColumn("Choices"),
        "default": st.column_config.TextColumn("Default"),
    }
    _table(pd.DataFrame(rows), config, "options")


def _table(frame: pd.DataFrame, config: dict[str, Any], key: str) -> None:
    """Show all rows, without a bar to scroll, and offer them to be taken away."""
    st.dataframe(frame, hide_index=True, column_config=config, height="content", key=key)
    downloads.of_table(lambda: frame, key)
