"""Coverage of intervals of few cases, and false alarms (p < .05) without an effect.

`python -m tests.benchmarks.small_numbers` draws studies, counts, and writes the tables of
docs/intervals.md (MEASURES section 17); `--studies 200` gives a quick look, `--all` prints every table.

One judge and five generators: itself, and four with rates between .7 and 1.3 times the base rate. Instances
have 1 to 11 rubrics; failures cluster in instances and rubrics, verdicts on one response are correlated
(intraclass correlation .1), and the judge errs more on some instances (a factor between .7 and 1.3).
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri, stdtrit

from engine.stats.intervals.bootstrap import bootstrap_p, cluster_weights, percentile_interval, resample
from engine.stats.intervals.bootstrap_expanded import Expansion
from engine.stats.intervals.few_events import (
    Estimate,
    cases_of_mean,
    cases_of_share,
    correlation,
    difference,
    few,
    ratio_of_rates,
    share,
)
from engine.stats.intervals.jackknife import leave_one_out, studentised
from engine.stats.outside.matched_rubrics import MatchedSums, matched_parts, matched_ratio

from .coverage.report import put_into

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

RATES = (0.01, 0.03, 0.1, 0.3)
INSTANCES = (10, 20, 40, 200)
GENERATORS = 5
OWN = np.arange(GENERATORS) == 0
RESAMPLES = 1000
BATCH = 200
Z = float(ndtri(0.975))
PAGE = Path(__file__).parents[2] / "docs" / "intervals.md"


@dataclass(frozen=True)
class Condition:
    """The settings of a draw: `ratio` is planted, `failure` is the share of rubrics that responses fail."""

    rate: float
    instances: int
    ratio: float = 1.0
    failure: float = 0.2

    @property
    def own_cases(self) -> float:
        """The expected number of own failures."""
        return 6 * self.failure * self.instances


@dataclass
class Tally:
    """Numbers of intervals requested, printed and covering the truth, and of p below .05."""

    requested: int = 0
    printed: int = 0
    held: int = 0
    alarms: int = 0

    def add(self, low: Floats, high: Floats, truth: float | Floats, p: Floats, there: Bools) -> None:
        """Count the numbers that are defined (`there`)."""
        shown = there & ~np.isnan(low)
        self.requested += int(there.sum())
        self.printed += int(shown.sum())
        self.held += int((shown & (low <= truth) & (truth <= high)).sum())
        self.alarms += int((shown & (p < 0.05)).sum())

    @property
    def coverage(self) -> float:
        """The share of printed intervals that cover the truth, in percent; NaN for fewer than 100."""
        return 100 * self.held / self.printed if self.printed >= 100 else float("nan")

    @property
    def level(self) -> float:
        """The share of printed p below .05, in percent; NaN for fewer than 100."""
        return 100 * self.alarms / self.printed if self.printed >= 100 else float("nan")

    @property
    def shown(self) -> float:
        """The share printed, in percent."""
        return 100 * self.printed / max(self.requested, 1)


Tallies = dict[tuple[str, str], Tally]


def draw(condition: Condition, rng: np.random.Generator, studies: int) -> tuple[Bools, Bools]:
    """Draw studies: which rubrics each response failed, and which failures the judge credited.

    Both have shape (studies, generators, instances, rubrics).
    """
    shape = (studies, GENERATORS, condition.instances, 11)
    exists = np.arange(11) < rng.integers(1, 12, (studies, 1, condition.instances, 1))
    latent = np.sqrt(0.2) * rng.standard_normal((studies, 1, condition.instances, 1), dtype=np.float32)
    latent = latent + np.sqrt(0.3) * rng.standard_normal((studies, 1, *shape[2:]), dtype=np.float32)
    latent = latent + np.sqrt(0.5) * rng.standard_normal(shape, dtype=np.float32)
    failed = (latent < ndtri(condition.failure)) & exists
    relative = np.concatenate([[condition.ratio], np.linspace(0.7, 1.3, GENERATORS - 1)])
    factor = rng.uniform(0.7, 1.3, (studies, 1, condition.instances))
    chance = condition.rate * relative[:, None] * factor
    credit = rng.beta(9 * chance, 9 * (1 - chance))[..., None]
    return failed, failed & (rng.random(shape, dtype=np.float32) < credit)


def measure(condition: Condition, studies: int, rng: np.random.Generator) -> Tallies:
    """Return the tallies of each interval of each number."""
    tallies: Tallies = {}
    for _ in range(max(studies // BATCH, 1)):
        failed, credited = draw(condition, rng, BATCH)
        _shares_and_ratios(condition, credited.sum(-1), failed.sum(-1), tallies, rng)
        _matched(condition, credited, failed, tallies, rng)
    return tallies


def _shares_and_ratios(
    condition: Condition, credited: Floats, cases: Floats, tallies: Tallies, rng: np.random.Generator
) -> None:
    one = cases_of_share(credited[:, 0], cases[:, 0], correlation(credited, cases))
    rest = cases_of_mean(credited, cases, np.broadcast_to(~OWN, (BATCH, GENERATORS)))
    hits_of, cases_of = (
        np.stack([counts[:, 0].sum(-1), counts[:, 1:].sum((-2, -1))], axis=-1) for counts in (credited, cases)
    )
    on_few = few(hits_of, cases_of)
    weights = cluster_weights(condition.instances, RESAMPLES, rng)
    drawn = resample(np.concatenate([credited, cases], axis=1), weights)
    hits, of = drawn[..., :GENERATORS], drawn[..., GENERATORS:]
    rates = np.divide(hits, of, out=np.full(hits.shape, np.nan), where=of > 0)
    known = ~np.isnan(rates[..., 1:])
    other = np.where(known, rates[..., 1:], 0).sum(-1) / np.maximum(known.sum(-1), 1)
    other = np.where(known.any(-1), other, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(other > 0, rates[..., 0] / other, np.nan)
    numbers = (
        ("share", share(one), rates[..., 0], condition.rate * condition.ratio, 0.0),
        ("ratio", ratio_of_rates(one, rest), ratio, condition.ratio, 1.0),
        (
            "difference",
            difference(one, rest),
            rates[..., 0] - other,
            condition.rate * (condition.ratio - 1),
            0.0,
        ),
    )
    for name, small, draws, truth, null in numbers:
        _count(name, small, draws, weights, on_few, truth, null, tallies)
    total, number = credited[:, 0].sum(-1), cases[:, 0].sum(-1)
    for name, low, high in _rival_shares(credited, cases):
        tally = tallies.setdefault(("share", name), Tally())
        tally.add(low, high, condition.rate * condition.ratio, np.ones(BATCH), number > 0)
    assert (total <= number).all()


def _count(
    name: str,
    small: Estimate,
    draws: Floats,
    weights: NDArray[np.float32],
    few: Bools,
    truth: float,
    null: float,
    tallies: Tallies,
) -> None:
    """Count percentiles, expanded percentiles, the intervals of few cases, and their combinations."""
    wide = Expansion.of(draws, weights)
    plain, wider = percentile_interval(draws), wide.interval(draws)
    intervals = {
        "percentile": (plain.low, plain.high, bootstrap_p(draws, null)),
        "expanded": (wider.low, wider.high, wide.p(draws, null)),
    }
    alone = (small.low, small.high, small.p)
    given = {
        f"few, else {method}": tuple(np.where(few, a, b) for a, b in zip(alone, ends, strict=True))
        for method, ends in intervals.items()
    }
    for method, (low, high, p) in (intervals | given | {"of few cases": alone}).items():
        tally = tallies.setdefault((name, method), Tally())
        tally.add(low, high, truth, p, ~np.isnan(small.value))


def _matched(
    condition: Condition, credited: Bools, failed: Bools, tallies: Tallies, rng: np.random.Generator
) -> None:
    flat = (array.reshape(*array.shape[:2], -1) for array in (credited, failed))
    credit, fail = flat
    place = np.repeat(np.arange(condition.instances), 11)
    counts = (credit[:, 0], fail[:, 0], credit[:, 1:].sum(1), fail[:, 1:].sum(1), place, condition.instances)
    weights = cluster_weights(condition.instances, RESAMPLES, rng)
    for name in ("matched", "Mantel-Haenszel"):
        parts: MatchedSums = matched_parts(*counts, mantel_haenszel=name == "Mantel-Haenszel")
        estimate = matched_ratio(parts)
        drawn = resample(np.stack([parts.own, parts.other]), weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            draws = np.where(drawn[:, 1] > 0, drawn[:, 0] / drawn[:, 1], np.nan)
        plain, there = percentile_interval(draws), ~np.isnan(estimate.value)
        rows = {
            "percentile": (plain.low, plain.high, bootstrap_p(draws, 1.0)),
            "as given": (estimate.low, estimate.high, estimate.p),
        }
        for method, (low, high, p) in rows.items():
            tallies.setdefault((name, method), Tally()).add(low, high, condition.ratio, p, there)


def _rival_shares(credited: Floats, cases: Floats) -> Iterator[tuple[str, Floats, Floats]]:
    """Yield other intervals of the own share: name and ends."""
    hits, number = credited[:, 0].sum(-1).astype(float), np.maximum(cases[:, 0].sum(-1), 1).astype(float)
    worth = cases_of_share(credited[:, 0], cases[:, 0], correlation(credited, cases)).number
    worth = np.nan_to_num(worth, nan=1.0)
    t = stdtrit(np.maximum(np.minimum(worth, cases.shape[-1]) - 1, 1.0), 0.975)
    for name, n, z in (("Wilson, cases independent", number, Z), ("Wilson, z", worth, Z)):
        yield name, *_wilson(hits / number, n, z)
    x = hits / number * worth
    low, high = betaincinv(x + 0.5, worth - x + 0.5, 0.025), betaincinv(x + 0.5, worth - x + 0.5, 0.975)
    yield "Jeffreys", np.where(x > 0, low, 0.0), np.where(x < worth, high, 1.0)
    low = np.where(x > 0, betaincinv(np.maximum(x, 1e-9), worth - x + 1, 0.025), 0.0)
    yield (
        "Clopper-Pearson",
        low,
        np.where(x < worth, betaincinv(x + 1, np.maximum(worth - x, 1e-9), 0.975), 1.0),
    )
    half = t * np.sqrt(hits / number * (1 - hits / number) / worth)
    yield "Wald", hits / number - half, hits / number + half


def _wilson(x: Floats, n: Floats, z: float) -> tuple[Floats, Floats]:
    middle, half = x + z**2 / (2 * n), z * np.sqrt(x * (1 - x) / n + z**2 / (4 * n**2))
    low, high = (middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n)
    return np.where(x > 0, low, 0.0), np.where(x < 1, high, 1.0)


def tails(condition: Condition, studies: int, rng: np.random.Generator) -> tuple[int, dict[str, Floats]]:
    """Return the number of p-values of judges without a preference, and how many are at most `LEVELS`."""
    below: dict[str, Floats] = {}
    number = 0
    for _ in range(max(studies // BATCH, 1)):
        failed, credited = draw(condition, rng, BATCH)
        hits, cases = credited.sum(-1), failed.sum(-1)
        enough = (hits[:, 0].sum(-1) >= 5) & (hits[:, 1:].sum((1, 2)) >= 5)
        hits, cases = hits[enough], cases[enough]
        weights = cluster_weights(condition.instances, RESAMPLES, rng)
        drawn = resample(np.concatenate([hits, cases], axis=1), weights)
        draws = _ratio({"hits": drawn[..., :GENERATORS], "cases": drawn[..., GENERATORS:]})
        left_out = leave_one_out({"hits": hits, "cases": cases}, _ratio)
        value = _ratio({"hits": hits.sum(-1), "cases": cases.sum(-1)})
        holding = (hits[:, 0] > 0).sum(-1)
        tail = studentised(value, left_out, null=1.0, log=True, instances=holding).p
        p = bootstrap_p(draws, 1.0)
        at_floor = p <= 2 / (RESAMPLES + 1) * (1 + 1e-12)  # as in `ratio_intervals.tails`
        refined = np.where(at_floor, np.fmin(p, tail), p)
        for name, p_values in (("resamples", p), ("refined", refined), ("t alone", tail)):
            below[name] = below.get(name, 0) + (p_values[:, None] <= np.array(LEVELS)).sum(0)
        number += len(p)
    return number, below


LEVELS = (0.05, 0.01, 0.002, 0.001, 0.0005, 0.00025)


def _ratio(sums: dict[str, Floats]) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = sums["hits"] / sums["cases"]
        return rates[..., 0] / rates[..., 1:].mean(-1)


def tables(studies: int, seed: int, *, every: bool = False) -> str:
    """Draw everything and return the tables: for the ratio or, with `every`, for all numbers."""
    tallies = {}
    for failure in (0.2, 0.6):
        for ratio in (1.0, 2.0):
            for rate in RATES:
                for instances in INSTANCES:
                    condition = Condition(rate, instances, ratio, failure)
                    rng = np.random.default_rng(
                        [seed, int(1000 * rate), instances, int(ratio), int(10 * failure)]
                    )
                    tallies[condition] = measure(condition, studies if instances < 200 else studies // 2, rng)
    parts = [_INTRODUCTION.format(studies=studies, half=studies // 2)]
    names = ("share", "ratio", "difference") if every else ("ratio",)
    parts += [_detail(tallies, name, ratio) for name in names for ratio in (1.0, 2.0)]
    if every:
        parts += [_detail_matched(tallies, name) for name in ("matched", "Mantel-Haenszel")]
    parts += [_ranges(tallies), _tail_table(10 * studies, seed)]
    return "\n\n".join(parts)


_INTRODUCTION = """\
Drawn by `python -m tests.benchmarks.small_numbers`: {studies} studies of each condition ({half} with 200
instances). Shares of intervals that cover the truth, in percent, among those that print one; none if fewer
than 100 were printed. *of few cases* is the interval of effective cases (`stats.intervals.few_events`),
*few, else ...* gives it if a side has fewer than 5 credited or uncredited cases, and the other elsewhere;
*printed* is how many of those defined have the interval of few cases. Alarms are p < .05 if nothing is
planted."""

_METHODS = ("percentile", "expanded", "few, else percentile", "few, else expanded", "of few cases")


def _cell(number: float) -> str:
    return "" if np.isnan(number) else f"{number:.1f}"


def _detail(by_condition: dict[Condition, Tallies], name: str, ratio: float) -> str:
    """Return one number's table: conditions with few failures, every method."""
    null = ratio == 1 and name != "share"
    heads = ["base rate", "instances", "own failures", *_METHODS, "printed"]
    heads += [f"alarms: {method}" for method in _METHODS if null]
    lines = [f"| {' | '.join(heads)} |", "|---:" * len(heads) + "|"]
    for condition, tallies in by_condition.items():
        if condition.failure != 0.2 or condition.ratio != ratio:
            continue
        rows = [tallies[name, method] for method in _METHODS]
        cells = [f"{condition.rate:.0%}", str(condition.instances), f"{condition.own_cases:.0f}"]
        cells += [_cell(row.coverage) for row in rows] + [f"{rows[-1].shown:.0f}"]
        cells += [_cell(row.level) for row in rows if null]
        lines.append(f"| {' | '.join(cells)} |")
    return f"### {name}, planted ratio {ratio:.0f}\n\n" + "\n".join(lines)


