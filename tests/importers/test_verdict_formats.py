"""HealthBench, promptfoo, lm-eval and Inspect: verdicts on criteria by models, and by programs."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from importers.foreign_files import (
    LOG,
    archive,
    component,
    dump,
    imported,
    judgments,
    lines,
    promptfoo,
    rows_of,
    sample,
)

from engine.errors import BadInputError, UsageError
from engine.importers.import_options import ImportOptions


def healthbench(*items: dict[str, Any]) -> dict[str, Any]:
    example = {
        "score": 0.5,
        "prompt_id": "p1",
        "prompt": [{"role": "user", "content": "My head aches."}],
        "completion": [{"role": "assistant", "content": "Rest."}],
        "rubric_items": list(items),
    }
    return {"score": 0.5, "metrics": {}, "htmls": [], "metadata": {"example_level_metadata": [example, None]}}


def rubric(met: object, **more: Any) -> dict[str, Any]:
    return {"criterion": "Advises rest.", "points": -3, "tags": ["level:example", "axis:accuracy"]} | {
        "criteria_met": met,
        "explanation": "It does.",
        **more,
    }


def test_healthbench_results_are_verdicts_on_rubrics_with_points(tmp_path: Path) -> None:
    path = dump(
        tmp_path / "healthbench_gpt-4o-mini_20250513_101010_allresults.json",
        healthbench(rubric(True), rubric(False), rubric(None), rubric("yes")),
    )

    report, study = imported("healthbench", path, ImportOptions(judge="gpt-4.1"))

    assert judgments(study, "judge", "generator", "rubric_id", "met", "status") == [
        ("gpt-4.1", "gpt-4o-mini", "r1", True, "ok"),
        ("gpt-4.1", "gpt-4o-mini", "r2", False, "ok"),
        ("gpt-4.1", "gpt-4o-mini", "r3", None, "unparsed"),
        ("gpt-4.1", "gpt-4o-mini", "r4", None, "unparsed"),
    ]
    assert rows_of(study.table("rubrics"), "points", "axis")[0] == (-3.0, "accuracy")
    assert list(report.left_out) == ["no prompt_id"]


def test_healthbench_files_of_several_models_are_combined_in_one_study(tmp_path: Path) -> None:
    for model in ("gpt-4o", "o3_high"):
        dump(tmp_path / "runs" / f"healthbench_{model}_allresults.json", healthbench(rubric(True)))

    _, study = imported("healthbench", tmp_path / "runs", ImportOptions(judge="gpt-4.1"))

    assert judgments(study, "generator") == [("gpt-4o",), ("o3_high",)]
    assert study.table("rubrics").num_rows == 1


def test_healthbench_models_asked_with_and_without_a_system_message_share_their_questions(
    tmp_path: Path,
) -> None:
    system_message = {"role": "system", "content": "You are a helpful assistant."}
    for model, before in (
        ("gpt-4o", [system_message]),
        ("o3", []),
        ("o1", [system_message | {"role": "developer"}]),
    ):
        results = healthbench(rubric(True))
        results["metadata"]["example_level_metadata"][0]["prompt"][:0] = before
        dump(tmp_path / "runs" / f"healthbench_{model}_allresults.json", results)

    _, study = imported("healthbench", tmp_path / "runs", ImportOptions(judge="gpt-4.1"))

    assert judgments(study, "generator") == [("gpt-4o",), ("o1",), ("o3",)]
    assert rows_of(study.table("instances"), "prompt") == [
        ('[{"role": "user", "content": "My head aches."}]',)
    ]


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("healthbench_hard_gpt-4.1-2025-04-14_20260113_153651_DEBUG_allresults.json", "gpt-4.1-2025-04-14"),
        ("healthbench_gpt-4o_DEBUG_allresults.json", "gpt-4o"),
        ("healthbench_consensus_gpt-4o_20260113_153730_calm_allresults.json", "gpt-4o_calm"),
        ("healthbench_apr_2025_humanbaseline_20260113_1536_allresults.json", "apr_2025_humanbaseline"),
    ],
)
def test_healthbench_names_the_model_without_the_date_and_mode_of_its_run(
    tmp_path: Path, name: str, model: str
) -> None:
    _, study = imported(
        "healthbench", dump(tmp_path / name, healthbench(rubric(True))), ImportOptions(judge="j")
    )

    assert judgments(study, "generator") == [(model,)]


def test_healthbench_asks_for_facts_missing_from_the_file(tmp_path: Path) -> None:
    path = dump(tmp_path / "mine.json", healthbench(rubric(True)))

    with pytest.raises(UsageError, match="does not say who graded; give --judge"):
        imported("healthbench", path)
    with pytest.raises(UsageError, match=r"'mine.json' does not name the model; give --generator"):
        imported("healthbench", path, ImportOptions(judge="j"))
    with pytest.raises(UsageError, match="does not name the model"):
        imported(
            "healthbench",
            path.rename(tmp_path / "healthbench_20260113_153651_allresults.json"),
            ImportOptions(judge="j"),
        )


def test_promptfoos_graders_are_judges_and_its_programs_are_references(tmp_path: Path) -> None:
    parts = (
        component("llm-rubric", "Is short.", True, "Short."),
        component("contains", "Apple", False, "No apple."),
        component("not-llm-rubric", "Is rude.", False, "Rude."),
        component("llm-rubric", "Is kind.", False, "Could not extract JSON from llm-rubric response"),
        component("llm-rubric", "Is kind.", False, "API error: 500"),
        component("llm-rubric", "Is warm.", False, "?", metadata={"graderError": True}),
        component("select-best", "The best.", True),
        {"pass": True, "score": 1, "reason": "All passed"},
    )

    report, study = imported("promptfoo", dump(tmp_path / "results.json", promptfoo(*parts)))

    assert judgments(study, "judge", "rubric_id", "met", "status") == [
        ("openai:gpt-4.1", "r1", True, "ok"),
        ("openai:gpt-4.1", "r3", False, "ok"),
        ("openai:gpt-4.1", "r4", None, "unparsed"),
        ("openai:gpt-4.1", "r5", None, "error"),
        ("openai:gpt-4.1", "r6", None, "unparsed"),
    ]
    assert rows_of(study.table("references"), "rubric_id", "source", "met") == [("r2", "program", False)]
    assert len(report.notes) == 2, "the comparison and the set of assertions are told of"


def test_a_red_teams_grader_is_a_judge_and_no_program(tmp_path: Path) -> None:
    part = component("promptfoo:redteam:harmful:hate", "{{prompt}}", False, "It complied.")

    _, study = imported("promptfoo", dump(tmp_path / "results.json", promptfoo(part)))

    assert judgments(study, "judge", "met", "status") == [("openai:gpt-4.1", False, "ok")]
    assert not study.has("references")


def test_an_unnamed_grader_must_be_given(tmp_path: Path) -> None:
    results = promptfoo(component("llm-rubric", "Is short.", True), testCase={})
    path = dump(tmp_path / "results.json", results)

    with pytest.raises(BadInputError, match="the grader is not named: give --judge"):
        imported("promptfoo", path)
    _, study = imported("promptfoo", path, ImportOptions(judge="gpt-5"))

    assert judgments(study, "judge", "generator") == [("gpt-5", "openai:gpt-4o-mini")]


def test_a_failed_call_of_promptfoo_is_no_response(tmp_path: Path) -> None:
    results = promptfoo(component("llm-rubric", "Is short.", True))
    good = results["results"]["results"][0]
    results["results"]["results"] += [
        {**good, "failureReason": 2, "error": "429"},
        {**good, "response": {"error": "x"}},
    ]

    report, _ = imported("promptfoo", dump(tmp_path / "results.json", results))

    assert report.left_out["the call of the model, or of a grader, failed"].count == 2


def lm_eval(number: int, **metrics: Any) -> dict[str, Any]:
    return {
        "doc_id": number,
        "doc": {"question": f"What is {number} + 1?"},
        "target": "1",
        "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": {}}},
        "resps": [["Two."]],
        "filtered_resps": ["2"],
        **metrics,
    }


def test_lm_evals_metrics_are_references_of_a_program(tmp_path: Path) -> None:
    folder = tmp_path / "meta-llama__Llama-3.1-8B-Instruct"
    shared = {"metrics": ["exact_match"]}
    path = lines(
        folder / "samples_gsm8k_2024-06-01T10-00-00.123456.jsonl",
        [
            lm_eval(0, filter="strict-match", exact_match=1.0, **shared),
            lm_eval(0, filter="flexible-extract", exact_match=0.0, **shared),
            lm_eval(1, filter="strict-match", exact_match=None, **shared),
        ],
    )

    report, study = imported("lm-eval", path)

    assert rows_of(study.table("references"), "instance_id", "generator", "rubric_id", "met") == [
        ("gsm8k-0", "meta-llama/Llama-3.1-8B-Instruct", "exact_match,strict-match", True),
        ("gsm8k-0", "meta-llama/Llama-3.1-8B-Instruct", "exact_match,flexible-extract", False),
    ]
    assert rows_of(study.table("responses"), "text") == [("Two.",)]
    assert report.left_out["no metric that is true or false"].count == 1
    assert not study.has("judgments")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"resps": [["Two.", "Three."]]}, ["Two."]),
        ({"resps": None, "filtered_resps": ["2"]}, ["2"]),
        ({"resps": [[["-3.0", "False"]], [["-4.0", "False"]]], "filtered_resps": [["-3.0", "False"]]}, []),
        ({"resps": [[[-3.0, False]]], "filtered_resps": [[-3.0, False]]}, []),
    ],
)
def test_likelihoods_of_choices_are_not_responses(
    tmp_path: Path, fields: dict[str, Any], text: list[str]
) -> None:
    path = lines(tmp_path / "samples_arc.jsonl", [lm_eval(0, acc=1.0) | fields])

    _, study = imported("lm-eval", path, ImportOptions(generator="g"))

    responses = rows_of(study.table("responses"), "text") if study.has("responses") else []
    assert [row[0] for row in responses] == text


def test_ifevals_instructions_are_strict_and_loose_rubrics(tmp_path: Path) -> None:
    doc = {"prompt": "Write.", "instruction_id_list": ["keywords:existence", "startend:quotation"]}
    row = lm_eval(
        7,
        prompt_level_strict_acc=False,
        inst_level_strict_acc=[True, False],
        prompt_level_loose_acc=True,
        inst_level_loose_acc=[True, True],
    )
    path = lines(tmp_path / "samples_ifeval.jsonl", [row | {"doc": doc}])
    dump(tmp_path / "results_2024.json", {"model_name": "Qwen/Qwen2.5-7B-Instruct"})

    _, study = imported("lm-eval", path)

    assert sorted(rows_of(study.table("references"), "rubric_id", "source", "met")) == [
        ("inst_level_acc-1", "program", True),
        ("inst_level_acc-1", "program:loose", True),
        ("inst_level_acc-2", "program", False),
        ("inst_level_acc-2", "program:loose", True),
    ]
    assert rows_of(study.table("rubrics"), "checker") == [("keywords:existence",), ("startend:quotation",)]
    assert rows_of(study.table("models"), "model", "family") == [("Qwen/Qwen2.5-7B-Instruct", "Qwen")]


def test_lm_eval_asks_for_an_unnamed_model(tmp_path: Path) -> None:
    path = lines(tmp_path / "samples_x.jsonl", [lm_eval(0, acc=1)])

    with pytest.raises(UsageError, match="names the model, nor does the folder; give --generator"):
        imported("lm-eval", path)


def test_inspects_values_become_verdicts_or_none(tmp_path: Path) -> None:
    samples = [
        sample(1, "C"),
        sample(2, "I"),
        sample(3, "P"),
        sample(4, 0.25),
        sample(5, None),
        sample(6, "C", error={"message": "boom"}),
        sample(1, "C", epoch=2),
    ]

    report, study = imported("inspect", archive(tmp_path / "log.eval", *samples))

    assert judgments(study, "instance_id", "paradigm", "met", "score", "status") == [
        ("fruit-1", "single_rubric", True, None, "ok"),
        ("fruit-2", "single_rubric", False, None, "ok"),
        ("fruit-3", "single_rubric", None, None, "unparsed"),
        ("fruit-4", "direct_assessment", None, 0.25, "ok"),
        ("fruit-5", "single_rubric", None, None, "unparsed"),
        ("fruit-1-epoch-2", "single_rubric", True, None, "ok"),
    ]
    assert report.left_out["the sample failed"].count == 1
    assert set(judgments(study, "judge", "generator")) == {("claude-3-5-sonnet-20241022", "openai/gpt-4o")}


@pytest.mark.parametrize("lacking", [None, float("nan")])
def test_a_missing_grade_of_inspect_is_a_missing_verdict_on_the_same_rubric(
    tmp_path: Path, lacking: float | None
) -> None:
    _, study = imported("inspect", archive(tmp_path / "log.eval", sample(1, "C"), sample(2, lacking)))

    assert judgments(study, "rubric_id", "status") == [("correct", "ok"), ("correct", "unparsed")]


def graded_by(number: int, **values: object) -> dict[str, Any]:
    """Return a sample whose scorers, model-graded but for `f1`, give these values."""
    one = sample(number, "C")
    grading = one["scores"]["model_graded_qa"]["metadata"]
    one["scores"] = {
        name: {"value": value, "metadata": {} if name == "f1" else grading} for name, value in values.items()
    }
    return one


def test_no_value_of_an_inspect_scorer_that_gives_grades_is_a_verdict(tmp_path: Path) -> None:
    samples = [graded_by(n, rating=value) for n, value in enumerate((1, 7, 0, None))]

    _, study = imported("inspect", archive(tmp_path / "log.eval", *samples))

    assert judgments(study, "paradigm", "rubric_id", "met", "score", "status") == [
        ("score_rubric", "rating", None, 1.0, "ok"),
        ("score_rubric", "rating", None, 7.0, "ok"),
        ("score_rubric", "rating", None, 0.0, "ok"),
        ("score_rubric", "rating", None, None, "unparsed"),
    ]


def test_the_shares_of_an_only_inspect_scorer_are_all_direct_assessments(tmp_path: Path) -> None:
    samples = [graded_by(n, rating=value, f1=0.3) for n, value in enumerate((0.0, 0.5, 1))]

    _, study = imported("inspect", dump(tmp_path / "log.json", LOG | {"samples": samples}))

    assert judgments(study, "paradigm", "met", "score") == [
        ("direct_assessment", None, 0.0),
        ("direct_assessment", None, 0.5),
        ("direct_assessment", None, 1.0),
    ]
    assert not study.has("references")


def test_grades_of_several_inspect_scorers_are_no_repeats_of_each_other(tmp_path: Path) -> None:
    one = graded_by(1, tone={"kind": 0.5, "clear": 0.75}, f1=1)
    other = graded_by(2, tone={"kind": 1.0, "clear": 0.25}, f1=0.5)

    report, study = imported("inspect", archive(tmp_path / "log.eval", one, other))

    assert judgments(study, "instance_id", "rubric_id", "score", "trial") == [
        ("fruit-1", "tone.kind", 0.5, 0),
        ("fruit-1", "tone.clear", 0.75, 0),
        ("fruit-2", "tone.kind", 1.0, 0),
        ("fruit-2", "tone.clear", 0.25, 0),
    ]
    assert report.repeats == 0
    assert not study.has("references"), "an f1 of 1 is a grade too"


@pytest.mark.parametrize("grader", ["model_graded_qa", "my_grader"])
def test_an_answer_without_a_grade_that_inspect_scored_as_incorrect_is_no_verdict(
    tmp_path: Path, grader: str
) -> None:
    one, two = sample(1, "I"), sample(2, "I")
    two["scores"] = {grader: {"value": "I", "explanation": "Grade not found in model output: I cannot say"}}

    options = ImportOptions(judge="gpt-4.1" if grader == "my_grader" else None)
    _, study = imported("inspect", archive(tmp_path / "log.eval", one, two), options)

    assert judgments(study, "met")[0] == (False,)
    assert [row for row in judgments(study, "met", "status")[1:] if row != (None, "unparsed")] == []
    assert not study.has("references")


def test_a_json_log_reads_like_the_archive(tmp_path: Path) -> None:
    samples = [sample(1, "C"), sample(2, {"short": True, "kind": "I"})]
    (tmp_path / "b").mkdir()

    _, packed = imported("inspect", archive(tmp_path / "log.eval", *samples))
    _, plain = imported("inspect", dump(tmp_path / "b" / "log.json", LOG | {"samples": samples}))

    columns = ("instance_id", "judge", "rubric_id", "met", "explanation")
    assert judgments(packed, *columns) == judgments(plain, *columns)
    assert [row[2] for row in judgments(plain, *columns)] == [
        "correct",
        "model_graded_qa.short",
        "model_graded_qa.kind",
    ]


def test_inspect_scorers_without_a_model_are_references(tmp_path: Path) -> None:
    one = sample(1, "C")
    one["scores"] = {"includes": {"value": "C"}, "match": {"value": "I"}, "f1": {"value": 0.3}}

    report, study = imported("inspect", archive(tmp_path / "log.eval", one))

    assert rows_of(study.table("references"), "rubric_id", "source", "met") == [("correct", "program", True)]
    assert len(report.notes) == 3


def test_a_log_packed_with_zstandard_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    data = json.dumps(sample(1, "I")).encode()
    squeezed = pa.compress(data, "zstd", asbytes=True)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("header.json", json.dumps(LOG))
        packed.writestr("samples/1_epoch_1.json", squeezed)
    # Mark the stored member as compressed by method 93, in its own header and in the directory.
    raw = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        place = raw.index(mark, raw.index(mark) + 1) + offset
        raw[place : place + 2] = (93).to_bytes(2, "little")
    path.write_bytes(raw)

    _, study = imported("inspect", path)

    assert judgments(study, "met") == [(False,)]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"no zip", "it is not a zip archive"), (b"", "it is not a zip archive")],
)
def test_an_invalid_log_is_refused_with_the_expected_form(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(content)

    with pytest.raises(BadInputError, match=words) as refused:
        imported("inspect", path)

    assert "expected a log of Inspect" in str(refused.value)
