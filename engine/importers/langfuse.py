"""Langfuse exports: a trace with its observations and scores, or the files of the export to a blob storage.

`trace-ID.json` (Download JSON) is one object; a folder of the scheduled export has `scores` and
`observations_v2` (or `observations`) beside each other, which are joined by trace. The model that answered is
that of the observation scored, else of the last generation. A score of source `EVAL` is a judge's: Langfuse
does not write down which model that was, so that `--judge` names it. `ANNOTATION` is a person, `API` a
program unless `--judge` is given.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format
from engine.importers.reading.rows import BadRowError, Row, first_of, object_or_empty
from engine.importers.traces import By, Call, Score, found_in, words_of

_EXPECTED = (
    "an export of Langfuse: trace-ID.json (an object with observations and scores), or a folder with scores "
    "and observations as JSON or JSON Lines"
)
_MODELS = ("model", "providedModelName", "provided_model_name", "internalModel", "model_id")


class Langfuse(FileReader):
    """Traces being read: of one file, or joined from the files of a folder."""

    expected = _EXPECTED

    def rows(self) -> Iterator[Row]:
        """Yield traces: those that hold their scores, then those put together from rows of each kind."""
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
        """Return a trace's question and answer, and its scores."""
        calls = [row.within("observations", one).values for one in row.maybe_listed("observations")]
        scores = [row.within("scores", one) for one in row.maybe_listed("scores")]
        if not scores:
            raise BadRowError("no scores")
        scored = {first_of(score.values, "observation_id", "observationId") for score in scores} - {None, ""}
        generations = [one for one in calls if str(one.get("type")).upper() == "GENERATION"] or calls
        answered = next((one for one in calls if one.get("id") in scored), (generations or [{}])[-1])
        question = words_of(row.values.get("input")) or words_of(answered.get("input"))
        if not question:
            raise BadRowError("no input")
        models = [first_of(one, *_MODELS) for one in (answered, *generations[-1:])]
        model = next(filter(None, models), None)
        call = Call(
            question,
            words_of(answered.get("output")) or words_of(row.values.get("output")),
            str(model) if model else None,
        )
        return found_in(call, map(self._score, scores), self.options.judge, self.options.generator)

    def _score(self, score: Row) -> Score:
        kind = str(first_of(score.values, "data_type", "dataType") or "NUMERIC").upper()
        words = first_of(score.values, "string_value", "stringValue")
        value = score.values.get("value")
        if kind == "BOOLEAN":
            value = bool(value) if value in (0, 1) else words
        elif kind == "CATEGORICAL":
            value = words if words is not None else value
        source = str(score.values.get("source")).upper()
        by: By = "person" if source == "ANNOTATION" else "model"
        if source == "API" and self.options.judge is None:
            by = "program"
        person = first_of(score.values, "author_user_id", "authorUserId") if by == "person" else None
        return Score(
            score.text("name"), value, by, str(person) if person else None, score.maybe_text("comment")
        )


FORMAT = Format(
    "langfuse",
    "Langfuse export",
    "https://github.com/langfuse/langfuse",
    _EXPECTED,
    (
        Field("input", "instances.prompt, instance_id", "the id is made of the text"),
        Field("output", "responses.text", "of the observation scored, else of the last generation"),
        Field("observations", "judgments.generator", "its model, else --generator"),
        Field("scores", "judgments.met, score, explanation", "source EVAL; --judge names the model"),
        Field("scores[].source", "references.source", "ANNOTATION human, API program"),
    ),
    Langfuse,
    ("judge", "generator"),
)
