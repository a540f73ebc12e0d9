"""Data sets that the user's own machine downloads, checked by sha256: IFEval, AlpacaEval, MATH-500, MBPP+."""

import gzip
import hashlib
import http
import json
import os
import re
import shutil
import tempfile
import tomllib
import urllib.error
import urllib.parse
import urllib.request
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import pydantic

from engine.bounded_files import LARGEST, bytes_of
from engine.checkers.making import SHIPPED, rubric_columns
from engine.errors import BadInputError, SpbError, UsageError, bad_row, unknown
from engine.importers.reading.format import Importer, ImportOptions
from engine.importers.reading.rows import InstanceRows
from engine.importers.repository_files import git_sum, listed_files
from engine.phrases import quantity
from engine.plain_words import system_words
from engine.process import user_folder
from engine.shipped_files import DATASETS, RESULTS
from engine.store import Mode, Store
from engine.store.study_files import StudyInfo
from engine.store.writer import WriteReport, exchange_table, existing_study, write_study
from engine.values import parse_float, parse_int

# ------------------------------------------------------------------------------
# Files that the user's own machine downloads. An interrupted download is resumed.


Progress = Callable[[int, int | None], None]
"""Called with the bytes downloaded so far, and the total if it is known."""

_BLOCK = 1 << 18
_TIMEOUT_S = 60


