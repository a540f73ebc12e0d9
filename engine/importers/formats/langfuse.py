"""Exports of Langfuse: traces with scores, joined where they are apart."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from engine.importers.formats.scored_calls import By, Score, ScoredCalls, rows_of_call, words_of
from engine.importers.reading.format import ImportedField
from engine.importers.reading.rows import BadRowError, Row, first_of, object_or_empty
from engine.importers.reading.study_builder import StudyRows

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


FORMAT = Langfuse.as_format(
    "langfuse",
    "Langfuse export",
    "https://github.com/langfuse/langfuse",
    ImportedField("input", "instances.prompt, instance_id", "the id is made of the text"),
    ImportedField("output", "responses.text", "of the observation scored, else of the last generation"),
    ImportedField("observations", "judgments.generator", "its model, else {--generator}"),
    ImportedField("scores", "judgments.met, score, explanation", "source EVAL; {--judge} names the model"),
    ImportedField("scores[].source", "references.source", "ANNOTATION human, API program"),
    options=("judge", "generator", "leave_out"),
    signs=(
        ("trace_id", "data_type", "source", "name"),
        ("traceId", "dataType", "name"),
        ("observations", "scores"),
    ),
    object_signs=(("observations", "scores"),),
)
