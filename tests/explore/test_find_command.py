"""`spb find` and its result when there is little to find."""

import csv
import functools
import io
import itertools
import json
import random
import re
import shlex

import pandas as pd
import pytest
from command_line import spb
from explorer_studies import PLANS, write
from plain.published import ROOT
from typer.testing import CliRunner

import engine
from engine.cli import app
from engine.explore.find_slices import FIND, listed_rows
from engine.study import Study
from engine.words.short_titles import place_of_slice, slice_place, title


@pytest.fixture
def find(spb_here, planted_store):
    return functools.partial(spb_here, "find", "--store", planted_store, "--study", "planted")


def test_the_json_has_the_shape_of_measures_and_all_declared_columns(find):
    process = find("--polarity", "negative", "--top", "4", "--format", "json")

    assert process.returncode == 0, process.stderr
    output = json.loads(process.stdout)
    assert set(output) == {"measure", "study", "filters", "rows", "left_out", "reason"}
    assert (output["measure"], output["study"], len(output["rows"])) == ("find", "planted", 4)
    assert output["filters"]["polarity"] == "negative"
    declared = [name for field in FIND.fields for name in field.columns()]
    for row in output["rows"]:
        assert list(row) == [*declared, "reasons"]
        assert set(row["reasons"]) == {name for name, value in row.items() if value is None}


def test_csv_and_table_hold_the_same_slices_but_for_the_rest_of_one_listed(find):
    rows = find("--top", "3", "--format", "csv").stdout
    table = find("--top", "3").stdout

    written = [
        {**row, **{name: float(row[name]) for name in ("difference", "p", "p_adjusted", "n_self", "n_rest")}}
        for row in csv.DictReader(io.StringIO(rows))
    ]
    for row in listed_rows(written):
        assert row["judge"] in table
        assert all(
            word in table for word in slice_place(row["where"]).split()
        )  # a long cell goes over two lines


def test_a_short_table_has_as_many_rows_as_asked_for_and_says_of_how_many(planted, find):
    slices = planted.find_result().rows

    lines = find("--top", "4", "--all").stdout.splitlines()

    table = lines[lines.index("") + 1 :]
    table = table[: table.index("")]  # the commands that open slices come after it
    assert len(table) == 1 + 4
    assert f"Listed are the first 4 of {len(listed_rows(slices)):,}, the clearest" in " ".join(lines)
    assert "stands_out" in table[0]


def test_the_first_lines_say_the_order_and_how_to_have_the_other(find):
    clearest, strongest = (" ".join(find(*words).stdout.split()) for words in ((), ("--sort", "strongest")))

    assert "which may order slices otherwise. What is concluded on the judges rests on more" in clearest
    assert "The clearest come first; with --sort strongest, those with the highest ratio" in clearest
    assert "The strongest come first" in strongest


def test_each_command_on_slices_names_its_number_and_the_command_that_takes_another(spb_here):
    place = ("demo-health", "--store", ROOT / "results")

    def words(*command):
        return " ".join(spb_here(*command).stdout.split())

    mean = words("measure", "hspp", *place, "--by", "theme", "--resamples", "20")
    one = words("measure", "hspp", *place, "--by", "theme", "--judges", "aster-mini", "--resamples", "20")
    unsearched = words("measure", "hspp", *place, "--by", "criterion", "--resamples", "20")
    slices = words("slices", *place, "--by", "theme")

    other = "`spb slices --by theme` compares a judge's HSPP ratio in a slice with its own elsewhere"
    assert f"Compared is the mean HSPP ratio over judges of each slice; {other}" in mean
    assert f"Compared is the HSPP ratio of each slice; {other}" in one
    assert "spb slices" not in unsearched
    assert "Compared is a judge's HSPP ratio in a slice with its own elsewhere" in slices
    assert "`spb measure hspp --by COLUMN` compares the mean HSPP ratio over judges" in slices


@pytest.fixture(scope="module")
def of_lengths():
    """Three judges on 60 questions by five criteria, of which two have the same length."""
    models, drawn = ("gpt-4o", "claude-3", "gemini-2"), random.Random(4)
    criteria = ("tone", "polite", "honest", "actionable", "constructive")
    rows = []
    for number, writer, criterion in itertools.product(range(60), models, criteria):
        row = {"instance_id": f"q{number}", "generator": writer, "criterion": criterion}
        row |= {"category": f"c{number % 2}", "reference_met": drawn.random() < 0.3}
        rows += [row | {"judge": judge, "met": drawn.random() < 0.5} for judge in models]
    return engine.from_frame(
        pd.DataFrame(rows), set={"reference_source": "human"}, families={name: name for name in models}
    ), criteria


