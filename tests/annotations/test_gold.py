"""Gold judges of pairs, made from judgments by `spb reference committee`, and what `dbg` takes of them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from command_line import Spb

from engine.importers.formats.exchange import import_tidy
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


STYLED = {
    # On the rewritten answers g, h and k find a better, and b, which rewrote x1's, votes too.
    "x0": {"g": ("a", "a"), "h": ("a", "a"), "k": ("a", "a"), "b": ("b", "b")},
    "x1": {"g": ("a", "a"), "h": ("a", "a"), "k": ("b", "b"), "b": ("b", "b")},
}


@pytest.fixture
def styled(store: Store, tmp_path: Path) -> Store:
    """Add the same pairs in another style, which b wrote for x1, judged by a and by g, h, k and b."""
    rows = [
        row | {"transform": "style"}
        for instance, by_judge in STYLED.items()
        for judge, choices in ({"a": ("a", "a")} | by_judge).items()
        for row in _rows(judge, instance, choices)
    ]
    responses = [
        {"instance_id": instance, "generator": model, "text": "words", "transform": transform}
        | ({"transformed_by": "b" if instance == "x1" else "k"} if transform == "style" else {})
        for instance in VOTES
        for model in ("a", "b")
        for transform in ("none", "style")
    ]
    folder = tmp_path / "styled"
    folder.mkdir()
    for name, lines in (("judgments", rows), ("responses", responses)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines), "utf-8")
    old = tmp_path / "exchange"
    for name in ("models", "instances"):
        (folder / f"{name}.jsonl").write_bytes((old / f"{name}.jsonl").read_bytes())
    for name in ("judgments",):
        with (folder / f"{name}.jsonl").open("a", encoding="utf-8") as file:
            file.write((old / f"{name}.jsonl").read_text("utf-8"))
    import_tidy(folder, store, "s", mode="replace")
    return store


def _styled_gold(spb_here: Spb, store: Store, members: str = "g,h,k,b") -> None:
    words = ("s", "--store", store.root, "--name", "panel", "--members", members, "--transform", "style")
    ran = spb_here("reference", "committee", *words)
    assert ran.returncode == 0, ran.stderr


def test_gold_on_rewritten_answers_stands_beside_that_on_the_originals(styled: Store, spb_here: Spb) -> None:
    _gold(spb_here, styled)
    plain = styled.open("s").table("preferences").to_pylist()

    _styled_gold(spb_here, styled)
    _styled_gold(spb_here, styled)

    rows = styled.open("s").table("preferences").to_pylist()
    assert [row for row in rows if row["transform"] == "none"] == plain
    outcomes = {
        (row["source"], row["instance_id"]): row["outcome"] for row in rows if row["transform"] == "style"
    }
    assert outcomes == {
        ("g", "x0"): 1,
        ("h", "x0"): 1,
        ("b", "x0"): -1,  # k rewrote x0's answers and is no source for them
        ("committee:panel", "x0"): 1,
        ("g", "x1"): 1,
        ("h", "x1"): 1,
        ("k", "x1"): -1,
        ("committee:panel", "x1"): 1,
    }
    assert spb_here("study", "check", "s", "--store", styled.root).returncode == 0


def test_dbg_reads_the_gold_of_the_answers_that_were_judged(styled: Store, spb_here: Spb) -> None:
    _gold(spb_here, styled)
    inherited = _dbg(spb_here, styled, "--transform", "style")
    _styled_gold(spb_here, styled, "g,h,k")

    plain, own = _dbg(spb_here, styled), _dbg(spb_here, styled, "--transform", "style")

    # As written: x0 1 vote of 3 for a, x1 2.5 of 3: one win of two.
    assert plain["gold_win_rate"] == 0.5
    # In style g, h and k vote for a on x0 (k's does not count), 2 of 3 on x1: two wins.
    assert own["gold_win_rate"] == 1.0
    # Before there was gold on the style, the originals' was inherited, without the rewriters': x0 0 of 2.
    assert inherited["gold_win_rate"] == 0.5


def test_two_sources_are_compared_on_one_form_of_the_answers(styled: Store, spb_here: Spb) -> None:
    _gold(spb_here, styled)
    _styled_gold(spb_here, styled)

    def agreement(*words: str) -> dict[str, Any]:
        words = ("reference-agreement", "s", "--store", styled.root, "--a", "g", "--b", "k", *words)
        answer = spb_here("measure", *words, "--paradigm", "pairwise", "--format", "json")
        assert answer.returncode == 0, answer.stderr
        row: dict[str, Any] = json.loads(answer.stdout)["rows"][0]
        return row

    assert agreement()["n"] == 2
    styled_row = agreement("--transform", "style")
    assert (styled_row["n"], styled_row["agreement"]) == (1, 0.0)  # x1 alone: k has none on x0


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--transform", "nosuch"), "unknown transform 'nosuch'"),
        (("--transform", "style", "--paradigm", "single_rubric"), "on answers as written"),
    ],
)
def test_a_transform_without_such_judgments_is_refused(
    styled: Store, spb_here: Spb, words: tuple[str, ...], problem: str
) -> None:
    ran = spb_here(
        *("reference", "committee", "s", "--store", styled.root),
        *("--name", "panel", "--members", "g,h,k", *words),
    )

    assert ran.returncode == 2
    assert problem in ran.stderr
    assert styled.open("s").table("preferences").num_rows == 0


def test_a_file_of_preferences_without_the_column_is_of_answers_as_written(
    styled: Store, spb_here: Spb
) -> None:
    _gold(spb_here, styled)
    path = Path(styled.root) / "s" / "preferences.parquet"
    old = pq.read_table(path)
    assert "transform" in old.column_names
    pq.write_table(old.drop_columns(["transform"]), path)

    row = _dbg(spb_here, Store(styled.root))

    assert row["gold_win_rate"] == 0.5
    rows = Store(styled.root).open("s").table("preferences").to_pylist()
    assert {each["transform"] for each in rows} == {"none"}
