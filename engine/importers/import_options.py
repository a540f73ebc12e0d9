"""The options that say how a file is read, each declared once.

The flags of `spb import` and `spb audit` and the entries of a mapping file are made from these fields. A
format says in its own `options` which of them it takes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, get_args

from engine.importers.option_spelling import FLAGS, OptionSpelling
from engine.importers.tables.table_columns import COLUMNS

if TYPE_CHECKING:
    from engine.store.study_files import ImportRecord, StudyFiles

OptionKind = Literal["text", "pairs", "meanings", "columns", "names", "switch"]
"""What an option holds: a text; a text for each column; what the values of a column mean; columns of a table;
names of anything; or whether it is on."""


@dataclass(frozen=True, slots=True)
class ImportOption:
    """One option, by its field of `ImportOptions`.

    `entry` is its name in a mapping file. Commands take each of its `flags`, and the first is written.
    """

    name: str
    kind: OptionKind
    meaning: str
    metavar: str | None
    entry: str
    flags: tuple[str, ...]


def _option(
    kind: OptionKind, meaning: str, metavar: str | None = None, *, entry: str = "", flag: str = ""
) -> Any:
    """Return the field of an option: `entry` and `flag` where they are not the field's name."""
    declared = {"kind": kind, "meaning": meaning, "metavar": metavar, "entry": entry, "flag": flag}
    if kind in ("pairs", "meanings"):
        return field(default_factory=dict, metadata=declared)
    return field(default={"text": None, "switch": False}.get(kind, ()), metadata=declared)


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the user adds to a file: names that it lacks, and the meaning of a table's columns and values.

    `spelling` is how the user writes these options, for messages; `study` is the one to which the file
    is added, and `earlier` are its imports.
    """

    judge: str | None = _option("text", "Name of the judge, if the file does not give it.", "NAME")
    generator: str | None = _option(
        "text", "Name of the model that answered, if the file does not give it.", "NAME"
    )
    baseline: str | None = _option(
        "text", "Name of the model that others were compared with (arena-hard).", "NAME"
    )
    map: Mapping[str, str] = _option(
        "pairs", f"table: which field fills a column, one of `{', '.join(COLUMNS)}`.", "COLUMN=FIELD"
    )
    set: Mapping[str, str] = _option("pairs", "table: one value for the whole column.", "COLUMN=VALUE")
    value: Mapping[str, Mapping[str, str]] = _option(
        "meanings", "table: what the values of a column mean.", "COLUMN:VALUE=MEANING,..."
    )
    judges: tuple[str, ...] = _option(
        "columns", "table: fields that each hold one judge's verdicts.", "FIELD,FIELD", flag="--judge-columns"
    )
    criteria: tuple[str, ...] = _option(
        "columns",
        "table: fields that each hold the verdicts on one criterion, which is good to meet; if one is bad, "
        "give --value points:FIELD=-1 too.",
        "FIELD,FIELD",
        flag="--criterion-columns",
    )
    leave_out: tuple[str, ...] = _option(
        "names", "A metric, score or scorer of another tool that is not to be read.", "NAME", entry="not"
    )
    rows: str | None = _option(
        "text", "table: the list, in an object or in each row, whose members are the rows.", "PATH"
    )
    no_guess: bool = _option("switch", "table: read no column that is neither named nor of a known name.")
    whole_ids: bool = _option("switch", "table: read a question's id 1.0 as 1.")
    spelling: OptionSpelling = field(default=FLAGS, compare=False, repr=False)
    earlier: "tuple[ImportRecord, ...]" = field(default=(), compare=False, repr=False)
    study: "StudyFiles | None" = field(default=None, compare=False, repr=False)

    def option_names(self) -> list[str]:
        """Return the options that are given."""
        return [name for name in OPTIONS if getattr(self, name)]

    def flags(self) -> list[str]:
        """Return the flags of the options that are given."""
        return [self.flag(name) for name in self.option_names()]

    def flag(self, name: str) -> str:
        """Return an option as the user writes it."""
        return self.spelling.option(flag_of(name).removeprefix("--"))


def _declared(name: str, metadata: Mapping[str, Any]) -> ImportOption:
    entry = metadata["entry"] or name
    own = "--" + entry.replace("_", "-")
    flags = (metadata["flag"], own) if metadata["flag"] else (own,)
    return ImportOption(name, metadata["kind"], metadata["meaning"], metadata["metavar"], entry, flags)


DECLARED = tuple(_declared(each.name, each.metadata) for each in fields(ImportOptions) if each.metadata)
"""The options in the order of the help."""

OPTIONS = {each.name: each for kind in get_args(OptionKind) for each in DECLARED if each.kind == kind}
"""The options by name, in the order in which a command is written."""


def flag_of(name: str) -> str:
    """Return the flag by which an option is named in texts."""
    return OPTIONS[name].flags[-1]
