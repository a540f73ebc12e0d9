"""Reasons: why a judge passes its own failed answers, beside the reasons of outside judges."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from engine.arrays.once_cache import OnceCache
from engine.explore.stated_reasons import Reasons, TermCounts, reasons_of
from engine.slices import Slice
from engine.views.judges import judges_or_none
from engine.views.keys import Filters, choice, filters, nowhere
from engine.views.shown import Shown, ShownTable
from engine.views.view import View
from engine.words.own_failures import odds_words, quote_words, reason_sentences

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

MOST_WORDS, MOST_JUDGES = 10, 40
"""Most distinctive words listed, and how many judges' reasons of a study are kept."""

COLUMNS = {
    "kind": ("What", "Groups of reasons, then words that set the judge's reasons apart"),
    "words": ("Words in the reasons", ""),
    "judge": ("Judge", "Its reasons to pass"),
    "passed": ("Outside, passed", "Reasons of judges of other families that passed these answers"),
    "failed": ("Outside, failed", "Reasons of judges of other families that failed these answers"),
    "odds": (
        "Odds [95% interval]",
        "Of the judge, relative to judges of other families that also passed; 1 = equally often",
    ),
}
GROUP, WORD = "group of reasons", "word that sets them apart"
METHOD = (
    "The groups are k-means clusters of the words in these reasons, quotations excluded. Intervals treat "
    "reasons as independent, so they are somewhat too narrow."
)

HEADS_OF_JUDGES = (
    *("Judge", "Most common reason", "Judges of other families that also passed", "Odds [95% interval]"),
    *("Most common reason to fail, judges of other families", "Words that set it apart"),
)


@dataclass(frozen=True)
class ReasonsKeys:
    """The slice, and the judge."""

    slice_: Annotated[Filters, filters("paradigm", "variant", "level")]
    judge: Annotated[str, choice("Judge", "Whose reasons", judges_or_none, where=nowhere)]


def reasons_for(study: "MeasuredStudy", keys: ReasonsKeys) -> Reasons:
    """Return a judge's reasons, compared once for all that show them."""
    results: OnceCache = study.remember("reasons of views", lambda: OnceCache(MOST_JUDGES))
    key = (keys.judge, repr(sorted(keys.slice_.items())))
    compared: Reasons = results.get(key, lambda: reasons_of(study, Slice.of(**keys.slice_), keys.judge))
    return compared


def answer(study: "MeasuredStudy", keys: ReasonsKeys) -> Shown:
    """Show the groups of a judge's reasons and the words that stand out; nothing without reasons."""
    if not keys.judge:
        return Shown()
    reasons = reasons_for(study, keys)
    if not reasons.cells or (reasons.lacking is not None and not reasons.n_judge):
        return Shown()
    if reasons.lacking is not None:
        return Shown(sentences=reason_sentences(reasons))
    distinctive = [word for word in reasons.words if word.stands_out][:MOST_WORDS]
    rows = [(GROUP, group.counts) for group in reasons.groups] + [(WORD, word) for word in distinctive]
    cells = (_cells(kind, terms) for kind, terms in rows)
    records = ({"kind": kind, **vars(terms), "words": ", ".join(terms.words)} for kind, terms in rows)
    return Shown(
        sentences=reason_sentences(reasons),
        table=ShownTable.under(COLUMNS, cells, records),
        basis=(METHOD,),
    )


def _cells(kind: str, terms: TermCounts) -> tuple[str, ...]:
    counts = (f"{count:,}" for count in (terms.n_judge, terms.n_passed, terms.n_failed))
    return kind, quote_words(terms), *counts, odds_words(terms)


def table_of_judges(reasons: Sequence[Reasons]) -> ShownTable:
    """Return what each judge mostly writes, and what outside judges write."""
    return ShownTable(HEADS_OF_JUDGES, tuple(map(_cells_of_judge, reasons)))


def _cells_of_judge(reasons: Reasons) -> tuple[str, ...]:
    first = reasons.groups[0].counts
    other = max((group.counts for group in reasons.groups), key=lambda counts: counts.n_failed)
    own = [quote_words(word) for word in reasons.words if word.odds is not None and word.odds > 1][:3]
    return (
        reasons.judge,
        f"{quote_words(first)}: {first.n_judge:,} of {reasons.n_judge:,}",
        f"{first.n_passed:,} of {reasons.n_passed:,}",
        odds_words(first),
        f"{quote_words(other)}: {other.n_failed:,} of {reasons.n_failed:,}",
        ", ".join(own) or "none",
    )


REASONS = View(
    "reasons",
    "Why does it pass them?",
    "Why does a judge pass its own failed answers?",
    ReasonsKeys,
    answer,
)
