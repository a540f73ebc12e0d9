"""Items on which people differ: side by side, with each person's label and the deciding one."""

from pathlib import Path
from typing import Any

import streamlit as st

from engine.annotations.database import Database
from engine.annotations.disputes import Dispute, DisputedItem, case, decide, disputes, labelled_items, owners
from engine.annotations.tasks import Task
from engine.messages import conversation
from engine.phrases import quantity
from explorer.parts import components, safe_text, selection, view_widgets
from explorer.team import actions, keys, task_words

STYLE = Path(__file__).parent / "style.css"
_STATES = {"open": "open", "settled": "decided", "all": "all labelled items"}
_REASONS = {
    "guidelines": "The guidelines say so",
    "slip": "Somebody overlooked something",
    "close": "A close call",
}
_REASON_KEYS = "QWE"
_KEYS = "123456789"
_COLUMNS = {
    "item": "Item",
    "split": ("Differ", "Share of pairs of people who differ"),
    "people": st.column_config.NumberColumn("People"),
    "state": "State",
}


def show_disputes(database: Database, task: Task) -> None:
    """Show the items to settle, the most disputed first, and the open one."""
    split = {dispute.item: dispute for dispute in disputes(database, task.name)}
    n_open = sum(not dispute.settled for dispute in split.values())
    with st.container(horizontal=True, vertical_alignment="center"):
        state = view_widgets.part("listed", _STATES, "open")
        st.text(f"People differ on {quantity(len(split), 'item')}; {n_open:,} of them open.", width="content")
    items = [dispute.item for dispute in split.values() if dispute.settled == (state == "settled")]
    if state == "all":
        items = labelled_items(database, task.name)
    if not items:
        components.say("There are no such items.")
        return
    name = selection.value("case")
    item = name if name in items else items[0]
    with st.container(key="case", gap="small"):
        _show_case(database, task, case(database, task.name, item), items)
    _list_items(items, split, state)


def _list_items(items: list[str], split: dict[str, Dispute], state: str) -> None:
    """Show all the items; choosing one opens it."""
    with st.expander(f"List of {quantity(len(items), 'item')}", key="cases"):
        rows = [
            {
                "item": name,
                "split": f"{split[name].split:.0%}" if name in split else "–",
                "people": len(split[name].values) if name in split else None,
                "state": "–" if name not in split else "decided" if split[name].settled else "open",
            }
            for name in items
        ]
        row = components.table(rows, _COLUMNS, f"cases_{state}", selectable=True)
        if row is not None and st.session_state.get("_case_row") != (state, row):
            st.session_state["_case_row"] = (state, row)
            selection.choose("case", items[row])
            st.rerun()


def _show_case(database: Database, task: Task, case: DisputedItem, items: list[str]) -> None:
    st.html(STYLE)
    place = items.index(case.item)
    with st.container(horizontal=True, vertical_alignment="center", key="case_head"):
        st.text(f"Item {case.item}, {place + 1:,} of {len(items):,}", width="content")
        rendered = view_widgets.switch(
            "rendered", "Rendered", "Markdown is drawn, made harmless", clears=None
        )
        _step_button("Previous", "P", items[place - 1] if place else None)
        _step_button("Next", "N", items[place + 1] if place + 1 < len(items) else None)
        writers = _writers(database, task, case)
    _texts(case, writers, rendered=rendered)
    with st.container(key="case_controls", gap="xsmall"):
        _opinions(case)
        _decision(database, task, case, items)


def _step_button(label: str, shortcut: str, item: str | None) -> None:
    st.button(
        label,
        key=f"case_{label}",
        shortcut=shortcut if item else None,
        disabled=item is None,
        on_click=selection.choose,
        args=("case", item),
    )


def _writers(database: Database, task: Task, case: DisputedItem) -> tuple[str, ...]:
    """Show on demand which models wrote the responses of a decided item."""
    if case.decision is None:
        return ()
    show = st.toggle("Show the models", key=f"whose_{task.name}_{case.item}")
    return owners(database, task.name, case.item) if show else ()


