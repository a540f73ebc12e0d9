"""What is hidden of keys in messages and in answers."""

import pytest

from engine.collect.calls import Reply
from engine.collect.hidden_secrets import HIDDEN, SHORTEST, scrub, without_key


def test_of_two_keys_the_longer_is_hidden_first() -> None:
    short, long = "k" * SHORTEST, "k" * SHORTEST + "-and-more"

    assert scrub(f"{long}, {short}", [short, long, None]) == f"{HIDDEN}, {HIDDEN}"


def test_a_key_is_hidden_from_the_shortest_length_on() -> None:
    key = "q" * SHORTEST

    assert scrub(f"x {key}", [key]) == f"x {HIDDEN}"
    assert scrub(f"x {key[1:]}", [key[1:]]) == f"x {key[1:]}"
    assert without_key(Reply(f"x {key}"), key).text == f"x {HIDDEN}"
    assert without_key(Reply(f"x {key[1:]}"), key[1:]).text == f"x {key[1:]}"


def test_the_value_of_a_secret_variable_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "a-value-of-mine")
    monkeypatch.setenv("SOME_WORDS", "other-words-here")

    assert scrub("a-value-of-mine other-words-here", []) == f"{HIDDEN} other-words-here"


def test_in_an_answer_only_the_sent_key_is_hidden_and_nothing_else_changes() -> None:
    key = "a-key-that-was-sent"
    reply = Reply(f"It is {key}.", model_id="m", reasoning=f"{key}?", prompt_tokens=3, refusal=None)

    hidden = without_key(reply, key)

    assert (hidden.text, hidden.reasoning, hidden.model_id) == (f"It is {HIDDEN}.", f"{HIDDEN}?", "m")
    assert (hidden.prompt_tokens, hidden.refusal) == (3, None)
    assert without_key(reply, None) is reply
