"""Labels in files, from other tools or stores: read into a study, and written from a task."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from engine import schema
from engine.annotations.label_rows import ExportCounts, Row, join_rows
from engine.arrays.label_table import NO_LABEL, tasks_of
from engine.errors import BadInputError, StoreError, UsageError, bad_row, nearest
from engine.importers.exchange import SUFFIXES, TableFile, open_source, open_tidy
from engine.phrases import join_names
from engine.plain_words import disk_words
from engine.store.arrow_types import ARROW
from engine.store.batches import Batch, ExchangeTable
from engine.store.checks import KnownKeys, TableCheck
from engine.store.checksums import write_parquet
from engine.store.study_files import StudyFiles
from engine.store.writer import exchange_table

_TABLE = schema.ANNOTATIONS
_annotation_key = itemgetter(*_TABLE.key)
_FORMATS = "a .csv, .jsonl or .parquet file, or a folder with annotations.csv, .jsonl or .parquet"


def import_labels(files: StudyFiles, path: str | Path) -> ExportCounts:
    """Add the labels of a file or an exchange folder to a study, replacing those with the same key.

    The key is annotator, task, item and round. Verdicts and preferences become references and preferences as
    in an export. Raises BadInputError naming the row and column, without changing anything, if a row is not
    a label of this study.
    """
    rows = read_labels(files, path)
    keys = {_annotation_key(row) for row in rows}
    others = [row for row in files.table(_TABLE.name).to_pylist() if _annotation_key(row) not in keys]
    tasks_of([*others, *rows], *_models_and_instances(files))  # an existing task may be of another kind
    _check_items(rows, others)
    return join_rows(files, rows, lambda row: _annotation_key(row) in keys)


def read_labels(files: StudyFiles, path: str | Path) -> list[Row]:
    """Return the labels of a file or folder as rows, checked as in `import_labels`, with its errors."""
    keys = KnownKeys()
    for name in ("models", "instances", "rubrics"):
        keys.add(schema.TABLES[name], files.table(name))
    source = _source(Path(path))
    _check_columns(source)
    check = TableCheck(replace(source, batches=_of_known_columns(source)), keys)
    rows: list[Row] = []
    for columns in check.batches():
        present = [column for column in _TABLE.columns if column.name in columns]
        table = pa.table({column.name: columns[column.name].cast(ARROW[column.kind]) for column in present})
        rows += [dict.fromkeys(_TABLE.names) | row for row in table.to_pylist()]
    if not rows:
        raise BadInputError(f"labels: {str(path)!r} holds no label; give {_FORMATS}")
    check.refuse_repeats(*check.keys.repeats())
    rubric_rows = files.table("rubrics", ["instance_id", "rubric_id"]).to_pylist()
    rubrics = {(row["instance_id"], row["rubric_id"]) for row in rubric_rows}
    for number, row in enumerate(rows, start=1):
        if problem := _subject_problem(row, rubrics):
            raise bad_row(_TABLE.name, number, *problem)
    tasks_of(rows, *_models_and_instances(files))
    return rows


def write_labels(rows: Sequence[Row], path: str | Path) -> None:
    """Write rows of the table `annotations` to a new file, in the format of its ending."""
    target = Path(path)
    form = SUFFIXES.get(target.suffix.lower())
    if form is None:
        raise UsageError(f"{str(path)!r} has no known file ending; use .csv, .jsonl or .parquet")
    if target.exists():
        raise UsageError(f"{str(path)!r} exists already; choose another name")
    table = exchange_table(_TABLE.name, list(rows))
    try:
        if form == "parquet":
            write_parquet(table, target)
        elif form == "csv":
            pacsv.write_csv(table, target)
        else:
            present = ({name: v for name, v in row.items() if v is not None} for row in table.to_pylist())
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in present)
            target.write_text(lines, encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"{str(path)!r} cannot be written: {disk_words(error, 'choose another name')}"
        ) from error


def _source(path: Path) -> ExchangeTable:
    if path.is_dir():
        source = open_tidy(path).sources.get(_TABLE.name)
        if source is None:
            raise BadInputError(f"labels: the folder {str(path)!r} has none; give {_FORMATS}")
        return source
    form = SUFFIXES.get(path.suffix.lower())
    if form is None or not path.is_file():
        raise BadInputError(f"labels: {str(path)!r} cannot be read; give {_FORMATS}")
    return open_source(form, [TableFile(_TABLE, path, None)])


_NEEDED = ("annotator", "task", "item", "kind", "value")
_WORDS = {
    **dict.fromkeys(("label", "verdict", "answer", "rating", "vote", "choice"), "value"),
    **dict.fromkeys(("labeller", "labeler", "person", "rater", "worker", "user"), "annotator"),
    **dict.fromkeys(("question", "question_id", "prompt_id"), "instance_id"),
    **dict.fromkeys(("model", "author", "model_a"), "generator"),
    **dict.fromkeys(("criterion", "criterion_id"), "rubric_id"),
    **dict.fromkeys(("model_b", "other"), "opponent"),
}
"""What others call the columns of labels."""


def _check_columns(source: ExchangeTable) -> None:
    """Raise BadInputError for columns that no label has, since a label in one of them would be lost.

    A row without a value withdraws its label; so a file whose column of values has another name is no file of
    labels. The error names what is missing too.
    """
    missing = [name for name in _NEEDED if source.columns is not None and name not in source.columns]
    lacks = f"missing {_columns(missing)}" if missing else ""
    if not source.ignored:
        if lacks:
            meanings = "; ".join(f"{name}: {_TABLE.column(name).meaning}" for name in missing)
            raise bad_row(_TABLE.name, None, lacks, f"add what is missing ({meanings})")
        return
    near = {name: nearest(name, _TABLE.names, _WORDS) for name in source.ignored}
    hints = [f"{name!r} is perhaps {close!r}" for name, close in near.items() if close is not None]
    problem = "; ".join(filter(None, [f"unknown {_columns([*source.ignored])}", *hints, lacks]))
    columns = ", ".join(_TABLE.names)
    raise bad_row(_TABLE.name, None, problem, f"rename or remove what is unknown; the columns are {columns}")


def _of_known_columns(source: ExchangeTable) -> Iterator[Batch]:
    """Yield the batches; of JSON Lines the rows read so far show the columns."""
    for batch in source.batches:
        _check_columns(source)
        yield batch


def _columns(names: Sequence[str]) -> str:
    return f"column{'s' if len(names) > 1 else ''} {join_names([*map(repr, names)])}"


_OF_RUBRICS = ("rubric_verdict", "score")
_OF_PAIRS = ("equal_pair", "preference")


def _subject_problem(row: Row, rubrics: set[tuple[str, str]]) -> tuple[str, str] | None:
    """Return why a label cannot become a reference, not saying what it is about, and the remedy."""
    kind = row["kind"]
    columns: tuple[str, ...] = ()
    of_rubric = kind in _OF_RUBRICS and row["value"] not in (None, NO_LABEL)
    if of_rubric:
        columns = ("instance_id", "generator", "rubric_id")
    elif kind == "preference" and (row["generator"] or row["opponent"]):
        columns = ("instance_id", "generator", "opponent")
    for column in columns:
        if row[column] is None:
            return f"{column} is missing from a {kind}", "say what was labelled"
    if of_rubric and (row["instance_id"], row["rubric_id"]) not in rubrics:
        problem = f"rubric_id is {row['rubric_id']!r}, which question {row['instance_id']!r} does not have"
        return problem, "add it to `rubrics` or correct it"
    if kind in _OF_PAIRS and row["generator"] is not None and row["generator"] == row["opponent"]:
        problem = f"opponent is {row['opponent']!r}, which is the `generator` itself"
        return problem, "name the two models of the pair"
    return None


def _check_items(rows: Sequence[Row], others: Sequence[Row]) -> None:
    subjects = {(row["task"], row["item"]): _subject(row) for row in others if row["value"] is not None}
    for number, row in enumerate(rows, start=1):
        if row["value"] is None:
            continue
        if subjects.setdefault((row["task"], row["item"]), _subject(row)) != _subject(row):
            raise bad_row(
                _TABLE.name,
                number,
                f"item {row['item']!r} of task {row['task']!r} is about something else than in another row",
                "give each question, pair and criterion an item of its own, the same for everybody",
            )


def _subject(row: Row) -> tuple[Any, ...]:
    if row["kind"] == "clusters":
        return (row["instance_id"],)
    return row["instance_id"], row["rubric_id"], frozenset((row["generator"], row["opponent"]))


def _models_and_instances(files: StudyFiles) -> tuple[list[str], list[str]]:
    models, instances = files.table("models", ["model"]), files.table("instances", ["instance_id"])
    return models["model"].to_pylist(), instances["instance_id"].to_pylist()
