"""What measures of pairs give, in words: archetypes, preference among equals, the baseline, other prompts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from engine.measures.undefined_reasons import meaning
from engine.phrases import full_stop, how_many, join_names, part_of, quantity, sentence_case
from engine.stats.pairs.archetypes import BORDER_D, RANDOMIZER
from engine.words.no_numbers import count_of_tested, judges_without
from engine.words.ratio_words import excludes, has_interval, significant, unadjusted
from engine.words.row_cells import Row
from engine.words.written_numbers import in_sentence, number, with_interval

if TYPE_CHECKING:
    from engine.measures.row_types import ArchetypesRow, EqualQualityRow, MitigationRow, QualityBaselineRow

FEW = 6
"""Judges named in a sentence."""

CHANCE = 0.5
"""D of a judge that picks one of two answers at random."""


def points(row: Row, field: str) -> str:
    """Return `+12.0 points (95% CI +3.1 to +20.4)`."""
    return in_sentence(row[field], row[f"{field}_low"], row[f"{field}_high"], "change")


def first_few(parts: Sequence[str], mark: str = ", ") -> str:
    """Join the first FEW parts, and count the others."""
    return mark.join([*parts[:FEW], *([f"and {len(parts) - FEW} more"] if len(parts) > FEW else [])])


def _judges_in_words(rows: Sequence[Row], field: str) -> str:
    return first_few([_judge_with_number(row, field) for row in rows], "; ")


def _judge_with_number(row: Row, field: str) -> str:
    return f"{row['judge']} {with_interval(row[field], row[f'{field}_low'], row[f'{field}_high'], 'change')}"


ARCHETYPES = {
    RANDOMIZER: f"picks the better of two clearly different answers in less than {BORDER_D:.0%} of cases",
    "Objective": "tells better from worse, and treats its own like others'",
    "Machiavellian": "tells better from worse, and prefers its own among equals",
    "Blindly Biased": "tells better from worse, and prefers others' among equals",
}
"""What each archetype does."""


def archetype_words(rows: "Sequence[ArchetypesRow]") -> list[str]:
    """Name the judges of each archetype, and apart from them those whose intervals allow another."""
    judges = [row for row in rows if row["archetype"] is not None]
    if not judges:
        return ["No judge has an archetype here: that needs both SPB and D, from pairs far apart in quality."]
    unsure = [row for row in judges if len(row["possible"] or ()) > 1]
    sure = _by_archetype([row for row in judges if row not in unsure])
    sentences = [f"{name} ({ARCHETYPES[name]}): {first_few(names)}." for name, names in sure.items()]
    if unsure:
        open_ones = _by_archetype(unsure).items()
        by_numbers = (
            f"{name if name in sure else f'{name} ({ARCHETYPES[name]})'}: {first_few(names)}"
            for name, names in open_ones
        )
        sentences.append(
            f"Open, as the intervals allow another archetype than the numbers: {'; '.join(by_numbers)}."
        )
    drawn_for = [row for row in rows if (row.get("n_apart") or 0) > (row.get("n_contrast") or 0)]
    if drawn_for:
        of_all = [
            f"{row['judge']} {number(row['d_all'], 'percent')} of {row['n_apart']:,}" for row in drawn_for
        ]
        most = max(row["n_contrast"] for row in drawn_for)
        sentences.append(
            f"D, and with it the archetype, rests on {most:,} pairs drawn for each judge; on "
            f"all that are as far apart D is: {first_few(of_all, '; ')}."
        )
    able = [row["judge"] for row in judges if row["archetype"] == RANDOMIZER and (row["d_low"] or 0) > CHANCE]
    if able:
        who = f"{join_names(able, FEW)} {'is' if len(able) == 1 else 'are'}"
        sentences.append(
            f"{RANDOMIZER} is the paper's name: {who} clearly better than chance ({CHANCE:.0%})."
        )
    return sentences


def _by_archetype(rows: "Sequence[ArchetypesRow]") -> dict[str, list[str]]:
    """Return the judges of each archetype."""
    judges: dict[str, list[str]] = {}
    for row in rows:
        judges.setdefault(str(row["archetype"]), []).append(str(row["judge"]))
    return judges


def epsilon_words(rows: "Sequence[EqualQualityRow]") -> str:
    """Say for how many judges SPB keeps its sign at every epsilon at which they have one."""
    values_of = [[spb for spb in row["spb_by_epsilon"] if spb is not None] for row in rows]
    values_of = [values for values in values_of if len(values) > 1]
    if not values_of:
        return "No judge has SPB at two epsilons."
    same_sign = sum(min(values) > 0 or max(values) < 0 for values in values_of)
    return f"SPB keeps its sign at every epsilon for {part_of(same_sign, len(values_of), 'judge')}."


def category_words(rows: "Sequence[EqualQualityRow]") -> str:
    """Say in which category judges lean most to and from themselves, and in how many cells that is clear."""
    cells = [row for row in rows if row["judge"] is not None and row["spb"] is not None]
    if not cells:
        return "No judge has SPB in a category."
    names = list(dict.fromkeys("(no value)" if row["slice"] is None else str(row["slice"]) for row in cells))
    least, most = min(cells, key=lambda row: row["spb"]), max(cells, key=lambda row: row["spb"])
    tested = [row for row in cells if has_interval(row, "spb")]
    sure = [row for row in tested if excludes(row, "spb", 0)]
    n_above = sum(row["spb"] > 0 for row in sure)
    above, below = (how_many(number, len(tested)) for number in (n_above, len(sure) - n_above))
    without = len(cells) - len(tested)
    have = "has" if without == 1 else "have"
    untested = f"{how_many(without, len(cells))} {have} no interval; of the others " if without else ""
    return (
        f"Of {quantity(len(cells), 'pair')} of a judge and one of {quantity(len(names), 'category')}, "
        f"{untested}SPB is clearly above 0 in {above} and clearly below 0 in {below}; "
        f"chance alone would give about 1 in 40 each way. Highest: {most['judge']} on {most['slice']}, "
        f"{points(most, 'spb')}; lowest: {least['judge']} on {least['slice']}, {points(least, 'spb')}."
    )


def baseline_words(rows: "Sequence[QualityBaselineRow]") -> str:
    """Say for which judges T is above 0."""
    if not any(row["ilsp_updated"] is not None for row in rows):
        return (
            "T is not defined: no lost example has a proxy, another model with the same result against the "
            "same opponent that the judge also judged. ILSP and LSP are shown without a baseline."
        )
    return preferring(rows, "ilsp_updated", _VOTING)


@dataclass(frozen=True)
class Doing:
    """What one judge does, and what several do."""

    one: str
    several: str


_VOTING = Doing(
    "votes for its own worse answers more than for equally bad ones of other models",
    "vote for their own worse answers more than for equally bad ones of other models",
)


def preferring(rows: Sequence[Row], field: str, doing: Doing) -> str:
    """Say for how many judges a number is clearly above 0, clearly below, and neither, or why for none."""
    judges = sorted((row for row in rows if row[field] is not None), key=lambda row: -row[field])
    if not judges:
        reasons = dict.fromkeys(meaning(row["reasons"].get(field)) for row in rows)
        return full_stop(": ".join(filter(None, ("No judge can be compared here", "; ".join(reasons)))))
    tested = [row for row in judges if has_interval(row, field)]
    untested = judges_without(judges, f"{field}_low", "Cannot be told")
    if not tested:
        return untested
    above, below = (
        [row for row in tested if significant(row, field, 0) and sign * row[field] > 0] for sign in (1, -1)
    )
    does_so = count_of_tested(len(tested), len(judges), len(above), doing.one, doing.several)
    sentence = sentence_case(does_so)
    sentence += f" ({_judges_in_words(above, field)})." if above else "."
    if below:
        number = sentence_case(how_many(len(below), len(tested)))
        does = "does" if len(below) == 1 else "do"
        sentence += f" {number} clearly {does} the opposite ({_judges_in_words(below[::-1], field)})."
    parts = [sentence, *unadjusted(tested, field, 0, partial(_judge_with_number, field=field))]
    unclear = sum(not excludes(row, field, 0) for row in tested)
    if unclear:
        number = how_many(unclear, len(tested))
        if number == "all" and untested:
            number = f"all {unclear:,}"
        parts.append(f"For {number} the interval includes 0.")
    return " ".join([*parts, *([untested] if untested else [])])


def flips_beside(rows: Sequence[Row]) -> str:
    """Say of which judges DBG is one of flips: clear of all pairs, but not of those decided; empty for none.

    A winner that changes with the order is none, so that flips draw the win rate towards one half.
    """
    parts = [
        f"{row['judge']}, with {row['flip_rate']:.0%} flips, {points(row, 'dbg_decided')}"
        for row in rows
        if row["flip_rate"] is not None
        and row["flip_rate"] > MANY_FLIPS
        and excludes(row, "dbg", 0)
        and not (excludes(row, "dbg_decided", 0) and row["dbg"] * row["dbg_decided"] > 0)
        and row["dbg_decided"] is not None
    ]
    if not parts:
        return ""
    return (
        "Where the winner changes with the order, neither answer wins, which draws the win rate towards one "
        f"half whatever a judge prefers. Of the pairs that they decide, DBG is not clearly the same: "
        f"{first_few(parts, '; ')}."
    )


MANY_FLIPS = 0.25
"""The share of winners that change with the order from which DBG is checked on the pairs decided."""


def mitigation_words(rows: "Sequence[MitigationRow]") -> str:
    """Say for how many judges each prompt lowers |SPB|."""
    sentences = []
    for name in dict.fromkeys(row["variant"] for row in rows):
        judges = [row for row in rows if row["variant"] == name and row["reduction"] is not None]
        if not judges:
            sentences.append(f"With the prompt {name}, no judge has SPB in both.")
            continue
        less = sum(row["reduction"] > 0 for row in judges)
        untested = judges_without(judges, "reduction_low", "No interval")
        sure = sum(excludes(row, "reduction", 0) and row["reduction"] > 0 for row in judges)
        worse = sum(excludes(row, "reduction", 0) and row["reduction"] < 0 for row in judges)
        clearly = f", clearly so for {how_many(sure, len(judges))}," if less else ""
        sentences.append(
            f"With the prompt {name}, |SPB| is lower for {part_of(less, len(judges), 'judge')}{clearly} and "
            f"clearly higher for {how_many(worse, len(judges))}.{f' {untested}' if untested else ''}"
        )
    return " ".join(sentences)