def test_a_slice_that_holds_one_criterion_names_it(of_lengths):
    study, criteria = of_lengths

    rows = study.find_result().rows

    names = set()
    for row in rows:
        parts = dict(part.split("=") for part in row["where"].split("; "))
        low, high = map(int, parts.get("length", "0-99").split("-"))
        inside = [criterion for criterion in criteria if low <= len(criterion) <= high]
        only = inside[0] if len(inside) == 1 else None
        assert row["criterion"] == only
        assert (f'(only "{only}")' in place_of_slice(row)) == (only is not None)
        names.add(only)
    assert {None, "actionable"} <= names
    assert {row["criterion"] for row in rows if row["where"] == "category=c0"} == {None}


def test_where_all_judgments_are_on_one_criterion_no_slice_names_it(of_lengths):
    study, _ = of_lengths

    rows = study.find_result(rubric_id="actionable").rows

    assert rows
    assert {row["criterion"] for row in rows} == {None}


def test_only_slices_by_the_columns_asked_for_are_searched(planted, find):
    every = [row for row in planted.find_result().rows if {*columns_of(row)} <= {"axis", "polarity"}]

    document = json.loads(find("--by", "axis,polarity", "--format", "json").stdout)
    one = planted.find_result(by="axis").rows

    assert every
    assert {row["where"] for row in document["rows"]} == {row["where"] for row in every}
    p = {(row["judge"], row["where"]): row["p"] for row in every}
    assert {(row["judge"], row["where"]): row["p"] for row in document["rows"]} == p
    assert {name for row in one for name in columns_of(row)} == {"axis"}
    assert "choose from: polarity, length, axis" in find("--by", "colour").stderr
    assert "--by length" not in find("--by", "length").stdout  # not in the commands that go on


def columns_of(row):
    return [part.partition("=")[0] for part in row["where"].split("; ")]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_the_strongest_of_all_slices_come_first_in_data_too(planted, find, form):
    output = find("--sort", "strongest", "--top", "3", "--format", form).stdout

    rows = list(csv.DictReader(io.StringIO(output))) if form == "csv" else json.loads(output)["rows"]
    every = planted.find_result().rows
    surely = sorted((row["difference"] for row in every if row["p_adjusted"] < 0.05), reverse=True)
    rest = sorted((row["difference"] for row in every if row["p_adjusted"] >= 0.05), reverse=True)
    assert [float(row["difference"]) for row in rows] == pytest.approx([*surely, *rest][:3])


def test_the_command_that_is_printed_says_what_was_given_and_expected_there(find, spb_here):
    last = find("--sort", "strongest").stdout.strip().splitlines()[-1].split()

    assert last[:3] == ["spb", "judges", "planted"]
    board = spb_here(*last[1:])
    assert board.returncode == 0
    assert board.stdout.startswith("Only ")


@pytest.mark.parametrize("words", [(), ("--top", "5")])
@pytest.mark.parametrize("width", ["80", "100"])
def test_each_row_says_whether_the_slice_stands_out(
    planted, planted_store, monkeypatch, capsys, width, words
):
    monkeypatch.setenv("COLUMNS", width)
    given = ("slices", "planted", "--store", planted_store, *words)

    spb(monkeypatch, *given)

    lines = capsys.readouterr().out.splitlines()
    heads = next(number for number, line in enumerate(lines) if line.startswith("Judge "))
    place = lines[heads].index(" out ") + 1
    cells = [line[place:].split()[0] for line in lines[heads + 1 :] if re.match(r"\S+  ", line)]
    rows = listed_rows(planted.find_result().rows)[: len(cells)]
    assert len(cells) >= 5
    assert cells == ["yes" if row["p_adjusted"] < 0.05 else "no" for row in rows]
    assert "Slice / elsewhere" in lines[heads]


