"""HANNA: scores of stories by people and models on six criteria."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow.parquet as pq

from engine.errors import BadInputError
from engine.importers.file_records import DataSet, DataSetImporter, FileRecord, Rows
from engine.importers.reading.files import file_in
from engine.importers.reading.format import WholeFormat
from engine.importers.reading.rows import (
    verdict,
)
from engine.store.arrow_types import UNREADABLE
from engine.store.batches import BATCH_ROWS
from engine.store.parquet import whole_batches
from engine.store.study_files import StudyInfo

NAME = "hanna"

CRITERIA = {
    "RE": "Relevance",
    "CH": "Coherence",
    "EM": "Empathy",
    "SU": "Surprise",
    "EG": "Engagement",
    "CX": "Complexity",
}

HANNA_FAMILIES = {
    **dict.fromkeys(("GPT", "GPT-2", "GPT-2 (tag)", "ChatGPT"), "GPT"),
    **dict.fromkeys(("BertGeneration", "RoBERTa"), "BERT"),
    **dict.fromkeys(("Beluga-13B", "Llama-13B"), "Llama"),
}

COLUMNS = ("generator", "prompt_id", "criterion", "rater", "setting", "score")

LOWEST, HIGHEST = 1.0, 5.0

OPTIONS = json.dumps([{"score": score, "text": ""} for score in range(int(LOWEST), int(HIGHEST) + 1)])

_HUMAN = "human"

_HANNA = "https://github.com/dig-team/hanna-benchmark-asg"

_HANNA_REMEDY = "give scores_long.parquet of the HANNA benchmark's scores"


@DataSetImporter
def import_hanna(path: Path) -> DataSet:
    """Read the scores of HANNA's stories by three people and four models on six criteria.

    A prompt is an instance, a criterion a rubric, a model's setting a variant. Models' values below 1 become
    `unparsed` rows and are counted in a warning. Raises BadInputError if the format differs.
    """
    rows = _hanna_rows(
        _scores(file_in(path, ".parquet", expected="scores_long.parquet of the HANNA benchmark"))
    )
    info = StudyInfo(
        name=NAME,
        title="HANNA: scores of stories by people and models",
        dataset="HANNA",
        provenance="imported",
        licence="MIT",
        source=_HANNA,
        notes=(
            "The models' scores are means of repeats, possibly contaminated: failures were written as -1 and "
            "averaged in. Values below 1 are imported as unparsed. The order of the options is not known."
        ),
    )
    failed = sum(row["status"] == "unparsed" for row in rows["judgments"])
    warning = (
        f"{failed:,} model scores are below {LOWEST:g}: means with failures in them, imported as unparsed; "
        "others may hide a failure"
    )
    return DataSet(info, rows, [warning], HANNA_FAMILIES)


def _hanna_rows(entries: Iterable[FileRecord]) -> dict[str, Rows]:
    """Return the study's rows; BadInputError for an unknown criterion or a score off the scale."""
    references: Rows = []
    judgments: Rows = []
    prompts: dict[str, None] = {}
    for entry in entries:
        score, rater, setting = entry.numeric("score"), entry.text("rater"), entry.text("setting")
        prompt, generator = entry.text("prompt_id"), entry.text("generator")
        criterion = entry.text("criterion")
        entry.check_choice("criterion", criterion, CRITERIA)
        if score > HIGHEST or (setting == _HUMAN and score < LOWEST):
            raise entry.error(f"score is {score!r}, expected a number from {LOWEST:g} to {HIGHEST:g}")
        prompts[prompt] = None
        keys = {"instance_id": prompt, "generator": generator, "rubric_id": criterion}
        if setting == _HUMAN:
            references.append({**keys, "source": f"human:{rater.replace(_HUMAN, '')}", "score": score})
        else:
            judgment = {"judge": rater, "paradigm": "score_rubric", "variant": setting, **keys}
            judgments.append(judgment | verdict("score", score if score >= LOWEST else None))
    return {
        "instances": [{"instance_id": prompt} for prompt in prompts],
        "rubrics": [
            {"instance_id": prompt, "rubric_id": short, "criterion": name, "options": OPTIONS}
            for prompt in prompts
            for short, name in CRITERIA.items()
        ],
        "references": references,
        "judgments": judgments,
    }


def _scores(path: Path) -> Iterator[FileRecord]:
    """Yield the rows of the file; BadInputError if it is not Parquet or lacks a column."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as parquet:
            names = parquet.schema_arrow.names
            if faults := [name for name in COLUMNS if names.count(name) != 1]:
                raise BadInputError(
                    f"{path.name} lacks {', '.join(faults)}, or has it twice; {_HANNA_REMEDY}"
                )
            batches = whole_batches(parquet, BATCH_ROWS, COLUMNS)
            rows = (values for batch in batches for values in batch.to_pylist())
            for number, values in enumerate(rows, start=1):
                yield FileRecord(path.name, number, values, _HANNA_REMEDY)
    except UNREADABLE as error:
        raise BadInputError(f"{str(path)!r} cannot be read as Parquet; {_HANNA_REMEDY}") from error


FORMAT = WholeFormat(
    "hanna",
    "HANNA story scores",
    _HANNA,
    import_hanna,
    signs=(("story_id", "generator", "criterion", "rater", "setting"),),
)
