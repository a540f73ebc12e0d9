"""What a table leaves open: columns that are missing, values with several meanings, and the whole command."""

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field

from engine.errors import BadInputError, UsageError
from engine.importers.import_options import ImportOptions
from engine.importers.option_spelling import FLAGS, OptionSpelling
from engine.importers.reading.columns import that_columns
from engine.importers.reading.option_file import arguments, merge_options
from engine.importers.reading.rows import excerpt, number_of
from engine.importers.reading.value_maps import spelling_of
from engine.importers.tables.stray_numbers import stray_numbers
from engine.importers.tables.verdict_names import TRUE_OR_FALSE, true_is_bad
from engine.importers.tables.verdict_words import (
    LETTERS,
    MET,
    NO_VERDICT,
    ORDERS,
    PAIRS,
    PLACES,
    SHOWN_FIRST,
    SHOWN_SECOND,
    SIDES,
    may_name_a_model,
)
from engine.importers.tables.verdicts_by_sound import may_be_verdicts, meanings_by_sound
from engine.phrases import join_names
from engine.wording import command_words

OPEN = "?"
"""What stands in a command for what the user must decide."""

MOST_VALUES = 12
"""So many values of a column are listed."""

_TRUTHS = "yes, no, none (no verdict) or refused"
_TRUTHS_BELOW_ZERO = (
    "yes or no (it is met or not), good or bad (how the answer did), none (no verdict) or refused"
)
_NO_VALUES = {value for value in NO_VERDICT if number_of(value) is None}


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """One of a few whole answers to a question: when it is right, in words after `if`, and its options.

    `without` are columns of ours that are not filled then, though they were in another one.
    """

    when: str
    options: ImportOptions
    without: tuple[str, ...] = ()

    def added_to(self, options: ImportOptions) -> ImportOptions:
        """Return options with this answer."""
        columns, constants = (
            {name: each for name, each in values.items() if name not in self.without}
            for values in (options.map, options.set)
        )
        return merge_options(replace(options, map=columns, set=constants), self.options)


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """A question about a table, and the options that answer it, with `?` for what only the user knows.

    Where few answers are possible, `choices` are all of them; `among` are the columns that the text names.
    """

    text: str
    answer: ImportOptions = dataclass_field(default_factory=ImportOptions)
    choices: tuple[WholeAnswer, ...] = ()
    may_be_places: bool = False
    """Whether the values may say where an answer was shown, as well as whose it is."""
    has_counts: bool = False
    """Whether the text counts values of the rows that were looked at."""
    among: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WholeCommand:
    """A command or call that reads a table, and when it is right, in words after `if`; empty for always.

    One that `is_open` has `?` for what the user must decide.
    """

    when: str
    line: str
    is_open: bool


class OpenQuestionsError(BadInputError, UsageError):
    """A table leaves questions open. The message has them all, and one command with all that is known.

    `options` are those given, guessed and proposed; `write` makes a command or call of options. `file` is the
    one to import, where that is another than the path given. `likely` are the options of the likeliest
    reading, and `guesses` what they take for what, where all can be guessed.
    """

    def __init__(
        self,
        questions: Sequence[TableQuestion],
        options: ImportOptions,
        write: Callable[[ImportOptions], str],
        *,
        likely: ImportOptions | None = None,
        guesses: str = "",
    ) -> None:
        self.questions, self.options = tuple(questions), options
        self.likely, self.guesses = likely, guesses
        self.file: str | None = None
        texts = [text if text.endswith((".", "?")) else f"{text}." for text in (q.text for q in questions)]
        commands = self.commands(write)
        is_open = ", with ? for what you decide" if any(each.is_open for each in commands) else ""
        lines = [f", if {each.when}: {each.line}" if each.when else f": {each.line}" for each in commands]
        guessed = f" ({guesses}; correct what is wrong)" if guesses else ""
        whole = f" All together{is_open}{guessed}{'; or'.join(lines)}"
        super().__init__(" ".join(texts), command_words(whole))

    def commands(self, write: Callable[[ImportOptions], str]) -> list[WholeCommand]:
        """Return the command of the likeliest reading, or one for each whole answer to the only question."""
        options = self.options if self.likely is None else self.likely
        choices = [question.choices for question in self.questions if question.choices]
        if len(choices) != 1:
            return [WholeCommand("", write(options), _is_open(options))]
        wholes = [(each.when, each.added_to(options)) for each in choices[0]]
        return [WholeCommand(when, write(whole), _is_open(whole)) for when, whole in wholes]


