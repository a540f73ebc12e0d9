"""`hspp`: self-preference ratios for each judge, and their mean (MEASURES section 2)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.kin import relatives_of, with_reasons
from engine.measures.table import FEW, Column, Table, first_reason
from engine.metrics.added_cases import drawn_ratio
from engine.metrics.overestimation import mean_of_defined, rate, ratio, self_preference
from engine.views import View
from engine.views.counted import combine
from engine.views.instance import InstanceCounts
from engine.views.rubric import RubricCounts

RATIOS = ("hspp_self", "hspp_family", "hspp_family_with_self")


def compute(view: View, options: Mapping[str, Any]) -> Table:
    """Return a row for each judge, and a last one of the means over judges."""
    counts = view.counts
    columns = preference_columns(view, counts)
    rng = np.random.default_rng(options["seed"])
    columns |= _matched(counts, rng) if isinstance(counts, RubricCounts) else _types(view, counts)
    who = relatives_of(view)
    failed = counts.failed.total
    numbers = {
        "n_self": (failed * view.kin.own).sum(axis=1),
        "n_family": (failed * view.kin.family).sum(axis=1),
        "n_other": (failed * view.kin.other).sum(axis=1),
    }
    columns |= {name: Column(values) for name, values in numbers.items()}
    columns |= {name: Column(values) for name, values in who.items()}
    columns["small"] = Column(list(numbers["n_self"] < FEW))
    columns["judges"] = Column([None] * len(failed), reasons="row_of_one_judge")
    keep = np.asarray(counts.present.any(axis=1))
    return Table(_with_means(columns, keep), np.append(keep, keep.any()), counts.instances, view.left_out)


def preference_columns(view: View, counts: RubricCounts | InstanceCounts) -> dict[str, Column]:
    """Return rates and ratios with their draws; undefined ones with the reason."""
    value, draws = combine(
        lambda over, failed: self_preference(over, failed, view.kin), counts.over, counts.failed
    )
    columns = {
        name: Column(getattr(value, name), None if draws is None else getattr(draws, name))
        for name in vars(value)
    }
    return with_reasons(columns, view, counts.failed.total)


def _matched(counts: RubricCounts, rng: np.random.Generator) -> dict[str, Column]:
    size, own, others = counts.matched
    value = ratio(own.total.astype(float), others.total.astype(float))
    draws = None
    if own.draws is not None and others.draws is not None:
        draws = drawn_ratio(own.draws, others.draws, rng)
    reasons = first_reason(
        (size.total == 0, "no_matched_rubrics"), (others.total == 0, "no_overestimation_of_others")
    )
    shares = Column([None] * len(value), reasons="instance_level_only")
    return {
        "hspp_matched": Column(value, draws, reasons),
        "n_matched": Column(size.total),
        "l2w_share_self": shares,
        "l2w_share_other": shares,
    }


def _types(view: View, counts: InstanceCounts) -> dict[str, Column]:
    """Return the shares of overestimations that turn a loss into a win, from pooled counts."""

    def share(who: NDArray[np.bool_]) -> Column:
        wins = (counts.to_win.total * who).sum(axis=1)
        return Column(rate(wins, (counts.over.total * who).sum(axis=1)), reasons="no_overestimation")

    return {
        "hspp_matched": Column([None] * len(view.judges), reasons="rubric_level_only"),
        "n_matched": Column(np.zeros(len(view.judges), dtype=np.int64)),
        "l2w_share_self": share(view.kin.own),
        "l2w_share_other": share(view.kin.other),
    }


def _with_means(columns: dict[str, Column], keep: NDArray[np.bool_]) -> dict[str, Column]:
    """Append the row of means over the judges kept; of counts their sums."""
    defined = int((~np.isnan(np.asarray(columns["hspp_self"].values)[keep])).sum())
    extended = {}
    for name, column in columns.items():
        values = column.values
        reasons = [column.reason(row) for row in range(len(values))]
        if name in RATIOS:
            kept = np.asarray(values)[keep]
            draws = column.draws
            mean = mean_of_defined(kept)
            if draws is not None:
                draws = np.column_stack([draws, mean_of_defined(draws[:, keep])])
            extended[name] = Column(np.append(values, mean), draws, [*reasons, "no_judge_with_a_ratio"])
            continue
        if name.startswith("n_"):
            last: Any = int(np.asarray(values)[keep].sum())
        else:
            last = {"judges": defined, "small": False}.get(name)
        draws = column.draws
        if draws is not None:
            draws = np.column_stack([draws, np.full(len(draws), np.nan)])
        extended[name] = Column([*values, last], draws, [*reasons, "row_of_means"])
    return extended
