"""Real file shapes that were once refused, or read only in part."""

import copy
from pathlib import Path
from typing import Any

import pytest
from importers.foreign_files import (
    LOG,
    alpaca,
    component,
    dump,
    imported,
    judgments,
    promptfoo,
    rows_of,
    sample,
)

from engine.errors import BadInputError
from engine.importers.import_options import ImportOptions

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "alpaca_eval"
PANEL = ["openai/gpt-4o", "anthropic/claude-3-opus", "google/gemini-1.5-pro"]


def test_alpaca_evals_completion_may_be_an_api_object(tmp_path: Path) -> None:
    token = {"content": [{"token": "M", "logprob": -0.01}]}
    choice = {"finish_reason": "length", "logprobs": token, "message": {"content": "M"}, "text": "M"}
    completions: list[Any] = [choice, {"message": {"content": "m"}}, "M", None, [{"score": 1}]]
    rows = [
        row | {"raw_completion": completion}
        for row, completion in zip(alpaca(1, 2, 1.5, 1.9, 1), completions, strict=True)
    ]

    report, study = imported("alpaca-eval", dump(tmp_path / "annotations.json", rows))

    assert (report.rows_read, report.rows_stored) == (5, 5)
    assert judgments(study, "raw") == [("M",), ("m",), ("M",), (None,), ('[{"score": 1}]',)]


def test_all_rows_of_a_published_file_of_alpaca_evals_default_annotator_are_read() -> None:
    path = REAL / "gemma-7b-it.weighted_alpaca_eval_gpt4_turbo.first150.json"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    from engine.importers.format_loading import row_format
    from engine.importers.pipeline import reading

    with reading(row_format("alpaca-eval"), path) as read:
        assert (read.report.rows_read, read.report.rows_stored) == (150, 150)
        assert read.report.statuses == {"ok": 150}


def event(judge: str, words: str, span: str) -> dict[str, Any]:
    choice = {"message": {"role": "assistant", "content": words}}
    return {"event": "model", "span_id": span, "model": judge, "output": {"choices": [choice]}}


def panel_log(path: Path, *, votes: bool, events: bool) -> Path:
    """Write a panel's log as inspect_ai 0.3.285 does, optionally without what older versions leave out."""
    log = copy.deepcopy(LOG)
    options = {"model": [PANEL[0], {"model": PANEL[1], "config": {}}, PANEL[2]]}
    log["eval"]["scorers"] = [{"name": "includes"}, {"name": "model_graded_qa", "options": options}]  # type: ignore[index]
    one = sample(1, "C")
    one["scores"]["includes"] = {"value": "I"}
    if votes:
        one["scores"]["model_graded_qa"]["metadata"]["panel"] = {"votes": ["C", "I", None], "size": 3}
    if events:
        words = ("Fine.\nGRADE: C", "No grade: C is wrong.\nGRADE: I", "I cannot say.")
        one["events"] = [
            event("openai/gpt-4o", "GRADE: I, says the model that answers", "solver"),
            {"event": "span_begin", "id": "s", "type": "scorer", "name": "model_graded_qa"},
            *(event(judge, text, "s") for judge, text in zip(PANEL, words, strict=True)),
        ]
    return dump(path, log | {"samples": [one]})


@pytest.mark.parametrize(("votes", "events"), [(True, True), (True, False), (False, True)])
def test_each_grader_of_a_panel_is_a_judge(tmp_path: Path, votes: bool, events: bool) -> None:
    _, study = imported("inspect", panel_log(tmp_path / "log.json", votes=votes, events=events))

    assert judgments(study, "judge", "rubric_id", "met", "status") == [
        (PANEL[0], "correct", True, "ok"),
        (PANEL[1], "correct", False, "ok"),
        (PANEL[2], "correct", None, "unparsed"),
    ]
    explanations = [text for (text,) in judgments(study, "explanation")]
    assert explanations[0] == ("Fine.\nGRADE: C" if events else None)
    assert rows_of(study.table("references"), "rubric_id", "met") == [("correct", False)]


