"""Readers of tables of judgments: exchange folders, files of other tools, and published data sets."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import engine
from engine import schema
from engine.explore.doctor import examine
from engine.importers.datasets.healthbench import import_healthbench, import_meta
from engine.importers.datasets.program_sets import (
    import_alpaca,
    import_ifeval,
    import_math500,
    import_mbpp_plus,
)
from engine.importers.datasets.published_studies import import_dashboard
from engine.importers.format_loading import AS_A_WHOLE, by_rows, row_format
from engine.importers.formats.exchange import import_tidy
from engine.importers.import_options import ImportOptions
from engine.importers.pipeline import reading
from engine.store import Store

from .readers import Read, Reader

OPTIONS = {
    "healthbench": ImportOptions(judge="j"),
    "llm-comparator": ImportOptions(judge="j"),
    "langfuse": ImportOptions(judge="j"),
    "lm-eval": ImportOptions(generator="g"),
    "openai-evals": ImportOptions(judge="j"),
    "ragas": ImportOptions(judge="j", map={"generator": "model"}),
    "wildbench": ImportOptions(judge="j"),
}
"""What a user adds to files that do not say it."""


def read_tidy(given: Path, scratch: Path) -> None:
    """Import an exchange folder and read each of its tables again."""
    store = Store(scratch)
    import_tidy(given, store, "read")
    files = store.open("read")
    for table in schema.TABLES:
        files.table(table)


def measure_tidy(given: Path, scratch: Path) -> None:
    """Import an exchange folder, and compute every measure that it allows."""
    import_tidy(given, Store(scratch), "read")
    list(examine(engine.open_study(str(scratch / "read")), resamples=20).lines())


def read_foreign(form: str, given: Path, scratch: Path) -> None:
    """Read a file of another tool, report on it, and write it as a study."""
    with reading(row_format(form), given, OPTIONS.get(form)) as read:
        assert all(line.isprintable() for line in read.report.lines())
        read.write(Store(scratch), "read")
    Store(scratch).open("read").judgments(schema.JUDGMENTS.names)


def read_whole(importer: Callable[..., Any], given: Path, scratch: Path) -> None:
    """Read a file that is read as a whole, and write it as a study."""
    importer(given, Store(scratch), "read")


def _whole(importer: Callable[..., Any]) -> Read:
    return partial(read_whole, importer)


TABLES = (
    Reader("tidy", read_tidy, 15, folder=True),
    Reader("measured", measure_tidy, 1, "tidy", folder=True),
    *(Reader(form.name, partial(read_foreign, form.name), 8) for form in by_rows()),
    *(Reader(form.name, _whole(form.importer), 12) for form in AS_A_WHOLE if form.name != "tidy"),
    Reader("dashboard", _whole(import_dashboard), 12),
    Reader("healthbench-questions", _whole(import_healthbench), 12),
    Reader("healthbench-labels", _whole(import_meta), 12),
    Reader("ifeval", _whole(import_ifeval), 12),
    Reader("alpaca-questions", _whole(import_alpaca), 12),
    Reader("math500", _whole(import_math500), 12),
    Reader("mbpp-plus", _whole(import_mbpp_plus), 12),
)
