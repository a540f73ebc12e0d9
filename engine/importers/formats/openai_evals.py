"""Logs of OpenAI's evals framework: samples with their events."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.importers.formats.scored_calls import Score, met_of, rows_of_call, words_of
from engine.importers.reading.format import FileReader, ImportedField
from engine.importers.reading.json_rows import json_lines
from engine.importers.reading.rows import BadRowError, Row, object_or_empty, text_or_none
from engine.importers.reading.study_builder import StudyRows

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


FORMAT = OpenAIEvals.as_format(
    "openai-evals",
    "OpenAI evals log",
    "https://github.com/openai/evals",
    ImportedField("sample_id", "instances.instance_id"),
    ImportedField("spec", "judgments.generator, instances.category", "completion_fns, base_eval"),
    ImportedField("events", "instances.prompt, responses.text", "the first sampling"),
    ImportedField("events[].data.correct", "references.met", "match, source program"),
    ImportedField(
        "events[].data.choice", "judgments.met, status", "metrics of a grading model; {--judge} names it"
    ),
    options=("judge", "generator"),
    signs=(("spec.completion_fns",), ("run_id", "event_id", "sample_id", "type", "data")),
)