def test_a_panels_joint_grade_is_no_verdict_unless_a_judge_is_given(tmp_path: Path) -> None:
    path = panel_log(tmp_path / "log.json", votes=False, events=False)

    report, study = imported("inspect", path)
    assert not study.has("judgments")
    assert any("has the common grade only" in note for note in report.notes)

    (tmp_path / "again").mkdir()
    again = panel_log(tmp_path / "again" / "log.json", votes=False, events=False)
    _, study = imported("inspect", again, ImportOptions(judge="panel"))
    assert judgments(study, "judge", "met") == [("panel", True)]


def test_graders_of_a_scorer_given_twice_are_distinguished(tmp_path: Path) -> None:
    log = copy.deepcopy(LOG)
    log["eval"]["scorers"] = [  # type: ignore[index]
        {"name": "model_graded_qa", "options": {"model": judge}} for judge in PANEL[:2]
    ]
    one = sample(1, "C")
    one["scores"] = {"model_graded_qa": {"value": "C"}, "model_graded_qa1": {"value": "I"}}

    _, study = imported("inspect", dump(tmp_path / "log.json", log | {"samples": [one]}))

    assert judgments(study, "judge", "met") == [(PANEL[0], True), (PANEL[1], False)]


@pytest.mark.parametrize("copies", [True, False])
def test_members_of_a_set_are_read_once_even_if_also_listed_beside_it(tmp_path: Path, copies: bool) -> None:
    members = [component("contains", "a", True), component("llm-rubric", "Is short.", False)]
    total = {"pass": True, "score": 1, "reason": "Aggregate score", "componentResults": members}
    member_rules = [{"type": "contains", "value": "a"}, {"type": "llm-rubric", "value": "Is short."}]
    rules = [{"type": "assert-set", "assert": member_rules}, {"type": "llm-rubric", "value": "Is kind."}]
    test = {"assert": rules, "options": {"provider": "openai:gpt-4.1"}}
    last = component("llm-rubric", "Is kind.", True)
    results = promptfoo(total, *(members if copies else []), last, testCase=test)

    _, study = imported("promptfoo", dump(tmp_path / "results.json", results))

    assert rows_of(study.table("rubrics"), "criterion") == [("contains: a",), ("Is short.",), ("Is kind.",)]
    assert judgments(study, "rubric_id", "met") == [("r2", False), ("r3", True)]


def test_a_folder_of_promptfoo_results_is_read_and_its_other_files_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    for number in (1, 2):
        results = promptfoo(component("llm-rubric", f"Has {number}.", True))
        dump(folder / f"{number}.json", results)
    dump(folder / "package.json", {"name": "mine"})

    report, study = imported("promptfoo", folder)

    assert len(judgments(study, "judge")) == 2
    assert any(note.startswith("package.json is left out") for note in report.notes)


def test_each_file_in_a_folder_of_llm_comparator_is_read_with_its_models(tmp_path: Path) -> None:
    folder = tmp_path / "sxs"
    for other in ("b", "c"):
        example = {"input_text": "Q", "output_text_a": "x", "output_text_b": other, "score": 1}
        models = [{"name": "a"}, {"name": other}]
        dump(folder / f"{other}.json", {"models": models, "examples": [example]})

    _, study = imported("llm-comparator", folder, ImportOptions(judge="j"))

    assert judgments(study, "generator", "opponent", "choice") == [
        ("a", "b", "generator"),
        ("a", "c", "generator"),
    ]


def test_a_single_file_of_another_tool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"it has no list results\.results"):
        imported("promptfoo", dump(tmp_path / "x.json", {"a": 1}))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_table_is_read_whatever_its_encoding_and_its_delimiter(
    tmp_path: Path, encoding: str, mark: str
) -> None:
    rows = [
        [" Judge ", "GENERATOR", "Instance ID", "Met", "rubric-id"],
        ["Jürgen", "Modèle", "1", "Yes", "r"],
        ["Jürgen", "Modèle", "2", "no", "r"],
    ]
    path = tmp_path / "t.csv"
    path.write_bytes("\r\n".join(mark.join(row) for row in rows).encode(encoding))

    _, study = imported("table", path)

    assert judgments(study, "judge", "generator", "instance_id", "met") == [
        ("Jürgen", "Modèle", "1", True),
        ("Jürgen", "Modèle", "2", False),
    ]
