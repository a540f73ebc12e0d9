"""Ragas results, as `result.to_pandas()` saves them: a row for each sample, a column for each metric.

`user_input`, `response` and `reference` (or `question`, `answer` and `ground_truth` of earlier versions) are
texts; every other column of numbers is a metric, from 0 to 1. A metric that failed is empty or NaN. The file
names neither the judge (`--judge`) nor the model that answered (`--generator`, or `--map generator=COLUMN`).
"""

import math
from collections.abc import Iterator
from pathlib import Path

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format, ImportOptions
from engine.importers.reading.rows import BadRowError, ImportStats, Row, number_of, text_or_none
from engine.importers.reading.tables import nested_rows
from engine.importers.traces import Call, Score, found_in

_EXPECTED = (
    "Ragas results (.csv, .parquet, .jsonl or .json): columns user_input and response, or question and "
    "answer, and a column for each metric"
)
_TEXTS = (
    *("user_input", "question", "response", "answer", "reference", "ground_truth", "ground_truths", "id"),
    *("contexts", "retrieved_contexts", "reference_contexts"),
    *("rubrics", "multi_responses", "synthesizer_name"),
)
PROGRAMS = (
    *("bleu_score", "rouge_score", "chrf_score"),
    *("exact_match", "string_present", "non_llm_string_similarity"),
)
"""Metrics that no model decides."""


class Ragas(FileReader):
    """Samples being read, of one file or a folder of them."""

    suffixes = (".csv", ".parquet", ".jsonl", ".json", ".arrow")
    expected = _EXPECTED
    judge_missing = "the file does not say who judged; give --judge NAME"
    rows_in = staticmethod(nested_rows)

    def __init__(self, path: Path, options: ImportOptions, tally: ImportStats) -> None:
        super().__init__(path, options, tally)
        self.column = options.map.get("generator", "generator")
        self.metrics: list[str] = []

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the samples of a file, gone through once for the columns that are metrics.

        A metric that failed in the first samples, or in all of them, is one too: its verdicts are missing.
        """
        numbers: dict[str, bool] = {}
        for row in self.rows_in(file, ImportStats(), _EXPECTED):
            for name, value in row.values.items():
                is_number = value in (None, "") or _is_number(value)
                numbers[name] = numbers.get(name, True) and is_number
        self.metrics = [name for name, one in numbers.items() if one and name not in (*_TEXTS, self.column)]
        self.tally.stored.update(self.metrics)
        yield from super().file_rows(file)

    def read(self, row: Row) -> StudyRows:
        """Return a sample's question and response, and each metric's score."""
        question = row.maybe_text("user_input") or row.text("question")
        if not self.metrics:
            raise BadRowError("no column is a metric")
        call = Call(
            question,
            text_or_none(row.values.get("response", row.values.get("answer"))),
            row.maybe_text(self.column),
            reference_answer=text_or_none(row.values.get("reference", row.values.get("ground_truth"))),
        )
        judge = self.options.judge
        scores = [
            Score(name, number_of(row.values.get(name)), "program" if name in PROGRAMS else "model", judge)
            for name in self.metrics
        ]
        return found_in(call, scores, judge, self.options.generator)


def _is_number(value: object) -> bool:
    return number_of(value) is not None or (isinstance(value, float) and math.isnan(value))


FORMAT = Format(
    "ragas",
    "Ragas results",
    "https://github.com/explodinggradients/ragas",
    _EXPECTED,
    (
        Field("user_input, question", "instances.prompt, instance_id", "the id is made of the text"),
        Field("response, answer", "responses.text"),
        Field("reference, ground_truth", "instances.reference_answer"),
        Field("generator", "judgments.generator", "or --map generator=COLUMN, or --generator"),
    ),
    Ragas,
    ("judge", "generator", "map"),
)
