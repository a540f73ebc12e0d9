"""The spending cap that `spb run` needs before it calls models with a price."""

import math
import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from engine.cli.output import say
from engine.errors import UsageError
from engine.phrases import dollars, join_names, quantity

if TYPE_CHECKING:
    from engine.collect.configuration.config import RunConfig
    from engine.collect.run_options import RunOptions
    from engine.store import Store

CAP_REMEDY = "give --max-usd X or max_usd in the configuration, or --no-cap to go on without"


def at_terminal() -> bool:
    """Return whether somebody can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def cap_lacking(config: "RunConfig", options: "RunOptions") -> str | None:
    """Return which models may cost money although there is no cap; None if nothing is lacking."""
    from engine.collect.client.model_client import Models
    from engine.collect.configuration.prices import is_free
    from engine.collect.run.prepared_run import cap_of

    if options.no_cap or cap_of(config, options) is not None:
        return None
    models = Models(config.models, batch=config.mode == "batch")
    prices = {name: models.price(name) for name in config.run_models()}
    priced = [name for name, price in prices.items() if price is not None and not is_free(price)]
    return f"no spending cap is set, and {join_names(priced, 4, 'and')} may cost money" if priced else None


def with_cap(config: "RunConfig", store: "Store", options: "RunOptions") -> "RunOptions":
    """Return the options with a cap, for which a terminal is asked, if a model of the run has a price.

    UsageError without a terminal, or if none is given.
    """
    words = cap_lacking(config, options)
    if words is None:
        return options
    if not at_terminal():
        raise UsageError(f"{words}; {CAP_REMEDY} (nothing was called)")
    say(words)
    _say_estimate(config, store, options)
    return _with_answer(options)


def _say_estimate(config: "RunConfig", store: "Store", options: "RunOptions") -> None:
    """Say what the run will likely cost, unless that needs a download or cannot be known."""
    from engine.collect.forecast.forecasts import forecast
    from engine.store.publish import is_study

    is_there = is_study(store.location.child(config.study)) or config.has_local_data
    if options.redo or not is_there:
        return
    total = forecast(config, store, options).total
    calls = quantity(total.calls, "call")
    if total.cost_usd_low is None or total.cost_usd_high is None:
        say(f"{calls}; the cost is unknown, as a model has no price")
    else:
        say(f"{calls}, between {dollars(total.cost_usd_low)} and {dollars(total.cost_usd_high)}")


def _with_answer(options: "RunOptions") -> "RunOptions":
    while True:
        try:
            text = typer.prompt("Spending cap in US dollars (none: no cap)", err=True).strip()
        except typer.Abort:
            raise UsageError(f"no spending cap was given; {CAP_REMEDY} (nothing was called)") from None
        if text.casefold() == "none":
            return replace(options, no_cap=True)
        with suppress(ValueError):
            dollars = float(text.removeprefix("$"))
            if 0 <= dollars < math.inf:
                return replace(options, max_usd=dollars)
        say(f"{text!r} is not an amount; write one such as 2.5, or none")
