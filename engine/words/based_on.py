"""What a result is based on, and what it leaves out, in sentences."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from engine.arrays.left_out import CODES
from engine.arrays.run_order import newest_comparing, runs_in_order
from engine.arrays.split_repeats import SplitRepeats
from engine.measures.entry import OF_FEW_CASES
from engine.measures.merged_repeats import merged_repeats
from engine.measures.result import Result
from engine.phrases import join_names, quantity, sentence_case
from engine.slices import BY_RUBRIC
from engine.wording import Sentence, option
from engine.words.plain_names import LEVELS, MOST_VALUES, paradigm_name, value_words
from engine.words.short_titles import title

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

MOST_NAMES = 4
"""So many runs are named; the rest are counted."""


def left_out(counts: Mapping[str, int], words: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a sentence on what was left out, with counts; `words` has codes that mean another thing here."""
    parts = parts_left_out(counts, words)
    return f"Left out: {parts}." if parts else "Nothing was left out."


def parts_left_out(counts: Mapping[str, int], words: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return what was left out, with counts: `3 judgments without a readable verdict; 1 item ...`."""
    parts = []
    for code, count in counts.items():
        things = words.get(code) or CODES.get(code, code)
        if count == 1:
            things = re.sub(r"^((?:pair )?(?:judgment|answer|score|item|slice|repeat))s\b", r"\1", things)
        if count:
            parts.append(f"{count:,} {things}")
    return "; ".join(parts)


class Beforehand(Sentence):
    """A remark without which the numbers mislead, so that it comes before them."""

    __slots__ = ()


class OfRuns(Sentence):
    """A remark on runs or repeats that are taken together; its first part says what that leaves out."""

    __slots__ = ()


class OfRunsBeforehand(OfRuns, Beforehand):
    """Such a remark without which the numbers mislead."""

    __slots__ = ()


def set_apart(remarks: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the remarks that come before the numbers, and the others."""
    first: list[str] = []
    others: list[str] = []
    for remark in remarks:
        (first if isinstance(remark, Beforehand) else others).append(remark)
    return first, others


def in_order(sentences: Iterable[str], remarks: Iterable[str]) -> tuple[str, ...]:
    """Return the sentences on a result and the remarks on it as they are read."""
    first, others = set_apart(remarks)
    return (*first, *sentences, *others)


_MANY_SPLIT = 0.1
"""Where a larger share of verdicts has no majority and is left out, the rest is far from any one run."""


@dataclass(frozen=True, slots=True)
class _Merged:
    """Several runs, the oldest first, or the repeats of one, that are taken together.

    `split` counts verdicts without a majority, None where there is none; `how` says what counts then.
    `newest` is the newest run that has an answer alone, `differing` says which conclusions differ between
    the runs, `farthest` how far numbers are from those of `newest`.
    """

    runs: Sequence[str]
    split: SplitRepeats | None
    how: str
    newest: str | None = None
    differing: str = ""
    farthest: str = ""

    @property
    def newest_run(self) -> Sentence | None:
        if self.newest is None:
            return None
        which = "the newest" if self.newest == self.runs[-1] else "the newest with an answer"
        return Sentence(f"for {which} alone: ", option("run", self.newest))

    @property
    def first_verdicts(self) -> Sentence | None:
        if self.split is None:
            return None
        of_all = f"for all {self.split.judged:,}, each by its first verdict: "
        return Sentence(of_all, option("repeats", "first"))

    def sentence(self, *ways: Sentence | None) -> Sentence:
        """Return what is taken together, and what that does to every number; `ways` give other verdicts."""
        one = "run" if len(self.runs) > 1 else "round"
        together = "Repeats are taken together"
        if one == "run":
            together = f"The runs {join_names(self.runs, MOST_NAMES)} are taken together"
        given = [way for way in ways if way is not None]
        if self.split is None:
            remedies = (Sentence(" ", way.each(sentence_case), ".") for way in given)
            differing = f" {self.differing}" if self.differing else ""
            return OfRuns(f"{together}, {self.how}.", *remedies, differing)
        n = self.split.split
        undecided = "one without a majority is" if n == 1 else f"{n:,} without a majority are"
        options = [part for way in given for part in (Sentence("; "), way)][1:]
        share = n / self.split.judged
        return (OfRunsBeforehand if share > _MANY_SPLIT else OfRuns)(
            f"{together}. Of {quantity(self.split.repeated, 'verdict')} given more than once, the "
            f"{undecided} left out. On the rest, judges look more accurate and more alike than in one {one}",
            "" if self.differing else ", and conclusions may differ",
            Sentence(" (", *options, ")") if options else "",
            ".",
            *(f" {words}" for words in (self.farthest, self.differing) if words),
        )


def runs_together(study: "MeasuredStudy", result: Result) -> list[Sentence]:
    """Return that a result rests on merged repeats, or runs, what that leaves out, and how to take one.

    Empty where it does not. Where its measure counts nothing, those that decide on judges are counted.
    """
    merged = _merged_in(study, result)
    return [] if merged is None else [merged.sentence(merged.newest_run, merged.first_verdicts)]


def runs_in_picture(study: "MeasuredStudy", result: Result) -> list[Sentence]:
    """Return the same for those who can give no option, as of a picture."""
    merged = _merged_in(study, result)
    return [] if merged is None else [merged.sentence()]


def runs_judged(study: "MeasuredStudy", given: Mapping[str, Any] = MappingProxyType({})) -> list[Sentence]:
    """Return the same of the judgments that decide on judges, for a command that has no result.

    `given` are its filters, without `repeats` those of a command that cannot combine them otherwise.
    """
    filters = {"run": study.only_runs, **given}
    repeats = given.get("repeats")
    if repeats is None and len(_runs(study, filters)) < 2:
        return []
    if (merged := _merged(study, filters, {})) is None:
        return []
    return [merged.sentence(merged.newest_run, None if repeats is None else merged.first_verdicts)]


def _merged_in(study: "MeasuredStudy", result: Result) -> _Merged | None:
    """Return what a result takes together, None where it takes nothing together, or compares runs."""
    filters, counted = result.filters, result.left_out
    apart = "run" in result.group_columns.values() or _has_sources_apart(result)
    nothing_read = not filters.get("paradigm") and not result.rows
    if apart or nothing_read or (counted and not counted.get("merged")):
        return None
    if len(_runs(study, filters)) < 2 and not counted.get("merged"):
        return None
    merged = _merged(study, filters, counted)
    if merged is None or len(merged.runs) < 2 or result.measure.name != "scorecard":
        return merged
    from engine.words.run_conclusions import (  # with pandas, unlike JSON
        MOST_RUNS,
        concluding_runs,
        conclusions_of_runs,
        farthest_from,
    )

    if len(merged.runs) > MOST_RUNS:
        return merged
    newest = next(iter(concluding_runs(study, result, merged.runs)[::-1]), None)
    differing, farthest = conclusions_of_runs(study, result, merged.runs), ""
    if merged.split is not None and differing and newest is not None:
        farthest = farthest_from(study, result, newest)
    return replace(merged, newest=newest, differing=differing, farthest=farthest)


def _has_sources_apart(result: Result) -> bool:
    """Return whether sources are compared of which none is a judge, over all runs, but a run, say, alone."""
    if result.measure.name != "reference-agreement" or not result.rows:
        return False
    return not any(str(row[side]).startswith("judge:") for row in result.rows for side in ("a", "b"))


def _merged(study: "MeasuredStudy", filters: Mapping[str, Any], counted: Mapping[str, int]) -> _Merged | None:
    """Return what is taken together of these judgments; None if nothing is, or of one run without a split."""
    merged = merged_repeats(study, filters)
    runs = _runs(study, filters, merged.paradigm)
    split = merged.split if merged.split is not None and merged.split.split else None
    if not (merged.merged or counted.get("merged")) or (len(runs) < 2 and split is None):
        return None
    how = "and the mean of their scores counts" if merged.split is None else "by majority"
    if filters.get("repeats") == "first":
        how = "and the first of repeated judgments counts"
    newest = newest_comparing(study, runs, merged.paradigm) if len(runs) > 1 else None
    return _Merged(runs, split, how, newest)


def _runs(study: "MeasuredStudy", filters: Mapping[str, Any], paradigm: str | None = None) -> Sequence[str]:
    """Return the runs that count, the oldest first: those with judgments of a paradigm, or with any."""
    only = filters.get("run")
    return [run for run in runs_in_order(study, paradigm) if not only or run in only]


def left_out_of(result: Result) -> str:
    """Return a sentence on what a result leaves out: in numbers, or in words if its measure counts none."""
    if not result.left_out:
        return f"Left out: {result.measure.left_out}."
    return left_out(result.uncounted, _UNDECIDED if by_preferences(result.filters) else {})


def by_preferences(filters: Mapping[str, Any]) -> bool:
    """Return whether stored preferences, not a reference, say which answer of a pair is better."""
    return "gold" in filters and filters.get("reference") is None


BY_PREFERENCES = "preferences in place of a reference"

_UNDECIDED = {
    "no_reference": "judgments of pairs without a preference",
    "reference_tie": "judgments of pairs that the preferences leave undecided",
}
"""What codes count where preferences decide."""


MOST_JUDGES = 4  # how many judges a line under a chart names; the rest are counted


def basis_of(
    filters: Mapping[str, Any],
    shown: Collection[str] | None = None,
    names: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a sentence on what a measure is based on: its filters and options, defaults included.

    Where only some fields are `shown`, the intervals of others are not mentioned. `names` has names for ids
    of criteria.
    """
    if ids := filters.get(BY_RUBRIC):
        filters = {**filters, BY_RUBRIC: tuple(names.get(each, each) for each in ids)}
    paradigm = filters.get("paradigm")
    parts = [f"{paradigm_name(paradigm)} judgments" if paradigm else "judgments of all paradigms"]
    if filters.get("variant") not in (None, "default"):
        parts.append(f"variant {filters['variant']}")
    if filters.get("level"):
        parts.append(LEVELS[filters["level"]])
    if "reference" in filters:  # a measure of several others has none of its own
        of_none = BY_PREFERENCES if by_preferences(filters) else _without_reference(filters)
        parts.append(f"reference {filters['reference']}" if filters["reference"] else of_none)
    if single := filters.get("single_order"):
        parts.append(f"pairs of {join_names(single, MOST_JUDGES)} in one order only")
    skipped = {"paradigm", "variant", "level", "reference", "by", "seed", "resamples", "common", "interval"}
    # `decided_by` covers `decide`, and says it for each number; the table shows the `rows`
    skipped |= {"single_order", "decide", "rows", "unused_reference", "unused_covers", "unused_of"}
    skipped |= {"agreement_judges", "clusters", "unused_level"}  # which other words say
    defaults = {"scores": "fraction", "transform": "none", "relatives": "family", "repeats": "majority"}
    for name, value in filters.items():
        if name not in skipped and value not in (None, (), False, defaults.get(name)):
            phrase = _OPTION_PHRASES.get(name, f"{name.replace('_', ' ')} {{}}").format(_words(name, value))
            parts.append(_VALUE_PHRASES.get((name, str(value)), phrase))
    if filters.get("clusters"):
        unit = "theme" if filters["clusters"] == "theme" else "question"
        parts.append(f"95% intervals by leaving out one {unit} at a time (Student's t, no resamples)")
    elif resamples := filters.get("resamples"):
        intervals = _intervals(str(filters.get("interval") or "percentile"), shown)
        parts.append(f"95% intervals from {resamples:,} resamples of questions{intervals}")
    return f"Based on: {', '.join(filter(None, parts))}."


def _without_reference(filters: Mapping[str, Any]) -> str:
    """Return that no reference is used, and why where the number that decides takes none."""
    return f"no reference{_TAKING_NONE.get(str(filters.get('decided_by')), '')}"


_TAKING_NONE = {
    "bonus_outside": " (scores are compared with those of other judges for the same answers)",
    "vote_outside": " (votes are compared with those of other judges on the same pairs)",
}
"""Why a number that decides takes no reference, even where the study has one (MEASURES section 16)."""

_OPTION_PHRASES = {
    "agreement_without_family": "agreement by judges of other families",
    "min_agreement": "an agreement of {} of the pairs of judges or more",
    "bound": "an excess of {} to rule out",
    BY_RUBRIC: "criterion {}",
    "combine": "combined by {}",
    "contrast_pairs": "{} pairs drawn per judge",
    "decided_by": "decided by {}",
    "enough": "an accuracy of {} required",
    "fewest_failures": "at least {} own failures",
    "gap": "pairs at least {} apart in quality",
    "most_committees": "at most {} committees of a size",
    "slices_tried": "{} slices tried",
    "verdicts": "{} verdicts",
}
"""Phrases for options whose name and value are not a readable phrase."""

_VALUE_PHRASES = {
    ("binomial", "near_end"): "binomial test against the near end of Null-PIR's interval",
    ("binomial", "known"): "binomial test against Null-PIR",
    ("decided_by", "odds_self"): "decided by the odds of passing its own answers",
    ("decided_by", "hspp_matched"): "decided by the matched ratio",
    ("decided_by", "vote_outside"): "decided by votes above other judges'",
    ("decided_by", "vote_outside_lost"): "decided by votes for own lost answers above other judges'",
    ("decided_by", "bonus_outside"): "decided by points above other judges'",
    ("fairness", "examples"): "each example counted once among the proxies' wins",
    ("fairness", "pairs"): "each example and proxy counted once among the proxies' wins",
    ("strictness", "own"): "",
    ("strictness", "equal"): "judges made equally strict",
    ("gold_rule", "agreeing"): "only pairs on whose winner gold judges agree in both orders",
    ("gold_rule", "mean"): "by the gold judges' mean vote",
    ("method", "prediction_powered"): "corrected by prediction-powered inference",
    ("method", "rogan_gladen"): "corrected by the Rogan-Gladen estimator",
    ("null_pairs", "all"): "all null pairs",
    ("null_pairs", "drawn"): "ten null pairs drawn per question",
    ("opponents", "all"): "opponents of every family",
    ("opponents", "outside"): "",
    ("pairs", "all"): "",
    ("pairs", "equal"): "pairs of equal quality",
    ("pairs", "lost"): "pairs that the answer loses",
    ("pairs", "tied"): "tied pairs",
    ("pairs", "won"): "pairs that the answer wins",
    ("pool", "examples"): "each example counted once with the mean of its proxies",
    ("pool", "pairs"): "each example and proxy counted once",
    ("proxies", "all"): "every model as a proxy",
    ("proxies", "out_of_family"): "proxies of other families",
    ("proxies", "out_of_provider"): "proxies of other providers",
    ("quality", "human"): "quality by people's scores",
    ("quality", "judges"): "quality by judges' scores",
    ("quality", "reference"): "quality by the reference's scores",
    ("search", "all"): "all orderings searched",
    ("search", "balanced"): "balanced orderings searched",
    ("subset", "all"): "examples that its own answer lost or won",
    ("subset", "ilsp"): "examples that its own answer lost",
    ("subset", "lsp"): "examples that its own answer won",
    ("third_party", "all"): "every other model as a third party",
    ("third_party", "out_of_family"): "third parties of other families",
    ("ties", "drop"): "ties dropped",
    ("ties", "keep"): "ties counted",
    ("truth", "any"): "all answers, whatever the reference says",
    ("truth", "failed"): "answers that the reference fails",
    ("truth", "met"): "answers that the reference passes",
}
"""Phrases for single values of options; an empty one leaves out what is obvious."""

MOST_FIELDS = 2
"""How many numbers with another kind of interval are named; if there are more, they are counted."""


def _intervals(interval: str, shown: Collection[str] | None) -> str:
    """Return how intervals are computed (empty: all are percentiles); `interval` is that of the filters."""
    first, *others = interval.split("; ")
    parts = [] if first == "percentile" else [first]
    for other in others:
        method, _, fields = other.partition(": ")
        of_shown = [field for field in fields.split(", ") if shown is None or field in shown]
        titles = [f"“{title(field)}”" for field in of_shown]
        of = join_names(titles) if len(titles) <= MOST_FIELDS else quantity(len(titles), "number")
        if of_shown:
            parts.append(method if method == OF_FEW_CASES else f"{method} for {of}")
    return f" ({'; '.join(parts)})" if parts else ""


def _words(name: str, value: Any) -> str:
    if isinstance(value, tuple | list):
        if name in ("members", "columns", "epsilons"):
            return join_names([str(part) for part in value])
        if name == "judges":
            return join_names(value, MOST_JUDGES)
        if any(isinstance(end, float) or end is None for end in value):
            return " to ".join("" if end is None else f"{end:g}" for end in value)
        words = [value_words(name, part) for part in value]
        return join_names(words, MOST_VALUES, "or") if len(words) > MOST_VALUES else " or ".join(words)
    if isinstance(value, int) and value is not True:
        return f"{value:,}"
    if name == "verdicts":
        return str(value).replace("_", " ")
    return "on" if value is True else value_words(name, value)
