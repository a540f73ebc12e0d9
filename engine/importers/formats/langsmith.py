"""Experiments and runs of LangSmith, with their feedback."""

from collections.abc import Iterator
from typing import Any

from engine.importers.formats.scored_calls import By, Score, ScoredCalls, rows_of_call, words_of
from engine.importers.reading.format import ImportedField
from engine.importers.reading.rows import BadRowError, Row, first_of, first_text, object_or_empty, objects
from engine.importers.reading.study_builder import StudyRows
from engine.phrases import quantity

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


FORMAT = LangSmith.as_format(
    "langsmith",
    "LangSmith experiment",
    "https://docs.langchain.com/langsmith/upload-existing-experiments",
    ImportedField("inputs", "instances.prompt, instance_id", "the id is made of the text"),
    ImportedField("expected_outputs, reference_outputs", "instances.reference_answer"),
    ImportedField("actual_outputs, outputs", "responses.text"),
    ImportedField(
        "extra, run_metadata, metadata, experiment_metadata", "judgments.generator", "ls_model_name"
    ),
    ImportedField(
        "evaluation_scores, feedback", "judgments.met, score, explanation", "of source model, or {--judge}"
    ),
    options=("judge", "generator", "leave_out"),
    signs=(
        ("run_type", "inputs", "session_id"),
        ("run_id", "key", "feedback_source"),
        ("inputs", "evaluation_scores"),
        ("inputs", "outputs", "feedback"),
    ),
    object_signs=(("results[0].evaluation_scores",),),
)
