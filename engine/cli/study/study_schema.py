"""`spb study schema`: the JSON Schema of the store, an audit or a measure."""

import json
from typing import Annotated, Literal

import typer


def schema(
    of: Annotated[
        str,
        typer.Argument(
            metavar="[store|audit|MEASURE]", help="The store, or the JSON of an audit or a measure."
        ),
    ] = "store",
    format: Annotated[Literal["json"], typer.Option(help="Output format.")] = "json",  # noqa: A002, ARG001
) -> None:
    """Print the JSON Schema of the store, an audit or a measure."""
    from engine.report.formats import json_schema

    print(json.dumps(json_schema(of), indent=1, ensure_ascii=False))
