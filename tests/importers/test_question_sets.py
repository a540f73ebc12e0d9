"""Question sets of the catalogue, read from small files of their shape."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import Spb

from engine.store import Store

OPTIONS = ["red", "green", "blue", "grey"]


def _mmlu(path: Path, answer: int = 2) -> None:
    row = {"question": "Which is the sky?", "subject": "colours", "choices": OPTIONS, "answer": answer}
    pq.write_table(pa.Table.from_pylist([row]), path)


def _quality(path: Path, label: int = 3) -> None:
    question = {"question": "Which is the sky?", "options": OPTIONS, "gold_label": label, "difficult": 1}
    row = {"set_unique_id": "s1", "article": "The sky was blue.", "questions": [question]}
    path.write_text(json.dumps(row) + "\n", "utf-8")


def _truthful(path: Path) -> None:
    head = "Type,Category,Question,Best Answer,Correct Answers,Incorrect Answers,Source"
    row = 'Adversarial,Colours,"Which, then, is the sky?",Blue,Blue; azure,Red,somewhere'
    path.write_text(f"{head}\n{row}\n", "utf-8")


@pytest.mark.parametrize(
    ("name", "write", "answer"),
    [("mmlu", _mmlu, "C"), ("quality", _quality, "C"), ("truthful-qa", _truthful, "Blue")],
)
def test_a_question_set_is_fetched_with_its_reference_answers(
    tmp_path: Path, spb_here: Spb, name: str, write: object, answer: str
) -> None:
    write(tmp_path / "file")  # type: ignore[operator]

    ran = spb_here("data", "fetch", name, "--from", tmp_path / "file", "--store", tmp_path / "store")

    assert ran.returncode == 0, ran.stderr
    (row,) = Store(tmp_path / "store").open(name).table("instances").to_pylist()
    assert row["reference_answer"] == answer
    assert "the sky?" in row["prompt"]
    if answer == "C":
        assert "\nC. blue\n" in row["prompt"]


@pytest.mark.parametrize(("name", "write"), [("mmlu", _mmlu), ("quality", _quality)])
def test_a_right_option_beyond_the_options_is_refused(
    tmp_path: Path, spb_here: Spb, name: str, write: object
) -> None:
    write(tmp_path / "file", 7)  # type: ignore[operator]

    ran = spb_here("data", "fetch", name, "--from", tmp_path / "file", "--store", tmp_path / "store")

    assert ran.returncode == 2 or ran.returncode == 1
    assert "and there are 4" in ran.stderr
    assert not (tmp_path / "store" / name).exists()
