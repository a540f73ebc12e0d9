"""MT-Bench's judgments (FastChat's llm_judge): scores of single answers, and pairs in both orders.

A single judgment's score is 1 to 10, or -1 where none could be read. In a pair, game 1 shows model_1 first
and game 2 model_2; `g1_winner` and `g2_winner` name the model already (`model_1`, `model_2`, `tie`), or are
`error`. A pair decided by two single scores has one outcome and no order. A turn is an instance of its own.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.importers.foreign import bench_files
from engine.importers.foreign.formats import Asked, Field, Format
from engine.importers.foreign.gathered import Found
from engine.importers.foreign.rows import BadRowError, Row, Tally, number_of

_EXPECTED = (
    "a judgment file of FastChat's llm_judge (gpt-4_single.jsonl, gpt-4_pair.jsonl: JSON Lines with "
    "question_id, judge, turn, and model and score, or model_1, model_2, g1_winner and g2_winner), or the "
    "benchmark's folder with question.jsonl, model_answer and model_judgment"
)
_FAILED = "$ERROR$"  # what the tool writes where the call failed for good
_CHOICES = {"model_1": "generator", "model_2": "opponent", "tie": "tie"}
_PEOPLE = ("author", "expert", "human")


class MtBench:
    """Judgments being read, of a file or of the benchmark's folder."""

    def __init__(self, path: Path, asked: Asked, tally: Tally) -> None:
        self.path, self.asked, self.tally = path, asked, tally

    def rows(self) -> Iterator[Row]:
        """Yield questions, answers and judgments."""
        return bench_files.bench_rows(self.path, self.tally, _EXPECTED)

    def read(self, row: Row) -> Found:
        """Return what a row holds, by what it is."""
        if bench_files.is_question(row):
            return bench_files.question_found(row, "question_id", "category")
        if bench_files.is_answer(row):
            return bench_files.answer_found(row, "question_id")
        instance = bench_files.turn_instance(row.text("question_id"), _turn(row))
        found: Found = {"instances": [{"instance_id": instance}]}
        if "model_a" in row.values or "winner" in row.values:
            return found | self._decided(row, instance)
        if "model_1" in row.values:
            return found | {"judgments": list(self._pair(row, instance))}
        return found | {"judgments": [self._single(row, instance)]}

    def _judge(self, row: Row) -> str:
        """Return the judge: a name, or a list of the name and its prompt's."""
        judge = row.get("judge")
        if isinstance(judge, list) and judge:
            judge = judge[0]
        return self.asked.judge or row.within("judge", {"judge": judge}).text("judge")

    def _single(self, row: Row, instance: str) -> dict[str, Any]:
        if "score" not in row.values:
            raise BadRowError("neither a score nor two models")
        score, words = number_of(row.values["score"]), row.maybe_text("judgment")
        made: dict[str, Any] = {"status": "error" if words == _FAILED else "unparsed"}
        if score is not None and 1 <= score <= 10:
            made = {"status": "ok", "score": score / 10}
        return {
            "judge": self._judge(row),
            "paradigm": "direct_assessment",
            "instance_id": instance,
            "generator": row.text("model"),
            "raw": words,
            **made,
        }

    def _pair(self, row: Row, instance: str) -> Iterator[dict[str, Any]]:
        shared = {
            "judge": self._judge(row),
            "paradigm": "pairwise",
            "instance_id": instance,
            "generator": row.text("model_1"),
            "opponent": row.text("model_2"),
        }
        if "m1_score" in row.values:
            yield shared | _outcome(row, "g1_winner", None)
            return
        for game, first in ((1, "generator"), (2, "opponent")):
            words = row.maybe_text(f"g{game}_judgment")
            yield shared | {"first": first, "raw": words} | _outcome(row, f"g{game}_winner", words)

    def _decided(self, row: Row, instance: str) -> Found:
        """Return a pair with one winner: a person's preference, or a judge's outcome over both orders."""
        side = "model_a" if "model_a" in row.values else "model_1"
        other = {"model_a": "model_b", "model_1": "model_2"}[side]
        judge = self._judge(row)
        winner = row.text("winner")
        choice = {side: "generator", other: "opponent"}.get(
            winner, "tie" if winner.startswith("tie") else None
        )
        models = {"instance_id": instance, "generator": row.text(side), "opponent": row.text(other)}
        if judge.startswith(_PEOPLE):
            if choice is None:
                raise BadRowError("a person's winner is neither a model nor a tie", winner)
            outcome = {"generator": 1, "tie": 0, "opponent": -1}[choice]
            return {"preferences": [models | {"source": f"human:{judge}", "outcome": outcome}]}
        told = {"status": "ok", "choice": choice} if choice else {"status": "unparsed"}
        return {"judgments": [models | {"judge": judge, "paradigm": "pairwise", **told}]}


def _turn(row: Row) -> int:
    turn = number_of(row.values.get("turn", 1))
    if turn is None or turn < 1 or not turn.is_integer():
        raise BadRowError("turn is no whole number from 1", row.values.get("turn"))
    return int(turn)


def _outcome(row: Row, field: str, words: str | None) -> dict[str, Any]:
    choice = _CHOICES.get(row.text(field))
    if choice is None:
        return {"status": "error" if words == _FAILED else "unparsed"}
    return {"status": "ok", "choice": choice}


FORMAT = Format(
    "mt-bench",
    "MT-Bench judgments",
    "https://github.com/lm-sys/FastChat",
    _EXPECTED,
    (
        Field("question_id, turn", "instances.instance_id", "a later turn is an instance of its own"),
        Field("turns, category", "instances.prompt, category", "question.jsonl"),
        Field("choices", "responses.text", "model_answer: the first choice's turns"),
        Field("judge", "judgments.judge", "its prompt's name is not kept"),
        Field("model", "judgments.generator"),
        Field("score", "judgments.score, status", "a tenth of it; -1 or outside 1 to 10 unparsed"),
        Field("model_1, model_a", "judgments.generator"),
        Field("model_2, model_b", "judgments.opponent"),
        Field("g1_winner", "judgments.choice, first", "model_1 was shown first; error is unparsed"),
        Field("g2_winner", "judgments.choice, first", "model_2 was shown first; error is unparsed"),
        Field("winner", "preferences.outcome, judgments.choice", "of people, or over both orders"),
        Field("judgment, g1_judgment, g2_judgment", "judgments.raw"),
    ),
    MtBench,
)
