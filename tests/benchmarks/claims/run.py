"""Runs all kinds, a batch of each in turn; finished batches are stored, so that a stopped run can go on."""

import json
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path

from . import report
from .kinds import NULLS, PLANTS, Kind
from .trial import Answers, Truth, conclude, try_rules

BATCH = 10
OF_RULES = ("rubrics, 1.5, 40", "rubrics, 1.5, 100", "rubrics, 1, 100")
"""The planted kinds on which the rules of findings are tried too."""

Try = Callable[[Kind, range], list[Answers]]


def claims_tables(studies: int, of_rules: int, folder: Path, only: str = "") -> dict[str, str]:
    """Return the tables of the page: `studies` of each kind for the scorecard, `of_rules` for the rules.

    Each batch is stored in `folder`, and drawn only if it is not there. Only kinds with `only` in their names
    are drawn now; the tables cover everything in the folder.
    """
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    warnings.simplefilter("ignore")
    truth = cache(Truth.of)

    def try_scorecard(kind: Kind, numbers: range) -> list[Answers]:
        return conclude(kind, numbers, truth(kind))

    parts: tuple[tuple[str, Try, int], ...] = (
        ("scorecard", try_scorecard, studies),
        ("rules", try_rules, of_rules),
    )
    for part, try_kind, number in parts:
        for start in range(0, number, BATCH):
            for kind in _kinds(part):
                shard = folder / part / _file_of(kind) / f"{start:04d}.json"
                if only in kind.name and not shard.exists():
                    _put(shard, try_kind(kind, range(start, min(start + BATCH, number))))
    answers = {kind: list(_stored(folder / "scorecard", kind)) for kind in (*NULLS, *PLANTS)}
    rules = {kind: list(_stored(folder / "rules", kind)) for kind in _kinds("rules")}
    return {
        "nulls": report.nulls({kind: answers[kind] for kind in NULLS if answers[kind]}),
        "planted": report.planted(
            {kind: answers[kind] for kind in PLANTS if answers[kind]},
            {kind: truth(kind) for kind in PLANTS if answers[kind]},
        ),
        "rules": report.rules({kind: each for kind, each in rules.items() if each}),
    }


def _kinds(part: str) -> list[Kind]:
    """Return the kinds of a part, those with many instances last."""
    kinds = [*NULLS, *(kind for kind in PLANTS if part == "scorecard" or kind.name in OF_RULES)]
    return sorted(kinds, key=lambda kind: kind.studies.instances > 100)  # stable


def _file_of(kind: Kind) -> str:
    return kind.name.replace(",", "").replace(" ", "-")


def _put(shard: Path, answers: list[Answers]) -> None:
    shard.parent.mkdir(parents=True, exist_ok=True)
    unfinished = shard.with_suffix(".part")
    unfinished.write_text(json.dumps([asdict(answer) for answer in answers]))
    unfinished.replace(shard)


def _stored(folder: Path, kind: Kind) -> Iterator[Answers]:
    for shard in sorted((folder / _file_of(kind)).glob("*.json")):
        for answer in json.loads(shard.read_text()):
            rules = {rule: tuple(judges) for rule, judges in answer.pop("rules").items()}
            yield Answers(**answer, rules=rules)
