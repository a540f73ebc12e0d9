"""How alike judges err, in sentences."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.phrases import quantity

if TYPE_CHECKING:
    from engine.measures.row_types import RelatednessRow

LEVEL = 0.05
"""Above it a p-value shows nothing; its interval must exclude 0 as well."""

WHAT_IT_SAYS = (
    "Relatedness is agreement beyond chance within each truth, on answers of neither judge's family, less "
    "what each of the two has with all judges. It shows what two have in common, not where that comes from."
)


def relatedness_sentences(rows: "Sequence[RelatednessRow]") -> tuple[str, ...]:
    """Name the pair that errs most alike, compare families, and say whether overrating grows with it."""
    pairs = [row for row in rows if row["relatedness"] is not None]
    if not pairs:
        return ("What two judges have in common beyond their means takes four judges.",)
    first = max(pairs, key=lambda row: float(row["relatedness"]))
    family = "of one family" if first["same_family"] else "of different families"
    sure = (
        ""
        if first["relatedness_low"] is None
        else (f" (95% CI {first['relatedness_low']:z.3f} to {first['relatedness_high']:z.3f})")
    )
    names = f"{first['judge']} and {first['other_judge']}"
    most = (
        f"Of {quantity(len(pairs), 'pair')} of judges, {names}, {family}, "
        f"err most alike: kappa {first['relatedness']:+z.3f} beyond what they have with all judges{sure}; "
        "the largest of many is high by chance too."
    )
    sentences = [most]
    groups = [
        [float(row["relatedness"]) for row in pairs if row["same_family"] is same] for same in (True, False)
    ]
    if all(groups):
        inside, outside = (sum(group) / len(group) for group in groups)
        sentences.append(
            f"Pairs of one family: {inside:+z.3f} on average; of different families: {outside:+z.3f}."
        )
    return (*sentences, *_growth(pairs[0]))


def _growth(row: "RelatednessRow") -> tuple[str, ...]:
    if row["growth"] is None:
        return ("Whether overrating grows with relatedness takes five judges that answer too.",)
    low, high = row["growth_low"], row["growth_high"]
    is_bounded = low is not None and high is not None
    ends = f", 95% CI {low:+z.2f} to {high:+z.2f}" if is_bounded else ""
    sure = f"{ends}, p {row['growth_p']:.3f} over {row['growth_n']} ordered pairs of models"
    basis = f"(r {row['growth']:+z.2f}{sure})"
    if row["growth_p"] > LEVEL or not is_bounded or low <= 0 <= high:
        return (f"It is not shown that judges overrate the models they are like {basis}.",)
    doing = "more" if row["growth"] > 0 else "less"
    return (f"Judges overrate other models {doing}, the more alike they err {basis}.",)
