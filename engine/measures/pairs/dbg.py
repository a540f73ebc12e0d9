"""`dbg`: how much more often a judge's own response wins with it than with gold judges (section 11)."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from engine.arrays.encoding import numbers, objects
from engine.arrays.left_out import of_own_answers, pairs_left_out
from engine.arrays.pairs.judged_pairs import JudgedPairs, judged_pairs, prefer_variant
from engine.arrays.pairs.pair_orders import PairRows, has_answer, outcome, pair_up, without_ties
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.gold_preferences import GoldTruth, SourceVotes, read_words, resolve_truth
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures import entry
from engine.measures.entry import OF_JUDGE, PAIRWISE, SMALL, Field, Measure, Option
from engine.measures.pairs.by_opponent import GOLD_OPTION, OPPONENT, ByOpponent
from engine.measures.rows import FEW, Column, Options, Table
from engine.slices import Slice
from engine.stats import Bools
from engine.stats.pairs import dbg

GOLD_RULES = {"mean": dbg.mean_gold, "agreeing": dbg.agreed_gold}
"""How the gold judges' votes on a pair become one outcome."""


def prepare_dbg(study: StudyArrays, spec: Slice, options: Options, by: str | None) -> Slice:
    """Return the slice with section 11's variant and truth; UsageError for an option out of range."""
    ratio = options["length_ratio"]
    if ratio is not None and ratio < 0:
        raise UsageError(
            f"length_ratio {ratio!r} is below 0; give the largest |ln ratio| of word counts, such as 0.1"
        )
    return resolve_truth(study, prefer_variant(study, spec, by, "forced", "default"))


def dbg_table(view: SliceView, options: Options) -> Table:
    cube = view.pair_cube
    forced = without_ties(cube.rows)
    if options["ties"] == "drop":
        cube = _resolved_anew(view, cube, forced)
    gold = GoldTruth(view, tuple(options["gold"]), options.get("rewritten"))
    # The rows without the ties' probabilities have those of the two responses wherever there are any.
    pairs = judged_pairs(view, replace(cube.rows, p_tie=forced.p_tie), cube.pairs).own()
    pairs = pairs.select(_is_like_length(view, pairs.instance, (pairs.target, pairs.other), options))
    votes = gold.votes(pairs.row, pairs.instance, pairs.target, pairs.other)
    rule = GOLD_RULES[options["gold_rule"]]
    if rule is dbg.agreed_gold and len(gold.sources) < 2:
        raise UsageError(
            f"gold_rule 'agreeing' needs at least two gold judges, and {len(gold.sources)} count here; leave "
            "it out"
        )
    decided = ~np.isnan(rule(votes.by_source))
    pairs, votes = pairs.select(decided), SourceVotes(votes.by_source[decided])
    rows = ByOpponent(view, pairs.row, pairs.instance, pairs.other, np.unique(pairs.other))
    columns = rows.names() | _wins(rows, pairs, votes, rule)
    columns |= _panel(rows, pairs, votes, gold, rule, full=options["panels"])
    facts = view.study.files.table("models", ("model", "size_b", "stage"))
    for name, values in (("size_b", numbers(facts.column("size_b"))), ("stage", objects(facts, "stage"))):
        by_judge = dict(zip(view.study.index.models, values.tolist(), strict=True))
        of_rows = [by_judge[judge] for judge in columns["judge"].values]
        columns[name] = Column(np.array(of_rows) if name == "size_b" else of_rows, reasons="not_recorded")
    keep = np.asarray(columns["n"].values) > 0

    def concerned(judged: Any) -> Bools:
        sides = (judged.generator, judged.opponent)
        return of_own_answers(judged) & _is_like_length(view, judged.instance, sides, options)

    blame = partial(gold.blame, undecided=lambda votes: np.isnan(rule(votes.by_source)))
    left_out = pairs_left_out(view, cube, concerned=concerned, blame=blame)
    return Table(columns, keep, len(np.unique(pairs.instance)), left_out)


