"""Formats as TOML files: one's own by the command, a table's mapping kept, the folder that lists them."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import spb
from importers.foreign_files import dump, judgments, lines, rows_of

from engine import schema
from engine.errors import SpbError, UsageError
from engine.importers import format_loading as formats
from engine.importers.declared.declaration_file import read_declaration
from engine.importers.declared.mapping_file import mapping_file
from engine.importers.import_options import ImportOptions
from engine.importers.pipeline import reading
from engine.importers.reading.format import Format
from engine.store import Store

TABLES = Path(__file__).parent / "tables"
CASES = Path(__file__).parent / "cases"

DUELS = """
title = "Duels of the house"
signs = [["duel", "rounds"]]

[map]
instance_id = "duel"
generator = "left.model"
opponent = "right.model"
response = "left.text"
opponent_response = "right.text?"

[each]
list = "rounds"
map = { judge = "referee", choice = "won", explanation = "because" }
place = { first = ["a", "b"] }

[value.choice]
L = "a"
R = "b"
"=" = "tie"
"*" = "none"
"""
DUEL = {
    "duel": 7,
    "left": {"model": "m1", "text": "Hi"},
    "right": {"model": "m2", "text": "Ho"},
    "rounds": [
        {"referee": "j", "won": "L", "because": "It is longer."},
        {"referee": "j", "won": "="},
        {"referee": "k", "won": "?"},
    ],
}


def format_file(folder: Path, text: str, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def read(form: Format, path: Path, store: Path, **options: Any) -> Any:
    with reading(form, path, ImportOptions(**options)) as source:
        source.write(Store(store), "read")
    return source.report, Store(store).open("read")


def test_a_format_of_ones_own_is_imported_by_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    duels = format_file(tmp_path, DUELS, "duels.toml")
    path = lines(tmp_path / "house.jsonl", [DUEL, DUEL | {"duel": 8, "left": None}])

    code = spb(monkeypatch, "import", duels, path, "--store", tmp_path / "store", "--no-doctor")

    out = capsys.readouterr()
    assert code == 0, out.err
    assert "Duels of the house: 2 rows read, 1 taken, 1 left out" in out.err
    assert "left out, no left.model: 1 row, such as house.jsonl, row 2" in out.err
    study = Store(tmp_path / "store").open("house")
    assert judgments(study, "judge", "generator", "opponent", "first", "choice", "status") == [
        ("j", "m1", "m2", "generator", "generator", "ok"),
        ("j", "m1", "m2", "opponent", "tie", "ok"),
        ("k", "m1", "m2", "unknown", None, "unparsed"),
    ]
    assert rows_of(study.table("responses"), "generator", "text") == [("m1", "Hi"), ("m2", "Ho")]


def test_the_format_that_the_docs_show_reads_what_they_say(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "importing.md").read_text("utf-8")
    shown = page.partition("## A format of your own")[2].partition("```toml\n")[2].partition("```")[0]
    form = formats.own_format(format_file(tmp_path, shown))
    row = DUEL | {"metadata": {"question": "Say hello."}}

    _, study = read(form, lines(tmp_path / "house.jsonl", [row]), tmp_path / "store")

    assert rows_of(study.table("instances"), "instance_id", "prompt") == [("7", "Say hello.")]
    assert judgments(study, "judge", "variant", "first", "choice") == [
        ("j", "house", "generator", "generator"),
        ("j", "house", "opponent", "tie"),
        ("k", "house", "unknown", None),
    ]


def test_a_format_without_a_file_asks_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(monkeypatch, "import", format_file(tmp_path, DUELS))

    assert code == 2
    assert "declares a format, and no file is named; write: spb import" in capsys.readouterr().err


@pytest.fixture
def formats_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the project's folder of declared formats another place, where a file can be added."""
    folder = tmp_path / "formats"
    shutil.copytree(formats.FOLDER, folder)
    monkeypatch.setattr(formats, "FOLDER", folder)
    formats.by_rows.cache_clear()
    formats.built_in.cache_clear()
    yield folder
    formats.by_rows.cache_clear()
    formats.built_in.cache_clear()


