"""A new task: its items, the question about them, and the instructions to annotators."""

from itertools import count
from typing import Any

import streamlit as st

from engine.annotations.items import Item, items_of_lines
from engine.annotations.people import check_person_name, local_name, people
from engine.annotations.sampling import (
    CLUSTER,
    EPSILON,
    GAP,
    LARGEST_SEED,
    NUMBER,
    OF_QUALITY,
    SELECTIONS,
    Sampling,
    count_by_reason,
    select,
)
from engine.annotations.task_titles import KIND_TITLES, SELECTION_TITLES
from engine.annotations.tasks import create_task, tasks
from engine.arrays.pairs.pair_quality import has_quality
from engine.errors import BadInputError, SpbError
from engine.phrases import full_stop, quantity, sentence_case
from engine.slices import Slice
from engine.words.plain_names import on_page
from explorer import data
from explorer.parts import components, selection
from explorer.parts.context import Context
from explorer.serving.uploads import allow_uploads
from explorer.team import visitors
from explorer.team.actions import button
from explorer.team.task_people import (
    assigned_words,
    first_link_words,
    invite_and_assign,
    is_own,
    makes_first_link,
)
from explorer.team.task_words import UNRATED, WHY
from explorer.workbench import filters

_AHEAD = "_items_ahead"
_NAME, _TITLE, _GUIDELINES, _OVERLAP = "task_name", "task_title", "task_guidelines", "task_overlap"
_PEOPLE = "task_people"


def show_new_task(context: Context) -> None:
    """Show the choices, the number of items they give, and the button that creates the task."""
    flags = filters.bar(context)
    left, right = st.columns(2, gap="large")
    with left:
        choices = _selection_fields(context)
    default_name = _free_name(choices["selection"])
    with right:
        uploads = _text_fields(default_name)
    query = Sampling(**choices, spec=Slice.of(**dict(flags)))
    items, problem = _items((context.key, query, uploads), context)
    with st.container(horizontal=True, vertical_alignment="center"):
        look: dict[str, Any] = {"type": "primary", "icon": ":material/add:", "disabled": items is None}
        button("Create the task", "make_task", _create, context.name, query, items, default_name, **look)
        st.text(full_stop(sentence_case(on_page(problem))) if items is None else _summary(items))
    if _newcomers() and makes_first_link():
        components.note(first_link_words(), key="first_link_ahead")


def _free_name(selection: str) -> str:
    """Return a name for a task that none has yet, such as equal-2."""
    database = visitors.database()
    names = set() if database is None else {task.name for task in tasks(database)}
    return next(name for number in count(1) if (name := f"{selection}-{number}") not in names)


def _items(
    request: tuple[Any, Sampling, tuple[tuple[str, str], ...]], context: Context
) -> tuple[list[Item] | None, str]:
    """Return the items that the choices give, drawn once for each request; else why there are none."""
    ahead = st.session_state.get(_AHEAD)
    if ahead is None or ahead[0] != request:
        _, query, uploads = request
        try:
            with st.spinner("Drawing items …"):
                items = select(context.study, query)
                for name, text in uploads:
                    items = items + items_of_lines(query.kind, text, name)
            ahead = (request, items, "")
        except SpbError as error:
            ahead = (request, None, error.message)
        st.session_state[_AHEAD] = ahead
    return ahead[1], ahead[2]


def _selection_fields(context: Context) -> dict[str, Any]:
    """Show how items are selected, and return the choices."""
    selections = [name for name in SELECTIONS if name not in OF_QUALITY or has_quality(context.study)]
    fillable = (place for place, name in enumerate(selections) if data.kinds_to_label(context.key, name))
    name = st.selectbox(
        "What is labelled", selections, next(fillable, 0), key="task_select",
        format_func=SELECTION_TITLES.__getitem__,
    )  # fmt: skip
    if len(selections) < len(SELECTIONS):
        components.note(UNRATED, key="task_unrated")
        context.link("new_run", "Judge the quality of answers")
    kinds = SELECTIONS[name]
    kind = next(iter(data.kinds_to_label(context.key, name)), kinds[0])
    if len(kinds) > 1:
        kind = st.selectbox(
            "What is asked", kinds, kinds.index(kind), key="task_kind", format_func=KIND_TITLES.__getitem__
        )
    choices: dict[str, Any] = {"selection": name, "kind": kind}
    first, second = st.columns(2)
    with first:
        choices["number"] = int(st.number_input("Maximum items", 1, 100_000, NUMBER, key="task_items"))
    with second:
        choices["seed"] = int(st.number_input("Sampling seed", 0, LARGEST_SEED, 0, key="task_seed"))
    with first:
        if name in ("equal", "hard"):
            meaning = "Largest difference in quality, of 0 to 10, that counts as equal"
            choices["epsilon"] = st.number_input(
                "Equal within (epsilon)", 0.0, 10.0, EPSILON, 0.05, key="task_epsilon", help=meaning
            )
        if name == "overestimation":
            judges = (None, *context.choices.judges)
            choices["judge"] = st.selectbox("Judge", judges, key="task_judge", format_func=_or_all)
    with second:
        if name == "equal":
            choices["gap"] = st.number_input(
                "Far apart from (gap)", 0.0, 10.0, GAP, 0.25, key="task_gap",
                help="Smallest difference in quality of the contrast pairs",
            )  # fmt: skip
        if name == "hard":
            choices["cluster"] = int(
                st.number_input("Answers per question", 2, 20, CLUSTER, key="task_cluster")
            )
        if name == "overestimation":
            models = (None, *context.choices.models)
            choices["generator"] = st.selectbox("Model", models, key="task_generator", format_func=_or_all)
    return choices


