"""Rows drawn by simulated studies."""

import pyarrow as pa
import pyarrow.compute as pc


def rows_of(simulation, **values):
    """Return the judgments whose columns have the values, as text."""
    table = simulation.judgments().read_all()
    for name, value in values.items():
        table = table.filter(pc.equal(table[name].cast(pa.string()), value))
    return table.to_pylist()