def _texts(case: DisputedItem, writers: tuple[str, ...], *, rendered: bool) -> None:
    messages = conversation(case.texts.prompt)
    with st.container(border=True, key="case_question", gap="xsmall"):
        for number, message in enumerate(messages):
            safe_text.show(message.text, f"case_message_{number}", rendered=rendered, border=False)
        if not messages:
            st.text("The question has no text.")
    if (criterion := case.texts.criterion_words) is not None:
        components.note("Criterion", key="case_criterion")
        safe_text.show(criterion, "case_criterion_text", rendered=rendered)
    elif case.kind in task_words.OF_CRITERIA:
        components.note(task_words.NO_CRITERION, key="case_criterion")
    for score, description in case.texts.options:
        st.text(f"{score:g}: {description}")
    names = keys.response_names(case.kind, len(case.texts.responses))
    for first in range(0, len(names), 3):
        row = names[first : first + 3]
        for place, (column, name) in enumerate(zip(st.columns(len(row)), row, strict=True), first):
            with column:
                components.note(f"{name}: {writers[place]}" if writers else name, key=f"case_name_{place}")
                safe_text.show(case.texts.responses[place], f"case_response_{place}", rendered=rendered)


def _opinions(case: DisputedItem) -> None:
    """Show each person's answer, confidence and comment."""
    with st.container(border=True, key="opinions", horizontal=True):
        for opinion in case.opinions:
            text = f"skipped: {task_words.REASONS.get(opinion.reason or '', '–')}"
            if opinion.answer is not None:
                text = keys.words(case.kind, opinion.answer).lower()
            again = " (the hidden repeat)" if opinion.round == 2 else ""
            sure = f", {opinion.confidence}" if opinion.confidence else ""
            with st.container(key=f"opinion_{opinion.annotator}_{opinion.round}", gap=None, width="content"):
                st.text(f"{opinion.annotator}{again}: {text}{sure}")
                if opinion.comment:
                    components.note(opinion.comment, key=f"comment_{opinion.annotator}_{opinion.round}")
        if not case.opinions:
            st.text("Nobody has labelled it yet.")


def _decision(database: Database, task: Task, case: DisputedItem, items: list[str]) -> None:
    if case.decision is not None:
        reason = f" {case.reason}" if case.reason else ""
        decision = keys.words(case.kind, case.decision).lower()
        components.say(f"Decided by {case.by}: {decision}.{reason}", key="decided")
    with st.container(horizontal=True, vertical_alignment="center"):
        reason_key = f"reason_{task.name}_{case.item}"
        st.text_input(
            "Reason", key=reason_key, placeholder="Reason, in your words or by key", max_chars=1000,
            label_visibility="collapsed",
        )  # fmt: skip
        for (name, text), shortcut in zip(_REASONS.items(), _REASON_KEYS, strict=True):
            st.button(
                text, key=f"reason_{name}", shortcut=shortcut, type="tertiary",
                on_click=st.session_state.update, args=({reason_key: text},),
            )  # fmt: skip
    place = items.index(case.item)
    next_item = next(iter([*items[place + 1 :], *items[:place]]), None)

    def button(label: str, shortcut: str | None, answer: Any) -> None:
        key = f"decide_{label}_{case.item}"  # a press meant for an item never decides the next one
        style = "primary" if answer is not None and answer == case.decision else "secondary"
        arguments = database, task, case, answer, reason_key, next_item
        actions.button(label, key, _decide, *arguments, shortcut=shortcut, type=style)

    with st.container(horizontal=True, vertical_alignment="bottom", key="decide"):
        if case.kind == "clusters":
            button("Save decision", "1", _levels(case))
        for number, answer in enumerate(case.answers):
            button(keys.words(case.kind, answer), _KEYS[number] if number < len(_KEYS) else None, answer)
        if case.decision is not None:
            button("Undo decision", "U", None)


def _levels(case: DisputedItem) -> list[int]:
    """Show a level for each response, 1 the best, and return them."""
    number = len(case.texts.responses)
    usual = case.decision or [1] * number
    for place, key in enumerate(_level_keys(case)):
        st.number_input(f"Answer {place + 1}", 1, number, usual[place], width=110, key=key)
    return _levels_now(case)


def _level_keys(case: DisputedItem) -> list[str]:
    return [f"level_{place}_{case.item}" for place in range(len(case.texts.responses))]


def _levels_now(case: DisputedItem) -> list[int]:
    return [int(st.session_state[key]) for key in _level_keys(case)]


def _decide(
    database: Database, task: Task, case: DisputedItem, answer: Any, reason_key: str, next_item: str | None
) -> str:
    reason = str(st.session_state.get(reason_key) or "").strip() or None
    if case.kind == "clusters" and answer is not None:
        answer = _levels_now(case)
    coordinator = actions.coordinator_name(database)
    decide(database, task.name, case.item, answer, by=coordinator, reason=None if answer is None else reason)
    if answer is None:
        return f"The decision on item {case.item} was undone."
    if next_item is not None:
        selection.choose("case", next_item)
    return f"Item {case.item}: {keys.words(case.kind, answer).lower()}."
