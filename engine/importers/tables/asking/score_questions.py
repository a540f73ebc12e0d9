"""What a column of scores leaves open: values that are no numbers, its scale, and scores below 0.

A study holds a score as a fraction of its scale, which begins at 0. Tools write -1 for a missing score, which
it is only where it can be no score.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from engine.errors import BadInputError
from engine.importers.import_options import ImportOptions
from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.columns import that_columns
from engine.importers.reading.rows import number_of
from engine.importers.tables.asking.questions import (
    MOST_VALUES,
    OPEN,
    SampledColumn,
    TableQuestion,
    WholeAnswer,
    common_values,
)
from engine.importers.tables.asking.scale_checks import MOST_MISTAKES, likely_scales, top_of
from engine.importers.tables.fractions import is_share
from engine.importers.tables.verdict_words import NO_VERDICT
from engine.phrases import join_names, quantity

MISSING = "missing"
"""The meaning of a value that stands for no verdict."""

_MOST_BESIDE = 0.01
"""Where a larger share of scores is below 0 than this, without those of -1, -1 is a score."""

_HIGHEST_SCALE = 1000
"""No higher scale is proposed: numbers above it are mostly ids or counts."""

_DECIMAL_COMMA = re.compile(r"-?[\d.]+,[\d.,]+")


def score_questions(
    column: SampledColumn,
    *,
    scaled: bool,
    by_criterion: bool = False,
    of_criteria: bool = False,
    may_be_codes: bool = False,
    is_called_score: bool = False,
) -> list[TableQuestion]:
    """Return the question about values that are no number, or above 1 without a scale.

    Scores `by_criterion` may have a scale for each, which no column can say of those `of_criteria`, with a
    column for each. What `may_be_codes` is called like a verdict: if there is
    nothing but 1 and 2, or but two numbers where it is not called like a score too, these may be yes and no.
    """
    unclear = Counter({v: n for v, n in column.unlike(NO_VERDICT).items() if number_of(v) is None})
    if any(_DECIMAL_COMMA.fullmatch(value) for value in unclear):
        raise BadInputError(
            f"{column.file!r}: {column.contents(unclear)}, which are not numbers; write "
            "them with a decimal point, and without marks between thousands"
        )
    if unclear and all(map(is_share, unclear)):
        raise BadInputError(
            f"{column.file!r}: {column.contents(unclear)}, which are not plain numbers; "
            f"write 80% as 0.8, and 4/5 as 4 with {column.spelling.constant('scale', '5')}"
        )
    if unclear:
        return [_word_question(column, unclear)]
    numbers = _numbers(column.values)
    if max(numbers, default=0) <= 1 or scaled:
        return []
    two = len(numbers) == 2 and not is_called_score and all(number == int(number) for number in numbers)
    if may_be_codes and (two or numbers.keys() == {1, 2}):
        return [_code_question(column, sorted(numbers))]
    top, scales = top_of(numbers), [f"{scale:g}" for scale in likely_scales(numbers)]
    words = f"{column.that('goes', 'go')} up to {top:g}, where 1 is perfect"
    rest = ""
    if above := Counter({f"{number:g}": n for number, n in numbers.items() if number > top}):
        whole = quantity(numbers.total(), "score")
        others = common_values(Counter({f"{n:g}": count for n, count in numbers.items() if n <= top}))
        words += f", but for {above.total():,} of {whole} far above the rest: {common_values(above)}"
        words += f" beside {others}"
        one = above.total() == 1
        rest = f"; {'the row above it is' if one else 'rows above it are'} left out, and counted"
    text = (
        f"{column.file!r}: {words}. On which scale are the scores? Give "
        f"{' or '.join(column.spelling.constant('scale', scale) for scale in scales)}, which divides them, "
        f"or a higher one{rest}"
    )
    if of_criteria:
        own = column.spelling.criteria(["FIELD"])
        text += f"; if they differ in their scales, import those of each scale by themselves: {own}"
    elif by_criterion:
        own = column.spelling.columns({"scale": "FIELD"})
        text += f"; if criteria differ in their scales, {own} names the column that has them"
    if top > _HIGHEST_SCALE:
        text = (
            f"{column.file!r}: {words}, which is no usual scale. If it has no scores, name "
            f"the column that has with {column.spelling.columns({'score': 'FIELD'})}; else give "
            f"{column.spelling.constant('scale', 'NUMBER')}, the highest score that can be given, which "
            f"divides them"
        )
        return [TableQuestion(text, ImportOptions(set={"scale": OPEN}), has_counts=bool(above))]
    if len(scales) == 1:
        answer = ImportOptions(set={"scale": scales[0]})
        return [TableQuestion(text, answer, has_counts=bool(above))]
    choices = tuple(
        WholeAnswer(f"{scale} is the highest score that can be given", ImportOptions(set={"scale": scale}))
        for scale in scales
    )
    return [TableQuestion(text, ImportOptions(set={"scale": OPEN}), choices, has_counts=bool(above))]


def words_among(values: Mapping[str, int]) -> list[str]:
    """Return the words in a column of scores that need a number; none if they are numbers written wrongly."""
    words = [value for value in values if value not in NO_VERDICT and number_of(value) is None]
    wrong = any(_DECIMAL_COMMA.fullmatch(word) for word in words) or all(map(is_share, words))
    return [] if wrong else words


def _code_question(column: SampledColumn, numbers: Sequence[float]) -> TableQuestion:
    """Ask whether two numbers are codes of yes and no, whichever is which, or scores."""
    values = [f"{number:g}" for number in numbers]
    top = values[-1]
    codes = ImportOptions(map={"met": column.field}, value={"met": dict.fromkeys(values, OPEN)})
    scores = ImportOptions(set={"scale": top})
    spelling = column.spelling
    text = (
        f"{column.file!r}: {column.contents()}, which may be codes of yes and no, or "
        f"scores of which {top} is the highest. For codes, give {spelling.columns(codes.map)} "
        f"{spelling.open_meanings('met', codes.value['met'], 'yes or no')}; for scores "
        f"{spelling.constant('scale', top)}"
    )
    choices = (
        WholeAnswer("they are codes of yes and no", codes, without=("score", "scale")),
        WholeAnswer(f"they are scores, and {top} is the highest", scores),
    )
    return TableQuestion(text, ImportOptions(set={"scale": OPEN}), choices, has_counts=True)


def _word_question(column: SampledColumn, words: Counter[str]) -> TableQuestion:
    """Return the question what the words among scores mean."""
    shown = dict.fromkeys(list(words)[:MOST_VALUES], OPEN)
    has_numbers = words.total() < column.unlike(NO_VERDICT).total()
    where = " among numbers" if has_numbers else "; these are not numbers"
    given = column.spelling.open_meanings(column.name, shown, "a number (none for no verdict)")
    holds = f"{column.file!r}: {column.contents(words)}{where}{column.where}"
    answer = ImportOptions(value={column.name: shown})
    return TableQuestion(f"{holds}. What do they mean? Give {given}", answer, has_counts=True)


def below_zero_questions(
    column: SampledColumn, *, has_scale_column: bool, truth: str | None
) -> list[TableQuestion]:
    """Return the question about scores below 0 that may be scores; `truth` is our column of true scores.

    -1 alone stands for no verdict, unless all other scores are 0 and 1, where it may be the lowest of three.
    A few others below 0 are mistakes where nothing is -1, and their rows are left out.
    """
    numbers = _numbers(column.values)
    lower = Counter({number: n for number, n in numbers.items() if number < 0 and number != -1})
    if -1 not in numbers:
        if lower.total() <= MOST_MISTAKES * numbers.total():
            return []
    elif not lower and not numbers.keys() <= {-1, 0, 1}:
        return []
    shift = shift_of(numbers)
    below = common_values(Counter({f"{n:g}": numbers[n] for n in sorted(numbers) if n < 0}))
    text = (
        f"{column.file!r}: {column.that('holds', 'hold')} scores below 0, down to {min(numbers):g}: {below}. "
        f"A study holds scores from 0 up to their scale"
    )
    if shift is None or has_scale_column:
        fields = column.fields or (column.field,)
        raise BadInputError(f"{text}. {shift_in_words(numbers, fields, column.spelling)}")
    scale = f"{max(numbers) - min(numbers):g}"
    names = (column.name, truth) if truth is not None else (column.name,)
    meanings = {name: dict(shift) for name in names}
    given = " and ".join(column.spelling.meanings(name, each) for name, each in meanings.items())
    moved = ImportOptions(value=meanings, set={"scale": scale})
    text += (
        f", so add {-min(numbers):g} to each: give {given} with {column.spelling.constant('scale', scale)}, "
        "which makes the lowest 0 and the highest 1"
    )
    if -1 not in numbers or lower.total() > _MOST_BESIDE * numbers.total():
        return [TableQuestion(text, moved, has_counts=True)]
    missing = {column.name: {"-1": MISSING}}
    rest = Counter({number: n for number, n in numbers.items() if number >= 0})
    top = top_of(rest) if rest else 1
    left = ImportOptions(value=missing, set={"scale": f"{top:g}"} if top > 1 else {})
    text += (
        f". If -1 stands for no verdict, give {column.spelling.meanings(column.name, missing[column.name])}"
    )
    choices = (WholeAnswer("-1 is a score", moved), WholeAnswer("-1 stands for no verdict", left))
    return [TableQuestion(text, choices=choices, has_counts=True)]


def refuse_below_zero(
    file: str, fields: Sequence[str], scores: Mapping[float, int], spelling: OptionSpelling
) -> None:
    """Raise BadInputError for scores below 0, found late in a file, that are too many for mistakes.

    So are any if there is a -1 as well, which was read as no verdict.
    """
    lower = {number: n for number, n in scores.items() if number < 0 and number != -1}
    if not lower or (-1 not in scores and sum(lower.values()) <= MOST_MISTAKES * sum(scores.values())):
        return
    some = f"{sum(lower.values()):,} of {quantity(sum(scores.values()), 'score')}"
    beside = " beside those of -1" if -1 in scores else ""
    raise BadInputError(
        f"{file!r}: {some} in {join_names(list(map(repr, fields)))} lie below 0{beside}, down to "
        f"{min(lower):g}. Nothing was imported, as a study holds scores from 0 up to their scale. "
        f"{shift_in_words(scores, fields, spelling)}"
    )


def shift_of(numbers: Collection[float]) -> dict[str, str] | None:
    """Return whole scores, each with its place above the lowest of them; None if they are too many."""
    lowest, highest = min(numbers), max(numbers)
    if any(number != int(number) for number in numbers) or highest - lowest >= MOST_VALUES:
        return None
    return {str(number): str(number - int(lowest)) for number in range(int(lowest), int(highest) + 1)}


def shift_in_words(numbers: Collection[float], fields: Sequence[str], spelling: OptionSpelling) -> str:
    """Return in words how scores below 0 are moved up in the file, and what their scale is then.

    Scores from -1 to 1 are taken for such of that scale, others for such from the lowest to the highest.
    """
    lowest, highest = min(numbers), max(numbers)
    if within := lowest >= -1 and highest <= 1:
        lowest, highest = -1, 1
    scale = spelling.constant("scale", f"{highest - lowest:g}")
    place = repr(fields[0]) if len(fields) == 1 else repr(list(fields))
    return (
        f"Add {-lowest:g} to each score (of a pandas frame d: d[{place}] += {-lowest:g}), and import that "
        f"with {scale}{', if they can go from -1 to 1' if within else ''}"
    )


def minus_one_note(
    name: str,
    fields: Sequence[str],
    count: int,
    numbers: Collection[float] | None,
    spelling: OptionSpelling,
) -> str:
    """Return that so many cells of -1 were read as no verdict, and what is given if they are one.

    `fields` are the file's columns of our column `name`, several of a wide table. `numbers` are all of its
    scores; None if it has none, or too many to list.
    """
    meaning = {"met": "no", "reference_met": "no", "choice": "b", "preference": "b"}.get(name)
    if meaning is not None:
        otherwise = f"if it is a verdict, give such as {spelling.meanings(name, {'-1': meaning})}"
    elif numbers and (shift := shift_of(numbers)) is not None:
        scale = spelling.constant("scale", f"{max(numbers) - min(numbers):g}")
        otherwise = f"if it is a score, give {spelling.meanings(name, shift)} with {scale}"
    elif numbers:
        words = shift_in_words(numbers, fields, spelling)
        otherwise = f"if it is a score: {words[:1].lower()}{words[1:]}"
    else:
        otherwise = "if it is a score, add 1 to each score of the file"
    cells = quantity(count, "row" if len(fields) == 1 else "cell")
    return f"{that_columns(fields, 'is', 'are')} -1 in {cells}, read as no verdict ({otherwise})"


def _numbers(values: Mapping[str, int]) -> Counter[float]:
    """Return the numbers among values, with their counts."""
    numbers = Counter[float]()
    for value, count in values.items():
        if (number := number_of(value)) is not None:
            numbers[number] += count
    return numbers
