"""The numbers of one study: a row for each judge, and one for its judges together."""

import json
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pydantic

from engine.atlas.declared import PublishedStudy
from engine.errors import BadInputError
from engine.measures.measured_study import MeasuredStudy
from engine.plain_words import system_words
from engine.shipped_files import DATASETS
from engine.version import __version__

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

SHIPPED = DATASETS / "atlas"
"""The numbers that ship, a file for each study."""

VERSION = 1
"""The version of these files."""

Design = Literal["verdicts on failures", "all verdicts", "matched verdicts", "pairs", "scores"]
DESIGNS: Mapping[str, Design] = {
    "odds_self": "all verdicts",
    "hspp_matched": "matched verdicts",
    "vote_outside": "pairs",
    "bonus_outside": "scores",
}
"""What the cases of a deciding number are, odds on failed criteria apart; designs are never pooled."""


class AtlasRow(pydantic.BaseModel):
    """What a study says of one judge, or of its judges together (`judge` is None).

    Numbers are shares of 1: of its own cases, how many the judge gave and how many were expected of other
    judges as strict. `excess_low` and `excess_high` agree with the conclusion: where discernment may explain
    a difference, they are those without it. The plain ones are at 95 % by sampling alone, not adjusted.
    """

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    judge: str | None = None
    decided_by: str | None = None
    truth: str | None = None
    paradigm: str | None = None
    conclusion: str | None = None
    reason: str | None = None
    own_given: float | None = None
    own_expected: float | None = None
    excess: float | None = None
    excess_low: float | None = None
    excess_high: float | None = None
    excess_low_plain: float | None = None
    excess_high_plain: float | None = None
    n_own: int | None = None
    family_conclusion: str | None = None
    family_given: float | None = None
    family_expected: float | None = None
    excess_family: float | None = None
    excess_family_low: float | None = None
    excess_family_high: float | None = None
    n_family: int | None = None

    @property
    def design(self) -> Design | None:
        """What its cases are; None without a number."""
        if (self.decided_by, self.truth) == ("odds_self", "failed"):
            return "verdicts on failures"
        return None if self.decided_by is None else DESIGNS.get(self.decided_by)


class StudyNumbers(pydantic.BaseModel):
    """All that the atlas has of one study: where it is from, and its rows, or why there are none."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    version: int = VERSION
    study: str
    title: str
    source: str
    licence: str
    commit: str
    year: int
    date: str
    spb: str
    rows: tuple[AtlasRow, ...] = ()
    nothing_because: str | None = None

    def text(self) -> str:
        """Return the file's text."""
        return json.dumps(self.model_dump(exclude_none=True), indent=1, ensure_ascii=False) + "\n"


def numbers_of(study: MeasuredStudy, entry: PublishedStudy) -> StudyNumbers:
    """Return the rows of a study's scorecard, rounded to six digits."""
    result = study.result("scorecard")
    rows = tuple(_row(row, result.filters) for row in result.rows)
    return StudyNumbers(
        **about(entry),
        rows=rows,
        nothing_because=None if rows else result.reason or "it has no judge of own answers",
    )


def about(entry: PublishedStudy) -> dict[str, Any]:
    """Return the fields of a study's numbers that say where they are from."""
    return {
        "study": entry.name,
        **{name: getattr(entry, name) for name in ("title", "source", "licence", "commit", "year")},
        "date": date.today().isoformat(),
        "spb": __version__,
    }


def _row(row: "ScorecardRow", filters: Mapping[str, Any]) -> AtlasRow:
    return AtlasRow(
        judge=row["judge"],
        decided_by=row["decided_by"],
        truth=filters.get("truth"),
        paradigm=filters.get("paradigm"),
        conclusion=row["conclusion"],
        reason=row["reason"],
        own_given=_rounded(row["own_given"]),
        own_expected=_rounded(row["own_expected"]),
        excess=_rounded(row["excess"]),
        excess_low=_rounded(row["excess_low"]),
        excess_high=_rounded(row["excess_high"]),
        excess_low_plain=_rounded(row["excess_low_plain"]),
        excess_high_plain=_rounded(row["excess_high_plain"]),
        n_own=row["n_own"],
        family_conclusion=row["family_conclusion"],
        family_given=_rounded(row["family_given"]),
        family_expected=_rounded(row["family_expected"]),
        excess_family=_rounded(row["excess_family"]),
        excess_family_low=_rounded(row["excess_family_low"]),
        excess_family_high=_rounded(row["excess_family_high"]),
        n_family=row["n_family"],
    )


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 6)


def read_numbers(path: Path) -> StudyNumbers:
    """Return the numbers in a file; BadInputError if it holds none."""
    try:
        return StudyNumbers.model_validate_json(path.read_bytes())
    except OSError as error:
        raise BadInputError(f"{str(path)!r} cannot be read: {system_words(error)}") from error
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise BadInputError(
            f"{str(path)!r} holds no numbers of a study: {place}: {first['msg']}; build it anew"
        ) from error


def shipped(folder: Path = SHIPPED) -> tuple[StudyNumbers, ...]:
    """Return the numbers that ship, by study."""
    return read_all(sorted(folder.glob("*.json")))


def read_all(paths: Iterable[Path]) -> tuple[StudyNumbers, ...]:
    return tuple(map(read_numbers, paths))
