"""What a user meets speaks with one voice: not that of pydantic, of the system, or in Python of the shell."""

import pydantic
import pytest
from command_line import Spb
from plain.published import ROOT

import engine
from engine.errors import UsageError
from engine.plain_words import mistake_words
from engine.python_words import in_python


@pytest.fixture(scope="module")
def pairs() -> "engine.Study":
    return engine.open_study(ROOT / "results" / "demo-pairs")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("leave out --by", "leave out by="),
        ("choose --quality reference to use it", 'choose quality="reference" to use it'),
        ("choose --level rubric", 'choose level="rubric"'),
        ("leave out --min-agreement", "leave out min_agreement="),
        ("name its members with --members", "name its members with members="),
        ("choose one with --reference: a, b", "choose one with reference=: a, b"),
        (
            "write it with `spb reference committee --name c`",
            "write it with `spb reference committee --name c`",
        ),
        ("type `spb slices mine`", "type `study.slices()`"),
        ("`spb measure dbg mine --by axis` can", '`study.measure("dbg", by="axis")` can'),
        ("`spb measure dbg mine --by axis,theme`", '`study.measure("dbg", by=["axis", "theme"])`'),
    ],
)
def test_options_are_arguments_in_python_and_commands_stay(text, words):
    assert in_python(text) == words


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
    with pytest.raises(UsageError, match=r"unknown measure 'equal-qualty'; choose from: .*'equal-quality'"):
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
