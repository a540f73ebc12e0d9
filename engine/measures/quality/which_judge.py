"""Which judge to use: what speaks for and against each, in numbers, and the advice that follows."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from engine.arrays.slicing.empty_slices import why_nothing_counts
from engine.arrays.slicing.group_by import single_view
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.slicing.verdict_counts import VerdictCounts, verdict_counts
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.item_values import KINDS
from engine.conclusions import lacks_cases, side_of
from engine.errors import UsageError
from engine.measures import entry
from engine.measures.compute import compute_measure
from engine.measures.entry import OF_JUDGE as JUDGE_AND_FAMILY
from engine.measures.entry import Field, Measure, Option
from engine.measures.orders.order_effect import ORDER_EFFECT
from engine.measures.quality.accuracy import ACCURACY
from engine.measures.quality.judge_costs import JUDGE_COSTS
from engine.measures.quality.people import PEOPLE
from engine.measures.result import Result
from engine.measures.rows import Column, Intervals, Options, Table
from engine.measures.scorecard.scorecard import SCORECARD
from engine.slices import Slice
from engine.stats import Weights
from engine.stats.intervals.wilson import wilson

Row = Mapping[str, Any]

FLIPS, MISSING = 0.1, 0.02
"""Shares of changes with the order, and of missing verdicts, from which on something is to be done."""
FIT = "fit for use on others' answers"
"""What is advised of a judge that is accurate enough."""
_FIT_IF_ALIKE = "add a second judge, as it is right often enough only where its repeats agree"
SECOND = "add a second judge on its own answers"
"""What is advised where nothing is shown of a judge's own answers; a reason follows after a comma."""
_FROM_SCORECARD = {"excess": "excess", "excess_family": "excess_family"}


def which_judge_table(study: StudyArrays, spec: Slice, options: Options, weights: Weights | None) -> Table:
    """Return a row for each judge with a judgment that counts in the slice."""
    for name in ("enough", "bound"):
        if not 0 < options[name] < 1:
            raise UsageError(f"{name} {options[name]!r} is not between 0 and 1; give one such as 0.8")
    resamples = 0 if weights is None else len(weights)
    tables = {
        measure.name: _rows(study, measure, spec, resamples, options["seed"])
        for measure in (PEOPLE, SCORECARD, ORDER_EFFECT, JUDGE_COSTS)
    }
    accuracy = _result(study, ACCURACY, spec, resamples, options["seed"])
    tables[ACCURACY.name] = [] if accuracy is None else accuracy.rows
    merges = accuracy is not None and accuracy.left_out.get("merged", 0) > 0 and spec.repeats != "first"
    of_first = _accuracy_of_first(study, spec, resamples, options["seed"]) if merges else {}
    few = _questions_with_a_truth(study, spec) < spec.min_instances
    cards = {row["judge"]: row for row in tables["scorecard"]}
    group = cards.get(None, {})
    counts = verdict_counts(study, spec)
    rows = []
    for judge in [model for model in study.index.models if model in counts]:
        if spec.judges and judge not in spec.judges:
            continue
        if not any(row["judge"] == judge for of_measure in tables.values() for row in of_measure):
            continue  # no measure counts a judgment of it in this slice
        numbers = _numbers(judge, tables, cards.get(judge, {}), counts[judge])
        numbers |= {"accuracy_of_first_low": of_first.get(judge), "few_questions": few}
        advice = advise(numbers, cards.get(judge), group, options["enough"], options["bound"])
        rows.append(
            {"judge": Column([judge])}
            | {"family": Column([study.index.model_fields["family"][study.index.models.index(judge)]])}
            | {name: _column(numbers, name) for name in NUMBERS}
            | {
                name: Column([numbers[name]], reasons=NUMBERS[name.removesuffix("_of")])
                for name in ("accuracy_of", "agreement_of")
            }
            | {"cost_per_1000": Column([numbers["cost_per_1000"]], reasons="not_recorded")}
            | {"conclusion": Column([numbers["conclusion"]], reasons="no_own_responses")}
            | {"advice": Column(["; ".join(advice)])}
        )
    if not rows:
        nothing = "no measure of a judge counts a judgment in this slice"
        raise NoDataError(why_nothing_counts(study, spec, nothing))
    return Table.of(rows, study.index.n_instances)


NUMBERS = {
    "accuracy": "no_reference",
    "agreement": "no_people",
    "excess": "not_known_of_its_own",
    "excess_family": "not_known_of_its_family",
    "flip_rate": "not_judged_in_both_orders",
    "missing": "no_judgments",
}
"""The numbers with an interval, and why one is missing."""