def _is_open(options: ImportOptions) -> bool:
    """Return whether options have `?` for something."""
    meanings = [word for words in options.value.values() for word in words.values()]
    names = (options.judge, options.generator, options.rows)
    return OPEN in (*names, *options.map.values(), *options.set.values(), *meanings)


def open_questions(
    path: str, questions: Sequence[TableQuestion], options: ImportOptions
) -> OpenQuestionsError:
    """Return the error for questions about a file, with the whole command."""
    for question in questions:
        options = merge_options(options, question.answer)

    def command(options: ImportOptions) -> str:
        return shlex.join(["spb", "import", "table", path, *arguments(options)])

    return OpenQuestionsError(questions, options, command)


@dataclass(frozen=True, slots=True)
class SampledColumn:
    """A column of the first rows: the file, our name, the file's name, and the counts of its values.

    `values` are in the form for look-ups, in the user's words where these have a meaning; `written` has for
    each how the file has it, where that is known. `spelling` is how the user writes options. `fields` are all
    columns of a wide table, whose values these are together; `field` is then the one with an odd value.
    """

    file: str
    name: str
    field: str
    values: Counter[str]
    spelling: OptionSpelling = FLAGS
    written: Mapping[str, Counter[str]] = dataclass_field(default_factory=dict)
    fields: tuple[str, ...] = ()

    def that(self, verb: str, plural: str) -> str:
        """Return what the whole column does: `'tone' goes`, of a wide table `'tone' and 'style' go`."""
        return that_columns(self.fields or (self.field,), verb, plural)

    @property
    def where(self) -> str:
        """Of several columns the first with an odd value, in words."""
        return f" (first in {self.field!r})" if len(self.fields) > 1 else ""

    def contents(self, values: Iterable[str] | None = None) -> str:
        """Return what the whole column holds, or of it these values, in words."""
        return f"{self.that('holds', 'hold')} {self.holds(values)}"

    def holds(self, values: Iterable[str] | None = None) -> str:
        """Return the most common of these values, by default of all, as the file has them, in words."""
        shown = Counter[str]()
        for value in self.values if values is None else values:
            shown += self.written.get(value) or Counter({value: self.values[value]})
        return common_values(shown)

    def question(
        self, unclear: Iterable[str], problem: str, words: str, meanings: Mapping[str, str] | None = None
    ) -> TableQuestion:
        """Return the question what the unclear values mean; all values of the column are listed.

        `words` are the possible meanings. `meanings` has those of the values that say it themselves: if all
        do, the example can be typed as it stands; else the others are left open.
        """
        odd = [value for value in self.values if value in set(unclear)]
        by_value = {
            each: (meanings or {}).get(value, OPEN) for value in odd for each in self._spellings(value)
        }
        shown = {each: by_value[each] for value in odd[:MOST_VALUES] for each in self._spellings(value)}
        is_open = OPEN in by_value.values()
        if is_open:
            given = f"Give {self.spelling.open_meanings(self.name, shown, words)}"
        else:
            given = f"Give such as {self.spelling.meanings(self.name, by_value)}"
        text = f"{self.file!r}: {self.contents()}; {problem}{self.where}. What do they mean? {given}"
        answer = ImportOptions(value={self.name: shown if is_open else dict.fromkeys(shown, OPEN)})
        return TableQuestion(text, answer, has_counts=True)

    def _spellings(self, value: str) -> list[str]:
        """Return the spellings of a value in the file where several differ by case, else itself."""
        written = dict.fromkeys(map(spelling_of, self.written.get(value, ())))
        spellings = [each for each in written if each.casefold() == value.casefold()]
        return spellings if len(spellings) > 1 else [value]

    def unlike(self, *word_sets: Iterable[str]) -> Counter[str]:
        words = set().union(*word_sets)
        return Counter({value: count for value, count in self.values.items() if value not in words})


def common_values(values: Counter[str]) -> str:
    """Return the most common values with their counts, in words."""
    text = ", ".join(f"{excerpt(value)!r} ({count:,})" for value, count in values.most_common(MOST_VALUES))
    return text + (", ..." if len(values) > MOST_VALUES else "")


def unclear_sides(values: Iterable[str], names: Iterable[str], *, words: Iterable[str] = SIDES) -> list[str]:
    """Return the values whose side is unclear: no known word or model, and with any number all numbers.

    0 may be a tie or the first side, 1 the first side or the second, 2 the second or a tie, -1 the second or
    a missing verdict, and a column that has one of them has a code of its own. Only -1 among words is a
    missing verdict, as several tools write it.
    """
    others = [value for value in values if value not in set(names)]
    numbers = [value for value in others if number_of(value) is not None]
    if all(value in NO_VERDICT for value in numbers):
        numbers = []
    clear = {*words, *NO_VERDICT}
    return [value for value in others if value in numbers or value not in clear]


