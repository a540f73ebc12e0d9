"""Items on which people differ: side by side, who said what, and the label that counts."""

from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from engine.annotations.database import Database
from engine.annotations.decisions import Case, Dispute, case, decide, disputes, labelled_items, owners
from engine.annotations.tasks import Task
from engine.conversation import conversation
from explorer import address, components, selection, texts
from explorer.annotating import choosing
from explorer.coordinating import acting, words

STYLE = Path(__file__).parent / "style.css"
_LISTED = {"open": "open", "settled": "decided", "all": "all labelled items"}
_REASONS = {
    "guidelines": "The guidelines say so",
    "slip": "Somebody overlooked something",
    "close": "A close call",
}
_REASON_KEYS = "QWE"
_KEYS = "123456789"
_COLUMNS = {
    "item": st.column_config.TextColumn("Item"),
    "split": st.column_config.TextColumn("Differ", help="Share of pairs of people who differ"),
    "people": st.column_config.NumberColumn("People"),
    "state": st.column_config.TextColumn("State"),
}


def show(database: Database, task: Task) -> None:
    """Show the items to settle, those that split people most first, and the one that is open."""
    split = {dispute.item: dispute for dispute in disputes(database, task.name)}
    still = sum(not dispute.settled for dispute in split.values())
    with st.container(horizontal=True, vertical_alignment="center"):
        listed = selection.part("listed", _LISTED, "open")
        st.text(f"People differ on {len(split):,} items; {still:,} of them are open.", width="content")
    items = _items(database, task, listed)
    if not items:
        components.say("There is no such item.")
        return
    chosen = address.value("case")
    item = chosen if chosen in items else items[0]
    with st.container(key="case", gap="small"):
        _case(database, task, case(database, task.name, item), items)
    _list(items, split, listed)


def _list(items: list[str], split: dict[str, Dispute], listed: str) -> None:
    """Show all the items; choosing one opens it."""
    with st.expander(f"List of {len(items):,} items", key="cases"):
        rows = [
            {
                "item": name,
                "split": f"{split[name].split:.0%}" if name in split else "–",
                "people": len(split[name].values) if name in split else None,
                "state": "–" if name not in split else "decided" if split[name].settled else "open",
            }
            for name in items
        ]
        row = components.table(
            pd.DataFrame(rows, columns=list(_COLUMNS)), _COLUMNS, f"cases_{listed}", selectable=True
        )
        if row is not None and st.session_state.get("_case_row") != (listed, row):
            st.session_state["_case_row"] = (listed, row)
            address.choose("case", items[row])
            st.rerun()


def _items(database: Database, task: Task, listed: str) -> list[str]:
    if listed == "all":
        return labelled_items(database, task.name)
    return [
        dispute.item for dispute in disputes(database, task.name) if dispute.settled == (listed == "settled")
    ]


def _case(database: Database, task: Task, found: Case, items: list[str]) -> None:
    st.html(STYLE)
    place = items.index(found.item)
    with st.container(horizontal=True, vertical_alignment="center", key="case_head"):
        st.text(f"Item {found.item}, {place + 1:,} of {len(items):,}", width="content")
        rendered = selection.switch("rendered", "Rendered", "Markdown is drawn, made harmless", clears=None)
        _step("Previous", "P", items[place - 1] if place else None)
        _step("Next", "N", items[place + 1] if place + 1 < len(items) else None)
        whose = _whose(database, task, found)
    _texts(found, whose, rendered=rendered)
    with st.container(key="case_controls", gap="xsmall"):
        _opinions(found)
        _decision(database, task, found, items)


def _step(label: str, shortcut: str, item: str | None) -> None:
    st.button(
        label,
        key=f"case_{label}",
        shortcut=shortcut if item else None,
        disabled=item is None,
        on_click=address.choose,
        args=("case", item),
    )


def _whose(database: Database, task: Task, found: Case) -> tuple[str, ...]:
    """Show whose the responses are, of decided items on demand only."""
    if found.decided is None:
        return ()
    shown = st.toggle("Show whose these are", key=f"whose_{task.name}_{found.item}")
    return owners(database, task.name, found.item) if shown else ()


def _texts(found: Case, whose: tuple[str, ...], *, rendered: bool) -> None:
    messages = conversation(found.texts.prompt)
    with st.container(border=True, key="case_question", gap="xsmall"):
        for number, message in enumerate(messages):
            texts.show(message.text, f"case_message_{number}", rendered=rendered, border=False)
        if not messages:
            st.text("There is no text of the question.")
    if found.texts.criterion is not None:
        components.note("Criterion", key="case_criterion")
        texts.show(found.texts.criterion, "case_criterion_text", rendered=rendered)
    for score, told in found.texts.options:
        st.text(f"{score:g}: {told}")
    names = _names(found)
    for first in range(0, len(names), 3):
        row = names[first : first + 3]
        for place, (column, name) in enumerate(zip(st.columns(len(row)), row, strict=True), first):
            with column:
                components.note(f"{name}: {whose[place]}" if whose else name, key=f"case_name_{place}")
                texts.show(found.texts.responses[place], f"case_response_{place}", rendered=rendered)


