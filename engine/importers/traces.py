"""Traces of calls with scores: Langfuse, LangSmith, MLflow and Phoenix.

Each reader finds calls and scores in a platform's files, which `scored_calls` turns into rows of a study.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.importers.reading.format import Field
from engine.importers.reading.rows import (
    BadRowError,
    Row,
    StudyRows,
    first_of,
    first_text,
    json_or_none,
    number_of,
    object_or_empty,
    objects,
    text_or_none,
)
from engine.importers.reading.tables import nested_rows, value_at
from engine.importers.scored_calls import By, Score, ScoredCalls, met_of, rows_of_call, words_of
from engine.values import quantity

_OBSERVATION_MODELS = ("model", "providedModelName", "provided_model_name", "internalModel", "model_id")
_WORDS_ONLY = ("TEXT", "CORRECTION")
_SOURCES: dict[str, By] = {"ANNOTATION": "person", "API": "program"}


class Langfuse(ScoredCalls):
    """Reads Langfuse's exports: the traces of one file, or joined from the files of a folder.

    `trace-ID.json` (Download JSON) is one object; a folder of the scheduled export has `scores` and
    `observations_v2` (or `observations`) side by side, which are joined by trace. The model that answered is
    that of the observation scored, else of the last generation. A score of source `EVAL` is a judge's;
    Langfuse does not record which model that was, so `--judge` names it. `ANNOTATION` is a person, `API` a
    program unless `--judge` is given. Scores of type `TEXT` and `CORRECTION` hold words and a meaningless 0.
    """

    expected = (
        "an export of Langfuse: trace-ID.json (an object with observations and scores), or a folder with "
        "scores and observations as JSON or JSON Lines"
    )

    def calls(self) -> Iterator[Row]:
        """Yield the traces that hold their scores, then those joined from separate rows."""
        parts: dict[str, dict[str, Any]] = defaultdict(lambda: {"observations": [], "scores": []})
        for file in self.files:
            for row in self.file_rows(file):
                if isinstance(row.values.get("scores"), list):
                    inner = object_or_empty(row.values.get("trace"))
                    yield Row(row.file, row.number, {**inner, **row.values})
                    continue
                trace = row.values.get("trace_id") or row.values.get("traceId")
                kind = "scores" if "data_type" in row.values or "dataType" in row.values else "observations"
                if trace is None:
                    parts[str(row.values.get("id"))].update(row.values)
                else:
                    parts[str(trace)][kind].append(dict(row.values))
        for number, (trace, values) in enumerate(parts.items(), start=1):
            yield Row("traces", number, {"id": trace, **values})

    def read(self, row: Row) -> StudyRows:
        calls = [row.within("observations", call).values for call in row.maybe_list("observations")]
        scores = self._score_rows(row)
        ids = {str(first_of(score.values, "observation_id", "observationId") or "") for score in scores}
        generations = [call for call in calls if str(call.get("type")).upper() == "GENERATION"] or calls
        scored_calls = (call for call in calls if call.get("id") and str(call["id"]) in ids)
        answer = next(scored_calls, (generations or [{}])[-1])
        question = words_of(row.values.get("input")) or words_of(answer.get("input"))
        if not question:
            raise BadRowError("no input")
        models = [first_of(call, *_OBSERVATION_MODELS) for call in (answer, *generations[-1:])]
        model = next((str(name) for name in models if name), None)
        output = words_of(answer.get("output")) or words_of(row.values.get("output"))
        return rows_of_call(self.options, self.verdicts(row), question=question, output=output, model=model)

    def scores(self, row: Row) -> list[Score]:
        scores = []
        for score in self._score_rows(row):
            kind = str(first_of(score.values, "data_type", "dataType")).upper()
            if kind in _WORDS_ONLY:
                name = score.text("name")
                self.tally.note(f"{name!r} is of type {kind}, which holds words and no verdict: not stored")
            else:
                scores.append(self._score(score))
        return scores

    def _score_rows(self, row: Row) -> list[Row]:
        scores = [row.within("scores", score) for score in row.maybe_list("scores")]
        if not scores:
            raise BadRowError("no scores")
        return scores

    def _score(self, score: Row) -> Score:
        kind = str(first_of(score.values, "data_type", "dataType") or "NUMERIC").upper()
        words = first_of(score.values, "string_value", "stringValue")
        value = score.values.get("value")
        if kind == "BOOLEAN":
            value = bool(value) if value in (0, 1) else words
        elif kind == "CATEGORICAL":
            value = words if words is not None else value
        by: By = _SOURCES.get(str(score.values.get("source")).upper(), "model")
        if by == "program" and self.options.judge is not None:
            by = "model"
        person = first_of(score.values, "author_user_id", "authorUserId") if by == "person" else None
        author, words = str(person) if person else None, score.maybe_text("comment")
        return Score(score.text("name"), value, by, author, words, numeric=kind == "NUMERIC")


LANGFUSE = Langfuse.as_format(
    "langfuse",
    "Langfuse export",
    "https://github.com/langfuse/langfuse",
    Field("input", "instances.prompt, instance_id", "the id is made of the text"),
    Field("output", "responses.text", "of the observation scored, else of the last generation"),
    Field("observations", "judgments.generator", "its model, else --generator"),
    Field("scores", "judgments.met, score, explanation", "source EVAL; --judge names the model"),
    Field("scores[].source", "references.source", "ANNOTATION human, API program"),
    options=("judge", "generator", "leave_out"),
)


_METADATA_MODELS = ("ls_model_name", "model", "model_name", "models")


class LangSmith(ScoredCalls):
    """Reads LangSmith's experiments.

    Two documented forms: the body of an experiment (`results`, each with `inputs`, `expected_outputs`,
    `actual_outputs` and `evaluation_scores`), and runs (`inputs`, `outputs`, `extra.metadata`) with a list
    `feedback`, or with feedback in a file beside them, joined by `run_id`. Feedback of source `model` is a
    judge's, as is all of it with `--judge`; of `app` it is a person's, else a program's. The model that
    answered is `ls_model_name` of the metadata.
    """

    expected = (
        "a LangSmith experiment (.json or .jsonl): an object with results, each with inputs, actual_outputs "
        "and evaluation_scores; or runs with inputs, outputs and feedback"
    )

    def calls(self) -> Iterator[Row]:
        """Yield the runs with feedback: their own first, then those joined with feedback from other rows."""
        runs: dict[str, Row] = {}
        feedback: dict[str, list[Any]] = {}
        for file in self.files:
            for row in self.file_rows(file):
                results = row.values.get("results")
                if isinstance(results, list):
                    metadata = row.values.get("experiment_metadata") or {}
                    yield from (
                        Row(r.file, r.number, {"experiment_metadata": metadata, **r.values})
                        for r in objects(row.file, results, self.tally)
                    )
                elif "run_id" in row.values and "key" in row.values:
                    feedback.setdefault(str(row.values["run_id"]), []).append(dict(row.values))
                elif "evaluation_scores" in row.values or row.values.get("feedback"):
                    yield row
                elif "inputs" in row.values:
                    runs[str(row.values.get("id"))] = row
        for name, run in runs.items():
            if name in feedback:
                yield Row(run.file, run.number, {**run.values, "feedback": feedback[name]})
        if unscored := len(runs.keys() - feedback.keys()):
            self.tally.note(f"{quantity(unscored, 'run')} without feedback not stored")

    def read(self, row: Row) -> StudyRows:
        question = words_of(row.get("inputs"))
        if not question:
            raise BadRowError("no inputs")
        output = words_of(row.values.get("actual_outputs", row.values.get("outputs")))
        truth = words_of(row.values.get("expected_outputs", row.values.get("reference_outputs")))
        metadata = [row.values.get(name) for name in ("run_metadata", "metadata", "experiment_metadata")]
        model = _metadata_model(object_or_empty(row.values.get("extra")).get("metadata"), *metadata)
        scores = self.verdicts(row)
        return rows_of_call(
            self.options, scores, question=question, output=output, model=model, reference_answer=truth
        )

    def scores(self, row: Row) -> list[Score]:
        members = row.values.get("evaluation_scores", row.values.get("feedback"))
        if not isinstance(members, list):
            raise BadRowError("feedback is not a list", members)
        return [self._score(row.within("feedback", member)) for member in members]

    def _score(self, feedback: Row) -> Score:
        source = feedback.values.get("feedback_source")
        author = source if isinstance(source, dict) else {"type": source}
        kind = str(author.get("type")).lower()
        by: By = (
            "model" if kind == "model" or self.options.judge else "person" if kind == "app" else "program"
        )
        judge, value = _metadata_model(author.get("metadata")), first_of(feedback.values, "score", "value")
        return Score(feedback.text("key"), value, by, judge, feedback.maybe_text("comment"))


def _metadata_model(*places: object) -> str | None:
    """Return the first model named by any of the metadata."""
    return first_text(object_or_empty(place).get(name) for place in places for name in _METADATA_MODELS)


LANGSMITH = LangSmith.as_format(
    "langsmith",
    "LangSmith experiment",
    "https://docs.langchain.com/langsmith/upload-existing-experiments",
    Field("inputs", "instances.prompt, instance_id", "the id is made of the text"),
    Field("expected_outputs, reference_outputs", "instances.reference_answer"),
    Field("actual_outputs, outputs", "responses.text"),
    Field("extra, run_metadata, metadata, experiment_metadata", "judgments.generator", "ls_model_name"),
    Field("evaluation_scores, feedback", "judgments.met, score, explanation", "of source model, or --judge"),
    options=("judge", "generator", "leave_out"),
)


_SOURCE_TYPES: dict[str, By] = {
    "LLM_JUDGE": "model",
    "AI_JUDGE": "model",
    "HUMAN": "person",
    "CODE": "program",
}
_SPAN_MODELS = (
    "mlflow.llm.model",
    "gen_ai.request.model",
    "gen_ai.response.model",
    "llm.model_name",
    "model",
)


class MlflowTraces(ScoredCalls):
    """Reads MLflow's traces (`Trace.to_json`, `mlflow traces get`): per line, per file or in a list.

    An assessment by an `LLM_JUDGE` is a judgment, by a `HUMAN` or by `CODE` a reference; an expectation is
    not a verdict. The judge is the model of its metadata, else its source (`openai:/gpt-4o`). The model that
    answered is that of the last span that names one. A failed call has an `error` and is no verdict.
    """

    expected = (
        "traces of MLflow (.json or .jsonl): objects with info, which has trace_id and assessments, and "
        "data, which has spans"
    )

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the traces: single ones, those of a list, or JSON in rows of `mlflow.search_traces`."""
        for row in super().file_rows(file):
            traces, text = row.values.get("traces"), text_or_none(row.values.get("trace"))
            if isinstance(traces, list):
                yield from objects(row.file, traces, self.tally)
            elif text is not None:
                yield Row(row.file, row.number, object_or_empty(json_or_none(text)))
            else:
                yield row

    def read(self, row: Row) -> StudyRows:
        info = row.object_of("info")
        data = row.maybe_object("data")
        spans = [span for span in data.maybe_list("spans") if isinstance(span, dict)]
        attributes = [_span_attributes(span) for span in spans]
        pairs = zip(spans, attributes, strict=True)
        root = next((each for span, each in pairs if not span.get("parent_span_id")), {})
        question = words_of(root.get("mlflow.spanInputs")) or info.text("request_preview")
        output = words_of(root.get("mlflow.spanOutputs")) or info.maybe_text("response_preview")
        models = [
            first_text([*map(each.get, _SPAN_MODELS), value_at(each, "mlflow.spanInputs.model")])
            for each in attributes
        ]
        assessments = _assessments(info)
        expectations = [each.object_of("expectation") for each in assessments if "expectation" in each.values]
        answers = [each.values.get("value") for each in expectations]
        truth = next((answer for answer in answers if isinstance(answer, str)), None)
        scores = self.verdicts(row)
        if failed := [score.name for score in scores if score.failed and score.by == "program"]:
            self.tally.note(
                f"{', '.join(failed)}: the scorer failed; MLflow does not say whether it used a model, so it "
                "is not counted as a missing verdict"
            )
        model = first_text(reversed(models))
        return rows_of_call(
            self.options, scores, question=question, output=output, model=model, reference_answer=truth
        )

    def scores(self, row: Row) -> list[Score]:
        return [
            _assessment_score(each)
            for each in _assessments(row.object_of("info"))
            if "feedback" in each.values and each.values.get("valid") is not False
        ]


