"""Writing studies: checked tables into Parquet, a whole study at once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine import schema
from engine.errors import UsageError
from engine.store.checks import Known, TableCheck, TableReport, check_info, missing_table
from engine.store.files import INFO_FILE, StudyFiles
from engine.store.info import StudyInfo
from engine.store.locations import check_name
from engine.store.merge import new_rows
from engine.store.parts import Parts, group_rows
from engine.store.publish import is_study, publish, refuse_foreign
from engine.store.rules import Columns
from engine.store.sources import Source, from_tables
from engine.store.staging import link, staging
from engine.store.types import stored_schema

if TYPE_CHECKING:
    from engine.store.collected import RunParts
    from engine.store.store import Mode, Store, Tables


REFERRED = ("models", "instances", "rubrics")  # other tables refer to their keys
_IDENTITY = (*schema.JUDGMENTS.key, "status")  # what tells whether two judgments are the same one


@dataclass(slots=True)
class WriteReport:
    """What an import read, and the study it made (None: nothing was written)."""

    tables: list[TableReport] = field(default_factory=list)
    study: str | None = None
    ignored_files: tuple[str, ...] = ()
    warnings: list[str] = field(default_factory=list)


def write_study(store: "Store", name: str, tables: "Tables", info: StudyInfo, *, mode: "Mode") -> None:
    """Write tables in memory as a study; see `Store.write`."""
    for table in tables:
        if table not in schema.TABLES:
            raise UsageError(f"unknown table {table!r}; choose from: {', '.join(schema.TABLES)}")
    sources = {table: from_tables(schema.TABLES[table], rows) for table, rows in tables.items()}
    write_sources(store, name, sources, info, mode=mode)


def write_sources(
    store: "Store",
    name: str,
    sources: Mapping[str, Source],
    info: StudyInfo,
    *,
    mode: "Mode",
    dry_run: bool = False,
) -> WriteReport:
    """Check the sources and write them as the study `name`; with `dry_run` only check.

    Raises as `Store.write` does.
    """
    target = store.location.child(check_name(name))
    before = study_before(store, name, mode)
    base = before if mode == "append" else None
    if base is not None:
        info = _joined(base.info, info)
    stamp = before.stamp() if before else None
    info = info.model_copy(update={"name": name})
    if dry_run:
        return _Writing(None, base).run(sources, info)
    with staging(target) as folder:
        report = _Writing(folder, base).run(sources, info)
        publish(folder, target, stamp, keep_rest=base is not None)
    report.study = target.shown
    return report


def replace_table(study: StudyFiles, name: str, table: pa.Table, info: StudyInfo | None) -> None:
    """Put another table in the place of a small one; see `StudyFiles.replace_table`."""
    if name not in schema.TABLES or name == "judgments":
        small = ", ".join(other for other in schema.TABLES if other != "judgments")
        raise UsageError(f"the table {name!r} cannot be replaced alone; choose from: {small}")
    sources = {name: from_tables(schema.TABLES[name], table)}
    stamp = study.stamp()
    with staging(study.location) as folder:
        _Writing(folder, study, replaced=name).run(sources, info or study.info)
        publish(folder, study.location, stamp, keep_rest=True)


def append_collected(
    study: StudyFiles, tables: Mapping[str, Source], parts: "RunParts", info: StudyInfo
) -> None:
    """Add what a run collected; `runs` among the tables takes the old one's place."""
    stamp = study.stamp()
    with staging(study.location) as folder:
        _Writing(folder, study, replaced="runs", parts=parts).run(tables, info)
        publish(folder, study.location, stamp, keep_rest=True)


def study_before(store: "Store", name: str, mode: "Mode") -> StudyFiles | None:
    """Return the study of that name, if any; UsageError where that does not go together with the mode."""
    target = store.location.child(check_name(name))
    refuse_foreign(target)
    if not is_study(target):
        if mode == "append":
            raise UsageError(f"there is no study {target.shown!r} to append to; leave out --append")
        return None
    if mode == "new":
        raise UsageError(
            f"the study {target.shown!r} exists already; give --append to add to it, --replace to put "
            "this in its place, or another --study"
        )
    return StudyFiles(target)


def _joined(old: StudyInfo, new: StudyInfo) -> StudyInfo:
    """Return the old information with what the new one adds."""
    given = {key: getattr(new, key) for key in new.model_fields_set if getattr(new, key) is not None}
    given.pop("created_at", None)
    if "provenance" in given and given["provenance"] != old.provenance:
        given["provenance"] = "mixed"
    given["committees"] = {**old.committees, **new.committees}
    given["slices"] = {**old.slices, **new.slices}
    return old.model_copy(update=given)


