"""One judged item: conversation, response, rubric, and every judge's verdict beside the reference."""

from typing import Any

import pandas as pd
import streamlit as st

from engine.drill import Item, Said
from explorer.components import note, table

MOST_BOXES = 3
"""Rows of the judge chosen that are shown in full above the table of all judges."""

SIGN = {"agrees": "=", "overestimates": "▲", "underestimates": "▼", None: ""}
SIDE = {
    "agrees": "= agrees with the reference",
    "overestimates": "▲ overestimates",
    "underestimates": "▼ underestimates",
    None: "",
}


def show(item: Item, row: dict[str, Any]) -> None:
    """Show an item; `row` is the one of the list that led here."""
    left, right = st.columns(2, gap="medium")
    with left:
        _texts(item)
    with right:
        _rubric(item, row)
        _said(item, row)


def _texts(item: Item) -> None:
    st.markdown("**Conversation**")
    with st.container(border=True, key="conversation"):
        if not item.messages:
            st.text("This study holds no text of the question.")
        for place, message in enumerate(item.messages):
            note(message.role, key=f"role_{place}")
            st.text(message.text)
    for label, text in (("Context", item.context), ("Reference answer", item.reference_answer)):
        if text is not None:
            st.markdown(f"**{label}**")
            _text(text)
    _response(item.generator, item.response)
    if item.opponent is not None:
        _response(item.opponent, item.opponent_response)


def _response(generator: str, text: str | None) -> None:
    with st.container(horizontal=True, gap="small"):
        st.markdown("**Response of**", width="content")
        st.text(generator, width="content")
    if text is None:
        _text("This study holds no text of the response.")
    else:
        _text(text or "(empty)")


def _text(text: str) -> None:
    with st.container(border=True):
        st.text(text)


def _rubric(item: Item, row: dict[str, Any]) -> None:
    rubric = item.rubric
    if rubric is None:
        st.markdown("**Comparison**")
        with st.container(border=True):
            st.text(f"{item.generator} against {item.opponent}")
            st.text(f"{row['judge']}: a {row['verdict']} for {item.generator}")
            st.text(f"reference: {'none' if row['reference'] is None else 'a ' + row['reference']}")
        return
    st.markdown("**Rubric**")
    with st.container(border=True, key="rubric"):
        st.text(rubric["criterion"] or "This study holds no text of the criterion.")
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
        for source, told in item.references:
            st.text(f"reference {source}: {told}")
        if not item.references:
            st.text("No stored reference for this rubric.")


def _said(item: Item, row: dict[str, Any]) -> None:
    st.markdown("**What the judges say**")
    if not item.said:
        st.text("No stored judgment of this item.")
        return
    mine = [said for said in item.said if said.judge == row["judge"]]
    for place, said in enumerate(mine if len(mine) <= MOST_BOXES else ()):
        with st.container(border=True):
            shown = "" if said.shown is None else f", {said.shown}"
            st.text(f"{said.judge} ({said.relation}{shown}): {_answer(said)} {SIDE[said.against]}")
            reason = said.explanation if said.explanation is not None else said.raw
            note(reason if reason else "It gave no reason.", key=f"reason_{place}")
    _all_judges(item)


def _all_judges(item: Item) -> None:
    frame = pd.DataFrame(
        {
            "judge": [said.judge for said in item.said],
            "relation": [said.relation for said in item.said],
            "answer": [f"{SIGN[said.against]} {_answer(said)}".strip() for said in item.said],
            "shown": [said.shown or "–" for said in item.said],
            "reason": [said.explanation or said.raw or "–" for said in item.said],
        }
    )
    if (frame["shown"] == "–").all():
        frame = frame.drop(columns="shown")
    config = {
        "judge": st.column_config.TextColumn("Judge"),
        "relation": st.column_config.TextColumn("Relation", help="To the model whose response it is"),
        "answer": st.column_config.TextColumn(
            "Answer", help="= as the reference, ▲ credits what the reference does not, ▼ the other way round"
        ),
        "shown": st.column_config.TextColumn("Shown", help="What was judged, or shown first"),
        "reason": st.column_config.TextColumn(
            "Reason", help="The judge's words; where unreadable, all of them"
        ),
    }
    table(frame, config, "said")


def _answer(said: Said) -> str:
    return said.answer or f"no verdict ({said.status})"
