"""Evaluation files of Prometheus: responses with a score rubric, and the scores that GPT-4 or people gave.

Each line is one response: `idx`, `response_source`, `instruction` (the whole prompt: request, response,
reference answer, rubric with its options) and `gpt4_score`, a list of repeats, or `human_score`. The earlier
turns of a dialogue hold each generator's own answers, so that an instance keeps what the user said.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.importers.dataset import DataSet, Entry, json_lines
from engine.store import Store, StudyInfo
from engine.store.store import Mode
from engine.store.writer import WriteReport

JUDGE = "gpt-4"
RUBRIC = "score"
FAMILIES = {JUDGE: "GPT", "chatgpt": "GPT", "llama2_chat_13b": "Llama", "vicuna_13b": "Vicuna"}

_REMEDY = "give a file such as mt_bench_eval.jsonl of prometheus-eval"
_PROMPT = re.compile(
    r"###The instruction to evaluate:\n(?P<request>.*?)\n\n###Response to evaluate:\n(?P<response>.*)"
    r"\n\n###Reference Answer \(Score 5\):\n(?P<answer>.*)\n\n###Score Rubrics:\n\[(?P<criterion>.*)\]\n"
    r"(?P<options>Score .*?)\n\n###Feedback",
    re.DOTALL,
)
_OPTION = re.compile(r"^Score ([0-9]{1,15}): ", re.MULTILINE)
_TURN = re.compile(r"^User: ", re.MULTILINE)


def import_prometheus(
    path: str | Path, store: Store, name: str | None = None, *, mode: Mode = "new", dry_run: bool = False
) -> WriteReport:
    """Write the responses of a file as a study of score rubrics; `name` else the file's.

    Raises BadInputError naming the line and the field where the file is another.
    """
    path = Path(path)
    items = [_item(entry) for entry in json_lines(path, _REMEDY)]
    info = StudyInfo(
        title=f"Prometheus evaluation: {path.stem}",
        dataset=path.stem,
        provenance="imported",
        licence="Apache-2.0",
        source="https://github.com/prometheus-eval/prometheus-eval",
        notes="A dialogue's prompt holds the user's turns; earlier answers were each generator's own.",
    )
    data = DataSet(info, _rows(items))
    return data.write(store, path.stem if name is None else name, mode=mode, dry_run=dry_run)


@dataclass(frozen=True)
class _Item:
    """One line of the file, read and checked."""

    instance: str
    generator: str
    category: str | None
    turns: list[str]
    response: str
    answer: str
    criterion: str
    options: dict[int, str]
    model_scores: list[Any]
    feedback: list[Any]
    human_scores: list[Any]


def _item(entry: Entry) -> _Item:
    prompt = _PROMPT.search(entry.written("instruction"))
    if prompt is None:
        raise entry.error("instruction has no request, response, answer and rubric")
    parts = _OPTION.split(prompt["options"])
    options = {int(score): words.strip() for score, words in zip(parts[1::2], parts[2::2], strict=True)}
    category = entry.values.get("category")
    return _Item(
        instance=entry.written("idx"),
        generator=entry.written("response_source"),
        category=category if isinstance(category, str) else None,
        turns=_turns(prompt["request"]),
        response=prompt["response"],
        answer=prompt["answer"],
        criterion=prompt["criterion"],
        options=options,
        model_scores=_scored(entry, "gpt4_score", options),
        feedback=_listed(entry, "gpt4_feedback"),
        human_scores=_scored(entry, "human_score", options),
    )


def _listed(entry: Entry, field: str) -> list[Any]:
    given = entry.values.get(field)
    return given if isinstance(given, list) else [] if given is None else [given]


def _scored(entry: Entry, field: str, options: Mapping[int, str]) -> list[Any]:
    """Return the scores of a field, None where one could not be read; each other one is of an option."""
    scores = _listed(entry, field)
    for score in scores:
        if score is not None:
            entry.among(field, score, options)
    return scores


def _turns(request: str) -> list[str]:
    """Return what the user said, turn by turn; the whole request where it is no dialogue."""
    pieces = _TURN.split(request)[1:]
    return [piece.partition("\n\nAssistant:")[0].strip() for piece in pieces] or [request]


def _rows(items: list[_Item]) -> dict[str, list[dict[str, Any]]]:
    first = {item.instance: item for item in reversed(items)}
    generators = list(dict.fromkeys(item.generator for item in items))
    models = [*generators, *([JUDGE] if any(item.model_scores for item in items) else [])]
    judgments, references = _scores(items)
    return {
        "models": [{"model": model, "family": FAMILIES.get(model, model)} for model in models],
        "instances": [_instance(item) for item in reversed(first.values())],
        "rubrics": [_rubric(item) for item in reversed(first.values())],
        "responses": [
            {"instance_id": item.instance, "generator": item.generator, "text": item.response}
            for item in items
        ],
        "references": references,
        "judgments": judgments,
    }


def _instance(item: _Item) -> dict[str, Any]:
    messages = [{"role": "user", "content": turn} for turn in item.turns]
    return {
        "instance_id": item.instance,
        "prompt": json.dumps(messages, ensure_ascii=False),
        "category": item.category,
        "reference_answer": item.answer,
    }


def _rubric(item: _Item) -> dict[str, Any]:
    options = [{"score": score, "text": words} for score, words in item.options.items()]
    return {
        "instance_id": item.instance,
        "rubric_id": RUBRIC,
        "criterion": item.criterion,
        "options": json.dumps(options, ensure_ascii=False),
    }


def _scores(items: list[_Item]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return GPT-4's scores as judgments, one for each repeat, and people's as references."""
    judgments, references = [], []
    for item in items:
        keys = {"instance_id": item.instance, "generator": item.generator, "rubric_id": RUBRIC}
        ordering = list(item.options)
        for trial, score in enumerate(item.model_scores):
            row = {"judge": JUDGE, "paradigm": "score_rubric", "trial": trial, **keys}
            row |= {
                "ordering": "-".join(map(str, ordering)),
                "score": None if score is None else float(score),
            }
            row["position"] = None if score is None else ordering.index(score) + 1
            row["status"] = "unparsed" if score is None else "ok"
            row["explanation"] = item.feedback[trial] if trial < len(item.feedback) else None
            judgments.append(row)
        references += [
            {**keys, "source": f"human:{person}", "score": float(score)}
            for person, score in enumerate(item.human_scores, start=1)
            if score is not None
        ]
    return judgments, references
