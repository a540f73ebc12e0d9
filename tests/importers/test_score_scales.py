"""Scores below 0, scores far above the rest, and what an import says of the scale that it reads them on."""

import shlex
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pytest
from command_line import Spb

import engine
from engine.errors import BadInputError
from engine.importers.tables.table import MOST_COUNTED
from engine.importers.tables.table_sample import SAMPLE
from engine.store import Store

JUDGES = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPB_STORE", str(tmp_path / "store"))
    return tmp_path / "t.csv"


def write(path: Path, values: Iterable[object], name: str = "score") -> Path:
    """Write a table of a verdict in each row, whose judges and questions take turns."""
    rows = [f"q{n // 9},{JUDGES[n // 3 % 3]},{JUDGES[n % 3]},{value}\n" for n, value in enumerate(values)]
    path.write_text(f"question_id,author,judge,{name}\n" + "".join(rows), encoding="utf-8")
    return path


def stored(path: Path, column: str = "score") -> Counter[object]:
    judgments = Store(path.parent / "store").open("s").judgments([column, "status"]).to_pylist()
    return Counter(
        row["status"] if row[column] is None else round(float(row[column]), 4) for row in judgments
    )


def commands(output: "subprocess.CompletedProcess[str]") -> list[list[str]]:
    lines = output.stderr.splitlines()
    return [shlex.split(line)[1:] for line in lines if line.startswith("  spb import")]


SPREAD = [-2] * 9 + [-1] * 18 + [0] * 36 + [1] * 18 + [2] * 9


def test_scores_below_0_are_moved_up_by_the_printed_command(spb_here: Spb, table: Path) -> None:
    write(table, SPREAD)

    refused = spb_here("import", table, "--study", "s")
    [command] = commands(refused)
    done = spb_here(*command)

    assert refused.returncode == 2
    assert "'score' holds scores below 0, down to -2: '-1' (18), '-2' (9)" in refused.stderr
    assert "--value score:-2=0,-1=1,0=2,1=3,2=4 with --set scale=4" in refused.stderr
    assert done.returncode == 0, done.stderr
    assert stored(table) == {0.0: 9, 0.25: 18, 0.5: 36, 0.75: 18, 1.0: 9}
    assert "no verdict" not in done.stderr


@pytest.mark.parametrize("words", [("--set", "scale=2"), ("--map", "score=score")])
def test_scores_below_0_are_refused_whatever_scale_is_given(
    spb_here: Spb, table: Path, words: tuple[str, ...]
) -> None:
    refused = spb_here("import", write(table, SPREAD), "--study", "s", *words)

    assert refused.returncode == 2
    assert "holds scores below 0" in refused.stderr


def test_the_three_scores_of_minus_1_0_and_1_are_asked_about_and_both_commands_read_them(
    spb_here: Spb, table: Path
) -> None:
    write(table, [-1, 0, 1] * 6)

    refused = spb_here("import", table, "--study", "s")
    results = []
    for command in commands(refused):
        done = spb_here(*command, "--replace")
        assert done.returncode == 0, done.stderr
        results.append(stored(table))

    assert "run, if -1 is a score:" in refused.stderr
    assert "or, if -1 stands for no verdict:" in refused.stderr
    assert results == [{0.0: 6, 0.5: 6, 1.0: 6}, {"unparsed": 6, 0.0: 6, 1.0: 6}]


def test_true_scores_are_moved_up_with_the_judges(spb_here: Spb, table: Path) -> None:
    write(table, SPREAD)
    frame = pd.read_csv(table)
    frame.assign(reference_score=[-1, *frame["score"][1:]]).to_csv(table, index=False)

    [command] = commands(spb_here("import", table, "--study", "s"))
    done = spb_here(*command)

    assert done.returncode == 0, done.stderr
    truths = Store(table.parent / "store").open("s").table("references", ["score"])["score"].to_pylist()
    assert set(truths) <= {0.0, 0.25, 0.5, 0.75, 1.0}
    assert min(truths) == 0.0


def test_parts_of_a_point_below_0_are_answered_by_a_step_in_pandas(spb_here: Spb, table: Path) -> None:
    write(table, [n / 10 - 1.25 for n in range(27)])
    frame = pd.read_csv(table)

    refused = spb_here("import", table, "--study", "s")
    assert "d['score'] += 1.25" in refused.stderr
    frame["score"] += 1.25
    frame.to_csv(table, index=False)
    done = spb_here("import", table, "--study", "s", "--set", "scale=2.6")

    assert refused.returncode == 2
    assert "with --set scale=2.6" in refused.stderr
    assert done.returncode == 0, done.stderr
    assert {min(stored(table)), max(stored(table))} == {0.0, 1.0}


