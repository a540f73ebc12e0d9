"""What an editor shows of the method of a measure."""

import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from engine.measures.entry import Measure
from engine.measures.reading import COLUMNS, MOST, SHARED_ARGUMENTS
from engine.slices import FLAGS


def method_name(measure: Measure) -> str:
    return measure.name.replace("-", "_")


def arguments_of(measure: Measure) -> dict[str, Any]:
    """Return the keyword arguments that a measure takes, with their defaults, its own first."""
    grouped = {"by": None} if measure.sliced or measure.groups else {}
    sliced = {"against": None, **SHARED_ARGUMENTS} if measure.sliced else {"resamples": 1000, "seed": 0}
    filters = {flag.name: flag.default for flag in FLAGS}
    short = {"judge": (), "generator": ()}
    return measure.defaults | grouped | sliced | {"slice": None} | short | filters


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
    extra = measure.row_of_all
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
