"""New run: choose, see what it takes, start, watch; the verdicts appear in the study."""

import streamlit as st

from engine.read_only import read_only
from explorer import address, askable, choosing_run, components, context, run_panel, run_words, runs
from explorer.run_form import configuration

_ASKED = "_forecast"
_OWN_MODELS = (
    f"Models of your own: write a [models.NAME] for each into {askable.MODELS_FILE} in the store, or into "
    "the file that SPB_MODELS names, as docs/runs.md shows."
)


def render(here: context.Context) -> None:
    """Show the run that is watched, the form, what it would take, and all runs of the store."""
    run_panel.watched_panel(here)
    if read_only():
        components.say("This explorer is read only: runs are started elsewhere.", key="read_only")
    else:
        _form(here)
    run_panel.listed(here)


def _form(here: context.Context) -> None:
    st.subheader("A new run", anchor=False)
    wanted = choosing_run.chosen(here, askable.askable(here.root))
    text = configuration(wanted, here.root)
    told = st.session_state.get(_ASKED)
    found = told[1] if told and told[0] == text else None
    with st.container(horizontal=True, vertical_alignment="center"):
        looked = st.button(
            "Look ahead", key="look_ahead", icon=":material/calculate:", disabled=wanted.lacking is not None
        )
        ready = found is not None and not found.missing_keys
        started = st.button(
            "Start", key="start_run", type="primary", icon=":material/play_arrow:", disabled=not ready
        )
        st.text(wanted.lacking or ("" if found else "Look ahead to see what it takes; nothing is called."))
    if looked and wanted.lacking is None:
        with st.spinner("Counting calls …"):
            found = runs.forecast(here.root, text)
        st.session_state[_ASKED] = (text, found)
        st.rerun()
    if started:
        st.session_state.pop(_ASKED, None)
        run_id = runs.start(here.root, wanted.study.strip(), text)
        address.choose("started", f"{wanted.study.strip()}/{run_id}")
        st.rerun()
    if found is not None:
        run_words.show_forecast(found, wanted)
    with st.expander("The configuration, for the command line", key="run_config"):
        st.code(text, language="toml")
    components.note(_OWN_MODELS, key="more_models")


context.show(render)
