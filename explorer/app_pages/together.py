"""Together: what all measures that a study allows say of each judge, and where they disagree."""

import pandas as pd
import streamlit as st

from engine import exports, readable, wording
from engine.charts import signs
from engine.measures.result import Result
from explorer import components, context, data, explanations, figures, filters, pair_figures
from explorer.selection import choice, drop_unknown

HEADS = {
    "judge": ("Judge", "The judge"),
    "measure": ("Measure", "The measure, or its field where that is not the headline"),
    "value": ("Value [95% interval]", "The number, in the measure's own unit"),
    "says": ("Says", "Of self-preference; for sure where the interval leaves out what means none"),
    "rank": ("Rank", "Of the judges by this measure, 1 the highest"),
    "agree": ("Signs agree", "Share of pairs of the judge's signs that agree"),
    "n": ("n", "Cases behind it"),
    "needs": ("Needs", "What a study must have for it"),
}
PAIRS = ("x", "y", "pearson", "spearman", "least_without_a_family", "greatest_without_a_family", "n")


def render(here: context.Context) -> None:
    """Show the sentence for each judge, the grid, and what goes together over judges."""
    asked = figures.narrowed(here.key, filters.sidebar(here.choices), "judges")
    drop_unknown("judge", here.choices.judges, "Judge")
    judge = choice("judge", here.choices.judges, "In words, of", "all judges", width=320)
    result = figures.attempt(here.key, "together", asked)
    if components.lacks_rows(result):
        return
    sentences = {row["judge"]: row["sentence"] for row in result.rows}
    told = [sentence for name, sentence in sentences.items() if judge in (None, name)]
    components.say(*told[: pair_figures.MOST_PANELS], key="finding_together")
    if len(told) > pair_figures.MOST_PANELS:
        components.note("The sentences of the others stand in the table.", key="more_sentences")
    _grid(here, asked, result)


def _grid(here: context.Context, asked: data.Asked, result: Result) -> None:
    """Show what each measure says of each judge, as a picture and as rows."""
    drawn = pair_figures.drawn(here.key, "together", asked)
    pair_figures.say_cut(drawn)
    explanations.shortly(result.measure, "together")
    kept = ", ".join(f"{name.replace('_', ' ')} {' or '.join(value)}" for name, value in asked if value)
    taken = f"Taken of: {kept or 'the whole study'}, each measure with its own defaults."
    lines = (taken, f"Left out: {result.measure.left_out}.", pair_figures.SIGN_COLOURS)
    components.figure(drawn, "together", pair_figures.SIGNS_TOLD, lines, study=result.study)
    frame = pd.DataFrame([_cells(row) for row in result.rows])
    config = {name: st.column_config.TextColumn(HEADS[name][0], help=HEADS[name][1]) for name in frame}
    components.table(frame, config, "together_numbers", typed=lambda: exports.frame_of(result))
    with st.expander("What goes together over judges", key="association"):
        pairs = figures.attempt(here.key, "association", asked)
        if not components.lacks_rows(pairs):
            components.measured(pairs, PAIRS, "association_numbers")
            components.note(f"Left out: {pairs.measure.left_out}.", key="association")


def _cells(row: readable.Row) -> dict[str, str]:
    """Return a row as a reader's texts."""
    return {
        "judge": str(row["judge"]),
        "measure": wording.measure(str(row["measure"])),
        "value": readable.plainly(row, "value", "low", "high"),
        "says": signs.says(row),
        "rank": "–" if row["rank"] is None else f"{row['rank']:g}",
        "agree": "–" if row["agree"] is None else f"{row['agree']:.0%}",
        "n": f"{row['n']:,}",
        "needs": str(row["needs"]),
    }


context.show(render)
