"""A column read as a property of questions or criteria that differs within them: it is of the answers.

The texts of answers may differ likewise, so that most verdicts would be on another text than the one stored.
"""

from engine.errors import BadInputError
from engine.importers.reading.columns import that_columns
from engine.importers.reading.study_builder import StudyBuilder
from engine.importers.tables.table_reading import TablePlan
from engine.phrases import part_of, quantity

_THINGS = {"instances": "question", "rubrics": "criterion"}

_FEW, _MOST_LOST = 2, 0.1
"""So many rows, and so large a share, may contradict another on a question or criterion, and are left out."""


_MOST_UNLIKE = 0.5
"""So large a share of rows may have another text of an answer than an earlier one, and are left out."""


def refuse_columns_of_answers(file: str, builder: StudyBuilder, plan: TablePlan, rows: int) -> None:
    """Raise BadInputError where a column has more than one value for so many questions or criteria.

    The texts of answers are refused where most rows would be left out. `rows` are those that were read.
    """
    _refuse_several_texts(file, builder, plan, rows)
    spelling = plan.options.spelling
    for (of, column), differing in builder.differing.items():
        field, lost = plan.places.get(column), differing.total()
        if of not in _THINGS or field is None or lost <= max(_FEW, _MOST_LOST * rows):
            continue
        name, thing = spelling.name(column), _THINGS[of]
        within = part_of(len(differing), len(builder.rows[of]), thing)
        remedy = f"it out: {spelling.without([field])}"
        if column in plan.given.map:
            remedy = f"out {spelling.columns({column: field})}"
        raise BadInputError(
            f"{file!r}: {name} is a property of the {thing}, and {field!r}, read as {name}, differs within "
            f"{within}: {lost:,} of {quantity(rows, 'row')} would be left out; nothing was written. Leave "
            f"{remedy}; a study keeps no columns of answers"
        )


def _refuse_several_texts(file: str, builder: StudyBuilder, plan: TablePlan, rows: int) -> None:
    """Raise BadInputError where most rows have another text of an answer than an earlier row."""
    differing = builder.differing.get(("responses", "text"))
    fields = [plan.places[name] for name in ("response", "opponent_response") if name in plan.places]
    if differing is None or not fields or differing.total() <= _MOST_UNLIKE * rows:
        return
    answers = part_of(len(differing), len(builder.rows["responses"]), "answer")
    without = plan.options.spelling.without(fields)
    raise BadInputError(
        f"{file!r}: {that_columns(fields, 'has', 'have')} more than one text of {answers}: "
        f"{differing.total():,} of {quantity(rows, 'row')} would be left out; nothing was written. If they "
        f"are one answer, leave the texts out: {without}; if a model answered a "
        "question several times, give each time an id of the question of its own"
    )
