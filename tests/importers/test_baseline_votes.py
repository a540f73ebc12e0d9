"""The quality baseline's own votes: folders of both layouts, and the rows that must not be misread."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from command_line import spb
from importers.foreign_files import imported, judgments, lines, rows_of

from engine.errors import BadInputError
from engine.importers.detection import format_of
from engine.store import Store
from engine.study import Study

FORM = "evaluator-quality-baseline"
SHARED = Path(__file__).parents[3] / "shared" / "data" / FORM


def vote(game: int, raw: Any, proxy: str | None = None, **more: Any) -> dict[str, Any]:
    """Return a row as the authors' program writes it; game 1 shows the answer compared first."""
    other = "judge" if proxy is None else "proxy"
    first, second = (other, "reference") if game == 1 else ("reference", other)
    row = {
        "example_id": 7,
        "judge": "qwen-2.5-7b",
        "reference": "gpt-4o",
        "comparison_type": f"{'J' if proxy is None else 'K'}_vs_R_game{game}",
        "response1_key": first,
        "response2_key": second,
        "raw_probs": raw,
        "generated_text": "The",
        "category": "ilsp",
        "dataset": "math500",
    }
    return row | ({} if proxy is None else {"proxy": proxy}) | more


CELL = "math500/cache/qwen-2.5-7b/gpt-4o"


def test_both_layouts_give_the_same_study(tmp_path: Path) -> None:
    own = [[vote(1, [0.6, 0.3, 0.1])], [vote(2, [0.5, 0.4, 0.1])]]
    proxies = [[vote(game, [0.2, 0.7, 0.1], proxy) for proxy in ("phi-3", "gemma-2-9b")] for game in (1, 2)]
    flat, nested = tmp_path / "1" / "flat", tmp_path / "2" / "nested"
    for game in (1, 2):
        lines(flat / CELL / f"J_vs_R_game{game}.jsonl", own[game - 1])
        lines(flat / CELL / f"K_vs_R_game{game}.jsonl", proxies[game - 1])
        lines(nested / CELL / f"J_vs_R_game{game}.jsonl", own[game - 1])
        for row in proxies[game - 1]:
            lines(nested / CELL / row["proxy"] / f"K_vs_r_game{game}.jsonl", [row])

    columns = ("instance_id", "judge", "generator", "opponent", "first", "choice", "p_generator", "p_tie")
    studies = [sorted(judgments(imported(FORM, folder)[1], *columns)) for folder in (flat, nested)]

    assert studies[0] == studies[1]
    assert len(studies[0]) == 6
    assert studies[0][0][:6] == ("math500-7", "qwen-2.5-7b", "gemma-2-9b", "gpt-4o", "generator", "opponent")
    # The proxy's .2 of .2 + .7 where it is A, .7 of .9 where it is B.
    assert [row[6] for row in studies[0][:2]] == [pytest.approx(2 / 9), pytest.approx(7 / 9)]


def test_a_proxy_that_only_its_folder_names_is_read_from_there(tmp_path: Path) -> None:
    row = vote(1, [0.2, 0.7, 0.1], "phi-3") | {"proxy": None}
    lines(tmp_path / "votes" / CELL / "phi-3" / "K_vs_R_game1.jsonl", [row])

    report, study = imported(FORM, tmp_path / "votes")

    assert judgments(study, "generator", "opponent") == [("phi-3", "gpt-4o")]
    assert any("1 row without a proxy: the folder's name is the proxy's" in note for note in report.notes)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        # generated_text is "The" throughout: it names no answer, and the probabilities do.
        ([0.6, 0.3, 0.1], ("ok", "generator", pytest.approx(2 / 3), pytest.approx(0.1), "forced_tie")),
        ([0.3, 0.2, 0.5], ("ok", "tie", pytest.approx(0.6), pytest.approx(0.5), "forced_tie")),
        ([0.33, 0.33, 0.34], ("ok", "tie", 0.5, pytest.approx(0.34), "forced_tie")),
        ([0, 0, 1], ("ok", "tie", 0.5, 1.0, "forced_tie")),
        ([0.0, 0.0, 0.0], ("ok", "tie", 0.5, 1.0, "forced_tie")),
        ([0.2, 0.1], ("ok", "generator", pytest.approx(2 / 3), None, "forced")),
        ([0.0, 0.0], ("ok", "tie", 0.5, 1.0, "forced")),
        ([0.25, 0.25], ("ok", "tie", 0.5, None, "forced")),
        (None, ("unparsed", None, None, None, "forced_tie")),
    ],
)
def test_the_verdict_comes_from_the_probabilities(tmp_path: Path, raw: Any, expected: Any) -> None:
    rows = [vote(1, raw), vote(1, [1, 0], example_id=8)]

    _, study = imported(FORM, lines(tmp_path / "J_vs_R_game1.jsonl", rows))

    read = judgments(study, "instance_id", "status", "choice", "p_generator", "p_tie", "variant")
    assert next(row[1:] for row in read if row[0] == "math500-7") == expected