def test_what_is_said_of_all_slices_does_not_depend_on_how_many_are_listed(planted, find):
    n_clear = sum(row["p_adjusted"] < 0.05 for row in planted.find_result().rows)
    assert n_clear > 1

    columns = planted.find_result().filters["columns"]
    assert len(columns) > 1
    for words in ((), ("--top", "1")):
        text = " ".join(find(*words).stdout.split())
        assert text.startswith(f"{n_clear} of ")
        tried = text.partition("Tried were slices by ")[2].partition(", and by")[0]
        assert all(title(name).lower() in tried for name in columns)


def test_the_slices_that_differ_significantly_are_marked(planted):
    for row in planted.find_result().rows:
        assert row["stands_out"] is (row["p_adjusted"] < 0.05)


def test_an_unknown_value_is_reported_in_one_line(find):
    process = find("--axis", "colour")

    assert process.returncode == 2
    assert "unknown axis 'colour'" in process.stderr
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        ("no-judgments", "no "),
        ("no-reference", "no reference"),
        ("one-family", "own failures"),
        ("plain", "own failures"),
    ],
)
def test_if_nothing_can_be_tested_there_is_a_reason_instead_of_rows(tmp_path, plan, reason):
    write(tmp_path, plan, PLANS[plan])

    result = Study.open(tmp_path / plan).find_result()

    assert result.rows == []
    assert reason in result.reason


def test_the_frame_records_what_was_searched(planted):
    frame = planted.find(top=5, judges=["a"])

    assert len(frame) == 5
    assert frame.attrs["filters"]["slices_tried"] > 5
    assert list(frame["p"]) == sorted(frame["p"])


@pytest.fixture
def split_nights(tmp_path):
    """Two nights of one study; on the second each verdict on failures is the opposite of the first."""
    return import_nights(tmp_path)


def import_nights(tmp_path, n_opposite=60):
    """Import two nights; on the second, verdicts on failures of the first questions are the opposite."""
    models = ("gpt-4o", "claude-3-5-sonnet", "llama-3.1-70b")
    for night in range(2):
        drawn = random.Random(1)  # the same on both nights
        lines = ["judge,model,question,theme,verdict,truth"]
        for question, judge, model in itertools.product(range(60), models, models):
            truth = question % 2
            passed = drawn.random() < 0.4 + 0.4 * truth
            passed ^= bool(night and not truth and question < n_opposite)
            lines.append(f"{judge},{model},q{question},{'ab'[question % 3 == 0]},{int(passed)},{truth}")
        table = tmp_path / f"night{night}.csv"
        table.write_text("\n".join(lines), "utf-8")
        place = ("--study", "mine", "--store", tmp_path / "store", "--run", f"night{night}", "--no-doctor")
        words = ("import", table, *place, *(["--append"] if night else []))
        assert CliRunner().invoke(app, list(map(str, words))).exit_code == 0
    return tmp_path / "store"


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_where_merged_nights_leave_too_few_cases_the_command_that_works_is_named(
    spb_here, split_nights, form
):
    nothing = spb_here("slices", "mine", "--store", split_nights, "--format", form)

    assert nothing.returncode == 3
    named = nothing.stdout if form == "table" else nothing.stderr
    command = re.search(r"spb slices mine --repeats first .*", named)
    assert command is not None
    assert "so there are no slices" in " ".join((nothing.stdout + nothing.stderr).split())
    works = spb_here(*shlex.split(command[0])[1:], "--format", "json")
    assert works.returncode == 0
    assert json.loads(works.stdout)["rows"]


def test_without_a_column_to_group_by_the_numbers_of_all_cases_are_named(spb_here, split_nights):
    nothing = spb_here("slices", "mine", "--store", split_nights, "--theme", "b")

    last = nothing.stdout.splitlines()[-1].strip()
    assert last.startswith("spb measure expected mine --repeats first --theme b")
    assert json.loads(spb_here(*shlex.split(last)[1:], "--format", "json").stdout)["rows"]


def test_commands_to_go_on_with_have_no_flag_that_was_not_given_where_the_same_verdicts_have_a_number(
    spb_here, tmp_path
):
    store = import_nights(tmp_path, n_opposite=36)  # of theme a, 8 own failures have a verdict

    nothing = spb_here("slices", "mine", "--store", store, "--theme", "a", "--judge", "gpt-4o")

    commands = [line.strip() for line in nothing.stdout.splitlines() if line.startswith("  spb measure")]
    assert nothing.returncode == 3, nothing.stdout
    assert commands
    assert not any("--repeats" in command for command in commands), commands