@contextmanager
def local_copy(origin: str, progress: Progress | None) -> Iterator[Path]:
    """Yield the path of the file at a path or URL; a download is removed afterwards.

    An interrupted download is kept (`partial_path`) and completed the next time, if the server says that the
    file is unchanged. Raises UsageError for a missing file or an unknown scheme, SpbError if the download
    fails.
    """
    if "://" not in origin:
        path = Path(os.path.expanduser(origin))
        if not path.is_file():
            raise UsageError(f"there is no file {origin!r}; give the path of the file, or a URL")
        yield path
        return
    if not origin.startswith(("https://", "http://", "file://")):
        raise UsageError(f"the address {origin!r} has an unknown scheme; give an https:// URL or a path")
    part = partial_path(origin)
    try:
        _download(origin, part, progress)
    except (OSError, urllib.error.URLError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        raise SpbError(
            f"{origin!r} could not be downloaded: {error}; try again, or give a file with --from"
        ) from error
    with tempfile.TemporaryDirectory(prefix="spb-", dir=part.parent) as folder:
        last = urllib.parse.unquote(urllib.parse.urlsplit(origin).path.rpartition("/")[2])
        name = re.sub(r"[^A-Za-z0-9._=-]", "_", last).lstrip(".") or "download"
        path = part.rename(Path(folder) / name)
        part.with_suffix(".mark").unlink(missing_ok=True)
        yield path


@contextmanager
def local_copies(
    base: str, names: Sequence[str], progress: Progress | None, sums: Mapping[str, str] | None = None
) -> Iterator[tuple[Path, list[str]]]:
    """Yield a folder with the files `names` of the address `base`, and the names that do not exist there.

    Each file keeps its path below the folder. Files stay until they have been read without an error, so that
    an interrupted download goes on with those that are missing. `sums` are Git's sums of the files: one with
    another is downloaded again. Raises the errors of `local_copy`, SpbError if none of the files exists or
    one has another sum than the list.
    """
    missing: list[str] = []
    folder = partial_path(base).with_suffix(".files")
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(names):
        place = folder / name
        if place.is_file() and (sums is None or git_sum(place) == sums[name]):
            continue
        try:
            with local_copy(base + urllib.parse.quote(name), progress) as path:
                if sums is not None and git_sum(path) != sums[name]:
                    raise SpbError(f"{name!r} is not the file that the list names; try again later")
                place.parent.mkdir(parents=True, exist_ok=True)
                path.replace(place)
        except SpbError as error:
            cause = error.__cause__
            if not isinstance(cause, urllib.error.HTTPError) or cause.code != http.HTTPStatus.NOT_FOUND:
                done = f"{number - len(missing):,} of {len(names):,} files are here"
                raise SpbError(f"{error}; {done}, and the same command gets the others") from cause
            missing.append(name)
    if len(missing) == len(names):
        shutil.rmtree(folder, ignore_errors=True)
        raise SpbError(f"none of the {len(names)} files of {base!r} is there; give a folder with --from")
    yield folder, missing
    shutil.rmtree(folder, ignore_errors=True)


def partial_path(origin: str) -> Path:
    """Return the path of an incomplete download: in XDG_CACHE_HOME/spb, else ~/.cache/spb, else temporary."""
    try:
        cache = user_folder("XDG_CACHE_HOME") / "spb" / "downloads"
        cache.mkdir(parents=True, exist_ok=True)
    except (OSError, UsageError):
        cache = Path(tempfile.gettempdir())
    return cache / f"{hashlib.sha256(origin.encode()).hexdigest()[:16]}.part"


def _download(origin: str, part: Path, progress: Progress | None) -> None:
    request = urllib.request.Request(origin)  # noqa: S310 - the scheme is checked by the caller
    offset, validator_file = 0, part.with_suffix(".mark")  # the server's ETag or Last-Modified
    if part.exists() and validator_file.exists() and origin.startswith("http"):
        offset = part.stat().st_size
        request.add_header("Range", f"bytes={offset}-")
        request.add_header("If-Range", validator_file.read_text("utf-8"))
    with _answer(request, origin) as answer:
        is_resumed = offset > 0 and getattr(answer, "status", None) == 206
        offset = offset if is_resumed else 0
        etag = answer.headers.get("ETag") or ""
        validator = etag if etag and not etag.startswith("W/") else answer.headers.get("Last-Modified")
        if validator:
            validator_file.write_text(validator, "utf-8")
        else:
            validator_file.unlink(missing_ok=True)
        length = parse_int(answer.headers.get("Content-Length") or "")
        total = None if length is None else offset + length
        with part.open("ab" if is_resumed else "wb") as file:
            while block := answer.read(_BLOCK):
                file.write(block)
                offset += len(block)
                if progress is not None:
                    progress(offset, total)
        if total is not None and offset < total:
            raise OSError(f"the connection ended after {offset} of {total} bytes")


def _answer(request: urllib.request.Request, origin: str) -> Any:
    """Return the server's answer; request the whole file if there is nothing after the part.

    That happens if the part was complete when the program was killed, or the file has become shorter.
    """
    try:
        return urllib.request.urlopen(request, timeout=_TIMEOUT_S)  # noqa: S310 - as above
    except urllib.error.HTTPError as error:
        if error.code != http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise
        error.close()
        return urllib.request.urlopen(origin, timeout=_TIMEOUT_S)  # noqa: S310 - as above


# ------------------------------------------------------------------------------
# What the readers of data sets share: lines of JSON with their places, and rows on their way to a study.


T = TypeVar("T")
Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One object of a file and its place: `number` counts lines, or entries of a list, from 1."""

    file: str
    number: int
    values: dict[str, Any]
    remedy: str

    def get(self, name: str, kind: type[T]) -> T:
        """Return a required field; BadInputError if it is missing or of another kind."""
        if name not in self.values:
            others = ", ".join(map(repr, self.values)) or "no field"
            raise self.error(f"the field {name!r} is missing; it has {others}")
        return self.fits(name, self.values[name], kind)

    def maybe(self, name: str, kind: type[T]) -> T | None:
        value = self.values.get(name)
        return None if value is None else self.fits(name, value, kind)

    def numeric(self, name: str) -> float:
        """Return a required field as a finite number."""
        number = parse_float(self.get(name, object))
        if number is None:
            raise self.error(f"{name} is {str(self.values[name])[:80]!r}, expected {_KINDS[float]}")
        return number

    def text(self, name: str) -> str:
        """Return a required field as text; numbers are converted, since an answer may be 42."""
        value = self.get(name, object)
        if not isinstance(value, str | int | float):
            raise self.error(f"{name} is {str(value)[:80]!r}, expected {_KINDS[str]}")
        return str(value)

    def check_choice(self, name: str, value: object, choices: Collection[Hashable]) -> None:
        if not isinstance(value, str | int | float) or isinstance(value, bool) or value not in choices:
            names = ", ".join(map(str, choices))
            raise self.error(f"{name} is {str(value)[:80]!r}, expected one of {names}")

    def fits(self, place: str, value: object, kind: type[T]) -> T:
        """Return a value of the expected kind; BadInputError if it is of another."""
        if not isinstance(value, kind) or (isinstance(value, bool) and kind not in (bool, object)):
            raise self.error(f"{place} is {str(value)[:80]!r}, expected {_KINDS[kind]}")
        return value

    def within(self, place: str, value: object) -> "FileRecord":
        return replace(self, values=self.fits(place, value, dict))

    def error(self, problem: str) -> BadInputError:
        return bad_row(self.file, self.number, problem, self.remedy)


_KINDS: Mapping[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


@dataclass(frozen=True, slots=True)
class DataSet:
    """The rows of a study by table, its description, and its reader's warnings.

    `families` are those of the models that the rows name; others are a family of their own.
    """

    info: StudyInfo
    rows: Mapping[str, Rows]
    warnings: Sequence[str] = ()
    families: Mapping[str, str] = field(default_factory=dict)


def rows_of(items: Iterable[InstanceRows]) -> dict[str, Rows]:
    rows: dict[str, Rows] = defaultdict(list)
    for item in items:
        for table, table_rows in item.tables.items():
            rows[table] += table_rows
    return rows


@dataclass(frozen=True, slots=True)
class DataSetImporter:
    """Reads a file with `read` and writes it as a study, by default under the data set's name."""

    read: Callable[[Path], DataSet]

    def __call__(
        self,
        path: str | Path,
        store: Store,
        name: str | None = None,
        *,
        mode: Mode = "new",
        dry_run: bool = False,
    ) -> WriteReport:
        """Read, check and write; the models table is written even if it is empty."""
        data = self.read(Path(path))
        all_rows = [row for rows in data.rows.values() for row in rows]
        generators = [row[name] for row in all_rows for name in ("generator", "opponent") if row.get(name)]
        names = dict.fromkeys([*generators, *(row["judge"] for row in all_rows if "judge" in row)])
        models = [{"model": name, "family": data.families.get(name, name)} for name in names]
        tables = {}
        for table, rows in {"models": models, **data.rows}.items():
            if rows or table == "models":
                full, present = exchange_table(table, rows), {column for row in rows for column in row}
                tables[table] = full.select([c for c in full.column_names if not rows or c in present])
        study = data.info.name or str(data.info.dataset) if name is None else name
        report = write_study(store, study, tables, data.info, mode=mode, dry_run=dry_run)
        report.warnings += data.warnings
        return report


def json_lines(path: Path, remedy: str) -> Iterator[FileRecord]:
    """Yield the objects of JSON Lines, gzipped or not, blank lines skipped; BadInputError names the line."""
    lines = _text(path, remedy).split("\n")
    if not any(map(str.strip, lines)):
        raise BadInputError(f"{path.name}: the file has no line, expected one JSON object on each; {remedy}")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            problem = f"the line is not JSON ({error}), expected an object"
            raise bad_row(path.name, number, problem, remedy) from error
        if not isinstance(values, dict):
            raise bad_row(path.name, number, f"the line is {line[:80]!r}, expected an object", remedy)
        yield FileRecord(path.name, number, values, remedy)


def json_list(path: Path, remedy: str) -> Iterator[FileRecord]:
    """Yield the objects of a file that is one JSON list; raises the same errors as `json_lines`."""
    try:
        rows = json.loads(_text(path, remedy))
    except (ValueError, RecursionError) as error:
        problem = f"it is not valid JSON ({error}), expected a list of objects"
        raise BadInputError(f"{path.name}: {problem}; {remedy}") from error
    if not isinstance(rows, list) or not rows:
        raise BadInputError(f"{path.name}: it is {str(rows)[:80]!r}, expected a list of objects; {remedy}")
    for number, values in enumerate(rows, start=1):
        if not isinstance(values, dict):
            raise bad_row(path.name, number, f"it is {str(values)[:80]!r}, expected an object", remedy)
        yield FileRecord(path.name, number, values, remedy)


def _text(path: Path, remedy: str) -> str:
    try:
        data = bytes_of(path)
        if data.startswith(b"\x1f\x8b"):
            with gzip.open(path) as stream:
                data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise BadInputError(f"{path.name}: it has more than {LARGEST:,} bytes; {remedy}")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path.name}: byte {error.start} is not UTF-8; {remedy}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise BadInputError(f"{path.name}: cannot be read: {system_words(error)}; {remedy}") from error


