"""A file's format is detected from its contents; a wrong one is refused with the likely one."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from importers.foreign_files import alpaca, dump, lines, promptfoo
from openpyxl import Workbook
from pyarrow import feather

from engine.errors import BadInputError, UsageError
from engine.importers.detection import format_of, hint, likenesses

SCORED = {"inputs": {"q": 1}, "evaluation_scores": []}
OBJECTS: dict[str, Any] = {
    "promptfoo": promptfoo(),
    "inspect": {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": []},
    "llm-comparator": {"metadata": {}, "models": [{"name": "a"}, {"name": "b"}], "examples": []},
    "healthbench": {"score": 1, "metadata": {"example_level_metadata": []}},
    "deepeval": {"testCases": [], "metricsScores": []},
    "langfuse": {"id": "t", "observations": [], "scores": []},
    "langsmith": {"experiment_name": "e", "results": [SCORED]},
    "mlflow": {"info": {"trace_id": "t", "assessments": []}, "data": {"spans": []}},
    "rewardbench": {"model": "m", "results": [1], "subset": ["s"], "text_chosen": ["a"]},
    "biggen": {"p_0": {"score_rubric": {"criteria": "c"}, "response": "r", "input": "i"}},
}
ROWS: dict[str, dict[str, Any]] = {
    "alpaca-eval": alpaca(1.5)[0],
    "mt-bench": {
        "question_id": 81,
        "model_1": "a",
        "model_2": "b",
        "g1_winner": "tie",
        "judge": ["gpt-4", "x"],
    },
    "arena-hard": {"question_id": "q", "model": "m", "judge": "j", "games": []},
    "judgebench": {"pair_id": "p", "response_model": "m", "response_A": "a", "judgments": []},
    "wildbench": {"session_id": "s", "parsed_result": {}, "model_test": "m", "score": "8"},
    "council": {
        "emobench_id": 1,
        "judge_model": "j",
        "first_completion_by": "a",
        "second_completion_by": "b",
        "pairwise_choice": "A>B",
    },
    "chatbot-arena": {"model_a": "a", "model_b": "b", "winner": "tie", "conversation_a": []},
    "lm-eval": {"doc_id": 0, "doc": {}, "resps": [["x"]], "filtered_resps": ["x"], "arguments": {}},
    "openai-evals": {"run_id": "r", "event_id": 0, "sample_id": "s", "type": "match", "data": {}},
    "mlflow": {"info": {"trace_id": "t", "assessments": []}, "data": {"spans": []}},
    "promptfoo": promptfoo()["results"]["results"][0],
    "langfuse": {
        "id": "s",
        "trace_id": "t",
        "name": "n",
        "value": 1,
        "data_type": "NUMERIC",
        "source": "EVAL",
    },
    "langsmith": {"id": "r", "run_type": "llm", "inputs": {}, "outputs": {}, "feedback": []},
    "phoenix": {"context.span_id": "1", "attributes.input.value": "Q", "eval.X.label": "yes"},
    "ragas": {"user_input": "q", "response": "r", "retrieved_contexts": ["c"], "faithfulness": 0.5},
    "judging-the-judges": {"model": "m", "question": "q", "references": "r", "HumanJudgement": True},
    "prometheus": {"idx": 1, "instruction": "i", "gpt4_score": [5], "response_source": "m"},
    "pandalm": {"idx": 1, "annotator1": 1, "annotator2": 1, "annotator3": 1, "response1": "a"},
    "table": {"rater": "gpt-4o", "verdict": "yes", "question": 1},
}


@pytest.mark.parametrize("form", OBJECTS)
@pytest.mark.parametrize("indent", [False, True])
def test_a_format_of_one_object_is_detected(tmp_path: Path, form: str, indent: bool) -> None:
    import json

    path = tmp_path / "file.json"
    path.write_text(json.dumps(OBJECTS[form], indent=2 if indent else None), "utf-8")

    assert format_of(path).form == form


@pytest.mark.parametrize("form", ROWS)
@pytest.mark.parametrize("layout", ["lines", "list"])
def test_a_format_of_rows_is_detected(tmp_path: Path, form: str, layout: str) -> None:
    rows = [ROWS[form]] * 3
    path = lines(tmp_path / "f.jsonl", rows) if layout == "lines" else dump(tmp_path / "f.json", rows)

    guess = format_of(path)

    assert (guess.form, guess.share) == (form, 1.0)
    assert guess.reason.startswith("it has ")


def test_a_text_table_is_a_table_and_an_inspect_archive_is_a_log(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("rater;verdict\na;b\n", "utf-8")
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as packed:
        packed.writestr("header.json", "{}")

    assert format_of(tmp_path / "t.csv").reason == "it has the columns rater, verdict"
    assert format_of(tmp_path / "x.eval").form == "inspect"


def test_an_object_in_utf_16_has_its_format_and_rows_in_it_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(promptfoo()), "utf-16")
    (tmp_path / "b.jsonl").write_text(json.dumps(alpaca(1)[0]) + "\n" + json.dumps(alpaca(1)[0]), "utf-16")

    assert format_of(tmp_path / "a.json").form == "promptfoo"
    with pytest.raises(BadInputError, match="is not UTF-8"):
        format_of(tmp_path / "b.jsonl")


def test_an_archive_of_a_later_version_of_zip_has_no_known_format(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as packed:
        packed.writestr("header.json", "{}")
    content = (tmp_path / "x.eval").read_bytes()
    place = content.index(b"PK\x01\x02") + 6  # of the version needed, in the archive's directory
    (tmp_path / "x.eval").write_bytes(content[:place] + b"\xff" + content[place + 1 :])

    with pytest.raises(BadInputError, match="matches no known format"):
        format_of(tmp_path / "x.eval")


def test_workbooks_and_arrow_files_are_tables_and_indented_objects_have_their_format(tmp_path: Path) -> None:
    rows = [{"judge": "gpt-4o", "met": "yes"}, {"judge": "qwen", "met": "no"}]
    book = Workbook()
    for row in (list(rows[0]), *(list(row.values()) for row in rows)):
        book.active.append(row)
    book.save(tmp_path / "w.xlsx")
    feather.write_feather(pa.Table.from_pylist(rows), tmp_path / "f.feather")
    (tmp_path / "t.json").write_text("\n".join(json.dumps(row, indent=1) for row in rows))

    for name in ("w.xlsx", "f.feather", "t.json"):
        assert format_of(tmp_path / name).form == "table", name


def test_a_folder_has_the_format_of_most_of_its_files(tmp_path: Path) -> None:
    for place in range(3):
        dump(tmp_path / f"{place}" / "annotations.json", alpaca(1, 2))
    (tmp_path / "README.md").write_text("About.", "utf-8")
    (tmp_path / "leaderboard.csv").write_text("model,win_rate\na,1\n", "utf-8")

    guess = format_of(tmp_path)

    assert (guess.form, guess.share) == ("alpaca-eval", 0.6)


def test_a_folder_in_exchange_format_is_detected_by_its_tables(tmp_path: Path) -> None:
    for name in ("models", "instances", "judgments"):
        (tmp_path / f"{name}.csv").write_text("a\n1\n", "utf-8")

    assert format_of(tmp_path).form == "tidy"


def test_an_unknown_format_is_refused_and_a_missing_file_is_reported(tmp_path: Path) -> None:
    (path := tmp_path / "notes.json").write_text("42", "utf-8")

    assert likenesses(path) == []
    with pytest.raises(BadInputError, match="matches no known format"):
        format_of(path)
    with pytest.raises(UsageError, match="there is no file or folder"):
        format_of(tmp_path / "absent")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("results.yaml", "evalId: eval-1\nresults:\n  version: 3\n"),
        ("results.txt", "evalId: eval-1\nresults:\n  version: 3\n"),
        ("results.xml", "<promptfoo>\n  <evalId>eval-1</evalId>\n</promptfoo>\n"),
        (
            "results.csv",
            "country,[a] Q,Status,Score,Named Scores,Metric: m,Grader Reason,Comment\nPeru,x,PASS,1\n",
        ),
    ],
)
def test_promptfoos_output_for_people_is_refused_with_the_format_to_use(
    tmp_path: Path, name: str, text: str
) -> None:
    (path := tmp_path / name).write_text(text, "utf-8")

    with pytest.raises(BadInputError, match=r"promptfoo's results as \w+, .* promptfoo export eval latest"):
        format_of(path)


def test_a_wrong_format_is_refused_with_the_likely_one(tmp_path: Path) -> None:
    path = dump(tmp_path / "annotations.json", alpaca(1))

    assert hint(path, "mt-bench").startswith("it looks like alpaca-eval: it has output_1")
    assert hint(path, "alpaca-eval") == ""
