"""What an editor shows of the method of a measure."""

import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from engine.measures.entry import ONE_JUDGE, Measure, Option
from engine.measures.reading import SHARED_ARGUMENTS, first_columns
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
    yield from _wrapped(measure.formula.replace("first row: ", "") if measure.row_of_all else measure.formula)
    yield ""
    yield from _wrapped(" ".join(_on_rows_and_arguments(measure)))
    yield ""
    yield "Columns:"
    meanings = _meanings(measure)
    for name in first_columns(measure):
        yield from _wrapped(f"{name}: {meanings[name]}", "    ")
    if measure.options:
        yield ""
        yield "Options:"
        for option in measure.options:
            yield from _wrapped(f"{option.name}{_choices(option)}: {option.meaning}", "    ")


def _on_rows_and_arguments(measure: Measure) -> Iterator[str]:
    yield "Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each."
    if extra := measure.row_of_all:
        yield f'`attrs["{extra}"]` holds the values of all judges together.'
    if measure.sliced:
        how = "a / b" if measure.compared_as == "ratio" else "a - b"
        yield (
            f"With `against`, a slice to compare with, the columns are `a`, {measure.headline} in the slice, "
            f"`b`, that in the other one, `difference`, which is {how}, and its `low`, `high`, `p` and "
            f"`p_adjusted`{'' if measure.draws else ', which are empty: it cannot be tested'}."
        )
    yield (
        "`help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the "
        "filters; `judge` and `generator` are short for `judges` and `generators`."
    )


def _meanings(measure: Measure) -> dict[str, str]:
    """Return what each column of the measure's frame is; that has no row of all judges."""
    meanings: dict[str, str] = {}
    for field in measure.fields:
        ends = f"end of the 95% interval of {field.name}"
        of_parts = {
            "_low": f"lower {ends}",
            "_high": f"upper {ends}",
            "_p": f"p-value of {field.name}",
            "_p_adjusted": f"p-value of {field.name}, adjusted for the judges tested",
        }
        meanings |= {f"{field.name}{part}": meaning for part, meaning in of_parts.items()}
    meanings |= {field.name: field.meaning for field in measure.fields}
    return meanings | ({ONE_JUDGE.name: ONE_JUDGE.meaning} if measure.row_of_all else {})


def _choices(option: Option) -> str:
    """Return the values that an option takes, in brackets; nothing where it has no list of them."""
    return f" ({', '.join(map(repr, option.choices))})" if option.choices else ""


def _wrapped(text: str, margin: str = "") -> list[str]:
    return textwrap.wrap(text, 100, initial_indent=margin, subsequent_indent=margin + margin)
