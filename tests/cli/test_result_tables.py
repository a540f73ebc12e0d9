"""What `spb metrics` and `spb find` print for readers: the view's sentences, then its columns that fit."""

import itertools
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Spb, spb
from plain.builders import judge_rubrics, study_of
from plain.published import ROOT
from rich.cells import cell_len

import engine
from engine.explore.find_slices import listed_rows
from engine.measures.catalogue import MEASURES
from engine.views.registry import VIEWS
from engine.words.caveats import shared_caveats

VIEWS_OF = {
    "demo-health": ("judges", "which_judge", "kinds", "committee"),
    "demo-pairs": ("archetypes", "firm_choices", "baseline", "flips"),
    "demo-orders": ("positions", "costs", "lists"),
}
"""Views that one command prints whole, each in a study that has it."""

STORE = ("--store", str(ROOT / "results"))


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("study", VIEWS_OF)
def test_a_views_command_prints_its_sentences_first_and_its_rows_in_order(spb_80: Spb, study):
    opened = engine.open_study(ROOT / "results" / study)
    for name in VIEWS_OF[study]:
        shown = VIEWS[name].shown(opened, {})
        if shown.table is None:
            continue
        output = spb_80(*shlex.split(shown.commands[0])[1:])

        own = [each for each in shown.sentences if not each.startswith("These conclusions rest on")]
        sentences = one_line(" ".join(own))  # of other judgments the command says last
        if name in ("positions", "costs"):  # the page shows one scale, the command all of them
            assert sentences in one_line(output.stdout)
            continue
        first, _, table = output.stdout.partition("\n\n")
        result = shown.table.result
        caveats = [] if result is None else shared_caveats(result.rows)
        assert list(shown.basis[: len(caveats)]) == caveats
        assert one_line(first) == " ".join([sentences, *caveats]), name
        if shown.table.names[0] != "judge":
            continue
        names = [line.split()[0] for line in table.splitlines()[1:] if line[:1].strip()]
        judges = [row[shown.table.names.index("judge")] for row in shown.table.rows]
        assert [judge for judge in names if judge in judges] == [each for each in judges if " " not in each]


@pytest.fixture(scope="module")
def demonstrations():
    return [engine.open_study(ROOT / "results" / study) for study in VIEWS_OF]


@pytest.mark.parametrize(("here", "width"), [("spb_80", 80), ("spb_here", 100)])
@pytest.mark.parametrize("study", ["demo-health", "demo-orders"])
def test_the_reasons_of_conclusions_have_room_for_several_words_a_line(
    here: str, width: int, study: str, request: pytest.FixtureRequest
):
    run: Spb = request.getfixturevalue(here)
    lines = run("judges", study, *STORE).stdout.splitlines()

    head = next(place for place, line in enumerate(lines) if line.startswith("Judge"))
    table = list(itertools.takewhile(bool, lines[head + 1 :]))
    at = lines[head].index("Reason")
    assert all(len(line) <= width for line in table)
    reasons = [line[at:].strip() for line in table if line[at:].strip()]
    assert reasons
    alone = [each for each in reasons if " " not in each]
    assert len(alone) <= len(reasons) / 4  # the last word of a reason may stand alone
    starts = [place for place, line in enumerate(table) if re.match(r"\S.*\d%", line)]
    assert max(b - a for a, b in itertools.pairwise([*starts, len(table)])) <= 3  # lines of a judge


@pytest.mark.parametrize(
    ("in_terminal", "remedy"), [(True, "widen the terminal"), (False, "set COLUMNS=120")]
)
def test_columns_without_room_are_named_with_what_makes_room_in_a_terminal_or_a_pipe(
    in_terminal: bool,
    remedy: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: in_terminal)

    spb(monkeypatch, "judges", "demo-health", *STORE)

    assert re.search(
        rf"^no room for .*: {remedy}, or --all prints every column$", capsys.readouterr().err, re.M
    )


