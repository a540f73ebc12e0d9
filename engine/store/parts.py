"""The Parquet parts that judgments are written to."""

import secrets
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from engine import schema
from engine.store.arrow_types import stored_schema
from engine.store.checksums import ChecksummedWriter
from engine.store.row_rules import Columns

PART_ROWS = 1 << 22
GROUP_ROWS = 1 << 17
GROUP_BYTES = 1 << 24  # fewer rows if texts are long, so that finding one does not read them all


class Parts:
    """The files that judgments are written to, a new one every `PART_ROWS` rows."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder  # None: write nothing
        self.names: list[str] = []
        self._writer: pq.ParquetWriter | None = None
        self._rows = 0
        # Names are never reused, so that a reader of an older study.json still finds its parts on S3.
        self._series = secrets.token_hex(4)

    def write(self, columns: Columns) -> None:
        """Append one batch; a batch with other columns than the current part starts a new part."""
        if self.folder is None:
            return
        table_schema = stored_schema(schema.JUDGMENTS)
        part_schema = pa.schema([field for field in table_schema if field.name in columns])
        if self._writer is None or self._rows >= PART_ROWS or self._writer.schema != part_schema:
            self.close()
            name = f"judgments/part-{len(self.names):05d}-{self._series}.parquet"
            (self.folder / "judgments").mkdir(exist_ok=True)
            self._writer = ChecksummedWriter(self.folder / name, part_schema)
            self.names.append(name)
            self._rows = 0
        batch = pa.table([columns[field.name] for field in part_schema], schema=part_schema)
        self._writer.write_table(batch, row_group_size=GROUP_ROWS)
        self._rows += batch.num_rows

    def row(self, index: int) -> Columns | None:
        """Return the key columns of a written row, None if nothing was written."""
        for name in self.names:
            with pq.ParquetFile(Path(self.folder or "") / name) as file:
                if index < file.metadata.num_rows:
                    keys = [column for column in schema.JUDGMENTS.key if column in file.schema_arrow.names]
                    row = file.read(keys).slice(index, 1)
                    return {key: row[key].combine_chunks() for key in keys}
                index -= file.metadata.num_rows
        return None

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
