"""`archetypes`: discriminability against self-preference bias (MEASURES section 9; EQP section 3.5)."""

import numpy as np

from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.columns import judge_columns
from engine.measures.entry import ADDED, OF_JUDGE, PAIRWISE, Field, Measure
from engine.measures.pairs.discriminability import discriminability_table
from engine.measures.pairs.equal_quality import equal_quality_table
from engine.measures.pairs.pair_options import (
    BINOMIAL_OPTION,
    CONTRAST_OPTIONS,
    D_FIELD,
    EQP,
    EQUAL_OPTIONS,
    MEAN_QUALITY,
    OF_ALL_FIELDS,
    QUALITY_OR_PEOPLE,
    SPB_FIELD,
)
from engine.measures.pairs.pair_sets import prepare_pairs
from engine.measures.rows import Column, Options, Table
from engine.stats.intervals.bootstrap import percentile_interval
from engine.stats.pairs import archetypes

_BORDERS = (("d", archetypes.BORDER_D), ("spb", archetypes.BORDER_SPB), ("spb", -archetypes.BORDER_SPB))

_WHOLE = {"d": (0.0, 1.0), "spb": (-1.0, 1.0)}
"""What the numbers can be."""


def archetypes_table(view: SliceView, options: Options) -> Table:
    discernment = discriminability_table(view, options)
    preference = equal_quality_table(view, options)
    d, spb = discernment.columns["d"], preference.columns["spb"]
    values = [np.asarray(column.values, dtype=np.float64) for column in (d, spb)]
    columns = judge_columns(view) | {"d": d, "spb": spb, "mean_quality": preference.columns["mean_quality"]}
    columns |= {name: discernment.columns[name] for name in ("d_all", "n_apart")}
    columns |= {"n_contrast": discernment.columns["n"], "n_pairs": preference.columns["n_pairs"]}
    why = [(d if np.isnan(value) else spb).reason(row) for row, value in enumerate(values[0])]
    columns["archetype"] = Column(archetypes.archetypes(*values), reasons=why)
    columns |= _possible_archetypes(d, spb)
    left_out = dict(preference.left_out)
    for code, number in discernment.left_out.items():  # pairs far apart are not of equal quality
        if code != "no_quality":
            left_out[code] = left_out.get(code, 0) + number
    instances = max(discernment.instances, preference.instances)
    return Table(columns, discernment.keep | preference.keep, instances, left_out)


def _possible_archetypes(d: Column, spb: Column) -> dict[str, Column]:
    """Return the borders that the intervals cross, and the archetypes that they leave open."""
    if d.draws is None or spb.draws is None:
        nothing = Column([None] * len(d.values), reasons="no_resamples")
        return {"crosses": nothing, "possible": nothing}
    intervals = {"d": percentile_interval(d.draws), "spb": percentile_interval(spb.draws)}
    crosses, possible = [], []
    for row in range(len(d.values)):
        ends = {name: (interval.low[row], interval.high[row]) for name, interval in intervals.items()}
        crosses.append([f"{name} {at:g}" for name, at in _BORDERS if archetypes.crosses(*ends[name], at)])
        for name, column in (("d", d), ("spb", spb)):
            if np.isnan(ends[name][0]):  # a number without an interval may be any
                ends[name] = _WHOLE[name] if np.isfinite(column.values[row]) else (np.nan, np.nan)
        possible.append(archetypes.open_archetypes(ends["d"], ends["spb"]))
    return {"crosses": Column(crosses), "possible": Column(possible)}


ARCHETYPES = Measure(
    name="archetypes",
    title="Archetypes",
    question="Is a judge able and fair, able and partial, or unable?",
    formula="D below 0.80: Incompetent Randomizer; else by SPB: Blindly Biased, Objective, Machiavellian",
    paper=f"{EQP}, section 3.5 and Table 6",
    left_out="the same as in pairs of equal quality and discriminability",
    function=archetypes_table,
    chart="regions",
    prepare=prepare_pairs,
    empty="no two answers of equal quality, and none that clearly differ, are judged",
    headline="spb",
    paradigms=PAIRWISE,
    options=(*QUALITY_OR_PEOPLE, *EQUAL_OPTIONS, BINOMIAL_OPTION, *CONTRAST_OPTIONS),
    intervals={ADDED: ("d", "spb")},
    fields=(
        *OF_JUDGE,
        D_FIELD,
        SPB_FIELD,
        entry.key("archetype", "Incompetent Randomizer, Machiavellian, Blindly Biased or Objective"),
        Field(
            "crosses", "list", "thresholds that the intervals cross, such as `d 0.8`", title="Borders crossed"
        ),
        Field("possible", "list", "archetypes that the intervals allow"),
        MEAN_QUALITY,
        entry.count("n_contrast", "answers behind D"),
        *OF_ALL_FIELDS,
        entry.count("n_pairs", "pairs behind PIR"),
    ),
)
