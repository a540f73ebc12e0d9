"""A column of the user's own file that is called as a filter is."""

from pathlib import Path

import pytest
from command_line import Spb

from engine.cli.exit_codes import NO_ANSWER
from engine.errors import UsageError
from engine.store import Store
from engine.study import Study

MODELS = ("gpt-4o", "claude-3-opus", "llama-3.1-70b")


@pytest.fixture
def store(spb_here: Spb, tmp_path: Path) -> Path:
    """Store verdicts on novices' and experts' questions, whose column `level` is stored as category."""
    rows = [
        f"{judge},{model},q{n},{check},{'expert' if n % 2 else 'novice'},"
        f"{'yes' if len(judge) + n & 2 else 'no'},{'yes' if n & 1 else 'no'}"
        for n in range(24)
        for check in ("Polite", "Right")
        for judge in MODELS
        for model in MODELS
    ]
    text = "\n".join(["rater,model,question_id,requirement,level,verdict,truth", *rows])
    (tmp_path / "graded.csv").write_text(text, "utf-8")
    words = ("import", tmp_path / "graded.csv", "--study", "graded", "--map", "category=level")
    assert spb_here(*words, "--store", tmp_path).returncode == 0
    return tmp_path


def test_in_where_a_value_of_the_own_column_means_that_column(spb_here: Spb, store: Path) -> None:
    own = spb_here("measure", "accuracy", "graded", "--where", "level=expert", "--store", store)
    ours = spb_here("measure", "accuracy", "graded", "--category", "expert", "--store", store)

    assert own.returncode == 0, own.stderr
    assert own.stdout == ours.stdout


def test_the_filters_own_values_keep_their_meaning(spb_here: Spb, store: Path) -> None:
    where = spb_here("measure", "hspp", "graded", "--where", "level=instance", "--store", store)
    flag = spb_here("measure", "hspp", "graded", "--level", "instance", "--store", store)

    assert where.stdout == flag.stdout
    assert where.returncode == flag.returncode == NO_ANSWER, where.stderr  # no judge has a ratio


@pytest.mark.parametrize("command", [("judges",), ("slices",), ("measure", "hspp")])
def test_an_option_says_as_what_the_own_column_is_stored(
    spb_here: Spb, store: Path, command: tuple[str, ...]
) -> None:
    refused = spb_here(*command, "graded", "--level", "expert", "--store", store)

    assert refused.returncode == 2
    assert "unknown level 'expert'; your 'level' is stored as category: --category expert" in refused.stderr


def test_in_python_it_is_said_in_python(store: Path) -> None:
    study = Study(Store(str(store)).open("graded"))

    with pytest.raises(UsageError, match="stored as category: category="):
        study.measure("hspp", level="expert")
    against = study.measure("hspp", against="level=expert", resamples=0)
    assert len(against)


def test_a_value_of_neither_is_unknown_to_the_filter(spb_here: Spb, store: Path) -> None:
    refused = spb_here("judges", "graded", "--where", "level=beginner", "--store", store)

    assert refused.returncode == 2
    assert "unknown level 'beginner'; choose from: rubric, instance" in refused.stderr
