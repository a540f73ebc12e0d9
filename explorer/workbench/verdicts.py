"""The judgments behind a chart: the selection, the list, and one judgment with every judge's verdict."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from engine.errors import SpbError
from engine.explore.cells_beside import Beside
from engine.explore.judgment_detail import Item, StoredVerdict
from engine.explore.judgment_page import Listing
from engine.slices import NULL
from engine.study import Study
from engine.values import parse_int, shortened
from engine.views.verdicts import quantity_listed
from engine.words import ROW_KINDS, title
from explorer import data
from explorer.parts import components, safe_text, selection
from explorer.parts.components import note, table
from explorer.parts.context import Context
from explorer.workbench import filters

# ------------------------------------------------------------------------------
# Which judgments are listed: by slice, judge, model, kind and words.


BLOCK, MOST = 40, 400
"""Judgments listed at first and added at each step, and at most."""

CLIPPED = 700
"""Most characters of a text in the list."""

RENDERED = (
    "Show headings, lists, tables, code and mathematics of texts; links, images and HTML stay as written"
)


@dataclass(frozen=True)
class Source:
    """The source of listed judgments: a study, a slice, the columns that split it, and a judge."""

    key: data.StudyKey
    flags: data.FlagValues
    by: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    usual: str = "overestimation"
    judge: str | None = None


def source_of(context: Context, flags: data.FlagValues, by: tuple[str, ...]) -> Source:
    """Return the source of the open study's judgments."""
    usual = usual_kind(context.study)
    return Source(context.key, flags, by, context.choices.judges, context.choices.models, usual)


def usual_kind(study: Study) -> str:
    """Return the kind of judgments listed at first: overestimations if there is a reference or committee."""
    return "overestimation" if study.references.sources or study.info.committees else "all"


def chips(source: Source) -> None:
    """Show as chips whose judgments are listed, of which slice, and what is set beside them."""
    for key, label in ROLES.items():
        options = _options(source, key)
        selection.drop_unknown(key, options, label)
        name = selection.value(key)
        if name is not None:
            inside = partial(selection.choice, key, options, label, "all")
            filters.chip(key, f"{label}: {name}", inside, partial(deselect, key))
    values = selection.view().get("value", ())
    if values and len(values) == len(source.by):
        texts = ["(no value)" if value == NULL else value for value in values]
        words = ", ".join(f"{title(by)}: {value}" for by, value in zip(source.by, texts, strict=True))
        meaning = "The judgments listed are those of this slice; the chart shows all of them."
        filters.chip("value", words, partial(st.text, meaning), partial(deselect, "value"))
    selection.drop_unknown("beside", _beside_options(source), "Compare with")
    option = selection.value("beside")
    if option is not None and selection.value("item") is None:
        words = f"{'Differs from' if selection.value('differ') else 'Compared with'}: {_beside_words(option)}"
        meaning = "Only judgments that can be compared with it are listed."
        filters.chip("beside", words, partial(st.text, meaning), partial(deselect, "beside", "differ"))


ROLES = {"judge": "Judge", "generator": "Response of"}


def _options(source: Source, role: str) -> tuple[str, ...]:
    return source.judges if role == "judge" else source.models


def deselect(*keys: str) -> None:
    """Choose nothing for these keys any more, and read no judgment."""
    for key in (*keys, "item"):
        selection.choose(key)


def query_of(source: Source) -> data.Query:
    """Return the query for the judgments that the view lists."""
    selection.drop_unknown("show", tuple(ROW_KINDS), "Show")
    kind, beside = selection.value("show"), selection.value("beside")
    values = selection.view().get("value", ())
    by, value, flags = None, None, source.flags
    if values and len(values) == len(source.by):
        by, value = source.by[0], values[0]
        for name, other in zip(source.by[1:], values[1:], strict=True):
            flags = data.flags_of(dict(flags) | {name: filters.as_flag(name, (other,))})
    return data.Query(
        flags,
        kind or source.usual,
        selection.value("judge") or source.judge,
        selection.value("generator"),
        selection.value("q"),
        by,
        value,
        None if beside is None else Beside.of(beside, differ=selection.value("differ") == "true"),
    )


