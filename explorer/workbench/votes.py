"""What a study of pairs shows of votes: how often each model wins, rankings by each judge, order flips."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from engine import words
from engine.charts import export
from engine.charts.forest import NO_VALUE
from engine.charts.votes import PICKED
from engine.explore.doctor import single_orders
from engine.measures.result import Result
from engine.measures.votes import MOST_RESAMPLED, SINGLE
from engine.schema import PAIR_PARADIGMS
from engine.slices import NULL
from engine.words.votes import leaders
from explorer import data
from explorer.new_run import importing
from explorer.parts import address, components, context, figures, pair_figures, window
from explorer.workbench import marks

CELLS = "Each cell: the share of its votes that a judge gives the model, a tie half a vote."
WINS = "How often each model wins by each judge, a tie half a win."
MARKS = f"{WINS} The dashed line is one half. {components.MARKS}"
CLICK = "A click on a mark lists the judgments behind it."
INSTEAD = "Shown is how often each model wins by each judge, which needs no reference."
RANK = ("rank", "rank_low", "rank_high")
COLUMN, BESIDE_CELLS, FEWEST_COLUMNS = 22, 160, 8
"""Pixels of a model in a matrix and of what stands beside the cells; models shown in any case."""

FLIPS = ("judge", "n_pairs", "flip_rate", "flip_to_first", "first_share", "tie_share")


def has_pairs(here: context.Context) -> bool:
    """Return whether any pair is judged in the study."""
    return not set(PAIR_PARADIGMS).isdisjoint(here.study.inventory.values("paradigm"))


def of_study(here: context.Context) -> Result | None:
    """Return the votes of a study; None where no pair counts."""
    if not has_pairs(here):
        return None
    result = figures.attempt(here.key, "votes", ())
    return result if result.rows else None


def show_alone(here: context.Context, votes: Result) -> None:
    """Show the votes of a study that allows no conclusion, and say why it does not and what would help."""
    components.say(*leaders(votes.rows), data.unknown_self_preference(here.key), key="finding")
    importing.let_judge(here)
    components.note(f"Who judges whose responses: {'; '.join(data.relations(here.key))}.", key="relations")
    show(here, votes)


def show(here: context.Context, votes: Result) -> None:
    """Show win rates, votes as a matrix, the models as each judge ranks them, and what the order changes."""
    caution(votes)
    models = len(set(_models(votes)))
    st.subheader("How often each model wins", anchor=False)
    drawn = data.figure(here.key, "win_rates", ())
    say_cut(drawn, votes, "wins")
    components.chart(drawn, "win_rates", WINS, votes, marks=MARKS)
    st.subheader("Who votes for whom", anchor=False)
    cells = data.figure(here.key, "votes", (), (columns_in(window.width()),))
    say_cut(cells, votes, "cells")
    components.chart(cells, "votes", f"Judges in rows, models in columns. {CELLS}", votes, marks=CELLS)
    st.subheader("How each judge ranks the models", anchor=False)
    without = "" if models <= MOST_RESAMPLED else f", which are left out of more than {MOST_RESAMPLED} models"
    components.note(
        f"Places by the judge's votes (Bradley and Terry), 1 the highest, with 95% intervals{without}. A "
        "judge's own place stands in its own row.",
        key="places",
    )
    components.table(_places(votes), _heads(votes), "places", typed=lambda: export.frame_of(votes))
    _flips(here, votes)


def caution(votes: Result) -> None:
    """Say what to beware of in votes by one order."""
    for one in single_orders(votes.filters.get(SINGLE) or ()):
        with st.container(key=f"caution_{one.kind}", border=True):
            st.text(f"⚠ {one.text}")


def instead(
    here: context.Context, flags: data.FlagValues, by: tuple[str, ...], order: str | None, room: int
) -> bool:
    """Show the win rates of a slice where no judge can be compared; return whether there are any."""
    if not has_pairs(here):
        return False
    column = by[0] if by else None
    votes = figures.attempt(here.key, "votes", flags, column)
    if not votes.rows:
        return False
    if board_is_empty(here):
        components.say(*leaders(votes.rows if column is None else ()), INSTEAD, key="finding")
        components.note(data.unknown_self_preference(here.key), key="instead")
    else:
        components.say(INSTEAD, key="finding")
    caution(votes)
    drawn = data.figure(here.key, "win_rates", flags, (column, order or "study"))
    say_cut(drawn, votes, "wins")
    fields = PICKED if len(by) == 1 else PICKED[:2]
    there = set(drawn.rows[list(fields)].itertuples(index=False, name=None))
    value = next(iter(address.view().get("value", ())), "") if len(by) == 1 else ""
    chosen = (address.value("judge"), address.value("generator"), NO_VALUE if value == NULL else value)
    mark = dict(zip(fields, map(str, chosen), strict=False)) if chosen[: len(fields)] in there else None

    def opened(picked: Mapping[str, Any] | None) -> None:
        if picked is None:
            marks.choose(None, None)
        elif (one := tuple(picked[name] for name in fields)) in there:
            marks.choose(*one[:2], *(NULL if part == NO_VALUE else part for part in one[2:]))
            address.choose("show", "all")

    components.shortly(votes.measure, "win_rates")
    lines = (*components.basis_of(votes), f"{MARKS} {CLICK}")
    marks.draw(marks.Shown(drawn, "win_rates", WINS, lines), here.study.name, mark, opened, room)
    return True


def board_is_empty(here: context.Context) -> bool:
    """Return whether the study allows no conclusion on any judge."""
    return not figures.attempt(here.key, "scorecard", ()).rows


def columns_in(room: int) -> int:
    """Return how many models a matrix can show side by side in so many pixels."""
    return max(FEWEST_COLUMNS, min(figures.MOST, (room - BESIDE_CELLS) // COLUMN))


def say_cut(drawn: data.Drawn, votes: Result, key: str) -> None:
    """Say how many models and panels are drawn, where that is not all."""
    models, shown = (len(set(names)) for names in (_models(votes), drawn.rows["generator"]))
    if shown < models:
        components.note(f"The {shown} models that win most are drawn, of {models:,}.", key=f"cut_{key}")
    if drawn.panels < drawn.all_panels:
        cut = f"The first {drawn.panels} of {drawn.all_panels:,} panels are drawn; choose judges."
        components.note(cut, key=f"panels_{key}")


def _models(votes: Result) -> list[str]:
    return [str(row["generator"]) for row in votes.rows]


def _places(votes: Result) -> pd.DataFrame:
    """Return a row for each model, the highest by the mean over judges first, and a column for each judge."""
    cells, ranks = dict[tuple[str, str], str](), dict[str, list[float]]()
    for row in votes.rows:
        model = str(row["generator"])
        cells[model, str(row["judge"])] = words.plainly(_whole(row), *RANK).replace(".00", "")
        ranks.setdefault(model, []).append(row["rank"])
    models = sorted(ranks, key=lambda model: sum(ranks[model]) / len(ranks[model]))
    judges = list(dict.fromkeys(judge for _, judge in cells))
    rows = [
        {"model": model} | {judge: cells.get((model, judge), "–") for judge in judges} for model in models
    ]
    return pd.DataFrame(rows)


def _whole(row: dict[str, Any]) -> dict[str, Any]:
    """Return the places as whole numbers: an end between two places says nothing more."""
    return row | {name: round(row[name]) for name in RANK if row[name] is not None}


def _heads(votes: Result) -> dict[str, Any]:
    judges = dict.fromkeys(str(row["judge"]) for row in votes.rows)
    named = {judge: st.column_config.TextColumn(f"by {judge}") for judge in judges}
    return {"model": st.column_config.TextColumn("Model", pinned=True), **named}


def _flips(here: context.Context, votes: Result) -> None:
    """Show how often the other order of the same pair gets another winner."""
    flips = figures.attempt(here.key, "order-effect", pair_figures.of_pairs(()))
    variant = votes.filters.get("variant")
    rows = [row for row in flips.rows if variant in (None, row["variant"])]
    if not rows and not votes.filters.get(SINGLE):
        return
    st.subheader("Does the order shown change the vote?", anchor=False)
    if rows:
        components.measured(pair_figures.only(flips, rows), FLIPS, "order_flips")
    else:
        components.say("This cannot be known: no pair was judged in both orders.", key="no_flips")
