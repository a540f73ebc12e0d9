"""The same group-by in Polars, DuckDB and pandas, in memory, on one table that needs no join."""

from collections.abc import Callable

import duckdb
import numpy as np
import pandas as pd
import polars as pl

from engine.arrays.slicing.group_by import single_view
from engine.slices import Slice
from engine.study import Study

Counts = dict[tuple[str, str], tuple[int, int]]
KEYS = ["judge", "generator"]


def verdict_table(study: Study) -> pd.DataFrame:
    """Return a row for each verdict with a reference: judge, generator, polarity, length, over, failed.

    Texts are categories and the two truth values are computed already: the easiest task for each tool.
    """
    planes, index = single_view(study, Slice(), None, ("single_rubric",)).rubric.planes, study.index
    counted, over, failed = (index.layout.unpack(p) for p in (planes.counted, planes.over, planes.failed))
    judge, generator, rubric = np.nonzero(counted)
    names = [index.models[model] for model in planes.cube.judges]
    signs = ["positive", "negative"]
    return pd.DataFrame(
        {
            "judge": pd.Categorical.from_codes(judge, names),
            "generator": pd.Categorical.from_codes(
                generator, [index.models[g] for g in planes.cube.generators]
            ),
            "polarity": pd.Categorical.from_codes((index.points < 0).astype(np.int8)[rubric], signs),
            "length": index.lengths["characters"].astype(np.int16)[rubric],
            "over": over[counted],
            "failed": failed[counted],
        }
    )


def group_bys(table: pd.DataFrame) -> dict[str, Callable[[int], Counts]]:
    """Return for each tool a function that counts the negative rubrics of at least a given length.

    The counts are by judge and generator.
    """
    frame = pl.from_pandas(table)
    connection = duckdb.connect()
    connection.execute('create table verdicts as select * from "table"')
    sums = "sum(over::int), sum(failed::int)"
    wanted = "polarity = 'negative' and length >= ?"
    query = f"select judge, generator, {sums} from verdicts where {wanted} group by all"  # noqa: S608 - constants

    def by_polars(shortest: int) -> Counts:
        wanted = (pl.col("polarity") == "negative") & (pl.col("length") >= shortest)
        chosen = frame.lazy().filter(wanted).group_by(KEYS)
        return _counts(chosen.agg(pl.col("over").sum(), pl.col("failed").sum()).collect().rows())

    def by_duckdb(shortest: int) -> Counts:
        return _counts(connection.execute(query, [shortest]).fetchall())

    def by_pandas(shortest: int) -> Counts:
        wanted = (table["polarity"] == "negative") & (table["length"] >= shortest)
        sums = table[wanted].groupby(KEYS, observed=True)[["over", "failed"]].sum()
        return _counts(sums.reset_index().itertuples(index=False, name=None))

    return {"Polars": by_polars, "DuckDB": by_duckdb, "pandas": by_pandas}


def ours(study: Study, shortest: int) -> Counts:
    """Return the same counts through `measure`."""
    rows = study.measure("overestimation", polarity="negative", length=f"{shortest}:", resamples=0)
    return _counts(rows[["judge", "generator", "over", "n"]].itertuples(index=False, name=None))


def _counts(rows: object) -> Counts:
    return {(judge, generator): (int(over), int(failed)) for judge, generator, over, failed in rows}
