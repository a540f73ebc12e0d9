"""The checks of a study: values allowed by paradigm, unique keys, references that exist."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine import schema
from engine.schema import read_options
from engine.store.conversion import Batch, Places, Source, first_true, missing_column, stored_form

# ------------------------------------------------------------------------------
# What rows of each paradigm must and must not contain, checked on whole batches.


Columns = dict[str, pa.Array]
Mask = np.ndarray
Present = dict[str, Mask]  # mask of the rows that have a value, by column


@dataclass(frozen=True, slots=True)
class Breach:
    """Rows (a mask) that break a rule, the column whose value is shown, what is wrong and what to do."""

    rows: Mask
    column: str
    problem: str
    remedy: str


def check_rows(columns: Columns, batch: Batch) -> None:
    """Raise BadInputError for the first row that breaks the rules of its table."""
    table = batch.table.name
    if table == "judgments":
        breaches = _judgment_breaches(columns, batch.rows.num_rows)
    elif table in ("preferences", "pairs"):
        breaches = _same_model_breaches(columns)
    elif table == "rubrics":
        breaches = _option_breaches(columns)
    else:
        return
    for breach in breaches:
        if not breach.rows.any():
            continue
        index = int(breach.rows.argmax())
        value = columns[breach.column][index].as_py() if breach.column in columns else None
        raise batch.error(index, f"{breach.column} is {value!r}, {breach.problem}", breach.remedy)


def _judgment_breaches(columns: Columns, size: int) -> Iterator[Breach]:
    paradigm, ok = columns["paradigm"], equals(columns["status"], "ok")
    names = ("met", "score", "choice", "p_generator", "opponent", "rubric_id")
    present = dict.fromkeys(names, np.zeros(size, bool))
    for name in columns.keys() & set(names):
        present[name] = columns[name].is_valid().to_numpy(zero_copy_only=False)
    for name in ("met", "score", "choice"):
        yield Breach(
            present[name] & ~ok,
            name,
            f"but only rows with status 'ok' carry {name}",
            "set the status to 'ok' or leave the value out",
        )
    for subject, verdict in _VERDICTS.items():
        paradigms = [name for name, traits in schema.TRAITS.items() if traits.subject == subject]
        rows = np.logical_or.reduce([equals(paradigm, name) for name in paradigms])
        if not rows.any():
            continue
        if subject in _REQUIRED:
            column, problem, remedy = _REQUIRED[subject]
            yield Breach(rows & ~present[column], column, problem, remedy)
        if verdict is not None:
            column, remedy = verdict
            remedy = f"{remedy}, or set the status to 'unparsed'"
            yield Breach(rows & ok & ~present[column], column, "but the row's status is 'ok'", remedy)
        if subject in _RANGES and "score" in columns:
            low, high, problem, remedy = _RANGES[subject]
            score = _numbers(columns["score"])
            yield Breach(rows & ok & ((score < low) | (score > high)), "score", problem, remedy)
        if subject in _RULES:
            yield from _RULES[subject](columns, present, rows, rows & ok)


def _pair_breaches(columns: Columns, present: Present, rows: Mask, ok: Mask) -> Iterator[Breach]:
    for breach in _same_model_breaches(columns):
        yield Breach(rows & breach.rows, breach.column, breach.problem, breach.remedy)
    yield Breach(
        ok & ~present["choice"] & ~present["p_generator"],
        "choice",
        "but the row's status is 'ok' and p_generator is missing too",
        "write the choice ('generator', 'opponent' or 'tie'), or set the status to 'unparsed'",
    )


def _score_rubric_breaches(columns: Columns, _: Present, rows: Mask, ok: Mask) -> Iterator[Breach]:
    if not {"score", "position", "ordering"} <= columns.keys():
        return
    score, position = _numbers(columns["score"]), _numbers(columns["position"])
    ordering = columns["ordering"]
    codes = pc.fill_null(ordering.indices, -1).to_numpy()
    wrong = np.zeros(len(rows), bool)
    for code, text in enumerate(ordering.dictionary.to_pylist()):
        try:
            options = np.array([float(part) for part in (text or "").split("-")])
        except ValueError:  # not an ordering such as 5-4-3-2-1
            continue
        in_ordering = ok & (codes == code) & ~np.isnan(score) & ~np.isnan(position)
        place = np.clip(np.nan_to_num(position, nan=1).astype(np.int64) - 1, 0, len(options) - 1)
        wrong |= in_ordering & ((position > len(options)) | (options[place] != score))
    yield Breach(
        wrong,
        "position",
        "which is not the position of the score in the row's ordering",
        "correct position, score or ordering, or leave position out",
    )


def _list_breaches(columns: Columns, _: Present, rows: Mask, ok: Mask) -> Iterator[Breach]:
    """Check ranks against the models in `ordering`: each row's generator is one of them, at its position."""
    size = len(rows)
    orderings = columns["ordering"].dictionary.to_pylist() if "ordering" in columns else []
    code = pc.fill_null(columns["ordering"].indices, -1).to_numpy() if orderings else np.full(size, -1)
    lists = [schema.shown_models(text) or () for text in orderings]
    places = [{name: place for place, name in enumerate(models, 1)} for models in [*lists, ()]]
    generator = columns["generator"].to_pylist()
    triples = zip(code, generator, rows, strict=True)
    place = np.array([places[c].get(name, 0) if is_list else 1 for c, name, is_list in triples])
    yield Breach(
        rows & (place == 0),
        "ordering",
        "which is not a JSON list of the ranked models with the generator among them",
        'write the models in the order shown, such as ["m1", "m2"]',
    )
    if "position" in columns:
        position = _numbers(columns["position"])
        yield Breach(
            rows & ~np.isnan(position) & (position != place),
            "position",
            "which is not the position of the generator in the row's ordering",
            "correct position or ordering, or leave position out",
        )
    length = np.array([len(models) for models in places])[code]
    score = _numbers(columns["score"]) if "score" in columns else np.full(size, np.nan)
    yield Breach(
        ok & ((score < 1) | (score > length)),
        "score",
        "which is not a rank in the list",
        "it must be from 1, the best, to the number of responses in the list",
    )


