"""Files of score rubrics from other projects."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from engine.errors import BadInputError
from engine.importers.format_loading import row_format
from engine.importers.formats.prometheus import import_prometheus
from engine.importers.mapping_report import MappingReport
from engine.importers.pipeline import reading
from engine.store import Store
from engine.store.study_files import StudyFiles
from engine.store.writer import validate_study

DATA = Path(__file__).parents[3] / "shared" / "data"
PROMETHEUS = DATA / "prometheus" / "mt_bench_eval.jsonl"
HANNA = DATA / "hanna" / "scores_long.parquet"

needs_prometheus = pytest.mark.skipif(
    not PROMETHEUS.exists(), reason="needs ../shared/data/prometheus/mt_bench_eval.jsonl"
)
needs_hanna = pytest.mark.skipif(not HANNA.exists(), reason="needs ../shared/data/hanna/scores_long.parquet")

PROMPT = (
    "###Task Description:\nJudge.\n\n###The instruction to evaluate:\nGreet me.\n\n"
    "###Response to evaluate:\nHello.\n\n###Reference Answer (Score 5):\nGood day.\n\n"
    "###Score Rubrics:\n[Is it kind?]\nScore 1: No.\nScore 2: A little.\nScore 3: Yes.\n\n###Feedback: "
)


def line(**changes: Any) -> dict[str, Any]:
    row = {"idx": 1, "response_source": "a", "category": "chat", "instruction": PROMPT, "gpt4_score": [3, 2]}
    return row | changes


def write(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    return path


def test_a_prometheus_file_becomes_instances_rubrics_with_options_and_scores(tmp_path: Path) -> None:
    rows = line(), line(response_source="b", gpt4_score=[1, None], human_score=[2, 3])
    path = write(tmp_path / "small.jsonl", *rows)

    import_prometheus(path, Store(tmp_path / "store"))

    files = Store(tmp_path / "store").open("small")
    validate_study(files)
    rubric = files.table("rubrics").to_pylist()[0]
    assert rubric["criterion"] == "Is it kind?"
    assert json.loads(rubric["options"])[2] == {"score": 3, "text": "Yes."}
    instance = files.table("instances").to_pylist()[0]
    assert json.loads(instance["prompt"]) == [{"role": "user", "content": "Greet me."}]
    assert instance["reference_answer"] == "Good day."
    scores = files.judgments(["generator", "trial", "score", "position", "ordering", "status"]).to_pylist()
    assert [tuple(row.values()) for row in scores] == [
        ("a", 0, 3.0, 3, "1-2-3", "ok"),
        ("a", 1, 2.0, 2, "1-2-3", "ok"),
        ("b", 0, 1.0, 1, "1-2-3", "ok"),
        ("b", 1, None, None, "1-2-3", "unparsed"),
    ]
    references = files.table("references").to_pylist()
    assert [(row["generator"], row["source"], row["score"]) for row in references] == [
        ("b", "human:1", 2.0),
        ("b", "human:2", 3.0),
    ]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (line(gpt4_score=[4]), "row 2: gpt4_score is '4', expected one of 1, 2, 3"),
        (line(instruction="Judge this."), "row 2: instruction has no request"),
        (line(idx=None), "row 2: idx is 'None', expected a text"),
        ([1], "row 2: the line is"),
    ],
)
def test_a_prometheus_line_in_another_format_is_refused_with_its_number(
    tmp_path: Path, row: Any, words: str
) -> None:
    path = write(tmp_path / "small.jsonl", line(), row)

    with pytest.raises(BadInputError, match=words):
        import_prometheus(path, Store(tmp_path / "store"))

    assert Store(tmp_path / "store").studies() == []


@needs_prometheus
def test_the_prometheus_file_of_mt_bench_is_read_score_for_score(tmp_path: Path) -> None:
    import_prometheus(PROMETHEUS, Store(tmp_path / "store"))

    files = Store(tmp_path / "store").open("mt_bench_eval")
    validate_study(files)
    with PROMETHEUS.open(encoding="utf-8") as stream:
        rows = [json.loads(text) for text in stream]
    expected = {
        (str(row["idx"]), row["response_source"], trial): float(score)
        for row in rows
        for trial, score in enumerate(row["gpt4_score"])
    }
    scores = files.judgments(["instance_id", "generator", "trial", "score"]).to_pylist()
    assert {(r["instance_id"], r["generator"], r["trial"]): r["score"] for r in scores} == expected
    assert len(expected) == 960
    assert len(files.table("responses")) == 320
    assert {len(json.loads(row["prompt"])) for row in files.table("instances").to_pylist()} == {2}


def read_hanna(path: Path, folder: Path) -> tuple[MappingReport, StudyFiles]:
    with reading(row_format("hanna"), path) as source:
        source.write(Store(folder), "hanna")
    return source.report, Store(folder).open("hanna")


@needs_hanna
def test_model_means_below_1_are_not_scores_and_the_others_are_kept(tmp_path: Path) -> None:
    """Of every fourth prompt; the judges gave 848 means below 1 on all 96."""
    whole = pq.read_table(HANNA)
    entries = whole.filter(pc.is_in(whole["prompt_id"], pa.array(range(0, 96, 4))))
    pq.write_table(entries, tmp_path / HANNA.name)

    report, files = read_hanna(tmp_path / HANNA.name, tmp_path / "store")

    validate_study(files)
    models = entries["score"].to_numpy()[pc.not_equal(entries["setting"], "human").to_numpy()]
    statuses = files.judgments(["status"]).column("status").to_pylist()
    assert Counter(statuses) == {"ok": (models >= 1).sum(), "unparsed": (models < 1).sum()}
    assert report.statuses["unparsed"] == (models < 1).sum() > 0
    assert pc.sum(pc.less(whole["score"], 1)).as_py() == 848
    assert len(files.table("references")) == 3 * 24 * 11 * 6
    assert "possibly contaminated" in str(files.info.notes)
    assert files.info.licence == "MIT"


HANNA_ROW = {"story_id": 0, "prompt_id": 0, "generator": "GPT-2", "criterion": "EM", "score": 3.0}
PERSON = {"rater": "human2", "setting": "human"}
MODEL = {"rater": "Beluga-13B", "setting": "prompt1"}


def test_hannas_people_are_references_and_its_models_judges_with_prompts(tmp_path: Path) -> None:
    rows = [PERSON, MODEL, MODEL | {"prompt_id": 1, "score": 0.9}, PERSON | {"prompt_id": 1, "score": 0.5}]
    path = tmp_path / "scores_long.parquet"
    pq.write_table(pa.Table.from_pylist([HANNA_ROW | row for row in rows]), path)

    report, files = read_hanna(path, tmp_path / "store")

    validate_study(files)
    columns = ["judge", "variant", "paradigm", "instance_id", "rubric_id", "score", "status"]
    assert [tuple(row.values()) for row in files.judgments(columns).to_pylist()] == [
        ("Beluga-13B", "prompt1", "score_rubric", "0", "EM", 3.0, "ok"),
        ("Beluga-13B", "prompt1", "score_rubric", "1", "EM", None, "unparsed"),
    ]
    references = files.table("references").to_pylist()
    assert [(row["source"], row["score"]) for row in references] == [("human:2", 3.0)]
    rubric = files.table("rubrics").to_pylist()[0]
    assert (rubric["criterion"], len(json.loads(rubric["options"]))) == ("Empathy", 5)
    assert {row.model: row.family for row in report.models} == {"GPT-2": "GPT", "Beluga-13B": "Llama"}
    assert {reason: out.examples for reason, out in report.left_out.items()} == {
        "score is not from 1 to 5": ["scores_long.parquet, row 4"]
    }
