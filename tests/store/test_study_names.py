"""Names of studies that not every system can hold, and names with accents in two spellings."""

import re
import unicodedata
from pathlib import Path

import pyarrow as pa
import pytest

from engine.collect.run_folder import runs_folder
from engine.errors import UsageError
from engine.store import Store
from engine.store.study_files import StudyInfo

TABLES = {
    "models": pa.table({"model": ["a"], "family": ["x"]}),
    "instances": pa.table({"instance_id": ["i1"]}),
}
COMPOSED, APART = (unicodedata.normalize(form, "étude") for form in ("NFC", "NFD"))


@pytest.mark.parametrize(
    "name", ["a:b", "what?", "a*", 'say "x"', "a<b", "a|b", "con", "NUL", "Aux.v2", "com1", "LPT9.x", "end."]
)
def test_a_new_study_has_a_name_that_windows_can_hold(tmp_path: Path, name: str) -> None:
    store = Store(tmp_path / "store")

    with pytest.raises(UsageError, match=r"cannot be the name of a file on Windows.*; choose a plain"):
        store.write(name, TABLES, StudyInfo())
    with pytest.raises(UsageError, match="on Windows"):
        runs_folder(store, name)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a:b<c", "on Windows, where no name holds ':'"),
        ("a\\b", r"holds a path separator, '\\'"),
        ("a\u200bb", r"holds a character that is not seen, '\u200b'"),
        (" a", "begins or ends with a space"),
    ],
)
def test_a_name_that_is_refused_says_for_which_character(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        Store(tmp_path).write(name, TABLES, StudyInfo())


@pytest.mark.parametrize("name", ["console", "com10", "a.b", "nul-1", "日本", COMPOSED])
def test_other_names_are_held(tmp_path: Path, name: str) -> None:
    Store(tmp_path).write(name, TABLES, StudyInfo())

    assert Store(tmp_path).studies() == [name]


@pytest.mark.parametrize("name", ["a:b", APART])
def test_a_stored_study_of_such_a_name_is_opened_and_replaced(tmp_path: Path, name: str) -> None:
    store = Store(tmp_path)
    store.write("s", TABLES, StudyInfo())
    (tmp_path / "s").rename(tmp_path / name)

    assert store.open(name).table("models").num_rows == 1
    store.write(name, TABLES, StudyInfo(title="anew"), mode="replace")

    assert store.studies() == [name]
    assert store.open(name).info.title == "anew"


@pytest.mark.parametrize(("first", "second"), [(COMPOSED, APART), (APART, COMPOSED)])
def test_two_spellings_of_an_accent_are_one_name(tmp_path: Path, first: str, second: str) -> None:
    store = Store(tmp_path)
    store.write(first, TABLES, StudyInfo())

    with pytest.raises(UsageError, match="exists already"):
        store.write(second, TABLES, StudyInfo())

    assert store.studies() == [COMPOSED]
    assert store.open(second).name == COMPOSED
    assert runs_folder(store, second) == runs_folder(store, first)


def test_the_facts_of_a_study_are_shown_without_what_was_planted():
    info = StudyInfo(name="s", provenance="simulated", truth={"bias": "planted"}, notes=None)

    shown = repr(info)

    assert shown.startswith("StudyInfo(name='s', provenance='simulated'")
    assert "planted" not in shown
    assert "None" not in shown


def test_a_name_that_a_command_would_take_for_an_option_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'-x' begins with a hyphen, as options do; choose a plain name"):
        Store(tmp_path).name_of("-x")