def _rows(study: StudyArrays, measure: Measure, spec: Slice, resamples: int, seed: int) -> list[Row]:
    """Return a measure's rows of all judges; none where study or filters do not allow it."""
    result = _result(study, measure, spec, resamples, seed)
    return [] if result is None else result.rows


def _result(study: StudyArrays, measure: Measure, spec: Slice, resamples: int, seed: int) -> Result | None:
    """Return a measure of all judges, as those shown are compared with the others; None if not allowed."""
    filters = {name: value for name, value in spec.filters().items() if name != "judges"}
    with suppress(UsageError, NoDataError):
        return compute_measure(study, measure, resamples=resamples, seed=seed, **filters)
    return None


def _questions_with_a_truth(study: StudyArrays, spec: Slice) -> int:
    """Return on how many questions a verdict of any judge has a reference."""
    with suppress(UsageError, NoDataError):
        return single_view(study, replace(spec, judges=()), None, ACCURACY.paradigms).counts.instances
    return 0


def _accuracy_of_first(study: StudyArrays, spec: Slice, resamples: int, seed: int) -> dict[str, float | None]:
    """Return the low end of each judge's accuracy by the first of its repeats, where some are merged.

    Merging leaves out verdicts without a majority, the hard ones: every judge looks more accurate.
    """
    rows = _rows(study, ACCURACY, replace(spec, repeats="first"), resamples, seed)
    return {row["judge"]: _accuracy_of([row]).get("accuracy_low") for row in rows}


