"""Arena-Hard's judgments: each model against a baseline in two games.

The first game shows the baseline as A and the model as B, the second the other way round. A game's score is a
label such as `A>>B`, `A>B`, `A=B`, `B>A`; null where none could be read, and a game may be null where its
call failed. Version 2 names the baseline; version 0.1 does not.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.importers.foreign import bench_files
from engine.importers.foreign.formats import Asked, Field, Format
from engine.importers.foreign.gathered import Found
from engine.importers.foreign.rows import BadRowError, Row, Tally

_EXPECTED = (
    "a judgment file of Arena-Hard-Auto (JSON Lines with question_id or uid, model, judge and games, a list "
    "of objects with score), or the benchmark's folder with question.jsonl, model_answer and model_judgment"
)
BASELINE = "gpt-4-0314"
"""The baseline of version 0.1 as the tool is set up, where a file does not name it."""

_LABELS = {
    **dict.fromkeys(("A>>B", "A>B", "B<A", "B<<A"), "A"),
    **dict.fromkeys(("B>>A", "B>A", "A<B", "A<<B"), "B"),
    **dict.fromkeys(("A=B", "B=A"), "tie"),
}


class ArenaHard:
    """Judgments being read, of a file or of the benchmark's folder."""

    def __init__(self, path: Path, asked: Asked, tally: Tally) -> None:
        self.path, self.asked, self.tally = path, asked, tally

    def rows(self) -> Iterator[Row]:
        """Yield questions, answers and judgments."""
        return bench_files.bench_rows(self.path, self.tally, _EXPECTED)

    def read(self, row: Row) -> Found:
        """Return what a row holds, by what it is."""
        key = "uid" if "uid" in row.values else "question_id"
        if bench_files.is_question(row):
            return bench_files.question_found(row, key, "category" if key == "uid" else "cluster")
        if bench_files.is_answer(row):
            return bench_files.answer_found(row, key)
        games, model = row.listed("games"), row.text("model")
        shared = {
            "judge": self.asked.judge or row.text("judge"),
            "paradigm": "pairwise",
            "instance_id": row.text(key),
            "generator": model,
            "opponent": self._baseline(row),
        }
        if not 1 <= len(games) <= 2:
            raise BadRowError("not two games", len(games))
        instance = {"instance_id": row.text(key), "category": row.maybe_text("category")}
        return {
            "instances": [instance],
            "judgments": [shared | _game(row, place, game) for place, game in enumerate(games)],
        }

    def _baseline(self, row: Row) -> str:
        named = self.asked.baseline or row.maybe_text("baseline")
        if named is None:
            self.tally.note(
                f"the baseline is not named: {BASELINE!r} is taken, that of version 0.1; give --baseline if "
                "it was another"
            )
        return named or BASELINE


def _game(row: Row, place: int, game: object) -> dict[str, Any]:
    """Return what is said in a game: in the first the baseline is A, in the second the model."""
    first = "opponent" if place == 0 else "generator"
    if game is None:
        return {"first": first, "status": "error"}
    one = row.within(f"games[{place}]", game)
    words = one.values.get("judgment")
    raw = words.get("answer") if isinstance(words, dict) else words
    told = {"first": first, "raw": raw if isinstance(raw, str) else None}
    label = str(one.values.get("score")).replace("[", "").replace("]", "").strip()
    side = _LABELS.get(label)
    if side is None:
        return told | {"status": "unparsed"}
    winner = "tie" if side == "tie" else first if side == "A" else _OTHER[first]
    return told | {"status": "ok", "choice": winner}


_OTHER = {"generator": "opponent", "opponent": "generator"}

FORMAT = Format(
    "arena-hard",
    "Arena-Hard judgments",
    "https://github.com/lmarena/arena-hard-auto",
    _EXPECTED,
    (
        Field("question_id, uid", "instances.instance_id"),
        Field("category, cluster", "instances.category"),
        Field("turns, prompt", "instances.prompt", "question.jsonl"),
        Field("choices, messages", "responses.text", "model_answer"),
        Field("judge", "judgments.judge"),
        Field("model", "judgments.generator"),
        Field("baseline", "judgments.opponent", "where it is not named, --baseline"),
        Field("games[].score", "judgments.choice, first", "game 1: baseline first; null is unparsed"),
        Field("games[].judgment", "judgments.raw"),
    ),
    ArenaHard,
    ("judge", "baseline"),
)