def controls(source: Source) -> None:
    """Show the controls of the list: kind of judgments, search, judge and model."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", key="listing"):
        usual = ROW_KINDS[source.usual]
        selection.choice("show", tuple(ROW_KINDS), "Judgments", usual, ROW_KINDS.__getitem__, width=180)
        words = selection.value("q") or ""
        st.text_input(
            "Search in texts",
            words,
            key=selection.begin("q", words),
            on_change=selection.store_text,
            args=("q", "item"),
            placeholder="words, then Enter",
            width=150,
        )
        free = [role for role in ROLES if selection.value(role) is None]  # the chosen ones are chips
        if free:
            with st.popover(
                "Judge and model", icon=":material/tune:", key="whose", help="Whose judgments are listed"
            ):
                for role in free:
                    selection.choice(role, _options(source, role), ROLES[role], "all")


def beside_choice(source: Source) -> None:
    """Show the choice of what to set beside each judgment."""
    option = selection.choice(
        "beside", _beside_options(source), "Compare with", "nothing", _beside_words, width=230, clears=None
    )
    if option is not None:
        meaning = "Only where the two verdicts differ"
        selection.switch("differ", "Only where they differ", meaning, clears=None)


def _beside_options(source: Source) -> list[str]:
    options = [f"judge:{name}" for name in source.judges if len(source.judges) > 1]
    return options + [f"generator:{name}" for name in source.models if len(source.models) > 1]


def _beside_words(option: str) -> str:
    role, _, name = option.partition(":")
    return f"judge {name}" if role == "judge" else f"response of {name}"


# ------------------------------------------------------------------------------
# The list: each judgment with its texts, the judge's words, and other judges' verdicts beside them.


_MORE = "_judgments_listed"
_LIST = st.components.v2.component(
    "spb_verdicts", js=(Path(__file__).parent / "verdict_list.js").read_text(encoding="utf-8")
)
WORDS = {"differs": "differs", "read": "Read", "more": "What the others say", "rest": "More judgments"}


def prefetch(source: Source) -> None:
    """Read what `show_list` is to show; errors are left to it."""
    with contextlib.suppress(SpbError):
        query = query_of(source)
        data.items(source.key, query, _count(_list_id(source, query)))


def show_list(source: Source, query: data.Query) -> None:
    """Show the judgments of a query, as many as were scrolled to."""
    list_id = _list_id(source, query)
    count = _count(list_id)
    page = data.listing(source.key, query, count, 0)
    if not page.rows:
        components.say(f"Nothing to show: {page.reason}.")
        return
    items = data.items(source.key, query, count)
    cards = [
        card(item, row, place) for place, (item, row) in enumerate(zip(items, page.rows, strict=True), 1)
    ]
    lacking = [words for words, stored in _texts(items).items() if not stored]
    if lacking:
        note(f"The study does not hold these texts: {', '.join(lacking)}.", key="no_texts")
    last = min(page.total, MOST)
    has_signs = any(part["sign"] for each in cards for part in (each["said"], *each["others"]))
    notes = [SIGNS] if has_signs else []
    notes += [NEGATIVE] if has_signs and any(_is_negative(item.rubric) for item in items) else []
    note(_count_words(page, len(cards), query), *notes, key="listed")
    _LIST(
        key="verdict_list",
        data={
            "list": list_id,
            "cards": cards,
            "total": last,
            "search": query.search,
            "last": st.session_state.get(_LAST),
            "words": WORDS,
        },
        on_open_change=_open_card,
        on_more_change=lambda: st.session_state.update({_MORE: (list_id, min(count + BLOCK, MOST))}),
    )
    components.offer_table(lambda: pd.DataFrame(page.rows), "rows")


def _list_id(source: Source, query: data.Query) -> str:
    return repr((source.key, query))


def _count(list_id: str) -> int:
    """Return how many judgments of a list are shown."""
    name, count = st.session_state.get(_MORE, (None, BLOCK))
    return int(count) if name == list_id else BLOCK


def _count_words(page: Listing, n_cards: int, query: data.Query) -> str:
    total = quantity_listed(page, query.kind, query.generator)
    if page.total <= n_cards:
        return f"{total}."
    more = f" The list stops at {MOST}: narrow it with filters or search." if n_cards >= MOST else ""
    return f"{n_cards:,} of {total}.{more}"


def _texts(items: Sequence[Item]) -> dict[str, bool]:
    return {
        "responses": any(item.response is not None for item in items),
        "reasons": any(verdict.explanation is not None for item in items for verdict in item.verdicts),
        "criteria": any(item.rubric is None or item.rubric["criterion"] is not None for item in items),
    }


def card(item: Item, row: dict[str, Any], place: int) -> dict[str, Any]:
    """Return a judgment as the list shows it: clipped texts, the judge's verdict and all others'."""
    own = next((verdict for verdict in item.verdicts if verdict.judge == row["judge"]), None)
    others = [verdict for verdict in item.verdicts if verdict.judge != row["judge"]]
    others.sort(key=lambda each: (each.relation != "other", own is None or not _differ(each, own)))
    description = {"self": "its own response", "family": f"its family's {item.generator}"}
    about = description.get(row["relation"], f"a response of {item.generator}")
    texts = [] if item.rubric is None else [(rubric_label(item.rubric), item.rubric["criterion"])]
    texts.append((f"Response of {item.generator}", item.response))
    if item.opponent is not None:
        texts.append((f"Response of {item.opponent}", item.opponent_response))
    reference = row["reference"]
    if item.rubric is not None:
        reference = next((verdict for _, verdict in item.references), None)
    return {
        "place": place,
        "title": f"{row['judge']} on {about}" + (f" against {item.opponent}" if item.opponent else ""),
        "reference": None if reference is None else f"reference: {reference}",
        "texts": [(label, shortened(text, CLIPPED)) for label, text in texts if text],
        "said": {"judge": row["judge"], "answer": row["verdict"], "sign": "", "kind": ""}
        if own is None
        else _verdict_card(own, None),
        "others": [_verdict_card(verdict, own) for verdict in others],
    }


def rubric_label(rubric: Mapping[str, Any]) -> str:
    """Return what a rubric is called: one that takes points is negative."""
    return f"Negative rubric, {rubric['points']:+g} points if met" if _is_negative(rubric) else "Rubric"


def _is_negative(rubric: Mapping[str, Any] | None) -> bool:
    return rubric is not None and rubric["points"] is not None and rubric["points"] < 0


def _verdict_card(verdict: StoredVerdict, own: StoredVerdict | None) -> dict[str, Any]:
    words = verdict.explanation if verdict.explanation is not None else verdict.raw
    return {
        "judge": verdict.judge,
        "answer": answer_of(verdict) + (f", {verdict.presentation}" if verdict.presentation else ""),
        "sign": SIGN[verdict.against],
        "kind": verdict.against or "",
        "relation": RELATIONS[verdict.relation],
        "differs": own is not None and _differ(verdict, own),
        "words": shortened(words or "", CLIPPED),
    }


def _differ(one: StoredVerdict, other: StoredVerdict) -> bool:
    """Return whether two verdicts differ; False if either judge has none."""
    return None not in (one.answer, other.answer) and one.answer != other.answer


def _open_card() -> None:
    state = st.session_state.get("verdict_list")  # gone if another page was drawn since the click
    place = state["open"] if state else None
    if place:
        selection.choose("item", str(place))


# ------------------------------------------------------------------------------
# One judgment, with steps to the previous and the next one.


_LAST = "_judgment_read"


def open_place() -> int | None:
    """Return the place of the open judgment, from 0; None if the list is shown."""
    if selection.value("item") is None:
        return None
    return max((parse_int(selection.value("item") or "") or 1) - 1, 0)


def show_judgment(source: Source, query: data.Query, place: int) -> None:
    """Show one judgment of the list in full."""
    page = data.listing(source.key, query, PAGE, place - place % PAGE)
    if page.total and place >= page.total:
        components.say(f"There is no row {place + 1} in this selection; the first is shown.")
        selection.choose("item", "1")
        place, page = 0, data.listing(source.key, query, PAGE, 0)
    st.session_state[_LAST] = place + 1
    with st.container(horizontal=True, vertical_alignment="bottom", key="reading"):
        st.button(
            "All judgments",
            key="all_judgments",
            icon=":material/arrow_back:",
            on_click=selection.choose,
            args=("item",),
        )
        beside_choice(source)
        rendered = selection.switch("rendered", "Rendered", RENDERED, clears=None)
        if page.rows:
            _steps(place, page.total)
            if selection.value("compare") is None:  # a comparison may be of another study
                _every_judge(page.rows[place - page.offset])
    if not page.rows:
        components.say(f"Nothing to show: {page.reason}.")
        return
    row, on_page = page.rows[place - page.offset], place - page.offset
    item = data.item(source.key, query, PAGE, page.offset, on_page)
    reading = Reading(source.key, rendered)
    if query.beside is None:
        show_item(item, row, reading)
        return
    other = item
    if query.beside.role == "generator":
        other = data.item(source.key, query, PAGE, page.offset, on_page, query.beside.name)
    show_beside(item, row, query.beside, other, reading)


def _every_judge(row: dict[str, Any]) -> None:
    """Lead to the verdicts of all judges on this answer."""

    def show_grid() -> None:
        answer = {"chart": "grid", "instance": row["instance_id"], "response": row["generator"]}
        for key, text in answer.items():
            selection.choose(key, text)
        for key in ("item", "q", "value"):
            selection.choose(key)

    st.button("All verdicts on this answer", key="grid", icon=":material/grid_on:", on_click=show_grid)


def _steps(place: int, total: int) -> None:
    for label, key, icon, step, enabled in (
        ("Previous", "p", "arrow_back", -1, place > 0),
        ("Next", "n", "arrow_forward", 1, place + 1 < total),
    ):
        st.button(
            label,
            key=label.lower(),
            shortcut=key,
            icon=f":material/{icon}:",
            on_click=selection.choose,
            args=("item", str(place + step + 1)),
            disabled=not enabled,
        )
    st.text(f"{place + 1:,} of {total:,}", width="content")


PAGE = 100
"""Judgments loaded at a time, among which one steps."""

RELATIONS = {"self": "the model itself", "family": "same family as the model", "other": ""}
"""The relation of a judge to the model whose response it judges."""


# ------------------------------------------------------------------------------
# One judged item: its texts, every judge's verdict beside the reference, and two judgments side by side.


MOST_BOXES = 3
"""Most verdicts of one judge shown in full above the table of all judges."""

SIGNS = "= agrees with the reference; ▲ passes what it fails; ▼ fails what it passes."
NEGATIVE = "A negative rubric describes a fault: a response passes it if it is not met."
SIGN = {"agrees": "=", "overestimates": "▲", "underestimates": "▼", None: ""}
SIDE = {
    "agrees": "= agrees with the reference",
    "overestimates": "▲ overestimates",
    "underestimates": "▼ underestimates",
    None: "",
}


@dataclass(frozen=True)
class Reading:
    """How an item of a study is shown: texts plain or rendered; `side` separates two items on a page."""

    key: data.StudyKey
    rendered: bool
    side: str = "left"

    def text(self, text: str | None, key: str, **look: Any) -> None:
        """Show one text of the item."""
        safe_text.show(text, f"{key}_{self.side}", rendered=self.rendered, **look)


def show_item(item: Item, row: dict[str, Any], reading: Reading) -> None:
    """Show an item; `row` is its row in the list."""
    left, right = st.columns(2, gap="medium")
    with left:
        _question(item, reading)
        _responses(item, reading)
    with right:
        _rubric(item, row, reading)
        st.markdown("**What the judges say**")
        _show_verdicts(item, row["judge"], reading)
        _all_judges(item)


def show_beside(item: Item, row: dict[str, Any], beside: Beside, other: Item, reading: Reading) -> None:
    """Show two judgments side by side; `other` is the second response's item, or the same one again."""
    left, right = st.columns(2, gap="medium")
    with left:
        _question(item, reading)
    with right:
        _rubric(item, row, reading)
    of_judge = beside.role == "judge"
    if of_judge:
        _responses(item, reading)
    second = beside.name if of_judge else row["judge"]
    sides = (item, row["judge"], reading), (other, second, replace(reading, side="right"))
    for column, (side_item, judge, side_reading) in zip(st.columns(2, gap="medium"), sides, strict=True):
        with column:
            if not of_judge:
                _responses(side_item, side_reading)
                _references(side_item)
            _show_verdicts(side_item, judge, side_reading)
    if of_judge:
        st.markdown("**What the judges say**")
        _all_judges(item)


