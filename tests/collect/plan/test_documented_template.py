"""The template in docs/running.md works as printed, and the tables there are complete."""

import re
from pathlib import Path

import pytest
from collect.plan.small import config, stored, tables

from engine.collect.calls import Reply
from engine.collect.paradigms import read
from engine.collect.paradigms.templates import REQUIRED_SLOTS, SLOTS
from engine.collect.plan.planning import make_plan
from engine.paradigms import PARADIGMS

DOCS = (Path(__file__).resolve().parents[3] / "docs" / "running.md").read_text("utf-8")
EXAMPLE = re.findall(r"```text\n(.*?)```", DOCS, re.DOTALL)[0]


def _first_request(folder, context=None):
    rows = tables(1)
    rows["instances"][0]["context"] = context
    (folder / "strict.txt").write_text(EXAMPLE, "utf-8")
    plan = make_plan(config(variants=[str(folder / "strict.txt")]), stored(folder, rows))
    request = next(iter(plan))
    return request, plan.messages(request)


def test_the_documented_template_gives_the_documented_prompt(tmp_path):
    request, (system, user) = _first_request(tmp_path)

    assert request.variant == "strict"
    assert system["content"].startswith("You are a strict examiner. The answers were written")
    for text in ("Ask i0.", "a on i0", "Says i0.", "it is met only if every one"):
        assert text in user["content"]
    assert "{{" not in system["content"] + user["content"]


def test_a_paragraph_is_dropped_only_if_its_text_is_absent(tmp_path):
    _, without = _first_request(tmp_path)
    (tmp_path / "second").mkdir()
    _, with_it = _first_request(tmp_path / "second", context="Facts.")

    assert "The notes that" not in without[-1]["content"]
    assert "The notes that the answer was written from:\n<context-" in with_it[-1]["content"]
    assert "Facts." in with_it[-1]["content"]


def test_an_answer_to_the_documented_template_is_read(tmp_path):
    request, messages = _first_request(tmp_path)
    answer = messages[-1]["content"].rsplit("nothing else: ", 1)[1]

    assert [row["met"] for row in read(request, Reply(answer))] == [False]


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_the_placeholders_of_each_paradigm_are_documented(paradigm):
    cells = [line.split("|") for line in DOCS.splitlines() if line.count("|") == 4]
    _, must, may = next(
        [set(re.findall(r"`(\w+)`", cell)) for cell in row[1:4]]
        for row in cells
        if f"`{paradigm}`" in row[1] and "`response" in row[2]
    )

    assert must == set(REQUIRED_SLOTS[paradigm])
    assert must | may | {"prompt", "reference_answer", "context"} == set(SLOTS[paradigm])
