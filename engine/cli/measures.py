"""The commands that compute numbers of a study: metrics, find, power, doctor, committee, check and gates."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from engine.cli.command import VerboseOption, as_command
from engine.cli.exit_codes import NO_ANSWER
from engine.cli.former import is_former
from engine.cli.measure_list import by_question, list_measures
from engine.cli.options import (
    StoreOption,
    StudyArgument,
    open_study,
    parameter,
    split_names,
)
from engine.cli.output import note
from engine.cli.result_tables import print_result
from engine.measures.entry import ROWS, Measure
from engine.phrases import full_stop, sentence_case
from engine.slices import FLAGS, GROUPINGS, Option

# ------------------------------------------------------------------------------
# `spb measure NAME`: one command for each entry of the catalogue, with flags made from `Slice`.


_TYPES: dict[str, Any] = {
    "names": list[str] | None,
    "numbers": list[str] | None,
    "name": str | None,
    "range": str | None,
    "number": float | None,
    "integer": int | None,
    "switch": bool,
}
LIST = "list"
"""The command that lists the measures, beside one for each."""

_METAVARS = {"names": "NAMES", "numbers": "NUMBERS", "range": "LOW:HIGH", "name": "NAME"}

FormatOption = Annotated[Literal["table", "json", "csv"], typer.Option(help="Output format.")]
AllOption = Annotated[
    bool, typer.Option("--all", help="Print every column of the table, under its name in JSON and CSV.")
]
TopOption = Annotated[int | None, typer.Option(min=1, help="Print only this many rows, the clearest first.")]


def _flag(option: Option) -> inspect.Parameter:
    text = sentence_case(option.meaning) + (f"; one of {', '.join(option.choices)}" if option.choices else "")
    default = "" if option.default in (None, (), False) else f" (default: {option.default})"
    flag, metavar = f"--{option.name.replace('_', '-')}", _METAVARS.get(option.kind)
    flags = ("--judge", flag) if option.name == "judges" else (flag,)
    info = typer.Option(*flags, help=full_stop(text + default), metavar=metavar, show_default=False)
    unset = False if option.kind == "switch" else None
    return parameter(option.name, Annotated[_TYPES[option.kind], info], unset)


def _parameters(measure: Measure) -> list[inspect.Parameter]:
    groups = GROUPINGS if measure.sliced else measure.groups
    help_by = f"Group rows by one of {', '.join(groups)}."
    by = typer.Option("--by", metavar="COLUMN", hidden=not groups, help=help_by)
    help_against = 'Compare with another slice, such as "axis=accuracy;polarity=negative".'
    against = typer.Option("--against", metavar="FILTERS", hidden=not measure.sliced, help=help_against)
    help_common = "Keep only answers counted in all slices compared."
    common = typer.Option("--common", hidden=not measure.sliced, help=help_common)
    resamples = typer.Option("--resamples", min=0, help="Number of bootstrap resamples; 0 for no intervals.")
    help_interval = "Interval method: expanded (wider if cases are few) or percentile."
    interval = typer.Option("--interval", help=help_interval)
    intervals = [parameter("interval", Annotated[str, interval], "expanded")] if measure.sliced else []
    return [
        *slice_parameters(),
        *map(_flag, measure.options),
        parameter("by", Annotated[str | None, by], None),
        parameter("against", Annotated[str | None, against], None),
        parameter("common", Annotated[bool, common], False),
        parameter("resamples", Annotated[int, resamples], 1000),
        parameter("seed", Annotated[int, typer.Option("--seed", min=0, help="Seed of the bootstrap.")], 0),
        *intervals,
        *_output_parameters(),
    ]


def _output_parameters() -> list[inspect.Parameter]:
    """Return the parameters that say how rows are printed."""
    return [
        parameter("every", AllOption, False),
        parameter("format", FormatOption, "table"),
        parameter("verbose", VerboseOption, False),
    ]


def slice_parameters() -> list[inspect.Parameter]:
    """Return the parameters that select a slice of a study."""
    slice_option = typer.Option(
        "--slice", metavar="NAME", help="Saved slice of the study; other flags refine it.", show_default=False
    )
    return [
        parameter("study", StudyArgument, inspect.Parameter.empty),
        parameter("store", StoreOption, None),
        parameter("slice", Annotated[str | None, slice_option], None),
        *map(_flag, FLAGS),
    ]


def _command(measure: Measure) -> Callable[..., None]:
    def run(
        *,
        study: str,
        store: str | None,
        format: str,  # noqa: A002
        every: bool,
        verbose: bool,
        **options: Any,
    ) -> None:
        _note_successor(measure)
        result = open_study(store, study).result(measure, **given_flags(options))
        print_result(result, format, every=every, verbose=verbose)
        if not result.rows and format != "json" and not is_former():
            raise typer.Exit(NO_ANSWER)

    source = measure.paper.removeprefix("none; ")
    run.__doc__ = f"{measure.question}\n\n{measure.formula} ({source})."
    run.__signature__ = inspect.Signature(_parameters(measure))  # type: ignore[attr-defined]
    return run


def _note_successor(measure: Measure) -> None:
    """Note that a measure is called by a former name, and the present way to its rows."""
    if measure.part_of is not None:
        name, rows = measure.part_of
        note(f"note: spb measure {measure.name} is now spb measure {name} --{ROWS} {rows}")


def given_flags(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given flags, with lists split into their items."""
    flags = {name: value for name, value in options.items() if value is not None}
    return {name: split_names(value) if isinstance(value, list) else value for name, value in flags.items()}


