"""Sentences built from numbers: what a measure found, in words, with its evidence.

Names of models stand in the sentences as they are; whoever shows them shows them as text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.findings.wording import listed
from engine.findings.wording import told as in_words

Row = dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """What was found, in one or more sentences, and the rows of the measure that say so."""

    sentences: tuple[str, ...]
    evidence: tuple[Row, ...]

    @property
    def text(self) -> str:
        """The sentences in a row."""
        return " ".join(self.sentences)


def self_preference(rows: Sequence[Row], level: str = "rubric") -> Finding:
    """Say from the rows of `hspp` (one slice, at one level) who credits itself most, and whether that holds.

    A judge is said to credit itself more where the 95% interval of its ratio lies above 1, and the
    finding to survive matching where that of its matched ratio does too. Judges without a ratio are
    counted, never taken for unbiased.
    """
    judges = [row for row in rows if row.get("judge") is not None]
    rated = sorted((row for row in judges if row["hspp_self"] is not None), key=lambda row: -row["hspp_self"])
    if not rated:
        return Finding(("No judge has a ratio here, so nothing can be said about self-preference.",), ())
    with_interval = [row for row in rated if row["hspp_self_low"] is not None]
    above = [row for row in with_interval if row["hspp_self_low"] > 1]
    if not above:
        return Finding((_nobody(rated[0], with_interval), *_rest(judges, rated, ())), (rated[0],))
    top = above[0]
    return Finding(
        (
            _foremost(top, level),
            *([_matched(top)] if level == "rubric" else []),
            *_others(above[1:]),
            *_rest(judges, rated, above),
        ),
        tuple(above),
    )


def _foremost(top: Row, level: str) -> str:
    told = f"{top['judge']} credits itself most: it"
    ratio = _ratio(top, "hspp_self")
    if level == "instance":
        return (
            f"{told} turns comparisons that its own responses lost into wins or ties {ratio} times as often "
            "as those that responses outside its family lost."
        )
    return (
        f"{told} passes what its own responses failed {ratio} times as often as what responses outside its "
        "family failed."
    )


def _nobody(highest: Row, with_interval: Sequence[Row]) -> str:
    if not with_interval:
        return (
            f"{highest['judge']} has the highest ratio, {highest['hspp_self']:.2f}, "
            "but no ratio has an interval here."
        )
    return (
        f"No judge clearly credits itself more than others: the highest ratio is {highest['judge']}'s, "
        f"{_ratio(highest, 'hspp_self')}, and no interval lies above 1."
    )


def _matched(row: Row) -> str:
    """Say whether the ratio of the judge that credits itself most survives matching."""
    verdict = _survival(row)
    if verdict is None:
        return "There are no matched rubrics to tell whether its failures are just the hard ones."
    told = f"the matched ratio is {_ratio(row, 'hspp_matched')}"
    if verdict:
        return f"On rubrics that both responses failed it still does: {told}."
    return f"On rubrics that both responses failed this is not certain: {told}."


def _survival(row: Row) -> bool | None:
    """Return whether the matched interval lies above 1, None where there is none."""
    low = row.get("hspp_matched_low")
    return None if low is None else bool(low > 1)


def _others(rows: Sequence[Row]) -> list[str]:
    """Say who else credits itself, and for whom matching leaves nothing of it."""
    sentences = []
    if rows:
        told = listed([f"{row['judge']} ({row['hspp_self']:.2f})" for row in rows])
        sentences.append(f"So {'does' if len(rows) == 1 else 'do'} {told}.")
    lost = [row for row in rows if _survival(row) is False]
    if lost:
        told = listed([f"{row['judge']}'s ({row['hspp_matched']:.2f})" for row in lost])
        sentences.append(f"Matching leaves 1 within {told} interval{'s' if len(lost) > 1 else ''}.")
    return sentences


def _rest(judges: Sequence[Row], rated: Sequence[Row], above: Sequence[Row]) -> list[str]:
    """Say of the remaining judges whose intervals contain 1, who disfavours itself, and who has no ratio."""
    named = {row["judge"] for row in above}
    rest = [row for row in rated if row["judge"] not in named and row["hspp_self_low"] is not None]
    around = [row for row in rest if row["hspp_self_low"] <= 1 <= row["hspp_self_high"]]
    below = [row for row in rest if row["hspp_self_high"] < 1]
    sentences = []
    if around and above:
        who = "The other judge's interval contains" if len(around) == 1 else "The intervals of"
        told = "" if len(around) == 1 else f" {len(around)} other judges contain"
        sentences.append(f"{who}{told} 1.")
    if below:
        told = listed([f"{row['judge']} ({_ratio(row, 'hspp_self')})" for row in below])
        sentences.append(f"{told} credit{'s' if len(below) == 1 else ''} others more.")
    unrated = len(judges) - len(rated)
    if unrated:
        sentences.append(f"{unrated} judge{' has' if unrated == 1 else 's have'} no ratio.")
    return sentences


def family_preference(rows: Sequence[Row]) -> Finding:
    """Say from the rows of `hspp` (one slice) which judges credit their relatives more than others."""
    judges = [row for row in rows if row.get("judge") is not None and row.get("hspp_family_low") is not None]
    above = sorted((row for row in judges if row["hspp_family_low"] > 1), key=lambda row: -row["hspp_family"])
    if not judges:
        return Finding(("No judge has a ratio for relatives here.",), ())
    if not above:
        return Finding(("No judge clearly credits its relatives more than others.",), ())
    told = listed([f"{row['judge']} ({_ratio(row, 'hspp_family')})" for row in above])
    verb = "credits its" if len(above) == 1 else "credit their"
    return Finding((f"{told} {verb} relatives' responses more than others'.",), tuple(above))


def _ratio(row: Row, field: str) -> str:
    return in_words(row[field], row[f"{field}_low"], row[f"{field}_high"])
