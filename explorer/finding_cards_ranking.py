"""The corrected ranking: the models by every ranking, what flips, and which ranking is nearest."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from engine import exports, readable
from engine.charts.rankings import NAMES, REFERENCE, shown_of
from engine.measures.result import Result
from explorer import components, context, data, figures, pair_figures

DISTANCE = ("by", "tau", "gain", "shift", "flips", "n_models", "nearest")
FLIPS = ("by", "above", "below", "lead", "lead_reference", "sure", "itself")
TITLES = {
    "by": "Ranked by",
    "tau": "tau-b",
    "gain": "Gain on all judges",
    "shift": "Places moved",
    "flips": "Pairs turned",
    "n_models": "Models",
    "nearest": "Nearest",
    "above": "Puts higher",
    "below": "Reference puts higher",
    "lead": "By",
    "lead_reference": "By the reference",
    "sure": "Sure",
    "itself": "Itself",
}
TOLD = "Rank of each model by all judges, without its own and its family's verdicts, and by the reference."


def show(here: context.Context) -> None:
    """Show the chart of joint rankings, the distances, the flips, and the ranks by every judge."""
    ranking = figures.attempt(here.key, "ranking", ())
    if components.lacks_rows(ranking):
        return
    distance = figures.attempt(here.key, "ranking-distance", ())
    components.say(*_sentences(distance), key="finding_ranking")
    drawn = data.figure(here.key, "ranks", ())
    components.chart(drawn, "rankings", TOLD, ranking)
    st.subheader("Which ranking is nearest to the reference's?", anchor=False)
    if not components.lacks_rows(distance):
        _table(distance, DISTANCE, "distances")
    st.subheader("Which places flip?", anchor=False)
    flips = figures.attempt(here.key, "ranking-flips", ())
    if not components.lacks_rows(flips):
        rows = sorted(flips.rows, key=lambda row: -(row["sure"] or 0))
        _table(pair_figures.only(flips, rows), FLIPS, "flips")
        components.basis(flips, "flips")
    st.subheader("Every ranking", anchor=False)
    frame = _every(ranking)
    config = {name: st.column_config.TextColumn(NAMES.get(name, name)) for name in frame.columns}
    components.table(frame, config, "ranks", typed=lambda: exports.frame_of(ranking))
    components.note("Ranks with their 95% intervals, 1 the highest.", key="ranks")


def _table(result: Result, fields: Sequence[str], key: str) -> None:
    """Show rows of a measure under the titles that fit here."""
    declared = {field.name: field for field in result.measure.fields}
    config = {
        name: st.column_config.TextColumn(TITLES[name], help=declared[name].meaning.capitalize())
        for name in fields
    }
    components.table(readable.readable(result, fields), config, key, typed=lambda: exports.frame_of(result))


def _sentences(distance: Result) -> list[str]:
    """Say which ranking is nearest to the reference's, and how far all judges together are."""
    rows = [row for row in distance.rows if row["tau"] is not None]
    if not rows:
        return [f"No ranking can be held against the reference: {distance.reason or 'it ranks no models'}."]
    nearest = [row for row in rows if row["nearest"]]
    names = ", ".join(NAMES.get(row["by"], row["by"]) for row in nearest)
    tau = readable.plainly(nearest[0], "tau", "tau_low", "tau_high")
    told = [f"Nearest to the reference's order: {names} (tau-b {tau})."]
    for row in rows:
        if row["by"] in NAMES or row["by"].startswith("committee:"):
            value = readable.plainly(row, "tau", "tau_low", "tau_high")
            told.append(f"{NAMES.get(row['by'], row['by'])}: {value}, {row['flips']:g} pairs turned round.")
    return told


def _every(ranking: Result) -> pd.DataFrame:
    """Return a row for each model and a column for each ranking, the reference's and joint ones first."""
    joint = shown_of(ranking.rows)
    names = [*joint, *dict.fromkeys(str(row["by"]) for row in ranking.rows if row["by"] not in joint)]
    cells = {
        (row["model"], row["by"]): readable.plainly(row, "rank", "rank_low", "rank_high")
        for row in ranking.rows
    }
    lead = REFERENCE if REFERENCE in joint else names[0]
    ranks = {row["model"]: row["rank"] for row in ranking.rows if row["by"] == lead}
    models = sorted(
        dict.fromkeys(row["model"] for row in ranking.rows), key=lambda name: ranks.get(name, 1e9)
    )
    rows = [{"model": model} | {by: cells.get((model, by), "–") for by in names} for model in models]
    return pd.DataFrame(rows).replace(r"\.00", "", regex=True)
