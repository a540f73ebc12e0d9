"""Logs of OpenAI's evals framework (`oaieval`): an event in each line, after the run's `spec`.

A `sampling` event is a call; `match` says whether an answer is correct, as a program found (a reference);
`metrics` with a `choice` is a grading model's answer, of which `Y`, `Yes` and `Correct`, and those that stand
under `choice_scores` in the spec with 1, are met. The grader is not named in the log: `--judge`. A sample's
events are one row, numbered by its first.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format
from engine.importers.reading.json_rows import json_lines
from engine.importers.reading.rows import BadRowError, Row, object_or_empty, text_or_none
from engine.importers.traces import Call, Score, found_in, met_of, words_of

_EXPECTED = (
    "a log of OpenAI's evals (JSON Lines: a line with spec, then events with sample_id, type and data)"
)
CORRECT = "correct"
_INVALID = "__invalid__"


class OpenAIEvals(FileReader):
    """Samples being read, of one log or a folder of them; a log's events are held by sample."""

    suffixes = (".jsonl",)
    expected = _EXPECTED

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield each sample with its events, once the log is read."""
        samples: dict[str, tuple[int, list[Any]]] = {}
        spec: dict[str, Any] = {}
        for line in json_lines(file, self.tally, _EXPECTED):
            if isinstance(line.values.get("spec"), dict):
                spec = line.values["spec"]
            elif (name := line.values.get("sample_id")) is not None:
                samples.setdefault(str(name), (line.number, []))[1].append(dict(line.values))
        for name, (number, events) in samples.items():
            yield Row(file.name, number, {"sample_id": name, "spec": spec, "events": events})

    def read(self, row: Row) -> StudyRows:
        """Return a sample's question and answer, whether it matched, and what the grader chose."""
        spec = row.values["spec"]
        events = [row.within("events", event) for event in row.listed("events")]
        data = [(event.text("type"), event.object_of("data")) for event in events if event.values.get("data")]
        calls = [one for kind, one in data if kind == "sampling"]
        if not calls:
            raise BadRowError("no sampling: the model was not called")
        prompt, sampled = words_of(calls[0].values.get("prompt")), calls[0].values.get("sampled")
        answer = sampled[0] if isinstance(sampled, list) and sampled else sampled
        models = spec.get("completion_fns")
        model = models[0] if isinstance(models, list) and models else spec.get("model_name")
        call = Call(
            prompt or "",
            words_of(answer),
            text_or_none(model),
            identity=row.text("sample_id"),
            category=text_or_none(spec.get("base_eval")),
        )
        scores = [score for kind, one in data for score in _scores(kind, one, _best(spec))]
        reply = words_of(calls[-1].values.get("sampled")) if len(calls) > 1 else None
        scores = [replace(one, explanation=reply) if one.by == "model" else one for one in scores]
        return found_in(call, scores, self.options.judge, self.options.generator)


def _scores(kind: str, data: Row, best: tuple[str, ...]) -> Iterator[Score]:
    if kind == "match" and isinstance(data.values.get("correct"), bool):
        yield Score(CORRECT, data.values["correct"], "program")
    if kind == "metrics":
        for name, value in data.values.items():
            if name.endswith("_metascore"):
                continue
            if isinstance(value, str):
                met = value in best if best else met_of(value)
                name = CORRECT if name == "choice" else name
                yield Score(name, None if value == _INVALID else met, "model")
            elif isinstance(value, bool):
                yield Score(name, value, "program")


def _best(spec: dict[str, Any]) -> tuple[str, ...]:
    """Return the choices that the run's settings score with 1."""
    args = object_or_empty(spec.get("run_config")).get("eval_spec", {}).get("args", {})
    scores = object_or_empty(object_or_empty(args).get("choice_scores"))
    return tuple(name for name, score in scores.items() if score == 1)


FORMAT = Format(
    "openai-evals",
    "OpenAI evals log",
    "https://github.com/openai/evals",
    _EXPECTED,
    (
        Field("sample_id", "instances.instance_id"),
        Field("spec", "judgments.generator, instances.category", "completion_fns, base_eval"),
        Field("events", "instances.prompt, responses.text", "the first sampling"),
        Field("events[].data.correct", "references.met", "match, source program"),
        Field(
            "events[].data.choice", "judgments.met, status", "metrics of a grading model; --judge names it"
        ),
    ),
    OpenAIEvals,
    ("judge", "generator"),
)
