"""Traces of MLflow with their assessments."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.importers.formats.scored_calls import By, Score, ScoredCalls, rows_of_call, words_of
from engine.importers.reading.columns import value_at
from engine.importers.reading.format import ImportedField
from engine.importers.reading.rows import (
    Row,
    first_text,
    json_or_none,
    object_or_empty,
    objects,
    text_or_none,
)
from engine.importers.reading.study_builder import StudyRows

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


FORMAT = MlflowTraces.as_format(
    "mlflow",
    "MLflow traces",
    "https://github.com/mlflow/mlflow",
    ImportedField("info", "instances.prompt, judgments.met, score", "request_preview, assessments"),
    ImportedField("info.assessments[].source", "judgments.judge, references.source"),
    ImportedField(
        "data", "responses.text, judgments.generator", "the root span, and the last that names a model"
    ),
    options=("judge", "generator", "leave_out"),
    signs=(
        ("info.assessments",),
        ("info.trace_id", "data.spans"),
        ("trace_id", "trace", "assessments", "spans"),
    ),
    object_signs=(("info.assessments",), ("info.trace_id", "data.spans"), ("traces[0].info",)),
)
