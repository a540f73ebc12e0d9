"""Words of a column that says of each criterion whether to meet it is good: `must` and `must not`, `pro`."""

import re
from collections.abc import Collection

_GOOD = frozenset(
    (
        *("+", "positive", "pos", "plus", "good", "beneficial", "benefit", "desirable", "desired", "reward"),
        *("wanted", "want", "desire", "must", "must have", "required", "require", "do", "dos", "should"),
        *("allowed", "permitted", "acceptable", "accepted", "expected", "encouraged", "appropriate"),
        *("pro", "pros", "merit", "merits", "strength", "strengths", "asset", "assets", "advantage"),
        *("advantages", "upside", "green", "green flag", "presence", "present", "quality", "qualities"),
        *("virtue", "include", "credit", "bonus", "favorable", "favourable", "helpful", "safe", "valid"),
    )
)
_BAD = frozenset(
    (
        *("-", "−", "–", "negative", "neg", "minus", "bad", "harmful", "harm", "detrimental"),
        *("penalty", "demerit", "forbidden", "forbid", "prohibited", "banned", "avoid", "never", "dont"),
        *("donts", "con", "cons", "defect", "defects", "flaw", "flaws", "fault", "faults", "weakness"),
        *("weaknesses", "liability", "disadvantage", "disadvantages", "downside", "drawback", "red"),
        *("red flag", "absence", "absent", "error", "errors", "mistake", "violation", "violations"),
        *("hallucination", "vice", "exclude", "deduction", "malus", "reject", "rejected", "failure"),
        *("problem", "issue", "unsafe", "toxic"),
    )
)

_BEFORE = re.compile(r"(?:no|never|dont) (.+)|(?:non|un) ?(.{3,})")
_JOINED = re.compile(r"(?:in|im|dis|mis)(.+)|(.+)nt")
"""Of a known word alone, as `inappropriate` and `mustnt`: others begin or end so by chance."""


def signs_of(labels: Collection[str]) -> dict[str, int] | None:
    """Return 1 or -1 for each of some words; None if one has no sign by itself or beside the others.

    A word that is unknown is good beside its negation: `formal` beside `not formal`.
    """
    words = {label: _plain(label) for label in labels}
    signs = {label: _sign(word, {*words.values()}) for label, word in words.items()}
    return signs if signs and all(signs.values()) else None


def sign_of(label: str) -> int:
    """Return 1 for a word for something good, -1 for one for something bad, 0 for any other."""
    return _sign(_plain(label))


def _sign(word: str, beside: Collection[str] = ()) -> int:
    if word in _GOOD | _BAD:
        return 1 if word in _GOOD else -1
    if (base := _negated(word)) and (sign := -_sign(base) or -(base in beside)):
        return sign
    if match := _JOINED.fullmatch(word):
        base = next(filter(None, match.groups()))
        if base in _GOOD | _BAD:
            return 1 if base in _BAD else -1
    return int(any(_negated(other) == word for other in beside))


def _negated(word: str) -> str:
    """Return what a word is the negation of, as `must` of `must not`; empty if it is none."""
    parts = word.split(" ")
    if "not" in parts and len(parts) > 1:
        return " ".join(part for part in parts if part != "not")
    match = _BEFORE.fullmatch(word)
    return "" if match is None else str(next(filter(None, match.groups())))


def _plain(label: str) -> str:
    """Return a word in small letters, with blanks between its parts and without apostrophes."""
    word = label.strip().casefold().replace("'", "").replace("’", "")
    return word if len(word) < 2 else re.sub(r"[\s_-]+", " ", word).strip()
