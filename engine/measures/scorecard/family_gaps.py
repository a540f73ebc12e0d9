"""What the judges of a family add to its responses' scores, one row each (MEASURES section 20)."""

from dataclasses import replace

import numpy as np

from engine.arrays.slicing.family_masks import family_masks
from engine.arrays.view import SliceView
from engine.measures.rows import Column, Intervals, Table, first_reason, stack_rows
from engine.stats import Ints
from engine.stats.outside.family_effects import FamilyEffects, family_effects

FAMILY_ROW = "row_of_family"
OF_FAMILIES = ("effect_family", "low", "high", "p")


def effects_of_families(view: SliceView) -> tuple[list[str], FamilyEffects]:
    """Return the families that score relatives, and the effect of each in points of 100."""
    index, relatives = view.study.index, view.request.spec.relatives
    masks = family_masks(view)
    labels = index.model_fields[relatives]
    of_models = [
        name if label is None else str(label) for name, label in zip(index.models, labels, strict=True)
    ]
    names = [of_models[judge] for judge in view.judges[masks.has_family]]
    families = list(dict.fromkeys(names))
    places = {name: place for place, name in enumerate(families)}

    def number(models: Ints, beyond: int) -> Ints:
        """Return the numbers of models' families; `beyond` stands for all without relatives."""
        return np.array([places.get(of_models[model], beyond) for model in models], dtype=np.int64)

    n = len(families)
    of_judge, of_generator = number(view.judges, n), number(view.generators, n + 1)
    scores = 100 * view.scored.judge.values
    return families, family_effects(scores, of_judge, of_generator, masks.own, n)


COUNTS = ("n_own", "n_other", "n_outside", "n_family", "placebo_of")


def with_families(view: SliceView, table: Table) -> Table:
    """Return the table of judges with a row for each family behind them; `view` shows all judges."""
    if not family_masks(view).has_family.any():
        return table
    families, effects = effects_of_families(view)
    n, estimates = len(families), effects.estimates
    low, high = estimates.interval()
    why = first_reason(
        (np.isnan(estimates.value), "not_identified"),
        (estimates.freedom < 1, "one_judge_of_family"),
    )
    rows = {
        name: _without_value(column, n, of_count=name in COUNTS) for name, column in table.columns.items()
    }
    rows |= {
        "family": Column(families),
        "effect_family": Column(estimates.value, reasons=why),
        "low": Column(np.where(estimates.defined, low, np.nan), reasons=why),
        "high": Column(np.where(estimates.defined, high, np.nan), reasons=why),
        "p": Column(np.where(estimates.defined, estimates.p(), np.nan), reasons=why),
        "n_family": Column(effects.cells),
        "n_other": Column(effects.n - effects.cells),
        "n_outside": Column(effects.judges),
        "tastes_assumed": Column([False] * n),
    }
    with_cells = effects.cells > 0
    keep = np.concatenate([table.keep, with_cells])
    tested = None if table.tested is None else np.concatenate([table.tested, with_cells])
    return replace(table, columns=stack_rows([dict(table.columns), rows]), keep=keep, tested=tested)


def _without_value(column: Column, n: int, *, of_count: bool) -> Column:
    """Return n rows without a value, with draws and intervals where the column has them."""
    if of_count:
        return Column(np.zeros(n, dtype=np.int64))
    nothing = np.full(n, np.nan)
    draws = None if column.draws is None else np.full((len(column.draws), n), np.nan)
    intervals = None
    if column.intervals is not None:
        intervals = Intervals(nothing, nothing, nothing, FAMILY_ROW)
    return Column([None] * n, draws, FAMILY_ROW, intervals)
