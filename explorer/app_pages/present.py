"""Present: findings and pinned views one on a screen, moved by keys; the address names the screen."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from engine.findings import QUESTIONS, Findings
from engine.report import Exhibit
from engine.report.content import SIMULATED
from engine.report.looked import unfolded
from engine.report.numbers import kinds_of_doubt, number_of
from engine.store import StudyInfo
from engine.stories import MAIN, pins_of
from engine.wording import left_out
from explorer import address, context, data, presenting
from explorer.presenting import Presented, Screen

STYLE = Path(__file__).parents[1] / "present.css"
KEYS = (
    ("Next", "Right", 1),
    ("Next too", "Space", 1),
    ("Next again", "PageDown", 1),
    ("Previous", "Left", -1),
    ("Previous again", "PageUp", -1),
)
MOST_ROWS = 10  # of a table that is shown where there is no chart
WIDTH = 960  # of a claim's chart, in pixels
LARGE = {"labelFontSize": 16, "titleFontSize": 16, "labelLimit": 300}
READABLE = {"autosize": {"type": "pad"}, "config": {"axis": LARGE, "legend": LARGE, "header": LARGE}}


def render(here: context.Context) -> None:
    """Show one screen, and nothing that could be clicked."""
    st.html(STYLE)
    info = data.files(here.root, here.name).info
    story = _one_of("story", presenting.stories(info)) or MAIN
    show = _one_of("show", presenting.SHOWN)
    found = None if show == "pins" else data.findings(here.key)
    pins = () if show == "findings" else pins_of(info, story)
    shown = presenting.presented(found, pins, address.value("screen"), doubtful=show == "all")
    _steps(shown)
    with st.container(key="screen", gap="small"):
        _over(here, info, shown, found)
        _screen(here, info, shown.screen, found)


def _one_of(key: str, allowed: tuple[str, ...]) -> str | None:
    """Return what is chosen for a key; what is not there is said and left out."""
    told = address.value(key)
    if told is not None and told not in allowed:
        st.text(f"There is no {key} {told!r} in this study; it was left out.")
        address.view().pop(key)
        return None
    return told


def _steps(shown: Presented) -> None:
    """Listen to the keys; what they press is hidden."""
    last = len(shown.screens) - 1
    with st.container(key="steps"):
        for label, key, step in KEYS:
            _step(label, key, shown.at(shown.place + step))
        _step("First", "Home", shown.at(0))
        _step("Last", "End", shown.at(last))
        if st.button("Leave", shortcut="Esc", key="step_leave"):
            context.open_page("overview")


def _step(label: str, key: str, name: str) -> None:
    st.button(label, shortcut=key, key=f"step_{key.lower()}", on_click=address.choose, args=("screen", name))


def _over(here: context.Context, info: StudyInfo, shown: Presented, found: Findings | None) -> None:
    """Say what is presented, how far it has come, and first of all that it is simulated."""
    question = _question(shown.screen, found)
    told = [info.title or here.name, *([question] if question else [])]
    warning = SIMULATED.get(info.provenance)
    with st.container(horizontal=True, key="over", gap="medium"):
        if warning is not None:
            with st.container(key="warning", width="content"):
                st.text(warning.partition(".")[0] + ".", width="content")
        st.text("   ·   ".join([*told, f"{shown.place + 1} of {len(shown.screens)}"]), width="content")
    _say("marked_screen", *filter(None, (shown.lost,)))


def _question(screen: Screen, found: Findings | None) -> str | None:
    """Return the question that the claim on the screen answers."""
    if found is None or screen.claim is None:
        return None
    return QUESTIONS[found.of(screen.claim).question]


def _screen(here: context.Context, info: StudyInfo, screen: Screen, found: Findings | None) -> None:
    if screen.pin is not None:
        view, lost = unfolded(info, screen.pin.view)
        shown = data.pinned(here.key, screen.pin.page, data.asked_of(view))
        _say("title", screen.pin.title)
        _say("words", *filter(None, (screen.pin.note,)))
        _exhibit(shown, lost)
    elif screen.claim is not None and found is not None:
        _claim(here, found, screen.claim)
    elif screen.question is not None and found is not None:
        answer = next(one for one in found.answers if one.question == screen.question)
        _say("title", answer.title)
        _say("words", *answer.sentences)
    else:
        with st.container(key="cover"):
            _say("title", info.title or here.name)
            _say("words", "Right and left turn the pages, Home and End go to the ends, Esc leaves.")


def _claim(here: context.Context, found: Findings, claim_id: str) -> None:
    """Show a claim: its sentence, its number with all that belongs to it, and its chart."""
    claim = found.of(claim_id)
    _say("title", claim.sentence)
    _say("number", "   ·   ".join(number_of(claim)))
    doubts = (f"{words.capitalize()}: {'; '.join(whys)}." for words, whys in kinds_of_doubt(claim))
    _say("marked", *(told for told in doubts if not told.startswith("Simulated")))
    drawn = data.figure(here.key, "claim", (), (claim_id, WIDTH))
    if drawn.spec:
        _picture(Exhibit(chart=drawn.spec, told=claim.sentence))
    else:
        _picture(data.behind(here.key, claim_id))
    _say("basis", left_out(claim.left_out))


def _exhibit(shown: Exhibit, lost: tuple[str, ...]) -> None:
    _say("marked", *lost, *shown.problems)
    _say("number", *shown.sentences[:2])
    _picture(shown)
    _say("basis", *shown.basis)


def _picture(shown: Exhibit) -> None:
    """Show the chart, or where there is none the first rows of its table."""
    with st.container(key="picture"):
        if shown.chart:
            st.vega_lite_chart(large(shown.chart), width="content", alt=shown.told)
        elif shown.table is not None:
            rows = [dict(zip(shown.table.heads, row, strict=True)) for row in shown.table.rows[:MOST_ROWS]]
            st.dataframe(rows, hide_index=True, height="content", key="numbers")


def large(chart: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chart with its axes, legends and heads in type that is read from afar."""
    return {**chart, **READABLE, "config": chart.get("config", {}) | READABLE["config"]}


def _say(key: str, *sentences: str) -> None:
    if sentences:
        with st.container(key=key, gap=None):
            for sentence in sentences:
                st.text(sentence)


context.show(render)
