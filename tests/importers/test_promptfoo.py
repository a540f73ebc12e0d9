"""Promptfoo's results with failed graders, sets of assertions, and variables in criteria."""

from pathlib import Path
from typing import Any

import pytest
from importers.foreign_files import component, dump, imported, judgments, lines, promptfoo, rows_of

FAILED = "Could not extract JSON from llm-rubric response"


def failure(reason: str) -> dict[str, Any]:
    """Return the result of an assertion whose grader failed: promptfoo leaves the assertion out."""
    return {"pass": False, "score": 0, "reason": reason, "tokensUsed": {"total": 0}}


def graded(value: str) -> dict[str, Any]:
    return {"type": "llm-rubric", "value": value}


def case_of(*assertions: dict[str, Any]) -> dict[str, Any]:
    return {"assert": list(assertions), "options": {"provider": "openai:gpt-4.1"}}


def test_a_failed_grader_is_unparsed_for_the_assertion_at_its_place(tmp_path: Path) -> None:
    test = case_of(graded("Is short."), {"type": "select-best", "value": "?"}, graded("Is kind."))
    results = promptfoo(failure(FAILED), component("llm-rubric", "Is kind.", True), testCase=test)
    results["results"]["results"][0]["gradingResult"]["componentResults"].append(
        component("select-best", "?", True)
    )

    _, study = imported("promptfoo", dump(tmp_path / "results.json", results))

    assert judgments(study, "rubric_id", "met", "status") == [("r1", None, "unparsed"), ("r2", True, "ok")]
    assert rows_of(study.table("rubrics"), "criterion") == [("Is short.",), ("Is kind.",)]


def test_a_question_stays_one_instance_if_the_grader_of_one_model_failed(tmp_path: Path) -> None:
    test = case_of(graded("Is short."), graded("Is kind."))
    kind = component("llm-rubric", "Is kind.", True)
    results = promptfoo(failure(FAILED), kind, testCase=test)
    other = promptfoo(component("llm-rubric", "Is short.", True), kind, testCase=test, provider={"id": "x:y"})
    results["results"]["results"] += other["results"]["results"]

    _, study = imported("promptfoo", dump(tmp_path / "results.json", results))

    assert study.table("instances").num_rows == 1
    assert study.table("rubrics").num_rows == 2
    assert study.table("judgments").num_rows == 4


def test_members_of_a_set_are_identified_by_their_position(tmp_path: Path) -> None:
    members = [component("contains", "a", True), failure(FAILED)]
    total = {"pass": True, "score": 1, "reason": "Aggregate score", "componentResults": members}
    test = case_of(
        {"type": "assert-set", "assert": [{"type": "contains", "value": "a"}, graded("Is short.")]},
        graded("Is kind."),
    )
    results = promptfoo(total, *members, component("llm-rubric", "Is kind.", False), testCase=test)

    _, study = imported("promptfoo", dump(tmp_path / "results.json", results))

    assert rows_of(study.table("rubrics"), "criterion") == [("contains: a",), ("Is short.",), ("Is kind.",)]
    assert judgments(study, "rubric_id", "status") == [("r2", "unparsed"), ("r3", "ok")]


def test_results_that_do_not_match_the_assertions_are_not_guessed(tmp_path: Path) -> None:
    results = promptfoo(
        failure(FAILED), component("llm-rubric", "Is kind.", True), testCase=case_of(graded("Is kind."))
    )

    report, study = imported("promptfoo", dump(tmp_path / "results.json", results))

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
def test_only_promptfoos_own_messages_mark_a_failed_grader(tmp_path: Path, reason: str, status: str) -> None:
    results = promptfoo(component("llm-rubric", "Is short.", False, reason))

    _, study = imported("promptfoo", dump(tmp_path / "results.json", results))

    assert judgments(study, "met", "status") == [(False if status == "ok" else None, status)]