def _same_model_breaches(columns: Columns) -> Iterator[Breach]:
    if "opponent" not in columns:
        return
    same = pc.equal(columns["generator"].cast(pa.string()), columns["opponent"].cast(pa.string()))
    yield Breach(
        pc.fill_null(same, False).to_numpy(zero_copy_only=False),
        "opponent",
        "which is the generator itself",
        "a pair needs two different models; correct one of them",
    )


def _option_breaches(columns: Columns) -> Iterator[Breach]:
    if "options" not in columns:
        return
    texts = columns["options"].dictionary.to_pylist()
    is_invalid = np.array([bool(text) and read_options(text) is None for text in texts], bool)
    yield Breach(
        _in_rows(columns["options"], is_invalid),
        "options",
        "which is not a JSON list of scores, each with its text",
        'write it as [{"score": 1, "text": "what it stands for"}]',
    )


def equals(array: pa.Array, text: str) -> Mask:
    """Return the mask of a dictionary-encoded array's rows that equal the text."""
    return _in_rows(array, pc.equal(array.dictionary, text).to_numpy(zero_copy_only=False))


def _in_rows(array: pa.Array, hits: Mask) -> Mask:
    """Return for each row of a dictionary-encoded array whether its distinct value is a hit."""
    hits = np.append(hits, False)  # the place that nulls point to
    return np.asarray(hits[pc.fill_null(array.indices, -1).to_numpy()])


def _numbers(array: pa.Array) -> Mask:
    return np.asarray(pc.fill_null(array.cast(pa.float64()), np.nan).to_numpy())


_REQUIRED = {
    "rubric": ("rubric_id", "but the paradigm judges rubrics", "name the rubric"),
    "pair": ("opponent", "but a pair has two responses", "name the other response's model"),
    "dimension": ("rubric_id", "but a quality row rates a dimension", "name the dimension"),
}
"""The column that a judgment must fill, with the problem and the remedy if it does not, by subject."""

_SCORE = ("score", "write the score")
_VERDICTS = {
    "rubric": ("met", "write whether the criterion is met"),
    "response": _SCORE,
    "pair": None,  # a choice or a probability: see its rule
    "list": _SCORE,
    "options": _SCORE,
    "dimension": _SCORE,
    "words": _SCORE,
}
"""The column of the verdict, with the remedy if it is missing, by subject."""

