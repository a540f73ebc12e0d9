"""Sentences about committees, from the rows of their measures."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from engine.phrases import how_many, join_names, part_of, quantity
from engine.words.pairs import first_few
from engine.words.plain_names import LEVELS
from engine.words.ratio_words import excludes, has_interval, ratio_text, significant
from engine.words.row_cells import Row
from engine.words.written_numbers import number

if TYPE_CHECKING:
    from engine.measures.row_types import CommitteeFamiliesRow, CommitteeRow, CommitteeSizeRow


def committee(rows: "Sequence[CommitteeRow]") -> list[str]:
    """Return for how many members the committee has a lower ratio or higher accuracy; rows of `committee`.

    The difference is clear where each of the two numbers is outside the other's interval.
    """
    sentences = []
    for level, accuracy in (("rubric", "mra"), ("instance", "mipa")):
        of_level = [row for row in rows if row["level"] == level]
        ratios, accuracies = _pairs(of_level, "hspp_self"), _pairs(of_level, accuracy)
        if not ratios and not accuracies:
            continue
        lower = [row for row, alone, together in ratios if together < alone]
        higher = [row for row, alone, together in accuracies if together > alone]
        clear = [row for row in higher if clearly_apart(row, accuracy) and _is_higher_with_splits(row, level)]
        sentences.append(
            f"On {LEVELS[level]} the committee's ratio is lower than the member's for "
            f"{_counted(lower, _apart(lower, 'hspp_self'), ratios, 'hspp_self')}. Its accuracy is higher for "
            f"{_counted(higher, clear, accuracies, accuracy)}."
        )
        if level == "rubric":
            sentences += [*_own_failures(of_level), *_splits(of_level)]
    above = [row for row in rows if (row["hspp_self_committee"] or 0) > 1]
    names = [
        f"{row['judge']} ({LEVELS[row['level']]})"
        for row in above
        if significant(row, "hspp_self_committee", 1)
    ]
    if names:
        sentences.append(f"The committee's ratio is still above 1 for {join_names(names)}.")
    return sentences


def clearly_apart(row: Row, field: str) -> bool:
    """Return whether a member's number and the committee's are each outside the other's interval."""
    of_committee = f"{field}_committee"
    return excludes(row, field, row[of_committee]) and excludes(row, of_committee, row[field])


def _apart(rows: Sequence[Row], field: str) -> list[Row]:
    return [row for row in rows if clearly_apart(row, field)]


def _counted(
    rows: Sequence[Row], clear: Sequence[Row], every: Sequence[tuple[Row, float, float]], field: str
) -> str:
    """Return how many members, for how many that is clear, and of how many it cannot be told."""
    total = len(every)
    members = part_of(len(rows), total, "member")
    if not rows:
        return members
    tested = sum(has_interval(row, field) and has_interval(row, f"{field}_committee") for row, *_ in every)
    untested = f" ({total - tested:,} without an interval)" if tested < total else ""
    return f"{members}, clearly so for {how_many(len(clear), total)}{untested}"


def _own_failures(rows: Sequence[Row]) -> list[str]:
    """Return how many members pass more of their own failures than the committee does of the same."""
    shares = _pairs((row for row in rows if "o_self_common_committee" in row), "o_self_common")
    if not shares:
        return []
    fewer = [row for row, alone, together in shares if together < alone]
    clear = _apart(fewer, "o_self_common")
    changes = [
        f"{row['judge']} {number(row['o_self_common'], 'percent')}, the committee "
        f"{number(row['o_self_common_committee'], 'percent')}"
        for row in clear
    ]
    of_clear = f" ({first_few(changes, '; ')})" if changes else ""
    counted = f"{_counted(fewer, clear, shares, 'o_self_common')}{of_clear}"
    return [f"Of a member's own failures that it decides, it passes fewer than the member for {counted}."]


def _splits(rows: Sequence[Row]) -> list[str]:
    """Return on how many criteria the committee is split, which only its own numbers leave out."""
    row = next((row for row in rows if row.get("divided") and row["mra_committee"] is not None), None)
    if row is None:
        return []
    sentence = (
        f"The committee is split on {number(row['divided'], 'percent')} of the criteria, which are mostly "
        "hard ones: its numbers leave these out, the members' own do not. With a split counted as half right "
        f"its accuracy is {number(_with_splits(row), 'percent')}."
    )
    return [sentence]


def _with_splits(row: Row) -> float:
    """Return the committee's accuracy with a split counted as half right."""
    divided = float(row.get("divided") or 0)
    return (1 - divided) * float(row["mra_committee"]) + divided / 2


def _is_higher_with_splits(row: Row, level: str) -> bool:
    return level != "rubric" or row["mra_high"] is None or _with_splits(row) > row["mra_high"]


def committee_sizes(rows: "Sequence[CommitteeSizeRow]", combine: str = "majority") -> list[str]:
    """Return how the mean ratio changes from one judge to all together; rows of `committee-size`."""
    sentences = []
    for level in ("rubric", "instance"):
        of_level = [row for row in rows if row["level"] == level and row["hspp_self"] is not None]
        if len(of_level) < 2:
            continue
        first, last = of_level[0], of_level[-1]
        sentences.append(
            f"On {LEVELS[level]} the members' mean ratio goes from {ratio_text(first, 'hspp_self')} with "
            f"{_judge_count(first['size'])} to {ratio_text(last, 'hspp_self')} with "
            f"{_judge_count(last['size'])} together."
        )
    even = [row for row in rows if row["size"] % 2 == 0]
    if sentences and combine == "majority" and even:
        sentences.append(
            "Committees of even size drop tied votes, which fall on hard cases: compare odd sizes only with "
            "odd sizes."
        )
    return sentences or ["Fewer than two committee sizes have a ratio to compare."]


def committee_families(rows: "Sequence[CommitteeFamiliesRow]") -> str:
    """Return for how many families the ratio is lower without their own votes; `committee-families` rows."""
    of_level = [row for row in rows if row["level"] == rows[0]["level"]]
    both = [row for row in of_level if row["hspp_self_outside"] is not None]
    both = [row for row in both if row["hspp_self_outside_whole"] is not None]
    if not both:
        return "Without any one of the families, too few members or no failures are left for a ratio."
    lower = [row for row in both if row["hspp_self_outside"] < row["hspp_self_outside_whole"]]
    parts = [
        f"{row['without']} from {number(row['hspp_self_outside_whole'])} to "
        f"{ratio_text(row, 'hspp_self_outside')}"
        for row in both
    ]
    return (
        f"On {LEVELS[of_level[0]['level']]} the mean ratio is lower for {len(lower)} of "
        f"{quantity(len(both), 'family')} when their own members do not vote: {'; '.join(parts)}."
    )


def _judge_count(size: int) -> str:
    return "one judge" if size == 1 else quantity(size, "judge")


def _pairs(rows: Iterable[Row], field: str) -> list[tuple[Row, float, float]]:
    """Return each member's row, its number and that of the committee in its place, if both are known."""
    both = [(row, row[field], row[f"{field}_committee"]) for row in rows]
    return [each for each in both if each[1] is not None and each[2] is not None]
