"""The files that judgments are written into."""

import secrets
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from engine import schema
from engine.store.rules import Columns
from engine.store.types import stored_schema

PART_ROWS = 1 << 22
GROUP_ROWS = 1 << 17
GROUP_BYTES = 1 << 24  # of texts, so that one of them is found without reading all


class Parts:
    """The files that judgments are written into, a new one every `PART_ROWS` rows."""

    def __init__(self, folder: Path | None) -> None:
        """Write below `folder`; None: write nothing."""
        self.folder = folder
        self.names: list[str] = []
        self._writer: pq.ParquetWriter | None = None
        self._rows = 0
        # Names are never used twice, so that a reader of an older study.json still finds its parts on S3.
        self._series = secrets.token_hex(4)

    def write(self, columns: Columns) -> None:
        """Append one batch; the first decides which columns the part has."""
        if self.folder is None:
            return
        full = stored_schema(schema.JUDGMENTS)
        present = pa.schema([field for field in full if field.name in columns])
        if self._writer is None or self._rows >= PART_ROWS or self._writer.schema != present:
            self.close()
            name = f"judgments/part-{len(self.names):05d}-{self._series}.parquet"
            (self.folder / "judgments").mkdir(exist_ok=True)
            self._writer = pq.ParquetWriter(self.folder / name, present, compression="zstd")
            self.names.append(name)
            self._rows = 0
        batch = pa.table([columns[field.name] for field in present], schema=present)
        self._writer.write_table(batch, row_group_size=GROUP_ROWS)
        self._rows += batch.num_rows

    def row(self, index: int) -> Columns | None:
        """Return the key columns of a written row, None where nothing was written."""
        for name in self.names:
            with pq.ParquetFile(Path(self.folder or "") / name) as file:
                if index < file.metadata.num_rows:
                    keys = [column for column in schema.JUDGMENTS.key if column in file.schema_arrow.names]
                    row = file.read(keys).slice(index, 1)
                    return {key: row[key].combine_chunks() for key in keys}
                index -= file.metadata.num_rows
        return None

    def close(self) -> None:
        """Finish the current file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def group_rows(table: pa.Table) -> int:
    """Return how many rows of a table make a row group: fewer where they hold long texts."""
    fitting: int = GROUP_BYTES * table.num_rows // max(table.nbytes, 1)
    return max(1, min(GROUP_ROWS, fitting))
