"""A study of scores by rubrics, with people's scores as its reference, on the pages."""

import json

import pytest

from engine.importers.formats.prometheus import import_prometheus
from engine.store import Store

PROMPT = (
    "###Task Description:\nJudge.\n\n###The instruction to evaluate:\nGreet {}.\n\n"
    "###Response to evaluate:\nHello.\n\n###Reference Answer (Score 5):\nGood day.\n\n"
    "###Score Rubrics:\n[Is it kind?]\nScore 1: No.\nScore 2: A little.\nScore 3: Yes.\n\n###Feedback: "
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scores")
    lines = [
        {"idx": number, "response_source": model, "category": "chat", "instruction": PROMPT.format(number)}
        | {"gpt4_score": [1 + number % 3], "human_score": [1 + (number + len(model)) % 3]}
        for number in range(12)
        for model in ("a", "bb")
    ]
    (folder / "small.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    import_prometheus(folder / "small.jsonl", Store(folder / "store"))
    return folder / "store"


@pytest.mark.parametrize("page", ["judges", "workbench", "paradigms", "which_judge"])
def test_a_study_with_a_reference_is_never_said_to_have_none(open_page, store, page):
    assert Store(store).open("small").has("references")

    app = open_page(page, store=store, study="small")

    assert "has no reference yet" not in "\n".join(element.value for element in app.text)
