"""Tasks of the study: created, assigned, written back, and described."""

import os
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

import streamlit as st

from engine.annotations.agreement import Share
from engine.annotations.database import Database
from engine.annotations.disputes import disputes
from engine.annotations.items import Item, items_of_lines
from engine.annotations.label_rows import annotation_rows, export_task
from engine.annotations.people import (
    ADDRESS_VARIABLE,
    ROLES,
    Person,
    add_person,
    check_person_name,
    has_accounts,
    link,
    local_name,
    local_person,
    people,
    renew_token,
)
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
from engine.annotations.tasks import (
    Task,
    assign,
    assigned_people,
    close_task,
    count_understaffed,
    create_task,
    tasks,
)
from engine.arrays.pair_quality import has_quality
from engine.errors import BadInputError, SpbError
from engine.slices import Slice
from engine.store import Store
from engine.values import quantity, read_only
from engine.words import on_page
from explorer.parts import components, selection
from explorer.parts.context import Context, open_page
from explorer.serving.uploads import allow_uploads
from explorer.team import login
from explorer.workbench import filters

# ------------------------------------------------------------------------------
# Tasks, selections and shares in words.


SELECTION_TITLES = {
    "equal": "pairs called equal, and as many far apart",
    "hard": "hard cases: responses closest in quality",
    "disagreement": "verdicts on which judges disagree most",
    "overestimation": "verdicts that the reference contradicts",
    "scores": "responses to score by rubrics with options",
}
_UNRATED = (
    "Pairs of equal quality and hard cases cannot be drawn: they need judgments of quality, which this study "
    "does not have. A new run with the paradigm quality adds them."
)
KINDS = {
    "equal_pair": "which is better, or are they equal",
    "preference": "which is preferred",
    "clusters": "levels of quality",
    "rubric_verdict": "criterion met or not",
    "score": "a score",
}
WHY = {
    "equal": "called equal",
    "contrast": "far apart",
    "hard": "questions",
    "disagreement": "verdicts",
    "overestimation": "verdicts",
    "scores": "responses",
    "practice": "for practice",
    "gold": "gold",
}
REASONS = {
    "cannot_judge": "cannot judge it",
    "broken_text": "a text is broken",
    "harmful": "it is harmful",
    "other": "another reason",
}


def task_words(task: Task) -> str:
    """Return a task in one line."""
    items = SELECTION_TITLES.get(str(task.options.get("selection")), "custom items")
    sharing = "everybody labels every item" if task.overlap is None else f"{task.overlap} people per item"
    parts = KINDS[task.kind], items, sharing, f"seed {task.seed}", "closed" if task.closed else ""
    return "; ".join(filter(None, parts))


def share_words(value: Share | None) -> str:
    """Return a share with its denominator."""
    if value is None or value.value is None:
        return "–"
    return f"{value.value:.0%} of {value.total:,}"


# ------------------------------------------------------------------------------
# The actions of buttons, and their messages.


_NOTICE = "_coordinator_told"


def act(action: Callable[..., str | None], *arguments: Any) -> None:
    """Run an action in a button's callback, and store its message or its error.

    The arguments are from the run that drew the button. `action` reads what was typed or chosen since from
    the session: a press can reach the server before the run that would have seen it. Does nothing for
    somebody who is no coordinator any more: the run that follows says so.
    """
    try:
        if login.visitor().may("coordinator"):
            st.session_state[_NOTICE] = action(*arguments)
    except SpbError as error:
        st.session_state[_NOTICE] = str(error)


def button(label: str, key: str, action: Callable[..., str | None], *arguments: Any, **look: Any) -> None:
    """Show a button that runs an action, see `act`; `look` holds Streamlit's display options."""
    st.button(label, key=key, on_click=act, args=(action, *arguments), **look)


def show_message() -> None:
    """Show the message of the last button, once."""
    words = st.session_state.pop(_NOTICE, None)
    if words:
        components.say(words, key="coordinator_told")


def coordinator_name(database: Database) -> str:
    """Return the coordinator's name, added to the database if need be."""
    visitor = login.visitor()
    assert visitor.name is not None  # noqa: S101 - pages that write ask first
    return local_person(database, visitor.name).name if visitor.local else visitor.name


# ------------------------------------------------------------------------------
# A new task: its items, the question about them, and the instructions to annotators.


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
        st.text(on_page(problem) if items is None else _summary(items))


def _free_name(selection: str) -> str:
    """Return a name for a task that none has yet, such as equal-2."""
    database = login.database()
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
            ahead = (request, None, str(error))
        st.session_state[_AHEAD] = ahead
    return ahead[1], ahead[2]


