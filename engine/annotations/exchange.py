"""Labels and committee verdicts written into a study; labels written to files and read from them."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from math import isfinite
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import sqlalchemy as sa

from engine import schema
from engine.annotations.labels import Decision, EffectiveLabel, decisions, effective_labels, hidden_of
from engine.annotations.people import ITEMS, Database
from engine.annotations.tasks import Hidden, Task, Texts, task_of
from engine.arrays.index import Selection
from engine.arrays.references import ADJUDICATOR, COMMITTEE, FEWEST_MEMBERS, NO_LABEL, tasks_of, vote
from engine.arrays.verdicts import VerdictCube
from engine.errors import BadInputError, StoreError, UsageError, bad_row, unknown
from engine.importers.exchange import SUFFIXES, TableFile, open_source, open_tidy
from engine.plain_words import system_words
from engine.schema import OUTCOMES, RUBRIC_PARADIGMS, options_of
from engine.store.arrow_types import ARROW, plain_texts
from engine.store.batches import Source
from engine.store.checks import KnownKeys, TableCheck
from engine.store.checksums import write_parquet
from engine.store.study_files import Committee, StudyFiles
from engine.store.writer import exchange_table
from engine.study import Study

# ------------------------------------------------------------------------------
# Labels as rows of a study: its tables `annotations`, `references` and `preferences`.


HUMAN = "human:"
_MET = {"met": True, "not_met": False, NO_LABEL: None}

Row = dict[str, Any]
_Place = tuple[str | None, ...]


@dataclass(frozen=True)
class ExportCounts:
    """The number of rows written to each table; `outdated` labels, on texts that changed, were left out."""

    annotations: int
    references: int
    preferences: int
    outdated: int = 0


def annotation_rows(database: Database, task: str) -> list[Row]:
    """Return a task's labels and decisions as rows of `annotations`, without practice and gold items."""
    task_info = task_of(database, task)
    items = hidden_of(database, task, "item")
    labels: list[EffectiveLabel | Decision] = list(effective_labels(database, task))
    labels += decisions(database, task).values()
    return [_annotation_row(task_info, items[each.item], each) for each in labels if each.item in items]


def export_task(database: Database, task: str, files: StudyFiles) -> ExportCounts:
    """Write a task's labels into its study, in place of earlier ones; those on changed texts are left out."""
    rows, outdated_items = annotation_rows(database, task), _outdated_items(database, task, files)
    current = [row for row in rows if row["item"] not in outdated_items]
    counts = join_rows(files, current, lambda row: bool(row["task"] == task))
    return replace(counts, outdated=len(rows) - len(current))


def _outdated_items(database: Database, task: str, files: StudyFiles) -> set[str]:
    """Return the items whose question, responses or rubric have changed in the study, or are gone."""
    query = sa.select(ITEMS.c.item, ITEMS.c.payload, ITEMS.c.hidden)
    with database.read() as connection:
        items = connection.execute(query.where(ITEMS.c.task == task, ITEMS.c.role == "item")).all()
    contents = [(row.item, Texts.of(row.payload), Hidden.of(row.hidden)) for row in items]
    contents = [each for each in contents if each[2].instance_id is not None]
    current = _current_texts(files, sorted({str(hidden.instance_id) for _, _, hidden in contents}))

    def differs(place: _Place, text: Any) -> bool:
        # A text that the study does not have is not compared.
        return place not in current or (None not in (text, current[place]) and text != current[place])

    return {item for item, texts, hidden in contents if any(starmap(differs, _parts(texts, hidden)))}


def _parts(texts: Texts, hidden: Hidden) -> Iterator[tuple[_Place, Any]]:
    """Yield where each text of an item is in the study, with the text."""
    yield (hidden.instance_id,), texts.prompt
    for model, text in zip(hidden.models, texts.responses, strict=True):
        yield (hidden.instance_id, model), text
    if hidden.rubric_id is not None:
        yield (hidden.instance_id, hidden.rubric_id, "criterion"), texts.criterion
        yield (hidden.instance_id, hidden.rubric_id, "options"), texts.options


def _current_texts(files: StudyFiles, instances: list[str]) -> dict[_Place, Any]:
    """Return the texts of these instances, keyed as in `_parts`; None for a response without a text."""
    where = {"instance_id": instances}
    prompts = files.table("instances", ["instance_id", "prompt"], where).to_pylist()
    texts: dict[_Place, Any] = {(row["instance_id"],): row["prompt"] for row in prompts}
    models = files.table("models", ["model"])["model"].to_pylist()
    texts |= {(row["instance_id"], model): None for row in prompts for model in models}
    columns = ["instance_id", "generator", "transform", "text"]
    for row in files.table("responses", columns, where).to_pylist():
        if row["transform"] == "none":
            texts[row["instance_id"], row["generator"]] = row["text"]
    columns = ["instance_id", "rubric_id", "criterion", "options"]
    for row in files.table("rubrics", columns, where).to_pylist():
        place = row["instance_id"], row["rubric_id"]
        texts[*place, "criterion"] = row["criterion"]
        texts[*place, "options"] = options_of(row["options"]) or None
    return texts


