"""DeepEval's test runs (`DEEPEVAL_RESULTS_FOLDER`, `.deepeval/.latest_test_run.json`) and dumped results.

A run is one object with `testCases`, each with `input`, `actualOutput` and `metricsData`: a metric's name,
score from 0 to 1, reason, and the model that judged (`evaluationModel`). A metric is a rubric, its score the
judge's. A metric without such a model is a program. Names in snake case (`test_results`, `metrics_data`) are
read as well. The model that answered stands in the run's hyperparameters, else it is `--generator`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format, ImportOptions, each_file
from engine.importers.reading.json_rows import json_object
from engine.importers.reading.rows import (
    ImportStats,
    Row,
    first_of,
    first_text,
    list_or_empty,
    object_or_empty,
    objects,
    refuse,
    text_or_none,
)
from engine.importers.traces import By, Call, Score, found_in

_EXPECTED = (
    "a test run of DeepEval: an object with testCases (or test_results), a list of objects with input, "
    "actualOutput and metricsData"
)
_SERVED = re.compile(r"\s*\((?:OpenAI|Azure[^)]*|Ollama|Anthropic|Gemini|Local[^)]*|[A-Z][\w ]*)\)$")
_MODEL = ("model", "Model", "model_name", "llm")


class DeepEval(FileReader):
    """Test cases being read, of one run or a folder of them; a file is held whole."""

    suffixes = ("",)
    expected = _EXPECTED
    model: str | None = None

    def __init__(self, path: Path, options: ImportOptions, tally: ImportStats) -> None:
        """Find the files; of a folder not the hidden ones, which are DeepEval's locks and copies of a run."""
        super().__init__(path, options, tally)
        if path.is_dir():
            self.files = [file for file in self.files if not file.name.startswith(".")]
            if not self.files:
                problem = "it holds hidden files only; name one, such as .latest_test_run.json"
                raise refuse(path.name, problem, _EXPECTED)

    def rows(self) -> Iterator[Row]:
        """Yield the test cases of all runs."""
        for file, run in each_file(self.files, _run, self.tally):
            names = object_or_empty(first_of(run, "hyperparameters", "configurations"))
            self.model = first_text(map(names.get, _MODEL))
            yield from objects(file.name, _cases(run) or (), self.tally)

    def read(self, row: Row) -> StudyRows:
        """Return a test case's question and output, and what each metric says of it."""
        metrics = first_of(row.values, "metricsData", "metrics_data", "metricsMetadata")
        expected = first_of(row.values, "expectedOutput", "expected_output")
        call = Call(
            row.text("input"),
            text_or_none(first_of(row.values, "actualOutput", "actual_output")),
            self.model,
            reference_answer=text_or_none(expected),
        )
        scores = [_score(row.within("metricsData", one)) for one in list_or_empty(metrics)]
        return found_in(call, scores, self.options.judge, self.options.generator)


def _run(file: Path) -> dict[str, Any]:
    """Return the run that a file holds."""
    run = json_object(file, _EXPECTED)
    run = run["testRunData"] if isinstance(run.get("testRunData"), dict) else run
    if _cases(run) is None:
        raise refuse(file.name, "it has no testCases", _EXPECTED)
    return run


def _cases(run: dict[str, Any]) -> list[Any] | None:
    cases = first_of(run, "testCases", "test_cases", "test_results", "testResults")
    return cases if isinstance(cases, list) else None


def _score(metric: Row) -> Score:
    model = first_of(metric.values, "evaluationModel", "evaluation_model")
    judge = _SERVED.sub("", model) if isinstance(model, str) else None
    name = metric.maybe_text("name") or metric.text("metric")
    failed = metric.values.get("error") is not None
    by: By = "model" if judge is not None or "GEval" in name else "program"
    return Score(name, metric.values.get("score"), by, judge, metric.maybe_text("reason"), failed=failed)


FORMAT = Format(
    "deepeval",
    "DeepEval test run",
    "https://github.com/confident-ai/deepeval",
    _EXPECTED,
    (
        Field("input", "instances.prompt, instance_id", "the id is made of the text"),
        Field("expectedOutput, expected_output", "instances.reference_answer"),
        Field("actualOutput, actual_output", "responses.text"),
        Field("metricsData, metrics_data", "judgments.score, judge, explanation", "of metrics with a model"),
        Field("metricsMetadata", "references.score", "of all other metrics"),
    ),
    DeepEval,
    ("judge", "generator"),
)