_REMEDY = "give input_data.jsonl of google-research's instruction_following_eval"
_SOURCE = "https://github.com/google-research/google-research/tree/master/instruction_following_eval"


@DataSetImporter
def import_ifeval(path: Path) -> DataSet:
    """Read IFEval (Zhou et al. 2023): each instruction is a rubric with its checker and arguments.

    An instance's category is the group of its first instruction. Raises BadInputError naming the line.
    """
    items = []
    for entry in json_lines(path, _REMEDY):
        key = str(entry.get("key", int))
        ids, kwargs = entry.get("instruction_id_list", list), entry.get("kwargs", list)
        if not ids or len(ids) != len(kwargs):
            problem = f"it has {len(ids)} instructions and {len(kwargs)} kwargs, expected equal numbers"
            raise entry.error(problem)
        instructions = []
        for checker, values in zip(ids, kwargs, strict=True):
            if checker not in SHIPPED:
                choices = ", ".join(SHIPPED)
                raise entry.error(f"instruction_id_list has {checker!r}, expected one of {choices}")
            arguments = entry.fits("kwargs", values, dict)
            try:
                instructions.append(rubric_columns(checker, arguments))
            except SpbError as error:
                raise entry.error(str(error)) from error
        rows = InstanceRows(key, prompt=entry.get("prompt", str), category=instructions[0]["axis"])
        for place, instruction in enumerate(instructions, start=1):
            rows.rubric(f"r{place}", **instruction)
        items.append(rows)
    info = StudyInfo(title="IFEval", dataset="ifeval", licence="Apache-2.0", source=_SOURCE)
    return DataSet(info, rows_of(items))


