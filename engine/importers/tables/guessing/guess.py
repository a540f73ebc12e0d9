"""The guess of a table's columns, as whoever reads the table gets it."""

from dataclasses import dataclass, field

from engine.importers.import_options import ImportOptions
from engine.importers.reading.rows import Choice


@dataclass(slots=True)
class Guess:
    """The columns of a table as far as they are known, and those that several columns could be.

    `places` has all columns that are known, `map`, `set` and `value` those that were guessed, in the words of
    the options; `judges` has the judge's name for each column of a wide table, `criteria` are columns of one
    criterion each; `open` has the columns that may be one of ours. `notes` say what else was guessed,
    `undecided` what several columns could be. With `ids_of_texts` the question's id is a column that was
    taken since each text of a question has its own. `contradicted` has, for judge and generator with one name
    for all rows, a column that has several. `no_verdicts` are columns that hold none, though their values may
    look so; `numbers` are unread columns of many numbers, `scores` those
    of them that may be scores. `binary` is a column of 0 and 1 that is read as
    verdicts, though it is called like scores, and `maybe_binary` one that may be. `part` is a column of ids
    that are of criteria, or of the questions; `if_criterion` goes with the first column that may name
    criteria. With `leaves_order` a column is called like the order shown and is not read, since the user gave
    the columns to read; `unread_judges` has those that say what judges found, likewise. The side
    `first_if_mirrored` was shown first if all rows together have each pair both ways round.
    """

    places: dict[str, str] = field(default_factory=dict)
    map: dict[str, str] = field(default_factory=dict)
    set: dict[str, str] = field(default_factory=dict)
    value: dict[str, dict[str, str]] = field(default_factory=dict)
    judges: dict[str, str] = field(default_factory=dict)
    criteria: tuple[str, ...] = ()
    open: dict[str, tuple[str, ...]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    ids_of_texts: bool = False
    contradicted: dict[str, str] = field(default_factory=dict)
    no_verdicts: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    scores: frozenset[str] = frozenset()
    binary: str | None = None
    maybe_binary: str | None = None
    part: str | None = None
    leaves_order: bool = False
    first_if_mirrored: Choice | None = None
    unread_judges: ImportOptions = field(default_factory=ImportOptions)
    if_criterion: ImportOptions = field(default_factory=ImportOptions)
