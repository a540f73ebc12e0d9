"""`spb metrics MEASURE`: one command for each entry of the catalogue, its flags made from `Slice`."""

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from engine.cli.options import StoreOption, StudyOption, say
from engine.measures.catalogue import MEASURES, Measure, Option
from engine.slices import FLAGS, GROUPINGS

if TYPE_CHECKING:
    from engine.measures.result import Result

app = typer.Typer(help="Take a measure of a study.", no_args_is_help=True, rich_markup_mode=None)

_TYPES: dict[str, Any] = {
    "names": list[str] | None,
    "numbers": list[str] | None,
    "name": str | None,
    "range": str | None,
    "number": float | None,
    "integer": int | None,
    "switch": bool,
}
_METAVARS = {"names": "NAMES", "numbers": "NUMBERS", "range": "LOW:HIGH", "name": "NAME"}

FormatOption = Annotated[
    Literal["table", "json", "csv"], typer.Option("--format", help="How the rows are printed.")
]


def parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """Return one parameter of a command, given by name."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _flag(name: str, kind: str, meaning: str, choices: tuple[str, ...], default: Any) -> inspect.Parameter:
    text = meaning + (f"; one of {', '.join(choices)}" if choices else "")
    text += f" (else {default})" if default not in (None, (), False) else ""
    metavar = None if kind in ("switch", "number", "integer") else _METAVARS[kind]
    option = typer.Option(f"--{name.replace('_', '-')}", help=text, metavar=metavar, show_default=False)
    return parameter(name, Annotated[_TYPES[kind], option], False if kind == "switch" else None)


def _parameters(measure: Measure) -> list[inspect.Parameter]:
    """Return the parameters of a measure's command: where, the slice, its own options, the output."""
    own = [_of_option(option) for option in measure.options]
    groups = GROUPINGS if measure.sliced else measure.groups
    by = typer.Option("--by", metavar="COLUMN", help=f"Group by one of {', '.join(groups) or '(none)'}.")
    against = typer.Option(
        "--against", metavar="FILTERS", help="Compare with a slice: axis=accuracy;polarity=negative."
    )
    common = typer.Option("--common", help="Keep only responses counted in all the sets compared.")
    resamples = typer.Option("--resamples", min=0, help="Bootstrap resamples; 0: no intervals.")
    interval = typer.Option("--interval", help="percentile, or expanded: wider where cases are few.")
    intervals = [parameter("interval", Annotated[str, interval], "percentile")] if measure.sliced else []
    return [
        *of_a_slice(),
        *own,
        parameter("by", Annotated[str | None, by], None),
        parameter("against", Annotated[str | None, against], None),
        parameter("common", Annotated[bool, common], False),
        parameter("resamples", Annotated[int, resamples], 1000),
        parameter("seed", Annotated[int, typer.Option("--seed", min=0, help="Seed of the resamples.")], 0),
        *intervals,
        parameter("format", FormatOption, "table"),
    ]


def of_a_slice() -> list[inspect.Parameter]:
    """Return the parameters that say which slice of which study is meant."""
    saved = typer.Option(
        "--slice",
        metavar="NAME",
        help="A slice saved with the study; other flags refine it.",
        show_default=False,
    )
    flags = [
        _flag(
            flag.name, flag.metadata["kind"], flag.metadata["meaning"], flag.metadata["choices"], flag.default
        )
        for flag in FLAGS
    ]
    return [
        parameter("study", StudyOption, inspect.Parameter.empty),
        parameter("store", StoreOption, None),
        parameter("slice", Annotated[str | None, saved], None),
        *flags,
    ]


def _of_option(option: Option) -> inspect.Parameter:
    return _flag(option.name, option.kind, option.meaning, option.choices, option.default)


def _command(measure: Measure) -> Callable[..., None]:
    def run(**asked: Any) -> None:
        _take(measure, **asked)

    run.__doc__ = f"{measure.question}\n\n{measure.formula} ({measure.paper})."
    run.__signature__ = inspect.Signature(_parameters(measure))  # type: ignore[attr-defined]
    return run


def _take(measure: Measure, *, study: str, store: str | None, format: str, **asked: Any) -> None:  # noqa: A002
    from engine.store import Store
    from engine.study import Study

    print_result(Study(Store(store).open(study)).result(measure.name, **given_of(asked)), format)


def given_of(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the flags that were given, the items of repeated ones apart."""
    return {name: _listed(value) for name, value in asked.items() if value is not None}


def print_result(result: "Result", format: str) -> None:  # noqa: A002
    """Print rows to standard output as `--format` asks, and why there are none to standard error."""
    if format == "json":
        print(result.json())
    elif format == "csv":
        print(result.csv(), end="")
    else:
        from engine.cli.tables import print_table

        print_table(result)
    if result.reason:
        say(result.reason)


def _listed(value: Any) -> Any:
    """Split the items of a repeated flag at commas."""
    if not isinstance(value, list):
        return value
    return [part.strip() for item in value for part in item.split(",") if part.strip()]


for _measure in MEASURES.values():
    app.command(_measure.name)(_command(_measure))
