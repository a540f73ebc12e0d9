"""Pairs that earlier runs drew: what is drawn stays drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.config.fields import DrawnRule
from engine.errors import UsageError
from engine.store import StudyFiles

Row = dict[str, Any]


@dataclass(frozen=True)
class Known:
    """The stored pairs of one purpose."""

    rows: Sequence[Row]

    @cached_property
    def _judges(self) -> frozenset[str]:
        return frozenset(row["judge"] for row in self.rows)

    @cached_property
    def _questions(self) -> frozenset[tuple[str, str]]:
        return frozenset((row["judge"], row["instance_id"]) for row in self.rows)

    def settles(self, rule: DrawnRule, judge: str, instance_id: str) -> bool:
        """Return whether a judge's pairs of an instance are drawn already.

        Contrast pairs are drawn over all instances at once, the others for each instance by itself.
        """
        return judge in self._judges if rule == "contrast" else (judge, instance_id) in self._questions


class StoredPairs:
    """The table `pairs` of a study."""

    def __init__(self, study: StudyFiles) -> None:
        """Read it."""
        self._name = study.name
        self._rows: list[Row] = study.table("pairs").to_pylist()

    def of(self, purpose: DrawnRule, rule: str, seed: int, judges: Sequence[str]) -> Known:
        """Return the judges' pairs of a purpose; UsageError where they were drawn by another rule or seed.

        Where nothing is drawn by lot (`equal`) the seed does not matter.
        """
        rows = [row for row in self._rows if row["purpose"] == purpose and row["judge"] in judges]
        for row in rows:
            drawn = f"{row['rule']!r} with seed {row['seed']!r}"
            if row["rule"] != rule or (purpose != "equal" and row["seed"] != seed):
                raise UsageError(
                    f"pairs: the study {self._name!r} holds pairs of purpose {purpose!r} for "
                    f"{row['judge']!r}, drawn by {drawn}, and this run would draw by {rule!r} with seed "
                    f"{seed!r}; make [drawing] and seed agree, or use another study"
                )
        return Known(rows)
