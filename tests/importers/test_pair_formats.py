"""AlpacaEval, MT-Bench, Arena-Hard and LLM Comparator: who won, in which order, and what is no verdict."""

from pathlib import Path

import pytest
from importers.foreign_files import alpaca, dump, imported, judgments, lines, rows_of

from engine.errors import BadInputError, UsageError
from engine.importers.import_options import ImportOptions

REAL = Path(__file__).parents[3] / "shared" / "data" / "alpaca_eval" / "annotations.json"


def test_alpaca_evals_preference_is_read_with_the_tools_meaning(tmp_path: Path) -> None:
    path = dump(tmp_path / "annotations.json", alpaca(1, 2, 1.5, 0, 1.9, "1.2", None, -1, 2.5, "nan"))

    report, study = imported("alpaca-eval", path)

    assert judgments(study, "choice", "p_generator", "status") == [
        ("opponent", None, "ok"),
        ("generator", None, "ok"),
        ("tie", None, "ok"),
        ("tie", None, "ok"),
        ("generator", pytest.approx(0.9), "ok"),
        ("opponent", pytest.approx(0.2), "ok"),
        *[(None, None, "unparsed")] * 4,
    ]
    assert (report.ties, report.statuses) == (2, {"ok": 6, "unparsed": 4})
    assert set(judgments(study, "generator", "opponent", "first")) == {
        ("gpt-4o-2024-05-13", "text_davinci_003", "unknown")
    }


def test_two_answers_of_one_model_are_left_out_as_compared_with_itself(tmp_path: Path) -> None:
    first, second = alpaca(1)[0], alpaca(2)[0]
    second |= {"generator_1": second["generator_2"], "output_1": "Another pear."}

    report, _ = imported("alpaca-eval", dump(tmp_path / "annotations.json", [first, second]))

    assert list(report.left_out) == ["a model is compared with itself"]


def test_a_blank_output_of_alpaca_eval_is_a_response_and_a_missing_one_is_a_bad_row(tmp_path: Path) -> None:
    one, two, three = alpaca(1, 2, 2)
    path = dump(
        tmp_path / "annotations.json", [one | {"output_1": ""}, two | {"output_1": None}, "no object", three]
    )

    report, study = imported("alpaca-eval", path)

    assert rows_of(study.table("responses"), "text")[0] == ("",)
    assert (report.rows_read, report.rows_stored) == (4, 2)
    assert {why: out.examples for why, out in report.left_out.items()} == {
        "no output_1": ["annotations.json, row 2"],
        "it is not an object": ["annotations.json, row 3 (no object)"],
    }


def test_the_real_annotations_have_the_counts_of_their_file(tmp_path: Path) -> None:
    if not REAL.is_file():
        pytest.skip("the shared AlpacaEval file is not here")
    path = tmp_path / "annotations.json"
    path.write_bytes(REAL.read_bytes())

    report, _ = imported("alpaca-eval", path)

    # Counted with a plain loop over the file: 691 times 2, 108 times 1, 5 times 1.5, once null.
    assert (report.rows_read, report.rows_stored, report.ties) == (805, 805, 5)
    assert report.statuses == {"ok": 804, "unparsed": 1}


def test_mt_bench_pairs_have_two_orders_and_errors_are_no_verdicts(tmp_path: Path) -> None:
    pair = {"question_id": 81, "model_1": "alpaca-13b", "model_2": "gpt-4", "judge": ["gpt-4", "pair-v2"]}
    path = lines(
        tmp_path / "gpt-4_pair.jsonl",
        [
            {**pair, "g1_winner": "model_2", "g2_winner": "tie", "turn": 1},
            {**pair, "g1_winner": "error", "g2_winner": "model_1", "g1_judgment": "$ERROR$", "turn": 2},
            {**pair, "question_id": 82, "g1_winner": "error", "g2_winner": "error", "g1_judgment": "?"},
            {**pair, "question_id": 83, "g1_winner": None, "g2_winner": "model_1"},
        ],
    )

    _, study = imported("mt-bench", path)

    assert judgments(study, "instance_id", "first", "choice", "status") == [
        ("81", "generator", "opponent", "ok"),
        ("81", "opponent", "tie", "ok"),
        ("81-turn-2", "generator", None, "error"),
        ("81-turn-2", "opponent", "generator", "ok"),
        ("82", "generator", None, "unparsed"),
        ("82", "opponent", None, "unparsed"),
        ("83", "generator", None, "unparsed"),
        ("83", "opponent", "generator", "ok"),
    ]


