"""Files of every format with places changed at random: named errors or good rows, nothing else."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from importers.foreign_files import LOG, alpaca, component, promptfoo, sample

from engine.errors import SpbError
from engine.importers import FOREIGN, foreign
from engine.importers.foreign.formats import Asked
from engine.importers.foreign.importing import reading

ROUNDS = 60
ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        1.5,
        float("inf"),
        float("nan"),
        10**30,
        "",
        "x",
        "\ud800",
        "\x00",
        "\u202e",
        "9" * 5000,
    ),
    *([], {}, [[]], [None], ["x"], [{}], {"a": None}, {"model": []}),
)
_PAIR = {"question_id": 1, "judge": ["j", "p"], "model_1": "a", "model_2": "b", "turn": 1}
_TURN = {"role": "user", "content": "q"}
WHOLE: dict[str, tuple[str, Any]] = {
    "alpaca-eval": ("annotations.json", alpaca(1, 2, 1.5)),
    "mt-bench": (
        "x.jsonl",
        [
            {**_PAIR, "g1_winner": "model_1", "g2_winner": "tie", "g1_judgment": "A"},
            {"question_id": 1, "model": "a", "judge": ["j", "p"], "score": 3, "turn": 2},
            {"question_id": 1, "turns": ["a", "b"], "category": "c"},
            {"question_id": 1, "model_id": "m", "choices": [{"turns": ["a"]}]},
            {"question_id": 1, "model_a": "x", "model_b": "y", "winner": "tie", "judge": "expert_1"},
        ],
    ),
    "arena-hard": (
        "x.jsonl",
        [
            {
                "uid": "u",
                "model": "m",
                "judge": "j",
                "baseline": "b",
                "category": "c",
                "games": [{"score": "A>B", "judgment": {"answer": "w"}}, None],
            },
            {"uid": "u", "model": "m", "messages": [{"role": "user", "content": {"answer": "x"}}]},
            {"uid": "u", "prompt": "p"},
        ],
    ),
    "healthbench": (
        "healthbench_m_allresults.json",
        {
            "metadata": {
                "example_level_metadata": [
                    {
                        "prompt_id": "p",
                        "prompt": [_TURN],
                        "completion": [_TURN],
                        "rubric_items": [
                            {"criterion": "c", "points": 3, "tags": ["axis:a"], "criteria_met": True}
                        ],
                    }
                ]
            }
        },
    ),
    "inspect": ("log.json", LOG | {"samples": [sample(1, "C"), sample(2, {"a": 1})]}),
    "promptfoo": (
        "results.json",
        promptfoo(component("llm-rubric", "Is short.", True), component("contains", "x", False)),
    ),
    "lm-eval": (
        "samples_t.jsonl",
        [
            {
                "doc_id": 0,
                "doc": {"question": "q", "instruction_id_list": ["a"]},
                "target": "t",
                "arguments": {"gen_args_0": {"arg_0": "Q"}},
                "resps": [["r"]],
                "filter": "none",
                "inst_level_strict_acc": [True],
            },
            {"doc_id": 1, "doc": {}, "acc": 1.0, "metrics": ["acc"], "resps": [["r"]]},
        ],
    ),
    "llm-comparator": (
        "sxs.json",
        {
            "models": [{"name": "a"}, {"name": "b"}],
            "examples": [
                {
                    "input_text": "q",
                    "tags": ["t"],
                    "output_text_a": "x",
                    "score": 1,
                    "output_text_b": [{"type": "text", "data": "d"}],
                    "individual_rater_scores": [{"is_flipped": True, "score": -1, "rationale": "r"}],
                }
            ],
        },
    ),
    "table": (
        "t.jsonl",
        [
            {"judge": "j", "generator": "g", "prompt": "p", "criterion": "c", "met": "true", "points": 2},
            {
                "judge": "j",
                "generator": "g",
                "opponent": "o",
                "instance_id": "i",
                "choice": "a",
                "first": "b",
            },
            {"judge": "j", "generator": "g", "instance_id": "i", "score": 0.5, "status": "ok"},
        ],
    ),
}
ASKED = {
    "healthbench": Asked(judge="j"),
    "llm-comparator": Asked(judge="j"),
    "lm-eval": Asked(generator="g"),
}


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every (container, key) within a value."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [place for key in keys for place in ((value, key), *places(value[key]))]


def damaged(value: Any, rng: random.Random) -> Any:
    """Return a copy of a value with one or two places changed, or taken away."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 2))):
        container, key = rng.choice(places(value))
        if rng.random() < 0.8:
            container[key] = copy.deepcopy(rng.choice(ODD))
        else:
            del container[key]
        if not places(value):
            break
    return value


def as_bytes(name: str, value: Any) -> bytes:
    if name.endswith(".jsonl"):
        return "".join(json.dumps(row) + "\n" for row in value).encode()
    return json.dumps(value).encode()


@pytest.mark.parametrize("form", FOREIGN)
def test_a_damaged_file_ends_in_good_rows_or_a_named_error(form: str, tmp_path: Path) -> None:
    rng = random.Random(form)
    name, whole = WHOLE[form]
    path = tmp_path / name
    outcomes = {"read": 0, "refused": 0}

    for _ in range(ROUNDS):
        content = as_bytes(name, damaged(whole, rng))
        if rng.random() < 0.2:
            content = content[: rng.randrange(len(content) + 1)]
        path.write_bytes(content)
        try:
            with reading(foreign(form), path, ASKED.get(form)) as read:
                told = list(read.report.lines())
                read.gathered.sources()
            outcomes["read"] += 1
            assert told
        except SpbError:
            outcomes["refused"] += 1

    assert outcomes["read"] > 0, "some damage must be suffered, or the rows are not read one by one"


@pytest.mark.parametrize("form", FOREIGN)
def test_the_whole_file_is_read_without_loss(form: str, tmp_path: Path) -> None:
    name, whole = WHOLE[form]
    path = tmp_path / name
    path.write_bytes(as_bytes(name, whole))

    with reading(foreign(form), path, ASKED.get(form)) as read:
        assert (read.report.left_out, read.report.read > 0) == ({}, True)
