"""A study without one of its imported runs, so that the run's file can be imported again in its place."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from engine import schema
from engine.errors import UsageError, unknown
from engine.phrases import join_names, quantity
from engine.store.batches import from_tables
from engine.store.study_files import StudyFiles
from engine.store.writer import ReducedStudy, write_part_of_study
from engine.wording import option

_PLACES = {
    "judgments": ("generator", "opponent"),
    "annotations": ("generator", "opponent"),
    "responses": ("generator",),
    "references": ("generator",),
    "preferences": ("generator", "opponent"),
}
"""The tables about answers, with their columns of models that answered."""
_SHRINKING = ("models", "instances", "rubrics", "responses", "references", "preferences", "pairs", "runs")


@dataclass(frozen=True)
class Mentions:
    """What rows are about: questions, answers (question, model), criteria (question, id) and models."""

    instances: frozenset[str]
    answers: frozenset[tuple[str, str]]
    criteria: frozenset[tuple[str, str]]
    models: frozenset[str]

    def without(self, others: "Mentions") -> "Mentions":
        return Mentions(
            self.instances - others.instances,
            self.answers - others.answers,
            self.criteria - others.criteria,
            self.models - others.models,
        )


def check_replaceable(study: StudyFiles, run: str) -> None:
    """Raise UsageError unless `run` is one that was imported into the study."""
    runs = [
        str(each) for each in study.judgments(["run_id"])["run_id"].unique().to_pylist() if each is not None
    ]
    if run not in runs:
        raise unknown("run", run, sorted(runs), "a run that is replaced must be in the study")
    rows = study.table("runs", ["run_id", "config"]).to_pylist()
    if any(row["run_id"] == run and row["config"] is not None for row in rows):
        raise UsageError(
            f"the run {run!r} was made by `spb run`, which called models for it: no file replaces it; give "
            "these judgments a run of their own with ",
            option("run"),
        )


def write_without_run(study: StudyFiles, run: str, folder: Path) -> ReducedStudy:
    """Write into `folder` the study without the judgments of `run`, and without what they alone are about.

    Questions, criteria, answers (with what is true of them) and models stay if other judgments, labels or
    committees name them.
    """
    unmentioned = _mentions(study, run, within=True).without(_mentions(study, run, within=False))
    members = {member for committee in study.info.committees.values() for member in committee.members}
    unmentioned = Mentions(
        unmentioned.instances, unmentioned.answers, unmentioned.criteria, unmentioned.models - members
    )
    stored = [name for name in schema.TABLES if name != "judgments" and study.has(name)]
    tables = {name: _remaining(study, name, run, unmentioned) for name in stored}
    lost = {
        name: study.table(name, [schema.TABLES[name].names[0]]).num_rows - table.num_rows
        for name, table in tables.items()
        if name in _SHRINKING
    }
    imports = [each for each in study.info.imports or () if each.run != run]
    info = study.info.model_copy(update={"imports": imports})
    sources = {name: from_tables(schema.TABLES[name], rows) for name, rows in tables.items()}
    sources["judgments"] = from_tables(schema.JUDGMENTS, _others(study, run, after=False))
    before = write_part_of_study(folder / "before", sources, info)
    later = {"judgments": from_tables(schema.JUDGMENTS, _others(study, run, after=True))}
    reduced = write_part_of_study(folder / "all", later, info, before)
    number = study.judgments(["run_id"], {"run_id": (run,)}).num_rows
    things = {"models": "model", "instances": "question", "rubrics": "criterion", "responses": "answer",
              "references": "reference", "preferences": "preference"}  # fmt: skip
    parts = [quantity(lost[name], thing) for name, thing in things.items() if lost.get(name)]
    alone = f", and what they alone were about: {join_names(parts)}" if parts else ""
    words = f"replaced are the {quantity(number, 'judgment')} of run {run!r}{alone}"
    return ReducedStudy(reduced, words, len(before.parts()))


def _mentions(study: StudyFiles, run: str, *, within: bool) -> Mentions:
    """Return what the judgments of a run are about (`within`), or all other judgments and people's labels."""
    columns = ["run_id", "judge", "instance_id", "generator", "opponent", "rubric_id"]
    rows = study.judgments(columns)
    is_own = pc.fill_null(pc.equal(rows["run_id"].cast(pa.string()), run), False)
    rows = rows.filter(is_own if within else pc.invert(is_own))
    tables = [("judgments", rows)]
    if not within and study.has("annotations"):
        tables.append(("annotations", study.table("annotations")))
    instances, models = set[str](), _values(rows, "judge")
    answers, criteria = set[tuple[str, str]](), set[tuple[str, str]]()
    for name, table in tables:
        instances |= _values(table, "instance_id")
        criteria |= _pairs(table, "rubric_id")
        for column in _PLACES[name]:
            answers |= _pairs(table, column)
            models |= _values(table, column)
    return Mentions(
        frozenset(instances),
        frozenset(answers),
        frozenset(criteria),
        frozenset(models),
    )


