"""The board of judges, and the evidence behind each row."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from engine.charts.forest import forest_rows, forest_spec
from engine.explore.judgment_list import Beside
from engine.explore.reasons import Reasons, TermCounts
from engine.measures.result import Result
from engine.report.card import CardForm
from engine.values import quantity
from engine.views.of_measure import measure
from engine.words import conclusions, sentences, title
from explorer import data
from explorer.new_run import studies
from explorer.parts import components, selection
from explorer.parts.context import Context, open_page
from explorer.parts.sections import section
from explorer.parts.show import show as show_views
from explorer.workbench import filters, verdicts

MEASURE = "scorecard"
BADGES: dict[str, components.Colour] = {
    "favours_itself": "orange",
    "overrates_itself": "orange",
    "disfavours_itself": "blue",
    "underrates_itself": "blue",
    "no_material_preference": "green",
}
CARDS: components.Forms[CardForm] = {
    "PNG": ("png", "image/png", "png"),
    "SVG": ("svg", "image/svg+xml", "svg"),
    "Markdown": ("md", "text/markdown", "md"),
    "HTML": ("html", "text/html", "html"),
}
"""The forms of a judge's card."""

DIFFERENT = 60
"""Most judgments listed on which a judge and an outside judge differ."""

SLICES = 8
"""Most slices drawn, those in which a judge's ratio is highest."""


def scorecard(key: data.StudyKey) -> Result | None:
    """Return the conclusion on each judge; None if the study allows none."""
    result = measure(data.study(key), MEASURE, {})
    return result if result.rows else None


@section
def show(context: Context, under: Callable[[], None]) -> None:
    """Show the opened judge, if one is chosen, and then the board; `under` follows."""
    selection.drop_unknown("judge", context.choices.judges, "Judge")
    judge = selection.value("judge")
    if judge is not None:
        rows = data.result(context.key, MEASURE, filters.flag_values(choices=context.choices)).rows
        row = next((row for row in rows if row["judge"] == judge), None)
        if row is not None:
            _judge(context, row)
    shown = show_views(context, "judges")
    under()
    if not shown:
        studies.let_judge(context, both_orders=False)


# ------------------------------------------------------------------------------
# One judge: its conclusion, its differences from outside judges, its highest ratios, and its rank.


@section
def _judge(context: Context, row: dict[str, Any]) -> None:
    judge = str(row["judge"])
    with st.container(border=True, key="one_judge"):
        with st.container(horizontal=True, vertical_alignment="center", key="judge_head"):
            st.subheader(judge, anchor=False, width="content")
            st.badge(conclusions.conclusion_words(row), color=BADGES.get(row["conclusion"], "gray"))
            _card(context, judge)
            back = partial(verdicts.deselect, "judge")
            st.button("All judges", key="all_judges", icon=":material/arrow_back:", on_click=back)
        st.text(conclusions.conclusion_sentence(row))
        family = conclusions.family_sentence(row)
        if family is not None:
            st.text(family)
        components.note(conclusions.meaning_sentence(row), key="meaning")
        doubts = conclusions.doubts(row)
        if doubts:
            components.note(*(f"▲ {sentence}" for sentence in doubts.values()), key="doubts")
        _differences(context, judge)
        _reasons(context, judge)
        _slices(context, judge)
        _ranking(context, judge)
        _method(row)


def _method(row: dict[str, Any]) -> None:
    """Show the number behind the conclusion, and what it is."""
    if row["estimate"] is None:
        return
    with st.expander("Method", key="method"):
        st.text(f"{conclusions.named_value(row)}: {conclusions.NUMBERS[row['decided_by']]}.")
        if (agreement := conclusions.agreement(row)) and row["conclusion"] in conclusions.CLAIMS:
            st.text(f"{agreement[:1].upper()}{agreement[1:]} in sign.")


@st.fragment
def _card(context: Context, judge: str) -> None:
    """Offer the judge's card: one picture, or one page."""
    menu = st.popover("Card", icon=":material/badge:", type="tertiary", key="card", on_change="rerun")
    if menu.open:
        with menu, st.container(horizontal=True):
            files = components.files(CARDS, partial(data.card, context.key, judge))
            components.buttons(f"{judge}-card", "card", files)


