"""Reading the stored answers of judges anew, by today's readers; no model is called.

The rows of a run become those of a new run in its place; the old ones are kept in `withdrawn.jsonl` of the
run's folder. With `keep_old` both stay in the study, and the new one has no calls and no costs of its own.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from engine import schema
from engine.collect.database.old_runs import has_old_files
from engine.collect.database.run_database import is_unfinished
from engine.collect.database.sealed_lines import write_to_disk
from engine.collect.locks.study_locks import run_lock, write_lock
from engine.collect.paradigms.answers.user_forms import AnswerForm
from engine.collect.rows.reread_answers import Reparsed, Row, RunReading
from engine.collect.run_folder import ensure_folder, new_run_id, run_path
from engine.collect.run_options import RunOptions
from engine.errors import UsageError, unknown
from engine.phrases import quantity
from engine.store import Store
from engine.store.batches import Batch, ExchangeTable, from_tables
from engine.store.publish import full_disk_error
from engine.store.study_files import StudyFiles
from engine.store.writer import Rows, RunParts, change_study, exchange_table


def reparse(
    store: Store,
    name: str,
    *,
    run_id: str | None = None,
    form: AnswerForm | None = None,
    keep_old: bool = False,
    dry_run: bool = False,
) -> Reparsed:
    """Read the answers of a study's runs anew, of all or one, and store each run with changes anew.

    Answers in which a `form` occurs are read by it instead.
    """
    study = store.open(name)
    run_ids = sorted(str(row["run_id"]) for row in study.table("runs", ["run_id"]).to_pylist())
    run_ids = list(dict.fromkeys(run_ids))
    if run_id is not None and run_id not in run_ids:
        raise unknown("run", run_id, run_ids)
    if not run_ids:
        raise UsageError(f"the study {name!r} has no run, and imported judgments are read by their importers")
    report = Reparsed()
    changed = []
    for each in run_ids if run_id is None else [run_id]:
        reading = RunReading(study, each, form, Reparsed())
        for _ in reading.rows():
            pass
        _add(report, reading.report)
        if reading.report.changes:
            changed.append(each)
    new_ids = _new_ids(len(changed))
    report.runs = dict(zip(changed, new_ids, strict=True))
    if changed and not dry_run:
        with run_lock(store, name, RunOptions()), write_lock(store, name):
            for old in changed:
                _refuse_unfinished(run_path(store, name, old))
            for old, new in report.runs.items():
                _store_anew(store, StudyFiles(study.location), (old, new), form, keep_old=keep_old)
    return report


def _new_ids(count: int) -> list[str]:
    """Return ids of new runs, in order: the last run of a study is the one that continues."""
    ids: set[str] = set()
    while len(ids) < count:
        ids.add(new_run_id())
    return sorted(ids)


def _add(total: Reparsed, part: Reparsed) -> None:
    total.verdicts += part.verdicts
    total.without_answer += part.without_answer
    total.unmatched += part.unmatched
    total.changes += part.changes


def _store_anew(
    store: Store, study: StudyFiles, ids: tuple[str, str], form: AnswerForm | None, *, keep_old: bool
) -> None:
    """Store a run under a new id with its answers read anew, in one step."""
    old, new = ids
    path = run_path(store, study.name, old)
    reading = RunReading(study, old, form, Reparsed())
    parts = [part for part in study.parts() if _holds(study, part, old)]
    rewritten = () if keep_old else tuple(parts)
    if not keep_old:
        ensure_folder(path)
        lines = (_line(row) for row in reading.stored())
        with full_disk_error(path / "withdrawn.jsonl"):
            write_to_disk(path / "withdrawn.jsonl", "ab", lines)
    tables = {"runs": from_tables(schema.RUNS, exchange_table("runs", _runs(study, ids, keep_old=keep_old)))}
    replaced = ["runs"]
    if not keep_old and study.has("responses"):
        responses = study.table("responses").to_pylist()
        renamed = [row | {"run_id": new} if row["run_id"] == old else row for row in responses]
        tables["responses"] = from_tables(schema.RESPONSES, exchange_table("responses", renamed))
        replaced.append("responses")
    batches = _batches(study, rewritten, reading, ids)
    tables["judgments"] = ExchangeTable(schema.JUDGMENTS, batches, schema.JUDGMENTS.names)
    change_study(study, tables, replaced, parts=RunParts(frozenset(), rewritten))
    if not keep_old:
        path.rename(run_path(store, study.name, new))


def _refuse_unfinished(folder: Path) -> None:
    """Raise UsageError if answers of a killed run are not in the study yet."""
    folders = (folder, *folder.glob("shard-*"))
    if any(is_unfinished(each) or has_old_files(each) for each in folders):
        raise UsageError(
            f"the run {folder.name!r} was killed, and answers of it are not in the study yet; "
            "continue it with `spb run` first"
        )


def _holds(study: StudyFiles, part: str, run_id: str) -> bool:
    batches = study.judgment_batches(columns=["run_id"], parts=[part], where={"run_id": [run_id]})
    return any(batch.num_rows for batch in batches)


def _line(row: Row) -> bytes:
    return (
        json.dumps({name: value for name, value in row.items() if value is not None}, default=str).encode()
        + b"\n"
    )


def _runs(study: StudyFiles, ids: tuple[str, str], *, keep_old: bool) -> Rows:
    """Return the rows of `runs` with those of the new run, in the place of the old ones or besides them."""
    old, new = ids
    today = datetime.now(UTC).isoformat(timespec="minutes")
    note = f"{today}: the answers of {old} were read anew"
    rows: Rows = []
    for row in study.table("runs").to_pylist():
        if row["run_id"] != old:
            rows.append(row)
            continue
        renamed = row | {"run_id": new, "redone": "; ".join(filter(None, (row["redone"], note)))}
        if not keep_old:
            rows.append(renamed)
            continue
        rows.append(row)
        if row["role"] == "judge":
            # Without a configuration, so that `spb run` continues the old run.
            sums = dict.fromkeys(("calls", "prompt_tokens", "completion_tokens", "structured", "cached"), 0)
            rows.append(renamed | sums | {"seconds": 0.0, "cost_usd": 0.0, "saved_usd": 0.0, "config": None})
    return rows


def _batches(
    study: StudyFiles, parts: Sequence[str], reading: RunReading, ids: tuple[str, str]
) -> Iterator[Batch]:
    """Yield the other runs' rows in the rewritten parts, then the run's rows as read anew."""
    old, new = ids
    others = (row for row in _rows_of(study, parts) if row["run_id"] != old)
    first = 1
    for rows in _chunks(others, lambda row: row), _chunks(reading.rows(), lambda row: row | {"run_id": new}):
        for chunk in rows:
            for batch in exchange_table("judgments", chunk).to_batches():
                yield Batch(schema.JUDGMENTS, batch, first)
                first += batch.num_rows


def _rows_of(study: StudyFiles, parts: Sequence[str]) -> Iterator[Row]:
    for table in study.judgment_batches(parts=parts):
        for batch in table.to_batches(max_chunksize=10_000):
            yield from batch.to_pylist()


_CHUNK = 20_000


def _chunks(rows: Iterable[Row], change: Callable[[Row], Row]) -> Iterator[Rows]:
    chunk: Rows = []
    for row in rows:
        chunk.append(change(row))
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def report_words(report: Reparsed) -> list[str]:
    """Return what was read, as sentences without a full stop."""
    words = [f"{quantity(report.verdicts, 'verdict')} read anew, {report.changes.total():,} changed"]
    if report.without_answer:
        words.append(f"{report.without_answer:,} left as they are: the answer's text is not stored")
    if report.unmatched:
        words.append(f"{report.unmatched:,} left as they are: the criteria are not those that were shown")
    return words
