"""What a newcomer types wrongly, or would read wrongly, is answered with what is so and what helps."""

import io
import json
import zipfile

import pytest
from command_line import Spb

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


@pytest.fixture
def checked(tmp_path, spb_here: Spb):
    """The folder of a small study with two runs, of the same verdicts under other names."""
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
        (tmp_path / f"{name}.csv").write_text(text)
        append = () if name == "week1" else ("--append",)
        added = spb_here(
            "import",
            tmp_path / f"{name}.csv",
            "--study",
            "mine",
            "--store",
            tmp_path / "store",
            "--run",
            name,
            *append,
        )
        assert added.returncode == 0, added.stderr
    return tmp_path / "store" / "mine"


def test_what_a_comparison_does_not_show_is_not_called_unchanged(spb_here: Spb, checked):
    output = spb_here("compare", checked, "week1", "week2")

    assert "UNCHANGED" not in output.stdout
    assert "NO CHANGE SHOWN" in output.stdout
    assert "1 is no change" in output.stdout
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


@pytest.mark.parametrize("ending", ["xlsx", "parquet", "pdf"])
def test_no_text_is_written_under_another_kinds_ending(spb_here: Spb, checked, ending):
    out = checked.parent / f"x.{ending}"

    output = spb_here("judges", checked, "--out", out)

    assert output.returncode == 2
    assert "choose .csv, .json or .txt" in output.stderr
    assert not out.exists()


def test_the_folder_of_an_output_is_created(spb_here: Spb, checked):
    out = checked.parent / "new" / "x.csv"

    spb_here("judges", checked, "--out", out)

    assert out.exists()


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
        ((), "--excess 10 (of 100 cases)"),
    ],
)
def test_an_effect_that_cannot_be_is_refused_with_its_unit(spb_here: Spb, words, message):
    output = spb_here("plan", "power", *words)

    assert output.returncode == 2
    assert message in output.stderr


def test_an_excess_of_cases_is_the_same_effect_as_a_share(spb_here: Spb):
    by_cases = spb_here("plan", "power", "--excess", "10", "--format", "json").stdout
    by_share = spb_here("plan", "power", "--effect", "0.1", "--measure", "vote_outside", "--format", "json")

    assert by_cases == by_share.stdout != ""


def test_a_theme_of_a_study_without_themes_is_answered_with_that(spb_here: Spb, checked):
    output = spb_here("measure", "hspp", checked, "--theme", "nope")

    assert output.returncode == 2
    assert "nothing in the study has a theme" in output.stderr
    assert "null" not in output.stderr


@pytest.mark.parametrize(("option", "form"), [("--set", "COLUMN=VALUE"), ("--map", "COLUMN=FIELD")])
def test_a_malformed_pair_is_corrected_in_the_form_that_the_help_shows(spb_here: Spb, tmp_path, option, form):
    (tmp_path / "a.csv").write_text(VERDICTS + "j,g,q,1\n")

    output = spb_here("import", tmp_path / "a.csv", option, "judge", "--store", tmp_path / "store")

    assert f"{option} 'judge' is not {form}" in output.stderr
