"""`spb plan power`: how many instances a study needs."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from engine.cli.fitting_columns import print_folded
from engine.cli.output import say
from engine.cli.rows import RowFormatOption, Rows, print_rows
from engine.errors import UsageError, unknown

if TYPE_CHECKING:
    from engine.stats.power import Assumptions
    from engine.stats.power_of_differences import AssumedStudy

_POWER_MEASURES = (
    "What is to be detected: hspp (the ratio), spb, t, dbg, vote_outside, bonus_outside (points) or "
    "odds_self."
)


_NOT_IN_CASES = ("hspp", "odds_self")
"""Measures whose effect is a ratio, which no number of cases gives."""


def _effect_of(effect: float | None, excess: float | None, measure: str | None) -> tuple[float, str]:
    """Return the effect in its measure's unit, and the measure; UsageError unless one of both is given."""
    if effect is None and excess is None:
        raise UsageError("no effect is named; give --excess 10 (of 100 cases), or --effect with --measure")
    if excess is None:
        return cast("float", effect), measure or "hspp"
    if effect is not None:
        raise UsageError("--effect and --excess cannot be combined; give one of them")
    name = measure or "vote_outside"  # as `spb try` computes its number of questions
    if name in _NOT_IN_CASES:
        raise UsageError(f"--excess counts cases of 100, and {name} is a ratio; give --effect")
    if not 0 < excess <= 100:
        raise UsageError(f"--excess {excess:g}: give a number of 100 cases, above 0 and at most 100")
    return (excess if name == "bonus_outside" else excess / 100), name


