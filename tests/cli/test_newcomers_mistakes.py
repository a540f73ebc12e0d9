"""What a newcomer types wrongly, or would read wrongly, is answered with what is so and what helps."""

import io
import json
import os
import re
import shlex
import shutil
import zipfile
from pathlib import Path

import pytest
from command_line import Spb
from plain.published import ROOT

VERDICTS = "judge,generator,question,met\n"


def _workbook() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        packed.writestr("xl/workbook.xml", "<workbook/>")
    return content.getvalue()


def _archive() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        packed.writestr("verdicts.csv", VERDICTS)
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", _workbook(), "is an Excel file: rename it .xlsx"),
        ("a.csv", b"PAR1\0\0", "is a Parquet file: rename it .parquet"),
        ("a.csv", b"%PDF-1.7\n", "is a PDF"),
        ("a.csv", b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Excel file"),
        ("a.csv", b"\0\x01\x02binary", "is not a text file, although its name says so"),
        ("a.csv", b"\0\x01\x02PK", "is not a text file, although its name says so"),
        ("a.jsonl", bytes(range(256)) * 9, "is not a text file, although its name says so"),
        ("a.zip", _archive(), "is a zip archive; unpack it"),
        ("a.csv", b"", "is empty; export it again"),
        ("a.csv", b" \n", "is empty; export it again"),
        ("a.jsonl", b"", "is empty; export it again"),
        ("a.csv", VERDICTS.encode(), "has a header and no rows"),
    ],
)
def test_a_file_that_is_none_of_judgments_is_called_what_it_is(spb_here: Spb, tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)

    output = spb_here("import", tmp_path / name, "--store", tmp_path / "store")

    assert output.returncode == 2
    assert words in output.stderr
    assert not (tmp_path / "store").exists()


def test_an_empty_folder_is_called_empty(spb_here: Spb, tmp_path):
    (tmp_path / "logs").mkdir()

    output = spb_here("import", tmp_path / "logs", "--store", tmp_path / "store")

    assert "'logs' is an empty folder" in output.stderr


@pytest.mark.parametrize(("bound", "words"), [("500", "at most 100"), ("nan", "above 0"), ("-3", "above 0")])
def test_a_bound_of_cases_of_100_is_above_0_and_at_most_100(spb_here: Spb, checked, bound, words):
    output = spb_here("gate", checked, f"--max-excess={bound}")

    assert output.returncode == 2
    assert words in output.stderr


def test_a_share_given_as_a_bound_of_cases_is_pointed_out(spb_here: Spb, checked):
    assert "a share of 0.1 is --max-excess 10" in spb_here("gate", checked, "--max-excess", "0.1").stderr
    assert "a share of" not in spb_here("gate", checked, "--max-excess", "10").stderr


def test_a_share_given_as_the_excess_of_a_plan_is_pointed_out(spb_here: Spb):
    words = ("plan", "power", "--excess", "0.1")
    table, rows = spb_here(*words), spb_here(*words, "--format", "json")

    assert table.stdout.startswith("--excess 0.1 is 0.1 of 100 own cases; a share of 0.1 is --excess 10.\n")
    assert "a share of" not in table.stderr  # once
    assert "a share of 0.1 is --excess 10" in rows.stderr
    assert json.loads(rows.stdout)["rows"]
    assert "a share of" not in spb_here("plan", "power", "--excess", "10").stdout


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("judges", "mine", "--json"), "--format json? `spb judges -h`"),
        (("plan", "power", "--ratio", "1.3"), "--effect? `spb plan power -h`"),
        (("report", "mine", "--output", "x.html"), "--out? `spb report -h`"),
    ],
)
def test_an_option_of_other_programs_is_answered_by_this_ones(spb_here: Spb, words, meant):
    refused = spb_here(*words)

    assert refused.returncode == 2
    assert f"did you mean {meant} says more" in refused.stderr


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """The folder whose content `checked` copies."""
    return tmp_path_factory.mktemp("imported")


