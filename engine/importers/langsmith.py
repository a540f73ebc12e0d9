"""LangSmith experiments: rows as its API takes and gives them, or runs with their feedback.

Two documented forms: the body of an experiment (`results`, each with `inputs`, `expected_outputs`,
`actual_outputs` and `evaluation_scores`), and runs (`inputs`, `outputs`, `extra.metadata`) with a list
`feedback`, or with feedback in a file beside them, joined by `run_id`. Feedback of source `model` is a
judge's, of `app` a person's, else a program's, unless `--judge` is given. The model that answered is
`ls_model_name` of the metadata.
"""

from collections.abc import Iterator
from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format
from engine.importers.reading.rows import BadRowError, Row, first_of, first_text, object_or_empty
from engine.importers.traces import By, Call, Score, found_in, words_of

_EXPECTED = (
    "a LangSmith experiment (.json or .jsonl): an object with results, each with inputs, actual_outputs and "
    "evaluation_scores; or runs with inputs, outputs and feedback"
)
_MODELS = ("ls_model_name", "model", "model_name", "models")


class LangSmith(FileReader):
    """Runs being read, of one file or a folder of them."""

    expected = _EXPECTED

    def rows(self) -> Iterator[Row]:
        """Yield runs that have feedback: of their own first, then those that feedback elsewhere names."""
        runs: dict[str, Row] = {}
        feedback: dict[str, list[Any]] = {}
        for file in self.files:
            for row in self.file_rows(file):
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
        truth = row.values.get("expected_outputs", row.values.get("reference_outputs"))
        about = [row.values.get(name) for name in ("run_metadata", "metadata", "experiment_metadata")]
        model = _model(object_or_empty(row.values.get("extra")).get("metadata"), *about)
        call = Call(question, words_of(outputs), model, reference_answer=words_of(truth))
        scores = [self._score(row.within("feedback", one)) for one in members]
        return found_in(call, scores, self.options.judge, self.options.generator)

    def _score(self, feedback: Row) -> Score:
        source = feedback.values.get("feedback_source")
        about = source if isinstance(source, dict) else {"type": source}
        kind = str(about.get("type")).lower()
        by: By = (
            "model" if kind == "model" or self.options.judge else "person" if kind == "app" else "program"
        )
        judge, value = _model(about.get("metadata")), first_of(feedback.values, "score", "value")
        return Score(feedback.text("key"), value, by, judge, feedback.maybe_text("comment"))


def _model(*places: object) -> str | None:
    """Return the first model that some metadata name."""
    return first_text(object_or_empty(place).get(name) for place in places for name in _MODELS)


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