def _question(item: Item, reading: Reading) -> None:
    st.markdown("**Conversation**")
    with st.container(key="conversation"):
        if not item.messages:
            reading.text(None, "message", absent="This study holds no text of the question.")
        for place, message in enumerate(item.messages):
            note(message.role, key=f"role_{place}")
            reading.text(message.text, f"message_{place}")
    for label, text in (("Context", item.context), ("Reference answer", item.reference_answer)):
        if text is not None:
            st.markdown(f"**{label}**")
            reading.text(text, label.split()[0].lower())


def _responses(item: Item, reading: Reading) -> None:
    responses = [(item.generator, item.response)]
    if item.opponent is not None:
        responses.append((item.opponent, item.opponent_response))
    for place, (generator, text) in enumerate(responses):
        with st.container(horizontal=True, gap="small"):
            st.markdown("**Response of**", width="content")
            st.text(generator, width="content")
        reading.text(text, f"response_{place}", absent="This study holds no text of the response.")


def _rubric(item: Item, row: dict[str, Any], reading: Reading) -> None:
    rubric = item.rubric
    if rubric is None:
        st.markdown("**Comparison**")
        with st.container(border=True):
            st.text(f"{item.generator} against {item.opponent}")
            st.text(f"{row['judge']}: a {row['verdict']} for {item.generator}")
            st.text(f"reference: {'none' if row['reference'] is None else 'a ' + row['reference']}")
        return
    st.markdown(f"**{rubric_label(rubric)}**")
    with st.container(border=True, key="rubric"):
        absent = "This study holds no text of the criterion."
        reading.text(rubric["criterion"], "criterion", absent=absent, border=False)
        points = "–" if rubric["points"] is None else f"{rubric['points']:+g}"
        facts = [f"points {points}"]
        facts += [
            f"{name} {rubric[name]}" for name in ("axis", "theme", "checker") if rubric[name] is not None
        ]
        if rubric["length"] is not None:
            facts.append(f"{rubric['length']:,} characters")
        note(
            " · ".join(facts),
            f"instance {item.instance_id} · rubric {rubric['rubric_id']}",
            key="rubric_facts",
        )
        _references(item)