def side_questions(
    column: SampledColumn,
    models: Iterable[str],
    *,
    orders: Iterable[str] | None = None,
    answers: Mapping[str, str] | None = None,
    order_words: Collection[str] = (),
    is_ours: bool = False,
) -> list[TableQuestion]:
    """Return the question about values that name no side, or that have several meanings.

    `orders` are the sides that the table says were shown first, if it says so, and `order_words` in what
    words; `answers` what the user said of values that are not among the column's any more. With `is_ours` the
    columns of a pair have our names.
    """
    names = {*models}
    words = ORDERS if column.name == "first" else SIDES
    unclear = unclear_sides(column.values, names, words=words)
    may_be_places = column.name != "first" and bool(set(orders or ()) - {"generator"})
    sides = "a or b" if column.name == "first" else "a, b, tie or none (no verdict)"
    if may_be_places:
        sides = (
            f"a or b for the model (a is {column.spelling.name('generator', '`')}, in any order), first or "
            "second for the place (first was shown first), tie, or none (no verdict)"
        )
    if any(number_of(value) is not None for value in unclear):
        problem = "tools differ in which number is the first side, the second or a tie"
        return [replace(column.question(unclear, problem, sides), may_be_places=may_be_places)]
    if unclear:
        some = len(unclear) < len(column.values)
        whose = ", ".join(map(repr, unclear[:MOST_VALUES])) if some else "these"
        verb = "names" if some and len(unclear) == 1 else "name"
        problem = f"{whose} {verb} neither model, nor a side, nor a tie"
        return [replace(column.question(unclear, problem, sides), may_be_places=may_be_places)]
    letters = [
        value
        for value in column.values
        if value not in names and _may_be_a_place(value, order_words, is_ours=is_ours)
    ]
    if letters and may_be_places:
        return [_letter_question(column, letters, answers or {})]
    return []


def _may_be_a_place(value: str, order_words: Collection[str], *, is_ours: bool) -> bool:
    """Return whether a value may be of a model or a place; any word for a place where the order has one too.

    In a table of our names a letter is a model's, and a word for a place follows the order.
    """
    if any(word in PLACES for word in order_words):
        return value in PLACES.keys() - {SHOWN_FIRST, SHOWN_SECOND} or (not is_ours and value in LETTERS)
    return not is_ours and may_name_a_model(value, ())


