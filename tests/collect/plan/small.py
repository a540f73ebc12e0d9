"""A small study with texts, and configurations over it."""

import json
from pathlib import Path

import pyarrow as pa

from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.read_config import parse_config
from engine.collect.plan.planning import make_plan
from engine.schema import DIMENSIONS
from engine.store import Store
from engine.store.study_files import StudyFiles, StudyInfo

MODELS = ("a", "b", "c")
Rows = list[dict[str, object]]


def tables(instances: int = 4) -> dict[str, Rows]:
    """Return three generators' answers to some questions, two criteria and a score rubric for each."""
    ids = [f"i{number}" for number in range(instances)]
    options = json.dumps([{"score": score, "text": f"Grade {score}."} for score in (1, 2, 3)])
    rubrics: Rows = []
    for each in ids:
        rubrics += [
            {"instance_id": each, "rubric_id": "r1", "criterion": f"Says {each}.", "points": 5},
            {"instance_id": each, "rubric_id": "r2", "criterion": "Is rude.", "points": -3},
            {"instance_id": each, "rubric_id": "s1", "criterion": "Is clear.", "options": options},
        ]
    return {
        "models": [{"model": model, "family": model} for model in (*MODELS, "q")],
        "instances": [
            {"instance_id": each, "prompt": f"Ask {each}.", "category": "even" if n % 2 == 0 else "odd"}
            for n, each in enumerate(ids)
        ],
        "rubrics": rubrics,
        "responses": [
            {"instance_id": each, "generator": model, "text": f"{model} on {each}"}
            for each in ids
            for model in MODELS
        ],
    }


def rated(scores: dict[str, dict[str, float]]) -> Rows:
    """Return q's quality rows: all five dimensions of a response have the same score."""
    about = {"judge": "q", "paradigm": "quality"}
    return [
        {**about, "instance_id": each, "generator": model, "rubric_id": dimension, "score": score}
        for each, by_model in scores.items()
        for model, score in by_model.items()
        for dimension in DIMENSIONS
    ]


def stored(folder: Path, rows: dict[str, Rows], name: str = "s") -> StudyFiles:
    """Write the rows as a study."""
    store = Store(folder)
    store.write(name, {table: as_table(part) for table, part in rows.items()}, StudyInfo())
    return store.open(name)


def as_table(rows: Rows) -> pa.Table:
    """Return rows as a table with every column that any of them has."""
    columns = dict.fromkeys(column for row in rows for column in row)
    return pa.table({column: [row.get(column) for row in rows] for column in columns})


def config(**top: object) -> RunConfig:
    """Return a configuration in which a, b, c and q may be called."""
    tables_ = {name: top.pop(name) for name in ("sample", "drawing", "transforms") if name in top}
    values = {"study": "s", "judges": ["a"], "paradigms": ["single_rubric"], **top}
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
    for name, text in tables_.items():
        lines += [f"[{name}]" if name != "transforms" else "", str(text)]
    lines += [f"[models.{model}]\nmodel = 'simulated/{model}'" for model in (*MODELS, "q")]
    return parse_config("\n".join(lines))


def subjects(study: StudyFiles, **top: object) -> list[object]:
    """Return the subjects of a configuration's judgments."""
    return [request.subject for request in make_plan(config(**top), study)]
