"""What a scorecard of several runs taken together concludes that one of them alone does not."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from engine.conclusions import TRAITS, is_claim
from engine.measures.merged_repeats import slice_of
from engine.phrases import join_names
from engine.words.conclusions import conclusion_words
from engine.words.given_expected import has_numbers, number_words

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.result import Result
    from engine.measures.row_types import ScorecardRow

MOST_RUNS = 4
"""With more runs, each of which takes a scorecard of its own, none is looked at alone."""

NOTEWORTHY = 0.1
"""So far apart are two numbers of cases, of 1, that both are said."""

MOST_NAMED = 4
"""Most conclusions of a run that are said; the rest are counted."""


def conclusions_of_runs(study: "MeasuredStudy", result: "Result", runs: Sequence[str]) -> str:
    """Say which conclusions differ where each run is looked at alone, or that none does.

    Of conclusions without a claim on either side nothing is said. Empty for more than `MOST_RUNS` runs.
    """
    if len(runs) > MOST_RUNS or not result.rows:
        return ""
    together = _by_judge(result.rows)
    of_runs = {run: _differing(together, _by_judge(_alone(study, result, run))) for run in runs}
    if not any(of_runs.values()):
        if len(together) == 1:  # as on a card
            return _same_of_one(*together.values())
        if any(is_claim(row["conclusion"]) for row in together.values()):
            return "In each run alone, the same judges favour, overrate or underrate themselves."
        return "In each run alone, no judge is shown to favour, overrate or underrate itself either."
    runs_saying: dict[str, list[str]] = {}
    for run, differing in of_runs.items():
        runs_saying.setdefault(join_names(differing, MOST_NAMED), []).append(run)
    parts = [
        f"in {join_names([f'run {run}' for run in alone])} alone, {words or 'they are as in all together'}"
        for words, alone in sorted(runs_saying.items(), key=lambda saying: not saying[0])
    ]
    return f"Conclusions differ: {'; '.join(parts)}."


def farthest_from(study: "MeasuredStudy", result: "Result", run: str) -> str:
    """Say of the judge whose excess is farthest from that in a run alone what both are.

    Empty where no judge has both, or none differs by `NOTEWORTHY`.
    """
    alone = _by_judge(_alone(study, result, run))
    pairs = [
        (each, alone[each["judge"]])
        for each in result.rows
        if each["judge"] in alone and has_numbers(each) and has_numbers(alone[each["judge"]])
    ]
    row, other = max(pairs, key=lambda pair: abs(_excess(pair[0]) - _excess(pair[1])), default=(None, None))
    if row is None or other is None or abs(_excess(row) - _excess(other)) < NOTEWORTHY:
        return ""
    who = "the judges as a group" if row["judge"] is None else row["judge"]
    return (
        f"For {who}, {_both(row)} of 100 were given and expected on these, {_both(other)} in run {run} alone."
    )


def _excess(row: "ScorecardRow") -> float:
    return (row["own_given"] or 0.0) - (row["own_expected"] or 0.0)


def _both(row: "ScorecardRow") -> str:
    return f"{number_words(row['own_given'] or 0.0)} and {number_words(row['own_expected'] or 0.0)}"


def _same_of_one(row: "ScorecardRow") -> str:
    if is_claim(row["conclusion"]):
        return f"In each run alone, the conclusion on {row['judge']} is the same."
    return f"In each run alone, {row['judge']} is not shown to favour, overrate or underrate itself either."


def _alone(study: "MeasuredStudy", result: "Result", run: str) -> "list[ScorecardRow]":
    """Return the rows of the same scorecard of one run."""
    options = {each.name: result.filters.get(each.name) for each in result.measure.options}
    given = {name: value for name, value in options.items() if value is not None}
    spec = slice_of(result.filters)

    def rows() -> "list[ScorecardRow]":
        return study.result(result.measure, **{**spec.filters(), **given, "run": run}).rows

    return study.remember(("scorecard of a run", spec, tuple(given.items()), run), rows)


def _by_judge(rows: "Iterable[ScorecardRow]") -> "dict[str | None, ScorecardRow]":
    return {row["judge"]: row for row in rows}


def _differing(
    together: "Mapping[str | None, ScorecardRow]", alone: "Mapping[str | None, ScorecardRow]"
) -> list[str]:
    """Return what a run alone concludes on those of whom it, or the runs together, claim something else."""
    pairs = [(row, alone[judge]) for judge, row in together.items() if judge in alone]
    return [
        _words(other)
        for row, other in pairs
        if other["conclusion"] != row["conclusion"]
        if is_claim(row["conclusion"]) or is_claim(other["conclusion"])
    ]


def _words(row: "ScorecardRow") -> str:
    who = "the judges as a group" if row["judge"] is None else row["judge"]
    traits = TRAITS.get(str(row["conclusion"]))
    if traits is not None and traits.clause:
        return f"{traits.clause[0].lower()}{traits.clause[1:]} for {who}"
    return f"{who} {conclusion_words(row)}"