def test_a_criterion_has_the_tests_variables_filled_in(tmp_path: Path) -> None:
    rule = component("llm-rubric", "Names the capital of {{ country }}, {{list}} and {{ none }}.", True)
    results = promptfoo(rule, vars={"country": "{{list}}", "list": [1], "n": 2})

    _, study = imported("promptfoo", dump(tmp_path / "results.json", results))

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
def test_an_assertion_of_weight_0_always_passes_and_its_score_is_the_verdict(
    tmp_path: Path, score: float | None, reason: str, verdict: tuple[bool | None, str]
) -> None:
    rule = {"type": "llm-rubric", "value": "Is short.", "weight": 0}
    results = promptfoo({"pass": True, "score": score, "reason": reason, "assertion": rule})

    _, study = imported("promptfoo", dump(tmp_path / "results.json", results))

    assert judgments(study, "met", "status") == [verdict]


# ------------------------------------------------------------------------------
# Shapes observed in files of promptfoo 0.121 and 0.123.


def nameless(model: str, label: str = "") -> dict[str, Any]:
    """Return a grader as promptfoo writes one that answers too, or was given with --grader: without an id."""
    return {"modelName": model, "config": {"basePath": ""}, "mcpClient": None, "label": label}


def answer(provider: dict[str, Any], *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return one result, as a line of the JSON Lines or a member of the object's list."""
    return dict(promptfoo(*parts, provider=provider, **more)["results"]["results"][0])


def results_file(*results: dict[str, Any]) -> dict[str, Any]:
    return {"evalId": "eval-1", "results": {"version": 3, "results": list(results)}, "config": {}}


def judges_of(path: Path, *results: dict[str, Any]) -> list[tuple[Any, ...]]:
    _, study = imported("promptfoo", dump(path / "results.json", results_file(*results)))
    return judgments(study, "judge", "generator")


MINI = {"id": "openai:gpt-4o-mini", "label": ""}


@pytest.mark.parametrize(
    ("grader", "judge"),
    [
        ("openai:chat:gpt-4o-mini", "openai:gpt-4o-mini"),
        (nameless("gpt-4o-mini"), "openai:gpt-4o-mini"),
        ({"text": nameless("gpt-4o-mini"), "embedding": "openai:embedding:x"}, "openai:gpt-4o-mini"),
        (nameless("gpt-4.1"), "gpt-4.1"),
        (nameless("gpt-4o", "careful"), "careful"),
        ({"id": "file://grader.js", "label": "gpt-4.1"}, "gpt-4.1"),
        ({"id": "file://grader.js", "label": ""}, "file://grader.js"),
        ("anthropic:messages:claude-sonnet-4-20250514", "anthropic:claude-sonnet-4-20250514"),
        ("openai:chat", "openai:chat"),
    ],
)
def test_a_model_has_the_same_name_as_grader_and_as_generator(
    tmp_path: Path, grader: object, judge: str
) -> None:
    rule = {"type": "llm-rubric", "value": "Is short.", "provider": grader}
    test = {"options": {"provider": "openai:o3"}}

    judges = judges_of(
        tmp_path, answer(MINI, {"pass": True, "score": 1, "reason": "", "assertion": rule}, testCase=test)
    )

    assert judges == [(judge, "openai:gpt-4o-mini")]


def test_a_grader_without_an_id_is_not_guessed_if_two_providers_have_its_model(tmp_path: Path) -> None:
    test = {"options": {"provider": nameless("gpt-4o")}}
    rule = component("llm-rubric", "Is short.", True)

    judges = judges_of(
        tmp_path,
        answer({"id": "openai:chat:gpt-4o", "label": ""}, rule, testCase=test),
        answer({"id": "azure:chat:gpt-4o", "label": ""}, rule, testCase=test),
    )

    assert judges == [("gpt-4o", "openai:gpt-4o"), ("gpt-4o", "azure:gpt-4o")]


def test_json_lines_read_like_the_object(tmp_path: Path) -> None:
    test = {"options": {"provider": nameless("gpt-4o-mini")}}
    results = [
        answer(MINI, component("llm-rubric", "Is short.", True), testCase=test),
        answer({"id": "x:y", "label": "Y"}, component("llm-rubric", "Is short.", False), testCase=test),
    ]

    _, one = imported("promptfoo", dump(tmp_path / "one" / "results.json", results_file(*results)))
    _, two = imported("promptfoo", lines(tmp_path / "two" / "results.jsonl", results))

    for table in ("models", "instances", "responses", "rubrics"):
        assert one.table(table).to_pylist() == two.table(table).to_pylist(), table
    columns = ("judge", "generator", "rubric_id", "met")
    assert judgments(one, *columns) == judgments(two, *columns)
    assert judgments(one, *columns)[0] == ("openai:gpt-4o-mini", "openai:gpt-4o-mini", "r1", True)


def test_results_in_two_files_of_a_folder_count_once(tmp_path: Path) -> None:
    result = answer(MINI, component("llm-rubric", "Is short.", True), id="5f0c")
    folder = tmp_path / "results"
    dump(folder / "results.json", results_file(result))
    lines(folder / "results.jsonl", [result])

    report, study = imported("promptfoo", folder)

    assert len(judgments(study, "judge")) == 1
    assert any("another file" in note for note in report.notes)


def test_parts_of_a_programs_result_are_not_assertions_and_do_not_split_a_question(tmp_path: Path) -> None:
    rule = {"type": "javascript", "value": "file://inner.js"}
    parts = [
        {"pass": met, "score": float(met), "reason": "a part", "assertion": rule} for met in (True, False)
    ]
    program = {"pass": True, "score": 0.5, "reason": "so", "assertion": rule}
    last = component("llm-rubric", "Is kind.", True)
    results = results_file(
        answer(MINI, {**program, "componentResults": parts}, *parts, last),
        answer({"id": "x:y", "label": ""}, {**program, "componentResults": parts[:1]}, *parts[:1], last),
    )

    _, study = imported("promptfoo", dump(tmp_path / "results.json", results))

    assert rows_of(study.table("rubrics"), "criterion") == [("javascript: file://inner.js",), ("Is kind.",)]
    assert rows_of(study.table("references"), "rubric_id", "met") == [("r1", True), ("r1", True)]


def test_a_human_rating_of_the_whole_output_is_no_program_and_does_not_split_a_question(
    tmp_path: Path,
) -> None:
    rated = {"pass": False, "score": 0, "reason": "Manual result", "assertion": {"type": "human"}}
    failed = failure(FAILED)
    test = case_of(graded("Is short."))
    results = results_file(
        answer(MINI, rated, failed, testCase=test),
        answer({"id": "x:y", "label": ""}, component("llm-rubric", "Is short.", True), testCase=test),
    )

    report, study = imported("promptfoo", dump(tmp_path / "results.json", results))

    assert study.table("instances").num_rows == 1
    assert study.table("references").num_rows == 0
    assert judgments(study, "status") == [("unparsed",), ("ok",)]
    assert any("people's ratings" in note for note in report.notes)


def test_criteria_from_files_and_with_filters_are_read_in_full_if_promptfoo_wrote_them(
    tmp_path: Path,
) -> None:
    def results_of(provider: dict[str, str], country: str, *, failing: bool) -> dict[str, Any]:
        texts = {"file://rubric.txt": "Names {{country}}.", "{{ country | upper }}?": f"{country.upper()}?"}
        parts = [
            component("llm-rubric", value, True, metadata={"renderedAssertionValue": text})
            for value, text in texts.items()
        ]
        if failing:
            parts = [
                component("llm-rubric", value, False, FAILED, metadata={"graderError": True})
                for value in texts
            ]
        return answer(provider, *parts, vars={"country": country}, prompt={"raw": f"Which {country}?"})

    results = [
        results_of(provider, country, failing=provider is not MINI)
        for country in ("Peru", "Japan")
        for provider in (MINI, {"id": "x:y", "label": ""})
    ]

    report, study = imported("promptfoo", dump(tmp_path / "results.json", results_file(*results)))

    assert not report.left_out
    assert rows_of(study.table("rubrics"), "criterion") == [
        ("Names Peru.",),
        ("PERU?",),
        ("Names Japan.",),
        ("JAPAN?",),
    ]
    assert study.table("instances").num_rows == 2