_RANGES = {
    "response": (0, 1, "which is out of range for its paradigm", "it must be from 0 to 1"),
    "dimension": (0, 10, "which is out of range for its paradigm", "it must be from 0 to 10"),
    "words": (
        -np.inf,
        0,
        "which is not a mean log-probability of words",
        "it must be 0 or below, in natural logarithms",
    ),
}
"""The range of scores, with the problem and the remedy outside it, by subject."""

_RULES: dict[str, Callable[[Columns, Present, Mask, Mask], Iterator[Breach]]] = {
    "pair": _pair_breaches,
    "list": _list_breaches,
    "options": _score_rubric_breaches,
}
"""The other checks of a judgment, by subject."""


# ------------------------------------------------------------------------------
# Duplicate rows: the keys of millions of rows as exact integer codes.


_LIMIT = 2**62


class Vocabulary:
    """Numbers distinct values from 1 as they come; 0 is null, -1 a value outside a closed vocabulary."""

    def __init__(self, kind: pa.DataType, values: pa.Array | None = None) -> None:
        self.values = pa.array([], kind) if values is None else values

    def codes(self, array: pa.Array, *, grow: bool) -> np.ndarray:
        """Return the numbers of the array's values, int32; new values are added if `grow`."""
        encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
        codes = pc.unique(encoded.indices).drop_null()
        values = encoded.dictionary.take(codes)
        places = pc.index_in(values, value_set=self.values)
        if grow and places.null_count:
            new_values = pc.unique(values.filter(places.is_null()))
            self.values = pa.concat_arrays([self.values, new_values])
            places = pc.index_in(values, value_set=self.values)
        numbers = np.full(len(encoded.dictionary) + 1, -1, np.int32)
        numbers[codes.to_numpy()] = pc.fill_null(places, -2).to_numpy() + 1
        numbers[-1] = 0
        return np.asarray(numbers[pc.fill_null(encoded.indices, len(numbers) - 1).to_numpy()])


class Keys:
    """The keys of a table's rows, gathered in order: a byte or two per row and varying column."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.columns = columns
        self._codes: dict[str, list[np.ndarray]] = {column: [] for column in columns}
        self._sizes: list[int] = []
        self._rows: list[tuple[int, np.ndarray]] = []

    def add(self, codes: dict[str, np.ndarray], rows: np.ndarray) -> None:
        """Add the numbers of a batch's key columns; `rows` are their indices in the table, ascending."""
        if not len(rows):
            return
        self._sizes.append(len(rows))
        marks = np.zeros(rows[-1] - rows[0] + 1, dtype=bool)
        marks[rows - rows[0]] = True
        self._rows.append((int(rows[0]), np.packbits(marks)))
        for column in self.columns:
            narrow = codes[column].astype(np.min_scalar_type(int(codes[column].max())))
            is_constant = bool((narrow == narrow[0]).all())
            self._codes[column].append(narrow[:1].copy() if is_constant else narrow)

    def repeats(self) -> tuple[np.ndarray, np.ndarray]:
        """Return (row, an earlier row with the same key) for every row that repeats one."""
        keys = self._row_keys()
        keys.sort()  # in place: a copy would be the largest thing in memory
        duplicates = np.unique(keys[1:][keys[1:] == keys[:-1]])
        if not len(duplicates):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        del keys
        keys = self._row_keys()
        candidates = np.flatnonzero(np.isin(keys, duplicates))
        rows = np.concatenate([first + np.flatnonzero(np.unpackbits(marks)) for first, marks in self._rows])
        keys, rows = keys[candidates], rows[candidates]
        order = np.argsort(keys, kind="stable")
        repeats = np.flatnonzero(keys[order[1:]] == keys[order[:-1]]) + 1
        later, earlier = rows[order[repeats]], rows[order[repeats - 1]]
        by_row = np.argsort(later, kind="stable")
        return later[by_row], earlier[by_row]

    def _row_keys(self) -> np.ndarray:
        """Return one int64 per row, equal exactly for rows with equal keys."""
        keys = np.zeros(sum(self._sizes), np.int64)
        size = 1
        for column in self.columns:
            numbers = self._codes[column]
            radix = max((int(part.max()) for part in numbers), default=0) + 1
            if radix == 1:
                continue
            if size * radix > _LIMIT:
                distinct, keys = np.unique(keys, return_inverse=True)
                size = len(distinct)
            keys *= radix
            start = 0
            for part, length in zip(numbers, self._sizes, strict=True):
                keys[start : start + length] += part  # a single number if all rows are alike
                start += length
            size *= radix
        return keys


