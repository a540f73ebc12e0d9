"""The only list of slice columns: adding a text column changes just that list and the schema."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from engine import schema
from engine.arrays.slicing.slice_masks import GROUPERS
from engine.slices import COLUMNS, TEXT_COLUMNS, Slice

ENGINE = Path(schema.__file__).parent

CHECKER = {
    "schema.py": ('        _text("checker", "the program that checks it"),\n',),
    "slices.py": (
        '    SliceColumn("checker", "rubric", ("rubrics.checker",), is_open=True),\n',
        '    checker: tuple[str, ...] = _names("checkers of the criteria")\n',
    ),
}
"""The lines that declare a text; those of another, `author`, are written below each."""

SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from plain.builders import judge_rubrics, refer, study_of

folder = Path(sys.argv[1])
plain = study_of(models="J:F A:G", rubrics=(1, 1), instances=2)
for instance in ("x0", "x1"):
    for generator in "JA":
        refer(plain, generator, "00", instance)
        judge_rubrics(plain, "J", generator, "10", instance)
for number, rubric in enumerate(plain.rubrics):
    rubric["author"] = ("ann", "bob")[number % 2]  # ann wrote the first of each instance, which J passes
plain.write(folder / "exchange")

import engine
from engine.explore.filter_choices import choices_of
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

assert str(folder) in engine.__file__, engine.__file__
import_tidy(folder / "exchange", Store(folder / "store"), "small")
study = Study.open(folder / "store" / "small")
rate = lambda **filters: study.result("overestimation", resamples=0, **filters).rows[0]["rate"]
assert (rate(author="ann"), rate(author=["bob"]), rate()) == (1.0, 0.0, 0.5)
groups = study.result("overestimation", by="author", judges="J", generators="J", resamples=0).rows
assert [(row["slice"], row["rate"]) for row in groups] == [("ann", 1.0), ("bob", 0.0)], groups
choices = choices_of(study)
assert choices.values["author"] == ("ann", "bob")
assert "author" in choices.groupings
"""


def test_a_new_text_column_is_filtered_grouped_and_listed_after_changing_two_files(tmp_path):
    shutil.copytree(ENGINE, tmp_path / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    for name, lines in CHECKER.items():
        text = (ENGINE / name).read_text("utf-8")
        for line in lines:
            assert line in text
            text = text.replace(line, line + line.replace("checker", "author"))
        (tmp_path / "engine" / name).write_text(text, "utf-8")

    process = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path), str(ENGINE.parent / "tests")],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )

    assert process.returncode == 0, process.stderr


def test_every_source_column_is_stored_and_every_text_column_has_a_filter():
    for column in COLUMNS.values():
        assert column.groups in GROUPERS
        for source in column.sources:
            table, _, name = source.partition(".")
            assert name in schema.TABLES[table].names, source
    assert all(getattr(Slice(), name) == () for name in TEXT_COLUMNS)