_ALPACA = "give alpaca_eval.json of tatsu-lab/alpaca_eval"
_MATH = "give test.jsonl of MATH-500 (prm800k's math_splits)"
_MBPP = "give MbppPlus.jsonl.gz of evalplus/mbppplus_release"


@DataSetImporter
def import_alpaca(path: Path) -> DataSet:
    """Read AlpacaEval's instructions as numbered instances, and its baseline's outputs as responses."""
    items = []
    entries = list(json_list(path, _ALPACA))
    for entry in entries:
        number, generator = f"{entry.number:0{len(str(len(entries)))}}", entry.maybe("generator", str)
        category = entry.maybe("dataset", str)
        rows = InstanceRows(number, prompt=entry.get("instruction", str), category=category)
        if generator is not None:
            rows.response(generator, entry.get("output", str))
        items.append(rows)
    source = "https://huggingface.co/datasets/tatsu-lab/alpaca_eval"
    info = StudyInfo(title="AlpacaEval", dataset="alpaca-eval", licence="CC-BY-NC-4.0", source=source)
    return DataSet(info, rows_of(items))


@DataSetImporter
def import_math500(path: Path) -> DataSet:
    """Read MATH-500's problems as instances, with one rubric: that the final answer is right."""
    items = []
    for entry in json_lines(path, _MATH):
        answer, level = entry.get("answer", str), entry.maybe("level", int)
        name, prompt = entry.get("unique_id", str), entry.get("problem", str)
        category, theme = entry.maybe("subject", str), None if level is None else f"level {level}"
        rows = InstanceRows(name, prompt=prompt, category=category, theme=theme, reference_answer=answer)
        criterion = f"The final answer is mathematically equal to {answer}"
        rows.rubric("correct", criterion=criterion, axis="accuracy")
        items.append(rows)
    source = "https://github.com/openai/prm800k"
    info = StudyInfo(title="MATH-500", dataset="math500", licence="MIT", source=source)
    return DataSet(info, rows_of(items))