def test_unnormalized_votes_are_kept_with_their_mass(tmp_path: Path) -> None:
    _, study = imported(FORM, lines(tmp_path / "J_vs_R_game2.jsonl", [vote(2, [0.2, 0.1])]))

    read = judgments(study, "first", "choice", "p_generator", "p_mass")

    assert read == [("opponent", "opponent", pytest.approx(1 / 3), pytest.approx(0.3))]


def test_rows_that_count_as_the_authors_count_them_are_named(tmp_path: Path) -> None:
    rows = [vote(1, [0.33, 0.33, 0.34], example_id=1), vote(1, [0, 0, 1], example_id=2), vote(1, [1, 0, 0])]
    rows += [vote(1, [0, 1, 0]), vote(1, [1, 0, 0], example_id=3, category="neither")]

    report, study = imported(FORM, lines(tmp_path / "J_vs_R_game1.jsonl", rows))

    notes = "\n".join(report.notes)
    assert "1 row with .33 / .33 / .34" in notes
    assert "1 row with no probability for either answer" in notes
    assert "1 row with a later vote on the same comparison in the same file: the last one counts" in notes
    assert "1 row without a category" in notes
    assert ("math500-7", "opponent") in judgments(study, "instance_id", "choice")
    assert len(judgments(study, "judge")) == 4


def test_a_chain_of_thought_run_is_a_variant_of_its_own(tmp_path: Path) -> None:
    votes = tmp_path / "votes"
    lines(votes / "null_verif_cot" / CELL / "J_vs_R_game1.jsonl", [vote(1, [1.0, 0.0, 0.0])])
    lines(votes / "plain" / CELL / "J_vs_R_game1.jsonl", [vote(1, [0.9, 0.05, 0.05])])
    marked = vote(1, [0.0, 1.0, 0.0], example_id=8, verdict_token_position=61)
    lines(votes / "plain" / CELL / "x" / "J_vs_R_game1.jsonl", [marked])

    _, study = imported(FORM, votes)

    assert sorted(judgments(study, "instance_id", "variant", "choice")) == [
        ("math500-7", "cot", "generator"),
        ("math500-7", "forced_tie", "generator"),
        ("math500-8", "cot", "opponent"),
    ]


def test_the_imported_folder_itself_may_say_that_it_is_chain_of_thought(tmp_path: Path) -> None:
    folder = tmp_path / "judge_swap_null_verif_cot"
    lines(folder / CELL / "J_vs_R_game1.jsonl", [vote(1, [1.0, 0.0, 0.0])])

    _, study = imported(FORM, folder)

    assert judgments(study, "variant") == [("cot",)]


def test_files_of_one_identity_that_differ_are_refused_by_name(tmp_path: Path) -> None:
    lines(tmp_path / "votes" / "cnn" / "K_vs_R_game1.jsonl", [vote(1, [0.6, 0.4], "phi-3")])
    lines(tmp_path / "votes" / "cnn2" / "K_vs_R_game1.jsonl", [vote(1, [0.7, 0.3], "phi-3")])

    with pytest.raises(BadInputError) as caught:
        imported(FORM, tmp_path / "votes")

    for word in ("cnn/K_vs_R_game1.jsonl", "cnn2/K_vs_R_game1.jsonl", "'7'", "[0.6, 0.4]", "[0.7, 0.3]"):
        assert word in str(caught.value)
    assert Store(tmp_path / "store").studies() == []


def test_files_of_one_identity_that_agree_count_once(tmp_path: Path) -> None:
    for folder in ("cnn", "cnn2"):
        lines(tmp_path / "votes" / folder / "K_vs_R_game1.jsonl", [vote(1, [0.6, 0.4], "phi-3")])

    report, study = imported(FORM, tmp_path / "votes")

    assert len(judgments(study, "judge")) == 1
    assert any("1 row in a second file, with the same vote" in note for note in report.notes)


