"""Printed numbers beside those computed from a paper's own votes, which are made by hand here."""

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from importers.foreign_files import imported, lines

from engine.explore.printed_votes import BASELINE, DBG, TABLES, PrintedCell, cells_in
from engine.study import Study
from engine.views.registry import VIEWS

VIEW = VIEWS["printed_votes"]
A, B = "Llama-3.1-70B-Instruct", "Qwen2.5-32B-Instruct"
GOLD = ("gpt-4o-mini", "gemini-flash-1.5", "deepseek-v3")


def of_both_orders(share: float, **more: Any) -> list[dict[str, Any]]:
    """Return a judge's two votes with this share for the answer compared, one for each order."""
    other = "proxy" if "proxy" in more else "judge"
    votes = []
    for first, second in ((other, "reference"), ("reference", other)):
        raw = [share, 1 - share, 0.0] if first == other else [1 - share, share, 0.0]
        votes.append({"response1_key": first, "response2_key": second, "raw_probs": raw} | more)
    return votes


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Return votes that give one row of Table 1: MATH500 / Q2.5-14b, N 28, 35.7, -2.8, p .707.

    Differences of -.028 + s and -.028 - s have t = -.028 / (s / sqrt(27)), which is -.5512 for s = .264: of
    28 examples that is P(t > -.5512) = .707.
    """
    folder = tmp_path_factory.mktemp("baseline")
    shared = {"judge": "qwen-2.5-14b", "category": "ilsp", "dataset": "math500"}
    own, proxies = [], []
    for x in range(28):
        example = shared | {"example_id": x, "reference": ("gpt-4o", "phi-3.5-mini")[x % 2]}
        own += of_both_orders(0.357, **example)
        difference = -0.028 + (0.264 if x < 14 else -0.264)
        # Two proxies whose mean it is.
        proxies += of_both_orders(0.357 - difference + 0.01, proxy="gemma-2-9b", **example)
        proxies += of_both_orders(0.357 - difference - 0.01, proxy="llama-3.1-8b", **example)
    for game in (1, 2):
        lines(folder / "votes" / f"J_vs_R_game{game}.jsonl", own[game - 1 :: 2])
        lines(folder / "votes" / f"K_vs_R_game{game}.jsonl", proxies[game - 1 :: 2])
    imported(BASELINE, folder / "votes")
    return Study.open(folder / "store" / "read")


@pytest.fixture(scope="module")
def dbg(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Return verdicts on 500 instructions: A wins 233 by A, 186 by B, 199 by the gold judges."""
    folder = tmp_path_factory.mktemp("dbg")
    task = folder / "files" / "alpaca_eval_500_id_wr"

    def names(wins: int) -> list[str]:
        return [A if x < wins else B for x in range(500)]

    for judge, wins in ((A, 233), (B, 186)):
        rows = [{"id": x, "preferences": name} for x, name in enumerate(names(wins))]
        lines(task / f"evaluator_{judge}" / f"average_{A}_{B}.jsonl", rows)
    for gold in GOLD:
        rows = [{"id": x, "preferences": [name, name]} for x, name in enumerate(names(199))]
        lines(task / f"evaluator_{gold}_golden" / f"merge_{A}_{B}.jsonl", rows)
    rows = [
        {"id": x, "preferences": "Llama-3.1-8B-Instruct" if x < 266 else "Qwen2.5-7B-Instruct"}
        for x in range(500)
    ]
    pair = "average_Llama-3.1-8B-Instruct_Qwen2.5-7B-Instruct.jsonl"
    lines(task / "evaluator_Llama-3.1-8B-Instruct_fewshot" / pair, rows)
    lines(
        task / "evaluator_gpt-4o-mini_golden" / pair.replace("average", "merge"),
        [row | {"preferences": [row["preferences"]] * 2} for row in rows],
    )
    imported(DBG, folder / "files")
    return Study.open(folder / "store" / "read")


def cells(shown: Any, row: str) -> dict[str, str]:
    return next(
        dict(zip(shown.table.heads, each, strict=True)) for each in shown.table.rows if each[0] == row
    )


