"""What the words for winners mean where the columns of models are called by them."""

from engine.importers.reading.rows import number_of
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.side_columns import LETTER_OF, sides_by_columns
from engine.importers.tables.verdict_words import PLACES
from engine.phrases import join_names


def read_sides(table: GuessedTable) -> None:
    """Read a winner `left` as the model of `left_model`, and `left` as which was shown first likewise."""
    generator, opponent = table.places.get("generator"), table.places.get("opponent")
    if generator is None or opponent is None:
        return
    names = ("choice", "preference", "first")
    columns = {name: [column] for name in names if (column := table.places.get(name))}
    if table.columns_of_judges:
        columns["choice"] = table.columns_of_judges
    for name, fields in columns.items():
        labels = {label for field in fields for label in table.sample.labels(field)} - table.models
        words = sides_by_columns(
            labels, generator, opponent, of_order=name == "first", has_order=table.has("first")
        )
        if not words:
            continue
        meanings = {word: LETTER_OF[side] for word, side in words.items()}
        table.result.value[name] = {**table.result.value.get(name, {}), **meanings}
        if name in table.explained:
            continue
        note = (
            f"{join_names(list(map(repr, words)))} in {fields[0]!r} are the models of {generator!r} and "
            f"{opponent!r}, which are called so"
        )
        are_numbers = all(number_of(word) is not None for word in words)
        if name != "first" and table.has("first") and (are_numbers or words.keys() <= PLACES.keys()):
            first = {word: side == "generator" for word, side in {**words, **PLACES}.items() if word in words}
            places = {word: "first" if first[word] else "second" for word in words}
            note += f" ({table.spelling.meanings(name, places)} if they say where an answer was shown)"
        table.result.notes.append(note)