def _selection_fields(context: Context) -> dict[str, Any]:
    """Show how items are selected, and return the choices."""
    selections = [name for name in SELECTIONS if name not in OF_QUALITY or has_quality(context.study)]
    name = st.selectbox(
        "What is labelled", selections, key="task_select", format_func=SELECTION_TITLES.__getitem__
    )
    if len(selections) < len(SELECTIONS):
        components.note(_UNRATED, key="task_unrated")
    kind = SELECTIONS[name][0]
    if len(SELECTIONS[name]) > 1:
        kind = st.selectbox("What is asked", SELECTIONS[name], key="task_kind", format_func=KINDS.__getitem__)
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
                st.number_input("Responses per question", 2, 20, CLUSTER, key="task_cluster")
            )
        if name == "overestimation":
            models = (None, *context.choices.models)
            choices["generator"] = st.selectbox(
                "Generator", models, key="task_generator", format_func=_or_all
            )
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
        st.text_input("Title that annotators see", key=_TITLE, max_chars=200, placeholder="the same")
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
    database = login.database()
    labellers = [] if database is None else [person.name for person in people(database)]
    if login.visitor().local and local_name() not in labellers:
        labellers.append(local_name())
    st.multiselect(
        "Who labels", labellers, key=_PEOPLE, accept_new_options=True,
        placeholder="choose, or type a new name",
        help="Whoever is new gets a personal link; you can also choose them later",
    )  # fmt: skip


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
    database = login.ensure_database()
    annotators = list(dict.fromkeys(str(each).strip() for each in st.session_state[_PEOPLE]))
    earlier = {person.name for person in people(database)}
    newcomers = [each for each in annotators if each not in earlier and not _is_own(each)]
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


def _is_own(name: str) -> bool:
    return login.visitor().local and name == local_name()


# ------------------------------------------------------------------------------
# Writing a task's labels to its study, and closing it.


_BACK = {
    "equal_pair": "On the Equal quality page they can replace the automatic labels.",
    "clusters": "On the Equal quality page they can replace the automatic labels.",
    "preference": "Preferences of each person also become gold preferences from the source human:NAME.",
    "rubric_verdict": "Verdicts of each person also become references from the source human:NAME.",
    "score": "Scores of each person also become references from the source human:NAME.",
}


def show_results(context: Context, database: Database, task: Task) -> None:
    """Show what would be written, the button that writes it, and the one that closes or opens the task."""
    rows = annotation_rows(database, task.name)
    n_open = sum(not dispute.settled for dispute in disputes(database, task.name))
    lines = [
        f"{len(rows):,} labels, skips and decisions would be written into {task.study}. {_BACK[task.kind]}",
        "This replaces what was written of this task before.",
    ]
    if n_open:
        items = quantity(n_open, "item")
        lines.append(f"On {items} people differ and nothing is decided; there the majority counts.")
    components.say(*lines, key="handing")
    with st.container(horizontal=True, vertical_alignment="center"):
        look: dict[str, Any] = {"type": "primary", "icon": ":material/save:"}
        look |= {"disabled": not rows or read_only()}
        button("Write to the study", "export_task", _write, context.root, database, task, **look)
        label = "Reopen the task" if task.closed else "Close the task"
        icon = ":material/lock_open:" if task.closed else ":material/lock:"
        button(label, "close_task", _close, database, task, icon=icon)
        if task.kind in ("equal_pair", "clusters") and st.button(
            "Equal quality by these labels", key="by_labels"
        ):
            open_page("equal_quality", study=(task.study,), quality=("human",))


def _write(root: str, database: Database, task: Task) -> str:
    counts = export_task(database, task.name, Store(root).open(task.study))
    rows = f"{counts.annotations:,} annotations, {counts.references:,} references"
    words = f"{task.study} has {rows} and {counts.preferences:,} preferences of this task now."
    if counts.outdated:
        labels = quantity(counts.outdated, "label")
        words += f" {labels} left out, as the texts in {task.study} have changed since."
    return words


def _close(database: Database, task: Task) -> str:
    close_task(database, task.name, closed=not task.closed)
    return "The task is open again." if task.closed else "The task is closed."


# ------------------------------------------------------------------------------
# The annotators of a task, and their personal links.


_LINK, _PERSON = "_new_link", "person_name"
_FIRST = "The first link is yours, as coordinator. From then on both pages ask for a link."


def show_people(database: Database, task: Task) -> None:
    """Show who can be assigned items, and create links."""
    st.subheader("Who labels", anchor=False)
    _assign(database, task)
    _new_link()
    with st.expander("Annotators and their personal links", key="people"):
        _list_people(database)


