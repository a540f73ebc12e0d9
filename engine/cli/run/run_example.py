"""`spb run example STUDY` prints a configuration to save and adapt."""

from typing import Annotated

import typer

from engine.cli.options import AnyStudyArgument, StoreOption, split_names
from engine.cli.output import say
from engine.errors import UsageError
from engine.phrases import join_names

_Judges = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        "--judges",
        metavar="NAMES",
        help="Models that judge, as litellm knows them, such as openai/gpt-4o-mini.",
    ),
]


def example(study: AnyStudyArgument = None, judge: _Judges = None, store: StoreOption = None) -> None:
    """Print a configuration with comments, to save and adapt.

    In it, models judge the answers of a stored study: with STUDY, as that was judged, if it has the texts
    for that. `spb run -h` shows a
    shorter one, and `docs/run-options.md` has every field.
    """
    from engine.collect.configuration.implied_settings import StoredStudy
    from engine.collect.plan.example_configuration import example_configuration, needs_price
    from engine.store import Store

    studies = Store(store)
    if study is None and len(names := studies.studies()) == 1:
        (study,) = names
    stored = None if study is None else StoredStudy(studies.open(study))
    judges = split_names(judge or ())
    if stored is not None and (fields := stored.fields_without_texts):
        maps = " ".join(f"--map {field}=COLUMN" for field in fields)
        raise UsageError(
            f"no run can judge the study {study!r}, as it has no {join_names(list(fields.values()))}, which "
            f"judges read: import it again with {maps}, or judge questions of your own by `spb try`"
        )
    for line in example_configuration(study or "NAME", stored, judges).splitlines():
        say(line, result=True)
    for model in filter(needs_price, judges):
        say(f"no price is known of {model}, and without it no cap can be kept: fill in its line price")