def test_a_row_of_the_baselines_table_follows_from_its_votes(baseline: Study) -> None:
    assert math.isclose(0.264 / math.sqrt(27), 0.0508, abs_tol=1e-4)

    shown = VIEW.shown(baseline, {})

    row = cells(shown, "MATH500 / Q2.5-14b")
    assert {name: text for name, text in row.items() if name.endswith("here")} == {
        "ILSP orig (%), here": "35.7",
        "ILSP upd (%), here": "-2.8",
        "N, here": "28",
        "Rel. change (%), here": "-107.8",
        "p, here": "0.707",
    }
    assert (
        shown.sentences[0]
        == "All 5 printed numbers of the rows in this study are reproduced to the last digit."
    )
    assert "53 of 54 rows are not in this study." in shown.sentences
    assert set(cells(shown, "Quality / Q2.5-7B-I-T").values()) >= {"30.0", "–"}
    assert len(shown.table.rows) == 54
    assert any("QuALITY" in note for note in shown.basis)


def test_the_command_beside_the_table_has_the_authors_options(baseline: Study) -> None:
    (command,) = VIEW.shown(baseline, {}).commands

    assert "quality-baseline read" in command
    assert "--category math500" in command
    assert "--reference program" in command


def test_a_number_that_differs_is_named(tmp_path: Path) -> None:
    more = {
        "example_id": 1,
        "judge": "qwen-2.5-14b",
        "reference": "gpt-4o",
        "category": "ilsp",
        "dataset": "math500",
    }
    rows = [*of_both_orders(0.9, **more), *of_both_orders(0.4, proxy="phi-3", **more)]
    imported(BASELINE, lines(tmp_path / "votes.jsonl", rows))

    shown = VIEW.shown(Study.open(tmp_path / "store" / "read"), {})

    assert shown.sentences[0].startswith("None of 4 printed numbers")
    assert "MATH500 / Q2.5-14b: ILSP orig (%)" in shown.sentences[1]
    assert cells(shown, "MATH500 / Q2.5-14b")["p, here"] == "–"


def test_the_reasoning_models_table_follows_from_verdicts_and_gold_judges(dbg: Study) -> None:
    shown = VIEW.shown(dbg, {"table": ("Table 2",)})

    row = cells(shown, f"{A}, {B}")
    printed = [row[name] for name in row if name.endswith("printed")]
    assert printed == ["46.6", "53.4", "39.8", "60.2", "37.2", "62.8"]
    assert [row[name] for name in row if name.endswith("here")] == printed
    assert shown.sentences == (
        "All 6 printed numbers of the rows in this study are reproduced to the last digit.",
        "2 of 3 rows are not in this study.",
    )


def test_judges_with_examples_have_their_own_column(dbg: Study) -> None:
    shown = VIEW.shown(dbg, {"table": ("Table 3",)})

    row = cells(shown, "Llama-3.1-8B-Instruct, Qwen2.5-7B-Instruct")
    assert (row["Few-shot (%), printed"], row["Few-shot (%), here"]) == ("53.2", "53.2")
    assert (row["Zero-shot (%), printed"], row["Zero-shot (%), here"]) == ("54.0", "–")


def test_another_study_has_no_printed_numbers() -> None:
    study = Study.open(Path(__file__).resolve().parents[2] / "results" / "demo-pairs")

    shown = VIEW.shown(study, {})

    assert shown.table is None
    assert "Only a study imported from a paper's own files" in shown.problems[0]


def test_every_printed_cell_has_a_measure() -> None:
    for paper, tables in TABLES.items():
        every = cells_in(paper, "IFEval")
        assert {cell.table for cell in every} == set(tables)
        assert all(cell.measure for cell in every)
    assert len({cell.row for cell in cells_in(BASELINE) if cell.table == "Table 1"}) == 54


