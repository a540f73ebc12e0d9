"""Judges of whose judgments many have no verdict: said of a file that is imported, and of a study."""

from collections import Counter, defaultdict
from collections.abc import Iterable

MANY = 0.05
"""More than this share of a judge's judgments without a verdict are many."""


def many_without_verdict(counts: Iterable[tuple[str, str, int]]) -> dict[str, str]:
    """Return, for each judge with many judgments without a verdict, its name with their share, in words.

    `counts` are (judge, status, number of judgments); every status but `ok` is without a verdict, whether
    that would be a truth value, a winner or a score.
    """
    by_judge: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for judge, status, count in counts:
        by_judge[judge][status] += count
    shares = {}
    for judge, statuses in by_judge.items():
        total = sum(statuses.values())
        failed = {status: count for status, count in statuses.items() if status != "ok" and count}
        if total and sum(failed.values()) > MANY * total:
            chief = max(failed, key=failed.__getitem__)
            shares[judge] = f"{judge} ({sum(failed.values()) / total:.1%} of {total:,}, mostly {chief})"
    return shares
