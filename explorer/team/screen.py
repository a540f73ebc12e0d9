"""The annotator's screen: tasks, the responses of an item side by side, controls and keys.

Nothing here opens a study: what is shown comes from `engine.annotations` alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from engine.annotations.database import Database
from engine.annotations.progress import OwnTask, Progress, own_tasks, progress
from engine.annotations.shown_items import ShownItem
from engine.errors import SpbError
from engine.values import conversation, quantity
from explorer.parts import components, safe_text, selection
from explorer.team import keys, login
from explorer.team import label_session as actions
from explorer.team.label_session import LabelSession
from explorer.team.login import Visitor

# ------------------------------------------------------------------------------
# The texts of an item: the question, the criterion, and the responses side by side.


SIZES = ("normal", "large", "larger")
_READING = "_reading"
_ABREAST = 3
"""Most responses shown side by side."""


@dataclass(frozen=True)
class Reading:
    """How texts are shown: rendered or plain, with differences marked or not, and how large."""

    rendered: bool = False
    differences: bool = False
    size: int = 0


def current_reading() -> Reading:
    """Return how this session shows texts."""
    state: Reading = st.session_state.setdefault(_READING, Reading())
    return state


def change_reading(**changes: Any) -> None:
    """Change how this session shows texts, for a button's `on_click`."""
    st.session_state[_READING] = replace(current_reading(), **changes)


def show_responses(session: LabelSession, item: ShownItem) -> dict[str, str]:
    """Show an item's texts; return the names of the boxes that scroll, by key."""
    reading = current_reading()
    _question(item, reading)
    regions = {"item_question": "Question"}
    if item.texts.criterion is not None:
        components.note("Criterion", key="criterion")
        safe_text.show(item.texts.criterion, "criterion", rendered=reading.rendered)
    if item.texts.options:
        with st.container(border=True, key="item_options", gap=None):
            for score, words in item.texts.options:
                st.text(f"{score:g}: {words}")
    names = keys.response_names(item.kind, len(item.texts.responses))
    for first in range(0, len(names), _ABREAST):
        row = names[first : first + _ABREAST]
        columns = st.columns(len(row), gap="small")
        for place, (column, name) in enumerate(zip(columns, row, strict=True), first):
            with column:
                _response(session, item, reading, place, name)
            regions[_box(place, names)] = name
    return regions


def _question(item: ShownItem, reading: Reading) -> None:
    with st.container(border=True, key="item_question", gap="xsmall"):
        messages = conversation(item.texts.prompt)
        if not messages:
            st.text("The question has no text.")
        for place, message in enumerate(messages):
            if len(messages) > 1:
                components.note(message.role, key=f"role_{place}")
            _text(message.text, f"message_{place}", reading)


def _response(session: LabelSession, item: ShownItem, reading: Reading, place: int, name: str) -> None:
    level = ""
    if item.kind == "clusters":
        levels = session.levels or ([] if item.answer is None else item.answer)
        level = f": level {levels[place]}" if place < len(levels) else ""
        is_next = place == len(session.levels) and session.mode == "answering"
        name = f"▶ {name}" if is_next else name
    components.note(f"{name}{level}", key=f"name_{place}")
    with st.container(border=True, key=_box(place, item.texts.responses)):
        responses = item.texts.responses
        if reading.differences and len(responses) == 2:
            cached = st.session_state.get("_difference")
            if cached is None or cached[0] != session.turn:
                cached = st.session_state["_difference"] = (session.turn, safe_text.differences(*responses))
            with st.container(key=f"text_{safe_text.direction(responses[place])}_marked_{place}"):
                st.html(f'<div class="marked">{cached[1][place]}</div>')
        else:
            _text(responses[place], f"response_{place}", reading)


def _text(text: str, key: str, reading: Reading) -> None:
    with st.container(key=f"text_{safe_text.direction(text)}_{key}"):
        safe_text.write(text or "(empty)", rendered=reading.rendered)


