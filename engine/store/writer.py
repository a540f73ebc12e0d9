"""Writing checked tables as Parquet, a whole study at once; validation of a stored one."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine import schema
from engine.errors import BadInputError, UsageError, bad_row
from engine.phrases import around_difference, join_names
from engine.store.arrow_types import exchange_array, stored_schema
from engine.store.batches import Batch, ExchangeTable, from_tables
from engine.store.checks import KnownKeys, TableCheck, TableReport
from engine.store.checksums import write_parquet
from engine.store.keys import Keys, one_orientation
from engine.store.location import locate
from engine.store.parts import GROUP_BYTES, GROUP_ROWS, Parts
from engine.store.publish import is_study, link, publish, refuse_foreign, staging
from engine.store.row_rules import Columns
from engine.store.study_files import INFO_FILE, RESTORE, ImportRecord, StudyFiles, StudyInfo
from engine.values import TEXTS, is_same_text
from engine.wording import Wording, command_line

if TYPE_CHECKING:
    from engine.store import Mode, Store, Tables

Rows = list[dict[str, Any]]


class ContradictionError(BadInputError):
    """A new row has the key of one in the study and differs from it in a `column`."""

    def __init__(self, message: str, column: str) -> None:
        super().__init__(message)
        self.column = column


@dataclass(frozen=True, slots=True)
class JoinedRows:
    """Rows of a table with new ones below them, and how many of those that were given it had before."""

    rows: pa.Table
    unchanged: int


def join_rows(check: TableCheck, known_keys: KnownKeys, old: pa.Table, new: pa.Table) -> JoinedRows:
    """Return `old` with the rows of `new` that it does not have, and how many it already has.

    `old` has a row if one of its rows has the same key and agrees in all columns that the source of `new`
    gives. A text that one of the two lacks is that of the other. Raises BadInputError if two new rows share a
    key, or an old row with the key differs.
    """
    table = check.source.table
    later, earlier = check.keys.repeats()
    if len(later):
        row = new.slice(int(later[0]), 1)
        check.refuse_repeats(later, earlier, {key: row[key].combine_chunks() for key in table.key})
    if not old.num_rows or not new.num_rows:
        return JoinedRows(pa.concat_tables([old, new]), 0)
    keys = Keys(table.key)
    start = 0
    for rows in (old, new):
        for batch in rows.combine_chunks().to_batches():
            columns = dict(zip(rows.column_names, batch.columns, strict=True))
            codes = known_keys.codes(columns, Batch(table, batch))
            keys.add(one_orientation(table, codes), np.arange(start, start + batch.num_rows))
            start += batch.num_rows
    repeats, originals = keys.repeats()
    repeats -= old.num_rows
    names = [name for name in check.source.columns or table.names if name in new.column_names]
    for name in names:
        before, after = old[name].take(originals), new[name].take(repeats)
        equal = pc.fill_null(pc.equal(before, after), False)
        same = pc.or_(equal, pc.and_(before.is_null(), after.is_null())).to_numpy().copy()
        for place in np.flatnonzero(~same).tolist() if name in TEXTS else ():
            texts = before[place].as_py(), after[place].as_py()
            same[place] = None in texts or is_same_text(*texts)
        if not same.all():
            place = int(np.argmin(same))
            stored, given = before[place].as_py(), after[place].as_py()
            if isinstance(stored, str) and isinstance(given, str):
                stored, given = around_difference(stored, given)
            original = f"the same {' and '.join(table.key)} with {stored!r}"
            problem = f"{name} is {given!r}, but the study has {original}"
            remedy = "make them agree, or write these rows as a study of their own"
            error = check.places.error(table.name, int(repeats[place]), problem, remedy)
            raise ContradictionError(str(error), name)
        if name in TEXTS:
            old = _with_texts(old, name, originals, before, after)
    is_new = np.ones(new.num_rows, bool)
    is_new[repeats] = False
    return JoinedRows(pa.concat_tables([old, new.filter(pa.array(is_new))]), len(repeats))


def _with_texts(
    old: pa.Table, name: str, places: NDArray[np.int64], before: pa.ChunkedArray, after: pa.ChunkedArray
) -> pa.Table:
    """Return a table with the texts of a column that it lacks at some places, `before`, and has `after`."""
    gained = np.flatnonzero(pc.and_(before.is_null(), pc.invert(after.is_null())).to_numpy())
    if not len(gained):
        return old
    texts = old[name].to_pylist()
    for place in gained.tolist():
        texts[int(places[place])] = after[place].as_py()
    column = old.column_names.index(name)
    return old.set_column(column, old.schema.field(column), pa.array(texts, old.schema.field(column).type))


def exchange_table(name: str, rows: Rows) -> pa.Table:
    """Return rows as a table in exchange form, with every declared column; times read become texts."""
    arrays = {}
    for column in schema.TABLES[name].columns:
        values = [row.get(column.name) for row in rows]
        if column.kind == "time":
            values = [value.isoformat() if isinstance(value, datetime) else value for value in values]
        arrays[column.name] = exchange_array(name, column, values)
    return pa.table(arrays)


REFERENCED_TABLES = ("models", "instances", "rubrics")  # other tables refer to their keys
_IDENTITY = (*schema.JUDGMENTS.key, "status")  # the columns that decide whether two judgments are the same


@dataclass(frozen=True, slots=True)
class RunParts:
    """The parts with rows of one run (`of_run`), and those of them that are rewritten."""

    of_run: frozenset[str]
    rewritten: tuple[str, ...]


@dataclass(slots=True)
class WriteReport:
    """What an import read, and the study that it wrote (None: nothing was written)."""

    tables: list[TableReport] = field(default_factory=list)
    study: str | None = None
    ignored_files: tuple[str, ...] = ()
    warnings: list[str] = field(default_factory=list)


def write_study(
    store: "Store", name: str, tables: "Tables", info: StudyInfo, *, mode: "Mode", dry_run: bool = False
) -> WriteReport:
    """Write tables in memory as a study; see `Store.write`. `dry_run`: check only."""
    for table in tables:
        if table not in schema.TABLES:
            raise UsageError(f"unknown table {table!r}; choose from: {', '.join(schema.TABLES)}")
    sources = {table: from_tables(schema.TABLES[table], rows) for table, rows in tables.items()}
    return write_sources(store, name, sources, info, mode=mode, dry_run=dry_run)


@dataclass(frozen=True)
class ReducedStudy:
    """A study without a run, to which another is added in its place, and in `words` what it lacks.

    The first `parts_before` of its parts were there before the run, the others came later.
    """

    study: StudyFiles
    words: str
    parts_before: int


def write_sources(
    store: "Store",
    name: str,
    sources: Mapping[str, ExchangeTable],
    info: StudyInfo,
    *,
    mode: "Mode",
    dry_run: bool = False,
    reduced: ReducedStudy | None = None,
) -> WriteReport:
    """Check the sources and, unless `dry_run`, write them as the study `name`; raises like `Store.write`.

    `reduced` is the existing study without what is replaced, to which they are appended in its place.
    """
    target = store.location.child(store.name_of(name))
    existing = existing_study(store, name, mode)
    base = existing if mode == "append" else None
    if reduced is not None:
        base = reduced.study
    if base is not None:
        info = _merge_info(base.info, info)
    stamp = existing.stamp() if existing else None
    info = info.model_copy(update={"name": target.name})
    if dry_run:
        writer = _StudyWriter(None, base)
        report = writer.run(sources, info)
        report.warnings += _runs_lost(existing, writer)
        return report
    with staging(target) as folder:
        writer = _StudyWriter(folder, base, parts_before=None if reduced is None else reduced.parts_before)
        report = writer.run(sources, info)
        report.warnings += _runs_lost(existing, writer)
        publish(folder, target, stamp, keep_rest=base is not None and reduced is None)
    report.study = target.label
    return report


def write_part_of_study(
    folder: Path, sources: Mapping[str, ExchangeTable], info: StudyInfo, base: StudyFiles | None = None
) -> StudyFiles:
    """Write rows of a study, beside those of `base`, into a folder that is no store's; return the study."""
    folder.mkdir()
    _StudyWriter(folder, base).run(sources, info)
    return StudyFiles(locate(str(folder)))


