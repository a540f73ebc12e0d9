"""Samples of lm-evaluation-harness: responses, and the verdicts of its programs."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.checkers.checks_by_id import SHIPPED, rubric_columns
from engine.errors import SpbError, UsageError
from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.format import FileReader, ImportedField
from engine.importers.reading.json_rows import json_lines, json_object
from engine.importers.reading.rows import (
    BadRowError,
    ImportStats,
    Row,
    list_or_empty,
    met_of_number,
    object_or_empty,
    verdict,
)
from engine.importers.reading.study_builder import InstanceRows, StudyRows
from engine.values import parse_float

_FILE_NAME = re.compile(r"^samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d\-.:]+)?\.jsonl(?:\.gz)?$")

_QUESTIONS = ("question", "prompt", "query", "instruction", "problem", "input", "ctx", "text")

_NO_METRICS = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash", "task_name"),
}

_Columns = Mapping[str, str | None]

_CORRECT_RUBRIC: _Columns = {"criterion": "The answer is correct.", "axis": "accuracy"}


class LmEval(FileReader):
    """Reads samples of lm-evaluation-harness, `samples_TASK_DATE.jsonl`.

    The metrics are the harness's own programs. A metric that is true or false (0 or 1) in the whole file is a
    reference of source `program`, and so is each of IFEval's instructions (`inst_level_...`, a list). Other
    lists are left out: they hold values scored only over the whole set, such as the right and chosen class.
    Metrics with `loose` in their name are `program:loose`. With --judge the metrics are that judge's
    verdicts. The model is named by `results_*.json` beside the samples, or by the folder.
    """

    suffixes = (".jsonl",)
    expected = (
        "samples_TASK_DATE.jsonl of lm-evaluation-harness (--log_samples): JSON Lines with doc_id, doc, "
        "target, arguments, resps, filtered_resps and the metrics"
    )

    task: str
    model: str
    numeric_metrics: Collection[tuple[str | None, str]]

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the samples, after a first pass that finds the metrics with values other than 0 and 1."""
        match = _FILE_NAME.match(file.name)
        self.task = match["task"] if match else file.stem
        self.model = self.options.generator or _model(file, self.options.spelling)
        self.numeric_metrics = {
            (_filter(row), name)
            for row in json_lines(file, ImportStats(), self.expected)
            for name in _metrics(row)
            if parse_float(row.values.get(name)) is not None and met_of_number(row.values[name]) is None
        }
        yield from json_lines(file, self.tally, self.expected)

    def read(self, row: Row) -> StudyRows:
        instance = f"{self.task}-{row.text('doc_id')}"
        doc = object_or_empty(row.values.get("doc"))
        metrics = list(self._metrics_of(row, doc))
        if not metrics:
            raise BadRowError("no metric that is true or false")
        rows = InstanceRows(instance, prompt=_prompt(row, doc), category=self.task)
        rows.response(self.model, _answer(row))
        judge = self.options.judge
        for rubric, columns, source, met in metrics:
            rows.rubric(rubric, **columns)
            if not judge:
                rows.reference(source, self.model, rubric, met=met)
            elif source == "program":
                result = verdict("met", met)
                rows.judgment(judge, "single_rubric", self.model, rubric_id=rubric, **result)
        return rows.tables

    def _metrics_of(self, row: Row, doc: Mapping[str, Any]) -> Iterator[tuple[str, _Columns, str, bool]]:
        """Yield each metric's rubric with its columns, its source and value.

        If each instruction has a value, those of all together are left out.
        """
        values = {name: row.values.get(name) for name in _metrics(row)}
        lists = {n: v for n, v in values.items() if isinstance(v, list) and v and n.startswith("inst_level")}
        name_end = "" if (filter_name := _filter(row)) is None else f",{filter_name}"
        for name, value in (lists or values).items():
            if self.leaves_out(name):
                continue
            source = "program:loose" if "loose" in name else "program"
            rubric = re.sub(r"_?(?:strict|loose)(?=_|$)", "", name) + name_end
            self.tally.stored.add(name)
            if isinstance(value, list) and name in lists:
                instructions = zip(value, _instructions(doc, len(value)), strict=True)
                for place, (part, instruction) in enumerate(instructions, start=1):
                    if (met := met_of_number(part)) is not None:
                        yield f"{rubric}-{place}", instruction, source, met
            elif (filter_name, name) in self.numeric_metrics or isinstance(value, list):
                self.tally.stored.discard(name)
                self.tally.note(
                    f"the metric {name!r} is not always true or false: none of its values is stored"
                )
            elif (met := met_of_number(value)) is not None:
                yield rubric, _CORRECT_RUBRIC, source, met