def test_mt_bench_scores_are_tenths_and_minus_one_is_no_score(tmp_path: Path) -> None:
    single = {"question_id": 81, "model": "gpt-4", "judge": ["gpt-4", "single-v1"], "turn": 1}
    path = lines(
        tmp_path / "gpt-4_single.jsonl",
        [
            {**single, "score": 8.5},
            {**single, "model": "vicuna-13b", "score": -1, "judgment": "Hm."},
            {**single, "question_id": 82, "score": 0},
            {**single, "question_id": 83, "score": -1, "judgment": "$ERROR$"},
            {**single, "model": None, "score": 4},
            "{torn",
        ],
    )

    report, study = imported("mt-bench", path)

    assert judgments(study, "generator", "score", "status") == [
        ("gpt-4", pytest.approx(0.85), "ok"),
        ("vicuna-13b", None, "unparsed"),
        ("gpt-4", None, "unparsed"),
        ("gpt-4", None, "error"),
    ]
    assert list(report.left_out) == ["no model", "the line is not JSON"]


def test_the_benchmarks_folder_supplies_prompts_and_responses(tmp_path: Path) -> None:
    bench = tmp_path / "mt_bench"
    turns = {"turns": ["Name a fruit.", "And another."]}
    lines(bench / "question.jsonl", [{"question_id": 81, "category": "writing", **turns}])
    for model in ("gpt-4", "vicuna-13b"):
        answer = {"question_id": 81, "model_id": model, "choices": [{"turns": ["Apple", f"Pear {model}"]}]}
        lines(bench / "model_answer" / f"{model}.jsonl", [answer])
    no_model = {"question_id": 81, "model_id": "gpt-4", "choices": []}
    lines(bench / "reference_answer" / "gpt-4.jsonl", [no_model])
    judged = {"question_id": 81, "model": "vicuna-13b", "judge": ["gpt-4", "x"], "score": 3, "turn": 2}
    lines(bench / "model_judgment" / "gpt-4_single.jsonl", [judged])

    _, study = imported("mt-bench", bench)

    assert rows_of(study.table("instances"), "instance_id", "category") == [
        ("81", "writing"),
        ("81-turn-2", "writing"),
    ]
    assert sorted(rows_of(study.table("responses"), "instance_id", "generator", "text")) == [
        ("81", "gpt-4", "Apple"),
        ("81", "vicuna-13b", "Apple"),
        ("81-turn-2", "gpt-4", "Pear gpt-4"),
        ("81-turn-2", "vicuna-13b", "Pear vicuna-13b"),
    ]


def test_human_judgments_of_mt_bench_are_preferences(tmp_path: Path) -> None:
    row = {"question_id": 81, "model_a": "gpt-4", "model_b": "vicuna-13b", "turn": 1}
    path = lines(
        tmp_path / "human.jsonl",
        [
            {**row, "winner": "model_b", "judge": "expert_1"},
            {**row, "winner": "tie", "judge": "author_2"},
            {**row, "winner": "model_a", "judge": "gpt4_pair"},
        ],
    )

    _, study = imported("mt-bench", path)

    assert rows_of(study.table("preferences"), "source", "outcome") == [
        ("human:expert_1", -1),
        ("human:author_2", 0),
    ]
    assert judgments(study, "judge", "first", "choice") == [("gpt4_pair", None, "generator")]