def letter_meanings(letters: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what letters, or words for places, mean if they stand for models, and if they do for places."""
    both = {*letters}
    both |= {each for pair in PAIRS if both & {*pair} for each in pair}
    models: dict[str, str] = {each: SIDES[each] for each in sorted(both, key=lambda each: SIDES[each])}
    places = {"generator": "first", "opponent": "second"}
    return models, {letter: places[side] for letter, side in models.items()}


def _letter_question(
    column: SampledColumn, letters: Sequence[str], answers: Mapping[str, str]
) -> TableQuestion:
    """Ask if letters or words are of models or places; both answers are whole, with those in `answers`."""
    before = {value: word for value, word in answers.items() if value in LETTERS or value in PLACES}
    models, places = letter_meanings({*letters, *before})
    model, place = (column.spelling.meanings(column.name, each) for each in (models, places))
    a = column.spelling.name("generator", "`")
    word = next((each for each in models if each in PLACES), None)
    what, it = ("a letter", "A") if word is None else (repr(word), "it")
    text = (
        f"{column.file!r}: {column.contents()}, and the table says which "
        f"answer was shown first. Does {what} stand for the model ({it} is {a}, in any order) or for the "
        f"place ({it} was shown first)? Give {model}, or {place}"
    )
    opposite = {value: word for value, word in before.items() if word not in (models[value], places[value])}
    if opposite:
        given = column.spelling.meanings(column.name, opposite)
        text += f". Neither has {given}, which turns the sides around"
    choices = ((f"{what} stands for the model", models), (f"{what} stands for the place", places))
    return TableQuestion(
        text,
        ImportOptions(value={column.name: dict.fromkeys(models, OPEN)}),
        tuple(WholeAnswer(when, ImportOptions(value={column.name: each})) for when, each in choices),
        may_be_places=True,
        has_counts=True,
    )


def bad_questions(column: SampledColumn, *, may_be_bad: bool = False) -> list[TableQuestion]:
    """Return the question which way round values are by whose column's name true may be bad.

    All answers are whole; a file may have a value in its later rows that its first ones lack. With
    `may_be_bad` some criteria are bad to meet, so that an answer that did badly may have met one.
    """
    values = {value.removesuffix(".0") for value in column.unlike(NO_VERDICT, stray_numbers(column.values))}
    if not true_is_bad(column.field, values):
        return []
    pairs = [(true, false) for true, false in TRUE_OR_FALSE.items() if {true, false} & values]
    upright = {value: word for pair in pairs for value, word in zip(pair, ("yes", "no"), strict=True)}
    inverted = {value: "no" if word == "yes" else "yes" for value, word in upright.items()}
    true = pairs[0][0]
    readings = {f"{true!r} means met": upright, f"{true!r} means not met": inverted}
    if may_be_bad:
        words = {"yes": "bad", "no": "good"}
        readings[f"{true!r} means that the answer did badly"] = {v: words[w] for v, w in upright.items()}
    met, unmet, *badly = (column.spelling.meanings(column.name, each) for each in readings.values())
    meanings = ", that it is not, or that the answer did badly" if badly else ", or that it is not"
    given = f"{met} if it is met, {'' if badly else 'or '}{unmet} if it is not"
    given += "".join(f", or {each} if the answer did badly" for each in badly)
    text = (
        f"{column.file!r}: {column.contents()}, and its name says that something is bad. Does {true!r} mean "
        f"that the criterion is met{meanings}? Give {given}; if another column has the verdicts, "
        f"{column.spelling.columns({column.name: 'FIELD'})} names it"
    )
    return [
        TableQuestion(
            text,
            ImportOptions(value={column.name: dict.fromkeys(upright, OPEN)}),
            tuple(
                WholeAnswer(when, ImportOptions(value={column.name: each})) for when, each in readings.items()
            ),
            has_counts=True,
        )
    ]


def met_questions(
    column: SampledColumn,
    explained: Collection[str] = (),
    *,
    scores: str | None = None,
    may_be_bad: bool = False,
) -> list[TableQuestion]:
    """Return the question about values that are neither true nor false; odd numbers raise it about all.

    Stray numbers raise it about themselves alone, and are proposed as no verdict; `scores` is our column that
    they may be of, if the values may be scores after all. 1 and -1 alone may be true and false, or true and
    missing. A frequent word for a missing verdict is asked about where it may be one, unless it is
    `explained`: a meaning that the user gave to a value. With `may_be_bad` some criteria are bad to meet.
    """
    words = _TRUTHS_BELOW_ZERO if may_be_bad else _TRUTHS
    maybe = [value for value in may_be_verdicts(column.values) if value not in explained]
    unclear = column.unlike(MET, NO_VERDICT.difference(maybe))
    if not unclear and {number_of(value) for value in column.unlike(_NO_VALUES)} == {1, -1}:
        signs = list(column.unlike(_NO_VALUES))
        truths = {value: "yes" if number_of(value) == 1 else "no" for value in signs}
        return [column.question(signs, "-1 may be no, or stand for no verdict", words, truths)]
    if not unclear:
        return []
    strays = stray_numbers(column.values)
    odd = list(unclear)
    if any(number_of(value) is not None for value in unclear if value not in strays):
        odd = [value for value in column.values if value in unclear or number_of(value) is not None]
    clear = {"yes" if MET[value] else "no" for value in column.values if value in MET and value not in odd}
    problem = "these are neither true nor false"
    if any(value in MET and value not in odd for value in column.values):
        written = [shown for value in odd[:MOST_VALUES] for shown in column.written.get(value, (value,))]
        names = join_names([repr(excerpt(each)) for each in written])
        problem = f"{names} {'is' if len(written) == 1 else 'are'} neither true nor false"
    sounds = meanings_by_sound([value for value in odd if value not in strays], clear)
    if may_be_bad:  # which way round a word says it is open, and not that it says nothing
        sounds = {value: "none" for value, meaning in sounds.items() if meaning == "none"}
    none = {value: "none" for value in odd if value in strays}
    question = column.question(odd, problem, words, {**sounds, **none})
    text = question.text
    if none and scores is not None and all(number_of(v) is not None for v in column.unlike(NO_VERDICT)):
        text += f"; if these are scores, {column.spelling.columns({scores: column.field})} reads them so"
    answer = merge_options(question.answer, ImportOptions(value={column.name: none}))
    return [replace(question, text=text, answer=answer)]