def model_runs(study: StudyFiles) -> list[str]:
    """Return the runs in which models were called for a study: they cost money, and no file has them."""
    rows = study.table("runs", ["run_id", "provenance"]).to_pylist()
    return list(dict.fromkeys(str(row["run_id"]) for row in rows if row["provenance"] == "api"))


def _runs_lost(existing: StudyFiles | None, writer: "_StudyWriter") -> list[str]:
    """Return a warning if runs of models are lost with the study that is replaced."""
    if existing is None:
        return []
    rows = writer.tables.get("runs")
    stay = set() if rows is None else set(rows["run_id"].to_pylist())
    lost = [run for run in model_runs(existing) if run not in stay]
    if not lost:
        return []
    runs, verb = ("the run", "is") if len(lost) == 1 else ("the runs", "are")
    names = f"{runs} {join_names(lost, 4)}, for which models were called,"
    return [f"{names} {verb} not in what replaces the study {existing.name!r}"]


def change_study(
    study: StudyFiles,
    tables: Mapping[str, ExchangeTable],
    replaced: Collection[str],
    *,
    parts: RunParts | None = None,
    info: StudyInfo | None = None,
    stamp: str | None = None,
    dry_run: bool = False,
) -> None:
    """Add tables to a study, or replace those named in `replaced`; `parts` works as in `_StudyWriter`.

    `stamp` is the study's at the time when the tables were read, if that was earlier. `dry_run`: check only.
    """
    if dry_run:
        _StudyWriter(None, study, replaced, parts).run(tables, info or study.info)
        return
    stamp = stamp or study.stamp()
    with staging(study.location) as folder:
        _StudyWriter(folder, study, replaced, parts).run(tables, info or study.info)
        publish(folder, study.location, stamp, keep_rest=True)