def one_orientation(table: schema.Table, codes: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the codes with pairs turned so that both ways to write one presentation are equal.

    In judgments (A, B, first generator) equals (B, A, first opponent), and (A, B) equals (B, A) if `first` is
    unknown or null. In preferences (A, B) always equals (B, A). `first` is coded 1 generator, 2 opponent, 3
    unknown, 0 null.
    """
    if table.name not in ("judgments", "preferences"):
        return codes
    generator, opponent = codes["generator"], codes["opponent"]
    swap = (opponent > 0) & (opponent < generator)
    result = dict(codes)
    if table.name == "judgments":
        first = codes["first"]
        swap = np.where((first == 1) | (first == 2), (first == 2) & (opponent > 0), swap)
        result["first"] = np.where(swap & (first == 2), 1, first)
    result["generator"] = np.where(swap, opponent, generator)
    result["opponent"] = np.where(swap, generator, opponent)
    return result


# ------------------------------------------------------------------------------
# The checks of every row written to a store, repeated by `spb validate`.


@dataclass(slots=True)
class TableReport:
    name: str
    rows: int = 0
    defaults: dict[str, int] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    unchanged: int = 0  # rows that the study already has


class KnownKeys:
    """The keys of the tables checked so far, to which later tables may refer."""

    def __init__(self) -> None:
        self._vocabularies: dict[str, Vocabulary] = {}
        self._rubrics = np.empty(0, np.int64)

    def add(self, table: schema.Table, rows: pa.Table) -> None:
        if table.name in ("models", "instances"):
            self._vocabularies[table.name] = Vocabulary(pa.string(), _plain(rows[table.key[0]]))
        elif table.name == "rubrics" and rows.num_rows:
            names = ("instance_id", "rubric_id")
            pairs = [self._numbers(table.column(name), _plain(rows[name])) for name in names]
            self._rubrics = np.unique(_rubric_key(*pairs))

    def codes(self, columns: Columns, batch: Batch) -> dict[str, np.ndarray]:
        """Return the codes of all key and referring columns; BadInputError for an unknown reference."""
        codes: dict[str, np.ndarray] = {}
        for column in batch.table.columns:
            if column.refers is None and column.name not in batch.table.key:
                continue
            if column.name not in columns:
                codes[column.name] = np.zeros(batch.rows.num_rows, np.int32)
                continue
            codes[column.name] = numbers = self._numbers(column, columns[column.name])
            unknown = first_true(numbers < 0)
            if unknown is not None:
                value = columns[column.name][unknown].as_py()
                problem = f"{column.name} is {value!r}, which is not in {column.refers}"
                raise batch.error(unknown, problem, f"add it to {column.refers} or correct it")
        if batch.table.name in ("judgments", "references"):
            self._check_rubrics(columns, codes, batch)
        return codes

    def _numbers(self, column: schema.Column, array: pa.Array) -> np.ndarray:
        name = column.refers or column.name
        if name not in self._vocabularies:
            seed = pa.array(("generator", "opponent", "unknown")) if name == "first" else None
            kind = pa.string() if column.kind == "text" else pa.int64()
            self._vocabularies[name] = Vocabulary(kind, seed)
        return self._vocabularies[name].codes(array, grow=column.refers is None)

    def _check_rubrics(self, columns: Columns, codes: Mapping[str, np.ndarray], batch: Batch) -> None:
        with_rubric = codes["rubric_id"] > 0
        if batch.table.name == "judgments":  # some name a dimension there, which is not in rubrics
            structured = equals(columns["paradigm"], "pairwise") & equals(columns["variant"], "structured")
            with_rubric &= ~(equals(columns["paradigm"], "quality") | structured)
        if len(self._rubrics):
            keys = _rubric_key(codes["instance_id"], codes["rubric_id"])
            places = np.minimum(np.searchsorted(self._rubrics, keys), len(self._rubrics) - 1)
            with_rubric &= self._rubrics[places] != keys
        unknown = first_true(with_rubric)
        if unknown is not None:
            instance, rubric = (columns[name][unknown].as_py() for name in ("instance_id", "rubric_id"))
            problem = f"rubric_id is {rubric!r}, which instance {instance!r} does not have in rubrics"
            raise batch.error(unknown, problem, "add it to rubrics or correct it")


class TableCheck:
    """The checks of one table, batch by batch; duplicates are found at the end."""

    def __init__(self, source: Source, known_keys: KnownKeys) -> None:
        for column in source.table.columns:
            if source.columns is not None and column.required and column.name not in source.columns:
                raise missing_column(source.table, column)
        self.source, self.known_keys = source, known_keys
        self.places = Places()
        self.defaults: Counter[str] = Counter()
        self.skipped = 0
        self.keys = Keys(source.table.key)

    def skip(self, stored: Iterable[pa.RecordBatch]) -> None:
        """Add the keys of rows that the study already has, which come before the source's own."""
        for rows in stored:
            columns = dict(zip(rows.schema.names, rows.columns, strict=True))
            self._add_keys(columns, Batch(self.source.table, rows), self.skipped)
            self.skipped += rows.num_rows

    def batches(self) -> Iterator[Columns]:
        """Yield the source's batches in stored form; BadInputError for the first bad row."""
        for batch in self.source.batches:
            if self.source.columns is None and batch.first == 1 and batch.rows.num_rows == 0:
                continue
            columns = stored_form(self.source, batch, self.defaults)
            check_rows(columns, batch)
            self._add_keys(columns, batch, self.skipped + self.places.rows)
            self.places.add(batch)
            yield columns

    def _add_keys(self, columns: Columns, batch: Batch, start: int) -> None:
        table = self.source.table
        codes = self.known_keys.codes(columns, batch)
        rows = np.arange(start, start + batch.rows.num_rows)
        if table.name == "judgments":
            # Only verdicts must be unique: a call may fail more than once.
            ok = equals(columns["status"], "ok")
            codes, rows = {name: numbers[ok] for name, numbers in codes.items()}, rows[ok]
        self.keys.add(one_orientation(table, codes), rows)

    def refuse_repeats(self, later: np.ndarray, earlier: np.ndarray, values: Columns | None = None) -> None:
        """Raise BadInputError for the first of the repeated rows; `values` are that row's key columns."""
        if not len(later):
            return
        table = self.source.table
        key_text = ", ".join(f"{k}={v[0].as_py()!r}" for k, v in (values or {}).items() if v[0].is_valid)
        original = "a row that the study already has"
        if earlier[0] >= self.skipped:
            number, file = self.places.of(int(earlier[0]) - self.skipped)
            original = f"row {number}" + (f" of {file}" if file else "")
        problem = f"the key ({key_text or ', '.join(table.key)}) repeats that of {original}"
        if table.name in ("judgments", "preferences") and "opponent" in (values or {}):
            problem += " (a pair counts once, whichever way round it is written)"
        or_else = ", or give them different trials or run_ids" if table.name == "judgments" else ""
        row = int(later[0]) - self.skipped
        raise self.places.error(table.name, row, problem, f"keep one of the two{or_else}")

    def report(self) -> TableReport:
        source = self.source
        return TableReport(source.table.name, self.places.rows, dict(self.defaults), tuple(source.ignored))


def _plain(array: pa.ChunkedArray) -> pa.Array:
    plain = array.cast(pa.string()).combine_chunks()
    return plain if isinstance(plain, pa.Array) else pa.concat_arrays(plain.chunks)


def _rubric_key(instances: np.ndarray, rubrics: np.ndarray) -> np.ndarray:
    """Return one int64 for each (instance, rubric); both are numbers below 2**31."""
    return np.asarray((instances.astype(np.int64) << 32) | rubrics)
