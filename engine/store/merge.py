"""A small table joined to the rows that a study already holds."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.store.checks import Known, TableCheck
from engine.store.identity import Keys, one_orientation
from engine.store.sources import Batch


def new_rows(check: TableCheck, known: Known, old: pa.Table, new: pa.Table) -> tuple[pa.Table, int]:
    """Return the rows of `new` that `old` does not hold, and how many it holds already.

    A row is held already when one with its key agrees in all columns that the source of `new` gives.
    Raises BadInputError where two new rows have one key, or where an old row with the key differs.
    """
    table = check.source.table
    later, earlier = check.repeated()
    if len(later):
        row = new.slice(int(later[0]), 1)
        check.refuse_repeated(later, earlier, {key: row[key].combine_chunks() for key in table.key})
    if not old.num_rows or not new.num_rows:
        return new, 0
    keys = Keys(table.key)
    start = 0
    for rows in (old, new):
        for batch in rows.combine_chunks().to_batches():
            columns = dict(zip(rows.column_names, batch.columns, strict=True))
            codes = known.codes(table, columns, Batch(batch))
            keys.add(one_orientation(table, codes), np.arange(start, start + batch.num_rows))
            start += batch.num_rows
    again, held = keys.repeated()
    again -= old.num_rows
    given = [name for name in check.source.columns or table.names if name in new.column_names]
    differing = _differing(old.select(given).take(held), new.select(given).take(again))
    if differing is not None:
        row, column, before, now = differing
        raise check.places.error(
            table.name,
            int(again[row]),
            f"{column} is {now!r}, but the study holds the same {' and '.join(table.key)} with {before!r}",
            "make them agree, or use --replace",
        )
    fresh = np.ones(new.num_rows, bool)
    fresh[again] = False
    return new.filter(pa.array(fresh)), len(again)


def _differing(old: pa.Table, new: pa.Table) -> tuple[int, str, object, object] | None:
    """Return (row, column, old value, new value) of the first difference in the first column that has one."""
    for name in old.column_names:
        equal = pc.fill_null(pc.equal(old[name], new[name]), False)
        both_null = pc.and_(old[name].is_null(), new[name].is_null())
        same = pc.or_(equal, both_null).to_numpy()
        if not same.all():
            row = int(np.argmin(same))
            return row, name, old[name][row].as_py(), new[name][row].as_py()
    return None
