"""A comparison in words."""

from collections.abc import Callable, Iterable
from functools import partial
from math import inf, log

from engine.explore.compare import Comparison
from engine.measures.comparison import compared_as_ratio
from engine.measures.rows import SURE
from engine.measures.undefined_reasons import meaning
from engine.phrases import join_names, quantity, sentence_case
from engine.words import based_on
from engine.words.no_numbers import MOST_NAMED, count_of_tested
from engine.words.row_cells import Row, difference, text_of
from engine.words.written_numbers import at_most_words


def compared(number: str) -> str:
    """Return which number is compared, and why it is not the one that *By judge* starts with."""
    return (
        f"Compared: {number}. Given minus expected cannot be compared here: its difference between two sides "
        "has no interval and no p."
    )


def untested_words(rows: Iterable[Row], numbers: Callable[[Row], str], *, as_ratio: bool) -> str:
    """Name the judges whose difference has no p and say why, the farthest apart first; empty if none.

    `rows` are of a comparison (`engine.measures.comparison`); `numbers` writes out both sides of one.
    """
    why: dict[str, list[str]] = {}
    of_judges = [row for row in rows if row["judge"] is not None and row["p_adjusted"] is None]
    for row in sorted(of_judges, key=lambda row: -_distance(row, as_ratio=as_ratio)):
        both = "" if row["difference"] is None else f" ({numbers(row)})"
        why.setdefault(meaning(row["reasons"].get("p_adjusted")), []).append(f"{row['judge']}{both}")
    parts = [f"{join_names(judges, MOST_NAMED)}: {reason}" for reason, judges in why.items()]
    return f"Not tested: {'; '.join(parts)}." if parts else ""


def _distance(row: Row, *, as_ratio: bool) -> float:
    """Return how far apart the two sides are, ratios on the logarithmic scale."""
    apart = row["difference"]
    if apart is None:
        return -inf
    return abs(apart) if not as_ratio else abs(log(apart)) if apart > 0 else inf


def finding(comparison: Comparison, number: str) -> list[str]:
    """Return the result in sentences: for two judges, or for the mean and each judge."""
    rows = [row for row in comparison.rows if row["field"] == number]
    kind = next(field.kind for field in comparison.measure.fields if field.name == number)
    if any(row["judge"] != row["judge_b"] for row in rows):
        return [f"{row['judge']} against {row['judge_b']}: {_side_by_side(row, kind)}" for row in rows]
    sentences = [f"Mean of judges: {_side_by_side(row, kind)}" for row in rows if row["judge"] is None]
    of_judges = [row for row in rows if row["judge"] is not None]
    tested = [row for row in of_judges if row["p_adjusted"] is not None]
    sure = [row for row in tested if row["p_adjusted"] < SURE]
    as_ratio = compared_as_ratio(comparison.measure, number)
    untested = untested_words(of_judges, partial(_both_sides, kind=kind), as_ratio=as_ratio)
    if not tested:
        return [*sentences, "No judge can be tested.", untested]
    differ = count_of_tested(len(tested), len(of_judges), len(sure), "differs", "differ")
    counts = f"{sentence_case(differ)} significantly (adjusted p below {SURE})"
    null = 1.0 if as_ratio else 0.0
    higher = [str(row["judge"]) for row in sure if row["difference"] > null]
    lower = [str(row["judge"]) for row in sure if row["difference"] <= null]
    sides = (("A", higher), ("B", lower))
    parts = "; ".join(f"higher in {side}: {', '.join(names)}" for side, names in sides if names)
    return [*sentences, f"{counts}; {parts}." if sure else f"{counts}.", *filter(None, [untested])]


def _both_sides(row: Row, kind: str) -> str:
    both = f"{text_of(row, 'a', kind=kind)} in A, {text_of(row, 'b', kind=kind)} in B"
    ends = [row[name] for name in ("a_low", "a_high", "b_low", "b_high")]
    if None in ends or (ends[0] <= ends[3] and ends[2] <= ends[1]):
        return both
    return f"{both}; their intervals do not overlap"


def _side_by_side(row: Row, kind: str) -> str:
    a, b = text_of(row, "a", kind=kind), text_of(row, "b", kind=kind)
    against = "ratio of ratios" if kind == "ratio" else "difference"
    return f"{a} in A, {b} in B; {against} {difference(row, kind=kind)}, p {text_of(row, 'p')}."


def common(comparison: Comparison) -> str:
    """Return what the sides share, what was dropped, and how they were resampled."""
    overlap = comparison.common
    drops = f"{overlap.dropped_a:,} of A and {overlap.dropped_b:,} of B"
    if overlap.applied:
        dropped = f"dropped: {drops}" if overlap.dropped_a or overlap.dropped_b else "none was dropped"
        text = f"Compared on the {quantity(overlap.both, 'answer')} that both sides share; {dropped}."
    elif overlap.both:
        text = f"Compared on all answers of each side: {overlap.both:,} are shared, {drops} are not."
    else:
        text = (
            f"The sides share no answer ({drops}), so each is compared as a whole: what differs may be the "
            "answers."
        )
    if comparison.shared_draws:
        return f"{text} Both sides use the same resamples."
    return f"{text} The two studies are resampled independently."


def smallest_p(comparison: Comparison) -> str | None:
    """Return what a p of at most so much is; None if every p is given exactly."""
    if not any(row["p_is_smallest"] for row in comparison.rows):
        return None
    return at_most_words(comparison.sides[0].filters["resamples"])


def one_side_only(comparison: Comparison) -> str | None:
    """Return which judges are on one side only; None if none are, or if two judges are compared."""
    if any(row["judge"] != row["judge_b"] for row in comparison.rows):
        return None
    a, b = ({str(row["judge"]) for row in side.rows if row["judge"]} for side in comparison.sides)
    only = {"A": sorted(a - b), "B": sorted(b - a)}
    parts = [f"only in {side}: {', '.join(names)}" for side, names in only.items() if names]
    return f"Judges {'; '.join(parts)}." if parts else None


def basis(comparison: Comparison) -> tuple[str, ...]:
    """Return what each side is based on and what it leaves out."""
    return tuple(
        f"{name}: study {side.study}. {based_on.basis_of(side.filters)} {based_on.left_out_of(side)}"
        for name, side in zip("AB", comparison.sides, strict=True)
    )
