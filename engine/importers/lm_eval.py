"""Samples of lm-evaluation-harness, `samples_TASK_DATE.jsonl`: a question and an answer on each line.

The metrics are the harness's own programs: a metric that is true or false (0 or 1) in the whole file is a
reference of source `program`, and each of IFEval's instructions (`inst_level_...`, a list) one of its own.
Other lists hold what is only scored over the set, such as the right class and the one chosen. Metrics with
`loose` in their name are `program:loose`. With --judge the metrics are that judge's verdicts.
The model stands in `results_*.json` beside the samples, or in the folder's name.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.checkers.registry import SHIPPED, rubric_columns
from engine.errors import SpbError, UsageError
from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format, ImportOptions
from engine.importers.reading.json_rows import json_lines, json_object
from engine.importers.reading.rows import BadRowError, ImportStats, Row, list_or_empty, object_or_empty
from engine.values import parse_float

_EXPECTED = (
    "samples_TASK_DATE.jsonl of lm-evaluation-harness (--log_samples): JSON Lines with doc_id, doc, target, "
    "arguments, resps, filtered_resps and the metrics"
)
_NAME = re.compile(r"^samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d\-.:]+)?\.jsonl(?:\.gz)?$")
_QUESTIONS = ("question", "prompt", "query", "instruction", "problem", "input", "ctx", "text")
_PLAIN = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash", "task_name"),
}


_EACH = "inst_level"
_CORRECT: Mapping[str, str | None] = {"criterion": "The answer is correct.", "axis": "accuracy"}


class LmEval(FileReader):
    """Samples being read, of one file or a folder of them."""

    suffixes = (".jsonl",)
    expected = _EXPECTED

    def __init__(self, path: Path, options: ImportOptions, tally: ImportStats) -> None:
        super().__init__(path, options, tally)
        self.models = {file: options.generator or _model(file) for file in self.files}
        self.now = self.files[0]
        self.graded: set[tuple[str | None, str]] = set()

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the samples, read once before, for the metrics that are more than true or false."""
        self.now = file
        self.graded = {
            (_filter(row), name)
            for row in json_lines(file, ImportStats(), _EXPECTED)
            for name in _metrics(row)
            if parse_float(row.values.get(name)) is not None and _met(row.values[name]) is None
        }
        yield from json_lines(file, self.tally, _EXPECTED)

    def read(self, row: Row) -> StudyRows:
        """Return a question, the answer and what the metrics say of it."""
        named = _NAME.match(self.now.name)
        task = named["task"] if named else self.now.stem
        instance, generator = f"{task}-{row.text('doc_id')}", self.models[self.now]
        about = object_or_empty(row.values.get("doc"))
        metrics = list(self._metrics_of(row, about))
        if not metrics:
            raise BadRowError("no metric that is true or false")
        keys = {"instance_id": instance, "generator": generator}
        answer = _answer(row)
        tables: StudyRows = {
            "instances": [{"instance_id": instance, "prompt": _prompt(row, about), "category": task}],
            "rubrics": [{"instance_id": instance, "rubric_id": one.rubric, **one.words} for one in metrics],
            "responses": [{**keys, "text": answer}] if answer is not None else [],
        }
        if self.options.judge:
            judgment = {"judge": self.options.judge, "paradigm": "single_rubric", "status": "ok", **keys}
            strict = [one for one in metrics if one.source == "program"]
            return tables | {
                "judgments": [judgment | {"rubric_id": one.rubric, "met": one.met} for one in strict]
            }
        rows = [{**keys, "rubric_id": one.rubric, "source": one.source, "met": one.met} for one in metrics]
        return tables | {"references": rows}

    def _metrics_of(self, row: Row, doc: Mapping[str, Any]) -> Iterator["_Metric"]:
        """Yield what the metrics say; of all instructions together nothing where each has a value."""
        values = {name: row.values.get(name) for name in _metrics(row)}
        lists = {n: v for n, v in values.items() if isinstance(v, list) and v and n.startswith(_EACH)}
        how = _filter(row)
        for name, value in (lists or values).items():
            source = "program:loose" if "loose" in name else "program"
            rubric = re.sub(r"_?(?:strict|loose)(?=_|$)", "", name) + ("" if how is None else f",{how}")
            self.tally.stored.add(name)
            if isinstance(value, list) and name in lists:
                asked_for = zip(value, _instructions(doc, len(value)), strict=True)
                for place, (one, instruction) in enumerate(asked_for, start=1):
                    if (met := _met(one)) is not None:
                        yield _Metric(f"{rubric}-{place}", met, source, instruction)
            elif (how, name) in self.graded or isinstance(value, list):
                self.tally.stored.discard(name)
                self.tally.note(
                    f"the metric {name!r} is not always true or false: none of its values is stored"
                )
            elif (met := _met(value)) is not None:
                yield _Metric(rubric, met, source, _CORRECT)


