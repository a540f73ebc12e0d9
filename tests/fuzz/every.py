"""All readers by name."""

from .pages import PAGES
from .readers import TEXTS, Reader
from .run_readers import RUNS
from .table_readers import TABLES

READERS: dict[str, Reader] = {reader.name: reader for reader in (*TEXTS, *TABLES, *RUNS, *PAGES)}
