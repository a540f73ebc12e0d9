"""All measures of each judge together, which traits go with bias, and what each judge costs."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow.compute as pc

from engine.arrays.encoding import numbers as floats
from engine.arrays.index import StudyIndex
from engine.arrays.judgment_calls import CallRows
from engine.arrays.judgment_rows import stored_responses
from engine.arrays.resolve import NoDataError
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.view import SliceView
from engine.errors import UsageError, unknown
from engine.measures.columns import NO_CORRELATION, STATISTICS, correlation
from engine.measures.compute import compute_measure
from engine.measures.entries.mechanism import FAMILIARITY, LIST_RANKS, ORDER_EFFECT, RECOGNITION
from engine.measures.entries.pairs import DBG, DISCRIMINABILITY, EQUAL_QUALITY, QUALITY_BASELINE
from engine.measures.entries.rubrics import ACCURACY, DELTA, HSPP
from engine.measures.entry import Measure
from engine.measures.rows import Column, Options, Table
from engine.measures.self_preference import delta_table
from engine.slices import Slice
from engine.stats import Floats, Ints, Weights
from engine.stats.bootstrap import cluster_weights, percentile_interval
from engine.stats.ranks import TOLERANCE, average_ranks
from engine.values import join_names

# ------------------------------------------------------------------------------
# The numbers of the other measures for each judge, brought together (MEASURES section 14).

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class JudgeMeasure:
    """One number of a judge: the measure and field it is read from, and what a study must have for it.

    `name` is its name among the numbers of a judge. `count` is the field with the number of cases behind it.
    `null` is the value that means no preference, None if the number measures something else.
    """

    name: str
    measure: Measure
    field: str
    count: str
    needs: str
    null: float | None = None

    @property
    def title(self) -> str:
        return self.measure.name if self.measure.headline == self.field else self.field


def _delta_of_itself(view: SliceView, options: Options) -> Table:
    """Return the rows of `delta` of each judge on itself, or without a generator, and without rankings."""
    table = delta_table(view, options, rankings=False)
    judge, generator = (table.columns[name].values for name in ("judge", "generator"))
    is_own = [other in (name, None) for name, other in zip(judge, generator, strict=True)]
    return replace(table, keep=table.keep & is_own)


_UNRANKED = tuple(field for field in DELTA.fields if field.name not in ("rank_shift", "pair_order"))
_DELTA = replace(DELTA, function=_delta_of_itself, fields=_UNRANKED)
_TRUE = "verdicts with a reference"
_OWN = "pairs with the judge's own response and a known better response"
BIASES = (
    JudgeMeasure("hspp", HSPP, "hspp_self", "n_self", _TRUE, 1.0),
    JudgeMeasure("hspp_matched", HSPP, "hspp_matched", "n_matched", "rubric verdicts with a reference", 1.0),
    JudgeMeasure("hspp_family", HSPP, "hspp_family", "n_family", f"{_TRUE}, and its family", 1.0),
    JudgeMeasure("bonus", _DELTA, "bonus", "n", "scores of responses, with a reference", 0.0),
    JudgeMeasure(
        "spb", EQUAL_QUALITY, "spb", "n_pairs", "pairs judged in both orders, quality scores, null pairs", 0.0
    ),
    JudgeMeasure("dbg", DBG, "dbg", "n", _OWN, 0.0),
    JudgeMeasure("dbg_decided", DBG, "dbg_decided", "n_decided", _OWN, 0.0),
    JudgeMeasure(
        "t", QUALITY_BASELINE, "ilsp_updated", "n", f"{_OWN}, and proxies judged on the same examples", 0.0
    ),
    JudgeMeasure("pick_gap", LIST_RANKS, "pick_gap", "n", "lists that outside judges ranked too", 0.0),
)
"""The measures of preference."""

SP = JudgeMeasure("sp", QUALITY_BASELINE, "sp", "n_examples", _OWN, 0.0)
"""The share of votes for itself: not a preference in itself, but a change of it is one."""

PICKS = JudgeMeasure("pick_own", LIST_RANKS, "pick_own", "n", "lists that outside judges ranked too", 0.0)
"""The share of lists in which its own is first: other judges have no part in its changes."""

OTHERS = (
    JudgeMeasure("ilsp", QUALITY_BASELINE, "ilsp", "n_examples", _OWN),
    JudgeMeasure("accuracy", ACCURACY, "mra", "mra_total", "rubric verdicts with a reference"),
    JudgeMeasure("pair_accuracy", ACCURACY, "mipa", "mipa_total", "comparisons with a reference"),
    JudgeMeasure(
        "d", DISCRIMINABILITY, "d", "n", "pairs of others' responses that clearly differ in quality"
    ),
    JudgeMeasure("flip_rate", ORDER_EFFECT, "flip_rate", "n_pairs", "pairs judged in both orders"),
    JudgeMeasure(
        "recognition", RECOGNITION, "recognition", "n", "answers on which of two responses the judge wrote"
    ),
    JudgeMeasure(
        "familiarity", FAMILIARITY, "familiarity_gap", "n_own", "log-probabilities of responses by the judge"
    ),
)
"""The other numbers of a judge."""


def number_rows(
    study: StudyArrays, spec: Slice, measures: tuple[JudgeMeasure, ...], resamples: int, seed: int
) -> Iterator[tuple[JudgeMeasure, Row]]:
    """Yield each number with the rows of its measure; one that study or filters do not allow has none."""
    for name in (*spec.judges, *spec.generators):
        if name not in study.index.models:
            raise unknown("model", name, study.index.models)
    rows_by_measure: dict[str, list[Row]] = {}
    settings = {"resamples": resamples, "seed": seed, **spec.filters()}
    for number in measures:
        name = number.measure.name
        if name not in rows_by_measure:
            rows_by_measure[name] = []
            with suppress(UsageError, NoDataError):
                rows_by_measure[name] = compute_measure(study, number.measure, **settings).rows
        for row in rows_by_measure[name]:  # of single judges, over all opponents
            if row["judge"] is not None and row.get("opponent") is None and row.get("ordering") is None:
                yield number, row


def numbers_of(study: StudyArrays, spec: Slice, seed: int) -> dict[str, dict[str, float]]:
    """Return name -> judge -> value of all numbers that may correlate, without intervals."""
    numbers: dict[str, dict[str, float]] = {}
    for number, row in number_rows(study, spec, (*BIASES, *OTHERS), 0, seed):
        value = row[number.field]
        if value is not None:
            numbers.setdefault(number.name, {}).setdefault(row["judge"], float(value))
            if number.name == "spb":
                numbers.setdefault("abs_spb", {})[row["judge"]] = abs(float(value))
                if row["mean_quality"] is not None:
                    numbers.setdefault("mean_quality", {})[row["judge"]] = float(row["mean_quality"])
    models = study.files.table("models", ("model", "size_b"))
    sizes = zip(models.column("model").to_pylist(), models.column("size_b").to_pylist(), strict=True)
    (author, _), texts = stored_responses(study.files, study.index, "none", "text")
    length = floats(pc.utf8_length(texts))
    has_text = ~np.isnan(length)
    size = len(study.index.models)
    total = np.bincount(author[has_text], weights=length[has_text], minlength=size)
    count = np.bincount(author[has_text], minlength=size)
    mean_length = {name: float(total[i] / count[i]) for i, name in enumerate(study.index.models) if count[i]}
    known_sizes = {str(name): float(value) for name, value in sizes if value is not None}
    return numbers | {"size": known_sizes, "response_length": mean_length}


# ------------------------------------------------------------------------------
# `together`: every measure that the study allows, for each judge (MEASURES section 14).

_WORDS = {
    "hspp": "the HSPP ratio",
    "hspp_matched": "the matched ratio",
    "bonus": "the score bonus",
    "spb": "the preference between equals (SPB)",
    "dbg": "the DBG score",
    "dbg_decided": "DBG on decided items",
    "t": "T of the quality baseline",
    "pick_gap": "first places in lists",
}
"""How measures of self-preference are named in sentences; the one for the family is not included."""


def measure_summary_table(
    study: StudyArrays, spec: Slice, options: Options, weights: Weights | None
) -> Table:
    """Return a row for each judge and measure; NoDataError if the study allows none."""
    resamples = 0 if weights is None else len(weights)
    bias_rows = list(number_rows(study, spec, (*BIASES, *OTHERS), resamples, options["seed"]))
    first: dict[tuple[str, str], tuple[JudgeMeasure, Row]] = {}
    for number, row in bias_rows:  # of several variants the first
        first.setdefault((row["judge"], number.name), (number, row))
    allowed = {number.name for number, row in first.values() if row[number.field] is not None}
    place = {name: i for i, name in enumerate(study.index.models)}
    rows = [_summary_row(number, row) for number, row in first.values() if number.name in allowed]
    rows.sort(key=lambda row: place[row["judge"]])
    if not rows:
        raise NoDataError("this study allows none of the measures of judges")
    for name in {row["measure"] for row in rows}:
        ranked = [row for row in rows if row["measure"] == name and row["value"] is not None]
        for row, rank in zip(ranked, average_ranks(np.array([row["value"] for row in ranked])), strict=True):
            row["rank"] = float(rank)
    for judge in dict.fromkeys(row["judge"] for row in rows):
        judge_rows = [row for row in rows if row["judge"] == judge]
        biases = [row for row in judge_rows if row["name"] in _WORDS and row["sign"] is not None]
        alike = [a["sign"] == b["sign"] for a, b in combinations(biases, 2)]
        for row in judge_rows:
            row["agree"] = sum(alike) / len(alike) if alike else None
            row["sentence"] = _sentence(judge, biases)
    names = [name for name in rows[0] if name not in ("why", "name")]
    columns = {
        name: Column([row[name] for row in rows], reasons=[row["why"] for row in rows]) for name in names
    }
    return Table(columns, np.ones(len(rows), dtype=bool), study.index.n_instances)


def _summary_row(number: JudgeMeasure, row: Row) -> Row:
    value, low, high = (row.get(f"{number.field}{end}") for end in ("", "_low", "_high"))
    sign = None
    if value is not None and number.null is not None:
        distance = value - number.null
        sign = 0 if abs(distance) < TOLERANCE else 1 if distance > 0 else -1
    clear = None
    if low is not None and high is not None and number.null is not None:
        clear = bool(low > number.null or high < number.null)
    why = "tells_of_something_else" if value is not None else row["reasons"].get(number.field, "undefined")
    if value is not None and number.null is not None:
        why = row["reasons"].get(f"{number.field}_low", "no_resamples")
    return {
        "judge": row["judge"],
        "measure": number.title,
        "name": number.name,
        "value": value,
        "low": low,
        "high": high,
        "null": number.null,
        "sign": sign,
        "clear": clear,
        "n": row[number.count],
        "needs": number.needs,
        "field": f"{number.measure.name}.{number.field}",
        "rank": None,
        "why": why,
    }


def _sentence(judge: str, biases: list[Row]) -> str:
    """Say which measures are clearly above no preference, which below it, and which leave it open.

    A measure is clearly on one side if its interval is; without an interval it leaves it open. Who favours
    itself is not said here: only the scorecard concludes that.
    """
    if not biases:
        return f"No measure of self-preference is defined for {judge}."
    above = [row for row in biases if row["clear"] and row["sign"] == 1]
    below = [row for row in biases if row["clear"] and row["sign"] == -1]
    doubtful = [row for row in biases if not row["clear"]]
    parts = [
        f"{join_names([_WORDS[row['name']] for row in rows])} {'is' if len(rows) == 1 else 'are'} {where}"
        for rows, where in (
            (above, "clearly above no preference"),
            (below, "clearly below no preference"),
            (doubtful, "not clearly different from no preference"),
        )
        if rows
    ]
    if above and below:
        parts.append("the measures disagree")
    elif above and any(row["name"] == "t" for row in doubtful):
        parts.append("what remains after the quality baseline is not certain")
    return f"{judge}: {'; '.join(parts)}."


# ------------------------------------------------------------------------------
# `association`: which numbers correlate over judges (MEASURES section 14).

FEWEST = 3
_BIASED = (*(one.name for one in BIASES), "abs_spb", "ilsp")
_TRAITS = (
    *("mean_quality", "d", "accuracy", "pair_accuracy", "flip_rate", "size", "response_length"),
    *("recognition", "familiarity"),
)


def association_table(study: StudyArrays, spec: Slice, options: Options, weights: Weights | None) -> Table:
    """Return a row for every two numbers that at least three judges have; the draws are over judges."""
    numbers = numbers_of(study, spec, options["seed"])
    pairs = [(x, y) for x in _BIASED for y in _TRAITS] + list(combinations(_BIASED, 2))
    rows = []
    for x, y in pairs:
        judges = [name for name in study.index.models if all(name in numbers.get(of, ()) for of in (x, y))]
        if len(judges) >= FEWEST:
            sides = [np.array([numbers[name][judge] for judge in judges]) for name in (x, y)]
            resamples = None
            if weights is not None:
                resamples = cluster_weights(len(judges), len(weights), np.random.default_rng(options["seed"]))
            rows.append(_association_row(study.index, (x, y), judges, sides, resamples))
    if not rows:
        raise NoDataError(f"no two numbers are known for at least {FEWEST} judges")
    return Table.of(rows, study.index.n_instances)


def _association_row(
    index: StudyIndex, names: tuple[str, str], judges: list[str], sides: list[Floats], weights: Weights | None
) -> dict[str, Column]:
    cluster = np.arange(len(judges))
    statistics = {
        name: correlation(statistic, sides[0], sides[1], cluster, weights)
        for name, statistic in STATISTICS.items()
    }
    low = high = np.array([np.nan])
    if statistics["pearson"].draws is not None:
        interval = percentile_interval(statistics["pearson"].draws)
        undefined = np.isnan(np.asarray(statistics["pearson"].values, dtype=np.float64))
        low, high = (np.where(undefined, np.nan, end) for end in (interval.low, interval.high))
    families = np.array([index.model_fields["family"][index.models.index(name)] for name in judges])
    each_family = np.array(list(dict.fromkeys(families.tolist())))[:, None]
    of_rest = STATISTICS["pearson"](sides[0], sides[1], (families != each_family).astype(np.float64))
    without = of_rest[~np.isnan(of_rest)].tolist()
    why = "no_resamples" if weights is None else "too_many_undefined_resamples"
    return {
        "x": Column([names[0]]),
        "y": Column([names[1]]),
        **statistics,
        "n": Column([len(judges)]),
        "low": Column(low, reasons=why),
        "high": Column(high, reasons=why),
        "least_without_a_family": Column([min(without, default=None)], reasons=NO_CORRELATION),
        "greatest_without_a_family": Column([max(without, default=None)], reasons=NO_CORRELATION),
    }


# ------------------------------------------------------------------------------
# `judge-costs`: the cost of each judge's answers: calls, tokens, dollars, as far as recorded.

CALL_FILTERS = {"run": "run_id", "paradigm": "paradigm", "variant": "variant", "transform": "transform"}
"""The filters on the calls counted, besides `judges`, and their stored columns."""


def judge_costs_table(study: StudyArrays, spec: Slice, _options: Options, _weights: Weights | None) -> Table:
    """Return for each paradigm and variant a row for each judge, and one without a judge for all together."""
    for name in spec.judges:
        if name not in study.index.models:
            raise unknown("judge", name, study.index.models)
    others = [name for name in spec.filters() if name not in (*CALL_FILTERS, "judges", "min_instances")]
    if others:
        flags = ", ".join(("--judges", *(f"--{name}" for name in CALL_FILTERS)))
        raise UsageError(f"costs cannot be filtered by {others[0]!r}; leave it out, or filter by {flags}")
    where = {"judge": spec.judges} if spec.judges else {}
    for name, column in CALL_FILTERS.items():
        value = getattr(spec, name)
        if value:
            where[column] = value if isinstance(value, tuple) else (value,)
    answers = CallRows.read(study.files, study.index, where)
    if not len(answers.judge):
        raise NoDataError("the study has no judgments in this slice")
    kind = answers.paradigm * len(answers.variants) + answers.variant
    rows = []
    for code in np.unique(kind):
        paradigm, variant = divmod(int(code), len(answers.variants))
        group = np.flatnonzero(kind == code)
        judges: dict[str | None, Ints] = {
            study.index.models[j]: group[answers.judge[group] == j] for j in np.unique(answers.judge[group])
        }
        rows += [
            _costs_row(answers, answers.paradigms[paradigm], answers.variants[variant], judge, at)
            for judge, at in (judges | {None: group}).items()
        ]
    return Table.of(rows, study.index.n_instances)


def _costs_row(
    answers: CallRows, paradigm: str, variant: str, judge: str | None, at: Ints
) -> dict[str, Column]:
    has_cost = ~np.isnan(answers.recorded["cost_usd"][at])
    counts = {
        "paradigm": paradigm,
        "variant": variant,
        "calls": len(np.unique(answers.call[at])),
        "judgments": len(at),
        "verdicts": int(answers.ok[at].sum()),
        "costed": len(np.unique(answers.call[at][has_cost])),
    }
    columns = {name: Column([value], reasons="not_recorded") for name, value in counts.items()}
    for name, values in answers.recorded.items():
        recorded = values[at][~np.isnan(values[at])]
        total = float(recorded.sum()) if name == "cost_usd" else int(recorded.sum())
        columns[name] = Column([total if len(recorded) else None], reasons="not_recorded")
    return {"judge": Column([judge], reasons="all_judges")} | columns
