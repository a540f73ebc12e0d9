"""What a study supplies to the plan of its next: the number that decides, judges, a rate, a spread."""

from collections.abc import Sequence
from math import ceil, log, sqrt
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri, stdtrit

from engine.explore.planned_cost import assumptions_from, votes_from
from engine.stats.conclusions.group import FEWEST_FAMILIES
from engine.stats.conclusions.power import ALPHA
from engine.stats.intervals.jackknife import POWER

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.result import Result
    from engine.measures.row_types import ScorecardRow


def decides(study: "MeasuredStudy") -> str | None:
    """Return the number on which the study's conclusions rest, None without any."""
    number = _scorecard(study).filters.get("decided_by")
    return None if number is None else str(number)


def assumed_of(study: "MeasuredStudy", measure: str) -> dict[str, float]:
    """Return what a study supplies to the power of a measure, named as in `Assumptions` or `AssumedStudy`.

    Judges and their families are those that answer too; empty where there are not two of them. The rest is
    there where the study has such judgments: `rate` of odds is the share of own cases that are expected to
    pass, `spread` of points what makes the study's own errors, `heterogeneity` of the number that decides how
    far families differ beyond sampling.
    """
    if measure == "hspp":
        return assumptions_from(study) or _judges(_own_rows(study))
    rows = _own_rows(study)
    votes = votes_from(study) if measure != "bonus_outside" else {}
    supplied = votes or _judges(rows)
    if not supplied:
        return {}
    if measure != "vote_outside":
        supplied.pop("rate", None)  # how often two judges differ
    if decides(study) == measure:
        supplied |= _heterogeneity(_scorecard(study).rows, rows)
    if measure == "odds_self":
        expected = _expected(study) if decides(study) == "odds_self" else None
        return supplied if expected is None else supplied | {"rate": expected}
    if measure == "bonus_outside":
        spread = _spread(rows, supplied) if decides(study) == measure else None
        return supplied if spread is None else supplied | {"spread": spread}
    return supplied


def _scorecard(study: "MeasuredStudy") -> "Result":
    result: Result = study.remember("scorecard of plans", lambda: study.result("scorecard"))
    return result


def _own_rows(study: "MeasuredStudy") -> "list[ScorecardRow]":
    """Return the scorecard's rows of judges that judged own answers."""
    rows: list[ScorecardRow] = _scorecard(study).rows
    return [row for row in rows if row["judge"] is not None and row["n_own"]]


def _judges(rows: "Sequence[ScorecardRow]") -> dict[str, float]:
    families = {row["family"] or row["judge"] for row in rows}
    return {} if len(rows) < 2 else {"judges": len(rows), "families": len(families)}


def _expected(study: "MeasuredStudy") -> float | None:
    """Return the share of own cases expected to pass: that of the judges together, else over all judges."""
    rows: list[ScorecardRow] = _scorecard(study).rows
    together = [row for row in rows if row["judge"] is None and row["own_expected"] is not None]
    of_cases = together or [row for row in rows if row["own_expected"] is not None and row["n_own"]]
    if not of_cases:
        return None
    share = float(
        np.average([row["own_expected"] for row in of_cases], weights=[row["n_own"] for row in of_cases])
    )
    return share if 0 < share < 1 else None


def _heterogeneity(every: "Sequence[ScorecardRow]", rows: "Sequence[ScorecardRow]") -> dict[str, float]:
    """Return the standard deviation of families' means beyond sampling; nothing where they are not tested.

    The variance of the families' means, from the interval of the judges together (Student's t over families),
    less the sampling variance of such a mean, from what is detectable of each judge (MEASURES section 18).
    """
    together = next((row for row in every if row["judge"] is None), None)
    if together is None or together["low"] is None or together["high"] is None:
        return {}
    families = together["families"] or 0
    sampling = [_squared_error(row) for row in rows if row["detectable"]]
    if families < FEWEST_FAMILIES or not sampling:
        return {}
    ends = np.array([together["low"], together["high"]])
    low, high = np.log(ends) if together["decided_by"] == "odds_self" else ends
    error = (high - low) / 2 / float(stdtrit(families - 1, 1 - ALPHA / 2))
    variance = families * error**2 - np.mean(sampling) * families / len(sampling)
    return {"heterogeneity": sqrt(max(float(variance), 0.0))}


def _squared_error(row: "ScorecardRow") -> float:
    """Return the squared error of a judge's number, from the smallest effect that the study would find."""
    detectable = row["detectable"] or 0.0
    reach = float(ndtri(1 - ALPHA / 2) + ndtri(POWER))
    return ((log(detectable) if row["decided_by"] == "odds_self" else detectable) / reach) ** 2


def _spread(rows: "Sequence[ScorecardRow]", supplied: dict[str, float]) -> float | None:
    """Return the spread with which a study of this size shows, on average, what this one says of itself.

    The inverse of the variance of points in `power_of_differences`: squared errors, each times the questions
    on which a judge scored its own answer, averaged over judges.
    """
    squared = [row["n_own"] * _squared_error(row) for row in rows if row["detectable"]]
    strangers = supplied["judges"] - ceil(supplied["judges"] / supplied["families"])
    if not squared or not strangers:
        return None
    return sqrt(float(np.mean(squared))) / (1 + 1 / strangers)
