"""A command takes its study by place: a name, a path, or none where only one can be meant."""

import json
import shutil
from pathlib import Path

import pytest
from command_line import Spb
from plain.published import ROOT

import engine
from engine.errors import UsageError, python_words
from engine.store.named_study import find_study

STORE = ROOT / "results"

WITH_A_STUDY = (
    ("metrics", "accuracy", "--resamples", "0"),
    ("grid", "no-such-question"),
    ("show", "no-such-call"),
    ("validate",),
    ("pack",),
    ("check-judge", "--independent"),
)


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Return a store with one study, in a folder of its own where nothing else says which study is meant."""
    monkeypatch.delenv("SPB_STUDY", raising=False)
    monkeypatch.delenv("SPB_STORE", raising=False)
    shutil.copytree(STORE / "demo-verifiable", tmp_path / "results" / "demo-verifiable")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results"


def test_a_misspelt_study_is_answered_by_the_one_that_is_meant(spb_here, tmp_path):
    for name in ("vet", "stars"):
        (tmp_path / f"{name}.csv").write_text("judge,model,question,verdict\na,b,q,yes\n", "utf-8")
        assert spb_here("import", tmp_path / f"{name}.csv", "--store", tmp_path).returncode == 0

    missed = spb_here("judges", "vat", "--store", tmp_path)

    assert missed.returncode == 2
    assert "choose from: stars, vet; did you mean 'vet'?" in missed.stderr


@pytest.mark.parametrize("words", WITH_A_STUDY)
def test_every_form_of_the_study_gives_the_same_answer(spb_here: Spb, small, words):
    path = str(small / "demo-verifiable")
    by_option = spb_here(*words, "--study", "demo-verifiable", "--store", small)
    forms = (
        ("demo-verifiable", "--store", small),
        (path,),
        (path + "/",),
        ("--study", path),
        ("./results/demo-verifiable",),
        ("--store", small),
        ("demo-verifiable", "--study", "demo-verifiable", "--store", small),
    )

    for form in forms:
        output = spb_here(*words, *form)
        assert output.returncode == by_option.returncode, (form, output.stderr)
        assert output.stdout == by_option.stdout, form


def test_the_study_may_come_from_the_environment(spb_here: Spb, monkeypatch):
    monkeypatch.setenv("SPB_STUDY", "demo-orders")
    by_name = spb_here("metrics", "accuracy", "--resamples", "0", "--format", "json", "--store", STORE)
    monkeypatch.setenv("SPB_STUDY", str(STORE / "demo-orders"))
    by_path = spb_here("metrics", "accuracy", "--resamples", "0", "--format", "json")
    named = spb_here(
        "metrics", "accuracy", str(STORE / "demo-health"), "--resamples", "0", "--format", "json"
    )

    assert json.loads(by_name.stdout)["study"] == "demo-orders"
    assert by_path.stdout == by_name.stdout
    assert json.loads(named.stdout)["study"] == "demo-health"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("doctor", "--store", STORE), "give one of demo-health, demo-orders, demo-pairs, demo-verifiable"),
        (("doctor", "--store", "empty"), "import one with `spb import PATH`"),
        (("doctor", "a", "--study", "b"), "two studies are named, 'a' and --study 'b'"),
        (("doctor", f"{STORE}/demo-health", "--store", "elsewhere"), "leave --store out"),
        (("doctor", f"{STORE}/nothing-here"), "choose from: demo-health"),
        (("doctor", "ftp://host/study"), "unknown scheme"),
        (("doctor", ".."), "unknown study"),
        (("simulate",), "the new study has no name"),
        (("simulate", "a/b"), "path separator"),
    ],
)
@pytest.mark.usefixtures("small")
def test_a_study_that_cannot_be_meant_is_refused_with_what_to_give(spb_here: Spb, words, problem):
    output = spb_here(*words)

    assert output.returncode == 2
    assert output.stdout == ""
    assert problem in " ".join(output.stderr.split())


def test_a_new_study_takes_its_name_by_place(spb_here: Spb, small):
    output = spb_here("simulate", "new", "--store", small, "--instances", "5", "--judges", "3")

    assert output.returncode == 0, output.stderr
    assert (small / "new" / "study.json").exists()


@pytest.mark.parametrize(
    ("words", "missing"),
    [(("study", "grid"), "QUESTION"), (("study", "show"), "CALL_ID"), (("study", "pin"), "VIEW")],
)
@pytest.mark.parametrize("several", [False, True])
def test_a_study_in_the_place_of_another_word_is_said_to_be_one(
    spb_here: Spb, small, words, missing, several
):
    if several:
        shutil.copytree(small / "demo-verifiable", small / "other")

    output = spb_here(*words, "demo-verifiable", "--store", small)

    assert output.returncode == 2
    command = f"spb {' '.join(words)} demo-verifiable {missing} --store {small}"
    assert f"'demo-verifiable' is a study, and {missing} is missing; write: {command}" in output.stderr


def test_the_study_may_stand_before_the_other_word_or_after_it(spb_here: Spb, small):
    study = engine.open_study(small / "demo-verifiable").judgments(full=True)
    question = study["instance_id"].iloc[0]
    shutil.copytree(small / "demo-verifiable", small / "other")

    first, last = (
        spb_here("study", "grid", *words, "--store", small, "--format", "json")
        for words in (("demo-verifiable", question), (question, "demo-verifiable"))
    )

    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout)["question"] == question
    assert first.stdout == last.stdout


def test_where_both_words_are_studies_the_second_is_the_study(spb_here: Spb, small):
    shutil.copytree(small / "demo-verifiable", small / "other")

    output = spb_here("study", "show", "other", "demo-verifiable", "--store", small)

    assert output.returncode == 2
    assert "'other'" in output.stderr


@pytest.mark.parametrize(("words", "other"), [(("study", "grid"), "QUESTION"), (("label", "new"), "TASK")])
def test_help_names_the_study_first(spb_here: Spb, words, other):
    assert f"{' '.join(words)} [OPTIONS] [STUDY] {other}" in spb_here(*words, "-h").stdout


@pytest.mark.parametrize(
    ("form", "file", "allowed"),
    [
        ("csv", "j.json", False),
        ("json", "j.CSV", False),
        ("table", "j.json", False),
        ("json", "j.md", False),
        ("json", "j.txt", True),
        ("table", "j.md", True),
        ("csv", "j.csv", True),
    ],
)
def test_a_format_and_an_ending_that_contradict_each_other_are_refused(
    spb_here: Spb, small, form, file, allowed
):
    output = spb_here("study", "list", "--store", small, "--format", form, "--out", file)

    assert output.returncode == (0 if allowed else 2)
    assert (small.parent / file).exists() == allowed
    if not allowed:
        assert f"--format {form} contradicts --out {file!r}" in output.stderr
        assert "leave --format out, or choose a name that ends in" in output.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("report", "demo-verifiable", "--format", "html", "--out", "r.md"),
        ("report", "demo-verifiable", "--judge", "any", "--format", "svg", "--out", "r.png"),
        ("study", "export", "demo-verifiable", "--out", "r.json"),
        ("study", "export", "demo-verifiable", "--format", "langfuse", "--out", "r.csv"),
    ],
)
def test_files_of_other_kinds_are_named_as_their_format_is(spb_here: Spb, small, words):
    output = spb_here(*words, "--store", small)

    assert output.returncode == 2
    assert f"--format {words[words.index('--format') + 1] if '--format' in words else 'csv'}" in output.stderr
    assert words[-1] in output.stderr
    assert not (small.parent / words[-1]).exists()


@pytest.mark.usefixtures("small")
def test_messages_are_left_out_with_quiet_and_help_answers_to_h(spb_here: Spb):
    quiet = spb_here("validate", "-q")
    broken = spb_here("validate", "nowhere", "-q")
    short_help = spb_here("validate", "-h")

    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert broken.returncode == 2
    assert broken.stderr.startswith("error: unknown study 'nowhere'")
    assert short_help.returncode == 0
    assert "[STUDY]" in short_help.stdout


def test_what_is_printed_goes_to_a_file_in_the_format_of_its_ending(spb_here: Spb, small):
    command = ("metrics", "accuracy", "--resamples", "0")
    printed = spb_here(*command, "--format", "json").stdout
    written = spb_here(*command, "--out", "numbers.json")
    again = spb_here(*command, "--out", "numbers.json")
    forced = spb_here(*command, "--out", "numbers.json", "--format", "csv", "--force")
    failed = spb_here("metrics", "accuracy", "--by", "colour", "--out", "other.json")

    assert (written.returncode, written.stdout) == (0, "")
    assert json.loads(printed)["measure"] == "accuracy"
    assert again.returncode == 2
    assert "--force" in again.stderr
    assert forced.returncode == 0
    assert (small.parent / "numbers.json").read_text().startswith("judge,")
    assert failed.returncode == 2
    assert not (small.parent / "other.json").exists()


@pytest.fixture
def twelve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of twelve studies."""
    monkeypatch.delenv("SPB_STUDY", raising=False)
    for number in range(12):
        shutil.copytree(STORE / "demo-verifiable", tmp_path / "many" / f"s{number:02}")
    return tmp_path / "many"


@pytest.mark.parametrize("words", [("judges", "nothing"), ("judges",), ("audit", "nothing")])
def test_of_many_studies_an_error_names_ten_and_the_command_that_lists_all(
    spb_here: Spb, twelve: Path, words: tuple[str, ...]
) -> None:
    missed = spb_here(*words, "--store", twelve)

    assert missed.returncode == 2
    assert f"s08, s09 and 2 more (`spb study list --store {twelve}`)" in missed.stderr
    assert "s10" not in missed.stderr


def test_in_python_the_function_that_lists_all_studies_is_named(twelve: Path) -> None:
    with pytest.raises(UsageError) as caught, python_words():
        find_study(None, twelve)

    assert "s09 and 2 more (`engine.studies()`), or set SPB_STUDY" in str(caught.value)


def test_a_wrong_date_is_said_before_a_missing_file(spb_here: Spb, small: Path) -> None:
    missed = spb_here("report", "demo-verifiable", "--date", "2026-13-01", "--store", small)

    assert "date '2026-13-01' is not valid; write it as 2026-11-22" in missed.stderr
