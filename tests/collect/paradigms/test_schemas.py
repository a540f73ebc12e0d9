"""The JSON schema of an answer: whatever satisfies it can be read."""

import json
from typing import Any

import pytest

from engine.collect.calls import CallRequest
from engine.collect.paradigms.answer_schemas import Schema, answer_schema
from engine.collect.paradigms.template_files import shipped_template
from engine.collect.paradigms.templates import read_template

from .calls import EVERY, answer, assessed, listed, own, pair, ranked, rated, request, scored, single, weighed

JSON_ALONE = (single(), listed(), assessed(), pair(), pair("structured"), rated())
IN_WORDS = (pair("cot"), pair("forced"), pair("forced_tie"), scored(), own(), weighed())


def schema_of(call: CallRequest) -> Schema | None:
    assert call.paradigm is not None
    return answer_schema(shipped_template(call.paradigm, call.variant), call)


def example(schema: Schema, choice: int) -> Any:
    """Return an instance of the schema: the first of all choices, or the last (-1)."""
    if "enum" in schema:
        return schema["enum"][choice]
    if schema["type"] == "object":
        assert schema["required"] == list(schema["properties"])  # as strict schemas require
        assert schema["additionalProperties"] is False
        return {name: example(each, choice) for name, each in schema["properties"].items()}
    if schema["type"] == "array":
        assert schema["minItems"] == schema["maxItems"]
        return [example(schema["items"], choice)] * schema["maxItems"]
    return {"boolean": (True, False), "number": (0, 10), "string": ("Why.", "So.")}[schema["type"]][choice]


@pytest.mark.parametrize("call", JSON_ALONE, ids=lambda each: f"{each.paradigm}-{each.variant}")
@pytest.mark.parametrize("choice", [0, -1])
def test_every_answer_that_satisfies_its_schema_has_a_verdict(call: CallRequest, choice: int) -> None:
    schema = schema_of(call)

    assert schema is not None
    rows = answer(call, json.dumps(example(schema, choice)))
    assert {row["status"] for row in rows} == {"ok"}


@pytest.mark.parametrize("call", IN_WORDS, ids=lambda each: f"{each.paradigm}-{each.variant}")
def test_a_judge_that_answers_in_free_text_has_no_schema(call: CallRequest) -> None:
    assert schema_of(call) is None


def test_each_shipped_template_has_a_schema_or_free_text() -> None:
    assert {*JSON_ALONE, *IN_WORDS, ranked()} == {each for each in EVERY if each.variant != "mine"}


def test_a_reason_requested_first_comes_first_in_the_schema() -> None:
    schema = schema_of(single())

    assert schema is not None
    assert list(schema["properties"]) == ["explanation", "criteria_met"]


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        ('Reply with one JSON object and nothing else: {"criteria_met": false}', ["criteria_met"]),
        ('ONE JSON OBJECT AND NOTHING ELSE {"criteria_met": true, "explanation": "w"}', None),
        ('Think. Then write {"criteria_met": false}', []),
        ('Reply with one JSON object and nothing else: {"met": false}', []),
        (
            '{"explanation": ""} first. One JSON object and nothing else: {"criteria_met": 1}',
            ["criteria_met"],
        ),
    ],
)
def test_a_users_template_has_the_fields_it_names_after_asking_for_only_json(
    form: str, fields: list[str] | None
) -> None:
    text = "{{response}}\n\n{{rubric}}\n\n" + form
    schema = answer_schema(read_template(text, "single_rubric", "mine", "mine.txt"), single())

    expected = ["criteria_met", "explanation"] if fields is None else fields
    assert (list(schema["properties"]) if schema else []) == expected


def test_scores_are_limited_to_the_options_of_the_rubric() -> None:
    text = '{{response}}\n\n{{options}}\n\nOne JSON object and nothing else: {"feedback": "", "score": 1}'
    schema = answer_schema(read_template(text, "score_rubric", "mine", "mine.txt"), scored("5-3-1"))

    assert schema is not None
    assert schema["properties"]["score"]["enum"] == [1, 3, 5]


def test_a_ranking_has_one_place_for_each_response_shown() -> None:
    schema = schema_of(ranked("g", "h", "i"))

    assert schema is not None
    places = schema["properties"]["ranking"]
    assert (places["items"]["enum"], places["minItems"], places["maxItems"]) == ([1, 2, 3], 3, 3)
    assert {row["status"] for row in answer(ranked("g", "h", "i"), '{"ranking": [3, 1, 2]}')} == {"ok"}


def test_a_generator_has_no_schema() -> None:
    call = CallRequest("generator", "g", None, "default", request("quality").subject)

    assert answer_schema(shipped_template("quality", "default"), call) is None


def test_a_share_may_be_any_from_none_to_all_of_the_criteria() -> None:
    schema = schema_of(assessed(2))

    assert schema is not None
    assert schema["properties"]["score"]["enum"] == ["0/2", "1/2", "2/2"]


def test_verdicts_on_several_criteria_without_a_field_for_all_of_them_have_no_schema() -> None:
    asks = (
        'Judge {{response}} by {{rubrics}}. Reply with one JSON object and nothing else: {"criteria_met": 1}'
    )
    template = read_template(asks, "all_rubrics", "mine", "mine.txt")

    assert answer_schema(template, listed()) is None


def test_of_a_template_that_names_its_form_twice_the_last_has_the_fields() -> None:
    first = 'Not one JSON object and nothing else with "points": 3, as others do.'
    last = 'Reply with one JSON object and nothing else: {"explanation": "why", "criteria_met": true}'
    text = f"Judge {{{{response}}}} by {{{{rubric}}}}. {first} {last}"
    early = f"Judge {{{{response}}}} by {{{{rubric}}}}. {last} {first}"

    schemas = [
        answer_schema(read_template(each, "single_rubric", "mine", "mine.txt"), single())
        for each in (text, early)
    ]

    assert schemas[0] is not None
    assert list(schemas[0]["properties"]) == ["explanation", "criteria_met"]
    assert schemas[1] is None


@pytest.mark.parametrize("reason", ["explanation", "feedback"])
def test_a_reason_may_have_either_name(reason: str) -> None:
    asks = f'one JSON object and nothing else: {{"{reason}": "why", "score": 3}}'
    template = read_template(f"{{{{response}}}} {{{{options}}}} {asks}", "score_rubric", "mine", "mine.txt")

    schema = answer_schema(template, scored("2-1"))

    assert schema is not None
    assert schema["properties"] == {reason: {"type": "string"}, "score": {"type": "number", "enum": [1, 2]}}