@pytest.mark.parametrize(
    ("text", "value", "here", "reproduced"),
    [
        ("49.1", 0.49144, "49.1", True),
        ("49.1", 0.49151, "49.2", False),
        ("-17.84", -0.17839, "-17.84", True),
        ("0.0", -0.0002, "0.0", True),
        ("-0.0", 0.0001, "0.0", True),
        ("-.9", -0.0091, "-0.9", True),
        ("<1e-4", 0.0000009, "<1e-4", True),
        ("<1e-4", 0.00002, "0.002", False),
    ],
)
def test_a_number_is_compared_in_the_digits_printed(
    text: str, value: float, here: str, reproduced: bool
) -> None:
    cell = PrintedCell("Table 1", "r", "c", text, "quality-baseline", scale=100.0)

    assert (cell.as_printed(value), cell.is_reproduced(value)) == (here, reproduced)


SHARED = Path(__file__).parents[3] / "shared" / "data" / BASELINE


@pytest.mark.skipif(not SHARED.is_dir(), reason="the data are not part of the repository")
def test_a_number_by_reference_follows_from_the_authors_own_votes(tmp_path: Path) -> None:
    shutil.copytree(SHARED, tmp_path / "votes")
    imported(BASELINE, tmp_path / "votes")

    shown = VIEW.shown(Study.open(tmp_path / "store" / "read"), {"table": ("Table 9",)})

    row = cells(shown, "qwen-2.5-32b")
    assert (row["gpt-4o orig (%), printed"], row["gpt-4o upd (%), printed"]) == ("35.4", "10.9")
    assert (row["gpt-4o orig (%), here"], row["gpt-4o upd (%), here"]) == ("35.4", "10.9")


def test_rows_of_quality_follow_from_its_objects(tmp_path: Path) -> None:
    own = {"example_id": "63855_OUVVRF81_2_0", "category": "ilsp"}
    models = {"judge": "Qwen2.5-7B-Instruct-Turbo", "reference": "DeepSeek-V3"}
    for proxy in ("Llama-4-Scout-17B-16E-Instruct", "Meta-Llama-3.1-8B-Instruct-Turbo"):
        content = {
            "metadata": models | {"proxy": proxy},
            "J_vs_R_game1": [own | {"raw_probs": [0.6, 0.4]}],
            "J_vs_R_game2": [own | {"raw_probs": [0.5, 0.5]}],
            "K_vs_R_game1": [own | {"raw_probs": [0.2, 0.8]}],
            "K_vs_R_game2": [own | {"raw_probs": [0.9, 0.1]}],
        }
        path = tmp_path / "votes" / f"judge_swap_{proxy}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content), "utf-8")
    imported(BASELINE, tmp_path / "votes")

    row = cells(VIEW.shown(Study.open(tmp_path / "store" / "read"), {}), "Quality / Q2.5-7B-I-T")

    # Its own: (.6 + .5) / 2; the proxies': (.2 + .1) / 2 each; .55 - .15 of one example and two proxies.
    assert (row["ILSP orig (%), here"], row["ILSP upd (%), here"], row["N, here"]) == ("55.0", "40.0", "2")


def test_signs_of_entropy_gaps_are_counted_over_judges(tmp_path: Path) -> None:
    # Where its answer lost, the first judge votes .5 (1 bit) and where it won .9 (.469 bits): a gap of .531.
    # The second is sure of its worse answers: .469 - 1 = -.531. One of two is above 0, and the mean is 0.
    votes = []
    for judge, lost, won in (("qwen-2.5-14b", 0.5, 0.9), ("gemma-2-9b", 0.9, 0.5)):
        for category, share in (("ilsp", lost), ("lsp", won)):
            example = {"judge": judge, "reference": "gpt-4o", "dataset": "math500", "category": category}
            for x in range(3):
                votes += of_both_orders(share, example_id=f"{category}{x}", **example)
                votes += of_both_orders(0.4, example_id=f"{category}{x}", proxy="phi-3", **example)
    imported(BASELINE, lines(tmp_path / "votes.jsonl", votes))

    shown = VIEW.shown(Study.open(tmp_path / "store" / "read"), {"table": ("Table 12",)})

    here = {name: text for name, text in cells(shown, "math500").items() if name.endswith("here")}
    assert list(here.values()) == ["2", "1", "1", "50.0", "0.000"]
    assert cells(shown, "mmlu")["N, here"] == "–"
    assert any("Overall" in note for note in shown.basis)