@pytest.fixture
def checked(tmp_path, spb_here: Spb, imported):
    """The folder of a small study with two runs, of the same verdicts under other names."""
    if not any(imported.iterdir()):
        import_runs(spb_here, imported)
    shutil.copytree(imported, tmp_path, dirs_exist_ok=True)
    return tmp_path / "store" / "mine"


def import_runs(spb_here: Spb, folder):
    judges = ("gpt-4o", "claude-3-5-sonnet", "llama-3.1-70b")
    lines = [
        f"{judge},{model},q{number},{'pass' if (number + len(model)) % 3 else 'fail'},"
        f"{'pass' if number % 2 else 'fail'}"
        for judge in judges
        for model in judges
        for number in range(30)
    ]
    for name in ("week1", "week2"):
        text = "\n".join(["judge,model,question,verdict,truth", *lines]) + "\n"
        (folder / f"{name}.csv").write_text(text)
        append = () if name == "week1" else ("--append",)
        added = spb_here(
            "import",
            folder / f"{name}.csv",
            "--study",
            "mine",
            "--store",
            folder / "store",
            "--run",
            name,
            *append,
        )
        assert added.returncode == 0, added.stderr


def test_what_a_comparison_does_not_show_is_not_called_unchanged(spb_here: Spb, checked):
    output = spb_here("compare", checked, "week1", "week2")

    assert "UNCHANGED" not in output.stdout
    assert "NO CHANGE SHOWN" in output.stdout
    assert "1 is no change" in " ".join(output.stdout.split())
    assert json.loads(spb_here("compare", checked, "week1", "week2", "--format", "json").stdout)[
        "status"
    ] == (
        "unchanged"  # a code that pipelines read stays
    )


def test_a_comparison_with_one_run_says_which_is_missing(spb_here: Spb, checked):
    output = spb_here("compare", "mine", "week1", "--store", checked.parent)

    assert output.returncode == 2
    assert "AFTER is missing" in output.stderr
    assert "week1, week2" in output.stderr


@pytest.mark.parametrize("runs", [("week1", "week2"), ("import", "import")])
def test_two_studies_are_compared_by_the_commands_that_make_them_runs_of_one(
    spb_here: Spb, checked, tmp_path, runs, monkeypatch
):
    """Studies whose runs have the same name are imported anew from their files, with the same options."""
    monkeypatch.chdir(tmp_path)  # a study knows the names of its files
    store = ("--store", tmp_path / "s")
    week1, week2 = (tmp_path / f"week{number}.csv" for number in (1, 2))
    for name, file, run in (("a", week1, runs[0]), ("b", week2, runs[1])):
        words = ("--study", name, "--run", run, "--set", "reference_source=program", *store)
        assert spb_here("import", file, *words).returncode == 0

    refused = spb_here("compare", "a", "b", *store)

    assert refused.returncode == 2
    commands = re.findall(r"^  spb (.*)$", refused.stderr, re.MULTILINE)
    assert len(commands) == 3, refused.stderr
    for command in commands:
        words = shlex.split(command)
        answer = spb_here(*words)
        assert answer.returncode == 0, (command, answer.stderr)
    assert runs[0] != "import" or refused.stderr.count("--set reference_source=program") == 2
    of_studies = spb_here(*words, "--format", "csv").stdout
    assert of_studies == spb_here("compare", checked, "week1", "week2", "--format", "csv").stdout


@pytest.mark.parametrize("ending", ["xlsx", "parquet", "docx", "gif", "tsv", "jpeg"])
def test_no_text_is_written_under_another_kinds_ending(spb_here: Spb, checked, ending):
    out = checked.parent / f"x.{ending}"

    output = spb_here("judges", checked, "--out", out)

    assert output.returncode == 2
    assert "choose .csv, .json, .md or .txt, or of a picture .svg, .png or .pdf" in output.stderr
    assert not out.exists()
    of_text = spb_here("gate", checked, "--out", out).stderr
    assert "choose .csv, .json, .md or .txt" in of_text
    assert "picture" not in of_text


