"""The bodies of answers, well-formed and strange."""

import json
from typing import Any

MEGABYTE = 1_000_000
LETTERS = (("A", -0.35667494), ("B", -1.38629436), (" T", -2.99573227))  # 0.7, 0.25, 0.05


def completion(word: str, body: dict[str, Any], text: str) -> bytes:
    """Return the body of a response with status 200 for the word."""
    if word == "bad-json":
        return b'{"id": "chatcmpl-1", "choices": [{"index": 0, "mess'
    if word == "error-in-200":
        return b'{"error": {"message": "The upstream provider failed.", "code": 502}}'
    message: dict[str, Any] = {"role": "assistant", "content": _content(word, text)}
    if word == "refusal":
        message["refusal"] = "I will not judge this."
    if word == "reasoning":
        message["reasoning_content"] = "First I look at both."
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": {"filtered": "content_filter", "truncated": "length"}.get(word, "stop"),
    }
    if body.get("logprobs"):
        choice["logprobs"] = {"content": _logprobs(message["content"] or "", body.get("top_logprobs", 0))}
    prompt = sum(len(turn["content"].split()) for turn in body["messages"])
    length = len((message["content"] or "").split())
    content = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": f"{body['model']}-2024-01-01",
        "choices": [] if word == "no-choices" else [choice],
        "usage": {"prompt_tokens": prompt, "completion_tokens": length, "total_tokens": prompt + length},
    }
    return json.dumps(content).encode()


def _content(word: str, text: str) -> str | None:
    if word in ("null", "refusal"):
        return None
    if word == "huge":
        return "x" * (10 * MEGABYTE) + text
    if word == "endless":
        return "x" * (64 * MEGABYTE)
    if word == "wrong-count":
        return json.dumps({"results": [{"criteria_met": True}] * (text.count("criteria_met") + 1)})
    return {
        "empty": "",
        "filtered": "",
        "truncated": text[: len(text) // 2],
        "prose": "I would rather not say which is better.",
        "think": f"<think>\nFirst I look at both.\n</think>\n\n{text}",
    }.get(word, text)


def _logprobs(content: str, top: int) -> list[dict[str, Any]]:
    """Return one token for each word; each has the same alternatives, which are letters."""
    return [
        {
            "token": token,
            "logprob": LETTERS[0][1],
            "bytes": None,
            "top_logprobs": [
                {"token": label, "logprob": logprob, "bytes": None} for label, logprob in LETTERS[:top]
            ],
        }
        for token in content.split(" ")
    ]
