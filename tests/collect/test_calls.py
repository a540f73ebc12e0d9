"""What requests and texts are on every machine and in every version."""

import hashlib
import json
from dataclasses import asdict

import pytest

from engine.collect.calls import CallRequest, Subject, whole_characters

PLAIN = Subject("i0", "g")
FULL = Subject("i é", "g \udfff", "o", "opponent", "plain", ("r1", "r2"), "2-1", 3)


@pytest.mark.parametrize(
    "request_of",
    [
        CallRequest("judge", "m", "single_rubric", "default", PLAIN),
        CallRequest("judge", "modèle", "pairwise", "cot", FULL),
        CallRequest("generator", "m", None, "default", PLAIN),
    ],
)
def test_the_key_of_a_request_is_the_hash_of_its_fields_in_order_of_their_names(
    request_of: CallRequest,
) -> None:
    text = json.dumps(asdict(request_of), sort_keys=True, ensure_ascii=False)

    # Stored runs have these keys: another one would make calls again that are paid for.
    assert (
        request_of.key == hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    )


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("plain", "plain"),
        ("é, 苹果, 🍎", "é, 苹果, 🍎"),
        ("a \ud800 b", "a \ufffd b"),
        ("\udfff🍎", "\ufffd🍎"),
        ("\ud83c\udf4e", "🍎"),  # both halves of one character
    ],
)
def test_halves_of_characters_are_replaced(text: str, whole: str) -> None:
    assert whole_characters(text) == whole
