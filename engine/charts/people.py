"""The agreement of each judge with people, beside people's own, and whom it may stand in for."""

from collections.abc import Iterable, Mapping
from typing import Any

from engine.charts import style
from engine.charts.dot_plot import Dot
from engine.charts.panels import Panel
from engine.words.people import agreement_of

PANELS = (
    Panel(
        "agreement with people",
        (
            Dot("agreement", "the judge", style.SERIES[0], "ratio"),
            Dot("ceiling", "people, each with the others", style.COMMITTEE, "ratio"),
        ),
    ),
    Panel(
        "people whom it may stand in for",
        (Dot("winning_rate", "share of people", style.SERIES[2], n=None),),
        0.5,
    ),
)


def people_rows(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of `people`, those who agree most first, with `who` and `agreement` in each."""
    entries = list(rows)
    several = len({row["kind"] for row in entries}) > 1
    labelled = [_with_agreement(row, several=several) for row in entries]
    return sorted(labelled, key=lambda row: (row["kind"], -(row["agreement"] or 0.0)))


def _with_agreement(row: Mapping[str, Any], *, several: bool) -> dict[str, Any]:
    value, low, high = agreement_of(row)
    who = f"{row['judge']}, {row['kind']}" if several else row["judge"]
    return {**row, "who": who, "agreement": value, "agreement_low": low, "agreement_high": high}
