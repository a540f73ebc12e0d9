"""Who votes for whom in words: which model each judge puts first."""

from collections.abc import Iterable, Mapping
from typing import Any

from engine.words import confidence, counted, listed, number

Row = Mapping[str, Any]

MOST = 3
"""Judges that have a sentence each; of more it is counted whom they put first."""


def leaders(rows: Iterable[Row]) -> list[str]:
    """Return in sentences whom each judge ranks first, with its share of votes; rows of `votes`."""
    by_judge: dict[str, list[Row]] = {}
    for row in rows:
        if row["rank"] is not None and row["win_rate"] is not None:
            by_judge.setdefault(str(row["judge"]), []).append(row)
    firsts = {judge: min(mine, key=lambda row: row["rank"]) for judge, mine in by_judge.items()}
    if len(firsts) <= MOST:
        return [_leader(judge, first, len(by_judge[judge])) for judge, first in firsts.items()]
    put_first: dict[str, int] = {}
    for first in firsts.values():
        put_first[str(first["generator"])] = put_first.get(str(first["generator"]), 0) + 1
    ordered = sorted(put_first, key=lambda model: -put_first[model])
    named = [f"{model} by {counted(put_first[model], 'judge')}" for model in ordered]
    return [f"Ranked first of the models: {listed(named, MOST)}."]


def _leader(judge: str, row: Row, models: int) -> str:
    interval = confidence(row["win_rate_low"], row["win_rate_high"], "percent")
    return (
        f"{judge} ranks {row['generator']} first of {counted(models, 'model')}: it wins "
        f"{number(row['win_rate'], 'percent')} ({interval}) of {counted(row['n'], 'pair')}."
    )
