"""The annotator's screen: tasks, the responses of an item side by side, controls and keys.

Nothing here opens a study: what is shown comes from `engine.annotations.labels` alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from engine.annotations.labels import OwnTask, Progress, ShownItem, own_tasks, progress
from engine.annotations.people import Database
from engine.errors import SpbError
from engine.values import conversation, quantity
from explorer.parts import components, safe_text, selection
from explorer.team import keys, login
from explorer.team import label_session as session
from explorer.team.label_session import Desk
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


def reading() -> Reading:
    """Return how this session shows texts."""
    state: Reading = st.session_state.setdefault(_READING, Reading())
    return state


def read_otherwise(**changes: Any) -> None:
    """Change how this session shows texts, for a button's `on_click`."""
    st.session_state[_READING] = replace(reading(), **changes)


def show_responses(desk: Desk, item: ShownItem) -> dict[str, str]:
    """Show an item's texts; return the names of the boxes that scroll, by key."""
    how = reading()
    _question(item, how)
    regions = {"item_question": "Question"}
    if item.texts.criterion is not None:
        components.note("Criterion", key="criterion")
        safe_text.show(item.texts.criterion, "criterion", rendered=how.rendered)
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
                _response(desk, item, how, place, name)
            regions[_box(place, names)] = name
    return regions


def _question(item: ShownItem, how: Reading) -> None:
    with st.container(border=True, key="item_question", gap="xsmall"):
        messages = conversation(item.texts.prompt)
        if not messages:
            st.text("The question has no text.")
        for place, message in enumerate(messages):
            if len(messages) > 1:
                components.note(message.role, key=f"role_{place}")
            _text(message.text, f"message_{place}", how)


def _response(desk: Desk, item: ShownItem, how: Reading, place: int, name: str) -> None:
    level = ""
    if item.kind == "clusters":
        given = desk.levels or ([] if item.answer is None else item.answer)
        level = f": level {given[place]}" if place < len(given) else ""
        now = place == len(desk.levels) and desk.mode == "answering"
        name = f"▶ {name}" if now else name
    components.note(f"{name}{level}", key=f"name_{place}")
    with st.container(border=True, key=_box(place, item.texts.responses)):
        both = item.texts.responses
        if how.differences and len(both) == 2:
            cached = st.session_state.get("_difference")
            if cached is None or cached[0] != desk.turn:
                cached = st.session_state["_difference"] = (desk.turn, safe_text.marked(*both))
            with st.container(key=f"text_{safe_text.direction(both[place])}_marked_{place}"):
                st.html(f'<div class="marked">{cached[1][place]}</div>')
        else:
            _text(both[place], f"response_{place}", how)


def _text(text: str, key: str, how: Reading) -> None:
    with st.container(key=f"text_{safe_text.direction(text)}_{key}"):
        safe_text.write(text or "(empty)", rendered=how.rendered)


def _box(place: int, all_of_them: Sequence[str]) -> str:
    """Return the key of a response's box, a lower box if there is more than one row."""
    return f"item_response_{'low_' if len(all_of_them) > _ABREAST else ''}{place}"


# ------------------------------------------------------------------------------
# The buttons under an item: answers, confidence, steps, skips and reports, each showing its key.


Style = Literal["primary", "secondary", "tertiary"]


def show_controls(at: Desk, item: ShownItem) -> None:
    """Show the current actions on an item."""
    if at.task.closed:
        st.text("This task is closed: it takes no more answers. Ask its coordinator to open it.")
        _steps(at, item)
    elif at.mode == "skipping":
        _reasons(at)
    elif at.mode == "reporting":
        _report(at)
    else:
        if at.mode == "answering":
            _answers(at, item)
        _steps(at, item)


def chosen(on: bool, style: Style = "primary", otherwise: Style = "tertiary") -> Style:
    """Return the style of a button by whether its choice is on."""
    return style if on else otherwise


def button(
    at: Desk,
    words: str,
    key: str,
    shortcut: str | None,
    does: Callable[..., None],
    *arguments: Any,
    style: Style = "tertiary",
    disabled: bool = False,
) -> None:
    """Show a button that acts on the current item."""
    place = None if at.item is None else at.item.place
    st.button(
        words,
        key=key,
        shortcut=None if disabled else shortcut,
        type=style,
        on_click=session.act,
        args=(does, place, *arguments),
        disabled=disabled,
    )


