"""What judges give their families' other models, in sentences."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from engine.conclusions import CONCLUSIONS, NOT_SHOWN, TOO_FEW, group_code, lacks_cases
from engine.phrases import join_names, quantity
from engine.words import conclusions, group_conclusions
from engine.words.written_numbers import in_sentence

if TYPE_CHECKING:
    from engine.measures.row_types import OutsideRow, ScorecardRow

MOST_NAMED = 4
"""How many families a sentence names; the rest are counted."""


def effect_sentences(rows: "Iterable[OutsideRow]") -> tuple[str, ...]:
    """Return which families the rows of `outside` on scores show to be favoured.

    A row without an interval, such as that of a family with one judge, supports no claim.
    """
    every = [row for row in rows if row["effect_family"] is not None]
    bounded = [row for row in every if row["low"] is not None]
    more = _list_of(bounded, lambda row: row["low"] > 0, -1)
    less = _list_of(bounded, lambda row: row["high"] < 0, 1)
    unclear = sum(row["low"] <= 0 <= row["high"] for row in bounded)
    sentences = []
    if more:
        sentences.append(
            "Judges of these families give their own family's answers more points of 100 than other judges "
            f"do: {more}."
        )
    if less:
        sentences.append(f"Judges of these families give them fewer: {less}.")
    if not more and not less:
        return (f"No family's judges are shown to favour its answers, of {len(bounded)} tested.",)
    if unclear:
        of_others = "the other family" if unclear == 1 else f"the other {unclear} families"
        sentences.append(f"No difference is shown for {of_others}.")
    return tuple(sentences)


def _list_of(rows: "Sequence[OutsideRow]", holds: "Callable[[OutsideRow], bool]", sign: int) -> str:
    families = sorted(filter(holds, rows), key=lambda row: sign * row["effect_family"])
    return join_names([_with_effect(row) for row in families], MOST_NAMED)


def _with_effect(row: "OutsideRow") -> str:
    return f"{row['family']} {in_sentence(row['effect_family'], row['low'], row['high'], 'points')}"


GROUP = {
    **{
        each.families.code: f"The judges as a group {each.sisters}."
        for each in CONCLUSIONS
        if each.families is not None
    },
    NOT_SHOWN: "No difference is shown between how the judges as a group and other judges rate the judges' "
    "families.",
}
"""What the scorecard's row of the group concludes on families, where they are enough."""


def too_few_families(group: "ScorecardRow") -> str:
    """Return of how many families the scorecard could tell something, where they are too few."""
    number = int(group["families_with_relatives"] or 0)
    if number == 0:
        have = "No family has"
    else:
        have = "Only one family has" if number == 1 else f"Only {quantity(number, 'family')} have"
    return f"{have} two models or more that can be compared; four are needed for a conclusion on families."


def conclusion_sentences(rows: "Sequence[ScorecardRow]") -> tuple[str, ...]:
    """Return what a scorecard concludes on families: of the judges together, then of each one.

    Where it concludes nothing on the judges together and claims nothing of one, that is said.
    """
    group = group_conclusions.group_row(rows)
    code = None if group is None else str(group["family_conclusion"])
    judges = conclusions.judges_of(rows)
    of_judges = [*filter(None, map(conclusions.family_sentence, judges))]
    if not of_judges and (code not in GROUP or code == group_code(TOO_FEW)):
        few = [
            str(row["judge"]) for row in judges if lacks_cases(row["family_conclusion"], row["family_reason"])
        ]
        of_judges = ["No difference is shown between how any judge and other judges rate its family."]
        if few:
            of_judges.append(f"There are too few cases for {join_names(few, MOST_NAMED)}.")
        of_judges += conclusions.not_concluded(judges, "family_")
    few_families = group is not None and code == group_code(TOO_FEW)
    of_group = too_few_families(group) if group is not None and few_families else GROUP.get(code or "")
    return tuple(filter(None, (of_group, *of_judges)))
