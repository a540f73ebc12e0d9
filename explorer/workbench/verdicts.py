"""The list: each judgment with its texts, the judge's words, and other judges' verdicts beside them."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from engine.arrays.text_names import criterion_words
from engine.errors import SpbError
from engine.explore.judgment_detail import JudgedItem, StoredVerdict
from engine.explore.judgment_page import Listing
from engine.phrases import shortened
from engine.views.item_verdicts import SIGN, SIGNS, answer_of, occasion
from engine.views.verdicts import other_judgments, quantity_listed
from explorer import data
from explorer.parts import components, downloads, page_width, selection
from explorer.parts.components import note
from explorer.parts.show import NARROW
from explorer.workbench.judged_item import LAST_READ, NEGATIVE, is_negative, rubric_label
from explorer.workbench.listed_judgments import (
    BLOCK,
    BLOCK_OF_A_PHONE,
    CLIPPED,
    MOST,
    JudgmentSource,
    query_of,
)
from explorer.workbench.one_judgment import RELATIONS

_MORE = "_judgments_listed"
_LIST = st.components.v2.component(
    "spb_verdicts", js=(Path(__file__).parent / "verdict_list.js").read_text(encoding="utf-8")
)
WORDS = {"differs": "differs", "read": "Read", "more": "What the others say", "rest": "More judgments"}


def prefetch(source: JudgmentSource) -> None:
    """Read what `show_list` is to show; errors are left to it."""
    with contextlib.suppress(SpbError):
        query = query_of(source)
        data.items(source.key, query, _count(_list_id(source, query)))


def show_list(source: JudgmentSource, query: data.ListQuery) -> None:
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
    notes += [NEGATIVE] if has_signs and any(is_negative(item.rubric) for item in items) else []
    left_out = other_judgments(data.study(source.key), page, query.kind)
    note(_count_words(page, len(cards), query), *left_out, *notes, key="listed")
    _LIST(
        key="verdict_list",
        data={
            "list": list_id,
            "cards": cards,
            "total": last,
            "search": query.search,
            "last": st.session_state.get(LAST_READ),
            "words": WORDS,
        },
        on_open_change=_open_card,
        on_more_change=lambda: st.session_state.update({_MORE: (list_id, min(count + _block(), MOST))}),
    )
    downloads.offer_table(lambda: data.listed_frame(source.key, query), "rows")


def _list_id(source: JudgmentSource, query: data.ListQuery) -> str:
    return repr((source.key, query))


def _count(list_id: str) -> int:
    """Return how many judgments of a list are shown."""
    name, count = st.session_state.get(_MORE, (None, 0))
    return int(count) if name == list_id else _block()


def _block() -> int:
    """Return how many judgments are added at once: few on a phone, where the list scrolls with the page."""
    return BLOCK_OF_A_PHONE if page_width.is_narrower(NARROW) else BLOCK


def _count_words(page: Listing, n_cards: int, query: data.ListQuery) -> str:
    total = quantity_listed(page, query.kind, query.generator)
    if page.total <= n_cards:
        return f"{total}."
    more = f" The list stops at {MOST}: narrow it with filters or search." if n_cards >= MOST else ""
    return f"{n_cards:,} of {total}.{more}"


def _texts(items: Sequence[JudgedItem]) -> dict[str, bool]:
    return {
        "responses": any(item.response is not None for item in items),
        "reasons": any(verdict.explanation is not None for item in items for verdict in item.verdicts),
        "criteria": any(item.rubric is None or item.rubric["criterion"] is not None for item in items),
    }


def card(item: JudgedItem, row: dict[str, Any], place: int) -> dict[str, Any]:
    """Return a judgment as the list shows it: clipped texts, the judge's verdict and all others'."""
    own = next((verdict for verdict in item.verdicts if verdict.judge == row["judge"]), None)
    others = [verdict for verdict in item.verdicts if verdict.judge != row["judge"]]
    others.sort(key=lambda each: (each.relation != "other", own is None or not _differ(each, own)))
    description = {"self": "its own answer", "family": f"its family's {item.generator}"}
    about = description.get(row["relation"], f"an answer of {item.generator}")
    texts: list[tuple[str, str | None]] = []
    if item.response is None:
        texts.append(("Question", _question(item)))
    if item.rubric is not None:
        words = criterion_words(item.rubric["criterion"], item.rubric["rubric_id"])
        texts.append((rubric_label(item.rubric), words))
    texts.append((f"Answer of {item.generator}", item.response))
    if item.opponent is not None:
        texts.append((f"Answer of {item.opponent}", item.opponent_response))
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
        else _verdict_card(item, own, None),
        "others": [_verdict_card(item, verdict, own) for verdict in others],
    }


def _question(item: JudgedItem) -> str:
    """Return the question, or else its id, which tells cards apart."""
    return item.messages[-1].text if item.messages else item.instance_id


def _verdict_card(item: JudgedItem, verdict: StoredVerdict, own: StoredVerdict | None) -> dict[str, Any]:
    return {
        "judge": verdict.judge,
        "answer": ", ".join((answer_of(verdict), *occasion(item, verdict))),
        "sign": SIGN[verdict.against],
        "kind": verdict.against or "",
        "relation": RELATIONS[verdict.relation],
        "differs": own is not None and _differ(verdict, own),
        "words": shortened(verdict.words or "", CLIPPED),
    }


def _differ(one: StoredVerdict, other: StoredVerdict) -> bool:
    """Return whether two verdicts differ; False if either judge has none."""
    return None not in (one.answer, other.answer) and one.answer != other.answer


def _open_card() -> None:
    state = st.session_state.get("verdict_list")  # gone if another page was drawn since the click
    place = state["open"] if state else None
    if place:
        selection.choose("item", str(place))
