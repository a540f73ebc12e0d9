"""What the finder of slices found, in sentences; names of models and values stand in them as they are."""

from collections.abc import Sequence

from engine.explore.find_result import claimed, clearest
from engine.words import Row, confidence, listed, number


def sentences(rows: Sequence[Row], tried: int) -> list[str]:
    """Say which slice stands out, how surely, and how many do of those tried; or that none does."""
    if not rows:
        return ["No slice has enough cases to be tested."]
    first, sure = clearest(rows), claimed(rows)
    if first is None:
        return [
            f"No slice stands out: none of the {tried:,} tried differs significantly from the rest.",
            f"The closest, which is not significant: {described(rows[0])}.",
        ]
    count = "1 slice stands" if len(sure) == 1 else f"{len(sure):,} slices stand"
    texts = [f"{count} out of {tried:,} tried. First: {described(first)}.", _matched(first)]
    judges = dict.fromkeys(row["judge"] for row in sure if row["judge"] != first["judge"])
    if judges:
        texts.append(f"Slices of {listed(list(judges))} stand out too.")
    return texts


def described(row: Row) -> str:
    """Return a row in words: the judge, the slice, the difference with its interval, n and p."""
    p = row["p_adjusted"]
    sure = "below 0.001" if p < 0.001 else f"{p:.3f}"
    few = ", few cases" if row["small"] else ""
    return (
        f"on {place(row)} the ratio of {row['judge']} is {number(row['difference'])} times as high as "
        f"elsewhere ({confidence(row['difference_low'], row['difference_high'])}; "
        f"{number(row['hspp_self'])} against {number(row['hspp_rest'])}; n {row['n_self']:,}{few}; "
        f"adjusted p {sure})"
    )


def place(row: Row) -> str:
    """Return the slice in words: `polarity negative and language en`."""
    return " and ".join(part.replace("=", " ", 1) for part in row["where"].split("; "))


def _matched(row: Row) -> str:
    matched = row["hspp_matched"]
    if matched is None:
        return "No rubric there was failed by both responses, so its failures may just be the hard ones."
    return f"On rubrics there that both failed the ratio is {number(matched)} (n {row['n_matched']:,})."
