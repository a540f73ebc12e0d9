"""The list of formats, additions by other packages, and the command that detects a file's format."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from command_line import spb
from importers.foreign_files import alpaca, dump, judgments, lines

from engine.errors import BadInputError, UsageError
from engine.importers import format_loading as formats
from engine.importers.detection import format_of
from engine.importers.format_list import FORMATS
from engine.importers.import_options import DECLARED, OPTIONS, ImportOptions
from engine.importers.reading.option_file import arguments, merge_options, read_options
from engine.store import Store

FRUIT = """
from engine.importers.reading.format import Format, Field, files_in, instance_of
from engine.importers.reading.json_rows import json_lines

class Fruit:
    def __init__(self, path, options, tally):
        self.files, self.tally = files_in(path, ".jsonl", expected="fruit"), tally
    def rows(self):
        for file in self.files:
            yield from json_lines(file, self.tally, "fruit")
    def read(self, row):
        keys = {"instance_id": instance_of(row.text("fruit")), "generator": row.text("grower")}
        verdict = {"judge": row.text("taster"), "paradigm": "direct_assessment", "score": 1.0, "status": "ok"}
        return {"instances": [{"instance_id": keys["instance_id"]}], "judgments": [keys | verdict]}

FORMAT = Format(
    "fruit", "Tasted fruit", "", "fruit", (Field("taster", "judgments.judge"),), Fruit,
    signs=(("taster", "grower"),),
)
"""
TASTED = {"fruit": "apple", "grower": "g", "taster": "t"}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a package that adds `fruit`, plus formats that fail to load or take an existing name."""
    site = tmp_path / "site"
    about = site / "fruit_importer-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "fruit_importer.py").write_text(FRUIT, "utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: fruit-importer\nVersion: 1.0\n", "utf-8")
    (about / "entry_points.txt").write_text(
        "[spb.importers]\nfruit = fruit_importer:FORMAT\nrotten = fruit_importer:ABSENT\n"
        "pear = fruit_importer:FORMAT\ntable = fruit_importer:FORMAT\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv("SPB_STORE", str(tmp_path / "store"))
    return site


@pytest.mark.usefixtures("package")
def test_another_package_adds_a_format_that_is_detected_and_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = lines(tmp_path / "tasted.jsonl", [TASTED])

    code = spb(monkeypatch, "import", "auto", str(path), "--no-doctor")

    assert code == 0, capsys.readouterr().err
    assert "detected fruit: it has taster, grower" in capsys.readouterr().err
    assert judgments(Store().open("tasted"), "judge", "generator") == [("t", "g")]
    assert formats.row_formats()[-1] == "fruit"


@pytest.mark.usefixtures("package")
def test_a_broken_format_of_another_package_is_named_and_not_listed() -> None:
    with pytest.raises(UsageError, match="'rotten' of the package fruit-importer cannot be loaded"):
        formats.importer("rotten")
    with pytest.raises(UsageError, match="is not a format named 'pear'"):
        formats.importer("pear")
    assert formats.importer("table").title == "Table of judgments"


def test_auto_names_the_detected_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = dump(tmp_path / "annotations.json", alpaca(1, 2))

    code = spb(monkeypatch, "import", "auto", str(path), "--dry-run", "--no-doctor")

    out, err = capsys.readouterr()
    assert code == 0
    assert "detected alpaca-eval: it has output_1" in err
    assert "AlpacaEval annotations: 2 rows read, 2 taken" in out


def test_a_wrong_format_is_refused_with_the_likely_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = dump(tmp_path / "annotations.json", alpaca(1, 2))

    code = spb(monkeypatch, "import", "council", str(path))

    assert code == 2
    assert "it looks like alpaca-eval: it has output_1" in capsys.readouterr().err


def test_every_format_is_declared_once() -> None:
    names = formats.names()

    assert len(set(names)) == len(names)
    assert all(formats.importer(name).name == name for name in names)
    assert {entry.name for entry in FORMATS} <= {*names}


def test_a_format_takes_no_option_that_commands_lack() -> None:
    with pytest.raises(ValueError, match=r"mine: no such options: \['judgee'\]"):
        replace(formats.row_format("table"), name="mine", options=("judge", "judgee"))


def test_every_option_is_a_flag_and_an_entry_of_a_mapping_file(tmp_path: Path) -> None:
    written: dict[str, Any] = {
        "text": "x", "columns": ["a", "b"], "names": ["a"], "switch": True,
        "pairs": {"a": "b"}, "meanings": {"a": {"b": "c"}},
    }  # fmt: skip
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(tomli_w.dumps({each.entry: written[each.kind] for each in DECLARED}), "utf-8")

    options = read_options(mapping)

    assert options.option_names() == list(OPTIONS)
    assert {word for word in arguments(options) if word.startswith("--")} == {e.flags[0] for e in DECLARED}


def test_a_wide_table_is_imported_by_a_mapping_file_and_options_over_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPB_STORE", str(tmp_path / "store"))
    table = tmp_path / "wide.csv"
    table.write_text("Model;question;gpt-4o;Claude 3\na;Q1;ja;nein\nb;Q1;nein;\n", "utf-8")
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(
        'judges = ["gpt-4o", "claude_3"]\n[map]\ngenerator = "model"\nprompt = "question"\n'
        '[set]\nrubric_id = "x"\n[value.met]\nja = "yes"\nnein = "no"\n',
        "utf-8",
    )

    arguments = ("--map-file", str(mapping), "--set", "rubric_id=good", "--no-doctor")
    code = spb(monkeypatch, "import", "auto", str(table), *arguments)

    assert code == 0, capsys.readouterr().err
    assert judgments(Store().open("wide"), "judge", "generator", "rubric_id", "met") == [
        ("gpt-4o", "a", "good", True),
        ("Claude 3", "a", "good", False),
        ("gpt-4o", "b", "good", False),
        ("Claude 3", "b", "good", None),
    ]


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("a = [", BadInputError, "it is not TOML"),
        (f"a = {'[' * 5000}", BadInputError, "it is not TOML"),  # deeper than its parser goes
        ('colour = "x"', UsageError, "unknown entry of m.toml 'colour'; choose from: judge"),
        ("judges = 1", BadInputError, "judges is 1; give a list of columns"),
        ("map = 1", BadInputError, "map is 1; give a table"),
        ("[value]\nmet = 1", BadInputError, r"value.met is 1; give a table, such as \[value.met\]"),
        ("[set]\nscale = []", BadInputError, r"set.scale is \[\]; give a text or a number"),
    ],
)
def test_an_invalid_mapping_file_is_refused(
    tmp_path: Path, text: str, error: type[Exception], words: str
) -> None:
    path = tmp_path / "m.toml"
    path.write_text(text, "utf-8")

    with pytest.raises(error, match=words):
        read_options(path)


def test_options_become_the_equivalent_arguments() -> None:
    base = ImportOptions(judge="j", map={"met": "ok"}, value={"met": {"ja": "yes"}})
    over = ImportOptions(map={"met": "good"}, value={"met": {"nein": "no"}}, judges=("a", "b"))

    assert arguments(merge_options(base, over)) == [
        *("--judge", "j", "--map", "met=good", "--value", "met:ja=yes,nein=no", "--judge-columns", "a,b")
    ]


def test_signs_of_formats_do_not_overlap_with_a_plain_table(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [TASTED])

    assert format_of(path).form == "table"
