"""MT-Bench: scores of single answers, and pairs in both orders, of FastChat's llm_judge."""

from typing import Any, ClassVar

from engine.importers.benches import BenchReader, turn_instance
from engine.importers.reading.format import ImportedField
from engine.importers.reading.rows import (
    BadRowError,
    Choice,
    InstanceRows,
    Row,
    StudyRows,
    number_of,
    tenth_of,
    verdict,
)

_FAILED = "$ERROR$"  # what the tool writes if every attempt at the call failed

_WINNERS = {"model_1": "generator", "model_2": "opponent", "tie": "tie"}

_PEOPLE = ("author", "expert", "human")


class MtBench(BenchReader):
    """Reads scores of single answers, and pairs in both orders, of FastChat's llm_judge."""

    expected = (
        "a judgment file of FastChat's llm_judge (gpt-4_single.jsonl, gpt-4_pair.jsonl: JSON Lines with "
        "question_id, judge, turn, and model and score, or model_1, model_2, g1_winner and g2_winner), or "
        "the benchmark's folder with question.jsonl, model_answer and model_judgment"
    )

    keys: ClassVar = {"question_id": "category"}

    def judgment_rows(self, row: Row, key: str) -> StudyRows:
        turn = number_of(row.values.get("turn", 1))
        if turn is None or turn < 1 or not turn.is_integer():
            raise BadRowError("turn is not a whole number from 1", row.values.get("turn"))
        rows = InstanceRows(turn_instance(row.text(key), int(turn)))
        if "model_a" in row.values or "winner" in row.values:
            self._one_winner(row, rows)
        elif "model_1" in row.values:
            self._pair(row, rows)
        elif "score" not in row.values:
            raise BadRowError("neither a score nor two models")
        else:
            raw = row.maybe_text("judgment")
            score = _verdict_or_error("score", tenth_of(row.values["score"]), raw)
            rows.judgment(self._judge(row), "direct_assessment", row.text("model"), raw=raw, **score)
        return rows.tables

    def _judge(self, row: Row) -> str:
        """Return the judge: a name, or the first of a list with its name and its prompt's."""
        judge = row.get("judge")
        if isinstance(judge, list) and judge:
            judge = judge[0]
        return self.options.judge or row.within("judge", {"judge": judge}).text("judge")

    def _pair(self, row: Row, rows: InstanceRows) -> None:
        pair = {"judge": self._judge(row), "paradigm": "pairwise"}
        pair |= {"generator": row.text("model_1"), "opponent": row.text("model_2")}
        if "m1_score" in row.values:
            winner = verdict("choice", _WINNERS.get(row.maybe_text("g1_winner") or ""))
            rows.judgment(**pair, **winner)
            return
        for game, first in ((1, "generator"), (2, "opponent")):
            raw = row.maybe_text(f"g{game}_judgment")
            choice = _WINNERS.get(row.maybe_text(f"g{game}_winner") or "")
            winner = _verdict_or_error("choice", choice, raw)
            rows.judgment(**pair, first=first, raw=raw, **winner)

    def _one_winner(self, row: Row, rows: InstanceRows) -> None:
        """Add a pair with one winner: a person's preference, or a judge's outcome over both orders."""
        first, second = ("model_a", "model_b") if "model_a" in row.values else ("model_1", "model_2")
        judge, winner = self._judge(row), row.maybe_text("winner") or ""
        sides: dict[str, Choice] = {first: "generator", second: "opponent"}
        choice = "tie" if winner.startswith("tie") else sides.get(winner)
        pair = {"generator": row.text(first), "opponent": row.text(second)}
        if not judge.startswith(_PEOPLE):
            rows.judgment(judge, "pairwise", **pair, **verdict("choice", choice))
        elif choice is None:
            raise BadRowError("a person's winner is neither a model nor a tie", winner)
        else:
            rows.preference(f"human:{judge}", choice, **pair)


def _verdict_or_error(column: str, value: object, raw: str | None) -> dict[str, Any]:
    return {"status": "error"} if value is None and raw == _FAILED else verdict(column, value)


FORMAT = MtBench.as_format(
    "mt-bench",
    "MT-Bench judgments",
    "https://github.com/lm-sys/FastChat",
    ImportedField("question_id, turn", "instances.instance_id", "a later turn is an instance of its own"),
    ImportedField("turns, category", "instances.prompt, category", "question.jsonl"),
    ImportedField("choices", "responses.text", "model_answer: the first choice's turns"),
    ImportedField("judge", "judgments.judge", "its prompt's name is not stored"),
    ImportedField("model", "judgments.generator"),
    ImportedField("score", "judgments.score, status", "a tenth of it; -1 or outside 1 to 10 unparsed"),
    ImportedField("model_1, model_a", "judgments.generator"),
    ImportedField("model_2, model_b", "judgments.opponent"),
    ImportedField("g1_winner", "judgments.choice, first", "model_1 was shown first; error is unparsed"),
    ImportedField("g2_winner", "judgments.choice, first", "model_2 was shown first; error is unparsed"),
    ImportedField("winner", "preferences.outcome, judgments.choice", "of people, or over both orders"),
    ImportedField("judgment, g1_judgment, g2_judgment", "judgments.raw"),
    signs=(
        ("question_id", "model", "score", "judgment"),
        ("question_id", "model_1", "model_2", "g1_winner"),
        ("question_id", "judge", "turn", "score"),
    ),
)
