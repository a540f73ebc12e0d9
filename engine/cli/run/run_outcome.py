"""What `spb run` prints: how a run ended and how to go on, or what it would cost."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.cli.options import Format
from engine.cli.output import say
from engine.cli.printing.columns import print_columns
from engine.cli.printing.rows import print_sentences
from engine.errors import SpbError, printable
from engine.phrases import join_names, quantity, sentence_case

if TYPE_CHECKING:
    from engine.collect.configuration.config import RunConfig
    from engine.collect.forecast.forecasts import Forecast
    from engine.collect.run.run_report import RunReport
    from engine.collect.run_options import RunOptions
    from engine.store import Store


def print_report(report: "RunReport", form: Format | None, again: str) -> None:
    """Say how a run ended and how to go on; `form` is that of standard output, None to leave it alone."""
    if form == "json":
        print(json.dumps(report.to_dict()))
    say(report.message)
    for words in report.given_up.values():
        say(words)
    for words, count in report.error_words:
        if words not in report.given_up.values():
            say(f"{count:,} times: {words}")
    why, command = _way_on(report, again)
    if command is not None:
        say(f"{why}: {command}")
    if not report.exit_code and form == "text":
        print(f"{report.run_id}: {quantity(report.done, 'call')} answered, {report.already_done:,} before")


def command_to_continue(report: "RunReport", again: str) -> str | None:
    """Return the command that goes on with a run that has ended; None if all is answered."""
    return _way_on(report, again)[1]


def _way_on(report: "RunReport", again: str) -> tuple[str, str | None]:
    """Return why there is more to do and the command for it, which may redo more than `again` does."""
    if report.end == "unread":
        both = ["unparsed", "refused"]
        statuses = ",".join([name for name in both if getattr(report, name)] or both)
        whys = {"refused": "every answer was refused", "unparsed": "no answer could be parsed"}
        why = whys.get(statuses, "no answer of the run has a verdict")
        return f"{why}; fix the cause, then repeat with", f"{again} --redo {statuses}"
    left = f"{quantity(report.calls_left, 'call')} without an answer; " if report.exit_code else ""
    shortfalls = sorted({each for _, each in report.missing if each is not None})
    if report.unread_judges:
        them = "go on, and repeat what could not be read," if left else "repeat what could not be read"
        return (
            f"{left}fix the cause, then {them} with",
            f"{again} --redo {','.join(['unparsed', *shortfalls])}",
        )
    if shortfalls:
        return "collect the missing answers again with", f"{again} --redo {','.join(shortfalls)}"
    return (f"{left}continue with", again) if report.exit_code else ("", None)


def print_forecast(
    config: "RunConfig", store: "Store", options: "RunOptions", form: Format, obstacles: Sequence[SpbError]
) -> None:
    """Print what keeps the run from starting, then its calls and their cost."""
    from engine.collect.forecast.forecasts import forecast
    from engine.collect.run.prepared_run import cap_of

    costs = forecast(config, store, options)
    if form == "json":
        for each in obstacles:
            say(f"the run would not start: {each}", caution=True)
        print(json.dumps({**costs.to_dict(), "obstacles": [str(each) for each in obstacles]}))
        return
    print_sentences([f"The run would not start: {each}." for each in obstacles])
    print_sentences([_cost_words(costs, cap_of(config, options))])
    print()
    heads = _FORECAST | (_CACHED if costs.total.cached else {})
    lines = ([value_text(getattr(line, name)) for name in heads] for line in (*costs.lines, costs.total))
    print_columns(heads.values(), lines, keys=list(heads.values())[:4])
    say("nothing was called; token counts are estimates" + (f"; {costs.note}" if costs.note else ""))
    say(place_words(config, store, options))
    for sentence in (*costs.guesses, *costs.remarks):
        say(sentence)
    if costs.total.calls:
        say(costs.time.words())
    elif costs.already_done:
        say("the run is complete; what another takes is said with --dry-run --fresh")


def place_words(config: "RunConfig", store: "Store", options: "RunOptions") -> str:
    """Return the study and the run that answers and judgments are added to."""
    from engine.collect.run.continuing import judges_by_run, judges_of, run_to_continue
    from engine.store.publish import is_study
    from engine.store.study_files import StudyFiles

    place = store.location.child(config.study)
    if not is_study(place):
        return f"a new study is written from {config.data!r}: {config.study!r} in {store.root!r}"
    rows = StudyFiles(place).table("runs").to_pylist()
    run_id, runs = run_to_continue(rows, config, options), judges_by_run(rows)
    if run_id in runs:
        judges = f" (judges so far: {join_names(sorted(runs[run_id]))})" if runs[run_id] else ""
        run_words = f"in its run {run_id!r}, which is continued{judges}; --fresh begins another"
    else:
        run_words = "as a new run"
        run_words += ", since its others have other judges" if runs and not (run_id or options.fresh) else ""
    parts = "answers and judgments" if config.generators else "judgments"
    words = f"new {parts} are added to the study {config.study!r} in {store.root!r}, {run_words}"
    elsewhere = {judge for run, judges in runs.items() if run != run_id for judge in judges}
    if repeated := judges_of(config) & elsewhere - runs.get(run_id or "", set()):
        words += (
            f"; other runs have judgments by {join_names(sorted(repeated))}, which this run does not count: "
            "leave out of `judges` whom you do not want to ask again"
        )
    return words


_FORECAST = {
    "model": "Model",
    "role": "Role",
    "paradigm": "Paradigm",
    "variant": "Variant",
    "calls": "Calls",
    "prompt_tokens": "Tokens sent",
    "completion_tokens": "Tokens received",
    "cost_usd": "Dollars",
    "cost_usd_low": "If short",
    "cost_usd_high": "If long",
}
_CACHED = {"cached": "Cached calls", "saved_usd": "Dollars saved"}
"""The columns of a forecast, each under its head; short and long are the answers."""


def _cost_words(costs: "Forecast", cap: float | None) -> str:
    """Return how many calls a run makes, what they cost and why that varies, and whether a cap covers it."""
    from engine.collect.forecast.question_power import CostRange

    calls, cost = quantity(costs.total.calls, "call"), CostRange.of(costs.total)
    if not costs.total.calls:
        return "No call is left to make."
    if cost is None:
        return f"{calls}, of unknown cost: no price is known of {join_names(list(costs.unpriced))}."
    if not cost.high:
        return f"{calls}, at no cost."
    if costs.unbounded:
        words = f"{cost.words_without_bound()}: set max_tokens in the params of {join_names(costs.unbounded)}"
    else:
        words = f"{cost.words()}; the range is that of usual lengths of answers, which max_tokens bounds"
    if cap is None:
        return f"{calls}, for {words}."
    is_bounded = costs.most_usd is not None and costs.most_usd <= cap - costs.spent_usd
    of_cap = cost.within(cap, spent=costs.spent_usd, is_bounded=is_bounded)
    return f"{calls}, for {words}. {sentence_case(of_cap)}."


def value_text(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.4f}"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))
