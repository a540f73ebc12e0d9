"""Examples with their proxies, and results by the number of proxies (MEASURES section 10)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.arrays.pairs import baseline_examples
from engine.measures.pairs.by_opponent import ByOpponent
from engine.measures.rows import Column, Options
from engine.stats import Bools, Floats, Ints
from engine.stats.pairs import quality_baseline as metrics
from engine.stats.ratios import rate

_CURVE_SEEDS = 20


@dataclass(frozen=True, eq=False)
class MatchedExamples:
    """The examples with their proxies, and the subset requested."""

    examples: baseline_examples.Examples
    proxies: baseline_examples.Proxies
    subset: Bools

    def proxy_mean(self, values: Floats) -> Floats:
        """Return the mean of the proxies' values for each example, NaN without a proxy."""
        return metrics.group_means(values, self.proxies.example, len(self.examples))

    @cached_property
    def share(self) -> Floats:
        """The mean share of the proxies, NaN without one."""
        return self.proxy_mean(self.proxies.share)

    @cached_property
    def mask(self) -> Bools:
        """The examples of the subset that have a proxy."""
        return np.asarray(self.subset & ~np.isnan(self.share))

    def compared(self, pool: str) -> tuple[Ints, Floats]:
        """Return the example of each comparison, and the share of its proxies.

        A comparison is an example with the mean of its proxies, or in the pool `pairs` with one of them.
        """
        if pool == "pairs":
            proxies = self.proxies.select(self.mask[self.proxies.example])
            return proxies.example, proxies.share
        examples = np.flatnonzero(self.mask)
        return examples, self.share[examples]


def proxy_columns(rows: ByOpponent, matched: MatchedExamples, options: Options) -> dict[str, Column]:
    names = ("coverage", "t_by_proxies", "t_by_proxies_se")
    if not options["curves"]:
        return {name: Column([None] * rows.size, reasons="not_asked_for") for name in names}
    examples, proxies = matched.examples, matched.proxies
    sizes = np.where(matched.subset, np.bincount(proxies.example, minlength=len(examples)), -1)
    totals = rows.add(matched.subset, resampled=False).total
    steps = np.arange(1, max(sizes.max(initial=0), 0) + 1)
    if not len(steps):
        return {name: Column([[]] * rows.size) for name in names}
    enough = np.array([rows.add(sizes >= n, resampled=False).total for n in steps]).reshape(len(steps), -1)
    t = np.empty((_CURVE_SEEDS, *enough.shape))
    for seed, curve in enumerate(t):
        keys = baseline_examples.proxy_keys(examples, proxies, options["seed"] + seed)
        shares = metrics.means_of_first(proxies.share, proxies.example, keys, len(examples))
        for n in steps:
            surplus = np.where(sizes >= n, examples.share - shares[:, n - 1], 0.0)
            curve[n - 1] = rate(rows.add(surplus, resampled=False).total, enough[n - 1])
    curves = (rate(enough, totals[None, :]), t.mean(axis=0), t.std(axis=0, ddof=1) / np.sqrt(_CURVE_SEEDS))
    reached = [enough[:, row] > 0 for row in range(rows.size)]
    return {
        name: Column([curve[some, row].tolist() for row, some in enumerate(reached)])
        for name, curve in zip(names, curves, strict=True)
    }
