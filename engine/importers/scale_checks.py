"""Scores above the top of their scale: a few are mistakes, many show that the scale is another one."""

from dataclasses import dataclass

from engine.errors import BadInputError
from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.rows import BadRowError, Row, number_of
from engine.phrases import quantity

MOST_MISTAKES = 0.05
"""The largest share of scores above the top of a scale that leaves the scale beyond doubt."""


@dataclass(slots=True)
class ScaleCheck:
    """The judges' scores that have a scale: their number, and of those above it number and highest."""

    n: int = 0
    n_above: int = 0
    highest: float = 0.0

    def check_score(self, cells: Row, fraction: float) -> None:
        """Count a judge's score, and refuse its row as `refuse_beyond_scale` does."""
        self.n += 1
        if fraction > 1:
            self.n_above += 1
            self.highest = max(self.highest, number_of(cells.values["score"]) or 0.0)
        refuse_beyond_scale(cells, "score", fraction)

    def refuse_many_above(self, file: str, scale: str, spelling: OptionSpelling) -> None:
        """Raise BadInputError if too many scores for mistakes are above the `scale`, which is in words."""
        if self.n_above <= MOST_MISTAKES * self.n:
            return
        raise BadInputError(
            f"{file!r}: {self.n_above:,} of {quantity(self.n, 'score')} lie above {scale}; the highest is "
            f"{self.highest:g}. Nothing was imported, as the rest would be the low scores only; give the "
            f"highest score that can be given: {spelling.constant('scale', f'{self.highest:g}')}, or more"
        )


def refuse_beyond_scale(cells: Row, name: str, fraction: float) -> None:
    """Raise BadRowError for a score that the scale of its row cannot have; `fraction` is of that scale."""
    if not 0 <= fraction <= 1:
        side = "below 0, on a scale from 0 to" if fraction < 0 else "above its scale of"
        raise BadRowError(f"{name} is {side} {number_of(cells.values['scale']):g}", cells.values[name])
