"""Adding a run's journal to its study, and finding the calls that are already answered."""

import hashlib
import json
import platform
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine import __version__, schema
from engine.collect.calls import CallRequest, Role
from engine.collect.config import ModelConfig, Price, RunConfig
from engine.collect.journal import Entry, Group, read_entries, write_to_disk
from engine.collect.openai_transport import NAME, serves
from engine.collect.paradigms.templates import Template
from engine.collect.prices import cost_usd, known_sum
from engine.collect.redo import OF_JUDGMENTS, TABLES, RepeatedResponses
from engine.collect.run_folder import ErrorWords
from engine.errors import BadInputError, StoreError, StudyChangedError
from engine.explore.answering_models import COUNTED, add_counts, changes_between, counts_of
from engine.store.batches import Batch, Source, from_tables
from engine.store.checksums import read_footer
from engine.store.location import Location
from engine.store.parquet import bounds
from engine.store.publish import full_disk_error
from engine.store.study_files import StudyFiles
from engine.store.writer import Rows, RunParts, change_study, exchange_table

Value = TypeVar("Value")

MERGED_ROWS = 50_000
"""A run's last part with fewer rows is rewritten together with new rows, so that parts stay few."""


@dataclass(frozen=True)
class NewRows:
    """Rows that a run collected; `judgments` have a call_id, the same in a later answer to the call.

    The run's rows of the calls in `withdrawn` are removed, whatever their status, to be requested again, and
    what other tables have about the responses in `repeated`.
    """

    run_id: str
    judgments: Rows
    responses: Rows
    withdrawn: frozenset[str] = frozenset()
    repeated: RepeatedResponses | None = None

    @cached_property
    def _calls(self) -> tuple[pa.Array, pa.Array]:
        answered = pa.array({row["call_id"] for row in self.judgments}, pa.string())
        return answered, pa.array(sorted(self.withdrawn), pa.string())

    def outdated(self, rows: pa.Table) -> pa.ChunkedArray:
        """Return the mask of the run's rows of `withdrawn` calls, and of errors whose call was made again."""
        answered, withdrawn = self._calls
        status, run, call = (rows[name].cast(pa.string()) for name in ("status", "run_id", "call_id"))
        repeated = pc.and_(pc.equal(status, "error"), pc.is_in(call, value_set=answered))
        given_up = pc.or_(pc.fill_null(repeated, False), pc.is_in(call, value_set=withdrawn))
        return pc.fill_null(pc.and_(pc.equal(run, self.run_id), given_up), False)


def add_rows(study: StudyFiles, new: NewRows, change_runs: Callable[[Rows], Rows]) -> StudyFiles:
    """Add the rows to the study's current state, and return the changed study.

    An error of the run is removed if its call is among the rows. `change_runs` maps all rows of `runs` to
    their replacement. Raises BadInputError for rows that an import would refuse, StudyChangedError if another
    writer was faster, and StoreError if writing fails; the study is then unchanged.
    """
    study = StudyFiles(study.location)
    parts = _parts(study, new)
    new_rows = {"runs": change_runs(study.table("runs").to_pylist()), "responses": new.responses}
    tables = {
        name: from_tables(schema.TABLES[name], exchange_table(name, rows))
        for name, rows in new_rows.items()
        if rows or name == "runs"
    }
    replaced = ["runs"]
    if new.repeated is not None:
        for name in filter(study.has, TABLES):
            rows, left_out = new.repeated.without(name, study.table(name))
            if left_out:
                tables[name] = from_tables(schema.TABLES[name], rows)
                replaced.append(name)
    if new.judgments or parts.rewritten:
        batches = _rewritten_batches(study, new, parts)
        tables["judgments"] = Source(schema.JUDGMENTS, batches, schema.JUDGMENTS.names)
    try:
        change_study(study, tables, replaced, parts=parts)
    except OSError as error:
        raise StoreError(
            f"{study.path}: cannot be written: {error.strerror or error}; nothing was changed"
        ) from error
    return StudyFiles(study.location)


