"""Which columns have the answers, the other texts, and the labels of questions."""

from engine.importers.guessing.guessed_table import GuessedTable
from engine.importers.table_columns import ANY_TEXT, matching, sided

_TEXTS = ("prompt", "criterion", "reference_answer", "explanation", "raw")
_LABELS = ("category", "theme", "language", "variant")


def take_responses(table: GuessedTable) -> None:
    """Take the text of the answer, or of both answers of a pair."""
    if not table.is_of_pairs:
        if not table.choose("response", table.sample.is_answer, ask=False):
            _take_only_text(table)
        return
    if table.has("response", "opponent_response"):
        return
    hits = [p for p in sided(table.free) if p.may_be_texts and table.sample.is_answer(p.first)]
    if len(hits) == 1:
        table.take("response", hits[0].first)
        table.take("opponent_response", hits[0].second)


def _take_only_text(table: GuessedTable) -> None:
    """Take a column that is just called text, if each answer of a question has its own."""
    question, generator = table.question, table.places.get("generator")
    hits = [column for column in matching(table.free, ANY_TEXT) if table.sample.is_prompt(column)]
    if len(hits) != 1 or question is None or generator is None:
        return
    if table.sample.differs_within(question, hits[0], generator):
        table.take("response", hits[0])


def take_texts_and_labels(table: GuessedTable) -> None:
    """Take the other columns of texts, and those by which questions are grouped, by their names."""
    for name in _TEXTS:
        table.choose(name, table.sample.is_text, ask=False)
    for name in _LABELS:
        table.choose(name, table.sample.is_label, ask=False)
