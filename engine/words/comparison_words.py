"""A comparison in words."""

from engine.explore.compare import Comparison
from engine.measures.rows import SURE
from engine.phrases import part_of, quantity, sentence_case
from engine.words import based_on
from engine.words.row_cells import Row, difference, text_of
from engine.words.written_numbers import at_most_words


def compared(number: str) -> str:
    """Return which number is compared, and why it is not the one that *By judge* starts with."""
    return (
        f"Compared: {number}. Given minus expected is no choice here, since its difference between two sides "
        "has no interval and no p."
    )


def finding(comparison: Comparison, number: str) -> list[str]:
    """Return the result in sentences: for two judges, or for the mean and each judge."""
    rows = [row for row in comparison.rows if row["field"] == number]
    kind = next(field.kind for field in comparison.measure.fields if field.name == number)
    if any(row["judge"] != row["judge_b"] for row in rows):
        return [f"{row['judge']} against {row['judge_b']}: {_side_by_side(row, kind)}" for row in rows]
    sentences = [f"Mean of judges: {_side_by_side(row, kind)}" for row in rows if row["judge"] is None]
    tested = [row for row in rows if row["judge"] is not None and row["p_adjusted"] is not None]
    sure = [row for row in tested if row["p_adjusted"] < SURE]
    who, null = sentence_case(part_of(len(sure), len(tested), "judge")), 1.0 if kind == "ratio" else 0.0
    if not tested:
        return [*sentences, "No judge has enough cases on both sides to be tested."]
    if not sure:
        return [*sentences, f"{who} differs significantly (adjusted p below {SURE})."]
    higher = [str(row["judge"]) for row in sure if row["difference"] > null]
    lower = [str(row["judge"]) for row in sure if row["difference"] <= null]
    sides = (("A", higher), ("B", lower))
    parts = "; ".join(f"higher in {side}: {', '.join(names)}" for side, names in sides if names)
    counts = f"{who} {'differs' if len(sure) == 1 else 'differ'} significantly (adjusted p below {SURE})"
    return [*sentences, f"{counts}; {parts}."]


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
        text = f"The sides share no answer ({drops}), so each is compared as a whole."
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
