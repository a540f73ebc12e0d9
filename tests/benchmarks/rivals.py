"""The same group-by in Polars, DuckDB and pandas, in memory, on one table that needs no join."""

from collections.abc import Callable

import duckdb
import numpy as np
import pandas as pd
import polars as pl

from engine.grouping import whole
from engine.slices import Slice
from engine.study import Study

Counts = dict[tuple[str, str], tuple[int, int]]
KEYS = ["judge", "generator"]


def verdict_table(study: Study) -> pd.DataFrame:
    """Return a row for each verdict with a reference: judge, generator, polarity, over, failed.

    Texts are categories and the two truth values are worked out already: the easiest task for each tool.
    """
    planes, index = whole(study, Slice(), None, ("single_rubric",)).rubric.planes, study.index
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
            "over": over[counted],
            "failed": failed[counted],
        }
    )


def group_bys(table: pd.DataFrame) -> dict[str, Callable[[], Counts]]:
    """Return, for each tool, a function that counts the negative rubrics of every judge and generator."""
    frame = pl.from_pandas(table)
    connection = duckdb.connect()
    connection.execute('create table verdicts as select * from "table"')
    sums = "sum(over::int), sum(failed::int)"
    query = f"select judge, generator, {sums} from verdicts where polarity = 'negative' group by all"  # noqa: S608 - constants

    def by_polars() -> Counts:
        chosen = frame.lazy().filter(pl.col("polarity") == "negative").group_by(KEYS)
        return _counts(chosen.agg(pl.col("over").sum(), pl.col("failed").sum()).collect().rows())

    def by_duckdb() -> Counts:
        return _counts(connection.execute(query).fetchall())

    def by_pandas() -> Counts:
        chosen = table[table["polarity"] == "negative"].groupby(KEYS, observed=True)
        return _counts(chosen[["over", "failed"]].sum().reset_index().itertuples(index=False, name=None))

    return {"Polars": by_polars, "DuckDB": by_duckdb, "pandas": by_pandas}


def ours(study: Study) -> Counts:
    """Return the same counts through `measure`."""
    rows = study.measure("overestimation", polarity="negative", resamples=0)
    return _counts(rows[["judge", "generator", "over", "n"]].itertuples(index=False, name=None))


def _counts(rows: object) -> Counts:
    return {(judge, generator): (int(over), int(failed)) for judge, generator, over, failed in rows}