def power(
    effect: Annotated[
        float | None,
        typer.Option(
            help="Effect to detect, in the measure's unit: a ratio such as 1.5 (hspp), odds such as 1.5 "
            "(odds_self), points of 100 such as 10 (bonus_outside), else a difference of shares such as 0.1 "
            "(10 of 100)."
        ),
    ] = None,
    excess: Annotated[
        float | None,
        typer.Option(
            metavar="CASES",
            help="Instead of --effect: own cases of 100 beyond those expected, such as 10 (verdicts, pairs; "
            "points of scores with --measure bonus_outside).",
        ),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(help=f"{_POWER_MEASURES} Default: hspp, with --excess vote_outside, as `spb try`."),
    ] = None,
    rate: Annotated[
        float,
        typer.Option(
            help="Other measures than hspp: share without an effect (firm null pairs, votes for itself where "
            "it should lose, pairs on which it and gold, or two judges, differ; passes)."
        ),
    ] = 0.3,
    spread: Annotated[
        float, typer.Option(help="bonus_outside: standard deviation of a score, in points.")
    ] = 15.0,
    cases: Annotated[
        float | None,
        typer.Option(help="Other measures: own pairs or criteria per question (default: other families')."),
    ] = None,
    tastes: Annotated[
        float,
        typer.Option(
            help="Other measures: standard deviation of judges' tastes (0.34 log-odds as published)."
        ),
    ] = 0.0,
    judges: Annotated[
        int,
        typer.Option(
            "--n-judges", "--judges", help="Number of judges; each judges every answer, including its own."
        ),
    ] = 6,
    generators: Annotated[
        int | None, typer.Option(help="Number of models that answer, judges included (default: the judges).")
    ] = None,
    families: Annotated[int, typer.Option(help="Number of families, as equal in size as possible.")] = 3,
    failure_rate: Annotated[float, typer.Option(help="Share of criteria that an answer fails.")] = 0.2,
    overestimation: Annotated[
        float,
        typer.Option(help="Probability that a judge passes a criterion that another family's answer failed."),
    ] = 0.3,
    rubrics_per_instance: Annotated[float, typer.Option(help="Criteria per question.")] = 6.0,
    clustering: Annotated[
        float,
        typer.Option(
            help="Intraclass correlation within an answer, of failures and of verdicts on them; from 0 "
            "to below 1."
        ),
    ] = 0.1,
    wanted: Annotated[
        float, typer.Option("--power", help="Share of studies whose interval should exclude 1.")
    ] = 0.8,
    instances: Annotated[
        int | None, typer.Option(help="Print the power of this many questions instead.", min=1)
    ] = None,
    simulate: Annotated[
        int, typer.Option(help="Check with this many simulated studies (200 take a few seconds).", min=0)
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the simulation.", min=0)] = 0,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Compute how many questions a study needs.

    The number that detects a self-preference ratio is given for a single judge, for one of several judges
    with adjusted p-values, and for the mean over judges, with the answers and verdicts that such a study
    takes. With --measure the same for other numbers, and for the judges together.
    """
    from engine.stats.power import TARGETS, Assumptions, power_curve

    effect, measure = _effect_of(effect, excess, measure)
    if measure != "hspp":
        from engine.stats.power_of_differences import VARIANCES, AssumedStudy

        if measure not in VARIANCES:
            raise unknown("measure", measure, ("hspp", *VARIANCES))
        if simulate or generators is not None:
            flag = "--simulate" if simulate else "--generators"
            raise UsageError(f"{flag} applies to --measure hspp only; leave it out")
        design = AssumedStudy(
            cast("Any", measure), effect, judges, families, rate, spread, cases, clustering, tastes
        )
        _print_power(design, wanted, instances, format)
        return
    assumed = Assumptions(
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
    if format == "table":
        _print_table(assumed, rows)
        return
    if format == "csv":
        print_rows(Rows(rows, {}), format)
        return
    curves = {target: [asdict(point) for point in power_curve(assumed, target=target)] for target in TARGETS}
    assumptions = asdict(assumed) | {"generators": assumed.responses}
    document = {"assumed": assumptions, "power": wanted, "rows": rows, "curves": curves}
    print(json.dumps(document, allow_nan=False))


def _print_power(design: "AssumedStudy", wanted: float, instances: int | None, format: str) -> None:  # noqa: A002
    """Print how many instances detect another number than the HSPP ratio, or their power."""
    from engine.stats.group import FEWEST_FAMILIES
    from engine.stats.power_of_differences import WHO, instances_for, power_of

    rows: list[dict[str, Any]] = []
    for who in WHO:
        if who == "group" and design.families < FEWEST_FAMILIES:
            continue
        try:
            number = instances_for(design, wanted, who) if instances is None else instances
        except UsageError as error:
            if not design.tastes:
                raise
            rows.append({"target": who, "instances": None, "power": None, "reason": str(error)})
            continue
        rows.append({"target": who, "instances": number, "power": power_of(design, number, who)})
    assumed = asdict(design) | {"cases": design.in_instance}
    document = {"assumed": assumed, "power": wanted, "rows": rows}
    if format == "json":
        print(json.dumps(document, allow_nan=False))
        return
    if format == "csv":
        print_rows(Rows(rows, {}), format)
        return
    words = {
        "judge": "a judge by itself",
        "adjusted": "a judge, adjusted for testing all of them",
        "group": "the judges together",
    }
    cells = [
        [
            words[row["target"]],
            "none" if row["instances"] is None else f"{row['instances']:,}",
            "" if row["power"] is None else f"{row['power']:.2f}",
        ]
        for row in rows
    ]
    print_folded(["detected", "instances", "power"], cells)
    for row in rows:
        if "reason" in row:
            say(f"{words[row['target']]}: {row['reason']}")
    if design.families < FEWEST_FAMILIES:
        say(f"the judges together are tested with {FEWEST_FAMILIES} families or more")
    say("; ".join(f"{name} {value}" for name, value in assumed.items()))


def _rows(
    assumed: "Assumptions", target_power: float, instances: int | None, simulate: int, seed: int
) -> list[dict[str, Any]]:
    import numpy as np

    from engine.stats.power import TARGETS, instances_needed, simulated_power, study_of

    rows = []
    for target in TARGETS:
        if instances is None:
            size = instances_needed(assumed, target_power, target)
        else:
            size = study_of(assumed, instances, target)
        row: dict[str, Any] = {"target": target} | asdict(size)
        if simulate:
            rng = np.random.default_rng(seed)
            row["simulated_power"] = simulated_power(assumed, size.instances, simulate, rng, target=target)
        rows.append(row)
    return rows


def _print_table(assumed: "Assumptions", rows: list[dict[str, Any]]) -> None:
    from engine.stats.power import TARGETS

    simulated = "simulated_power" in rows[0]
    cells = [
        [
            TARGETS[row["target"]],
            f"{row['instances']:,}",
            f"{row['own_failures']:,.0f}",
            f"{row['responses']:,}",
            f"{row['verdicts']:,}",
            f"{row['power']:.2f}",
            *([f"{row['simulated_power']:.2f}"] if simulated else []),
        ]
        for row in rows
    ]
    heads = ["detected", "instances", "own failures", "answers judged", "verdicts", "power"]
    print_folded([*heads, *(["simulated"] if simulated else [])], cells)
    settings = asdict(assumed) | {"generators": assumed.responses, "compared_with": assumed.strangers}
    say("; ".join(f"{name} {value:g}" for name, value in settings.items()))
