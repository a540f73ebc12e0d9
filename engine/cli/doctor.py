"""`spb doctor`: what can be measured with a study."""

from typing import Annotated

import typer

from engine.cli.options import StoreOption, StudyOption


def doctor(
    study: StudyOption,
    store: StoreOption = None,
    resamples: Annotated[
        int, typer.Option("--resamples", help="Resamples for the intervals' widths; 0: no widths.", min=0)
    ] = 200,
) -> None:
    """Say what can be measured with a study, what is missing for the rest, and who is kin to whom."""
    from engine.doctor import examine
    from engine.errors import printable
    from engine.store import Store
    from engine.study import Study

    for line in examine(Study(Store(store).open(study)), resamples=resamples).lines():
        print(printable(line))