def test_no_table_is_written_under_the_ending_of_a_junit_report(spb_here: Spb, checked):
    out = checked.parent / "gate.xml"

    gate = spb_here("gate", checked, "--out", out)
    judges = spb_here("judges", checked, "--out", out)

    assert (gate.returncode, judges.returncode, out.exists()) == (2, 2, False)
    assert f"no .xml is written; choose .csv, .json, .md or .txt, or for a JUnit report: --junit {out}" in (
        gate.stderr
    )
    assert "no .xml is written" in judges.stderr
    assert "--junit" not in judges.stderr
    assert "green" in " ".join(spb_here("gate", "-h").stdout.split())


def test_the_folder_of_an_output_is_created_and_named(spb_here: Spb, checked):
    out = checked.parent / "new" / "x.csv"

    first, again = (spb_here("judges", checked, "--out", out, "--force").stderr for _ in range(2))

    assert out.exists()
    assert f"made the folder {out.parent}\n" in first
    assert "made the folder" not in again


@pytest.mark.parametrize("words", [("--format", "png"), ("--out", "card.png"), ("--out", "card.svg")])
def test_a_picture_of_no_judge_asks_for_the_judge(spb_here: Spb, checked, words):
    output = spb_here("report", checked, *words)

    assert output.returncode == 2
    assert "--judge NAME" in output.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--effect", "10", "--measure", "vote_outside"), "10 of 100 is 0.1"),
        (("--effect", "200", "--measure", "bonus_outside"), "cannot differ by more than 100"),
        (("--effect", "1.5", "--judges", "1"), "give 2 or more"),
        (("--effect", "0.1", "--judges", "1", "--measure", "vote_outside"), "give 2 or more"),
        (("--excess", "10", "--measure", "hspp"), "is a ratio; give --effect"),
        (("--excess", "10", "--effect", "2"), "cannot be combined"),
        (("--excess", "101"), "at most 100"),
        (("--measure", "hspp"), "give one such as --effect 1.5"),
    ],
)
def test_an_effect_that_cannot_be_is_refused_with_its_unit(spb_here: Spb, words, message):
    output = spb_here("plan", "power", *words)

    assert output.returncode == 2
    assert message in output.stderr


def test_fewer_judges_than_the_study_has_families_are_of_as_many_families(spb_here: Spb):
    words = ("plan", "power", "demo-health", "--store", str(ROOT / "results"), "--measure", "odds_self")
    few = spb_here(*words, "--effect", "1.3", "--judges", "2")
    refused = spb_here(*words, "--effect", "1.3", "--judges", "2", "--families", "3")

    assert "2 judges of 2 families" in few.stdout
    assert "families 3 with judges 2: each family needs a judge; give 2 families or fewer" in refused.stderr


def test_an_excess_of_cases_is_the_same_effect_as_a_share(spb_here: Spb):
    by_cases = spb_here("plan", "power", "--excess", "10", "--format", "json").stdout
    by_share = spb_here("plan", "power", "--effect", "0.1", "--measure", "vote_outside", "--format", "json")

    assert by_cases == by_share.stdout != ""


def test_a_theme_of_a_study_without_themes_is_answered_with_that(spb_here: Spb, checked):
    output = spb_here("measure", "hspp", checked, "--theme", "nope")

    assert output.returncode == 2
    assert "the study has no values of theme, which an import reads from a column 'theme'" in output.stderr
    assert "null" not in output.stderr


@pytest.mark.parametrize(("option", "form"), [("--set", "COLUMN=VALUE"), ("--map", "COLUMN=FIELD")])
def test_a_malformed_pair_is_corrected_in_the_form_that_the_help_shows(spb_here: Spb, tmp_path, option, form):
    (tmp_path / "a.csv").write_text(VERDICTS + "j,g,q,1\n")

    output = spb_here("import", tmp_path / "a.csv", option, "judge", "--store", tmp_path / "store")

    assert f"{option} 'judge' is not {form}" in output.stderr


