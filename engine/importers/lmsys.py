"""MT-Bench and Arena-Hard judgments."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format, ImportOptions, prompt_of
from engine.importers.reading.json_rows import json_lines
from engine.importers.reading.rows import BadRowError, ImportStats, Row, number_of, text_of, text_or_none
from engine.importers.reading.verdicts import tenth_of, verdict

# ------------------------------------------------------------------------------
# What MT-Bench and Arena-Hard share: folders of questions, models' answers and judgments, in JSON Lines.


_ORDER = ("question", "reference_answer", "model_answer")


class BenchReader(FileReader):
    """Judgments being read, of a file or of the benchmark's folder: questions first, answers, judgments."""

    suffixes = (".jsonl",)
    rows_in = staticmethod(json_lines)

    def __init__(self, path: Path, options: ImportOptions, tally: ImportStats) -> None:
        """Find the files, and put those of a folder in order."""
        super().__init__(path, options, tally)

        def rank(file: Path) -> tuple[int, str]:
            parts = (*file.relative_to(path).parent.parts, file.name.partition(".")[0])
            return next((i for i, word in enumerate(_ORDER) if word in parts), len(_ORDER)), str(file)

        if path.is_dir():
            self.files = sorted((f for f in self.files if "reference_answer" not in f.parts), key=rank)


def is_question(row: Row) -> bool:
    """Tell a row of question.jsonl."""
    return "judge" not in row.values and ("turns" in row.values or "prompt" in row.values)


def is_answer(row: Row) -> bool:
    """Tell a row of model_answer."""
    return "judge" not in row.values and ("choices" in row.values or "messages" in row.values)


def turn_instance(question: str, turn: int) -> str:
    """Return the instance that a turn of a question is: the first has the question's id."""
    return question if turn == 1 else f"{question}-turn-{turn}"


def question_found(row: Row, key: str, category: str) -> StudyRows:
    """Return the instances of a question, one for each turn; a later one holds the turns up to it."""
    given = row.listed("turns") if "turns" in row.values else [row.text("prompt")]
    turns = [{"role": "user", "content": content_of(turn)} for turn in given]
    about = {"category": row.maybe_text(category)}
    return {
        "instances": [
            {"instance_id": turn_instance(row.text(key), turn), "prompt": prompt_of(turns[:turn]), **about}
            for turn in range(1, len(turns) + 1)
        ]
    }


def answer_found(row: Row, key: str) -> StudyRows:
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


# ------------------------------------------------------------------------------
# MT-Bench's judgments (FastChat's llm_judge): scores of single answers, and pairs in both orders.


_EXPECTED_BENCH = (
    "a judgment file of FastChat's llm_judge (gpt-4_single.jsonl, gpt-4_pair.jsonl: JSON Lines with "
    "question_id, judge, turn, and model and score, or model_1, model_2, g1_winner and g2_winner), or the "
    "benchmark's folder with question.jsonl, model_answer and model_judgment"
)
_FAILED = "$ERROR$"  # what the tool writes where the call failed for good
_CHOICES = {"model_1": "generator", "model_2": "opponent", "tie": "tie"}
_PEOPLE = ("author", "expert", "human")


