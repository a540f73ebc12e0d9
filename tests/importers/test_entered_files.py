"""Which files of the project one import enters."""

from pathlib import Path

from importers.foreign_files import alpaca, dump

from engine.importers.format_loading import IN_PYTHON
from engine.importers.reading.value_maps import value_key
from tests.tools.entered_files import entered_files, import_of


def test_an_import_of_a_declared_format_enters_its_reader_and_no_other_format(tmp_path: Path) -> None:
    run = import_of(dump(tmp_path / "annotations.json", alpaca(1, 2)), "alpaca-eval")
    run()

    files = {Path(file).stem for file in entered_files(run)}

    assert files >= {"declared_rows", "declared_cells", "declared_reader", "cell_rows", "study_builder"}
    assert not files & {form.reader.__module__.rpartition(".")[2] for form in IN_PYTHON}


def test_only_what_is_run_is_counted() -> None:
    assert entered_files(lambda: value_key(" A ")) == [
        "engine/importers/reading/value_maps.py",
        "engine/values.py",
    ]
    assert entered_files(lambda: None) == []