def test_a_sign_of_points_that_no_criterion_has_is_called_so(spb_here: Spb, checked):
    output = spb_here("measure", "hspp", checked, "--polarity", "negative")

    assert "the study has no negative criteria" in " ".join(output.stdout.split())


def test_a_length_that_no_criterion_has_is_called_so(spb_here: Spb, tmp_path):
    lines = ["judge,model,question,criterion,verdict,truth"]
    lines += [f"{judge},{judge},q1,Names a doctor,fail,fail" for judge in "ab"]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    store = tmp_path / "store"
    spb_here(
        "import", tmp_path / "a.csv", "--study", "mine", "--store", store, "--map", "criterion=criterion"
    )

    output = spb_here("measure", "hspp", store / "mine", "--length", "5000:6000")

    words = " ".join(output.stdout.split())
    assert "no criterion has a length within the bounds; the study's are from 14 to 14 characters" in words


def test_a_length_of_a_study_without_criterion_texts_is_answered_with_that(spb_here: Spb, checked):
    output = spb_here("measure", "hspp", checked, "--length", "5:60")

    assert "the study has no texts of criteria" in " ".join(output.stdout.split())


@pytest.mark.parametrize(
    "words",
    [
        ("judges",),
        ("gate",),
        ("measure", "hspp"),
        ("report",),
        ("study", "info"),
    ],
)
def test_a_file_in_the_place_of_a_study_is_to_be_imported_first(spb_here: Spb, tmp_path, words):
    file = tmp_path / "verdicts.csv"
    file.write_text(VERDICTS)

    output = spb_here(*words, file)

    assert output.returncode == 2
    assert f"is a file and not a study; import it first: `spb import {file} --study NAME`" in output.stderr


def test_a_run_appended_again_is_named_before_its_key(spb_here: Spb, checked):
    output = spb_here(
        "import", checked.parent.parent / "week2.csv", "--study", "mine", "--store", checked.parent,
        "--run", "week2", "--append",
    )  # fmt: skip

    assert output.returncode == 2
    assert "row 1: run 'week2' is already in the study, with the verdict of" in output.stderr


def test_verdicts_of_a_file_that_contradict_each_other_are_counted(spb_here: Spb, tmp_path):
    rows = ["j,j,q1,pass", "j,j,q1,fail", "j,j,q1,pass", "j,j,q2,pass", "j,j,q2,pass", "j,j,q3,fail"]
    (tmp_path / "a.csv").write_text("\n".join(["judge,model,question,verdict", *rows]) + "\n")

    output = spb_here("import", tmp_path / "a.csv", "--study", "mine", "--store", tmp_path / "store")

    assert "3 repeat an earlier one as further trials" in output.stderr
    assert "1 repeated judgment has verdicts that contradict each other" in output.stderr


def test_verdicts_beside_the_truth_ask_who_judged(spb_here: Spb, tmp_path):
    (tmp_path / "a.csv").write_text("model,question,verdict,truth\nm,q1,pass,fail\nm,q2,fail,fail\n")
    words = ("import", tmp_path / "a.csv", "--study", "mine", "--store", tmp_path / "store")

    refused = spb_here(*words)
    of_no_criterion = spb_here(*words, "--not", "verdict")
    alone = spb_here(*words, "--not", "verdict", "--set", "rubric_id=overall")

    assert "no column names one; give --map rubric_id=FIELD" in of_no_criterion.stderr
    assert refused.returncode == 2
    assert (
        "Name it with --judge NAME; if no model judged, and only what is true ('truth') is to be imported, "
        "leave the verdicts in 'verdict' out: --not verdict." in refused.stderr
    )
    assert alone.returncode == 0
    assert "leaves nothing out" not in alone.stderr
    assert "next: spb open mine" in alone.stderr
    assert "spb judges" not in alone.stderr


