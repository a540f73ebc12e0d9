"""The board of judges, the evidence behind each row, and below it votes and every other measure."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from engine import words
from engine.charts import export, heatmap
from engine.charts.forest import forest_rows, forest_spec
from engine.explore.doctor import single_orders
from engine.explore.judgment_list import Beside
from engine.explore.reasons import Reasons, TermCounts
from engine.measures.rankings import MOST_RESAMPLED, SINGLE
from engine.measures.result import Result
from engine.report.card import CardForm
from engine.schema import PAIR_PARADIGMS
from engine.values import quantity
from engine.words import conclusions, sentences, title
from engine.words.sentences import leaders
from explorer import data
from explorer.new_run import studies
from explorer.parts import components, figures, selection
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
    result = figures.attempt(key, MEASURE, ())
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
        result = figures.attempt(context.key, "hspp", (("judges", (judge,)),), by)
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
    deltas = figures.attempt(context.key, "delta", (("judges", (judge,)),))
    if not deltas.rows:
        return
    ratios = figures.attempt(context.key, "hspp", (("judges", (judge,)),))
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


# ------------------------------------------------------------------------------
# Votes of a study of pairs: how often each model wins, rankings by each judge, order flips.


CELLS = "Each cell: the share of a judge's votes that go to the model; a tie counts as half a vote."
WINS = "How often each model wins with each judge; a tie counts as half a win."
VOTE_MARKS = f"{WINS} The dashed line is one half. {components.MARKS}"
CLICK = "Click a mark to list its judgments."
NO_REFERENCE = "This shows how often each model wins with each judge, which needs no reference."
RANK = ("rank", "rank_low", "rank_high")
COLUMN, BESIDE_CELLS, FEWEST_COLUMNS = 22, 160, 8
"""Width in pixels of a model in a matrix and of what is beside the cells; the fewest models shown."""

FLIPS = ("judge", "n_pairs", "flip_rate", "flip_to_first", "first_share", "tie_share")


def has_pairs(context: Context) -> bool:
    """Return whether any pair is judged in the study."""
    return not set(PAIR_PARADIGMS).isdisjoint(context.study.inventory.values("paradigm"))


def votes_of_study(context: Context) -> Result | None:
    """Return the votes of a study; None if no pair counts."""
    if not has_pairs(context):
        return None
    result = figures.attempt(context.key, "votes", ())
    return result if result.rows else None


@section
def show_votes_alone(context: Context, votes: Result) -> None:
    """Show the votes of a study that allows no conclusion, with the reason and what would help."""
    components.say(*leaders(votes.rows), data.unknown_self_preference(context.key), key="finding")
    studies.let_judge(context, both_orders=True)
    components.note(f"Who judges whose responses: {'; '.join(data.relations(context.key))}.", key="relations")
    show_votes(context, votes)


@section
def show_votes(context: Context, votes: Result) -> None:
    """Show win rates, votes as a matrix, each judge's ranking of the models, and order flips."""
    vote_caution(votes)
    models = len(set(_models(votes)))
    st.subheader("How often each model wins", anchor=False)
    chart = data.figure(context.key, "win_rates", ())
    say_cut(chart, votes, "wins")
    components.chart(chart, "win_rates", WINS, votes, marks=VOTE_MARKS)
    st.subheader("Who votes for whom", anchor=False)
    cells = data.figure(context.key, "votes", (), (columns_in(components.page_width()),))
    say_cut(cells, votes, "cells")
    components.chart(cells, "votes", f"Judges in rows, models in columns. {CELLS}", votes, marks=CELLS)
    st.subheader("How each judge ranks the models", anchor=False)
    limit = "" if models <= MOST_RESAMPLED else f", which are left out of more than {MOST_RESAMPLED} models"
    components.note(
        f"Ranks by each judge's votes (Bradley and Terry), 1 the highest, with 95% intervals{limit}. A "
        "judge's own rank is in its own row.",
        key="places",
    )
    places = _places(votes)
    columns = {judge: st.column_config.TextColumn(f"by {judge}") for judge in places.columns[1:]}
    columns = {"model": st.column_config.TextColumn("Model", pinned=True), **columns}
    components.table(places, columns, "places", download=lambda: export.frame_of(votes))
    _flips(context, votes)


def vote_caution(votes: Result) -> None:
    """Show the caution about votes in a single order."""
    for caution in single_orders(votes.filters.get(SINGLE) or ()):
        with st.container(key=f"caution_{caution.kind}", border=True):
            st.text(f"⚠ {caution.text}")


