"""Results of evaluation frameworks: DeepEval, OpenAI evals and lm-evaluation-harness."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.checkers.making import SHIPPED, rubric_columns
from engine.errors import SpbError, UsageError
from engine.importers.reading.format import Field, FileReader, ImportOptions, each_file
from engine.importers.reading.json_rows import allowance, apply_limits, json_lines, json_object
from engine.importers.reading.rows import (
    BadRowError,
    ImportStats,
    InstanceRows,
    Row,
    StudyRows,
    first_of,
    first_text,
    list_or_empty,
    met_of_number,
    object_or_empty,
    objects,
    refuse,
    text_or_none,
    verdict,
)
from engine.importers.scored_calls import By, Score, met_of, rows_of_call, words_of
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
                self.tally.note(f"lower is better in {name!r}, {reason}: its rubrics have points of -1")
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


DEEPEVAL = DeepEval.as_format(
    "deepeval",
    "DeepEval test run",
    "https://github.com/confident-ai/deepeval",
    Field("input", "instances.prompt, instance_id", "the id is made of the text"),
    Field("expectedOutput, expected_output", "instances.reference_answer"),
    Field("actualOutput, actual_output", "responses.text"),
    Field("metricsData, metrics_data", "judgments.score, judge, explanation", "of metrics with a model"),
    Field("metricsMetadata", "references.score", "of all other metrics"),
    options=("judge", "generator", "leave_out"),
)


CORRECT = "correct"


class OpenAIEvals(FileReader):
    """Reads logs of OpenAI's evals framework (`oaieval`); a log's events are held in memory, by sample.

    A `sampling` event is a call. `match` says whether a program found an answer correct (a reference).
    `metrics` with a `choice` is a grading model's answer: the choices that `choice_scores` in the spec scores
    with 1 are met, without these `Y`, `Yes` and `Correct`. The log does not name the grader: `--judge` does.
    A sample's events are one row, with the line number of the first.
    """

    suffixes = (".jsonl",)
    expected = (
        "a log of OpenAI's evals (JSON Lines: a line with spec, then events with sample_id, type and data)"
    )

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield each sample with its events, after reading the whole log."""
        samples: dict[str, tuple[int, list[Any]]] = {}
        spec: dict[str, Any] = {}
        for line in json_lines(file, self.tally, self.expected):
            if isinstance(line.values.get("spec"), dict):
                spec = line.values["spec"]
            elif (name := line.values.get("sample_id")) is not None:
                samples.setdefault(str(name), (line.number, []))[1].append(dict(line.values))
        for name, (number, events) in samples.items():
            yield Row(file.name, number, {"sample_id": name, "spec": spec, "events": events})

    def read(self, row: Row) -> StudyRows:
        spec = row.values["spec"]
        events = [row.within("events", event) for event in row.list_of("events")]
        data = [(event.text("type"), event.object_of("data")) for event in events if event.values.get("data")]
        calls = [event for kind, event in data if kind == "sampling"]
        if not calls:
            raise BadRowError("no sampling: the model was not called")
        question, output = words_of(calls[0].values.get("prompt")) or "", calls[0].values.get("sampled")
        output = words_of(output[0] if isinstance(output, list) and output else output)
        models = spec.get("completion_fns")
        model = text_or_none(models[0] if isinstance(models, list) and models else spec.get("model_name"))
        settings: object = spec
        for name in ("run_config", "eval_spec", "args", "choice_scores"):
            settings = object_or_empty(settings).get(name)
        best = [name for name, score in object_or_empty(settings).items() if score == 1]
        scores = [score for kind, event in data for score in _event_scores(kind, event, best)]
        reply = words_of(calls[-1].values.get("sampled")) if len(calls) > 1 else None
        scores = [replace(score, explanation=reply) if score.by == "model" else score for score in scores]
        about = {"instance": row.text("sample_id"), "category": text_or_none(spec.get("base_eval"))}
        return rows_of_call(self.options, scores, question=question, output=output, model=model, **about)


def _event_scores(kind: str, data: Row, best: list[str]) -> Iterator[Score]:
    if kind == "match" and isinstance(data.values.get("correct"), bool):
        yield Score(CORRECT, data.values["correct"], "program")
    if kind == "metrics":
        for name, value in data.values.items():
            if name.endswith("_metascore"):
                continue
            if isinstance(value, str):
                met = value in best if best else met_of(value)
                name = CORRECT if name == "choice" else name
                yield Score(name, None if value == "__invalid__" else met, "model")
            elif isinstance(value, bool):
                yield Score(name, value, "program")


OPENAI_EVALS = OpenAIEvals.as_format(
    "openai-evals",
    "OpenAI evals log",
    "https://github.com/openai/evals",
    Field("sample_id", "instances.instance_id"),
    Field("spec", "judgments.generator, instances.category", "completion_fns, base_eval"),
    Field("events", "instances.prompt, responses.text", "the first sampling"),
    Field("events[].data.correct", "references.met", "match, source program"),
    Field("events[].data.choice", "judgments.met, status", "metrics of a grading model; --judge names it"),
    options=("judge", "generator"),
)


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
        self.model = self.options.generator or _model(file)
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


LM_EVAL = LmEval.as_format(
    "lm-eval",
    "lm-evaluation-harness samples",
    "https://github.com/EleutherAI/lm-evaluation-harness",
    Field("doc_id", "instances.instance_id", "with the task's name before it"),
    Field("doc, arguments", "instances.prompt, rubrics.criterion, checker"),
    Field("resps, filtered_resps", "responses.text", "the first; none if choices were rated"),
    Field("metrics", "references.met, rubrics", "by --judge: judgments.met"),
    Field("filter", "rubrics.rubric_id", "a rubric for each filter"),
    options=("judge", "generator", "leave_out"),
)
