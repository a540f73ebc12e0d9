"""Prometheus's evaluation files: responses scored by GPT-4 and people on a rubric."""

import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from engine.importers.datasets.file_records import DataSet, DataSetImporter, FileRecord, json_lines, rows_of
from engine.importers.reading.files import file_in
from engine.importers.reading.format import WholeFormat
from engine.importers.reading.rows import text_or_none, verdict
from engine.importers.reading.study_builder import InstanceRows
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
        notes="A dialogue's prompt holds the user's turns; earlier answers were each model's own.",
    )
    return DataSet(info, rows, families=PROMETHEUS_FAMILIES)


def _item(entry: FileRecord) -> InstanceRows:
    prompt = _PROMPT.search(entry.text("instruction"))
    if prompt is None:
        raise entry.error("instruction has no request, `response`, answer and `rubric`")
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


FORMAT = WholeFormat(
    "prometheus",
    "Prometheus evaluation",
    _PROMETHEUS,
    import_prometheus,
    signs=(("idx", "instruction", "gpt4_score"), ("idx", "instruction", "human_score")),
)
