"""A wrong use is one line in this project's words, with the help to look at, and exits with 2."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from command_line import Spb
from plain.published import ROOT

STORE = ("--store", str(ROOT / "results"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("gaet",), "unknown command 'gaet'; did you mean 'gate'? `spb -h` says more"),
        (("hspp", "demo-health"), "unknown command 'hspp'; it is a measure: `spb measure hspp`"),
        (("cite",), "unknown command 'cite'; did you mean `spb explain cite`? `spb -h` says more"),
        (("bibtex",), "unknown command 'bibtex'; did you mean `spb explain bibtex`? `spb -h` says more"),
        (("committeee",), "unknown command 'committeee'; `spb -h` says more"),  # a former command
        (("measure", "hsp"), "unknown command 'hsp'; did you mean 'hspp'? `spb measure -h` says more"),
        (("gate", "--groop"), "unknown option --groop; did you mean --group? `spb gate -h` says more"),
        (
            ("judges", "demo-health", "--judges"),
            "--judges needs a value; `spb judges -h` says more",
        ),
        (("measure", "hspp", "--by"), "--by needs a value; `spb measure hspp -h` says more"),
        (("run", "x.toml", "--max-usd"), "--max-usd needs a value; `spb run start -h` says more"),
        (("run", "list", "--store"), "--store needs a value; `spb run list -h` says more"),
        (("gate", "demo-health", "--group=3"), "--group takes no value; `spb gate -h` says more"),
        *(
            (
                words,
                (
                    "standard input, which '-' stands for, is not read, as a file is read more than once; "
                    "write it to a file first, with `cat > data.csv`, and give that"
                ),
            )
            for words in (
                ("import", "-"),
                ("audit", "-", *STORE),
                ("try", "-", "--models", "openai/a,openai/b"),
            )
        ),
        (("pins",), "unknown command 'pins'; did you mean `spb study pins`?"),
        (
            ("list",),
            "unknown command 'list'; did you mean `spb study list`, `spb run list` or `spb label list`?",
        ),
        (
            ("label", "people", "remove", "ada"),
            "unknown command 'remove'; `spb label people end NAME` ends a person's link and login",
        ),
        (
            ("study", "grid", "demo-health", "--question", "q1"),
            "unknown option --question; QUESTION is given without an option: spb study grid demo-health q1",
        ),
        (
            ("label", "status", "--task=first"),
            "unknown option --task; TASK is given without an option: spb label status first",
        ),
        (
            ("plan", "power", "demo-health", "--judge", "x"),
            ("unknown option --judge; did you mean --judges, --n-judges? `spb plan power -h` says more"),
        ),
        (
            ("label", "new", "nowhere", "first", *STORE),
            (
                f"unknown study 'nowhere' in {STORE[1]!r}; choose from: demo-health, demo-orders, "
                "demo-pairs, demo-verifiable"
            ),
        ),
        (("run",), "CONFIG.toml is missing; `spb run start -h` says more"),
        (
            ("report", "demo-health", "--out", "r.pdf", *STORE),
            (
                "a report is not written as PDF; write .html, and print it to a PDF in a browser, or write "
                f"the board of judges: `spb judges demo-health --out r.pdf --store {STORE[1]}`"
            ),
        ),
        (
            ("report", "weak", *STORE),
            (
                f"unknown study 'weak' in {STORE[1]!r}; choose from: demo-health, demo-orders, demo-pairs, "
                "demo-verifiable"
            ),
        ),
        (("export", "week"), "--out is missing; `spb export -h` says more"),
        (
            ("label", "assign", "hand", "ada", "ben"),
            "--people is missing, and 'ada ben' is no option; write: spb label assign hand --people ada,ben",
        ),
        (
            ("judges", "week", "--judges", "gpt-4o", "gpt-4o-mini"),
            "--judges: separate names by commas: gpt-4o,gpt-4o-mini",
        ),
        (
            ("run", "check", "my.toml"),
            (
                "'check' is neither a command of `spb run` nor a file; `spb run my.toml --dry-run` checks a "
                "configuration"
            ),
        ),
        (("import",), "PATH is missing; `spb import -h` says more"),
        (("gate", "--max-excess", "x"), "--max-excess 'x': give a number; `spb gate -h` says more"),
        (("open", "--port", "x"), "--port 'x': give a whole number; `spb open -h` says more"),
        (
            ("open", "--port", "99999"),
            "--port '99999': give a number less than or equal to 65535; `spb open -h` says more",
        ),
        (
            ("gate", "--format", "yaml"),
            "--format: yaml is unknown; choose from: table, json, csv; `spb gate -h` says more",
        ),
        *(
            (
                ("plan", "power", *study, name, "200"),
                f"unknown option {name}; did you mean --instances? `spb plan power -h` says more",
            )
            for name in ("--questions", "--prompts", "--n")
            for study in ((), ("a",))
        ),
        *(
            (
                (*command, "--store", __file__),
                f"the store {__file__!r} is a file; give the folder of your studies as --store or SPB_STORE",
            )
            for command in (("judges", "legal"), ("gate", "legal"), ("run", "list"))
        ),
        (
            ("run", "demo-health", "--dry-run", *STORE),
            (
                "'demo-health' is a study, and a run takes a configuration; write one of that study with: "
                f"spb run example demo-health --judge NAME --store {STORE[1]} > run.toml"
            ),
        ),
        (
            ("run", f"{STORE[1]}/demo-health/study.json"),
            (
                f"'{STORE[1]}/demo-health/study.json' holds data, and a run takes a configuration in TOML; "
                f"to import it: spb import {STORE[1]}/demo-health/study.json"
            ),
        ),
        (
            ("judges", "demo-health", "--question-length", ":200", *STORE),
            (
                "unknown option --question-length; the length of a question is no column of a study; import "
                "a column of the file that says it, such as one of `short` and `long`, with --map "
                "category=COLUMN"
            ),
        ),
        (
            ("judges", "emo-health", *STORE),
            (
                f"unknown study 'emo-health' in {STORE[1]!r}; choose from: demo-health, demo-orders, "
                "demo-pairs, demo-verifiable; did you mean 'demo-health'?"
            ),
        ),
        (("study", "check", "a", "b"), "unexpected argument: b; `spb study check -h` says more"),
        (
            ("gate", "a", "--by", "theme"),
            ("unknown option --by; `spb judges a --by theme` groups rows, `spb slices a` tries all columns"),
        ),
        (
            ("gate", "--by=theme", "a b"),
            (
                "unknown option --by; `spb judges 'a b' --by theme` groups rows, "
                "`spb slices 'a b'` tries all columns"
            ),
        ),
        (
            ("gate", "--exclude-family"),
            "unknown option --exclude-family; `spb judges STUDY --exclude-family` takes it",
        ),
        (
            ("gate", "a", "--theme", "b"),
            "unknown option --theme; `spb judges a --theme b` takes it",
        ),
        (
            ("judges", "a", "--topic", "b"),
            "unknown option --topic; an import reads a column 'topic' as theme: --theme",
        ),
        (
            ("slices", "a", "--topic", "b"),
            "unknown option --topic; an import reads a column 'topic' as theme: --theme",
        ),
    ],
)
def test_a_wrong_use_is_one_line(spb_here: Spb, words, message):
    output = spb_here(*words)

    assert (output.returncode, output.stdout) == (2, "")
    assert output.stderr.replace("'yaml'", "yaml") == f"error: {message}\n"


def test_no_command_at_all_prints_the_help(spb_here: Spb):
    output = spb_here()

    assert output.returncode == 2
    assert "Commands:" in output.stdout + output.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("gate", "--format", "json", "--format=csv"),
            "--format is given with 'json' and 'csv'; it takes one value, so give it once",
        ),
        (
            ("measure", "hspp", "--polarity", "negative", "--polarity", "positive"),
            "--polarity is given with 'negative' and 'positive'; it takes one value, so give it once",
        ),
        (
            ("study", "export", "--models", "a", "--models", "b"),
            "--models is given with 'a' and 'b'; give them in one, with commas: --models A,B",
        ),
        (
            ("measure", "hspp", "demo-health", "--by", "theme", "--by", "axis,polarity"),
            "'theme', 'axis' and 'polarity' to group by: at most two columns can be; leave out the others",
        ),
        (
            ("measure", "order-effect", "demo-health", "--by", "theme,category"),
            "order-effect takes one column to group by, or none; leave out a column",
        ),
        (
            ("measure", "hspp", "demo-health", "--by", "theme,axis", "--common"),
            "--common compares the slices of one column; leave it out, or give --by one column",
        ),
    ],
)
def test_no_value_of_an_option_given_twice_is_dropped(spb_here: Spb, words, message):
    output = spb_here(*words)

    assert (output.returncode, output.stdout) == (2, "")
    assert output.stderr == f"error: {message}\n"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("plot", "`spb judges STUDY --out judges.svg` draws"),
        ("chart", "`spb judges STUDY --out judges.svg` draws"),
        ("delete", "a study is a folder of its store: remove that folder"),
    ],
)
def test_a_command_of_other_programs_is_answered_by_what_does_it(spb_here: Spb, name, words):
    refused = spb_here(name, "nights")

    assert refused.returncode == 2
    assert f"unknown command {name!r}; {words}" in refused.stderr


def test_a_measure_without_its_kind_of_judgments_names_those_that_the_study_has_judgments_for(spb_here: Spb):
    nothing = spb_here("measure", "delta", "demo-pairs", *STORE)

    assert nothing.returncode == 3
    named = re.search(
        r"the study has judgments for ([\w-]+), .*; begin with: spb (judges .*)", nothing.stderr
    )
    assert named is not None, nothing.stderr
    assert spb_here("measure", named[1], "demo-pairs", *STORE).returncode == 0
    assert spb_here(*shlex.split(named[2])).returncode == 0


def test_people_without_names_are_explained(spb_here: Spb):
    assert "people who have no name" in " ".join(spb_here("explain", "human:unnamed").stdout.split())


def test_a_study_without_a_reference_names_the_command_by_which_its_judges_vote(
    spb_here: Spb, tmp_path: Path
):
    store = shutil.copytree(ROOT / "results" / "demo-orders", tmp_path / "demo-orders").parent
    (store / "demo-orders" / "references.parquet").unlink()
    words = ("demo-orders", "--store", store, "--resamples", "0")

    nothing = spb_here("measure", "overestimation", *words)

    assert nothing.returncode == 3
    named = re.search(r"a committee of all its judges: spb (reference committee .*)", nothing.stderr)
    assert named is not None, nothing.stdout + nothing.stderr
    assert spb_here(*shlex.split(named[1])).returncode == 0
    assert spb_here("measure", "overestimation", *words).returncode == 0


def test_pairs_are_sent_to_a_measure_that_needs_no_reference_and_never_to_a_vote(spb_here: Spb):
    nothing = spb_here("measure", "hspp", "demo-pairs", *STORE, "--resamples", "0")

    assert nothing.returncode == 3
    assert "committee" not in nothing.stdout + nothing.stderr
    named = re.search(r"of pairs, without a reference: spb (judges .*)", nothing.stderr)
    assert named is not None, nothing.stdout + nothing.stderr
    assert spb_here(*shlex.split(named[1])).returncode == 0


@pytest.fixture
def store_of_topics(spb_here: Spb, tmp_path):
    models = ("gpt-4o", "claude-3-opus")
    rows = [
        f"{judge},{model},q{number},yes,{'billing' if number % 2 else 'law'}"
        for judge in models
        for model in models
        for number in range(4)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["judge,model,question,verdict,category", *rows]), "utf-8")
    assert spb_here("import", tmp_path / "t.csv", "--study", "x", "--store", tmp_path).returncode == 0
    return str(tmp_path)


def test_the_command_named_for_a_filter_has_the_column_that_holds_the_value(spb_here: Spb, store_of_topics):
    output = spb_here("report", "x", "--store", store_of_topics, "--theme", "billing")
    command = output.stderr.split("`")[1]

    assert output.returncode == 2
    assert "'billing' is a value of category, and `spb judges x --category billing --store" in output.stderr
    assert spb_here(*command.split()[1:]).returncode == 0


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--theme", "tax"), "unknown theme 'tax'; the study has no values of theme"),
        (("--judges", "gpt-4"), "unknown judge 'gpt-4'; did you mean 'gpt-4o'? choose from: gpt-4o"),
        (("--where", "topic=law"), "it is in another column of the study: --category law"),
        (("--slice", "hard"), "unknown saved slice 'hard'"),
    ],
)
def test_a_filter_that_keeps_nothing_is_not_advised(spb_here: Spb, store_of_topics, words, problem):
    output = spb_here("report", "x", "--store", store_of_topics, *words)

    assert f"`spb judges x --store {store_of_topics}` takes filters, and of this one: " in output.stderr
    assert problem in output.stderr
