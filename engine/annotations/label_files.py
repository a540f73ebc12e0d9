"""Labels in files, from other tools or stores: read into a study, and written from a task."""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from engine import schema
from engine.annotations.counted_labels import EffectiveLabel
from engine.annotations.database import Database
from engine.annotations.label_columns import (
    OF_PAIRS,
    OF_RUBRICS,
    SUBJECT_OF_KIND,
    TemplateRows,
    check_columns,
    meanings,
)
from engine.annotations.label_rows import (
    HUMAN,
    ExportCounts,
    Row,
    given_label,
    join_rows,
    label_of,
    outdated_items,
)
from engine.annotations.label_templates import SUBJECT, TaskItem, task_items
from engine.annotations.labels import add_labels
from engine.annotations.people import UNNAMED_PERSON
from engine.annotations.sides import LEFT, RIGHT, VERDICTS
from engine.annotations.tasks import FIRST, Place, tasks
from engine.arrays.label_table import ADJUDICATOR, LABELS, NO_LABEL, allowed_labels, tasks_of
from engine.arrays.truths.references import UNNAMED
from engine.errors import BadInputError, StoreError, UsageError
from engine.importers.formats.exchange import SUFFIXES, TableFile, open_source, open_tidy
from engine.importers.person_names import person_cautions, sources_of_truth
from engine.phrases import join_names, quantity
from engine.plain_words import disk_words
from engine.store.arrow_types import ARROW
from engine.store.batches import ExchangeTable, RowPlaces
from engine.store.checks import KnownKeys, TableCheck
from engine.store.checksums import write_parquet
from engine.store.study_files import StudyFiles
from engine.store.writer import exchange_table
from engine.wording import command_line

_TABLE = schema.ANNOTATIONS
_annotation_key = itemgetter(*_TABLE.key)
_FORMATS = "a .csv, .jsonl or .parquet file, or a folder with annotations.csv, .jsonl or .parquet"


@dataclass(frozen=True)
class ImportCounts(ExportCounts):
    """The number of rows written to each table, and where they count.

    `in_tasks` are those in the progress of a task of this store, by task, `elsewhere` those of other tasks.
    `new_people` are those whom the store did not know; `unfilled` rows of a template have no value yet, and
    were left out. `cautions` are on people who may be one, or a model.
    """

    in_tasks: dict[str, int] = field(default_factory=dict)
    elsewhere: int = 0
    new_people: tuple[str, ...] = ()
    unfilled: int = 0
    cautions: tuple[str, ...] = ()


@dataclass(frozen=True)
class LabelFile:
    """The labels of a file; those on items of this store's tasks are in `of_tasks` too, by row.

    `blank` are a template's rows without a value: the item, None if it is for practice or of no task of this
    store, and the person whom the row names.
    """

    rows: list[Row]
    places: RowPlaces
    of_tasks: dict[int, tuple[TaskItem, EffectiveLabel]] = field(default_factory=dict)
    blank: list[tuple[TaskItem | None, str | None]] = field(default_factory=list)

    @property
    def of_study(self) -> list[Row]:
        """The rows that a study takes: all but those of gold items."""
        gold = {place for place, (item, _) in self.of_tasks.items() if item.role != "item"}
        return [row for place, row in enumerate(self.rows) if place not in gold]

    def error(self, row: int, problem: str, remedy: str) -> BadInputError:
        return self.places.error(_TABLE.name, row, problem, remedy)


