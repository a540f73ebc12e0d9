"""Which columns have the verdicts on one criterion each, in a table without a column of all verdicts."""

from collections.abc import Sequence

from engine.importers.guessing.guessed_table import GuessedTable
from engine.importers.guessing.judged_things import dependence_on_judge, judged_things
from engine.importers.judge_agreement import has_no_verdicts
from engine.importers.reading.rows import number_of
from engine.importers.table_columns import TRUTHS, VERDICTS, plain
from engine.importers.table_sample import FirstRows
from engine.importers.verdict_names import is_of_people, is_of_program, true_is_bad
from engine.importers.verdict_words import MET, NO_VERDICT
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
"""Words in the name of a column of numbers that counts or numbers something, and scores nothing."""

_OF_CALL = frozenset(
    ("parsed", "parse", "cached", "truncated", "retried", "retry", "swapped", "swap", "flipped", "timeout")
)
"""Words in the name of a column of true and false that is about how a judgment was made."""

_FEW_WORDS = 4
"""Most words of verdicts that are not known as such."""

_NEARLY_ALL = 0.95
"""The share of a column's cells that show what it has: others are mistakes, and no reason to leave it out."""

_HIGHEST = 100
_LIKE_SCALES = 1.5
"""How much higher the best score of one criterion may be than that of another on the same scale."""


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


def may_be_of_criterion(sample: FirstRows, column: str, *things: str | None) -> bool:
    """Return whether a column may have verdicts on a criterion, by its name and what its values are of.

    `things` are the columns of the question, the judge and the author, as far as they are known: what the
    question, or judge and author, alone decide is no verdict.
    """
    question, *models = things
    is_verdicts = _kind(sample, column) == "verdicts"
    is_else = _words(column) & _OF_CALL if is_verdicts else is_called_measured(column)
    is_true = is_of_people(column, beside_judges=True) or is_of_program(column)
    is_bad = true_is_bad(column, sample.labels(column).keys() - NO_VERDICT)
    if is_else or is_true or is_bad or has_no_verdicts(sample, column, question):
        return False
    columns = [each for each in models if each is not None]
    return not columns or not sample.has_one_for_each(column, *columns)


def is_called_measured(column: str) -> bool:
    """Return whether a column of numbers counts or numbers something by its name, and scores nothing."""
    return not _words(column).isdisjoint(_MEASURED)


def _words(column: str) -> set[str]:
    return set(plain(column.rpartition(".")[2]).split("_"))


def _alike(table: GuessedTable) -> list[str]:
    sample, things = table.sample, judged_things(table)
    of = (table.question, table.places.get("judge"), table.places.get("generator"))
    free = [column for column in table.free if not table.holds_models(column)]
    columns = [column for column in free if may_be_of_criterion(sample, column, *of)]
    if things is not None:
        columns = [each for each in columns if not dependence_on_judge(table, each, things).is_none]
    alike = like_columns(sample, columns)
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
