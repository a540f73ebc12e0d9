"""Rows of a table that lack the id of their question or criterion, and have its text.

They get the id that other rows have for the text: under an id made from the text they would be of another
question, and their verdicts would be compared with nobody's.
"""

import pickle
import tempfile
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from engine.importers.reading.format import MADE_ID
from engine.importers.reading.invisible import with_plain_blanks
from engine.importers.reading.rows import BadRowError, ImportStats, Row, text_of
from engine.importers.tables.table_reading import TablePlan
from engine.phrases import quantity
from engine.store.study_files import StudyFiles

_TEXTS = {"instance_id": "prompt", "rubric_id": "criterion"}
"""Our column of the text, by that of the id."""

_THINGS = {"instance_id": "question", "rubric_id": "criterion"}

_SEVERAL = "\0"
"""Stands for the id of a text that several ids have."""


@dataclass(slots=True)
class _Ids:
    """The only id of each text, or `_SEVERAL`, and how the text is written first, both by hashes of texts."""

    by_text: dict[Hashable, str] = field(default_factory=dict)
    spellings: dict[Hashable, int] = field(default_factory=dict)

    def add(self, text: Hashable, name: str, spelling: int) -> None:
        self.by_text[text] = name if self.by_text.get(text, name) == name else _SEVERAL
        self.spellings.setdefault(text, spelling)


