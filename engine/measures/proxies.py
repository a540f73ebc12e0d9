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
    proxies, size = matched.proxies, len(matched.examples)
    ends = np.cumsum(np.bincount(proxies.example, minlength=size))[:-1]
    shares = np.split(proxies.share, ends)
    orders = []
    for seed in range(_CURVE_SEEDS):
        keys = np.split(proxy_keys(matched.examples, proxies, options["seed"] + seed), ends)
        orders.append([np.argsort(of_example) for of_example in keys])
    found = []
    for at in rows.each():
        here = at[matched.subset[at]]
        told = [[order[i] for i in here] for order in orders]
        found.append(metrics.proxy_curves(matched.examples.share[here], [shares[i] for i in here], told))
    return {
        "coverage": Column([curve.coverage for curve in found]),
        "t_by_proxies": Column([curve.t for curve in found]),
        "t_by_proxies_se": Column([curve.t_se for curve in found]),
    }
