"""Test runs of DeepEval: metrics by models and by programs."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from engine.importers.formats.scored_calls import By, Score, rows_of_call
from engine.importers.import_options import ImportOptions
from engine.importers.reading.files import each_file
from engine.importers.reading.format import FileReader, ImportedField
from engine.importers.reading.json_rows import allowance, apply_limits, json_object
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
from engine.importers.reading.study_builder import StudyRows
from engine.values import parse_float

_PROVIDER = re.compile(r"\s*\((?:OpenAI|Azure[^)]*|Ollama|Anthropic|Gemini|Local[^)]*|[A-Z][\w ]*)\)$")

_MODEL_NAMES = ("model", "Model", "model_name", "llm")

_LOWER_IS_BETTER = ("Bias", "Toxicity", "Hallucination")

"""Metrics of DeepEval where 0 is best, for runs whose thresholds do not show it."""


class DeepEval(FileReader):
    """Reads DeepEval's test runs (`.deepeval/.latest_test_run.json`); a whole file is held in memory.

    A run is one object with `testCases`, each with `input`, `actualOutput` and `metricsData`: a metric's
    name, score from 0 to 1, reason, and the model that judged (`evaluationModel`). A metric is a rubric, its
    score the judge's. A metric without an evaluation model is a program. Names in snake case (`test_results`,
    `metrics_data`) are read as well. The model that answered is in the run's hyperparameters, or given by
    `--generator`.

    Of some metrics (`Bias`) the best score is 0: a success has a score below the threshold there, not above.
    """

    suffixes = ("",)
    expected = (
        "a test run of DeepEval: an object with testCases (or test_results), a list of objects with input, "
        "actualOutput and metricsData"
    )
    model: str | None = None
    lower: frozenset[str] = frozenset()

    def __init__(self, path: Path, options: ImportOptions, tally: ImportStats) -> None:
        """Find the files; in a folder, skip hidden ones (DeepEval's locks and copies of a run)."""
        super().__init__(path, options, tally)
        if path.is_dir():
            self.files = [file for file in self.files if not file.name.startswith(".")]
            if not self.files:
                problem = "it holds hidden files only; name one, such as .latest_test_run.json"
                raise refuse(path.name, problem, self.expected)

    def rows(self) -> Iterator[Row]:
        """Yield the cases, after a first pass over all files that finds the metrics where lower is better."""
        with apply_limits(allowance().limits):  # the files are unpacked twice, and counted once
            runs = each_file(self.files, _run, ImportStats())
            self.lower = frozenset(self._lower_metrics(case for _, (_, cases) in runs for case in cases))
        for file, (run, cases) in each_file(self.files, _run, self.tally):
            names = object_or_empty(first_of(run, "hyperparameters", "configurations"))
            self.model = first_text(map(names.get, _MODEL_NAMES))
            yield from objects(file.name, cases, self.tally)

    def _lower_metrics(self, cases: Iterable[object]) -> Iterator[str]:
        """Yield the metrics where lower is better: by their thresholds, else by name; each is noted."""
        below: dict[str, set[bool]] = {}  # by metric: whether a success lies below the threshold
        for metric in (metric for case in cases for metric in map(object_or_empty, _metrics_of(case))):
            name, success = first_of(metric, "name", "metric"), metric.get("success")
            score, threshold = parse_float(metric.get("score")), parse_float(metric.get("threshold"))
            seen = below.setdefault(str(name), set())
            if score is None or threshold is None or score == threshold:
                continue
            if isinstance(success, bool):
                seen.add(success == (score < threshold))
        for name, seen in below.items():
            if seen == {True} or (not seen and name.partition(" [")[0] in _LOWER_IS_BETTER):
                reason = "as its thresholds show" if seen else "as its name says"
                self.tally.note(f"lower is better in {name!r}, {reason}: its criteria have points of -1")
                yield name
            elif len(seen) == 2:
                self.tally.note(f"the thresholds of {name!r} do not show whether lower is better")

    def read(self, row: Row) -> StudyRows:
        scores = []
        for member in _metrics_of(row.values):
            metric = row.within("metricsData", member)
            model = first_of(metric.values, "evaluationModel", "evaluation_model")
            judge = _PROVIDER.sub("", model) if isinstance(model, str) else None
            name = metric.maybe_text("name") or metric.text("metric")
            failed = metric.values.get("error") is not None
            by: By = "model" if judge is not None or "GEval" in name else "program"
            reason, value = metric.maybe_text("reason"), metric.values.get("score")
            lower = name in self.lower
            if not self.leaves_out(name):
                scores.append(Score(name, value, by, judge, reason, failed=failed, numeric=True, lower=lower))
        question, model = row.text("input"), self.model
        output = text_or_none(first_of(row.values, "actualOutput", "actual_output"))
        truth = text_or_none(first_of(row.values, "expectedOutput", "expected_output"))
        return rows_of_call(
            self.options, scores, question=question, output=output, model=model, reference_answer=truth
        )


def _metrics_of(case: object) -> list[Any]:
    return list_or_empty(first_of(object_or_empty(case), "metricsData", "metrics_data", "metricsMetadata"))


def _run(file: Path) -> tuple[dict[str, Any], list[Any]]:
    run = json_object(file, DeepEval.expected)
    run = run["testRunData"] if isinstance(run.get("testRunData"), dict) else run
    cases = first_of(run, "testCases", "test_cases", "test_results", "testResults")
    if not isinstance(cases, list):
        raise refuse(file.name, "it has no testCases", DeepEval.expected)
    return run, cases


FORMAT = DeepEval.as_format(
    "deepeval",
    "DeepEval test run",
    "https://github.com/confident-ai/deepeval",
    ImportedField("input", "instances.prompt, instance_id", "the id is made of the text"),
    ImportedField("expectedOutput, expected_output", "instances.reference_answer"),
    ImportedField("actualOutput, actual_output", "responses.text"),
    ImportedField(
        "metricsData, metrics_data", "judgments.score, judge, explanation", "of metrics with a model"
    ),
    ImportedField("metricsMetadata", "references.score", "of all other metrics"),
    options=("judge", "generator", "leave_out"),
    object_signs=(("testCases",), ("test_results",), ("testRunData.testCases",), ("test_cases",)),
)
