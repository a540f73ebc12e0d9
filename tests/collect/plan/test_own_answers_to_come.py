"""What is said before a run of a judge whose own answers would allow no conclusion."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.collect.configuration.read_config import parse_config
from engine.collect.plan.planning import remarks_on
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.store.study_files import StudyFiles

FAMILIES = {"a": "A", "b": "B", "c": "C"}


def write(folder: Path, tables: dict[str, list[dict[str, Any]]]) -> Path:
    folder.mkdir()
    for name, rows in tables.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture
def study(tmp_path: Path) -> StudyFiles:
    """Return a study of two questions in which b and c judge each other's answers, which have a reference."""
    cells = [(i, g) for i in ("q1", "q2") for g in "bc"]
    answer = {"rubric_id": "r"}
    tables = {
        "models": [{"model": model, "family": FAMILIES[model]} for model in "bc"],
        "instances": [{"instance_id": i, "prompt": f"{i}?"} for i in ("q1", "q2")],
        "rubrics": [{"instance_id": i, "rubric_id": "r", "criterion": "It is right."} for i in ("q1", "q2")],
        "responses": [{"instance_id": i, "generator": g, "text": "So."} for i, g in cells],
        "references": [
            {"instance_id": i, "generator": g, "source": "human", "met": True, **answer} for i, g in cells
        ],
        "judgments": [
            {"judge": j, "paradigm": "single_rubric", "instance_id": i, "generator": g, "met": True, **answer}
            for i, g in cells
            for j in "bc"
        ],
    }
    store = Store(tmp_path / "store")
    import_tidy(write(tmp_path / "data", tables), store, "s")
    return store.open("s")


def config(judges: str, generators: str) -> Any:
    models = "".join(
        f"[models.{name}]\nmodel = 'openai/{name}'\nfamily = '{FAMILIES[name]}'\n" for name in "abc"
    )
    return parse_config(
        f"study = 's'\njudges = {json.dumps(list(judges))}\ngenerators = {json.dumps(list(generators))}\n"
        f"paradigms = ['single_rubric']\n{models}"
    )


ALONE = "judged by a alone"
UNREFERENCED = "without a reference, which the other answers have"
JUDGES, LABELS = "add judges of other families to `judges`", "give these answers a reference"


@pytest.mark.parametrize(
    ("judges", "generators", "words"),
    [
        ("a", "abc", (ALONE, UNREFERENCED, JUDGES, LABELS)),
        ("abc", "abc", (UNREFERENCED, LABELS)),
        ("bc", "bc", ()),
        ("b", "bc", ()),  # c judged its answers before
    ],
)
def test_what_own_answers_lack_is_said_with_what_would_give_a_conclusion(
    study: StudyFiles, judges: str, generators: str, words: tuple[str, ...]
) -> None:
    text = " ".join(remarks_on(config(judges, generators), study))

    assert [each for each in (ALONE, UNREFERENCED, JUDGES, LABELS) if each in text] == list(words)
    assert text.startswith("whether a favours itself cannot be concluded") is bool(words)


def test_the_advice_to_have_a_judge_answer_says_what_its_answers_would_lack(study: StudyFiles) -> None:
    (advice,) = remarks_on(config("a", "bc"), study)

    assert advice.endswith('; to have it answer too, write: generators = ["b", "c", "a"]')
    assert all(each in advice for each in (ALONE, UNREFERENCED, JUDGES, LABELS))
