"""MLflow's traces with assessments (`Trace.to_json`, `mlflow traces get`), one in each line, file or list.

An assessment of an `LLM_JUDGE` is a judgment, of a `HUMAN` or of `CODE` a reference; an expectation is no
verdict. The judge is the model of its metadata, else its source (`openai:/gpt-4o`). The model that answered
is that of the last span that names one. A call that failed has an `error` and is no verdict.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format
from engine.importers.reading.rows import Row, first_text, json_or_none, object_or_empty, text_or_none
from engine.importers.traces import By, Call, Score, found_in, words_of

_EXPECTED = (
    "traces of MLflow (.json or .jsonl): objects with info, which has trace_id and assessments, and data, "
    "which has spans"
)
_BY: dict[str, By] = {"LLM_JUDGE": "model", "AI_JUDGE": "model", "HUMAN": "person", "CODE": "program"}
_MODELS = ("mlflow.llm.model", "gen_ai.request.model", "gen_ai.response.model", "llm.model_name", "model")


class MlflowTraces(FileReader):
    """Traces being read, of one file or a folder of them."""

    expected = _EXPECTED

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the traces: each by itself, in a list, or as JSON in a row of `mlflow.search_traces`."""
        for row in super().file_rows(file):
            traces, text = row.values.get("traces"), text_or_none(row.values.get("trace"))
            if isinstance(traces, list):
                yield from (row.within("traces", trace) for trace in traces)
            elif text is not None:
                yield Row(row.file, row.number, object_or_empty(json_or_none(text)))
            else:
                yield row

    def read(self, row: Row) -> StudyRows:
        """Return a trace's question and answer, and what is said of it."""
        info = row.object_of("info")
        data = row.maybe_object("data")
        spans = [span for span in data.maybe_listed("spans") if isinstance(span, dict)]
        root = next((_attributes(span) for span in spans if not span.get("parent_span_id")), {})
        question = words_of(root.get("mlflow.spanInputs")) or info.text("request_preview")
        answer = words_of(root.get("mlflow.spanOutputs")) or info.maybe_text("response_preview")
        models = [_model(_attributes(span)) for span in spans]
        assessments = [info.within("assessments", one) for one in info.maybe_listed("assessments")]
        truth = [
            one.object_of("expectation").values.get("value")
            for one in assessments
            if "expectation" in one.values
        ]
        call = Call(
            question,
            answer,
            next((name for name in reversed(models) if name), None),
            reference_answer=next((value for value in truth if isinstance(value, str)), None),
        )
        scores = [
            _score(one)
            for one in assessments
            if "feedback" in one.values and one.values.get("valid") is not False
        ]
        if failed := [score.name for score in scores if score.failed and score.by == "program"]:
            self.tally.note(
                f"{', '.join(failed)}: the scorer failed, and MLflow writes it as a program's also where it "
                "asks a model; no verdict is stored, nor that one is missing"
            )
        return found_in(call, scores, self.options.judge, self.options.generator)


def _score(assessment: Row) -> Score:
    feedback = assessment.object_of("feedback").values
    names = object_or_empty(assessment.values.get("source"))
    model = object_or_empty(assessment.values.get("metadata")).get("model")
    by = _BY.get(str(names.get("source_type")), "program")
    named = model if by == "model" and isinstance(model, str) else names.get("source_id")
    return Score(
        assessment.maybe_text("assessment_name") or assessment.text("name"),
        feedback.get("value"),
        by,
        str(named).replace(":/", "/") if named else None,
        assessment.maybe_text("rationale"),
        failed=feedback.get("error") is not None,
    )


def _attributes(span: dict[str, Any]) -> dict[str, Any]:
    """Return a span's attributes, whose values are written as JSON."""
    attributes = dict(object_or_empty(span.get("attributes")))
    for name, value in attributes.items():
        if isinstance(value, str):
            with suppress(ValueError, RecursionError):
                attributes[name] = json.loads(value)
    return attributes


def _model(attributes: dict[str, Any]) -> str | None:
    inputs = object_or_empty(attributes.get("mlflow.spanInputs"))
    return first_text([*map(attributes.get, _MODELS), inputs.get("model")])


FORMAT = Format(
    "mlflow",
    "MLflow traces",
    "https://github.com/mlflow/mlflow",
    _EXPECTED,
    (
        Field("info", "instances.prompt, judgments.met, score", "request_preview, assessments"),
        Field("info.assessments[].source", "judgments.judge, references.source"),
        Field(
            "data", "responses.text, judgments.generator", "the root span, and the last that names a model"
        ),
    ),
    MlflowTraces,
    ("judge", "generator"),
)