def _parts(study: StudyFiles, new: NewRows) -> RunParts:
    """Return the run's parts; a small last one and those with outdated rows are to be rewritten."""
    footers = _footers(study, new.run_id)
    rewritten = []
    if new.judgments or new.withdrawn:
        last = next(reversed(footers), None)
        for part, footer in footers.items():
            small = part == last and footer.rows < MERGED_ROWS
            may_hold = new.withdrawn or _within("error", footer.statuses)
            batches = study.judgment_batches(columns=["run_id", "call_id", "status"], parts=[part])
            if small or (may_hold and any(pc.any(new.outdated(rows)).as_py() for rows in batches)):
                rewritten.append(part)
    return RunParts(frozenset(footers), tuple(rewritten))


def _rewritten_batches(study: StudyFiles, new: NewRows, parts: RunParts) -> Iterator[Batch]:
    """Yield the rows of rewritten parts without the outdated ones, then the new rows."""
    tables = study.judgment_batches(parts=parts.rewritten)
    remaining = (table.filter(pc.invert(new.outdated(table))).combine_chunks() for table in tables)
    first = 1
    for table in chain(remaining, [exchange_table("judgments", new.judgments)]):
        for batch in table.to_batches():
            yield Batch(schema.JUDGMENTS, batch, first)
            first += batch.num_rows


class _Footer(NamedTuple):
    """A part's number of rows, and its least and greatest status, if known."""

    rows: int
    statuses: tuple[str, str] | None


def _footers(study: StudyFiles, run_id: str) -> dict[str, _Footer]:
    """Return the parts that may contain judgments of the run, with their footers.

    StudyChangedError if the study was replaced since it was opened, and a part is gone.
    """
    footers = {}
    for part in study.parts():
        with study.unless_replaced():
            metadata = _metadata(study.location.child(part))
        if _within(run_id, _bounds(metadata, "run_id")):
            footers[part] = _Footer(metadata.num_rows, _bounds(metadata, "status"))
    return footers


def _metadata(place: Location) -> pq.FileMetaData:
    try:
        with place.filesystem.open_input_file(place.path) as file:
            return read_footer(file).metadata
    except (OSError, pa.ArrowException) as error:
        raise StoreError(
            f"{place.label}: cannot be read: {error}; check it with `spb study check`, or import it again"
        ) from error


def _within(value: str, ends: tuple[str, str] | None) -> bool:
    """Return whether a column with these bounds may contain a value: yes if they are unknown."""
    return ends is None or ends[0] <= value <= ends[1]


def _bounds(metadata: pq.FileMetaData, name: str) -> tuple[str, str] | None:
    """Return the least and greatest value of a text column, None if the footer does not state them."""
    if name not in metadata.schema.names:
        return (str(schema.JUDGMENTS.column(name).default),) * 2
    index = metadata.schema.names.index(name)
    groups = [bounds(metadata.row_group(group), index) for group in range(metadata.num_row_groups)]
    ends = [end for each in groups for end in each or ()]
    return (min(ends), max(ends)) if ends and None not in groups else None


# ------------------------------------------------------------------------------
# The rows of a run in the table `runs`.


_KEY = ("run_id", "model", "role", "paradigm", "variant")
_PARAMS = ("temperature", "top_p", "max_tokens", "seed")
_SETTINGS = (*_PARAMS, "reasoning", "logprobs", "template", "template_sha256", "config", "software")
"""The columns that follow from the configuration."""
_SUMS = ("calls", "prompt_tokens", "completion_tokens", "seconds", "structured", "cached")