def _assessments(info: Row) -> list[Row]:
    return [info.within("assessments", each) for each in info.maybe_list("assessments")]


def _assessment_score(assessment: Row) -> Score:
    feedback = assessment.object_of("feedback").values
    source = object_or_empty(assessment.values.get("source"))
    model = object_or_empty(assessment.values.get("metadata")).get("model")
    by = _SOURCE_TYPES.get(str(source.get("source_type")), "program")
    author = model if by == "model" and isinstance(model, str) else source.get("source_id")
    author = str(author).replace(":/", "/") if author else None
    name = assessment.maybe_text("assessment_name") or assessment.text("name")
    reason, failed = assessment.maybe_text("rationale"), feedback.get("error") is not None
    return Score(name, feedback.get("value"), by, author, reason, failed=failed)


def _span_attributes(span: dict[str, Any]) -> dict[str, Any]:
    """Return a span's attributes, decoded from JSON where possible."""
    attributes = dict(object_or_empty(span.get("attributes")))
    for name, value in attributes.items():
        if isinstance(value, str):
            with suppress(ValueError, RecursionError):
                attributes[name] = json.loads(value)
    return attributes


MLFLOW = MlflowTraces.as_format(
    "mlflow",
    "MLflow traces",
    "https://github.com/mlflow/mlflow",
    Field("info", "instances.prompt, judgments.met, score", "request_preview, assessments"),
    Field("info.assessments[].source", "judgments.judge, references.source"),
    Field("data", "responses.text, judgments.generator", "the root span, and the last that names a model"),
    options=("judge", "generator", "leave_out"),
)