def _resolved_anew(view: SliceView, cube: PairCube, rows: PairRows) -> PairCube:
    """Return the cube with the outcomes that other readings of its rows give."""

    def make() -> PairCube:
        return replace(cube, rows=rows, pairs=pair_up(rows, has_answer(rows), outcome))

    return view.study.remember(("pairs without ties", view.request.selection), make)


def _is_like_length(view: SliceView, instance: Any, models: tuple[Any, Any], options: Options) -> Bools:
    most = options["length_ratio"]
    if most is None:
        return np.ones(len(instance), dtype=bool)
    study, transform = view.study, view.request.selection.transform
    words = study.remember(("words", transform), lambda: read_words(study.files, study.index, transform))
    return dbg.like_length(words[models[0], instance], words[models[1], instance], most)


def _wins(rows: ByOpponent, pairs: JudgedPairs, votes: SourceVotes, rule: dbg.GoldRule) -> dict[str, Column]:
    """Return win rates by judge and gold: of all items, of those decided, and by probabilities."""
    win, gold = (1 + pairs.value) / 2, rule(votes.by_source)
    decided = pairs.value != 0
    number, n_decided = rows.add(np.ones(len(win), dtype=bool)), rows.add(decided)
    columns = {}
    for name, values in (("win_rate", win), ("gold_win_rate", gold)):
        columns[name] = rows.share(values, number, "no_item")
        columns[f"{name}_decided"] = rows.share(values * decided, n_decided, "no_item_decided")
    columns["dbg"] = Column(*rows.mean(win - gold, number), "no_item")
    columns["dbg_decided"] = Column(*rows.mean((win - gold) * decided, n_decided), "no_item_decided")
    for name, counted in (("dbg", np.ones(len(win), dtype=bool)), ("dbg_decided", decided)):
        tail = rows.tails(win - gold, counted, np.asarray(columns[name].values), columns[name].draws)
        columns[name] = replace(columns[name], tail=tail)
    for name, winner in (("win", 1), ("tie", 0), ("lose", -1)):
        columns[f"{name}_share"] = rows.share(pairs.value == winner, number, "no_item")
    has_winners = (np.abs(pairs.first) == 1) & (np.abs(pairs.second) == 1)
    flipped = has_winners & (pairs.first != pairs.second)
    has_p = ~np.isnan(pairs.p)
    n_soft = rows.add(has_p)
    soft = rows.mean(np.where(has_p, pairs.p - votes.mean, 0.0), n_soft)
    return columns | {
        "dbg_soft": Column(*soft, "no_probabilities"),
        "n_soft": Column(n_soft.total),
        "ties": Column(number.total - n_decided.total),
        "n": Column(number.total),
        "n_decided": Column(n_decided.total),
        "flip_rate": rows.share(flipped, rows.add(has_winners), "no_pair_with_two_winners"),
        "small": Column(list(number.total < FEW)),
    }


def _panel(
    rows: ByOpponent,
    pairs: JudgedPairs,
    votes: SourceVotes,
    gold: GoldTruth,
    rule: dbg.GoldRule,
    *,
    full: bool,
) -> dict[str, Column]:
    """Return how many gold judges there are, and DBG under all their panels: its range, or if `full` each."""
    n = len(gold.sources)
    too_many = n > dbg.MOST_SOURCES
    biases = np.full((1, rows.size), np.nan)
    if not too_many and len(pairs.row):
        biases = dbg.bias_of_subsets((1 + pairs.value) / 2, votes.by_source, rows.rows, rows.size, rule)
    why = "too_many_gold_judges" if too_many else None
    names: list[Any] = [None] * rows.size
    by_panel: list[Any] = [None] * rows.size
    if full and n and not too_many:
        panels = [" + ".join(gold.sources[i] for i in panel) for panel in dbg.panels(n)]
        where = [np.flatnonzero(~np.isnan(of_row)).tolist() for of_row in biases.T]
        names = [[panels[i] for i in places] for places in where]
        by_panel = [biases[places, row].tolist() for row, places in enumerate(where)]
    reason = "no_gold_judges" if n == 0 else why or "not_asked_for"
    return {
        "gold_judges": Column(np.full(rows.size, n)),
        "dbg_least": Column(np.fmin.reduce(biases), reasons=why),
        "dbg_greatest": Column(np.fmax.reduce(biases), reasons=why),
        "panels": Column(names, reasons=reason),
        "dbg_by_panel": Column(by_panel, reasons=reason),
    }


