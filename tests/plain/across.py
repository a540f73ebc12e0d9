"""All measures of a judge together, and their correlations over judges (MEASURES section 14), by plain loops.

Readings:
 1. Each number is that of its own measure with the defaults of that measure; a measure that the study does
    not allow gives none. Of several variants (flip rate) the first by name counts.
 2. A number is reported for every judge with a row of its measure, if any judge has a value.
 3. sign: of the value less what means no self-preference, within 1e-9; `agree`: the share of pairs of a
    judge's signs that are equal, the preference for relatives apart. Rank 1 is the highest value.
 4. Correlations need three judges that have both; ranks are average ranks. The mean response length is in
    characters, of the responses as they were written.
"""

from itertools import combinations
from typing import Any

from plain.asking import RefusedError, ask, family, mean, models
from plain.dbg import dbg
from plain.equal_quality import equal_quality
from plain.measures import accuracy, delta, hspp
from plain.mitigation import discriminability
from plain.pair_orders import order_effect
from plain.quality_baseline import quality_baseline
from plain.sources import pearson, ranks
from plain.study import PlainStudy

TOLERANCE = 1e-9
ABOUT = {
    "hspp": ("hspp", "hspp_self", "n_self", 1.0),
    "hspp_matched": ("hspp", "hspp_matched", "n_matched", 1.0),
    "hspp_family": ("hspp", "hspp_family", "n_family", 1.0),
    "bonus": ("delta", "bonus", "n", 0.0),
    "spb": ("equal-quality", "spb", "n_pairs", 0.0),
    "dbg": ("dbg", "dbg", "n", 0.0),
    "dbg_decided": ("dbg", "dbg_decided", "n_decided", 0.0),
    "t": ("quality-baseline", "ilsp_updated", "n", 0.0),
    "ilsp": ("quality-baseline", "ilsp", "n_examples", None),
    "accuracy": ("accuracy", "mra", "mra_total", None),
    "pair_accuracy": ("accuracy", "mipa", "mipa_total", None),
    "d": ("discriminability", "d", "n", None),
    "flip_rate": ("order-effect", "flip_rate", "n_pairs", None),
}
BIASES = [name for name, (*_, null) in ABOUT.items() if null is not None and name != "hspp_family"]
BIASED = ("hspp", "hspp_matched", "hspp_family", "bonus", "spb", "dbg", "dbg_decided", "t", "abs_spb", "ilsp")
TRAITS = ("mean_quality", "d", "accuracy", "pair_accuracy", "flip_rate", "size", "response_length")


def rows_of(study: PlainStudy) -> dict[str, dict[str, dict[str, Any]]]:
    """Measure -> judge -> its row over all opponents."""

    def of_list(result: Any) -> dict[str, dict[str, Any]]:
        rows: dict[str, dict[str, Any]] = {}
        for row in result[0]:
            if row.get("judge") is not None and row.get("generator", row["judge"]) in (row["judge"], None):
                rows.setdefault(row["judge"], row)
        return rows

    def pooled(result: Any) -> dict[str, dict[str, Any]]:
        return {judge: row for (judge, opponent), row in result.items() if opponent is None}

    ways = {
        "hspp": lambda: of_list(hspp(study)),
        "delta": lambda: of_list(delta(study)),
        "accuracy": lambda: of_list(accuracy(study)),
        "order-effect": lambda: of_list(order_effect(study)),
        "equal-quality": lambda: equal_quality(study),
        "discriminability": lambda: discriminability(study),
        "dbg": lambda: pooled(dbg(study)),
        "quality-baseline": lambda: pooled(quality_baseline(study)),
    }
    tables = {}
    for name, take in ways.items():
        try:
            tables[name] = take()
        except RefusedError:
            tables[name] = {}
    return tables


def together(study: PlainStudy) -> dict[tuple[str, str], dict[str, Any]]:
    """A row for each judge and number."""
    rows = rows_of(study)
    by_number: dict[tuple[str, str], dict[str, Any]] = {}
    for name, (measure, field, count, null) in ABOUT.items():
        values = {judge: row.get(field) for judge, row in rows[measure].items()}
        known = [value for value in values.values() if value is not None]
        if not known:
            continue
        for judge, value in values.items():
            by_number[judge, name] = {
                "value": value,
                "n": rows[measure][judge].get(count) or 0,
                "sign": None if value is None or null is None else sign(value - null),
                "rank": None if value is None else rank(value, known),
            }
    for (judge, _), row in by_number.items():
        signs = [by_number[judge, name]["sign"] for name in BIASES if (judge, name) in by_number]
        same = [float(a == b) for a, b in combinations([s for s in signs if s is not None], 2)]
        row["agree"] = mean(same)
    return by_number


def sign(value: float) -> int:
    """+1, 0 or -1."""
    return 0 if abs(value) < TOLERANCE else 1 if value > 0 else -1


def rank(value: float, values: list[float]) -> float:
    """The average rank, 1 the highest."""
    higher = sum(other > value + TOLERANCE for other in values)
    return higher + (sum(abs(other - value) <= TOLERANCE for other in values) + 1) / 2


def association(study: PlainStudy) -> dict[tuple[str, str], dict[str, Any]]:
    """A row for each two numbers that three judges have."""
    numbers = numbers_of(study)
    query = ask(study, paradigm="pairwise")
    rows = {}
    for x, y in [(x, y) for x in BIASED for y in TRAITS] + list(combinations(BIASED, 2)):
        here, there = numbers.get(x, {}), numbers.get(y, {})
        judges = [model for model in models(query) if model in here and model in there]
        if len(judges) < 3:
            continue
        without = []
        for left_out in {family(query, judge) for judge in judges}:
            rest = [judge for judge in judges if family(query, judge) != left_out]
            r = pearson([here[judge] for judge in rest], [there[judge] for judge in rest])
            without += [] if r is None else [r]
        xs, ys = [here[judge] for judge in judges], [there[judge] for judge in judges]
        rows[x, y] = {
            "n": len(judges),
            "pearson": pearson(xs, ys),
            "spearman": pearson(ranks(xs), ranks(ys)),
            "least_without_a_family": min(without, default=None),
            "greatest_without_a_family": max(without, default=None),
        }
    return rows


def numbers_of(study: PlainStudy) -> dict[str, dict[str, float]]:
    """Number -> judge -> value."""
    rows = rows_of(study)
    numbers: dict[str, dict[str, float]] = {}
    for name, (measure, field, _, _) in ABOUT.items():
        for judge, row in rows[measure].items():
            if row.get(field) is not None:
                numbers.setdefault(name, {})[judge] = row[field]
    for judge, value in numbers.get("spb", {}).items():
        numbers.setdefault("abs_spb", {})[judge] = abs(value)
        quality = rows["equal-quality"][judge]["mean_quality"]
        if quality is not None:
            numbers.setdefault("mean_quality", {})[judge] = quality
    for row in study.models:
        if row["size_b"] is not None:
            numbers.setdefault("size", {})[row["model"]] = row["size_b"]
        texts = [
            float(len(response["text"]))
            for response in study.responses
            if response["generator"] == row["model"]
            and response["transform"] == "none"
            and response["text"] is not None
        ]
        if texts:
            numbers.setdefault("response_length", {})[row["model"]] = sum(texts) / len(texts)
    return numbers