def columns_in(room: int) -> int:
    """Return how many models a matrix of `room` pixels can show side by side."""
    return max(FEWEST_COLUMNS, min(figures.MOST, (room - BESIDE_CELLS) // COLUMN))


def say_cut(chart: data.Chart, votes: Result, key: str) -> None:
    """Say how many models and panels are drawn, unless all are."""
    models, n_shown = (len(set(names)) for names in (_models(votes), chart.rows["generator"]))
    if n_shown < models:
        first = "that most judges voted on, then those that win most" if key == "cells" else "that win most"
        components.note(f"Showing {n_shown} of {models:,} models: those {first}.", key=f"cut_{key}")
    if chart.panels < chart.all_panels:
        cut = f"Showing the first {chart.panels} of {chart.all_panels:,} panels; filter by judge for others."
        components.note(cut, key=f"panels_{key}")


def _models(votes: Result) -> list[str]:
    return [str(row["generator"]) for row in votes.rows]


def _places(votes: Result) -> pd.DataFrame:
    """Return a row for each model, the highest by the mean over judges first, and a column for each judge."""
    cells, ranks = dict[tuple[str, str], str](), dict[str, list[float]]()
    for row in votes.rows:
        model = str(row["generator"])
        # Whole numbers: an interval's end between two ranks adds nothing.
        ranks_of = row | {name: round(row[name]) for name in RANK if row[name] is not None}
        cells[model, str(row["judge"])] = words.without_zeros(words.text_of(ranks_of, *RANK))
        ranks.setdefault(model, []).append(row["rank"])
    models = sorted(ranks, key=lambda model: sum(ranks[model]) / len(ranks[model]))
    judges = list(dict.fromkeys(judge for _, judge in cells))
    rows = [
        {"model": model} | {judge: cells.get((model, judge), "–") for judge in judges} for model in models
    ]
    return pd.DataFrame(rows)


@section
def _flips(context: Context, votes: Result) -> None:
    flips = figures.attempt(context.key, "order-effect", figures.of_pairs(()))
    variant = votes.filters.get("variant")
    rows = [row for row in flips.rows if variant in (None, row["variant"])]
    if not rows and not votes.filters.get(SINGLE):
        return
    st.subheader("Does the order change the vote?", anchor=False)
    if rows:
        components.measure_table(flips.with_rows(rows), FLIPS, "order_flips")
    else:
        components.say("Unknown: no pair was judged in both orders.", key="no_flips")


# ------------------------------------------------------------------------------
# Every measure for each judge.


HEADS = {
    "judge": ("Judge", "The judge"),
    "measure": ("Measure", "The measure, or its field where that is not the headline"),
    "value": ("Value [95% interval]", "The number, in the measure's own unit"),
    "says": ("Direction", "Clear where the 95% interval excludes no preference"),
    "rank": ("Rank", "Among the judges, 1 the highest"),
    "agree": ("Signs agree", "How often two of the judge's measures point the same way"),
    "n": ("n", "Number of cases"),
    "needs": ("Needs", "What a study must have for it"),
}

CORRELATIONS = {
    "x": ("First measure", "A measure of preference"),
    "y": ("Second measure", "Another measure, or a trait of the judge"),
    "pearson": ("Pearson", "Pearson's correlation over judges"),
    "spearman": ("Spearman [95% interval]", "Rank correlation over judges"),
    "least_without_a_family": (
        "Lowest without one family",
        "Lowest Pearson correlation without any one family",
    ),
    "greatest_without_a_family": ("Highest without one family", "Highest such correlation"),
    "n": ("n judges", "Judges that have both numbers"),
}


@section
def every_measure(context: Context) -> None:
    """Show the grid of judges and measures, its rows, and which measures go together across judges."""
    flags = figures.limit_flags(context.key, (), "judges")
    result = figures.attempt(context.key, "together", flags)
    if components.lacks_rows(result):
        return
    chart = data.figure(context.key, "together", flags)
    figures.say_cut(chart)
    lines = ("The whole study, each measure with its default options.", figures.SIGN_COLOURS)
    components.figure(chart, "grid", figures.SIGNS_TEXT, lines, study=result.study, measure=result.measure)
    cells = [_cells(row) for row in result.rows]
    components.table(cells, HEADS, "together_numbers", download=lambda: export.frame_of(result))
    pairs = figures.attempt(context.key, "association", flags)
    if pairs.rows:
        st.markdown("**How measures correlate across judges**")
        table = words.format_rows(pairs, tuple(CORRELATIONS))
        table[["x", "y"]] = table[["x", "y"]].map(words.measure)
        download = partial(export.frame_of, pairs)
        components.table(table, CORRELATIONS, "association_numbers", download=download)
        components.note(f"Left out: {pairs.measure.left_out}.", key="association")


def _cells(row: words.Row) -> dict[str, str]:
    return {
        "judge": str(row["judge"]),
        "measure": words.measure(str(row["measure"])),
        "value": words.text_of(row, "value", "low", "high"),
        "says": heatmap.direction(row),
        "rank": "–" if row["rank"] is None else f"{row['rank']:g}",
        "agree": "–" if row["agree"] is None else f"{row['agree']:.0%}",
        "n": f"{row['n']:,}",
        "needs": str(row["needs"]),
    }
