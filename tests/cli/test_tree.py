"""The commands by task, their former names, and what their exit codes say."""

import json
import re

import pytest
from command_line import Spb
from plain.published import ROOT

from engine import errors
from engine.cli.command_list import COMMANDS
from engine.cli.exit_codes import DONE, MEANINGS, NO_ANSWER, OF_RUN, USAGE
from engine.cli.former import FORMER
from engine.collect.run.run_report import EXIT_CODES as RUN_CODES
from engine.explore.gate import EXIT_CODES as GATE_CODES
from engine.measures.catalogue import OWN, QUESTIONS

STORE = ("--store", str(ROOT / "results"))
QUICK = ("--resamples", "0")

SAME_ANSWERS = {
    ("metrics", "accuracy", "--study", "demo-health", *QUICK, "--format", "json", *STORE): (
        *("measure", "accuracy", "demo-health", *QUICK, "--format", "json", *STORE),
    ),
    ("metrics", "accuracy", "--study", "demo-health", *QUICK, *STORE): (
        *("measure", "ACCURACY", "demo-health", *QUICK, *STORE),
    ),
    ("power", "--effect", "1.5", "--format", "json"): (
        "plan",
        "power",
        "--effect",
        "1.5",
        "--format",
        "json",
    ),
    ("schema", "hspp"): ("study", "schema", "hspp"),
    ("glossary", "self-preference"): ("explain", "self-preference"),
    ("runs", "--format", "json", *STORE): ("run", "list", "--format", "json", *STORE),
    ("show", "no-such-call", "--study", "demo-health", *STORE): (
        *("study", "show", "no-such-call", "demo-health", *STORE),
    ),
    ("datasets", "list", "--format", "csv"): ("data", "list", "--format", "csv"),
    ("check-judge", "demo-health", "--independent", "--format", "json", *STORE): (
        *("gate", "demo-health", "--independent", "--format", "json", *STORE),
    ),
    ("committee", "--study", "demo-health", "--name", "c", "--members", "nobody", *STORE): (
        *("reference", "committee", "demo-health", "--name", "c", "--members", "nobody", *STORE),
    ),
}


@pytest.mark.parametrize("former", SAME_ANSWERS)
def test_a_former_name_answers_as_its_successor_and_names_it_once(spb_here: Spb, former):
    then, now = spb_here(*former), spb_here(*SAME_ANSWERS[former])

    assert (then.returncode, then.stdout) == (now.returncode, now.stdout)
    first, *others = then.stderr.splitlines(keepends=True)
    note = f"is now spb {FORMER[former[0]][2]}\n"
    if first.startswith("error: "):  # an error stands alone, as scripts expect
        assert note not in then.stderr
        others.insert(0, first)
    else:
        assert note in first
    assert "".join(others) == now.stderr


def test_the_help_lists_the_tree_alone_and_former_names_have_theirs(spb_here: Spb):
    listed = spb_here("-h").stdout.partition("Commands:")[2].partition("\n\nQuestions:")[0]

    assert [line.split()[0] for line in listed.strip().splitlines()] == [name for name, _, _ in COMMANDS]
    for former in FORMER:
        output = spb_here(former, "--help")
        assert output.returncode == 0
        assert "Usage:" in output.stdout


def test_the_help_leads_from_a_question_to_the_command_that_answers_it(spb_here: Spb):
    lines = spb_here("-h").stdout.partition("Questions:")[2].strip().splitlines()

    answers = {
        question: command.split() for command, question in (re.split(r"  +", line.strip()) for line in lines)
    }
    assert answers["Which judge should I use, and for what?"] == ["spb", "measure", "which-judge", "STUDY"]
    assert answers["Is a judge lenient in general?"] == ["spb", "measure", "delta", "STUDY"]
    for words in answers.values():
        command = [word for word in words[1:] if word.islower() and not word.startswith("-")]
        assert spb_here(*command, "-h").returncode == 0
    assert "spb measure which-judge" in " ".join(spb_here("judges", "-h").stdout.split())


