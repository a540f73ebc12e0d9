"""Judges whose answers cannot be read: a warning after the first answers, a sentence at the end."""

from collections import Counter
from dataclasses import dataclass

from engine.collect.database.entries import Entry
from engine.collect.dispatch.run_status import shortfall_words
from engine.paradigms import Paradigm
from engine.phrases import shortened

_FIRST = 20
"""So many answers of a judge must be there before a run warns that none of them could be read."""
_MOST_OF_AN_ANSWER = 60


@dataclass(frozen=True, slots=True)
class Warned:
    """What is warned of: a judge in a paradigm, and the sentence without a full stop."""

    judge: str
    paradigm: Paradigm
    words: str


class FirstAnswers:
    """Looks at each judge's first answers of a start, in each paradigm, until one of them could be read.

    Refused and failed calls count for nothing. Nothing is held back: who pays for the calls decides.
    """

    def __init__(self) -> None:
        self._unread: dict[tuple[str, Paradigm], Counter[str]] = {}
        self._settled: set[tuple[str, Paradigm]] = set()

    def add(self, entry: Entry) -> Warned | None:
        """Count an answer; return the warning with the last of the first ones if none could be read."""
        if entry.role != "judge" or entry.paradigm is None or entry.status not in ("ok", "unparsed"):
            return None
        group = (entry.model, entry.paradigm)
        if group in self._settled:
            return None
        if entry.status == "ok":
            self._settled.add(group)
            return None
        shortfalls = self._unread.setdefault(group, Counter())
        shortfalls[entry.shortfall or "malformed"] += 1
        if shortfalls.total() < _FIRST:
            return None
        self._settled.add(group)
        answer = next((str(row["raw"]) for row in entry.rows if row.get("raw")), "")
        example = f", such as {shortened(answer, _MOST_OF_AN_ANSWER)!r}" if answer else ""
        words = (
            f"none of the first {_FIRST} answers of the judge {entry.model!r} ({entry.paradigm}) could be "
            f"read{example}; {', '.join(shortfall_words(shortfalls))}"
        )
        return Warned(*group, words)


@dataclass(frozen=True, slots=True)
class UnreadJudge:
    """A judge most of whose answers in a paradigm could not be read: `unread` of `answers` calls."""

    judge: str
    paradigm: str
    unread: int
    answers: int

    @property
    def words(self) -> str:
        """Return the sentence, without a full stop."""
        return (
            f"{self.unread:,} of {self.answers:,} answers of the judge {self.judge!r} ({self.paradigm}) "
            "could not be read"
        )