@section
def _differences(context: Context, judge: str) -> None:
    """List the judge's own responses on which an outside judge's verdict differs."""
    families = context.study.families()
    outside = [name for name in context.choices.judges if families[name] != families[judge]]
    if not outside:
        return
    st.markdown("**Where it differs from an outside judge on its own responses**")
    options = tuple(f"judge:{name}" for name in outside)
    selection.drop_unknown("beside", options, "Compare with")
    judge_of = dict(zip(options, outside, strict=True))
    option = selection.choice("beside", options, "Outside judge", outside[0], judge_of.__getitem__, width=260)
    beside = Beside.of(option or options[0], differ=True)
    page = None
    for kind in ("overestimation", "all"):
        query = data.Query(data.flags_of(context.choices.starts), kind, judge, judge, beside=beside)
        page = data.listing(context.key, query, DIFFERENT, 0)
        if page.rows:
            break
    if page is None or not page.rows:
        total = data.listing(context.key, replace(query, beside=Beside("judge", beside.name)), 1, 0).total
        agree = f"{judge} and {beside.name} agree on all {total:,} verdicts that both gave."
        none = f"{beside.name} gave no verdict on these responses that can be compared with {judge}'s."
        components.note(agree if total else none, key="no_difference")
        return
    apart = f"that {beside.name} does not share" if kind == "overestimation" else "that differ"
    count = f"{quantity(page.total, 'overestimation' if kind == 'overestimation' else 'verdict')} {apart}."
    components.note(f"{count} Choose a row to read both judges' reasons.", key="differences")
    frame = pd.DataFrame(page.rows)
    names = [name for name in DIFFERENCES if name in frame and frame[name].notna().any()]
    cells = frame[names].fillna("–")
    row = components.table(cells, DIFFERENCES, "differences_rows", selectable=True)
    if row is not None:
        item = data.item(context.key, query, DIFFERENT, 0, row)
        reading = verdicts.Reading(context.key, rendered=False)
        verdicts.show_beside(item, page.rows[row], beside, item, reading)
    if st.button("Read all", key="read_differences", icon=":material/gavel:"):
        places = {"judge": (judge,), "generator": (judge,), "show": (kind,), "item": (), "q": ()}
        places |= {"compare": (), "value": ()}
        open_page("workbench", **places, beside=(str(beside),), differ=("true",))


DIFFERENCES = {
    "criterion": st.column_config.TextColumn("Criterion", width="large"),
    "verdict": "Judge says",
    "verdict_beside": "Outside judge says",
    "reference": "Reference says",
    "opponent": "Opponent",
    "instance_id": "Instance",
}


@section
def _slices(context: Context, judge: str) -> None:
    """Draw the slices in which the judge's ratio is most clearly above 1."""
    rows = []
    for by in ("axis", "theme", "polarity", "category", "checker"):
        if by not in context.choices.groupings:
            continue
        result = measure(context.study, "hspp", {"judges": (judge,), "by": by})
        rows += [
            row | {"judge": f"{title(by).lower()}: {row['slice']}"}
            for row in result.rows
            if row["judge"] == judge and row["slice"] is not None and row["hspp_self_low"] is not None
        ]
    if not rows:
        return
    rows.sort(key=lambda row: -row["hspp_self_low"])
    st.markdown("**Where its ratio is highest**")
    frame = forest_rows(rows[:SLICES], fields=("hspp_self",))
    spec = forest_spec(frame, width=600)
    components.plot(
        spec, f"Ratio of {judge} in the slices where it is most clearly above 1.", key="judge_slices_chart"
    )
    components.note(
        "Its own failures passed relative to others' in each slice, the clearest first. Slices were not "
        "chosen in advance, so the highest of many is partly high by chance.",
        key="judge_slices",
    )


@section
def _ranking(context: Context, judge: str) -> None:
    """Say how the judge's treatment of itself affects its own rank."""
    deltas = measure(context.study, "delta", {"judges": (judge,)})
    if not deltas.rows:
        return
    ratios = measure(context.study, "hspp", {"judges": (judge,)})
    st.markdown("**Effect on the ranking**")
    st.text(sentences.score_bonus_sentences(deltas.rows, ratios.rows)[judge])


# ------------------------------------------------------------------------------
# Why a judge passes its own failed responses: the reasons that it gives, beside those of outside judges.


MOST_WORDS = 10
"""Most distinctive words listed."""

REASONS = {
    "words": st.column_config.TextColumn("Words in the reasons", width="medium"),
    "judge": st.column_config.NumberColumn("Judge", format="localized", help="Its reasons to pass"),
    "passed": st.column_config.NumberColumn(
        "Outside, passed", format="localized", help="Reasons of outside judges that passed these answers"
    ),
    "failed": st.column_config.NumberColumn(
        "Outside, failed", format="localized", help="Reasons of outside judges that failed these answers"
    ),
    "odds": (
        "Odds [95% interval]",
        "Of the judge, relative to outside judges that also passed; 1 = equally often",
    ),
}
GROUPS_NOTE = (
    "The groups are k-means clusters of the words in these reasons, quotations excluded. Intervals treat "
    "reasons as independent, so they are somewhat too narrow."
)


@section
def _reasons(context: Context, judge: str) -> None:
    """Show the groups of reasons and the words that stand out, with examples; nothing without reasons."""
    reasons = data.reasons(context.key, judge)
    if not reasons.cells or (reasons.lacking is not None and not reasons.n_judge):
        return
    st.markdown("**Why does it pass them?**")
    for sentence in conclusions.reason_sentences(reasons):
        st.text(sentence)
    if reasons.lacking is not None:
        return
    components.table([_words_of(group.counts) for group in reasons.groups], REASONS, "reason_groups")
    distinctive = [word for word in reasons.words if word.stands_out][:MOST_WORDS]
    if distinctive:
        st.text("Words that set its reasons apart")
        components.table(list(map(_words_of, distinctive)), REASONS, "reason_words")
    components.note(GROUPS_NOTE, key="reasons")
    with st.expander("Examples, side by side", key="reason_examples"):
        _reason_examples(reasons)


def _words_of(terms: TermCounts) -> tuple[str, int, int, int, str]:
    """Return a row of `REASONS`."""
    counts = terms.n_judge, terms.n_passed, terms.n_failed
    return conclusions.quote_words(terms), *counts, conclusions.odds_words(terms)


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
