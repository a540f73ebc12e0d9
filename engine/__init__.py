"""Measure the self-preference of LLM judges.

    import engine

    study = engine.open_study("results/demo-health")  # or the name of a study in the store
    study.judges()  # the conclusion on each judge; study.plot() draws it
    study.hspp(by="axis")  # any measure: eight columns, all with full=True
    engine.from_frame(frame)  # a study from a data frame of judgments

Five layers; each imports only those above it in this list:

1. Tables, the judgments on disk: `schema`, `store`, `importers`, `checkers`; and `stats`, statistics on
   arrays with NumPy and SciPy alone.
2. Arrays, a study in memory: `arrays`, and `slices`, which select a part of it.
3. Numbers: `measures`, the catalogue and its computation; `explore`, from a number to the verdicts behind it.
4. Collecting new rows: `collect` from models, `simulation` from a planted bias, `annotations` from people.
5. Presenting: `words`, `findings`, `charts`, `report`; above them `study`, for notebooks, commands and pages,
   and `cli`, the only part that prints.

The engine never imports the explorer.
"""

from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, ParamSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import Unpack

    from engine import errors as errors
    from engine.importers.frames import FrameColumns
    from engine.measures.entry import Measure as Measure
    from engine.measures.result import Result as Result
    from engine.slices import Slice as Slice
    from engine.study import Study as Study
    from engine.version import __version__ as __version__

PUBLIC = {
    "Study": "engine.study",
    "Slice": "engine.slices",
    "Result": "engine.measures.result",
    "Measure": "engine.measures.entry",
    "errors": "",
    "__version__": "engine.version",
}
"""Public names besides `open_study`, `from_frame` and `audit`, and the module of each."""

__all__ = [
    "Measure",
    "Result",
    "Slice",
    "Study",
    "__version__",
    "audit",
    "errors",
    "from_frame",
    "open_study",
]


def __getattr__(name: str) -> Any:
    """Load a public name: `import engine` alone loads nothing."""
    if name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = PUBLIC[name]
    return getattr(import_module(module), name) if module else import_module(f"engine.{name}")


def __dir__() -> list[str]:
    """Return the public names, for completion."""
    return sorted(__all__)


def open_study(path: "str | Path | None" = None, *, store: "str | Path | None" = None) -> "Study":
    """Open a study, found as the command line finds it.

    `path` is a folder or `s3://` URL, such as `results/demo-health`, or a study's name in `store` (else
    `SPB_STORE`, else `results`), such as `demo-health`. Without it, the study is that of `SPB_STUDY`, or the
    only one of the store. Raises `engine.errors.UsageError` if there is no study.
    """
    from engine.study import Study

    return Study.open(path, store=store)


_P = ParamSpec("_P")


def _frame_alone(function: "Callable[_P, Study]") -> "Callable[_P, Study]":
    """Refuse what is given by place beside the frame, with the argument that it is perhaps meant for."""

    @wraps(function)
    def call(*args: "_P.args", **options: "_P.kwargs") -> "Study":
        if len(args) > 1:
            from engine.errors import UsageError

            raise UsageError(f"from_frame takes the frame alone by place; write name={args[1]!r} for a name")
        return function(*args, **options)

    return call


@_frame_alone
def from_frame(
    frame: object,
    *,
    set: "Mapping[str, object] | None" = None,  # noqa: A002 - as the command's --set
    value: "Mapping[str, Mapping[Any, str]] | None" = None,
    judges: "Sequence[str]" = (),
    criteria: "Sequence[str]" = (),
    families: "Mapping[str, str] | None" = None,
    strict: bool = False,
    name: str = "frame",
    rows: str | None = None,
    guess: bool = True,
    **columns: "Unpack[FrameColumns]",
) -> "Study":
    """Return a frame of judgments as a study in memory; nothing is written.

    `frame` comes from pandas, Polars or any library whose frames have `__arrow_c_stream__` or
    `__dataframe__`, with one judgment per row. `columns` map the columns below to those of the frame
    (`judge="rater", met="verdict"`), or to a path into an object (`scores.judge`); a column not listed is
    read from the frame's column of the same name. `set` gives values that are the same in all rows
    (`set={"judge": "gpt-4o"}`), `value` the meaning of values (`value={"choice": {0: "first", 1:
    "second"}}`), `judges` the columns of a wide frame that each hold one judge's verdicts, `criteria` those
    that each hold the verdicts on one criterion, `rows` the column of lists whose members are the judgments,
    `families` the family of models whose names do not show it. A column that is not found so is guessed from
    names and values, with a warning that says so; `guess=False` guesses none. Columns and checks are those of
    `spb import table`.

    A bad row is left out with a warning; with `strict` it raises. Ambiguous values raise an error of
    `engine.errors` that names the column, the values and the remedy.
    """
    from engine.importers.frames import study_of_frame
    from engine.study import Study

    files = study_of_frame(
        frame,
        columns,
        constants=set or {},
        values=value or {},
        judges=judges,
        criteria=criteria,
        families=families or {},
        strict=strict,
        name=name,
        rows=rows,
        guess=guess,
    )
    return Study(files)


def audit(judgments: object, *, date: str | None = None, **arguments: Any) -> Any:
    """Answer what a paper's reader asks of its judges: whether they favour their own, and what it changes.

    `judgments` is a frame, read as `from_frame` reads it with the same arguments, or an open study. Returns
    an `engine.report.audit.audit.Audit`: a notebook shows its answers, `write(folder)` writes the files of
    `spb audit`, `record()` returns all numbers as data. `date` (2026-11-22) is printed, by default today's.
    What cannot be answered is said, with what it would need.
    """
    from engine.errors import UsageError
    from engine.study import Study

    audits = import_module("engine.report.audit.audit")  # the highest layer, which this door stands before
    if not isinstance(judgments, Study):
        return audits.audit_of(from_frame(judgments, **arguments), date=date)
    if arguments:
        raise UsageError(
            f"{next(iter(arguments))}= says how a frame is read, and this is a study; leave it out"
        )
    return audits.audit_of(judgments, date=date)