class _Writing:
    """One study on its way into a staging folder (None: checks only)."""

    def __init__(
        self,
        folder: Path | None,
        base: StudyFiles | None,
        replaced: str | None = None,
        parts: "RunParts | None" = None,
    ) -> None:
        """Write into `folder` what is added to `base`, whose table `replaced` is not kept.

        `parts` says which parts of `base` are written anew, and which may hold rows that new ones repeat.
        Raises UsageError where `base` is of an older schema version, whose rows may mean something else.
        """
        if base is not None and base.info.schema_version < schema.SCHEMA_VERSION:
            raise UsageError(
                f"the study {base.name!r} is of schema version {base.info.schema_version}, so nothing can be "
                f"added to it; run `spb migrate {base.name}` first"
            )
        self.folder, self.base, self.replaced = folder, base, replaced
        self.kept = base.parts() if base else []
        self.alike = self.kept
        if parts is not None:
            self.kept = [part for part in self.kept if part not in parts.rewritten]
            self.alike = [part for part in self.kept if part in parts.own]
        self.known = Known()
        self.tables: dict[str, pa.Table] = {}

    def run(self, sources: Mapping[str, Source], info: StudyInfo) -> WriteReport:
        report = WriteReport()
        # Models and instances come first in the declaration: the others refer to them.
        for name, table in schema.TABLES.items():
            if name in sources and name != "judgments":
                report.tables.append(self._small(table, sources[name]))
            elif self.base is not None and name != "judgments" and self.base.has(name):
                self._keep(table)
            elif table.compulsory:
                raise missing_table(name)
        parts = self.kept
        self._link(parts)
        if "judgments" in sources:
            fresh, judged = self._judgments(sources["judgments"])
            report.tables.append(judged)
            parts = parts + fresh
        elif self.replaced in REFERRED:
            self._recheck()
        check_info(info, self.tables["models"])
        self._write_info(info, parts)
        return report

    def _small(self, table: schema.Table, source: Source) -> TableReport:
        """Check a small table, join it to what the study has, write it."""
        check = TableCheck(source, self.known)
        wanted = stored_schema(table)
        keep_old = self.base is not None and self.base.has(table.name) and self.replaced != table.name
        old = self.base.table(table.name) if self.base and keep_old else pa.Table.from_batches([], wanted)
        read = [_as_stored(columns, wanted) for columns in check.batches()]
        new = pa.concat_tables([pa.Table.from_batches([], wanted), *read])
        report = check.report()
        fresh, report.known = new_rows(check, self.known, old, new)
        joined = pa.concat_tables([old, fresh])
        self.known.learn(table, joined)
        self.tables[table.name] = joined
        if self.folder is not None:
            path = self.folder / f"{table.name}.parquet"
            pq.write_table(joined, path, compression="zstd", row_group_size=group_rows(joined))
        return report

    def _keep(self, table: schema.Table) -> None:
        """Keep a table of the study as it is; references are checked where what they refer to changed."""
        assert self.base is not None  # noqa: S101 - called for a study's own tables only
        self._link([f"{table.name}.parquet"])
        recheck = self.replaced in REFERRED
        if not recheck and table.name not in (*REFERRED, "runs"):
            return
        rows = self.base.table(table.name)
        if recheck:
            for _ in TableCheck(from_tables(table, rows), self.known).batches():
                pass
        self.known.learn(table, rows)
        self.tables[table.name] = rows

    def _link(self, files: Iterable[str]) -> None:
        """Take files of the study over unchanged (on S3 they stay where they are)."""
        if self.base is None or self.folder is None or not self.base.location.is_local:
            return
        for file in files:
            link(Path(self.base.location.child(file).path), self.folder / file)

    def _judgments(self, source: Source) -> tuple[list[str], TableReport]:
        """Stream judgments through the checks into new parts."""
        check = TableCheck(source, self.known)
        if self.base is not None:
            held = self.base.judgment_batches(columns=_IDENTITY, parts=self.alike)
            check.skip(rows for table in held for rows in table.to_batches())
        parts = Parts(self.folder)
        try:
            for columns in check.batches():
                parts.write(columns)
        finally:
            parts.close()
        later, earlier = check.repeated()
        if len(later):
            check.refuse_repeated(later, earlier, parts.row(int(later[0]) - check.skipped))
        return parts.names, check.report()

    def _recheck(self) -> None:
        """Check the judgments against the tables that were replaced."""
        assert self.base is not None  # noqa: S101 - a table is replaced in a study
        for _ in TableCheck(
            from_tables(schema.JUDGMENTS, self.base.judgment_batches()), self.known
        ).batches():
            pass

    def _write_info(self, info: StudyInfo, parts: list[str]) -> None:
        provenances = (
            pc.unique(self.tables["runs"]["provenance"]).drop_null().to_pylist()
            if "runs" in self.tables
            else []
        )
        update: dict[str, object] = {"parts": parts, "schema_version": schema.SCHEMA_VERSION}
        if provenances:
            update["provenance"] = provenances[0] if len(provenances) == 1 else "mixed"
        if info.created_at is None:
            update["created_at"] = datetime.now(UTC).isoformat(timespec="seconds")
        if self.folder is not None:
            (self.folder / INFO_FILE).write_text(info.model_copy(update=update).to_json(), "utf-8")


def _as_stored(columns: Columns, wanted: pa.Schema) -> pa.Table:
    """Return a batch as a table of the stored schema."""
    size = len(next(iter(columns.values())))
    arrays = [
        columns[field.name].cast(field.type) if field.name in columns else pa.nulls(size, field.type)
        for field in wanted
    ]
    return pa.table(arrays, schema=wanted)