def _assign(database: Database, task: Task) -> None:
    assigned = assigned_people(database, task.name)
    candidates = [person.name for person in people(database)]
    if login.visitor().local and local_name() not in candidates:
        candidates.append(local_name())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = st.multiselect("Annotators", candidates, key=_annotators_key(task), placeholder="choose")
        if task.overlap is not None:
            st.number_input(
                "People per item", task.overlap, 100, task.overlap, width=170, key=_overlap_key(task)
            )
        button("Assign items", "assign", _assign_items, database, task, type="primary", disabled=not names)
    n_short = count_understaffed(database, task.name)
    if not assigned:
        st.text("No items of this task are assigned yet.")
    elif n_short:
        st.text(
            f"{quantity(n_short, 'item')} with fewer people than there should be: choose more annotators."
        )


def _annotators_key(task: Task) -> str:
    return f"assign_to_{task.name}"


def _overlap_key(task: Task) -> str:
    return f"overlap_of_{task.name}_{task.overlap}"


def _assign_items(database: Database, task: Task) -> str:
    annotators: list[str] = st.session_state[_annotators_key(task)]
    overlap = None if task.overlap is None else int(st.session_state[_overlap_key(task)])
    return assigned_words(invite_and_assign(database, task.name, annotators, [], overlap))


def invite_and_assign(
    database: Database, task: str, annotators: list[str], newcomers: list[str], overlap: int | None
) -> dict[str, int]:
    """Add newcomers, each with a link, and assign a task's items; return how many each got.

    The first link of all is the coordinator's own, since from then on the pages ask for one.
    """
    if any(map(_is_own, annotators)):
        coordinator_name(database)
    if newcomers and login.visitor().local and not has_accounts(database):
        own = local_name()
        earlier = {person.name for person in people(database)}
        token = renew_token(database, own) if own in earlier else add_person(database, own, "coordinator")
        _store_link(own, token, is_own=True)
    for name in newcomers:
        _store_link(name, add_person(database, name), is_own=False)
    return assign(database, task, annotators, overlap)


def assigned_words(counts: Mapping[str, int]) -> str:
    """Return how many items each person got."""
    return "; ".join(f"{person}: {number:,} new items" for person, number in counts.items())


def _list_people(database: Database) -> None:
    members = people(database)
    for person in members:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(_person_words(person), width=420)
            key, consequence = f"renew_{person.name}", "The old link stops working"
            button("New link", key, _renew, database, person.name, help=consequence)
    first = login.visitor().local and not has_accounts(database)
    if first:
        components.note(_FIRST, key="first_link")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", key=_PERSON, max_chars=100, width=220)
        st.selectbox("Role", ("coordinator",) if first else ROLES, key=_role_key(first), width=170)
        button("Add and make a link", "add_person", _add, database, first, disabled=not name.strip())


def _person_words(person: Person) -> str:
    link = {"works": "has a link", "ended": "link ended", "none": "no link"}[person.link]
    return f"{person.name}: {person.role}, {link}" + (f", {person.email}" if person.email else "")


def _role_key(first: bool) -> str:
    return f"person_role_{first}"


def _add(database: Database, first: bool) -> str:
    name, role = st.session_state[_PERSON].strip(), st.session_state[_role_key(first)]
    _store_link(name, add_person(database, name, role), is_own=first)
    return f"{name} was added."


def _renew(database: Database, name: str) -> str:
    first = login.visitor().local and not has_accounts(database)
    _store_link(name, renew_token(database, name), is_own=first or name == login.visitor().name)
    return f"{name} has a new link; the old one no longer works."


def _store_link(name: str, token: str, *, is_own: bool) -> None:
    """Store a link until it is hidden; the visitor's own is used at once, as this page needs it now."""
    origin = login.origin()
    address = None if origin is None else origin + login.base_path()
    links: dict[str, str] = st.session_state.setdefault(_LINK, {})
    links[name] = link(os.environ.get(ADDRESS_VARIABLE) or address, token)
    if is_own:
        st.query_params[login.TOKEN] = token


def _new_link() -> None:
    """Show the new links, which only this session holds."""
    links: dict[str, str] = st.session_state.get(_LINK) or {}
    if not links:
        return
    with st.container(border=True, key="new_link"):
        for name, address in links.items():
            st.text(f"Link for {name}. Send it to nobody else: it cannot be shown again.")
            st.code(address, language=None)
        st.button("Hide", key="put_away_link", on_click=lambda: st.session_state.pop(_LINK, None))
