"""Present: the board, findings and pinned views, one per screen, operated by keys."""

from pathlib import Path

import streamlit as st

from engine.report.exhibit import MAIN, pins_of
from engine.store.study_files import StudyInfo
from engine.version import __version__
from engine.views.which_judge import WHICH_JUDGE
from engine.words.provenance import SIMULATED, provenance_words
from engine.words.size import size_of
from explorer import data
from explorer.parts import page_width, selection
from explorer.parts.context import Context, open_page, show_page, story_names
from explorer.parts.show import NARROW
from explorer.workbench import screens
from explorer.workbench.screens import NOTES, Deck, say

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
HELP_ON_A_PHONE = "Swipe left: next   ·   right: back"
SHOWN_KEYS = "_present_keys"
_BROWSER = st.components.v2.component("spb_present", js=(FOLDER / "present.js").read_text("utf-8"))


def render(context: Context) -> None:
    """Show one screen, with nothing to click."""
    st.html(STYLE)
    info = data.files(context.root, context.name).info
    story = _one_of("story", story_names(info)) or MAIN
    show = _one_of("show", screens.CONTENTS)
    findings = None if show == "pins" else data.findings(context.key)
    pins = () if show == "findings" else pins_of(info, story)
    advised = WHICH_JUDGE.needs is None or WHICH_JUDGE.needs(context.study) is None
    deck = screens.deck_of(findings, pins, selection.value("screen"), doubtful=show == "all", advised=advised)
    _steps(deck)
    with st.container(key="screen", gap="small"):
        _over(context, info, deck)
        foot = screens.screen(context, info, deck.screen, findings)
        if st.session_state.get(SHOWN_KEYS) or deck.place == 0:
            say("keys", HELP_ON_A_PHONE if page_width.is_narrower(NARROW) else HELP)
        size = f"Study {context.name} ({provenance_words(info)}) · {size_of(context.study)}"
        say("basis", " · ".join(filter(None, (size, foot, f"spb-explorer {__version__}"))))


def _one_of(key: str, allowed: tuple[str, ...]) -> str | None:
    """Return the value chosen for a key; an unknown one is reported and dropped."""
    text = selection.value(key)
    if text is not None and text not in allowed:
        st.text(f"There is no {key} {text!r} in this study; it was left out.")
        selection.view().pop(key)
        return None
    return text


def _steps(deck: Deck) -> None:
    """Draw the hidden buttons that keys press, and listen to the keys."""
    last = len(deck.screens) - 1
    with st.container(key="steps"):
        for label, key, step in KEYS:
            _step(label, key, deck.at(deck.place + step))
        _step("First", "Home", deck.at(0))
        _step("Last", "End", deck.at(last))
        st.button("Notes", shortcut="N", key="step_notes", on_click=_turn, args=(NOTES,))
        st.button("Keys", key="step_keys", on_click=_turn, args=(SHOWN_KEYS,))
        if st.button("Leave", shortcut="Esc", key="step_leave"):
            open_page("judges")
        _BROWSER(key="present_keys")


def _turn(name: str) -> None:
    st.session_state[name] = not st.session_state.get(name)


def _step(label: str, key: str, name: str) -> None:
    arguments = ("screen", name)
    st.button(label, shortcut=key, key=f"step_{key.lower()}", on_click=selection.choose, args=arguments)


def _over(context: Context, info: StudyInfo, deck: Deck) -> None:
    """Show the title, the progress and, before them, a warning if the study is simulated."""
    warning = SIMULATED.get(info.provenance)
    with st.container(horizontal=True, key="over", gap="medium"):
        if warning is not None:
            with st.container(key="warning", width="content"):
                st.text(warning.partition(".")[0] + ".", width="content")
        place = f"{deck.place + 1} of {len(deck.screens)}"
        st.text(f"{info.title or context.name}   ·   {place}", width="content")
    say("marked_screen", *filter(None, (deck.notice,)))


show_page(render)
