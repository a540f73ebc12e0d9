"""`spb glossary`: what the terms mean."""

from typing import Annotated

import typer

from engine.cli.options import say


def glossary(
    term: Annotated[
        str | None, typer.Argument(help="Term to explain, such as family (default: all).")
    ] = None,
) -> None:
    """Explain a term, or all terms, of pages, reports and outputs."""
    from engine.errors import unknown
    from engine.words.glossary import GLOSSARY

    shown = [one for one in GLOSSARY if term is None or one.name.casefold() == term.casefold()]
    if term is not None and not shown:
        raise unknown("term", term, [one.name for one in GLOSSARY])
    for one in shown:
        say(f"{one.name}: {one.meaning}")
