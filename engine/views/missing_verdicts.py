"""Missing verdicts: how many judgments have none, and whether those on own answers are missing more often."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from engine.collect.watch.unfinished_runs import unfinished_words
from engine.findings.commands import command_words
from engine.phrases import join_names, part_of, quantity, sentence_case
from engine.schema import STATUSES
from engine.views.keys import NoKeys, needs_judgments
from engine.views.of_measure import measure
from engine.views.shown import Shown, ShownTable
from engine.views.view import View
from engine.words import caveats, conclusions

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import ScorecardRow

MOST_NAMED = 4
"""How many judges a sentence names."""

OK = "ok"
"""The status of a judgment with a verdict."""


Share = Literal["missing_own", "missing_other", "absent_own", "absent_other"]

SHARES: dict[Share, tuple[str, str]] = {
    "missing_own": (
        "Missing on own",
        "Share of its own answers' cases without a readable verdict, or with several without a majority",
    ),
    "missing_other": (
        "Missing on others'",
        "Share of other families' cases without a readable verdict, or with several without a majority",
    ),
    "absent_own": ("Absent on own", "Share of its own answers' cases that only other judges have a row for"),
    "absent_other": ("Absent on others'", "The same of other families' cases"),
}
"""What the scorecard counts, by judge."""

RESTS_ON = (
    "A judgment without a verdict is never counted as one. Where a judge's verdicts on its own answers are "
    "missing more or less often than those on others', its conclusion must also hold with the missing ones "
    "filled in."
)


def answer(study: "MeasuredStudy", _: NoKeys) -> Shown:
    """Show the judgments of each judge by status, and the shares that the scorecard compares."""
    counts = _counts(study)
    scorecard = measure(study, "scorecard", {})
    rows = {str(row["judge"]): row for row in conclusions.judges_of(scorecard.rows)}
    statuses = [name for name in STATUSES if any(of_judge[name] for of_judge in counts.values())]
    shares = {name: SHARES[name] for name in SHARES if any(row[name] is not None for row in rows.values())}
    columns = {"judge": ("Judge", ""), "judgments": ("Judgments", "In all")}
    columns |= {name: (name.capitalize(), f"Judgments with the status {name}") for name in statuses}
    records: list[dict[str, Any]] = [
        {
            "judge": judge,
            "judgments": of_judge.total(),
            **{name: of_judge[name] for name in statuses},
            **{name: rows[judge][name] if judge in rows else None for name in shares},
        }
        for judge, of_judge in counts.items()
    ]
    return Shown(
        sentences=(*missing_sentences(counts, list(rows.values())), *unfinished_words(study.files)),
        table=ShownTable.under(columns | shares, [_cells(record) for record in records], records),
        basis=(RESTS_ON,),
        commands=(command_words(("study", "info"), study.name, {}),),
        measures=("scorecard",),
    )


def _counts(study: "MeasuredStudy") -> dict[str, Counter[str]]:
    """Return the judgments of each judge by status."""
    counts: dict[str, Counter[str]] = {}
    for judge, _, status, n in study.inventory.statuses(study.index.models):
        counts.setdefault(judge, Counter())[status] += n
    return counts


def _cells(record: Mapping[str, Any]) -> tuple[str, ...]:
    def text(name: str, value: Any) -> str:
        if value is None:
            return "–"
        return f"{value:.1%}" if name in SHARES else f"{value:,}" if isinstance(value, int) else str(value)

    return tuple(text(name, value) for name, value in record.items())


def missing_sentences(counts: Mapping[str, Counter[str]], rows: "Sequence[ScorecardRow]") -> tuple[str, ...]:
    """Say how many judgments have no verdict, by status, and of which judges own ones are missing unequally.

    `rows` are those of the scorecard's judges.
    """
    total = sum((of_judge for of_judge in counts.values()), Counter[str]())
    n_missing = total.total() - total[OK]
    if not n_missing:
        first = f"Every one of {quantity(total.total(), 'judgment')} has a verdict."
    else:
        parts = [f"{total[name]:,} {name}" for name in STATUSES if name != OK and total[name]]
        share = n_missing / total.total()
        counted = sentence_case(part_of(n_missing, total.total(), "judgment"))
        first = f"{counted} ({share:.1%}) {'has' if n_missing == 1 else 'have'} no verdict: "
        first += f"{join_names(parts)}."
    recused = [row for row in rows if row["absent_own"] == 1]
    if recused:
        names = join_names([str(row["judge"]) for row in recused], MOST_NAMED)
        whose = "its own answers" if len(recused) == 1 else "their own answers"
        first = f"{first} None of {whose} was judged by {names}."
    unequal = [row for row in rows if "missing_verdicts" in (row.get("cautions") or ())]
    unequal_ones = [_unequally(row) for row in unequal if row not in recused]
    more = len(unequal_ones) - MOST_NAMED
    return (first, *unequal_ones[:MOST_NAMED], *([f"So it is with {more:,} more."] if more > 0 else []))


def _unequally(row: "ScorecardRow") -> str:
    """Say of which cases a judge has no verdict more often: those of its own answers or of others'."""
    own, other = row["absent_own"] or 0.0, row["absent_other"] or 0.0
    if abs((row["missing_own"] or 0.0) - (row["missing_other"] or 0.0)) >= abs(own - other):
        return f"{row['judge']}: {caveats.caveats_of(row)['missing_verdicts']}"
    return f"{row['judge']}: only others judged {own:.1%} of its own answers' cases, {other:.1%} of others'."


MISSING_VERDICTS = View(
    "missing_verdicts",
    "Missing verdicts",
    "Are verdicts missing, and on own answers more often than on others'?",
    NoKeys,
    answer,
    needs_judgments,
)
