"""Questions with turns and models' answers to them, as MT-Bench and Arena-Hard write them."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from engine.importers.reading.format import FileReader, ImportOptions, prompt_of
from engine.importers.reading.json_rows import json_lines
from engine.importers.reading.rows import (
    BadRowError,
    ImportStats,
    Row,
    StudyRows,
    text_of,
)

_ORDER = ("question", "reference_answer", "model_answer")


class BenchReader(FileReader):
    """Reads judgments of MT-Bench and Arena-Hard, or the folder: questions, then answers, then judgments."""

    suffixes = (".jsonl",)
    rows_in = staticmethod(json_lines)
    keys: ClassVar[Mapping[str, str]]
    """The fields that may hold a question's id, each with the field of its category."""

    def __init__(self, path: Path, options: ImportOptions, tally: ImportStats) -> None:
        super().__init__(path, options, tally)

        def rank(file: Path) -> tuple[int, str]:
            parts = (*file.relative_to(path).parent.parts, file.name.partition(".")[0])
            return next((i for i, word in enumerate(_ORDER) if word in parts), len(_ORDER)), str(file)

        if path.is_dir():
            self.files = sorted((f for f in self.files if "reference_answer" not in f.parts), key=rank)

    def read(self, row: Row) -> StudyRows:
        """Return what a row holds: a question, a model's answers to it, or a judgment.

        Each turn of a question is an instance, with the turns up to and including it.
        """
        key = next((name for name in self.keys if name in row.values), "question_id")
        if "judge" in row.values or not row.values.keys() & {"turns", "prompt", "choices", "messages"}:
            return self.judgment_rows(row, key)
        if not row.values.keys() & {"turns", "prompt"}:
            return answer_rows(row, key)
        question, category = row.text(key), row.maybe_text(self.keys[key])
        texts = row.list_of("turns") if "turns" in row.values else [row.text("prompt")]
        turns = [{"role": "user", "content": content_of(turn)} for turn in texts]
        instances = [
            {"instance_id": turn_instance(question, n), "prompt": prompt_of(turns[:n]), "category": category}
            for n in range(1, len(turns) + 1)
        ]
        return {"instances": instances}

    def judgment_rows(self, row: Row, key: str) -> StudyRows:
        """Return what a row of model_judgment holds; `key` is the field of the question's id."""
        raise NotImplementedError


def turn_instance(question: str, turn: int) -> str:
    """Return the instance id of a question's turn: for the first turn, the question's id."""
    return question if turn == 1 else f"{question}-turn-{turn}"


def answer_rows(row: Row, key: str) -> StudyRows:
    """Return a model's responses, one for each turn of its first choice."""
    question = row.text(key)
    model = row.maybe_text("model_id") or row.text("model")
    if "choices" in row.values:
        choices = row.list_of("choices")
        if not choices:
            raise BadRowError("no choices")
        turns = row.within("choices[0]", choices[0]).list_of("turns")
    else:
        turns = [row.within("messages", message).get("content") for message in row.list_of("messages")[-1:]]
    instances = [turn_instance(question, turn) for turn in range(1, len(turns) + 1)]
    return {
        "instances": [{"instance_id": instance} for instance in instances],
        "responses": [
            {"instance_id": instance, "generator": model, "text": content_of(turn)}
            for instance, turn in zip(instances, turns, strict=True)
        ],
    }


def content_of(turn: object) -> str:
    """Return the text of a turn: a string, or the content or answer of an object."""
    while isinstance(turn, dict):
        turn = turn.get("content", turn.get("answer"))
    if isinstance(turn, list):  # text with images: the text comes first
        turn = turn[0] if turn else None
    return text_of(turn, "a turn")