def _answers(at: Desk, item: ShownItem) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="answers"):
        for number, choice in enumerate(keys.choices(item)):
            given = item.kind != "clusters" and item.answer == choice.value
            # What was seen is part of the key: a press meant for an item never answers the next one.
            key = f"say_{number}_at_{at.turn}_{len(at.levels)}"
            arguments, style = (choice.value, len(at.levels)), chosen(given, otherwise="secondary")
            button(at, choice.words, key, choice.key, session.answer, *arguments, style=style)
        if at.levels:
            button(at, "Start again", "levels_again", keys.START_AGAIN, session.restart_levels)
        with st.container(horizontal=True, vertical_alignment="center", key="sure", width="content"):
            st.text("How sure?", width="content")
            for choice in keys.SURENESS:
                key, style = f"sure_{choice.value}", chosen(at.sure == choice.value)
                button(at, choice.words, key, choice.key, session.choose_sure, choice.value, style=style)


def _steps(at: Desk, item: ShownItem) -> None:
    explained = at.mode == "explained"
    with st.container(horizontal=True, vertical_alignment="center", key="steps"):
        button(at, "Previous", "previous", keys.PREVIOUS, session.step_back, disabled=item.place == 1)
        waits = not explained and not session.said_before(item)
        button(at, "Next", "next", keys.NEXT, session.step_on, style=chosen(explained), disabled=waits)
        if at.task.closed or explained:
            return
        button(at, "Undo", "undo", keys.UNDO, session.undo)
        button(at, "Skip", "skip", keys.SKIP, session.take_mode, "skipping")
        button(at, "Report harm", "report", keys.REPORT, session.take_mode, "reporting")
        with st.container(key="comment_box"):
            if at.comment_key not in st.session_state:
                st.session_state[at.comment_key] = at.comment
            st.text_input(
                "Comment",
                key=at.comment_key,
                placeholder=f"Comment ({keys.COMMENT}), Enter to go on",
                label_visibility="collapsed",
            )


def _reasons(at: Desk) -> None:
    with st.container(horizontal=True, key="reasons"):
        for choice in keys.REASONS:
            key = f"reason_{choice.value}"
            button(at, choice.words, key, choice.key, session.skip, choice.value, style="secondary")
        button(at, "Do not skip", "no_skip", keys.CANCEL, session.take_mode, "answering")


def _report(at: Desk) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="reporting"):
        with st.container(key="comment_report"):
            st.text_input("What is harmful? The coordinator reads it.", key="report_words")
        skipping = keys.REPORT_AND_SKIP
        button(at, "Report and skip", "report_skip", skipping, session.report, True, style="secondary")
        button(at, "Report and answer", "report_stay", keys.REPORT_AND_ANSWER, session.report, False)
        button(at, "Do not report", "no_report", keys.CANCEL, session.take_mode, "answering")


# ------------------------------------------------------------------------------
# One item with all its controls: a fragment, which reruns alone, so that keys respond quickly.


STYLE = Path(__file__).parent / "labels.css"
_SIZE_WORDS = ("A", "A+", "A++")


@st.fragment
def show_screen(at: Desk) -> None:
    """Show the current item with its controls."""
    try:
        if login.visitor().name != at.annotator:
            st.rerun()
    except SpbError as error:
        at.notice = str(error)
    with st.container(key=f"desk_{SIZES[reading().size]}", gap="xsmall"):
        _head(at)
        if at.guidelines:
            with st.container(border=True, key="text_ltr_guidelines"):
                safe_text.write(at.task.guidelines, rendered=True)
        if at.item is None:
            _all_done(at)
            keys.tell(f"{at.notice} All items are done.", at.turn, {})
            return
        regions = show_responses(at, at.item)
        with st.container(key=f"desk_controls_{at.turn}", gap="xsmall"):
            _notices(at, at.item)
            show_controls(at, at.item)
        keys.tell(f"{at.notice} {_position(at, at.item)}", at.turn, regions, _asked_about(at, regions))


def _asked_about(at: Desk, regions: Mapping[str, str]) -> str | None:
    """Return the box of the response that needs a level next, None if the question is about all."""
    boxes = [key for key in regions if key.startswith("item_response_low_")]
    return boxes[len(at.levels)] if at.levels and boxes else None


