"""All readers by name."""

from .pages import PAGES
from .readers import TEXTS, Reader
from .reply_readers import REPLIES
from .run_readers import RUNS
from .study_readers import STORED
from .table_readers import TABLES

READERS: dict[str, Reader] = {
    reader.name: reader for reader in (*TEXTS, *REPLIES, *TABLES, *STORED, *RUNS, *PAGES)
}