def test_a_file_put_into_the_folder_of_formats_is_all_that_a_new_format_takes(
    tmp_path: Path,
    formats_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    format_file(formats_folder, DUELS, "duels.toml")
    path = lines(tmp_path / "house.jsonl", [DUEL])

    code = spb(monkeypatch, "import", path, "--store", tmp_path / "store", "--no-doctor")

    out = capsys.readouterr()
    assert code == 0, out.err
    assert "detected duels: it has duel, rounds" in out.err
    assert len(judgments(Store(tmp_path / "store").open("house"), "judge")) == 3
    assert formats.importer("duels").title == "Duels of the house"


def test_every_declared_format_is_in_the_list_and_has_signs_and_words() -> None:
    for declaration in formats.declarations(formats.FOLDER):
        form = formats.row_format(declaration.name)
        assert form.title == declaration.title
        assert declaration.signs
        assert declaration.source.startswith("https://")
        assert form.expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = [", r"mine.toml: it is not TOML \(.*\); correct it"),
        ("", "mine.toml: it has no .map.; say which field is which column"),
        ('colour = "red"\n[map]\njudge = "j"', "unknown entry colour; choose from name, title"),
        ('title = ""\n[map]\njudge = "j"', "title is ''|title is ; give a text"),
        ('[map]\njugde = "j"', "map names the unknown column 'jugde'; choose from judge, generator"),
        ('[map]\njudge = "a..b"', r"map.judge is a\.\.b; write a path as field, object.field"),
        ('[map]\njudge = "a[x]"', r"map.judge is a\[x\]; write a path"),
        ("[map]\njudge = 3", 'map.judge is 3; give a path such as "scores.judge"'),
        ('[map]\njudge = { regex = ".*" }', r"map.judge is \{'regex': '\.\*'\}; give a path"),
        (
            '[map]\njudge = { match = "by-(", in = "@file" }',
            "map.judge.match is by-.; it is no regular expression",
        ),
        ('[map]\njudge = { match = "by-.*", in = "@file" }', "put what you want of the text in parentheses"),
        ('[map]\njudge = { match = "(.*)" }', "map.judge.in is None; write a path"),
        ('[map]\nprompt = { conversation = "c", skip = "x" }', "map.prompt.skip is x; give a list of roles"),
        ('[map]\njudge = "j"\n[families]\na = 3', "families.a is 3; give a text"),
        ('[map]\ngenerator = "{a"', r"map.generator is \{a; close each brace"),
        ('[map]\nscore = { number = "s", divide = 0 }', "map.score.divide is 0; give a number above 0"),
        ('[map]\nscore = { number = "s", from = "x" }', "map.score.from is x; give a number"),
        ('[map]\nscore = { number = "s", upto = 3 }', "map.score.upto is 3; leave it out"),
        (
            '[map]\nchoice = "w"\n[value.choice]\nx = "left-ish"',
            "value.choice.'x' is left-ish; choose",
        ),
        ('[map]\nmet = "w"\n[value.met]\nx = "a"', "value.met.'x' is a; choose from yes, no, none"),
        ('[map]\nscore = "s"\n[value.score]\nx = "good"', "value.score.'x' is good; give a number, or none"),
        ('[map]\nmet = "w"\n[value.met]\n"1" = "yes"\n"1.0" = "no"', "'1' is there with another meaning"),
        ('[map]\nmet = "w"\n[value.choice]\nx = "a"', "name its field in .map.: choice = "),
        ('[map]\njudge = "j"\n[set]\nscale = 0', "set.scale is 0; give a number above 0"),
        ('[map]\njudge = "j"\n[set]\njudge = "k"', "set.judge is k; map.judge has it from a field"),
        ('[map]\njudge = "j"\n[set]\nfirst = "middle"', "set.first is middle; choose from a"),
        ('[map]\njudge = "j"\n[each]\nmap = { score = "s" }', 'name the list: list = "votes"'),
        ('[map]\njudge = "j"\n[each]\nlist = "v"\nmost = -1', "each.most is -1; give a whole number from 0"),
        ('signs = ["a"]\n[map]\njudge = "j"', "signs is .*; give a list of lists of texts"),
        ('options = ["rows"]\n[map]\njudge = "j"', "options is rows; choose from judge, generator"),
        ('rows = "a..b"\n[map]\njudge = "j"', "rows is "),
        ("map = 3", r"map is 3; give a table, such as \[map\]"),
        ('kind = 3\n[map]\njudge = "j"', r"kind is 3; write \[\[kind\]\]"),
    ],
)
def test_a_wrong_declaration_is_refused_by_place_value_and_remedy(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(SpbError, match=message):
        read_declaration(format_file(tmp_path, text))


def test_a_field_that_no_row_has_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    form = formats.own_format(format_file(tmp_path, '[map]\njudge = "rater"\ngenerator = "m"\nscore = "s"'))
    path = lines(tmp_path / "t.jsonl", [{"judge": "j", "m": "a", "s": 1}])

    with pytest.raises(UsageError) as error:
        read(form, path, tmp_path / "store")
    assert "map.judge names 'rater', which no row of 't.jsonl' has; the fields are 'judge', 'm', 's'" in str(
        error.value
    )
    assert "looks like" not in str(error.value), "the format is the user's own"


def test_a_value_outside_the_map_leaves_its_row_out_and_the_remedy_is_an_entry(tmp_path: Path) -> None:
    text = '[map]\ninstance_id = "q"\njudge = "j"\ngenerator = "m"\nmet = "ok"\n[set]\nrubric_id = "x"\n'
    form = formats.own_format(format_file(tmp_path, text + '[value.met]\nja = "yes"\n'))
    rows = [{"q": 1, "j": "j", "m": "a", "ok": value} for value in ("ja", "nein", "error")]

    report, study = read(form, lines(tmp_path / "t.jsonl", rows), tmp_path / "store")

    assert list(report.left_out) == ["met is neither true nor false ([value.met] says which)"]
    assert judgments(study, "met", "status") == [(True, "ok"), (None, "unparsed")]


@pytest.mark.parametrize(
    "path", ["{judge.__class__}", "{judge.__init__.__globals__}", "j.__class__", "{j!r}"]
)
def test_a_path_reads_fields_and_nothing_of_the_program(tmp_path: Path, path: str) -> None:
    text = f'[map]\ninstance_id = "q"\njudge = "j"\ngenerator = "m"\nscore = "s"\nvariant = "{path}?"\n'
    form = formats.own_format(format_file(tmp_path, text))
    rows = [{"q": "../../etc/passwd", "j": "{m}", "m": "$(id)", "s": 1}]

    _, study = read(form, lines(tmp_path / "t.jsonl", rows), tmp_path / "store")

    assert judgments(study, "instance_id", "judge", "generator", "variant") == [
        ("../../etc/passwd", "{m}", "$(id)", "default")
    ]


MAPPED: list[tuple[Path, dict[str, Any]]] = [
    (TABLES / "annotations-inside.jsonl", {}),
    (TABLES / "arena-labels.csv", {}),
    (TABLES / "camel-swapped.csv", {}),
    (TABLES / "likert.tsv", {"set": {"scale": "5"}}),
    (TABLES / "nested-judge.jsonl", {"set": {"scale": "5"}}),
    (TABLES / "settings-and-results.json", {}),
    (TABLES / "split-frame.json", {}),
    (TABLES / "spreadsheet.csv", {}),
    (TABLES / "wide-pairs.csv", {}),
    (TABLES / "wide-scores.csv", {}),
    (CASES / "labels-012-tie-is-2" / "pairs.csv", {"value": {"choice": {"0": "a", "1": "b", "2": "tie"}}}),
]


def mapping_of(path: Path, options: ImportOptions, name: str = "mine") -> str:
    text = mapping_file(path, options, name)
    assert text is not None
    return text


@pytest.mark.parametrize(("path", "options"), MAPPED, ids=lambda value: getattr(value, "name", None))
def test_a_mapping_file_reads_its_table_to_the_same_study(
    tmp_path: Path, path: Path, options: dict[str, Any]
) -> None:
    _, first = read(formats.row_format("table"), path, tmp_path / "first", **options)
    format_toml = format_file(tmp_path, mapping_of(path, ImportOptions(**options)))

    _, second = read(formats.own_format(format_toml), path, tmp_path / "second")

    for table in schema.TABLES:
        if first.has(table):
            assert second.table(table).to_pylist() == first.table(table).to_pylist(), format_toml.read_text(
                "utf-8"
            )


def test_a_mapping_file_divides_true_scores_by_the_scale_that_a_column_has(tmp_path: Path) -> None:
    rows = [f"j{n % 2},m{n // 2},q,c,{n + 1},{8 - n},{10 if n % 2 else 20}" for n in range(8)]
    path = tmp_path / "grades.csv"
    path.write_text(
        "\n".join(["judge,model,question,criterion,score,reference_score,out_of", *rows]) + "\n", "utf-8"
    )
    options: dict[str, Any] = {"map": {"scale": "out_of"}}
    _, first = read(formats.row_format("table"), path, tmp_path / "first", **options)
    format_toml = format_file(tmp_path, mapping_of(path, ImportOptions(**options)))

    _, second = read(formats.own_format(format_toml), path, tmp_path / "second")

    assert second.table("references").to_pylist() == first.table("references").to_pylist()
    assert second.table("references")["score"].to_pylist()[0] == pytest.approx(8 / 20)


def test_a_table_of_grades_with_their_scales_has_no_mapping_file(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("judge,model,question,grade\nj1,m1,q,7/10\nj1,m2,q,3/5\n", "utf-8")

    assert mapping_file(path, ImportOptions(), "mine") is None


def test_a_kept_mapping_is_a_format_that_the_command_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = TABLES / "wide-pairs.csv"
    _, table = read(formats.row_format("table"), path, tmp_path / "first")
    kept_mapping = format_file(tmp_path, mapping_of(path, ImportOptions()))

    code = spb(monkeypatch, "import", kept_mapping, path, "--store", tmp_path / "second", "--no-doctor")

    assert code == 0, capsys.readouterr().err
    study = Store(tmp_path / "second").open("wide-pairs")
    assert study.table("judgments").to_pylist() == table.table("judgments").to_pylist()


def test_columns_whose_names_are_no_paths_are_kept_and_read(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("Item No.,{judge},model [v1],ok?\n1,j,a,yes\n2,j,b,no\n", "utf-8")
    options = ImportOptions(
        map={"instance_id": "Item No.", "judge": "{judge}", "generator": "model [v1]", "met": "ok?"},
        set={"rubric_id": "x"},
    )

    format_toml = format_file(tmp_path, mapping_of(path, options, "odd"))
    _, study = read(formats.own_format(format_toml), path, tmp_path / "store")

    assert judgments(study, "instance_id", "judge", "generator", "met") == [
        ("1", "j", "a", True),
        ("2", "j", "b", False),
    ]


def test_rows_are_members_of_an_object_or_columns_of_one(tmp_path: Path) -> None:
    text = '[map]\ninstance_id = "id"\njudge = "model"\ngenerator = "by"\nscore = "results"\n'
    cells = {"id": ["1", "2"], "by": ["a", "b"], "results": [1, 0.5]}
    columns = dump(tmp_path / "columns.json", {"model": "j", **cells})
    members = dump(
        tmp_path / "members.json",
        {"1": {"model": "j", "by": "a", "results": 1}, "2": {"model": "j", "by": "b", "results": 0.5}},
    )

    for rows, path in (("columns", columns), ("*", members)):
        form = formats.own_format(format_file(tmp_path, f'rows = "{rows}"\n{text}', f"{path.stem}.toml"))
        _, study = read(form, path, tmp_path / path.stem)
        assert judgments(study, "instance_id", "judge", "generator", "score") == [
            ("1", "j", "a", 1.0),
            ("2", "j", "b", 0.5),
        ]
