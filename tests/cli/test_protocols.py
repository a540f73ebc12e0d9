"""Each paper's protocol, from prompts to its headline number, by one configuration in a new folder."""

import json
import shutil
from pathlib import Path
from typing import Any

from command_line import Spb
from pyarrow.dataset import dataset

PROTOCOLS = Path(__file__).parents[2] / "datasets" / "protocols"


def _measured(
    spb_here: Spb, folder: Path, protocol: str, measure: str, *words: object
) -> list[dict[str, Any]]:
    """Run a protocol's configuration in a new folder and return the rows of a measure of its study."""
    shutil.copytree(PROTOCOLS / protocol, folder / protocol)
    store = folder / "results"
    ran = spb_here("run", folder / protocol / "run.toml", "--store", store)
    assert ran.returncode == 0, ran.stderr
    answer = spb_here("measure", measure, protocol, "--store", store, *words, "--format", "json")
    assert answer.returncode == 0, answer.stderr
    rows: list[dict[str, Any]] = json.loads(answer.stdout)["rows"]
    return rows


def test_rubric_self_preference_gives_the_ratio_of_each_judge(tmp_path: Path, spb_here: Spb) -> None:
    rows = _measured(spb_here, tmp_path, "rubric-self-preference", "hspp")

    ratios = {row["judge"]: row["hspp_self"] for row in rows if row["judge"] is not None}
    assert ratios.keys() == {"aster", "boreal"}
    assert ratios["aster"] > ratios["boreal"]  # only aster favours itself


def test_rubric_position_bias_shows_the_option_bias_that_a_judge_was_given(
    tmp_path: Path, spb_here: Spb
) -> None:
    rows = _measured(spb_here, tmp_path, "rubric-position-bias", "position")

    shares = {(row["judge"], row["position"]): row["share"] for row in rows}
    # each score stands twice at each of five places, so that without a bias every place has a fifth
    assert shares["aster", 1] > shares["aster", 5] + 0.2
    assert abs(shares["boreal", 1] - 0.2) < 0.05
    store = tmp_path / "results"
    answer = spb_here("measure", "ordering", "rubric-position-bias", "--store", store, "--format", "json")
    costs: dict[str, list[float]] = {}
    for row in json.loads(answer.stdout)["rows"]:
        costs.setdefault(row["judge"], []).append(row["cost"])
    assert {judge: len(of_judge) for judge, of_judge in costs.items()} == {"aster": 10, "boreal": 10}
    assert min(costs["aster"]) > max(costs["boreal"])


def test_equal_quality_pairs_gives_the_self_preference_bias_of_each_judge(
    tmp_path: Path, spb_here: Spb
) -> None:
    rows = _measured(spb_here, tmp_path, "equal-quality-pairs", "equal-quality")

    spb = {row["judge"]: row["spb"] for row in rows}
    assert spb.keys() == {"aster", "boreal"}
    assert spb["aster"] > spb["boreal"]  # only aster favours itself
    again = spb_here("run", tmp_path / "equal-quality-pairs" / "run.toml", "--store", tmp_path / "results")
    calls = len(set(_column(tmp_path, "judgments", "call_id"))) + len(_column(tmp_path, "responses", "text"))
    assert f"0 calls answered, {calls} before" in again.stdout  # each call once, quality's too


def _column(folder: Path, table: str, name: str) -> list[Any]:
    study = folder / "results" / "equal-quality-pairs"
    files = sorted(study.glob(f"{table}.parquet")) + sorted(study.glob(f"{table}/*.parquet"))
    values: list[Any] = dataset(files).to_table(columns=[name])[name].to_pylist()
    return values


def test_the_quality_baseline_gives_t_from_problems_with_reference_answers(
    tmp_path: Path, spb_here: Spb
) -> None:
    rows = _measured(spb_here, tmp_path, "evaluator-quality-baseline", "quality-baseline")

    pooled = {row["judge"]: row for row in rows if row["opponent"] is None}
    assert pooled.keys() == {"aster", "boreal"}
    assert all(row["n"] > 0 for row in pooled.values())
    assert pooled["aster"]["ilsp_updated"] > pooled["boreal"]["ilsp_updated"]  # only aster favours itself


def test_the_dbg_score_holds_each_judge_against_gold_judges_of_the_same_run(
    tmp_path: Path, spb_here: Spb
) -> None:
    rows = _measured(spb_here, tmp_path, "dbg-score", "dbg")

    pooled = {row["judge"]: row for row in rows if row["opponent"] is None}
    # one pair for each of eight instructions; the gold judges judge no answers of their own
    assert {judge: row["n"] for judge, row in pooled.items()} == {"aster": 8, "boreal": 8}
    assert {row["gold_judges"] for row in pooled.values()} == {3}
    assert pooled["aster"]["dbg"] > pooled["boreal"]["dbg"]  # only aster favours itself


def test_two_gold_judges_are_refused_before_anything_is_called(tmp_path: Path, spb_here: Spb) -> None:
    config = shutil.copytree(PROTOCOLS / "dbg-score", tmp_path / "dbg-score") / "run.toml"
    config.write_text(config.read_text("utf-8").replace(', "larch"]', "]"), "utf-8")

    refused = spb_here("run", config, "--store", tmp_path / "results")

    assert refused.returncode == 2
    assert "gold_judges has 2, and a panel needs 3" in refused.stderr


def test_a_dry_run_counts_the_responses_before_the_pairs_that_it_cannot_draw_yet(
    tmp_path: Path, spb_here: Spb
) -> None:
    config = PROTOCOLS / "evaluator-quality-baseline" / "run.toml"

    answer = spb_here("run", config, "--store", tmp_path / "results", "--dry-run", "--format", "json")

    forecast = json.loads(answer.stdout)
    assert forecast["planned"] == 12 * 4  # problems and generators
    assert forecast["note"] == "pairs are drawn once the answers are checked, and are not counted yet"


def test_a_variant_of_no_paradigm_is_refused_also_where_another_serves_some(
    tmp_path: Path, spb_here: Spb
) -> None:
    folder = tmp_path / "equal-quality-pairs"
    shutil.copytree(PROTOCOLS / "equal-quality-pairs", folder)
    config = (folder / "run.toml").read_text("utf-8")
    (folder / "run.toml").write_text(config.replace('"forced"]', '"forced", "enforced"]'), "utf-8")

    refused = spb_here("run", folder / "run.toml", "--store", tmp_path / "results")

    assert refused.returncode == 2
    assert "unknown variant 'enforced' of quality, pairwise" in refused.stderr
    assert not (tmp_path / "results").exists()
