"""What a prompt asks for, read from its messages as a model would read them.

Material stands between tags such as `<response-3f09c2a17b>` (see `engine.paradigms.fence`), in users' own
templates too; the words outside of them say which form of answer is wanted.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Form = Literal[
    "text", "rewriting", "verdict", "verdicts", "share", "outcome", "letter", "dimensions", "score", "marks"
]
"""The forms of answers: free text, a response written anew, `criteria_met` once or in a list, `X/Y`,
`outcome`, a bare letter, a letter for each dimension, `[RESULT]` with a score, a mark for each dimension.
"""

DIMENSIONS = ("relevance", "accuracy", "depth", "logic", "clarity")
SCORES = (1.0, 2.0, 3.0, 4.0, 5.0)  # where the options cannot be read

_BLOCK = re.compile(r"<([a-zA-Z][\w-]*?)-([0-9a-f]{6,64})>\n?(.*?)\n?</\1-\2>", re.S)
_NUMBERED = re.compile(r"^\d+[.)] +", re.M)
_OPTION = re.compile(r"^[ \-*]*(?:score|option)? *(-?\d+(?:\.\d+)?) *[:.)=–—-]", re.I | re.M)
_MARK = re.compile(r"^\(undesirable\)\s*", re.I)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: the form of the answer, the responses and criteria shown, the scores to choose from.

    `labels` name the responses of a pair in the order shown, with a third for a tie where one is offered.
    """

    form: Form
    prompt: str
    responses: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    scores: tuple[float, ...] = SCORES
    labels: tuple[str, ...] = ("A", "B")


def question(messages: Sequence[Mapping[str, str]]) -> Question:
    """Read what the messages ask for."""
    whole = "\n\n".join(message["content"] for message in messages)
    blocks = [(match[1].lower(), match[3]) for match in _BLOCK.finditer(whole)]
    words = _BLOCK.sub(" ", whole)
    responses = tuple(text for name, text in blocks if _is_response(name))
    prompt = next((text for name, text in blocks if name == "prompt"), messages[-1]["content"])
    if not responses:
        return Question("text", prompt)
    criteria = _criteria(blocks, words)
    scores = _scores(blocks)
    form = _form(words, len(responses), has_options=any("option" in name for name, _ in blocks))
    return Question(form, prompt, responses, criteria, scores, _labels(form, words))


def _is_response(name: str) -> bool:
    return name.startswith(("response", "answer"))


def _form(words: str, responses: int, *, has_options: bool) -> Form:
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
    """Return the criteria shown; a numbered list holds one for each number."""
    found: list[str] = []
    for name, text in blocks:
        if name.startswith(("criteria", "rubrics")) or (name.startswith("list") and "criteria_met" in words):
            found += [_plain(piece) for piece in _NUMBERED.split(text) if piece.strip()]
        elif name.startswith(("criterion", "rubric")):
            found.append(text.strip())
    return tuple(found)


def _plain(piece: str) -> str:
    """Return a listed criterion as it was written: without its mark and the list's indentation."""
    lines = _MARK.sub("", piece.strip()).split("\n")
    width = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    return "\n".join([lines[0], *(line[width:] for line in lines[1:])]).strip()


def _scores(blocks: Sequence[tuple[str, str]]) -> tuple[float, ...]:
    """Return the scores of the options in ascending order."""
    listed = [float(score) for name, text in blocks if "option" in name for score in _OPTION.findall(text)]
    return tuple(sorted(set(listed))) or SCORES


def _labels(form: Form, words: str) -> tuple[str, ...]:
    first, second = ("A", "B") if re.search(r"\bA\b", words) or not re.search(r"\b1\b", words) else ("1", "2")
    if form == "letter":
        return (first, second, "T") if re.search(r"\bT\b", words) else (first, second)
    return (first, second, "tie") if form == "outcome" else (first, second)
