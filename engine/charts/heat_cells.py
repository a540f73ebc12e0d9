"""The cells of judges and generators as a frame, which the heatmap draws."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from engine.charts import number_forms, style
from engine.charts.number_forms import Form
from engine.measures.rows import FEW
from engine.words.row_cells import Row

Order = Literal["study", "family", "value", "name"]
Families = Mapping[str, str | None]


@dataclass(frozen=True)
class Shade:
    """What a cell shows: the field, its words and form, its n, and whether its colours diverge from 0."""

    field: str
    words: str
    form: Form
    n: str
    diverging: bool = False


SHADES = {
    "overestimation": Shade("rate", "share passed of what the reference failed", "share", "n"),
    "underestimation": Shade("under_rate", "share failed of what the reference passed", "share", "under_n"),
    "delta": Shade("delta", "centered delta, points of 100", "points", "scores", diverging=True),
}

ALL_SHADES = SHADES | {"votes": Shade("win_rate", "share of votes won", "share", "n")}
"""The shades of rubrics and scores, which a page offers, and that of pairs."""


def cell_rows(
    cells: Iterable[Row],
    deltas: Iterable[Row] = (),
    *,
    shade: str = "overestimation",
    families: Families | None = None,
    row_order: Order = "study",
    column_order: Order = "study",
    most: int = 40,
) -> pd.DataFrame:
    """Return a row for each judge and generator, up to `most` of each.

    `families` names the family of each model. Orders: as in the rows; by family, in order of appearance; by
    name; or by value, highest first: judges by their own cell, generators by their mean. Columns: `judge`,
    `generator`, their orders and families, `relation`, `value`, `label` (the number in the cell), `ink` (its
    colour), `small` (fewer than 30 cases), `words`, and in words `over`, `under` and `delta`.
    """
    shading, family_of = ALL_SHADES[shade], dict(families or {})
    rows_by_place = {(str(row["judge"]), str(row["generator"])): dict(row) for row in cells}
    for row in deltas:
        if row["generator"] is not None:
            delta = {name: row.get(name) for name in ("delta", "delta_low", "delta_high")}
            place = (str(row["judge"]), str(row["generator"]))
            rows_by_place[place] = rows_by_place.get(place, {}) | delta | {"scores": row["n"]}
    rows = [_cell(place, row, shading, family_of) for place, row in rows_by_place.items()]
    frame = pd.DataFrame.from_records(rows, columns=CELL_COLUMNS)
    frame["value"] = frame["value"].astype(float)
    _put_in_order(frame, "judge", row_order, frame[frame["judge"] == frame["generator"]])
    _put_in_order(frame, "generator", column_order, frame)
    frame = frame[(frame["judge_order"] < most) & (frame["generator_order"] < most)].reset_index(drop=True)
    values, (low, high) = frame["value"].to_numpy(dtype=float), ends(frame["value"], shading.diverging)
    dark = np.abs(values) > 0.72 * high if shading.diverging else values > low + 0.55 * (high - low)
    frame["ink"] = np.select([np.isnan(values), dark], [style.NEUTRAL, style.CELL], style.INK)
    return frame.sort_values(["judge_order", "generator_order"], kind="stable", ignore_index=True)


CELL_COLUMNS = [
    *("judge", "generator", "judge_family", "generator_family", "relation"),
    *("value", "label", "words", "over", "under", "delta", "small"),
]


def _cell(place: tuple[str, str], row: Row, shade: Shade, families: Families) -> tuple[Any, ...]:
    judge, generator = place
    numbers = number_forms.number(row, shade.field)
    judge_family, generator_family = families.get(judge), families.get(generator)
    relation = row.get("relation")
    if relation is None:
        same_family = judge_family is not None and judge_family == generator_family
        relation = "self" if judge == generator else "family" if same_family else "other"
    label = f"{numbers[0]:+.1f}" if shade.diverging else f"{100 * numbers[0]:.0f}"
    return (
        *(judge, generator, judge_family or "", generator_family or "", relation),
        *(numbers[0], "–" if np.isnan(numbers[0]) else label, number_forms.words(numbers, shade.form)),
        _share_of(row, "over", "n", "rate"),
        _share_of(row, "under", "under_n", "under_rate"),
        number_forms.words(number_forms.number(row, "delta"), "points"),
        (row.get(shade.n) or 0) < FEW,
    )


def _share_of(row: Row, hits: str, trials: str, rate: str) -> str:
    """Return `94 of 99: 94.9% [90.8%, 98.9%]`."""
    if row.get(hits) is None:
        return "–"
    return f"{row[hits]:,} of {row[trials]:,}: {number_forms.words(number_forms.number(row, rate), 'share')}"


def _put_in_order(frame: pd.DataFrame, who: str, order: Order, value_rows: pd.DataFrame) -> None:
    """Add the order of each judge or generator to the frame; those without a value come last."""
    names = list(dict.fromkeys(frame[who]))
    if order == "family":
        family_of = dict(zip(frame[who], frame[f"{who}_family"], strict=True))
        families = [family_of[name] for name in names]
        names.sort(key=lambda name: families.index(family_of[name]))
    elif order == "name":
        names.sort(key=str.casefold)
    elif order == "value":
        mean = value_rows.groupby(who, sort=False)["value"].mean().to_dict()
        names.sort(key=lambda name: -value if (value := mean.get(name, np.nan)) == value else np.inf)
    frame[f"{who}_order"] = frame[who].map({name: place for place, name in enumerate(names)}).astype(int)


def ends(values: Any, diverging: bool) -> tuple[float, float]:
    """Return the ends of the colour scale: symmetric around 0, or the lowest and highest value."""
    numbers = np.asarray(values, dtype=float)
    numbers = numbers[np.isfinite(numbers)]
    if diverging:
        most = float(np.abs(numbers).max(initial=0.0)) or 1.0
        return -most, most
    low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 1.0)
    return (low, high) if low < high else (min(low, 0.0), max(high, 1.0))