def _references(item: Item) -> None:
    """Show each reference's verdict on the response."""
    for source, verdict in item.references:
        st.text(f"reference {source}: {verdict}")
    if not item.references and item.rubric is not None:
        st.text("No stored reference for this rubric.")


def _show_verdicts(item: Item, judge: str, reading: Reading) -> None:
    """Show one judge's verdicts in full, unless there are more than MOST_BOXES."""
    verdicts = [verdict for verdict in item.verdicts if verdict.judge == judge]
    if not verdicts:
        st.text(f"{judge} has no judgment here.")
    for place, verdict in enumerate(verdicts if len(verdicts) <= MOST_BOXES else ()):
        with st.container(border=True):
            label = "" if verdict.presentation is None else f", {verdict.presentation}"
            st.text(
                f"{verdict.judge} ({verdict.relation}{label}): {answer_of(verdict)} {SIDE[verdict.against]}"
            )
            reason = verdict.explanation if verdict.explanation is not None else verdict.raw
            absent = "It gave no reason."
            reading.text(reason or None, f"reason_{place}", absent=absent, border=False, small=True)
            name = f"{place}_{reading.side}"
            with st.expander("Prompt and settings", key=f"asked_{name}"):
                _call_details(verdict, reading, name)
            with st.expander("Raw answer", key=f"answered_{name}"):
                absent = "The raw answer is not stored."
                safe_text.show(verdict.raw, f"raw_{name}", rendered=False, absent=absent, small=True)
            _wire(verdict, reading, name)


