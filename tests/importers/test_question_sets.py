"""Question sets of the catalogue, read from small files of their shape."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import Spb

from engine.importers.datasets.page_text import page_text
from engine.store import Store

OPTIONS = ["red", "green", "blue", "grey"]


def _mmlu(path: Path, answer: int = 2) -> None:
    row = {"question": "Which is the sky?", "subject": "colours", "choices": OPTIONS, "answer": answer}
    pq.write_table(pa.Table.from_pylist([row]), path)


def _quality(path: Path, label: int = 3) -> None:
    question = {"question": "Which is the sky?", "options": OPTIONS, "gold_label": label, "difficult": 1}
    row = {"set_unique_id": "s1", "article": "The sky was blue.", "questions": [question]}
    path.write_text(json.dumps(row) + "\n", "utf-8")


def _wmt(path: Path) -> None:
    row = {"translation": {"de": "Der Himmel, the sky? ist blau.", "en": "The sky is blue."}}
    pq.write_table(pa.Table.from_pylist([row]), path)


def _cnn(path: Path) -> None:
    row = {"article": "Is it the sky? It is blue.", "highlights": "The sky is blue.\nStill.", "id": "a1"}
    pq.write_table(pa.Table.from_pylist([row]), path)


def _xsum(path: Path) -> None:
    row = {"document": "Is it the sky? It is blue.", "summary": "The sky is blue.", "id": "35232142"}
    pq.write_table(pa.Table.from_pylist([row]), path)


def _summeval(path: Path) -> None:
    texts = {"machine_summaries": ["Sky."], "human_summaries": ["The sky is blue.", "Blue."]}
    scores = {name: [4.0] for name in ("relevance", "coherence", "fluency", "consistency")}
    row = {**texts, **scores, "text": "Is it the sky? It is blue.", "id": "cnn-test-1"}
    pq.write_table(pa.Table.from_pylist([row]), path)


def _truthful(path: Path) -> None:
    head = "Type,Category,Question,Best Answer,Correct Answers,Incorrect Answers,Source"
    row = 'Adversarial,Colours,"Which, then, is the sky?",Blue,Blue; azure,Red,somewhere'
    path.write_text(f"{head}\n{row}\n", "utf-8")


@pytest.mark.parametrize(
    ("name", "write", "answer"),
    [
        ("mmlu", _mmlu, "C"),
        ("quality", _quality, "C"),
        ("truthful-qa", _truthful, "Blue"),
        ("wmt19-de-en", _wmt, "The sky is blue."),
        ("cnn-dailymail", _cnn, "The sky is blue.\nStill."),
        ("xsum", _xsum, "The sky is blue."),
        ("summeval", _summeval, "The sky is blue."),
    ],
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


def test_an_article_of_quality_in_html_is_read_as_its_text(tmp_path: Path, spb_here: Spb) -> None:
    body = "<p>The sky<br/>was &lt;very&gt; blue.</p> <p>And  <i>so</i> on.</p>"
    page = f"<html><head><title>T</title></head><body>{body}</body></html>"
    question = {"question": "Which?", "options": OPTIONS, "gold_label": 3, "difficult": 0}
    row = {"set_unique_id": "s1", "article": page, "questions": [question]}
    (tmp_path / "QuALITY.v1.0.1.dev").write_text(json.dumps(row) + "\n", "utf-8")

    ran = spb_here(
        "data", "fetch", "quality", "--from", tmp_path / "QuALITY.v1.0.1.dev", "--store", tmp_path / "store"
    )

    assert ran.returncode == 0, ran.stderr
    (row,) = Store(tmp_path / "store").open("quality").table("instances").to_pylist()
    assert row["prompt"].startswith("The sky\nwas <very> blue.\nAnd so on.\n\nWhich?\nA. red\n")


def test_a_text_that_only_speaks_of_tags_is_left_as_it_is() -> None:
    text = "if a<b and c>d then\n  x  <i>not a page</i>"

    assert page_text(text) == text


def _scored(path: Path, **more: object) -> None:
    expert = {"coherence": 2, "consistency": 5, "fluency": 4, "relevance": 3}
    rows = [
        {
            "id": "dm-test-1",
            "decoded": f"The sky, by {system}.",
            "model_id": system,
            "references": ["Blue."],
            "expert_annotations": [expert, {**expert, "coherence": 1, **more}],
            "turker_annotations": [{**expert, "coherence": 5}],
        }
        for system in ("M0", "M22")
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def test_scores_of_experts_are_references_of_each_of_them(tmp_path: Path, spb_here: Spb) -> None:
    _scored(tmp_path / "file")

    ran = spb_here(
        "data", "fetch", "summeval-scores", "--from", tmp_path / "file", "--store", tmp_path / "store"
    )

    assert ran.returncode == 0, ran.stderr
    study = Store(tmp_path / "store").open("summeval-scores")
    rows = study.table("references").to_pylist()
    assert len(rows) == 2 * 2 * 4  # systems, experts, dimensions: no crowd worker
    assert {row["score"] for row in rows if row["rubric_id"] == "coherence"} == {1.0, 2.0}
    assert {row["source"] for row in rows} == {"human:expert-1", "human:expert-2"}
    assert {row["generator"] for row in study.table("responses").to_pylist()} == {"M0", "M22"}


def test_a_score_off_the_scale_is_refused_with_its_line(tmp_path: Path, spb_here: Spb) -> None:
    _scored(tmp_path / "file", fluency=6)

    ran = spb_here(
        "data", "fetch", "summeval-scores", "--from", tmp_path / "file", "--store", tmp_path / "store"
    )

    assert ran.returncode != 0
    assert "row 1" in ran.stderr
    assert "fluency is 6, expected a number from 1 to 5" in ran.stderr
    assert not (tmp_path / "store" / "summeval-scores").exists()


def test_a_file_of_another_shape_names_the_missing_field(tmp_path: Path, spb_here: Spb) -> None:
    _xsum(tmp_path / "file")

    ran = spb_here(
        "data", "fetch", "cnn-dailymail", "--from", tmp_path / "file", "--store", tmp_path / "store"
    )

    assert ran.returncode != 0
    assert "the field 'article' is missing" in ran.stderr
    assert "abisee/cnn_dailymail" in ran.stderr
