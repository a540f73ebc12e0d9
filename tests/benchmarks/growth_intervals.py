"""Coverage of the interval of a correlation over pairs of models, on the scale of r and on that of atanh r.

`python -m tests.benchmarks.growth_intervals` draws models with two traits each, of which relatedness is the
product and overrating a multiple of that with noise, and prints the table of docs/intervals.md. The truth is
the mean of r over studies, on the scale of atanh r.
"""

import argparse

import numpy as np
from scipy import stats

from engine.stats import Floats
from engine.stats.judges.relatedness import mantel, two_way_margins

TRUTHS = 4000
"""Studies from which the truth of each condition is taken."""


def draw(models: int, slope: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return one study's overrating less its margins, and relatedness, (models, models) each."""
    traits, noise = rng.normal(size=(models, 2)), rng.normal(size=(models, models))
    related = traits @ traits.T + (noise + noise.T) / 4
    overrating = two_way_margins(slope * related + rng.normal(size=(models, models)))
    np.fill_diagonal(related, np.nan)
    return overrating, related


def correlation(overrating: Floats, related: Floats) -> float:
    """Return Pearson's r over ordered pairs of models."""
    pairs = ~np.eye(len(related), dtype=bool)
    return float(np.corrcoef(overrating[pairs], related[pairs])[0, 1])


def plain_interval(overrating: Floats, related: Floats) -> tuple[float, float]:
    """Return Student's t interval of r itself, with the error from deleting each model in turn."""
    models = len(related)
    without = np.array(
        [
            correlation(*(np.delete(np.delete(each, m, 0), m, 1) for each in (overrating, related)))
            for m in range(models)
        ]
    )
    se = np.sqrt((models - 1) ** 2 / models) * without.std(ddof=1)
    low, high = stats.t.interval(0.95, models - 1, loc=correlation(overrating, related), scale=se)
    return low, high


def row_of(models: int, slope: float, studies: int, rng: np.random.Generator) -> str:
    """Return a line of the table: coverage and mean width of both, how often the plain one leaves -1 to 1."""
    truth = np.tanh(np.mean([np.arctanh(correlation(*draw(models, slope, rng))) for _ in range(TRUTHS)]))
    ends = []
    for _ in range(studies):
        overrating, related = draw(models, slope, rng)
        growth = mantel(overrating, related, rng)
        ends.append([plain_interval(overrating, related), (growth.low, growth.high)])
    low, high = np.moveaxis(np.array(ends), -1, 0)
    coverage = 100 * ((low <= truth) & (truth <= high)).mean(axis=0)
    width, beyond = (high - low).mean(axis=0), 100 * ((low < -1) | (high > 1))[:, 0].mean()
    cells = " | ".join(f"{share:.1f} % | {wide:.2f}" for share, wide in zip(coverage, width, strict=True))
    return f"| {models} | {truth:z.2f} | {cells} | {beyond:.0f} % |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    print("| models | r | t on r | width | t on atanh r | width | t on r beyond -1 to 1 |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for models in (5, 6, 8, 12):
        for slope in (0, 0.5, 1.5):
            print(row_of(models, slope, arguments.studies, rng), flush=True)


if __name__ == "__main__":
    main()
