"""Items: the texts that an annotator may see, separate from everything they may not."""

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.annotations.sides import check_value
from engine.arrays.text_names import criterion_words
from engine.errors import BadInputError, bad_row
from engine.values import parse_float

ItemRole = Literal["item", "gold", "practice"]


@dataclass(frozen=True)
class ItemTexts:
    """The texts of an item, and nothing else. `prompt` is as in the study: text, or a JSON list of turns.

    `responses` holds one response, or a pair with the generator's first, or those to be clustered. `options`
    are the (score, words) of a score rubric. `criterion_name` is what a criterion without a text is called.
    """

    prompt: str | None
    responses: tuple[str, ...]
    criterion: str | None = None
    options: tuple[tuple[float, str], ...] = ()
    criterion_name: str | None = None

    @property
    def criterion_words(self) -> str | None:
        """The criterion as people read it."""
        return criterion_words(self.criterion, self.criterion_name)

    def payload(self) -> dict[str, Any]:
        return vars(self) | {"responses": list(self.responses), "options": list(map(list, self.options))}

    @classmethod
    def of(cls, payload: dict[str, Any]) -> "ItemTexts":
        options = tuple((score, words) for score, words in payload.get("options", ()))
        return cls(
            payload["prompt"],
            tuple(payload["responses"]),
            payload.get("criterion"),
            options,
            payload.get("criterion_name"),
        )


@dataclass(frozen=True)
class Hidden:
    """What an annotator never sees: the responses' authors, the reason for the selection, known facts.

    `models` are in the order of the responses. `automatic` is the automatic label, as a value of the kind.
    `gold` is the right answer, if known. `why` names the part of the selection.
    """

    instance_id: str | None = None
    models: tuple[str, ...] = ()
    rubric_id: str | None = None
    why: str = ""
    automatic: Any = None
    gold: Any = None
    facts: dict[str, Any] = field(default_factory=dict)

    def payload(self) -> dict[str, Any]:
        return vars(self) | {"models": list(self.models)}

    @classmethod
    def of(cls, payload: dict[str, Any]) -> "Hidden":
        return cls(**(payload | {"models": tuple(payload["models"])}))


@dataclass(frozen=True)
class Item:
    """One item of a task. `feedback` is shown after the answer to a practice item."""

    texts: ItemTexts
    hidden: Hidden
    role: ItemRole = "item"
    feedback: dict[str, Any] | None = None


_RESPONSES = {
    "equal_pair": (2, 2, "two texts"),
    "preference": (2, 2, "two texts"),
    "rubric_verdict": (1, 1, "one text"),
    "score": (1, 1, "one text"),
    "clusters": (2, 20, "2 to 20 texts"),
}
"""The fewest and the most responses of an item of each kind, and both in words."""


def items_of_file(kind: str, rows: list[dict[str, Any]]) -> list[Item]:
    return [_item_of(kind, row, number) for number, row in enumerate(rows, start=1)]


def items_of_lines(kind: str, text: str, name: str) -> list[Item]:
    """Return the items of a text in JSON Lines; BadInputError names the line and the file `name`."""
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):  # JSON may hold other line separators
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise bad_row(name, number, f"the line is not JSON ({error})", "write an object") from None
            if not isinstance(row, dict):
                raise bad_row(name, number, f"the line is {row!r}", "write an object")
            rows.append(row)
    return items_of_file(kind, rows)


def _item_of(kind: str, row: dict[str, Any], number: int) -> Item:
    """Return the item of a row, in which the first response to a pair is the generator's."""

    def require(fits: bool, field_name: str, needs: str) -> None:
        if not fits:
            raise BadInputError(
                f"items, row {number}: {field_name} is {row.get(field_name)!r}, expected {needs}; correct it"
            )

    responses, options = row.get("responses"), row.get("options", [])
    require(row.get("role") in ("practice", "gold"), "role", "practice or gold")
    are_texts = isinstance(responses, list) and all(isinstance(text, str) for text in responses)
    require(are_texts and bool(responses), "responses", "a list of texts")
    assert isinstance(responses, list)  # noqa: S101 - checked above; narrows the type
    fewest, most, size_words = _RESPONSES[kind]
    require(fewest <= len(responses) <= most, "responses", size_words)
    for name in ("prompt", "criterion", "explanation"):
        require(isinstance(row.get(name), str | None), name, "a text")
    are_options = isinstance(options, list) and all(map(_is_option, options))
    require(are_options, "options", "a list of [score, words]")
    require(len({float(score) for score, _ in options}) == len(options), "options", "each score once")
    require(bool(options) or kind != "score", "options", "a list of [score, words] to choose from")
    texts = ItemTexts(row.get("prompt"), tuple(responses), row.get("criterion"), tuple(map(tuple, options)))
    try:
        answer = check_value(kind, row.get("answer"), len(responses), [score for score, _ in texts.options])
    except ValueError as error:
        raise BadInputError(f"items, row {number}: answer is {error}; correct it") from None
    practice = {"value": answer, "explanation": row.get("explanation") or ""}
    feedback = practice if row["role"] == "practice" else None
    return Item(texts, Hidden(why=row["role"], gold=answer), row["role"], feedback)


def _is_option(value: Any) -> bool:
    is_pair = isinstance(value, list) and len(value) == 2
    return is_pair and parse_float(value[0]) is not None and isinstance(value[1], str)