def replace_tables(
    study: StudyFiles,
    tables: Mapping[str, pa.Table],
    info: StudyInfo | None = None,
    *,
    stamp: str | None = None,
    dry_run: bool = False,
) -> StudyFiles:
    """Replace small tables by others in exchange form, with the checks of an import; return the study.

    The files and `study.json` (`info`, if given) change together or, after an error, not at all. `stamp`
    is the study's at the time when the rows to keep were read: StudyChangedError if it changed since.
    `dry_run`: check only.
    """
    for name in tables:
        if name not in schema.TABLES or name == "judgments":
            names = ", ".join(other for other in schema.TABLES if other != "judgments")
            raise UsageError(f"the table {name!r} cannot be replaced on its own; choose from: {names}")
    sources = {name: from_tables(schema.TABLES[name], table) for name, table in tables.items()}
    change_study(study, sources, tuple(tables), info=info, stamp=stamp, dry_run=dry_run)
    return StudyFiles(study.location)


def existing_study(store: "Store", name: str, mode: "Mode", *, may_append: bool = True) -> StudyFiles | None:
    """Return the existing study of that name, if any; UsageError if it conflicts with the mode.

    `may_append`: the command has --append, which the error can name.
    """
    target = store.location.child(store.name_of(name))
    refuse_foreign(target)
    if not is_study(target):
        if mode == "append":
            missing = f"there is no study {target.label!r} to append to"
            leave_out = Wording(
                "; leave out --append the first time (`spb study list` names the studies that there are)",
                "; leave out mode='append' the first time (engine.studies() names the studies of a store)",
                "; read the page again",
            )
            raise UsageError(missing, leave_out)
        return None
    if mode == "new":
        remedy = Wording(
            "give another --study, --replace to replace it, or --append to add to it"
            if may_append
            else "give another --study, or --replace to replace it",
            "give another name, mode='replace' to replace it, or mode='append' to add to it",
            "give another name, or choose whether to add to it or to replace it",
        )
        raise UsageError(f"the study {target.label!r} exists already; ", remedy)
    return StudyFiles(target)


def _merge_info(old: StudyInfo, new: StudyInfo) -> StudyInfo:
    changes = {key: getattr(new, key) for key in new.model_fields_set if getattr(new, key) is not None}
    changes.pop("created_at", None)
    if old.title:  # a study keeps its name when rows are added
        changes.pop("title", None)
    if "provenance" in changes and changes["provenance"] != old.provenance:
        changes["provenance"] = "mixed"
    if new.imports:
        before = old.imports or _unrecorded(old)
        changes["imports"] = [*before, *(each for each in new.imports if each not in before)]
        if old.dataset:
            changes.pop("dataset", None)
    changes["committees"] = {**old.committees, **new.committees}
    changes["slices"] = {**old.slices, **new.slices}
    return old.model_copy(update=changes)


