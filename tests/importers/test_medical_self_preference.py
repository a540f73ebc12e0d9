"""Medical LLM Self-Preference: scores alone, rankings, and both, of the last attempt that succeeded."""

import json
from pathlib import Path
from typing import Any

import pytest
from importers.foreign_files import imported, judgments, lines

import engine
from engine.errors import BadInputError
from engine.importers.detection import format_of
from engine.importers.formats.medical_self_preference import AXES

MODELS = ("gpt-5.6-sol", "claude-opus-5", "gemini-3.7-flash")


def attempt(**more: Any) -> dict[str, Any]:
    return {
        "experiment_id": "e",
        "attempt": 1,
        "status": "succeeded",
        "question_id": "q1",
        "question_text": "What is it?",
        "specialty": "Endocrinology",
        "judge_model": "gpt-5.6-sol",
        "prompt_template_id": "pocqi_individual_rubric_scoring_v1",
        "judge_response_text": "{}",
        "input_tokens": 90,
        "output_tokens": 9,
    } | more


def single_score(generator: str, score: float | None, **more: Any) -> dict[str, Any]:
    scores = None if score is None else dict.fromkeys(AXES, score)
    return attempt(
        generator_model=generator, generation_id=generator, ranking_requested=False, scores=scores, **more
    )


def ranking_of(order: list[int], template: str, **more: Any) -> dict[str, Any]:
    """The second model is shown first; `order` numbers the places shown, the best first."""
    models = (MODELS[1], MODELS[0], MODELS[2])
    candidates = [{"response_id": f"response-{n}", "generator_model": m} for n, m in enumerate(models, 1)]
    ranking = {"response_ids": [f"response-{n}" for n in order]}
    result = {"model_ranking": ranking} if "rubric" in template else {"ranking": ranking}
    if "rubric" in template:
        result["scored_responses"] = [
            {"response_id": f"response-{n}", "scores": dict.fromkeys(AXES, 6 - n)} for n in (1, 2, 3)
        ]
    return attempt(
        judging_case="x", candidates=candidates, prompt_template_id=template, result=result, **more
    )


def test_a_score_is_the_mean_of_five_axes_as_a_share_of_the_best(tmp_path: Path) -> None:
    uneven = single_score("claude-opus-5", 5)
    uneven["scores"]["source_quality"] = 0  # 20 of 25
    path = lines(tmp_path / "score_only.jsonl", [single_score("gpt-5.6-sol", 5), uneven])

    assert format_of(path).form == "medical-self-preference"
    _, study = imported("medical-self-preference", path)

    assert judgments(study, "judge", "generator", "paradigm", "score") == [
        ("gpt-5.6-sol", "gpt-5.6-sol", "direct_assessment", 1.0),
        ("gpt-5.6-sol", "claude-opus-5", "direct_assessment", 0.8),
    ]
    assert study.table("instances").to_pylist()[0]["theme"] == "Endocrinology"


def test_the_last_successful_attempt_counts(tmp_path: Path) -> None:
    rows = [
        single_score("gpt-5.6-sol", None, status="failed", judge_response_text=None),
        single_score("gpt-5.6-sol", 2, attempt=2),
        single_score("gpt-5.6-sol", 4, attempt=3),
        single_score("gpt-5.6-sol", None, status="failed", attempt=4),
        single_score("claude-opus-5", None, status="failed", judge_response_text=None),
        single_score("gemini-3.7-flash", None, status="failed"),
    ]

    report, study = imported("medical-self-preference", lines(tmp_path / "s.jsonl", rows))

    assert judgments(study, "generator", "score", "status", "trial") == [
        ("gpt-5.6-sol", 0.8, "ok", 0),
        ("claude-opus-5", None, "error", 0),
        ("gemini-3.7-flash", None, "unparsed", 0),
    ]
    assert any("3 attempts that were repeated later" in note for note in report.notes)


def test_a_ranking_becomes_a_list_with_ranks_and_scores(tmp_path: Path) -> None:
    row = ranking_of([2, 3, 1], "pocqi_rubric_and_model_ranking_v1")

    _, study = imported("medical-self-preference", lines(tmp_path / "r.jsonl", [row]))

    models = json.dumps([MODELS[1], MODELS[0], MODELS[2]])
    assert judgments(study, "paradigm", "variant", "generator", "ordering", "position", "score") == [
        ("listwise", "default", "claude-opus-5", models, 1, 3.0),
        ("listwise", "default", "gpt-5.6-sol", models, 2, 1.0),
        ("listwise", "default", "gemini-3.7-flash", models, 3, 2.0),
        ("direct_assessment", "in_list", "claude-opus-5", None, None, 1.0),
        ("direct_assessment", "in_list", "gpt-5.6-sol", None, None, 0.8),
        ("direct_assessment", "in_list", "gemini-3.7-flash", None, None, 0.6),
    ]
    assert [row for (row,) in judgments(study, "prompt_tokens")] == [90, None, None, None, None, None]


def test_shown_names_and_rankings_without_a_rubric_are_variants(tmp_path: Path) -> None:
    rows = [
        ranking_of([1, 2, 3], "pocqi_direct_quality_ranking_v2"),
        ranking_of([1, 2, 3], "pocqi_identity_revealed_rubric_and_model_ranking_v1"),
    ]

    _, study = imported("medical-self-preference", lines(tmp_path / "r.jsonl", rows))

    assert {variant for (variant,) in judgments(study, "variant")} == {
        "no_rubric",
        "identity_revealed",
        "identity_revealed-in_list",
    }


def test_an_incomplete_ranking_and_a_score_above_five_are_bad_rows(tmp_path: Path) -> None:
    rows = [
        ranking_of([1, 2, 2], "pocqi_direct_quality_ranking_v2"),
        single_score("gpt-5.6-sol", 6),
        single_score("claude-opus-5", 3),
    ]

    report, _ = imported("medical-self-preference", lines(tmp_path / "r.jsonl", rows))

    assert {why: out.count for why, out in report.left_out.items()} == {
        "the ranking does not hold every answer once": 1,
        "a score is not from 0 to 5": 1,
    }


def test_a_git_lfs_pointer_is_refused_with_a_remedy(tmp_path: Path) -> None:
    path = tmp_path / "score_only.jsonl"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:c1\nsize 77\n")

    with pytest.raises(BadInputError, match="git lfs pull"):
        imported("medical-self-preference", path)


def test_an_imported_study_has_conclusions(tmp_path: Path) -> None:
    """Each judge gives its own answer 5 of 5, and others 3: 100 of 100 in place of 60."""
    rows = [
        single_score(model, 5 if model == judge else 3, judge_model=judge, question_id=f"q{n}")
        for judge in MODELS
        for model in MODELS
        for n in range(20)
    ]

    _, study = imported("medical-self-preference", lines(tmp_path / "s.jsonl", rows))

    together, *each = engine.Study(study).result("scorecard", resamples=50).rows
    assert together["judge"] is None
    assert {row["decided_by"] for row in each} == {"bonus_outside"}
    assert [row["estimate"] for row in each] == [pytest.approx(40.0)] * len(MODELS)