def _head(at: Desk) -> None:
    """Show the task, the progress, and how texts are shown."""
    with st.container(horizontal=True, vertical_alignment="center", key="desk_head"):
        st.header("Annotate", anchor=False, width="content")
        with st.container(key="task_title", width="content"):
            st.text(at.task.title)
        st.text(_far(at.progress), width="stretch")
        if at.task.guidelines:
            style = chosen(at.guidelines, "secondary")
            button(at, "Guidelines", "guide", keys.GUIDELINES, session.toggle_guidelines, style=style)
        how = reading()
        if at.item is not None and len(at.item.texts.responses) == 2:
            _reading("Differences", keys.DIFFERENCES, how.differences, differences=not how.differences)
        _reading("Rendered", keys.RENDERED, how.rendered, rendered=not how.rendered)
        size = (how.size + 1) % len(SIZES)
        _reading(_SIZE_WORDS[how.size], keys.SIZE, bool(how.size), size=size)
    st.progress(at.progress.done / at.progress.total if at.progress.total else 0.0)


def _reading(words: str, shortcut: str, on: bool, **changes: object) -> None:
    key = f"read_{shortcut.lower()}"
    style = chosen(on, "secondary")
    change = read_otherwise
    st.button(words, key=key, shortcut=shortcut, type=style, on_click=change, kwargs=changes)


def _notices(at: Desk, item: ShownItem) -> None:
    """Show the question, the item's position, and the latest notice."""
    with st.container(horizontal=True, vertical_alignment="center", key="asked"):
        st.text(keys.QUESTIONS[item.kind], width="content")
        st.text(_position(at, item), width="content")
        if at.notice:
            with st.container(key="failed" if at.notice.startswith("Not saved") else "said", width="content"):
                st.text(at.notice)


def _position(at: Desk, item: ShownItem) -> str:
    if at.mode == "explained" and at.explained is not None:
        expected = keys.words(item.kind, at.explained.expected)
        right = at.explained.expected == item.answer
        text = f"That is right: {expected}." if right else f"Expected: {expected}."
        return f"Practice. {text} {at.explained.explanation or ''}".strip()
    if item.practice:
        return "Practice: the answer is explained, and does not count."
    if item.skip_reason is not None:
        return f"Skipped before: {keys.reason_words(item.skip_reason).lower()}."
    if item.answer is not None:
        return f"Your answer was: {keys.words(item.kind, item.answer)}."
    return f"Item {at.progress.done + 1:,} of {at.progress.total:,}."


def _all_done(at: Desk) -> None:
    components.say(
        f"Done: {quantity(at.progress.total, 'item')}, {at.progress.skipped:,} of them skipped. Thank you.",
        key="all_done",
    )
    with st.container(horizontal=True, key="steps"):
        button(at, "Previous", "previous", keys.PREVIOUS, session.step_back)
        if not at.task.closed:
            button(at, "Undo", "undo", keys.UNDO, session.undo)


def _far(progress: Progress) -> str:
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


def show_tasks(database: Database | None, who: Visitor) -> None:
    """Show the visitor's tasks."""
    name = who.name or ""
    mine = [] if database is None else own_tasks(database, name)
    with st.container(horizontal=True, vertical_alignment="center", key="head"):
        st.header("Annotate", anchor=False, width="content")
        st.text(f"Tasks of {name}", width="stretch")
        login.leave_button()
    if not mine:
        words = "You have nothing to label yet."
        if who.local:
            words += (
                f" Create a task on the Coordinate page, under More, and assign it to {name!r}; "
                "docs/annotating.md shows how."
            )
        components.say(words, key="no_task")
    for number, task in enumerate(mine):
        assert database is not None  # noqa: S101 - tasks come from it
        _task(database, task, name, number)


def _task(database: Database, task: OwnTask, name: str, number: int) -> None:
    far = progress(database, task.name, name)
    with st.container(border=True, key=f"task_{number}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(key=f"title_{number}", gap=None):
                st.text(task.title)
                st.text(f"{_KINDS[task.kind]}; {far.done:,} of {far.total:,} done")
            words = "Closed" if task.closed else "Look back" if far.done == far.total else "Go on"
            words = "Start" if words == "Go on" and not far.done else words
            st.button(
                words,
                key=f"open_{number}",
                type="primary" if words in ("Start", "Go on") else "secondary",
                on_click=selection.choose,
                args=("task", task.name),
            )
        st.progress(far.done / far.total if far.total else 0.0)
        if task.guidelines:
            folded = st.expander("Guidelines", key=f"guidelines_{number}")
            with folded, st.container(key=f"text_ltr_guide_{number}"):
                safe_text.write(task.guidelines, rendered=True)
