"""The board of judges, what stands behind one of its rows, and what pairs show under it."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from engine.charts.board import PICK, shaded
from engine.charts.export import written
from engine.charts.forest import forest, forest_rows
from engine.explore.judgment_list import Beside
from engine.measures.catalogue import MEASURES
from engine.measures.result import Result
from engine.report.card import CardForm
from engine.words import SHOWN, board_words, conclusions, sentences, title
from explorer import data
from explorer.parts import address, components, context, figures, window
from explorer.workbench import evidence, selection

MEASURE = "scorecard"
MOST = 40
"""Judges on the board; the others show when asked for."""

NARROW = 700
"""Pixels below which the facts of a row stand on a line of their own."""

MARKS = (
    "Lines are 95% confidence intervals of the deciding number. Triangles mark caveats: hover over one, or "
    "open the judge by a click on its row."
)
FIELDS = (
    *("judge", "conclusion", "estimate", "ratio_outside", "hspp_matched", "odds_family", "p_adjusted"),
    *("agreeing", "disagreeing", "n_own", "n_outside", "detectable"),
)
BADGES: dict[str, components.Colour] = {
    "favours_itself": "orange",
    "leans_to_itself": "orange",
    "disfavours_itself": "blue",
    "leans_against_itself": "blue",
    "no_material_preference": "green",
}
LEADING = ("favours_itself", "leans_to_itself")
"""The conclusions whose foremost judge is said in a sentence of its own."""

CARDS: dict[CardForm, tuple[str, str]] = {
    "png": ("PNG", "image/png"),
    "svg": ("SVG", "image/svg+xml"),
    "md": ("Markdown", "text/markdown"),
    "html": ("HTML", "text/html"),
}
"""The forms of a judge's card, with the label and the media type of each."""

DIFFERENT = 60
"""Judgments listed on which a judge and an outside judge differ."""

SLICES = 8
"""Slices drawn of those in which a judge's ratio is highest."""


def scorecard(key: data.StudyKey) -> Result | None:
    """Return the conclusion on each judge; None where the study allows none."""
    if MEASURE not in MEASURES:
        return None
    result = figures.attempt(key, MEASURE, ())
    return result if result.rows else None


def show(here: context.Context, result: Result, under: Callable[[], None]) -> None:
    """Show the sentence that concludes or the judge that is opened, what stands `under` it, and the board."""
    rows = board_words.ordered(result.rows)
    judges = [str(row["judge"]) for row in rows]
    selection.drop_unknown("judge", judges, "Judge")
    chosen = address.value("judge")
    if chosen is None:
        strongest = [conclusions.conclusion_sentence(rows[0])] if rows[0]["conclusion"] in LEADING else []
        components.say(conclusions.study_sentence(rows), *strongest, key="finding")
    else:
        _judge(here, next(row for row in rows if row["judge"] == chosen))
    under()
    _board(here, rows, chosen, result)


def _board(here: context.Context, rows: list[dict[str, Any]], chosen: str | None, result: Result) -> None:
    """Show the rows as a chart whose rows can be clicked."""
    shown = rows
    if len(rows) > MOST and not selection.switch(
        "all_claims", "All judges", "Off: the first of them", clears=None
    ):
        shown = rows[:MOST]
        components.note(f"The first {MOST} of {len(rows)} judges are drawn.", key="first_judges")
    number = next((row["decided_by"] for row in shown if row["estimate"] is not None), None)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="board_head"):
        with st.container(width="content"):
            components.shortly(result.measure, "board")
        if number is not None:
            with st.container(width="content"):
                components.note(f"{board_words.NUMBERS[number].capitalize()}.", key="axis")
    drawn = data.figure(here.key, "board", (), (len(shown), window.narrower(NARROW)))
    components.figure(
        replace(drawn, spec=shaded(drawn.spec, chosen)),
        "board",
        "; ".join(f"{row['judge']} {conclusions.conclusion_words(row)}" for row in shown),
        (MARKS,),
        study=result.study,
        picks=PICK,
        on_pick=_open,
    )


def _open() -> None:
    """Open the judge whose row was clicked."""
    picked = st.session_state[f"board_{PICK}"]["selection"].get(PICK, [])
    if picked:
        address.choose("judge", str(picked[0].get("judge")))


def _close() -> None:
    address.choose("judge")
    address.choose("item")


# ------------------------------------------------------------------------------
# One judge: what was found, where it and the outside judges differ, where it is strongest, what follows.


def _judge(here: context.Context, row: dict[str, Any]) -> None:
    judge = str(row["judge"])
    with st.container(border=True, key="one_judge"):
        with st.container(horizontal=True, vertical_alignment="center", key="judge_head"):
            st.subheader(judge, anchor=False, width="content")
            st.badge(conclusions.conclusion_words(row), color=BADGES.get(row["conclusion"], "gray"))
            _card(here, judge)
            st.button("All judges", key="all_judges", icon=":material/arrow_back:", on_click=_close)
        st.text(conclusions.conclusion_sentence(row))
        components.note(
            f"{conclusions.conclusion_words(row).capitalize()}: {board_words.MEANINGS[row['conclusion']]}.",
            key="meaning",
        )
        doubts = board_words.doubts(row)
        if doubts:
            components.note(*(f"▲ {sentence}" for sentence in doubts.values()), key="doubts")
        _differences(here, judge)
        evidence.show_reasons(here, judge)
        _slices(here, judge)
        _ranking(here, judge)