def _or_all(name: str | None) -> str:
    return "all" if name is None else name


def _text_fields(default_name: str) -> tuple[tuple[str, str], ...]:
    """Show the fields that the coordinator fills in, and return the names and texts of uploads."""
    first, second = st.columns(2)
    _people_field()
    with first:
        st.text_input("Name of the task", key=_NAME, max_chars=100, placeholder=default_name)
        st.number_input("People per item", 0, 100, 0, key=_OVERLAP, help="0: everyone assigned")
    with second:
        st.text_input("Title that labellers see", key=_TITLE, max_chars=200, placeholder="the same")
        allow_uploads()
        files = st.file_uploader(
            "Practice and gold items (JSON Lines)", ["jsonl"], accept_multiple_files=True, key="task_extra"
        )
    st.text_area(
        "Guidelines", key=_GUIDELINES, height=110,
        placeholder="What to look at, and what does not count. Markdown is rendered.",
    )  # fmt: skip
    return tuple((file.name, _decode(file.name, file.getvalue())) for file in files)


def _people_field() -> None:
    """Ask who labels the task: people who are known, and names of others, who get a link."""
    database = visitors.database()
    labellers = [] if database is None else [person.name for person in people(database)]
    if visitors.visitor().local and local_name() not in labellers:
        labellers.append(local_name())
    st.multiselect(
        "Who labels", labellers, key=_PEOPLE, accept_new_options=True,
        placeholder="choose, or type a new name",
        help="Whoever is new gets a personal link; you can also choose them later",
    )  # fmt: skip


def _annotators() -> list[str]:
    return list(dict.fromkeys(str(each).strip() for each in st.session_state[_PEOPLE]))


def _newcomers() -> list[str]:
    """Return who of those chosen is not known yet, and so gets a link."""
    database = visitors.database()
    known_people = set() if database is None else {person.name for person in people(database)}
    return [name for name in _annotators() if name not in known_people and not is_own(name)]


def _decode(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{name!r} cannot be read: {error}; give a text file in UTF-8") from error


def _summary(items: list[Item]) -> str:
    parts = ", ".join(f"{number:,} {WHY.get(why, why)}" for why, number in count_by_reason(items).items())
    questions = len({item.hidden.instance_id for item in items if item.hidden.instance_id is not None})
    return f"{quantity(len(items), 'item')} of {quantity(questions, 'question')}: {parts}."


def _create(study: str, query: Sampling, items: list[Item], default_name: str) -> str:
    """Create the task from the drawn items, assign it to the people chosen, and open it."""
    name = str(st.session_state[_NAME]).strip() or default_name
    database = visitors.ensure_database()
    annotators, newcomers = _annotators(), _newcomers()
    for each in newcomers:
        check_person_name(each)
    overlap = int(st.session_state[_OVERLAP]) or None
    create_task(
        database,
        name,
        study,
        query.kind,
        items,
        title=st.session_state[_TITLE],
        guidelines=st.session_state[_GUIDELINES],
        overlap=overlap,
        seed=query.seed,
        options=query.settings(),
    )
    st.session_state.pop(_AHEAD, None)
    selection.choose("task", name)
    selection.choose("desk")
    created = f"{name}: {quantity(len(items), 'item')}."
    if not annotators:
        return f"{created} Now choose who labels them."
    counts = invite_and_assign(database, name, annotators, newcomers, overlap)
    return f"{created} {assigned_words(counts)}"