def test_a_verdict_without_a_judge_is_counted_beside_its_truth(spb_here: Spb, tmp_path):
    rows = ["j,m,q1,pass,fail", ",m,q2,pass,fail", ",m,q3,,fail", "j,m,q4,fail,fail"]
    (tmp_path / "a.csv").write_text("\n".join(["judge,model,question,verdict,truth", *rows]) + "\n")
    words = ("import", tmp_path / "a.csv", "--study", "mine", "--store", tmp_path / "store")

    output, strict = spb_here(*words), spb_here(*words, "--strict", "--replace")

    # of the four rows, q2 has a verdict and no judge, and q3 has no verdict that could be lost
    assert "4 rows read, 4 taken (2 for the truth alone), 0 left out" in output.stderr
    left_out = "2 rows name no judge: their truths are stored, the verdict in 1 of them is left out"
    assert f"{left_out}, such as a.csv, row 2" in output.stderr
    assert f"{left_out}." in " ".join(output.stdout.split())
    assert strict.returncode == 2
    assert "row 2: no judge" in strict.stderr


def test_a_table_with_no_column_left_is_told_to_add_one(spb_here: Spb, tmp_path):
    (tmp_path / "a.csv").write_text(
        "judge,question,left,right\ngpt-5,q1,gpt-5,gpt-4o\ngpt-4o,q1,gpt-4o,gpt-5\n"
    )

    output = spb_here("import", tmp_path / "a.csv", "--study", "mine", "--store", tmp_path / "store")

    assert output.returncode == 2
    assert "no column is choice, which says what the judge found; each column is read as" in output.stderr
    assert "Add a column with it" in output.stderr


def test_verdicts_without_a_criterion_are_on_one_criterion(spb_here: Spb, tmp_path):
    (tmp_path / "a.csv").write_text(
        "judge,model,question,verdict,truth\nj,j,q1,pass,fail\nj,j,q2,fail,fail\nj,j,q3,fail,pass\n"
    )

    output = spb_here("import", tmp_path / "a.csv", "--study", "mine", "--store", tmp_path / "store")

    assert "3 instances, 1 criterion, 3 references" in output.stderr


def test_a_bound_that_is_no_number_is_quoted(spb_here: Spb, checked):
    assert "--max-excess 'ten': give a number" in spb_here("gate", checked, "--max-excess", "ten").stderr


@pytest.mark.parametrize(
    ("values", "example"),
    [
        (("good", "bad"), "met:good=yes,bad=no"),
        (("convincing", "not convincing"), "'met:convincing=yes,not convincing=no'"),
    ],
)
def test_the_example_of_what_values_mean_can_be_typed_as_it_stands(
    spb_here: Spb, tmp_path: Path, values: tuple[str, str], example: str
) -> None:
    rows = [
        f"{judge},{model},q{number},{values[number % 2]}"
        for judge in ("gpt-4o", "claude-3-opus")
        for model in ("gpt-4o", "claude-3-opus")
        for number in range(4)
    ]
    path = tmp_path / "v.csv"
    path.write_text("\n".join(["judge,model,question,verdict", *rows]), "utf-8")
    words = ("import", path, "--as", "table", "--map", "met=verdict", "--store", tmp_path, "--study", "mine")

    result = spb_here(*words)
    shown = result.stderr.partition("Give such as ")[2].partition(".\n")[0]
    again = spb_here(*words, *shlex.split(shown))

    assert shown == f"--value {example}"
    assert (again.returncode, again.stderr.count("error")) == (0, 0)


@pytest.mark.parametrize("value", ["abc", "1.5"])
def test_a_source_date_that_is_no_number_is_named_and_an_empty_one_counts_as_none(
    spb_here: Spb, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    refused = spb_here("study", "list")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "")
    accepted = spb_here("study", "list")

    assert refused.returncode != 0
    assert f"SOURCE_DATE_EPOCH is {value!r}" in refused.stderr
    assert "SOURCE_DATE_EPOCH" not in accepted.stderr
    assert "SOURCE_DATE_EPOCH" not in os.environ
