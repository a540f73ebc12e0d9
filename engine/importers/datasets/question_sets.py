"""Question sets with reference answers whose letters or texts are known: MMLU, QuALITY, TruthfulQA."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from string import ascii_uppercase

import pyarrow as pa
import pyarrow.parquet as pq

from engine.bounded_files import LARGEST, text_of
from engine.errors import BadInputError
from engine.importers.datasets.file_records import DataSet, DataSetImporter, FileRecord, json_lines, rows_of
from engine.importers.datasets.page_text import page_text
from engine.importers.reading.study_builder import InstanceRows
from engine.store.study_files import StudyInfo

_MMLU = "give all/test-00000-of-00001.parquet of cais/mmlu"
_QUALITY = "give QuALITY.v1.0.1.htmlstripped.dev (or train, or QuALITY.v1.0.1.dev) of nyu-mll/quality"
_TRUTHFUL = "give TruthfulQA.csv of sylinrl/TruthfulQA"
_CHOICE = "The answer names the right option: {}."


@DataSetImporter
def import_mmlu(path: Path) -> DataSet:
    """Read MMLU's questions with their four options; `spb reference programs --checker choice` decides."""
    items = []
    for entry in parquet_records(path, _MMLU):
        options, answer = entry.get("choices", list), entry.get("answer", int)
        question = _with_options(entry.get("question", str), options)
        letter = _letter(entry, answer, options)
        name = f"{entry.number:05}"
        rows = InstanceRows(
            name, prompt=question, category=entry.maybe("subject", str), reference_answer=letter
        )
        rows.rubric("correct", criterion=_CHOICE.format(letter), axis="accuracy")
        items.append(rows)
    info = StudyInfo(title="MMLU", dataset="mmlu", licence="MIT", source="https://github.com/hendrycks/test")
    return DataSet(info, rows_of(items))


@DataSetImporter
def import_quality(path: Path) -> DataSet:
    """Read QuALITY's questions, each with its article and four options; `gold_label` counts from 1.

    Articles are text in the stripped files, HTML in the others; both give the article's text.
    """
    items = []
    for entry in json_lines(path, _QUALITY):
        name, article = entry.get("set_unique_id", str), page_text(entry.get("article", str))
        for number, question in enumerate(entry.get("questions", list), 1):
            inner = FileRecord(path.name, entry.number, entry.fits("questions", question, dict), _QUALITY)
            options = inner.get("options", list)
            letter = _letter(inner, inner.get("gold_label", int) - 1, options)
            prompt = f"{article}\n\n{_with_options(inner.get('question', str), options)}"
            hard = "hard" if inner.maybe("difficult", int) == 1 else "easy"
            rows = InstanceRows(f"{name}-{number}", prompt=prompt, category=hard, reference_answer=letter)
            rows.rubric("correct", criterion=_CHOICE.format(letter), axis="accuracy")
            items.append(rows)
    source = "https://github.com/nyu-mll/quality"
    info = StudyInfo(title="QuALITY", dataset="quality", licence="unverified", source=source)
    return DataSet(info, rows_of(items))


@DataSetImporter
def import_truthful_qa(path: Path) -> DataSet:
    """Read TruthfulQA's questions with their best answers as reference answers."""
    try:
        text = text_of(path, LARGEST)
    except (OSError, ValueError) as error:
        raise BadInputError(f"{path.name}: cannot be read as text: {error}; {_TRUTHFUL}") from error
    items = []
    for number, values in enumerate(csv.DictReader(io.StringIO(text, newline="")), 1):
        entry = FileRecord(path.name, number, dict(values), _TRUTHFUL)
        rows = InstanceRows(
            f"{number:03}",
            prompt=entry.get("Question", str),
            category=entry.maybe("Category", str),
            theme=entry.maybe("Type", str),
            reference_answer=entry.get("Best Answer", str),
        )
        rows.rubric("correct", criterion="The answer is true, and says nothing false.", axis="accuracy")
        items.append(rows)
    if not items:
        raise BadInputError(f"{path.name}: the file has no row; {_TRUTHFUL}")
    source = "https://github.com/sylinrl/TruthfulQA"
    info = StudyInfo(title="TruthfulQA", dataset="truthful-qa", licence="Apache-2.0", source=source)
    return DataSet(info, rows_of(items))


def parquet_records(path: Path, remedy: str) -> Iterator[FileRecord]:
    """Yield the rows of a Parquet file; BadInputError if it is none."""
    try:
        rows = pq.read_table(path).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise BadInputError(f"{path.name}: cannot be read as Parquet: {error}; {remedy}") from error
    for number, values in enumerate(rows, 1):
        yield FileRecord(path.name, number, values, remedy)


def _with_options(question: str, options: list[object]) -> str:
    lines = [f"{letter}. {option}" for letter, option in zip(ascii_uppercase, options, strict=False)]
    return "\n".join([question.strip(), *lines, "", "End with: The answer is X."])


def _letter(entry: FileRecord, place: int, options: list[object]) -> str:
    """Return the letter of the right option, counted from 0."""
    if not 0 <= place < min(len(options), len(ascii_uppercase)):
        raise entry.error(f"the right option is number {place + 1}, and there are {len(options)}")
    return ascii_uppercase[place]
