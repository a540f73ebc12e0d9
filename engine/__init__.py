"""Measure the self-preference of LLM judges.

    import engine

    study = engine.open_study("results/demo-health")  # or the name of a study in the store
    study.judges()  # the conclusion on each judge; study.plot() draws it
    study.hspp(by="axis")  # any measure: the columns to read first, all with full=True
    engine.explain("few_instances")  # what a code, a column or a measure means
    engine.from_frame(frame)  # a study from a data frame of judgments; study.save("mine") stores it
    engine.import_file("verdicts.csv")  # a study from a file, stored; engine.studies() lists them

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

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Unpack

import engine  # itself: what annotations name is loaded once they are read

if TYPE_CHECKING:
    from engine import errors as errors
    from engine.importers.frames import FrameColumns as FrameColumns
    from engine.measures.entry import Measure as Measure
    from engine.measures.result import Result as Result
    from engine.report.audit.audit import Audit as Audit
    from engine.slices import Slice as Slice
    from engine.study import Study as Study
    from engine.version import __version__ as __version__

PUBLIC = {
    "Study": "engine.study",
    "Slice": "engine.slices",
    "Result": "engine.measures.result",
    "Measure": "engine.measures.entry",
    "Audit": "engine.report.audit.audit",
    "FrameColumns": "engine.importers.frames",
    "errors": "",
    "__version__": "engine.version",
}
"""Public names besides the functions here, and the module of each."""

__all__ = [
    "Audit",
    "FrameColumns",
    "Measure",
    "Result",
    "Slice",
    "Study",
    "__version__",
    "audit",
    "errors",
    "explain",
    "from_frame",
    "import_file",
    "open_study",
    "studies",
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


def open_study(path: str | Path | None = None, *, store: str | Path | None = None) -> "engine.Study":
    """Open a study, found as the command line finds it.

    `path` is a folder or `s3://` URL, such as `results/demo-health`, or a study's name in `store` (else
    `SPB_STORE`, else `results`), such as `demo-health`. Without it, the study is that of `SPB_STUDY`, or the
    only one of the store. Raises `engine.errors.UsageError` if there is no study.
    """
    from engine.study import Study

    return Study.open(path, store=store)


def studies(store: str | Path | None = None) -> list[str]:
    """Return the names of the stored studies.

        engine.studies()  # ["demo-health", "mine"]
        engine.open_study("mine")

    `store` is a folder or `s3://` URL, by default SPB_STORE, else `results`.
    """
    from engine.errors import python_words
    from engine.store import Store

    with python_words():
        return Store(store).studies()


_P = ParamSpec("_P")


def _first_alone(function: "Callable[_P, engine.Study]") -> "Callable[_P, engine.Study]":
    """Refuse what is given by place beside the frame or file, with the argument that it may be meant for."""

    @wraps(function)
    def call(*args: "_P.args", **options: "_P.kwargs") -> "engine.Study":
        if len(args) > 1:
            from engine.errors import UsageError

            first, name = ("frame", "name") if function.__name__ == "from_frame" else ("path", "study")
            alone = f"{function.__name__} takes the {first} alone by place"
            raise UsageError(f"{alone}; write {name}={args[1]!r} for a name")
        return function(*args, **options)

    return call


@_first_alone
def from_frame(
    frame: object,
    *,
    set: Mapping[str, object] | None = None,  # noqa: A002 - as the command's --set
    value: Mapping[str, Mapping[Any, str | float | None]] | None = None,
    judges: Sequence[str] = (),
    criteria: Sequence[str] = (),
    families: Mapping[str, str] | None = None,
    strict: bool = False,
    name: str = "frame",
    rows: str | None = None,
    guess: bool = True,
    **columns: "Unpack[engine.FrameColumns]",
) -> "engine.Study":
    """Return a frame of judgments as a study in memory; nothing is written (`study.save("mine")` does).

        engine.from_frame(frame, judge="rater", generator="model", met="verdict", instance_id="question")

    `frame` comes from pandas, Polars or any library whose frames have `__arrow_c_stream__` or
    `__dataframe__`, with one judgment per row. `columns` map the columns below to those of the frame
    (`judge="rater", met="verdict"`), or to a path into an object (`scores.judge`); a column not listed is
    read from the frame's column of the same name. `set` gives values that are the same in all rows
    (`set={"judge": "gpt-4o"}`), `value` the meaning of values (`value={"choice": {0: "first", 1:
    "second"}}`), `judges` the columns of a wide frame that each hold one judge's verdicts, `criteria` those
    that each hold the verdicts on one criterion which is good to meet (of others give the points,
    `value={"points": {"hallucinates": -1}}`), `rows` the column of lists whose members are the judgments,
    `families` the family of models whose names do not show it. A column that is not found so is guessed from
    names and values, with a warning that says so; `guess=False` guesses none. Columns and checks are those
    of `spb import table`.

    A bad row is left out with a warning; with `strict` it raises. Ambiguous values raise an error of
    `engine.errors` that names the column, the values and the remedy.

    Columns:
        judge: the model that judged
        generator: the model that wrote the answer
        opponent: pairs: the model that wrote the other answer
        first: pairs: which was shown first
        choice: pairs: which won
        met: whether the criterion is met
        score: the score, divided by `scale` if that is set
        p_generator: pairs: the probability of choosing `generator`
        paradigm: the paradigm; else the one that the verdict suggests
        variant: the prompt template's name
        run_id: the run of the judgment, such as the night; else import
        status: ok, unparsed, refused or error
        explanation: the judge's reason
        raw: the judge's whole answer
        scale: what a score is divided by: the top of its scale
        instance_id: the question's id; else made from the prompt
        prompt: the question's text
        category: its kind of task
        theme: its topic, or that of the criterion
        language: its language
        segment: a division of your own, such as channel or difficulty
        reference_answer: an answer known to be good
        rubric_id: the criterion's id; else made from the criterion
        criterion: the criterion's text
        points: the criterion's weight
        axis: the quality that the criterion is about
        response: the model's answer
        opponent_response: the opponent's answer
        reference_met: whether the criterion is truly met
        reference_score: the true score
        reference_source: the source of the reference: human:<id>, program or another name; else human
        preference: pairs: which is truly better
        annotator: the person who gave the reference, by any id
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


