"""A run: started, watched, cancelled, and described."""

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
import tomli_w

from engine.collect.question_power import CostRange, limits_words, power_words
from engine.collect.run_folder import RunFolder, new_run_id, run_folder, run_path
from engine.collect.run_status import cache_words, shortfall_words
from engine.collect.shortcomings import unread_calls
from engine.collect.watched_runs import WatchedRun, all_runs, stop, watched_run
from engine.errors import SpbError
from engine.importers.question_checks import Questions
from engine.paradigms import PAIR_PARADIGMS, SHORTFALLS
from engine.phrases import quantity, sentence_case
from engine.store import Store
from engine.store.publish import replace_file
from explorer import data
from explorer.new_run.form import RunChoices, RunPlace, family_name
from explorer.new_run.own_questions import FILE
from explorer.new_run.run_settings import PARADIGM_WORDS
from explorer.parts import components, selection
from explorer.parts.context import open_page

# ------------------------------------------------------------------------------
# Runs from the page: each is the command `spb run` in a process of its own, which outlives the page.


_OUTPUT = "output"
"""What the process printed, in the run's folder."""


class ForecastError(SpbError):
    """The configuration of a run is wrong, or cannot be estimated; the message is the command's."""


@dataclass(frozen=True)
class PlannedCalls:
    """The calls of a planned run: the lines and sums of `spb run --dry-run --format json`."""

    facts: dict[str, Any]

    @property
    def calls(self) -> int:
        """Calls that would be made."""
        return int(self.facts["planned"])

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The calls by model, role and paradigm."""
        return list(self.facts["by_judge"])

    @property
    def missing_keys(self) -> dict[str, str]:
        """The models whose key is not set, and the variable each needs."""
        return dict(self.facts.get("missing_keys", {}))


@st.cache_resource(show_spinner=False)
def _processes() -> list["subprocess.Popen[bytes]"]:
    """Hold the processes of this server, so that ended ones can be polled and leave no zombies."""
    return []


def forecast(root: str, text: str, questions: Questions | None = None) -> PlannedCalls:
    """Estimate the calls of a configuration; calls nothing and does not touch the store.

    `questions` are the user's own, which the configuration reads beside it.
    Raises ForecastError with the command's message.
    """
    with tempfile.TemporaryDirectory(prefix="spb-") as folder:
        config = Path(folder) / "run.toml"
        config.write_text(text, "utf-8")
        _write_questions(config, questions)
        process = subprocess.run(  # noqa: S603 - our own command
            [*_run(config, root), "--fresh", "--dry-run", "--format", "json"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment(),
            check=False,
        )
    if process.returncode:
        message = _last_line(process.stderr).replace(f"{config}: ", "")
        raise ForecastError(message or "the run could not be estimated")
    return PlannedCalls(json.loads(process.stdout.decode().splitlines()[-1]))


def _write_questions(config: Path, questions: Questions | None) -> None:
    if questions is not None:
        replace_file(config.with_name(FILE), questions.to_jsonl().encode())


def start(root: str, study: str, text: str, questions: Questions | None = None) -> str:
    """Start a run in a process of its own and return its id, without waiting for it.

    `questions` are as in `forecast`.
    Raises UsageError if the explorer is read only or the visitor may not write the study, UsageError or
    StoreError if the run's folder cannot be created.
    """
    data.check_writable(study)
    run_id = new_run_id()
    folder = run_folder(Store(root), study, run_id)
    _write_questions(folder.config, questions)
    replace_file(folder.config, text.encode())
    _launch(root, folder, run_id)
    return run_id


def resume(root: str, run: WatchedRun, redo: str | None = None, cap: float | None = None) -> None:
    """Resume a run that ended before it was done. Raises the same errors as `start`.

    `redo` is a status whose judgments are requested again. Without a new `cap` the run keeps its own, which
    may have been given on the command line alone, and one that was begun without stays without.
    """
    data.check_writable(run.study)
    cap = run.status.get("max_usd") if cap is None else cap
    options = [f"--max-usd={cap}"] if cap is not None else ["--no-cap"] if run.status.get("no_cap") else []
    options += [f"--redo={redo}"] if redo else []
    _launch(root, run.folder, run.run_id, *options)


def cancel(run: WatchedRun) -> None:
    """End a run gracefully, keeping its answers. Raises UsageError like `start`."""
    data.check_writable(run.study)
    stop(run)


def last_line(root: str, study: str, run_id: str) -> str | None:
    """Return the last line that a run's process printed; None if there is none."""
    for process in _processes():
        process.poll()  # so that an ended one leaves no zombie
    place = run_path(Store(root), study, run_id)
    try:
        return _last_line((place / _OUTPUT).read_bytes()) or None
    except OSError:
        return None


