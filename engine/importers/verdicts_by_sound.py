"""What words that are no known verdicts mean, as far as they say it themselves: `not convincing` is no."""

import re
from collections.abc import Iterable, Sequence

from engine.importers.verdict_words import MET, lookup_key

_NO = re.compile(
    r"\W*(no|not|never|bad|poor|weak|low|wrong|worse|worst|(reject|fail|miss)(s|ed|ing)?|insufficient)\b"
)
_YES = re.compile(
    r"\W*(yes|good|great|fine|ok|okay|excellent|strong|high|perfect|best|better|right|(accept|succeed)(s|ed)?"
    r"|success|successful|sufficient)\b"
)
_NEGATION = re.compile(r"(un|in|im|ir|dis|mis|non|not|does not|doesn't)[\W_]*")


def truths_by_sound(values: Sequence[str], meanings: Iterable[str] = ()) -> list[str] | None:
    """Return yes or no for each of a few words if all say which, and some say yes and others no; else None.

    `meanings` are those of the other values of the column.
    """
    truths = [_truth(value, values) for value in values]
    others = ("yes" if MET[word] else "no" for word in map(lookup_key, meanings) if word in MET)
    sure = [truth for truth in truths if truth is not None]
    return sure if len(sure) == len(values) and {*sure, *others} == {"yes", "no"} else None


def _truth(value: str, values: Sequence[str]) -> str | None:
    """Return what a word says: no if it negates another or says so, yes if it says that or is negated."""
    if _NO.match(value) or _negates(value, values):
        return "no"
    return "yes" if _YES.match(value) or any(_negates(other, [value]) for other in values) else None


def _negates(value: str, values: Sequence[str]) -> bool:
    negation = _NEGATION.match(value)
    return negation is not None and value[negation.end() :] in values
