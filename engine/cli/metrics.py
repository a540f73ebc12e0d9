"""`spb metrics MEASURE`: one command for each entry of the catalogue, its flags made from `Slice`."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from engine.cli.options import StoreOption, StudyOption, say
from engine.measures.catalogue import MEASURES, Measure, Option
from engine.slices import FLAGS, GROUPINGS

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


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _flag(name: str, kind: str, meaning: str, choices: tuple[str, ...], default: Any) -> inspect.Parameter:
    text = meaning + (f"; one of {', '.join(choices)}" if choices else "")
    text += f" (else {default})" if default not in (None, (), False) else ""
    metavar = None if kind in ("switch", "number", "integer") else _METAVARS[kind]
    option = typer.Option(f"--{name.replace('_', '-')}", help=text, metavar=metavar, show_default=False)
    return _parameter(name, Annotated[_TYPES[kind], option], False if kind == "switch" else None)


def _parameters(measure: Measure) -> list[inspect.Parameter]:
    """Return the parameters of a measure's command: where, the slice, its own options, the output."""
    flags = [
        _flag(
            flag.name, flag.metadata["kind"], flag.metadata["meaning"], flag.metadata["choices"], flag.default
        )
        for flag in FLAGS
    ]
    own = [_of_option(option) for option in measure.options]
    groups = GROUPINGS if measure.sliced else measure.groups
    saved = typer.Option(
        "--slice",
        metavar="NAME",
        help="A slice saved with the study; other flags refine it.",
        show_default=False,
    )
    by = typer.Option("--by", metavar="COLUMN", help=f"Group by one of {', '.join(groups) or '(none)'}.")
    against = typer.Option(
        "--against", metavar="FILTERS", help="Compare with a slice: axis=accuracy;polarity=negative."
    )
    common = typer.Option("--common", help="Keep only responses counted in all the sets compared.")
    resamples = typer.Option("--resamples", min=0, help="Bootstrap resamples; 0: no intervals.")
    interval = typer.Option("--interval", help="percentile, or expanded: wider where cases are few.")
    intervals = [_parameter("interval", Annotated[str, interval], "percentile")] if measure.sliced else []
    return [
        _parameter("study", StudyOption, inspect.Parameter.empty),
        _parameter("store", StoreOption, None),
        _parameter("slice", Annotated[str | None, saved], None),
        *flags,
        *own,
        _parameter("by", Annotated[str | None, by], None),
        _parameter("against", Annotated[str | None, against], None),
        _parameter("common", Annotated[bool, common], False),
        _parameter("resamples", Annotated[int, resamples], 1000),
        _parameter("seed", Annotated[int, typer.Option("--seed", min=0, help="Seed of the resamples.")], 0),
        *intervals,
        _parameter("format", FormatOption, "table"),
    ]


def _of_option(option: Option) -> inspect.Parameter:
    return _flag(option.name, option.kind, option.meaning, option.choices, option.default)


def _command(measure: Measure) -> Callable[..., None]:
    def run(**asked: Any) -> None:
        _take(measure, **asked)

    run.__doc__ = f"{measure.question}\n\n{measure.formula} ({measure.paper}; {measure.section})."
    run.__signature__ = inspect.Signature(_parameters(measure))  # type: ignore[attr-defined]
    return run


def _take(measure: Measure, *, study: str, store: str | None, format: str, **asked: Any) -> None:  # noqa: A002
    from engine.store import Store
    from engine.study import Study

    given = {name: _listed(value) for name, value in asked.items() if value is not None}
    result = Study(Store(store).open(study)).result(measure.name, **given)
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
