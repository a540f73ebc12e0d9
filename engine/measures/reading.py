"""A measure's rows as a frame for reading: about eight columns, with the row of all judges apart.

The frames of `Study.hspp` and its like, and the signatures and docstrings by which editors complete them.
"""

import inspect
import textwrap
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from engine.measures.catalogue import MEASURES
from engine.measures.entry import Measure
from engine.measures.result import Result
from engine.slices import FLAGS

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: dict[str, tuple[str, ...]] = {
    "scorecard": (
        *("judge", "conclusion", "own_given", "own_expected", "excess", "excess_low", "excess_high", "n_own"),
        "reason",
    ),
    "expected": (
        *("judge", "own_given", "own_expected", "own_expected_low", "own_expected_high"),
        *("excess", "excess_low", "excess_high", "n_own"),
    ),
    "hspp": (
        *("judge", "hspp_self", "hspp_self_low", "hspp_self_high", "hspp_matched", "hspp_family"),
        *("o_self", "o_other", "n_self"),
    ),
    "outside": (
        *("judge", "family", "ratio_outside", "odds_self", "vote_outside", "bonus_outside"),
        *("own_judge", "own_outside", "n_own"),
    ),
    "delta": ("judge", "generator", "delta", "delta_low", "delta_high", "bonus", "leniency", "n"),
    "equal-quality": ("judge", "spb", "spb_low", "spb_high", "pir", "null_pir", "n_pairs", "n_null_pairs"),
    "quality-baseline": (
        *("judge", "opponent", "ilsp_updated", "ilsp_updated_low", "ilsp_updated_high"),
        *("relative_change", "p_adjusted", "n"),
    ),
    "order-effect": (
        *("judge", "variant", "flip_rate", "flip_rate_low", "flip_rate_high"),
        *("first_share", "firm_share", "n_pairs"),
    ),
    "which-judge": (
        *("judge", "advice", "accuracy", "agreement", "excess", "flip_rate", "missing", "cost_per_1000"),
    ),
}
"""The columns of the measures whose first eight fields are not those to read first."""

ALL_JUDGES = {"hspp": "mean", "scorecard": "together"}
"""The measures with a row for all judges, whose judge is null, and its name in `attrs`."""

MOST = 8
"""Columns of a measure that `COLUMNS` does not name."""

_SHARED = {"common": False, "resamples": 1000, "seed": 0, "interval": None}


def columns_to_read(result: Result) -> list[str]:
    """Return the columns to read first: what names a row, the headline and its interval, and so on."""
    measure = result.measure
    fields = COLUMNS.get(measure.name, ()) if "against" not in result.filters else ()
    if not fields:
        by_name = {field.name: field.columns()[:3] if field.interval else [field.name]
                   for field in measure.fields}  # fmt: skip
        first = (*measure.keys, *by_name.get(measure.headline, ()), *(field.name for field in measure.fields))
        fields = tuple(dict.fromkeys(first))[:MOST]
    return [name for name in ("slice", *fields) if name in result.columns]


def frame_to_read(result: Result, *, full: bool = False) -> "pd.DataFrame":
    """Return the rows as a frame of the columns to read, or with `full` of all columns.

    The row of all judges is no row of it: its values are in `attrs["mean"]` or `attrs["together"]`, by slice
    where the rows are grouped, None where there is none.
    """
    frame = result.frame()
    name = ALL_JUDGES.get(result.measure.name)
    if name is not None:
        of_all = [row for row in result.rows if row["judge"] is None]
        values = {row.get("slice"): _defined(row) for row in of_all}
        attrs = frame.attrs | {name: values if result.by else next(iter(values.values()), None)}
        frame = frame[frame["judge"].notna()].reset_index(drop=True)
        frame.attrs = attrs
    return frame if full else frame[columns_to_read(result)]


def _defined(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in row.items() if value is not None and name not in ("slice", "reasons")
    }


# ------------------------------------------------------------------------------
# What an editor shows of the method of a measure.


def method_name(measure: Measure) -> str:
    return measure.name.replace("-", "_")


def arguments_of(measure: Measure) -> dict[str, Any]:
    """Return the keyword arguments that a measure takes, with their defaults, its own first."""
    own = {option.name: option.default for option in measure.options}
    grouped = {"by": None} if measure.sliced or measure.groups else {}
    sliced = {"against": None, **_SHARED} if measure.sliced else {"resamples": 1000, "seed": 0}
    filters = {flag.name: flag.default for flag in FLAGS}
    short = {"judge": (), "generator": ()}
    return own | grouped | sliced | {"slice": None} | short | filters


def signature_of(measure: Measure) -> inspect.Signature:
    """Return the signature of a measure's method."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    names = {"full": False} | arguments_of(measure)
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return inspect.Signature([first, *(inspect.Parameter(name, keyword, default=value)
                                       for name, value in names.items())])  # fmt: skip


def docstring_of(measure: Measure) -> str:
    """Return the docstring of a measure's method: its question, definition, columns and own options."""
    return "\n".join(_lines(measure))


def _lines(measure: Measure) -> Iterator[str]:
    yield measure.question
    yield ""
    yield from _wrapped(measure.formula)
    yield ""
    extra = ALL_JUDGES.get(measure.name)
    apart = f' `attrs["{extra}"]` holds the values of all judges together.' if extra else ""
    yield from _wrapped(
        f"Returns the columns to read first; `full=True` returns all, which `measure({measure.name!r})` "
        f"lists too.{apart} Other arguments select the judgments, as in `engine.Slice`; `judge` and "
        "`generator` are short for `judges` and `generators`."
    )
    yield ""
    yield "Columns:"
    for field in measure.fields:
        if field.name in COLUMNS.get(measure.name, [each.name for each in measure.fields[:MOST]]):
            yield from _wrapped(f"{field.name}: {field.meaning}", "    ")
    if measure.options:
        yield ""
        yield "Options:"
        for option in measure.options:
            yield from _wrapped(f"{option.name}: {option.meaning}", "    ")


def _wrapped(text: str, margin: str = "") -> list[str]:
    return textwrap.wrap(text, 100, initial_indent=margin, subsequent_indent=margin + margin)


# ------------------------------------------------------------------------------
# The measures themselves as a frame.


def frame_of_measures(paradigms: Collection[str | None], *, full: bool = False) -> "pd.DataFrame":
    """Return a row for each measure; `paradigms` are those of the study's judgments."""
    import pandas as pd

    rows = [
        {
            "measure": measure.name,
            "method": method_name(measure),
            "title": measure.title,
            "question": measure.question,
            "headline": measure.headline,
            "chart": measure.has_chart,
            "applies": not set(measure.paradigms).isdisjoint(paradigms),
            "formula": measure.formula,
            "paper": measure.paper,
            "left_out": measure.left_out,
        }
        for measure in MEASURES.values()
    ]
    frame = pd.DataFrame(rows)
    return frame if full else frame.drop(columns=["formula", "paper", "left_out"])
