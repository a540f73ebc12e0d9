"""What a judge's self-preference means in points and places, so that a ratio such as 1.2 can be judged."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.phrases import join_names, part_of, quantity
from engine.words.no_numbers import judges_without
from engine.words.written_numbers import confidence, number, with_interval

if TYPE_CHECKING:
    from engine.measures.row_types import DeltaRow, HsppRow


def own_rows(deltas: "Iterable[DeltaRow]") -> "list[DeltaRow]":
    """Return the rows of `delta` with judges' own numbers, one per judge."""
    return [row for row in deltas if row["generator"] in (None, row["judge"])]


def score_bonus_sentences(deltas: "Iterable[DeltaRow]", ratios: "Iterable[HsppRow]") -> dict[str, str]:
    """Return a sentence or two for each judge, from the rows of `delta` and `hspp` (one slice).

    An undefined number is called undefined, never 0.
    """
    ratio_of = {row["judge"]: row for row in ratios if row["judge"] is not None}
    sentences = {}
    for row in own_rows(deltas):
        sentence, ratio = f"{row['judge']} {_bonus(row)}{_places(row)}.", ratio_of.get(row["judge"])
        if ratio is not None and ratio["hspp_self"] is not None:
            ci = confidence(ratio.get("hspp_self_low"), ratio.get("hspp_self_high"))
            sentence += (
                f" Its HSPP ratio is {number(ratio['hspp_self'])} ({ci}): it passes "
                f"{100 * ratio['o_self']:.0f}% of its own failures and "
                f"{100 * ratio['o_other']:.0f}% of others'."
            )
        sentences[row["judge"]] = sentence
    return sentences


def leniency_sentence(deltas: "Iterable[DeltaRow]") -> str:
    """Say which judges score the answers of other families clearly above the reference, or below."""
    every = [row for row in own_rows(deltas) if row["leniency_outside"] is not None]
    rows = [row for row in every if row["leniency_outside_low"] is not None]
    rows.sort(key=lambda row: -row["leniency_outside"])
    untested = judges_without(every, "leniency_outside_low", "No interval of its leniency")
    if not rows:
        return untested
    lenient = [row for row in rows if row["leniency_outside_low"] > 0]
    strict = [row for row in reversed(rows) if row["leniency_outside_high"] < 0]
    parts = [
        f"{word}: {join_names([_leniency(row) for row in some], MOST)}"
        for word, some in (("lenient", lenient), ("strict", strict))
        if some
    ]
    unclear = len(rows) - len(lenient) - len(strict)
    if unclear and parts:
        parts.append(f"not clear for {part_of(unclear, len(rows), 'judge')}")
    which = "; ".join(parts) or f"{part_of(0, len(rows), 'judge')} is clearly lenient or strict"
    sentence = f"By their scores of other families' answers against the reference, {which}."
    return f"{sentence} {untested}" if untested else sentence


def noise_sentence(deltas: "Iterable[DeltaRow]") -> str:
    """Say what else moves a judge's score of itself, where one is clearly moved; empty where none is."""
    is_moved = any(_is_sure(row) and row["bonus"] for row in own_rows(deltas))
    errs = (
        "That may be no self-preference: a judge that is lenient, or errs at random, scores poor models "
        "higher and good ones lower beside the reference, whoever they are."
    )
    return errs if is_moved else ""


MOST = 4
"""Judges named as lenient, or as strict; the rest are counted."""


def _leniency(row: "DeltaRow") -> str:
    ends = row["leniency_outside_low"], row["leniency_outside_high"]
    return f"{row['judge']} {with_interval(row['leniency_outside'], *ends, 'change')}"


def largest_bonus(deltas: "Iterable[DeltaRow]") -> str | None:
    """Return the judge with the largest bonus for itself, None if no judge has one."""
    rows = [row for row in own_rows(deltas) if row["bonus"] is not None]
    return max(rows, key=lambda row: float(row["bonus"]))["judge"] if rows else None


def _bonus(row: "DeltaRow") -> str:
    value, low, high = row["bonus"], row["bonus_low"], row["bonus_high"]
    if value is None:
        return "has no bonus here: it scored no answer of its own, or none of another family"
    if not _is_sure(row) and not row["rank_shift"] and row["rank_shift"] is not None:
        points = with_interval(value, None, None, "signed")
        return (
            f"is not shown to score its own answers otherwise than {_OTHERS} (difference {points} of 100 "
            f"points, {confidence(low, high, 'points')}, which may be chance)"
        )
    ends = (low, high) if value >= 0 or low is None else (-high, -low)
    interval = "" if low is None else f" ({confidence(*ends, 'points')})"
    points = f"{with_interval(abs(value), None, None, 'points')} of 100{interval}"
    doubt = "" if _is_sure(row) else ", which may be chance"
    return f"scores its own answers {points} {'higher' if value >= 0 else 'lower'} than {_OTHERS}{doubt}"


_OTHERS = "other families', each beside the reference"


def _is_sure(row: "DeltaRow") -> bool:
    """Return whether a judge's bonus has no interval that includes 0."""
    low, high = row["bonus_low"], row["bonus_high"]
    return low is None or high is None or low > 0 or high < 0


def _places(row: "DeltaRow") -> str:
    shift = row["rank_shift"]
    if shift is None:
        return ""
    low, high = row["rank_shift_low"], row["rank_shift_high"]
    if shift and low is not None and high is not None and low <= 0 <= high:
        return ""
    where = of_fewer_questions(row)
    if shift == 0:
        return f", and ranks itself as the reference does{where}"
    places = f"{abs(shift):g} {'place' if abs(shift) == 1 else 'places'}"
    return f", and ranks itself {places} {'higher' if shift < 0 else 'lower'} than the reference does{where}"


def of_fewer_questions(row: "DeltaRow") -> str:
    """Return on which questions a judge's rank is taken, where these are fewer than those that it scored."""
    if row["n_ranked"] >= row["n"]:
        return ""
    questions = quantity(row["n_ranked"], "question")
    return f", on the {questions} on which both score the answers of all models"
