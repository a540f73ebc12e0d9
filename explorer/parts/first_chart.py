"""The first chart of a visit: the browser gets time to draw it before it gets tables.

The program for tables, and for the commands under them, has three times the size of the program for charts.
A browser that gets both at once often runs all of it before it draws the chart.
"""

import time

import streamlit as st

DRAWN_WITHIN = 0.5
"""Seconds that a browser has for the first chart, with the program that draws it."""

_SENT = "_first_chart_sent"


def chart_sent() -> None:
    """Note that the first chart of the visit was sent, unless a table was before it."""
    st.session_state.setdefault(_SENT, time.monotonic())


def await_chart() -> None:
    """Wait before the first table until the browser has had time for the chart; nothing waits without one."""
    sent = st.session_state.setdefault(_SENT, float("-inf"))
    rest = sent + DRAWN_WITHIN - time.monotonic()
    if rest > 0 and st.context.headers:
        time.sleep(rest)