def import_labels(
    files: StudyFiles, path: str | Path, database: Database | None = None, *, dry_run: bool = False
) -> ImportCounts:
    """Add the labels of a file or an exchange folder to a study, replacing those with the same key.

    The key is annotator, task, item and round. Verdicts and preferences become references and preferences as
    in an export. Labels of a task in `database` are added to it too, and those on texts that have changed
    since only there. Raises BadInputError naming the row and column, without changing anything, if a row is
    not a label of this study. A `dry_run` checks and counts the same, and changes nothing.
    """
    read = read_labels(files, path, database)
    of_tasks = _labels_by_task(read)
    changed = {name: outdated_items(database, name, files) for name in of_tasks} if database else {}
    current = [row for row in read.of_study if row["item"] not in changed.get(row["task"], ())]
    keys = {_annotation_key(row) for row in current}
    others = [row for row in files.table(_TABLE.name).to_pylist() if _annotation_key(row) not in keys]
    _check_kinds(read, others)
    tasks_of([*others, *current], *_models_and_instances(files))
    _check_items(read, others)
    models = set(files.table("models")["model"].to_pylist())
    sources = [HUMAN + str(row["annotator"]) for row in read.rows]
    stored = {*sources_of_truth(files), *(HUMAN + str(row["annotator"]) for row in others)}
    cautions = list(person_cautions(sources, models, stored))
    new_people: dict[str, None] = {}
    with ExitStack() as stack:
        if database is not None and of_tasks:  # of both stores or of none
            connection = stack.enter_context(database.write(exclusive=True))
            for name, labels in of_tasks.items():
                blank = [(item, person) for item, person in read.blank if item and item.task.name == name]
                shown = {item.item: item.order for item, _ in (*labels, *blank)}
                given = [label for _, label in labels]
                left = _left_blank(given, blank)
                new_people |= dict.fromkeys(add_labels(connection, labels[0][0].task, given, shown, left))
            if dry_run:
                connection.rollback()
        own_tasks = [labels[0][0].task for labels in of_tasks.values()]
        counts = join_rows(
            files, current, lambda row: _annotation_key(row) in keys, of_tasks=own_tasks, dry_run=dry_run
        )
    return ImportCounts(
        counts.annotations,
        counts.references,
        counts.preferences,
        outdated=len(read.of_study) - len(current),
        undecided=counts.undecided,
        changed=counts.changed,
        replaced=counts.replaced,
        overwritten=counts.overwritten,
        in_tasks={task: len(labels) for task, labels in of_tasks.items()},
        elsewhere=len(read.rows) - len(read.of_tasks),
        new_people=tuple(new_people),
        unfilled=len(read.blank),
        cautions=tuple(cautions),
    )


def read_labels(files: StudyFiles, path: str | Path, database: Database | None = None) -> LabelFile:
    """Return the labels of a file or folder, checked as in `import_labels`, with its errors."""
    keys = KnownKeys()
    for name in ("models", "instances", "rubrics"):
        keys.add(schema.TABLES[name], files.table(name))
    source = _source(Path(path))
    if source.columns is not None:
        check_columns(source, source.columns)
    template = TemplateRows()
    check = TableCheck(replace(source, batches=template.of_known_columns(source)), keys)
    rows: list[Row] = []
    for columns in check.batches():
        present = [column for column in _TABLE.columns if column.name in columns]
        table = pa.table({column.name: columns[column.name].cast(ARROW[column.kind]) for column in present})
        rows += [dict.fromkeys(_TABLE.names) | _with_plain_value(row) for row in table.to_pylist()]
    if not rows:
        if template.unfilled:
            what = f"{quantity(len(template.unfilled), 'row')} and no label yet"
            raise BadInputError(f"labels: {str(path)!r} has {what}; fill in the column `value`")
        raise BadInputError(f"labels: {str(path)!r} holds no label; give {_FORMATS}")
    check.refuse_repeats(*check.keys.repeats())
    read = LabelFile(rows, check.places)
    _check_names(read, files)
    _find_items(read, files.name, database, template)
    _check_kinds(read)
    rubric_rows = files.table("rubrics", ["instance_id", "rubric_id"]).to_pylist()
    rubrics = {(row["instance_id"], row["rubric_id"]) for row in rubric_rows}
    for place, row in enumerate(read.rows):
        if place not in read.of_tasks and (problem := _subject_problem(row, rubrics)):
            raise read.error(place, *problem)
    numbered = [row | {"number": read.places.of(place)[0]} for place, row in enumerate(read.rows)]
    tasks_of(replace(read, rows=numbered).of_study, *_models_and_instances(files))
    return read


_PLAIN = frozenset((*VERDICTS, LEFT, RIGHT, *(each for labels in LABELS.values() for each in labels)))