@pytest.mark.parametrize(
    ("words", "usage"),
    [
        (("label", "new"), "label new [OPTIONS] [STUDY] TASK"),
        (("import",), "import [OPTIONS] PATH..."),
        (("study", "schema"), "study schema [OPTIONS] [store|audit|MEASURE]"),
    ],
)
def test_a_usage_line_names_what_is_typed(spb_here: Spb, words, usage):
    assert spb_here(*words, "-h").stdout.splitlines()[0].endswith(f" {usage}")


@pytest.mark.parametrize("words", [("help", "gate"), ("gate", "-h"), ("gate", "--help")])
def test_help_is_printed_however_it_is_asked_for(spb_here: Spb, words):
    output = spb_here(*words)

    assert output.returncode == 0
    assert "[STUDY]" in output.stdout
    assert "--max-excess" in output.stdout


def test_a_configuration_needs_no_word_before_it_and_run_has_commands_of_its_own(spb_here: Spb):
    short, long = spb_here("run", "nowhere.toml"), spb_here("run", "start", "nowhere.toml")
    with_options_first = spb_here("run", "--dry-run", "nowhere.toml")
    text = spb_here("run", "-h").stdout

    assert short.returncode == long.returncode == with_options_first.returncode == 2
    assert short.stderr == long.stderr == with_options_first.stderr
    assert "CONFIG.toml" in text
    assert "--max-usd" in text
    assert {"list", "watch", "cache", "reparse"} <= {
        line.split()[0] for line in text.splitlines() if line[:2] == "  "
    }


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("measure", "hspp", "demo-pairs"), NO_ANSWER),
        (("measure", "hspp", "demo-pairs", "--format", "csv"), NO_ANSWER),
        (("measure", "hspp", "demo-pairs", "--format", "json"), DONE),
        (("slices", "demo-pairs"), NO_ANSWER),
        (("slices", "demo-pairs", "--format", "json"), NO_ANSWER),
        (("metrics", "hspp", "--study", "demo-pairs"), DONE),
        (("metrics", "hspp", "--study", "demo-pairs", "--format", "csv"), DONE),
        (("find", "--study", "demo-pairs"), DONE),
    ],
)
def test_no_result_is_no_success_but_for_former_names_and_objects_with_a_reason(spb_here: Spb, words, code):
    output = spb_here(*words, *STORE)

    assert output.returncode == code
    assert "the study has no" in output.stdout + output.stderr


def test_every_exit_code_is_in_the_table():
    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.SpbError)
    ]

    assert {kind.exit_code for kind in kinds} | set(GATE_CODES.values()) <= set(MEANINGS)
    assert set(RUN_CODES.values()) <= set(OF_RUN)


def test_every_measure_is_listed_under_a_question(spb_here: Spb):
    rows = json.loads(spb_here("measure", "list", "--format", "json").stdout)["rows"]

    own = [each.name for each in OWN if each.part_of is None]
    assert [row["measure"] for row in rows if row["group"] in QUESTIONS] == own
    assert len(set(own)) == len(own)


@pytest.mark.parametrize(
    ("typed", "usual"),
    [
        (("study", *STORE, "list"), ("study", "list", *STORE)),
        ((*STORE, "study", "list"), ("study", "list", *STORE)),
        (("run", *STORE, "list"), ("run", "list", *STORE)),
        (
            (*STORE, "measure", "accuracy", "demo-health", *QUICK),
            ("measure", "accuracy", "demo-health", *QUICK, *STORE),
        ),
    ],
)
def test_the_store_may_stand_before_a_command(spb_here: Spb, typed, usual):
    first, second = spb_here(*typed), spb_here(*usual)

    assert (first.returncode, first.stdout) == (second.returncode, second.stdout)
    assert first.returncode == DONE


@pytest.mark.parametrize("typed", [STORE, ("study", *STORE), ("--store",)])
def test_a_store_without_a_command_is_wrong_use(spb_here: Spb, typed):
    assert spb_here(*typed).returncode == USAGE
