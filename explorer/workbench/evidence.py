"""One judged item with every judge's verdict beside the reference, and the reasons that judges give.

The parts of an item are put side by side by `show`, for one judgment or for two.
"""

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from engine.explore.judgment_detail import Item, StoredVerdict
from engine.explore.judgment_list import Beside
from engine.explore.reasons import Reasons, Standing
from engine.words.conclusions import odds_words, quoted, reason_sentences
from explorer import data
from explorer.parts import context, safe_text
from explorer.parts.components import note, table

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
        safe_text.show(text, f"{key}_{self.side}", rendered=self.rendered, **rest)


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
    responses = [(item.generator, item.response)]
    if item.opponent is not None:
        responses.append((item.opponent, item.opponent_response))
    for place, (generator, text) in enumerate(responses):
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
    for source, verdict in item.references:
        st.text(f"reference {source}: {verdict}")
    if not item.references and item.rubric is not None:
        st.text("No stored reference for this rubric.")


def _says(item: Item, judge: str, how: Reading) -> None:
    """Show in full what one judge verdict, where it did not say too much of it."""
    mine = [verdict for verdict in item.verdicts if verdict.judge == judge]
    if not mine:
        st.text(f"{judge} has no judgment here.")
    for place, verdict in enumerate(mine if len(mine) <= MOST_BOXES else ()):
        with st.container(border=True):
            shown = "" if verdict.shown is None else f", {verdict.shown}"
            st.text(
                f"{verdict.judge} ({verdict.relation}{shown}): {answer_of(verdict)} {SIDE[verdict.against]}"
            )
            reason = verdict.explanation if verdict.explanation is not None else verdict.raw
            how.text(reason or None, f"reason_{place}", absent="It gave no reason.", border=False, small=True)
            name = f"{place}_{how.side}"
            with st.expander("Prompt and settings", key=f"asked_{name}"):
                _call_details(verdict, how, name)
            with st.expander("Raw answer", key=f"answered_{name}"):
                absent = "The raw answer is not stored."
                safe_text.show(verdict.raw, f"raw_{name}", rendered=False, absent=absent, small=True)
            _wire(verdict, how, name)


def _wire(verdict: StoredVerdict, how: Reading, name: str) -> None:
    """Show the requests and answers behind a verdict as they went over the wire, where the run kept them."""
    exchanges = data.exchanges(how.key, verdict)
    if not exchanges:
        return
    with st.expander(f"Requests and answers ({len(exchanges)})", key=f"wire_{name}"):
        for place, each in enumerate(exchanges):
            status = "" if each.status is None else f" · status {each.status}"
            note(f"to {each.address}{status} · call {verdict.call['call_id']}", key=f"wire_{name}_{place}")
            safe_text.copied(each.request, f"wire_sent_{name}_{place}")
            safe_text.copied(each.answer, f"wire_answer_{name}_{place}")


def _call_details(verdict: StoredVerdict, how: Reading, name: str) -> None:
    """Show how a judge was asked: the messages that it was sent, and what is stored of the run."""
    settings = [f"{fact.replace('_', ' ')} {value}" for fact, value in verdict.run_facts]
    note(
        f"run {verdict.run_id}" + (f" · repeat {verdict.trial}" if verdict.trial else ""),
        " · ".join(settings) if settings else "This study does not say how the run asked.",
        key=f"facts_{name}",
    )
    sent = data.prompt(how.key, verdict)
    if sent.messages is None:
        st.text(f"The prompt that was sent cannot be shown: {sent.reason}.")
        return
    for place, message in enumerate(sent.messages):
        note(message["role"], key=f"sent_by_{name}_{place}")
        safe_text.copied(message["content"], f"sent_{name}_{place}")


def _all_judges(item: Item) -> None:
    if not item.verdicts:
        st.text("This item has no judgment.")
        return
    frame = pd.DataFrame(
        {
            "judge": [verdict.judge for verdict in item.verdicts],
            "relation": [verdict.relation for verdict in item.verdicts],
            "answer": [f"{SIGN[verdict.against]} {answer_of(verdict)}".strip() for verdict in item.verdicts],
            "shown": [verdict.shown or "–" for verdict in item.verdicts],
            "reason": [verdict.explanation or verdict.raw or "–" for verdict in item.verdicts],
        }
    )
    if (frame["shown"] == "–").all():
        frame = frame.drop(columns="shown")
    config = {
        "judge": st.column_config.TextColumn("Judge"),
        "relation": ("Relation", "To the model whose response it is"),
        "answer": ("Answer", "= agrees with the reference, ▲ passes what it fails, ▼ fails what it passes"),
        "shown": ("Shown", "What was judged, or shown first"),
        "reason": ("Reason", "The judge's reason; its whole answer where that could not be parsed"),
    }
    table(frame, config, "said")


def answer_of(verdict: StoredVerdict) -> str:
    """Return what a judge answered, or that no verdict could be read from it."""
    return verdict.answer or f"no verdict ({verdict.status})"


# ------------------------------------------------------------------------------
# Why a judge passes its own failed responses: the reasons that it gives, beside those of outside judges.


MOST_WORDS = 10
"""Words listed that stand out."""

REASONS = {
    "words": st.column_config.TextColumn("Reasons that say", width="large"),
    "judge": st.column_config.NumberColumn("Judge", format="localized", help="Its reasons to pass"),
    "passed": st.column_config.NumberColumn(
        "Outside, passed too", format="localized", help="Reasons of outside judges that passed these answers"
    ),
    "failed": st.column_config.NumberColumn(
        "Outside, failed", format="localized", help="Reasons of outside judges that failed these answers"
    ),
    "odds": ("Odds [95% interval]", "Of the judge, against outside judges that passed too; 1 = as often"),
}
GROUPED = (
    "Groups come from k-means on the words of all these reasons, without what they quote. Intervals treat "
    "reasons as independent, so they are somewhat too narrow."
)


def show_reasons(here: context.Context, judge: str) -> None:
    """Show the groups of reasons and the words that stand out, with examples; nothing without reasons."""
    reasons = data.reasons(here.key, judge)
    if not reasons.cells or (reasons.lacking is not None and not reasons.n_judge):
        return
    st.markdown("**Why does it pass them?**")
    for sentence in reason_sentences(reasons):
        st.text(sentence)
    if reasons.lacking is not None:
        return
    groups = [group.standing for group in reasons.groups]
    table(_words_of(groups), REASONS, "reason_groups")
    telling = [word for word in reasons.words if word.stands_out][:MOST_WORDS]
    if telling:
        st.text("Words that set its reasons apart")
        table(_words_of(telling), REASONS, "reason_words")
    note(GROUPED, key="reasons")
    with st.expander("Examples, side by side", key="reason_examples"):
        _reason_examples(reasons)


def _words_of(standing: list[Standing]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "words": quoted(one),
                "judge": one.n_judge,
                "passed": one.n_passed,
                "failed": one.n_failed,
                "odds": odds_words(one),
            }
            for one in standing
        ]
    )


def _reason_examples(reasons: Reasons) -> None:
    for number, group in enumerate(reasons.groups):
        for place, example in enumerate(group.examples):
            with st.container(border=True, key=f"reason_{number}_{place}"):
                st.text(example.criterion or example.own.rubric_id)
                own, outside = st.columns(2)
                own.text(f"{example.own.judge}, passed: {example.own.text}")
                if example.outside is not None:
                    verdict = "passed" if example.outside.passed else "failed"
                    outside.text(f"{example.outside.judge}, {verdict}: {example.outside.text}")
