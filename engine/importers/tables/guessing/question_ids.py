"""Which column says what question was answered: by its text, by an id, or by what repeats."""

import re
from collections.abc import Sequence
from itertools import pairwise

from engine.importers.reading.columns import value_at
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.guessing.repeats import columns_of_repeats
from engine.importers.tables.guessing.verdicts import is_called_verdicts
from engine.importers.tables.table_columns import ANY_TEXT, DECLARED, RUN, VERDICTS, matching, plain, sided
from engine.importers.tables.table_sample import MOST_LABELS
from engine.importers.tables.verdict_names import is_of_people
from engine.phrases import join_names

_ID_WORDS = frozenset(("id", "no", "number", "idx", "index"))
"""How the name of a column of ids ends."""

_QUESTIONS = frozenset(("question", "questions", "q", "qid", "prompt", "query", "problem", "turn"))
_ITEMS = frozenset(("item", "case", "test", "example", "sample"))
"""Words in the name of a column of ids that are of questions, and that may be of criteria as well."""

_NO_QUESTIONS = ("rubric_id", "criterion", "explanation", "response", "category", "theme", "language")
"""Columns of ours whose names no column of the question's id has."""

_FEWEST_QUESTIONS = 3
"""Of fewer, another column agrees with the texts by chance."""


def take_question(table: GuessedTable) -> None:
    """Take the question's text and its id by their names; without both, an id that repeats."""
    table.choose("prompt", table.sample.is_prompt, ask=False)
    if table.has("instance_id"):
        return
    hits = table.candidates("instance_id", lambda column: _may_be_id(table, column))
    if len(hits) == 1:
        _take_id(table, hits[0])
    elif hits and not table.has("prompt"):
        _take_id_among(table, hits)
    if hits or table.has("prompt"):
        return
    ids = _ids_of_any_name(table)
    if len(ids) == 1:
        _take_id(table, ids[0])
    elif ids:
        _take_id_among(table, ids)


def _take_id(table: GuessedTable, column: str) -> bool:
    """Take a column of ids, and return whether it was; where they may be of criteria, take their questions.

    Which of both the ids name is asked about then.
    """
    if table.is_of_pairs or not _may_name_parts(column):
        table.take("instance_id", column)
        return True
    wholes = [each for each in table.free if each != column and _is_whole_of(table, each, column)]
    if (prompt := table.places.get("prompt")) is not None and _is_whole_of(table, prompt, column):
        table.result.part = column
        return False
    if not wholes:
        table.take("instance_id", column)
        return True
    whole = min(wholes, key=lambda each: (not is_called_id(each), table.sample.is_sentences(each)))
    table.take("prompt" if table.sample.is_sentences(whole) else "instance_id", whole)
    table.result.part = column
    return False


def _may_name_parts(column: str) -> bool:
    """Return whether a column's name leaves open that it names criteria."""
    first, words = DECLARED["instance_id"].groups()[1], _words_of(column)
    return _QUESTIONS.isdisjoint(words) and not (matching([column], first) and _ITEMS.isdisjoint(words))


def _is_whole_of(table: GuessedTable, whole: str, part: str) -> bool:
    """Return whether a column may name questions, most of which have several values of another one.

    An answer's text, where there is one, decides: one for all parts is an answer to the whole.
    """
    sample = table.sample
    if not (sample.is_label(whole) or sample.is_sentences(whole)) or sample.is_share(whole):
        return False
    if len(sample.labels(whole)) < _FEWEST_QUESTIONS or not sample.has_one_for_each(whole, part):
        return False
    parts: dict[str, set[str]] = {}
    for row in sample.rows:
        parts.setdefault(str(value_at(row, whole)), set()).add(str(value_at(row, part)))
    if 2 * sum(len(each) > 1 for each in parts.values()) <= len(parts):
        return False
    if (is_answered := _is_answered(table, whole, part)) is not None:
        return is_answered
    if _is_named_id(part) and _ITEMS.isdisjoint(_words_of(part)):
        return False
    is_named = is_called_id(whole) or sample.is_sentences(whole) or _is_named_id(whole)
    is_within = all(name in each for name, names in parts.items() for each in names)
    return (is_named and len(parts) > MOST_LABELS) or sample.is_sentences(whole) or is_within