def _with_plain_value(row: Row) -> Row:
    """Return a row whose value is a label as it is stored, where it is written `Met` or `not met`."""
    value = str(row.get("value") or "").strip()
    plain = "_".join(value.casefold().replace("-", " ").replace("_", " ").split())
    if not value:
        return row | {"value": None}
    return row | {"value": plain} if plain in _PLAIN else row


def _check_names(read: LabelFile, files: StudyFiles) -> None:
    """Refuse labels under the name of what has no person's name, but those of a person who has it already."""
    if UNNAMED in files.table("references", ["source"])["source"].unique().to_pylist():
        return
    for place, row in enumerate(read.rows):
        if row["annotator"] == UNNAMED_PERSON:
            remedy = "give the labeller another name"
            problem = f"annotator is {UNNAMED_PERSON!r}, the name of what is stored without a person's name"
            raise read.error(place, problem, remedy)


def _with_zeros(row: Mapping[str, Any], items: Mapping[tuple[str, str], Any]) -> str | None:
    """Return the item of a row's task with this number but for zeros before it, which spreadsheets drop."""
    if not str(row["item"]).isdigit():
        return None
    same = [
        name for task, name in items if task == row["task"] and name.lstrip("0") == row["item"].lstrip("0")
    ]
    return same[0] if len(same) == 1 else None


def _study_of_task(database: Database | None, name: str, of_study: Sequence[str]) -> str:
    """Return what to do about a task that is not of the study: its own study, else the study's tasks."""
    every = () if database is None else tasks(database)
    study = next((task.study for task in every if task.name == name), None)
    if study is None:
        return f"choose from: {', '.join(of_study) or '(there are none)'}"
    return f"it is of {study!r}: import the file into that study"


def _find_items(read: LabelFile, study: str, database: Database | None, template: TemplateRows) -> None:
    """Find the items of rows that belong to a task of this store, and fill in what these are about."""
    stored = [] if database is None else [task.name for task in tasks(database) if task.study == study]
    names = sorted({row["task"] for row in read.rows} & set(stored))
    items = {} if database is None else task_items(database, names)
    for place, row in enumerate(read.rows):
        item = items.get((row["task"], row["item"]))
        if item is None and (whole := _with_zeros(row, items)) is not None:
            row["item"], item = whole, items[row["task"], whole]
        if item is None:
            if row["task"] not in names:
                if template.is_one:
                    problem = f"task is {row['task']!r}, which is no task of the study {study!r}"
                    raise read.error(place, problem, _study_of_task(database, str(row["task"]), stored))
                continue
            problem = f"item is {row['item']!r}, which the task {row['task']!r} does not have"
            template_command = command_line("label", "template", str(row["task"]))
            remedy = f"take the items of `{template_command}`, or name another task"
            raise read.error(place, problem, remedy)
        if row["kind"] not in (None, item.task.kind):
            problem = f"kind is {row['kind']!r}, and the task's is {item.task.kind!r}"
            raise read.error(place, problem, "correct it")
        if item.role == "practice":
            raise read.error(place, f"item {row['item']!r} is for practice", "remove the row")
        if any(row[name] is not None for name in SUBJECT):
            label = _label_beside_authors(read, place, item)
        else:
            label = _label_of_template(read, place, item)
            if item.role == "item":
                read.rows[place] = dict.fromkeys(_TABLE.names) | item.row(row, label.value)
        read.of_tasks[place] = item, label
    for task, name, person in template.unfilled:
        item = items.get((task, name))
        read.blank.append((None if item is None or item.role == "practice" else item, person))


def _label_beside_authors(read: LabelFile, place: int, item: TaskItem) -> EffectiveLabel:
    """Return the label of a row that says what it is about."""
    row = read.rows[place]
    if _subject(row) != _subject(item.row(row)):
        problem = f"the row is not about what item {row['item']!r} of the task {row['task']!r} is about"
        raise read.error(place, problem, "give the labels another task, or take the task's own items")
    try:
        return label_of(row, item.task, item.hidden, item.scores)
    except ValueError:
        remedy = f"write {join_names(allowed_labels(item.task.kind), last='or')}"
        raise read.error(place, f"value is {row['value']!r}", remedy) from None


