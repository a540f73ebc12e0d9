"""Mean scores in sentences: which model is rated highest and lowest, by judges and by the reference."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.measures.rows import FEW
from engine.words.written_numbers import in_sentence

if TYPE_CHECKING:
    from engine.measures.row_types import RankingRow

ALL, REFERENCE = "all", "reference"
JOINT = ("all-without-self", "all-without-family")
"""Whose scores rows of `ranking` hold, other than a single judge's."""


def score_sentences(rows: "Sequence[RankingRow]", reference: str | None) -> tuple[str, ...]:
    """Return a sentence on the judges together and one on the `reference`; `rows` are those of `ranking`."""
    of_judges, of_reference = _of(rows, ALL), _of(rows, REFERENCE)
    if not of_judges:
        return (f"No model has {FEW} questions on which a judge scored every answer, so none is named here.",)
    people = "people" if str(reference).startswith("human") else f"the reference {reference}"
    return tuple(
        _highest_and_lowest(who, part, few=_few(rows, source))
        for who, part, source in (("the judges together", of_judges, ALL), (people, of_reference, REFERENCE))
        if part
    )


def questions_counted(rows: "Sequence[RankingRow]") -> str:
    """Return how many questions count, where single judges rank by fewer of them than others do."""
    most = max((row["n"] for row in rows), default=0)
    counts = {row["n"] for row in rows if row["by"] not in (ALL, REFERENCE, *JOINT) and row["n"] > 0}
    if not counts or min(counts) == most:
        return ""
    fewest, largest = min(counts), max(counts)
    of_judge = f"{fewest:,}" if fewest == largest else f"{fewest:,} to {largest:,}"
    # A judge's own most is no total of the study's, which may have questions that no judge has whole.
    of_all = f" of {most:,}" if most > largest else ""
    return (
        "A judge's scores are over the questions on which it has all verdicts on the answers of all models: "
        f"{of_judge}{of_all} {'question' if most == 1 else 'questions'}. So two rankings can also differ "
        "because their questions do."
    )


def _of(rows: "Sequence[RankingRow]", source: str) -> "list[RankingRow]":
    """Return a source's rows of enough questions to be named in a sentence."""
    return [row for row in rows if row["by"] == source and row["score"] is not None and row["n"] >= FEW]


def _few(rows: "Sequence[RankingRow]", source: str) -> bool:
    """Return whether a source scores a model on too few questions to be named in a sentence."""
    return any(row["by"] == source and row["score"] is not None and row["n"] < FEW for row in rows)


def _highest_and_lowest(who: str, rows: "Sequence[RankingRow]", *, few: bool) -> str:
    ordered = sorted(rows, key=lambda row: -row["score"])
    first, last = ordered[0], ordered[-1]
    if len(rows) == 1:
        return f"The mean score by {who} of {first['model']}: {_score(first)}."
    enough = f" with {FEW} questions or more" if few else ""
    return (
        f"Of {len(rows)} models{enough}, {first['model']} has the highest mean score by {who}: "
        f"{_score(first)}; {last['model']} the lowest: {_score(last)}."
    )


def _score(row: "RankingRow") -> str:
    return in_sentence(row["score"], row["score_low"], row["score_high"], "percent")