@dataclass(frozen=True, slots=True)
class _Metric:
    """A metric's value as a rubric, the source that it is a reference of, and what the rubric asks."""

    rubric: str
    met: bool
    source: str
    words: Mapping[str, str | None]


def _metrics(row: Row) -> list[str]:
    """Return the names of a sample's metrics; older versions of the harness do not list them."""
    listed = row.values.get("metrics")
    given = listed if isinstance(listed, list) else [name for name in row.values if name not in _PLAIN]
    return [str(name) for name in given]


def _filter(row: Row) -> str | None:
    how = row.values.get("filter")
    return how if isinstance(how, str) and how != "none" else None


def _instructions(doc: Mapping[str, Any], count: int) -> list[Mapping[str, str | None]]:
    """Return what each of IFEval's instructions asks, in words where its checker is known."""
    checkers, given = doc.get("instruction_id_list"), doc.get("kwargs")
    if not isinstance(checkers, list) or len(checkers) != count:
        return [_CORRECT] * count
    arguments = given if isinstance(given, list) and len(given) == count else [None] * count
    return [_instruction(str(checker), one) for checker, one in zip(checkers, arguments, strict=True)]


def _instruction(checker: str, given: object) -> Mapping[str, str | None]:
    if checker in SHIPPED and isinstance(given, dict):
        with suppress(SpbError):
            return rubric_columns(checker, given)
    return {"axis": checker.partition(":")[0], "checker": checker}


def _met(value: object) -> bool | None:
    return bool(value) if isinstance(value, int | float) and value in (0, 1) else None


def _model(file: Path) -> str:
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
        f"no results_*.json beside {file.name!r} names the model, nor does the folder; give --generator NAME"
    )


def _prompt(row: Row, doc: Mapping[str, Any]) -> str | None:
    """Return what the document asks, else what was sent to the model."""
    for name in _QUESTIONS:
        if isinstance(doc.get(name), str) and doc[name]:
            return str(doc[name])
    sent = row.values.get("arguments")
    while isinstance(sent, dict | list) and sent:
        sent = next(iter(sent.values())) if isinstance(sent, dict) else sent[0]
    return sent if isinstance(sent, str) else json.dumps(doc, ensure_ascii=False) if doc else None


def _answer(row: Row) -> str | None:
    """Return what the model wrote; None where it rated choices, whose likelihoods lie one list deeper."""
    for name in ("resps", "filtered_resps"):
        first = next(iter(list_or_empty(row.values.get(name))), None)
        if name == "resps" and isinstance(first, list) and first:
            first = first[0]
        if isinstance(first, str):
            return first
    return None


FORMAT = Format(
    "lm-eval",
    "lm-evaluation-harness samples",
    "https://github.com/EleutherAI/lm-evaluation-harness",
    _EXPECTED,
    (
        Field("doc_id", "instances.instance_id", "with the task's name before it"),
        Field("doc, arguments", "instances.prompt, rubrics.criterion, checker"),
        Field("resps, filtered_resps", "responses.text", "the first; none where choices were rated"),
        Field("metrics", "references.met, rubrics", "by --judge: judgments.met"),
        Field("filter", "rubrics.rubric_id", "a rubric for each filter"),
    ),
    LmEval,
    ("judge", "generator"),
)
