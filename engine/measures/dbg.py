"""`dbg`: how much oftener a judge's own response wins than gold judges have it win (MEASURES section 11)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.arrays.confusion import Counted
from engine.arrays.index import numbers, objects
from engine.arrays.pair_outcomes import PairCube
from engine.arrays.pair_quality import (
    Gold,
    JudgedPairs,
    Votes,
    judged_pairs,
    pairs_left_out,
    prefer_variant,
    read_words,
    settle_truth,
)
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures.quality_baseline import ByOpponent, means
from engine.measures.rows import FEW, Column, Table, first_reason
from engine.slices import Slice
from engine.stats import quality_baseline as metrics
from engine.stats.types import Bools


def prepare_dbg(study: StudyArrays, spec: Slice, options: Mapping[str, Any], by: str | None) -> Slice:
    """Return the slice with section 11's variant and truth; UsageError for an option out of range."""
    ratio = options["length_ratio"]
    if ratio is not None and ratio < 0:
        raise UsageError(
            f"length_ratio {ratio!r} is below 0; give the largest |ln ratio| of word counts, such as 0.1"
        )
    return settle_truth(study, prefer_variant(study, spec, by, "forced", "default"))


def dbg_table(view: SliceView, options: Mapping[str, Any]) -> Table:
    """Return rows for each judge: all opponents pooled, then each opponent."""
    cube = view.cube
    assert isinstance(cube, PairCube)  # noqa: S101 - the catalogue allows pairwise judgments only
    gold = Gold(view, tuple(options["gold"]), options.get("rewritten"))
    pairs = judged_pairs(view, cube.rows, cube.paired).own()
    pairs = pairs.select(_of_like_length(view, pairs.instance, (pairs.target, pairs.other), options))
    votes = gold.votes(pairs.row, pairs.instance, pairs.target, pairs.other)
    pairs, votes = pairs.select(votes.known), Votes(votes.by_source[votes.known])
    rows = ByOpponent(view, pairs.row, pairs.instance, pairs.other)
    columns = rows.names() | _wins(rows, pairs, votes) | _soft(rows, pairs, votes)
    columns |= _panel(rows, pairs, votes, gold, every=options["panels"]) | _of_models(view, columns["judge"])
    keep = np.asarray(columns["n"].values) > 0

    def concerned(judged: Any) -> Bools:
        own = (judged.judge == judged.generator) | (judged.judge == judged.opponent)
        return np.asarray(own) & _of_like_length(
            view, judged.instance, (judged.generator, judged.opponent), options
        )

    lost = pairs_left_out(view, cube, concerned, lambda judged: gold.blame(judged, ties=False))
    return Table(columns, keep, len(np.unique(pairs.instance)), lost)


def _of_like_length(
    view: SliceView, instance: Any, models: tuple[Any, Any], options: Mapping[str, Any]
) -> Bools:
    most = options["length_ratio"]
    if most is None:
        return np.ones(len(instance), dtype=bool)
    study, transform = view.study, view.request.selection.transform
    words = study.remember(("words", transform), lambda: read_words(study.files, study.index, transform))
    return metrics.like_length(words[models[0], instance], words[models[1], instance], most)


def _wins(rows: ByOpponent, pairs: JudgedPairs, votes: Votes) -> dict[str, Column]:
    """Return win rates by judge and gold, of all items and of those that the judge decided."""
    win, gold = (1 + pairs.value) / 2, votes.win
    decided = pairs.value != 0
    number, n_decided = rows.add(np.ones(len(win), dtype=bool)), rows.add(decided)
    columns = _rates(rows, "", win, gold, number, "no_item")
    columns |= _rates(rows, "_decided", win * decided, gold * decided, n_decided, "no_item_decided")
    for name, outcome in (("win", 1), ("tie", 0), ("lose", -1)):
        count = rows.add(pairs.value == outcome)
        columns[f"{name}_share"] = Column(*means(count, number), "no_item")
        if name == "tie":
            columns["ties"] = Column(count.total)
    columns |= {"n": Column(number.total), "n_decided": Column(n_decided.total)}
    named = (np.abs(pairs.first) == 1) & (np.abs(pairs.second) == 1)
    flipped = rows.add(named & (pairs.first != pairs.second))
    columns["flip_rate"] = Column(*means(flipped, rows.add(named)), "no_pair_with_two_winners")
    columns["small"] = Column(list(number.total < FEW))
    return columns


def _rates(
    rows: ByOpponent, name: str, win: Any, gold: Any, number: Counted, reason: str
) -> dict[str, Column]:
    by_judge, by_gold, bias = (means(rows.add(part), number) for part in (win, gold, win - gold))
    return {
        f"win_rate{name}": Column(*by_judge, reason),
        f"gold_win_rate{name}": Column(*by_gold, reason),
        f"dbg{name}": Column(*bias, reason),
    }


def _soft(rows: ByOpponent, pairs: JudgedPairs, votes: Votes) -> dict[str, Column]:
    """Return the mean of probability minus gold vote, of forced choices with probabilities."""
    known = ~np.isnan(pairs.p)
    number = rows.add(known)
    soft = means(rows.add(np.where(known, pairs.p - votes.mean, 0.0)), number)
    return {"dbg_soft": Column(*soft, "no_probabilities"), "n_soft": Column(number.total)}


def _panel(
    rows: ByOpponent, pairs: JudgedPairs, votes: Votes, gold: Gold, *, every: bool
) -> dict[str, Column]:
    """Return how many gold judges there are, and DBG under all their panels: its range, or `every` value."""
    n = len(gold.sources)
    too_many = n > metrics.MOST_SOURCES
    biases = np.full((1, rows.size), np.nan)
    if not too_many and len(pairs.row):
        biases = metrics.bias_of_subsets((1 + pairs.value) / 2, votes.by_source, rows.rows, rows.size)
    some = ~np.isnan(biases)
    why = first_reason((np.full(rows.size, too_many), "too_many_gold_judges"))
    columns = {
        "gold_judges": Column(np.full(rows.size, n)),
        "dbg_least": Column(np.fmin.reduce(biases), reasons=why),
        "dbg_greatest": Column(np.fmax.reduce(biases), reasons=why),
    }
    reason = "no_gold_judges" if n == 0 else "too_many_gold_judges" if too_many else "not_asked_for"
    names: list[Any] = [None] * rows.size
    by_panel: list[Any] = [None] * rows.size
    if every and n and not too_many:
        panels = [" + ".join(gold.sources[i] for i in panel) for panel in metrics.panels(n)]
        where = [np.flatnonzero(some[:, row]).tolist() for row in range(rows.size)]
        names = [[panels[i] for i in here] for here in where]
        by_panel = [biases[here, row].tolist() for row, here in enumerate(where)]
    return columns | {
        "panels": Column(names, reasons=reason),
        "dbg_by_panel": Column(by_panel, reasons=reason),
    }


def _of_models(view: SliceView, judges: Column) -> dict[str, Column]:
    """Return the judges' sizes and how far they were trained."""
    table = view.study.files.table("models", ("model", "size_b", "stage"))
    size = dict(zip(view.study.index.models, numbers(table.column("size_b")).tolist(), strict=True))
    stage = dict(zip(view.study.index.models, objects(table, "stage"), strict=True))
    return {
        "size_b": Column(np.array([size[judge] for judge in judges.values]), reasons="not_recorded"),
        "stage": Column([stage[judge] for judge in judges.values], reasons="not_recorded"),
    }
