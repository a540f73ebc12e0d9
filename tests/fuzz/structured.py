"""Changes that keep a file's format whole: a value of JSON, a cell of CSV, a column of Parquet, a member
of an archive. JSON within a text is changed in place.
"""

import copy
import csv
import gzip
import io
import json
import random
import zipfile
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2,
        1.5,
        -0.0,
        1e308,
        float("inf"),
        float("nan"),
        10**30,
        10**400,
        2**53 + 1,
        2**63,
    ),
    *("", " ", "x", "\ud800", "\x00", "\u202e", "\x1b[31m", "9" * 5000, "../x", "a" * 20_000, "[", "{", "=1"),
    *("true", "tie", "A", "B", "7", "nan", "[RESULT] 3", '{"a": 1}', "[[", "1/2", "\n", "2026-01-01", "NULL"),
    *([], {}, [[]], [None], ["x"], [{}], {"a": None}, {"": ""}, {"role": "user"}, [1, "a", None], [[], {}]),
)
"""Values that stand where others are expected."""

_TYPES = (
    pa.string(),
    pa.large_string(),
    pa.binary(),
    pa.int8(),
    pa.uint64(),
    pa.float32(),
    pa.float16(),
    pa.bool_(),
    pa.date32(),
    pa.timestamp("ns", "UTC"),
    pa.time64("us"),
    pa.duration("s"),
    pa.decimal128(38, 9),
    pa.null(),
    pa.list_(pa.string()),
    pa.struct({"a": pa.string()}),
    pa.dictionary(pa.int8(), pa.string()),
    pa.string_view(),
)


def restructured(name: str, data: bytes, rng: random.Random) -> bytes:
    """Return a file with one of its parts changed, in the format that its name implies."""
    suffix = name.removesuffix(".gz").rpartition(".")[2]
    try:
        return _FORMATS.get(suffix, _as_text)(data, rng)
    except Exception:  # an earlier change has spoilt the format
        return data[: rng.randrange(len(data) + 1)]


def _as_text(data: bytes, rng: random.Random) -> bytes:
    """Change a JSON object within a text, else put JSON into it."""
    text = data.decode("utf-8", "surrogateescape")
    start, end = text.find("{"), text.rfind("}") + 1
    if 0 <= start < end:
        inner = _as_json(text[start:end].encode("utf-8", "surrogateescape"), rng)
        return text[:start].encode("utf-8", "surrogateescape") + inner + data[len(data) :]
    return data + json.dumps(rng.choice(VALUES)).encode()


def _as_json(data: bytes, rng: random.Random) -> bytes:
    return _dumped(changed_value(json.loads(data), rng), rng)


def _as_json_lines(data: bytes, rng: random.Random) -> bytes:
    rows = [json.loads(line) for line in data.splitlines() if line.strip()]
    return b"".join(_dumped(row, rng) + b"\n" for row in changed_value(rows, rng))


def _dumped(value: Any, rng: random.Random) -> bytes:
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
    return text.encode("utf-8", "surrogatepass")


def changed_value(value: Any, rng: random.Random) -> Any:
    """Return a copy of a JSON value with one or two places changed, taken away, doubled or swapped."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 2))):
        places = places_of(value)
        if not places:
            return rng.choice(VALUES) if not isinstance(value, list) else value
        container, key = rng.choice(places)
        what = rng.random()
        if what < 0.6:
            container[key] = copy.deepcopy(rng.choice(VALUES))
        elif what < 0.75:
            del container[key]
        elif what < 0.85:
            other, there = rng.choice(places)
            container[key] = copy.deepcopy(other[there])
        elif what < 0.92 and isinstance(container, list):
            container.insert(key, copy.deepcopy(container[key]))
        elif what < 0.96:
            container[key] = [container[key]]
        else:
            container[key] = _nested(container[key], rng.choice((50, 900, 5000)))
    return value


def _nested(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value]
    return value


def places_of(value: Any) -> list[tuple[Any, Any]]:
    """Return every (container, key) within a value."""
    places, waiting = [], [value]
    while waiting:
        here = waiting.pop()
        keys = list(here) if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else []
        places += [(here, key) for key in keys]
        waiting += [here[key] for key in keys]
    return places


def _as_csv(data: bytes, rng: random.Random) -> bytes:
    rows = list(csv.reader(io.StringIO(data.decode("utf-8", "surrogateescape"), newline="")))
    rows = [row if isinstance(row, list) else [str(row)] for row in changed_value(rows, rng)]
    text = io.StringIO(newline="")
    csv.writer(text).writerows(["" if cell is None else cell for cell in row] for row in rows)
    return text.getvalue().encode("utf-8", "surrogatepass" if rng.random() < 0.5 else "replace")


def _as_parquet(data: bytes, rng: random.Random) -> bytes:
    """Retype, rename, drop or change one column; the file stays whole."""
    table = pq.read_table(io.BytesIO(data))
    at = rng.randrange(table.num_columns)
    name, column = table.column_names[at], table.column(at)
    what = rng.randrange(4)
    if what == 0:
        table = table.set_column(at, name, _retyped(column, rng.choice(_TYPES)))
    elif what == 1:
        table = table.drop_columns([name])
    elif what == 2:
        table = table.append_column(rng.choice([*table.column_names, "x", ""]), column)
    else:
        values = column.to_pylist()
        values[rng.randrange(len(values))] = rng.choice(values)
        table = table.set_column(at, name, pa.array(values, column.type))
    written = io.BytesIO()
    pq.write_table(table, written, row_group_size=rng.choice((1, 1000)))
    return written.getvalue()


def _retyped(column: pa.ChunkedArray, kind: pa.DataType) -> pa.Array:
    try:
        return column.cast(kind)
    except pa.ArrowException:
        return pa.nulls(len(column), kind)


def _as_archive(data: bytes, rng: random.Random) -> bytes:
    """Change one member of a zip archive, its name, or how it is packed."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        members = {info.filename: packed.read(info) for info in packed.infolist()}
    name = rng.choice(sorted(members))
    if rng.random() < 0.8:
        members[name] = _as_json(members[name], rng)
    else:
        members[rng.choice(("../x.json", "samples/x.json", "header.json", "\u202e"))] = members.pop(name)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return written.getvalue()


def _packed(data: bytes, rng: random.Random) -> bytes:
    return gzip.compress(_as_json_lines(data, rng), mtime=0)


_FORMATS = {
    "json": _as_json,
    "jsonl": lambda data, rng: (_as_json_lines if rng.random() < 0.95 else _packed)(data, rng),
    "csv": _as_csv,
    "parquet": _as_parquet,
    "eval": _as_archive,
}
