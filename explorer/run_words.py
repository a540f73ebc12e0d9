"""What a run takes and how it goes, in words and tables."""

from typing import Any

import pandas as pd
import streamlit as st

from explorer import components
from explorer.run_form import Wanted
from explorer.runs import Forecast

STATES = {
    "starting": "is starting",
    "running": "is running",
    "stopping": "is stopping: answers under way are waited for",
    "done": "is done",
    "errors": "has ended, and some calls have no answer",
    "budget": "was stopped by the spending cap",
    "interrupted": "was stopped",
    "failed": "has failed",
    "lost": "ended without a word: its process is gone",
}

_COLUMNS = {
    "model": st.column_config.TextColumn("Model"),
    "role": st.column_config.TextColumn("Role"),
    "paradigm": st.column_config.TextColumn("Way of judging"),
    "calls": st.column_config.NumberColumn("Calls", format="localized"),
    "prompt_tokens": st.column_config.NumberColumn("Tokens sent", format="localized"),
    "completion_tokens": st.column_config.NumberColumn("Tokens received", format="localized"),
    "cost_usd": st.column_config.NumberColumn("US dollars", format="%.4f"),
}

SECONDS_PER_CALL = 2.0
"""What a call of a served model is taken to last, where nothing is known yet."""

IN_FLIGHT = 64


def show_forecast(found: Forecast, wanted: Wanted) -> None:
    """Show what a run would call, take and cost."""
    told = found.told
    sent, received = told["prompt_tokens"], told["completion_tokens"]
    sentences = [f"{found.calls:,} calls, about {sent:,} tokens sent and {received:,} received."]
    if told["cost_usd"] is None:
        sentences.append("The price of some model is unknown, so the cost is too.")
    elif told["cost_usd"]:
        stop = f"; the run stops at {wanted.cap:,.2f}" if wanted.cap else ""
        sentences.append(f"About {told['cost_usd']:,.2f} US dollars{stop}.")
    if wanted.batches:
        sentences.append("Providers answer batches within a day, mostly sooner.")
    elif wanted.paid:
        took = duration(found.calls * SECONDS_PER_CALL / IN_FLIGHT)
        sentences.append(
            f"It takes {took} if a call lasts {SECONDS_PER_CALL:g} s and {IN_FLIGHT} are in flight."
        )
    else:
        sentences.append(
            "Simulated models answer on this machine, some hundred calls a second; they cost nothing."
        )
    sentences += [
        f"{model} wants its key in the environment variable {variable}, which is not set."
        for model, variable in found.missing_keys.items()
    ]
    if told.get("note"):
        sentences.append(f"{told['note'][:1].upper()}{told['note'][1:]}.")
    components.say(*sentences, key="forecast")
    frame = pd.DataFrame(found.lines, columns=list(_COLUMNS))
    components.table(frame, _COLUMNS, "forecast_table")


def counted(told: dict[str, Any]) -> str:
    """Return how far a run is, in one line."""
    parts = [f"{told['done']:,} of {told['total']:,} calls answered"]
    if told["already_done"]:
        parts.append(f"{told['already_done']:,} of them before")
    parts += [f"{told[name]:,} {name}" for name in ("unparsed", "refused") if told[name]]
    if told["error"]:
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in told["errors"].items())
        parts.append(f"{told['error']:,} errors" + (f" ({kinds})" if kinds else ""))
    if told["rate"] and told["finished_at"] is None:
        parts.append(f"{told['rate']:,.0f} a second")
        if told["seconds_left"] is not None:
            parts.append(f"{duration(told['seconds_left'])} left")
    cost = told["cost_usd"]
    if cost is None or cost > 0:
        parts.append("cost unknown" if cost is None else f"{cost:,.4f} US dollars")
    return ", ".join(parts) + "."


def duration(seconds: float) -> str:
    """Return a time in the largest unit that fits."""
    for unit, size in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"about {seconds / size:.0f} {unit}"
    return f"about {max(seconds, 1):.0f} s"
