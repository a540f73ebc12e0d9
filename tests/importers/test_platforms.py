"""Exports of platforms: whose score is a judgment, whose a reference, and what in them is no verdict."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from importers.foreign_files import dump, judgments, lines, rows_of

from engine.errors import BadInputError, UsageError
from engine.importers.detection import format_of
from engine.importers.formats import deepeval, langfuse, langsmith, mlflow, openai_evals, phoenix, ragas
from engine.importers.formats.scored_calls import words_of
from engine.importers.import_options import ImportOptions
from engine.importers.mapping_report import MappingReport
from engine.importers.pipeline import reading
from engine.importers.reading.format import Format
from engine.store import Store
from engine.store.study_files import StudyFiles


def imported(form: Format, path: Path, **options: Any) -> tuple[MappingReport, StudyFiles]:
    store = Store(path.parent / "store")
    with reading(form, path, ImportOptions(**options)) as read:
        read.write(store, "read")
    return read.report, store.open("read")


VERDICTS = ("judge", "generator", "rubric_id", "met", "score", "status")


def test_text_is_found_in_messages_choices_and_objects() -> None:
    message = {"role": "assistant", "content": "Hi"}

    assert words_of([{"role": "user", "content": "x"}, message]) == "Hi"
    assert words_of({"choices": [{"message": message}]}) == "Hi"
    assert words_of({"generations": [[{"text": "t"}]]}) == "t"
    assert words_of({"question": "Q", "k": 1}) == "Q"
    assert words_of({"k": 1}) == '{"k": 1}'
    assert words_of(None) is None


# ---- DeepEval


def metric(**more: Any) -> dict[str, Any]:
    return {"name": "Correctness [GEval]", "score": 0.9, "evaluationModel": "gpt-4.1 (OpenAI)"} | more


def test_a_deepeval_run_has_judges_metrics_and_programs(tmp_path: Path) -> None:
    case = {
        "name": "case_0",
        "input": "Q",
        "actualOutput": "A",
        "expectedOutput": "B",
        "metricsData": [
            metric(reason="Good."),
            metric(name="Faithfulness", score=None, error="timed out"),
            metric(name="Tone [GEval]", score=None),
            {"name": "Exact Match", "score": 1.0, "success": True},
        ],
    }
    run = {"testCases": [case], "hyperparameters": {"model": "claude-3-haiku"}}

    report, study = imported(deepeval.FORMAT, dump(tmp_path / "20260102_101112", run))

    assert judgments(study, *VERDICTS) == [
        ("gpt-4.1", "claude-3-haiku", "Correctness [GEval]", None, 0.9, "ok"),
        ("gpt-4.1", "claude-3-haiku", "Faithfulness", None, None, "error"),
        ("gpt-4.1", "claude-3-haiku", "Tone [GEval]", None, None, "unparsed"),
    ]
    assert rows_of(study.table("references"), "source", "score") == [("program", 1.0)]
    assert report.left_out == {}


def test_deepeval_fields_in_snake_case_and_its_latest_run_are_read(tmp_path: Path) -> None:
    one = {"name": "M", "score": 0.5, "evaluation_model": "gpt-4o"}
    case = {"input": "Q", "actual_output": "A", "metrics_data": [one]}
    dump(folder := tmp_path / "runs" / "a.json", {"test_results": [case]})
    dump(tmp_path / "runs" / "b", {"testRunData": {"testCases": [case | {"input": "Q2"}]}})

    report, study = imported(deepeval.FORMAT, folder.parent, generator="qwen")

    assert [score for (score,) in judgments(study, "score")] == [0.5, 0.5]
    assert report.rows_stored == 2


# ---- Ragas


def test_a_folder_of_deepeval_runs_may_contain_a_lock_file(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    case = {"input": "Q", "actualOutput": "A", "flaky": False, "metricsData": [metric()]}
    dump(folder / "test_run_20261123_214610.json", {"testCases": [case], "hyperparameters": {"model": "m"}})
    (folder / ".test_run.lock").write_text("", "utf-8")
    dump(folder / "notes.json", {"a": 1})

    report, study = imported(deepeval.FORMAT, folder)

    assert judgments(study, *VERDICTS)[0][:3] == ("gpt-4.1", "m", "Correctness [GEval]")
    assert any(note.startswith("notes.json is left out") for note in report.notes)


def test_deepevals_own_folder_asks_which_file_is_meant(tmp_path: Path) -> None:
    dump(tmp_path / ".deepeval" / ".latest_test_run.json", {"testRunData": {"testCases": []}})

    with pytest.raises(BadInputError, match=r"such as \.latest_test_run\.json"):
        imported(deepeval.FORMAT, tmp_path / ".deepeval")


def test_ragas_metrics_are_scores_and_nan_is_none(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(
        "user_input,retrieved_contexts,response,reference,faithfulness,exact_match,model\n"
        "Q1,\"['c']\",A,B,0.75,1,claude\nQ2,\"['c']\",A,B,,0,qwen\n",
        "utf-8",
    )

    _, study = imported(ragas.FORMAT, path, judge="gpt-4o", map={"generator": "model"})

    assert judgments(study, *VERDICTS) == [
        ("gpt-4o", "claude", "faithfulness", None, 0.75, "ok"),
        ("gpt-4o", "qwen", "faithfulness", None, None, "unparsed"),
    ]
    assert rows_of(study.table("references"), "source", "score") == [("program", 1.0), ("program", 0.0)]


def test_the_index_of_a_frame_is_no_ragas_metric_and_a_missing_score_is_one_of_its_metric(
    tmp_path: Path,
) -> None:
    (tmp_path / "scores.csv").write_text(",user_input,response,faithfulness\n0,Q1,A,0.5\n1,Q2,A,\n", "utf-8")

    report, study = imported(ragas.FORMAT, tmp_path / "scores.csv", judge="gpt-4o", generator="qwen")

    assert judgments(study, "rubric_id", "paradigm", "score", "status") == [
        ("faithfulness", "score_rubric", 0.5, "ok"),
        ("faithfulness", "score_rubric", None, "unparsed"),
    ]
    assert report.unused == ("column 1",)


def test_a_missing_numeric_score_of_deepeval_and_langfuse_is_no_verdict_on_a_rubric(tmp_path: Path) -> None:
    cases = [{"input": "Q", "actualOutput": "A", "metricsData": [metric(score=None), metric(error="boom")]}]
    path = dump(tmp_path / "a" / "run.json", {"testCases": cases, "hyperparameters": {"model": "qwen"}})
    _, study = imported(deepeval.FORMAT, path)
    assert set(judgments(study, "paradigm")) == {("score_rubric",)}

    trace = {
        "observations": [{"id": "o", "model": "qwen", "input": "Q", "output": "A"}],
        "scores": [score("tone", None, dataType="NUMERIC"), score("ok", None, dataType="BOOLEAN")],
    }
    _, study = imported(langfuse.FORMAT, dump(tmp_path / "b" / "t.json", trace), judge="j")
    assert judgments(study, "rubric_id", "paradigm", "status") == [
        ("tone", "score_rubric", "unparsed"),
        ("ok", "single_rubric", "unparsed"),
    ]


def test_ragas_metrics_without_a_model_are_a_programs_also_with_their_mode(tmp_path: Path) -> None:
    metrics = {
        "rouge_score(mode=fmeasure)": 0.5,
        "non_llm_context_recall": 0.25,
        "semantic_similarity": 0.75,
        "factual_correctness(mode=f1)": 1.0,
    }
    path = lines(tmp_path / "scores.jsonl", [{"user_input": "Q", "response": "A", **metrics}])

    _, study = imported(ragas.FORMAT, path, judge="gpt-4o", generator="qwen")

    assert judgments(study, "rubric_id", "score") == [("factual_correctness(mode=f1)", 1.0)]
    assert sorted(rows_of(study.table("references"), "rubric_id", "source", "score")) == [
        ("non_llm_context_recall", "program", 0.25),
        ("rouge_score(mode=fmeasure)", "program", 0.5),
        ("semantic_similarity", "program", 0.75),
    ]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_ragas_metrics_that_failed_first_or_always_are_missing_verdicts(tmp_path: Path, suffix: str) -> None:
    if suffix == "csv":
        path = tmp_path / "r.csv"
        path.write_text("user_input,response,depth,harm,exact_match\nQ,A,,,1.0\nR,B,0.5,,0.0\n", "utf-8")
    else:
        samples = [
            {"user_input": "Q", "response": "A", "depth": None, "harm": None, "exact_match": 1.0},
            {"user_input": "R", "response": "B", "depth": 0.5, "harm": None, "exact_match": 0.0},
        ]
        path = lines(tmp_path / "r.jsonl", samples)

    mapping = {"depth": "depth"} | ({"harm": "harm"} if suffix == "jsonl" else {})
    _, study = imported(ragas.FORMAT, path, judge="gpt-4.1", generator="m", map=mapping)

    expected = [
        ("depth", None, "unparsed"),
        ("harm", None, "unparsed"),
        ("depth", 0.5, "ok"),
        ("harm", None, "unparsed"),
    ]
    if suffix == "csv":  # a CSV row has no entry for a column without any value
        expected = [one for one in expected if one[0] != "harm"]
    assert judgments(study, "rubric_id", "score", "status") == expected


def test_phoenixs_evaluated_table_is_detected(tmp_path: Path) -> None:
    details = {"status": "COMPLETED", "exceptions": [], "execution_seconds": 0.1}
    evaluation = {
        "name": "right",
        "score": 1.0,
        "label": "correct",
        "metadata": {"model": "gpt-4.1"},
        "kind": "llm",
    }
    row = {"input": "Q", "output": "A", "right_execution_details": details, "right_score": evaluation}
    path = lines(tmp_path / "p.jsonl", [row])

    _, study = imported(phoenix.FORMAT, path, generator="m")

    assert format_of(path).form == "phoenix"
    assert judgments(study, "judge", "rubric_id", "met") == [("gpt-4.1", "right", True)]


def test_ragas_files_of_earlier_versions_and_without_a_judge_are_read(tmp_path: Path) -> None:
    rows = [
        {"question": "Q", "answer": "A", "contexts": ["c"], "ground_truth": "B", "faithfulness": math.nan}
    ]
    path = dump(tmp_path / "r.json", rows)

    with pytest.raises(UsageError, match="give --judge"):
        imported(ragas.FORMAT, path)

    _, study = imported(ragas.FORMAT, path, judge="gpt-4o", generator="qwen")
    assert judgments(study, "score", "status") == [(None, "unparsed")]
    assert rows_of(study.table("instances"), "reference_answer") == [("B",)]


# ---- OpenAI evals


def event(number: int, sample: str, kind: str, data: dict[str, Any]) -> dict[str, Any]:
    return {"run_id": "r", "event_id": number, "sample_id": sample, "type": kind, "data": data}


def test_an_evals_log_is_read_by_sample(tmp_path: Path) -> None:
    sampling = {"prompt": [{"role": "user", "content": "Q"}], "sampled": ["A"]}
    graded = {"prompt": "Grade.", "sampled": "It is right: Y"}
    rows = [
        {"spec": {"completion_fns": ["gpt-3.5-turbo"], "base_eval": "fruit", "run_config": {}}},
        event(0, "s.1", "sampling", sampling),
        event(1, "s.2", "sampling", sampling),
        event(2, "s.1", "sampling", graded),
        event(3, "s.1", "metrics", {"choice": "Y"}),
        event(4, "s.2", "metrics", {"choice": "__invalid__"}),
        event(5, "s.1", "match", {"correct": True, "expected": "A", "picked": "A"}),
        event(6, "s.3", "match", {"correct": True}),
        {"final_report": {"accuracy": 1}},
    ]

    report, study = imported(openai_evals.FORMAT, lines(tmp_path / "log.jsonl", rows), judge="gpt-4")

    assert judgments(study, "instance_id", *VERDICTS) == [
        ("s.1", "gpt-4", "gpt-3.5-turbo", "correct", True, None, "ok"),
        ("s.2", "gpt-4", "gpt-3.5-turbo", "correct", None, None, "unparsed"),
    ]
    assert judgments(study, "explanation")[0] == ("It is right: Y",)
    assert rows_of(study.table("references"), "instance_id", "source", "met") == [("s.1", "program", True)]
    assert list(report.left_out) == ["no sampling: the model was not called"]


def test_an_evals_log_may_lack_any_setting_of_its_run(tmp_path: Path) -> None:
    for settings in (None, {"eval_spec": None}, {"eval_spec": {"args": None}}):
        rows = [
            {"spec": {"completion_fns": ["gpt-3.5-turbo"], "run_config": settings}},
            event(0, "s.1", "sampling", {"prompt": "Q", "sampled": ["A"]}),
            event(1, "s.1", "metrics", {"choice": "Y"}),
        ]

        _, study = imported(
            openai_evals.FORMAT, lines(tmp_path / f"{settings}" / "log.jsonl", rows), judge="gpt-4"
        )

        assert judgments(study, "met") == [(True,)]


# ---- MLflow


def assessment(name: str, kind: str, **more: Any) -> dict[str, Any]:
    return {
        "assessment_name": name,
        "source": {"source_type": kind, "source_id": "openai:/gpt-4o"},
        "rationale": "r",
    } | more


def test_mlflow_assessments_are_judgments_references_and_failed_calls(tmp_path: Path) -> None:
    span = {
        "name": "root",
        "attributes": {
            "mlflow.spanInputs": json.dumps({"question": "Q", "model": "claude-3-haiku"}),
            "mlflow.spanOutputs": json.dumps("A"),
        },
    }
    assessments = [
        assessment("correct", "LLM_JUDGE", feedback={"value": "yes"}),
        assessment("safe", "LLM_JUDGE", feedback={"error": {"error_code": "RATE_LIMIT"}}),
        assessment("style", "LLM_JUDGE", feedback={"value": 4}, metadata={"model": "gpt-4.1"}),
        assessment("tone", "LLM_JUDGE", feedback={"value": "cheerful"}),
        assessment(
            "correct", "", feedback={"value": False}, source={"source_type": "HUMAN", "source_id": "ann"}
        ),
        assessment("exact", "CODE", feedback={"value": True}),
        assessment("expected_response", "HUMAN", expectation={"value": "B"}),
        assessment("old", "LLM_JUDGE", feedback={"value": "no"}, valid=False),
    ]
    trace = {
        "info": {"trace_id": "tr", "request_preview": "Q", "assessments": assessments},
        "data": {"spans": [span]},
    }

    report, study = imported(mlflow.FORMAT, lines(tmp_path / "t.jsonl", [trace]))

    assert judgments(study, *VERDICTS) == [
        ("openai/gpt-4o", "claude-3-haiku", "correct", True, None, "ok"),
        ("openai/gpt-4o", "claude-3-haiku", "safe", None, None, "error"),
        ("gpt-4.1", "claude-3-haiku", "style", None, 4.0, "ok"),
    ]
    assert any(note.startswith("'tone' is a category, such as 'cheerful'") for note in report.notes)
    assert rows_of(study.table("references"), "rubric_id", "source", "met") == [
        ("correct", "human:ann", False),
        ("exact", "program", True),
    ]
    assert rows_of(study.table("instances"), "prompt", "reference_answer") == [("Q", "B")]


# ---- Langfuse


def test_mlflows_table_of_traces_is_read_and_a_failed_scorer_is_noted(tmp_path: Path) -> None:
    error = {"error_code": "SCORER_ERROR", "error_message": "no JSON"}
    trace = {
        "info": {
            "trace_id": "tr-1",
            "request_preview": "Q",
            "response_preview": "A",
            "assessments": [
                assessment("right", "LLM_JUDGE", feedback={"value": "yes"}),
                assessment("kind", "CODE", feedback={"value": None, "error": error}),
            ],
        },
        "data": {"spans": []},
    }
    row = {"trace_id": "tr-1", "trace": json.dumps(trace), "assessments": [], "spans": []}
    path = lines(tmp_path / "traces.jsonl", [row])

    report, study = imported(mlflow.FORMAT, path, generator="m")

    assert format_of(path).form == "mlflow"
    assert judgments(study, "rubric_id", "met") == [("right", True)]
    assert any(note.startswith("kind: the scorer failed") for note in report.notes)


def score(name: str, value: object, **more: Any) -> dict[str, Any]:
    return {"name": name, "value": value, "dataType": "NUMERIC", "source": "EVAL", "comment": "c"} | more


def test_a_langfuse_trace_has_scores_of_evaluators_people_and_programs(tmp_path: Path) -> None:
    trace = {
        "id": "t",
        "input": {"question": "Q"},
        "output": "A",
        "observations": [
            {"id": "o", "type": "GENERATION", "model": "claude-3-haiku", "input": "Q", "output": "A1"}
        ],
        "scores": [
            score("helpful", 0.8),
            score("correct", 1, dataType="BOOLEAN", stringValue="True"),
            score("kind", None, dataType="CATEGORICAL", stringValue="neutral"),
            score("correct", 0, dataType="BOOLEAN", source="ANNOTATION", authorUserId="ann"),
        ],
    }

    report, study = imported(langfuse.FORMAT, dump(tmp_path / "trace-t.json", trace), judge="gpt-4o")

    assert judgments(study, *VERDICTS) == [
        ("gpt-4o", "claude-3-haiku", "helpful", None, 0.8, "ok"),
        ("gpt-4o", "claude-3-haiku", "correct", True, None, "ok"),
    ]
    assert any(note.startswith("'kind' is a category, such as 'neutral'") for note in report.notes)
    assert rows_of(study.table("references"), "source", "met") == [("human:ann", False)]
    assert rows_of(study.table("responses"), "text") == [("A1",)]


def test_langfuses_scheduled_export_is_joined_by_trace(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    call = {"id": "o", "trace_id": "t", "type": "GENERATION", "provided_model_name": "qwen", "input": "Q"}
    lines(
        folder / "observations_v2" / "1.jsonl", [call | {"output": "A"}, call | {"id": "p", "trace_id": "u"}]
    )
    one = score("exact", 1, data_type="BOOLEAN", trace_id="t", observation_id="o", source="API")
    del one["dataType"]
    lines(folder / "scores" / "1.jsonl", [one])

    report, study = imported(langfuse.FORMAT, folder)

    assert rows_of(study.table("references"), "generator", "source", "met") == [("qwen", "program", True)]
    assert list(report.left_out) == ["no scores"]


# ---- LangSmith


def test_a_langsmith_experiment_has_scores_for_each_row(tmp_path: Path) -> None:
    def scored(key: str, value: object, kind: str, **metadata: str) -> dict[str, Any]:
        return {"key": key, "score": value, "feedback_source": {"type": kind, "metadata": metadata}}

    row = {
        "row_id": "1",
        "inputs": {"question": "Q"},
        "expected_outputs": {"answer": "B"},
        "actual_outputs": {"answer": "A"},
        "evaluation_scores": [
            scored("correct", True, "model", model="gpt-4o"),
            scored("style", 3, "model", model="gpt-4o"),
            scored("exact", False, "api"),
            scored("liked", True, "app"),
        ],
        "run_metadata": {"ls_model_name": "claude-3-haiku"},
    }
    path = dump(tmp_path / "e.json", {"experiment_name": "e", "results": [row]})
    path = lines(tmp_path / "e.jsonl", [json.loads(path.read_text())])

    _, study = imported(langsmith.FORMAT, path)

    assert judgments(study, *VERDICTS) == [
        ("gpt-4o", "claude-3-haiku", "correct", True, None, "ok"),
        ("gpt-4o", "claude-3-haiku", "style", None, 3.0, "ok"),
    ]
    assert rows_of(study.table("references"), "rubric_id", "source") == [
        ("exact", "program"),
        ("liked", "human"),
    ]


def test_langsmiths_runs_are_joined_with_their_feedback(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    run = {"id": "r1", "run_type": "llm", "inputs": {"messages": [{"role": "user", "content": "Q"}]}}
    run |= {"outputs": {"answer": "A"}, "extra": {"metadata": {"ls_model_name": "qwen"}}}
    lines(folder / "runs.jsonl", [run, run | {"id": "r2"}])
    lines(
        folder / "feedback.jsonl",
        [{"run_id": "r1", "key": "ok", "score": 1, "feedback_source": {"type": "api"}}],
    )

    report, study = imported(langsmith.FORMAT, folder, judge="gpt-4o")

    assert judgments(study, *VERDICTS) == [("gpt-4o", "qwen", "ok", None, 1.0, "ok")]
    assert report.notes == ("1 run without feedback not stored",)


# ---- Phoenix


def test_phoenix_spans_and_evaluated_tables_are_read(tmp_path: Path) -> None:
    spans = [
        {
            "context.span_id": "1",
            "attributes.input.value": "Q",
            "attributes.output.value": "A",
            "attributes.llm.model_name": "claude-3-haiku",
            "eval.Correctness.label": "incorrect",
            "eval.Correctness.score": 0,
            "eval.Correctness.explanation": "No.",
        }
    ]
    evaluated = [
        {
            "input": "Q",
            "output": "A",
            "model": "qwen",
            "tone_score": {
                "name": "tone",
                "score": 0.5,
                "label": "fair",
                "kind": "llm",
                "metadata": {"model": "gpt-4o"},
            },
            "exact_score": {"name": "exact", "score": 1.0, "label": "True", "kind": "code"},
            "bm25_score": 3,
        }
    ]

    _, study = imported(phoenix.FORMAT, lines(tmp_path / "a" / "spans.jsonl", spans), judge="gpt-4.1")
    assert judgments(study, *VERDICTS) == [("gpt-4.1", "claude-3-haiku", "Correctness", False, None, "ok")]

    _, study = imported(phoenix.FORMAT, lines(tmp_path / "b" / "t.jsonl", evaluated))
    assert judgments(study, *VERDICTS) == [("gpt-4o", "qwen", "tone", None, 0.5, "ok")]
    assert rows_of(study.table("references"), "rubric_id", "source", "met") == [("exact", "program", True)]


def test_an_answer_that_phoenix_could_not_parse_and_scored_with_0_is_no_verdict(tmp_path: Path) -> None:
    span = {
        "attributes.input.value": "Q",
        "attributes.llm.model_name": "claude-3-haiku",
        "eval.Relevance.label": "NOT_PARSABLE",
        "eval.Relevance.score": 0.0,
    }

    _, study = imported(phoenix.FORMAT, lines(tmp_path / "spans.jsonl", [span]), judge="gpt-4.1")

    assert judgments(study, "score", "met", "status") == [(None, None, "unparsed")]


def test_members_of_platforms_files_that_are_not_objects_are_counted_and_the_others_are_read(
    tmp_path: Path,
) -> None:
    row = {
        "inputs": {"question": "Q"},
        "actual_outputs": {"answer": "A"},
        "evaluation_scores": [{"key": "correct", "score": True, "feedback_source": {"type": "model"}}],
        "run_metadata": {"ls_model_name": "claude-3-haiku"},
    }
    path = lines(tmp_path / "a" / "e.jsonl", [{"results": [None, row, "text"]}])
    report, _ = imported(langsmith.FORMAT, path, judge="gpt-4o")
    assert (report.rows_read, report.rows_stored) == (3, 1)

    assessments = [assessment("fair", "LLM_JUDGE", feedback={"value": "yes"})]
    trace = {"info": {"request_preview": "Q", "assessments": assessments}}
    path = lines(tmp_path / "b" / "t.jsonl", [{"traces": [7, trace]}])
    report, _ = imported(mlflow.FORMAT, path, generator="qwen")
    assert (report.rows_read, report.rows_stored) == (2, 1)


def test_a_langfuse_trace_with_ids_of_any_type_is_read(tmp_path: Path) -> None:
    for name in ([], {"a": 1}, 7):
        content = {
            "observations": [{"id": name, "model": "qwen", "input": "Q", "output": "A"}],
            "scores": [score("ok", 1, dataType="BOOLEAN", observationId=name)],
        }

        _, study = imported(langfuse.FORMAT, dump(tmp_path / f"{name}" / "t.json", content), judge="j")

        assert judgments(study, "met") == [(True,)]


def test_a_call_without_a_named_model_is_a_bad_row(tmp_path: Path) -> None:
    rows = [
        {"input": "Q", "output": "A", "ok_score": {"name": "ok", "score": 1, "kind": "llm"}},
        {"input": "Q", "output": "A", "model": "qwen", "ok_score": {"name": "ok", "score": 1, "kind": "llm"}},
        {"input": "Q2", "output": "A", "model": "qwen"},
        {
            "input": "Q3",
            "output": "A",
            "model": "qwen",
            "ok_score": {"name": "ok", "score": 1, "kind": "code"},
        },
    ]

    report, _ = imported(phoenix.FORMAT, lines(tmp_path / "t.jsonl", rows))

    assert list(report.left_out) == [
        "the model that answered is not named: give --generator",
        "who judged ok is not named: give --judge",
        "it has no scores",
    ]
