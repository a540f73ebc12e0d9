"""What the values of a table's columns mean, and the questions where that cannot be known.

`MET` and `SIDES` are the words that verdicts are written in, `NO_VERDICT` those for none. A column whose
first rows hold anything else, or values that could mean two things, is asked about before anything is taken:
a wrong guess here would turn round every number that follows.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from engine.errors import BadInputError
from engine.importers.reading.rows import clipped, number_of

MET = {
    **dict.fromkeys(("true", "1", "1.0", "yes", "y", "met", "pass", "passed", "correct"), True),
    **dict.fromkeys(
        ("false", "0", "0.0", "no", "n", "not met", "not_met", "fail", "failed", "incorrect"), False
    ),
}
SIDES = {
    **dict.fromkeys(
        ("generator", "a", "model_a", "model_1", "response_a", "assistant_a", "1", "left", "first"),
        "generator",
    ),
    **dict.fromkeys(
        ("opponent", "b", "model_b", "model_2", "response_b", "assistant_b", "2", "right", "second"),
        "opponent",
    ),
    **dict.fromkeys(("tie", "equal", "draw", "both", "c", "tie (bothbad)", "both_bad", "0", "same"), "tie"),
}
NO_VERDICT = frozenset(
    (
        *("", "-1", "-1.0", "error", "none", "null", "nan", "n/a", "na", "unparsed", "refused", "refusal"),
        *("invalid", "unknown", "failed to parse", "parse error", "no verdict", "missing", "?", "-"),
    )
)

_SHOWN = 6


def folded(value: object) -> str:
    """Return a value as it is looked up: in lower case without blanks around it, whole numbers as such."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip().lower()


def is_no_verdict(value: object) -> bool:
    """Tell what is a known way to say that there is no verdict."""
    return value is None or folded(value) in NO_VERDICT


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the first rows: which file, our name, the file's, and its values with their counts."""

    file: str
    name: str
    field: str
    values: Counter[str]

    def question(self, values: Counter[str], problem: str, such: str) -> BadInputError:
        """Return the error that asks what values mean."""
        first = next(iter(values))
        return BadInputError(
            f"{self.file!r}: {self.field!r} holds {listed(values)}; {problem}. What do they mean? "
            f"Give such as --value {self.name}:{clipped(first)}={such}"
        )

    def unlike(self, *known: Iterable[str]) -> Counter[str]:
        """Return the values that are in none of the sets."""
        words = set().union(*known)
        return Counter({value: count for value, count in self.values.items() if value not in words})


def listed(values: Counter[str]) -> str:
    """Return the commonest values with their counts, in words."""
    shown = ", ".join(f"{clipped(value)!r} ({count:,})" for value, count in values.most_common(_SHOWN))
    return shown + (", ..." if len(values) > _SHOWN else "")


def check_met(column: Column) -> None:
    """Raise BadInputError where values are neither true nor false nor no verdict."""
    if odd := column.unlike(MET, NO_VERDICT):
        raise column.question(odd, "these are neither true nor false", "yes,OTHER=no")


def check_sides(column: Column, models: Iterable[str]) -> None:
    """Raise BadInputError where values name no side, or are 0 and 1, which may be either side or a tie."""
    names = {folded(model) for model in models}
    sides = column.unlike(names)
    if sides.keys() & {"0", "1"} and sides.keys() <= {"0", "1", "-1"}:
        problem = "0 may be a tie or the first side, 1 the first side or the second"
        raise column.question(column.values, problem, "a,OTHER=b")
    if odd := column.unlike(names, SIDES, NO_VERDICT):
        raise column.question(odd, "these name neither model, nor a side, nor a tie", "a,OTHER=tie")


def check_scores(column: Column, *, scaled: bool) -> None:
    """Raise BadInputError where values are no numbers, or go beyond 1 and nobody said on which scale."""
    odd = Counter({v: n for v, n in column.unlike(NO_VERDICT).items() if number_of(v) is None})
    if odd:
        raise column.question(odd, "these are no numbers", "5,OTHER=4")
    highest = max((number_of(value) or 0 for value in column.values), default=0)
    if highest > 1 and not scaled:
        raise BadInputError(
            f"{column.file!r}: {column.field!r} goes up to {highest:g}, where 1 is perfect. On which scale "
            f"are the scores? Give --set scale={highest:g}, which divides them, or a higher one"
        )


def verdict_of_wide(column: Column, *, pairs: bool) -> str:
    """Return which column the cells of judges' columns are: met, score, or choice where there are pairs.

    Raises BadInputError where they are none of these.
    """
    if pairs:
        return "choice"
    if not column.unlike(MET, NO_VERDICT):
        return "met"
    if all(number_of(value) is not None for value in column.unlike(NO_VERDICT)):
        return "score"
    raise column.question(column.unlike(MET, NO_VERDICT), "these are neither true nor false", "yes,OTHER=no")
