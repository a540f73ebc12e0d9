"""The results as Markdown tables, and writing them into docs/intervals.md."""

from collections.abc import Mapping
from pathlib import Path

from .population import Population
from .sums import GIVEN
from .trial import METHODS, Condition, Held, Outcome

NAMES = {
    "hspp_self": "`hspp_self`",
    "hspp_family": "`hspp_family`",
    "hspp_matched": "`hspp_matched`",
    "mean_hspp_self": "`hspp_self`, row of means",
    "difference_self": "`difference_self`",
    "rate": "`overestimation` (own cell)",
    "mra": "`accuracy`: MRA",
    "mipa": "`accuracy`: MIPA",
    "hspp_self_instance": "`hspp_self`, instance level",
    "delta": "`delta` (own cell)",
    "bonus": "`delta`: bonus",
    "family_bonus": "`delta`: family bonus",
    "leniency": "`delta`: leniency",
    "rank_shift": "`delta`: rank shift",
    "pair_order": "`delta`: pair order",
    "log_difference": "two judges' `hspp_self` held side by side (`--against`)",
    "pir": "`equal-quality`: PIR",
    "null_pir": "`equal-quality`: Null-PIR",
    "spb": "`equal-quality`: SPB",
    "spb_family": "`equal-quality`: SPB for its family",
    "d": "`discriminability`: D",
    "d_change": "`mitigation`: change of D",
    "reduction": "`mitigation`: fall of SPB, if SPB is .1 or more",
    "eta": "`mitigation`: eta, if SPB is .1 or more",
    "sp": "`quality-baseline`: SP",
    "bias": "`quality-baseline`: Bias",
    "ilsp": "`quality-baseline`: ILSP",
    "lsp": "`quality-baseline`: LSP",
    "ilsp_matched": "`quality-baseline`: ILSP matched",
    "t": "`quality-baseline`: T (ILSP updated)",
    "relative_change": "`quality-baseline`: relative change",
    "all_minus_out_of_family": "`quality-baseline`: all less out of family",
    "entropy_gap": "`quality-baseline`: entropy gap",
    "dbg": "`dbg`: DBG",
    "dbg_decided": "`dbg`: DBG of decided pairs",
    "dbg_soft": "`dbg`: soft DBG",
    "flip_rate": "`order-effect`: flip rate",
    "first_share": "`order-effect`: share for the first",
    "probability_shift": "`order-effect`: shift of the probability",
    "share": "`position`: shares",
    "cost": "`ordering`: bias cost",
    "pearson_permutation": "`permutation`: r, permuted",
    "pearson_repeat": "`permutation`: r, repeated",
    "pearson_delta": "`permutation`: difference of r",
    "spearman_permutation": "`permutation`: rho, permuted",
    "spearman_repeat": "`permutation`: rho, repeated",
    "spearman_delta": "`permutation`: difference of rho",
    "sd_permutation": "`permutation`: spread, permuted",
    "sd_repeat": "`permutation`: spread, repeated",
}
Outcomes = Mapping[Condition, Outcome]


def headline(outcomes: Outcomes) -> str:
    """Return a table for each condition: every number by both methods."""
    parts = []
    for condition, outcome in outcomes.items():
        heads = ["number", "intervals"]
        for method in METHODS:
            heads += [method, "truth below / above", "false alarms"]
        lines = [f"| {' | '.join(heads)} |", "|---" + "|---:" * (len(heads) - 1) + "|"]
        for name in sorted(outcome.columns, key=_place):
            percentile, expanded = (outcome.of(method, name) for method in METHODS)
            cells = [_named(name), f"{percentile.tested:,}", *_cells(percentile), *_cells(expanded)]
            lines.append(f"| {' | '.join(cells)} |")
        parts.append(f"{_title(condition)}\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def grid(outcomes: Outcomes) -> str:
    """Return a table for each ratio and method: coverage by instances (rows) and failures (columns)."""
    failures = sorted({_failures(condition) for condition in outcomes})
    rows = sorted({condition.instances for condition in outcomes})
    parts = []
    for name in ("hspp_self", "hspp_family", "hspp_matched"):
        for method in METHODS:
            lines = [f"| instances | {' | '.join(f'{number} failures' for number in failures)} |"]
            lines.append("|---:" * (len(failures) + 1) + "|")
            for instances in rows:
                by_failures = {_failures(c): o for c, o in outcomes.items() if c.instances == instances}
                cells = [
                    _short(by_failures[n].of(method, name)) if n in by_failures else "" for n in failures
                ]
                lines.append(f"| {instances} | {' | '.join(cells)} |")
            parts.append(f"{NAMES[name]}, {method}\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def rivals(outcomes: Outcomes) -> str:
    """Return one table: coverage of the ratios, the rate and the bonus by every method."""
    shown = ("hspp_self", "hspp_family", "hspp_matched", "rate", "difference_self", "bonus")
    lines = [f"| instances, failures | method | {' | '.join(NAMES[name] for name in shown)} |"]
    lines.append("|---|---|" + "---:|" * len(shown))
    for condition, outcome in outcomes.items():
        for method in outcome.held:
            on_logs = method.endswith("log")
            cells = [
                "" if on_logs and name in ("difference_self", "bonus") else _short(outcome.of(method, name))
                for name in shown
            ]
            label = f"{condition.instances}, {_failures(condition)}"
            lines.append(f"| {label} | {method} | {' | '.join(cells)} |")
    return "\n".join(lines)


def put_into(page: Path, part: str, text: str) -> None:
    """Write a table between the page's marks for it; ValueError if they are missing."""
    begin, end = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
    before, mark, rest = page.read_text().partition(begin)
    _, closed, after = rest.partition(end)
    if not (mark and closed):
        raise ValueError(f"{page} has no place marked {begin!r} to {end!r}")
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}")


def _place(name: str) -> tuple[int, bool]:
    plain = name.removesuffix(GIVEN)
    return list(NAMES).index(plain), plain != name


def _named(name: str) -> str:
    """Return a number's label; `GIVEN` marks the product's interval, if it is not from plain resamples."""
    plain = name.removesuffix(GIVEN)
    return NAMES[plain] if plain == name else f"**{NAMES[plain]}{GIVEN}**"


def _cells(held: Held) -> list[str]:
    if not held.tested:
        return ["", "", ""]
    below, above = (100 * missed / held.tested for missed in (held.above, held.below))
    return [
        f"{100 * held.coverage:.1f} %",
        f"{below:.1f} / {above:.1f}",
        f"{100 * held.alarms / held.tested:.1f} %",
    ]


def _short(held: Held) -> str:
    """Return the coverage, with the percentage without an interval in brackets if it is above 1."""
    without = held.missing / held.studies
    coverage = f"{100 * held.coverage:.1f}" if held.tested else "-"
    return f"{coverage} ({100 * without:.0f})" if without > 0.01 else coverage


def _failures(condition: Condition) -> int:
    population = condition.population
    mean = sum(population.failure) / len(population.failure)
    return round(mean * condition.instances * population.rubrics)


def _title(condition: Condition) -> str:
    if not isinstance(condition.population, Population):
        return f"**{condition.instances} instances**"
    return (
        f"**{condition.instances} instances, {_failures(condition)} unfavourable references for each model**"
    )