@st.fragment
def _card(here: context.Context, judge: str) -> None:
    """Offer the judge's card: one picture, or one page."""
    menu = st.popover("Card", icon=":material/badge:", type="tertiary", key="card", on_change="rerun")
    if menu.open:
        with menu, st.container(horizontal=True):
            cards = data.card(here.key, judge)
            files = [
                components.File(label, form, kind, partial(cards.__getitem__, form))
                for form, (label, kind) in CARDS.items()
            ]
            components.buttons(f"{judge}-card", "card", files)


def _outside(here: context.Context, judge: str) -> tuple[str, ...]:
    """Return the judges of other families."""
    index = here.study.index
    families = dict(zip(index.models, index.model_fields["family"], strict=True))
    return tuple(name for name in here.choices.judges if families[name] != families[judge])


def _differences(here: context.Context, judge: str) -> None:
    """List the judge's own responses on which an outside judge's verdict is another one."""
    outside = _outside(here, judge)
    if not outside:
        return
    st.markdown("**Where it and an outside judge differ on its own responses**")
    selection.drop_unknown("beside", tuple(f"judge:{name}" for name in outside), "Set beside")
    options = tuple(f"judge:{name}" for name in outside)
    chosen = selection.choice("beside", options, "Outside judge", outside[0], _name_of, width=260)
    beside = Beside.of(chosen or options[0], differ=True)
    page = None
    for kind in ("overestimation", "all"):
        query = data.Query((), kind, judge, judge, beside=beside)
        page = data.listing(here.key, query, DIFFERENT, 0)
        if page.rows:
            break
    if page is None or not page.rows:
        components.note(f"{judge} and {beside.name} never differ on these.", key="no_difference")
        return
    count = f"{page.total:,} of them, {SHOWN[kind].lower()}. Choose a row to read both judges' words."
    components.note(count, key="differences")
    row = components.table(_listed(page.rows), DIFFERENCES, "differences_rows", selectable=True)
    if row is not None:
        item = data.item(here.key, query, DIFFERENT, 0, row)
        reading = evidence.Reading(here.key, rendered=False)
        evidence.show_beside(item, page.rows[row], beside, item, reading)
    if st.button("Read all", key="read_differences", icon=":material/gavel:"):
        places = {"judge": (judge,), "generator": (judge,), "show": (kind,), "item": (), "q": ()}
        places |= {"compare": (), "value": ()}
        context.open_page("workbench", **places, beside=(str(beside),), differ=("true",))


DIFFERENCES = {
    "criterion": st.column_config.TextColumn("Criterion", width="large"),
    "verdict": st.column_config.TextColumn("Judge says"),
    "verdict_beside": st.column_config.TextColumn("Outside judge says"),
    "reference": st.column_config.TextColumn("Reference says"),
    "opponent": st.column_config.TextColumn("Opponent"),
    "instance_id": st.column_config.TextColumn("Instance"),
}


def _listed(rows: list[dict[str, Any]]) -> Any:
    frame = pd.DataFrame(rows)
    names = [name for name in DIFFERENCES if name in frame and frame[name].notna().any()]
    return frame[names].fillna("–")


def _name_of(option: str) -> str:
    return option.removeprefix("judge:")


def _slices(here: context.Context, judge: str) -> None:
    """Draw the slices in which the judge's ratio is surest above 1."""
    rows = []
    for by in ("axis", "theme", "polarity", "category", "checker"):
        if by not in here.choices.groupings:
            continue
        result = figures.attempt(here.key, "hspp", (("judges", (judge,)),), by)
        rows += [
            row | {"judge": f"{title(by).lower()}: {row['slice']}"}
            for row in result.rows
            if row["judge"] == judge and row["slice"] is not None and row["hspp_self_low"] is not None
        ]
    if not rows:
        return
    rows.sort(key=lambda row: -row["hspp_self_low"])
    st.markdown("**Where its ratio is highest**")
    frame = forest_rows(rows[:SLICES], shown=("hspp_self",))
    spec = written(forest(frame, width=600))
    components.plot(
        spec, f"Ratio of {judge} in the slices where it is surest above 1.", key="judge_slices_chart"
    )
    components.note(
        "Its own failures passed relative to others' in each slice, the clearest first. Slices were not "
        "chosen in advance, so the highest of many is partly high by chance.",
        key="judge_slices",
    )


def _ranking(here: context.Context, judge: str) -> None:
    """Say what the judge's treatment of itself does to its own place."""
    deltas = figures.attempt(here.key, "delta", (("judges", (judge,)),))
    if not deltas.rows:
        return
    ratios = figures.attempt(here.key, "hspp", (("judges", (judge,)),))
    st.markdown("**Effect on the ranking**")
    st.text(sentences.score_bonus_sentences(deltas.rows, ratios.rows)[judge])
