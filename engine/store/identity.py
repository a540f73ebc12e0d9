"""Which rows are the same row: keys of millions of rows as exact integer codes.

Each column of a key is numbered by a `Vocabulary`; the numbers of one row are combined into a single
64-bit integer (mixed radix). Where the product of the vocabularies' sizes would not fit, the part
combined so far is numbered anew, so that nothing is ever hashed or rounded.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine import schema

_LIMIT = 2**62


class Vocabulary:
    """Numbers distinct values from 1 as they come; 0 is null, -1 a value not in a closed vocabulary."""

    def __init__(self, kind: pa.DataType, values: pa.Array | None = None) -> None:
        """Hold `values`, all distinct (none at first)."""
        self.values = pa.array([], kind) if values is None else values

    def __len__(self) -> int:
        return len(self.values)

    def codes(self, array: pa.Array, *, grow: bool) -> np.ndarray:
        """Return the numbers of the array's values, int32; new values are added where `grow`."""
        coded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
        used = pc.unique(coded.indices).drop_null()
        present = coded.dictionary.take(used)
        known = pc.index_in(present, value_set=self.values)
        if grow and known.null_count:
            fresh = pc.unique(present.filter(known.is_null()))
            self.values = pa.concat_arrays([self.values, fresh])
            known = pc.index_in(present, value_set=self.values)
        numbers = np.full(len(coded.dictionary) + 1, -1, np.int32)
        numbers[used.to_numpy()] = pc.fill_null(known, -2).to_numpy() + 1
        numbers[-1] = 0
        return np.asarray(numbers[pc.fill_null(coded.indices, len(numbers) - 1).to_numpy()])


class Keys:
    """The keys of a table's rows, gathered batch by batch: a byte or two for each row and column that varies.

    Rows are added in order.
    """

    def __init__(self, columns: tuple[str, ...]) -> None:
        """Gather keys made of `columns`."""
        self.columns = columns
        self._gathered: dict[str, list[np.ndarray]] = {column: [] for column in columns}
        self._sizes: list[int] = []
        self._rows: list[tuple[int, np.ndarray]] = []

    def add(self, codes: dict[str, np.ndarray], rows: np.ndarray) -> None:
        """Add the numbers of a batch's key columns; `rows` are their places in the table, ascending."""
        if not len(rows):
            return
        self._sizes.append(len(rows))
        marks = np.zeros(rows[-1] - rows[0] + 1, dtype=bool)
        marks[rows - rows[0]] = True
        self._rows.append((int(rows[0]), np.packbits(marks)))
        for column in self.columns:
            numbers = codes[column]
            narrow = numbers.astype(np.min_scalar_type(int(numbers.max())))
            alike = bool((narrow == narrow[0]).all())
            self._gathered[column].append(narrow[:1].copy() if alike else narrow)

    def repeated(self) -> tuple[np.ndarray, np.ndarray]:
        """Return (row, an earlier row with the same key) for every row that repeats one."""
        none = np.empty(0, np.int64)
        keys = self._combined()
        keys.sort()  # in place: a copy would be the largest thing in memory
        twice = np.unique(keys[1:][keys[1:] == keys[:-1]])
        if not len(twice):
            return none, none
        del keys
        keys = self._combined()
        shared = np.flatnonzero(np.isin(keys, twice))
        keys, rows = keys[shared], self._all_rows()[shared]
        order = np.argsort(keys, kind="stable")
        again = np.flatnonzero(keys[order[1:]] == keys[order[:-1]]) + 1
        later, earlier = rows[order[again]], rows[order[again - 1]]
        by_row = np.argsort(later, kind="stable")
        return later[by_row], earlier[by_row]

    def _all_rows(self) -> np.ndarray:
        return np.concatenate([first + np.flatnonzero(np.unpackbits(marks)) for first, marks in self._rows])

    def _combined(self) -> np.ndarray:
        """Return one int64 for each row, equal for rows with equal keys only."""
        combined = np.zeros(sum(self._sizes), np.int64)
        size = 1
        for column in self.columns:
            numbers = self._gathered[column]
            radix = max((int(part.max()) for part in numbers), default=0) + 1
            if radix == 1:
                continue
            if size * radix > _LIMIT:
                distinct, combined = np.unique(combined, return_inverse=True)
                size = len(distinct)
            combined *= radix
            start = 0
            for part, length in zip(numbers, self._sizes, strict=True):
                combined[start : start + length] += part  # of rows that are all alike, the one number
                start += length
            size *= radix
        return combined


def one_orientation(table: schema.Table, codes: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the codes with pairs turned so that the two ways to write one presentation are equal.

    In judgments (A, B, first generator) is (B, A, first opponent), and (A, B) is (B, A) where `first` is
    unknown or null; in preferences (A, B) is always (B, A). `first` is numbered 1 generator, 2 opponent,
    3 unknown, 0 null.
    """
    if table.name not in ("judgments", "preferences"):
        return codes
    generator, opponent = codes["generator"], codes["opponent"]
    turned = (opponent > 0) & (opponent < generator)
    result = dict(codes)
    if table.name == "judgments":
        first = codes["first"]
        turned = np.where((first == 1) | (first == 2), (first == 2) & (opponent > 0), turned)
        result["first"] = np.where(turned & (first == 2), 1, first)
    result["generator"] = np.where(turned, opponent, generator)
    result["opponent"] = np.where(turned, generator, opponent)
    return result