@pytest.mark.filterwarnings("ignore:the measure .* is now:FutureWarning")
@pytest.mark.parametrize("measure", MEASURES)
def test_no_line_is_wider_than_the_terminal(spb_80: Spb, demonstrations, measure):
    with_rows = (each for each in demonstrations if each.result(measure, resamples=50).rows)
    study = next(with_rows, demonstrations[0])

    output = spb_80("metrics", measure, "--study", study.name, "--resamples", "50")

    assert output.returncode == 0, output.stderr
    assert output.stdout.strip()
    wide = [line for line in output.stdout.splitlines() if cell_len(line) > 80]
    assert not wide, wide


def test_the_scorecard_has_given_and_expected_and_the_reason_in_words(spb_80: Spb):
    command = ("metrics", "scorecard", "--study", "demo-health")
    output, rows = spb_80(*command), json.loads(spb_80(*command, "--format", "json").stdout)["rows"]

    head = next(line for line in output.stdout.splitlines() if line.startswith("Judge"))
    assert head.split() == ["Judge", "Conclusion", "Given", "Expected", "n", "own", "Reason"]
    table = output.stdout.partition("\n\n")[2]
    for row in rows[1:]:
        lines = table.splitlines()
        place = next(i for i, line in enumerate(lines) if line.startswith(f"{row['judge']} "))
        assert f"{100 * row['own_given']:.1f}%  {100 * row['own_expected']:.1f}%" in lines[place]
        low, high = (f"{100 * row[f'own_expected_{end}']:.1f}%" for end in ("low", "high"))
        assert f"[{low}, {high}]" in " ".join(lines[place : place + 2])  # below it, to leave words room
    assert not re.search("favours_itself|same_items|undecided|t_test", output.stdout)
    assert "mean of judges" not in output.stdout  # the first row is of all judges together


def test_all_prints_every_column_under_its_name_and_codes_in_words(spb_80: Spb):
    command = ("metrics", "scorecard", "--study", "demo-health")
    output = spb_80(*command, "--all")
    row = json.loads(spb_80(*command, "--format", "json").stdout)["rows"][1]

    head = next(line for line in output.stdout.splitlines() if line.startswith("judge "))
    assert {"own_expected_low", "p_tastes", "tipping_share"} <= set(head.split())
    assert set(head.split()) <= set(row)
    assert "favours_itself" not in output.stdout


def test_all_prints_numbers_of_one_row_in_one_unit(spb_80: Spb):
    command = ("measure", "delta", "demo-health")
    row = json.loads(spb_80(*command, "--format", "json").stdout)["rows"][0]
    table = spb_80(*command, "--all").stdout

    assert f"{100 * row['leniency']:+.1f} points [{100 * row['leniency_low']:+.1f}, " in table  # stored of 1
    assert f"{row['bonus']:+.1f} points [{row['bonus_low']:+.1f}, " in table  # stored of 100


def test_an_undefined_number_is_a_dash_with_its_reason_below(spb_80: Spb):
    output = spb_80("metrics", "hspp", "--study", "demo-health")

    line = next(line for line in output.stdout.splitlines() if line.startswith("dune-large"))
    assert line.split()[-1] == "–"
    assert "– in Family ratio: no other model of its family." in output.stdout


def test_dashes_of_different_reasons_in_a_column_have_marks_that_tell_which(
    spb_80: Spb, tmp_path: Path
) -> None:
    plain = study_of("J:J A:A B:B C:C", rubrics=(1, 1, 1), instances=10)
    for judge, generator, i in itertools.product("JABC", "JABC", range(10)):
        # Of three criteria judges differ on the second: J passes its own, A fails its own, B does both.
        mixed = (i + "JABC".index(judge)) % 3 > 0
        passed = {"J": judge == "J", "A": judge != "A"}.get(generator, mixed)
        judge_rubrics(plain, judge, generator, f"1{int(passed)}0", f"x{i}")
    plain.write(tmp_path / "tables")
    spb_80("import", "tidy", str(tmp_path / "tables"), "--study", "alike", "--store", str(tmp_path))

    output = spb_80("measure", "expected", "alike", "--store", str(tmp_path)).stdout

    given = {line.split()[0]: line.split()[1:3] for line in output.splitlines() if line[:2] in ("J ", "A ")}
    assert given == {"J": ["66.7%", "–¹"], "A": ["33.3%", "–²"]}
    assert "¹ of its own cases on which judges disagree it passed all; ² of its own" in one_line(output)