def measure_commands(*names: str) -> typer.Typer:
    """Return an application with a command for each of these measures, or for all."""
    from engine.measures.catalogue import MEASURES

    commands = typer.Typer(rich_markup_mode=None, add_completion=False)
    for measure in (MEASURES[name] for name in names or MEASURES):
        commands.command(measure.name, short_help=measure.title)(as_command(_command(measure)))
    return commands


class MeasureGroup(TyperGroup):
    """The commands of the catalogue, which is loaded only when needed, since it imports NumPy."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # noqa: ARG002
        return [*(measure.name for _, measures in by_question() for measure in measures), LIST]

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]  # noqa: ARG002
        """Return the command of one measure; for an unknown name, load all, so that typer can suggest one."""
        from engine.measures.catalogue import MEASURES

        name = cmd_name.lower().replace("_", "-")
        if name != LIST:
            for each in [name] if name in MEASURES else MEASURES:
                self.commands.setdefault(each, typer.main.get_command(measure_commands(each)))
        return self.commands.get(name)

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]  # noqa: ARG002
        """Write the measures under the questions that they answer."""
        for question, measures in by_question():
            with formatter.section(question):
                formatter.write_dl([(measure.name, measure.title) for measure in measures])
        with formatter.section("All of them"):
            formatter.write_dl([(LIST, "List the measures, by the question that each answers.")])


metrics_app = typer.Typer(
    cls=MeasureGroup, help="Compute a measure of a study.", no_args_is_help=True, rich_markup_mode=None
)


metrics_app.command(LIST)(list_measures)


# ------------------------------------------------------------------------------
# `spb slices`: the slices in which a judge's ratio stands out.


def find(**options: Any) -> None:
    """Find the slices in which a judge's ratio stands out.

    Every slice by one column or by two is compared with the rest of the judge's verdicts; p-values are
    adjusted over all slices tested. The clearest slices come first.
    """
    names = ("study", "store", "format", "every", "verbose")
    study, store, format, every, verbose = (options.pop(name) for name in names)  # noqa: A001
    result = open_study(store, study).find_result(**given_flags(options))
    if format == "table":  # for programs only; readers see the slice in `where`
        fields = tuple(field for field in result.measure.fields if field.name not in ("filters", "by"))
        result = replace(result, measure=replace(result.measure, fields=fields))
    print_result(result, format, every=every, verbose=verbose)
    if not result.rows and not is_former():
        raise typer.Exit(NO_ANSWER)


find.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [*slice_parameters(), parameter("top", TopOption, None), *_output_parameters()]
)