def join_rows(files: StudyFiles, rows: Sequence[Row], is_replaced: Callable[[Row], bool]) -> ExportCounts:
    """Add labels to the study's annotations in place of those replaced; return the number of rows written.

    Rubric verdicts and scores in `rows` also become references, and preferences become preferences, both with
    the source `human:<annotator>`; those of replaced labels go, and this person's rows on other questions are
    unchanged. Raises BadInputError for rows that an import would refuse, and StoreError if the study cannot
    be written; it is then unchanged.
    """
    stamp = files.stamp()
    existing = files.table("annotations").to_pylist()
    old = [row for row in existing if is_replaced(row)]
    others = [row for row in existing if not is_replaced(row)]
    tables = {}
    if existing or rows:
        tables["annotations"] = exchange_table("annotations", [*others, *rows])
    counts = {}
    for name, derive in (("references", _references), ("preferences", _preferences)):
        # By key; of several rows with one key, the last counts.
        new, earlier, remaining = (
            {_reference_key(row): row for row in derive(part)} for part in (rows, old, others)
        )
        counts[name] = len(new)
        restored = {key: row for key, row in remaining.items() if key in earlier}
        if new or earlier:
            tables[name] = _merged_table(files, name, earlier.keys(), restored | new)
    if tables:
        files.replace_tables(tables, stamp=stamp)
    return ExportCounts(len(rows), counts["references"], counts["preferences"])


def _annotation_row(task: Task, hidden: Hidden, label: EffectiveLabel | Decision) -> Row:
    value, models = label.value, (*hidden.models, None, None)
    if task.kind == "clusters":
        value = None if value is None else json.dumps(dict(zip(hidden.models, value, strict=True)))
        models = (None, None)
    elif task.kind == "score" and value is not None:
        value = repr(value).removesuffix(".0")
    fields: Row = {"annotator": ADJUDICATOR, "round": 1, "confidence": None, "comment": None, "seconds": None}
    if isinstance(label, EffectiveLabel):
        fields = {name: getattr(label, name) for name in fields}
    return fields | {
        "task": task.name,
        "item": label.item,
        "kind": task.kind,
        "instance_id": hidden.instance_id,
        "generator": models[0],
        "opponent": models[1],
        "rubric_id": hidden.rubric_id,
        "value": value,
        "reason": label.reason,
        "created_at": label.created_at,
    }


