"""Which columns have the verdicts on one criterion each, in a table without a column of all verdicts."""

from collections.abc import Collection, Sequence

from engine.importers.reading.rows import number_of
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.guessing.judged_things import dependence_on_judge, judged_things
from engine.importers.tables.judge_agreement import has_no_verdicts
from engine.importers.tables.table_columns import TRUTHS, VERDICTS, plain
from engine.importers.tables.table_sample import FirstRows
from engine.importers.tables.verdict_names import is_of_people, is_of_program, true_is_bad
from engine.importers.tables.verdict_words import MET, NO_VERDICT
from engine.phrases import join_names

_MEASURED = frozenset(
    (
        *("id", "ids", "no", "number", "idx", "index", "n", "count", "counts", "std", "sd", "var", "batch"),
        *("length", "len", "words", "chars", "characters", "lines", "loc", "files", "turn", "turns", "round"),
        *("seed", "trial", "attempt", "sample", "temperature", "version", "year", "date", "variance", "run"),
        *("difficulty", "level", "size", "rank", "rate", "ratio", "percent", "epoch", "fold", "split", "age"),
        *("agreement", "kappa", "alpha", "confidence", "prob", "probability", "logprob", "position", "order"),
        *("latency", "cost", "price", "tokens", "time", "seconds", "duration", "weight"),
    )
)
"""What a column of numbers is called that counts or numbers something, and scores nothing."""

_AMOUNTS = frozenset(
    (
        *("length", "len", "words", "chars", "characters", "lines", "files", "size", "level", "rate"),
        *("ratio", "age", "cost", "price", "time", "duration", "weight"),
    )
)
"""Those of them that may be judged too: how well something costs or lasts."""

_COUNTING = frozenset(("n", "no", "num", "number", "count", "id", "idx", "index", "std", "sd", "var"))
"""Words before what is counted or numbered."""

_LINKS = frozenset(("of", "in", "per", "for", "to", "with", "by"))
_BESIDE = frozenset(
    (
        *("ms", "s", "sec", "secs", "minutes", "hours", "usd", "eur", "dollars", "cents", "score"),
        *("rating", "value", "total", "mean", "avg", "average", "sum", "max", "min", "used", "taken"),
        *("elapsed", "spent", "prompt", "completion", "input", "output", "in", "out", "judge", "shown"),
        *("stated", "reported", "estimate", "estimated", "raw", "setting"),
    )
)
"""Words after a noun that leave it what it is: units, sums, whose it is and where it is from."""

_OF_CALL = frozenset(
    ("parsed", "parse", "cached", "truncated", "retried", "retry", "swapped", "swap", "flipped", "timeout")
)
"""Words in the name of a column of true and false that is about how a judgment was made."""

_FEW_WORDS = 4
"""Most words of verdicts that are not known as such."""

_NEARLY_ALL = 0.95
"""The share of a column's cells that show what it has: others are mistakes, and no reason to leave it out."""

_MANY_ROWS, _NEARLY_EACH = 20, 0.9
"""Of so many rows so large a share have a number of their own where numbers are ids and no scores."""

_HIGHEST = 100
_LIKE_SCALES = 1.5
"""How much higher the best score of one criterion may be than that of another on the same scale."""

_SAME_SCORES = 0.8
"""The share of their scores that two columns on the very same scale have both."""


def take_criterion_columns(table: GuessedTable) -> None:
    """Take columns of like verdicts for one criterion each, where no column has the verdicts.

    They have the same words, or numbers on one scale, that depend on who judged as far as this is known.
    """
    if table.criteria:
        _leave_truths(table)
        return
    is_open = not table.result.open.keys().isdisjoint((*VERDICTS, "opponent"))
    if is_open or table.columns_of_verdicts or table.had(*VERDICTS, "opponent", "paradigm"):
        return
    if table.had("rubric_id", "criterion") or not (table.has("judge") or "judge" in table.result.open):
        return
    columns = _alike(table)
    questions = table.result.open.get("instance_id", ())
    if columns and (questions := tuple(each for each in questions if each not in columns)):
        table.result.open["instance_id"] = questions
        if len(questions) == 1:
            del table.result.open["instance_id"]
            table.take("instance_id", questions[0])
            columns = _alike(table)
    if not columns:
        return
    table.result.criteria = tuple(columns)
    table.free = [column for column in table.free if column not in columns]
    _leave_truths(table)


