"""How far self-preference depends on who the gold judges are, in sentences."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.phrases import join_names, part_of, quantity
from engine.words.no_numbers import judges_without
from engine.words.ratio_words import excludes, has_interval
from engine.words.written_numbers import number

if TYPE_CHECKING:
    from engine.measures.row_types import GoldStressRow

NAMES = {
    "dbg": "DBG",
    "spb": "SPB",
    "own_minus_others": "Own minus others' passed failures",
}
WHAT_A_DOT_IS = (
    "The spread of dots comes from the choice of gold judges; the line through the dot of all of them is the "
    "95% interval over questions. A judge is never its own gold judge."
)


def gold_stress_sentences(rows: "Sequence[GoldStressRow]") -> tuple[str, ...]:
    """Say for each number whether it holds under every panel, and which gold judge matters most."""
    return tuple(
        sentence
        for name, words in NAMES.items()
        if (of_name := [row for row in rows if row["number"] == name and row["value"] is not None])
        for sentence in _of_number(words, of_name)
    )


def _of_number(words: str, rows: "Sequence[GoldStressRow]") -> list[str]:
    panels = max(len(row["panels"]) for row in rows)
    gold = max((row["gold_judges"] for row in rows), key=len)
    clear = [row for row in rows if excludes(row, "value", 0)]
    others = [row for row in rows if has_interval(row, "value") and row not in clear]
    under = f"{words}, under {quantity(panels, 'panel')} of {quantity(len(gold), 'gold judge')}: "
    firm, others_firm = (sum(row["same_side"] == 1 for row in some) for some in (clear, others))
    first = (
        f"{part_of(firm, len(clear), 'judge')} whose interval excludes 0 {_stay(firm)} on that side under all"
    )
    if not clear:
        first = "no judge's interval excludes 0"
    whose = part_of(others_firm, len(others), "judge")
    rest = f"{whose} whose interval includes 0 {_stay(others_firm)} on one side"
    widest = max(rows, key=lambda row: float(row["greatest"]) - float(row["least"]))
    ends = [number(widest[end], "change") for end in ("least", "greatest")]
    sentences = [
        f"{under}{'; '.join([first, *([rest] if others else [])])}.",
        f"{widest['judge']} moves{' most,' if len(rows) > 1 else ''} from {ends[0]} to {ends[1]} points.",
    ]
    means = {name: _mean_change(rows, name) for name in gold}
    ranked = sorted(((change, name) for name, change in means.items() if change is not None), reverse=True)
    if ranked and ranked[0][0] > 0:
        beside = [f"{name} {number(change, 'share')}" for change, name in ranked[1:]]
        sentences.append(
            f"{ranked[0][1]} matters most: when it leaves a panel, the number moves by "
            f"{number(ranked[0][0], 'share')} points on average"
            + (f" (others: {join_names(beside, most=6)})." if beside else ".")
        )
    untested = judges_without(rows, "value_low", "No interval")
    return [*sentences, *_without_families(clear), *filter(None, [untested])]


def _mean_change(rows: "Sequence[GoldStressRow]", name: str) -> float | None:
    """Return the mean over judges of how far the number moves when a gold judge leaves; None if unknown."""
    changes = [
        change
        for row in rows
        for gold, change in zip(row["gold_judges"], row["changes"], strict=True)
        if gold == name and change is not None
    ]
    return sum(changes) / len(changes) if changes else None


def _without_families(rows: "Sequence[GoldStressRow]") -> list[str]:
    """Say which families of gold judges turn a judge to the other side of 0 when they are left out."""
    sides: dict[str, list[str]] = {}
    for row in rows:
        for family, value in zip(row["families_without"], row["value_without"], strict=True):
            sides.setdefault(family, [])
            if value * row["value"] < 0:
                sides[family].append(row["judge"])
    if not sides:
        return []
    changing = {family: judges for family, judges in sides.items() if judges}
    if not changing:
        return ["None of the former changes sides when a family of gold judges is left out."]
    parts = [f"without {family}: {join_names(judges, most=4)}" for family, judges in changing.items()]
    return [
        f"Of the former, these change sides when a family of gold judges is left out: {'; '.join(parts)}."
    ]


def _stay(n_judges: int) -> str:
    return "stays" if n_judges < 2 else "stay"
