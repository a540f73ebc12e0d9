"""A run's estimate and progress, in words and tables."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from engine.collect.dispatch.run_status import cache_words, of_run, shortfall_words
from engine.collect.forecast.question_power import CostRange, limits_words, power_words
from engine.paradigms import PAIR_PARADIGMS, TRAITS
from engine.phrases import dollars, duration, quantity, sentence_case
from explorer.new_run.run_choices import RunChoices, family_name
from explorer.new_run.run_processes import PlannedCalls
from explorer.parts import components

STATES = {
    "starting": "is starting",
    "running": "is running",
    "stopping": "is stopping once the answers in progress have arrived",
    "done": "is done",
    "errors": "ended with some calls unanswered",
    "unread": "ended, and no answer could be parsed",
    "budget": "stopped at its spending limit; raise it to go on",
    "time": "stopped at its time limit; resume it to go on",
    "interrupted": "was stopped before it was done; resume it to go on",
    "failed": "failed",
    "lost": "ended unexpectedly: its process is gone",
    "partial": "is done in the shards that have begun; resume it for the others",
}

_ESTIMATE_COLUMNS = {
    "model": "Model",
    "role": "What it does",
    "paradigm": "Paradigm",
    "calls": st.column_config.NumberColumn("Calls", format="localized"),
    "prompt_tokens": st.column_config.NumberColumn("Tokens sent", format="localized"),
    "completion_tokens": st.column_config.NumberColumn("Tokens received", format="localized"),
    "cost_usd": st.column_config.NumberColumn("US dollars", format="%.4f"),
}


def show_forecast(forecast: PlannedCalls, choices: RunChoices) -> None:
    """Show what a run would call, take and cost."""
    facts = forecast.facts
    inputs, outputs = facts["prompt_tokens"], facts["completion_tokens"]
    sentences = [
        f"{quantity(forecast.calls, 'call')}, about {inputs:,} tokens sent and {outputs:,} received."
    ]
    if facts["cost_usd"] is None:
        sentences.append("The cost is unknown: a model has no price.")
    elif facts["cost_usd"]:
        stop = f"; the run stops at {choices.cap:,.2f}" if choices.cap else ""
        low, high = facts.get("cost_usd_low"), facts.get("cost_usd_high")
        between = f", between {low:,.2f} and {high:,.2f}" if low is not None and high is not None else ""
        sentences.append(f"About {facts['cost_usd']:,.2f} US dollars{between}{stop}.")
    if choices.batches:
        sentences.append("Providers answer batches within a day, mostly sooner.")
    elif choices.simulated:
        sentences.append(
            "Nothing is paid: no provider is called. Simulated models answer a few hundred calls a second."
        )
    else:
        free = "" if choices.paid else "The models cost nothing. "
        sentences.append(f"{free}{sentence_case(_time_words(facts))}.")
    sentences += [f"The run would not start: {words}." for words in forecast.obstacles]
    if facts.get("cached"):
        saved = f", which saves {dollars(facts['saved_usd'])}" if facts["saved_usd"] else ""
        sentences.append(f"{facts['cached']:,} more calls come from the cache{saved}.")
    sentences += [f"{sentence[:1].upper()}{sentence[1:]}." for sentence in facts.get("guesses", [])]
    prospects = [*facts.get("remarks", []), *_prospects(facts, choices)]
    sentences += [f"{sentence_case(words)}." for words in prospects]
    if facts.get("note"):
        sentences.append(f"{facts['note'][:1].upper()}{facts['note'][1:]}.")
    components.say(*sentences, key="forecast")
    words = {name: traits.choice for name, traits in TRAITS.items()}
    lines = [
        line
        | {"paradigm": words.get(line["paradigm"], "–")}  # models that answer have none
        | {"role": "answers" if line["role"] == "generator" else "judges"}
        for line in forecast.lines
    ]
    components.table(lines, _ESTIMATE_COLUMNS, "forecast_table")


def _time_words(facts: Mapping[str, Any]) -> str:
    """Return how long the run takes, as far as its models' limits and earlier calls tell."""
    by_limits, by_calls = (facts.get(f"minutes_by_{what}") for what in ("limits", "earlier_calls"))
    parts = [] if by_limits is None else [f"at least {duration(60 * by_limits)}, by the limits of its models"]
    parts += [] if by_calls is None else [f"about {duration(60 * by_calls)}, as long as earlier calls took"]
    return "; ".join(parts) or "how long it takes is known once the first calls are answered"


def _prospects(facts: Mapping[str, Any], choices: RunChoices) -> list[str]:
    """Return what the run can show, and by how many questions, if the models that answer also judge."""
    if set(choices.judges) != set(choices.generators):
        return []
    families = {name: family_name(name, choices.models[name]) for name in choices.judges}
    number, sentences = choices.instances, [limits_words(families)]
    if choices.questions is not None:
        total = len(choices.questions.instances)
        number = total if number is None else min(number, total)
    if number is not None and {*choices.paradigms} & {*PAIR_PARADIGMS}:
        ends = [facts.get(name) for name in ("cost_usd", "cost_usd_low", "cost_usd_high")]
        cost = None if None in ends else CostRange(*(float(each or 0.0) for each in ends))
        sentences.append(power_words(families, number, cost))
    return [*filter(None, sentences)]


def progress_words(facts: dict[str, Any]) -> str:
    """Return how far a run is, in one line."""
    parts = [f"{facts['done']:,} of {facts['total']:,} calls answered"]
    if facts["already_done"]:
        parts.append(f"{facts['already_done']:,} of them before")
    parts += [f"{facts[name]:,} {name}" for name in ("unparsed", "refused") if facts[name]]
    if facts["error"]:
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in facts["errors"].items())
        parts.append(quantity(facts["error"], "error") + (f" ({kinds})" if kinds else ""))
    if facts["rate"] and facts["finished_at"] is None:
        parts.append(f"{facts['rate']:,.0f} a second")
        if facts["seconds_left"] is not None:
            parts.append(f"about {duration(facts['seconds_left'])} left")
    if facts.get("cached"):
        parts.append(cache_words(facts["cached"], facts["saved_usd"]))
    cost = of_run(facts, "run_cost_usd")
    if cost is None or cost > 0:
        parts.append("cost unknown" if cost is None else dollars(cost))
    if facts.get("trial_usd"):
        parts.append(f"and {dollars(facts['trial_usd'])} for one call to each model before")
    return ", ".join(parts) + "."


def troubles(status: dict[str, Any]) -> list[str]:
    """Return the commonest error messages; while a run is active also warnings, shortfalls and its pace."""
    sentences = [f"{count:,} times: {words}" for words, count in status.get("error_words") or []]
    if status.get("finished_at") is None:
        warnings = [f"{sentence_case(words)}." for words in (status.get("warnings") or {}).values()]
        sentences = [*warnings, *remedies(status.get("shortfalls") or {}), *sentences]
        sentences += [f"{words}." for words in status.get("pace") or []]
    return sentences


def remedies(shortfalls: Mapping[str, int]) -> list[str]:
    """Return how many answers could not be parsed and why, each with its remedy."""
    return [f"{words}.".replace("`", "") for words in shortfall_words(shortfalls)]
