"""A view as it can be shown anywhere: what came out, the chart, its rows, and what reproduces it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine import wording
from engine.errors import UsageError
from engine.findings.command import command_of
from engine.measures.result import Result

if TYPE_CHECKING:
    from engine.study import Study

MOST_ROWS = 60
"""Rows of a table; what was left away is counted."""

FIELDS: dict[str, tuple[str, ...]] = {
    "hspp": ("judge", "hspp_self", "hspp_matched", "hspp_family", "n_self", "n_matched", "n_family"),
    "overestimation": ("judge", "generator", "relation", "rate", "over", "n"),
    "delta": ("judge", "generator", "delta", "bonus", "n"),
    "accuracy": ("judge", "mra", "mra_total", "mipa", "mipa_total"),
    "committee": ("judge", "level", "hspp_self", "hspp_self_committee", "mra", "mra_committee", "n_self"),
    "archetypes": ("judge", "archetype", "d", "spb", "n_contrast", "n_pairs"),
    "equal-quality": ("judge", "pir", "null_pir", "spb", "spb_p_adjusted", "n_pairs", "n_null_pairs"),
    "quality-baseline": (
        "judge",
        "opponent",
        "ilsp_matched",
        "ilsp_updated",
        "ilsp",
        "lsp",
        "n",
        "n_examples",
    ),
    "dbg": ("judge", "opponent", "win_rate", "gold_win_rate", "dbg", "dbg_p_adjusted", "n"),
    "order-effect": ("judge", "variant", "flip_rate", "first_share", "flip_to_first", "n_pairs"),
    "together": ("judge", "measure", "value", "low", "high", "rank", "n"),
    "ordering": ("judge", "ordering", "cost", "recommended", "pearson", "n", "n_judged"),
}
"""The fields of a measure's rows that a table shows; of others its keys, numbers, and counts."""


@dataclass(frozen=True)
class Table:
    """Rows as a reader's texts, under their titles; `more` rows are not shown."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: int = 0


@dataclass(frozen=True)
class Exhibit:
    """What a view shows.

    `sentences` say what came out, `problems` what could not be shown and why. `chart` is a Vega-Lite
    specification, described by `told`, with its numbers in `table`. `basis` says what they were taken of and
    what was left out, `commands` print them, `measures` names those used.
    """

    sentences: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    chart: Mapping[str, Any] | None = None
    told: str = ""
    table: Table | None = None
    basis: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()


def measured(
    study: "Study",
    measure: str,
    options: Mapping[str, Any],
    *,
    told: str,
    fields: Sequence[str] = (),
    result: Result | None = None,
) -> Exhibit:
    """Take a measure with these options (its `result`, where it is known) and show chart, rows and basis.

    `told` describes the chart to who cannot see it. Where there is nothing to show the reason is said.
    """
    command = command_of(study.name, measure, options)
    try:
        taken = study.result(measure, **options) if result is None else result
    except UsageError as error:
        return Exhibit(problems=(f"It cannot be shown: {error}.",), commands=(command,), measures=(measure,))
    basis = wording.applied(taken.filters), wording.left_out(taken.left_out)
    known: dict[str, Any] = {"basis": basis, "commands": (command,), "measures": (measure,)}
    if not taken.rows:
        reason = taken.reason or "no judgment of this selection counts"
        return Exhibit(problems=(f"There is nothing to show: {reason}.",), **known)
    return Exhibit(chart=drawn(study, taken), told=told, table=table_of(taken, fields), **known)


def drawn(study: "Study", result: Result) -> dict[str, Any] | None:
    """Return the chart of a measure's rows as a specification; None where none of them can be drawn."""
    from engine.charts import CHARTS, draw
    from engine.charts.written import written

    if result.measure.name not in CHARTS or not result.rows:
        return None
    kin = study.index.model_fields[result.filters.get("relatives") or "family"]
    try:
        chart = draw(result, dict(zip(study.index.models, kin, strict=True)))
    except UsageError:  # its chart shows one slice, and these are several: the table has them
        return None
    spec = written(chart)
    datasets = spec.get("datasets", {}).values()
    marked = any("end" not in row for rows in datasets for row in rows)
    return spec if marked else None  # the ends of an axis alone are no chart


def table_of(result: Result, fields: Sequence[str] = ()) -> Table:
    """Return the rows of a result as a reader's texts."""
    from engine.readable import heading, readable

    declared = {name for field in result.measure.fields for name in field.columns()}
    chosen = [name for name in fields or FIELDS.get(result.measure.name, ()) if name in declared]
    frame = readable(result, chosen or _usual(result), by=result.by)
    rows = tuple(tuple(row) for row in frame.head(MOST_ROWS).itertuples(index=False))
    heads = tuple(heading(name, result.by) for name in frame.columns)
    return Table(heads, rows, max(len(frame) - MOST_ROWS, 0))


def _usual(result: Result) -> list[str]:
    """Return the keys, the numbers with an interval, and the counts: of each no more than can be read."""
    fields = result.measure.fields
    numbers = [field.name for field in fields if field.interval and _any(result, field.name)]
    counts = [field.name for field in fields if field.kind == "count" and _any(result, field.name)]
    keys = [name for name in result.measure.keys if _any(result, name)]
    return [*keys, *numbers[:4], *counts[:3]]


def _any(result: Result, name: str) -> bool:
    return any(row[name] is not None for row in result.rows)
