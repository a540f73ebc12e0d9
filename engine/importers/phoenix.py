"""Arize Phoenix: tables of spans with evaluations, and what `evaluate_dataframe` returns.

Two documented forms. Spans have `attributes.input.value`, `attributes.output.value`,
`attributes.llm.model_name` and, for each evaluation, `eval.NAME.label`, `eval.NAME.score` and
`eval.NAME.explanation`. Evaluated tables have a column `NAME_score` for each evaluator, an object with
`score`, `label`, `explanation` and `kind` (`llm`, `code`, `human`). The label says whether it is met where it
is a word for that, else the score counts. The judge is the model of the metadata, else `--judge`.
"""

import re
from collections.abc import Iterator
from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format
from engine.importers.reading.rows import BadRowError, Row, number_of, text_or_none
from engine.importers.reading.tables import nested_rows, value_at
from engine.importers.traces import By, Call, Score, found_in, met_of, words_of

_EXPECTED = (
    "a table of Phoenix (.parquet, .csv or .jsonl): spans with attributes.input.value and columns such as "
    "eval.Correctness.label, or an evaluated table with columns such as correctness_score"
)
_EVAL = re.compile(r"^eval\.(?P<name>.+)\.(?:label|score|explanation)$")
_KINDS: dict[str, By] = {"llm": "model", "human": "person", "code": "program", "heuristic": "program"}
_INPUT = ("attributes.input.value", "input", "question", "query")
_OUTPUT = ("attributes.output.value", "output", "answer", "response")
_MODEL = ("attributes.llm.model_name", "llm.model_name", "model")


class Phoenix(FileReader):
    """Spans being read, of one file or a folder of them."""

    suffixes = (".parquet", ".csv", ".jsonl", ".json")
    expected = _EXPECTED
    rows_in = staticmethod(nested_rows)

    def read(self, row: Row) -> StudyRows:
        """Return a span's question and answer, and what each evaluation says of it."""
        question = words_of(_at(row, _INPUT))
        if not question:
            raise BadRowError("no input")
        scores = [*_columns(row), *_objects(row)]
        self.tally.stored.update(name for name in row.values if _EVAL.match(name) or name.endswith("_score"))
        call = Call(question, words_of(_at(row, _OUTPUT)), text_or_none(_at(row, _MODEL)))
        return found_in(call, scores, self.options.judge, self.options.generator)


def _at(row: Row, paths: tuple[str, ...]) -> Any:
    return next((value for path in paths if (value := value_at(row.values, path)) is not None), None)


def _columns(row: Row) -> Iterator[Score]:
    """Yield the evaluations that stand in columns of their own, `eval.NAME.label` and its like."""
    names = dict.fromkeys(match["name"] for column in row.values if (match := _EVAL.match(column)))
    for name in names:
        label, score, words = (
            row.values.get(f"eval.{name}.{part}") for part in ("label", "score", "explanation")
        )
        yield Score(name, _value(label, score), "model", None, text_or_none(words))


def _objects(row: Row) -> Iterator[Score]:
    """Yield the evaluations that stand in objects, `NAME_score`."""
    for column in row.values:
        if not column.endswith("_score") or not isinstance(value_at(row.values, f"{column}.name"), str):
            continue
        label, score, kind, words, model = (
            value_at(row.values, f"{column}.{part}")
            for part in ("label", "score", "kind", "explanation", "metadata.model")
        )
        by = _KINDS.get(str(kind).lower(), "model")
        name = column.removesuffix("_score")
        yield Score(name, _value(label, score), by, text_or_none(model), text_or_none(words))


def _value(label: Any, score: Any) -> Any:
    met = met_of(label)
    return met if met is not None else number_of(score)


FORMAT = Format(
    "phoenix",
    "Phoenix evaluations",
    "https://github.com/Arize-ai/phoenix",
    _EXPECTED,
    (
        Field("attributes.input.value, input", "instances.prompt, instance_id", "the id is made of the text"),
        Field("attributes.output.value, output", "responses.text"),
        Field("attributes.llm.model_name", "judgments.generator", "else --generator"),
    ),
    Phoenix,
    ("judge", "generator"),
)
