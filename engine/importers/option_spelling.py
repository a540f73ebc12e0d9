"""How messages of a reader write an option: as a flag, an argument of Python or an entry of a format.

The page *Data* has a spelling of its own, `explorer/new_run/form_words.py`.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Protocol

from engine.importers.reading.value_maps import value_text
from engine.phrases import join_names
from engine.wording import Sentence


class OptionSpelling(Protocol):
    """How whoever reads a file gives its options; `ImportOptions.spelling` says it to the readers."""

    def name(self, column: str, quote: str = "") -> str:
        """Return what a column of ours is called, a name of the code between quotes."""
        ...

    def option(self, name: str) -> str:
        """Return the option itself, such as `--strict`."""
        ...

    def column_of(self, option: str) -> str:
        """Return words for a column that an option names."""
        ...

    def column(self, name: str) -> str:
        """Return what begins the option that fills a column of ours."""
        ...

    def columns(self, fields: Mapping[str, str]) -> str:
        """Return that fields of the file fill columns of ours."""
        ...

    def constant(self, column: str, value: str) -> str:
        """Return that a column has one value in every row."""
        ...

    def model(self, role: str) -> str:
        """Return that one name, NAME, has a role in every row: `judge`, `generator` or `run`."""
        ...

    def meanings(self, column: str, meanings: Mapping[str, str]) -> str:
        """Return that values of a column have these meanings; the value VALUE stands for any."""
        ...

    def open_meanings(self, column: str, meanings: Mapping[str, str], words: str) -> str:
        """Return that the user decides in `words` what those values of a column mean that have `?`."""
        ...

    def without(self, fields: Sequence[str]) -> str:
        """Return that fields of the file are not to be read."""
        ...

    def criteria(self, fields: Sequence[str]) -> str:
        """Return that fields of the file hold the verdicts on one criterion each."""
        ...

    def rows(self, path: str) -> str:
        """Return that the rows are in the list at a path."""
        ...

    def one_name(self, names: Mapping[str, str], columns: Sequence[str]) -> str:
        """Return that models have other names in the study, which several may share.

        `columns` are ours that hold models.
        """
        ...


class _Flags:
    """The flags of `spb import`."""

    def name(self, column: str, quote: str = "") -> str:
        return f"{quote}{column}{quote}"

    def option(self, name: str) -> str:
        return f"--{name}"

    def column_of(self, option: str) -> str:
        return f"column of --{option}"

    def column(self, name: str) -> str:
        return f"--map {name}="

    def columns(self, fields: Mapping[str, str]) -> str:
        return "--map " + shlex.quote(",".join(f"{column}={field}" for column, field in fields.items()))

    def constant(self, column: str, value: str) -> str:
        return f"--set {shlex.quote(f'{column}={value}')}"

    def model(self, role: str) -> str:
        return f"--{role} NAME"

    def meanings(self, column: str, meanings: Mapping[str, str]) -> str:
        return f"--value {shlex.quote(value_text(column, meanings))}"

    def open_meanings(self, column: str, meanings: Mapping[str, str], words: str) -> str:
        return f"{self.meanings(column, meanings)} with {words} in place of each ?"

    def without(self, fields: Sequence[str]) -> str:
        return " ".join(f"--not {shlex.quote(field)}" for field in fields)

    def criteria(self, fields: Sequence[str]) -> str:
        return f"--criterion-columns {shlex.quote(','.join(fields))}"

    def rows(self, path: str) -> str:
        return f"--rows {shlex.quote(path)}"

    def one_name(self, names: Mapping[str, str], columns: Sequence[str]) -> str:  # noqa: ARG002 - in all
        lines = [",".join(map(_cell, line)) for line in [("model", "name"), *names.items()]]
        return f"--models FILE, a CSV file of the lines {join_names(list(map(repr, lines)))}"


class _Entries(_Flags):
    """The entries of a format's TOML file, in which a flag's column is a table's entry."""

    def constant(self, column: str, value: str) -> str:
        return f"[set] {column} = {value}"

    def meanings(self, column: str, meanings: Mapping[str, str]) -> str:  # noqa: ARG002 - of its table
        return f"[value.{column}]"

    def open_meanings(self, column: str, meanings: Mapping[str, str], words: str) -> str:
        return f"{self.meanings(column, {})} with {words} for {join_names(list(map(repr, meanings)))}"


FLAGS: OptionSpelling = _Flags()
ENTRIES: OptionSpelling = _Entries()


def _cell(text: str) -> str:
    """Return a text as a cell of a CSV file."""
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n') else text


_IN_BRACES = re.compile(r"\{--([a-z-]+)( NAME)?\}")


def with_options(text: str, spelling: OptionSpelling = FLAGS) -> str:
    """Return a text of a format with its options, `{--judge}` or `{--judge NAME}`, as the user gives them."""
    if isinstance(text, Sentence):
        return text.each(lambda part: with_options(part, spelling))
    return _IN_BRACES.sub(lambda option: (spelling.model if option[2] else spelling.option)(option[1]), text)
