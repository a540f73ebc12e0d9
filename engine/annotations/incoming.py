"""Labels in files, as another tool or another store has them: read into a study, and written from a task."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from engine import schema
from engine.annotations.exchange import Exported, join_rows
from engine.cubes.annotations import NO_LABEL, tasks_of
from engine.errors import BadInputError, StoreError, UsageError
from engine.importers.formats import SUFFIXES, TableFile, open_source
from engine.importers.tidy import open_tidy
from engine.store import StudyFiles
from engine.store.checks import Known, TableCheck
from engine.store.collected import exchange_table
from engine.store.sources import Source
from engine.store.types import ARROW

Row = dict[str, Any]

_TABLE = schema.ANNOTATIONS
_FORMATS = "a .csv, .jsonl or .parquet file, or a folder with annotations.csv, .jsonl or .parquet"


def import_labels(files: StudyFiles, path: str | Path) -> Exported:
    """Join the labels of a file or an exchange folder to a study; those of the same key replace the old ones.

    The key is annotator, task, item and round. Verdicts and preferences become references and preferences as
    in an export. Raises BadInputError naming the row and column for what is no label of this study, and then
    changes nothing.
    """
    rows = read_labels(files, path)
    keys = {_key(row) for row in rows}
    kept = [row for row in files.table(_TABLE.name).to_pylist() if _key(row) not in keys]
    models, instances = (_names(files, name) for name in ("models", "instances"))
    tasks_of([*kept, *rows], models, instances)  # a task that is there already may be of another kind
    return join_rows(files, kept, rows)


def read_labels(files: StudyFiles, path: str | Path) -> list[Row]:
    """Return the labels of a file or folder as rows, checked against the study; raises as `import_labels`."""
    known = Known()
    for name in ("models", "instances", "rubrics"):
        known.learn(schema.TABLES[name], files.table(name))
    check = TableCheck(_source(Path(path)), known)
    rows: list[Row] = []
    for columns in check.batches():
        size = len(next(iter(columns.values())))
        lists = {
            column.name: columns[column.name].cast(ARROW[column.kind]).to_pylist()
            if column.name in columns
            else [None] * size
            for column in _TABLE.columns
        }
        rows += [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]
    if not rows:
        raise BadInputError(f"annotations: {str(path)!r} holds no label; give {_FORMATS}")
    later, earlier = check.repeated()
    check.refuse_repeated(later, earlier)
    _check_rubrics(rows)
    tasks_of(rows, *(_names(files, name) for name in ("models", "instances")))
    return rows


def write_labels(rows: Sequence[Row], path: str | Path) -> None:
    """Write rows of the table `annotations` as a file, in the format that its name's ending says.

    Raises UsageError for another ending or a file that is there, StoreError where it cannot be written.
    """
    target = Path(path)
    form = SUFFIXES.get(target.suffix.lower())
    if form is None:
        raise UsageError(f"{str(path)!r} does not say its format; end it in .csv, .jsonl or .parquet")
    if target.exists():
        raise UsageError(f"{str(path)!r} is there already; give another name")
    table = exchange_table(_TABLE.name, list(rows))
    try:
        if form == "parquet":
            pq.write_table(table, target, compression="zstd")
        elif form == "csv":
            pacsv.write_csv(table, target)
        else:
            target.write_text(_json_lines(table), encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{str(path)!r} cannot be written: {error.strerror}; give another name") from error


def _source(path: Path) -> Source:
    if path.is_dir():
        found = open_tidy(path).sources.get(_TABLE.name)
        if found is None:
            raise BadInputError(f"annotations: the folder {str(path)!r} has none; give {_FORMATS}")
        return found
    form = SUFFIXES.get(path.suffix.lower())
    if form is None or not path.is_file():
        raise BadInputError(f"annotations: {str(path)!r} cannot be read; give {_FORMATS}")
    return open_source(form, [TableFile(_TABLE, path, None)])


def _check_rubrics(rows: Sequence[Row]) -> None:
    """Refuse verdicts and scores of no rubric of the study's, which could be no reference."""
    for number, row in enumerate(rows, start=1):
        if row["kind"] in ("rubric_verdict", "score") and row["value"] not in (None, NO_LABEL):
            for column in ("instance_id", "generator", "rubric_id"):
                if row[column] is None:
                    raise BadInputError(
                        f"annotations, row {number}: {column} is missing from a {row['kind']}; "
                        "say what was labelled"
                    )


def _json_lines(table: pa.Table) -> str:
    import json

    rows = ({name: value for name, value in row.items() if value is not None} for row in table.to_pylist())
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _names(files: StudyFiles, table: str) -> list[str]:
    key = schema.TABLES[table].key[0]
    return [str(name) for name in files.table(table, [key])[key].to_pylist()]


def _key(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in _TABLE.key)