class RunRows:
    """The rows of one run, created as models and templates come into use."""

    def __init__(self, config: RunConfig, run_id: str, templates: Iterable[Template] = ()) -> None:
        self.run_id = run_id
        self._config = config
        self._templates: dict[tuple[str | None, str], Template] = {
            (each.paradigm, each.variant): each for each in templates
        }
        self._started_at = _now()
        self._answered: dict[str, dict[str, Counter[str]]] = {}  # by model, in this start

    def begin_start(self) -> None:
        """Tell the calls that are added from now on from those of earlier starts."""
        self._answered.clear()

    def with_groups(self, groups: Iterable[Group], rows: Rows) -> Rows:
        """Return all rows of `runs` with one for each of `groups` (model, role, paradigm, variant)."""
        keys = {_key(row) for row in rows}
        new_rows = [self._row(*each) for each in groups if (self.run_id, *each) not in keys]
        return [*rows, *new_rows]

    def add_calls(self, entries: Sequence[Entry], rows: Rows) -> Rows:
        """Return all rows of `runs`, with the entries' calls, tokens and costs added to the run's own."""
        groups = dict.fromkeys((e.model, e.role, e.paradigm, e.variant) for e in entries)
        changed = {_key(row): dict(row) for row in self.with_groups(groups, rows)}
        answers: dict[tuple[Any, ...], list[Entry]] = {}
        for entry in entries:
            row = changed[(self.run_id, entry.model, entry.role, entry.paradigm, entry.variant)]
            for name in _SUMS:
                row[name] = (row[name] or 0) + getattr(entry, name)
            row["cost_usd"] = known_sum((row["cost_usd"], entry.cost_usd))
            if entry.saved_usd is not None:
                row["saved_usd"] = (row["saved_usd"] or 0.0) + entry.saved_usd
            row["model_id"] = entry.model_id or row["model_id"]
            answers.setdefault(_key(row), []).append(entry)
        for key, answered in answers.items():
            for name, counts in _answer_counts(answered).items():
                changed[key][name] = add_counts(changed[key].get(name), counts)
        return list(changed.values())

    def note_answers(self, entries: Sequence[Entry]) -> None:
        """Remember what the answers of this start say of their models."""
        for model in dict.fromkeys(entry.model for entry in entries):
            own = self._answered.setdefault(model, {name: Counter() for name in COUNTED})
            for name, counts in _answer_counts([e for e in entries if e.model == model]).items():
                own[name] += counts

    def add_charges(self, dollars: Mapping[Group, float], rows: Rows) -> Rows:
        """Return all rows of `runs` with the possible cost of calls whose answers were lost to a kill."""
        changed = {_key(row): dict(row) for row in self.with_groups(dollars, rows)}
        for group, usd in dollars.items():
            row = changed[(self.run_id, *group)]
            row["cost_usd"] = known_sum((row["cost_usd"], usd))
        return list(changed.values())

    def note_redone(self, notes: Mapping[str, str], rows: Rows, *, new_settings: bool = True) -> Rows:
        """Return all rows of `runs`, with `notes` for models whose calls are requested again.

        With `new_settings`, the settings in these rows become those of the current configuration.
        """
        changed = []
        for row in rows:
            if row["run_id"] == self.run_id and row["model"] in notes:
                new_row = self._row(*_key(row)[1:]) if new_settings else row
                text = "; ".join(filter(None, (row.get("redone"), notes[row["model"]])))
                row = row | {name: new_row[name] for name in _SETTINGS} | {"redone": text}
            changed.append(row)
        return changed

    def set_end(self, rows: Rows) -> Rows:
        """Return all rows of `runs`, the run's with the time and with what differs from earlier starts."""
        now, changes = _now(), {name: self._changes(name, rows) for name in self._answered}
        ended = []
        for row in rows:
            if row["run_id"] == self.run_id:
                row = row | {"finished_at": now}
                if change := changes.get(row["model"]):
                    row["changed"] = "; ".join(filter(None, (row.get("changed"), f"{now[:10]}: {change}")))
            ended.append(row)
        return ended

    def _changes(self, model: str, rows: Rows) -> str:
        """Return how a model's answers of this start differ from those of earlier ones."""
        own = [row for row in rows if (row["run_id"], row["model"]) == (self.run_id, model)]
        this_start, before = self._answered[model], {}
        for name in COUNTED:
            total: Counter[str] = sum((counts_of(row.get(name)) for row in own), Counter())
            before[name] = total - this_start[name]
        return changes_between(before, this_start)

    def _row(self, model: str, role: Role, paradigm: str | None, variant: str) -> dict[str, Any]:
        config = self._config.models.get(model)
        template = self._templates.get((paradigm, variant))
        params = config.params.to_dict() if config else {}
        return {
            **dict(zip(_KEY, (self.run_id, model, role, paradigm, variant), strict=True)),
            "provenance": provenance(config) if config else None,
            "model_id": None,
            **{name: params.get(name) for name in _PARAMS},
            "reasoning": params.get("reasoning_effort"),
            "logprobs": config.logprobs if config else None,
            "template": template.file if template else None,
            "template_sha256": template.sha256 if template else None,
            "config": self._config.text,
            "software": software(config) if config else None,
            "started_at": self._started_at,
            **dict.fromkeys(_SUMS, 0),
            "cost_usd": 0.0,
            "saved_usd": 0.0,
        }