@pytest.mark.parametrize(("checks", "named"), [(3, True), (1, False), (31, False)])
def test_few_criteria_of_many_questions_are_named_to_look_at_one_by_one(tmp_path, spb_here, checks, named):
    drawn, models = random.Random(2), ("gpt-4o", "claude-3-5-sonnet")
    lines = ["judge,model,question,check,verdict,truth"]
    for question, check, judge, model in itertools.product(range(12), range(checks), models, models):
        truth = (question + check) % 2
        passed = int(drawn.random() < 0.4 + 0.4 * truth)
        lines.append(f"{judge},{model},q{question},check {check},{passed},{truth}")
    table = tmp_path / "checks.csv"
    table.write_text("\n".join(lines), "utf-8")
    place = ("--study", "mine", "--store", tmp_path / "store")
    imported = spb_here("import", table, *place, "--map", "criterion=check", "--no-doctor")
    assert imported.returncode == 0, imported.stderr

    printed = spb_here("slices", "mine", "--store", tmp_path / "store").stdout

    command = re.search(r"spb measure hspp mine --by criterion.*", printed)
    assert (command is not None) == named
    if command is not None:
        rows = json.loads(spb_here(*shlex.split(command[0])[1:], "--format", "json").stdout)["rows"]
        assert len({row["slice"] for row in rows}) == checks


def test_of_scores_by_criterion_the_command_on_each_has_an_answer(tmp_path, spb_here):
    models = ("ada", "bo", "cy", "dee")
    lines = ["judge,model,question,check,score"]
    for judge, model, question, check in itertools.product(models, models, range(24), ("depth", "style")):
        lines.append(f"{judge},{model},q{question},{check},{(question + len(judge) * len(model)) % 6}")
    (tmp_path / "t.csv").write_text("\n".join(lines), "utf-8")
    place = ("--study", "mine", "--store", tmp_path / "store", "--map", "criterion=check", "--set", "scale=5")
    imported = spb_here("import", tmp_path / "t.csv", *place, "--no-doctor")
    assert imported.returncode == 0, imported.stderr

    printed = spb_here("slices", "mine", "--store", tmp_path / "store").stdout

    [command] = re.findall(r"  (spb .* --by criterion.*)", printed)
    rows = json.loads(spb_here(*shlex.split(command)[1:], "--format", "json").stdout)["rows"]
    assert len({row["slice"] for row in rows}) == 2


@pytest.mark.parametrize("kind", ["scores", "pairs"])
def test_of_pairs_and_scores_the_columns_that_split_the_questions_are_named(tmp_path, spb_here, kind):
    rows = [
        f"{judge},{writer},q{n},{'ada' if writer != 'ada' else 'bo'},{first},{(n + len(judge)) % 9},"
        f"{'generator' if n % 2 else 'opponent'},{'ab'[n % 2]},{'xyz'[n % 3]}"
        for judge in ("ada", "bo", "cy", "dee")
        for writer in ("ada", "bo", "cy", "dee")
        for n in range(24)
        for first in ("generator", "opponent")[: 1 if kind == "scores" else 2]
    ]
    head = "judge,generator,instance_id,opponent,first,score,choice,theme,category"
    table = [line.split(",") for line in (head, *rows)]
    left_out = {"score"} if kind == "pairs" else {"choice", "opponent", "first"}
    places = [place for place, name in enumerate(table[0]) if name not in left_out]
    (tmp_path / "t.csv").write_text(
        "\n".join(",".join(line[place] for place in places) for line in table) + "\n"
    )
    scale = ("--set", "scale=10") if kind == "scores" else ()
    imported = spb_here("import", tmp_path / "t.csv", "--study", "mine", "--store", tmp_path, *scale)
    assert imported.returncode == 0, imported.stderr

    output = spb_here("slices", "mine", "--store", tmp_path)

    assert output.returncode == 3
    commands = [line.split() for line in output.stdout.splitlines() if line.startswith("  spb")]
    assert [command[command.index("--by") + 1] for command in commands] == ["theme", "category"]
    for command in commands:
        assert spb_here(*command[1:]).returncode == 0