def _metrics(row: Row) -> list[str]:
    """Return the names of a sample's metrics; older versions of the harness do not list them."""
    metrics = row.values.get("metrics")
    names = metrics if isinstance(metrics, list) else [name for name in row.values if name not in _NO_METRICS]
    return [str(name) for name in names]


def _filter(row: Row) -> str | None:
    name = row.values.get("filter")
    return name if isinstance(name, str) and name != "none" else None


def _instructions(doc: Mapping[str, Any], count: int) -> list[_Columns]:
    """Return each of IFEval's instructions as columns of a rubric, in words if its checker is known."""
    checkers, kwargs = doc.get("instruction_id_list"), doc.get("kwargs")
    if not isinstance(checkers, list) or len(checkers) != count:
        return [_CORRECT_RUBRIC] * count
    arguments = kwargs if isinstance(kwargs, list) and len(kwargs) == count else [None] * count
    rubrics: list[_Columns] = []
    for checker, argument in zip(map(str, checkers), arguments, strict=True):
        columns: _Columns = {"axis": checker.partition(":")[0], "checker": checker}
        if checker in SHIPPED and isinstance(argument, dict):
            with suppress(SpbError):
                columns = rubric_columns(checker, argument)
        rubrics.append(columns)
    return rubrics


def _model(file: Path, spelling: OptionSpelling) -> str:
    for results in sorted(file.parent.glob("results*.json")):
        try:
            content = json_object(results, "")
        except SpbError:
            continue
        name = content.get("model_name") or object_or_empty(content.get("config")).get("model_name")
        if isinstance(name, str) and name:
            return name
    if "__" in file.parent.name:
        return file.parent.name.replace("__", "/")
    raise UsageError(
        f"no results_*.json beside {file.name!r} names the model, nor does the folder; give "
        f"{spelling.model('generator')}"
    )


def _prompt(row: Row, doc: Mapping[str, Any]) -> str | None:
    """Return the document's question, else what was sent to the model."""
    for name in _QUESTIONS:
        if isinstance(doc.get(name), str) and doc[name]:
            return str(doc[name])
    argument = row.values.get("arguments")
    while isinstance(argument, dict | list) and argument:
        argument = next(iter(argument.values())) if isinstance(argument, dict) else argument[0]
    return argument if isinstance(argument, str) else json.dumps(doc, ensure_ascii=False) if doc else None


def _answer(row: Row) -> str | None:
    """Return what the model wrote; None if it rated choices (their likelihoods are one list deeper)."""
    for name in ("resps", "filtered_resps"):
        first = next(iter(list_or_empty(row.values.get(name))), None)
        if name == "resps" and isinstance(first, list) and first:
            first = first[0]
        if isinstance(first, str):
            return first
    return None


FORMAT = LmEval.as_format(
    "lm-eval",
    "lm-evaluation-harness samples",
    "https://github.com/EleutherAI/lm-evaluation-harness",
    ImportedField("doc_id", "instances.instance_id", "with the task's name before it"),
    ImportedField("doc, arguments", "instances.prompt, rubrics.criterion, checker"),
    ImportedField("resps, filtered_resps", "responses.text", "the first; none if choices were rated"),
    ImportedField("metrics", "references.met, rubrics.rubric_id", "by {--judge}: judgments.met"),
    ImportedField("filter", "rubrics.rubric_id", "a criterion for each filter"),
    options=("judge", "generator", "leave_out"),
    signs=(("doc_id", "resps", "doc"), ("doc_id", "filtered_resps", "arguments")),
    object_signs=(("results", "configs", "versions"),),
)