def _references(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the references that labels become; values that no task has, from elsewhere, become none."""
    for row in rows:
        kind, value = row["kind"], row["value"]
        score = _score(value) if kind == "score" else None
        is_verdict = kind == "rubric_verdict" and value in _MET
        if row["round"] == 1 and row["rubric_id"] is not None and (is_verdict or score is not None):
            keys = {name: row[name] for name in ("instance_id", "generator", "rubric_id")}
            verdict = {"met": _MET[value] if is_verdict else None, "score": score}
            yield keys | {"source": HUMAN + row["annotator"]} | verdict


def _preferences(rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        has_generator = row["round"] == 1 and row["generator"] is not None
        if has_generator and row["kind"] == "preference" and row["value"] in OUTCOMES:
            keys = {name: row[name] for name in ("instance_id", "generator", "opponent")}
            yield keys | {"source": HUMAN + row["annotator"], "outcome": OUTCOMES[row["value"]]}


def _score(value: str | None) -> float | None:
    try:
        score = float(value or "")
    except ValueError:
        return None
    return score if isfinite(score) else None


def _reference_key(row: Row) -> tuple[Any, ...]:
    if "opponent" in row:  # a pair is the same in either order
        return row["source"], row["instance_id"], frozenset((row["generator"], row["opponent"]))
    return row["source"], row["instance_id"], row["generator"], row["rubric_id"]


def _merged_table(
    files: StudyFiles, name: str, removed: Iterable[tuple[Any, ...]], new: dict[tuple[Any, ...], Row]
) -> pa.Table:
    """Return a table without the keys `removed`, and with new rows replacing those of the same key."""
    earlier = plain_texts(files.table(name))
    stale = {*removed, *new}
    affected = pc.is_in(earlier["source"], value_set=pa.array(sorted({key[0] for key in stale})))
    others = [row for row in earlier.filter(affected).to_pylist() if _reference_key(row) not in stale]
    added = pa.Table.from_pylist([*others, *new.values()], schema=earlier.schema)
    return pa.concat_tables([earlier.filter(pc.invert(affected)), added])


# ------------------------------------------------------------------------------
# Labels in files, from other tools or stores: read into a study, and written from a task.


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
    check = TableCheck(_source(Path(path)), keys)
    rows: list[Row] = []
    for columns in check.batches():
        present = [column for column in _TABLE.columns if column.name in columns]
        table = pa.table({column.name: columns[column.name].cast(ARROW[column.kind]) for column in present})
        rows += [dict.fromkeys(_TABLE.names) | row for row in table.to_pylist()]
    if not rows:
        raise BadInputError(f"annotations: {str(path)!r} holds no label; give {_FORMATS}")
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
            f"{str(path)!r} cannot be written: {system_words(error)}; choose another name"
        ) from error


def _source(path: Path) -> Source:
    if path.is_dir():
        source = open_tidy(path).sources.get(_TABLE.name)
        if source is None:
            raise BadInputError(f"annotations: the folder {str(path)!r} has none; give {_FORMATS}")
        return source
    form = SUFFIXES.get(path.suffix.lower())
    if form is None or not path.is_file():
        raise BadInputError(f"annotations: {str(path)!r} cannot be read; give {_FORMATS}")
    return open_source(form, [TableFile(_TABLE, path, None)])


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
        problem = f"rubric_id is {row['rubric_id']!r}, which instance {row['instance_id']!r} does not have"
        return problem, "add it to rubrics or correct it"
    if kind in _OF_PAIRS and row["generator"] is not None and row["generator"] == row["opponent"]:
        problem = f"opponent is {row['opponent']!r}, which is the generator itself"
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
                "give each instance, pair and rubric an item of its own, the same for everybody",
            )


def _subject(row: Row) -> tuple[Any, ...]:
    if row["kind"] == "clusters":
        return (row["instance_id"],)
    return row["instance_id"], row["rubric_id"], frozenset((row["generator"], row["opponent"]))


def _models_and_instances(files: StudyFiles) -> tuple[list[str], list[str]]:
    models, instances = files.table("models", ["model"]), files.table("instances", ["instance_id"])
    return models["model"].to_pylist(), instances["instance_id"].to_pylist()


# ------------------------------------------------------------------------------
# Committees written into a study as reference verdicts (MEASURES section 7).


@dataclass(frozen=True)
class CommitteeCounts:
    decided: int
    divided: int


def write_committee(
    files: StudyFiles, name: str, members: list[str], paradigm: str | None = None, variant: str = "default"
) -> CommitteeCounts:
    """Write the reference `committee:<name>` and its members, replacing any of that name.

    Rows are written if at least three members have a verdict; `met` is null if they are divided. Raises
    UsageError for an unknown member, fewer than three, or a study without their verdicts.
    """
    study = Study(files)
    selection = _selection(study, name, members, paradigm, variant)
    cube = study.cube(selection)
    assert isinstance(cube, VerdictCube)  # noqa: S101 - the selection is of a rubric paradigm
    member_places = {study.index.models.index(member) for member in members}
    missing = [study.index.models[m] for m in sorted(member_places - set(cube.judges.tolist()))]
    if missing:
        raise UsageError(
            f"member {missing[0]!r} has no {selection.paradigm} verdicts; leave it out, or collect them"
        )
    voters = np.flatnonzero(np.isin(cube.judges, list(member_places)))
    unpack = study.index.layout.unpack
    met, decided, divided = map(unpack, vote(cube.met[voters], cube.ok[voters]))
    rows = _reference_rows(study, cube, COMMITTEE + name, met, decided, divided)
    others = files.table("references")
    others = others.filter(pc.not_equal(others.column("source").cast(pa.string()), COMMITTEE + name))
    info = files.info.model_copy(deep=True)
    info.committees[name] = Committee(members=members, paradigm=selection.paradigm, variant=variant)
    references = pa.concat_tables([plain_texts(others), rows], promote_options="default")
    files.replace_tables({"references": references}, info)
    return CommitteeCounts(int(decided.sum()), int(divided.sum()))


def _selection(study: Study, name: str, members: list[str], paradigm: str | None, variant: str) -> Selection:
    if not name.strip():
        raise UsageError(f"the committee's name is {name!r}; give a name that is not empty")
    for member in members:
        if member not in study.index.models:
            raise unknown("member", member, study.index.models)
    if len(set(members)) < FEWEST_MEMBERS:
        raise UsageError(
            f"a committee needs at least {FEWEST_MEMBERS} members, but {name!r} has "
            f"{len(set(members))}; name more"
        )
    present = [str(p) for p in study.inventory.values("paradigm") if p in RUBRIC_PARADIGMS]
    paradigm = paradigm or (present[0] if present else None)
    if paradigm not in present:
        raise unknown("rubric paradigm", paradigm, present)
    variants = [str(v) for v in study.inventory.values("variant", paradigm=paradigm)]
    if variant not in variants:
        raise unknown("variant", variant, variants)
    return Selection(paradigm=paradigm, variant=variant)


def _reference_rows(
    study: Study, cube: VerdictCube, source: str, met: np.ndarray, decided: np.ndarray, divided: np.ndarray
) -> pa.Table:
    generator, rubric = np.nonzero(decided | divided)
    index = study.index
    names = pa.array([index.models[g] for g in cube.generators])
    columns = {
        "instance_id": index.instances.take(pa.array(index.layout.instance_of[rubric])),
        "generator": names.take(pa.array(generator)),
        "rubric_id": index.rubric_ids.take(pa.array(rubric)),
        "source": pa.array([source] * len(rubric), pa.string()),
        "met": pa.array(met[generator, rubric], mask=~decided[generator, rubric]),
    }
    return pa.table(columns)
