"""What a study lacks is said in the same words everywhere: the other order of pairs, or a demonstration."""

import itertools
import json

import pytest
from command_line import Spb

from engine.importers.datasets.catalogue import demonstrations

MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")


@pytest.fixture
def pairs(tmp_path, monkeypatch):
    """A file of pairs, each judged by three judges in one order only."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"judge": judge, "question_id": f"q{place}", "model_a": a, "model_b": b, "winner": "a"}
        for place, (a, b) in enumerate(itertools.combinations(MODELS, 2))
        for judge in MODELS
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.mark.usefixtures("pairs")
def test_the_gate_gives_the_reason_that_the_judges_command_gives(spb_here: Spb):
    spb_here("import", "pairs.jsonl", "--study", "mine")

    reason = " ".join(spb_here("judges", "mine").stdout.split()).removeprefix("There is nothing to show: ")
    gate = spb_here("gate", "mine", "--max-excess", "5")
    loose = spb_here("gate", "mine", "--require", "not_shown")

    assert reason.startswith("9 judgments of pairs lack the other order")
    assert gate.returncode == loose.returncode == 2
    assert reason.rstrip(".") in gate.stderr
    assert reason.rstrip(".") in loose.stderr


@pytest.mark.usefixtures("pairs")
def test_an_import_says_of_how_many_pairs_the_order_is_known(spb_here: Spb):
    without = spb_here("import", "pairs.jsonl", "--dry-run").stdout
    given = spb_here("import", "pairs.jsonl", "--dry-run", "--set", "first=generator").stdout

    assert "order: which answer was shown first is known of 0 of 9 comparisons" in without
    *_, always_first, _, over_both = without.splitlines()
    assert "spb import pairs.jsonl --study pairs --dry-run --set first=generator" in always_first
    assert "spb import pairs.jsonl --study pairs --dry-run --set first=both" in over_both
    assert "order: which answer was shown first is known of 9 of 9 comparisons" in given


@pytest.mark.usefixtures("pairs")
def test_pairs_that_are_there_twice_the_same_way_round_are_asked_about_last(spb_here: Spb, tmp_path):
    (tmp_path / "pairs.jsonl").write_text(2 * (tmp_path / "pairs.jsonl").read_text("utf-8"), "utf-8")

    imported = spb_here("import", "pairs.jsonl", "--study", "mine")
    again = spb_here("import", "pairs.jsonl", "--study", "mine", "--append", "--run", "two")

    words = " ".join(imported.stdout.split())
    assert "not known of 18 comparisons. 9 of them name the same answers once more" in words
    command = "spb import pairs.jsonl --study mine --replace"
    *_, named, reason, always_first = map(str.strip, imported.stdout.splitlines())
    assert named == f"{command} --map first=COLUMN"
    assert reason == "If the answer of 'model_a' was always shown first:"
    assert always_first == f"{command} --set first=generator"
    assert "--set first=both" not in imported.stdout
    assert "--study mine-ordered --run two --map first=COLUMN" in again.stdout


@pytest.mark.usefixtures("pairs")
def test_an_import_says_from_which_kind_of_judgment_the_next_commands_conclude(spb_here: Spb, tmp_path):
    rows = [
        f"{judge},{model},q{question},{(question + len(judge)) % 5 + 1},{'yes' if question % 2 else 'no'}"
        for judge in MODELS
        for model in MODELS
        for question in range(3)
    ]
    for name, columns in (("scores", (0, 1, 2, 3)), ("verdicts", (0, 1, 2, 4))):
        head = ("judge", "model", "question", "score", "verdict")
        lines = [[line.split(",")[place] for place in columns] for line in rows]
        text = "\n".join(",".join(cells) for cells in ([head[place] for place in columns], *lines))
        (tmp_path / f"{name}.csv").write_text(text, "utf-8")
    first = spb_here("import", "verdicts.csv", "--study", "mine")
    both = spb_here("import", "scores.csv", "--study", "mine", "--append", "--run", "b", "--set", "scale=5")

    assert "several kinds" not in first.stdout
    words = " ".join(both.stdout.split())
    assert "several kinds: single criterion and direct assessment." in words
    assert "conclude from single criterion. From direct assessment:" in words
    assert both.stdout.splitlines()[-1] == "  spb judges mine --paradigm direct_assessment"


@pytest.mark.parametrize(
    "words", [("judges", "demo-health"), ("measure", "hspp", "demo-health"), ("judges",)]
)
@pytest.mark.usefixtures("pairs")
def test_without_a_demonstration_its_command_is_named(spb_here: Spb, words):
    if len(words) > 1:
        spb_here("import", "pairs.jsonl", "--study", "mine")

    error = spb_here(*words).stderr

    assert "spb data fetch demonstrations" in error
    assert "spb open --demo" in error


def test_demonstrations_are_fetched_without_a_network_and_left_as_they_are(spb_here: Spb, tmp_path):
    store = tmp_path / "store"

    one = spb_here("data", "fetch", "demo-pairs", "--store", store)
    every = spb_here("data", "fetch", "demonstrations", "--store", store)

    assert (one.returncode, every.returncode) == (0, 0)
    assert f"wrote the study {store}/demo-pairs" in one.stderr
    assert f"{store}/demo-pairs is there already" in every.stderr
    assert sorted(each.name for each in store.iterdir()) == demonstrations()


@pytest.mark.parametrize("option", [("--study", "x"), ("--from", "x.csv"), ("--replace",)])
def test_a_demonstration_takes_no_option_of_a_download(spb_here: Spb, tmp_path, option):
    refused = spb_here("data", "fetch", "demo-pairs", "--store", tmp_path, *option)

    assert refused.returncode == 2
    assert "'demo-pairs' ships with this program" in refused.stderr
    assert not any(tmp_path.iterdir())