@_first_alone
def import_file(
    path: str | Path,
    *,
    study: str | None = None,
    store: str | Path | None = None,
    mode: Literal["new", "append", "replace"] = "new",
    run: str | None = None,
    format: str | None = None,  # noqa: A002 - as the command's --as
    set: Mapping[str, object] | None = None,  # noqa: A002 - as the command's --set
    value: Mapping[str, Mapping[Any, str | float | None]] | None = None,
    judges: Sequence[str] = (),
    criteria: Sequence[str] = (),
    families: Mapping[str, str] | None = None,
    strict: bool = False,
    rows: str | None = None,
    guess: bool = True,
    leave_out: Sequence[str] = (),
    whole_ids: bool = False,
    **columns: "Unpack[engine.FrameColumns]",
) -> "engine.Study":
    """Import a file or folder of judgments into a store, as `spb import` does, and return the study.

        engine.import_file("verdicts.csv", study="weeks", judge="rater", met="verdict", run="monday")
        engine.import_file("tuesday.csv", study="weeks", run="tuesday", mode="append")  # the same columns

    `study` is its name, by default the file's, and `store` a folder or `s3://` URL, by default SPB_STORE,
    else `results`. `mode` is "new", which refuses a study that exists, "append" or "replace". `run` names the
    run of all its judgments. `format` is that of another tool (`spb import -h` lists them), by default the
    one that the file shows.

    Of a table, `columns` and the other arguments are those of `from_frame`. A file that does not name a model
    takes it from `set` (`set={"judge": "gpt-4o"}`). `leave_out` names columns, metrics or scorers that are
    not to be read; with `whole_ids` a question's id 1.0 is 1.

    The study is written whole or not at all. A bad row is left out with a warning; with `strict` it raises.
    """
    from engine.errors import python_words
    from engine.importers import file_import
    from engine.study import Study

    with python_words():
        files = file_import.import_file(
            path,
            columns,
            study=study,
            store=store,
            mode=mode,
            run=run,
            form=format,
            families=families or {},
            strict=strict,
            constants=set or {},
            values=value or {},
            judges=judges,
            criteria=criteria,
            rows=rows,
            guess=guess,
            leave_out=leave_out,
            whole_ids=whole_ids,
        )
    return Study(files)


def explain(name: str) -> str:
    """Return what a column, a code such as `few_instances`, a measure, an argument or a term means."""
    from engine.errors import python_words
    from engine.words.explanations import explanation

    with python_words():
        return explanation(name)


def audit(judgments: object, *, date: str | dt.date | None = None, **arguments: Any) -> "engine.Audit":
    """Answer what a paper's reader asks of its judges: whether they favour their own, and what it changes.

        engine.audit("demo-health").write("audit")

    `judgments` is a frame, read as `from_frame` reads it with the same arguments, an open study, or the name
    or folder of one. Returns an `engine.report.audit.audit.Audit`: a notebook shows its answers,
    `write(folder)` writes the files of `spb audit`, `record()` returns all numbers as data. `date`
    (2026-11-22) is printed, by default today's. What cannot be answered is said, with what it would need.
    """
    from engine.errors import UsageError
    from engine.report.audit.audit import audit_of
    from engine.study import Study

    if isinstance(judgments, str | Path):
        if Path(judgments).is_file():
            call = f"audit(engine.import_file({str(judgments)!r}))"
            raise UsageError(f"{str(judgments)!r} is a file, and an audit is of a study; write {call}")
        judgments = open_study(judgments)
    if not isinstance(judgments, Study):
        return audit_of(from_frame(judgments, **arguments), date=date)
    if arguments:
        raise UsageError(
            f"{next(iter(arguments))}= says how a frame is read, and this is a study; leave it out"
        )
    return audit_of(judgments, date=date)
