"""Sentences on how far judges agree with the reference and each other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.arrays.truths.references import HUMAN, UNNAMED, is_human
from engine.arrays.truths.sources import OTHERS
from engine.words.ratio_words import ratio_text

if TYPE_CHECKING:
    from engine.measures.row_types import AgreementCurveRow, ReferenceAgreementRow


def agreement(rows: "Sequence[AgreementCurveRow]", level: str = "rubric") -> str:
    """Return how the mean ratio changes from no threshold to the highest; rows of `agreement-curve`."""
    of_level = [row for row in rows if row["level"] == level and row["hspp_self_mean"] is not None]
    if len(of_level) < 2:
        return "Too few thresholds have a ratio to say whether agreement lowers self-preference."
    first = of_level[0]
    # Thresholds without an interval have too few cases to end on.
    last = next((row for row in of_level[:0:-1] if row["hspp_self_mean_low"] is not None), of_level[-1])
    lows = [row["hspp_self_mean_low"] for row in (first, last)]
    highs = [row["hspp_self_mean_high"] for row in (first, last)]
    has_ends = None not in (*highs, *lows)
    doubt = "; the intervals overlap, so this may be chance" if has_ends and max(lows) <= min(highs) else ""
    return (
        f"As the share of pairs of judges that agree rises from {first['threshold']:.0%} to "
        f"{last['threshold']:.0%}, the mean ratio goes "
        f"from {ratio_text(first, 'hspp_self_mean')} to {ratio_text(last, 'hspp_self_mean')}, with "
        f"{last['rubrics_kept']:.0%} of the criteria left{doubt}."
    )


def source_sentences(rows: "Sequence[ReferenceAgreementRow]") -> tuple[str, ...]:
    """Say what the names of people's sources stand for, and what ties leave out."""
    pairs = [(str(row["a"]), str(row["b"])) for row in rows]
    names = {name for pair in pairs for name in pair}
    texts = []
    if UNNAMED in names:
        texts.append(f"What is stored without a person's name, such as an imported truth, is {UNNAMED}.")
    if any(OTHERS in pair or (HUMAN in pair and all(map(is_human, pair))) for pair in pairs):
        texts.append("Each person is compared with the majority of the others, without their own labels.")
    if any(row["tied"] for row in rows):
        texts.append(
            "Where people, or a committee, are split evenly there is no majority: such items are not part of "
            "n, and counted as tied."
        )
    return tuple(texts)