def _detail_matched(by_condition: dict[Condition, Tallies], name: str) -> str:
    heads = ["base rate", "instances", "planted ratio", "percentile", "as given", "printed", "alarms"]
    lines = [f"| {' | '.join(heads)} |", "|---:" * len(heads) + "|"]
    for condition, tallies in by_condition.items():
        if condition.failure != 0.2:
            continue
        plain, given = (tallies[name, method] for method in ("percentile", "as given"))
        cells = [f"{condition.rate:.0%}", str(condition.instances), f"{condition.ratio:.0f}"]
        cells += [_cell(plain.coverage), _cell(given.coverage), f"{given.shown:.0f}"]
        cells += [_cell(given.level) if condition.ratio == 1 else ""]
        lines.append(f"| {' | '.join(cells)} |")
    return f"### {name} ratio\n\n" + "\n".join(lines)


def _ranges(by_condition: dict[Condition, Tallies]) -> str:
    """Return the lowest and highest coverage and the highest level of every method over the conditions."""
    heads = ["number", "method", "planted ratio 1: coverage", "most alarms", "planted ratio 2: coverage"]
    lines = [f"| {' | '.join(heads)} |", "|---|---|---:|---:|---:|"]
    for name, method in next(iter(by_condition.values())):
        cells = [name, method]
        for ratio in (1.0, 2.0):
            rows = [
                tallies[name, method]
                for condition, tallies in by_condition.items()
                if condition.ratio == ratio
            ]
            coverage = [row.coverage for row in rows if not np.isnan(row.coverage)]
            cells.append(f"{min(coverage):.1f} to {max(coverage):.1f}" if coverage else "")
            if ratio == 1:
                levels = [row.level for row in rows if not np.isnan(row.level)]
                cells.append(_cell(max(levels, default=float("nan"))) if name != "share" else "")
        lines.append(f"| {' | '.join(cells)} |")
    return (
        "### All methods over all conditions\n\n"
        "The same rates and instances, with 1.2 and with 3.6 failures of a response in an instance.\n\n"
        + "\n".join(lines)
    )


