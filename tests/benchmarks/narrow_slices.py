"""Coverage of expanded intervals in slices that most instances of a study have no case in.

`python -m tests.benchmarks.narrow_slices` draws studies as `small_numbers` does and prints the table of
docs/intervals.md: degrees of freedom from the instances with cases, or from all instances of the study.
"""

import argparse

import numpy as np

from engine.stats.intervals.bootstrap import cluster_weights, percentile_interval, resample
from engine.stats.intervals.bootstrap_expanded import Expansion
from engine.stats.ratios import rate, ratio

from .small_numbers import BATCH, RESAMPLES, Condition, Tally, draw

CONDITIONS = tuple(
    (instances, Condition(chance, with_cases, planted))
    for instances, with_cases, chance in ((200, 60, 0.2), (1000, 60, 0.2), (5000, 100, 0.1))
    for planted in (1.0, 2.0)
)
"""The instances of a study, and those of them that have cases in the slice."""


def covered(instances: int, condition: Condition, studies: int, seed: int) -> dict[str, Tally]:
    """Return for each way to the interval of a judge's ratio how often it covers what is planted."""
    tallies = {name: Tally() for name in ("percentile", "of those with cases", "of all")}
    rng = np.random.default_rng(seed)
    counted = np.arange(instances) < condition.instances
    for _ in range(max(studies // BATCH, 1)):
        failed, credited = (counts.sum(-1) for counts in draw(condition, rng, BATCH))
        weights = cluster_weights(instances, RESAMPLES, rng)
        over, cases = (resample(counts, weights[:, counted]) for counts in (credited, failed))
        rates = rate(over, cases)
        draws = ratio(rates[..., 0], rates[..., 1:].mean(axis=-1))
        intervals = {
            "percentile": percentile_interval(draws),
            "of those with cases": Expansion.of(draws, weights, counted).interval(draws),
            "of all": Expansion.of(draws, weights).interval(draws),
        }
        nothing, everywhere = np.ones(BATCH), np.ones(BATCH, dtype=bool)
        for name, interval in intervals.items():
            tallies[name].add(interval.low, interval.high, condition.ratio, nothing, everywhere)
    return tallies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print("| instances, with cases | planted | percentile | freedom of those with cases | of all |")
    print("|---:|---:|---:|---:|---:|")
    for instances, condition in CONDITIONS:
        tallies = covered(instances, condition, arguments.studies, arguments.seed)
        cells = " | ".join(f"{tally.coverage:.1f}" for tally in tallies.values())
        print(f"| {instances:,}, {condition.instances} | {condition.ratio:g} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
