"""Scores on rubrics with described options: Prometheus, HANNA and BiGGen Bench."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from engine.errors import BadInputError
from engine.importers.datasets import DataSet, DataSetImporter, FileRecord, Rows, json_lines, rows_of
from engine.importers.reading.format import WholeFormat, file_in
from engine.importers.reading.rows import (
    InstanceRows,
    text_or_none,
    verdict,
)
from engine.store.arrow_types import UNREADABLE
from engine.store.batches import BATCH_ROWS
from engine.store.parquet import whole_batches
from engine.store.study_files import StudyInfo

JUDGE = "gpt-4"
RUBRIC = "score"
PROMETHEUS_FAMILIES = {JUDGE: "GPT", "chatgpt": "GPT", "llama2_chat_13b": "Llama", "vicuna_13b": "Vicuna"}

_PROMETHEUS = "https://github.com/prometheus-eval/prometheus-eval"
_PROMETHEUS_REMEDY = "give a file such as mt_bench_eval.jsonl of prometheus-eval"
_PROMPT = re.compile(
    r"###The instruction to evaluate:\n(?P<request>.*?)\n\n###Response to evaluate:\n(?P<response>.*)"
    r"\n\n###Reference Answer \(Score 5\):\n(?P<answer>.*)\n\n###Score Rubrics:\n\[(?P<criterion>.*)\]\n"
    r"(?P<options>Score .*?)\n\n###Feedback",
    re.DOTALL,
)
_OPTION = re.compile(r"^Score ([0-9]{1,15}): ", re.MULTILINE)
_TURN = re.compile(r"^User: ", re.MULTILINE)


@DataSetImporter
def import_prometheus(path: Path) -> DataSet:
    """Read Prometheus's evaluation files: responses scored by GPT-4 and people on a rubric."""
    path = file_in(path, ".jsonl", ".json", expected="evaluation data of prometheus-eval")
    rows = rows_of(_item(entry) for entry in json_lines(path, _PROMETHEUS_REMEDY))
    for table in ("instances", "rubrics"):  # the first row of each question
        first = {row["instance_id"]: row for row in reversed(rows[table])}
        rows[table] = list(reversed(first.values()))
    info = StudyInfo(
        title=f"Prometheus evaluation: {path.stem}",
        dataset=path.stem,
        provenance="imported",
        licence="Apache-2.0",
        source=_PROMETHEUS,
        notes="A dialogue's prompt holds the user's turns; earlier answers were each generator's own.",
    )
    return DataSet(info, rows, families=PROMETHEUS_FAMILIES)


def _item(entry: FileRecord) -> InstanceRows:
    prompt = _PROMPT.search(entry.text("instruction"))
    if prompt is None:
        raise entry.error("instruction has no request, response, answer and rubric")
    parts = _OPTION.split(prompt["options"])
    options = {int(score): words.strip() for score, words in zip(parts[1::2], parts[2::2], strict=True)}
    # The user's turns; the whole request if it is not a dialogue.
    pieces = _TURN.split(prompt["request"])[1:]
    turns = [piece.partition("\n\nAssistant:")[0].strip() for piece in pieces] or [prompt["request"]]
    question = json.dumps([{"role": "user", "content": turn} for turn in turns], ensure_ascii=False)
    about = {"category": text_or_none(entry.values.get("category")), "reference_answer": prompt["answer"]}
    rows = InstanceRows(entry.text("idx"), prompt=question, **about)
    option_texts = [{"score": score, "text": words} for score, words in options.items()]
    rows.rubric(RUBRIC, criterion=prompt["criterion"], options=json.dumps(option_texts, ensure_ascii=False))
    generator = entry.text("response_source")
    rows.response(generator, prompt["response"])
    feedback, ordering = _list_of(entry, "gpt4_feedback"), list(options)
    for trial, score in enumerate(_field_scores(entry, "gpt4_score", options)):  # a trial for each repeat
        rows.judgment(
            JUDGE,
            "score_rubric",
            generator,
            rubric_id=RUBRIC,
            trial=trial,
            ordering="-".join(map(str, ordering)),
            position=None if score is None else ordering.index(score) + 1,
            explanation=feedback[trial] if trial < len(feedback) else None,
            **verdict("score", None if score is None else float(score)),
        )
    for person, score in enumerate(_field_scores(entry, "human_score", options), start=1):
        if score is not None:
            rows.reference(f"human:{person}", generator, RUBRIC, score=float(score))
    return rows


def _list_of(entry: FileRecord, field: str) -> list[Any]:
    value = entry.values.get(field)
    return value if isinstance(value, list) else [] if value is None else [value]


def _field_scores(entry: FileRecord, field: str, options: Collection[int]) -> list[Any]:
    """Return the scores of a field, None for an unreadable one; BadInputError for one of no option."""
    scores = _list_of(entry, field)
    for score in scores:
        if score is not None:
            entry.check_choice(field, score, options)
    return scores


PROMETHEUS = WholeFormat("prometheus", "Prometheus evaluation", _PROMETHEUS, import_prometheus)


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


HANNA = WholeFormat("hanna", "HANNA story scores", _HANNA, import_hanna)
