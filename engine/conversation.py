"""A prompt as the messages of a conversation."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    role: str
    text: str


def conversation(prompt: str | None) -> tuple[Message, ...]:
    """Return the messages of a prompt, which is a JSON list of chat messages or plain text.

    What looks like JSON and is no list of messages is taken as it is written.
    """
    if prompt is None:
        return ()
    plain = (Message("user", prompt),)
    if not prompt.lstrip().startswith("["):
        return plain
    try:
        told = json.loads(prompt)
    except (ValueError, RecursionError):
        return plain
    if not isinstance(told, list) or not all(isinstance(part, dict) and "content" in part for part in told):
        return plain
    return tuple(Message(str(part.get("role", "user")), _content(part["content"])) for part in told)


def _content(value: Any) -> str:
    """Return a message's text; content in parts is joined, and what is not text shown as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(
            part["text"] if isinstance(part, dict) and isinstance(part.get("text"), str) else json.dumps(part)
            for part in value
        )
    return json.dumps(value, ensure_ascii=False)
