"""What changed between the last two runs."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from engine.arrays.run_order import runs_in_order
from engine.explore.run_changes import without_shared_question
from engine.findings.claimed_number import ClaimedNumber, distance_from_null
from engine.findings.claims import Claim, RuleResult
from engine.findings.rule import Measurement, RuleContext
from engine.measures.merged_repeats import merged_repeats
from engine.words.comparison_words import untested_words
from engine.words.no_numbers import count_of_tested
from engine.words.run_changes import changed_between
from engine.words.written_numbers import number

if TYPE_CHECKING:
    from engine.measures.row_types import HsppRow

RATIO = ClaimedNumber("since-last-run", "changed", "hspp", "difference", "compare", null=1.0)
SHARE = replace(RATIO, null=0.0, form="share")
COMPARED = (RATIO, replace(SHARE, measure="equal-quality"), replace(SHARE, measure="dbg"))
"""Changes of a measure's headline; the first that both runs allow is reported."""


def since_last_run(context: RuleContext) -> RuleResult:
    """Claim that a judge's number differs between the last run and the one before.

    The number is the change of the ratio (last / before), in studies of pairs that of SPB or of DBG.
    It is claimed if its interval excludes no change; not significant if p, adjusted over all judges, is 0.05
    or more. The largest certain change comes first. A sentence beside the claims names the judges whose
    strictness or accuracy changed, by the tests of a comparison of runs. Runs without a common question are
    not compared.
    """
    runs = runs_in_order(context.study, merged_repeats(context.study, {}).paradigm)
    if len(runs) < 2:
        name = f", {runs[0]}" if runs else ""
        return RuleResult(reason=f"the study has only one run{name}, so there is nothing to compare")
    last, earlier = runs[-1], runs[-2]
    if (apart := without_shared_question(context.study, earlier, last)) is not None:
        return RuleResult(reason=f"{last} and {earlier} are not compared: {apart}")
    beside = changed_between(context.study, earlier, last, context.settings)
    reason = None
    for change in COMPARED:
        measurement = context.measurement(change, run=(last,), against={"run": earlier})
        every: list[HsppRow] = measurement.result.rows  # or of a measure of pairs: what is read is in each
        rows = [row for row in every if None not in (row.get("judge"), row["difference"])]
        rows = [row for row in rows if row.get("opponent") is None]
        if rows:
            changed_rows = [row for row in rows if distance_from_null(row, change) > 0]
            changed_rows.sort(key=lambda row: -distance_from_null(row, change))
            claims = tuple(_change(measurement, row, earlier, last) for row in changed_rows)
            tested = [row for row in rows if row["p_adjusted"] is not None]
            n_changed = sum(row in changed_rows for row in tested)
            share = count_of_tested(len(tested), len(rows), n_changed, "changed", "changed")
            between = f"in self-preference from run {earlier} to run {last}"
            summary = f"{share} {between}" if tested else f"no judge can be tested for a change {between}"
            untested = untested_words(rows, partial(_both, change), as_ratio=change.null == 1)
            return RuleResult(claims, summary, beside=beside, untested=untested)
        reason = reason or measurement.result.reason
    lacking = f"runs {last} and {earlier} have no judge in common with a number: {reason}"
    return RuleResult(reason=lacking, beside=beside)


def _both(change: ClaimedNumber, row: "HsppRow") -> str:
    return f"from {number(row['b'], change.form)} to {number(row['a'], change.form)}"


def _change(measurement: Measurement, row: "HsppRow", earlier: str, last: str) -> Claim:
    change = measurement.number
    was, now = number(row["b"], change.form), number(row["a"], change.form)
    verb = "rose" if row["a"] > row["b"] else "fell"
    of_ratio = change.form == "ratio"
    name = "ratio" if of_ratio else measurement.result.measure.title
    by = f"{change.value(row)} times" if of_ratio else change.value(row)
    return measurement.claim(
        row,
        f"From run {earlier} to run {last} the {name} of {row['judge']} {verb} from {was} to {now} "
        f"({by}; {change.ci(row)}).",
        view={"compare": ("runs",), "run_a": (last,), "run_b": (earlier,)},
    )
