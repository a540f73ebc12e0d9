"""The mapping report of an import: what was read, what became of it, what was left out and why."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.errors import printable
from engine.importers.foreign.families import Guess, guess, twins
from engine.importers.foreign.formats import Field, Format
from engine.importers.foreign.gathered import Gathered
from engine.importers.foreign.rows import LeftOut, Tally


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model of the import: its family, whether people said it, and what its name told."""

    model: str
    family: str
    judges: bool
    answers: bool
    said: bool
    guess: Guess


@dataclass(frozen=True, slots=True)
class MappingReport:
    """What an import found, before anything is written.

    `fields` are the format's fields with the number of rows that had them, `unused` those of the file that
    no study stores. `statuses` counts judgments by status; `ties` are among the `ok` ones.
    """

    title: str
    read: int
    kept: int
    fields: tuple[tuple[Field, int], ...]
    unused: tuple[str, ...]
    tables: dict[str, int]
    statuses: dict[str, int]
    paradigms: dict[str, int]
    ties: int
    repeats: int
    left_out: dict[str, LeftOut]
    models: tuple[ModelRow, ...]
    twins: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]

    @property
    def judgments(self) -> int:
        """Judgments of any status."""
        return sum(self.statuses.values())

    @property
    def present(self) -> list[tuple[Field, int]]:
        """The fields that some row had, with the number of rows."""
        return [(found, count) for found, count in self.fields if count]

    @property
    def absent(self) -> list[Field]:
        """The fields that no row had."""
        return [found for found, count in self.fields if not count]

    def lines(self) -> Iterator[str]:
        """Yield the report as lines of text; what of the file's words cannot be printed is escaped."""
        return map(printable, self._lines())

    def _lines(self) -> Iterator[str]:
        lost = self.read - self.kept
        yield f"{self.title}: {self.read:,} rows read, {self.kept:,} taken, {lost:,} left out"
        yield from (f"note: {note}" for note in self.notes)
        yield "fields and what they became:"
        for found, count in self.present:
            note = f" ({found.note})" if found.note else ""
            yield f"  {found.name} -> {found.becomes}{note}: {count:,} rows"
        if self.absent:
            yield "  in no row: " + ", ".join(found.name for found in self.absent)
        if self.unused:
            yield "  not stored: " + ", ".join(map(repr, self.unused))
        counted = [
            f"{n:,} {name.removesuffix('s') if n == 1 else name}" for name, n in self.tables.items() if n
        ]
        yield "makes: " + (", ".join(counted) or "nothing")
        if self.judgments:
            yield "judgments: " + self.verdicts()
        for reason, out in self.left_out.items():
            yield f"left out, {reason}: {out.count:,} rows, such as {'; '.join(out.examples)}"
        yield "models and families (correct them with --models):"
        for row in self.models:
            yield f"  {row.model}: {row.family}{self._about(row)}"
        for group in self.twins:
            yield f"  one model in several forms? {', '.join(group)}; give them one name with --models if so"

    def verdicts(self) -> str:
        """Say how many verdicts there are, how many of them ties, and how many rows have none."""
        parts = [f"{self.statuses.get('ok', 0):,} with a verdict (ties: {self.ties:,})"]
        parts += [f"{n:,} {status}" for status, n in self.statuses.items() if status != "ok" and n]
        told = ", ".join(f"{name} {n:,}" for name, n in self.paradigms.items())
        repeated = f"; {self.repeats:,} repeat an earlier one as further trials" if self.repeats else ""
        return ", ".join(parts) + f"; {told}{repeated}"

    @staticmethod
    def _about(row: ModelRow) -> str:
        does = " and ".join(word for word, true in (("judges", row.judges), ("answers", row.answers)) if true)
        told = [does, "as the models file says" if row.said else row.guess.words]
        return f" ({', '.join(part for part in told if part)})" if any(told) else ""


def mapping_report(
    form: Format, tally: Tally, gathered: Gathered, fields: tuple[Field, ...]
) -> MappingReport:
    """Put the report together from what was counted."""
    known = {name for found in fields for name in _roots(found.name)}
    sizes = {name: len(rows) for name, rows in gathered.rows.items()}
    return MappingReport(
        title=form.title,
        read=tally.read,
        kept=tally.read - tally.lost,
        fields=tuple(
            (found, max((tally.fields.get(name, 0) for name in _roots(found.name)), default=0))
            for found in fields
        ),
        unused=tuple(sorted(name for name in tally.fields if name not in known | tally.stored)),
        tables={"models": len(gathered.models), **sizes, "judgments": gathered.statuses.total()},
        statuses=dict(gathered.statuses),
        paradigms=dict(gathered.paradigms),
        ties=gathered.ties,
        repeats=gathered.repeats,
        left_out=tally.left_out,
        models=tuple(
            ModelRow(
                model,
                str(gathered.corrections.row(model)["family"]),
                model in gathered.judges,
                model in gathered.generators,
                "family" in gathered.corrections.rows.get(model, {}),
                guess(model),
            )
            for model in gathered.models
        ),
        twins=tuple(tuple(group) for group in twins(gathered.models)),
        notes=tuple(tally.notes),
    )


def _roots(name: str) -> list[str]:
    """Return the fields that a declared one begins at: `games[].score` at `games`."""
    return [re.split(r"[\[{.]", part.strip())[0] for part in name.split(",")]
