"""Readable texts and judges' explanations for the demonstration studies."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.errors import BadInputError
from engine.simulation.rubric_items import Items
from engine.simulation.rubrics import SimulatedStudy
from engine.stats import Bools

# ------------------------------------------------------------------------------
# The readable texts of the demonstration study: reading, checks, and assembling responses.


# Matches criteria about layout or order. Responses to such a conversation are plain paragraphs in the given
# order, so that a model's style can neither meet nor fail them.
_ABOUT_LAYOUT = re.compile(
    r"heading|bullet|list with|numbered list|table with|flashcard|multiple-choice|-separated|labelled"
    r"|single sentence|sentences|paragraph|lines? begin|on one line|line for each|a line of its own"
    r"|in that order|in this order|in the order|in order of|ahead of"
    r"|before (?:saying|recommending|doing)|^before|begins? with|\bends\b|at the (?:end|start|top)"
    r"|too long|brief|concise",
    re.IGNORECASE,
)
_MARKED = re.compile(r"[#|>*\-]|\d+[.)]")


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion; a response with a text of `met` meets it, with one of `missed` it does not."""

    criterion_id: str
    criterion: str
    axis: str
    points: int
    met: tuple[str, ...]
    missed: tuple[str, ...]

    @property
    def about_layout(self) -> bool:
        """Whether the layout of a response might decide it."""
        return bool(_ABOUT_LAYOUT.search(self.criterion))


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation, the sentences around every response to it, and its criteria in reading order."""

    instance_id: str
    theme: str
    language: str
    messages: tuple[Mapping[str, str], ...]
    opening: str
    closing: str
    criteria: tuple[Criterion, ...]

    @property
    def about_layout(self) -> bool:
        """Whether the layout may decide a criterion, or the style's words are in another language."""
        return self.language != "en" or any(criterion.about_layout for criterion in self.criteria)


@dataclass(frozen=True, slots=True)
class Style:
    """How a model lays out its responses, without effect on any criterion.

    `lead` and `heading` come before the pieces unless empty, `bullets` turns single lines into list items,
    `order` is as given or by descending weight.
    """

    lead: str = ""
    heading: str = ""
    bullets: bool = False
    order: Literal["given", "weight"] = "given"


def read_texts(folder: Path) -> tuple[Conversation, ...]:
    """Read the conversations of a folder of texts, sorted by file and line.

    Raises BadInputError that names file and line if a line is not a JSON object or lacks a key, an id occurs
    twice, or a criterion is unknown or has no texts.
    """
    criteria: dict[str, Criterion] = {}
    for place, row in read_rows(folder / "criteria"):
        criterion = _criterion(row, place)
        if criterion.criterion_id in criteria:
            raise BadInputError(f"{place}: criterion_id {criterion.criterion_id!r} occurs twice; rename one")
        criteria[criterion.criterion_id] = criterion
    conversations: dict[str, Conversation] = {}
    for place, row in read_rows(folder / "conversations"):
        conversation = _conversation(row, criteria, place)
        if conversation.instance_id in conversations:
            raise BadInputError(f"{place}: instance_id {conversation.instance_id!r} occurs twice; rename one")
        conversations[conversation.instance_id] = conversation
    if not conversations:
        raise BadInputError(f"{folder}: there are no conversations; add conversations/THEME.jsonl")
    return tuple(conversations.values())