def _box(place: int, all_of_them: Sequence[str]) -> str:
    """Return the key of a response's box, a lower box if there is more than one row."""
    return f"item_response_{'low_' if len(all_of_them) > _ABREAST else ''}{place}"


# ------------------------------------------------------------------------------
# The buttons under an item: answers, confidence, steps, skips and reports, each showing its key.


Style = Literal["primary", "secondary", "tertiary"]


def show_controls(session: LabelSession, item: ShownItem) -> None:
    """Show the current actions on an item."""
    if session.task.closed:
        st.text("This task is closed: it takes no more answers. Ask its coordinator to open it.")
        _steps(session, item)
    elif session.mode == "skipping":
        _reasons(session)
    elif session.mode == "reporting":
        _report(session)
    else:
        if session.mode == "answering":
            _answers(session, item)
        _steps(session, item)


def style_if(on: bool, style: Style = "primary", otherwise: Style = "tertiary") -> Style:
    """Return the style of a button by whether its choice is on."""
    return style if on else otherwise


def button(
    session: LabelSession,
    words: str,
    key: str,
    shortcut: str | None,
    action: Callable[..., None],
    *arguments: Any,
    style: Style = "tertiary",
    disabled: bool = False,
) -> None:
    """Show a button that acts on the current item."""
    place = None if session.item is None else session.item.place
    st.button(
        words,
        key=key,
        shortcut=None if disabled else shortcut,
        type=style,
        on_click=actions.act,
        args=(action, place, *arguments),
        disabled=disabled,
    )


def _answers(session: LabelSession, item: ShownItem) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="answers"):
        for number, choice in enumerate(keys.choices(item)):
            selected = item.kind != "clusters" and item.answer == choice.value
            # What was seen is part of the key: a press meant for an item never answers the next one.
            key = f"say_{number}_at_{session.turn}_{len(session.levels)}"
            arguments, style = (choice.value, len(session.levels)), style_if(selected, otherwise="secondary")
            button(session, choice.words, key, choice.key, actions.answer, *arguments, style=style)
        if session.levels:
            button(session, "Start again", "levels_again", keys.START_AGAIN, actions.restart_levels)


def _steps(session: LabelSession, item: ShownItem) -> None:
    explained = session.mode == "explained"
    with st.container(horizontal=True, vertical_alignment="center", key="steps"):
        if session.mode == "answering" and not session.task.closed:
            _sureness(session)
        button(session, "Previous", "previous", keys.PREVIOUS, actions.step_back, disabled=item.place == 1)
        fresh = not explained and not actions.is_handled(item)
        button(session, "Next", "next", keys.NEXT, actions.step_on, style=style_if(explained), disabled=fresh)
        if session.task.closed or explained:
            return
        button(session, "Undo", "undo", keys.UNDO, actions.undo)
        button(session, "Skip", "skip", keys.SKIP, actions.switch_mode, "skipping")
        button(session, "Report harm", "report", keys.REPORT, actions.switch_mode, "reporting")
        with st.container(key="comment_box"):
            if session.comment_key not in st.session_state:
                st.session_state[session.comment_key] = session.comment
            st.text_input(
                "Comment",
                key=session.comment_key,
                placeholder=f"Comment ({keys.COMMENT}), Enter to go on",
                label_visibility="collapsed",
            )


def _sureness(session: LabelSession) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="sure", width="content"):
        st.text("How sure?", width="content")
        for choice in keys.SURENESS:
            key, style = f"sure_{choice.value}", style_if(session.confidence == choice.value)
            button(session, choice.words, key, choice.key, actions.choose_sure, choice.value, style=style)


def _reasons(session: LabelSession) -> None:
    with st.container(horizontal=True, key="reasons"):
        for choice in keys.REASONS:
            key = f"reason_{choice.value}"
            button(session, choice.words, key, choice.key, actions.skip, choice.value, style="secondary")
        button(session, "Do not skip", "no_skip", keys.CANCEL, actions.switch_mode, "answering")


