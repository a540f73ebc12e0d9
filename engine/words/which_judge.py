"""Which judge to use, in sentences: each piece of advice with the judges that it is for."""

from typing import TYPE_CHECKING, Any

from engine.measures.which_judge import FLIPS, MISSING
from engine.phrases import join_names, sentence_case

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.measures.result import Result
    from engine.measures.row_types import WhichJudgeRow

MOST_NAMED = 4
"""How many judges a sentence names; the rest are counted."""


OF_SAMPLING = ("excess", "excess_family")
"""The numbers whose intervals are narrower here than beside the conclusions."""


def intervals_words(result: "Result") -> str:
    """Return how these intervals differ from those beside the conclusions; empty where there are none."""
    ends = (f"{name}_high" for name in OF_SAMPLING)
    if not any(end in result.columns and result.has_values(end) for end in ends):
        return ""
    return (
        "The intervals of what is given less expected are of sampling alone here; those beside the "
        "conclusions on the judges also allow for judges' tastes and for the number of judges, so they are "
        "wider."
    )


def advice_sentences(result: "Result") -> tuple[str, ...]:
    """Return a sentence for each piece of advice, and by which bounds it is given.

    Whom to use on others' answers comes first, then what to avoid. `result` is that of `which-judge`.
    """
    if not result.rows:
        return ()
    advice_to = (f"{advice}: {judges}." for advice, judges in advice_with_judges(result.rows, MOST_NAMED))
    return (*advice_to, _bounds(result.filters))


def advice_with_judges(rows: "Sequence[WhichJudgeRow]", most: int) -> list[tuple[str, str]]:
    """Return each piece of advice with the judges that it is for, of whom at most `most` are named.

    Whom to use on others' answers comes first.
    """
    judges_of: dict[tuple[bool, str], list[str]] = {}
    for row in rows:
        for place, advice in enumerate(str(row["advice"]).split("; ")):
            judges_of.setdefault((place > 0, advice), []).append(str(row["judge"]))
    in_order = sorted(judges_of.items(), key=lambda item: item[0][0])  # stable: the rest as the rows have it
    return [(sentence_case(advice), _names(judges, len(rows), most)) for (_, advice), judges in in_order]


def _bounds(filters: "Mapping[str, Any]") -> str:
    """Return the bounds that advice is given by."""
    return (
        f"By these bounds, for the whole 95% interval: fit for use if {_of_100(filters['enough'])} verdicts, "
        "those on its own answers too, equal the reference; an excess on its own answers must lie below "
        f"{_of_100(filters['bound'])}; both orders stay needed if more than {_of_100(FLIPS)} winners change "
        f"with the order, and missing verdicts are looked into if they are more than {_of_100(MISSING)}."
    )


def _of_100(share: float) -> str:
    return f"{100 * share:g} of 100"


def _names(judges: list[str], n_judges: int, most: int) -> str:
    if len(judges) == n_judges > most:
        return f"all {n_judges} judges"
    return join_names(judges, most)
