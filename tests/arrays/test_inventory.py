"""The contents of a study are counted by the fields of a selection."""

import random
from collections import Counter

import pyarrow as pa
import pytest

from engine.arrays.inventory import COLUMNS, Inventory
from engine.store import Store
from engine.store.study_files import StudyFiles, StudyInfo


def row(judge, paradigm, variant, status):
    return (judge, paradigm, variant, "none", None, "run-1", status)


def test_judgments_are_counted_by_status_over_variants_in_the_order_of_models_and_schema():
    inventory = Inventory(
        (
            row("b", "pairwise", "default", "ok"),
            row("b", "pairwise", "cot", "ok"),
            row("b", "pairwise", "cot", "error"),
            row("b", "pairwise", "cot", "unparsed"),
            row("b", "all_rubrics", "default", "ok"),
            row("a", "pairwise", "default", "ok"),
        ),
        (3, 4, 1, 2, 5, 6),
    )

    statuses = inventory.statuses(["b", "a", "never asked"])

    assert statuses == [
        ("b", "all_rubrics", "ok", 5),
        ("b", "pairwise", "ok", 7),  # 3 default, 4 chain of thought
        ("b", "pairwise", "unparsed", 2),
        ("b", "pairwise", "error", 1),
        ("a", "pairwise", "ok", 6),
    ]


def test_it_is_shown_by_its_counts():
    rows = (row("a", "pairwise", "default", "ok"), row("b", "pairwise", "default", "error"))

    assert repr(Inventory(rows, (1200, 34))) == "Inventory(2 judges, 1 paradigm, 1,234 judgments)"


# Few rows with many different values, and many rows with few: the two are counted in different ways.
@pytest.mark.parametrize(("rows", "values"), [(12, 5), (4000, 2)])
def test_stored_judgments_are_counted_by_their_columns(tmp_path, rows, values):
    draw = random.Random(0)
    judges, runs = [f"j{number}" for number in range(values)], [f"run-{number}" for number in range(values)]
    judgments = [
        {
            "judge": draw.choice(judges),
            "paradigm": draw.choice(["single_rubric", "all_rubrics"]),
            "instance_id": f"i{number}",
            "generator": "j0",
            "rubric_id": "r",
            "run_id": draw.choice(runs),
            "ordering": draw.choice([None, "original", "reversed"]),
            **draw.choice([{"met": True, "status": "ok"}, {"met": None, "status": "unparsed"}]),
        }
        for number in range(rows)
    ]
    instances = [f"i{number}" for number in range(rows)]
    tables = {
        "models": pa.table({"model": judges, "family": judges}),
        "instances": pa.table({"instance_id": instances}),
        "rubrics": pa.table({"instance_id": instances, "rubric_id": ["r"] * rows}),
        "judgments": pa.Table.from_pylist(judgments),
    }
    Store(tmp_path).write("s", tables, StudyInfo())

    inventory = Inventory.read(StudyFiles.at(str(tmp_path / "s")))

    whole = {"variant": "default", "transform": "none"}
    expected = Counter(tuple((whole | row)[name] for name in COLUMNS) for row in judgments)
    assert dict(zip(inventory.rows, inventory.counts, strict=True)) == expected
