"""New run: configure, estimate, start and watch a run; the verdicts appear in the study."""

import streamlit as st

from explorer import permissions
from explorer.new_run import available_models, form, panel, run_choices, run_processes, run_progress, trials
from explorer.new_run.form import RunPlace
from explorer.new_run.model_form import choose_added, show_model_form
from explorer.new_run.run_choices import configuration
from explorer.parts import components, selection
from explorer.parts.context import Context, show_page
from explorer.team import refusals

_FORECAST = "_forecast"
_TRIALS = "_trials"


def render(context: Context) -> None:
    """Show the watched run, the form, its estimate, and all runs of the store."""
    has_rubrics = bool(context.study.index.n_rubrics)
    _show(RunPlace(context.root, context.studies, context.name, has_rubrics))


def first(root: str) -> None:
    """Show the same where there is no study yet: the run makes the first."""
    _show(RunPlace(root))


def _show(place: RunPlace) -> None:
    panel.watched_panel(place)
    if (refusal := permissions.writing_refusal()) is not None:
        refusals.show_writing_refusal(refusal)
    else:
        _form(place)
    panel.show_runs(place)


def _form(place: RunPlace) -> None:
    choose_added()
    choices = form.choose_run(place, available_models.available_models(place.root))
    show_model_form(place.root)
    text = configuration(choices, place.root)
    cached = st.session_state.get(_FORECAST)
    basis = (text, choices.questions)
    forecast = cached[1] if cached and cached[0] == basis else None
    with st.container(horizontal=True, vertical_alignment="center"):
        estimate_now = st.button(
            "Estimate", key="look_ahead", icon=":material/calculate:", disabled=choices.lacking is not None
        )
        ready = forecast is not None and not forecast.obstacles
        start_now = st.button(
            "Start", key="start_run", type="primary", icon=":material/play_arrow:", disabled=not ready
        )
        st.text(
            choices.lacking
            or (
                ""
                if forecast
                else "Estimate first: this counts calls, tokens and cost without calling a model."
            )
        )
    warning = run_choices.blind_spot(choices, run_choices.answerer_families(choices, place.root))
    if warning is not None:
        with st.container(key="blind_spot", border=True):
            st.text(f"⚠ {warning}")
    if estimate_now and choices.lacking is None:
        with st.spinner("Counting calls …"):
            forecast = run_processes.forecast(place.root, text, choices.questions)
        st.session_state[_FORECAST] = (basis, forecast)
        st.rerun()
    if start_now and (answered := _all_answer(basis, choices)) is not None:
        st.session_state.pop(_FORECAST, None)
        text = configuration(answered, place.root)
        run_id = run_processes.start(place.root, choices.study.strip(), text, choices.questions)
        selection.choose("started", f"{choices.study.strip()}/{run_id}")
        st.rerun()
    outcome = st.session_state.get(_TRIALS)
    if outcome is not None and outcome[0] == basis:
        components.say(*outcome[1], key="failed_models")
    if forecast is not None:
        run_progress.show_forecast(forecast, choices)
    with st.expander("Configuration as a file", key="run_config"):
        st.code(text, language="toml")


def _all_answer(basis: object, choices: run_choices.RunChoices) -> run_choices.RunChoices | None:
    """Call each model once, but for simulated ones; return the run, with what that cost.

    None where a model fails, or nothing is left to spend; the page says why.
    """
    st.session_state.pop(_TRIALS, None)
    permissions.check_writable(choices.study.strip())  # before a call is paid
    served = {
        name: table
        for name, table in choices.called_models.items()
        if not available_models.is_simulated(table)
    }
    with st.spinner("Calling each model once …"):
        outcomes = trials.call_each(served)
    if obstacles := trials.failure_sentences(outcomes) or trials.overspent(choices, outcomes):
        st.session_state[_TRIALS] = (basis, obstacles)
        return None
    return trials.with_cost(choices, outcomes)


show_page(render, first)
