"""Gold judges of pairs, made from judgments by `spb reference committee`, and what `dbg` takes of them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from command_line import Spb

from engine.importers.exchange import import_tidy
from engine.store import Store

MODELS = {"a": "A", "b": "B", "g": "G", "h": "H", "k": "A"}  # k is of a's family


def _rows(judge: str, instance: str, choices: tuple[str, str]) -> list[dict[str, Any]]:
    """Return a judge's choices on a and b, a shown first and then b."""
    pair = {"judge": judge, "paradigm": "pairwise", "instance_id": instance}
    sides = {"a": "generator", "b": "opponent", "tie": "tie"}
    return [
        {**pair, "generator": "a", "opponent": "b", "first": first, "choice": sides[choice]}
        for first, choice in zip(("generator", "opponent"), choices, strict=True)
    ]


VOTES = {
    # g and h find b better, k (of a's family) a; on x1 k and g say a, h changes its mind
    "x0": {"a": ("a", "a"), "g": ("b", "b"), "h": ("b", "tie"), "k": ("a", "a")},
    "x1": {"a": ("a", "a"), "g": ("a", "a"), "h": ("a", "b"), "k": ("a", "a")},
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Write a study in which a judges its own pair, and g, h and k the same pairs."""
    judgments = [
        row
        for instance, by_judge in VOTES.items()
        for judge, choices in by_judge.items()
        for row in _rows(judge, instance, choices)
    ]
    tables = {
        "models": [{"model": model, "family": family} for model, family in MODELS.items()],
        "instances": [{"instance_id": instance} for instance in VOTES],
        "judgments": judgments,
    }
    folder = tmp_path / "exchange"
    folder.mkdir()
    for name, rows in tables.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    store = Store(tmp_path / "store")
    import_tidy(folder, store, "s")
    return store


def _gold(spb_here: Spb, store: Store) -> str:
    words = ("s", "--store", store.root, "--name", "panel", "--members", "g,h,k")
    ran = spb_here("reference", "committee", *words)
    assert ran.returncode == 0, ran.stderr
    return ran.stderr


def _outcomes(store: Store) -> dict[tuple[str, str], int]:
    rows = store.open("s").table("preferences").to_pylist()
    assert {(row["generator"], row["opponent"]) for row in rows} == {("a", "b")}
    return {(row["source"], row["instance_id"]): row["outcome"] for row in rows}


def _dbg(spb_here: Spb, store: Store, *words: str) -> dict[str, Any]:
    answer = spb_here("measure", "dbg", "s", "--store", store.root, "--format", "json", *words)
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)["rows"]
    row: dict[str, Any] = next(row for row in rows if row["judge"] == "a" and row["opponent"] is None)
    return row


def test_each_member_is_a_source_and_their_mean_vote_the_panel(store: Store, spb_here: Spb) -> None:
    message = _gold(spb_here, store)

    assert _outcomes(store) == {
        ("g", "x0"): -1,
        ("h", "x0"): -1,  # a winner and a tie
        ("k", "x0"): 1,
        ("committee:panel", "x0"): -1,
        ("g", "x1"): 1,
        ("h", "x1"): 0,  # two different winners
        ("k", "x1"): 1,
        ("committee:panel", "x1"): 1,
    }
    assert "committee:panel: 2 outcomes, 0 ties among them; 6 outcomes of members" in message


def test_a_panel_counts_only_when_it_is_named(store: Store, spb_here: Spb) -> None:
    _gold(spb_here, store)

    row = _dbg(spb_here, store)
    panel = _dbg(spb_here, store, "--gold", "committee:panel")

    # Of g, h and k: x0 1 of 3 votes for a, a loss; x1 2.5 of 3, a win. a wins both itself.
    assert (row["gold_judges"], row["gold_win_rate"], row["dbg"]) == (3, 0.5, 0.5)
    assert (panel["gold_judges"], panel["dbg"]) == (1, 0.5)


def test_sources_of_the_judge_s_family_can_be_left_out(store: Store, spb_here: Spb) -> None:
    _gold(spb_here, store)
    judgments = store.open("s").judgments(["judge"])
    assert len(judgments) == 16

    row = _dbg(spb_here, store, "--exclude-family", "--panels")
    panel = _dbg(spb_here, store, "--exclude-family", "--gold", "committee:panel")

    # Without k: x0 0 of 2; x1 1.5 of 2, a win.
    assert row["gold_win_rate"] == 0.5
    # Each subset of g and h, without k: g 0 and 1, h 0 and .5, both 0 and 1.
    assert dict(zip(row["panels"], row["dbg_by_panel"], strict=True)) | {} == pytest.approx(
        {"g": 0.5, "h": 0.75, "g + h": 0.5, "g + k": 0.5, "h + k": 0.75, "g + h + k": 0.5}
    )
    # The panel without k on x1: g says a, h a tie: a.
    assert panel["gold_win_rate"] == 0.5


def test_a_second_time_replaces_the_first(store: Store, spb_here: Spb) -> None:
    _gold(spb_here, store)
    before = _outcomes(store)

    _gold(spb_here, store)

    assert _outcomes(store) == before
    assert spb_here("study", "check", "s", "--store", store.root).returncode == 0


def test_a_panel_of_two_is_refused(store: Store, spb_here: Spb) -> None:
    ran = spb_here(
        "reference", "committee", "s", "--store", store.root, "--name", "panel", "--members", "g,h"
    )

    assert ran.returncode == 2
    assert "a panel needs at least 3 members" in ran.stderr
    assert store.open("s").table("preferences").num_rows == 0


def test_pairs_of_a_panel_leave_the_references_of_rubrics_alone(store: Store, spb_here: Spb) -> None:
    _gold(spb_here, store)

    info = store.open("s").info

    assert info.committees["panel"].paradigm == "pairwise"
    answer = spb_here("measure", "votes", "s", "--store", store.root, "--format", "json")
    assert json.loads(answer.stdout)["filters"]["reference"] is None


def test_the_outcomes_count_every_pair_once(store: Store, spb_here: Spb) -> None:
    _gold(spb_here, store)

    assert Counter(source for source, _ in _outcomes(store)) == dict.fromkeys(
        ("g", "h", "k", "committee:panel"), 2
    )