def test_minus_1_outside_the_scale_is_no_verdict_and_counted_with_what_says_otherwise(
    spb_here: Spb, table: Path
) -> None:
    write(table, [1, 2, 3, 4, 5, -1] * 6)

    done = spb_here("import", table, "--study", "s", "--set", "scale=5")
    note = next(line for line in done.stderr.splitlines() if "is -1 in" in line)
    otherwise = note.partition("give ")[2].removesuffix(")").replace(" with ", " ")
    as_scores = spb_here("import", table, "--study", "s", "--replace", *shlex.split(otherwise))
    scores = stored(table)
    silent = spb_here(
        "import", table, "--study", "s", "--replace", "--set", "scale=5", "--value", "score:-1=missing"
    )

    assert "'score' is -1 in 6 rows, read as no verdict" in note
    assert as_scores.returncode == 0, as_scores.stderr
    assert scores == dict.fromkeys((0.0, 0.3333, 0.5, 0.6667, 0.8333, 1.0), 6)
    assert "is -1 in" not in silent.stderr
    assert stored(table) == dict.fromkeys((0.2, 0.4, 0.6, 0.8, 1.0, "unparsed"), 6)


def test_scores_below_0_that_come_late_in_a_file_are_refused_too(spb_here: Spb, table: Path) -> None:
    write(table, [*[1, 2, 3, -1] * (SAMPLE // 4), -2])

    refused = spb_here("import", table, "--study", "s", "--set", "scale=3")

    assert refused.returncode == 2
    assert (
        f"1 of {SAMPLE + 1:,} scores in 'score' lie below 0 beside those of -1, down to -2" in refused.stderr
    )
    assert not (table.parent / "store" / "s").exists()


def test_a_likelihood_of_minus_1_is_one(spb_here: Spb, table: Path) -> None:
    write(table, [-1.0, -2.5, -0.5] * 6)

    done = spb_here("import", table, "--study", "s", "--set", "paradigm=familiarity")

    assert done.returncode == 0, done.stderr
    assert stored(table) == {-1.0: 6, -2.5: 6, -0.5: 6}


def test_verdicts_of_1_and_minus_1_are_asked_about(spb_here: Spb, table: Path) -> None:
    write(table, [1, -1] * 9, "met")

    refused = spb_here("import", table, "--study", "s")
    done = spb_here("import", table, "--study", "s", "--value", "met:-1=no,1=yes")

    assert "-1 may be no, or stand for no verdict" in refused.stderr
    assert "--value met:1=yes,-1=no" in refused.stderr
    assert done.returncode == 0, done.stderr
    assert stored(table, "met") == {0.0: 9, 1.0: 9}


STRAY = [999, *[1, 2, 3, 4, 5] * 10]


def test_a_stray_score_far_above_the_rest_is_not_proposed_as_the_scale(spb_here: Spb, table: Path) -> None:
    refused = spb_here("import", write(table, STRAY), "--study", "s")
    [command] = commands(refused)
    done = spb_here(*command)

    others = "'1' (10), '2' (10), '3' (10), '4' (10), '5' (10)"
    assert f"but for 1 of 51 scores far above the rest: '999' (1) beside {others}" in refused.stderr
    assert "--set scale=5, which divides them, or a higher one; the row above it is left" in refused.stderr
    assert done.returncode == 0, done.stderr
    assert "Left out: 1 of 51 rows: score is above its scale of 5 (1)." in done.stdout
    assert stored(table) == dict.fromkeys((0.2, 0.4, 0.6, 0.8, 1.0), 10)


@pytest.mark.parametrize("scores", [[10, *[1, 2, 3] * 10], [100, *[5, 10, 20] * 10], [50, 1, 2]])
def test_a_rare_top_score_is_still_the_scale(spb_here: Spb, table: Path, scores: list[int]) -> None:
    refused = spb_here("import", write(table, scores), "--study", "s")

    assert f"goes up to {max(scores)}, where 1 is perfect. On which scale" in refused.stderr


def test_a_scale_that_nearly_no_score_reaches_is_a_caution_beside_the_conclusion(
    spb_here: Spb, table: Path
) -> None:
    write(table, [999, *[1, 2, 3, 4, 5] * 30])

    done = spb_here("import", table, "--study", "s", "--set", "scale=999")
    apt = spb_here("import", table, "--study", "s", "--replace", "--set", "scale=5")

    caution = "150 of 151 scores lie in the lowest tenth of the scale of 999, so that they hardly differ"
    assert f"{caution}; if it is another one, give such as --set scale=5" in " ".join(done.stdout.split())
    assert "lowest tenth" not in apt.stdout + apt.stderr


def test_too_high_scores_propose_the_top_of_the_rest(spb_here: Spb, table: Path) -> None:
    refused = spb_here("import", write(table, STRAY), "--study", "s", "--set", "scale=3")

    assert "21 of 51 scores lie above the scale of 3; the highest is 5" in refused.stderr
    assert "--set scale=5, or more" in refused.stderr


def test_values_are_counted_in_the_whole_file_as_it_has_them(spb_here: Spb, table: Path) -> None:
    write(table, [*["Fine", "Not So"] * SAMPLE, "Odd"], "met")

    refused = spb_here("import", table, "--study", "s")
    half = spb_here("import", table, "--study", "s", "--value", "met:fine=yes")

    for output in (refused, half):
        assert f"'met' holds 'Fine' ({SAMPLE:,}), 'Not So' ({SAMPLE:,}), 'Odd' (1)" in output.stderr
    assert "; these are neither true nor false" in refused.stderr
    assert "; 'Not So' and 'Odd' are neither true nor false" in half.stderr


def test_a_longer_file_says_of_how_many_rows_values_are_counted(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.importers.tables.table.MOST_COUNTED", SAMPLE + 1)
    frame = pd.read_csv(write(table, ["Fine", "Poor", "Odd"] * SAMPLE, "met"))

    with pytest.raises(BadInputError, match=rf"\(of the first {SAMPLE + 1:,} rows\)"):
        engine.from_frame(frame, generator="author")

    assert MOST_COUNTED > SAMPLE


def semicolons(path: Path, values: Iterable[str], name: str = "score") -> Path:
    values = list(values)
    write(path, ["X"] * len(values), name)
    lines = path.read_text(encoding="utf-8").replace(",", ";").splitlines()
    rows = [line.replace("X", value) for line, value in zip(lines[1:], values, strict=True)]
    path.write_text("\n".join([lines[0], *rows]), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["score", "rating"])
def test_decimal_commas_between_semicolons_are_decimal_points(spb_here: Spb, table: Path, name: str) -> None:
    semicolons(table, ["1,5", "2", "3,25"] * 6, name)

    done = spb_here("import", table, "--study", "s", "--set", "scale=5")

    assert done.returncode == 0, done.stderr
    assert f"note: t.csv: the comma in {name!r} is read as a decimal point" in done.stderr
    assert stored(table) == {0.3: 6, 0.4: 6, 0.65: 6}


@pytest.mark.parametrize(
    "values", [["1,5", "2.5", "3,5"], ["1,500", "2,250", "3,125"], ["1.000,5", "2,5", "3,5"]]
)
def test_commas_that_may_be_something_else_are_refused(spb_here: Spb, table: Path, values: list[str]) -> None:
    refused = spb_here("import", semicolons(table, values * 6), "--study", "s", "--set", "scale=5")

    assert refused.returncode == 2
    assert "which are not numbers; write them with a decimal point" in refused.stderr


def test_decimal_commas_between_other_marks_are_refused(spb_here: Spb, table: Path) -> None:
    refused = spb_here("import", write(table, ['"1,5"', '"2,5"'] * 9), "--study", "s")

    assert "'score' holds '1,5' (9), '2,5' (9), which are not numbers" in refused.stderr


def test_ids_between_semicolons_keep_their_commas(spb_here: Spb, table: Path) -> None:
    semicolons(table, ["1,5", "2,5"] * 9)
    table.write_text(table.read_text(encoding="utf-8").replace("\nq", "\n1,"), encoding="utf-8")

    done = spb_here("import", table, "--study", "s", "--set", "scale=5")

    assert done.returncode == 0, done.stderr
    ids = Store(table.parent / "store").open("s").table("instances")["instance_id"].to_pylist()
    assert ids == ["1,0", "1,1"]


def test_scores_up_to_no_usual_scale_are_asked_about_with_a_command_for_each_likely_one(
    spb_here: Spb, table: Path
) -> None:
    write(table, [1, 3, 5, 8] * 12)

    refused = spb_here("import", table, "--study", "s")
    to_eight, to_ten = commands(refused)
    done = spb_here(*to_ten)

    assert refused.returncode == 2
    assert "--set scale=8 or --set scale=10" in refused.stderr
    assert "scale=8" in to_eight
    assert done.returncode == 0, done.stderr
    assert stored(table) == {0.1: 12, 0.3: 12, 0.5: 12, 0.8: 12}


@pytest.mark.parametrize(("more", "is_doubted"), [((), True), (("--set", "scale=10"), False)])
def test_a_scale_of_an_earlier_file_that_no_later_score_reaches_is_doubted(
    spb_here: Spb, table: Path, more: tuple[str, ...], is_doubted: bool
) -> None:
    write(table, [2, 4, 8, 10] * 12)
    spb_here("import", table, "--study", "s", "--set", "scale=10")
    later = write(table.with_name("later.csv"), [1, 2, 4, 5] * 12)
    later.write_text(later.read_text("utf-8").replace("\nq", "\nr"), "utf-8")

    done = spb_here("import", later, "--study", "s", "--append", *more)

    assert done.returncode == 0, done.stderr
    doubt = "no score is above 5, and the scale of 10 is that of an earlier file of the study"
    assert (doubt in " ".join(done.stdout.split())) == is_doubted


def test_scores_from_minus_1_to_1_are_moved_by_that_scale(spb_here: Spb, table: Path) -> None:
    refused = spb_here("import", write(table, [-0.74, -0.2, 0.1, 0.38, 0.9] * 5), "--study", "s")

    assert "'score' holds scores below 0, down to -0.74: '-0.74' (" in refused.stderr
    assert "Add 1 to each score" in refused.stderr
    assert "with --set scale=2, if they can go from -1 to 1" in refused.stderr