def _unrecorded(info: StudyInfo) -> list[ImportRecord]:
    """Return the import of a study that has no record of it, as far as it is known."""
    if info.provenance != "imported" or not info.dataset:
        return []
    return [ImportRecord(file=info.dataset, source=info.source, licence=info.licence)]


class _StudyWriter:
    """The writing of one study into a staging folder (None: checks only)."""

    def __init__(
        self,
        folder: Path | None,
        base: StudyFiles | None,
        replaced: Collection[str] = (),
        parts: RunParts | None = None,
        parts_before: int | None = None,
    ) -> None:
        """Write what is added to `base` into `folder`, dropping the base's tables `replaced`.

        `parts` names the parts of `base` that are rewritten, and those that new rows may repeat. New parts
        stand after the first `parts_before` of the base's (None: after all).
        """
        # The rows of an older version may mean something else.
        if base is not None and base.info.schema_version < schema.SCHEMA_VERSION:
            problem = f"has schema version {base.info.schema_version}, so nothing can be added to it"
            upgrade = command_line("study", "upgrade", base.name)
            raise UsageError(f"the study {base.name!r} {problem}; run `{upgrade}` first")
        self.folder, self.base, self.replaced = folder, base, replaced
        self.recheck = any(name in REFERENCED_TABLES for name in replaced)
        self.old_parts = base.parts() if base else []
        self.comparable_parts = self.old_parts
        if parts is not None:
            self.old_parts = [part for part in self.old_parts if part not in parts.rewritten]
            self.comparable_parts = [part for part in self.old_parts if part in parts.of_run]
        self.parts_before = len(self.old_parts) if parts_before is None else parts_before
        self.known_keys = KnownKeys()
        self.tables: dict[str, pa.Table] = {}
        self.written: list[str] = []  # or carried over

    def run(self, sources: Mapping[str, ExchangeTable], info: StudyInfo) -> WriteReport:
        report = WriteReport()
        # Models and instances are declared first: the other tables refer to them.
        for name, table in schema.TABLES.items():
            if name in sources and name != "judgments":
                report.tables.append(self._write_table(table, sources[name]))
                self.written.append(name)
            elif self.base is not None and name != "judgments" and self.base.has(name):
                self._keep(table)
                self.written.append(name)
            elif table.compulsory:
                columns = ", ".join(column.name for column in table.columns if column.required)
                remedy = f"add it ({table.meaning}), with at least {columns}"
                raise bad_row(name, None, f"the table {name!r} is missing", remedy)
        self._link(self.old_parts)
        new_parts: list[str] = []
        if "judgments" in sources:
            new_parts, table_report = self._write_judgments(sources["judgments"])
            report.tables.append(table_report)
        elif self.recheck:
            self._recheck(schema.JUDGMENTS, self.base.judgment_batches() if self.base else [])
        before, after = self.old_parts[: self.parts_before], self.old_parts[self.parts_before :]
        self._write_info(info, [*before, *new_parts, *after])
        return report

    def _write_table(self, table: schema.TableSchema, source: ExchangeTable) -> TableReport:
        check = TableCheck(source, self.known_keys)
        table_schema = stored_schema(table)
        old = empty = pa.Table.from_batches([], table_schema)
        if self.base is not None and table.name not in self.replaced:
            old = self.base.table(table.name)
        new = pa.concat_tables([empty, *(_as_stored(columns, table_schema) for columns in check.batches())])
        report = check.report()
        joined = join_rows(check, self.known_keys, old, new)
        rows, report.unchanged = joined.rows, joined.unchanged
        self.known_keys.add(table, rows)
        self.tables[table.name] = rows
        if self.folder is not None:
            path = self.folder / f"{table.name}.parquet"
            most_rows = GROUP_BYTES * rows.num_rows // max(rows.nbytes, 1)  # fewer if texts are long
            group = max(1, min(GROUP_ROWS, most_rows))
            write_parquet(rows, path, group)
        return report

    def _keep(self, table: schema.TableSchema) -> None:
        """Keep a table unchanged; its references are rechecked if a table they refer to changed."""
        assert self.base is not None  # noqa: S101 - called for a study's own tables only
        self._link([f"{table.name}.parquet"])
        if not self.recheck and table.name not in (*REFERENCED_TABLES, "runs"):
            return
        rows = self.base.table(table.name)
        if self.recheck:
            self._recheck(table, rows)
        self.known_keys.add(table, rows)
        self.tables[table.name] = rows

    def _link(self, files: Iterable[str]) -> None:
        """Carry over files of the study unchanged (on S3 they stay where they are)."""
        if self.base is None or self.folder is None or not self.base.location.is_local:
            return
        for file in files:
            link(Path(self.base.location.child(file).path), self.folder / file)

    def _write_judgments(self, source: ExchangeTable) -> tuple[list[str], TableReport]:
        check = TableCheck(source, self.known_keys)
        if self.base is not None:
            stored = self.base.judgment_batches(columns=_IDENTITY, parts=self.comparable_parts)
            check.skip(rows for table in stored for rows in table.to_batches())
        parts = Parts(self.folder)
        try:
            for columns in check.batches():
                parts.write(columns)
        finally:
            parts.close()
        later, earlier = check.keys.repeats()
        if len(later):
            check.refuse_repeats(later, earlier, parts.row(int(later[0]) - check.skipped))
        return parts.names, check.report()

    def _recheck(self, table: schema.TableSchema, rows: "pa.Table | Iterable[pa.Table]") -> None:
        """Check an unchanged table against the replaced ones."""
        for _ in TableCheck(from_tables(table, rows), self.known_keys).batches():
            pass

    def _write_info(self, info: StudyInfo, parts: list[str]) -> None:
        models = set(self.tables["models"]["model"].to_pylist())
        for name, committee in info.committees.items():
            for member in committee.members:
                if member not in models:
                    problem = f"committee {name!r} has the member {member!r}, which is not in models"
                    remedy = "add it to models or take it out of the committee"
                    raise bad_row("study.json", None, problem, remedy)
        runs = self.tables.get("runs")
        provenances = [] if runs is None else pc.unique(runs["provenance"]).drop_null().to_pylist()
        update: dict[str, object] = {"parts": parts, "schema_version": schema.SCHEMA_VERSION}
        update["tables"] = self.written
        if provenances:
            update["provenance"] = provenances[0] if len(provenances) == 1 else "mixed"
        if info.created_at is None:
            update["created_at"] = datetime.now(UTC).isoformat(timespec="seconds")
        if self.folder is not None:
            (self.folder / INFO_FILE).write_text(info.model_copy(update=update).to_json(), "utf-8")