class MtBench(BenchReader):
    """Questions, answers and judgments being read."""

    expected = _EXPECTED_BENCH

    def read(self, row: Row) -> StudyRows:
        """Return what a row holds, by what it is."""
        if is_question(row):
            return question_found(row, "question_id", "category")
        if is_answer(row):
            return answer_found(row, "question_id")
        turn = number_of(row.values.get("turn", 1))
        if turn is None or turn < 1 or not turn.is_integer():
            raise BadRowError("turn is no whole number from 1", row.values.get("turn"))
        instance = turn_instance(row.text("question_id"), int(turn))
        tables: StudyRows = {"instances": [{"instance_id": instance}]}
        if "model_a" in row.values or "winner" in row.values:
            return tables | self._decided(row, instance)
        if "model_1" in row.values:
            return tables | {"judgments": list(self._pair(row, instance))}
        return tables | {"judgments": [self._single(row, instance)]}

    def _judge(self, row: Row) -> str:
        """Return the judge: a name, or a list of the name and its prompt's."""
        judge = row.get("judge")
        if isinstance(judge, list) and judge:
            judge = judge[0]
        return self.options.judge or row.within("judge", {"judge": judge}).text("judge")

    def _single(self, row: Row, instance: str) -> dict[str, Any]:
        if "score" not in row.values:
            raise BadRowError("neither a score nor two models")
        words = row.maybe_text("judgment")
        keys = {"judge": self._judge(row), "instance_id": instance, "generator": row.text("model")}
        verdict = _verdict("score", tenth_of(row.values["score"]), words)
        return {**keys, "paradigm": "direct_assessment", "raw": words, **verdict}

    def _pair(self, row: Row, instance: str) -> Iterator[dict[str, Any]]:
        shared = {"judge": self._judge(row), "paradigm": "pairwise", "instance_id": instance}
        shared |= {"generator": row.text("model_1"), "opponent": row.text("model_2")}
        if "m1_score" in row.values:
            yield shared | verdict("choice", _CHOICES.get(row.text("g1_winner")))
            return
        for game, first in ((1, "generator"), (2, "opponent")):
            words = row.maybe_text(f"g{game}_judgment")
            choice = _CHOICES.get(row.text(f"g{game}_winner"))
            yield shared | {"first": first, "raw": words} | _verdict("choice", choice, words)

    def _decided(self, row: Row, instance: str) -> StudyRows:
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
        judgment = models | {"judge": judge, "paradigm": "pairwise"}
        return {"judgments": [judgment | verdict("choice", choice)]}


def _verdict(column: str, value: object, words: str | None) -> dict[str, Any]:
    return {"status": "error"} if value is None and words == _FAILED else verdict(column, value)


MT_BENCH = Format(
    "mt-bench",
    "MT-Bench judgments",
    "https://github.com/lm-sys/FastChat",
    _EXPECTED_BENCH,
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


# ------------------------------------------------------------------------------
# Arena-Hard's judgments: each model against a baseline in two games.


_EXPECTED_ARENA = (
    "a judgment file of Arena-Hard-Auto (JSON Lines with question_id or uid, model, judge and games, a list "
    "of objects with score), or the benchmark's folder with question.jsonl, model_answer and model_judgment"
)
BASELINE = "gpt-4-0314"
"""The baseline of version 0.1 as the tool is set up, where a file does not name it."""

BASELINES = {"hard_prompt": "o3-mini-2025-01-31", "creative_writing": "gemini-2.0-flash-001"}
"""Those of version 2.0, by the category of the question."""

_LABELS = {
    **dict.fromkeys(("A>>B", "A>B", "B<A", "B<<A"), "A"),
    **dict.fromkeys(("B>>A", "B>A", "A<B", "A<<B"), "B"),
    **dict.fromkeys(("A=B", "B=A"), "tie"),
}


class ArenaHard(BenchReader):
    """Questions, answers and judgments being read."""

    expected = _EXPECTED_ARENA

    def read(self, row: Row) -> StudyRows:
        """Return what a row holds, by what it is."""
        key = "uid" if "uid" in row.values else "question_id"
        if is_question(row):
            return question_found(row, key, "category" if key == "uid" else "cluster")
        if is_answer(row):
            return answer_found(row, key)
        games, model = row.listed("games"), row.text("model")
        judge, instance = self.options.judge or row.text("judge"), {"instance_id": row.text(key)}
        keys = {**instance, "generator": model, "opponent": self._baseline(row)}
        shared = {"judge": judge, "paradigm": "pairwise", **keys}
        if not 1 <= len(games) <= 2:
            raise BadRowError("not two games", len(games))
        return {
            "instances": [instance | {"category": row.maybe_text("category")}],
            "judgments": [shared | _game(row, place, game) for place, game in enumerate(games)],
        }

    def _baseline(self, row: Row) -> str:
        named = self.options.baseline or row.maybe_text("baseline")
        if named is None and "uid" in row.values:
            named = BASELINES.get(str(row.values.get("category")))
            if named is not None:
                self.tally.note(f"the baseline is not named: {named!r} is taken, that of version 2.0")
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
    label = str(one.values.get("score")).replace("[", "").replace("]", "").strip()
    other = "generator" if place == 0 else "opponent"
    winner = {"A": first, "B": other, "tie": "tie"}.get(_LABELS.get(label, ""))
    return {"first": first, "raw": text_or_none(raw), **verdict("choice", winner)}


ARENA_HARD = Format(
    "arena-hard",
    "Arena-Hard judgments",
    "https://github.com/lmarena/arena-hard-auto",
    _EXPECTED_ARENA,
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
