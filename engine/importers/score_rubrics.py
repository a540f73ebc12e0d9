"""Scores of the HANNA stories in long form: three people and four models on six criteria.

One row for each (story, criterion, rater, setting). The models' scores are means of repeats in which -1
stands for a failure, so that a value below 1 is no score, and others may hide one.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine import schema
from engine.errors import BadInputError, bad_row
from engine.store import Store, StudyInfo
from engine.store.groups import whole_batches
from engine.store.sources import BATCH_ROWS, from_tables
from engine.store.store import Mode
from engine.store.types import UNREADABLE, text_array
from engine.store.writer import WriteReport, write_sources

NAME = "hanna"
CRITERIA = {
    "RE": "Relevance",
    "CH": "Coherence",
    "EM": "Empathy",
    "SU": "Surprise",
    "EG": "Engagement",
    "CX": "Complexity",
}
FAMILIES = {
    **dict.fromkeys(("GPT", "GPT-2", "GPT-2 (tag)", "ChatGPT"), "GPT"),
    **dict.fromkeys(("BertGeneration", "RoBERTa"), "BERT"),
    **dict.fromkeys(("Beluga-13B", "Llama-13B"), "Llama"),
}
COLUMNS = ("generator", "prompt_id", "criterion", "rater", "setting", "score")
LOWEST, HIGHEST = 1.0, 5.0

_HUMAN = "human"
_REMEDY = "give scores_long.parquet of the HANNA benchmark's scores"


def import_hanna(
    path: str | Path, store: Store, name: str | None = None, *, mode: Mode = "new", dry_run: bool = False
) -> WriteReport:
    """Write the scores as a study of score rubrics; `name` else `hanna`.

    A prompt is an instance, a criterion a rubric, a model's setting a variant. Models' values below 1 become
    `unparsed` rows and are counted in a warning. Raises BadInputError where the file is another.
    """
    table = _read(Path(path))
    rows, failed = _tables(table)
    sources = {name: from_tables(schema.TABLES[name], part) for name, part in rows.items()}
    info = StudyInfo(
        title="HANNA: scores of stories by people and models",
        dataset="HANNA",
        provenance="imported",
        licence="MIT",
        source="https://github.com/dig-team/hanna-benchmark-asg",
        notes=(
            "The models' scores are means of repeats, possibly contaminated: failures were written as -1 and "
            "averaged in. Values below 1 are imported as unparsed. The order of the options is not known."
        ),
    )
    report = write_sources(store, NAME if name is None else name, sources, info, mode=mode, dry_run=dry_run)
    report.warnings.append(
        f"{failed:,} model scores are below {LOWEST:g}: means with failures in them, imported as unparsed; "
        "others may hide a failure"
    )
    return report


def _read(path: Path) -> pa.Table:
    """Return the file's columns, ids as text."""
    try:
        with pq.ParquetFile(path) as parquet:
            fields = [field for field in parquet.schema_arrow if field.name in COLUMNS]
            names = [field.name for field in fields]
            if strange := [name for name in COLUMNS if names.count(name) != 1]:
                raise BadInputError(f"{path.name} lacks {', '.join(strange)}, or has it twice; {_REMEDY}")
            table = pa.Table.from_batches(whole_batches(parquet, BATCH_ROWS, names), pa.schema(fields))
    except UNREADABLE as error:
        raise BadInputError(f"{str(path)!r} cannot be read as Parquet; {_REMEDY}") from error
    kinds = dict.fromkeys(COLUMNS, pa.string()) | {"score": pa.float64()}
    try:
        typed = pa.table({name: table.column(name).cast(kind) for name, kind in kinds.items()})
        typed.validate(full=True)  # texts are UTF-8
    except pa.ArrowException as error:
        told = str(error).splitlines()[0]
        raise BadInputError(f"{path.name}: a column is of no such type ({told}); {_REMEDY}") from error
    return _checked(typed, path.name)


def _checked(table: pa.Table, file: str) -> pa.Table:
    """Refuse a criterion that is none of the six, a person's score off the scale, and any score above it."""
    people = _of_people(table)
    score = table.column("score").to_numpy()
    known = pc.is_in(table.column("criterion"), value_set=text_array(list(CRITERIA))).to_numpy()
    strange = ~(score <= HIGHEST) | (people & (score < LOWEST))
    for marks, column, wanted in (
        (~known, "criterion", f"one of {', '.join(CRITERIA)}"),
        (strange, "score", f"a number from {LOWEST:g} to {HIGHEST:g}"),
    ):
        if marks.any():
            row = int(marks.argmax())
            value = table.column(column)[row].as_py()
            raise bad_row(file, row + 1, f"{column} is {value!r}, expected {wanted}", _REMEDY)
    return table


def _of_people(table: pa.Table) -> np.ndarray:
    return np.asarray(pc.equal(table.column("setting"), _HUMAN).to_numpy(), dtype=bool)


def _tables(table: pa.Table) -> tuple[dict[str, pa.Table], int]:
    """Return the study's tables, and how many model scores are failures."""
    people = _of_people(table)
    models = [*_names(table.column("generator")), *_names(table.filter(pa.array(~people)).column("rater"))]
    prompts = _names(table.column("prompt_id"))
    rubrics = [(prompt, criterion) for prompt in prompts for criterion in CRITERIA]
    by_models = table.filter(pa.array(~people))
    ok = by_models.column("score").to_numpy() >= LOWEST
    return {
        "models": pa.table({"model": models, "family": [FAMILIES.get(model, model) for model in models]}),
        "instances": pa.table({"instance_id": prompts}),
        "rubrics": pa.table(
            {
                "instance_id": [prompt for prompt, _ in rubrics],
                "rubric_id": [criterion for _, criterion in rubrics],
                "criterion": [CRITERIA[criterion] for _, criterion in rubrics],
            }
        ),
        "references": _references(table.filter(pa.array(people))),
        "judgments": _judgments(by_models, ok),
    }, int((~ok).sum())


def _references(table: pa.Table) -> pa.Table:
    person = pc.replace_substring(table.column("rater"), _HUMAN, "")
    return pa.table(
        {
            "instance_id": table.column("prompt_id"),
            "generator": table.column("generator"),
            "rubric_id": table.column("criterion"),
            "source": pc.binary_join_element_wise(pa.scalar(_HUMAN), person, ":"),
            "score": table.column("score"),
        }
    )


def _judgments(table: pa.Table, ok: np.ndarray) -> pa.Table:
    return pa.table(
        {
            "judge": table.column("rater"),
            "paradigm": pa.DictionaryArray.from_arrays(
                np.zeros(len(ok), np.int32), text_array(["score_rubric"])
            ),
            "variant": table.column("setting"),
            "instance_id": table.column("prompt_id"),
            "generator": table.column("generator"),
            "rubric_id": table.column("criterion"),
            "score": pc.if_else(pa.array(ok), table.column("score"), None),
            "status": pa.array(np.where(ok, "ok", "unparsed")),
        }
    )


def _names(column: pa.ChunkedArray) -> list[str]:
    return list(dict.fromkeys(column.to_pylist()))
