"""Votes between models: MT-Bench, Arena-Hard, AlpacaEval and Chatbot Arena."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from engine.importers.reading.format import Field, FileReader, ImportOptions, instance_of, prompt_of
from engine.importers.reading.json_rows import json_lines
from engine.importers.reading.rows import (
    BadRowError,
    Choice,
    ImportStats,
    InstanceRows,
    Row,
    StudyRows,
    json_or_none,
    list_or_empty,
    message_text,
    number_of,
    object_or_empty,
    side_of,
    tenth_of,
    text_of,
    text_or_none,
    verdict,
)
from engine.importers.reading.tables import nested_rows

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


MT_BENCH = MtBench.as_format(
    "mt-bench",
    "MT-Bench judgments",
    "https://github.com/lm-sys/FastChat",
    Field("question_id, turn", "instances.instance_id", "a later turn is an instance of its own"),
    Field("turns, category", "instances.prompt, category", "question.jsonl"),
    Field("choices", "responses.text", "model_answer: the first choice's turns"),
    Field("judge", "judgments.judge", "its prompt's name is not stored"),
    Field("model", "judgments.generator"),
    Field("score", "judgments.score, status", "a tenth of it; -1 or outside 1 to 10 unparsed"),
    Field("model_1, model_a", "judgments.generator"),
    Field("model_2, model_b", "judgments.opponent"),
    Field("g1_winner", "judgments.choice, first", "model_1 was shown first; error is unparsed"),
    Field("g2_winner", "judgments.choice, first", "model_2 was shown first; error is unparsed"),
    Field("winner", "preferences.outcome, judgments.choice", "of people, or over both orders"),
    Field("judgment, g1_judgment, g2_judgment", "judgments.raw"),
)


BASELINE = "gpt-4-0314"
BASELINES = {"hard_prompt": "o3-mini-2025-01-31", "creative_writing": "gemini-2.0-flash-001"}
"""The default baselines for files that do not name it: of version 2.0 by category, else of version 0.1."""

_LABELS = {
    **dict.fromkeys(("A>>B", "A>B", "B<A", "B<<A"), "A"),
    **dict.fromkeys(("B>>A", "B>A", "A<B", "A<<B"), "B"),
    **dict.fromkeys(("A=B", "B=A"), "tie"),
}


class ArenaHard(BenchReader):
    """Reads judgments of each model against a baseline, in two games."""

    expected = (
        "a judgment file of Arena-Hard-Auto (JSON Lines with question_id or uid, model, judge and games, a "
        "list of objects with score), or the benchmark's folder with question.jsonl, model_answer and "
        "model_judgment"
    )

    keys: ClassVar = {"uid": "category", "question_id": "cluster"}

    def judgment_rows(self, row: Row, key: str) -> StudyRows:
        games, model = row.list_of("games"), row.text("model")
        judge, baseline = self.options.judge or row.text("judge"), self._baseline(row)
        if not 1 <= len(games) <= 2:
            raise BadRowError("not two games", len(games))
        rows = InstanceRows(row.text(key), category=row.maybe_text("category"))
        for place, game in enumerate(games):
            # The baseline is A in the first game, the model in the second.
            first, second = ("generator", "opponent") if place else ("opponent", "generator")
            result: dict[str, Any] = {"status": "error"}
            if game is not None:
                game_row = row.within(f"games[{place}]", game)
                judgment = game_row.values.get("judgment")
                raw = judgment.get("answer") if isinstance(judgment, dict) else judgment
                label = str(game_row.values.get("score")).replace("[", "").replace("]", "").strip()
                winner = {"A": first, "B": second, "tie": "tie"}.get(_LABELS.get(label, ""))
                result = {"raw": text_or_none(raw), **verdict("choice", winner)}
            rows.judgment(judge, "pairwise", model, opponent=baseline, first=first, **result)
        return rows.tables

    def _baseline(self, row: Row) -> str:
        baseline = self.options.baseline or row.maybe_text("baseline")
        if baseline is None and "uid" in row.values:
            baseline = BASELINES.get(str(row.values.get("category")))
            if baseline is not None:
                self.tally.note(f"the baseline is not named: {baseline!r} is taken, that of version 2.0")
        if baseline is None:
            self.tally.note(
                f"the baseline is not named: {BASELINE!r} is taken, that of version 0.1; give --baseline if "
                "it was another"
            )
        return baseline or BASELINE


ARENA_HARD = ArenaHard.as_format(
    "arena-hard",
    "Arena-Hard judgments",
    "https://github.com/lmarena/arena-hard-auto",
    Field("question_id, uid", "instances.instance_id"),
    Field("category, cluster", "instances.category"),
    Field("turns, prompt", "instances.prompt", "question.jsonl"),
    Field("choices, messages", "responses.text", "model_answer"),
    Field("judge", "judgments.judge"),
    Field("model", "judgments.generator"),
    Field("baseline", "judgments.opponent", "if it is not named, --baseline"),
    Field("games[].score", "judgments.choice, first", "game 1: baseline first; null is unparsed"),
    Field("games[].judgment", "judgments.raw"),
    options=("judge", "baseline"),
)


_VOTERS = ("human", "author", "expert", "arena_user", "user")


def is_no_vote(row: Mapping[str, Any]) -> bool:
    """Return whether a row that looks like a vote is none of Chatbot Arena's.

    MT-Bench's pairs have two winners; a table of judges has models as judges, or other words for winners, or
    does not say who voted.
    """
    winner, judge = row.get("winner"), row.get("judge")
    has_words = winner is not None and side_of(winner) is None
    by_model = isinstance(judge, str) and not judge.startswith(_VOTERS) and "conversation_a" not in row
    is_anonymous = not row.keys() & {"judge", "conversation_a", "tstamp"}
    return "g1_winner" in row or has_words or by_model or is_anonymous


class ChatbotArena(FileReader):
    """Reads votes of Chatbot Arena and similar sites: which of two models' conversations a person preferred.

    The published sets are Parquet (`lmsys/chatbot_arena_conversations`,
    `lmarena-ai/arena-human-preference-*`) or JSON. A person's vote becomes a preference; a vote whose `judge`
    is a model becomes a judgment. The user's turns are the question, and the last answer of each model is its
    response. Each vote is a question of its own, since a model answers the same question differently each
    time.
    """

    suffixes = (".parquet", ".jsonl", ".json", ".arrow", ".csv")
    expected = (
        "votes of Chatbot Arena (.parquet, .jsonl or .json): model_a, model_b, winner (model_a, model_b, tie "
        "or tie (bothbad)), and conversation_a and conversation_b or a question's id"
    )
    rows_in = staticmethod(nested_rows)

    def read(self, row: Row) -> StudyRows:
        side = side_of(row.values.get("winner"))
        models = (row.text("model_a"), row.text("model_b"))
        talks = [_conversation_turns(row.values.get(name)) for name in ("conversation_a", "conversation_b")]
        user_turns = [turn for turn in talks[0] if turn["role"] == "user"]
        prompt = prompt_of(user_turns) if user_turns else None  # the same to both models
        name = row.maybe_text("question_id") or row.maybe_text("id")
        if prompt is None and name is None:
            raise BadRowError("neither conversations nor an id")
        instance = name or instance_of(prompt or "")
        if row.values.get("turn") not in (None, 1):
            instance = f"{instance}-turn-{row.text('turn')}"
        rows = InstanceRows(instance, prompt=prompt, language=row.maybe_text("language"))
        for model, talk in zip(models, talks, strict=True):
            if talk and talk[-1]["role"] == "assistant":
                rows.response(model, talk[-1]["content"])
        pair = {"generator": models[0], "opponent": models[1]}
        voter = self.options.judge or row.maybe_text("judge") or "arena_user"
        if self.options.judge or not voter.startswith(_VOTERS):
            rows.judgment(voter, "pairwise", **pair, first="generator", **verdict("choice", side))
        elif side is None:
            raise BadRowError("winner names neither side", row.values.get("winner"))
        else:
            rows.preference(f"human:{voter}", side, **pair)
        return rows.tables


def _conversation_turns(value: Any) -> list[dict[str, str]]:
    """Return the turns of a conversation, given as a list or as JSON; empty if there is none."""
    value = json_or_none(value) if isinstance(value, str) else value
    turns = [object_or_empty(turn) for turn in list_or_empty(value)]
    return [
        {"role": turn["role"], "content": message_text(turn.get("content"))}
        for turn in turns
        if isinstance(turn.get("role"), str)
    ]


CHATBOT_ARENA = ChatbotArena.as_format(
    "chatbot-arena",
    "Chatbot Arena votes",
    "https://github.com/lm-sys/FastChat",
    Field("conversation_a, conversation_b", "instances.prompt, responses.text", "the last answer of each"),
    Field("question_id, id", "instances.instance_id", "else made of the question"),
    Field("turn", "instances.instance_id", "a second turn is a question of its own"),
    Field("language", "instances.language"),
    Field("model_a", "preferences.generator"),
    Field("model_b", "preferences.opponent"),
    Field("winner", "preferences.outcome", "judgments.choice if the judge is a model"),
    Field("judge", "preferences.source, judgments.judge", "a person unless its name is a model's"),
)
