"""Scores of something bad by their name, such as `toxicity`: whether a high one is bad, which `points` says.

A criterion has points below 0 where a high score is bad, so that its scores are turned.
"""

from collections.abc import Collection, Iterable

from engine.importers.import_options import ImportOptions
from engine.importers.reading.columns import that_columns
from engine.importers.tables.asking.questions import OPEN, SampledColumn, TableQuestion, WholeAnswer
from engine.importers.tables.verdict_names import is_amount_of_bad, is_rank
from engine.phrases import join_names

_CRITERION = ("rubric_id", "criterion")


def bad_score_questions(column: SampledColumn, names: Collection[str]) -> list[TableQuestion]:
    """Return the question whether a high score is bad, where the name of a column of scores leaves it open.

    `names` are our columns that are known; points among them answer it. Both answers are whole. Of several
    columns with a criterion each, those of something bad alone have points below 0.
    """
    fields = column.fields or (column.field,)
    bad = tuple(field for field in fields if is_amount_of_bad(field) or is_rank(field))
    if not bad or "points" in names:
        return []
    spelling = column.spelling
    if len(bad) < len(fields):
        inverted = ImportOptions(value={"points": dict.fromkeys(bad, "-1")})
        given = spelling.meanings("points", inverted.value["points"])
    else:
        criterion = {} if {*names} & {*_CRITERION} else {"rubric_id": column.field}
        inverted = ImportOptions(set={"points": "-1", **criterion})
        given = " with ".join(spelling.constant(name, value) for name, value in inverted.set.items())
    name = "its name" if len(bad) == 1 else "their names"
    what = "ranks" if all(map(is_rank, bad)) else "scores of something bad"
    as_it_is = spelling.constant("points", "1")
    text = (
        f"{column.file!r}: {that_columns(bad, 'holds', 'hold')} {what}, by {name}. Is a "
        f"high score bad, or good? Give {given} if it is bad, or {as_it_is} if it is good"
    )
    choices = (
        WholeAnswer("a high score is bad", inverted, without=("points",)),
        WholeAnswer("a high score is good", ImportOptions(set={"points": "1"})),
    )
    return [TableQuestion(text, ImportOptions(set={"points": OPEN}), choices)]


def note_bad_criteria(criteria: Iterable[str], names: Collection[str], points: str) -> str:
    """Return a note on criteria of something bad by their names, of which a high score counts as good.

    Empty for none, or where `names` of our columns have points. `points` says how these are given.
    """
    bad = [name for name in dict.fromkeys(criteria) if is_amount_of_bad(name)]
    if not bad or "points" in names:
        return ""
    are = "is a criterion" if len(bad) == 1 else "are criteria"
    return (
        f"{join_names(list(map(repr, bad)), 4)} {are} of something bad, by the name, and a high score "
        f"counts as good: if it is bad, give -1 as the points of its rows ({points} names the column that "
        f"has them)"
    )
