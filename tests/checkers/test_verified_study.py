"""`spb reference programs --checker`: reference answers decide the rubric `correct` of a study."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command_line import Spb

from engine.checkers import run
from engine.checkers.programs import Program
from engine.checkers.verdicts import Verdict
from engine.importers.formats.exchange import import_tidy
from engine.store import Store

INSTANCES = [
    {"instance_id": "m1", "prompt": "What is 1/2 + 1/4?", "reference_answer": "\\frac{3}{4}"},
    {"instance_id": "m2", "prompt": "What is 2 + 2?", "reference_answer": "4"},
    {"instance_id": "m3", "prompt": "Tell me a story."},
]
RESPONSES = [
    {"instance_id": "m1", "generator": "a", "text": "It is \\boxed{0.75}."},
    {"instance_id": "m1", "generator": "b", "text": "It is \\boxed{0.5}."},
    {"instance_id": "m2", "generator": "a", "text": "It is four."},
    {"instance_id": "m2", "generator": "b", "text": "\\boxed{4}"},
    {"instance_id": "m3", "generator": "a", "text": "Once upon a time."},
]


@pytest.fixture
def written(tmp_path: Path) -> Any:
    """Return a function that writes the study `s`, with more tables, and returns its store."""

    def write(**tables: list[dict[str, Any]]) -> Store:
        folder = tmp_path / "exchange"
        folder.mkdir()
        models = [{"model": "a", "family": "x"}, {"model": "b", "family": "y"}]
        every = {"models": models, "instances": INSTANCES, "responses": RESPONSES, **tables}
        for name, rows in every.items():
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
        store = Store(tmp_path / "store")
        import_tidy(folder, store, "s")
        return store

    return write


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verify in this process: one of its own loads the engine and the verifiers for seconds."""

    def decided(
        responses: Sequence[Any], programs: Sequence[Program], _workers: int
    ) -> Iterator[list[Verdict]]:
        checks = [each.check() for each in programs]
        return map(partial(run._verdicts, programs, checks), responses)

    monkeypatch.setattr(run, "_in_processes", decided)


def verdicts(store: Store) -> dict[tuple[str, str, str, str], bool | None]:
    rows = store.open("s").table("references").to_pylist()
    key = ("instance_id", "generator", "rubric_id", "source")
    return {tuple(row[name] for name in key): row["met"] for row in rows}  # type: ignore[misc]


def test_boxed_answers_are_references_on_a_rubric_that_is_added(written: Any, spb_here: Spb) -> None:
    store = written()

    ran = spb_here("reference", "programs", "s", "--store", store.root, "--checker", "boxed")

    assert ran.returncode == 0, ran.stderr
    assert verdicts(store) == {
        ("m1", "a", "correct", "program"): True,
        ("m1", "b", "correct", "program"): False,
        ("m2", "a", "correct", "program"): None,  # not boxed: no verdict, never a wrong one
        ("m2", "b", "correct", "program"): True,
    }
    rubrics = store.open("s").table("rubrics").to_pylist()
    assert [(r["instance_id"], r["rubric_id"], r["checker"]) for r in rubrics] == [
        ("m1", "correct", "boxed"),
        ("m2", "correct", "boxed"),
    ]
    assert "1 question without a reference answer" in ran.stderr
    assert "boxed could not decide 1; first 'a' on 'm2', criterion 'correct': the answer has no" in ran.stderr


@pytest.mark.usefixtures("in_this_process")
def test_what_another_program_decided_is_left(written: Any, spb_here: Spb) -> None:
    rubrics = [{"instance_id": i, "rubric_id": "correct", "criterion": "Right."} for i in ("m1", "m2")]
    references = [
        {"instance_id": "m1", "generator": "b", "rubric_id": "correct", "source": "program", "met": True}
    ]
    store = written(rubrics=rubrics, references=references)

    ran = spb_here("reference", "programs", "s", "--store", store.root, "--checker", "boxed")

    assert ran.returncode == 0, ran.stderr
    assert "1 question left as another program decided 'correct'" in ran.stderr
    met = verdicts(store)
    assert {key for key in met if key[0] == "m1"} == {("m1", "b", "correct", "program")}
    assert met["m1", "b", "correct", "program"] is True
    assert met["m2", "b", "correct", "program"] is True


@pytest.mark.usefixtures("in_this_process")
def test_a_verifier_of_another_name_is_refused_once_one_has_decided(written: Any, spb_here: Spb) -> None:
    store = written()
    spb_here("reference", "programs", "s", "--store", store.root, "--checker", "boxed")
    before = verdicts(store)

    again = spb_here("reference", "programs", "s", "--store", store.root, "--checker", "boxed")
    other = spb_here("reference", "programs", "s", "--store", store.root, "--checker", "exact")

    assert again.returncode == 0
    assert other.returncode == 2
    assert "another program decided the criterion 'correct'" in other.stderr
    assert verdicts(store) == before


def test_a_study_without_reference_answers_is_refused(written: Any, spb_here: Spb) -> None:
    store = written(instances=[{"instance_id": i, "prompt": "?"} for i in ("m1", "m2", "m3")])

    ran = spb_here("reference", "programs", "s", "--store", store.root, "--checker", "choice")

    assert ran.returncode == 2
    assert "no question has a reference answer" in ran.stderr
    assert not verdicts(store)


@pytest.mark.usefixtures("in_this_process")
def test_a_rubric_may_name_a_verifier(written: Any, spb_here: Spb) -> None:
    rubrics = [{"instance_id": "m2", "rubric_id": "r", "criterion": "Is 4.", "checker": "boxed"}]
    store = written(rubrics=rubrics)

    ran = spb_here("reference", "programs", "s", "--store", store.root)

    assert ran.returncode == 0, ran.stderr
    assert verdicts(store) == {("m2", "a", "r", "program"): None, ("m2", "b", "r", "program"): True}


def test_a_reference_may_have_any_name(written: Any, spb_here: Spb) -> None:
    rubrics = [{"instance_id": i, "rubric_id": "correct", "criterion": "Right."} for i in ("m1", "m2")]
    references = [
        {"instance_id": i, "generator": g, "rubric_id": "correct", "source": "gold", "met": g == "a"}
        for i in ("m1", "m2")
        for g in ("a", "b")
    ]
    judgments = [
        {"judge": "b", "paradigm": "single_rubric", "instance_id": i, "generator": g, "rubric_id": "correct"}
        | {"met": True}
        for i in ("m1", "m2")
        for g in ("a", "b")
    ]
    store = written(rubrics=rubrics, references=references, judgments=judgments)

    answer = spb_here("measure", "accuracy", "s", "--store", store.root, "--format", "json")

    result = json.loads(answer.stdout)
    assert result["filters"]["reference"] == "gold"
    assert (result["rows"][0]["mra_correct"], result["rows"][0]["mra_total"]) == (2, 4)