def _words_of(column: str) -> list[str]:
    return plain(column.rpartition(".")[2]).split("_")


def _is_named_id(column: str) -> bool:
    return any(matching([column], group) for group in DECLARED["instance_id"].groups())


def _is_criterion_of(table: GuessedTable, column: str, question: str) -> bool:
    """Return whether a column has an id for each criterion that other columns name of a question."""
    fits = {"rubric_id": table.sample.is_label, "criterion": table.sample.is_text}
    criteria = [each for name, fit in fits.items() if (each := table.column_for(name, fit)) is not None]
    return (
        column != question
        and _may_name_parts(column)
        and any(table.sample.differs_within(question, each, column) for each in criteria)
        and _is_whole_of(table, question, column)
    )


def _is_answered(table: GuessedTable, whole: str, part: str) -> bool | None:
    """Return whether the texts of answers are to the whole, and not to each part; None without texts."""
    sample, author = table.sample, table.places.get("generator")
    if author is None:
        return None
    texts = [
        column
        for column in table.free
        if column not in (whole, part)
        and sample.is_sentences(column)
        and sample.has_one_for_each(column, part, author)
        and not sample.has_one_for_each(column, part)
    ]
    return all(sample.has_one_for_each(column, whole, author) for column in texts) if texts else None


def _may_be_id(table: GuessedTable, column: str) -> bool:
    """Return whether a column has ids, and of the questions if its name may be of rows too."""
    *clear, _ = DECLARED["instance_id"].groups()
    is_clear = bool(matching([column], (name for group in clear for name in group)))
    may_be_of_rows = not is_clear and table.has("prompt")
    return table.sample.is_id(column) and not (may_be_of_rows and _is_row_number(table, column))


def _ids_of_any_name(table: GuessedTable) -> list[str]:
    """Return the columns that may be the question's id whatever they are called, as each value repeats."""
    sample = table.sample
    others = set(filter(sample.is_prompt, matching(table.free, ANY_TEXT)))
    others |= {each for name in _NO_QUESTIONS if (each := table.column_for(name, sample.is_label))}
    if (author := table.places.get("generator")) is not None:  # the texts of answers have one author each
        texts = filter(sample.is_sentences, table.free)
        others |= {column for column in texts if sample.has_one_for_each(author, column)}
    if table.is_of_pairs:  # what each answer has is not of the question
        others |= {column for pair in sided(table.free) for column in (pair.first, pair.second)}
    rest = [c for c in table.free if sample.is_id(c) and _repeats(table, c) and c not in others]
    rest = [column for column in rest if not is_of_people(column, beside_judges=True)]
    verdicts = [each for name in VERDICTS if (each := table.places.get(name)) is not None]
    if not verdicts:  # a column so called has them, though its words say nothing
        verdicts = [column for column in rest if is_called_verdicts(table, column, VERDICTS[:3])]
    if verdicts:  # another such column is what is true, or what judges said
        rest = [column for column in rest if not sample.has_words_of(column, verdicts)]
    if not table.has("generator"):  # which is asked for, and may be a column of models
        rest = [column for column in rest if not table.holds_models(column)]
    if ids := [column for column in rest if is_called_id(column)]:
        return ids
    labels = [column for column in rest if not sample.is_number(column)]
    if not labels or any(_is_of_single_verdicts(table, column) for column in labels):
        return labels
    numbers = [column for column in rest if _are_whole_numbers(table, column)]
    return labels + [column for column in numbers if _is_of_single_verdicts(table, column)]


def _are_whole_numbers(table: GuessedTable, column: str) -> bool:
    return all(re.fullmatch(r"\d+", label) for label in table.sample.labels(column))


def is_called_id(column: str) -> bool:
    """Return whether a column's name ends as those of ids do."""
    return plain(column).split("_")[-1] in _ID_WORDS


