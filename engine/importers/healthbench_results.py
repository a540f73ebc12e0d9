"""HealthBench's results of simple-evals: verdicts on rubrics, a file for each model."""

import json
import re
from collections.abc import Iterator
from itertools import dropwhile
from pathlib import Path

from engine.errors import UsageError
from engine.importers.reading.format import FileReader, ImportedField
from engine.importers.reading.json_rows import json_object
from engine.importers.reading.rows import (
    BadRowError,
    Row,
    list_or_empty,
    number_of,
    object_or_empty,
    objects,
    refuse,
    verdict,
)
from engine.importers.reading.study_builder import InstanceRows, StudyRows

_NAME = re.compile(r"^healthbench(?:_(?:hard|consensus|meta))?(?P<rest>_.+)_allresults\.json$")

_DATE_OR_DEBUG = re.compile(r"_(?:\d{8}_\d{4}(?:\d\d)?|DEBUG)(?=_|$)")

_SAMPLERS = ("system", "developer")  # roles of messages that a sampler puts before the question


class HealthBench(FileReader):
    """Reads results of simple-evals, `healthbench_MODEL_..._allresults.json`, a file for each model."""

    suffixes = ("_allresults.json", ".json")
    expected = (
        "healthbench_MODEL_allresults.json of simple-evals: an object with metadata.example_level_metadata, "
        "a list of objects with prompt_id, prompt, completion and rubric_items (criterion, points, tags and "
        "criteria_met)"
    )
    judge_missing = "the file does not say who graded; give --judge NAME (the grader in simple_evals.py)"

    def file_rows(self, file: Path) -> Iterator[Row]:
        metadata = object_or_empty(json_object(file, self.expected).get("metadata"))
        examples = metadata.get("example_level_metadata")
        if not isinstance(examples, list):
            raise refuse(file.name, "it has no metadata.example_level_metadata", self.expected)
        yield from objects(file.name, examples, self.tally)

    def read(self, row: Row) -> StudyRows:
        instance, generator = row.text("prompt_id"), self.options.generator or _model(row.file)
        items = [row.within("rubric_items", item) for item in row.list_of("rubric_items")]
        if not items:
            raise BadRowError("no rubric_items")
        completion = row.values.get("completion")
        if isinstance(completion, list) and completion:
            completion = row.within("completion", completion[-1]).words("content")
        if not isinstance(completion, str):
            raise BadRowError("no completion")
        messages = [row.within("prompt", message) for message in row.list_of("prompt")]
        turns = [{"role": each.text("role"), "content": each.words("content")} for each in messages]
        question = list(dropwhile(lambda turn: turn["role"] in _SAMPLERS, turns)) or turns
        rows = InstanceRows(instance, prompt=json.dumps(question, ensure_ascii=False))
        rows.response(generator, completion)
        for place, item in enumerate(items, start=1):
            points = number_of(item.values.get("points"))
            if points is None:
                raise BadRowError("a criterion's points are not a number", item.values.get("points"))
            tags = map(str, list_or_empty(item.values.get("tags")))
            axis = next((tag.removeprefix("axis:") for tag in tags if tag.startswith("axis:")), None)
            rows.rubric(f"r{place}", criterion=item.text("criterion"), points=points, axis=axis)
            met = item.values.get("criteria_met")
            judgment = {"rubric_id": f"r{place}", "explanation": item.maybe_text("explanation")}
            judgment |= verdict("met", met if isinstance(met, bool) else None)
            rows.judgment(self.options.judge, "single_rubric", generator, **judgment)
        return rows.tables


def _model(file: str) -> str:
    match = _NAME.match(file.removesuffix(".gz"))
    model = _DATE_OR_DEBUG.sub("", match["rest"])[1:] if match else ""
    if not model:
        raise UsageError(f"{file!r} does not name the model; give --generator NAME, and one file at a time")
    return model


FORMAT = HealthBench.as_format(
    "healthbench",
    "HealthBench results of simple-evals",
    "https://github.com/openai/simple-evals",
    ImportedField("prompt_id", "instances.instance_id"),
    ImportedField("prompt", "instances.prompt", "without the sampler's system message"),
    ImportedField("completion", "responses.text"),
    ImportedField("rubric_items", "rubrics.criterion, points, axis", "rubric_id by place: r1, r2, ..."),
    ImportedField("rubric_items[].criteria_met", "judgments.met, status", "no true or false is unparsed"),
    ImportedField("rubric_items[].explanation", "judgments.explanation"),
    options=("judge", "generator"),
    object_signs=(("metadata.example_level_metadata",),),
)
