"""What is labelled: the texts that an annotator may see, apart from all that they may not."""

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.annotations.sides import check_value
from engine.errors import BadInputError, bad_row
from engine.finite import finite

ItemRole = Literal["item", "gold", "practice"]


@dataclass(frozen=True)
class Texts:
    """The texts of an item, and nothing else. `prompt` is as the study has it: text, or a JSON list of turns.

    `responses` holds one response, or a pair, the generator's first, or those to be put into clusters.
    `options` are the (score, words) of a score rubric.
    """

    prompt: str | None
    responses: tuple[str, ...]
    criterion: str | None = None
    options: tuple[tuple[float, str], ...] = ()

    def payload(self) -> dict[str, Any]:
        """Return them as they are stored."""
        return {
            "prompt": self.prompt,
            "responses": list(self.responses),
            "criterion": self.criterion,
            "options": [list(option) for option in self.options],
        }

    @classmethod
    def of(cls, payload: dict[str, Any]) -> "Texts":
        """Read what `payload` made."""
        return cls(
            prompt=payload["prompt"],
            responses=tuple(payload["responses"]),
            criterion=payload.get("criterion"),
            options=tuple((score, words) for score, words in payload.get("options", ())),
        )


@dataclass(frozen=True)
class Hidden:
    """What an annotator never sees: whose the responses are, why the item was taken, what is known of it.

    `models` are in the order of the responses. `automatic` is the automatic label, as a value of the kind.
    `gold` is the right answer where it is known. `why` names the part of the selection.
    """

    instance_id: str | None = None
    models: tuple[str, ...] = ()
    rubric_id: str | None = None
    why: str = ""
    automatic: Any = None
    gold: Any = None
    facts: dict[str, Any] = field(default_factory=dict)

    def stored(self) -> dict[str, Any]:
        """Return it as it is stored."""
        return vars(self) | {"models": list(self.models)}

    @classmethod
    def of(cls, stored: dict[str, Any]) -> "Hidden":
        """Read what `stored` made."""
        return cls(**(stored | {"models": tuple(stored["models"])}))


@dataclass(frozen=True)
class Item:
    """One item of a task. `feedback` is shown after an answer, of practice items only."""

    texts: Texts
    hidden: Hidden
    role: ItemRole = "item"
    feedback: dict[str, Any] | None = None


def items_of_file(kind: str, rows: list[dict[str, Any]]) -> list[Item]:
    """Return the practice and gold items that a coordinator wrote, one for each row.

    A row has `role` (practice or gold), `prompt`, `responses` (a list of texts; of pairs the first is the
    generator's), `criterion`, `options` (lists of score and words), `answer` (a value of the kind) and, for
    practice, `explanation`. Raises BadInputError naming the row.
    """
    return [_item_of(kind, row, number) for number, row in enumerate(rows, start=1)]


def items_of_lines(kind: str, text: str, name: str) -> list[Item]:
    """Return the items of a text in JSON Lines; raises BadInputError naming the line of `name`."""
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
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
    def require(fits: bool, field_name: str, wanted: str) -> None:
        if not fits:
            raise BadInputError(
                f"items, row {number}: {field_name} is {row.get(field_name)!r}, expected {wanted}; correct it"
            )

    responses, options = row.get("responses"), row.get("options", [])
    require(row.get("role") in ("practice", "gold"), "role", "practice or gold")
    texts = isinstance(responses, list) and all(isinstance(text, str) for text in responses)
    require(texts and bool(responses), "responses", "a list of texts")
    for name in ("prompt", "criterion", "explanation"):
        require(isinstance(row.get(name), str | None), name, "a text")
    require(
        isinstance(options, list) and all(map(_is_option, options)), "options", "a list of [score, words]"
    )
    assert isinstance(responses, list)  # noqa: S101 - checked above, for the types' sake
    shown = Texts(row.get("prompt"), tuple(responses), row.get("criterion"), tuple(map(tuple, options)))
    try:
        answer = check_value(kind, row.get("answer"), len(responses), [score for score, _ in shown.options])
    except ValueError as error:
        raise BadInputError(f"items, row {number}: answer is {error}; correct it") from None
    feedback = None
    if row["role"] == "practice":
        feedback = {"value": answer, "explanation": row.get("explanation") or ""}
    return Item(shown, Hidden(why=row["role"], gold=answer), row["role"], feedback)


def _is_option(value: object) -> bool:
    if not (isinstance(value, list) and len(value) == 2):
        return False
    score, words = value
    return finite(score) is not None and isinstance(words, str)
