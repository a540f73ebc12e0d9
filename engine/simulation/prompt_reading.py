"""What the messages of a prompt ask for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.schema import DIMENSIONS

Form = Literal[
    "text", "rewriting", "verdict", "verdicts", "share", "outcome", "letter", "dimensions", "score", "marks",
    "ranking", "author", "likelihood",
]  # fmt: skip
"""The forms of answers: free text, a rewritten response, `criteria_met` once or in a list, `X/Y`, `outcome`,
a bare letter, a letter for each dimension, `[RESULT]` with a score, a mark for each dimension, the numbers of
several responses in order, the letter of the response that the judge wrote, the likelihood of a response.
"""

SCORES = (1.0, 2.0, 3.0, 4.0, 5.0)  # if the options cannot be read

_BLOCK = re.compile(r"<([a-zA-Z][\w-]*?)-([0-9a-f]{6,64})>\n?(.*?)\n?</\1-\2>", re.S)
_NUMBERED = re.compile(r"^\d+[.)] +", re.M)
_OPTION = re.compile(r"^[ \-*]*(?:score|option)? *(-?\d+(?:\.\d+)?) *[:.)=–—-]", re.I | re.M)
_MARK = re.compile(r"^\(undesirable\)\s*", re.I)


@dataclass(frozen=True, slots=True)
class ParsedPrompt:
    """A parsed prompt: the form of the answer, the responses and criteria shown, the scores to choose from.

    `labels` name the responses of a pair in the order shown, with a third for a tie if one is offered;
    `authors` are the responses' authors, None unless the prompt names them. `option_order` are the
    scores in the order of their options, empty if the prompt lists none.
    """

    form: Form
    prompt: str
    responses: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    scores: tuple[float, ...] = SCORES
    labels: tuple[str, ...] = ("A", "B")
    authors: tuple[str | None, ...] = ()
    option_order: tuple[float, ...] = ()


def parse_question(messages: Sequence[Mapping[str, str]]) -> ParsedPrompt:
    content = "\n\n".join(message["content"] for message in messages)
    blocks = [(match[1].lower(), match[3]) for match in _BLOCK.finditer(content)]
    words = _BLOCK.sub(" ", content)
    texts: list[str] = []
    authors: list[str | None] = []
    author = None
    for name, text in blocks:
        if name == "author":
            author = text.strip()
        elif name.startswith(("response", "answer")):
            texts.append(text)
            authors.append(author)
            author = None
    prompt = next((text for name, text in blocks if name == "prompt"), messages[-1]["content"])
    if not texts:
        return ParsedPrompt("text", prompt)
    options = [text for name, text in blocks if "option" in name]
    scores = dict.fromkeys(float(score) for text in options for score in _OPTION.findall(text))
    form = _form(words, len(texts), has_options=bool(options))
    return ParsedPrompt(
        form,
        prompt,
        tuple(texts),
        _criteria(blocks, words),
        tuple(sorted(scores)) or SCORES,
        _labels(form, words),
        tuple(authors),
        tuple(scores),
    )


def _form(words: str, responses: int, *, has_options: bool) -> Form:
    if '"ranking"' in words:
        return "ranking"
    if responses > 1 and "did you write" in words.lower():
        return "author"
    if responses > 1:
        if '"outcome"' in words or "$$" in words:
            return "outcome"
        return "dimensions" if all(f'"{name}"' in words for name in DIMENSIONS) else "letter"
    if "criteria_met" in words:
        return "verdicts" if '"results"' in words else "verdict"
    if "[RESULT]" in words or has_options:
        return "score"
    if all(f'"{name}"' in words for name in DIMENSIONS):
        return "marks"
    return "share" if '"score"' in words else "rewriting"


def _criteria(blocks: Sequence[tuple[str, str]], words: str) -> tuple[str, ...]:
    """Return the criteria shown, including each of a numbered list."""
    pieces: list[str] = []
    for name, text in blocks:
        if name.startswith(("criteria", "rubrics")) or (name.startswith("list") and "criteria_met" in words):
            pieces += [_plain(piece) for piece in _NUMBERED.split(text) if piece.strip()]
        elif name.startswith(("criterion", "rubric")):
            pieces.append(text.strip())
    return tuple(pieces)


def _plain(piece: str) -> str:
    """Return a listed criterion in its original form, without its mark and the list's indentation."""
    lines = _MARK.sub("", piece.strip()).split("\n")
    width = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    return "\n".join([lines[0], *(line[width:] for line in lines[1:])]).strip()


def _labels(form: Form, words: str) -> tuple[str, ...]:
    first, second = ("A", "B") if re.search(r"\bA\b", words) or not re.search(r"\b1\b", words) else ("1", "2")
    if form == "letter":
        return (first, second, "T") if re.search(r"\bT\b", words) else (first, second)
    return (first, second, "tie") if form == "outcome" else (first, second)
