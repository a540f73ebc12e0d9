"""WildBench's `eval_results`: a score from 1 to 10 of each answer, or pairs against a reference model.

The judge does not stand in a file but in the folder over it (`eval=gpt-4o-2024-05-13`). The files hold no
questions, only their session ids. In a pair model A was shown first; `A++` and `A+` are both for it. Answers
whose evaluation could not be parsed were left out by WildBench itself and cannot be counted.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, Format, ImportOptions, files_in
from engine.importers.reading.json_rows import json_rows
from engine.importers.reading.rows import BadRowError, ImportStats, Row, number_of
from engine.importers.reading.sides import choice_of

_EXPECTED = (
    "an evaluation file of WildBench (eval_results/.../eval=JUDGE/MODEL.json: a list of objects with "
    "session_id, parsed_result, and model_test and score, or model_A, model_B and winner), or a folder"
)


class WildBench:
    """Evaluations being read, of one file or a folder of them."""

    def __init__(self, path: Path, options: ImportOptions, tally: ImportStats) -> None:
        self.files = files_in(path, ".json", ".jsonl", expected=_EXPECTED)
        self.tally = tally
        self.judges = {file: options.judge or _judge_of(file) for file in self.files}
        self.judge = ""

    def rows(self) -> Iterator[Row]:
        """Yield the evaluations, file by file, each with its folder's judge."""
        for file in self.files:
            self.judge = self.judges[file]
            yield from json_rows(file, self.tally, _EXPECTED)

    def read(self, row: Row) -> StudyRows:
        """Return the answers and the score, or who won."""
        instance = {"instance_id": row.text("session_id")}
        result = row.values.get("parsed_result")
        parsed = result if isinstance(result, dict) else {}
        shared = {"judge": self.judge, **instance}
        if "model_test" in row.values:
            model = row.text("model_test")
            responses = _responses(instance, {model: row.values.get("model_output")})
            reason = "\n\n".join(
                str(parsed[name]) for name in ("strengths", "weaknesses") if parsed.get(name)
            )
            judgment = {
                **shared,
                "paradigm": "direct_assessment",
                "generator": model,
                "explanation": reason or None,
                **_score(row.values.get("score", parsed.get("score"))),
            }
        elif "model_A" in row.values:
            outputs = row.values.get("model_outputs")
            responses = _responses(instance, outputs if isinstance(outputs, dict) else {})
            choice = parsed.get("choice")
            judgment = {
                **shared,
                "paradigm": "pairwise",
                "generator": row.text("model_A"),
                "opponent": row.text("model_B"),
                "first": "generator",
                "explanation": parsed.get("reason") if isinstance(parsed.get("reason"), str) else None,
                **(choice_of(choice) if choice is not None else _winner(row)),
            }
        else:
            raise BadRowError("neither model_test nor model_A")
        return {"instances": [instance], "responses": responses, "judgments": [judgment]}


def _judge_of(file: Path) -> str:
    """Return the judge that a folder names; UsageError where none does."""
    named = [part.removeprefix("eval=") for part in file.parts[:-1] if part.startswith("eval=")]
    if not named:
        raise UsageError(
            f"{file.name!r} does not say who judged, and no folder over it is named eval=JUDGE; "
            "give --judge NAME"
        )
    return named[-1]


def _score(value: object) -> dict[str, Any]:
    score = number_of(value)
    if score is None or not 1 <= score <= 10:
        return {"status": "unparsed"}
    return {"status": "ok", "score": score / 10}


def _winner(row: Row) -> dict[str, str]:
    winner = row.text("winner")
    side = {row.text("model_A"): "generator", row.text("model_B"): "opponent", "tie": "tie"}.get(winner)
    return {"status": "ok", "choice": side} if side else {"status": "unparsed"}


def _responses(instance: dict[str, str], outputs: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {**instance, "generator": model, "text": text}
        for model, text in outputs.items()
        if isinstance(text, str)
    ]


FORMAT = Format(
    "wildbench",
    "WildBench evaluation results",
    "https://github.com/allenai/WildBench",
    _EXPECTED,
    (
        Field("session_id", "instances.instance_id"),
        Field("model_test", "judgments.generator"),
        Field("model_output, model_outputs", "responses.text"),
        Field("score", "judgments.score, status", "a tenth of it; outside 1 to 10 unparsed"),
        Field("parsed_result", "judgments.explanation, choice", "strengths and weaknesses, or the reason"),
        Field("model_A", "judgments.generator, first", "pairs: shown first"),
        Field("model_B", "judgments.opponent"),
        Field("winner", "judgments.choice", "where parsed_result has no choice"),
    ),
    WildBench,
    notes="Answers whose evaluation could not be parsed are not in WildBench's files.",
)
