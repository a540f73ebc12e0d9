"""What an import found, before anything is written, and the report of it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from engine.errors import printable
from engine.importers.families import ModelName, resolve, twins
from engine.importers.option_spelling import with_options
from engine.importers.reading.format import Format, ImportedField
from engine.importers.reading.rows import ImportStats, LeftOut, different_criteria
from engine.importers.reading.study_builder import StudyBuilder
from engine.importers.tables.table_columns import sided
from engine.missing_verdicts import many_without_verdict
from engine.phrases import criteria, join_names, quantity

_SHOWN_QUESTIONS = 10


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model of the import: its family, whether people corrected it, and what its name says."""

    model: str
    family: str
    judges: bool
    answers: bool
    corrected: bool
    parsed_name: ModelName


@dataclass(frozen=True, slots=True)
class MappingReport:
    """What an import found, before anything is written.

    `fields` are the format's fields with the number of rows that had them, `unused` the file's fields that
    are not stored. `statuses` counts judgments by status; `ties` are among the `ok` ones.
    """

    title: str
    rows_read: int
    rows_stored: int
    fields: tuple[tuple[ImportedField, int], ...]
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
    cautions: tuple[str, ...] = ()
    """The notes of which somebody who sees no report is warned."""
    doubts: tuple[str, ...] = ()
    """The notes without which a conclusion may mislead."""
    not_stored: Mapping[str, str] = field(default_factory=dict)
    """Why some of the unused fields are not stored."""
    contradicted: int = 0
    """How many repeated judgments have verdicts that differ."""
    scored_otherwise: int = 0
    """How many repeated judgments have scores that differ."""
    different_criteria: int = 0
    """How many criteria there are, those that several instances have counted once."""
    comparisons: int = 0
    orders_known: int = 0
    """Of the comparisons of two answers, those of which it is known which was shown first."""
    over_both_orders: int = 0
    many_without_verdict: tuple[str, ...] = ()
    """The judges of whose judgments many have no verdict, each with their share."""
    unknown_values: Mapping[str, Counter[str]] = field(default_factory=dict)
    """By our column, values without a known meaning for which rows are left out, with their counts."""
    truth_alone: LeftOut = field(default_factory=LeftOut)
    """Rows, among those stored, whose verdict has no judge, so that only what is true is stored."""
    one_name: Mapping[str, str] = field(default_factory=dict)
    """Names that may be of a model with another name, by which its answers or verdicts go."""
    names_doubt: str = ""
    """The doubt on these names, which is said before the conclusion and not in the report."""
    no_judge: int = 0
    """Rows of which what is true is stored and that name no judge, with a verdict or without."""

    @property
    def judgments(self) -> int:
        return sum(self.statuses.values())

    @property
    def present(self) -> list[tuple[ImportedField, int]]:
        return [(field, count) for field, count in self.fields if count]

    @property
    def absent(self) -> list[ImportedField]:
        return [field for field, count in self.fields if not count]

    @property
    def questions(self) -> list[str]:
        """Open questions about the families of models that nobody corrected."""
        undecided = [row for row in self.models if not row.corrected]
        return [question for row in undecided if (question := row.parsed_name.question) is not None]

    def lines(self) -> Iterator[str]:
        """Yield the report as lines of text, with unprintable characters escaped."""
        return map(printable, self._lines())

    @property
    def is_unreadable(self) -> bool:
        """Whether there are judgments, and not one with a verdict."""
        return self.judgments > 0 and not self.statuses.get("ok")

    def contents(self, words: Mapping[str, str] | None = None) -> str:
        """Return the number of rows of each table of the study, in words; `words` are others for a row."""
        things = {name: name.removesuffix("s") for name in self.tables} | dict(words or {})
        parts = {name: quantity(n, things[name]) for name, n in self.tables.items() if n}
        if "rubrics" in parts and (words or self.different_criteria == 1):
            parts["rubrics"] = criteria(self.tables["rubrics"], self.different_criteria)
        return ", ".join(parts.values()) or "nothing"

    def _lines(self) -> Iterator[str]:
        rows, left_out = quantity(self.rows_read, "row"), self.rows_read - self.rows_stored
        alone = f" ({self.no_judge:,} for the truth alone)" if self.no_judge else ""
        yield f"{self.title}: {rows} read, {self.rows_stored:,} taken{alone}, {left_out:,} left out"
        yield from (f"note: {note}" for note in self.notes if note != self.names_doubt)
        yield "fields and what they became:"
        for column, count in self.present:
            note = f" ({column.note})" if column.note else ""
            yield f"  {column.name} -> {column.becomes}{note}: {quantity(count, 'row')}"
        if self.absent:
            yield "  in no row: " + ", ".join(field.name for field in self.absent)
        if self.unused:
            yield "  not stored: " + ", ".join(map(repr, self.unused))
            yield from (
                f"    {name!r}: {self.not_stored[name]}" for name in self.unused if name in self.not_stored
            )
        yield f"makes: {self.contents()}"
        if self.judgments:
            yield "judgments: " + self.verdicts()
        if self.comparisons:
            yield "order: " + self.orders()
        for reason, out in self.left_out.items():
            yield f"left out, {reason}: {quantity(out.count, 'row')}, such as {'; '.join(out.examples)}"
        if alone:
            examples = "; ".join(self.truth_alone.examples)
            yield self.without_judge() + (f", such as {examples}" if examples else "")
        yield "models and families (correct them with --models):"
        for row in self.models:
            does = [word for word, true in (("judges", row.judges), ("answers", row.answers)) if true]
            source = "as given" if row.corrected else row.parsed_name.words
            about = ", ".join(part for part in (" and ".join(does), source) if part)
            yield f"  {row.model}: {row.family}" + (f" ({about})" if about else "")
        questions = self.questions
        if questions:
            yield "families to decide (--write-models FILE writes them down to be corrected):"
            yield from (f"  {question}" for question in questions[:_SHOWN_QUESTIONS])
        if len(questions) > _SHOWN_QUESTIONS:
            yield f"  and {len(questions) - _SHOWN_QUESTIONS:,} more"
        for group in self.twins:
            names = ", ".join(map(repr, group))
            yield f"  one model in several forms? {names}; give them one `name` with --models if so"

    @property
    def first_of_two(self) -> str | None:
        """The column of a pair's first model by its name, such as `model_a` beside `model_b`; else None."""
        models = {field.becomes: field.name for field, _ in self.present}
        pair = sided(models[name] for name in ("generator", "opponent") if name in models)
        return pair[0].first if pair and pair[0].first == models["generator"] else None

    def verdicts(self) -> str:
        """Return the numbers of verdicts, of ties among them, and of rows without one, in words."""
        parts = [f"{self.statuses.get('ok', 0):,} with a verdict (ties: {self.ties:,})"]
        parts += [f"{n:,} {status}" for status, n in self.statuses.items() if status != "ok" and n]
        paradigms = ", ".join(f"{name} {n:,}" for name, n in self.paradigms.items())
        repeats = [f"{self.repeats:,} repeat an earlier one as further trials"] if self.repeats else []
        return "; ".join([", ".join(parts), paradigms, *repeats, *self.contradictions()])

    def contradictions(self) -> Iterator[str]:
        """Yield how many repeated judgments have verdicts, and how many scores, that differ."""
        for number, differ in (
            (self.contradicted, "verdicts that contradict each other (trials count by their majority)"),
            (self.scored_otherwise, "scores that differ (trials count by their mean)"),
        ):
            if number:
                yield f"{quantity(number, 'repeated judgment')} {'has' if number == 1 else 'have'} {differ}"

    def without_verdict(self) -> str:
        """Say which judges lack many verdicts, winners or scores, and what of; empty if none does."""
        if not self.many_without_verdict:
            return ""
        judges = join_names(self.many_without_verdict)
        return (
            f"many judgments have no verdict and are not counted: {judges}; if they are missing where the "
            "judge is lenient, what is concluded on it is wrong"
        )

    def without_judge(self) -> str:
        """Say how many rows name no judge, and what is stored of them; empty for none."""
        if not self.no_judge:
            return ""
        is_one, n_lost = self.no_judge == 1, self.truth_alone.count
        things = ["answer", "truth"] if self.tables.get("responses") else ["truth"]
        stored = " and ".join(things if is_one else [f"{thing}s" for thing in things])
        are = "is" if stored == "truth" else "are"
        sentence = (
            f"{quantity(self.no_judge, 'row')} {'names' if is_one else 'name'} no judge: "
            f"{'its' if is_one else 'their'} {stored} {are} stored"
        )
        if not n_lost:
            return sentence
        verdicts = "verdict" if n_lost == 1 else "verdicts"
        of = "its verdict" if is_one else f"the {verdicts} in {n_lost:,} of them"
        return f"{sentence}, {of} {'is' if n_lost == 1 else 'are'} left out"

    def orders(self) -> str:
        """Say of how many comparisons it is known which answer was shown first."""
        if self.over_both_orders == self.comparisons:
            return f"each of {quantity(self.comparisons, 'comparison')} is over both orders already"
        count = f"{self.orders_known:,} of {quantity(self.comparisons, 'comparison')}"
        sentence = f"which answer was shown first is known of {count}"
        if self.orders_known == self.comparisons:
            return f"{sentence}; a pair counts once it is judged in both orders"
        return f"{sentence}; the others count in no conclusion"


