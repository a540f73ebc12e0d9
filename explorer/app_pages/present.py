"""Present: the board, findings and pinned views one on a screen, moved by keys."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from engine import __version__
from engine.explore.doctor import single_orders
from engine.findings.claims import Findings
from engine.measures.result import Result
from engine.measures.votes import SINGLE
from engine.report.content import SIMULATED, taken
from engine.report.exhibit import Exhibit, kinds_of_doubt, number_of, unfolded
from engine.report.stories import MAIN, pins_of
from engine.store.study_files import StudyInfo
from engine.words import conclusions, counted, left_out
from engine.words.votes import leaders
from explorer import data
from explorer.parts import address, context
from explorer.workbench import board, votes
from explorer.workbench import pins as pinned_views
from explorer.workbench.pins import Presented, Screen

FOLDER = Path(__file__).parents[1] / "workbench"
STYLE = FOLDER / "present.css"
KEYS = (
    ("Next", "Right", 1),
    ("Next too", "Space", 1),
    ("Next again", "PageDown", 1),
    ("Previous", "Left", -1),
    ("Previous again", "PageUp", -1),
)
HELP = "   ·   ".join(
    ("Right, Space: next", "Left: back", "Home, End: first, last", "N: notes", "?: these keys", "Esc: leave")
)
MOST_ROWS = 10  # of a table that is shown where there is no chart
MOST_JUDGES = 12  # of the board on the first screen
SHAPE = 2.5  # the width of a picture for each pixel of its height: what a screen has left under the sentence
SMALL = 270  # pixels of a claim's chart in height: drawn small, it grows with its writing

NOTES, SHOWN_KEYS = "_present_notes", "_present_keys"
_BROWSER = st.components.v2.component("spb_present", js=(FOLDER / "present.js").read_text("utf-8"))


def render(here: context.Context) -> None:
    """Show one screen, and nothing that could be clicked."""
    st.html(STYLE)
    info = data.files(here.root, here.name).info
    story = _one_of("story", pinned_views.stories(info)) or MAIN
    show = _one_of("show", pinned_views.PRESENTED)
    findings = None if show == "pins" else data.findings(here.key)
    pins = () if show == "findings" else pins_of(info, story)
    shown = pinned_views.presented(findings, pins, address.value("screen"), doubtful=show == "all")
    _steps(shown)
    with st.container(key="screen", gap="small"):
        _over(here, info, shown)
        foot = _screen(here, info, shown.screen, findings)
        if st.session_state.get(SHOWN_KEYS) or shown.place == 0:
            _say("keys", HELP)
        _say("basis", f"Rests on: study {here.name} ({info.provenance}); {foot} spb-explorer {__version__}.")


def _one_of(key: str, allowed: tuple[str, ...]) -> str | None:
    """Return what is chosen for a key; what is not there is said and left out."""
    text = address.value(key)
    if text is not None and text not in allowed:
        st.text(f"There is no {key} {text!r} in this study; it was left out.")
        address.view().pop(key)
        return None
    return text


def _steps(shown: Presented) -> None:
    """Listen to the keys; what they press is hidden."""
    last = len(shown.screens) - 1
    with st.container(key="steps"):
        for label, key, step in KEYS:
            _step(label, key, shown.at(shown.place + step))
        _step("First", "Home", shown.at(0))
        _step("Last", "End", shown.at(last))
        st.button("Notes", shortcut="N", key="step_notes", on_click=_turn, args=(NOTES,))
        st.button("Keys", key="step_keys", on_click=_turn, args=(SHOWN_KEYS,))
        if st.button("Leave", shortcut="Esc", key="step_leave"):
            context.open_page("judges")
        _BROWSER(key="present_keys")


def _turn(name: str) -> None:
    st.session_state[name] = not st.session_state.get(name)


def _step(label: str, key: str, name: str) -> None:
    st.button(label, shortcut=key, key=f"step_{key.lower()}", on_click=address.choose, args=("screen", name))


def _over(here: context.Context, info: StudyInfo, shown: Presented) -> None:
    """Say what is presented, how far it has come, and first of all that it is simulated."""
    warning = SIMULATED.get(info.provenance)
    with st.container(horizontal=True, key="over", gap="medium"):
        if warning is not None:
            with st.container(key="warning", width="content"):
                st.text(warning.partition(".")[0] + ".", width="content")
        place = f"{shown.place + 1} of {len(shown.screens)}"
        st.text(f"{info.title or here.name}   ·   {place}", width="content")
    _say("marked_screen", *filter(None, (shown.lost,)))


def _screen(here: context.Context, info: StudyInfo, screen: Screen, findings: Findings | None) -> str:
    """Show a sentence and a picture; return what they rest on."""
    if screen.pin is not None:
        view, lost = unfolded(info, screen.pin.view)
        shown = data.pinned(here.key, screen.pin.page, data.flags_of(view))
        _say("title", screen.pin.title)
        _notes(*lost, *shown.problems, *shown.sentences[:2], note=screen.pin.note)
        _say("marked", *lost, *shown.problems)
        _picture(shown)
        return " ".join(shown.basis)
    if screen.claim is not None and findings is not None:
        return _claim(here, findings, screen.claim)
    return _board(here, info)


def _board(here: context.Context, info: StudyInfo) -> str:
    """Show the board with the sentence that concludes; without one votes on pairs, or the study's title."""
    result = board.scorecard(here.key)
    if result is None and (of_study := votes.of_study(here)) is not None:
        return _votes(here, of_study)
    if result is None:
        with st.container(key="cover"):
            _say("title", info.title or here.name)
        return f"{counted(data.sizes(here.key)['judgment'], 'judgment')}."
    _say("title", conclusions.study_sentence(result.rows))
    drawn = data.figure(here.key, "board", (), (MOST_JUDGES, False))
    judges = drawn.rows["judge"].nunique()
    high = float(drawn.spec["height"]["step"]) * judges
    wide = max(640, int(SHAPE * high))
    _picture(Exhibit(chart={**drawn.spec, "height": high, "width": wide}, caption="The board of judges"))
    more = f"the first {judges} of {len(result.rows)} judges; " if judges < len(result.rows) else ""
    n = counted(data.sizes(here.key)["judgment"], "judgment")
    return f"{more}{taken(result.filters)}; {n}."


