"""All formats of `spb import`, each declared in the module that reads it; other packages add theirs here.

A package adds one with an entry point of the group `spb.importers`, named as the format is, whose value is a
`Format`, or a `WholeFormat`:

    [project.entry-points."spb.importers"]
    my-tool = "my_package.my_tool:FORMAT"

A format's own name comes first: none of a package can take the place of one that is here.
"""

from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points

from engine.errors import SpbError, UsageError, unknown
from engine.importers import (
    alpaca_eval,
    biggen,
    chatbot_arena,
    council,
    deepeval,
    exchange,
    healthbench,
    inspect_ai,
    judgebench,
    judging_the_judges,
    langfuse,
    langsmith,
    llm_comparator,
    lm_eval,
    lmsys,
    medical_self_preference,
    mlflow,
    openai_evals,
    pandalm,
    phoenix,
    promptfoo,
    ragas,
    rewardbench,
    score_rubrics,
    table,
    wildbench,
)
from engine.importers.reading.format import Format, WholeFormat

GROUP = "spb.importers"
"""The entry points by which other packages add formats."""

AUTO = "auto"
"""Stands for the format that a file is found to be of."""

BY_ROWS: tuple[Format, ...] = (
    alpaca_eval.FORMAT,
    lmsys.MT_BENCH,
    lmsys.ARENA_HARD,
    healthbench.FORMAT,
    inspect_ai.FORMAT,
    promptfoo.FORMAT,
    lm_eval.FORMAT,
    llm_comparator.FORMAT,
    chatbot_arena.FORMAT,
    council.FORMAT,
    medical_self_preference.FORMAT,
    judging_the_judges.FORMAT,
    wildbench.FORMAT,
    biggen.FORMAT,
    rewardbench.FORMAT,
    judgebench.FORMAT,
    openai_evals.FORMAT,
    deepeval.FORMAT,
    ragas.FORMAT,
    mlflow.FORMAT,
    langfuse.FORMAT,
    langsmith.FORMAT,
    phoenix.FORMAT,
    table.FORMAT,
)
"""The formats of other tools, which are read row by row with a report of what became of what."""

AS_A_WHOLE: tuple[WholeFormat, ...] = (
    exchange.FORMAT,
    score_rubrics.PROMETHEUS,
    score_rubrics.HANNA,
    pandalm.FORMAT,
)
"""The formats that are read as a whole: each row is right, or the file is refused."""

Importer = Format | WholeFormat
_BUILT_IN: dict[str, Importer] = {one.name: one for one in AS_A_WHOLE} | {one.name: one for one in BY_ROWS}


def names() -> tuple[str, ...]:
    """Return the names of all formats: those here, then those of other packages, which are not loaded."""
    return (*_BUILT_IN, *(point.name for point in _added()))


def row_formats() -> tuple[str, ...]:
    """Return the names of the formats that are read row by row, those of other packages last.

    One of another package that cannot be loaded is left out.
    """
    return (*(one.name for one in BY_ROWS), *(one.name for one in added_formats()))


def importer(name: str) -> Importer:
    """Return the format of that name; UsageError where there is none, or its package cannot be loaded."""
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    point = next((point for point in _added() if point.name == name), None)
    if point is None:
        raise unknown("format", name, (AUTO, *names()))
    return _loaded(point)


def row_format(name: str) -> Format:
    """Return the format of that name, which is read row by row; UsageError where it is none of those."""
    form = importer(name)
    if not isinstance(form, Format):
        raise unknown("format that is read row by row", name, row_formats())
    return form


def added_formats() -> Iterator[Format]:
    """Yield the formats of other packages that are read row by row and can be loaded."""
    for point in _added():
        try:
            form = _loaded(point)
        except SpbError:
            continue
        if isinstance(form, Format):
            yield form


def _added() -> list[EntryPoint]:
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return [point for point in points if point.name not in _BUILT_IN]


def _loaded(point: EntryPoint) -> Importer:
    package = point.dist.name if point.dist else point.value
    try:
        form = point.load()
    except Exception as error:
        raise UsageError(
            f"the format {point.name!r} of the package {package} cannot be loaded "
            f"({type(error).__name__}: {error}); update that package, or remove it"
        ) from error
    if not isinstance(form, Format | WholeFormat) or form.name != point.name:
        raise UsageError(
            f"{point.value!r} of the package {package} is not a format named {point.name!r}; update that "
            "package, or remove it"
        )
    return form