def _names(found: Case) -> list[str]:
    number = len(found.texts.responses)
    if number == 2 and found.kind != "clusters":
        return ["Left", "Right"]
    return ["Response"] if number == 1 else [f"Response {place}" for place in range(1, number + 1)]


def _opinions(found: Case) -> None:
    """Show who said what, how sure, and in which words."""
    with st.container(border=True, key="opinions", horizontal=True):
        for said in found.opinions:
            told = f"skipped: {words.REASONS.get(said.reason or '', '–')}"
            if said.answer is not None:
                told = choosing.words(found.kind, said.answer).lower()
            again = " (the hidden repeat)" if said.round == 2 else ""
            sure = f", {said.confidence}" if said.confidence else ""
            with st.container(key=f"opinion_{said.annotator}_{said.round}", gap=None, width="content"):
                st.text(f"{said.annotator}{again}: {told}{sure}")
                if said.comment:
                    components.note(said.comment, key=f"comment_{said.annotator}_{said.round}")
        if not found.opinions:
            st.text("Nobody has labelled it yet.")


def _decision(database: Database, task: Task, found: Case, items: list[str]) -> None:
    """Show what was decided, and the buttons that decide."""
    if found.decided is not None:
        reason = f" {found.reason}" if found.reason else ""
        decided = choosing.words(found.kind, found.decided).lower()
        components.say(f"Decided by {found.by}: {decided}.{reason}", key="decided")
    with st.container(horizontal=True, vertical_alignment="center"):
        reason_key = f"reason_{task.name}_{found.item}"
        st.text_input(
            "Reason", key=reason_key, placeholder="Reason, in your words or by key", max_chars=1000,
            label_visibility="collapsed",
        )  # fmt: skip
        for (name, told), shortcut in zip(_REASONS.items(), _REASON_KEYS, strict=True):
            st.button(
                told, key=f"reason_{name}", shortcut=shortcut, type="tertiary",
                on_click=_set_reason, args=(reason_key, told),
            )  # fmt: skip
    following = _following(items, found.item)
    with st.container(horizontal=True, vertical_alignment="bottom", key="decide"):
        if found.kind == "clusters":
            levels = _levels(found)
            _decide_button("Decide so", "1", database, task, found, levels, reason_key, following)
        for number, answer in enumerate(found.answers):
            label = choosing.words(found.kind, answer)
            shortcut = _KEYS[number] if number < len(_KEYS) else None
            _decide_button(label, shortcut, database, task, found, answer, reason_key, following)
        if found.decided is not None:
            _decide_button("Take it back", "U", database, task, found, None, reason_key, None)


def _decide_button(
    label: str,
    shortcut: str | None,
    database: Database,
    task: Task,
    found: Case,
    answer: Any,
    reason_key: str,
    following: str | None,
) -> None:
    st.button(
        label,
        key=f"decide_{label}_{found.item}",  # a press meant for an item never decides the next one
        shortcut=shortcut,
        type="primary" if answer is not None and answer == found.decided else "secondary",
        on_click=acting.act,
        args=(_decide, database, task, found, answer, reason_key, following),
    )


def _levels(found: Case) -> list[int]:
    """Show a level for each response, 1 the best, and return them."""
    number = len(found.texts.responses)
    usual = found.decided or [1] * number
    for place, key in enumerate(_level_keys(found)):
        st.number_input(f"Response {place + 1}", 1, number, usual[place], width=110, key=key)
    return _levels_now(found)


def _level_keys(found: Case) -> list[str]:
    return [f"level_{place}_{found.item}" for place in range(len(found.texts.responses))]


def _levels_now(found: Case) -> list[int]:
    return [int(st.session_state[key]) for key in _level_keys(found)]


def _set_reason(key: str, told: str) -> None:
    st.session_state[key] = told


def _following(items: list[str], item: str) -> str | None:
    place = items.index(item)
    rest = [*items[place + 1 :], *items[:place]]
    return rest[0] if rest else None


def _decide(
    database: Database, task: Task, found: Case, answer: Any, reason_key: str, following: str | None
) -> str:
    """Keep the decision and go on to the next item."""
    reason = str(st.session_state.get(reason_key) or "").strip() or None
    if found.kind == "clusters" and answer is not None:
        answer = _levels_now(found)
    by = acting.me(database)
    decide(database, task.name, found.item, answer, by=by, reason=None if answer is None else reason)
    if answer is None:
        return f"The decision on item {found.item} was taken back."
    if following is not None:
        address.choose("case", following)
    return f"Item {found.item}: {choosing.words(found.kind, answer).lower()}."