def _as_stored(columns: Columns, table_schema: pa.Schema) -> pa.Table:
    size = len(next(iter(columns.values())))
    arrays = [
        columns[field.name].cast(field.type) if field.name in columns else pa.nulls(size, field.type)
        for field in table_schema
    ]
    return pa.table(arrays, schema=table_schema)


_FILLED_BY = {"response": "responses", "reference_met": "references", "reference_score": "references"}
"""What an import's columns fill, by which a lost table of a study of an earlier version is noticed."""


def _refuse_lost_imports(study: StudyFiles) -> None:
    for record in study.info.imports or ():
        for column in record.options.get("map", {}):
            if column in _FILLED_BY and not study.has(table := _FILLED_BY[column]):
                problem = f"{record.file} was imported with {column}, and {table}.parquet is missing"
                raise BadInputError(f"{table}: {problem}; {RESTORE}")


def validate_study(study: StudyFiles) -> list[TableReport]:
    """Check every byte and every row of every table as an import would; return a report of each table."""
    study.refuse_damaged()
    if study.info.tables is None:
        _refuse_lost_imports(study)
    sources = {
        name: from_tables(table, study.judgment_batches() if name == "judgments" else study.table(name))
        for name, table in schema.TABLES.items()
        if study.has(name)
    }
    reports = {table.name: table for table in _StudyWriter(None, None).run(sources, study.info).tables}
    return [reports[name] for name in sources]