def _answer_counts(entries: Iterable[Entry]) -> dict[str, Counter[str]]:
    """Return how often new answers name their model, their server's fingerprint and their address."""
    new = [entry for entry in entries if not entry.cached]
    values = ("model_id", "fingerprint", "address")
    return {
        column: Counter(value for entry in new if (value := getattr(entry, name)) is not None)
        for column, name in zip(COUNTED, values, strict=True)
    }


def provenance(config: ModelConfig) -> str:
    return "simulated" if config.model.startswith("simulated/") else "api"


def run_cost(rows: Rows, run_id: str, prices: Mapping[str, Price | None]) -> float:
    """Return the cost of a run so far.

    If a row's cost is unknown because its model had no price, its tokens are counted at the current price.
    """
    dollars = 0.0
    for row in (each for each in rows if each["run_id"] == run_id):
        price = prices.get(row["model"])
        if row["cost_usd"] is not None:
            dollars += row["cost_usd"]
        elif price is not None:
            dollars += cost_usd(price, row["prompt_tokens"] or 0, row["completion_tokens"] or 0)
    return dollars


def software(config: ModelConfig) -> str:
    """Return the transport of a model's calls (our own or litellm) and the versions of the packages."""
    transport, packages = "litellm", ["litellm", "pyarrow"]
    if provenance(config) == "simulated":
        transport, packages = "simulated", ["pyarrow"]
    elif serves(config.model, config.api_base, config.params.to_dict()):
        transport, packages = NAME, ["aiohttp", "pyarrow"]
    parts = [f"spb-explorer {__version__}", f"Python {platform.python_version()}", f"calls by {transport}"]
    for package in packages:
        with suppress(PackageNotFoundError):
            parts.append(f"{package} {version(package)}")
    return ", ".join(parts)


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in _KEY)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


# ------------------------------------------------------------------------------
# The calls that are already answered in the study.


_PARTS = tuple(name for name in schema.JUDGMENTS.key if name != "run_id")


