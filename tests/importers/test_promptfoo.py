"""Promptfoo's results where graders fail, assertions stand in sets, and criteria have variables."""

from pathlib import Path
from typing import Any

import pytest
from importers.foreign_files import component, dumped, imported, judgments, promptfoo, rows_of

FAILED = "Could not extract JSON from llm-rubric response"


def failure(reason: str) -> dict[str, Any]:
    """Return the result of an assertion whose grader failed: promptfoo leaves the assertion out."""
    return {"pass": False, "score": 0, "reason": reason, "tokensUsed": {"total": 0}}


def graded(value: str) -> dict[str, Any]:
    return {"type": "llm-rubric", "value": value}


def asked(*assertions: dict[str, Any]) -> dict[str, Any]:
    return {"assert": list(assertions), "options": {"provider": "openai:gpt-4.1"}}


def test_a_failed_grader_is_unparsed_for_the_assertion_at_its_place(tmp_path: Path) -> None:
    test = asked(graded("Is short."), {"type": "select-best", "value": "?"}, graded("Is kind."))
    results = promptfoo(failure(FAILED), component("llm-rubric", "Is kind.", True), testCase=test)
    results["results"]["results"][0]["gradingResult"]["componentResults"].append(
        component("select-best", "?", True)
    )

    _, study = imported("promptfoo", dumped(tmp_path / "results.json", results))

    assert judgments(study, "rubric_id", "met", "status") == [("r1", None, "unparsed"), ("r2", True, "ok")]
    assert rows_of(study.table("rubrics"), "criterion") == [("Is short.",), ("Is kind.",)]


def test_a_question_is_one_instance_also_where_the_grader_of_one_model_failed(tmp_path: Path) -> None:
    test = asked(graded("Is short."), graded("Is kind."))
    kind = component("llm-rubric", "Is kind.", True)
    results = promptfoo(failure(FAILED), kind, testCase=test)
    other = promptfoo(component("llm-rubric", "Is short.", True), kind, testCase=test, provider={"id": "x:y"})
    results["results"]["results"] += other["results"]["results"]

    _, study = imported("promptfoo", dumped(tmp_path / "results.json", results))

    assert study.table("instances").num_rows == 1
    assert study.table("rubrics").num_rows == 2
    assert study.table("judgments").num_rows == 4


def test_members_of_a_set_are_known_by_their_place_in_it(tmp_path: Path) -> None:
    members = [component("contains", "a", True), failure(FAILED)]
    whole = {"pass": True, "score": 1, "reason": "Aggregate score", "componentResults": members}
    test = asked(
        {"type": "assert-set", "assert": [{"type": "contains", "value": "a"}, graded("Is short.")]},
        graded("Is kind."),
    )
    results = promptfoo(whole, *members, component("llm-rubric", "Is kind.", False), testCase=test)

    _, study = imported("promptfoo", dumped(tmp_path / "results.json", results))

    assert rows_of(study.table("rubrics"), "criterion") == [("contains: a",), ("Is short.",), ("Is kind.",)]
    assert judgments(study, "rubric_id", "status") == [("r2", "unparsed"), ("r3", "ok")]


def test_results_that_do_not_fit_the_tests_assertions_are_not_guessed_at(tmp_path: Path) -> None:
    results = promptfoo(
        failure(FAILED), component("llm-rubric", "Is kind.", True), testCase=asked(graded("Is kind."))
    )

    report, study = imported("promptfoo", dumped(tmp_path / "results.json", results))

    assert judgments(study, "rubric_id", "status") == [("r1", "ok")]
    assert len(report.notes) == 1, "that a result is without its assertion is told"


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("Model grader produced a malformed response:\nmaybe", "unparsed"),
        ("llm-rubric produced malformed response: SyntaxError", "unparsed"),
        ("Factuality checker output did not match expected format: maybe", "unparsed"),
        ("Invalid category value: f", "unparsed"),
        ("LLM-proposed evaluation result is not in JSON format: maybe", "unparsed"),
        ("No output", "unparsed"),
        ("API error: 429 Too Many Requests", "error"),
        ("API call error: Error: Request failed", "error"),
        ("Could not perform remote grading: Error", "error"),
        ("No output format is named, as the rubric asks for one.", "ok"),
        ("API error handling is missing from the code.", "ok"),
        ("The answer did not match expected format.", "ok"),
    ],
)
def test_only_promptfoos_own_words_tell_a_failed_grader_from_a_failed_criterion(
    tmp_path: Path, reason: str, status: str
) -> None:
    results = promptfoo(component("llm-rubric", "Is short.", False, reason))

    _, study = imported("promptfoo", dumped(tmp_path / "results.json", results))

    assert judgments(study, "met", "status") == [(False if status == "ok" else None, status)]


def test_a_criterion_names_the_tests_variables_by_their_values(tmp_path: Path) -> None:
    rule = component("llm-rubric", "Names the capital of {{ country }}, {{list}} and {{ none }}.", True)
    results = promptfoo(rule, vars={"country": "{{list}}", "list": [1], "n": 2})

    _, study = imported("promptfoo", dumped(tmp_path / "results.json", results))

    assert rows_of(study.table("rubrics"), "criterion") == [
        ("Names the capital of {{list}}, {{list}} and {{ none }}.",)
    ]


@pytest.mark.parametrize(
    ("score", "reason", "verdict"),
    [
        (1, "Short.", (True, "ok")),
        (0, "Long.", (False, "ok")),
        (0.6, "Rather short.", (None, "unparsed")),
        (None, "?", (None, "unparsed")),
        (0, FAILED, (None, "unparsed")),
    ],
)
def test_an_assertion_without_weight_passes_always_and_its_score_says_what_was_judged(
    tmp_path: Path, score: float | None, reason: str, verdict: tuple[bool | None, str]
) -> None:
    rule = {"type": "llm-rubric", "value": "Is short.", "weight": 0}
    results = promptfoo({"pass": True, "score": score, "reason": reason, "assertion": rule})

    _, study = imported("promptfoo", dumped(tmp_path / "results.json", results))

    assert judgments(study, "met", "status") == [verdict]
