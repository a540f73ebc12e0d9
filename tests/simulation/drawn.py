"""Rows drawn by simulated studies."""

import pyarrow as pa
import pyarrow.compute as pc


def rows_of(drawn, **wanted):
    """Return the judgments whose columns have the wanted values, as text."""
    table = drawn.judgments().read_all()
    for name, value in wanted.items():
        table = table.filter(pc.equal(table[name].cast(pa.string()), value))
    return table.to_pylist()
