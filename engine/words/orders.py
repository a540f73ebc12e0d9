"""What the order shown does, in words: positions, orderings, repeats, lists of criteria, pairs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.measures.rows import FEW, SURE
from engine.measures.undefined_reasons import REASONS
from engine.phrases import how_many, join_names, part_of, quantity, sentence_case
from engine.words.based_on import MOST_NAMES
from engine.words.no_numbers import count_of_tested, judges_without
from engine.words.pairs import first_few
from engine.words.row_cells import Row
from engine.words.written_numbers import in_sentence

if TYPE_CHECKING:
    from engine.measures.row_types import OrderEffectRow, OrderingRow, PermutationRow, PositionRow


def position_words(rows: "Sequence[PositionRow]") -> str:
    """Say which position each judge picks most, how often that differs from chance, and who is not tested."""
    most_of: dict[str, PositionRow] = {}
    for row in rows:
        if row["share"] is not None:
            most_of[row["judge"]] = max(most_of.get(row["judge"], row), row, key=lambda each: each["share"])
    if not most_of:
        return "No judge has a selection here."
    picks = [f"{judge} position {row['position']} ({row['share']:.1%})" for judge, row in most_of.items()]
    most_often = f"Chosen most often (chance: {1 / rows[0]['n_options']:.1%}): {first_few(picks)}."
    every = list(most_of.values())
    tested = [row["chi2_shuffle_p"] for row in every if row["chi2_shuffle_p"] is not None]
    if not tested:
        untested = REASONS.get(every[-1]["reasons"].get("chi2_shuffle_p", ""), "no p-value")
        return f"{most_often} Whether that is chance was not tested: {untested}."
    differ = count_of_tested(len(tested), len(every), sum(p < SURE for p in tested), "differs", "differ")
    of_tested = (
        f"{sentence_case(differ)} from chance (p below {SURE:g}, by permuting the scores of each item)."
    )
    untested = judges_without(every, "chi2_shuffle_p", "Not tested")
    return " ".join(filter(None, (most_often, of_tested, untested)))


def ordering_words(rows: "Sequence[OrderingRow]") -> str:
    """Say which ordering is recommended for each judge."""
    best = [row for row in rows if row["recommended"] and row["cost"] is not None]
    if not best:
        return "No ordering has a cost here."
    names = [f"{row['judge']} {row['ordering']} ({row['cost']:.1f} points)" for row in best]
    return f"Recommended ordering (lowest bias cost): {first_few(names, '; ')}."


def permutation_words(rows: "Sequence[PermutationRow]") -> str:
    """Say for how many judges permuting agrees better with people than repeating."""
    judges = [row for row in rows if row["pearson_delta"] is not None]
    if not judges:
        return "No judge has both permuted and repeated orderings with human scores to compare."
    better = sum(row["pearson_delta"] > 0 for row in judges)
    sure = [row for row in judges if row["pearson_delta_low"] is not None]
    clearly = sum(row["pearson_delta_low"] > 0 for row in sure)
    worse = sum(row["pearson_delta_high"] < 0 for row in sure)
    untested = judges_without(judges, "pearson_delta_low", "No interval")
    sure_of = f", clearly so for {how_many(clearly, len(judges))}" if better else ""
    return (
        f"Permuted orderings agree better with people than the same number of repeats of one ordering for "
        f"{part_of(better, len(judges), 'judge')}{sure_of}; they agree clearly worse for "
        f"{how_many(worse, len(judges))}.{f' {untested}' if untested else ''}"
    )


def list_words(rows: Sequence[Row], field: str, words: str) -> str:
    """Say in how many series a number falls from the first to the last position of a list."""
    ends: dict[tuple[str, str], dict[int, float]] = {}
    for row in rows:
        if row["position"] is not None and row[field] is not None:
            ends.setdefault((row["judge"], row["ordering"]), {})[row["position"]] = row[field]
    curves = [(course[min(course)], course[max(course)]) for course in ends.values() if len(course) > 1]
    if not curves:
        return "No judge has this number at two positions in a list."
    fell = sum(first > last for first, last in curves)
    series = part_of(fell, len(curves), "series", "series")
    return (
        f"From the first to the last position, the number ({words}) falls in {series} (one per judge and "
        "ordering); the intervals show how much of that may be chance."
    )


def side_of_flips(row: "OrderEffectRow") -> str:
    """Return to which side nearly all of a judge's flips go, if to one: `, nearly always to the first`."""
    low, high = row["flip_to_first_low"], row["flip_to_first_high"]
    if low is None or high is None or (low < MOSTLY and high > 1 - MOSTLY):
        return ""
    return f", mostly to the answer shown {'first' if low >= MOSTLY else 'second'}"


def flips_both_ways(row: "OrderEffectRow") -> str:
    """Say how many winners change to either answer, as only their difference is one of the order for certain.

    Empty where they mostly go to one side.
    """
    to_first = row.get("flip_to_first")
    if to_first is None or side_of_flips(row):
        return ""
    first = row["flip_rate"] * to_first
    return (
        f"Of 100 such pairs of {row['judge']}, {100 * first:.0f} change to the answer shown first and "
        f"{100 * (row['flip_rate'] - first):.0f} to the one shown second. Asked twice in the same order, "
        "a judge would change some votes too, so only the difference of the two is due to the order for "
        "certain."
    )


