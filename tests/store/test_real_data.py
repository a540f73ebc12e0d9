"""Published studies of others, unchanged."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.store.arrow_types import plain_texts
from engine.store.writer import validate_study

DATA = Path(__file__).parents[3] / "shared" / "data"


@pytest.mark.parametrize(
    "name", ["rubric-self-preference", "verifiable-pairs-math500", "verifiable-pairs-mbpp-plus"]
)
def test_a_published_study_is_imported_row_for_row(tmp_path: Path, name: str) -> None:
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"needs the published study at ../shared/data/{name}")
    store = Store(tmp_path / "store")

    import_tidy(folder, store)

    files = store.open(name)
    validate_study(files)
    for path in sorted(folder.glob("*.parquet")):
        expected = plain_texts(pq.read_table(path))
        table = plain_texts(files.table(path.stem, expected.column_names))
        assert table.cast(expected.schema).equals(expected)
