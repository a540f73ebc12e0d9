"""What measures about judges and their kin share: names, and why a number is not there."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.table import Column, first_reason
from engine.views import View


def relatives_of(view: View) -> dict[str, list[Any]]:
    """Return the judges' names and families."""
    index = view.study.index
    return {
        "judge": [index.models[j] for j in view.judges],
        "family": [index.model_fields["family"][j] for j in view.judges],
    }


def with_reasons(columns: dict[str, Column], view: View, failed: NDArray[np.int64]) -> dict[str, Column]:
    """Say for each undefined rate and ratio what is missing.

    `failed` counts the unfavourable references, shape (judges, generators).
    """
    kin = view.kin
    over_others = np.nan_to_num(np.asarray(columns["o_other"].values, dtype=float)) > 0
    own = [
        (~kin.own.any(axis=1), "no_own_responses"),
        ((failed * kin.own).sum(axis=1) == 0, "no_own_failures"),
    ]
    family = [
        (~kin.family.any(axis=1), "no_relatives"),
        ((failed * kin.family).sum(axis=1) == 0, "no_failures_of_relatives"),
    ]
    other = [
        (~kin.other.any(axis=1), "no_others"),
        ((failed * kin.other).sum(axis=1) == 0, "no_failures_of_others"),
    ]
    zero = (~over_others, "no_overestimation_of_others")
    together = [((failed * kin.family_with_self).sum(axis=1) == 0, "no_failures_of_family")]
    why = {
        "o_self": own,
        "o_family": family,
        "o_other": other,
        "hspp_self": [*own, *other, zero],
        "hspp_family": [*family, *other, zero],
        "hspp_family_with_self": [*together, *other, zero],
        "difference_self": [*own, *other],
    }
    return {
        name: Column(column.values, column.draws, first_reason(*why[name]) if name in why else column.reasons)
        for name, column in columns.items()
    }