_EVAL = re.compile(r"^eval\.(?P<name>.+)\.(?:label|score|explanation)$")
_EVALUATOR_KINDS: dict[str, By] = {
    "llm": "model",
    "human": "person",
    "code": "program",
    "heuristic": "program",
}
_INPUT_PATHS = ("attributes.input.value", "input", "question", "query")
_OUTPUT_PATHS = ("attributes.output.value", "output", "answer", "response")
_MODEL_PATHS = ("attributes.llm.model_name", "llm.model_name", "model")


class Phoenix(ScoredCalls):
    """Reads tables of Arize Phoenix.

    Two documented forms. Spans have `attributes.input.value`, `attributes.output.value`,
    `attributes.llm.model_name` and, for each evaluation, `eval.NAME.label`, `eval.NAME.score` and
    `eval.NAME.explanation`. Evaluated tables have a column `NAME_score` for each evaluator, an object with
    `score`, `label`, `explanation` and `kind` (`llm`, `code`, `human`). The label is the verdict if it is a
    word for true or false, else the score is. The judge is `--judge`, else the model of the metadata.
    """

    suffixes = (".parquet", ".csv", ".jsonl", ".json")
    expected = (
        "a table of Phoenix (.parquet, .csv or .jsonl): spans with attributes.input.value and columns such "
        "as eval.Correctness.label, or an evaluated table with columns such as correctness_score"
    )
    rows_in = staticmethod(nested_rows)

    def read(self, row: Row) -> StudyRows:
        question = words_of(_value_at(row, _INPUT_PATHS))
        if not question:
            raise BadRowError("no input")
        output, model = words_of(_value_at(row, _OUTPUT_PATHS)), text_or_none(_value_at(row, _MODEL_PATHS))
        return rows_of_call(self.options, self.verdicts(row), question=question, output=output, model=model)

    def scores(self, row: Row) -> list[Score]:
        scores = []
        names = dict.fromkeys(match["name"] for column in row.values if (match := _EVAL.match(column)))
        for name in names:
            parts = ("label", "score", "explanation")
            label, score, words = (row.values.get(f"eval.{name}.{part}") for part in parts)
            scores.append(Score(name, _label_or_score(label, score), "model", None, text_or_none(words)))
        columns = [column for column in row.values if column.endswith("_score")]
        for column in columns:
            if not isinstance(value_at(row.values, f"{column}.name"), str):
                continue
            label, score, kind, words, judge, direction = (
                value_at(row.values, f"{column}.{part}")
                for part in ("label", "score", "kind", "explanation", "metadata.model", "direction")
            )
            by = _EVALUATOR_KINDS.get(str(kind).lower(), "model")
            value, name = _label_or_score(label, score), column.removesuffix("_score")
            if lower := direction == "minimize":
                self.tally.note(f"lower is better in {name!r}: its rubrics have points of -1")
            scores.append(Score(name, value, by, text_or_none(judge), text_or_none(words), lower=lower))
        self.tally.stored.update([*filter(_EVAL.match, row.values), *columns])
        return scores


def _value_at(row: Row, paths: tuple[str, ...]) -> Any:
    return next((value for path in paths if (value := value_at(row.values, path)) is not None), None)


def _label_or_score(label: Any, score: Any) -> Any:
    """Return the verdict, or a label that is none; None for an answer that Phoenix could not parse.

    Phoenix scores such an answer with 0.
    """
    if label == "NOT_PARSABLE":
        return None
    met, number = met_of(label), number_of(score)
    return met if met is not None else number if number is not None else label


PHOENIX = Phoenix.as_format(
    "phoenix",
    "Phoenix evaluations",
    "https://github.com/Arize-ai/phoenix",
    Field("attributes.input.value, input", "instances.prompt, instance_id", "the id is made of the text"),
    Field("attributes.output.value, output", "responses.text"),
    Field("attributes.llm.model_name", "judgments.generator", "else --generator"),
    options=("judge", "generator", "leave_out"),
)
