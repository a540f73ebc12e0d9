"""A prompt as the messages of a conversation."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Message:
    role: str
    text: str


def conversation(prompt: str | None) -> tuple[Message, ...]:
    """Return the messages of a prompt: those of a JSON list of chat messages, or one of plain text."""
    if prompt is None:
        return ()
    try:
        turns = json.loads(prompt) if prompt.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        turns = None
    if not isinstance(turns, list) or not all(isinstance(part, dict) and "content" in part for part in turns):
        return (Message("user", prompt),)
    return tuple(Message(str(part.get("role", "user")), _content(part["content"])) for part in turns)


def _content(value: Any) -> str:
    """Return a message's text. Content in parts is joined; anything but text is shown as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(
            part["text"] if isinstance(part, dict) and isinstance(part.get("text"), str) else json.dumps(part)
            for part in value
        )
    return json.dumps(value, ensure_ascii=False)
