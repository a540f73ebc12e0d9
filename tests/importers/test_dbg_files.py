"""The DBG score's own files: judges over both orders or in each, gold judges, answers and questions."""

from pathlib import Path
from typing import Any

import pytest
from command_line import spb
from importers.foreign_files import dump, imported, judgments, lines, rows_of

from engine.errors import BadInputError, UsageError
from engine.importers.detection import format_of
from engine.study import Study

A, B = "Llama-3.1-70B-Instruct", "Qwen2.5-32B-Instruct"
GOLD = ("gpt-4o-mini", "gemini-flash-1.5", "deepseek-v3")


def verdict(number: int, preferences: Any, **more: Any) -> dict[str, Any]:
    texts = {f"{A}_response": f"a{number}", f"{B}_response": f"b{number}"}
    return {"id": number, **texts, "preferences": preferences} | more


def task(root: Path, name: str = "alpaca_eval") -> Path:
    return root / f"{name}_500_id_wr"


def judged(root: Path, evaluator: str, rows: list[Any], kind: str = "average") -> Path:
    return lines(task(root) / f"evaluator_{evaluator}" / f"{kind}_{A}_{B}.jsonl", rows)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return four instructions, ids with a gap, both models as judges, three gold judges, and answers."""
    folder = tmp_path / "files" / "model_preferences_fullset"
    ids = (3, 5, 9, 10)
    judged(folder, A, [verdict(x, name) for x, name in zip(ids, (A, A, A, B), strict=True)])
    judged(folder, B, [verdict(x, name) for x, name in zip(ids, (B, B, A, B), strict=True)])
    votes = {
        # On 3 two gold judges name A in both orders; on 5 one does and the others change their minds;
        # on 9 all change; on 10 two name B and one A.
        GOLD[0]: ([A, A], [A, A], [A, B], [B, B]),
        GOLD[1]: ([A, A], [A, B], [B, A], [B, B]),
        GOLD[2]: ([A, B], [B, A], [A, B], [A, A]),
    }
    for gold, names in votes.items():
        rows = [verdict(x, pair) for x, pair in zip(ids, names, strict=True)]
        judged(folder, f"{gold}_golden", rows, "merge")
    for model, letter in ((A, "a"), (B, "b")):
        rows = [
            {"id": x, "model_response": f"{letter}{x}", "query": f"q{x}", "golden_response": f"g{x}"}
            for x in (*ids, 11)
        ]
        lines(tmp_path / "files" / "model_responses_fullset" / "alpaca_eval" / f"{model}.jsonl", rows)
    return folder


def test_a_folder_gives_judgments_gold_preferences_questions_and_answers(root: Path) -> None:
    report, study = imported("dbg-score", root.parent)

    assert report.left_out == {}
    columns = ("judge", "generator", "opponent", "first", "choice", "variant", "status")
    assert judgments(study, *columns)[0] == (A, A, B, None, "generator", "default", "ok")
    assert len(judgments(study, "judge")) == 8
    gold = rows_of(study.table("preferences"), "instance_id", "source", "generator", "opponent", "outcome")
    assert ("alpaca_eval-3", "gpt-4o-mini", A, B, 1) in gold
    assert ("alpaca_eval-3", "deepseek-v3", A, B, 0) in gold
    assert ("alpaca_eval-10", "gemini-flash-1.5", A, B, -1) in gold
    instances = rows_of(study.table("instances"), "instance_id", "prompt", "reference_answer", "category")
    assert ("alpaca_eval-9", "q9", "g9", "alpaca_eval") in instances
    assert ("alpaca_eval-11", "q11", "g11", "alpaca_eval") in instances
    assert ("alpaca_eval-3", B, "b3") in rows_of(study.table("responses"), "instance_id", "generator", "text")


def test_the_score_follows_from_the_files(root: Path) -> None:
    imported("dbg-score", root)

    rows = {row["judge"]: row for row in result_of(root, "mean")}

    # A's answer wins: by A 3 of 4, by B 1 of 4; by the gold judges 1 + 1 + .5 + 0 of 4.
    assert (rows[A]["win_rate"], rows[A]["gold_win_rate"], rows[A]["dbg"]) == (0.75, 0.625, 0.125)
    assert (rows[B]["win_rate"], rows[B]["gold_win_rate"]) == (0.75, 0.375)
    assert rows[A]["gold_judges"] == 3


def result_of(root: Path, rule: Any) -> list[Any]:
    study = Study.open(root.parent / "store" / "read")
    return [r for r in study.result("dbg", resamples=0, gold_rule=rule).rows if r["opponent"] is None]


def test_the_stricter_gold_rule_counts_only_pairs_on_which_two_gold_judges_agree(root: Path) -> None:
    imported("dbg-score", root)

    study = Study.open(root.parent / "store" / "read")
    result = study.result("dbg", resamples=0, gold_rule="agreeing", panels=True)

    # Instructions 3 (A) and 10 (B) are left: 5 has one name, 9 none.
    row = next(row for row in result.rows if row["judge"] == A and row["opponent"] is None)
    assert (row["n"], row["win_rate"], row["gold_win_rate"], row["dbg"]) == (2, 0.5, 0.5, 0.0)
    assert result.left_out["reference_tie"] == 4
    assert "gpt-4o-mini" not in row["panels"]


def test_the_stricter_gold_rule_is_refused_with_fewer_than_two_gold_judges(tmp_path: Path) -> None:
    judged(tmp_path / "files", A, [verdict(1, A)])
    judged(tmp_path / "files", f"{GOLD[0]}_golden", [verdict(1, [A, A])], "merge")
    imported("dbg-score", tmp_path / "files")

    with pytest.raises(UsageError, match="needs at least two gold judges, and 1 count here; leave it out"):
        Study.open(tmp_path / "store" / "read").result("dbg", gold_rule="agreeing")


def test_gold_verdicts_repeated_in_one_file_count_once(root: Path) -> None:
    preferences = {GOLD[0]: [A, A], GOLD[1]: [A, A], GOLD[2]: [A, B], "new-judge": [B, B]}
    dump(task(root) / "gold_aggregated.json", {f"merge_{A}_{B}.jsonl": [verdict(3, preferences)]})

    report, study = imported("dbg-score", root)

    gold = rows_of(study.table("preferences"), "instance_id", "source", "outcome")
    assert len(gold) == 13
    assert ("alpaca_eval-3", "new-judge", -1) in gold
    assert report.left_out == {}


def test_an_aggregated_gold_verdict_that_differs_is_left_out_and_named(root: Path) -> None:
    dump(task(root) / "gold_aggregated.json", {f"merge_{A}_{B}.jsonl": [verdict(3, {GOLD[0]: [B, B]})]})

    report, _ = imported("dbg-score", root)

    (reason,) = report.left_out
    assert reason == "another outcome of this preference is in an earlier row"
    assert (
        f"alpaca_eval_500_id_wr/gold_aggregated.json, merge_{A}_{B}.jsonl"
        in (report.left_out[reason].examples[0])
    )


def test_a_judge_without_probabilities_has_a_verdict_in_each_order(tmp_path: Path) -> None:
    rows = [verdict(1, [A, B]), verdict(2, [B, B]), verdict(3, [None, A])]
    judged(tmp_path / "files", A, rows, "merge")

    _, study = imported("dbg-score", tmp_path / "files")

    assert judgments(study, "instance_id", "first", "choice", "status") == [
        ("alpaca_eval-1", "generator", "generator", "ok"),
        ("alpaca_eval-1", "opponent", "opponent", "ok"),
        ("alpaca_eval-2", "generator", "opponent", "ok"),
        ("alpaca_eval-2", "opponent", "opponent", "ok"),
        ("alpaca_eval-3", "generator", None, "unparsed"),
        ("alpaca_eval-3", "opponent", "generator", "ok"),
    ]


def test_judges_with_examples_are_a_variant_and_probabilities_are_stored(tmp_path: Path) -> None:
    judged(tmp_path / "files", f"{A}_fewshot", [verdict(1, B, **{f"{A}_prob": 0.2, f"{B}_prob": 0.6})])
    judged(tmp_path / "files", A, [verdict(1, "tie"), verdict(2, None)])

    report, study = imported("dbg-score", tmp_path / "files")

    assert report.unused == ()
    assert sorted(judgments(study, "variant", "instance_id", "choice", "p_generator", "status")) == [
        ("default", "alpaca_eval-1", "tie", None, "ok"),
        ("default", "alpaca_eval-2", None, None, "unparsed"),
        ("fewshot", "alpaca_eval-1", "opponent", pytest.approx(0.25), "ok"),
    ]


def test_a_gold_judge_without_a_winner_in_one_order_does_not_vote(tmp_path: Path) -> None:
    judged(tmp_path / "files", A, [verdict(1, A)])
    judged(tmp_path / "files", f"{GOLD[0]}_golden", [verdict(1, [None, A])], "merge")
    judged(tmp_path / "files", f"{GOLD[1]}_golden", [verdict(1, [B, A])], "merge")

    report, study = imported("dbg-score", tmp_path / "files")

    assert rows_of(study.table("preferences"), "source", "outcome") == [(GOLD[1], 0)]
    assert any("1 gold verdict without a winner" in note for note in report.notes)


def test_an_answer_with_two_texts_keeps_both_votes(tmp_path: Path) -> None:
    judged(tmp_path / "files", A, [verdict(1, A)])
    judged(tmp_path / "files", B, [verdict(1, A, **{f"{A}_response": "shortened"})])

    report, study = imported("dbg-score", tmp_path / "files")

    assert len(judgments(study, "judge")) == 2
    assert any("1 answer that another file has with another text" in note for note in report.notes)


def test_two_files_of_one_judge_on_one_pair_are_refused_by_name(tmp_path: Path) -> None:
    judged(tmp_path / "files", A, [verdict(1, A)])
    lines(task(tmp_path / "files") / f"evaluator_{A}" / f"average_{B}_{A}.jsonl", [verdict(1, A)])

    with pytest.raises(BadInputError) as caught:
        imported("dbg-score", tmp_path / "files")

    for word in (f"average_{A}_{B}.jsonl", f"average_{B}_{A}.jsonl", "both hold the verdicts"):
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (verdict(1, "GPT-4"), "preferences name neither"),
        (verdict(1, ["GPT-4", A]), "preferences name neither"),
        (verdict(1, [A]), "preferences are not one name for each of two orders"),
        (verdict(1, A) | {"id": None}, "no id"),
        ([1, 2], "the line is not an object"),
    ],
)
def test_a_row_that_cannot_be_read_is_left_out_and_named(tmp_path: Path, row: Any, reason: str) -> None:
    judged(tmp_path / "files", A, [row, verdict(2, A)])

    report, study = imported("dbg-score", tmp_path / "files")

    (problem,) = report.left_out
    assert reason in problem
    assert f"evaluator_{A}/average_{A}_{B}.jsonl, row 1" in report.left_out[problem].examples[0]
    assert len(judgments(study, "judge")) == 1


def test_the_folder_is_detected_and_other_folders_are_refused(tmp_path: Path) -> None:
    judged(tmp_path / "a", A, [verdict(1, A)])
    lines(tmp_path / "b" / "votes.jsonl", [verdict(1, A)])

    assert format_of(tmp_path / "a").form == "dbg-score"
    with pytest.raises(BadInputError, match="holds no file of verdicts; expected the files of the DBG score"):
        imported("dbg-score", tmp_path / "b")


def test_the_command_tells_what_it_read(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(
        monkeypatch, "import", "auto", root, "--store", root.parent.parent / "s", "--dry-run", "--no-doctor"
    )

    out = capsys.readouterr().out
    assert (code, "8 with a verdict (ties: 0)" in out, "12 preferences" in out) == (0, True, True)
