"""`spb power`: how many instances a study needs."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from engine.cli.options import say

if TYPE_CHECKING:
    from engine.power import Assumed

_WIDE = 500  # where the output is no terminal
_HEADS = ("told from 1", "instances", "own failures", "responses judged", "verdicts", "power")


def power(
    effect: Annotated[float, typer.Option(help="The self-preference ratio to be told from 1.")],
    judges: Annotated[int, typer.Option(help="Judges; each judges all responses, its own too.")] = 6,
    generators: Annotated[
        int | None, typer.Option(help="Models that answer, the judges among them; the judges unless given.")
    ] = None,
    families: Annotated[int, typer.Option(help="Families, as even as can be.")] = 3,
    failure_rate: Annotated[float, typer.Option(help="Share of rubrics that a response fails.")] = 0.2,
    overestimation: Annotated[
        float, typer.Option(help="Chance that a judge credits a stranger's failed rubric.")
    ] = 0.3,
    rubrics_per_instance: Annotated[float, typer.Option(help="Rubrics of each instance.")] = 6.0,
    clustering: Annotated[
        float,
        typer.Option(
            help="Intraclass correlation in a response, of failures and verdicts on them; 0 to below 1."
        ),
    ] = 0.1,
    wanted: Annotated[
        float, typer.Option("--power", help="Share of studies whose interval is to exclude 1.")
    ] = 0.8,
    instances: Annotated[
        int | None, typer.Option(help="Tell the power of so many instances instead.", min=1)
    ] = None,
    simulate: Annotated[
        int, typer.Option(help="Check by so many simulated studies (200 take some seconds).", min=0)
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the simulation.", min=0)] = 0,
    format: Annotated[Literal["table", "json"], typer.Option(help="How to print it.")] = "table",  # noqa: A002
) -> None:
    """Say how many instances a study needs for the interval of a self-preference ratio to exclude 1.

    Told for a judge by itself, for a judge among several that are tested and adjusted for, and for the mean
    over judges; with the responses and verdicts that such a study takes.
    """
    from engine.power import Assumed

    assumed = Assumed(
        effect=effect,
        judges=judges,
        generators=generators,
        families=families,
        failure_rate=failure_rate,
        overestimation=overestimation,
        rubrics_per_instance=rubrics_per_instance,
        clustering=clustering,
    )
    rows = _rows(assumed, wanted, instances, simulate, seed)
    if format == "json":
        _print_json(assumed, wanted, rows)
    else:
        _print_table(assumed, rows)


def _rows(
    assumed: "Assumed", wanted: float, instances: int | None, simulate: int, seed: int
) -> list[dict[str, Any]]:
    from dataclasses import asdict

    import numpy as np

    from engine.power import TARGETS, instances_needed, simulated_power, study_of

    rows = []
    for target in TARGETS:
        needed = (
            instances_needed(assumed, wanted, target)
            if instances is None
            else study_of(assumed, instances, target)
        )
        row: dict[str, Any] = {"target": target} | asdict(needed)
        if simulate:
            rng = np.random.default_rng(seed)
            row["simulated_power"] = simulated_power(assumed, needed.instances, simulate, rng, target=target)
        rows.append(row)
    return rows


def _print_json(assumed: "Assumed", wanted: float, rows: list[dict[str, Any]]) -> None:
    import json
    from dataclasses import asdict

    from engine.power import TARGETS, power_curve

    curves = {target: [asdict(point) for point in power_curve(assumed, target=target)] for target in TARGETS}
    filled = asdict(assumed) | {"generators": assumed.responses}
    told = {"assumed": filled, "power": wanted, "rows": rows, "curves": curves}
    print(json.dumps(told, allow_nan=False))


def _print_table(assumed: "Assumed", rows: list[dict[str, Any]]) -> None:
    from dataclasses import asdict

    from rich.console import Console
    from rich.table import Table

    from engine.power import TARGETS

    table = Table(box=None, pad_edge=False, header_style="bold")
    simulated = "simulated_power" in rows[0]
    for number, head in enumerate([*_HEADS, *(["simulated"] if simulated else [])]):
        table.add_column(head, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        cells = [
            TARGETS[row["target"]],
            f"{row['instances']:,}",
            f"{row['own_failures']:,.0f}",
            f"{row['responses']:,}",
            f"{row['verdicts']:,}",
            f"{row['power']:.2f}",
        ]
        table.add_row(*cells, *([f"{row['simulated_power']:.2f}"] if simulated else []))
    Console(width=None if sys.stdout.isatty() else _WIDE, soft_wrap=True).print(table)
    applied = asdict(assumed) | {"generators": assumed.responses, "compared_with": assumed.strangers}
    say("; ".join(f"{name} {value:g}" for name, value in applied.items()))
