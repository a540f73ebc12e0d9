"""Examples with their proxies, and what comes of more or fewer of them (MEASURES section 10)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.opponents import ByOpponent
from engine.measures.table import Column
from engine.metrics import quality_baseline as metrics
from engine.metrics.overestimation import rate
from engine.views.examples import Examples, Proxies, proxy_keys

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_CURVE_SEEDS = 20


@dataclass(frozen=True, eq=False)
class Matched:
    """The examples with their proxies, and the subset that is asked for."""

    examples: Examples
    proxies: Proxies
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

    @cached_property
    def delta(self) -> Floats:
        """How much likelier it votes for itself than for a proxy (EQB equation 7); 0 where unmatched."""
        return np.where(self.mask, self.examples.share - np.nan_to_num(self.share), 0.0)


def proxy_columns(rows: ByOpponent, matched: Matched, options: Mapping[str, Any]) -> dict[str, Column]:
    """Return coverage and T by number of proxies, where they are asked for."""
    names = ("coverage", "t_by_proxies", "t_by_proxies_se")
    if not options["curves"]:
        return {name: Column([None] * rows.size, reasons="not_asked_for") for name in names}
    examples, proxies = matched.examples, matched.proxies
    sizes = np.where(matched.subset, np.bincount(proxies.example, minlength=len(examples)), -1)
    asked = rows.add(matched.subset, resampled=False).total
    steps = np.arange(1, max(sizes.max(initial=0), 0) + 1)
    if not len(steps):
        return {name: Column([[]] * rows.size) for name in names}
    enough = np.array([rows.add(sizes >= n, resampled=False).total for n in steps]).reshape(len(steps), -1)
    t = np.empty((_CURVE_SEEDS, *enough.shape))
    for seed, drawn in enumerate(t):
        keys = proxy_keys(examples, proxies, options["seed"] + seed)
        shares = metrics.means_of_first(proxies.share, proxies.example, keys, len(examples))
        for n in steps:
            surplus = np.where(sizes >= n, examples.share - shares[:, n - 1], 0.0)
            drawn[n - 1] = rate(rows.add(surplus, resampled=False).total, enough[n - 1])
    spread = t.std(axis=0, ddof=1) / np.sqrt(_CURVE_SEEDS)
    there = [enough[:, row] > 0 for row in range(rows.size)]
    curves = {
        "coverage": rate(enough, asked[None, :]),
        "t_by_proxies": t.mean(axis=0),
        "t_by_proxies_se": spread,
    }
    return {
        name: Column([curve[some, row].tolist() for row, some in enumerate(there)])
        for name, curve in curves.items()
    }
