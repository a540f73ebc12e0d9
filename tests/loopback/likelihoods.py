"""A server that returns log-probabilities of prompts, like vLLM: for chats and for echoed plain text.

Its tokens have four characters each; the test gives their log-probabilities by model and text.
"""

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .http import Connection, Request, send
from .server import Loopback, running

MEAN = -1.0
"""The log-probability of every token that is not of the last turn."""

OfText = Callable[[str, str], float]
"""The log-probability of each token of a model's last turn."""


@dataclass
class Likelihoods(Loopback):
    """Answers each call with the tokens of its own prompt; records what it was sent, and where.

    A `silent` one omits them, like servers that do not know the parameter.
    """

    of_text: OfText = field(default=lambda _model, _text: -2.0)
    silent: bool = False
    bodies: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    async def _call(self, request: Request, connection: Connection) -> bool:
        _, path, _, content = request
        body = json.loads(content)
        self.paths.append(path)
        self.bodies.append(body)
        self.attempts["call"] += 1
        answer = self._completion(body) if "prompt" in body else self._chat_completion(body)
        await send(connection.writer, 200, json.dumps(answer).encode())
        return True

    def _chat_completion(self, body: dict[str, Any]) -> dict[str, Any]:
        *turns, last = body["messages"]
        history = "".join(f"<|{turn['role']}|>{turn['content']}<|end|>" for turn in turns)
        tokens = self._tokens(body["model"], f"<|start|>{history}<|{last['role']}|>", last["content"])
        logprobs = [None, *({"7": {"logprob": p, "rank": 1, "decoded_token": t}} for t, p in tokens[1:])]
        choice = {"index": 0, "message": {"role": "assistant", "content": " so"}, "finish_reason": "length"}
        return _answer(choice, len(tokens)) | ({} if self.silent else {"prompt_logprobs": logprobs})

    def _completion(self, body: dict[str, Any]) -> dict[str, Any]:
        before, mark, text = body["prompt"].rpartition("Assistant: ")
        tokens = [*self._tokens(body["model"], before + mark, text), (" so", -0.1)]
        reported = tokens[-1:] if self.silent else tokens
        logprobs = {
            "tokens": [token for token, _ in reported],
            "token_logprobs": [None if not place else p for place, (_, p) in enumerate(reported)],
            "text_offset": [sum(len(t) for t, _ in reported[:place]) for place in range(len(reported))],
        }
        choice = {"index": 0, "text": body["prompt"] + " so", "logprobs": logprobs, "finish_reason": "length"}
        return _answer(choice, len(tokens) - 1)

    def _tokens(self, model: str, before: str, text: str) -> list[tuple[str, float]]:
        return [
            *((piece, MEAN) for piece in _pieces(before)),
            *((piece, self.of_text(model, text)) for piece in _pieces(text)),
        ]


def _pieces(text: str) -> list[str]:
    return [text[start : start + 4] for start in range(0, len(text), 4)]


def _answer(choice: dict[str, Any], prompt_tokens: int) -> dict[str, Any]:
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": 1, "total_tokens": prompt_tokens + 1}
    return {"id": "x", "object": "o", "created": 1, "model": "m-1", "choices": [choice], "usage": usage}


@contextlib.contextmanager
def weighing(of_text: OfText, *, silent: bool = False) -> Iterator[Likelihoods]:
    """Run such a server until the block ends."""
    with running(Likelihoods(of_text=of_text, silent=silent)) as server:
        yield server
