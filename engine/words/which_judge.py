"""Which judge to use, in sentences: each piece of advice with the judges that it is for."""

import re
from typing import TYPE_CHECKING, Any

from engine.measures.quality.which_judge import FIT, FLIPS, MISSING, SECOND
from engine.phrases import join_names, sentence_case
from engine.words.written_numbers import in_sentence

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
        "Intervals here are of sampling alone; those beside the conclusions on the judges also allow for "
        "judges' tastes and for the number of judges, so they are wider."
    )


def advice_sentences(result: "Result") -> tuple[str, ...]:
    """Return a sentence for each piece of advice, and by which bounds it is given.

    Whom to use on others' answers comes first, then what to avoid. `result` is that of `which-judge`.
    """
    if not result.rows:
        return ()
    sentences = []
    for advice, judges in advice_with_judges(result.rows, MOST_NAMED):
        sentences.append(f"{advice}: {judges}.")
        if advice.lower() == FIT:
            sentences += _most_accurate(result.rows)
    return (*sentences, _bounds(result.filters))


def by_accuracy(rows: "Sequence[WhichJudgeRow]") -> "list[WhichJudgeRow]":
    """Return the rows with the highest accuracy first, those without any last."""
    return sorted(rows, key=lambda row: -(-1.0 if row.get("accuracy") is None else float(row["accuracy"])))


def without_reasons(advice: str) -> str:
    """Return the advice on a judge as a table has it: the sentences above say why, once.

    Where a second judge is to be added for all answers, its own are not spoken of again.
    """
    pieces = [re.split(r", as |: | \(", piece)[0] for piece in advice.split("; ")]
    whole = "add a second judge" in pieces
    return "; ".join(piece for piece in pieces if not (whole and piece == SECOND))


def _most_accurate(rows: "Sequence[WhichJudgeRow]") -> list[str]:
    """Return which judge that is fit for use is the most accurate, and which others may be as accurate."""
    fit = [row for row in by_accuracy(rows) if str(row["advice"]).split("; ")[0] == FIT]
    fit = [row for row in fit if row.get("accuracy_low") is not None]
    fit = [row for row in fit if row["accuracy_of"] == fit[0]["accuracy_of"]]
    if len(fit) < 2:
        return []
    first, *others = fit
    near = [str(row["judge"]) for row in others if row["accuracy_high"] >= first["accuracy_low"]]
    interval = in_sentence(first["accuracy"], first["accuracy_low"], first["accuracy_high"], "percent")
    rest = "the interval of no other overlaps with it"
    if near:
        overlap = "interval of {} overlaps" if len(near) == 1 else "intervals of {} overlap"
        rest = f"the {overlap.format(join_names(near, MOST_NAMED))} with it, so they may be as accurate"
        rest = rest.replace("they", "it") if len(near) == 1 else rest
    return [f"Of these {first['judge']} has the highest accuracy, {interval}; {rest}."]


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
        f"{_of_100(filters['bound'])}; both orders are still needed if more than {_of_100(FLIPS)} winners "
        "change with the order, and missing verdicts are looked into if they are more than "
        f"{_of_100(MISSING)}."
    )


def _of_100(share: float) -> str:
    return f"{100 * share:g} of 100"


def _names(judges: list[str], n_judges: int, most: int) -> str:
    if len(judges) == n_judges > most:
        return f"all {n_judges} judges"
    return join_names(judges, most)