def _take_id_among(table: GuessedTable, columns: Sequence[str]) -> None:
    """Take the one column by which no judge has two verdicts on an answer; else leave all open.

    Several that are one to one with each other name the same questions; one without blanks is taken.
    """
    sample = table.sample
    ids = [each for each in columns if _repeats(table, each) and _is_of_single_verdicts(table, each)]
    ids = [each for each in ids if not any(_is_criterion_of(table, each, other) for other in ids)]
    equal = sorted(ids, key=sample.is_prompt)
    if all(_are_one_to_one(table, one, other) for one, other in pairwise(equal)):
        ids = equal[:1]
    if len(ids) != 1:
        table.result.open["instance_id"] = tuple(columns)
        return
    if not _take_id(table, ids[0]):
        return
    thing = "pair" if table.is_of_pairs else "answer and criterion"
    also = f" (or {join_names(list(map(repr, equal[1:])))}, one to one with it)" if equal[1:] else ""
    table.result.notes.append(
        f"of the columns that may be the question's id, only by {ids[0]!r}{also} no judge has two verdicts "
        f"on one {thing}, so it is taken ({table.spelling.columns({'instance_id': 'FIELD'})} names another)"
    )


def _is_of_single_verdicts(table: GuessedTable, question: str) -> bool:
    """Return whether no judge has two verdicts on an answer if a column has the questions."""
    sample = table.sample
    if not table.has("generator") or not (table.has("judge") or table.columns_of_judges):
        return False
    parts = [table.places.get(name) for name in ("judge", "generator", "opponent")]
    fits = {"rubric_id": sample.is_label, "criterion": sample.is_text, RUN: sample.is_run}
    if table.is_of_pairs:
        fits = {"first": table.is_order}
    parts += [table.column_for(name, each) for name, each in fits.items()]
    identity = [question, *(column for column in parts if column is not None)]
    verdicts = [tuple(str(value_at(row, column)) for column in identity) for row in sample.rows]
    return len(set(verdicts)) == len(verdicts)


def leave_question_open(table: GuessedTable) -> None:
    """Leave the question's id open where another id tells apart a judge's verdicts on a criterion."""
    column = table.result.map.get("instance_id")
    if column is None or not table.has("rubric_id", "criterion") or table.has("prompt"):
        return
    ids = [each for each in columns_of_repeats(table) if is_called_id(each)]
    if ids := [each for each in ids if len(table.sample.labels(each)) > MOST_LABELS]:
        del table.places["instance_id"], table.result.map["instance_id"]
        table.free.append(column)
        table.result.open["instance_id"] = (column, *ids)


def take_id_of_prompt(table: GuessedTable) -> None:
    """Take the one column that is one to one with the question's text for its id.

    An id made from the text would leave no way back to the file's rows. Both must name several questions
    more than once, or they would agree by chance.
    """
    prompt = table.places.get("prompt")
    if prompt is None or table.has("instance_id") or not _repeats(table, prompt):
        return
    if len(table.sample.labels(prompt)) < _FEWEST_QUESTIONS:
        return
    hits = [column for column in table.free if _names_each(table, column, prompt)]
    ids = list(filter(is_called_id, hits)) or hits
    if len(ids) == 1:
        table.take("instance_id", ids[0])
        table.result.ids_of_texts = True
        table.result.notes.append(
            f"{ids[0]!r} has one value for each text in {prompt!r}, so it is taken for the question's id "
            f"({table.spelling.without(ids)} if it is something else)"
        )


def _names_each(table: GuessedTable, column: str, prompt: str) -> bool:
    """Return whether a column has an id in each row, and is one to one with the questions' texts."""
    sample = table.sample
    values = [str(value) for value in sample.values(column)]
    return (
        len(values) == len(sample.rows)
        and sample.is_id(column)
        and not sample.is_share(column)
        and not any(re.search(r"\s", value) or re.fullmatch(r"-?\d*[.,]\d+", value) for value in values)
        and _are_one_to_one(table, column, prompt)
    )


def _are_one_to_one(table: GuessedTable, one: str, other: str) -> bool:
    return table.sample.has_one_for_each(one, other) and table.sample.has_one_for_each(other, one)


def _is_row_number(table: GuessedTable, column: str) -> bool:
    values = table.sample.values(column)
    return len(set(map(str, values))) == len(values) > 1 and _repeats(table, str(table.places["prompt"]))


def _repeats(table: GuessedTable, column: str) -> bool:
    values = list(map(str, table.sample.values(column)))
    return 1 < len(set(values)) < len(values)