def _wire(verdict: StoredVerdict, reading: Reading, name: str) -> None:
    """Show the requests and answers behind a verdict as sent, if the run stored them."""
    exchanges = data.exchanges(reading.key, verdict)
    if not exchanges:
        return
    with st.expander(f"Requests and answers ({len(exchanges)})", key=f"wire_{name}"):
        for place, each in enumerate(exchanges):
            status = "" if each.status is None else f" · status {each.status}"
            note(f"to {each.address}{status} · call {verdict.call['call_id']}", key=f"wire_{name}_{place}")
            safe_text.show_verbatim(each.request, f"wire_sent_{name}_{place}")
            safe_text.show_verbatim(each.answer, f"wire_answer_{name}_{place}")


def _call_details(verdict: StoredVerdict, reading: Reading, name: str) -> None:
    """Show how a judge was prompted: the messages sent to it, and what is stored of the run."""
    settings = [f"{fact.replace('_', ' ')} {value}" for fact, value in verdict.run_facts]
    note(
        f"run {verdict.run_id}" + (f" · repeat {verdict.trial}" if verdict.trial else ""),
        " · ".join(settings) if settings else "This study does not record how the run asked the judge.",
        key=f"facts_{name}",
    )
    prompt = data.prompt(reading.key, verdict)
    if prompt.messages is None:
        st.text(f"The prompt that was sent cannot be shown: {prompt.reason}.")
        return
    for place, message in enumerate(prompt.messages):
        note(message["role"], key=f"sent_by_{name}_{place}")
        safe_text.show_verbatim(message["content"], f"sent_{name}_{place}")


def _all_judges(item: Item) -> None:
    if not item.verdicts:
        st.text("This item has no judgment.")
        return
    frame = pd.DataFrame(
        {
            "judge": [verdict.judge for verdict in item.verdicts],
            "relation": [verdict.relation for verdict in item.verdicts],
            "answer": [f"{SIGN[verdict.against]} {answer_of(verdict)}".strip() for verdict in item.verdicts],
            "shown": [verdict.presentation or "–" for verdict in item.verdicts],
            "reason": [verdict.explanation or verdict.raw or "–" for verdict in item.verdicts],
        }
    )
    if (frame["shown"] == "–").all():
        frame = frame.drop(columns="shown")
    config = {
        "judge": "Judge",
        "relation": ("Relation", "To the model whose response it is"),
        "answer": ("Answer", "= agrees with the reference, ▲ passes what it fails, ▼ fails what it passes"),
        "shown": ("Shown", "What was judged, or shown first"),
        "reason": ("Reason", "The judge's reason; its whole answer where that could not be parsed"),
    }
    table(frame, config, "said")


def answer_of(verdict: StoredVerdict) -> str:
    """Return a judge's answer, or that it has no verdict."""
    return verdict.answer or f"no verdict ({verdict.status})"
