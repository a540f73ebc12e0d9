"""Examples of the evaluator quality baseline, and the proxies of each (MEASURES section 10)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.arrays.pairs.judged_pairs import JudgedPairs, judged_pairs, kept_mask
from engine.arrays.pairs.pair_orders import PairRows, outcome, pair_up
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.truths.gold_preferences import GoldTruth
from engine.arrays.view import SliceView
from engine.schema import STATUSES
from engine.stats import Floats, Ints, ParallelArrays
from engine.stats.intervals.seeded_draws import PROXY, lowest, seeded_keys
from engine.stats.scores.ranks import TOLERANCE


@dataclass(frozen=True, eq=False)
class Examples:
    """A judge's own response against an opponent's, one entry each."""

    row: Ints  # the judge's place among those shown
    judge: Ints
    instance: Ints
    opponent: Ints
    share: Floats  # how likely it votes for itself
    truth: Floats  # 1 where its response is better, 0 where it is worse

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, eq=False)
class Proxies(ParallelArrays):
    """Responses by `model` in place of the judge's own in an `example`; `share`: how likely its vote is."""

    example: Ints
    model: Ints
    share: Floats


def voted_cube(view: SliceView, cube: PairCube, ties: str) -> tuple[PairCube, Floats]:
    """Return the cube with pairs resolved by votes, and the values for the other response.

    A row with a probability counts even if a tie was offered; if one of the orders has none, the outcome of
    the pair is used instead.
    """

    def make() -> tuple[PairCube, Floats]:
        rows = cube.rows
        answered = ~np.isnan(rows.choice) | ~np.isnan(rows.p)
        vote = rows.p if ties == "drop" else rows.p * (1 - np.nan_to_num(rows.p_tie))
        against = 1 - rows.p if ties == "drop" else (1 - rows.p) * (1 - np.nan_to_num(rows.p_tie))
        pairs = pair_up(rows, answered, lambda votes, one, two: _mean_or_outcome(votes, vote, one, two, 1))
        unanswered = cube.unanswered.select(np.isin(cube.unanswered.code, STATUSES))
        other = _mean_or_outcome(rows, against, pairs.one, pairs.two, -1)
        return replace(cube, pairs=pairs, unanswered=unanswered), other

    return view.study.remember(("votes", view.request.selection, ties), make)


def _mean_or_outcome(rows: PairRows, vote: Floats, one: Ints, two: Ints, side: int) -> Floats:
    mean = (vote[one] + vote[two]) / 2
    return np.where(np.isnan(mean), (1 + side * outcome(rows, one, two)) / 2, mean)


def voted_pairs(view: SliceView, cube: PairCube, against: Floats) -> JudgedPairs:
    """Return every pair shown and kept from either response, its value the share of votes for the target."""
    first = judged_pairs(view, cube.rows, cube.pairs)
    swapped = replace(cube.pairs, value=against)
    second = judged_pairs(view, cube.rows, swapped)
    return JudgedPairs.concatenate([first, second.swapped(second.value)])


def examples_of(pairs: JudgedPairs, gold: GoldTruth) -> Examples:
    """Return the pairs with the judge's own response whose truth is known."""
    own = pairs.select(pairs.target == pairs.judge)
    truth = gold.votes(own.row, own.instance, own.target, own.other).oracle
    defined = ~np.isnan(truth)
    own, truth = own.select(defined), truth[defined]
    return Examples(own.row, own.judge, own.instance, own.other, own.value, truth)


def proxies_of(view: SliceView, pairs: JudgedPairs, examples: Examples, gold: GoldTruth) -> Proxies:
    """Return all proxies: other models with the same truth against the same opponent, by the same judge."""
    n = len(view.study.index.models)

    def number(row: Ints, instance: Ints, opponent: Ints) -> Ints:
        return (row * view.study.index.n_instances + instance) * n + opponent

    others = pairs.select((pairs.target != pairs.judge) & (pairs.other != pairs.judge))
    own_keys = number(examples.row, examples.instance, examples.opponent)
    order = np.argsort(own_keys)
    keys = number(others.row, others.instance, others.other)
    place = np.minimum(np.searchsorted(own_keys[order], keys), max(len(own_keys) - 1, 0))
    matched = own_keys[order][place] == keys if len(own_keys) else np.zeros(len(keys), dtype=bool)
    others, example = others.select(matched), order[place[matched]]
    truth = gold.votes(others.row, others.instance, others.target, others.other).oracle
    same = truth == examples.truth[example]
    every = Proxies(example, others.target, others.value).select(same)
    return every.select(np.lexsort((every.model, every.example)))


def accuracies(view: SliceView, gold: GoldTruth, row: Ints, model: Ints, opponent: Ints) -> Floats:
    """Return Acc(K, R) for each entry, over all instances of the slice on which the truth is known."""
    triples = np.stack([row if gold.differs_by_judge else np.zeros_like(row), model, opponent])
    unique, at = np.unique(triples, axis=1, return_inverse=True)
    cells = kept_mask(view, np.arange(len(view.study.index.models)))
    values = np.full(unique.shape[1], np.nan)
    instances = np.arange(view.study.index.n_instances)
    for i, (judge, one, two) in enumerate(unique.T):
        common = instances[cells[one] & cells[two]]
        places = [np.full(len(common), place) for place in (judge, one, two)]
        truth = gold.votes(places[0], common, places[1], places[2]).oracle
        defined = truth[~np.isnan(truth)]
        values[i] = defined.mean() if len(defined) else np.nan
    return values[at.reshape(-1)]


def select_proxies(
    view: SliceView, gold: GoldTruth, examples: Examples, every: Proxies, options: Mapping[str, Any]
) -> Proxies:
    """Return the proxies that the options select."""
    index, kind = view.study.index, options["proxies"]
    everyone = np.arange(len(index.models))
    keep = np.ones(len(every.example), dtype=bool)
    if kind != "all":
        relatives = "provider" if kind == "out_of_provider" else view.request.exclusion.relatives
        outside = index.relations(view.judges, everyone, relatives).unrelated_mask
        keep &= outside[examples.row[every.example], every.model]
    if options["proxy_models"]:
        keep &= np.isin(every.model, [index.models.index(name) for name in options["proxy_models"]])
    if options["like_accuracy"] is not None:
        row, opponent = examples.row[every.example], examples.opponent[every.example]
        of_proxies = accuracies(view, gold, row, every.model, opponent)
        of_judge = accuracies(view, gold, row, examples.judge[every.example], opponent)
        with np.errstate(invalid="ignore"):
            keep &= np.abs(of_proxies - of_judge) <= options["like_accuracy"] + TOLERANCE
    proxies = every.select(keep)
    if options["max_proxies"] is None:
        return proxies
    keys = proxy_keys(examples, proxies, options["seed"])
    return proxies.select(lowest(proxies.example, keys, options["max_proxies"]))


def proxy_keys(examples: Examples, proxies: Proxies, seed: int) -> Any:
    who = (part[proxies.example] for part in (examples.judge, examples.instance, examples.opponent))
    return seeded_keys(seed, PROXY, *who, proxies.model)