_WINS = "that its own answer wins"
_GOLD_WINS = f"{_WINS} by the gold judges or the reference's scores"

DBG = Measure(
    name="dbg",
    title="DBG score",
    question="How much more often does a judge let its own answer win than gold judges do?",
    formula="DBG = share won by the judge's verdicts - share won by the gold judges', ties one half",
    paper="dbg-score, section 2",
    left_out="pairs judged in one order only; pairs without a gold judge's preference",
    function=dbg_table,
    chart="wins",
    prepare=prepare_dbg,
    empty="no pair with a judge's own answer has both orders and a gold judge's preference",
    keys=("judge", "opponent"),
    headline="dbg",
    paradigms=PAIRWISE,
    options=(
        GOLD_OPTION,
        entry.choice(
            "gold_rule",
            "how gold judges decide: by their mean vote, ties one half, or only where at least two of them "
            "name the same winner in both orders; the other pairs are left out",
            "mean",
            "agreeing",
        ),
        entry.choice(
            "ties",
            "where a tie was offered: follow the choices, or leave out the tie's probability, average the "
            "others over both orders and let the likelier answer win, as the paper does",
            "keep",
            "drop",
        ),
        Option(
            "length_ratio",
            "number",
            "only pairs whose word counts differ by at most this |ln ratio|, such as 0.1",
        ),
        Option("panels", "switch", "also give DBG for every panel of gold judges", False),
    ),
    fields=(
        *OF_JUDGE,
        OPPONENT,
        entry.share("win_rate", f"share of items {_WINS}; ties count one half"),
        entry.share("gold_win_rate", f"share of items {_GOLD_WINS}"),
        entry.difference(
            "dbg", "win_rate - gold_win_rate; above 0 the judge favours its own answers", title="DBG"
        ),
        entry.share(
            "win_rate_decided", f"share of items that the judge decided {_WINS}; ties count one half"
        ),
        entry.share("gold_win_rate_decided", f"share of items that the judge decided {_GOLD_WINS}"),
        entry.difference(
            "dbg_decided", "win_rate_decided - gold_win_rate_decided", title="DBG, decided pairs"
        ),
        entry.difference(
            "dbg_soft",
            "the judge's mean probability for its own answer, of the two, minus the gold judges' mean vote",
            tested=False,
            title="DBG, soft",
        ),
        entry.share(
            "flip_rate", "of pairs with a winner in both orders, the share with two different winners"
        ),
        entry.count("ties", "items without a winner (ties and flips)"),
        entry.count("n", "items"),
        entry.count("n_decided", "items that the judge decided"),
        entry.count("n_soft", "items with label probabilities"),
        entry.share("win_share", "share of items that its own answer wins"),
        entry.share("tie_share", "share of items without a winner"),
        entry.share("lose_share", "share of items that its own answer loses"),
        entry.count("gold_judges", "gold judges and people; 0 where the reference's scores decide"),
        Field(
            "dbg_least",
            "difference",
            "lowest DBG over all panels of gold judges",
            title="DBG, lowest of any panel",
        ),
        Field(
            "dbg_greatest",
            "difference",
            "highest DBG over all panels of gold judges",
            title="DBG, highest of any panel",
        ),
        Field("panels", "list", "every panel of gold judges, members joined by +"),
        Field("dbg_by_panel", "list", "DBG for each panel", members="difference"),
        entry.number("size_b", "the judge's parameters in billions"),
        entry.key("stage", "how far the judge was trained"),
        SMALL,
    ),
)
