"""Checksums in Parquet files: of every page, of all pages together, and of the footer that locates them.

Pages carry the checksums of the Parquet format, which are verified as they are read. The format has none for
the pages' headers nor for the footer, whose bounds and row counts could be damaged without a word. Two
entries of the file's metadata make up for that, `spb.pages` and `spb.footer`, each a CRC-32 in eight digits;
the footer's is computed with zeros in its own place. Other programs read such files as any other.
"""

import os
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

_PAGES, _FOOTER = b"spb.pages", b"spb.footer"
_BLANK = b"0" * 8
_MAGIC = b"PAR1"
_TAIL = 8  # bytes of the footer's length and the closing magic
_FIRST_READ = 1 << 16  # of a file's end, as pyarrow reads it
_BLOCK = 1 << 22
SMALL = 1 << 22  # bytes of a file that is verified whole whenever it is opened


class ChecksummedWriter(pq.ParquetWriter):  # type: ignore[misc]  # pyarrow has no types
    """Writes a Parquet file with checksums, compressed by Zstandard."""

    def __init__(self, path: str | Path, schema: pa.Schema) -> None:
        super().__init__(path, schema, compression="zstd", write_page_checksum=True)
        self._path, self._failed = Path(path), False

    def write_table(self, table: pa.Table, row_group_size: int | None = None) -> None:
        try:
            super().write_table(table, row_group_size)
        except BaseException:
            self._failed = True
            raise

    def close(self) -> None:
        """Close the file and fill in its checksums, unless something could not be written."""
        if not self.is_open:
            return
        if self._failed:
            super().close()
            return
        self.add_key_value_metadata({key.decode(): _BLANK.decode() for key in (_PAGES, _FOOTER)})
        super().close()
        with self._path.open("r+b") as file:
            size = os.stat(self._path).st_size
            footer = _footer_of(file, size)
            start = size - _TAIL - len(footer)
            file.seek(0)
            pages, own = _place(footer, _PAGES), _place(footer, _FOOTER)
            footer = _with_digits(footer, pages, _digits(_crc(file, start)))
            footer = _with_digits(footer, own, _digits(zlib.crc32(footer)))
            file.seek(start)
            file.write(footer)


def write_parquet(rows: pa.Table, path: str | Path, row_group_size: int | None = None) -> None:
    """Write a table as a Parquet file with checksums."""
    with ChecksummedWriter(path, rows.schema) as writer:
        writer.write_table(rows, row_group_size=row_group_size)


def add_checksums(path: Path) -> None:
    """Write a file anew with checksums, in the same row groups; what it holds stays as it is."""
    copy = path.with_name(f".{path.name}.new")
    with pq.ParquetFile(path) as old, ChecksummedWriter(copy, old.schema_arrow) as new:
        for group in range(old.num_row_groups):
            rows = old.read_row_group(group)
            new.write_table(rows, row_group_size=max(1, rows.num_rows))
    copy.replace(path)


class Footer(NamedTuple):
    """A file's footer, and whether the file has checksums."""

    metadata: pq.FileMetaData
    protected: bool


def read_footer(file: Any, *, whole: bool = False) -> Footer:
    """Return the footer of an open file; ArrowInvalid if it is damaged, or, if `whole`, anything in the file.

    It is checked before it is parsed, since pyarrow ends the process on some broken ones. A footer without a
    checksum is parsed as it is.
    """
    size = file.size()
    footer = _footer_of(file, size)
    own, pages = _place(footer, _FOOTER), _place(footer, _PAGES)
    if own is not None:
        if _at(footer, own) != _digits(zlib.crc32(_with_digits(footer, own, _BLANK))):
            raise pa.ArrowInvalid("its footer is damaged: the checksum does not fit")
        if whole and pages is not None:
            file.seek(0)
            if _at(footer, pages) != _digits(_crc(file, size - _TAIL - len(footer))):
                raise pa.ArrowInvalid("it is damaged: the checksum does not fit")
    content = _MAGIC + footer + len(footer).to_bytes(4, "little") + _MAGIC
    return Footer(pq.read_metadata(pa.BufferReader(content)), own is not None)


def _footer_of(file: Any, size: int) -> bytes:
    """Return the bytes of the footer, in one read if it is not long; ArrowInvalid if there is none."""
    file.seek(max(0, size - _FIRST_READ))
    end = file.read(min(size, _FIRST_READ))
    length = int.from_bytes(end[-_TAIL:-4], "little")
    if end[-4:] != _MAGIC or length + _TAIL + len(_MAGIC) > size:
        raise pa.ArrowInvalid("it does not end as a Parquet file")
    if length + _TAIL > len(end):
        file.seek(size - length - _TAIL)
        end = file.read(length + _TAIL)
    return bytes(end[-length - _TAIL : -_TAIL])


def _place(footer: bytes, key: bytes) -> int | None:
    """Return where the digits of a checksum are in a footer; None if it has none.

    Key and value are Thrift strings: between them are the value's field header and its length.
    """
    at = footer.rfind(key)
    return None if at < 0 else at + len(key) + 2


def _at(footer: bytes, place: int) -> bytes:
    return footer[place : place + len(_BLANK)]


def _with_digits(footer: bytes, place: int | None, digits: bytes) -> bytes:
    if place is None:
        raise pa.ArrowInvalid("its footer has no place for a checksum")
    return footer[:place] + digits + footer[place + len(digits) :]


def _digits(checksum: int) -> bytes:
    return b"%08x" % checksum


def _crc(file: Any, count: int) -> int:
    """Return the CRC-32 of the next `count` bytes."""
    checksum = 0
    while count > 0 and (block := file.read(min(count, _BLOCK))):
        checksum = zlib.crc32(block, checksum)
        count -= len(block)
    return checksum