def test_all_measures_together_have_sentences_and_words_and_data_their_codes(spb_80: Spb):
    words = ("measure", "together", "demo-verifiable", "--judge", "ember-mini", *STORE)
    rows = json.loads(spb_80(*words, "--format", "json").stdout)["rows"]

    text = one_line(spb_80(*words).stdout)

    for sentence in {row["sentence"] for row in rows}:
        assert sentence in text
    assert {"hspp", "mipa"} <= {row["measure"] for row in rows}
    assert {row["sign"] for row in rows} == {1, -1, None}
    for judge in {row["judge"] for row in rows if row["measure"] == "mipa"}:
        assert f"{judge} pair accuracy" in text
    assert "mipa" not in text
    unsure = [row for row in rows if row["sign"] == 1 and row["low"] is not None and row["low"] < row["null"]]
    assert text.count("above, but not") == len(unsure) > 0


@pytest.mark.parametrize(
    ("measure", "head", "why"),
    [
        ("hspp", "HSPP", "No judge has a ratio here: its own answers failed no criterion."),
        ("expected", "Given", "There is no number here: fewer than three judges, or judges of one family"),
    ],
)
def test_a_table_without_any_number_says_why_and_keeps_its_column(spb_80: Spb, tmp_path, measure, head, why):
    """Three judges pass every criterion, which the reference has met too."""
    models = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
    rows = [f"{judge},{model},q{n},pass,pass" for judge in models for model in models for n in range(12)]
    (tmp_path / "t.csv").write_text("\n".join(["judge,model,question,verdict,truth", *rows]), "utf-8")
    assert spb_80("import", tmp_path / "t.csv", "--study", "t", "--store", tmp_path).returncode == 0

    table, rows, stored = (
        spb_80("measure", measure, "t", "--store", tmp_path, *form)
        for form in ((), ("--format", "csv"), ("--format", "json"))
    )

    assert why in one_line(table.stdout)
    assert head in table.stdout.partition("\n\n")[2].partition("gpt-4o")[0].split()
    assert (table.returncode, rows.returncode, stored.returncode) == (3, 3, 0)


def test_pairs_are_compared_with_outside_judges_by_votes(spb_80: Spb):
    output = spb_80("metrics", "outside", "--study", "demo-pairs", "--resamples", "20")

    assert "points more often than judges of other families do" in one_line(output.stdout)


def test_many_slices_are_cut_in_a_table_and_counted(spb_80: Spb):
    output = spb_80("find", "--study", "demo-health")
    slices = json.loads(spb_80("find", "--study", "demo-health", "--format", "json").stdout)["rows"]

    assert len(slices) > 60
    assert f"60 of {len(listed_rows(slices))} rows" in output.stdout
    assert f"{slices[0]['judge']} " in output.stdout.partition("\n\n")[2]
    assert "stand out" in output.stdout.splitlines()[0]


HEAVY = {"altair", "scipy.stats", "streamlit", "litellm"}
JSON = ("metrics", "hspp", "--study", "demo-orders", "--format", "json", "--resamples", "0")
TABLE = ("judges", "demo-orders")


def test_numbers_are_printed_without_what_draws():
    script = "import sys\nfrom engine.cli import main\n"
    for words, heavy in ((JSON, {*HEAVY, "pandas", "rich.table"}), (TABLE, HEAVY)):
        script += (
            f"sys.argv = {['spb', *words, *STORE]!r}\n"
            "try: main()\nexcept SystemExit: pass\n"
            f"heavy = {heavy!r} & set(sys.modules)\n"
            "assert not heavy, heavy\n"
            "print('--', flush=True)\n"
        )

    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stderr
    in_json, in_table, _ = result.stdout.split("--\n")
    assert json.loads(in_json)["rows"]
    assert "Conclusion" in in_table