MOSTLY = 0.75
"""The share of flips that go to one side from which they are said to go there mostly."""


def flip_words(rows: "Sequence[OrderEffectRow]") -> str:
    """Say which judge flips most, and how many flip to the response shown first or second."""
    judges = [row for row in rows if row["flip_rate"] is not None]
    if not judges:
        return _first_words(rows) or "No pair was decided in both orders."
    enough = [row for row in judges if not row["small"]] or judges
    most = max(enough, key=lambda row: row["flip_rate"])
    several = len({row["variant"] for row in judges}) > 1
    of = f"Of judges with {FEW} pairs or more, " if 1 < len(enough) < len(judges) else ""
    rate = in_sentence(most["flip_rate"], most["flip_rate_low"], most["flip_rate_high"], "percent")
    often = " most often: in" if len(enough) > 1 else " in"
    sentence = (
        f"{of}{_who(most, several)} changes its vote with the order{often} {rate} of the "
        f"{quantity(most['n_decided'], 'pair')} with a winner in both, of {most['n_pairs']:,} judged in both."
        f" {sides_of_flips(judges)}"
    )
    return " ".join(filter(None, (sentence, flips_both_ways(most))))


def sides_of_flips(judges: "Sequence[OrderEffectRow]") -> str:
    """Say how many of some judges clearly flip to the answer shown first, or to the one shown second."""
    several = len({row["variant"] for row in judges}) > 1
    leaning = [row for row in judges if row["flip_to_first_low"] is not None]
    first = [_who(row, several) for row in leaning if row["flip_to_first_low"] > 0.5]
    second = [_who(row, several) for row in leaning if row["flip_to_first_high"] < 0.5]
    thing, things = ("judge", "judges and variants" if several else "judges")
    if len(leaning) < len(judges):
        thing, things = f"{thing} with an interval", f"{things} with an interval"
    flipping = _flipping(first, second, len(leaning), thing, things) if leaning else ""
    untested = judges_without(judges, "flip_to_first_low", "No interval of where winners flip to")
    return " ".join(filter(None, (flipping, untested)))


def ties_words(rows: "Sequence[OrderEffectRow]") -> str:
    """Say how often a judge without a preference for the first answer would choose it; empty without ties."""
    tied = [row for row in rows if row["first_share"] is not None and row["tie_share"]]
    if not tied:
        return ""
    most = max(tied, key=lambda row: row["tie_share"])
    several = len({row["variant"] for row in rows}) > 1
    return (
        f"A tie chooses neither answer, so a judge that the order does not sway chooses the first shown in "
        f"half of its other answers: {_who(most, several)}, with {most['tie_share']:.1%} ties, in "
        f"{(1 - most['tie_share']) / 2:.1%} (it does in {most['first_share']:.1%}), not in 50%."
    )


def _first_words(rows: "Sequence[OrderEffectRow]") -> str:
    """Say which judge votes most for the answer shown first, where no pair was judged in both orders."""
    judges = [row for row in rows if row["first_share"] is not None and not row["n_pairs"]]
    if not judges:
        return ""
    most = max(judges, key=lambda row: row["first_share"])
    several = len({row["variant"] for row in judges}) > 1
    often = " most often" if len(judges) > 1 else ""
    share = in_sentence(most["first_share"], most["first_share_low"], most["first_share_high"], "percent")
    return (
        "No pair was judged in both orders, so it is not known how often a vote changes with the order. "
        f"{_who(most, several)} votes{often} for the answer shown first: in {share} of "
        f"{quantity(most['n_answers'], 'vote')}. That is an effect of the order only if it was random which "
        "answer was shown first; a run judges each pair in both orders."
    )


def _flipping(first: Sequence[str], second: Sequence[str], total: int, thing: str, things: str) -> str:
    """Say who of `total` judges flips to the answer shown first, and who to the one shown second."""
    most, place, rest, other = (first, "first", second, "second")
    if not first and second:
        most, place, rest, other = (second, "second", first, "first")
    who = sentence_case(part_of(len(most), total, thing, things)) if total > 1 else "It"
    flips = f"{who}{_in_brackets(most, total)} clearly {'flips' if len(most) < 2 else 'flip'}"
    if not most:
        flips = f"{who} clearly flips" if total > 1 else "It does not clearly flip"
        return f"{flips} to the answer shown first or to the one shown second."
    if len(most) == total:
        return f"{flips} to the answer shown {place}."
    others = f"{how_many(len(rest), total)}{_in_brackets(rest, total)}"
    return f"{flips} to the answer shown {place}, {others} to the one shown {other}."


def _who(row: "OrderEffectRow", several: bool) -> str:
    """Return whose row it is, with the variant if there are several."""
    return f"{row['judge']} (variant {row['variant']})" if several else row["judge"]


def _in_brackets(names: Sequence[str], total: int) -> str:
    """Return the names of those counted, if they are few and not all there are."""
    return f" ({join_names(names)})" if 0 < len(names) <= MOST_NAMES and len(names) < total else ""
