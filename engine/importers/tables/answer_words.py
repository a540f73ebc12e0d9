"""Verdicts such as pass and fail on criteria that are bad to meet, which mean one thing or its opposite.

The answer passed, as it does not do what the criterion names, or the criterion is met. Where meeting a
criterion is good, both say the same. True and false are such words in a column called by one: `passed`.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.importers.import_options import ImportOptions
from engine.importers.reading.columns import value_at
from engine.importers.reading.rows import number_of
from engine.importers.reading.value_maps import keys_of
from engine.importers.tables.asking.questions import OPEN, SampledColumn, TableQuestion, WholeAnswer
from engine.importers.tables.table_reading import TRUTHS, TablePlan
from engine.importers.tables.verdict_names import TRUE_OR_FALSE, may_be_of_answer
from engine.importers.tables.verdict_words import MET, NO_VERDICT, OF_ANSWERS, is_bad_to_meet, lookup_key
from engine.importers.tables.verdicts_by_sound import says_no_verdict, truths_by_sound
from engine.phrases import join_names

_OPPOSITES = {
    "pass": "fail",
    "passed": "failed",
    "correct": "incorrect",
    "right": "wrong",
    "good": "bad",
    "ok": "not ok",
    "okay": "not okay",
    "compliant": "noncompliant",
    "upheld": "not upheld",
    "not violated": "violated",
    "✓": "✗",
    "✔": "✘",
    "✅": "❌",
} | TRUE_OR_FALSE
_OF_ANSWERS = OF_ANSWERS | {word: MET[word] for pair in TRUE_OR_FALSE.items() for word in pair}
"""Whether words say that the answer did well; those that say it only by the column's name too."""


@dataclass(slots=True)
class AnswerWords:
    """Words that may say how an answer did and that nobody gave a meaning, by our column, with their counts.

    `below_zero` are the columns that have one for a criterion with points below 0.
    """

    words: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    below_zero: set[str] = field(default_factory=set)

    def add(self, plan: TablePlan, cells: Mapping[str, Any], written: Mapping[str, Any]) -> None:
        """Count the words of a row, by our columns and as written."""
        for name in TRUTHS & plan.places.keys() & cells.keys():
            value = value_at(written, plan.places[name])
            if value is None or keys_of(value, plan.given.value.get(name, {})):
                continue
            word, fields = lookup_key(value), _fields_of(plan, name)
            if is_open(word) or (word in _OF_ANSWERS and any(map(may_be_of_answer, fields))):
                self.words[name][word] += 1
                if is_bad_to_meet(cells.get("points")):
                    self.below_zero.add(name)

    def questions(self, columns: Mapping[str, SampledColumn]) -> list[TableQuestion]:
        """Return the question what the words mean, of both columns together if both have such words."""
        return answer_word_questions([(columns[name], self.words[name]) for name in sorted(self.below_zero)])


def _fields_of(plan: TablePlan, name: str) -> Collection[str]:
    """Return the columns of verdicts that one of ours is read from, none where each is called a criterion."""
    if plan.verdict != name:
        return [plan.places[name]]
    return plan.wide if plan.wide_names == "judge" else ()


def is_open(word: str) -> bool:
    """Return whether a word is no verdict on a criterion in itself, where meeting it may be bad."""
    return word in OF_ANSWERS or (word not in MET and word not in NO_VERDICT and number_of(word) is None)


def is_answered(column: SampledColumn, questions: Iterable[TableQuestion]) -> bool:
    """Return whether questions on such words are about all unclear values of a column."""
    words = {value for question in questions for value in question.answer.value.get(column.name, {})}
    unclear = column.unlike(MET, NO_VERDICT)
    return bool(unclear) and words.issuperset(unclear)


def answer_word_questions(
    columns: Sequence[tuple[SampledColumn, Mapping[str, int]]],
) -> list[TableQuestion]:
    """Return the question what words of columns mean where a criterion is bad to meet.

    Each column has its open words, with their counts. Both answers are whole.
    """
    truths = {column.name: _truths(words) for column, words in columns}
    unclear = [column for column, _ in columns if truths[column.name]]
    if not unclear:
        return []
    readings = {
        word: {
            each.name: {value: word if is_good else no for value, is_good in truths[each.name].items()}
            for each in unclear
        }
        for word, no in (("good", "bad"), ("yes", "no"))
    }
    first, spelling = unclear[0], unclear[0].spelling
    did_well, met = (
        join_names([spelling.meanings(name, words) for name, words in reading.items()])
        for reading in readings.values()
    )
    example = next(iter(truths[first.name]))
    contents = join_names([each.contents(truths[each.name]) for each in unclear])
    text = (
        f"{first.file!r}: {contents}, and some criteria have points below 0. Does {example!r} mean there "
        "that the answer did well, so that the criterion is not met, or that the criterion is met? Give "
        f"{did_well} if the answer did well, or {met} if the criterion is met"
    )
    text += "; if the columns differ, give each its own" if len(unclear) > 1 else ""
    whens = (f"{example!r} means that the answer did well", f"{example!r} means that the criterion is met")
    choices = (
        WholeAnswer(when, ImportOptions(value=reading))
        for when, reading in zip(whens, readings.values(), strict=True)
    )
    answer = {name: dict.fromkeys(words, OPEN) for name, words in readings["yes"].items()}
    return [TableQuestion(text, ImportOptions(value=answer), tuple(choices), has_counts=True)]


def _truths(words: Mapping[str, int]) -> dict[str, bool]:
    """Return for each word whether the answer passed, also for an opposite that the rows lack.

    Beside words that do not say it, only those that would be read without a question.
    """
    truths = {word: _OF_ANSWERS[word] for word in words if word in _OF_ANSWERS}
    others = [word for word in words if word not in _OF_ANSWERS and not says_no_verdict(word, [*words])]
    if others:
        sounds = truths_by_sound(others, ["yes" if each else "no" for each in truths.values()])
        if sounds is None:
            truths = {word: is_good for word, is_good in truths.items() if word in MET}
        else:
            truths |= {word: each == "yes" for word, each in zip(others, sounds, strict=True)}
    if len({*truths.values()}) == 1 and not others:
        opposites = _OPPOSITES | {bad: good for good, bad in _OPPOSITES.items()}
        truths |= {opposites[word]: not truths[word] for word in [*truths] if word in opposites}
    return {word: truths[word] for word in sorted(truths, key=truths.__getitem__, reverse=True)}
