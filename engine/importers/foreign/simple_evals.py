"""HealthBench results of simple-evals: `healthbench_MODEL_..._allresults.json`.

The file holds one object; `metadata.example_level_metadata` has an object for each conversation, with its
prompt, the completion and `rubric_items`, each with the grader's `criteria_met`. It names neither the model,
which stands in the file's name, nor the grader.

A prompt may begin with the system message of the sampler that asked the model. Models of one benchmark are
asked with different ones, or with none, and HealthBench itself has none: it is no part of the question.
"""

import json
import re
from collections.abc import Iterator
from itertools import dropwhile
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.importers.foreign.formats import Asked, Field, Format, files_in
from engine.importers.foreign.gathered import Found
from engine.importers.foreign.json_files import json_object
from engine.importers.foreign.rows import BadRowError, Row, Tally, number_of, objects, refuse

_EXPECTED = (
    "healthbench_MODEL_allresults.json of simple-evals: an object with metadata.example_level_metadata, a "
    "list of objects with prompt_id, prompt, completion and rubric_items (criterion, points, tags and "
    "criteria_met)"
)
_NAME = re.compile(r"^healthbench(?:_(?:hard|consensus|meta))?(?P<rest>_.+)_allresults\.json$")
_DATE_OR_DEBUG = re.compile(r"_(?:\d{8}_\d{4}(?:\d\d)?|DEBUG)(?=_|$)")
_SAMPLERS = ("system", "developer")
"""Roles of messages that a sampler puts before the question."""


class HealthBench:
    """Results being read, of one file or a folder of them; a file for each model."""

    def __init__(self, path: Path, asked: Asked, tally: Tally) -> None:
        if asked.judge is None:
            raise UsageError(
                "the file does not say who graded; give --judge NAME (the grader in simple_evals.py)"
            )
        self.judge, self.tally = asked.judge, tally
        self.files = files_in(path, "_allresults.json", ".json", expected=_EXPECTED)
        self.models = {file.name: asked.generator or _model(file) for file in self.files}

    def rows(self) -> Iterator[Row]:
        """Yield the conversations."""
        for file in self.files:
            metadata = json_object(file, _EXPECTED).get("metadata")
            examples = metadata.get("example_level_metadata") if isinstance(metadata, dict) else None
            if not isinstance(examples, list):
                raise refuse(file.name, "it has no metadata.example_level_metadata", _EXPECTED)
            yield from objects(file.name, examples, self.tally)

    def read(self, row: Row) -> Found:
        """Return a conversation, its rubrics, the completion and a verdict for each rubric."""
        instance, generator = row.text("prompt_id"), self.models[row.file]
        items = [row.within("rubric_items", item) for item in row.listed("rubric_items")]
        if not items:
            raise BadRowError("no rubric_items")
        rubrics, judgments = [], []
        for place, item in enumerate(items, start=1):
            rubric = {"instance_id": instance, "rubric_id": f"r{place}"}
            rubrics.append(rubric | _rubric(item))
            told = {"judge": self.judge, "paradigm": "single_rubric", "generator": generator}
            judgments.append(told | rubric | _verdict(item))
        completion = row.values.get("completion")
        return {
            "instances": [{"instance_id": instance, "prompt": _messages(row)}],
            "rubrics": rubrics,
            "responses": [
                {"instance_id": instance, "generator": generator, "text": _last(row, completion)},
            ],
            "judgments": judgments,
        }


def _model(file: Path) -> str:
    named = _NAME.match(file.name.removesuffix(".gz"))
    model = _DATE_OR_DEBUG.sub("", named["rest"])[1:] if named else ""
    if not model:
        raise UsageError(
            f"{file.name!r} does not name the model; give --generator NAME, and one file at a time"
        )
    return model


def _rubric(item: Row) -> dict[str, Any]:
    points = number_of(item.values.get("points"))
    if points is None:
        raise BadRowError("a rubric's points are no number", item.values.get("points"))
    tags = item.values.get("tags")
    axes = [tag[5:] for tag in tags if str(tag).startswith("axis:")] if isinstance(tags, list) else []
    return {"criterion": item.text("criterion"), "points": points, "axis": axes[0] if axes else None}


def _verdict(item: Row) -> dict[str, Any]:
    met = item.values.get("criteria_met")
    told = {"explanation": item.maybe_text("explanation")}
    return told | ({"status": "ok", "met": met} if isinstance(met, bool) else {"status": "unparsed"})


def _messages(row: Row) -> str:
    asked = [row.within("prompt", message) for message in row.listed("prompt")]
    shown = [{"role": message.text("role"), "content": message.words("content")} for message in asked]
    question = list(dropwhile(lambda message: message["role"] in _SAMPLERS, shown))
    return json.dumps(question or shown, ensure_ascii=False)


def _last(row: Row, completion: object) -> str:
    if isinstance(completion, str):
        return completion
    if not isinstance(completion, list) or not completion:
        raise BadRowError("no completion")
    return row.within("completion", completion[-1]).words("content")


FORMAT = Format(
    "healthbench",
    "HealthBench results of simple-evals",
    "https://github.com/openai/simple-evals",
    _EXPECTED,
    (
        Field("prompt_id", "instances.instance_id"),
        Field("prompt", "instances.prompt", "without the sampler's system message"),
        Field("completion", "responses.text"),
        Field("rubric_items", "rubrics.criterion, points, axis", "rubric_id by place: r1, r2, ..."),
        Field("rubric_items[].criteria_met", "judgments.met, status", "no true or false is unparsed"),
        Field("rubric_items[].explanation", "judgments.explanation"),
    ),
    HealthBench,
    ("judge", "generator"),
)
