"""Draw studies with a known truth and print how often the intervals cover it."""

import argparse
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

from . import report
from .orders import OrderPopulation
from .pairs import PairPopulation
from .population import Population
from .trial import Condition, Outcome, RankTrial, SummedTrial, Trial

PAGE = Path(__file__).parents[3] / "docs" / "intervals.md"
BATCH = 25  # studies that share resamples
MOST_FAILING = 0.6  # a larger share of failed rubrics is left out of the grid

INSTANCES, FAILURES = (20, 60, 200, 541), (15, 30, 60, 150, 500)
HEADLINE = (Condition(Population(), 200), Condition.of(200, 30))
APART = Population(failure=(0.14, 0.17, 0.2, 0.22, 0.24, 0.27))
"""Models of different quality, so that each has a rank of its own."""

GRID = tuple(
    Condition.of(instances, failures)
    for instances in INSTANCES
    for failures in FAILURES
    if failures <= MOST_FAILING * instances * Population.rubrics
)
COMPARED = (Condition.of(20, 30), Condition.of(200, 15), Condition.of(200, 60))

PARTS: dict[str, tuple[Callable[[report.Outcomes], str], tuple[Trial, ...]]] = {
    "headline": (report.headline, tuple(Trial(one, comparisons=True) for one in HEADLINE)),
    "ranks": (report.headline, (RankTrial(Condition(APART, 100)),)),
    "pairs": (report.headline, tuple(SummedTrial(Condition(PairPopulation(), n)) for n in (100, 30))),
    "orders": (report.headline, (SummedTrial(Condition(OrderPopulation(), 100)),)),
    "grid": (report.grid, tuple(Trial(one) for one in GRID)),
    "rivals": (report.rivals, tuple(Trial(one, rivals=True) for one in COMPARED)),
}


def main() -> None:
    """Parse the arguments, run the parts, print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.coverage", description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="run this part; may be repeated")
    parser.add_argument("--studies", type=int, default=2000, help="studies of each condition")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write the tables into docs/intervals.md")
    given = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # for the workers: small products, one core per process
    workers = ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn"))
    with workers:
        for part in given.only or PARTS:
            make, trials = PARTS[part]
            settings = [replace(trial, resamples=given.resamples, seed=given.seed) for trial in trials]
            text = make(_outcomes(workers, settings, given.studies))
            drawn = f"{given.studies:,} studies of each condition, {given.resamples:,} resamples"
            text = f"{drawn}, seed {given.seed}.\n\n{text}"
            print(text, flush=True)
            if given.write:
                report.put_into(PAGE, part, text)


def _outcomes(workers: ProcessPoolExecutor, trials: list[Trial], studies: int) -> dict[Condition, Outcome]:
    truths = [part.result() for part in [workers.submit(trial.truth) for trial in trials]]
    batches = [range(start, min(start + BATCH, studies)) for start in range(0, studies, BATCH)]
    by_condition = {}
    for trial, truth in zip(trials, truths, strict=True):
        parts = [workers.submit(trial.run, batch, truth) for batch in batches]
        outcomes = [part.result() for part in parts]
        by_condition[trial.condition] = sum(outcomes[1:], start=outcomes[0])
    return by_condition


if __name__ == "__main__":
    main()