def read_rows(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the object of each line of a folder's JSON Lines, sorted by file.

    Raises BadInputError that names the place if a line is not a JSON object.
    """
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
            place = f"{folder.name}/{path.name}, line {number}"
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise BadInputError(f"{place}: {error}; write one JSON object on the line") from error
            if not isinstance(row, dict):
                raise BadInputError(f"{place}: {line[:80]!r} is not a JSON object; write one on the line")
            yield place, row


def _criterion(row: Mapping[str, Any], place: str) -> Criterion:
    met, missed = tuple(value_of(row, "met", place)), tuple(value_of(row, "missed", place))
    if not met or not missed or "" in met or set(met) & set(missed):
        raise BadInputError(
            f"{place}: criterion {row['criterion_id']!r} needs texts in met (none empty) and in missed, "
            "and no text in both; correct them"
        )
    return Criterion(
        criterion_id=value_of(row, "criterion_id", place),
        criterion=value_of(row, "criterion", place),
        axis=value_of(row, "axis", place),
        points=value_of(row, "points", place),
        met=met,
        missed=missed,
    )


def _conversation(row: Mapping[str, Any], criteria: Mapping[str, Criterion], place: str) -> Conversation:
    names = value_of(row, "criteria", place)
    for name in names:
        if name not in criteria or names.count(name) > 1:
            raise BadInputError(f"{place}: criterion {name!r} is unknown or occurs twice; name each once")
    return Conversation(
        instance_id=value_of(row, "instance_id", place),
        theme=value_of(row, "theme", place),
        language=row.get("language", "en"),
        messages=tuple(value_of(row, "messages", place)),
        opening=value_of(row, "opening", place),
        closing=value_of(row, "closing", place),
        criteria=tuple(criteria[name] for name in names),
    )


def value_of(row: Mapping[str, Any], key: str, place: str) -> Any:
    """Return the value of a key in a line; BadInputError that names the place if it is missing."""
    if key not in row:
        raise BadInputError(f"{place}: {key!r} is missing; add it")
    return row[key]


def twofold(
    row: Mapping[str, Any], key: str, number: int, what: str, place: str
) -> tuple[tuple[str, str], ...]:
    """Return the pieces of a key in a line, each as (written well, weakly).

    `what` names the kind of line; BadInputError if it has another number of pieces, or a text is missing.
    """
    pieces = tuple(
        (value_of(piece, "good", place), value_of(piece, "weak", place))
        for piece in value_of(row, key, place)
    )
    if len(pieces) != number or any(not text for piece in pieces for text in piece):
        raise BadInputError(f"{place}: a {what} needs {number} {key} with both texts; correct it")
    return pieces


def text_items(conversations: Sequence[Conversation]) -> Items:
    """Return the conversations and their criteria as items; a rubric's id is its criterion's."""
    pairs = [(index, criterion) for index, talk in enumerate(conversations) for criterion in talk.criteria]
    return Items(
        instance_ids=[talk.instance_id for talk in conversations],
        themes=[talk.theme for talk in conversations],
        instance=np.array([index for index, _ in pairs], dtype=np.int32),
        rubric_ids=[criterion.criterion_id for _, criterion in pairs],
        points=np.array([criterion.points for _, criterion in pairs], dtype=np.float64),
        length=np.array([len(criterion.criterion) for _, criterion in pairs], dtype=np.int64),
        axis=[criterion.axis for _, criterion in pairs],
        criteria=[criterion.criterion for _, criterion in pairs],
        prompts=[json.dumps(list(talk.messages), ensure_ascii=False) for talk in conversations],
        languages=[talk.language for talk in conversations],
    )


def choose_pieces(talk: Conversation, met: Sequence[bool] | Bools, rng: np.random.Generator) -> list[str]:
    """Choose for each criterion one of its texts that meet or fail it, as `met` says."""
    choices = [
        criterion.met if true else criterion.missed
        for criterion, true in zip(talk.criteria, met, strict=True)
    ]
    return [texts[int(rng.integers(len(texts)))] for texts in choices]


def assemble(talk: Conversation, pieces: Sequence[str], style: Style) -> str:
    """Assemble a response: opening, pieces (empty ones left out) and closing, separated by blank lines.

    `style` is ignored if a criterion of the conversation might be about the layout.
    """
    if talk.about_layout:
        style = Style()
    order: npt.NDArray[np.intp] = np.arange(len(pieces))
    if style.order == "weight":
        order = np.argsort([-abs(criterion.points) for criterion in talk.criteria], kind="stable")
    body = [pieces[index] for index in order if pieces[index]]
    if style.bullets:
        body = _with_bullets(body)
    heading = f"## {style.heading}" if style.heading else ""
    return "\n\n".join(part for part in (talk.opening, style.lead, heading, *body, talk.closing) if part)


def _with_bullets(body: Sequence[str]) -> list[str]:
    """Join neighbouring single-line pieces into one list; other pieces stay separate."""
    parts: list[str] = []
    in_list = False
    for piece in body:
        plain = "\n" not in piece and not _MARKED.match(piece)
        if plain and in_list:
            parts[-1] += f"\n- {piece}"
        else:
            parts.append(f"- {piece}" if plain else piece)
        in_list = plain
    return parts


# ------------------------------------------------------------------------------
# Texts of the judges of the demonstration study: reasons, and answers without a verdict.


LONGEST_QUOTE = 90

EVIDENCE = "The response does this: “{piece}”"
FOUND_WRONGLY = "Taken as a whole, the response does this."
NOT_FOUND = "Nothing in the response does this."
NOT_FOUND_QUOTED = "“{piece}” comes near, but does not do this."
OVERLOOKED = "I did not see this in the response."


SPOILT = {
    "unparsed": "Mostly yes, though it depends on how one reads it.",
    "refused": "The request was declined by the provider.",
}


def raw_answers(judgments: pa.Table) -> pa.ChunkedArray:
    """Return the replies without a verdict; null for rows with status ok."""
    return pa.chunked_array([_raw(chunk) for chunk in judgments["status"].chunks])


def _raw(status: pa.DictionaryArray) -> pa.DictionaryArray:
    words = pa.array([SPOILT.get(name) for name in status.dictionary.to_pylist()], pa.string())
    return words.take(status.indices).dictionary_encode()


def explanations(
    judgments: pa.Table, study: SimulatedStudy, pieces: Sequence[Sequence[str]]
) -> pa.ChunkedArray:
    """Return a reason for each single_rubric verdict with status ok, null for all other rows.

    `judgments` are all rows of `study`, in order; `pieces` has for each generator the text for each of the K
    rubrics (empty if it was left out).
    """
    truth = study.truth.met
    sentences: list[str] = []
    # For each (generator, rubric), the sentence for a verdict `not met`, then the one for `met`.
    for row, texts in enumerate(pieces):
        for rubric, piece in enumerate(texts):
            sentences += _sentences(piece, bool(truth[row, rubric]))
    vocabulary = pa.array(sentences).dictionary_encode()
    codes = vocabulary.indices.to_numpy().reshape(-1, 2)
    cells = np.tile(np.arange(truth.size), len(study.design.judges))
    met = _single_rubric_verdicts(judgments)
    drawn = met.fill_null(False).to_numpy(zero_copy_only=False).astype(int)
    chosen = pa.array(codes[cells, drawn], mask=met.is_null().to_numpy(zero_copy_only=False))
    rest = pa.nulls(len(judgments) - len(chosen), chosen.type)
    return pa.chunked_array(
        [pa.DictionaryArray.from_arrays(part, vocabulary.dictionary) for part in (chosen, rest)]
    )


def _single_rubric_verdicts(judgments: pa.Table) -> pa.Array:
    """Return `met` of the single_rubric rows, which come first in a simulated study."""
    rows = pc.equal(judgments["paradigm"].cast(pa.string()), "single_rubric")
    return judgments.filter(rows)["met"].combine_chunks()


def _sentences(piece: str, truly_met: bool) -> tuple[str, str]:
    """Return the reasons for `not met` and for `met`."""
    line = piece.split("\n")[0]
    quote = line if len(line) <= LONGEST_QUOTE else line[:LONGEST_QUOTE].rsplit(" ", 1)[0] + " …"
    if truly_met:
        return OVERLOOKED, EVIDENCE.format(piece=quote)
    return (NOT_FOUND_QUOTED.format(piece=quote) if quote else NOT_FOUND), FOUND_WRONGLY