def _accuracy_of(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the accuracy on criteria, or on comparisons where there are none, with its ends and its name."""
    for field, name in (("mra", "verdicts on criteria"), ("mipa", "comparisons")):
        for row in rows:
            if row[field] is not None:
                return _with_ends("accuracy", row, field) | {"accuracy_of": name}
    return {"accuracy_of": None}


def _numbers(judge: str, tables: Mapping[str, list[Row]], card: Row, counts: VerdictCounts) -> dict[str, Any]:
    of_judge = {name: [row for row in rows if row["judge"] == judge] for name, rows in tables.items()}
    numbers: dict[str, Any] = {"conclusion": card.get("conclusion"), "agreement_of": None}
    numbers |= _accuracy_of(of_judge["accuracy"])
    for kind in reversed(KINDS):
        field = "correlation" if kind == "score" else "kappa"
        for row in of_judge["people"]:
            if row["kind"] == kind and row[field] is not None:
                numbers |= _with_ends("agreement", row, field) | {"agreement_of": f"people's {kind}s"}
    for name, field in _FROM_SCORECARD.items():
        numbers |= _with_ends(name, card, field)
    for plain in ("excess_low", "excess_high"):  # not adjusted, as the gate's; what it claims is
        numbers[plain] = card.get(f"{plain}_plain", card.get(plain))
    flips = [row for row in of_judge["order-effect"] if row.get("ordering") is None]
    numbers |= _with_ends("flip_rate", flips[0] if flips else {}, "flip_rate")
    missing = wilson(counts.judgments - counts.verdicts, counts.judgments)
    numbers |= {"missing": float(missing.value), "missing_low": float(missing.low)}
    numbers["missing_high"] = float(missing.high)
    costs = [row for row in of_judge["judge-costs"] if row["cost_usd"] is not None and row["costed"]]
    verdicts = sum(row["verdicts"] * row["costed"] / row["calls"] for row in costs)
    cost = sum(row["cost_usd"] for row in costs)
    return numbers | {"cost_per_1000": 1000 * cost / verdicts if verdicts else None}


def _with_ends(name: str, row: Row, field: str) -> dict[str, Any]:
    return {f"{name}{end}": row.get(f"{field}{end}") for end in ("", "_low", "_high")}


def _column(numbers: Mapping[str, Any], name: str) -> Column:
    value, low, high = (
        np.array([np.nan if (part := numbers.get(f"{name}{end}")) is None else part])
        for end in ("", "_low", "_high")
    )
    nothing = np.full(1, np.nan)
    return Column(value, reasons=NUMBERS[name], intervals=Intervals(low, high, nothing, "no_interval"))


def advise(numbers: Row, card: Row | None, group: Row, enough: float, bound: float) -> list[str]:
    """Return what a judge may be used for, from intervals and conclusions, never from an estimate alone.

    `numbers` are those of its row, `card` its row of the scorecard (None: no own or relatives' answers),
    `group` the row of the judges together. `enough` is the accuracy required on others' answers, `bound` the
    excess of 1 on its own that must be ruled out. That a judge gives its own too much is concluded by the
    scorecard alone (MEASURES section 20): an interval beyond the bound rules nothing out, and claims nothing.
    """
    advice = [_on_others(numbers, enough)]
    if card is not None and card.get("conclusion") is not None:
        high = numbers.get("excess_high")
        excess = f"{100 * bound:g} of 100"
        is_few = lacks_cases(card["conclusion"], card.get("reason"))
        if side_of(card["conclusion"]) > 0:
            advice.append("never on its own answers")
        elif is_few and (high is None or high >= bound or card.get("reason") == "few_instances"):
            advice.append(f"{SECOND}, as they are too few to conclude anything")
        elif high is None:
            advice.append(f"{SECOND}, as its excess there is not known")
        elif high >= bound:
            advice.append(f"{SECOND}, as an excess of {excess} is not ruled out")
        elif "missing_verdicts" in (card.get("cautions") or ()):
            advice.append(f"{SECOND}, as verdicts on its own and on others are missing unequally")
        elif side_of(group.get("conclusion")) > 0:
            advice.append(f"{SECOND}, as the judges together pass theirs too often")
        elif is_few:
            few = f"too few own cases for a conclusion, but enough to rule out an excess of {excess}"
            advice.append(f"{few} (plain 95% interval: at most {100 * high:.1f})")
    family = None if card is None else card.get("family_conclusion")
    if side_of(family) > 0:
        advice.append("never on its family's answers")
    if (numbers.get("flip_rate_low") or 0) > FLIPS:
        advice.append("keep asking in both orders")
    if (numbers.get("missing_low") or 0) > MISSING:
        advice.append("find out why verdicts are missing")
    return advice


def _on_others(numbers: Row, enough: float) -> str:
    low, high = numbers.get("accuracy_low"), numbers.get("accuracy_high")
    if numbers.get("accuracy") is not None and (low is None or high is None):
        return "compute intervals, or judge more questions, as advice needs an interval of its accuracy"
    if low is None or high is None:
        if numbers.get("agreement") is not None:
            return "decide by its agreement with people, as no share of right verdicts is known"
        return "compare it with a reference or people, as it is not known whether it is fit for use"
    if numbers.get("few_questions"):
        return "judge more questions, as these are too few to say whether it is fit for use"
    if low >= enough:
        of_first = numbers.get("accuracy_of_first_low")
        return FIT if of_first is None or of_first >= enough else _FIT_IF_ALIKE
    if high < enough:
        return f"add a second judge, as fewer than {100 * enough:g} of 100 verdicts equal the reference"
    return (
        f"add a second judge, or judge more questions, as it is not certain that {100 * enough:g} of 100 "
        "verdicts are right"
    )


WHICH_JUDGE = Measure(
    name="which-judge",
    title="Which judge to use",
    question="Which judge is fit for what?",
    formula=(
        "fit for use on others' answers: the whole interval of accuracy is at or above `enough`, by the "
        "first of repeats too; never on its own: it overrates or favours itself; add a second judge: an "
        "excess of `bound` is possible"
    ),
    paper="none; defined by this project",
    left_out=(
        "what the measure of each number leaves out, such as judgments without a verdict; a number that the "
        "study does not allow is empty"
    ),
    function=which_judge_table,
    headline="accuracy",
    across_runs=True,
    sliced=False,
    by_slice="accuracy",
    options=(
        Option("enough", "number", "the accuracy required for use on others' answers", 0.8),
        Option("bound", "number", "the excess on its own answers, of 1, that must be ruled out", 0.1),
        entry.rows_option("judges", costs="calls, tokens and dollars of each judge, paradigm and variant"),
    ),
    fields=(
        *JUDGE_AND_FAMILY,
        Field(
            "accuracy",
            "share",
            "share of its verdicts (or comparisons), on its own answers too, that equal the reference",
            interval=True,
        ),
        entry.key("accuracy_of", "what accuracy counts: verdicts on criteria, or comparisons of answers"),
        Field(
            "agreement",
            "number",
            "kappa with people's majority, of verdicts as met or not met, or correlation with their scores",
            interval=True,
        ),
        entry.key("agreement_of", "what people gave: verdicts, outcomes or scores"),
        Field("excess", "difference", "what it gives its own above what is expected", interval=True),
        Field("excess_family", "difference", "the same for its family's other models", interval=True),
        entry.key("conclusion", "that of the scorecard"),
        Field("flip_rate", "share", "share of pairs whose winner changes with the order", interval=True),
        Field(
            "missing",
            "share",
            "share of its judgments without a verdict, before repeats are merged; the interval takes "
            "judgments as independent",
            interval=True,
            title="No verdict",
        ),
        entry.number(
            "cost_per_1000",
            "US dollars for 1,000 verdicts, where recorded",
            title="Dollars for 1,000 verdicts",
        ),
        entry.key("advice", "what to use it for, from the intervals", title="What to use it for"),
    ),
)
