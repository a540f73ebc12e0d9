"""The keys of millions of rows as exact integer codes, which find rows that repeat one another."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine import schema

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


def one_orientation(table: schema.TableSchema, codes: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
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
