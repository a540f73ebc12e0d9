"""What MT-Bench and Arena-Hard share: folders of questions, models' answers and judgments, in JSON Lines.

A folder such as `data/mt_bench` holds `question.jsonl`, `model_answer/MODEL.jsonl` and `model_judgment/...`;
given as a whole, prompts and responses come with the judgments.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.importers.foreign.formats import files_in
from engine.importers.foreign.gathered import Found
from engine.importers.foreign.json_files import json_lines
from engine.importers.foreign.rows import BadRowError, Row, Tally, text_of

_ORDER = ("question", "reference_answer", "model_answer")


def bench_rows(path: Path, tally: Tally, expected: str) -> Iterator[Row]:
    """Yield the rows of a judgment file, or of a folder: questions first, then answers, then judgments."""
    files = files_in(path, ".jsonl", expected=expected)
    if path.is_dir():
        files = [file for file in files if "reference_answer" not in file.parts]
        files.sort(key=lambda file: _rank(path, file))
    for file in files:
        yield from json_lines(file, tally, expected)


def _rank(root: Path, file: Path) -> tuple[int, str]:
    parts = (*file.relative_to(root).parent.parts, file.name.partition(".")[0])
    rank = next((i for i, word in enumerate(_ORDER) if word in parts), len(_ORDER))
    return rank, str(file)


def is_question(row: Row) -> bool:
    """Tell a row of question.jsonl."""
    return "judge" not in row.values and ("turns" in row.values or "prompt" in row.values)


def is_answer(row: Row) -> bool:
    """Tell a row of model_answer."""
    return "judge" not in row.values and ("choices" in row.values or "messages" in row.values)


def turn_instance(question: str, turn: int) -> str:
    """Return the instance that a turn of a question is: the first has the question's id."""
    return question if turn == 1 else f"{question}-turn-{turn}"


def question_found(row: Row, key: str, category: str) -> Found:
    """Return the instances of a question, one for each turn; a later one holds the turns up to it."""
    import json

    turns = (
        [content_of(turn) for turn in row.listed("turns")] if "turns" in row.values else [row.text("prompt")]
    )
    instances: list[dict[str, Any]] = []
    for turn in range(1, len(turns) + 1):
        asked = [{"role": "user", "content": text} for text in turns[:turn]]
        prompt = turns[0] if turn == 1 else json.dumps(asked, ensure_ascii=False)
        instances.append(
            {
                "instance_id": turn_instance(row.text(key), turn),
                "prompt": prompt,
                "category": row.maybe_text(category),
            }
        )
    return {"instances": instances}


def answer_found(row: Row, key: str) -> Found:
    """Return a model's responses, one for each turn of its first choice."""
    question = row.text(key)
    model = row.maybe_text("model_id") or row.text("model")
    if "choices" in row.values:
        choices = row.listed("choices")
        if not choices:
            raise BadRowError("no choices")
        turns = row.within("choices[0]", choices[0]).listed("turns")
    else:
        turns = [row.within("messages", message).get("content") for message in row.listed("messages")[-1:]]
    instances = [turn_instance(question, turn) for turn in range(1, len(turns) + 1)]
    return {
        "instances": [{"instance_id": instance} for instance in instances],
        "responses": [
            {"instance_id": instance, "generator": model, "text": content_of(turn)}
            for instance, turn in zip(instances, turns, strict=True)
        ],
    }


def content_of(turn: object) -> str:
    """Return the words of a turn: a text, or an object that holds them as content or answer."""
    while isinstance(turn, dict):
        turn = turn.get("content", turn.get("answer"))
    if isinstance(turn, list):  # a text with images: the text comes first
        turn = turn[0] if turn else None
    return text_of(turn, "a turn")
