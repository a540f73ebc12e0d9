"""One judged item: its texts, every judge's verdict beside the reference, and two judgments side by side."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from engine.arrays.text_names import criterion_words
from engine.explore.cells_beside import Beside
from engine.explore.judgment_detail import JudgedItem, StoredVerdict
from engine.views.item_verdicts import answer_of, occasion, verdicts_on
from explorer import data
from explorer.parts import safe_text
from explorer.parts.components import note
from explorer.parts.show import table


def is_negative(rubric: Mapping[str, Any] | None) -> bool:
    return rubric is not None and rubric["points"] is not None and rubric["points"] < 0


def rubric_label(rubric: Mapping[str, Any]) -> str:
    """Return what a rubric is called: one that takes points is negative."""
    return f"Negative criterion, {rubric['points']:+g} points if met" if is_negative(rubric) else "Criterion"


LAST_READ = "_judgment_read"


MOST_BOXES = 3
"""Most verdicts of one judge shown in full above the table of all judges."""


NEGATIVE = "A negative criterion describes a fault: an answer passes it if it is not met."
SIDE = {
    "agrees": "= agrees with the reference",
    "overestimates": "▲ overestimates",
    "underestimates": "▼ underestimates",
    None: "",
}


@dataclass(frozen=True)
class ItemDisplay:
    """How an item of a study is shown: texts plain or rendered; `side` separates two items on a page."""

    key: data.StudyKey
    rendered: bool
    side: str = "left"

    def text(self, text: str | None, key: str, **look: Any) -> None:
        """Show one text of the item."""
        safe_text.show(text, f"{key}_{self.side}", rendered=self.rendered, **look)


def show_item(item: JudgedItem, row: dict[str, Any], reading: ItemDisplay) -> None:
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


def show_beside(
    item: JudgedItem, row: dict[str, Any], beside: Beside, other: JudgedItem, reading: ItemDisplay
) -> None:
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


def _question(item: JudgedItem, reading: ItemDisplay) -> None:
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


def _responses(item: JudgedItem, reading: ItemDisplay) -> None:
    responses = [(item.generator, item.response)]
    if item.opponent is not None:
        responses.append((item.opponent, item.opponent_response))
    for place, (generator, text) in enumerate(responses):
        with st.container(horizontal=True, gap="small"):
            st.markdown("**Answer of**", width="content")
            st.text(generator, width="content")
        reading.text(text, f"response_{place}", absent="This study holds no text of the answer.")


def _rubric(item: JudgedItem, row: dict[str, Any], reading: ItemDisplay) -> None:
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
        words = criterion_words(rubric["criterion"], rubric["rubric_id"])
        reading.text(words, "criterion", border=False)
        points = "–" if rubric["points"] is None else f"{rubric['points']:+g}"
        facts = [f"points {points}"]
        facts += [
            f"{name} {rubric[name]}" for name in ("axis", "theme", "checker") if rubric[name] is not None
        ]
        if rubric["length"] is not None:
            facts.append(f"{rubric['length']:,} characters")
        absent = [] if rubric["criterion"] else ["This study holds no text of the criterion."]
        note(
            *absent,
            " · ".join(facts),
            f"question {item.instance_id} · criterion {rubric['rubric_id']}",
            key="rubric_facts",
        )
        _references(item)


def _references(item: JudgedItem) -> None:
    """Show each reference's verdict on the response."""
    for source, verdict in item.references:
        st.text(f"reference {source}: {verdict}")
    if not item.references and item.rubric is not None:
        st.text("No stored reference for this criterion.")


def _show_verdicts(item: JudgedItem, judge: str, reading: ItemDisplay) -> None:
    """Show one judge's verdicts in full, unless there are more than MOST_BOXES."""
    verdicts = [verdict for verdict in item.verdicts if verdict.judge == judge]
    if not verdicts:
        st.text(f"{judge} has no judgment here.")
    for place, verdict in enumerate(verdicts if len(verdicts) <= MOST_BOXES else ()):
        with st.container(border=True):
            about = ", ".join((verdict.relation, *occasion(item, verdict)))
            st.text(f"{verdict.judge} ({about}): {answer_of(verdict)} {SIDE[verdict.against]}")
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


def _wire(verdict: StoredVerdict, reading: ItemDisplay, name: str) -> None:
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


def _call_details(verdict: StoredVerdict, reading: ItemDisplay, name: str) -> None:
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


def _all_judges(item: JudgedItem) -> None:
    if not item.verdicts:
        st.text("This item has no judgment.")
        return
    table(verdicts_on(item), "item_verdicts")
