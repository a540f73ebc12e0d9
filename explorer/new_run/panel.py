"""The run that is watched, and the list of all runs."""

import tomllib
from collections.abc import Iterable

import streamlit as st
import tomli_w

from engine.collect.run.shortcomings import unread_calls
from engine.collect.watch.watched_runs import WatchedRun, all_runs, watched_run
from engine.collect.watch.watched_shards import shard_sentences, state_words
from engine.paradigms import SHORTFALLS
from engine.phrases import dollars
from engine.store import Store
from engine.store.publish import replace_file
from engine.words.plain_names import on_page
from explorer import data, permissions
from explorer.new_run import run_processes, run_progress
from explorer.new_run.form import RunPlace
from explorer.parts import components, selection
from explorer.parts.context import open_page

_POLLING = "_run_polled"
_EVIDENT = ("starting", "done", "unread", "interrupted")
"""States that say it all, with the calls answered; of others the run's own last message is shown too."""
_EVERY_S = 1.0

_RUN_COLUMNS = {"run": "Run", "study": "Study", "state": "State", "answered": "Answered"}
_RUN_COLUMNS |= {"cost": "US dollars", "started": "Started"}


def watched_panel(place: RunPlace) -> None:
    """Show the run in the address, refreshed every second while it is active."""
    run_name = _watched_run()
    if run_name is None or not permissions.visible_studies([run_name[0]]):
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
    return run, (run is not None and run.active) or run_processes.is_alive(run_id) is True


def _panel(place: RunPlace, study: str, run_id: str) -> None:
    run, active = _status(place, study, run_id)
    with st.container(border=True, key="watched_run"):
        if run is None:
            words = "is starting." if active else "is not in this store, or never started."
            st.text(f"Run {run_id} of {study} {words}")
        else:
            _show_run(place, run, active=active)
        if not active and (run is None or run.state in ("failed", "lost")):
            st.text(run_processes.last_line(place.root, study, run_id) or "")
    if active != (_POLLING in st.session_state):  # the page must start polling, or stop
        was_watched = st.session_state.pop(_POLLING, None) is not None
        if was_watched and run is not None and run.state == "done":
            open_page("judges", study=(run.study,))
        st.rerun()


def _show_run(place: RunPlace, run: WatchedRun, *, active: bool) -> None:
    state = "starting" if active and not run.active else run.state
    st.text(f"Run {run.run_id} of {run.study} {run_progress.STATES.get(state, state)}.")
    st.progress(run.share)
    st.text(run_progress.progress_words(run.status))
    for sentence in shard_sentences(run.status):
        st.text(sentence)
    for sentence in run_progress.troubles(run.status):
        st.text(sentence)
    evident = state in _EVIDENT or (state == "errors" and run.status["error"])
    if not evident and run.status.get("message"):
        st.text(on_page(str(run.status["message"])))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if run.active and permissions.may_write():
            st.button(
                "Cancel", key="cancel_run", icon=":material/stop:", on_click=run_processes.cancel, args=(run,)
            )
        if state not in ("done", "failed") and not active and permissions.may_write():
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
    if not active and permissions.may_write() and run.study in place.studies:
        _redo(place, run)


def _cap_key(run: WatchedRun) -> str:
    return f"cap_{run.run_id}"


def _go_on(root: str, run: WatchedRun) -> None:
    """Resume a run, with the cap that was entered if it had stopped at one."""
    run_processes.resume(root, run, cap=st.session_state.get(_cap_key(run)))


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
    for sentence in run_progress.remedies({kind: counts[kind] for kind in SHORTFALLS if kind in counts}):
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
                run_processes.resume(place.root, run, kind)
                st.rerun()


def raise_limit(run: WatchedRun, models: Iterable[str], tokens: int) -> None:
    """Set `max_tokens` of models in the configuration of a run to resume. Raises UsageError like `start`."""
    permissions.check_writable(run.study)
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
    visible = set(permissions.visible_studies({run.study for run in all_of_store}))
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
    return {
        "run": run.run_id,
        "study": run.study,
        "state": state_words(run.state, status),
        "answered": f"{status.get('done', 0):,} of {status.get('total', 0):,}",
        "cost": "–" if run.cost_usd is None else dollars(run.cost_usd),
        "started": str(run.first_started_at or "")[:19].replace("T", " "),
    }
