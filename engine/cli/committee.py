"""`spb committee`: the majority of several judges, written as a reference."""

from typing import Annotated

import typer

from engine.cli.options import StoreOption, StudyOption, say


def committee(
    study: StudyOption,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The committee's name.")],
    members: Annotated[list[str], typer.Option("--members", metavar="NAMES", help="Its judges.")],
    store: StoreOption = None,
    paradigm: Annotated[
        str | None,
        typer.Option("--paradigm", help="The verdicts they vote with (else the first rubric paradigm)."),
    ] = None,
    variant: Annotated[str, typer.Option("--variant", help="Their prompt template.")] = "default",
) -> None:
    """Write the majority of some judges as the reference `committee:NAME`, and remember its members."""
    from engine.committees import write_committee
    from engine.store import Store

    names = [part.strip() for item in members for part in item.split(",") if part.strip()]
    written = write_committee(Store(store).open(study), name, names, paradigm, variant)
    say(f"committee:{name}: {written.decided:,} verdicts, {written.divided:,} ties without one")
