"""Criteria of a file that the study it is added to has already, spelt otherwise or read from another column.

Each would count as a criterion of its own, so that the runs of the study share no case.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.importers.import_options import ImportOptions
from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.columns import column_in
from engine.importers.reading.format import instance_of
from engine.importers.reading.rows import excerpt
from engine.importers.tables.asking.questions import TableQuestion, WholeAnswer
from engine.phrases import join_names, part_of, quantity
from engine.store.study_files import StudyFiles

_ID, _TEXT = "rubric_id", "criterion"

_MOST_MEANINGS = 40
"""More values than this are not listed in a command."""

_SIGNS = "#%&@*"
"""Punctuation to Unicode, and not to readers."""


@dataclass(frozen=True, slots=True)
class NamedCriterion:
    """A criterion of a question: its id, and its text if it has one."""

    question: str
    id: str
    text: str | None

    @property
    def named_by(self) -> str:
        """Our column of the words that it goes by: its text where its id is made from that."""
        return _TEXT if self.text is not None and self.id == instance_of(self.text) else _ID

    def words(self, column: str) -> str:
        """Return its words in a column of ours; its id where it has no text."""
        return self.text if column == _TEXT and self.text is not None else self.id


@dataclass(frozen=True, slots=True)
class Alike:
    """A new criterion and one of the study that is like it, with our column that has the words of each."""

    new: NamedCriterion
    new_column: str
    stored: NamedCriterion
    stored_column: str


@dataclass(frozen=True, slots=True)
class AddedCriteria:
    """The criteria of a file on questions of a study: how many there are, and which of them are `new`.

    `alike` are the new ones that are like another of their question in the study but for case, blanks and
    punctuation; `beside` is a criterion that the study has on the question of the first new one.
    """

    total: int = 0
    new: list[NamedCriterion] = field(default_factory=list)
    alike: list[Alike] = field(default_factory=list)
    beside: NamedCriterion | None = None

    def unshared(self) -> str:
        """Return that the study has none of the file's criteria on the same question, if so; else empty."""
        if self.beside is None or len(self.new) < self.total:
            return ""
        first = self.new[0]
        new, beside = (excerpt(each.words(each.named_by)) for each in (first, self.beside))
        questions = quantity(len({each.question for each in self.new}), "question")
        return (
            f"The study had none of the file's criteria on the {questions} that both have, such as {new!r} "
            f"beside {beside!r} on question {first.question!r}: the new judgments share no case with earlier "
            "ones."
        )

    def question(self, file: str, options: ImportOptions, spelling: OptionSpelling) -> TableQuestion:
        """Return the question whether those that are alike are the same; without `choices` no option says so.

        `options` are those by which the file was read.
        """
        one, kinds = self.alike[0], {_ID: "the id", _TEXT: "the text"}
        new, stored = one.new.words(one.new_column), one.stored.words(one.stored_column)
        alike = part_of(len(self.alike), self.total, "criterion")
        text = (
            f"{file!r}: {alike} on questions of the study would be added as "
            f"{'another' if len(self.alike) == 1 else 'others'}, and share no case with those that are alike "
            f"there: such as {kinds[one.new_column]} {excerpt(new)!r} of question {one.new.question!r}, "
            f"which the study has as {kinds[one.stored_column]} {excerpt(stored)!r}"
        )
        if (new, one.new_column) == (stored, one.stored_column):
            text += f" under the id {one.stored.id!r}, not {one.new.id!r}"
        text += ". If they are others, import the file as a study of its own; if they are the same, "
        answer = _same(self.alike, options)
        if answer is None:
            return TableQuestion(f"{text}write them in the file as the study has them")
        given = [spelling.columns(answer.options.map)] if answer.options.map else []
        given += [spelling.constant(name, value) for name, value in answer.options.set.items()]
        given += [spelling.meanings(name, words) for name, words in answer.options.value.items()]
        unread = [field for field in answer.options.leave_out if field not in options.leave_out]
        given += [spelling.without(unread)] if unread else []
        return TableQuestion(f"{text}give {join_names(given)}", choices=(answer,))