def is_alive(run_id: str) -> bool | None:
    """Return whether this server's process of the run is alive; None if this server started none."""
    processes = [each for each in _processes() if isinstance(each.args, list) and run_id in each.args]
    return any(each.poll() is None for each in processes) if processes else None


def _launch(root: str, folder: RunFolder, run_id: str, *options: str) -> None:
    with (folder.path / _OUTPUT).open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [*_run(folder.config, root), "--run-id", run_id, *options],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=environment(),
            start_new_session=True,  # Ctrl-C in the server's terminal is not meant for the run
        )
    _processes().append(process)


def _run(config: Path, root: str) -> list[str]:
    return [sys.executable, "-m", "engine.cli", "run", str(config), "--store", root]


def environment() -> dict[str, str]:
    """Return the environment of a run: this process's, and Streamlit's secrets that are plain texts."""
    try:
        secrets = {name: value for name, value in st.secrets.items() if isinstance(value, str)}
    except FileNotFoundError:  # Streamlit's way to say that there are none
        secrets = {}
    return {**secrets, **os.environ}


def _last_line(output: bytes) -> str:
    """Return the last line of what a command printed, without the word error."""
    lines = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ") if lines else ""


# ------------------------------------------------------------------------------
# A run's estimate and progress, in words and tables.


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
}

_ESTIMATE_COLUMNS = {
    "model": "Model",
    "role": "Role",
    "paradigm": "Paradigm",
    "calls": st.column_config.NumberColumn("Calls", format="localized"),
    "prompt_tokens": st.column_config.NumberColumn("Tokens sent", format="localized"),
    "completion_tokens": st.column_config.NumberColumn("Tokens received", format="localized"),
    "cost_usd": st.column_config.NumberColumn("US dollars", format="%.4f"),
}

SECONDS_PER_CALL = 2.0
"""Assumed seconds that a call to a served model takes."""

IN_FLIGHT = 64


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
        time_needed = duration(forecast.calls * SECONDS_PER_CALL / IN_FLIGHT)
        free = "" if choices.paid else "The models cost nothing. "
        sentences.append(
            f"{free}It takes {time_needed} if a call lasts {SECONDS_PER_CALL:g} s and {IN_FLIGHT} are in "
            "flight."
        )
    sentences += [
        f"{model} needs its key: set the environment variable {variable}."
        for model, variable in forecast.missing_keys.items()
    ]
    if facts.get("cached"):
        saved = f", which saves {facts['saved_usd']:,.4f} US dollars" if facts["saved_usd"] else ""
        sentences.append(f"{facts['cached']:,} more calls come from the cache{saved}.")
    sentences += [f"{sentence[:1].upper()}{sentence[1:]}." for sentence in facts.get("guesses", [])]
    sentences += [f"{sentence_case(words)}." for words in _prospects(facts, choices)]
    if facts.get("note"):
        sentences.append(f"{facts['note'][:1].upper()}{facts['note'][1:]}.")
    components.say(*sentences, key="forecast")
    # Models that answer have no paradigm.
    lines = [line | {"paradigm": PARADIGM_WORDS.get(line["paradigm"], "–")} for line in forecast.lines]
    components.table(lines, _ESTIMATE_COLUMNS, "forecast_table")


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
            parts.append(f"{duration(facts['seconds_left'])} left")
    if facts.get("cached"):
        parts.append(cache_words(facts["cached"], facts["saved_usd"]))
    cost = facts["cost_usd"]
    if cost is None or cost > 0:
        parts.append("cost unknown" if cost is None else f"{cost:,.4f} US dollars")
    return ", ".join(parts) + "."