def _votes(here: context.Context, of_study: Result) -> str:
    """Show how often each model wins by each judge, with whom the judges rank first."""
    _say("title", *leaders(of_study.rows))
    cautions = [caution.text for caution in single_orders(of_study.filters.get(SINGLE) or ())]
    _say("marked", *cautions)
    _notes(data.unknown_self_preference(here.key))
    drawn = data.figure(here.key, "win_rates", ())
    _picture(Exhibit(chart=drawn.spec, caption=votes.WINS))
    n = counted(data.sizes(here.key)["judgment"], "judgment")
    return f"{taken(of_study.filters)}; {n}. {left_out(of_study.left_out)}"


def _claim(here: context.Context, findings: Findings, claim_id: str) -> str:
    """Show a claim: its sentence and its chart; its doubts where it has any."""
    claim = findings.of(claim_id)
    _say("title", claim.sentence)
    doubts = [f"{words.capitalize()}: {'; '.join(whys)}." for words, whys in kinds_of_doubt(claim)]
    _say("marked", *(doubt for doubt in doubts if not doubt.startswith("Simulated")))
    _notes("   ·   ".join(number_of(claim)), left_out(claim.left_out))
    drawn = data.figure(here.key, "claim", (), (claim_id, int(SHAPE * SMALL)))
    if drawn.spec:
        _picture(Exhibit(chart={**drawn.spec, "height": SMALL}, caption=claim.sentence))
    else:
        _picture(data.behind(here.key, claim_id))
    return f"{'; '.join(number_of(claim))}; {left_out(claim.left_out)}"


def _notes(*sentences: str, note: str = "") -> None:
    """Show the presenter's notes where they are turned on."""
    if st.session_state.get(NOTES):
        _say("notes", *filter(None, (note, *sentences)))


def _picture(shown: Exhibit) -> None:
    """Show the chart, or where there is none the first rows of its table."""
    with st.container(key="picture"):
        if shown.chart:
            st.vega_lite_chart(large(shown.chart), width="content", alt=shown.caption)
        elif shown.table is not None:
            rows = [dict(zip(shown.table.heads, row, strict=True)) for row in shown.table.rows[:MOST_ROWS]]
            st.dataframe(rows, hide_index=True, height="content", key="numbers")


def large(chart: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chart that keeps its shape: the screen makes it as large as there is room."""
    return {**chart, "autosize": {"type": "pad"}}


def _say(key: str, *sentences: str) -> None:
    if sentences:
        with st.container(key=key, gap=None):
            for sentence in sentences:
                st.text(sentence)


context.show(render)
