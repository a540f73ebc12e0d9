"""`spb metrics` and `spb committee`: the contract that other programs rely on."""

import csv
import io
import json
import os
import random
import re
import subprocess
import sys

import pytest
from command_line import Spb
from plain.awkward import JUDGES, awkward_study
from plain.published import ROOT

from engine.importers.formats.exchange import import_tidy
from engine.measures.catalogue import MEASURES
from engine.store import Store
from tests.tools.docs.measures import describe

FIELDS = {
    "hspp": "judge family o_self o_family o_other hspp_self hspp_family hspp_family_with_self n_self "
    "n_family n_other hspp_self_low hspp_self_high hspp_family_low hspp_family_high difference_self "
    "hspp_matched hspp_matched_low hspp_matched_high n_matched l2w_share_self l2w_share_other judges",
    "overestimation": "judge generator relation rate over n under_rate under under_n",
    "accuracy": "judge mra mra_correct mra_total mipa mipa_correct mipa_total",
    "delta": "judge generator delta raw_delta n bonus leniency rank_shift pair_order",
    "agreement-curve": "threshold level hspp_self_mean judges rubrics_kept",
    "committee": "judge level members hspp_self hspp_self_committee hspp_family hspp_family_committee mra "
    "mra_committee mipa mipa_committee",
    "reference-agreement": "a b kind n agreement kappa balanced_f1 win_rate_a win_rate_b spearman pearson "
    "mean_difference median_difference sd_difference within",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    awkward_study(random.Random(1), instances=6).write(folder / "exchange")
    import_tidy(folder / "exchange", Store(folder / "store"), "awkward")
    return folder / "store"


@pytest.fixture
def spb(spb_here: Spb, store):
    """Return a function that runs a command on that store."""
    return lambda *words: spb_here(*words, "--store", store)


@pytest.mark.parametrize("measure", FIELDS)
def test_the_json_is_one_object_with_the_documented_fields(spb, measure):
    result = spb("metrics", measure, "--study", "awkward", "--format", "json", "--resamples", "50")

    assert result.returncode == 0, result.stderr
    output = json.loads(result.stdout)
    assert set(output) == {"measure", "study", "filters", "rows", "left_out", "reason"}
    assert (output["measure"], output["study"]) == (measure, "awkward")
    assert set(FIELDS[measure].split()) <= set(output["rows"][0])
    for row in output["rows"]:
        undefined = {name for name, value in row.items() if value is None}
        assert undefined == set(row["reasons"])


def test_csv_has_an_empty_cell_for_null(spb):
    result = spb("metrics", "hspp", "--study", "awkward", "--format", "csv", "--resamples", "0")

    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert rows[-1]["judge"] == ""
    assert rows[0]["hspp_self_low"] == ""


def test_the_table_goes_to_standard_output_and_what_it_rests_on_to_standard_error_if_wanted(spb):
    command = ("metrics", "hspp", "--study", "awkward", "--resamples", "0")
    result, verbose = spb(*command), spb(*command, "-v")

    assert result.returncode == 0
    assert "aster-1" in result.stdout
    assert "left out:" not in result.stdout + result.stderr
    assert verbose.stdout == result.stdout
    assert "left out:" in verbose.stderr


def test_lists_are_given_with_commas_or_by_repeating_the_flag(spb):
    arguments = ("metrics", "overestimation", "--study", "awkward", "--format", "json", "--resamples", "0")
    by_commas = spb(*arguments, "--judges", f"{JUDGES[0]},{JUDGES[2]}")
    by_flags = spb(*arguments, "--judges", JUDGES[0], "--judges", JUDGES[2])

    assert json.loads(by_commas.stdout)["rows"] == json.loads(by_flags.stdout)["rows"]
    assert {row["judge"] for row in json.loads(by_commas.stdout)["rows"]} == {JUDGES[0], JUDGES[2]}


def test_two_compared_slices_are_printed_side_by_side(spb):
    arguments = (
        "metrics",
        "hspp",
        "--study",
        "awkward",
        "--against",
        "paradigm=all_rubrics",
        "--resamples",
        "0",
        "-v",
    )
    result, rows = spb(*arguments), json.loads(spb(*arguments, "--format", "json").stdout)["rows"]

    assert result.returncode == 0, result.stderr
    remark, _, table = result.stdout.partition("\n\n")
    lines = table.splitlines()
    header = " ".join(lines[:2])
    assert remark.startswith(
        "HSPP ratio: A is that of paradigm single criterion, B that of paradigm all criteria"
    )
    assert "The runs run-1 and run 2 are taken together" in " ".join(remark.split())
    assert sorted(header.split()) == ["/", "A", "B", "Judge", "Ratio", "a", "b"]  # A / B: of ratios
    comparison = next(row for row in rows if row["difference"] is not None)
    line = next(line for line in lines if line.startswith(comparison["judge"]))
    assert f"{comparison['a']:.2f}" in line
    assert f"{comparison['a'] / comparison['b']:.2f}" in line
    assert "against paradigm all_rubrics, ordering original" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("metrics", "hspp", "--study", "nowhere"), "awkward"),
        (("metrics", "hspp", "--study", "awkward", "--judges", "nobody"), "aster-1"),
        (("metrics", "hspp", "--study", "awkward", "--by", "colour"), "axis"),
        (("metrics", "hspp", "--study", "awkward", "--against", "axis"), "COLUMN=VALUE"),
        (("metrics", "hspp", "--study", "awkward", "--polarity", "sideways"), "positive"),
        (("metrics", "beauty", "--study", "awkward"), "beauty"),
        (("committee", "--study", "awkward", "--name", "n", "--members", "x,y,z"), "aster-1"),
    ],
)
def test_wrong_usage_exits_with_2_and_names_the_choices(spb, words, message):
    result = spb(*words)

    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_a_committee_is_saved_and_can_be_the_reference(spb, store):
    members = ",".join((JUDGES[0], JUDGES[2], JUDGES[4]))
    result = spb("committee", "--study", "awkward", "--name", "three", "--members", members)
    measured = spb(
        "metrics", "hspp", "--study", "awkward", "--reference", "committee:three", "--format", "json"
    )

    assert result.returncode == 0, result.stderr
    assert measured.returncode == 0, measured.stderr
    assert json.loads(measured.stdout)["filters"]["reference"] == "committee:three"
    assert Store(store).open("awkward").info.committees["three"].members == members.split(",")


