"""Which of two responses a judge wrote: the requests, the answers, and a whole run."""

from pathlib import Path

import pytest
from collect.paradigms.calls import request
from collect.run.small import write_folder

from engine.collect.calls import Reply
from engine.collect.configuration.read_config import parse_config
from engine.collect.paradigms import read
from engine.collect.plan.planning import make_plan
from engine.collect.run.start import run
from engine.store import Store
from engine.store.writer import validate_study
from engine.study import Study

TEXT = """
study = "s"
data = "{folder}"
generators = ["a", "b"]
judges = ["a", "b"]
paradigms = ["recognition", "pairwise"]
variants = ["default", "forced"]
{more}
[models.a]
model = "simulated/a"
family = "x"
simulated = {{ recognition = {planted} }}
[models.b]
model = "simulated/b"
family = "y"
"""


def judged(tmp_path: Path, store: Store, instances: int, planted: float = 0.9, more: str = "") -> Study:
    """Run simulated judges, and open the study."""
    folder = write_folder(tmp_path / "data", instances=instances)
    run(parse_config(TEXT.format(folder=folder, planted=planted, more=more)), store)
    validate_study(store.open("s"))
    return Study.open(tmp_path / "store" / "s")


@pytest.mark.parametrize(
    ("first", "letter", "choice"),
    [
        ("generator", "A", "generator"),
        ("generator", "B", "opponent"),
        ("opponent", "A", "opponent"),
        ("opponent", " b.", "generator"),
        ("opponent", "b", "generator"),
        ("generator", "Both", None),
        ("generator", "T", None),
        ("generator", "", None),
    ],
)
def test_a_letter_refers_to_the_response_shown_there(first, letter, choice):
    (row,) = read(request("recognition", opponent="o", first=first), Reply(letter))

    assert (row["status"], row.get("choice")) == ("unparsed" if choice is None else "ok", choice)


def test_the_probability_refers_to_the_own_response_in_either_order():
    tokens = (("A", 0.6), (" a", 0.15), ("B", 0.25))

    rows = [
        read(request("recognition", opponent="o", first=first), Reply("A", first_token=tokens))[0]
        for first in ("generator", "opponent")
    ]

    # .75 for the first letter and .25 for the second: the own one is shown first, then second.
    assert [row["p_generator"] for row in rows] == [pytest.approx(0.75), pytest.approx(0.25)]
    assert [row["p_tie"] for row in rows] == [None, None]


def test_a_refusal_is_no_answer():
    (row,) = read(request("recognition", opponent="o", first="generator"), Reply("", refusal="No."))

    assert (row["status"], row.get("choice")) == ("refused", None)


def test_a_judge_that_recognises_its_own_responses_has_a_high_score(tmp_path, store):
    rows = {row["judge"]: row for row in judged(tmp_path, store, 60).result("recognition-score").rows}

    # The probabilities are the planted ones; the answers are drawn by them: 120, so their error is .027.
    assert rows["a"]["recognition"] == pytest.approx(0.9)
    assert rows["a"]["share_right"] == pytest.approx(0.9, abs=0.09)
    assert rows["b"]["recognition"] == pytest.approx(0.5)
    assert (rows["a"]["n"], rows["a"]["n_soft"]) == (60, 60)


def test_a_judge_that_mistakes_others_responses_for_its_own_scores_below_chance(tmp_path, store):
    rows = {row["judge"]: row for row in judged(tmp_path, store, 30, 0.2).result("recognition-score").rows}

    assert rows["a"]["recognition"] == pytest.approx(0.2)
    assert rows["a"]["share_right"] < 0.5


def test_answered_questions_are_not_asked_again(tmp_path, store):
    folder = write_folder(tmp_path / "data", instances=3)
    config = parse_config(TEXT.format(folder=folder, planted=0.9, more=""))

    first, again = run(config, store), run(config, store)

    assert first.calls == again.already_done
    assert again.calls == 0


@pytest.mark.parametrize("change", ['make = "author"', 'make = "padding"', 'make = "identical"'])
def test_recognition_uses_only_unchanged_responses(tmp_path, store, change):
    study = judged(tmp_path, store, 2, more=f"[transforms.t]\n{change}\n")

    table = study.files.table("judgments").to_pylist()

    assert {row["transform"] for row in table if row["paradigm"] == "recognition"} == {"none"}
    assert "t" in {row["transform"] for row in table}


def test_the_question_does_not_reveal_the_authors(tmp_path, store):
    study = judged(tmp_path, store, 1)
    config = parse_config(TEXT.format(folder=tmp_path / "data", planted=0.9, more=""))
    plan = make_plan(config, study.files)
    asked_of = [plan.messages(each) for each in plan if each.paradigm == "recognition"]

    words = ["\n".join(message["content"] for message in messages) for messages in asked_of]

    assert len(words) == 4  # two judges, one other each, two orders
    assert all("a answers" in text and "b answers" in text for text in words)
    assert words[0] != words[1]
    assert not any(f"written by {name}" in text for name in "ab" for text in words)
