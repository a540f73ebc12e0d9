"""Votes of Chatbot Arena and its like: two models' conversations, and who a person found better.

The published sets are Parquet (`lmsys/chatbot_arena_conversations`, `lmarena-ai/arena-human-preference-*`) or
JSON. A vote is a person's and becomes a preference; a `judge` that is no person becomes a judgment. What the
user said is the question, the last answer of each model its response. Each vote is a question of its own,
since a model answers the same question differently each time.
"""

from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format, instance_of, prompt_of
from engine.importers.reading.rows import BadRowError, Row, json_or_none, list_or_empty, object_or_empty
from engine.importers.reading.tables import nested_rows
from engine.importers.reading.verdicts import CHOICES, OUTCOMES, side_of

_EXPECTED = (
    "votes of Chatbot Arena (.parquet, .jsonl or .json): model_a, model_b, winner (model_a, model_b, tie or "
    "tie (bothbad)), and conversation_a and conversation_b or a question's id"
)
_PEOPLE = ("human", "author", "expert", "arena_user", "user")


class ChatbotArena(FileReader):
    """Votes being read, of one file or a folder of them."""

    suffixes = (".parquet", ".jsonl", ".json", ".arrow", ".csv")
    expected = _EXPECTED
    rows_in = staticmethod(nested_rows)

    def read(self, row: Row) -> StudyRows:
        """Return the question, both responses, and the vote."""
        side = side_of(row.text("winner"))
        if side is None:
            raise BadRowError("winner names neither side", row.values.get("winner"))
        models = (row.text("model_a"), row.text("model_b"))
        talks = [_turns(row.values.get(name)) for name in ("conversation_a", "conversation_b")]
        user_turns = [turn for turn in talks[0] if turn["role"] == "user"]
        prompt = prompt_of(user_turns) if user_turns else None  # the same to both models
        name = row.maybe_text("question_id") or row.maybe_text("id")
        if prompt is None and name is None:
            raise BadRowError("neither conversations nor an id")
        instance = name or instance_of(prompt or "")
        if row.values.get("turn") not in (None, 1):
            instance = f"{instance}-turn-{row.text('turn')}"
        keys = {"instance_id": instance, "generator": models[0], "opponent": models[1]}
        tables: StudyRows = {
            "instances": [
                {"instance_id": instance, "prompt": prompt, "language": row.maybe_text("language")}
            ],
            "responses": [
                {"instance_id": instance, "generator": model, "text": talk[-1]["content"]}
                for model, talk in zip(models, talks, strict=True)
                if talk and talk[-1]["role"] == "assistant"
            ],
        }
        voter = self.options.judge or row.maybe_text("judge") or "arena_user"
        if self.options.judge or not voter.startswith(_PEOPLE):
            verdict = {"status": "ok", "choice": CHOICES[side], "first": "generator"}
            return tables | {"judgments": [{"judge": voter, "paradigm": "pairwise", **keys, **verdict}]}
        source = f"human:{voter}"
        return tables | {"preferences": [{**keys, "source": source, "outcome": OUTCOMES[side]}]}


def _turns(value: Any) -> list[dict[str, str]]:
    """Return the turns of a conversation: a list, or the JSON of one; none where there is no conversation."""
    value = json_or_none(value) if isinstance(value, str) else value
    turns = [object_or_empty(turn) for turn in list_or_empty(value)]
    return [
        {"role": turn["role"], "content": _words(turn.get("content"))}
        for turn in turns
        if isinstance(turn.get("role"), str)
    ]


def _words(content: Any) -> str:
    if isinstance(content, list):
        parts = [object_or_empty(part).get("text") for part in content]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


FORMAT = Format(
    "chatbot-arena",
    "Chatbot Arena votes",
    "https://github.com/lm-sys/FastChat",
    _EXPECTED,
    (
        Field(
            "conversation_a, conversation_b", "instances.prompt, responses.text", "the last answer of each"
        ),
        Field("question_id, id", "instances.instance_id", "else made of the question"),
        Field("turn", "instances.instance_id", "a second turn is a question of its own"),
        Field("language", "instances.language"),
        Field("model_a", "preferences.generator"),
        Field("model_b", "preferences.opponent"),
        Field("winner", "preferences.outcome", "judgments.choice where the judge is a model"),
        Field("judge", "preferences.source, judgments.judge", "a person unless its name is a model's"),
    ),
    ChatbotArena,
)