def test_the_page_on_measures_matches_the_catalogue():
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")

    assert page == describe(), "run: python -m tests.tools.docs.measures > docs/measures.md"


def test_every_measure_has_a_module_and_a_command():
    from engine.cli.measure.measures import measure_commands

    commands = {command.name for command in measure_commands().registered_commands}
    for name, measure in MEASURES.items():
        assert callable(measure.function)
        assert name in commands


def test_asking_for_help_imports_nothing_heavy():
    script = (
        "import sys; sys.argv = ['spb', '--help']\n"
        "from engine.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'pandas', 'pyarrow', 'litellm', 'streamlit', 'scipy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )

    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stderr


NARROW = """
import os, pty, sys

screen, terminal = pty.openpty()
os.environ.pop("COLUMNS", None)
import fcntl, struct, termios

fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
sys.stdout = os.fdopen(terminal, "w")
from engine.cli.printing.columns import print_columns

print_columns(["judge", *NAMES], [["aster-large", *CELLS], ["boreal-large", *CELLS]], keys=["judge"])
sys.stdout.flush()
text = ""
while text.count(CELLS[-1]) < 2:
    text += os.read(screen, 100_000).decode()
print(text, file=sys.stderr)
"""


def test_a_table_too_wide_for_the_terminal_is_printed_in_blocks_and_no_number_is_cut():
    names, cells = [f"number_{n}" for n in range(9)], [f"{n}.11 [0.{n}0, 9.99]" for n in range(9)]
    script = f"NAMES, CELLS = {names!r}, {cells!r}\n{NARROW}"

    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    text = re.sub(r"\x1b\[[0-9;]*m", "", result.stderr)
    blocks = [block.split("\n") for block in text.strip().replace("\r", "").split("\n\n")]
    assert len(blocks) == 3  # a judge's 12 letters, then 2 + 17 for each number: 3 of 9 fit into 80 columns
    for head, first, second in blocks:
        assert max(map(len, (head.rstrip(), first.rstrip(), second.rstrip()))) <= 80
        assert [line.split()[0] for line in (head, first, second)] == ["judge", "aster-large", "boreal-large"]
    assert all(text.count(word) == 1 for word in names)
    assert all(text.count(cell) == 2 for cell in cells)
    assert "\u2026" not in text


def test_a_measure_without_rows_says_why_on_standard_output(spb):
    result = spb("metrics", "position", "--study", "awkward")

    assert result.returncode == 0
    assert result.stdout == "There is nothing to show: the study has no score_rubric judgments.\n"


def test_an_output_that_is_not_unicode_gets_escapes_and_no_traceback(store):
    command = [sys.executable, "-c", "from engine.cli import main; main()", "metrics", "hspp"]
    where = ["--study", "awkward", "--store", str(store), "--resamples", "0"]

    result = subprocess.run(
        [*command, *where],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
    )

    assert result.returncode == 0, result.stderr
    assert b"\\u2013" in result.stdout  # the dash of an undefined number
    assert b"Traceback" not in result.stderr


def test_the_help_of_a_measure_lists_only_what_it_can_do(spb):
    sliced, whole = spb("metrics", "hspp", "--help").stdout, spb("metrics", "scorecard", "--help").stdout

    assert "--by COLUMN" in sliced
    assert "--against" in sliced
    for option in ("--by", "--against", "--common", "--install-completion"):
        assert option not in whole


def test_a_measure_that_counts_nothing_left_out_names_it(spb_here: Spb):
    words = ("measure", "which-judge", "--rows", "costs", "-v", "--study", "demo-orders")
    output = spb_here(*words, "--store", ROOT / "results")

    assert f"left out: {MEASURES['judge-costs'].left_out}" in output.stderr


def test_the_list_of_measures_gives_each_its_whole_title(spb_here: Spb):
    listing = spb_here("metrics", "--help").stdout

    assert "Harmful self-preference ratio\n" in listing
    assert "..." not in listing.partition("Commands:")[2]
