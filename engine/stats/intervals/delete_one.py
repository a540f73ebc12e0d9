"""Means over instances, and their errors by deleting one instance at a time."""

import numpy as np

from engine.stats import Floats, Ints, Numbers
from engine.stats.intervals.jackknife import leave_one_out
from engine.stats.ratios import rate

_ROUNDING = 1e-11


def error_of_deleting(value: Floats, without: Floats, instances: Ints) -> Floats:
    """Return the standard error of values (...,) by the delete-one jackknife.

    `without` has shape (all instances, ...): the values with each instance left out. The squared changes, 0
    within rounding, are summed and multiplied by (n - 1) / n, n the `instances` (...,) with a counted case,
    changing or not. NaN where the value is undefined, or becomes so without some instance.
    """
    change = without - value
    change = np.where(np.abs(change) <= _ROUNDING * np.maximum(np.abs(value), 1.0), 0.0, change)
    with np.errstate(invalid="ignore"):
        total = (change**2).sum(axis=0)
    return np.asarray(np.sqrt(total * np.maximum(instances - 1, 0) / np.maximum(instances, 1)))


def mean_by_instance(total: Floats, number: Numbers) -> tuple[Floats, Floats]:
    """Return means of sums and numbers by instance, (..., instances), and their errors of deleting one."""
    value, without = deleted_means(total, number)
    return value, error_of_deleting(value, without, (number > 0).sum(axis=-1))


def deleted_means(total: Floats, number: Numbers) -> tuple[Floats, Floats]:
    """Return means of sums and numbers by instance, and those without each instance: (instances, ...)."""
    without = leave_one_out({"hits": total, "trials": number}, lambda sums: rate(**sums))
    return rate(total.sum(axis=-1), number.sum(axis=-1)), without