def test_right_and_wrong_answers_become_references(tmp_path: Path) -> None:
    rows = [vote(1, [1, 0, 0], "phi-3", category="lsp"), vote(1, [1, 0, 0], example_id=8)]

    _, study = imported(FORM, lines(tmp_path / "votes.jsonl", rows))

    table = study.table("references")
    assert sorted(rows_of(table, "instance_id", "generator", "rubric_id", "source", "met")) == [
        ("math500-7", "gpt-4o", "correct", "program", False),
        ("math500-7", "phi-3", "correct", "program", True),
        ("math500-8", "gpt-4o", "correct", "program", True),
        ("math500-8", "qwen-2.5-7b", "correct", "program", False),
    ]
    assert rows_of(study.table("instances"), "category") == [("math500",)] * 2


def test_answers_that_are_only_better_or_worse_become_preferences(tmp_path: Path) -> None:
    # Against phi-3 gpt-4o's answer wins, against the judge's it loses: it is neither right nor wrong.
    rows = [vote(1, [0.9, 0.1], category="lsp"), vote(1, [0.9, 0.1], "phi-3")]
    rows = [row | {"dataset": "alpaca_eval"} for row in rows]

    report, study = imported(FORM, lines(tmp_path / "votes.jsonl", [*rows, vote(1, [1, 0, 0])]))

    table = study.table("preferences")
    assert sorted(rows_of(table, "instance_id", "generator", "opponent", "source", "outcome")) == [
        ("alpaca_eval-7", "phi-3", "gpt-4o", "gold", -1),
        ("alpaca_eval-7", "qwen-2.5-7b", "gpt-4o", "gold", 1),
    ]
    assert any("--reference program" in note for note in report.notes)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (vote(1, [0.5]), "raw_probs are not two or three probabilities"),
        (vote(1, [0.5, 1.5]), "raw_probs are not two or three probabilities"),
        (vote(1, [0.5, None, 0.1]), "raw_probs are not two or three probabilities"),
        (vote(1, "A"), "raw_probs are not two or three probabilities"),
        (vote(1, [1, 0], response2_key="judge"), "response1_key and response2_key are not"),
        (vote(1, [1, 0], comparison_type="J_vs_R_game2"), "comparison_type says another order"),
        (vote(1, [1, 0], "qwen-2.5-7b"), "the proxy is the judge itself"),
        (vote(1, [1, 0], "") | {"proxy": None}, "no proxy"),
        (vote(1, [1, 0], judge=None), "no judge"),
        (vote(1, [1, 0], "gpt-4o"), "a model is compared with itself"),
        ("{", "the line is not JSON"),
    ],
)
def test_a_row_that_cannot_be_read_is_left_out_and_named(tmp_path: Path, row: Any, reason: str) -> None:
    path = lines(tmp_path / "K_vs_R_game1.jsonl", [row, vote(1, [1, 0], example_id=99)])

    report, study = imported(FORM, path)

    (problem,) = report.left_out
    assert reason in problem
    assert "K_vs_R_game1.jsonl, row 1" in report.left_out[problem].examples[0]
    assert len(judgments(study, "judge")) == 1


def test_other_files_of_the_folder_are_counted_and_a_folder_without_votes_is_refused(tmp_path: Path) -> None:
    lines(tmp_path / "votes" / "smoke.jsonl", [{"x": 1}])
    with pytest.raises(BadInputError, match=r"holds no file of votes; expected the votes"):
        imported(FORM, tmp_path / "votes")
    lines(tmp_path / "votes" / CELL / "j_VS_r_GAME1.jsonl", [vote(1, [1, 0, 0])])

    report, _ = imported(FORM, tmp_path / "votes")

    assert report.notes == ("1 other file not read, such as smoke.jsonl",)


def test_the_format_is_detected_by_its_rows(tmp_path: Path) -> None:
    lines(tmp_path / "a" / "J_vs_R_game1.jsonl", [vote(1, [1, 0, 0])])

    assert format_of(tmp_path / "a").form == FORM


@pytest.fixture
def cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if not SHARED.is_dir():
        pytest.skip(f"the data are not part of the repository (../shared/data/{FORM} is absent)")
    code = spb(
        monkeypatch, "import", FORM, str(SHARED), "--store", str(tmp_path), "--study", "cell", "--no-doctor"
    )
    assert code == 0
    return tmp_path / "cell"


