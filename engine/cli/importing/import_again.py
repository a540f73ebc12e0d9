"""Commands that import a table again, for what it did not say or was not asked about."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.phrases import join_names, quantity

if TYPE_CHECKING:
    from engine.importers.import_options import ImportOptions
    from engine.importers.mapping_report import MappingReport
    from engine.store import Mode


@dataclass(frozen=True)
class Further:
    """What more can be said, and the words of the command for it, after `spb`."""

    sentence: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class ImportCommand:
    """The command of an import that was done; `mode` is how it wrote the `study`."""

    path: str
    form: str | None
    study: str
    mode: "Mode"
    run: str | None
    models: str | None
    strict: bool
    examine: bool
    dry_run: bool

    def words(self, options: "ImportOptions", mark: str) -> tuple[str, ...]:
        """Return the command with other options: of the study anew, after --append of one with a `mark`."""
        from engine.importers.reading.option_file import arguments

        is_added = self.mode == "append"
        words = ["import", self.path, *(["--as", self.form] if self.form else []), *arguments(options)]
        words += ["--study", f"{self.study}-{mark}" if is_added else self.study]
        for flag, value in (("--run", self.run), ("--models", self.models)):
            words += [flag, value] if value else []
        words += [*(["--strict"] if self.strict else []), *([] if self.examine else ["--no-doctor"])]
        return (*words, *(["--dry-run"] if self.dry_run else [] if is_added else ["--replace"]))


def with_order(
    command: ImportCommand, report: "MappingReport", options: "ImportOptions"
) -> Iterator[Further]:
    """Yield how a table of comparisons is imported with the order in which answers were shown."""
    if report.orders_known == report.comparisons:
        return
    words = command.words(options, "ordered")
    unknown = quantity(report.comparisons - report.orders_known, "comparison")
    sentence = f"Which answer was shown first is not known of {unknown}."
    if report.repeats:
        repeats = f"{report.repeats:,} of them name the same answers once more, and were read as repeats"
        sentence += f" {repeats}; whether they are the other order, only the file can say."
    sentence += " If a column says it, import the file again with the column's name for COLUMN:"
    yield Further(sentence, (*words, "--map", "first=COLUMN"))
    first = report.first_of_two
    if first or not report.repeats:
        whose = repr(first) if first else "the first model named"
        sentence = f"If the answer of {whose} was always shown first:"
        yield Further(sentence, (*words, "--set", "first=generator"))
    if not report.repeats:
        yield Further("If each verdict is over both orders already:", (*words, "--set", "first=both"))


def with_one_name(
    command: ImportCommand, report: "MappingReport", options: "ImportOptions"
) -> Iterator[Further]:
    """Yield how a table is imported with one name for each model that may have two."""
    from engine.importers.import_options import ImportOptions
    from engine.importers.reading.option_file import merge_options
    from engine.importers.reading.value_maps import value_key

    if not report.one_name:
        return
    roles = {row.model: row for row in report.models}
    by_column: dict[str, dict[str, str]] = {}
    for name, model in report.one_name.items():
        row = roles[name]
        of_answers = ("generator", "opponent") if report.comparisons else ("generator",)
        for column in (*(("judge",) if row.judges else ()), *(of_answers if row.answers else ())):
            by_column.setdefault(column, {})[value_key(name)] = model
    sentence = "To import the file again with one name for each of these models:"
    if len(report.one_name) == 1:
        sentence = "To import the file again with one name for this model:"
    yield Further(sentence, command.words(merge_options(options, ImportOptions(value=by_column)), "names"))


def with_words(
    command: ImportCommand, report: "MappingReport", options: "ImportOptions"
) -> Iterator[Further]:
    """Yield how a table is imported with the rows that were left out for a word that nobody explained.

    Words that the first rows have are asked about before; these come later in the file.
    """
    from engine.importers.import_options import ImportOptions
    from engine.importers.reading.option_file import merge_options
    from engine.importers.tables.asking.questions import MOST_VALUES, OPEN, common_values

    unknown = {name: words for name, words in report.unknown_values.items() if len(words) <= MOST_VALUES}
    if not unknown:
        return
    meanings = {name: dict.fromkeys(words, OPEN) for name, words in unknown.items()}
    of_each = join_names([f"{common_values(words)} of {name}" for name, words in unknown.items()])
    sentence = (
        f"Left out are rows with words that only later rows have: {of_each}. To import the file again with "
        f"these rows, give in place of each {OPEN} what its word means (none for no verdict):"
    )
    yield Further(sentence, command.words(merge_options(options, ImportOptions(value=meanings)), "words"))
