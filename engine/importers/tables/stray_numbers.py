"""Numbers among verdicts: a few are slips of the file, more of them make a column of scores."""

from collections.abc import Mapping

from engine.importers.reading.rows import number_of
from engine.importers.tables.verdict_words import MET, NO_VERDICT

_VERDICTS_FOR_EACH = 100
"""For each stray number there are at least so many verdicts, such as 0 and 1."""


def stray_numbers(values: Mapping[str, int]) -> frozenset[str]:
    """Return the numbers below 0 or above 1 that are too few beside verdicts for the column to have scores.

    `values` are in the form for look-ups, with their counts. A column of scores may have nothing but 0 and 1
    by chance in nearly all rows only if it is short: fewer than 100 verdicts have no stray, and a number that
    is more than one for each 100 verdicts is a score. A number between 0 and 1 is part of a score, however
    rare: with one of them, none is a stray.
    """
    n_verdicts = sum(count for value, count in values.items() if value in MET)
    others = {value: number_of(value) for value in values if value not in MET and value not in NO_VERDICT}
    numbers = {value: number for value, number in others.items() if number is not None}
    if any(0 < number < 1 for number in numbers.values()):
        return frozenset()
    is_rare = _VERDICTS_FOR_EACH * sum(values[value] for value in numbers) <= n_verdicts
    return frozenset(numbers) if is_rare else frozenset()