def test_the_published_cell_gives_its_authors_numbers_to_six_decimals(
    cell: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with (SHARED / "printed.csv").open(encoding="utf-8") as file:
        (printed,) = csv.DictReader(file)
    capsys.readouterr()

    place = ("--store", cell.parent, "--study", "cell")
    spb(monkeypatch, "metrics", "quality-baseline", *place, "--format", "json", "--resamples", 0)

    row = json.loads(capsys.readouterr().out)["rows"][0]
    names = {
        "n": "n_examples",
        "ilsp_matched": "mean_j_vs_r",
        "ilsp_proxies": "mean_k_vs_r",
        "ilsp_updated": "mean_diff",
        "t_stat": "t_stat",
        "p_two_sided": "ttest_p",
    }
    assert {ours: round(row[ours], 6) for ours in names} == {
        ours: float(printed[theirs]) for ours, theirs in names.items()
    }
    assert (row["p"], row["reasons"]["p"]) == (None, "too_few_instances")


def test_a_pair_of_example_and_proxy_counts_once_in_the_pool_of_pairs(cell: Path) -> None:
    # By plain arithmetic over the files: both orders averaged, one difference for each example and proxy.
    scores: dict[tuple[int, str], list[float]] = {}
    for kind in "JK":
        for game in (1, 2):
            file = SHARED / "math500/qwen-2.5-32b/gpt-4o" / f"{kind}_vs_R_game{game}.jsonl"
            for row in map(json.loads, file.read_text("utf-8").splitlines()):
                if row["category"] == "ilsp":
                    key = row["example_id"], row.get("proxy", "")
                    scores.setdefault(key, []).append(row[f"prob_response{game}"])
    mean = {key: sum(both) / 2 for key, both in scores.items() if len(both) == 2}
    differences = [mean[x, ""] - s for (x, proxy), s in mean.items() if proxy and (x, "") in mean]

    row = Study.open(cell).result("quality-baseline", resamples=0, pool="pairs", min_instances=1).rows[0]

    assert row["n"] == len(differences) == 68
    assert row["ilsp_updated"] == pytest.approx(sum(differences) / 68, abs=1e-7)
    assert row["p"] == pytest.approx(row["p_two_sided"] / 2)


def swap_file(folder: Path, proxy: str, **lists: Any) -> Path:
    """Write the votes of one judge, proxy and reference as the authors keep QuALITY's; return the file."""
    own = {"example_id": "63855_OUVVRF81_2_0", "category": "ilsp", "generated_text": "1"}
    content = {
        "metadata": {"judge": "Qwen2.5-7B", "proxy": proxy, "reference": "DeepSeek-V3", "n_examples": 1},
        "J_vs_R_game1": [own | {"raw_probs": [0.6, 0.3]}],
        "J_vs_R_game2": [own | {"raw_probs": [0.5, 0.5]}],
        "K_vs_R_game1": [own | {"raw_probs": [0.2, 0.8]}],
        "K_vs_R_game2": [own | {"raw_probs": [0.7, 0.1]}],
    }
    path = folder / "quality" / "Qwen2.5-7B" / f"judge_swap_Qwen2.5-7B_{proxy}_DeepSeek-V3.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content | lists), "utf-8")
    return path


def test_votes_on_quality_are_read_with_the_judges_own_ones_once(tmp_path: Path) -> None:
    for proxy in ("phi-3", "Llama-3.1-8B"):
        swap_file(tmp_path / "votes", proxy)

    report, study = imported(FORM, tmp_path / "votes")

    read = sorted(judgments(study, "generator", "first", "choice", "p_generator", "variant"))
    assert len(read) == 2 * 3
    assert read[-2:] == [
        ("phi-3", "generator", "opponent", pytest.approx(0.2), "forced"),
        ("phi-3", "opponent", "opponent", pytest.approx(0.125), "forced"),
    ]
    assert ("Qwen2.5-7B", "generator", "generator", pytest.approx(2 / 3), "forced") in read
    assert any("2 rows in a second file, with the same vote" in note for note in report.notes)
    assert {row[:2] for row in rows_of(study.table("references"), "generator", "met", "source")} == {
        ("DeepSeek-V3", True),
        ("Llama-3.1-8B", False),
        ("Qwen2.5-7B", False),
        ("phi-3", False),
    }


def test_own_votes_on_quality_that_differ_between_files_are_refused(tmp_path: Path) -> None:
    swap_file(tmp_path / "votes", "phi-3")
    other = {"example_id": "63855_OUVVRF81_2_0", "category": "ilsp", "raw_probs": [0.9, 0.1]}
    swap_file(tmp_path / "votes", "Llama-3.1-8B", J_vs_R_game1=[other])

    with pytest.raises(BadInputError, match=r"judge_swap_Qwen2\.5-7B_phi-3.*J_vs_R_game1, row 1"):
        imported(FORM, tmp_path / "votes")


def test_one_file_of_quality_is_detected_and_one_without_its_models_is_refused(tmp_path: Path) -> None:
    assert format_of(swap_file(tmp_path, "phi-3")).form == FORM

    with pytest.raises(BadInputError, match="it lacks metadata, or the four lists of votes"):
        imported(FORM, swap_file(tmp_path, "phi-3", metadata=[]))