def troubles(status: dict[str, Any]) -> list[str]:
    """Return the commonest error messages; while a run is active also shortfalls and its pace."""
    sentences = [f"{count:,} times: {words}" for words, count in status.get("error_words") or []]
    if status.get("finished_at") is None:
        sentences = remedies(status.get("shortfalls") or {}) + sentences
        sentences += [f"{words}." for words in status.get("pace") or []]
    return sentences


def remedies(shortfalls: Mapping[str, int]) -> list[str]:
    """Return how many answers could not be parsed and why, each with its remedy."""
    return [f"{words}.".replace("`", "") for words in shortfall_words(shortfalls)]


def duration(seconds: float) -> str:
    """Return a time in the largest unit that fits."""
    for unit, size in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"about {seconds / size:.0f} {unit}"
    return f"about {max(seconds, 1):.0f} s"


# ------------------------------------------------------------------------------
# The run that is watched, and the list of all runs.


_POLLING = "_run_polled"
_EVIDENT = ("starting", "done", "unread", "interrupted")
"""States that say it all, with the calls answered; of others the run's own last message is shown too."""
_EVERY_S = 1.0

_RUN_COLUMNS = {"run": "Run", "study": "Study", "state": "State", "answered": "Answered"}
_RUN_COLUMNS |= {"cost": "US dollars", "started": "Started"}


def watched_panel(place: RunPlace) -> None:
    """Show the run in the address, refreshed every second while it is active."""
    run_name = _watched_run()
    if run_name is None or not data.visible_studies([run_name[0]]):
        return
    _, active = _status(place, *run_name)
    if active:
        st.session_state[_POLLING] = run_name
    st.fragment(_panel, run_every=_EVERY_S if active else None)(place, *run_name)


def _watched_run() -> tuple[str, str] | None:
    study, slash, run_id = (selection.value("started") or "").rpartition("/")
    return (study, run_id) if slash and study and run_id and "/" not in study else None


def _status(place: RunPlace, study: str, run_id: str) -> tuple[WatchedRun | None, bool]:
    """Return a run's status, and whether it or this server's process of it is active."""
    run = watched_run(Store(place.root), study, run_id)
    return run, (run is not None and run.active) or is_alive(run_id) is True


def _panel(place: RunPlace, study: str, run_id: str) -> None:
    run, active = _status(place, study, run_id)
    with st.container(border=True, key="watched_run"):
        if run is None:
            words = "is starting." if active else "is not in this store, or never started."
            st.text(f"Run {run_id} of {study} {words}")
        else:
            _show_run(place, run, active=active)
        if not active and (run is None or run.state in ("failed", "lost")):
            st.text(last_line(place.root, study, run_id) or "")
    if active != (_POLLING in st.session_state):  # the page must start polling, or stop
        was_watched = st.session_state.pop(_POLLING, None) is not None
        if was_watched and run is not None and run.state == "done":
            open_page("judges", study=(run.study,))
        st.rerun()


def _show_run(place: RunPlace, run: WatchedRun, *, active: bool) -> None:
    state = "starting" if active and not run.active else run.state
    st.text(f"Run {run.run_id} of {run.study} {STATES.get(state, state)}.")
    st.progress(run.share)
    st.text(progress_words(run.status))
    for sentence in troubles(run.status):
        st.text(sentence)
    evident = state in _EVIDENT or (state == "errors" and run.status["error"])
    if not evident and run.status.get("message"):
        st.text(str(run.status["message"]))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if run.active and data.may_write():
            st.button("Cancel", key="cancel_run", icon=":material/stop:", on_click=cancel, args=(run,))
        if state not in ("done", "failed") and not active and data.may_write():
            if state == "budget":
                cap = float(run.status.get("max_usd") or 0.0)
                st.number_input(
                    "Spending limit (US dollars)", cap, value=cap, step=0.5, key=_cap_key(run), width=240,
                    help="Raise it for the calls that are left",
                )  # fmt: skip
            st.button(
                "Resume", key="go_on", icon=":material/resume:", on_click=_go_on, args=(place.root, run)
            )
        ready = not active and run.study in place.studies
        if ready and st.button("Open the judges", key="open_judges", icon=":material/home:", type="primary"):
            open_page("judges", study=(run.study,))
        if ready and st.button("Open the verdicts", key="open_run", icon=":material/gavel:"):
            _open(place, run)
    if not active and data.may_write() and run.study in place.studies:
        _redo(place, run)