def like_columns(sample: FirstRows, columns: Sequence[str]) -> list[str]:
    """Return the columns whose verdicts are alike, at least two of them; none if two groups are as large."""
    groups: dict[object, list[str]] = {}
    for column in columns:
        if (kind := _kind(sample, column)) is not None:
            groups.setdefault(kind, []).append(column)
    by_size = sorted(groups.values(), key=len, reverse=True)
    if not by_size or len(by_size[0]) < 2 or (len(by_size) > 1 and len(by_size[1]) == len(by_size[0])):
        return []
    return by_size[0] if _is_one_scale(sample, by_size[0]) else []


def add_amounts(sample: FirstRows, columns: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return columns of criteria with those of `others` that are called an amount and are on their scale.

    The scale is that of at least two: whole numbers, the same lowest and highest, and nearly the same others.
    """
    if any(_kind(sample, column) != "scores" for column in columns):
        return list(columns)
    scales = [_scores(sample, column).keys() for column in columns]
    return [
        *columns,
        *(
            column
            for column in others
            if _head(column) in _AMOUNTS
            and _words(column).isdisjoint(_MEASURED - _AMOUNTS)
            and _kind(sample, column) == "scores"
            and sum(_is_same_scale(_scores(sample, column).keys(), scale) for scale in scales) > 1
        ),
    ]


def may_be_of_criterion(sample: FirstRows, column: str, *things: str | None, any_name: bool = False) -> bool:
    """Return whether a column may have verdicts on a criterion, by its name and what its values are of.

    `things` are the columns of the question, the judge and the author, as far as they are known: what the
    question, or judge and author, alone decide is no verdict. With `any_name` numbers may be called measured.
    """
    question, *models = things
    is_verdicts = _kind(sample, column) == "verdicts"
    is_else = _words(column) & _OF_CALL if is_verdicts else not any_name and is_called_measured(column)
    is_true = is_of_people(column, beside_judges=True) or is_of_program(column)
    is_bad = true_is_bad(column, sample.labels(column).keys() - NO_VERDICT)
    if is_else or is_true or is_bad or has_no_verdicts(sample, column, question):
        return False
    columns = [each for each in models if each is not None]
    return not columns or not sample.has_one_for_each(column, *columns)


def is_called_measured(column: str) -> bool:
    """Return whether a column of numbers counts or numbers something by its name, and scores nothing.

    The noun decides: `cost_usd` and `cost_of_calls` are costs, `cost_realism` is not.
    """
    return _words_in_order(column)[0] in _COUNTING or _head(column) in _MEASURED


def may_be_scores(sample: FirstRows, column: str) -> bool:
    """Return whether a column of numbers may be scores: it counts nothing, and has no ids."""
    if is_called_measured(column) or are_all_different(sample, column):
        return False
    times = sorted(n for label, n in sample.labels(column).items() if label not in NO_VERDICT)
    are_equal = len(times) >= _MANY_ROWS and times[1] == times[-1]  # as of ids; the last may be cut off
    return len(times) > 1 and not are_equal


def are_all_different(sample: FirstRows, column: str) -> bool:
    """Return whether a column has nearly as many values as rows, as no column of scores has."""
    labels = sample.labels(column)
    return labels.total() >= _MANY_ROWS and len(labels) > _NEARLY_EACH * labels.total()


def is_within_scale(sample: FirstRows, column: str, others: Sequence[str]) -> bool:
    """Return whether a column has whole numbers in the range of some columns of scores, and up to its top."""
    if any(_kind(sample, each) != "scores" for each in (column, *others)):
        return False
    scores = _scores(sample, column).keys()
    of_others = {score for each in others for score in _scores(sample, each)}
    is_inside = min(of_others) <= min(scores) and max(scores) <= max(of_others)
    return _are_whole(scores) and is_inside and _is_one_scale(sample, [column, *others])


def _is_same_scale(scores: Collection[float], others: Collection[float]) -> bool:
    both, either = {*scores} & {*others}, {*scores} | {*others}
    is_one_range = (min(scores), max(scores)) == (min(others), max(others))
    return _are_whole(either) and is_one_range and len(both) >= _SAME_SCORES * len(either)


def _are_whole(scores: Collection[float]) -> bool:
    return all(float(score).is_integer() for score in scores)


def _head(column: str) -> str:
    """Return the noun of a column's name: its last word or the one before `of`, not a unit."""
    words = _words_in_order(column)
    links = [place for place, word in enumerate(words) if place and word in _LINKS]
    words = words[: links[0]] if links else words
    while len(words) > 1 and (words[-1] in _BESIDE or words[-1].isdigit()):
        words = words[:-1]
    return words[-1]


def _words_in_order(column: str) -> list[str]:
    return plain(column.rpartition(".")[2]).split("_")


def _words(column: str) -> set[str]:
    return set(_words_in_order(column))


def _alike(table: GuessedTable) -> list[str]:
    sample, things = table.sample, judged_things(table)
    of = (table.question, table.places.get("judge"), table.places.get("generator"))
    free = [column for column in table.free if not table.holds_models(column)]
    columns = [column for column in free if may_be_of_criterion(sample, column, *of, any_name=True)]
    if things is not None:
        columns = [each for each in columns if not dependence_on_judge(table, each, things).is_none]
    called_else = [each for each in columns if not may_be_of_criterion(sample, each, *of)]
    alike = like_columns(sample, [each for each in columns if each not in called_else])
    alike = sorted(add_amounts(sample, alike, called_else), key=columns.index)
    may_be_truth = len(alike) == 2 and not table.has("judge")  # one of two, as far as nobody knows who judged
    return [] if may_be_truth else alike


def _kind(sample: FirstRows, column: str) -> object:
    """Return what nearly all values of a column are: verdicts, scores, or a few words; None for others."""
    labels = {label: n for label, n in sample.labels(column).items() if label not in NO_VERDICT}
    if len(labels) < 2:
        return None
    enough = _NEARLY_ALL * sum(labels.values())
    if sum(n for label, n in labels.items() if label in MET) >= enough:
        return "verdicts"
    if sum(_scores(sample, column).values()) >= enough:
        return "scores"
    is_few = len(labels) <= _FEW_WORDS and not any(number_of(label) is not None for label in labels)
    return frozenset(labels) if is_few else None


def _scores(sample: FirstRows, column: str) -> dict[float, int]:
    """Return how many cells have each number that may be a score, lowest first."""
    numbers = ((number_of(label), n) for label, n in sample.labels(column).items())
    return dict(
        sorted((number, n) for number, n in numbers if number is not None and 0 <= number <= _HIGHEST)
    )


def _is_one_scale(sample: FirstRows, columns: Sequence[str]) -> bool:
    highest = [_top(_scores(sample, column)) for column in columns]
    return max(highest) <= _LIKE_SCALES * min(highest)


def _top(scores: dict[float, int]) -> float:
    """Return the score that nearly all cells do not exceed; 0 without any."""
    enough, below = _NEARLY_ALL * sum(scores.values()), 0
    for score, n in scores.items():
        below += n
        if below >= enough:
            return score
    return 0


def _leave_truths(table: GuessedTable) -> None:
    """Leave what is true unread: one value for an answer is not that of each of its criteria."""
    for name in TRUTHS:
        if name in table.mapped or (column := table.places.get(name)) is None:
            continue
        del table.places[name]
        table.result.map.pop(name, None)
        table.free.append(column)
        table.result.notes.append(
            f"{column!r} is not read: it has one truth for an answer, and the verdicts are on several "
            f"criteria ({join_names(list(table.columns_of_verdicts), 3)})"
        )
