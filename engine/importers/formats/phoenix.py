"""Tables of Arize Phoenix: spans, or calls, with evaluations."""

import re
from typing import Any

from engine.importers.formats.scored_calls import By, Score, ScoredCalls, met_of, rows_of_call, words_of
from engine.importers.reading.columns import value_at
from engine.importers.reading.format import ImportedField
from engine.importers.reading.rows import BadRowError, Row, number_of, text_or_none
from engine.importers.reading.study_builder import StudyRows
from engine.importers.reading.tables import nested_rows

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
                self.tally.note(f"lower is better in {name!r}: its criteria have points of -1")
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


FORMAT = Phoenix.as_format(
    "phoenix",
    "Phoenix evaluations",
    "https://github.com/Arize-ai/phoenix",
    ImportedField(
        "attributes.input.value, input", "instances.prompt, instance_id", "the id is made of the text"
    ),
    ImportedField("attributes.output.value, output", "responses.text"),
    ImportedField("attributes.llm.model_name", "judgments.generator", "else {--generator}"),
    options=("judge", "generator", "leave_out"),
    signs=(
        ("context.span_id", "attributes.input.value"),
        ("attributes.input.value", "attributes.output.value"),
        ("*_execution_details", "*_score"),
    ),
)