def mapping_report(
    form: Format, tally: ImportStats, builder: StudyBuilder, fields: tuple[ImportedField, ...]
) -> MappingReport:
    stored_fields = {name for field in fields for name in _roots(field.name, tally)}
    sizes = {name: len(rows) for name, rows in builder.rows.items()}
    counts = [(judge, status, n) for (judge, status), n in builder.statuses.items()]
    statuses: Counter[str] = Counter()
    for _, status, n in counts:
        statuses[status] += n
    corrections, models = builder.corrections, []
    for model in builder.models:
        family, corrected = corrections.row(model)["family"], "family" in corrections.rows.get(model, {})
        judges, answers = model in builder.judges, model in builder.generators
        models.append(ModelRow(model, str(family), judges, answers, corrected, resolve(model)))
    return MappingReport(
        title=form.title,
        rows_read=tally.rows_read,
        rows_stored=tally.rows_read - tally.rows_lost,
        fields=tuple(
            (
                replace(field, note=with_options(field.note, tally.spelling)),
                max((tally.fields.get(name, 0) for name in _roots(field.name, tally)), default=0),
            )
            for field in fields
        ),
        unused=tuple(sorted(name for name in tally.fields if name not in stored_fields | tally.stored)),
        tables={"models": len(builder.models), **sizes, "judgments": builder.statuses.total()},
        statuses=dict(statuses),
        many_without_verdict=tuple(many_without_verdict(counts).values()),
        paradigms=dict(builder.paradigms),
        ties=builder.ties,
        repeats=builder.repeats,
        contradicted=len(builder.contradicted),
        scored_otherwise=len(builder.scored_otherwise),
        different_criteria=different_criteria(builder.rows.get("rubrics", {}).values()),
        left_out=tally.left_out,
        models=tuple(models),
        twins=tuple(tuple(group) for group in twins(builder.models)),
        notes=tuple(tally.notes),
        cautions=tuple(tally.cautions),
        doubts=tuple(tally.doubts),
        not_stored=dict(tally.not_stored),
        comparisons=builder.comparisons,
        orders_known=builder.comparisons - builder.orders_unknown,
        over_both_orders=builder.over_both_orders,
        unknown_values=dict(tally.unknown_values),
        truth_alone=tally.truth_alone,
        no_judge=tally.no_judge,
    )


def _roots(name: str, tally: ImportStats) -> list[str]:
    """Return the top-level fields of a declared one: `games[].score` is in `games`."""
    if name in tally.fields:  # of a table, where `No.` is a name and no path
        return [name]
    return [re.split(r"[\[{.]", part.strip())[0] for part in name.split(",")]
