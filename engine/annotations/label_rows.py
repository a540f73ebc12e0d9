"""Labels as rows of a study: its tables `annotations`, `references` and `preferences`."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import starmap
from math import isfinite
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import sqlalchemy as sa

from engine.annotations.counted_labels import Decision, EffectiveLabel, decisions, effective_labels, hidden_of
from engine.annotations.database import Database
from engine.annotations.database_tables import ITEMS
from engine.annotations.items import Hidden, ItemTexts
from engine.annotations.sides import NEITHER, check_value
from engine.annotations.tasks import Task, task_of
from engine.arrays.label_table import ADJUDICATOR, NO_LABEL
from engine.rubric_options import options_of
from engine.schema import OUTCOMES
from engine.store.arrow_types import plain_texts
from engine.store.study_files import StudyFiles, StudyInfo
from engine.store.writer import exchange_table, replace_tables
from engine.values import float_in

HUMAN = "human:"
_MET = {"met": True, "not_met": False, NO_LABEL: None}

Row = dict[str, Any]
_Place = tuple[str | None, ...]


@dataclass(frozen=True)
class ExportCounts:
    """The number of rows written to each table; `outdated` labels, on texts that changed, were left out.

    `undecided` are labels "cannot tell": their references, without a verdict, are not among `references`.
    `changed` are the labels that were added, taken out or given another value, `replaced` the earlier ones
    among them, and `overwritten` other references and preferences of the same people on the same things.
    """

    annotations: int
    references: int
    preferences: int
    outdated: int = 0
    undecided: int = 0
    changed: int = field(default=0, compare=False)
    replaced: int = field(default=0, compare=False)
    overwritten: int = field(default=0, compare=False)

    def words(self) -> str:
        """Return `3 labels (1 "cannot tell"), 2 references and 0 preferences`."""
        undecided = f' ({self.undecided:,} "cannot tell")' if self.undecided else ""
        rows = f"{self.references:,} references and {self.preferences:,} preferences"
        return f"{self.annotations:,} labels{undecided}, {rows}"


def annotation_rows(database: Database, task: str) -> list[Row]:
    """Return a task's labels and decisions as rows of `annotations`, without practice and gold items."""
    task_info = task_of(database, task)
    items = hidden_of(database, task, "item")
    labels: list[EffectiveLabel | Decision] = list(effective_labels(database, task))
    labels += decisions(database, task).values()
    return [annotation_row(task_info, items[each.item], each) for each in labels if each.item in items]


def export_task(database: Database, task: str, files: StudyFiles) -> ExportCounts:
    """Write a task's labels into its study, in place of earlier ones; those on changed texts are left out."""
    rows, outdated = annotation_rows(database, task), outdated_items(database, task, files)
    current = [row for row in rows if row["item"] not in outdated]
    of_task = [task_of(database, task)]
    counts = join_rows(files, current, lambda row: bool(row["task"] == task), of_tasks=of_task)
    return replace(counts, outdated=len(rows) - len(current))


def withdraw_task(task: str, files: StudyFiles) -> ExportCounts:
    """Take a task's labels out of its study, with the references and preferences that came from them."""
    old = [row for row in files.table("annotations").to_pylist() if row["task"] == task]
    join_rows(files, [], lambda row: bool(row["task"] == task))
    return _counts(old, changed=len(old))


def outdated_items(database: Database, task: str, files: StudyFiles) -> set[str]:
    """Return a task's items whose question, responses or rubric have changed in the study, or are gone."""
    query = sa.select(ITEMS.c.item, ITEMS.c.payload, ITEMS.c.hidden)
    with database.read() as connection:
        items = connection.execute(query.where(ITEMS.c.task == task, ITEMS.c.role == "item")).all()
    contents = [(row.item, ItemTexts.of(row.payload), Hidden.of(row.hidden)) for row in items]
    contents = [each for each in contents if each[2].instance_id is not None]
    current = _current_texts(files, sorted({str(hidden.instance_id) for _, _, hidden in contents}))

    def differs(place: _Place, text: Any) -> bool:
        # A text that the study does not have is not compared.
        return place not in current or (None not in (text, current[place]) and text != current[place])

    return {item for item, texts, hidden in contents if any(starmap(differs, _parts(texts, hidden)))}


def _parts(texts: ItemTexts, hidden: Hidden) -> Iterator[tuple[_Place, Any]]:
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