@DataSetImporter
def import_mbpp_plus(path: Path) -> DataSet:
    """Read MBPP+'s tasks as instances, with one rubric: that the function is right for every valid input.

    No code is run: whether a response is right must come from EvalPlus, as references.
    """
    items = []
    for entry in json_lines(path, _MBPP):
        prompt = entry.get("prompt", str).strip().removeprefix('"""').removesuffix('"""').strip()
        prompt, solution = f"Write a Python function.\n\n{prompt}", entry.get("canonical_solution", str)
        rows = InstanceRows(entry.get("task_id", str), prompt=prompt, reference_answer=solution.strip("\n"))
        function = entry.get("entry_point", str)
        criterion = f"The code defines `{function}`, and it returns the right result for all valid inputs."
        rows.rubric("correct", criterion=criterion, axis="accuracy")
        items.append(rows)
    source = "https://github.com/evalplus/mbppplus_release"
    info = StudyInfo(title="MBPP+", dataset="mbpp-plus", licence="Apache-2.0", source=source)
    return DataSet(info, rows_of(items))


# ------------------------------------------------------------------------------
# Data sets and published studies that the user's own machine downloads, checked by sha256.


class Dataset(pydantic.BaseModel):
    """One entry of the catalogue: a data set of questions, or a study with verdicts.

    With `files`, the address is that of a folder, and these files of it are read together; with `listing`, it
    is that of a repository at one commit, `listing` the address of Git's list of its files, and those in
    `folders` with a name that matches `pattern` are read together. `loader` names the
    module and function of `engine.importers` that reads the file; otherwise `format` is a format of
    `spb import`, and `judge` the judge if the file does not name it. `measures` says what can be measured. An
    entry without `sha256` is not pinned: the sum of a download is shown but not compared.
    """

    model_config = pydantic.ConfigDict(extra="forbid")

    name: str
    title: str
    licence: str
    size: str
    url: str
    files: tuple[str, ...] = ()
    listing: str | None = None
    folders: tuple[str, ...] = ()
    pattern: str | None = None
    sha256: str | None = pydantic.Field(default=None, pattern="^[0-9a-f]{64}$")
    loader: str | None = pydantic.Field(default=None, pattern=r"^[a-z_]+:[a-z0-9_]+$")
    format: str | None = None
    judge: str | None = None
    measures: str | None = None

    @pydantic.model_validator(mode="after")
    def _check_reader(self) -> "Dataset":
        if (self.loader is None) == (self.format is None):
            raise ValueError("give loader or format, one of the two")
        several = bool(self.files or self.listing)
        if several and (self.sha256 or self.loader or not self.url.endswith("/")):
            raise ValueError("give files with a format, no sha256, and an address that ends in a slash")
        of_list = (self.listing, self.folders, self.pattern)
        if any(of_list) and (self.files or not all(of_list)):
            raise ValueError("give listing, folders and pattern together, and no files")
        return self

    @property
    def host(self) -> str:
        return urllib.parse.urlsplit(self.url).netloc


def catalogue_path() -> Path:
    return DATASETS / "catalogue.toml"


def catalogue() -> dict[str, Dataset]:
    """Return the catalogue by name; UsageError if the project was installed without its data."""
    path = catalogue_path()
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UsageError(
            f"the catalogue {str(path)!r} is missing; install with `pip install -e .`"
        ) from error
    return {name: Dataset(name=name, **fields) for name, fields in tomllib.loads(text).items()}


