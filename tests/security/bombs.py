"""Files that are small on disk and unpack to enormous sizes."""

import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

MEGABYTE = 1 << 20


def fat_parquet(path: Path, column: str = "judge") -> Path:
    """Write 4,096 rows of one text of 16 MB, stored once: 64 GB in a few kilobytes."""
    text = pa.array(["x" * (16 * MEGABYTE)])
    rows = pa.DictionaryArray.from_arrays(pa.array([0] * 4096, pa.int32()), text)
    pq.write_table(pa.table({column: rows}), path, compression="zstd")
    return path


def long_parquet(path: Path, rows: int) -> Path:
    """Write many equal rows, of a bit or less each."""
    pq.write_table(pa.table({"judge": pa.repeat("x", rows)}), path, compression="zstd", row_group_size=rows)
    return path


def deep_parquet(path: Path, depth: int) -> Path:
    """Write a file without rows whose only column is nested in `depth` groups.

    Its footer is built here, in Thrift's compact protocol, because writers refuse to.
    """
    root, group = b"\x48\x06schema\x15\x02\x00", b"\x35\x02\x18\x01g\x15\x02\x00"
    leaf = b"\x15\x02\x25\x02\x18\x05judge\x00"
    elements = b"\x15\x02\x19\xfc" + _varint(depth + 2) + root + group * depth + leaf
    footer = elements + b"\x16\x00\x19\x0c\x00"
    path.write_bytes(b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1")
    return path


def _varint(number: int) -> bytes:
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])


def eval_log(path: Path, samples: list[bytes], same: int = 1) -> Path:
    """Write a log of Inspect's; its directory names each sample `same` times, at the same place."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {}}))
        for number, sample in enumerate(samples):
            archive.writestr(f"samples/{number}.json", sample)
        archive.filelist += archive.filelist[1:] * (same - 1)
    return path


def zipped(members: dict[str, bytes]) -> bytes:
    """Return a zip archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def nested(depth: int) -> str:
    """Return a JSON list of lists of lists."""
    return "[" * depth + "]" * depth


def sample_of(megabytes: int) -> bytes:
    """Return a JSON object of `megabytes`, which compresses to a thousandth."""
    filled: dict[str, Any] = {"id": 1, "input": "x" * (megabytes * MEGABYTE)}
    return json.dumps(filled).encode()


SHEET = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
JUDGE = b'<row r="1"><c r="A1" t="inlineStr"><is><t>judge</t></is></c></row>'
_STRINGS = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
_RELATION = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"


def workbook(path: Path, sheet: bytes, strings: bytes | None = None) -> Path:
    """Write a workbook whose sheet, and shared strings, if any, have this XML."""
    import openpyxl

    whole = io.BytesIO()
    openpyxl.Workbook().save(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "xl/worksheets/sheet1.xml":
                content = SHEET + sheet + b"</sheetData></worksheet>"
            elif strings is not None and name == "[Content_Types].xml":
                part = b'<Override PartName="/xl/sharedStrings.xml" ContentType="' + _STRINGS + b'"/></Types>'
                content = content.replace(b"</Types>", part)
            elif strings is not None and name == "xl/_rels/workbook.xml.rels":
                part = b'<Relationship Type="' + _RELATION + b'" Target="sharedStrings.xml" Id="rId99"/>'
                content = content.replace(b"</Relationships>", part + b"</Relationships>")
            new.writestr(name, content)
        if strings is not None:
            new.writestr("xl/sharedStrings.xml", strings)
    return path


def far_cell(row: int, *, after: bytes = JUDGE) -> bytes:
    """Return rows of which the last has this number; those between are not in the file."""
    return after + b'<row r="%d"><c r="A%d"><v>1</v></c></row>' % (row, row)


def wide_rows(count: int) -> bytes:
    """Return rows with one cell in the last column of Excel, so that each has 16,384 cells."""
    rows = (b'<row r="%d"><c r="XFD%d"><v>1</v></c></row>' % (n, n) for n in range(2, count + 2))
    return JUDGE + b"".join(rows)


def many_strings(count: int) -> bytes:
    """Return shared strings, which are all parsed before the first cell is."""
    texts = b"<si><t>abcdefghi</t></si>" * count
    return b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' + texts + b"</sst>"
