"""Which judge to use, in sentences: each piece of advice with the judges that it is for."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.phrases import join_names, sentence_case

if TYPE_CHECKING:
    from engine.measures.row_types import WhichJudgeRow

MOST_NAMED = 4
"""How many judges a sentence names; the rest are counted."""


def advice_sentences(rows: "Iterable[WhichJudgeRow]") -> tuple[str, ...]:
    """Return a sentence for each piece of advice: whom to use on others' answers first, then what to avoid.

    `rows` are those of `which-judge`.
    """
    every = list(rows)
    judges_of: dict[tuple[bool, str], list[str]] = {}
    for row in every:
        for place, advice in enumerate(str(row["advice"]).split("; ")):
            judges_of.setdefault((place > 0, advice), []).append(str(row["judge"]))
    in_order = sorted(judges_of.items(), key=lambda item: item[0][0])  # stable: the rest as the rows have it
    return tuple(
        f"{sentence_case(advice)}: {_names(judges, len(every))}." for (_, advice), judges in in_order
    )


def _names(judges: list[str], n_judges: int) -> str:
    if len(judges) == n_judges > MOST_NAMED:
        return f"all {n_judges} judges"
    return join_names(judges, MOST_NAMED)
