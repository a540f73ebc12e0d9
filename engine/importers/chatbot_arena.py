"""Votes of Chatbot Arena and similar sites, by people and by models."""

from collections.abc import Mapping
from typing import Any

from engine.importers.reading.format import FileReader, ImportedField, instance_of, prompt_of
from engine.importers.reading.rows import (
    BadRowError,
    InstanceRows,
    Row,
    StudyRows,
    json_or_none,
    list_or_empty,
    message_text,
    object_or_empty,
    side_of,
    verdict,
)
from engine.importers.reading.tables import nested_rows

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


FORMAT = ChatbotArena.as_format(
    "chatbot-arena",
    "Chatbot Arena votes",
    "https://github.com/lm-sys/FastChat",
    ImportedField(
        "conversation_a, conversation_b", "instances.prompt, responses.text", "the last answer of each"
    ),
    ImportedField("question_id, id", "instances.instance_id", "else made of the question"),
    ImportedField("turn", "instances.instance_id", "a second turn is a question of its own"),
    ImportedField("language", "instances.language"),
    ImportedField("model_a", "preferences.generator"),
    ImportedField("model_b", "preferences.opponent"),
    ImportedField("winner", "preferences.outcome", "judgments.choice if the judge is a model"),
    ImportedField("judge", "preferences.source, judgments.judge", "a person unless its name is a model's"),
    signs=(
        ("model_a", "model_b", "winner", "conversation_a"),
        ("model_a", "model_b", "winner", "question_id"),
        ("model_a", "model_b", "winner", "tstamp"),
    ),
    is_other=is_no_vote,
)
