"""The table of `docs/code.md` that says where a change goes names only files that exist."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_NAME = re.compile(r"`([\w.-]+/[\w./-]*|[\w-]+\.(?:py|css|md|toml|svg))`")


def rows(page: str) -> list[str]:
    table = page.partition("## Where a change goes")[2].partition("\n## ")[0]
    return [line for line in table.splitlines() if line.startswith("| ")][1:]


def missing(row: str) -> Iterator[str]:
    """Yield the paths of a row that are none: from the project's folder, or beside another of the row."""
    names = _NAME.findall(row)
    whole = [ROOT / name for name in names if "/" in name]
    folders = {ROOT, *(path if path.is_dir() else path.parent for path in whole)}
    for name in names:
        if not any((folder / name).exists() for folder in ({ROOT} if _is_whole(name) else folders)):
            yield name


def _is_whole(name: str) -> bool:
    return name.partition("/")[0] in {path.name for path in ROOT.iterdir()}


ROWS = rows((ROOT / "docs" / "code.md").read_text("utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row).split(" | ")[0].strip("| "))
def test_every_path_of_the_table_exists(row: str) -> None:
    assert list(missing(row)) == []


def test_a_path_that_is_none_is_seen() -> None:
    assert len(ROWS) > 20
    assert list(missing("| it | `engine/slices.py` | `engine/none.py`, `schema.py`, `no_such.py` |")) == [
        "engine/none.py",
        "no_such.py",
    ]