def join_rows(
    files: StudyFiles,
    rows: Sequence[Row],
    is_replaced: Callable[[Row], bool],
    *,
    of_tasks: Iterable[Task] = (),
    dry_run: bool = False,
) -> ExportCounts:
    """Add labels to the study's annotations in place of those replaced; return the number of rows written.

    Rubric verdicts and scores in `rows` also become references, and preferences become preferences, both with
    the source `human:<annotator>`; those of replaced labels go, and this person's rows on other questions are
    unchanged. How the items `of_tasks` were selected is noted in the study. Raises BadInputError for rows
    that an import would refuse, and StoreError if the study cannot be written; it is then unchanged, as it is
    by a `dry_run`.
    """
    stamp = files.stamp()
    existing = files.table("annotations").to_pylist()
    old = [row for row in existing if is_replaced(row)]
    others = [row for row in existing if not is_replaced(row)]
    tables, overwritten = {}, 0
    if existing or rows:
        tables["annotations"] = exchange_table("annotations", [*others, *rows])
    for name, derive in (("references", _references), ("preferences", _preferences)):
        new, earlier, remaining = (_by_key(derive(part)) for part in (rows, old, others))
        restored = {key: row for key, row in remaining.items() if key in earlier}
        if new or earlier:
            stored, unaffected = _rows_of_sources(files, name, {*earlier, *new})
            tables[name] = _merged_table(stored, unaffected, earlier.keys(), restored | new)
            overwritten += len(new.keys() & _by_key(stored).keys() - earlier.keys())
    if tables:
        info = _with_selections(files, of_tasks, {row["task"] for row in (*others, *rows)})
        replace_tables(files, tables, info, stamp=stamp, dry_run=dry_run)
    before, after = ({_label_key(row): row["value"] for row in part} for part in (old, rows))
    changed = sum(before.get(key, key) != after.get(key, key) for key in before | after)
    replaced = sum(before[key] != after[key] for key in before.keys() & after.keys())
    return replace(_counts(rows, changed), replaced=replaced, overwritten=overwritten)


def _with_selections(files: StudyFiles, of_tasks: Iterable[Task], labelled: Collection[str]) -> StudyInfo:
    """Return `study.json` with how the items of the tasks that have labels were selected."""
    selected = {task.name: str(task.options["selection"]) for task in of_tasks if "selection" in task.options}
    every = files.info.label_selections | selected
    of_labelled = {task: selection for task, selection in every.items() if task in labelled}
    return files.info.model_copy(update={"label_selections": of_labelled})


def _counts(rows: Sequence[Row], changed: int) -> ExportCounts:
    """Return the counts of labels, and of the references and preferences that come from them."""
    references, preferences = (_by_key(derive(rows)) for derive in (_references, _preferences))
    undecided = sum(row["met"] is None and row["score"] is None for row in references.values())
    return ExportCounts(
        len(rows), len(references) - undecided, len(preferences), undecided=undecided, changed=changed
    )


def _label_key(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("annotator", "task", "item", "round"))


def annotation_row(task: Task, hidden: Hidden, label: EffectiveLabel | Decision) -> Row:
    """Return a label on an item of a task as a row of `annotations`."""
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


def label_of(row: Row, task: Task, hidden: Hidden, scores: Sequence[float] = ()) -> EffectiveLabel:
    """Return the label of a row on an item of a task, as the database holds it: `annotation_row` reversed.

    Raises ValueError, naming what is expected, for a value that the task does not have.
    """
    value = row["value"]
    if value is None:
        return given_label(row, None)
    if task.kind == "clusters":
        try:
            levels = json.loads(value)
        except RecursionError:
            levels = None
        value = [levels.get(model) for model in hidden.models] if isinstance(levels, dict) else levels
    elif task.kind == "score":
        number = float_in(str(value))
        value = value if number is None else number
    elif task.kind in NEITHER and row["generator"] != hidden.models[0]:
        value = {"generator": "opponent", "opponent": "generator"}.get(value, value)
    return given_label(row, check_value(task.kind, value, len(hidden.models), scores))


def given_label(row: Row, value: Any) -> EffectiveLabel:
    """Return the label of a row with a value as the database holds it."""
    facts: Row = {field.name: row.get(field.name) for field in fields(EffectiveLabel)}
    return EffectiveLabel(**(facts | {"value": value, "round": row.get("round") or 1}))


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
            source = HUMAN + row["annotator"]
            yield keys | {"source": source, "outcome": OUTCOMES[row["value"]], "transform": "none"}


def _score(value: str | None) -> float | None:
    try:
        score = float(value or "")
    except ValueError:
        return None
    return score if isfinite(score) else None


def _reference_key(row: Row) -> tuple[Any, ...]:
    if "opponent" in row:  # a pair is the same in either order
        pair = frozenset((row["generator"], row["opponent"]))
        return row["source"], row["instance_id"], pair, row["transform"]
    return row["source"], row["instance_id"], row["generator"], row["rubric_id"]


def _by_key(rows: Iterable[Row]) -> dict[tuple[Any, ...], Row]:
    """Return rows by their key; of several with one key, the last counts."""
    return {_reference_key(row): row for row in rows}


def _rows_of_sources(
    files: StudyFiles, name: str, keys: Collection[tuple[Any, ...]]
) -> tuple[list[Row], pa.Table]:
    """Return a table's rows of the sources that keys name, and the table without them."""
    table = plain_texts(files.table(name))
    of_sources = pc.is_in(table["source"], value_set=pa.array(sorted({key[0] for key in keys})))
    return table.filter(of_sources).to_pylist(), table.filter(pc.invert(of_sources))


def _merged_table(
    stored: Iterable[Row],
    unaffected: pa.Table,
    removed: Iterable[tuple[Any, ...]],
    new: dict[tuple[Any, ...], Row],
) -> pa.Table:
    """Return stored rows without the keys `removed`, with new rows replacing those of the same key."""
    stale = {*removed, *new}
    others = [row for row in stored if _reference_key(row) not in stale]
    added = pa.Table.from_pylist([*others, *new.values()], schema=unaffected.schema)
    return pa.concat_tables([unaffected, added])
