"""Runs all kinds, a batch of each in turn; finished batches are stored, so that a stopped run can go on."""

import json
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from . import report
from .analysts import fits
from .kinds import COMMON, NULLS, PLANTS, Kind
from .missing_gate import gate_rows
from .rubrics import RubricVerdicts
from .trial import Answers, Truth, conclude, draw, try_rules

T = TypeVar("T")
BATCH = 5
OF_RULES = (
    *("even", "a strict author convinces", "tastes", "blind where weak", "blind to kinds of error"),
    *("four families of three share tastes", "pairs, tastes", "rubrics, 1.5, 40"),
    "all eight judges, 0.6, 60",
)
"""The kinds on which the rules of findings are tried too."""
OF_ANALYSTS = (
    *("even", "a strict author convinces", "an undiscerning judge convinces", "missing on own failures"),
    *("tastes", "blind where weak", "blind to kinds of error", "one judge likes a style"),
    *("rubrics, 1, 100", "rubrics, 1.5, 40", "tastes, 1.5, 100", "lenient and convincing, 1.5, 100"),
)
"""The kinds that are fitted as an analyst would too."""

Try = Callable[[Kind, range], list[Answers]]


def claims_tables(studies: int, of_rules: int, folder: Path, only: str = "") -> dict[str, str]:
    """Return the tables of the page: `studies` of each kind for the scorecard, `of_rules` for the rules.

    The kinds of `OF_ANALYSTS` are fitted by their methods as well, all studies that the scorecard has seen.
    Each batch is stored in `folder`, and drawn only if it is not there. Only kinds with `only` in their names
    are drawn now; the tables cover everything in the folder, and there is none of rules if they are not.
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
                numbers = range(start, min(start + BATCH, number))
                if only in kind.name and _drawn(shard) < len(numbers):
                    _put(shard, try_kind(kind, numbers))
    answers = {kind: list(_stored(folder / "scorecard", kind)) for kind in (*NULLS, *PLANTS, *COMMON)}
    rules = {kind: list(_stored(folder / "rules", kind)) for kind in _kinds("rules")}
    by_name = {kind.name: kind for kind in answers}
    fitted = {
        by_name[name]: _fits(by_name[name], len(answers[by_name[name]]), folder) for name in OF_ANALYSTS
    }
    tables = {
        "nulls": report.nulls({kind: answers[kind] for kind in NULLS if answers[kind]}),
        "planted": report.planted(
            {kind: answers[kind] for kind in PLANTS if answers[kind]},
            {kind: truth(kind) for kind in PLANTS if answers[kind]},
        ),
        "common": report.common({kind: answers[kind] for kind in COMMON if answers[kind]}),
        "analysts": report.analysts(
            {kind: (answers[kind], each) for kind, each in fitted.items() if answers[kind]}
        ),
        "gate": report.gate(_stored_once(folder / "gate.json", _gate)),
    }
    if any(rules.values()):
        tables["rules"] = report.rules({kind: each for kind, each in rules.items() if each})
    return tables


def _kinds(part: str) -> list[Kind]:
    """Return the kinds of a part, those with many instances last."""
    kinds = [kind for kind in (*NULLS, *PLANTS, *COMMON) if part == "scorecard" or kind.name in OF_RULES]
    return sorted(kinds, key=lambda kind: kind.studies.instances > 100)  # stable


def _fits(kind: Kind, number: int, folder: Path) -> list[dict[str, dict[str, int]]]:
    """Return the claims of analysts' methods on the studies of a kind."""

    def fitted(study: int) -> dict[str, dict[str, int]]:
        drawn = draw(kind, study)
        assert isinstance(drawn, RubricVerdicts)
        return fits(drawn)

    place = folder / "analysts" / _file_of(kind)
    return [_stored_once(place / f"{study:04d}.json", partial(fitted, study)) for study in range(number)]


def _gate() -> list[list[Any]]:
    return [[asdict(kind), shares] for kind, shares in gate_rows()]


def _stored_once(file: Path, computed: Callable[[], T]) -> T:
    """Return what a file holds; if there is none, compute and store it."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(".part")
        unfinished.write_text(json.dumps(computed()))
        unfinished.replace(file)
    stored: T = json.loads(file.read_text())
    return stored


def _file_of(kind: Kind) -> str:
    return kind.name.replace(",", "").replace(" ", "-")


def _put(shard: Path, answers: list[Answers]) -> None:
    shard.parent.mkdir(parents=True, exist_ok=True)
    unfinished = shard.with_suffix(".part")
    unfinished.write_text(json.dumps([asdict(answer) for answer in answers]))
    unfinished.replace(shard)


def _drawn(shard: Path) -> int:
    return len(json.loads(shard.read_text())) if shard.exists() else 0


def _stored(folder: Path, kind: Kind) -> Iterator[Answers]:
    for shard in sorted((folder / _file_of(kind)).glob("*.json")):
        for answer in json.loads(shard.read_text()):
            rules = {rule: tuple(judges) for rule, judges in answer.pop("rules").items()}
            yield Answers(**answer, rules=rules)
