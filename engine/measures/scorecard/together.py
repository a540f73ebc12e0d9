"""`together`: every measure that the study allows, for each judge (MEASURES section 14)."""

from itertools import combinations

import numpy as np

from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.study_arrays import StudyArrays
from engine.measures import entry
from engine.measures.entry import ONE_JUDGE, Field, Measure
from engine.measures.rows import Column, Options, Table
from engine.measures.scorecard.judge_numbers import BIASES, OTHERS, JudgeMeasure, Row, number_rows
from engine.phrases import join_names
from engine.slices import Slice
from engine.stats import Weights
from engine.stats.scores.ranks import TOLERANCE, average_ranks

_WORDS = {number.name: number.words for number in BIASES if number.words}
"""How measures of self-preference are named in sentences."""


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


TOGETHER = Measure(
    name="together",
    title="All measures together",
    question="What do all the measures that this study allows say about each judge?",
    formula="each measure's own; sign = sign of (value - value that means no self-preference)",
    paper="all five papers",
    left_out="measures that the study or the filters do not allow",
    function=measure_summary_table,
    chart="directions",
    keys=("judge", "measure"),
    headline="value",
    sliced=False,
    by_slice="expected",
    fields=(
        ONE_JUDGE,
        entry.key("measure", "the measure; its field, where that is not the headline number"),
        entry.number("value", "value of the measure"),
        entry.number("low", "lower end of its interval"),
        entry.number("high", "upper end of its interval"),
        entry.number(
            "sign",
            "+1 for self-preference, -1 against, 0 neither; empty where the measure does not speak "
            "of self-preference",
        ),
        entry.count("n", "number of cases behind the value"),
        entry.key("needs", "what a study must have for this measure"),
        entry.number("null", "value that means no self-preference"),
        Field("clear", "flag", "the interval excludes the value that means no self-preference"),
        entry.number("rank", "the judge's rank by this measure; 1 is the highest"),
        entry.portion("agree", "share of pairs of the judge's signs that agree"),
        entry.key("field", "measure and field that the value comes from"),
        entry.key("sentence", "what the measures say about the judge together"),
    ),
)
