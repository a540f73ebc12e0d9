"""What simulated judges learn about a study before they judge it."""

from pathlib import Path

import pyarrow as pa

from engine.simulation.oracle import Oracle, load_oracle
from engine.store import Store
from engine.store.study_files import StudyFiles, StudyInfo

INSTANCE = {"instance_id": "i"}
TABLES = {
    "models": [{"model": "a", "family": "f"}, {"model": "b", "family": "f"}],
    "instances": [INSTANCE],
    "rubrics": [
        {**INSTANCE, "rubric_id": "r1", "criterion": "Is polite.", "points": 2.0},
        {**INSTANCE, "rubric_id": "r2", "criterion": "Insults the reader.", "points": -3.0},
        {**INSTANCE, "rubric_id": "r3", "criterion": None, "points": 1.0},
    ],
    "responses": [
        {**INSTANCE, "generator": "a", "text": "Dear reader.", "transform": "none"},
        {**INSTANCE, "generator": "a", "text": "Dearest reader.", "transform": "style"},
        {**INSTANCE, "generator": "b", "text": None, "transform": "none"},
    ],
    "references": [
        {**INSTANCE, "generator": "a", "rubric_id": "r1", "source": "program", "met": True},
        {**INSTANCE, "generator": "a", "rubric_id": "r1", "source": "human", "met": False},
        {**INSTANCE, "generator": "a", "rubric_id": "r2", "source": "human", "met": True},
        {**INSTANCE, "generator": "a", "rubric_id": "r2", "source": "committee:c", "met": False},
    ],
}


def study(root: Path) -> StudyFiles:
    tables = {name: pa.Table.from_pylist(rows) for name, rows in TABLES.items()}
    info = StudyInfo(name="s", title="s", provenance="imported", committees={"c": {"members": ["a", "b"]}})
    store = Store(str(root))
    store.write("s", tables, info)
    return store.open("s")


def test_judges_learn_responses_references_and_undesirable_criteria(tmp_path: Path) -> None:
    oracle = Oracle()

    load_oracle(oracle, study(tmp_path))

    assert oracle.generator_of("Dear reader.") == oracle.generator_of("Dearest reader.") == "a"
    assert oracle.generator_of("Some other text.") is None
    assert oracle.undesirable("Insults the reader.")
    assert not oracle.undesirable("Is polite.")
    assert oracle.favourable("Dear reader.", "Is polite.")  # a program's reference precedes a person's
    assert not oracle.favourable("Dear reader.", "Insults the reader.")  # it does, a person says
    assert oracle.strength("Dear reader.") == 0.5


def test_a_study_that_has_grown_may_be_loaded_again(tmp_path: Path) -> None:
    oracle = Oracle()
    oracle.record("Dear reader.", "a")

    load_oracle(oracle, study(tmp_path))
    load_oracle(oracle, study(tmp_path / "again"))

    assert oracle.strength("Dear reader.") == 0.5


def test_a_text_belongs_to_its_first_author() -> None:
    oracle = Oracle()
    oracle.record("Paris.", "a")
    oracle.record("Paris.", "b", {"Is right.": True})

    assert oracle.generator_of(" Paris.\n") == "a"
    assert oracle.favourable("Paris.", "Is right.")
