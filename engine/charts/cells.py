"""The cells of judges and generators as a frame: what `engine.charts.heatmap` draws."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from engine.charts.marks import Form, number, words
from engine.charts.palette import CELL, INK, NEUTRAL
from engine.measures.table import FEW

Row = Mapping[str, Any]
Order = Literal["study", "family", "value"]
Families = Mapping[str, str | None]


@dataclass(frozen=True)
class Shade:
    """What a cell shows: the field, its words and form, its cases, and whether it has a middle."""

    field: str
    words: str
    form: Form
    n: str
    diverging: bool = False


SHADES = {
    "overestimation": Shade("rate", "credited of what the reference failed", "share", "n"),
    "underestimation": Shade("under_rate", "failed of what the reference credited", "share", "under_n"),
    "delta": Shade("delta", "centered delta, points of 100", "points", "scores", diverging=True),
}


def rows_of(
    cells: Iterable[Row],
    deltas: Iterable[Row] = (),
    *,
    shade: str = "overestimation",
    families: Families | None = None,
    row_order: Order = "study",
    column_order: Order = "study",
    most: int = 40,
) -> pd.DataFrame:
    """Return a row for each judge and generator there is, of at most `most` judges and generators.

    `families` names the family of each model. Orders: as the rows come; by family, families as they come;
    by value: judges by their own cell, generators by their mean, the highest first. Columns: `judge`,
    `generator`, their orders and families, `relation`, `value`, `label` (the number in the cell), `ink`
    (what it is written in), `small` (fewer than 30 cases), `words`, and for reading the whole
    confusion table `over`, `under` and `delta` in words.
    """
    known, kinds = SHADES[shade], dict(families or {})
    merged: dict[tuple[str, str], dict[str, Any]] = {}
    for row in cells:
        merged[str(row["judge"]), str(row["generator"])] = dict(row)
    for row in deltas:
        if row["generator"] is not None:
            told = {name: row.get(name) for name in ("delta", "delta_low", "delta_high")}
            place = (str(row["judge"]), str(row["generator"]))
            merged[place] = merged.get(place, {}) | told | {"scores": row["n"]}
    made = [_cell(place, row, known, kinds) for place, row in merged.items()]
    frame = pd.DataFrame.from_records(made, columns=COLUMNS)
    frame["value"] = frame["value"].astype(float)
    _put_in_order(frame, "judge", row_order, frame[frame["judge"] == frame["generator"]])
    _put_in_order(frame, "generator", column_order, frame)
    frame = frame[(frame["judge_order"] < most) & (frame["generator_order"] < most)].reset_index(drop=True)
    frame["ink"] = _ink(frame["value"].to_numpy(dtype=float), known.diverging)
    return frame.sort_values(["judge_order", "generator_order"], kind="stable", ignore_index=True)


COLUMNS = [
    *("judge", "generator", "judge_family", "generator_family", "relation"),
    *("value", "label", "words", "over", "under", "delta", "small"),
]


def _cell(place: tuple[str, str], row: Row, shade: Shade, families: Families) -> tuple[Any, ...]:
    judge, generator = place
    told = number(row, shade.field)
    mine, its = families.get(judge), families.get(generator)
    relation = row.get("relation")
    if relation is None:
        relation = "self" if judge == generator else "family" if mine is not None and mine == its else "other"
    label = "–" if np.isnan(told[0]) else f"{told[0]:+.1f}" if shade.diverging else f"{100 * told[0]:.0f}"
    return (
        *(judge, generator, mine or "", its or "", relation),
        *(told[0], label, words(told, shade.form)),
        _share_of(row, "over", "n", "rate"),
        _share_of(row, "under", "under_n", "under_rate"),
        words(number(row, "delta"), "points"),
        (row.get(shade.n) or 0) < FEW,
    )


def _share_of(row: Row, hits: str, trials: str, rate: str) -> str:
    """Return `94 of 99: 94.9% [90.8%, 98.9%]`."""
    if row.get(hits) is None:
        return "–"
    return f"{row[hits]:,} of {row[trials]:,}: {words(number(row, rate), 'share')}"


def _put_in_order(frame: pd.DataFrame, who: str, order: Order, valued: pd.DataFrame) -> None:
    """Write the place of each judge or generator; what has no value comes last."""
    names = list(dict.fromkeys(frame[who]))
    if order == "family":
        of = dict(zip(frame[who], frame[f"{who}_family"], strict=True))
        first = {family: place for place, family in reversed(list(enumerate(of[name] for name in names)))}
        names.sort(key=lambda name: first[of[name]])
    elif order == "value":
        mean = valued.groupby(who, sort=False)["value"].mean().to_dict()
        names.sort(key=lambda name: -value if (value := mean.get(name, np.nan)) == value else np.inf)
    frame[f"{who}_order"] = frame[who].map({name: place for place, name in enumerate(names)}).astype(int)


def ends(values: Any, diverging: bool) -> tuple[float, float]:
    """Return the ends of the colours: symmetric around nothing, or the lowest and highest there is."""
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    if diverging:
        most = float(np.abs(known).max(initial=0.0)) or 1.0
        return -most, most
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    return (low, high) if low < high else (min(low, 0.0), max(high, 1.0))


def _ink(values: Any, diverging: bool) -> Any:
    """Return the colour in which each cell is written."""
    low, high = ends(values, diverging)
    with np.errstate(invalid="ignore"):
        dark = np.abs(values) > 0.72 * high if diverging else values > low + 0.55 * (high - low)
    return np.select([np.isnan(values), dark], [NEUTRAL, CELL], INK)