def added_criteria(study: StudyFiles, rows: Iterable[Mapping[str, str | None]]) -> AddedCriteria:
    """Compare rows of `rubrics` with the criteria that a study has on the same questions."""
    stored: dict[str, dict[str, NamedCriterion]] = {}
    for row in study.table("rubrics", ["instance_id", _ID, _TEXT]).to_pylist():
        stored.setdefault(row["instance_id"], {})[row[_ID]] = NamedCriterion(*row.values())
    compared = [
        NamedCriterion(str(row["instance_id"]), str(row[_ID]), row.get(_TEXT))
        for row in rows
        if row["instance_id"] in stored
    ]
    new = [each for each in compared if each.id not in stored[each.question]]
    places = {
        question: {key: (each, column) for each in stored[question].values() for key, column in _keys(each)}
        for question in {each.question for each in new}
    }
    pairs = (_alike(each, places[each.question]) for each in new)
    beside = next(iter(stored[new[0].question].values())) if new else None
    return AddedCriteria(len(compared), new, [each for each in pairs if each is not None], beside)


def _alike(new: NamedCriterion, places: Mapping[str, tuple[NamedCriterion, str]]) -> Alike | None:
    """Return a new criterion with the one that has its words; None without. `places` are by `_keys`."""
    for key, column in _keys(new):
        if key in places:
            return Alike(new, column, *places[key])
    return None


def _keys(criterion: NamedCriterion) -> list[tuple[str, str]]:
    """Return what spellings of a criterion's words share, by our column; the one that it goes by first."""
    columns = [_ID] if criterion.text is None else sorted((_ID, _TEXT), key=lambda c: c != criterion.named_by)
    return [(words_key(criterion.words(column)), column) for column in columns]


def words_key(text: str) -> str:
    """Return a text without case, blanks and punctuation; signs such as + and # stay."""
    letters = unicodedata.normalize("NFKC", text).casefold()
    words = "".join(
        " " if unicodedata.category(letter)[0] in "PZC" and letter not in _SIGNS else letter
        for letter in letters
    )
    return " ".join(words.split()) or text


def _same(alike: Sequence[Alike], options: ImportOptions) -> WholeAnswer | None:
    """Return the options by which the file's criteria are those of the study; None if none can say so.

    The words that are alike fill the column that names criteria in the study, in its spelling.
    """
    ways = {(each.new_column, each.stored.named_by) for each in alike}
    meanings = defaultdict[str, set[str]](set)
    for each in alike:
        meanings[each.new.words(each.new_column)].add(each.stored.words(each.stored.named_by))
    spellings = {word: min(stored) for word, stored in meanings.items() if stored != {word}}
    is_unclear = len(ways) > 1 or any(len(stored) > 1 for stored in meanings.values())
    if is_unclear or len(spellings) > _MOST_MEANINGS or not all(map(_is_meaning, spellings.values())):
        return None
    [(column, place)] = ways
    if column in options.set:
        constant = options.set[column]
        answer = ImportOptions(set={place: spellings.get(constant, constant)})
    elif column in options.map or column == place:
        given = {value: spellings.get(word, word) for value, word in options.value.get(column, {}).items()}
        value = {place: {**given, **spellings}} if spellings else {}
        answer = ImportOptions(map={} if column == place else {place: options.map[column]}, value=value)
    else:
        return None
    has_other_texts = column == _TEXT or any(each.new.text not in (None, each.stored.text) for each in alike)
    without = (_ID,) if place == _TEXT else (_TEXT,) if has_other_texts else ()
    read = {**{name: field for name, field in options.map.items() if name not in without}, **answer.map}
    unread = [
        field
        for name in (_ID, _TEXT)
        if (field := options.map.get(name))
        and (field not in read.values() or (name in without and column_in(name, [field])))
    ]
    answer = replace(answer, leave_out=(*options.leave_out, *unread))
    return WholeAnswer("they are the same", answer, without)


def _is_meaning(text: str) -> bool:
    """Return whether a text can be written as the meaning of a value."""
    return text == text.strip() != "?" and "=" not in text
