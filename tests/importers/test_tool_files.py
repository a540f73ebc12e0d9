"""Files of evaluation tools as a user imports them: who judged, and what is a verdict."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import spb
from importers import foreign_files
from importers.foreign_files import dump, judgments, lines, rows_of, sample

from engine.store import Store
from engine.store.study_files import StudyFiles

CASES = Path(__file__).parent / "cases"


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that imports a file by the command, and returns the study and the report."""

    def run(path: Path, *words: object, form: str = "auto") -> tuple[StudyFiles, str]:
        store = tmp_path / "store"
        command = ("import", form, path, "--store", store, "--study", "s", "--replace", "--no-doctor")
        code = spb(monkeypatch, *command, *words)
        report = capsys.readouterr().err
        assert code == 0, report
        return Store(store).open("s"), report

    return run


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that imports a file by the command, expecting a refusal, and returns the words."""

    def run(path: Path, *words: object, form: str = "auto") -> str:
        store = tmp_path / "store"
        assert spb(monkeypatch, "import", form, path, "--store", store, "--study", "s", *words) == 2
        assert not store.exists()
        return capsys.readouterr().err

    return run


# ---- Inspect: who graded


def inspect_log(path: Path, scores: dict[str, Any], *specs: dict[str, Any], **more: Any) -> Path:
    """Write a log of one sample with these scores of these scorers."""
    one = sample(1, "C") | {"scores": scores} | {"events": more.pop("events", [])}
    header = {"task": "t", "model": "openai/gpt-4o", "scorers": list(specs), **more}
    return dump(path, {"version": 2, "status": "success", "eval": header, "samples": [one]})


def test_a_scorer_with_a_judge_model_among_its_options_is_a_judge(imported: Any) -> None:
    study, _ = imported(CASES / "inspect-custom-judge-becomes-truth" / "log.json")

    assert judgments(study, "judge", "met") == [
        ("openai/gpt-4o", True),
        ("openai/gpt-4o", False),
        ("openai/gpt-4o", True),
        ("openai/gpt-4o", False),
    ]
    assert not study.has("references")


def test_two_judges_of_a_log_are_never_each_others_truth(imported: Any) -> None:
    study, _ = imported(CASES / "inspect-custom-judge-becomes-truth" / "two_judges.json")

    judges = [name for (name,) in judgments(study, "judge")]
    assert sorted(set(judges)) == ["google/gemini-1.5-pro", "openai/gpt-4o"]
    assert len(judges) == 80
    assert not study.has("references")


@pytest.mark.parametrize("option", ["judge", "scorer_model", "grader_llm", "critic_models", "model_name"])
def test_any_option_that_names_a_model_names_the_judge(tmp_path: Path, imported: Any, option: str) -> None:
    value = ["x/judge"] if option.endswith("s") else {"model": "x/judge"}
    path = inspect_log(
        tmp_path / "log.json", {"mine": {"value": "I"}}, {"name": "mine", "options": {option: value}}
    )

    study, _ = imported(path)

    assert judgments(study, "judge", "met") == [("x/judge", False)]


@pytest.mark.parametrize(
    ("options", "roles"),
    [
        ({}, {"grader": {"model": "x/judge"}}),
        ({}, {"judge": "x/judge"}),
        ({"model_role": "second"}, {"grader": "x/other", "second": "x/judge"}),
        ({"model": "second"}, {"grader": "x/other", "second": "x/judge"}),
    ],
)
def test_the_model_in_a_graders_role_is_the_judge(
    tmp_path: Path, imported: Any, options: dict[str, str], roles: dict[str, Any]
) -> None:
    spec = {"name": "tone_check", "options": options}
    path = inspect_log(tmp_path / "log.json", {"tone_check": {"value": "C"}}, spec, model_roles=roles)

    study, _ = imported(path)

    assert judgments(study, "judge", "met") == [("x/judge", True)]


def test_a_program_beside_a_graders_role_stays_a_program(tmp_path: Path, imported: Any) -> None:
    scores = {"exact": {"value": "C"}, "match1": {"value": "I"}, "model_graded_qa": {"value": "I"}}
    path = inspect_log(tmp_path / "log.json", scores, model_roles={"grader": "x/judge"})

    study, _ = imported(path)

    assert judgments(study, "judge", "met") == [("x/judge", False)]
    assert rows_of(study.table("references"), "source", "met") == [("program", True)]


def test_a_scorer_of_an_unknown_kind_is_asked_about(tmp_path: Path, imported: Any, refused: Any) -> None:
    path = inspect_log(tmp_path / "log.json", {"tone_check": {"value": "C"}, "exact": {"value": "I"}})

    words = refused(path)
    assert "does not say whether the scorer 'tone_check' asks a model" in words
    assert "--set tone_check=program" in words

    study, _ = imported(path, "--judge", "gpt-4.1")
    assert judgments(study, "judge", "met") == [("gpt-4.1", True)]
    assert rows_of(study.table("references"), "source", "met") == [("program", False)]
    study, _ = imported(path, "--set", "tone_check=gpt-4.1")
    assert judgments(study, "judge", "met") == [("gpt-4.1", True)]
    study, _ = imported(path, "--set", "tone_check=program", "--not", "exact")
    assert rows_of(study.table("references"), "source", "met") == [("program", True)]
    study, _ = imported(path, "--not", "tone_check")
    assert rows_of(study.table("references"), "source", "met") == [("program", False)]


def spans(*models: str, nested: bool) -> list[dict[str, Any]]:
    inner = {"event": "span_begin", "id": "inner", "parent_id": "outer", "type": "agent", "name": "a"}
    place = "inner" if nested else "outer"
    return [
        {"event": "model", "span_id": "solver", "model": "openai/gpt-4o"},
        {"event": "span_begin", "id": "outer", "parent_id": "root", "type": "scorer", "name": "mine"},
        *([inner] if nested else []),
        *({"event": "model", "span_id": place, "model": model} for model in models),
    ]


@pytest.mark.parametrize("nested", [True, False])
def test_a_model_called_within_a_scorer_is_its_judge(tmp_path: Path, imported: Any, nested: bool) -> None:
    events = spans("x/judge", nested=nested)
    path = inspect_log(tmp_path / "log.json", {"mine": {"value": "C"}}, events=events)

    study, _ = imported(path)

    assert judgments(study, "judge", "met") == [("x/judge", True)]


def test_a_scorer_that_called_no_model_is_a_program(tmp_path: Path, imported: Any) -> None:
    path = inspect_log(tmp_path / "log.json", {"mine": {"value": "C"}}, events=spans(nested=False))

    study, report = imported(path)

    assert rows_of(study.table("references"), "source", "met") == [("program", True)]
    assert "the scorer 'mine' is taken for a program" in report


def test_the_steps_of_older_logs_show_who_was_called(tmp_path: Path, imported: Any) -> None:
    events = [
        {"event": "model", "model": "openai/gpt-4o"},
        {"event": "step", "action": "begin", "type": "scorer", "name": "mine"},
        {"event": "model", "model": "x/judge"},
        {"event": "step", "action": "end", "type": "scorer", "name": "mine"},
    ]
    path = inspect_log(tmp_path / "log.json", {"mine": {"value": "I"}}, events=events)

    study, _ = imported(path)

    assert judgments(study, "judge", "met") == [("x/judge", False)]


def test_grades_in_numbers_written_as_text_are_scores(imported: Any) -> None:
    study, _ = imported(CASES / "inspect-graded-by-number" / "log.json")

    assert judgments(study, "paradigm", "score", "status") == [
        ("score_rubric", 10.0, "ok"),
        ("score_rubric", 1.0, "ok"),
        ("score_rubric", 7.0, "ok"),
        ("score_rubric", 10.0, "ok"),
    ]


@pytest.mark.parametrize(
    ("value", "met", "status"),
    [
        ("c", True, "ok"),
        (" i ", False, "ok"),
        ("Incorrect", False, "ok"),
        ("1", True, "ok"),
        ("0.0", False, "ok"),
        ("yes", True, "ok"),
        ("p", None, "unparsed"),
        ("n", None, "unparsed"),
        ("maybe", None, "unparsed"),
    ],
)
def test_grades_are_read_in_any_case_and_form(
    tmp_path: Path, value: str, met: bool | None, status: str
) -> None:
    path = inspect_log(tmp_path / "log.json", {"model_graded_qa": {"value": value}})

    _, study = foreign_files.imported("inspect", path)

    assert judgments(study, "met", "status") == [(met, status)]


def test_a_model_that_grades_itself_is_one_model(imported: Any) -> None:
    study, _ = imported(CASES / "inspect-self-grader-two-names" / "log.json")

    assert rows_of(study.table("models"), "model") == [("google/gemini-2.5-flash",)]
    assert set(judgments(study, "judge", "generator")) == {("google/gemini-2.5-flash",) * 2}


def test_a_grader_known_by_its_snapshot_only_is_the_evaluated_model(tmp_path: Path, imported: Any) -> None:
    grading = {"grading": [{"role": "assistant", "content": "GRADE: C", "model": "gpt-4o-2024-08-06"}]}
    path = inspect_log(tmp_path / "log.json", {"model_graded_qa": {"value": "C", "metadata": grading}})

    study, _ = imported(path)

    assert judgments(study, "judge", "generator") == [("openai/gpt-4o", "openai/gpt-4o")]


def test_two_prompts_of_one_grader_are_variants(tmp_path: Path, imported: Any) -> None:
    scores = {"model_graded_qa": {"value": "C"}, "model_graded_fact": {"value": "I"}}

    study, report = imported(inspect_log(tmp_path / "log.json", scores))

    assert judgments(study, "variant", "met", "trial") == [
        ("model_graded_qa", True, 0),
        ("model_graded_fact", False, 0),
    ]
    assert "further trials" not in report


# ---- JudgeBench


def test_each_prompt_of_a_judgebench_judge_is_a_variant(
    imported: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, _ = imported(CASES / "judgebench-prompts-merged", form="judgebench")

    variants = [name for (name,) in judgments(study, "variant")]
    assert {name: variants.count(name) for name in variants} == {"arena_hard": 8, "vanilla": 8}
    words = ("metrics", "order-effect", "--store", tmp_path / "store", "--study", "s", "--format", "json")
    assert spb(monkeypatch, *words) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["variant"]: row["flip_rate"] for row in rows} == {"arena_hard": 0.0, "vanilla": 1.0}


# ---- DeepEval


def metric(name: str, score: float, success: bool | None, threshold: float | None = 0.5) -> dict[str, Any]:
    about = {"name": name, "score": score, "evaluationModel": "gpt-4o", "threshold": threshold}
    return about | ({} if success is None else {"success": success})


def deepeval(path: Path, *metrics: dict[str, Any]) -> Path:
    cases = [{"input": f"Q{n}", "actualOutput": "A", "metricsData": [each]} for n, each in enumerate(metrics)]
    return dump(path, {"testCases": cases, "hyperparameters": {"model": "qwen"}})


def test_a_metric_whose_successes_lie_below_the_threshold_has_negative_points(
    tmp_path: Path, imported: Any
) -> None:
    files = tmp_path / "runs"
    deepeval(files / "a.json", metric("Mine", 0.0, True), metric("Faithfulness", 0.9, True))
    deepeval(files / "b.json", metric("Mine", 0.5, True), metric("Mine", 0.75, False))

    study, report = imported(files, form="deepeval")

    points = rows_of(study.table("rubrics"), "rubric_id", "points")
    assert sorted(set(points)) == [("Faithfulness", 1.0), ("Mine", -1.0)]
    assert "lower is better in 'Mine', as its thresholds show" in report


@pytest.mark.parametrize(
    ("metrics", "points", "words"),
    [
        ([metric("Toxicity", 0.5, True)], -1.0, "as its name says"),
        ([metric("Toxicity", 0.1, None, None)], -1.0, "as its name says"),
        ([metric("Bias", 0.9, True), metric("Bias", 0.1, False)], 1.0, ""),
        ([metric("Mine", 0.9, True), metric("Mine", 0.1, True)], 1.0, "do not show whether lower is better"),
    ],
)
def test_thresholds_show_the_direction_before_names_do(
    tmp_path: Path, imported: Any, metrics: list[dict[str, Any]], points: float, words: str
) -> None:
    study, report = imported(deepeval(tmp_path / "run.json", *metrics))

    assert {row for (row,) in rows_of(study.table("rubrics"), "points")} == {points}
    assert words in report


# ---- Ragas


def test_only_metrics_of_ragas_become_rubrics(imported: Any) -> None:
    path = CASES / "ragas-numbers-that-are-no-metric" / "ragas.csv"

    study, report = imported(path, "--judge", "gpt-4o", "--generator", "my-model")

    assert judgments(study, "rubric_id", "score", "status") == [
        ("faithfulness", 1.0, "ok"),
        ("answer_relevancy", 0.91, "ok"),
        ("faithfulness", None, "unparsed"),
        ("answer_relevancy", 0.83, "ok"),
        ("faithfulness", 0.5, "ok"),
        ("answer_relevancy", 0.12, "ok"),
    ]
    assert "'latency_s', 'n_contexts', 'is_followup': not known as metrics of Ragas" in report


def ragas(path: Path, **metrics: float) -> Path:
    return lines(path, [{"user_input": "Q", "response": "A", **metrics}])


def test_a_metric_of_ones_own_is_named_or_left_out(tmp_path: Path, imported: Any, refused: Any) -> None:
    path = ragas(tmp_path / "r.jsonl", my_metric=0.4, latency_s=2.5)
    about = ("--judge", "gpt-4o", "--generator", "qwen")

    words = refused(path, *about, form="ragas")
    assert "which columns are metrics? 'my_metric', 'latency_s' are numbers" in words
    assert "--map my_metric=my_metric" in words

    study, _ = imported(path, *about, "--map", "depth=my_metric", "--not", "latency_s", form="ragas")
    assert judgments(study, "rubric_id", "score") == [("depth", 0.4)]


def test_a_score_of_ragas_that_is_out_of_range_is_counted_and_no_verdict(
    tmp_path: Path, imported: Any
) -> None:
    path = ragas(
        tmp_path / "r.jsonl",
        faithfulness=-1.5,
        context_recall=1.0000000001,
        answer_relevancy=-0.2,
        rubrics_score=4,
        exact_match=7,
        noise_sensitivity=0.1,
    )

    study, report = imported(path, "--judge", "gpt-4o", "--generator", "qwen", form="ragas")

    assert judgments(study, "rubric_id", "score", "status") == [
        ("faithfulness", None, "unparsed"),
        ("context_recall", 1.0000000001, "ok"),
        ("answer_relevancy", -0.2, "ok"),
        ("rubrics_score", 4.0, "ok"),
        ("noise_sensitivity", 0.1, "ok"),
    ]
    assert not study.has("references")
    assert "1 value out of range (faithfulness, from 0 to 1): no verdict" in report
    points = dict(rows_of(study.table("rubrics"), "rubric_id", "points"))
    assert points["noise_sensitivity"] == -1.0
    assert points["faithfulness"] == 1.0


# ---- Langfuse and other platforms


def test_words_and_corrections_of_langfuse_are_no_scores(imported: Any) -> None:
    path = CASES / "langfuse-text-score-is-zero" / "trace-t1.json"

    study, report = imported(path, "--judge", "gpt-4.1")

    assert judgments(study, "rubric_id", "met", "score", "status") == [
        ("helpful", True, None, "ok"),
        ("relevance", None, 0.8, "ok"),
    ]
    assert not study.has("references")
    assert "'reviewer_note' is of type TEXT" in report
    assert "'correction' is of type CORRECTION" in report
    assert "'tone' is a category, such as 'friendly'" in report


def test_a_word_among_verdicts_is_a_missing_verdict_and_not_a_category(tmp_path: Path, imported: Any) -> None:
    def feedback(key: str, value: object) -> dict[str, Any]:
        return {"key": key, "value": value, "feedback_source": {"type": "model", "metadata": {"model": "j"}}}

    runs = [
        {"inputs": {"question": f"Q{n}"}, "outputs": {"output": "A"}, "feedback": [feedback("ok", value)]}
        for n, value in enumerate(("perhaps", "yes", "no"))
    ]

    study, _ = imported(lines(tmp_path / "runs.jsonl", runs), "--generator", "qwen", form="langsmith")

    assert judgments(study, "met", "status") == [(None, "unparsed"), (True, "ok"), (False, "ok")]


def test_a_phoenix_score_to_be_minimised_has_negative_points(tmp_path: Path, imported: Any) -> None:
    score = {"name": "hallucination", "score": 1.0, "label": "hallucinated", "kind": "llm"}
    row = {"input": "Q", "output": "A", "hallucination_score": score | {"direction": "minimize"}}

    study, report = imported(
        lines(tmp_path / "r.jsonl", [row]), "--judge", "j", "--generator", "m", form="phoenix"
    )

    assert judgments(study, "score") == [(1.0,)]
    assert rows_of(study.table("rubrics"), "points") == [(-1.0,)]
    assert "lower is better in 'hallucination'" in report


# ---- promptfoo


def graded(path: Path, *grades: tuple[bool, float]) -> Path:
    rule = {"type": "llm-rubric", "value": "Rate it", "provider": "openai:gpt-4o"}
    results = [
        {
            "provider": {"id": "openai:gpt-4o-mini"},
            "prompt": {"raw": f"{path.stem} {n}?"},
            "vars": {},
            "response": {"output": "A"},
            "gradingResult": {"componentResults": [{"pass": met, "score": score, "assertion": rule}]},
        }
        for n, (met, score) in enumerate(grades)
    ]
    return dump(path, {"evalId": "e", "results": {"version": 3, "results": results}})


def test_a_rating_that_always_passes_is_a_score(imported: Any) -> None:
    study, report = imported(CASES / "promptfoo-likert-score-lost" / "results.json")

    assert judgments(study, "paradigm", "met", "score") == [
        ("score_rubric", None, 0.0),
        ("score_rubric", None, 0.33),
        ("score_rubric", None, 0.67),
        ("score_rubric", None, 1.0),
    ]
    assert "pass is the same in all rows, while the scores differ (0 to 1): the scores are stored" in report


@pytest.mark.parametrize(
    ("grades", "words"),
    [
        (
            ((True, 0.8), (True, 1.0)),
            "the scores differ (0.8 to 1): the verdicts are stored, the scores are not",
        ),
        (((True, 0.8), (False, 0.2)), ""),
        (((True, 0.1), (False, 0.2)), ""),
    ],
)
def test_a_pass_that_agrees_with_the_scores_or_differs_is_the_verdict(
    tmp_path: Path, imported: Any, grades: tuple[tuple[bool, float], ...], words: str
) -> None:
    study, report = imported(graded(tmp_path / "r.json", *grades))

    assert judgments(study, "paradigm", "met") == [("single_rubric", met) for met, _ in grades]
    assert words in report


def test_a_rating_is_one_in_all_files_of_a_folder(tmp_path: Path, imported: Any) -> None:
    graded(tmp_path / "f" / "a.json", (True, 0.9), (True, 1.0))
    graded(tmp_path / "f" / "b.json", (True, 0.1))

    study, _ = imported(tmp_path / "f")

    assert judgments(study, "paradigm", "score") == [
        ("score_rubric", 0.9),
        ("score_rubric", 1.0),
        ("score_rubric", 0.1),
    ]
