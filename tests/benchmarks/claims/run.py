"""All kinds drawn and asked, a batch of each in turn, so that a run that is stopped has lost nothing."""

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

Ask = Callable[[Kind, range], list[Answers]]


def claims_tables(studies: int, of_rules: int, folder: Path, only: str = "") -> dict[str, str]:
    """Return the tables of the page: `studies` of each kind for the scorecard, `of_rules` for the rules.

    Each batch is kept in `folder`, and is not drawn again where it is there. `only` is a part of the names of
    the kinds that are drawn now; the tables are of all that the folder has.
    """
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    warnings.simplefilter("ignore")
    truth = cache(Truth.of)

    def asked_of_scorecard(kind: Kind, numbers: range) -> list[Answers]:
        return conclude(kind, numbers, truth(kind))

    parts: tuple[tuple[str, Ask, int], ...] = (
        ("scorecard", asked_of_scorecard, studies),
        ("rules", try_rules, of_rules),
    )
    for part, ask, number in parts:
        for start in range(0, number, BATCH):
            for kind in _kinds(part):
                shard = folder / part / _file_of(kind) / f"{start:04d}.json"
                if only in kind.name and not shard.exists():
                    _put(shard, ask(kind, range(start, min(start + BATCH, number))))
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
    """Return the kinds that a part draws, those of many instances last."""
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