def fetch(
    name: str,
    store: Store,
    study: str | None = None,
    *,
    origin: str | None = None,
    mode: Mode = "new",
    progress: Progress | None = None,
) -> WriteReport:
    """Get the entry's file (from `origin`, a URL or path, if given) and write it as a study.

    A wrong sum is a warning for `origin` and BadInputError for the catalogue's own address. An entry that is
    not pinned gives a warning with the sum. Raises SpbError if the download fails and BadInputError if the
    file does not match its format; nothing is written then.
    """
    entries = catalogue()
    if name not in entries:
        raise unknown("data set", name, entries)
    entry = entries[name]
    study = name if study is None else study
    existing_study(store, study, mode)  # refused before anything is downloaded
    with _files_of(entry, origin, progress) as (path, warnings):
        if entry.loader is not None:
            module, function = entry.loader.split(":")
            loader: Importer = getattr(import_module(f"engine.importers.{module}"), function)
            report = loader(str(path), store, study, mode=mode)
        else:
            from engine.importers.pipeline import reading
            from engine.importers.registry import row_format

            options = ImportOptions(judge=entry.judge)
            with reading(row_format(str(entry.format)), path, options) as content:
                report = content.write(store, study, mode=mode)
                left_out = content.report.left_out.items()
                report.warnings += [f"left out, {why}: {quantity(out.count, 'row')}" for why, out in left_out]
    report.warnings[:0] = warnings
    return report


@contextmanager
def _files_of(
    entry: Dataset, origin: str | None, progress: Progress | None
) -> Iterator[tuple[Path, list[str]]]:
    """Yield the entry's file, or the folder of its files, with warnings about sums and missing files."""
    folder = None if origin is None else Path(os.path.expanduser(origin))
    if folder is not None and folder.is_dir():
        yield folder, []
    elif origin is not None or not (entry.files or entry.listing):
        with local_copy(origin or entry.url, progress) as path:
            yield path, _check_sum(path, entry, origin)
    elif entry.listing is not None:
        with local_copy(entry.listing, None) as path:
            sums, empty = listed_files(path, entry.folders, entry.pattern or "")
        with local_copies(entry.url, list(sums), progress, sums) as (folder, missing):
            warnings = [f"the list of files has none in {name}" for name in empty]
            yield folder, [*warnings, *(f"{entry.url}{name} no longer exists" for name in missing)]
    else:
        with local_copies(entry.url, entry.files, progress) as (folder, missing):
            warnings = [f"{entry.url}{name} no longer exists" for name in missing]
            yield folder, [*warnings, f"the catalogue has no sums of the {len(entry.files)} files"]


def _check_sum(path: Path, entry: Dataset, origin: str | None) -> list[str]:
    """Return the warnings about the file's sum; BadInputError if it differs from the catalogue's."""
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if entry.sha256 is None:
        sentence = f"the sha256 of {origin or entry.url!r} is {actual}"
        return [f"{sentence}; the catalogue has none to compare it with"]
    if actual == entry.sha256:
        return []
    problem = f"the sha256 of {origin or entry.url!r} is {actual}, the catalogue has {entry.sha256}"
    if origin is None:
        raise BadInputError(f"{problem}; download again, or give a file with --from")
    return [f"{problem}: it is another version of the file"]


def demonstrations() -> list[str]:
    return sorted(study.name for study in RESULTS.glob("demo-*"))


def copy_demonstrations(folder: Path) -> None:
    """Copy the demonstrations that are not in the folder yet."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in demonstrations():
            if not (folder / name).exists():
                copy = folder / f".{name}.coming"
                shutil.copytree(RESULTS / name, copy, dirs_exist_ok=True)
                copy.rename(folder / name)
    except OSError as error:
        why = system_words(error)
        raise UsageError(
            f"the studies cannot be copied to {str(folder)!r}: {why}; give another folder with --store"
        ) from error
