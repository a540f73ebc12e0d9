"""Examples of the evaluator quality baseline, and the proxies of each (MEASURES section 10)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.arrays.index import PairRows, take
from engine.arrays.pair_outcomes import USED, PairCube, joined, outcome, pair_up, unused
from engine.arrays.pair_quality import Gold, JudgedPairs, judged_pairs, kept_of
from engine.arrays.view import SliceView
from engine.schema import STATUSES
from engine.stats import Bools, Floats, Ints
from engine.stats.quality_baseline import PROXY, lowest, seeded_keys

TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Examples:
    """A judge's own response against an opponent's, one entry each.

    `row` is the judge's place among those shown, `share` how likely it votes for itself, `truth` 1 where its
    response is better and 0 where it is worse.
    """

    row: Ints
    judge: Ints
    instance: Ints
    opponent: Ints
    share: Floats
    truth: Floats

    def __len__(self) -> int:
        """Return the number of examples."""
        return len(self.row)


@dataclass(frozen=True, eq=False)
class Proxies:
    """Responses in the place of a judge's own, one entry each: `example` says of which.

    `model` wrote it, `share` is how likely the judge votes for it.
    """

    example: Ints
    model: Ints
    share: Floats

    def select(self, keep: Bools) -> "Proxies":
        """Return some of them."""
        return Proxies(self.example[keep], self.model[keep], self.share[keep])


def voted_cube(view: SliceView, cube: PairCube, ties: str) -> tuple[PairCube, Floats]:
    """Return the cube with pairs resolved by votes: their values, and those of the other response.

    A row is heard with a probability too, where a tie was offered; where one of the orders has none, the
    outcome of the pair stands for it.
    """

    def make() -> tuple[PairCube, Floats]:
        rows = cube.rows
        heard = ~np.isnan(rows.choice) | ~np.isnan(rows.p)
        vote = rows.p if ties == "drop" else rows.p * (1 - np.nan_to_num(rows.p_tie))
        against = 1 - rows.p if ties == "drop" else (1 - rows.p) * (1 - np.nan_to_num(rows.p_tie))
        paired = pair_up(rows, heard, lambda votes, one, two: _mean_or_outcome(votes, vote, one, two, 1))
        failed = take(cube.failures, np.isin(cube.failures.code, STATUSES))
        failures = joined([failed, *unused(rows, paired.fate, cube.votes, cube.width)])
        other = _mean_or_outcome(rows, against, paired.one, paired.two, -1)
        return replace(cube, paired=paired, used=paired.fate == USED, failures=failures), other

    return view.study.remember(("votes", view.request.selection, ties), make)


def _mean_or_outcome(rows: PairRows, vote: Floats, one: Ints, two: Ints, side: int) -> Floats:
    mean = (vote[one] + vote[two]) / 2
    return np.where(np.isnan(mean), (1 + side * outcome(rows, one, two)) / 2, mean)


def voted_pairs(view: SliceView, cube: PairCube, against: Floats) -> JudgedPairs:
    """Return every pair shown and kept from either response, its value the share of votes for the target."""
    here = judged_pairs(view, cube.rows, cube.paired)
    turned = replace(cube.paired, value=against)
    there = judged_pairs(view, cube.rows, turned).swapped(lambda value: value)
    return JudgedPairs(**{n: np.concatenate([part, getattr(there, n)]) for n, part in vars(here).items()})


def examples_of(pairs: JudgedPairs, gold: Gold) -> Examples:
    """Return the pairs with the judge's own response of which the truth is known."""
    own = pairs.select(pairs.target == pairs.judge)
    truth = gold.votes(own.row, own.instance, own.target, own.other).oracle
    known = ~np.isnan(truth)
    own, truth = own.select(known), truth[known]
    return Examples(own.row, own.judge, own.instance, own.other, own.value, truth)


def proxies_of(view: SliceView, pairs: JudgedPairs, examples: Examples, gold: Gold) -> Proxies:
    """Return all proxies: other models with the same truth against the same opponent, judged by the judge."""
    n = len(view.study.index.models)

    def number(row: Ints, instance: Ints, opponent: Ints) -> Ints:
        return (row * view.study.index.n_instances + instance) * n + opponent

    others = pairs.select((pairs.target != pairs.judge) & (pairs.other != pairs.judge))
    names = number(examples.row, examples.instance, examples.opponent)
    order = np.argsort(names)
    wanted = number(others.row, others.instance, others.other)
    place = np.minimum(np.searchsorted(names[order], wanted), max(len(names) - 1, 0))
    known = names[order][place] == wanted if len(names) else np.zeros(len(wanted), dtype=bool)
    others, example = others.select(known), order[place[known]]
    truth = gold.votes(others.row, others.instance, others.target, others.other).oracle
    same = truth == examples.truth[example]
    every = Proxies(example, others.target, others.value).select(same)
    return _in_order(every)


def _in_order(proxies: Proxies) -> Proxies:
    order = np.lexsort((proxies.model, proxies.example))
    return Proxies(proxies.example[order], proxies.model[order], proxies.share[order])


def accuracies(view: SliceView, gold: Gold, row: Ints, model: Ints, opponent: Ints) -> Floats:
    """Return Acc(K, R) for each entry, over all instances of the slice on which the truth is known."""
    triples = np.stack([row if gold.differs_by_judge else np.zeros_like(row), model, opponent])
    unique, at = np.unique(triples, axis=1, return_inverse=True)
    cells = kept_of(view, np.arange(len(view.study.index.models)))
    values = np.full(unique.shape[1], np.nan)
    instances = np.arange(view.study.index.n_instances)
    for i, (judge, one, two) in enumerate(unique.T):
        here = instances[cells[one] & cells[two]]
        places = [np.full(len(here), place) for place in (judge, one, two)]
        truth = gold.votes(places[0], here, places[1], places[2]).oracle
        known = truth[~np.isnan(truth)]
        values[i] = known.mean() if len(known) else np.nan
    return values[at.reshape(-1)]


def chosen_proxies(
    view: SliceView, gold: Gold, examples: Examples, every: Proxies, options: Mapping[str, Any]
) -> Proxies:
    """Return the proxies that the options leave."""
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
        theirs = accuracies(view, gold, row, every.model, opponent)
        own = accuracies(view, gold, row, examples.judge[every.example], opponent)
        with np.errstate(invalid="ignore"):
            keep &= np.abs(theirs - own) <= options["like_accuracy"] + TOLERANCE
    left = every.select(keep)
    if options["max_proxies"] is None:
        return left
    return left.select(
        lowest(left.example, proxy_keys(examples, left, options["seed"]), options["max_proxies"])
    )


def proxy_keys(examples: Examples, proxies: Proxies, seed: int) -> Any:
    """Return the keys by which proxies are drawn."""
    at = proxies.example
    return seeded_keys(
        seed, PROXY, examples.judge[at], examples.instance[at], examples.opponent[at], proxies.model
    )
