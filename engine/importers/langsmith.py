"""LangSmith experiments: rows as its API takes and gives them, or runs with their feedback.

Two documented forms: the body of an experiment (`results`, each with `inputs`, `expected_outputs`,
`actual_outputs` and `evaluation_scores`), and runs (`inputs`, `outputs`, `extra.metadata`) with a list
`feedback`, or with feedback in a file beside them, joined by `run_id`. Feedback of source `model` is a
judge's, of `app` a person's, else a program's, unless `--judge` is given. The model that answered is
`ls_model_name` of the metadata.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, Format, ImportOptions, files_in
from engine.importers.reading.json_rows import json_rows
from engine.importers.reading.rows import BadRowError, ImportStats, Row
from engine.importers.traces import By, Call, Score, found_in, words_of

_EXPECTED = (
    "a LangSmith experiment (.json or .jsonl): an object with results, each with inputs, actual_outputs and "
    "evaluation_scores; or runs with inputs, outputs and feedback"
)
_MODELS = ("ls_model_name", "model", "model_name", "models")


class LangSmith:
    """Runs being read, of one file or a folder of them."""

    def __init__(self, path: Path, options: ImportOptions, tally: ImportStats) -> None:
        self.files = files_in(path, ".json", ".jsonl", expected=_EXPECTED)
        self.options, self.tally = options, tally

    def rows(self) -> Iterator[Row]:
        """Yield runs that have feedback: of their own first, then those that feedback elsewhere names."""
        runs: dict[str, Row] = {}
        feedback: dict[str, list[Any]] = {}
        for file in self.files:
            for row in json_rows(file, self.tally, _EXPECTED):
                results = row.values.get("results")
                if isinstance(results, list):
                    about = row.values.get("experiment_metadata") or {}
                    members = (row.within("results", one) for one in results)
                    yield from (
                        Row(r.file, r.number, {"experiment_metadata": about, **r.values}) for r in members
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
        if left := len(runs.keys() - feedback.keys()):
            self.tally.note(f"{left:,} runs without feedback are not stored")

    def read(self, row: Row) -> StudyRows:
        """Return a run's question and answer, and its feedback."""
        question = words_of(row.get("inputs"))
        if not question:
            raise BadRowError("no inputs")
        outputs = row.values.get("actual_outputs", row.values.get("outputs"))
        members = row.values.get("evaluation_scores", row.values.get("feedback"))
        if not isinstance(members, list):
            raise BadRowError("feedback is no list", members)
        call = Call(
            question,
            words_of(outputs),
            self._model(row),
            reference_answer=words_of(
                row.values.get("expected_outputs", row.values.get("reference_outputs"))
            ),
        )
        scores = [self._score(row.within("feedback", one)) for one in members]
        return found_in(call, scores, self.options.judge, self.options.generator)

    @staticmethod
    def _model(row: Row) -> str | None:
        extra = row.values.get("extra")
        places = [
            extra.get("metadata") if isinstance(extra, dict) else None,
            row.values.get("run_metadata"),
            row.values.get("metadata"),
            row.values.get("experiment_metadata"),
        ]
        named = [place.get(name) for place in places if isinstance(place, dict) for name in _MODELS]
        return next((name for name in named if isinstance(name, str) and name), None)

    def _score(self, feedback: Row) -> Score:
        source = feedback.values.get("feedback_source")
        about = source if isinstance(source, dict) else {"type": source}
        kind = str(about.get("type")).lower()
        by: By = (
            "model" if kind == "model" or self.options.judge else "person" if kind == "app" else "program"
        )
        metadata = about.get("metadata")
        named = [metadata.get(name) for name in _MODELS] if isinstance(metadata, dict) else []
        judge = next((name for name in named if isinstance(name, str) and name), None)
        value = feedback.values.get("score")
        value = feedback.values.get("value") if value is None else value
        return Score(feedback.text("key"), value, by, judge, feedback.maybe_text("comment"))


FORMAT = Format(
    "langsmith",
    "LangSmith experiment",
    "https://docs.langchain.com/langsmith/upload-existing-experiments",
    _EXPECTED,
    (
        Field("inputs", "instances.prompt, instance_id", "the id is made of the text"),
        Field("expected_outputs, reference_outputs", "instances.reference_answer"),
        Field("actual_outputs, outputs", "responses.text"),
        Field("extra, run_metadata, metadata, experiment_metadata", "judgments.generator", "ls_model_name"),
        Field(
            "evaluation_scores, feedback", "judgments.met, score, explanation", "of source model, or --judge"
        ),
    ),
    LangSmith,
    ("judge", "generator"),
)
