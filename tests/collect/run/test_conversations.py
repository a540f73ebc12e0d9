"""Questions of several turns: from a file through a run to the prompts and measures."""

import json
from pathlib import Path

import pytest
from conversations import TURNS, judged

from engine.collect.plan.study_texts import Library
from engine.collect.rows.rebuilt_prompts import rebuild
from engine.importers.format_loading import row_format
from engine.importers.pipeline import reading
from engine.messages import conversation
from engine.paradigms import PARADIGMS
from engine.store import Store
from engine.store.writer import validate_study
from engine.study import Study


def test_every_paradigm_shows_the_turns_of_a_conversation_in_order(tmp_path: Path, store: Store) -> None:
    ways = [paradigm for paradigm in PARADIGMS if paradigm != "score_rubric"]  # the rubrics have no options

    judged(tmp_path, store, ways)

    study = store.open("s")
    validate_study(study)
    library = Library(study)
    rows = [row for row in study.table("judgments").to_pylist() if row["instance_id"] == "i00000"]
    assert {row["paradigm"] for row in rows} == set(ways)
    assert {row["status"] for row in rows} == {"ok"}
    for row in rows:
        words = "\n".join(message["content"] for message in rebuild(library, row).messages or ())
        places = [words.find(turn["content"]) for turn in TURNS]
        assert -1 not in places, row["paradigm"]
        assert places == sorted(places), row["paradigm"]


def test_a_judge_sees_who_said_what(tmp_path: Path, store: Store) -> None:
    judged(tmp_path, store, ["pairwise"])

    study = store.open("s")
    row = next(row for row in study.table("judgments").to_pylist() if row["instance_id"] == "i00000")
    words = "\n".join(message["content"] for message in rebuild(Library(study), row).messages or ())
    for turn in TURNS:
        assert words.partition(turn["content"])[0].rstrip().rpartition("<")[2].startswith(f"{turn['role']}-")


def test_a_generator_is_sent_the_turns_themselves(tmp_path: Path, store: Store) -> None:
    judged(tmp_path, store, ["pairwise"])

    study = Study.open(tmp_path / "store" / "s")
    responses = study.files.table("responses").to_pylist()
    assert {row["generator"] for row in responses if row["instance_id"] == "i00000"} == {"a", "b", "c"}
    prompt = next(row["prompt"] for row in study.files.table("instances").to_pylist())
    assert [(turn.role, turn.text) for turn in conversation(prompt)] == [
        tuple(turn.values()) for turn in TURNS
    ]


@pytest.mark.parametrize("paradigm", ["pairwise", "direct_assessment"])
def test_measures_treat_conversations_like_any_other_instance(
    tmp_path: Path, store: Store, paradigm: str
) -> None:
    judged(tmp_path, store, [paradigm])

    rows = Study.open(tmp_path / "store" / "s").result("outside", resamples=0).rows

    assert {row["judge"] for row in rows} == {"a", "b"}


def test_a_vote_on_conversations_keeps_the_users_message_in_each_turn(tmp_path: Path, store: Store) -> None:
    user = [{"role": "user", "content": "One?"}, {"role": "user", "content": "Two?"}]
    answers = {
        f"{side}{turn}": {"role": "assistant", "content": f"{side}{turn}"} for side in "ab" for turn in "12"
    }
    talks = {
        f"conversation_{side}": [user[0], answers[f"{side}1"], user[1], answers[f"{side}2"]] for side in "ab"
    }
    vote = {"question_id": "q", "model_a": "gpt-4o", "model_b": "claude-3-opus", "winner": "model_a", **talks}
    (tmp_path / "votes.jsonl").write_text(json.dumps(vote) + "\n", "utf-8")

    with reading(row_format("chatbot-arena"), tmp_path / "votes.jsonl") as read:
        read.write(store, "votes")

    study = store.open("votes")
    (instance,) = study.table("instances").to_pylist()
    assert [turn.text for turn in conversation(instance["prompt"])] == ["One?", "Two?"]
    assert {row["text"] for row in study.table("responses").to_pylist()} == {"a2", "b2"}