def _values(table: pa.Table, column: str) -> set[str]:
    return {str(value) for value in table[column].unique().to_pylist() if value is not None}


def _pairs(table: pa.Table, column: str) -> set[tuple[str, str]]:
    """Return the pairs of a question and what a column says of it that occur."""
    names = ["instance_id", column]
    plain = pa.table({name: table[name].cast(pa.string()) for name in names})
    rows = plain.group_by(names).aggregate([]).to_pylist()
    return {(row["instance_id"], row[column]) for row in rows if row[column] is not None}


def _remaining(study: StudyFiles, name: str, run: str, unmentioned: Mentions) -> pa.Table:
    """Return the rows of a table that stay."""
    table = study.table(name)
    if name not in _SHRINKING or not table.num_rows:
        return table
    texts = {each: table[each].cast(pa.string()).to_pylist() for each in table.column_names if each in _KEYS}
    rows = range(table.num_rows)
    if name == "runs":
        return table.filter(pa.array([texts["run_id"][row] != run for row in rows]))
    if name == "models":
        still = _models_with_answers(study, unmentioned)
        return table.filter(
            pa.array([each not in unmentioned.models or each in still for each in texts["model"]])
        )
    instances, rubrics = texts["instance_id"], texts.get("rubric_id")
    places = [texts[each] for each in ("generator", "opponent") if each in texts]
    stays = [
        instances[row] not in unmentioned.instances
        and not any((instances[row], place[row]) in unmentioned.answers for place in places)
        and (rubrics is None or (instances[row], rubrics[row]) not in unmentioned.criteria)
        for row in rows
    ]
    return table.filter(pa.array(stays, pa.bool_()))


_KEYS = ("run_id", "model", "instance_id", "rubric_id", "generator", "opponent")


def _models_with_answers(study: StudyFiles, unmentioned: Mentions) -> set[str]:
    """Return the models of which answers, or what is true of them, stay in the study."""
    models = set[str]()
    for name in ("responses", "references", "preferences"):
        if study.has(name):
            rows = _remaining(study, name, "", unmentioned)
            for column in _PLACES[name]:
                models |= _values(rows, column)
    return models


def _others(study: StudyFiles, run: str, *, after: bool) -> Iterator[pa.Table]:
    """Yield the judgments of other runs that stand before the first of the run, or `after` it."""
    is_past = False
    for table in study.judgment_batches():
        own = pc.fill_null(pc.equal(table["run_id"].cast(pa.string()), run), False)
        first = 0 if is_past else pc.index(own, True).as_py()
        split = table.num_rows if first < 0 else first
        is_past = is_past or first >= 0
        rows, mask = (part.slice(split) if after else part.slice(0, split) for part in (table, own))
        if rows.num_rows:
            yield rows.filter(pc.invert(mask)).combine_chunks()