def test_arena_hard_shows_the_baseline_first_in_game_one(tmp_path: Path) -> None:
    row = {"uid": "u1", "category": "hard_prompt", "model": "o1", "baseline": "o3-mini", "judge": "gpt-4.1"}
    path = lines(
        tmp_path / "o1.jsonl",
        [
            {**row, "games": [{"score": "A>>B"}, {"score": "A>B"}]},
            {**row, "uid": "u2", "games": [{"score": "A=B"}, {"score": "B>A"}]},
            {**row, "uid": "u3", "games": [{"score": None, "judgment": {"answer": "Hm."}}, None]},
            {**row, "uid": "u4", "games": []},
        ],
    )

    report, study = imported("arena-hard", path)

    assert judgments(study, "generator", "opponent", "first", "choice", "status") == [
        ("o1", "o3-mini", "opponent", "opponent", "ok"),
        ("o1", "o3-mini", "generator", "generator", "ok"),
        ("o1", "o3-mini", "opponent", "tie", "ok"),
        ("o1", "o3-mini", "generator", "opponent", "ok"),
        ("o1", "o3-mini", "opponent", None, "unparsed"),
        ("o1", "o3-mini", "generator", None, "error"),
    ]
    assert list(report.left_out) == ["not two games"]


def test_an_unnamed_baseline_is_reported_and_can_be_given(tmp_path: Path) -> None:
    row = {"question_id": "q", "model": "o1", "judge": "gpt-4", "games": [{"score": "A>B"}, {"score": "B>A"}]}
    path = lines(tmp_path / "o1.jsonl", [row])

    default, _ = imported("arena-hard", path)
    (tmp_path / "again").mkdir()
    explicit, study = imported(
        "arena-hard", lines(tmp_path / "again" / "o1.jsonl", [row]), ImportOptions(baseline="me")
    )

    assert "the baseline is not named: 'gpt-4-0314' is taken" in default.notes[0]
    assert (explicit.notes, judgments(study, "opponent")[0]) == ((), ("me",))


def test_llm_comparator_ratings_have_an_order_and_a_bare_score_has_none(tmp_path: Path) -> None:
    example = {"input_text": "Name a fruit.", "tags": ["Food"], "output_text_a": "x", "output_text_b": "y"}
    ratings = [
        {"is_flipped": False, "score": 1.5, "rationale": "A it is."},
        {"is_flipped": True, "score": -0.5},
        {"is_flipped": True, "score": -0.5},
        {"is_flipped": None, "score": 0},
        {"is_flipped": False, "score": None},
    ]
    path = dump(
        tmp_path / "sxs.json",
        {
            "metadata": {},
            "models": [{"name": "Gemma 1.1"}, {"name": "Gemma 1.0"}],
            "examples": [
                {**example, "score": 0.5, "individual_rater_scores": ratings},
                {**example, "input_text": "Two?", "score": -1.0, "individual_rater_scores": []},
                {**example, "input_text": None, "score": 1},
            ],
        },
    )

    report, study = imported("llm-comparator", path, ImportOptions(judge="gemini-1.5-pro"))

    assert judgments(study, "first", "choice", "trial", "status") == [
        ("generator", "generator", 0, "ok"),
        ("opponent", "opponent", 0, "ok"),
        ("opponent", "opponent", 1, "ok"),
        ("unknown", "tie", 0, "ok"),
        ("generator", None, 1, "unparsed"),
        ("unknown", "opponent", 0, "ok"),
    ]
    assert report.left_out["no input_text"].count == 1


def test_llm_comparator_needs_a_given_judge(tmp_path: Path) -> None:
    example = {"input_text": "Q", "output_text_a": "x", "output_text_b": "y", "score": 1}
    path = dump(tmp_path / "sxs.json", {"models": [], "examples": [example]})

    with pytest.raises(UsageError, match="does not say who judged; give --judge NAME"):
        imported("llm-comparator", path)
    with pytest.raises(
        BadInputError, match=r"no models\[0\].name: sxs.json, row 1.*expected LLM Comparator's JSON"
    ):
        imported("llm-comparator", path, ImportOptions(judge="j"))
