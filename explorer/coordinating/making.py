"""A new task: which items of the study, what is asked of them, and what annotators are told."""

from typing import Any

import streamlit as st

from engine.annotations.items import Item, items_of_lines
from engine.annotations.selection import CLUSTER, EPSILON, GAP, NUMBER, SELECTIONS, Wanted, select
from engine.annotations.selection.choosing import counted
from engine.annotations.tasks import create_task
from engine.errors import BadInputError
from engine.slices import Slice
from explorer import address, context, filters, identity
from explorer.coordinating import acting, words

_AHEAD = "_items_ahead"
_NAME, _TITLE, _GUIDELINES, _OVERLAP = "task_name", "task_title", "task_guidelines", "task_overlap"


def show(here: context.Context) -> None:
    """Show what can be chosen, how many items that gives, and the button that makes the task."""
    asked = filters.sidebar(here.choices)
    left, right = st.columns(2, gap="large")
    with left:
        choices = _choices(here)
    with right:
        extra = _written()
    wanted = Wanted(**choices, spec=Slice.of(**dict(asked)))
    given = (here.key, wanted, extra)
    ahead = st.session_state.get(_AHEAD)
    items: list[Item] | None = ahead[1] if ahead and ahead[0] == given else None
    with st.container(horizontal=True, vertical_alignment="center"):
        looked = st.button("Look ahead", key="task_ahead", icon=":material/search:")
        st.button(
            "Make the task",
            key="make_task",
            type="primary",
            icon=":material/add:",
            disabled=items is None or not _name(),
            on_click=acting.act,
            args=(_make, here.name, wanted, items),
        )
        st.text(_said(items, _name()))
    if looked:
        found = select(here.study, wanted)
        for name, text in extra:
            found = found + items_of_lines(wanted.kind, text, name)
        st.session_state[_AHEAD] = (given, found)
        st.rerun()


def _choices(here: context.Context) -> dict[str, Any]:
    """Show what items are taken by, and return it."""
    chosen = st.selectbox(
        "What is labelled", list(SELECTIONS), key="task_select", format_func=words.SELECTIONS.__getitem__
    )
    kind = SELECTIONS[chosen][0]
    if len(SELECTIONS[chosen]) > 1:
        kind = st.selectbox(
            "What is asked", SELECTIONS[chosen], key="task_kind", format_func=words.KINDS.__getitem__
        )
    found: dict[str, Any] = {"selection": chosen, "kind": kind}
    first, second = st.columns(2)
    with first:
        found["number"] = int(st.number_input("Items at most", 1, 100_000, NUMBER, key="task_items"))
    with second:
        found["seed"] = int(st.number_input("Seed of the draw", 0, 2**31, 0, key="task_seed"))
    with first:
        if chosen in ("equal", "hard"):
            meaning = "Largest difference of quality, of 0 to 10, that is called equal"
            found["epsilon"] = st.number_input(
                "Equal within (epsilon)", 0.0, 10.0, EPSILON, 0.05, key="task_epsilon", help=meaning
            )
        if chosen == "overestimation":
            judges = (None, *here.choices.judges)
            found["judge"] = st.selectbox("Judge", judges, key="task_judge", format_func=_anybody)
    with second:
        if chosen == "equal":
            found["gap"] = st.number_input(
                "Far apart from (gap)", 0.0, 10.0, GAP, 0.25, key="task_gap",
                help="Least difference of quality of the contrast pairs",
            )  # fmt: skip
        if chosen == "hard":
            found["cluster"] = int(
                st.number_input("Responses of a question", 2, 20, CLUSTER, key="task_cluster")
            )
        if chosen == "overestimation":
            models = (None, *here.choices.models)
            found["generator"] = st.selectbox("Generator", models, key="task_generator", format_func=_anybody)
    return found


def _anybody(name: str | None) -> str:
    return "all" if name is None else name


def _written() -> tuple[tuple[str, str], ...]:
    """Show what the coordinator writes, and return the names and texts of the files given."""
    first, second = st.columns(2)
    with first:
        st.text_input("Name of the task", key=_NAME, max_chars=100, placeholder="such as equal-1")
        st.number_input("People for each item", 0, 100, 0, key=_OVERLAP, help="0: all who are assigned")
    with second:
        st.text_input("What annotators see as its name", key=_TITLE, max_chars=200, placeholder="the same")
        files = st.file_uploader(
            "Practice and gold items (JSON Lines)", ["jsonl"], accept_multiple_files=True, key="task_extra"
        )
    st.text_area(
        "Guidelines", key=_GUIDELINES, height=110,
        placeholder="What to look at, and what does not count. Markdown is rendered.",
    )  # fmt: skip
    return tuple((file.name, _text(file.name, file.getvalue())) for file in files)


def _name() -> str:
    return str(st.session_state[_NAME]).strip()


def _text(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{name!r} cannot be read: {error}; give a text file in UTF-8") from error


def _said(items: list[Item] | None, name: str) -> str:
    if items is None:
        return "Look ahead to see how many items there are; nothing is made."
    parts = ", ".join(f"{number:,} {words.WHY.get(why, why)}" for why, number in counted(items).items())
    questions = len({item.hidden.instance_id for item in items if item.hidden.instance_id is not None})
    told = f"{len(items):,} items of {questions:,} questions: {parts}."
    return told if name else f"{told} Give the task a name to make it."


def _make(study: str, wanted: Wanted, items: list[Item]) -> str:
    """Make the task of the items that were looked at, and open it."""
    name = _name()
    create_task(
        identity.made_database(),
        name,
        study,
        wanted.kind,
        items,
        title=st.session_state[_TITLE],
        guidelines=st.session_state[_GUIDELINES],
        overlap=int(st.session_state[_OVERLAP]) or None,
        seed=wanted.seed,
        options=wanted.told(),
    )
    st.session_state.pop(_AHEAD, None)
    address.choose("task", name)
    address.choose("desk")
    return f"{name}: {len(items):,} items. Now say who labels them."