class CompletedCalls:
    """The calls of a run that have an `ok`, `unparsed` or `refused` answer; errors are requested again.

    A call is identified by its rows' key, so that a later version of the program, which may compute other
    call_ids, requests nothing twice. Each takes eight bytes.
    """

    def __init__(self) -> None:
        self._rows: Counter[int] = Counter()

    def __contains__(self, request: CallRequest) -> bool:
        subject, traits = request.subject, _traits(request.paradigm)
        if request.role == "generator":
            return _hash("responses", subject.instance_id, subject.generator, subject.transform) in self._rows
        rubric = subject.rubric_ids[0] if traits and traits.one_rubric_a_call and subject.rubric_ids else None
        generator = "" if traits and traits.of_lists else subject.generator
        prompt = (request.model, request.paradigm, request.variant, subject.transform)
        sides = (subject.instance_id, generator, subject.opponent, subject.first)
        call = _judgment_hash(*prompt, *sides, rubric, subject.ordering, subject.trial)
        rows_per_call = len(subject.rubric_ids) if traits and traits.lists_rubrics else 1
        return self._rows[call] >= max(rows_per_call, 1)

    def has_row(self, table: str, row: Mapping[str, Any]) -> bool:
        return _row_hash(table, row) in self._rows

    def add(self, table: str, row: Mapping[str, Any]) -> None:
        self._rows[_row_hash(table, row)] += 1

    @classmethod
    def of_run(cls, study: StudyFiles, run_id: str) -> "CompletedCalls":
        """Read the run's judgments in the study, and all its responses, whichever run collected them."""

        def read_calls(study: StudyFiles) -> CompletedCalls:
            calls = cls()
            for row in _judgments(study, run_id, [*_PARTS, "run_id", "status", "stood_in_for"]):
                if row["status"] != "error":
                    calls.add("judgments", row)
            for row in _dicts(study.table("responses", ["instance_id", "generator", "transform"])):
                calls.add("responses", row)
            return calls

        return read_as_it_is(study, read_calls)


def read_as_it_is(study: StudyFiles, reader: Callable[[StudyFiles], Value]) -> Value:
    """Return what is read of a study opened anew; as often as it is replaced meanwhile, from the beginning.

    The shards of a run replace it whenever they add rows.
    """
    while True:
        with suppress(StudyChangedError):
            return reader(StudyFiles(study.location))


