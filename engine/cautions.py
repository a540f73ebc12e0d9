"""What a reader must know before trusting a number: kin in the reference, failures, few cases.

Names of models stand in the sentences as they are; whoever shows them shows them as text.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.measures.table import FEW

Row = dict[str, Any]

MANY_FAILURES = 0.05
"""Share of a judge's judgments without a verdict from which on it is said."""

MOST_NAMES = 8
"""Judges that one caution names; the others are counted."""

_CELLS = {
    "hspp_self": ("n_self", "own responses"),
    "hspp_matched": ("n_matched", "matched rubrics"),
    "hspp_family": ("n_family", "relatives"),
}


@dataclass(frozen=True)
class Caution:
    """One thing to beware of: whom it concerns and by how much, and what to do about it."""

    kind: Literal["kin", "failures", "few"]
    judges: tuple[str, ...]
    text: str


def kin_in_reference(
    judges: Iterable[str],
    reference: str | None,
    members: Sequence[str],
    families: Mapping[str, str],
    *,
    leave_self_out: bool = False,
) -> list[Caution]:
    """Warn of judges that are held against a committee in which they or their relatives vote.

    To be asked where relatives are not excluded. `leave_self_out` tells that the judge itself does not
    vote. No caution where the reference is not a committee.
    """
    if reference is None or not reference.startswith("committee:"):
        return []
    told: dict[str, str] = {}
    for judge in judges:
        kin = [
            member
            for member in members
            if families.get(member) == families.get(judge) and not (leave_self_out and member == judge)
        ]
        if kin:
            told[judge] = f"{judge} ({len(kin)} of {len(members)} members)"
    if not told:
        return []
    text = (
        f"In the reference {reference} the judge's own family votes for {_named(told.values())}: what kin "
        "credit together counts as true there, so that self-preference may go unseen. Exclude each judge's "
        "family from its reference (filter “Exclude family”, --exclude-family), or take another reference."
    )
    return [Caution("kin", tuple(told), text)]


def many_failures(counts: Iterable[tuple[str, str, int]], most: float = MANY_FAILURES) -> list[Caution]:
    """Warn of judges with more than the share `most` of judgments without a verdict.

    `counts` are (judge, status, number of judgments); every status but `ok` is a failure.
    """
    by_judge: dict[str, dict[str, int]] = {}
    for judge, status, count in counts:
        statuses = by_judge.setdefault(judge, {})
        statuses[status] = statuses.get(status, 0) + count
    told = {}
    for judge, statuses in by_judge.items():
        total = sum(statuses.values())
        failed = {status: count for status, count in statuses.items() if status != "ok" and count}
        if total and sum(failed.values()) > most * total:
            chief = max(failed, key=failed.__getitem__)
            told[judge] = f"{judge} ({sum(failed.values()) / total:.1%} of {total:,}, most of them {chief})"
    if not told:
        return []
    text = (
        f"Many judgments have no verdict and count in nothing: {_named(told.values())}. If they failed where "
        "the judge would have been lenient, its ratio is wrong. Let a run go on, which asks errors anew, or "
        "read the raw answers and mend what they were read by."
    )
    return [Caution("failures", tuple(told), text)]


def few_cases(rows: Iterable[Row], fewest: int = FEW) -> list[Caution]:
    """Warn of ratios in the rows of `hspp` that rest on fewer cases than `fewest`.

    A ratio that is not defined is not among them: it says itself why.
    """
    told = {}
    for row in rows:
        if row.get("judge") is None:
            continue
        few = [
            f"{row[n]} {words}"
            for field, (n, words) in _CELLS.items()
            if row.get(field) is not None and row[n] < fewest
        ]
        if few:
            told[row["judge"]] = f"{row['judge']} ({', '.join(few)})"
    if not told:
        return []
    text = (
        f"Ratios that rest on fewer than {fewest} cases: {_named(told.values())}. Go by their intervals, not "
        "by their points; widen the slice, or judge more instances."
    )
    return [Caution("few", tuple(told), text)]


def _named(told: Iterable[str]) -> str:
    names = list(told)
    rest = len(names) - MOST_NAMES
    shown = names[:MOST_NAMES] + ([f"and {rest} more"] if rest > 0 else [])
    return "; ".join(shown)