class MissingIds:
    """Finds the ids of rows that lack one once all others are read; until then they wait.

    Rows wait in memory if `in_memory`, where they are already, else on disk.
    """

    def __init__(self, *, in_memory: bool) -> None:
        self._questions, self._criteria, self._criteria_anywhere = _Ids(), _Ids(), _Ids()
        self._first_prompts: dict[str, int] = {}  # of an id that has several texts the first counts
        self._in_memory = in_memory
        self._rows: list[tuple[Row, TablePlan]] = []
        self._plans: list[TablePlan] = []
        self._file: IO[bytes] | None = None
        self._are_known = False
        self._seen: set[tuple[object, ...]] = set()  # pairs of ids whose texts are known
        self._n_filled: Counter[str] = Counter()
        self._n_open: Counter[str] = Counter()
        self._open: dict[str, set[int]] = {name: set() for name in _TEXTS}
        self._is_there: set[str] = set()  # the ids that some rows have

    def add_study(self, study: StudyFiles) -> None:
        """Add the ids of the study to which the rows are added, except those that are made from texts."""
        for table, columns in (
            ("instances", ["instance_id", "prompt"]),
            ("rubrics", ["instance_id", "rubric_id", "criterion"]),
        ):
            for row in study.table(table, columns).to_pylist():
                if not MADE_ID.fullmatch(row[columns[-2]]):
                    self._add(row)

    def waits(self, row: Row, plan: TablePlan, *, has_further_files: bool) -> bool:
        """Return whether a row lacks an id that others may have; what it says of ids and texts is noted."""
        names = plan.names
        if not names & _TEXTS.keys() and not has_further_files:
            return False
        try:
            cells = plan.cells(row.values, {*_TEXTS, *_TEXTS.values()})
            self._add(cells)
        except BadRowError:
            return False
        if not any(
            cells.get(text) is not None and cells.get(name) is None and (has_further_files or name in names)
            for name, text in _TEXTS.items()
        ):
            return False
        if self._in_memory:
            self._rows.append((row, plan))
            return True
        if not self._plans or self._plans[-1] is not plan:
            self._plans.append(plan)
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="spb-import-")  # noqa: SIM115 - closed when read
        pickle.dump((row, len(self._plans) - 1), self._file, pickle.HIGHEST_PROTOCOL)
        return True

    def waiting(self) -> Iterator[tuple[Row, TablePlan]]:
        """Yield the rows that wait, each with the plan by which it is read; all ids are known now."""
        self._are_known = True
        yield from self._rows
        if self._file is None:
            return
        with self._file as file:
            end = file.tell()
            file.seek(0)
            while file.tell() < end:
                row, number = pickle.load(file)  # noqa: S301 - what is written above
                yield row, self._plans[number]

    def fill(self, cells: dict[str, Any]) -> None:
        """Fill the ids that cells lack; BadRowError where several ids have the text."""
        if not any(cells.get(name) is None and cells.get(text) is not None for name, text in _TEXTS.items()):
            return
        prompt, criterion = _hash_of(cells, "prompt"), _hash_of(cells, "criterion")
        self._fill(cells, "instance_id", self._questions, [prompt])
        question = _id_in(cells, "instance_id")
        is_its_text = question is None or self._questions.by_text.get(prompt) == question
        places = [(question, criterion), *([(prompt, criterion)] if is_its_text else [])]
        within = [each for each in places if each in self._criteria.by_text]
        if within or self._criteria_anywhere.by_text.get(criterion) == _SEVERAL:
            self._fill(cells, "rubric_id", self._criteria, within)
        else:
            self._fill(cells, "rubric_id", self._criteria_anywhere, [criterion])

    def _fill(self, cells: dict[str, Any], name: str, ids: _Ids, texts: list[Any]) -> None:
        column = _TEXTS[name]
        if cells.get(name) is not None or cells.get(column) is None:
            return
        hits = {ids.by_text[text] for text in texts if text in ids.by_text}
        if not hits:
            if self._are_known:
                self._n_open[name] += 1
                self._open[name].add(hash(cells[column]))
        elif len(hits) > 1 or _SEVERAL in hits:
            raise BadRowError(f"no id of the {_THINGS[name]}, whose text several ids have", cells[column])
        else:
            cells[name] = hits.pop()
            if hash(cells[column]) not in {ids.spellings.get(text) for text in texts}:
                del cells[column]  # the text of the id differs in its blanks
            self._n_filled[name] += 1

    def add_notes(self, tally: ImportStats, places: Mapping[str, str]) -> None:
        """Say how many rows lacked an id, and what became of them."""
        for name, thing in _THINGS.items():
            of = f"the {thing}'s id{f' in {places[name]!r}' if name in places else ''}"
            if count := self._n_filled[name]:
                words = "lacks {}, and gets that of the {} with its text"
                if count > 1:
                    words = "lack {}, and get that of the {} with their text"
                tally.note(f"{quantity(count, 'row')} {words.format(of, thing)}", is_caution=True)
            if name in self._is_there and (count := self._n_open[name]):
                things = quantity(len(self._open[name]), thing)
                tally.note(
                    f"{quantity(count, 'row')} {'lacks' if count == 1 else 'lack'} {of}, and no row with one "
                    f"has the same text: {'it is' if count == 1 else 'they are'} of {things} that other rows "
                    f"do not share, whose id is made from the text",
                    is_doubt=True,
                )

    def _add(self, cells: Mapping[str, Any]) -> None:
        """Add the ids that a row has, by the texts beside them."""
        question, rubric = _id_in(cells, "instance_id"), _id_in(cells, "rubric_id")
        if question is not None:
            seen = (question, rubric, *(cells.get(text) is None for text in _TEXTS.values()))
            if seen in self._seen:
                return
            self._seen.add(seen)
        self._is_there |= {name for name in _TEXTS if cells.get(name) is not None}
        prompt, criterion = _hash_of(cells, "prompt"), _hash_of(cells, "criterion")
        if prompt is not None and question is not None:
            first = self._first_prompts.setdefault(question, prompt)
            if first == prompt:
                self._questions.add(prompt, question, hash(cells["prompt"]))
        if criterion is not None and rubric is not None:
            spelling = hash(cells["criterion"])
            self._criteria_anywhere.add(criterion, rubric, spelling)
            for place in (question, prompt):
                if place is not None:
                    self._criteria.add((place, criterion), rubric, spelling)


def _id_in(cells: Mapping[str, Any], name: str) -> str | None:
    value = cells.get(name)
    return None if value is None else text_of(value, name)


def _hash_of(cells: Mapping[str, Any], name: str) -> int | None:
    """Return a hash of a text, in which the kind of blanks does not count; None without one."""
    text = cells.get(name)
    return None if text is None else hash(with_plain_blanks(text_of(text, name)))