def _report(session: LabelSession) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="reporting"):
        with st.container(key="comment_report"):
            st.text_input("What is harmful? The coordinator reads it.", key="report_words")
        skipping = keys.REPORT_AND_SKIP
        button(session, "Report and skip", "report_skip", skipping, actions.report, True, style="secondary")
        button(session, "Report and answer", "report_stay", keys.REPORT_AND_ANSWER, actions.report, False)
        button(session, "Do not report", "no_report", keys.CANCEL, actions.switch_mode, "answering")


# ------------------------------------------------------------------------------
# One item with all its controls: a fragment, which reruns alone, so that keys respond quickly.


STYLE = Path(__file__).parent / "labels.css"
_SIZE_WORDS = ("Text size", "Text size: large", "Text size: larger")


@st.fragment
def show_screen(session: LabelSession) -> None:
    """Show the current item with its controls."""
    try:
        if login.visitor().name != session.annotator:
            st.rerun()
    except SpbError as error:
        session.notice = str(error)
    with st.container(key=f"desk_{SIZES[current_reading().size]}", gap="xsmall"):
        _head(session)
        if session.guidelines:
            with st.container(border=True, key="text_ltr_guidelines"):
                safe_text.write(session.task.guidelines, rendered=True)
        if session.item is None:
            _all_done(session)
            keys.announce(f"{session.notice} All items are done.", session.turn, {})
            return
        regions = show_responses(session, session.item)
        with st.container(key=f"desk_controls_{session.turn}", gap="xsmall"):
            _notices(session, session.item)
            show_controls(session, session.item)
        announcement = f"{session.notice} {_position(session, session.item)}"
        keys.announce(announcement, session.turn, regions, _next_box(session, regions))


def _next_box(session: LabelSession, regions: Mapping[str, str]) -> str | None:
    """Return the box of the response that needs a level next, None if the question is about all."""
    boxes = [key for key in regions if key.startswith("item_response_low_")]
    return boxes[len(session.levels)] if session.levels and boxes else None


def _head(session: LabelSession) -> None:
    """Show the task, the progress, and how texts are shown."""
    with st.container(horizontal=True, vertical_alignment="center", key="desk_head"):
        st.header("Annotate", anchor=False, width="content")
        with st.container(key="task_title", width="content"):
            st.text(session.task.title)
        st.text(_progress_words(session.progress), width="stretch")
        if session.task.guidelines:
            style = style_if(session.guidelines, "secondary")
            button(session, "Guidelines", "guide", keys.GUIDELINES, actions.toggle_guidelines, style=style)
        reading = current_reading()
        if session.item is not None and len(session.item.texts.responses) == 2:
            _toggle("Differences", keys.DIFFERENCES, reading.differences, differences=not reading.differences)
        _toggle("Rendered", keys.RENDERED, reading.rendered, rendered=not reading.rendered)
        size = (reading.size + 1) % len(SIZES)
        _toggle(_SIZE_WORDS[reading.size], keys.SIZE, bool(reading.size), size=size)
    st.progress(session.progress.done / session.progress.total if session.progress.total else 0.0)


def _toggle(words: str, shortcut: str, active: bool, **changes: object) -> None:
    key = f"read_{shortcut.lower()}"
    style = style_if(active, "secondary")
    change = change_reading
    st.button(words, key=key, shortcut=shortcut, type=style, on_click=change, kwargs=changes)


def _notices(session: LabelSession, item: ShownItem) -> None:
    """Show the question, the item's position, and the latest notice."""
    with st.container(horizontal=True, vertical_alignment="center", key="asked"):
        st.text(keys.QUESTIONS[item.kind], width="content")
        st.text(_position(session, item), width="content")
        if session.notice:
            key = "failed" if session.notice.startswith("Not saved") else "said"
            with st.container(key=key, width="content"):
                st.text(session.notice)


