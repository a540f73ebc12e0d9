r"""Verifiers: whether a response's final answer is the instance's reference answer (MEASURES section 21).

`exact` compares the whole response, `choice` the letter of an option, `boxed` the mathematics in the last
`\boxed{}`. What cannot be read is neither right nor wrong: the check raises UnreadableError.
"""

import re
import unicodedata
from functools import cache
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from engine.checkers.counts import Check, Count, Text
from engine.errors import UsageError
from engine.extras import install

if TYPE_CHECKING:
    from collections.abc import Callable

VERIFIERS: tuple[str, ...] = ("exact", "choice", "boxed")
"""The shipped verifiers, by the names of their functions."""


LONGEST_BOX = 500
"""The longest boxed answer that is read, in characters; longer ones are no final answers."""


class UnreadableError(ValueError):
    """A final answer, or the reference answer, that cannot be read."""


def exact(reference_answer: Text) -> Check:
    """Ask for the reference answer and nothing else."""
    reference = _folded(reference_answer)
    return lambda text: _readable(_folded(text)) == _readable(reference, "the reference answer")


def _folded(text: str) -> str:
    """Return a text in NFKC, casefolded, its white space folded and its outer punctuation stripped."""
    words = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    ends = [place for place, mark in enumerate(words) if not _is_outer(mark)]
    return words[ends[0] : ends[-1] + 1] if ends else ""


def _is_outer(mark: str) -> bool:
    return mark.isspace() or unicodedata.category(mark).startswith("P")


def _readable(text: str, whose: str = "the answer") -> str:
    if not text:
        raise UnreadableError(f"{whose} has no word")
    return text


_BRACES = re.compile(r"\\(?:boxed|fbox)\s{0,3}\{|\\.|[{}]", re.DOTALL)
_WRAPPED = re.compile(r"\\(?:text|textbf|mathrm|mathbf|mathit|textit)\s?\{([^{}]*)\}")
_LETTER = re.compile(r"[\s*_`$\"'([{]*([A-Za-z])[\s*_`$\"')\]}.,:;!]*")
_STATED = re.compile(
    r"(?i:\banswer\s{0,3}(?:is|:)\s{0,3}:?)[\s*_`$\"'(\[]{0,8}([A-Z])[*_`$\"']{0,4}(?=\s*(?:[).,:;!\]\n]|because\b|since\b|$))"
)
_OPTION_LINE = re.compile(r"^[\s*(]{0,8}([A-Z])\s?[).:]\s", re.MULTILINE)


def choice(reference_answer: Text, options: Count | None = None, prompt: str | None = None) -> Check:
    """Ask for the right option: the last boxed letter, else the last `answer is X`, else a letter alone.

    A letter beyond the options is not read; their number is `options`, else that of the lines A, B, ... in
    the prompt, if it lists any.
    """
    letters = ascii_uppercase[: options if options else _option_count(prompt or "")]

    def check(text: str) -> bool:
        right = _lone_letter(reference_answer)
        if right is None or right not in letters:
            raise UnreadableError(f"the reference answer is {reference_answer!r}, no letter of an option")
        letter = _letter(text)
        if letter is None or letter not in letters:
            problem = "the answer names no option" if letter is None else f"there is no option {letter}"
            raise UnreadableError(problem)
        return letter == right

    return check


def _option_count(prompt: str) -> int:
    """Return how many options a prompt lists, A first; all letters are possible if fewer than two."""
    number = 0
    for letter in _OPTION_LINE.findall(prompt):
        if number < len(ascii_uppercase) and letter == ascii_uppercase[number]:
            number += 1
    return number if number > 1 else len(ascii_uppercase)


def _letter(text: str) -> str | None:
    short = (box for box in reversed(_boxes(text)) if len(box) <= LONGEST_BOX)
    boxed = next((letter for box in short if (letter := _lone_letter(_content(text, box)))), None)
    if boxed is not None:
        return boxed
    stated = _STATED.findall(_WRAPPED.sub(r"\1", text))
    return stated[-1] if stated else _lone_letter(text)


def _lone_letter(text: str) -> str | None:
    match = _LETTER.fullmatch(_WRAPPED.sub(r"\1", text).strip())
    return match[1].upper() if match else None


_SECONDS = 5  # for parsing, and for comparing


def boxed(reference_answer: Text) -> Check:
    r"""Ask for mathematics equal to the reference answer in the last `\boxed{}`."""
    parse, equal = _mathematics()
    of_reference = _boxes(reference_answer)
    reference = _content(reference_answer, of_reference[-1]) if of_reference else reference_answer

    def check(text: str) -> bool:
        boxes = _boxes(text)
        if not boxes:
            raise UnreadableError("the answer has no \\boxed{}")
        answer = _content(text, boxes[-1])
        if not answer or len(answer) > LONGEST_BOX:
            raise UnreadableError(f"its last \\boxed{{}} has {len(answer):,} characters")
        return equal(parse(reference), parse(answer))

    return check


def _boxes(text: str) -> list[range]:
    r"""Return where the content of each `\boxed{}` of a text is, in order; one without an end is left out."""
    open_marks: list[re.Match[str]] = []
    boxes: dict[int, range] = {}
    for mark in _BRACES.finditer(text):
        if mark[0].endswith("{") and mark[0] != "\\{":
            open_marks.append(mark)
        elif mark[0] == "}" and open_marks:
            start = open_marks.pop()
            if start[0] != "{":
                boxes[start.start()] = range(start.end(), mark.start())
    return [boxes[start] for start in sorted(boxes)]


def _content(text: str, box: range) -> str:
    return text[box.start : box.stop].strip()


@cache
def _mathematics() -> "tuple[Callable[[str], Any], Callable[[Any, Any], bool]]":
    """Return functions that parse mathematics and compare it; each takes five seconds at most.

    They set an alarm, which only a main thread can: `run` calls them in a process of its own.
    """
    try:
        from math_verify import LatexExtractionConfig, parse, verify
        from math_verify.errors import TimeoutException
    except ImportError:
        raise UsageError(
            "checker 'boxed' compares mathematics with the package math-verify, which is not installed; "
            f"install it: {install('math')}"
        ) from None
    reading = [LatexExtractionConfig(boxed_match_priority=0)]

    def parsed(text: str) -> Any:
        try:
            return parse(
                f"\\boxed{{{text}}}",
                extraction_config=reading,
                fallback_mode="no_fallback",
                parsing_timeout=_SECONDS,
                raise_on_error=True,
            )
        except TimeoutException:
            raise UnreadableError(f"{text[:80]!r} takes too long to read") from None

    def equal(reference: Any, answer: Any) -> bool:
        if not reference or not answer:
            raise UnreadableError("the boxed answer, or the reference answer, is not readable as mathematics")
        try:
            return bool(verify(reference, answer, timeout_seconds=_SECONDS, raise_on_error=True))
        except TimeoutException:
            raise UnreadableError("the comparison with the reference answer takes too long") from None

    return parsed, equal
