"""Scores above the top of their scale: a few are mistakes, many show that the scale is another one."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.errors import BadInputError
from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.rows import BadRowError, Row, number_of
from engine.phrases import join_names, quantity

MOST_MISTAKES = 0.05
"""The largest share of scores above the top of a scale that leaves the scale beyond doubt."""

_FAR = 5
"""More than so many times the next lower score is far outside the rest."""

_FEWEST = 20
"""Of fewer scores nothing is said of those that stand apart, or of a scale that they do not reach."""

_LOW, _MOST_LOW = 0.1, 0.99
"""A scale is too high if this share of all scores lies in this lowest part of it."""

_HALF = 0.5
"""A judge that stays below this part of what others give may have another scale."""

_GAP, _FEWEST_HIGHER, _MANY_TIMES = 2, 3, 10
"""Scores of 0 may mean none if hardly any lie below this, and at least so many different ones above it."""

_MOST_SCORES = 1000


def top_of(numbers: Mapping[float, int]) -> float:
    """Return the highest of some scores, with their counts, without the few that lie far above the rest."""
    n_above, total = 0, sum(numbers.values())
    highest, *lower = sorted(numbers, reverse=True)
    for number in lower:
        n_above += numbers[highest]
        if total < _FEWEST or n_above > MOST_MISTAKES * total or number <= 0:
            break
        if highest > _FAR * number:
            return top_of({each: n for each, n in numbers.items() if each <= number})
        highest = number
    return max(numbers)


def likely_scale(numbers: Mapping[float, int]) -> float:
    """Return the likely scale of some scores: their top, or 5 or 10 for halves or tenths just below."""
    top = top_of(numbers)
    for scale in (5, 10):
        if scale - 1 < top < scale and all(round(10 * number, 6).is_integer() for number in numbers):
            return scale
    return top


_USUAL = (5, 10, 100)
"""The tops of most scales."""


def likely_scales(numbers: Mapping[float, int]) -> list[float]:
    """Return the likely scale of some scores, and the usual one above it where their top is none."""
    scale = likely_scale(numbers)
    above = next((usual for usual in _USUAL if usual > scale), scale)
    return [scale] if scale in _USUAL else list(dict.fromkeys((scale, above)))


@dataclass(slots=True)
class ScaleCheck:
    """The judges' scores that have a scale, by number: all of them, those above it, and those far below.

    `judges` has how many that their scale can have each of them gave.
    """

    n: int = 0
    n_above: int = 0
    n_low: int = 0
    scores: Counter[float] = field(default_factory=Counter)
    judges: Counter[str] = field(default_factory=Counter)
    tops: dict[str, float] = field(default_factory=dict)
    """The highest score of each judge that its scale can have, as a part of it."""

    def check_score(self, cells: Row, fraction: float) -> None:
        """Count a judge's score, and refuse its row as `refuse_beyond_scale` does."""
        score = number_of(cells.values["score"]) or 0.0
        self.n += 1
        self.n_above += fraction > 1
        self.n_low += fraction <= _LOW
        if 0 <= fraction <= 1:
            judge = str(cells.values.get("judge"))
            self.judges[judge] += 1
            self.tops[judge] = max(fraction, self.tops.get(judge, 0.0))
        if score in self.scores or len(self.scores) < _MOST_SCORES:
            self.scores[score] += 1
        refuse_beyond_scale(cells, "score", fraction)

    def refuse_many_above(self, file: str, scale: str, spelling: OptionSpelling) -> None:
        """Raise BadInputError if too many scores for mistakes are above the `scale`, which is in words."""
        if self.n_above <= MOST_MISTAKES * self.n:
            return
        top = top_of(self.scores)
        raise BadInputError(
            f"{file!r}: {self.n_above:,} of {quantity(self.n, 'score')} lie above {scale}; the highest is "
            f"{top:g}. Nothing was imported, as the rest would be the low scores only; give the "
            f"highest score that can be given: {spelling.constant('scale', f'{top:g}')}, or more"
        )

    def low_scores(self, scale: str, spelling: OptionSpelling) -> str:
        """Return a caution if nearly all scores lie at the bottom of the `scale`, in words; else empty."""
        if self.n < _FEWEST or self.n_low < _MOST_LOW * self.n or self.n_low == 0:
            return ""
        top = top_of(self.scores)
        likely = f"; if it is another one, give such as {spelling.constant('scale', f'{top:g}')}"
        return (
            f"{self.n_low:,} of {quantity(self.n, 'score')} lie in the lowest tenth of {scale}, so that they "
            f"hardly differ{likely if top > 0 else ''}"
        )

    def below_earlier_scale(self, scale: str, spelling: OptionSpelling) -> str:
        """Return a caution if no score is above half of a `scale` that earlier imports had; else empty."""
        top, highest = top_of(self.scores) if self.scores else 0.0, number_of(scale) or 0.0
        if self.n < _FEWEST or not 0 < top <= _HALF * highest:
            return ""
        return (
            f"no score is above {top:g}, and the scale of {scale} is that of an earlier file of the study; "
            f"if theirs is another one, give such as {spelling.constant('scale', f'{top:g}')}"
        )

    def low_judges(self, spelling: OptionSpelling) -> str:
        """Return a caution if judges stay below half of what others give; else empty."""
        top = max(self.tops.values(), default=0.0)
        low = [name for name, n in self.judges.items() if n >= _FEWEST and self.tops[name] <= _HALF * top]
        if not low:
            return ""
        gives = "gives" if len(low) == 1 else "give"
        highest = max(self.tops[name] for name in low)
        return (
            f"{join_names(list(map(repr, low)), 4)} {gives} no score above {highest:.2g} of the scale, and "
            f"others give up to {top:.2g}; if the scales differ, name the column that has them: "
            f"{spelling.columns({'scale': 'FIELD'})}"
        )

    def zeros(self, field: str, spelling: OptionSpelling) -> str:
        """Return a caution if 0 stands apart from the scores of a column, and may mean none; else empty."""
        zeros, higher = self.scores[0], [score for score in self.scores if score >= _GAP]
        between = sum(n for score, n in self.scores.items() if 0 < score < _GAP)
        if not zeros or len(higher) < _FEWEST_HIGHER or zeros <= _MANY_TIMES * between:
            return ""
        return (
            f"{field!r} is 0 in {quantity(zeros, 'row')}, and hardly ever between 0 and {_GAP}: 0 is read as "
            f"a score; if it stands for none, give {spelling.meanings('score', {'0': 'none'})}"
        )


def refuse_beyond_scale(cells: Row, name: str, fraction: float) -> None:
    """Raise BadRowError for a score that the scale of its row cannot have; `fraction` is of that scale."""
    if not 0 <= fraction <= 1:
        side = "below 0, on a scale from 0 to" if fraction < 0 else "above its scale of"
        raise BadRowError(f"{name} is {side} {number_of(cells.values['scale']):g}", cells.values[name])
