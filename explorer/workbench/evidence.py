"""One judged item: conversation, response, rubric, and every judge's verdict beside the reference.

The parts are put side by side by `show`, for one judgment or for two.
"""

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from engine.drill import Beside, Item, Said
from explorer import data, texts
from explorer.components import note, table

MOST_BOXES = 3
"""Rows of one judge that are shown in full above the table of all judges."""

SIGN = {"agrees": "=", "overestimates": "▲", "underestimates": "▼", None: ""}
SIDE = {
    "agrees": "= agrees with the reference",
    "overestimates": "▲ overestimates",
    "underestimates": "▼ underestimates",
    None: "",
}


@dataclass(frozen=True)
class Reading:
    """How an item of a study is read: texts plain or rendered; `side` tells two items on a page apart."""

    key: data.StudyKey
    rendered: bool
    side: str = "left"

    @property
    def beside(self) -> "Reading":
        """The same for the item beside."""
        return replace(self, side="right")

    def text(self, text: str | None, key: str, **rest: Any) -> None:
        """Show one text of the item."""
        texts.show(text, f"{key}_{self.side}", rendered=self.rendered, **rest)


def show(item: Item, row: dict[str, Any], how: Reading) -> None:
    """Show an item; `row` is the one of the list that led here."""
    left, right = st.columns(2, gap="medium")
    with left:
        _question(item, how)
        _responses(item, how)
    with right:
        _rubric(item, row, how)
        st.markdown("**What the judges say**")
        _says(item, row["judge"], how)
        _all_judges(item)


def show_beside(item: Item, row: dict[str, Any], beside: Beside, other: Item, how: Reading) -> None:
    """Show two judgments side by side; `other` is the second response's item, or the same one again."""
    left, right = st.columns(2, gap="medium")
    with left:
        _question(item, how)
    with right:
        _rubric(item, row, how)
    of_judge = beside.role == "judge"
    if of_judge:
        _responses(item, how)
    sides = (item, row["judge"], how), (other, beside.name if of_judge else row["judge"], how.beside)
    for column, (shown, judge, reading) in zip(st.columns(2, gap="medium"), sides, strict=True):
        with column:
            if not of_judge:
                _responses(shown, reading)
                _references(shown)
            _says(shown, judge, reading)
    if of_judge:
        st.markdown("**What the judges say**")
        _all_judges(item)


def _question(item: Item, how: Reading) -> None:
    st.markdown("**Conversation**")
    with st.container(key="conversation"):
        if not item.messages:
            how.text(None, "message", absent="This study holds no text of the question.")
        for place, message in enumerate(item.messages):
            note(message.role, key=f"role_{place}")
            how.text(message.text, f"message_{place}")
    for label, text in (("Context", item.context), ("Reference answer", item.reference_answer)):
        if text is not None:
            st.markdown(f"**{label}**")
            how.text(text, label.split()[0].lower())


def _responses(item: Item, how: Reading) -> None:
    told = [(item.generator, item.response)]
    if item.opponent is not None:
        told.append((item.opponent, item.opponent_response))
    for place, (generator, text) in enumerate(told):
        with st.container(horizontal=True, gap="small"):
            st.markdown("**Response of**", width="content")
            st.text(generator, width="content")
        how.text(text, f"response_{place}", absent="This study holds no text of the response.")


def _rubric(item: Item, row: dict[str, Any], how: Reading) -> None:
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
        absent = "This study holds no text of the criterion."
        how.text(rubric["criterion"], "criterion", absent=absent, border=False)
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
    """Say what each source holds to be true of the response."""
    for source, told in item.references:
        st.text(f"reference {source}: {told}")
    if not item.references and item.rubric is not None:
        st.text("No stored reference for this rubric.")


def _says(item: Item, judge: str, how: Reading) -> None:
    """Show in full what one judge said, where it did not say too much of it."""
    mine = [said for said in item.said if said.judge == judge]
    if not mine:
        st.text(f"No stored judgment of {judge}.")
    for place, said in enumerate(mine if len(mine) <= MOST_BOXES else ()):
        with st.container(border=True):
            shown = "" if said.shown is None else f", {said.shown}"
            st.text(f"{said.judge} ({said.relation}{shown}): {_answer(said)} {SIDE[said.against]}")
            reason = said.explanation if said.explanation is not None else said.raw
            how.text(reason or None, f"reason_{place}", absent="It gave no reason.", border=False, small=True)
            name = f"{place}_{how.side}"
            with st.expander("What was asked", key=f"asked_{name}"):
                _asked(said, how, name)
            with st.expander("The answer as it came", key=f"answered_{name}"):
                absent = "The answer as it came is not stored."
                texts.show(said.raw, f"raw_{name}", rendered=False, absent=absent, small=True)


def _asked(said: Said, how: Reading, name: str) -> None:
    """Show how a judge was asked: the messages that it was sent, and what is stored of the run."""
    asked = [f"{fact.replace('_', ' ')} {told}" for fact, told in said.asked]
    note(
        f"run {said.run_id}" + (f" · repeat {said.trial}" if said.trial else ""),
        " · ".join(asked) if asked else "This study does not say how the run asked.",
        key=f"facts_{name}",
    )
    sent = data.prompt(how.key, said)
    if sent.messages is None:
        st.text(f"The prompt that was sent cannot be told: {sent.reason}.")
        return
    for place, message in enumerate(sent.messages):
        note(message["role"], key=f"sent_by_{name}_{place}")
        texts.copied(message["content"], f"sent_{name}_{place}")


def _all_judges(item: Item) -> None:
    if not item.said:
        st.text("No stored judgment of this item.")
        return
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
