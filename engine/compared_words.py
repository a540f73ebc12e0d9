"""A comparison in a reader's words."""

from engine import wording
from engine.comparison import Comparison
from engine.measures.table import SURE
from engine.readable import Row, difference, plainly


def finding(comparison: Comparison, number: str) -> list[str]:
    """Return in sentences what comes out: of two judges, or of the mean and of each judge."""
    rows = [row for row in comparison.rows if row["field"] == number]
    kind = next(field.kind for field in comparison.measure.fields if field.name == number)
    if any(row["judge"] != row["judge_b"] for row in rows):
        return [f"{row['judge']} against {row['judge_b']}: {_side_by_side(row, kind)}" for row in rows]
    told = [f"Mean of judges: {_side_by_side(row, kind)}" for row in rows if row["judge"] is None]
    return [
        *told,
        _judges([row for row in rows if row["judge"] is not None], 1.0 if kind == "ratio" else 0.0),
    ]


def _side_by_side(row: Row, kind: str) -> str:
    a, b = plainly(row, "a", kind=kind), plainly(row, "b", kind=kind)
    against = "ratio of ratios" if kind == "ratio" else "difference"
    return f"{a} in A, {b} in B; {against} {difference(row, kind=kind)}, p {plainly(row, 'p')}."


def _judges(rows: list[Row], null: float) -> str:
    """Return which judges differ for sure."""
    tested = [row for row in rows if row["p_adjusted"] is not None]
    if not tested:
        return "No judge has enough cases on both sides for a test."
    sure = [row for row in tested if row["p_adjusted"] < SURE]
    if not sure:
        return f"None of {len(tested)} judges differs for sure (adjusted p below {SURE})."
    higher = [str(row["judge"]) for row in sure if row["difference"] > null]
    lower = [str(row["judge"]) for row in sure if row["difference"] <= null]
    told = [f"higher in A: {', '.join(higher)}"] if higher else []
    told += [f"higher in B: {', '.join(lower)}"] if lower else []
    return (
        f"{len(sure)} of {len(tested)} judges differ for sure (adjusted p below {SURE}); {'; '.join(told)}."
    )


def common(comparison: Comparison) -> str:
    """Return what is on both sides, what was dropped, and how the difference was drawn."""
    held = comparison.common
    drops = f"{held.dropped_a:,} of A and {held.dropped_b:,} of B"
    if held.applied:
        told = f"Compared on the {held.both:,} responses that are on both sides; dropped: {drops}."
    elif held.both:
        told = f"Compared on all responses of each side: {held.both:,} are on both, {drops} are not."
    else:
        told = f"No response is on both sides ({drops}), so each side is taken whole."
    if comparison.shared_draws:
        return f"{told} Both sides share their resamples."
    return f"{told} The two studies share no resamples: their draws are independent."


def one_side_only(comparison: Comparison) -> str | None:
    """Return which judges are on one side only, None where there are none or two judges are compared."""
    if any(row["judge"] != row["judge_b"] for row in comparison.rows):
        return None
    names: list[set[str]] = [
        {str(row["judge"]) for row in side.rows if row["judge"]} for side in comparison.sides
    ]
    told = [
        f"only in {side}: {', '.join(sorted(here - there))}"
        for side, here, there in (("A", names[0], names[1]), ("B", names[1], names[0]))
        if here - there
    ]
    return f"Judges {'; '.join(told)}." if told else None


def basis(comparison: Comparison) -> tuple[str, ...]:
    """Return what each side was taken of and what was left out of it."""
    return tuple(
        f"{name}: study {side.study}. {wording.applied(side.filters)} {wording.left_out(side.left_out)}"
        for name, side in zip("AB", comparison.sides, strict=True)
    )
