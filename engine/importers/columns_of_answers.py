"""A column read as a property of questions or criteria that differs within them: it is of the answers."""

from engine.errors import BadInputError
from engine.importers.reading.study_builder import StudyBuilder
from engine.importers.table_reading import TablePlan
from engine.phrases import part_of, quantity

_THINGS = {"instances": "question", "rubrics": "criterion"}

_FEW, _MOST_LOST = 2, 0.1
"""So many rows, and so large a share, may contradict another on a question or criterion, and are left out."""


def refuse_columns_of_answers(file: str, builder: StudyBuilder, plan: TablePlan, rows: int) -> None:
    """Raise BadInputError where a column has more than one value for so many questions or criteria.

    `rows` are those that were read.
    """
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
