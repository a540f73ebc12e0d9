"""`spb find`: the slices in which a judge's ratio stands apart."""

import inspect
from typing import Annotated, Any

import typer

from engine.cli.metrics import FormatOption, given_of, of_a_slice, parameter, print_result

TopOption = Annotated[
    int | None, typer.Option("--top", min=1, help="Print that many rows, the surest.", show_default=False)
]


def find(**asked: Any) -> None:
    """Find the slices in which a judge's ratio differs from its ratio on all other rubrics.

    All slices of one column and of two are held against the rest of the judge's verdicts; p is adjusted
    over all that were tried. The surest come first.
    """
    from dataclasses import replace

    from engine.store import Store
    from engine.study import Study

    study, store, format = asked.pop("study"), asked.pop("store"), asked.pop("format")  # noqa: A001
    result = Study(Store(store).open(study)).found(**given_of(asked))
    if format == "table":  # what opens a slice is for programs; a reader has it in `where`
        shown = tuple(field for field in result.measure.fields if field.name not in ("filters", "by"))
        result = replace(result, measure=replace(result.measure, fields=shown))
    print_result(result, format)


find.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [*of_a_slice(), parameter("top", TopOption, None), parameter("format", FormatOption, "table")]
)
