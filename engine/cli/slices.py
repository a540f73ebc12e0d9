"""`spb slices`: the slices in which a judge's ratio stands out."""

import inspect
from dataclasses import replace
from typing import Annotated, Any

import typer

from engine.cli.exit_codes import NO_ANSWER
from engine.cli.former import is_former
from engine.cli.options import open_study, parameter
from engine.cli.result_tables import print_result
from engine.cli.slice_flags import given_flags, output_parameters, slice_parameters

TopOption = Annotated[int | None, typer.Option(min=1, help="Print only this many rows, the clearest first.")]


def find(**options: Any) -> None:
    """Find the slices in which a judge's ratio stands out.

    Every slice by one column or by two is compared with the rest of the judge's verdicts; p-values are
    adjusted over all slices tested. Those that stand out come first, and are marked, the clearest of them at
    the top. Of two slices that are each other's rest, such as positive and negative criteria, the table has
    the one with the higher ratio; JSON and CSV have both.
    """
    from engine.words.based_on import runs_together

    names = ("study", "store", "format", "every", "verbose")
    study, store, format, every, verbose = (options.pop(name) for name in names)  # noqa: A001
    flags = given_flags(options)
    top = flags.pop("top", None) if format == "table" else None  # the sentences are on all of them
    one_study = open_study(store, study)
    result = one_study.find_result(**flags)
    remarks: list[str] = []
    if format == "table":  # filters are for programs; readers see the slice in `where`
        fields = tuple(field for field in result.measure.fields if field.name not in ("filters", "by"))
        remarks = runs_together(one_study, result)
        measure = replace(result.measure, fields=fields)
        result = replace(result, measure=measure, filters={**result.filters, "top": top})
    print_result(result, format, every=every, verbose=verbose, remarks=remarks)
    if not result.rows and not is_former():
        raise typer.Exit(NO_ANSWER)


find.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [*slice_parameters(), parameter("top", TopOption, None), *output_parameters()]
)