def _cap_key(run: WatchedRun) -> str:
    return f"cap_{run.run_id}"


def _go_on(root: str, run: WatchedRun) -> None:
    """Resume a run, with the cap that was entered if it had stopped at one."""
    resume(root, run, cap=st.session_state.get(_cap_key(run)))


_REDO_WORDS = {
    "cut_off": "cut off",
    "only_thinking": "all thinking",
    "empty": "empty",
    "malformed": "malformed",
    "unparsed": "unparsed",
    "refused": "refused",
    "error": "failed",
}
_TOO_SHORT = ("cut_off", "only_thinking")
"""Shortfalls that a higher token limit remedies."""


def _redo(place: RunPlace, run: WatchedRun) -> None:
    """Offer to retry, kind by kind, the calls without a verdict in the study."""
    study = data.files(place.root, run.study)
    counts = unread_calls(study, run.run_id)
    if not counts:
        return
    st.markdown("**Answers without a verdict**")
    for sentence in remedies({kind: counts[kind] for kind in SHORTFALLS if kind in counts}):
        st.text(sentence)
    limit = None
    if any(kind in counts for kind in _TOO_SHORT):
        limit = st.number_input(
            "Token limit of answers", 1, 1_000_000, None, key="redo_tokens",
            help="Sets max_tokens of models whose answers were too short; leave empty to keep it",
        )  # fmt: skip
    with st.container(horizontal=True):
        for kind, count in counts.items():
            label = f"Retry {count:,} {_REDO_WORDS[kind]}"
            if st.button(label, key=f"redo_{kind}", icon=":material/replay:"):
                if limit is not None and kind in _TOO_SHORT:
                    where = {"run_id": (run.run_id,), "shortfall": (kind,)}
                    models = study.judgments(["judge"], where)["judge"].unique().to_pylist()
                    models += study.table("responses", ["generator"], where)["generator"].unique().to_pylist()
                    raise_limit(run, dict.fromkeys(models), int(limit))
                resume(place.root, run, kind)
                st.rerun()


def raise_limit(run: WatchedRun, models: Iterable[str], tokens: int) -> None:
    """Set `max_tokens` of models in the configuration of a run to resume. Raises UsageError like `start`."""
    data.check_writable(run.study)
    config = tomllib.loads(run.folder.config.read_text("utf-8"))
    for name in models:
        config["models"][name].setdefault("params", {})["max_tokens"] = tokens
    replace_file(run.folder.config, tomli_w.dumps(config).encode())


def _open(place: RunPlace, run: WatchedRun) -> None:
    """Go to the run's verdicts, without a filter if the study has no other run."""
    ids = data.files(place.root, run.study).table("runs", ["run_id"])["run_id"].to_pylist()
    run_filter = (run.run_id,) if len(set(ids)) > 1 else ()
    open_page("workbench", study=(run.study,), run=run_filter, show=("all",), item=(), compare=())


def show_runs(place: RunPlace) -> None:
    """Show all runs of the store; choosing one watches it."""
    all_of_store = all_runs(Store(place.root))
    visible = set(data.visible_studies({run.study for run in all_of_store}))
    runs = [run for run in all_of_store if run.study in visible]
    if not runs:
        return
    st.subheader("All runs", anchor=False)
    row = components.table([_row(run) for run in runs], _RUN_COLUMNS, "runs", selectable=True)
    if row is not None:
        run_name = f"{runs[row].study}/{runs[row].run_id}"
        if selection.value("started") != run_name:
            selection.choose("started", run_name)
            st.rerun()


def _row(run: WatchedRun) -> dict[str, str]:
    status = run.status
    cost = status.get("cost_usd")
    return {
        "run": run.run_id,
        "study": run.study,
        "state": run.state,
        "answered": f"{status.get('done', 0):,} of {status.get('total', 0):,}",
        "cost": "–" if cost is None else f"{cost:,.4f}",
        "started": str(status.get("started_at", ""))[:19].replace("T", " "),
    }
