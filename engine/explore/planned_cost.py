"""The cost of a planned study in calls, tokens and dollars, with assumptions from an existing one."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Literal

import numpy as np

from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.slicing.resolve import NoDataError, ResolvedSlice, resolve
from engine.errors import UsageError
from engine.paradigms import PAIR_PARADIGMS, RUBRIC_PARADIGMS
from engine.phrases import quantity
from engine.slices import Slice
from engine.stats import Ints
from engine.stats.conclusions.power import Assumptions, StudySize
from engine.stats.judges.combined_verdicts import pair_agreement

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import HsppRow, OverestimationRow


Way = Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise"]

WAYS: dict[Way, str] = {
    "single_rubric": "one call for each criterion of each answer",
    "all_rubrics": "one call for each answer, with a verdict on every criterion",
    "direct_assessment": "one call for each answer, with one score",
    "pairwise": "two calls for each pair of answers, one in each order",
}
"""The ways of judging, and the calls that they need."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Tokens of one call on a single rubric, and US dollars per million tokens sent and received."""

    tokens_in: float = 1000.0
    tokens_out: float = 50.0
    price_in: float = 1.0
    price_out: float = 4.0

    def __post_init__(self) -> None:
        for name in ("tokens_in", "tokens_out", "price_in", "price_out"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise UsageError(f"{name} {getattr(self, name)!r} is not a number of 0 or more; give one")


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one way of judging: calls, tokens in and out, US dollars."""

    way: Way
    calls: int
    tokens_in: float
    tokens_out: float
    dollars: float


def cost_of(way: Way, assumptions: Assumptions, size: StudySize, prices: Prices) -> Cost:
    """Return the cost of the judgments of a study, without responses and retries.

    A call on a pair reads twice as much, and one on all rubrics gives an answer for each.
    """
    rubrics = assumptions.rubrics_per_instance
    pairs = size.instances * assumptions.judges * comb(assumptions.responses, 2)
    calls = {"single_rubric": size.verdicts, "pairwise": 2 * pairs}.get(way, size.responses)
    tokens_in = calls * prices.tokens_in * (2 if way == "pairwise" else 1)
    tokens_out = calls * prices.tokens_out * (rubrics if way == "all_rubrics" else 1)
    dollars = (tokens_in * prices.price_in + tokens_out * prices.price_out) / 1e6
    return Cost(way, calls, tokens_in, tokens_out, dollars)


def assumptions_from(study: "MeasuredStudy") -> dict[str, float]:
    """Return the `Assumptions` estimated from a study; empty without rubric verdicts and a reference.

    They are those of its first rubric paradigm, over all judges: the share of references that are
    unfavourable, and the mean over judges of their overestimation of other families.
    """
    try:
        cells: list[OverestimationRow] = study.result("overestimation", level="rubric", resamples=0).rows
        means: list[HsppRow] = study.result("hspp", level="rubric", resamples=0).rows
    except UsageError:
        return {}
    failed, met = sum(row["n"] for row in cells), sum(row["under_n"] for row in cells)
    rates = [row["o_other"] for row in means if row["judge"] and row["o_other"]]
    if not failed or not met or not rates:
        return {}
    return _sizes(study, cells) | {
        "failure_rate": failed / (failed + met),
        "overestimation": sum(rates) / len(rates),
    }


def _sizes(study: "MeasuredStudy", cells: "Sequence[OverestimationRow]") -> dict[str, float]:
    index, family = study.index, study.families()
    generators = {row["generator"] for row in cells}
    judges = {row["judge"] for row in cells} & generators
    return {
        "judges": max(len(judges), 1),
        "generators": max(len(generators), 2),
        "families": max(len({family[name] for name in generators}), 2),
        "rubrics_per_instance": max(index.n_rubrics / max(index.n_instances, 1), 1.0),
    }


def questions_of(study: "MeasuredStudy") -> int:
    """Return the number of questions, of some runs that of those with a judgment."""
    if not study.only_runs:
        return study.index.n_instances
    judged = study.files.judgments(["instance_id"], {"run_id": study.only_runs})
    return len(judged["instance_id"].unique())


@dataclass(frozen=True)
class _OwnCases:
    """A judge's own cases in a question, on average, and the share of cases on which two judges differ.

    `questions` are those that can have cases, as they have what `needed` names.
    """

    judges: Ints
    generators: Ints
    cases: float
    rate: float
    questions: int
    needed: str


def votes_from(study: "MeasuredStudy") -> dict[str, float]:
    """Return what votes of a study like this one are computed from (`AssumedStudy`).

    They are the judges that answer too and their families, a judge's own cases in a question that can have
    them, and the share of cases on which two judges differ: of criteria with a reference those that an answer
    failed, else every criterion, or pairs. Empty without verdicts and pairs, or where only one judge answers.
    """
    if (own := _own_cases(study)) is None:
        return {}
    judges = np.intersect1d(own.judges, own.generators).tolist()
    family, models = study.families(), study.index.models
    families = {family[models[judge]] or models[judge] for judge in judges}
    if len(judges) < 2 or not own.cases or math.isnan(own.rate) or not own.rate:
        return {}
    return {"judges": len(judges), "families": len(families), "cases": own.cases, "rate": own.rate}


def caveats_of_plan(study: "MeasuredStudy", assumed: Mapping[str, float], measure: str) -> list[str]:
    """Return what to know of a plan from a study: nothing supplied, or questions that do not count."""
    caveats = []
    if not assumed:
        caveats.append(
            f"{study.files.name} does not have two judges that answer too, so that typical values are taken."
        )
    if measure != "bonus_outside" and (only := questions_with_cases(study)) is not None:
        caveats.append(only)
    return caveats


def questions_with_cases(study: "MeasuredStudy") -> str | None:
    """Return that only some of a study's questions can have the cases of its votes; None if all can."""
    own, questions = _own_cases(study), questions_of(study)
    if own is None or own.questions == questions:
        return None
    of_all = f"Of {quantity(questions, 'question')} in {study.files.name}"
    return f"{of_all}, {own.questions:,} have {own.needed}; the plan counts only such questions."


def _own_cases(study: "MeasuredStudy") -> _OwnCases | None:
    """Return those of criteria, else of pairs; None of a study without verdicts on either."""
    return study.remember("own cases", lambda: _read_own_cases(study))


def _read_own_cases(study: "MeasuredStudy") -> _OwnCases | None:
    for paradigms in (RUBRIC_PARADIGMS, PAIR_PARADIGMS):
        try:
            return _cases_in(study, resolve(study, Slice(run=study.only_runs), paradigms))
        except NoDataError:
            continue
    return None


def _cases_in(study: "MeasuredStudy", request: ResolvedSlice) -> _OwnCases:
    cube = study.cube(request.selection)
    if isinstance(cube, PairCube):
        return _own_pairs(cube)
    assert isinstance(cube, VerdictCube)  # noqa: S101 - the paradigm is one of criteria
    planes, layout = study.planes(cube, request), study.index.layout
    has_reference = bool(planes.failed.any())
    voted = planes.failed if has_reference else cube.ok
    passed = planes.over if has_reference else planes.favourable
    shape = (len(cube.generators), study.index.n_rubrics)
    ayes, voters = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    own = []
    for judge, cells, favourable in zip(cube.judges, voted, passed, strict=True):
        each = layout.unpack(cells)
        voters += each
        ayes += layout.unpack(favourable)
        own += [int(each[place].sum()) for place in np.flatnonzero(cube.generators == judge)]
    agreement = pair_agreement(ayes, voters)
    rate = 1 - float(agreement[~np.isnan(agreement)].mean()) if (voters > 1).any() else math.nan
    counted = np.bitwise_or.reduce(planes.counted if has_reference else cube.ok, axis=(0, 1))
    questions = len(np.unique(layout.instance_at(layout.places(counted))))
    cases = sum(own) / max(len(own), 1) / max(questions, 1)
    needed = "a reference" if has_reference else "verdicts"
    return _OwnCases(cube.judges, cube.generators, cases, rate, questions, needed)


def _own_pairs(cube: PairCube) -> _OwnCases:
    """Return that of pairs; a tie is half a vote, and two judges differ by the square of their votes' gap."""
    outcomes = cube.outcomes
    votes = (outcomes.outcome + 1) / 2
    who = np.stack([outcomes.instance, outcomes.generator, outcomes.opponent])
    _, pair = np.unique(who, axis=1, return_inverse=True)
    pair = pair.reshape(-1)
    number, total, squares = (np.bincount(pair, weight) for weight in (None, votes, votes**2))
    several = number > 1
    spread = (squares - total**2 / number)[several] / (number[several] - 1)
    rate = 2 * float(spread.mean()) if several.any() else math.nan
    is_own = (outcomes.judge == outcomes.generator) | (outcomes.judge == outcomes.opponent)
    answering = np.intersect1d(cube.judges, cube.generators)
    questions = len(np.unique(outcomes.instance))
    cases = is_own.sum() / max(len(answering), 1) / max(questions, 1)
    return _OwnCases(cube.judges, cube.generators, float(cases), rate, questions, "pairs")
