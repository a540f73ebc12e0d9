"""Responses are checked by programs before they are judged if, and only if, one of them lacks a verdict."""

from pathlib import Path

import pytest
from collect.plan.small import Rows, as_table

from engine.collect.plan import checked_responses
from engine.collect.plan.checked_responses import check_collected
from engine.store import Store
from engine.store.study_files import StudyFiles, StudyInfo


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Return the verifiers with which a study was checked, in turn; nothing is checked."""
    verifiers: list[str | None] = []
    monkeypatch.setattr(checked_responses, "check_study", lambda _, verifier: verifiers.append(verifier))
    return verifiers


def response(generator: str, instance_id: str = "i1", **more: object) -> dict[str, object]:
    return {"instance_id": instance_id, "generator": generator, "text": "x", **more}


def reference(generator: str, rubric_id: str = "r1", source: str = "program") -> dict[str, object]:
    row = {"instance_id": "i1", "generator": generator, "rubric_id": rubric_id}
    return {**row, "source": source, "met": True}


def study_of(folder: Path, responses: Rows, references: Rows = []) -> tuple[Store, StudyFiles]:  # noqa: B006
    """Return a study in which a program decides r1 of i1, and i1 alone has a reference answer."""
    rows: dict[str, Rows] = {
        "models": [{"model": model, "family": model} for model in "ab"],
        "instances": [
            {"instance_id": "i1", "prompt": "p", "reference_answer": "4"},
            {"instance_id": "i2", "prompt": "p", "reference_answer": None},
        ],
        "rubrics": [
            {"instance_id": "i1", "rubric_id": "r1", "criterion": "c", "checker": "punctuation:no_comma"},
            {"instance_id": "i1", "rubric_id": "correct", "criterion": "c", "checker": None},
            {"instance_id": "i2", "rubric_id": "r1", "criterion": "c", "checker": None},
        ],
        "responses": responses,
        "references": references,
    }
    store = Store(folder)
    store.write("s", {name: as_table(part) for name, part in rows.items() if part}, StudyInfo())
    return store, store.open("s")


@pytest.mark.parametrize(
    ("references", "by_rubrics", "by_answers"),
    [
        ([], True, True),
        ([reference("a"), reference("b")], False, True),
        ([reference("a")], True, True),
        ([reference("a", "correct"), reference("b", "correct")], False, False),
        ([reference("a", "correct")], True, True),
        ([reference("a", source="human"), reference("b", source="human")], True, True),
        ([reference("a", "correct", "human"), reference("b", "correct")], True, True),
    ],
)
def test_a_response_without_a_programs_verdict_has_all_checked(
    tmp_path: Path, checked: list[str | None], references: Rows, by_rubrics: bool, by_answers: bool
) -> None:
    store, study = study_of(tmp_path, [response("a"), response("b")], references)

    check_collected(store, study, "rubrics")
    assert checked == [None] * by_rubrics
    check_collected(store, study, "exact")
    assert checked == [None] * by_rubrics + ["exact"] * by_answers


@pytest.mark.parametrize(
    "lacking",
    [
        response("b", "i2"),
        response("b", transform="terse"),
        response("b", text=None),
        response("b", text="", shortfall="empty"),
        response("b", text="", shortfall="only_thinking"),
    ],
    ids=["of an instance that nothing decides", "rewritten", "without a text", "empty", "only thinking"],
)
def test_what_cannot_be_decided_or_has_no_answer_needs_no_verdict(
    tmp_path: Path, checked: list[str | None], lacking: dict[str, object]
) -> None:
    store, study = study_of(tmp_path, [response("a"), lacking], [reference("a", "correct")])

    check_collected(store, study, "rubrics")
    check_collected(store, study, "exact")

    assert checked == []


def test_an_answer_that_was_cut_off_is_decided(tmp_path: Path, checked: list[str | None]) -> None:
    responses = [response("a"), response("b", shortfall="cut_off")]
    store, study = study_of(tmp_path, responses, [reference("a", "correct")])

    check_collected(store, study, "exact")

    assert checked == ["exact"]


def test_the_verdicts_are_written_once(tmp_path: Path) -> None:
    store, study = study_of(tmp_path, [response("a", text="4"), response("b", text="5, or 6")])

    check_collected(store, study, "rubrics")
    after = store.open("s")
    check_collected(store, after, "rubrics")

    rows = after.table("references").to_pylist()
    verdicts = {row["generator"]: row["met"] for row in rows if row["source"] == "program"}
    assert verdicts == {"a": True, "b": False}  # b has a comma
    assert store.open("s").table("references").to_pylist() == rows
