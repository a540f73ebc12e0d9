"""Reading in words which of two responses a judge prefers, or a tie."""

import re
from itertools import islice
from typing import Literal

from engine.collect.paradigms.answers.parts.answer_forms import Passage, UnclearAnswerError
from engine.collect.paradigms.answers.parts.quotations import stands, taken_back

Side = Literal["a", "b", "tie"]

_TAGS = re.compile(
    r"</?(?:answer|verdict|output|result|final|choice|judge?ment|decision)>|\\boxed|\\text", re.I
)
_NO_MARKUP = str.maketrans(dict.fromkeys("*_`\"“”‘’'[](){}<>$#", " "))
_NOUN = r"(?:the |our |my )?(?:response|answer|option|assistant|candidate|model|text|output|reply)"
_BETTER = r"(?:better|best|stronger|superior|preferred|preferable|winner)"
_CHOICE = (
    rf"(?:(?:my |the )?(?:final |overall |clear )*{_BETTER}? ?(?:answer|response|one|verdict|choice|decision"
    rf"|judge?ment|winner|preference|outcome|result|conclusion|pick|selection|better)"
    r"(?: is| goes to)? ?[:=]? ?"
    r"|i (?:would )?(?:choose|pick|prefer|select|go with|vote for) ?:? ?)"
)
_ADVERB = r"(?:clearly |slightly |much |significantly |marginally |overall |definitely |somewhat |far )?"
_RIVAL = rf"(?: than (?:{_NOUN} )?[ab])?"
_SIDE = re.compile(
    rf"(?:(?:so|thus|therefore|hence|overall),? )?{_CHOICE}{{0,2}}(?:{_NOUN} )?(?P<letter>[ab12])"
    rf"(?: is {_ADVERB}(?:the )?{_ADVERB}{_BETTER}(?: (?:one|answer|response|choice))?{_RIVAL}"
    rf"(?: overall)?| wins?| won)?"
)
_TIE = re.compile(
    rf"{_CHOICE}?(?:t|(?:it is |it s |its )?(?:a )?(?:tie|draw)|tied|neither is better"
    r"|(?:both )?(?:are )?equal|(?:both )?(?:are )?equally good)"
)
_STATED = re.compile(
    rf"\b([ab])\b (?:is|was|would be) {_ADVERB}(?:the )?{_ADVERB}{_BETTER}|\b([ab]) wins\b"
    r"|\b(?:choose|pick|prefer|select|go with|vote for|favou?r|lean(?:ing)? to(?:wards?)?|say"
    rf"|(?:{_BETTER}|answer|response|verdict|choice|one|decision|outcome) is)"
    rf"[,:]? {{0,3}}(?:{_NOUN} )?([ab])\b"
)
_PLACED = re.compile(rf"\b(first|former|second|latter)\b[^.]{{0,40}}\b(?:{_BETTER}|wins)\b")
_MARK = re.compile(r"(?:\$\$|\[\[)[ \t]{0,8}([abt]|tie)[ \t]{0,8}(?:\$\$|\]\])", re.IGNORECASE)
_LINE = re.compile(r"[^\n]+")
_LONGEST_LINE, _MOST_LINES = 200, 2_000

_LONE_LETTER = re.compile(r"[\s*_(\[\"'`]{0,8}([abt12])[\s*_)\]\"'`.]{0,8}", re.IGNORECASE)


def is_lone_letter(text: str) -> bool:
    """Return whether an answer is one letter or figure, which is whole even at a limit of one token."""
    return _LONE_LETTER.fullmatch(text) is not None


def side_of(value: object, *, figures: bool = False) -> Side | None:
    """Return the side that a text names and nothing else: `A`, `Response A`, `A is better.`, `a tie`.

    `figures`: whether 1 and 2 are names too.
    """
    if not isinstance(value, str) or len(value) > _LONGEST_LINE:
        return None
    words = " ".join(_TAGS.sub(" ", value).translate(_NO_MARKUP).casefold().split()).rstrip(" .!,")
    if _TIE.fullmatch(words):
        return "tie"
    match = _SIDE.fullmatch(words)
    if match is None or (match["letter"] in "12" and not figures):
        return None
    return "a" if match["letter"] in "a1" else "b"


def marked_sides(text: str) -> list[Passage]:
    """Return the marks `$$A$$` and `[[A]]` of a text, in order."""
    return [Passage(side_of(match[1]), match.start(), match.end()) for match in _MARK.finditer(text)]


def stated_side(text: str, *, figures: bool) -> Side | None:
    """Return the side that an answer in words names: all of it, or its first or last line.

    `figures`: whether 1 and 2 are names too. None if it names none. Raises UnclearAnswerError if lines
    disagree, if what follows names another side or takes the answer back, or if the last line is a quotation.
    """
    whole = side_of(text, figures=figures)
    if whole is not None:
        return whole
    lines = [match for match in islice(_LINE.finditer(text), _MOST_LINES + 1) if match[0].strip()]
    if len(lines) > _MOST_LINES:
        return None
    sides = [side_of(line[0], figures=figures) for line in lines]
    if len(set(sides) - {None}) > 1:
        raise UnclearAnswerError
    if sides and sides[-1] is not None:
        start, end = lines[-1].span()
        if not stands(text, start, end):
            raise UnclearAnswerError
        return sides[-1]
    if sides and sides[0] is not None:
        rest = text[lines[0].end() :]
        if taken_back(rest) or _OTHERS[sides[0]].search(rest.casefold()):
            raise UnclearAnswerError
        return sides[0]
    return None


def contradicts(before: str, after: str, side: Side) -> bool:
    """Return whether words after an answer, or the last sentence before it, state another side alone.

    Words after it may also take it back.
    """
    last = _SENTENCE.split(before.strip())[-1]
    stated = _stated_sides(last)
    return bool(_stated_sides(after) - {side}) or (bool(stated) and side not in stated) or taken_back(after)


_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def _stated_sides(text: str) -> set[str]:
    words = " ".join(text.translate(_NO_MARKUP).casefold().split())
    stated = {letter for match in _STATED.finditer(words) for letter in match.groups() if letter is not None}
    return stated | {"a" if match[1] in ("first", "former") else "b" for match in _PLACED.finditer(words)}


_OTHERS = {
    "a": re.compile(r"\b(?:b|2|second|latter|tie|draw|equal\w*)\b"),
    "b": re.compile(
        r"\b(?:a(?=[ .,:;!?)]*(?:$|is|was|has|does|in|wins|\n))|1|first|former|tie|draw|equal\w*)\b"
    ),
    "tie": re.compile(r"\b(?:better|best|wins|winner)\b"),
}
