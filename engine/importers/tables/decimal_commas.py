"""Numbers with a decimal comma, in tables whose cells are separated by semicolons.

There a comma within a number separates no cells. Where every number of a column is written so, none has a
point, and not all have three digits after the comma, as marks between thousands have, it can mean nothing
else.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from engine.importers.reading.rows import Row
from engine.importers.tables.table_columns import DECLARED, matching, plain
from engine.importers.tables.verdict_words import NO_VERDICT, lookup_key

_NUMBER = re.compile(r"-?\d+(?:,(\d+))?")
_IDS = ("instance_id", "rubric_id", "annotator", "run_id")
_ID_WORDS = ("id", "no", "number", "idx", "index")


def columns_with_commas(rows: Sequence[Row]) -> list[str]:
    """Return the columns of these rows whose numbers have decimal commas."""
    columns = dict.fromkeys(name for row in rows for name in row.values)
    ids = {name for each in _IDS for group in DECLARED[each].groups() for name in group}
    names = [each for each in columns if plain(each).split("_")[-1] not in _ID_WORDS]
    of_ids = matching(names, ids)
    return [name for name in names if name not in of_ids and _has_commas(name, rows)]


def _has_commas(name: str, rows: Sequence[Row]) -> bool:
    digits = set()
    for row in rows:
        value = row.values.get(name)
        if value is None or lookup_key(value) in NO_VERDICT:
            continue
        match = _NUMBER.fullmatch(str(value).strip())
        if match is None:
            return False
        if match[1] is not None:
            digits.add(len(match[1]))
    return bool(digits - {3})


def with_points(rows: Iterable[Row], columns: Sequence[str]) -> Iterator[Row]:
    """Yield rows with a point in place of the decimal comma in these columns."""
    for row in rows:
        numbers = {
            name: value.strip().replace(",", ".")
            for name in columns
            if isinstance(value := row.values.get(name), str) and _NUMBER.fullmatch(value.strip())
        }
        yield Row(row.file, row.number, {**row.values, **numbers})
