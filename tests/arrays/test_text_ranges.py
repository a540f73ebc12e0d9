"""A column of texts that are all numbers is filtered by a range of them."""

import re
from pathlib import Path

import pandas as pd
import pytest
from command_line import Spb

from engine.errors import UsageError
from engine.slices import parse_filters
from engine.study import Study

MODELS = ("gpt-4o", "claude-3-opus", "llama-3.1-70b")
LINES = (4, 9.5, 82, 83, 1000)


@pytest.fixture
def store(spb_here: Spb, tmp_path: Path) -> Path:
    """Store verdicts on changes of so many lines, stored as segment, in areas, which are texts."""
    rows = [
        f"{judge},{model},q{n},{LINES[n % 5]},{'front' if n % 2 else '7'},"
        f"{'yes' if len(judge) + n & 2 else 'no'}"
        for n in range(30)
        for judge in MODELS
        for model in MODELS
    ]
    head = "rater,model,question_id,lines_changed,area,verdict"
    (tmp_path / "v.csv").write_text("\n".join([head, *rows]), "utf-8")
    words = ("import", tmp_path / "v.csv", "--study", "v", "--set", "rubric_id=overall")
    columns = ("--map", "segment=lines_changed", "--map", "category=area")
    assert spb_here(*words, *columns, "--store", tmp_path).returncode == 0
    return tmp_path


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("82:1000", "82,83,1000"),
        ("83:", "83,1000"),
        (":9.5", "4,9.5"),
        ("4,83:", "4,83,1000"),
        ("median:", "82,83,1000"),  # 30 questions, six of each of 4, 9.5, 82, 83 and 1000
        (":Median", "4,9.5,82"),
        ("83:,median:median", "82,83,1000"),
    ],
)
def test_a_range_is_the_values_within_it_ends_included(store: Path, text: str, values: str) -> None:
    study = Study.open(store / "v")

    within = study.measure("which-judge", segment=text, resamples=0)

    pd.testing.assert_frame_equal(within, study.measure("which-judge", segment=values, resamples=0))
    rows = study.judgments(segment=text.split(","))
    assert len(rows) == 6 * len(values.split(",")) * len(MODELS) ** 2


@pytest.mark.parametrize(
    ("where", "range_"),
    [
        ("lines_changed>=82", "82:"),
        ("lines_changed>=median", "82:"),
        ("lines_changed >= 82; lines_changed <= 100", "82:100"),
        ("lines-changed<=100;lines_changed>=82", "82:100"),
        ("segment=82:100", "82:100"),
    ],
)
def test_the_files_own_name_and_its_ends_are_taken_in_where(
    spb_here: Spb, store: Path, where: str, range_: str
) -> None:
    words = ("measure", "which-judge", "v", "--store", store, "--format", "json")

    by_where = spb_here(*words, "--where", where)
    by_range = spb_here(*words, "--segment", range_)

    assert by_where.returncode == by_range.returncode == 0, by_where.stderr
    assert by_where.stdout == by_range.stdout
    assert by_where.stdout != spb_here(*words).stdout


def test_other_ranges_have_such_ends_too() -> None:
    assert parse_filters("response_length>=10;length<=90") == {"response_length": "10:", "length": ":90"}
    with pytest.raises(UsageError, match="write >= or <="):
        parse_filters("length>10")


@pytest.mark.parametrize(
    ("column", "text", "words"),
    [
        ("category", "median:", "a range is of numbers, and category has other texts, such as 'front'"),
        ("theme", "median:", "unknown theme 'median:'; the study has no values of theme"),
        ("segment", "8", "unknown segment '8'; choose from: 1000, 4, 82, 83, 9.5"),
        ("category", "5:9", "a range is of numbers, and category has other texts, such as 'front'"),
        ("segment", "2000:", "no segment lies within '2000:'; they go from 4 to 1000"),
        ("segment", "83:82", "segment '83:82' is empty; write the lower end first"),
        ("theme", "1:2", "unknown theme '1:2'; the study has no values of theme"),
    ],
)
def test_what_is_no_range_of_a_column_is_refused(store: Path, column: str, text: str, words: str) -> None:
    study = Study.open(store / "v")

    with pytest.raises(UsageError, match=re.escape(words)):
        study.measure("which-judge", resamples=0, **{column: text})


def test_a_stored_text_comes_before_a_range(spb_here: Spb, store: Path) -> None:
    table = (store / "v.csv").read_text("utf-8").replace(",82,", ",4:83,")
    (store / "w.csv").write_text(table, "utf-8")
    words = ("--set", "rubric_id=overall", "--map", "segment=lines_changed", "--store", store)
    assert spb_here("import", store / "w.csv", "--study", "w", *words).returncode == 0

    rows = Study.open(store / "w").judgments(segment="4:83")

    assert set(rows["segment"]) == {"4:83"}


@pytest.fixture
def many(spb_here: Spb, tmp_path: Path) -> Path:
    """Store verdicts on 20 changes, of 1 to 10 lines and of 1,000,001 to 1,000,010."""
    rows = [
        f"{judge},{model},q{n},{n % 10 + 1 + (n > 9) * 1_000_000},yes"
        for n in range(20)
        for judge in MODELS
        for model in MODELS
    ]
    (tmp_path / "m.csv").write_text("\n".join(["rater,model,question_id,segment,verdict", *rows]), "utf-8")
    words = ("import", tmp_path / "m.csv", "--study", "m", "--set", "rubric_id=overall")
    assert spb_here(*words, "--store", tmp_path).returncode == 0
    return tmp_path


def test_a_median_between_two_values_is_as_exact_as_they_are(many: Path) -> None:
    study = Study.open(many / "m")

    # halfway between 10 and 1,000,001 is 500,005.5, and between 1,000,005 and 1,000,006 nothing is cut off
    assert set(study.judgments(segment="median:")["segment"]) == {str(1_000_000 + n) for n in range(1, 11)}
    with pytest.raises(UsageError, match=re.escape("no segment lies within '500005.5:500005.5'")):
        study.judgments(segment="median:median")


@pytest.mark.parametrize("of_rows", [True, False])
def test_of_many_numbers_an_unknown_one_is_answered_by_a_range(many: Path, of_rows: bool) -> None:
    study = Study.open(many / "m")
    words = (
        "unknown segment '77'; its 20 values are numbers from 1 to 1000010; give those you want, or a range, "
        'such as segment="1000001:" or segment="median:"'
    )

    with pytest.raises(UsageError, match=re.escape(words)):
        study.judgments(segment="77") if of_rows else study.measure("which-judge", segment="77", resamples=0)
