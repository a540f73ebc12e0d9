"""Judgments by status: how many have a verdict, and why the others have none, by paradigm and by judge."""

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from engine.collect.watch.unfinished_runs import unfinished_words
from engine.findings.commands import command_words
from engine.schema import STATUSES
from engine.stats.intervals.wilson import wilson
from engine.views.keys import NoKeys, needs_judgments
from engine.views.missing_verdicts import OK
from engine.views.shown import Shown, ShownTable
from engine.views.view import View
from engine.words.plain_names import value_words
from engine.words.written_numbers import with_interval

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

SHARE = "Share of all judgments, with a 95% Wilson interval; judgments are treated as independent"

COLUMNS = {
    "failed": ("Missing", SHARE),
    "n": ("n", "Judgments of any status"),
    "unparsed": ("unparsed", "No verdict could be read from the answer"),
    "refused": ("refused", "The provider refused"),
    "error": ("error", "The call failed"),
}


def _counts(study: "MeasuredStudy", by: str) -> dict[str, Counter[str]]:
    """Return the judgments of each value of a column by status."""
    counts: dict[str, Counter[str]] = {}
    for judge, paradigm, status, n in study.inventory.statuses(study.index.models):
        counts.setdefault(judge if by == "judge" else paradigm, Counter())[status] += n
    return counts


def _by(name: str) -> Callable[["MeasuredStudy", NoKeys], Shown]:
    """Return what shows the judgments of each value of a column by status."""

    def answer(study: "MeasuredStudy", _: NoKeys) -> Shown:
        counts = _counts(study, name)
        unfinished = unfinished_words(study.files)
        total = sum((each.total() for each in counts.values()), 0)
        if total == sum(each[OK] for each in counts.values()):
            answer = (
                f"All {total:,} judgments so far have"
                if unfinished
                else f"None: all {total:,} judgments have"
            )
            return Shown(sentences=(f"{answer} a verdict.", *unfinished))
        records = [_record(name, value, each) for value, each in counts.items()]
        columns = {name: (name.capitalize(), "")} | COLUMNS
        cells = [_cells(name, record) for record in records]
        return Shown(
            sentences=unfinished,
            table=ShownTable.under(columns, cells, records),
            basis=(f"Missing: {SHARE[0].lower()}{SHARE[1:]}.",),
            commands=(command_words(("study", "info"), study.name, {}),),
        )

    return answer


def _record(name: str, value: str, of_value: Counter[str]) -> dict[str, Any]:
    total = of_value.total()
    share = wilson(total - of_value[OK], total)
    record: dict[str, Any] = {name: value, **{status: of_value[status] for status in STATUSES}, "n": total}
    ends = {"failed": share.value, "failed_low": share.low, "failed_high": share.high}
    return record | {end: float(number) for end, number in ends.items()}


def _cells(name: str, record: dict[str, Any]) -> tuple[str, ...]:
    value = value_words(name, record[name])
    share = with_interval(record["failed"], record["failed_low"], record["failed_high"], form="percent")
    return value, share, *(f"{record[each]:,}" for each in COLUMNS if each != "failed")


STATUSES_BY_PARADIGM = View(
    "statuses_by_paradigm",
    "Missing verdicts",
    "How many judgments of each paradigm have no verdict?",
    NoKeys,
    _by("paradigm"),
    needs_judgments,
)
STATUSES_BY_JUDGE = View(
    "statuses_by_judge",
    "Missing verdicts of each judge",
    "How many judgments of each judge have no verdict?",
    NoKeys,
    _by("judge"),
    needs_judgments,
)