def _judgments(study: StudyFiles, run_id: str, columns: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a run's judgments; `run_id` must be among the columns."""
    for rows in study.judgment_batches(columns=columns, parts=list(_footers(study, run_id))):
        yield from (row for row in _dicts(rows) if row["run_id"] == run_id)


def _dicts(rows: Any) -> Iterator[dict[str, Any]]:
    for batch in rows.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def _row_hash(table: str, row: Mapping[str, Any]) -> int:
    if table == "responses":
        return _hash("responses", row["instance_id"], row["generator"], row.get("transform") or "none")
    values = {name: row.get(name) for name in _PARTS}
    for name in ("variant", "transform", "trial"):
        if values[name] is None:
            values[name] = schema.JUDGMENTS.column(name).default
    values["judge"] = row.get("stood_in_for") or values["judge"]
    traits = _traits(values["paradigm"])
    if traits is None or not traits.one_rubric_a_call:
        values["rubric_id"] = None
    if traits is not None and traits.of_lists:
        values["generator"] = ""
    return _judgment_hash(*values.values())


def _traits(paradigm: str | None) -> schema.ParadigmTraits | None:
    return schema.TRAITS.get(paradigm or "")


def _judgment_hash(*parts: Any) -> int:
    """Return the identity of a call; (A, B, first generator) equals (B, A, first opponent)."""
    judge, paradigm, variant, transform, instance, generator, opponent, first, *details = parts
    if opponent is not None and opponent < generator:
        generator, opponent = opponent, generator
        first = {"generator": "opponent", "opponent": "generator"}.get(first, first)
    return _hash(judge, paradigm, variant, transform, instance, generator, opponent, first, *details)


def _hash(*parts: object) -> int:
    text = "\0".join("\1" if part is None else str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def shortcomings(study: StudyFiles) -> tuple[dict[str, int], list[tuple[str, int]]]:
    """Return the numbers of a study's unparsed judgments by shortfall, and its most frequent error messages.

    Judgments that are unparsed for an unknown reason count under an empty name. Messages come with their
    numbers of judgments, most frequent first.
    """
    shortfalls: Counter[str] = Counter()
    words = ErrorWords()
    columns = ["status", "shortfall", "explanation"]
    for rows in study.judgment_batches(columns=columns):
        table = pa.table({name: rows[name].cast(pa.string()) for name in columns})
        unparsed = table.filter(pc.equal(table["status"], "unparsed"))["shortfall"].value_counts()
        for each in unparsed.to_pylist():
            shortfalls[each["values"] or ""] += each["counts"]
        errors = table.filter(pc.equal(table["status"], "error"))["explanation"].value_counts()
        for each in errors.to_pylist():
            words.add(each["values"] or "no words", each["counts"])
    return dict(shortfalls), words.most_frequent()


def has_no_verdict(study: StudyFiles, run_id: str) -> bool:
    """Return whether a run has judgments and none of them is `ok`: all are unparsed, refused or errors."""
    is_judged = False
    for row in _judgments(study, run_id, ["run_id", "status"]):
        if row["status"] == "ok":
            return False
        is_judged = True
    return is_judged


def unread_calls(study: StudyFiles, run_id: str) -> dict[str, int]:
    """Return the numbers of a run's calls that `--redo` can request again, by its names for them.

    Responses without an answer are among them. Unparsed answers count by their shortfall, or as `unparsed` if
    that is unknown.
    """
    kinds: dict[str, set[str]] = {}
    columns = ["run_id", "instance_id", "generator", "transform", "shortfall"]
    for run, *key, shortfall in _values(study.table("responses", columns)):
        if run == run_id and shortfall in schema.NO_ANSWER:
            kinds.setdefault(shortfall, set()).add(json.dumps(key))
    where = {"run_id": (run_id,), "status": ("unparsed", "refused", "error")}
    for row in study.judgments(["call_id", "status", "shortfall"], where).to_pylist():
        if row["call_id"] is not None:
            kinds.setdefault(row["shortfall"] or row["status"], set()).add(row["call_id"])
    order = (*schema.SHORTFALLS, *schema.STATUSES)
    return {kind: len(kinds[kind]) for kind in order if kind in kinds}


def _values(table: pa.Table) -> Iterator[tuple[str | None, ...]]:
    return zip(*(column.cast(pa.string()).to_pylist() for column in table.columns), strict=True)


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Add rows to a file of JSON lines; StoreError if the disk is full."""
    filled = ({name: value for name, value in row.items() if value is not None} for row in rows)
    with full_disk_error(path):
        write_to_disk(path, "ab", (json.dumps(each, default=str).encode() + b"\n" for each in filled))


_TRIES = 40
_LONGEST_WAIT_S = 2.0


@dataclass(eq=False)
class Collector:
    """Adds journal files to the study, each in one step, and then deletes them.

    It waits for other writers of the study (shards, `spb committee`), which `lock` locks out.
    """

    study: StudyFiles
    runs: RunRows
    lock: Callable[[], AbstractContextManager[None]]

    def collect(self, path: Path) -> None:
        """Add a file of this process's journal to the study and delete it, or leave it if that fails."""
        try:
            self._add(list(read_entries(path)))
        except BadInputError:  # some rows are already stored, which must not stop the rest
            self._add(self._missing_entries(read_entries(path)))
        path.unlink()

    def withdraw(
        self,
        condition: Callable[[Mapping[str, Any]], bool],
        path: Path,
        note: Callable[[str, int], str],
        *,
        new_settings: bool = True,
    ) -> int:
        """Remove the run's judgments that fulfil `condition`, to be requested again; return how many calls.

        First they are written to `path`, one per line. `note` makes the text in `runs` from a model and its
        number of calls. All rows of a call are removed together. With `new_settings`, the settings in `runs`
        become those of the current configuration.
        """
        columns = ["run_id", "call_id", "judge", "status", "shortfall", "stood_in_for", *OF_JUDGMENTS]
        concerned = self._own_judgments(columns, lambda row: row["call_id"] is not None and condition(row))
        if not concerned:
            return 0
        calls = {row["call_id"]: row["judge"] for row in concerned}
        _write_lines(path, self._own_judgments(schema.JUDGMENTS.names, lambda row: row["call_id"] in calls))
        notes = {model: note(model, count) for model, count in Counter(calls.values()).items()}
        new = NewRows(self.runs.run_id, [], [], frozenset(calls))
        self._write(new, lambda rows: self.runs.note_redone(notes, rows, new_settings=new_settings))
        return len(calls)

    def withdraw_responses(
        self, repeated: RepeatedResponses, path: Path, note: Callable[[str, int], str]
    ) -> None:
        """Remove responses, and references about them, to be requested again; first write them to `path`."""
        self.study = StudyFiles(self.study.location)
        for name in filter(self.study.has, TABLES):
            _, rows = repeated.without(name, self.study.table(name))
            keys = ((row["instance_id"], row["generator"], row.get("transform") or "none") for row in rows)
            calls = ({"call_id": repeated.calls.get(key, ""), "table": name} for key in keys)
            _write_lines(path, (row | call for row, call in zip(rows, calls, strict=True)))
        models = Counter(model for _, model, _ in repeated.calls)
        notes = {model: note(model, count) for model, count in models.items()}
        new = NewRows(self.runs.run_id, [], [], repeated=repeated)
        self._write(new, lambda rows: self.runs.note_redone(notes, rows))

    def _own_judgments(
        self, columns: Sequence[str], condition: Callable[[Mapping[str, Any]], bool]
    ) -> list[dict[str, Any]]:
        """Return the run's judgments that fulfil `condition`, as they are stored now."""

        def read_rows(study: StudyFiles) -> list[dict[str, Any]]:
            return [row for row in _judgments(study, self.runs.run_id, list(columns)) if condition(row)]

        return read_as_it_is(self.study, read_rows)

    def collect_missing(self, path: Path) -> list[Entry]:
        """Add a file that may have been added before, and return the entries that the study lacked."""
        entries = self._missing_entries(read_entries(path))
        self._add(entries)
        path.unlink()
        return entries

    def own_judgments(self, **where: str) -> Iterator[dict[str, Any]]:
        """Yield the run's judgments in the study, those with these values."""
        conditions = {"run_id": (self.runs.run_id,)} | {name: (value,) for name, value in where.items()}
        yield from _dicts(self.study.judgments(schema.JUDGMENTS.names, conditions))

    def add_judgments(self, rows: Rows) -> None:
        """Add rows that follow from others of the run, without calls."""
        self._write(NewRows(self.runs.run_id, rows, []), lambda runs: runs)

    def change_runs(self, change: Callable[[Rows], Rows]) -> None:
        self._write(NewRows(self.runs.run_id, [], []), change)

    def _add(self, entries: Sequence[Entry]) -> None:
        if not entries:
            return
        rows: dict[str, Rows] = {"judgments": [], "responses": []}
        for entry in entries:
            rows[entry.table] += entry.rows
        new = NewRows(self.runs.run_id, rows["judgments"], rows["responses"])
        self._write(new, lambda runs: self.runs.add_calls(entries, runs))
        self.runs.note_answers(entries)

    def _write(self, new: NewRows, change: Callable[[Rows], Rows]) -> None:
        for attempt in range(_TRIES):
            try:
                with self.lock():
                    self.study = add_rows(self.study, new, change)
                return
            except StudyChangedError:
                if attempt == _TRIES - 1:
                    raise
                wait = min(0.05 * 2**attempt, _LONGEST_WAIT_S)
                time.sleep(random.uniform(0, wait))  # noqa: S311 - so that not all retry at once

    def _missing_entries(self, entries: Iterator[Entry]) -> list[Entry]:
        """Return the entries that are not in the study; of two answers to one call, the first counts."""
        calls = CompletedCalls.of_run(self.study, self.runs.run_id)
        columns = ["run_id", "call_id", "status", "created_at"]
        failed_rows = self._own_judgments(columns, lambda row: row["status"] == "error")
        failures = {(row["call_id"], row["created_at"]) for row in failed_rows}
        missing = []
        for entry in entries:
            failed = entry.status == "error"
            is_stored = failed and (entry.key, datetime.fromisoformat(entry.at)) in failures
            if is_stored or any(calls.has_row(entry.table, row) for row in entry.rows):
                continue
            for row in () if failed else entry.rows:
                calls.add(entry.table, row)
            missing.append(entry)
        return missing
