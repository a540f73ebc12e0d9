"""`spb run example STUDY` prints a configuration to save and adapt."""

from typing import Annotated

import typer

from engine.cli.options import AnyStudyArgument, StoreOption, split_names
from engine.cli.output import say

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

    In it, models judge the answers of a stored study: with STUDY, as that was judged. `spb run -h` shows a
    shorter one, and `docs/run-options.md` has every field.
    """
    from engine.collect.example_configuration import example_configuration, needs_price
    from engine.collect.implied_settings import StoredStudy
    from engine.store import Store

    studies = Store(store)
    if study is None and len(names := studies.studies()) == 1:
        (study,) = names
    stored = None if study is None else StoredStudy(studies.open(study))
    judges = split_names(judge or ())
    for line in example_configuration(study or "NAME", stored, judges).splitlines():
        say(line, result=True)
    if stored is not None and not stored.has_answers:
        say(
            f"the study {study!r} has no texts of answers, which judges read: import it again with --map "
            "response=COLUMN, or fill in the lines of your own questions"
        )
    for model in filter(needs_price, judges):
        say(f"no price is known of {model}, and without it no cap can be kept: fill in its line price")