def _label_of_template(read: LabelFile, place: int, item: TaskItem) -> EffectiveLabel:
    """Return the label of a row that has the item's name alone, in terms of the answers beside it."""
    row = read.rows[place]
    if row["value"] is None:
        return given_label(row, None)
    try:
        return given_label(row, item.value_of(row["value"]))
    except ValueError:
        raise read.error(place, f"value is {row['value']!r}", f"write {item.may_be}") from None


def _labels_by_task(read: LabelFile) -> dict[str, list[tuple[TaskItem, EffectiveLabel]]]:
    """Return the labels that people gave on items of this store's tasks."""
    labels: dict[str, list[tuple[TaskItem, EffectiveLabel]]] = {}
    for item, label in read.of_tasks.values():
        if label.annotator != ADJUDICATOR:
            labels.setdefault(item.task.name, []).append((item, label))
    return labels


def _left_blank(
    labels: Sequence[EffectiveLabel], blank: Sequence[tuple[TaskItem, str | None]]
) -> list[Place]:
    """Return the places without a label of a template's people: rows that name them, or nobody."""
    people = dict.fromkeys(label.annotator for label in labels)
    return [(each, item.item, FIRST) for each in people for item, person in blank if person in (None, each)]


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
    if not path.exists():
        raise BadInputError(f"labels: there is no file or folder {str(path)!r}; check the path")
    form = SUFFIXES.get(path.suffix.lower())
    if form is None:
        raise BadInputError(f"labels: {str(path)!r} is no table of labels by its ending; give {_FORMATS}")
    return open_source(form, [TableFile(_TABLE, path, None)])


def _subject_problem(row: Row, rubrics: set[tuple[str, str]]) -> tuple[str, str] | None:
    """Return why a label cannot become a reference, not saying what it is about, and the remedy."""
    kind = row["kind"]
    of_rubric = kind in OF_RUBRICS and row["value"] not in (None, NO_LABEL)
    names_pair = kind == "preference" and (row["generator"] or row["opponent"])
    missing = [name for name in SUBJECT_OF_KIND.get(kind, ()) if row[name] is None]
    if missing and (of_rubric or names_pair):
        verb = "is" if len(missing) == 1 else "are"
        return (
            f"{join_names(missing)} {verb} missing from a {kind}",
            f"say what was labelled ({meanings(missing)})",
        )
    if of_rubric and (row["instance_id"], row["rubric_id"]) not in rubrics:
        problem = f"rubric_id is {row['rubric_id']!r}, which question {row['instance_id']!r} does not have"
        return problem, "add it to `rubrics` or correct it"
    if kind in OF_PAIRS and row["generator"] is not None and row["generator"] == row["opponent"]:
        problem = f"opponent is {row['opponent']!r}, which is the `generator` itself"
        return problem, "name the two models of the pair"
    return None


def _check_kinds(read: LabelFile, others: Sequence[Row] = ()) -> None:
    kinds = {row["task"]: row["kind"] for row in others}
    for place, row in enumerate(read.rows):
        if (kind := kinds.setdefault(row["task"], row["kind"])) != row["kind"]:
            problem = f"kind is {row['kind']!r}, and other labels of the task {row['task']!r} are of {kind!r}"
            raise read.error(place, problem, "give each kind a task of its own")


def _check_items(read: LabelFile, others: Sequence[Row]) -> None:
    subjects = {(row["task"], row["item"]): _subject(row) for row in others if row["value"] is not None}
    for place, row in enumerate(read.rows):
        if row["value"] is None:
            continue
        if subjects.setdefault((row["task"], row["item"]), _subject(row)) != _subject(row):
            item = f"item {row['item']!r} of task {row['task']!r}"
            problem = f"{item} is about something else than in another row"
            remedy = "give each question, pair and criterion an item of its own, the same for everybody"
            raise read.error(place, problem, remedy)


def _subject(row: Row) -> tuple[Any, ...]:
    if row["kind"] == "clusters":
        return (row["instance_id"],)
    return row["instance_id"], row["rubric_id"], frozenset((row["generator"], row["opponent"]))


def _models_and_instances(files: StudyFiles) -> tuple[list[str], list[str]]:
    models, instances = files.table("models", ["model"]), files.table("instances", ["instance_id"])
    return models["model"].to_pylist(), instances["instance_id"].to_pylist()
