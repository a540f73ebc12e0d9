"""How many questions detect an HSPP ratio, printed with what such a study takes."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine.cli.plan.plan_words import answer
from engine.cli.printing.fitting_columns import print_folded
from engine.cli.printing.rows import Rows, print_rows, print_sentences
from engine.phrases import quantity
from engine.words.planned_for import PLANNED_FOR

if TYPE_CHECKING:
    from engine.stats.conclusions.power import Assumptions


def print_of_ratio(
    assumed: "Assumptions",
    wanted: float,
    instances: int | None,
    simulate: int,
    seed: int,
    format: str,  # noqa: A002
    first: Sequence[str] = (),
) -> None:
    """Print how many questions detect an HSPP ratio, or their power, with what such a study takes.

    `first` are sentences before a table.
    """
    from engine.stats.conclusions.power import TARGETS, power_curve

    rows = _rows(assumed, wanted, instances, simulate, seed)
    if format == "table":
        print_sentences(first)
        _print_table(assumed, rows, wanted, instances)
        return
    if format == "csv":
        print_rows(Rows(rows, {}), format)
        return
    curves = {target: [asdict(point) for point in power_curve(assumed, target=target)] for target in TARGETS}
    assumptions = asdict(assumed) | {"generators": assumed.responses}
    document = {"assumed": assumptions, "power": wanted, "rows": rows, "curves": curves}
    print(json.dumps(document, allow_nan=False))


def _rows(
    assumed: "Assumptions", target_power: float, instances: int | None, simulate: int, seed: int
) -> list[dict[str, Any]]:
    import numpy as np

    from engine.stats.conclusions.power import TARGETS, instances_needed, simulated_power, study_of
    from engine.words.group_conclusions import no_more_than_a_mean

    rows = []
    for target in TARGETS:
        if instances is None:
            size = instances_needed(assumed, target_power, target)
        else:
            size = study_of(assumed, instances, target)
        row: dict[str, Any] = {"target": target} | asdict(size)
        if target == "mean" and (few := no_more_than_a_mean(assumed.families)) is not None:
            row["note"] = few
        if simulate:
            rng = np.random.default_rng(seed)
            row["simulated_power"] = simulated_power(assumed, size.instances, simulate, rng, target=target)
        rows.append(row)
    return rows


def _print_table(
    assumed: "Assumptions", rows: list[dict[str, Any]], wanted: float, instances: int | None
) -> None:
    simulated = "simulated_power" in rows[0]
    cells = [
        [
            PLANNED_FOR[row["target"]].title,
            f"{row['instances']:,}",
            f"{row['own_failures']:,.0f}",
            f"{row['responses']:,}",
            f"{row['verdicts']:,}",
            f"{row['power']:.2f}",
            *([f"{row['simulated_power']:.2f}"] if simulated else []),
        ]
        for row in rows
    ]
    failed = f"of which an answer fails {assumed.failure_rate:.0%}, correlated by {assumed.clustering:g}"
    assumptions = [
        f"{quantity(assumed.judges, 'judge')} and {assumed.responses} models of {assumed.families} families",
        f"{assumed.rubrics_per_instance:.3g} criteria in a question, {failed}",
        f"judges pass {assumed.overestimation:.0%} of what other families' answers failed",
        "no tastes of judges, with which it takes more questions",
    ]
    effect = f"a ratio of {assumed.effect:g} (hspp)"
    lead = answer(effect, rows, assumed.judges, wanted, instances)
    notes = (row["note"] for row in rows if "note" in row)
    print_sentences([lead, f"Assumed: {'; '.join(assumptions)}.", *notes])
    print()
    heads = ["Detected", "Questions", "Own failures", "Answers judged", "Verdicts", "Power"]
    print_folded([*heads, *(["Simulated"] if simulated else [])], cells)