def _position(session: LabelSession, item: ShownItem) -> str:
    if session.mode == "explained" and session.feedback is not None:
        expected = keys.words(item.kind, session.feedback.expected)
        right = session.feedback.expected == item.answer
        text = f"That is right: {expected}." if right else f"Expected: {expected}."
        return f"Practice. {text} {session.feedback.explanation or ''}".strip()
    if item.practice:
        return "Practice: the answer is explained, and does not count."
    if item.skip_reason is not None:
        return f"Skipped before: {keys.SKIP_WORDS[item.skip_reason].lower()}."
    if item.answer is not None:
        return f"Your answer was: {keys.words(item.kind, item.answer)}."
    return f"Item {session.progress.done + 1:,} of {session.progress.total:,}."


def _all_done(session: LabelSession) -> None:
    total, skipped = session.progress.total, session.progress.skipped
    components.say(
        f"Done: {quantity(total, 'item')}, {skipped:,} of them skipped. Thank you.", key="all_done"
    )
    with st.container(horizontal=True, key="steps"):
        button(session, "Previous", "previous", keys.PREVIOUS, actions.step_back)
        if not session.task.closed:
            button(session, "Undo", "undo", keys.UNDO, actions.undo)


def _progress_words(progress: Progress) -> str:
    parts = [f"{progress.done:,} of {progress.total:,} done"]
    if progress.skipped:
        parts.append(f"{progress.skipped:,} skipped")
    if progress.seconds_each is not None and progress.done < progress.total:
        parts.append(f"{progress.seconds_each:.0f} s each")
        minutes = (progress.seconds_left or 0) / 60
        parts.append("less than a minute left" if minutes < 1 else f"about {minutes:,.0f} min left")
    return " · ".join(parts)


# ------------------------------------------------------------------------------
# A person's own tasks, with progress and guidelines.


_KINDS = {
    "equal_pair": "pairs: which is better, or equal",
    "preference": "pairs: which is preferred",
    "rubric_verdict": "criteria met or not",
    "score": "scores",
    "clusters": "levels of quality",
}


def show_tasks(database: Database | None, visitor: Visitor) -> None:
    """Show the visitor's tasks."""
    name = visitor.name or ""
    tasks = [] if database is None else own_tasks(database, name)
    with st.container(horizontal=True, vertical_alignment="center", key="head"):
        st.header("Annotate", anchor=False, width="content")
        st.text(f"Tasks of {name}", width="stretch")
        login.leave_button()
    if not tasks:
        words = "You have nothing to label yet."
        if visitor.local:
            words += (
                f" Create a task on the Coordinate page, under Do, and assign it to {name!r}; "
                "docs/annotating.md shows how."
            )
        components.say(words, key="no_task")
    for number, task in enumerate(tasks):
        assert database is not None  # noqa: S101 - tasks come from it
        _task(database, task, name, number)


def _task(database: Database, task: OwnTask, name: str, number: int) -> None:
    status = progress(database, task.name, name)
    with st.container(border=True, key=f"task_{number}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(key=f"title_{number}", gap=None):
                st.text(task.title)
                st.text(f"{_KINDS[task.kind]}; {status.done:,} of {status.total:,} done")
            words = "Closed" if task.closed else "Look back" if status.done == status.total else "Go on"
            words = "Start" if words == "Go on" and not status.done else words
            st.button(
                words,
                key=f"open_{number}",
                type="primary" if words in ("Start", "Go on") else "secondary",
                on_click=selection.choose,
                args=("task", task.name),
            )
        st.progress(status.done / status.total if status.total else 0.0)
        if task.guidelines:
            expander = st.expander("Guidelines", key=f"guidelines_{number}")
            with expander, st.container(key=f"text_ltr_guide_{number}"):
                safe_text.write(task.guidelines, rendered=True)
