"""What a user meets speaks with one voice: not that of pydantic, of the system, or in Python of the shell."""

import ast
import pickle
import re
from pathlib import Path

import pydantic
import pytest
from command_line import Spb
from plain.published import ROOT

import engine
from engine.errors import UsageError, python_words
from engine.plain_words import mistake_words
from engine.wording import Sentence, Wording, option


@pytest.fixture(scope="module")
def pairs() -> "engine.Study":
    return engine.open_study(ROOT / "results" / "demo-pairs")


@pytest.mark.parametrize(
    ("given", "flag", "argument"),
    [
        (option("by"), "--by", "by="),
        (option("min_agreement"), "--min-agreement", "min_agreement="),
        (option("level", "rubric"), "--level rubric", 'level="rubric"'),
        (option("run", "mon day"), "--run 'mon day'", 'run="mon day"'),
    ],
)
def test_an_option_is_a_flag_or_an_argument(given: Wording, flag: str, argument: str):
    assert (str(given), given.python) == (flag, argument)


def test_messages_are_put_together_in_both_voices():
    inner = Sentence("leave out ", option("by"))
    error = UsageError("it has no groups; ", inner, ", or see `spb slices`")

    assert str(error) == "it has no groups; leave out --by, or see `spb slices`"
    assert error.message.in_python() == "it has no groups; leave out by=, or see `spb slices`"
    with pytest.raises(UsageError, match=r"leave out by=, or see `spb slices`$"), python_words():
        raise error


def test_a_message_keeps_its_voices_between_processes():
    error = pickle.loads(pickle.dumps(UsageError("leave out ", option("by"))))  # noqa: S301 - our own

    assert error.message.in_python() == "leave out by="


def test_what_stands_in_a_message_is_safe_in_both_voices():
    error = UsageError("no \x1b[2J in s3://key:secret@bucket; leave out ", option("by"))

    assert str(error) == r"no \x1b[2J in s3://***@bucket; leave out --by"
    assert error.message.in_python() == r"no \x1b[2J in s3://***@bucket; leave out by="


RAISING = re.compile(r"(Error|unknown|refuse_\w+)$")


@pytest.mark.parametrize("package", ["arrays", "measures", "explore", "charts", "slices.py"])
def test_no_error_that_python_meets_has_a_flag_in_its_text(package: str):
    top = Path(engine.__file__).parent / package
    texts = [
        (path.name, ast.unparse(part))
        for path in ([top] if top.suffix else sorted(top.rglob("*.py")))
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and RAISING.search(ast.unparse(call.func))
        for part in call.args
        if not ast.unparse(part).startswith("Wording(")
    ]

    assert texts, "no error is found"
    assert [each for each in texts if re.search(r"--[a-z]", re.sub("`spb [^`]*`", "", each[1]))] == []


def test_python_is_told_of_arguments_and_the_shell_of_flags(pairs, spb_here: Spb):
    with pytest.raises(UsageError, match=r"leave out against= and common=") as refused:
        pairs.measure("scorecard", against={"variant": "cot"})
    in_shell = spb_here("measure", "robustness", "demo-pairs", "--by", "theme", "--store", ROOT / "results")

    assert "--" not in str(refused.value)
    assert in_shell.returncode == 2
    assert "leave out --by" in in_shell.stderr


def test_the_reason_for_an_empty_frame_names_arguments(pairs):
    health = engine.open_study(ROOT / "results" / "demo-orders")

    assert pairs.measure("committee").attrs["reason"].endswith("name its members with members=")
    assert "--" not in str(health.measure("committee").attrs["reason"])


def test_a_measure_is_found_in_any_case_and_a_slip_is_guessed(pairs):
    assert pairs.measure("DBG", resamples=0).equals(pairs.measure("dbg", resamples=0))
    with pytest.raises(UsageError, match=r"unknown measure 'equal-qualty'; did you mean 'equal-quality'."):
        pairs.measure("equal-qualty")


def test_no_kind_of_mistake_is_said_in_pydantics_words():
    class Fields(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(strict=True)
        whole: int
        number: float = pydantic.Field(gt=0)
        share: float = pydantic.Field(le=1)
        text: str = pydantic.Field(min_length=1)
        switch: bool
        several: list[int]
        table: dict[str, int]
        code: str = pydantic.Field(pattern="^[a-z]+$")

    given = {"whole": "1", "number": 0.0, "share": 2.0, "text": "", "switch": 1, "several": 1, "table": 1}
    with pytest.raises(pydantic.ValidationError) as refused:
        Fields.model_validate({**given, "code": "A1"})

    mistakes = refused.value.errors()
    assert len(mistakes) == 8
    for mistake in mistakes:
        assert mistake_words(mistake).startswith("give "), mistake


@pytest.mark.parametrize(
    "words",
    [
        ("run", "nowhere.toml"),
        ("import", "nowhere.csv"),
        ("import", "mine.csv", "--models", "nowhere.csv"),
        ("import", "mine.csv", "--map-file", "nowhere.toml"),
        ("label", "import", "nowhere", "demo-pairs", "--store", str(ROOT / "results")),
        ("run", "."),
    ],
)
def test_a_missing_file_is_not_said_in_the_systems_words(spb_here: Spb, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text("judge,generator,instance_id,met\na,b,1,true\n")

    output = spb_here(*words)

    assert output.returncode in (1, 2)
    assert output.stderr.splitlines()[-1].startswith("error: ")
    for foreign in ("Errno", "No such file", "Is a directory", "Traceback"):
        assert foreign not in output.stderr
