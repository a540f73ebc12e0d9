"""How often judges prefer the longer of two answers, in sentences."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.paradigms import PAIR_PARADIGMS, RUBRIC_PARADIGMS
from engine.phrases import how_many, join_names, quantity
from engine.words.no_numbers import count_of_tested, judges_without
from engine.words.written_numbers import confidence

if TYPE_CHECKING:
    from engine.measures.result import Result
    from engine.measures.row_types import LengthRow

WHAT_IT_SAYS = (
    "The longer answer may be the better one: what is above 50 of 100 is no proof of a bias. Lengths are in "
    "characters; a tie, or an equal score, is half for each answer."
)


def length_sentences(result: "Result") -> tuple[str, ...]:
    """Name the judge that prefers the longer answer most often, then count those that clearly do.

    A judge that saw no pairs prefers the answer of a question to which it gave the higher score.
    """
    every: Sequence[LengthRow] = result.rows
    judges = [row for row in every if row["longer"] is not None]
    if not judges:
        return ()
    first = max(judges, key=lambda row: float(row["longer"]))
    sure = confidence(first["longer_low"], first["longer_high"], "share")
    most = f", the most of {quantity(len(judges), 'judge')}" if len(judges) > 1 else ""
    often = f"{100 * first['longer']:.0f}"
    paradigm = result.filters.get("paradigm")
    if paradigm in PAIR_PARADIGMS:
        verb, answer = ("prefers", "prefer"), "longer answer"
        line = f"Of 100 pairs of answers whose lengths differ, {first['judge']} prefers the longer in {often}"
    else:
        verb, answer = ("scores", "score"), "longer answer higher"
        by_criteria = ", by the share of criteria that it passes," if paradigm in RUBRIC_PARADIGMS else ""
        line = (
            f"Of two answers to one question whose lengths differ, {first['judge']} scores the longer "
            f"one higher{by_criteria} in {often} of 100"
        )
    lines = [f"{line} ({sure}){most}."]
    certain = [row for row in judges if None not in (row["longer_low"], row["longer_high"])]
    if certain:
        above = [row for row in certain if row["longer_low"] > 0.5]
        below = sum(row["longer_high"] < 0.5 for row in certain)
        clear = count_of_tested(len(certain), len(judges), len(above), *verb)
        shorter = how_many(below, len(certain))
        comma = "," if len(certain) < len(judges) else ""
        lines.append(f"Beyond sampling error{comma} {clear} the {answer}, {shorter} the shorter.")
        lines += filter(None, [judges_without(judges, "longer_low", "No interval")])
        lines += _for_their_own(above)
    return tuple(lines)


def _for_their_own(rows: "Sequence[LengthRow]") -> list[str]:
    """Say of which judges that prefer the longer answer this holds with their own answers alone."""
    ends = {str(row["judge"]): row["longer_of_others_low"] for row in rows}
    names = [judge for judge, low in ends.items() if low is not None and low <= 0.5]
    verb = "does" if len(names) == 1 else "do"
    return [f"Among answers of other models alone {join_names(names)} {verb} not."] if names else []
