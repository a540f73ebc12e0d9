"""Evaluation files of Prometheus: responses with a score rubric, and the scores that GPT-4 or people gave.

Each line is one response: `idx`, `response_source`, `instruction` (the whole prompt: request, response,
reference answer, rubric with its options) and `gpt4_score`, a list of repeats, or `human_score`. The earlier
turns of a dialogue hold each generator's own answers, so that an instance keeps what the user said.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from engine import schema
from engine.errors import BadInputError, bad_row
from engine.store import Store, StudyInfo
from engine.store.sources import from_tables
from engine.store.store import Mode
from engine.store.writer import WriteReport, write_sources

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
_OPTION = re.compile(r"^Score (\d+): ", re.MULTILINE)
_TURN = re.compile(r"^User: ", re.MULTILINE)


def import_prometheus(
    path: str | Path, store: Store, name: str | None = None, *, mode: Mode = "new", dry_run: bool = False
) -> WriteReport:
    """Write the responses of a file as a study of score rubrics; `name` else the file's.

    Raises BadInputError naming the line and the field where the file is another.
    """
    path = Path(path)
    items = list(_read(path))
    sources = {table: from_tables(schema.TABLES[table], rows) for table, rows in _tables(items).items()}
    info = StudyInfo(
        title=f"Prometheus evaluation: {path.stem}",
        dataset=path.stem,
        provenance="imported",
        licence="Apache-2.0",
        source="https://github.com/prometheus-eval/prometheus-eval",
        notes="A dialogue's prompt holds the user's turns; earlier answers were each generator's own.",
    )
    return write_sources(
        store, path.stem if name is None else name, sources, info, mode=mode, dry_run=dry_run
    )


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


def _read(path: Path) -> Iterator[_Item]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadInputError(f"{str(path)!r} cannot be read: {error.strerror}; {_REMEDY}") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path.name}: byte {error.start} is not UTF-8; {_REMEDY}") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield _item(path.name, number, line)


def _item(file: str, number: int, line: str) -> _Item:
    def require(fits: bool, field: str, value: object, wanted: str) -> None:
        if not fits:
            raise bad_row(file, number, f"{field} is {str(value)[:80]!r}, expected {wanted}", _REMEDY)

    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise bad_row(file, number, f"the line is not JSON ({error})", _REMEDY) from error
    require(isinstance(row, dict), "the line", row, "an object")
    for field in ("idx", "response_source", "instruction"):
        require(isinstance(row.get(field), str | int), field, row.get(field), "a text")
    prompt = _PROMPT.search(str(row["instruction"]))
    if prompt is None:
        raise bad_row(file, number, "instruction has no request, response, answer and rubric", _REMEDY)
    parts = _OPTION.split(prompt["options"])
    options = {int(score): words.strip() for score, words in zip(parts[1::2], parts[2::2], strict=True)}
    said: dict[str, list[Any]] = {}
    for field in ("gpt4_score", "human_score", "gpt4_feedback"):
        given = row.get(field)
        said[field] = given if isinstance(given, list) else [] if given is None else [given]
    for field in ("gpt4_score", "human_score"):
        for score in said[field]:
            require(score is None or score in options, field, score, f"one of {', '.join(map(str, options))}")
    category = row.get("category")
    return _Item(
        instance=str(row["idx"]),
        generator=str(row["response_source"]),
        category=category if isinstance(category, str) else None,
        turns=_turns(prompt["request"]),
        response=prompt["response"],
        answer=prompt["answer"],
        criterion=prompt["criterion"],
        options=options,
        model_scores=said["gpt4_score"],
        feedback=said["gpt4_feedback"],
        human_scores=said["human_score"],
    )


def _turns(request: str) -> list[str]:
    """Return what the user said, turn by turn; the whole request where it is no dialogue."""
    pieces = _TURN.split(request)[1:]
    return [piece.partition("\n\nAssistant:")[0].strip() for piece in pieces] or [request]


def _tables(items: list[_Item]) -> dict[str, pa.Table]:
    first = {item.instance: item for item in reversed(items)}
    generators = list(dict.fromkeys(item.generator for item in items))
    models = [*generators, *([JUDGE] if any(item.model_scores for item in items) else [])]
    judgments, references = _scores(items)
    rows: dict[str, list[dict[str, Any]]] = {
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
    return {name: pa.Table.from_pylist(table) for name, table in rows.items() if table}


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