def test_a_wider_terminal_shows_more_columns(monkeypatch, capsys):
    command = ("metrics", "hspp", "--study", "demo-health", "--resamples", "20", *STORE)
    outputs = []
    for width in (80, 160):
        monkeypatch.setenv("COLUMNS", str(width))
        spb(monkeypatch, *command)
        outputs.append(capsys.readouterr().out)

    assert "Passed others' failures" not in outputs[0]
    assert "Passed others' failures" in one_line(outputs[1])


def test_what_few_wrong_labels_would_undo_follows_the_conclusions(spb_here: Spb):
    output = spb_here("judges", "demo-health", "--store", str(ROOT / "results"))
    rows = engine.open_study(ROOT / "results" / "demo-health").result("scorecard").rows
    fragile = [row["judge"] for row in rows if row["judge"] and row["tipping"] and row["tipping"] <= 3]

    assert fragile
    sentence = one_line(output.stdout).partition(" Fragile: ")[2].partition(".")[0]
    assert all(f"the conclusion on {judge}" in sentence for judge in fragile)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("hspp", "--axis", "accuracy", "--against", "axis=completeness"),
            "A is that of axis accuracy, B that of axis completeness; the difference is A / B.",
        ),
        (
            ("accuracy", "--against", "length=21:"),
            "A is that of the whole slice, B that of length of the criterion from 21; the difference is A -",
        ),
    ],
)
def test_a_comparison_says_which_slices_it_calls_a_and_b(spb_here: Spb, words, sentence):
    measure, *filters = words
    output = spb_here("measure", measure, "demo-health", "--resamples", "20", *filters, *STORE).stdout

    assert sentence in one_line(output)


def test_a_table_of_judges_has_room_for_reasons_beside_points(spb_80: Spb, tmp_path: Path) -> None:
    models = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro", "llama-3.1-70b-instruct", "mistral-large")
    lines = ["judge,generator,instance_id,score"]
    for judge, author, question in itertools.product(models, models, range(30)):
        own = 20 if judge == author == "gpt-4o" else 0
        lines.append(f"{judge},{author},q{question},{50 + own + (7 * question + len(judge + author)) % 11}")
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n", "utf-8")
    place = ("--store", str(tmp_path / "store"))
    assert (
        spb_80("import", tmp_path / "scores.csv", "--set", "scale=100", "--study", "mine", *place).returncode
        == 0
    )

    board = spb_80("judges", "mine", *place)

    assert " points" in board.stdout
    [heads] = [line for line in board.stdout.splitlines() if line.startswith("Judge ")]
    assert heads.split()[-1] == "Reason"
    assert "no room" not in board.stderr


def test_a_reason_that_several_columns_share_is_printed_once(spb_80: Spb, tmp_path: Path) -> None:
    out = tmp_path / "judges.md"

    spb_80("measure", "which-judge", "demo-orders", *STORE, "--resamples", "20", "--out", out)

    reasons = re.findall(r"^– in .*?: (.*)$", out.read_text("utf-8"), re.MULTILINE)
    assert len(reasons) == len(set(reasons)) > 0


def test_a_ranking_says_on_how_many_questions_judges_rank_and_what_is_left_out(spb_80: Spb) -> None:
    words = ("measure", "ranking", "demo-health", *STORE, "--resamples", "0")
    rows = json.loads(spb_80(*words, "--format", "json").stdout)["rows"]
    printed = " ".join(spb_80(*words).stdout.split())

    together = ("all", "all-without-self", "all-without-family", "reference")
    counts = [row["n"] for row in rows if row["by"] not in together]
    most = max(row["n"] for row in rows)
    assert f"on the answers of all models: {min(counts)} to {max(counts)} of {most} questions." in printed
    assert "Left out: " in printed
    assert "that lack a verdict" in printed.partition("Left out: ")[2]


def test_min_instances_is_noted_to_change_no_conclusion(spb_80: Spb) -> None:
    words = ("judges", "demo-health", *STORE)

    assert "--min-instances does not change" in spb_80(*words, "--min-instances", "9999").stderr
    assert "--min-instances" not in spb_80(*words).stderr
