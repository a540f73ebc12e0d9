"""How often the gate of missing verdicts closes: when they are missing equally, and when they are not."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from engine.stats.judges.missing import MissingShares, beyond_chance, larger_by_gap

from .judges import Ints

GENERATORS, CRITERIA, FAILING = 12, 4, 0.4
RATES, EXTRA = (0.01, 0.05, 0.2), (0.0, 0.03, 0.05, 0.1, 0.2)
INSTANCES = (12, 40, 100, 400)
DRAWS = 1000


@dataclass(frozen=True)
class Missing:
    """A judge's missing verdicts on the criteria that its own and eleven other models' responses failed.

    `rate` is the share missing of others', `extra` that by which its own are missing more often. `whole`: all
    verdicts on a response are missing together.
    """

    instances: int
    rate: float
    extra: float
    whole: bool

    def closes(self, rng: np.random.Generator) -> bool:
        """Draw a judge and return whether its missing verdicts are called unequal."""
        number = rng.binomial(CRITERIA, FAILING, (GENERATORS, self.instances))
        rate = np.full((GENERATORS, 1), self.rate)
        rate[0] += self.extra
        missing = number * (rng.random(number.shape) < rate) if self.whole else rng.binomial(number, rate)
        own, other = (missing[0], number[0]), (missing[1:].sum(axis=0), number[1:].sum(axis=0))
        near, far = (_share(*counts) for counts in (own, other))
        apart = larger_by_gap(near, far) | larger_by_gap(far, near)
        return bool(apart[0]) and beyond_chance(*own, *other)


def _share(missing: Ints, number: Ints) -> MissingShares:
    return MissingShares.of(
        np.array([(number - missing).sum()]), np.array([missing.sum()]), np.zeros(1, dtype=np.int64)
    )


def gate_rows() -> list[tuple[Missing, list[float]]]:
    """Return by instances, rate and kind how often the gate closes, for each of `EXTRA`."""
    rows = []
    for instances, rate, whole in product(INSTANCES, RATES, (False, True)):
        kinds = [Missing(instances, rate, extra, whole) for extra in EXTRA]
        rng = np.random.default_rng([instances, int(1000 * rate), whole])
        rows.append((kinds[0], [float(np.mean([kind.closes(rng) for _ in range(DRAWS)])) for kind in kinds]))
    return rows