def _tail_table(studies: int, seed: int) -> str:
    heads = ["condition", "method", *(f"p <= {level}" for level in LEVELS)]
    lines = [f"| {' | '.join(heads)} |", "|---|---" + "|---:" * len(LEVELS) + "|"]
    for condition in (Condition(0.3, 40), Condition(0.2, 100), Condition(0.1, 200, failure=0.6)):
        number, below = tails(condition, studies, np.random.default_rng([seed, condition.instances]))
        label = (
            f"{condition.instances} instances, {condition.own_cases:.0f} own failures, {condition.rate:.0%}"
        )
        for name, counts in below.items():
            lines.append(
                f"| {label} ({number:,}) | {name} | {' | '.join(f'{c / number:.5f}' for c in counts)} |"
            )
    return (
        "### p-values at the floor\n\nShares of judges without a preference with p at most so much; with "
        "1,000 resamples the floor is .002.\n\n" + "\n".join(lines)
    )


def main() -> None:
    """Draw, and write the tables into the page or, with --all, print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="print every table, and write nothing")
    arguments = parser.parse_args()
    start = time.perf_counter()
    text = tables(arguments.studies, arguments.seed, every=arguments.all)
    if arguments.all:
        print(text)
    else:
        put_into(PAGE, "small", text)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
