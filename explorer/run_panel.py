"""The run that is watched, and the list of all runs."""

import pandas as pd
import streamlit as st

from engine.read_only import read_only
from engine.runner.watching import Watched, all_runs, watched
from engine.store import Store
from explorer import address, components, context, data, open_studies, run_words, runs

_POLLING = "_run_polled"
_EVERY_S = 0.5

_COLUMNS = {
    "run": st.column_config.TextColumn("Run"),
    "study": st.column_config.TextColumn("Study"),
    "state": st.column_config.TextColumn("State"),
    "answered": st.column_config.TextColumn("Answered"),
    "cost": st.column_config.TextColumn("US dollars"),
    "started": st.column_config.TextColumn("Started"),
}


def watched_panel(here: context.Context) -> None:
    """Show the run of the address, anew twice a second while it is at work."""
    named = _named()
    if named is None or not open_studies.seen([named[0]]):
        return
    _, active = _now(here, *named)
    if active:
        st.session_state[_POLLING] = named
    st.fragment(_panel, run_every=_EVERY_S if active else None)(here, *named)


def _named() -> tuple[str, str] | None:
    """Return the study and id of the run in the address."""
    study, slash, run_id = (address.value("started") or "").rpartition("/")
    return (study, run_id) if slash and study and run_id and "/" not in study else None


def _now(here: context.Context, study: str, run_id: str) -> tuple[Watched | None, bool]:
    """Return what a run has told, and whether it or a process of this server is at work on it."""
    run = watched(Store(here.root), study, run_id)
    return run, (run is not None and run.active) or runs.at_work(run_id) is True


def _panel(here: context.Context, study: str, run_id: str) -> None:
    run, active = _now(here, study, run_id)
    with st.container(border=True, key="watched_run"):
        if run is None:
            words = "is starting." if active else "is not in this store, or did not begin."
            st.text(f"Run {run_id} of {study} {words}")
        else:
            _told(here, run, active=active)
        if not active and (run is None or run.state != "done"):
            st.text(runs.last_words(here.root, study, run_id) or "")
    if active != (_POLLING in st.session_state):  # the page is to begin asking, or to stop
        st.session_state.pop(_POLLING, None)
        st.rerun()


def _told(here: context.Context, run: Watched, *, active: bool) -> None:
    state = "starting" if active and not run.active else run.state
    st.text(f"Run {run.run_id} of {run.study} {run_words.STATES.get(state, state)}.")
    st.progress(run.share)
    st.text(run_words.counted(run.told))
    if state != "done" and run.told.get("message"):
        st.text(str(run.told["message"]))
    with st.container(horizontal=True):
        if run.active and not read_only():
            st.button("Cancel", key="cancel_run", icon=":material/stop:", on_click=runs.cancel, args=(run,))
        if state not in ("done", "failed") and not active and not read_only():
            st.button("Go on", key="go_on", icon=":material/resume:", on_click=_go_on, args=(here.root, run))
        shown = not active and run.study in here.studies
        if shown and st.button("Open the verdicts", key="open_run", icon=":material/gavel:", type="primary"):
            _open(here, run)


def _open(here: context.Context, run: Watched) -> None:
    """Go to the run's verdicts; where the study has no other run, they are all there are."""
    ids = data.files(here.root, run.study).table("runs", ["run_id"])["run_id"].to_pylist()
    chosen = (run.run_id,) if len(set(ids)) > 1 else ()
    context.open_page("verdicts", study=(run.study,), run=chosen, show=("all",), item=())


def _go_on(root: str, run: Watched) -> None:
    runs.go_on(root, run)


def listed(here: context.Context) -> None:
    """Show all runs of the store; choosing one watches it."""
    every = all_runs(Store(here.root))
    shown = set(open_studies.seen({run.study for run in every}))
    found = [run for run in every if run.study in shown]
    if not found:
        return
    st.subheader("Runs of this store", anchor=False)
    frame = pd.DataFrame([_row(run) for run in found], columns=list(_COLUMNS))
    row = components.table(frame, _COLUMNS, "runs", selectable=True)
    if row is not None:
        chosen = f"{found[row].study}/{found[row].run_id}"
        if address.value("started") != chosen:
            address.choose("started", chosen)
            st.rerun()


def _row(run: Watched) -> dict[str, str]:
    told = run.told
    cost = told.get("cost_usd")
    return {
        "run": run.run_id,
        "study": run.study,
        "state": run.state,
        "answered": f"{told.get('done', 0):,} of {told.get('total', 0):,}",
        "cost": "–" if cost is None else f"{cost:,.4f}",
        "started": str(told.get("started_at", ""))[:19].replace("T", " "),
    }
