"""From ids and arguments to checks: what is refused, and checkers of other packages."""

import json
import sys

import pytest

from engine.checkers import checks_by_id
from engine.checkers.checks_by_id import SHIPPED, checker_ids, make_check
from engine.checkers.run import check_study
from engine.checkers.verifiers import VERIFIERS
from engine.errors import BadInputError, UsageError
from engine.importers.formats.exchange import import_tidy
from engine.store import Store


@pytest.mark.parametrize(
    ("checker", "kwargs", "message"),
    [
        (
            "length_constraints:number_words",
            {"relation": "at least"},
            "missing a required argument: 'num_words'; it takes num_words, relation, given",
        ),
        (
            "length_constraints:number_words",
            {"num_words": "many", "relation": "at least"},
            "argument num_words is 'many'",
        ),
        (
            "length_constraints:number_words",
            {"num_words": -1, "relation": "at least"},
            "argument num_words is -1",
        ),
        (
            "length_constraints:number_words",
            {"num_words": 1, "relation": "at most"},
            "'at least' or 'less than'",
        ),
        ("punctuation:no_comma", {"num_words": 1}, "unexpected keyword argument 'num_words'"),
        ("keywords:existence", {"keywords": []}, r"argument keywords is \[\]"),
        ("keywords:existence", {"keywords": ["a", ""]}, "argument keywords.1 is ''"),
        (
            "keywords:letter_frequency",
            {"letter": "ab", "let_frequency": 1, "let_relation": "at least"},
            "letter is",
        ),
        ("language:response_language", {"language": "German"}, "argument language is 'German'"),
    ],
)
def test_invalid_arguments_are_refused_by_name(checker, kwargs, message):
    with pytest.raises(BadInputError, match=f"checker '{checker}': .*{message}"):
        make_check(checker, kwargs)


def test_an_unknown_checker_is_refused_with_the_choices():
    with pytest.raises(
        UsageError, match="unknown checker 'keywords:exist'; did you mean 'keywords:existence'"
    ):
        make_check("keywords:exist", {})


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package with the given entry points."""

    def install(code: str, points: str) -> None:
        (tmp_path / "mine.py").write_text(code, "utf-8")
        info = tmp_path / "mine-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n", "utf-8")
        (info / "entry_points.txt").write_text(f"[spb.checkers]\n{points}\n", "utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))

    def forget() -> None:
        checks_by_id._plugins.cache_clear()
        checks_by_id.maker_of.cache_clear()
        sys.modules.pop("mine", None)

    forget()
    yield install
    forget()


SHORTER = "def shorter(than: int):\n    return lambda text: len(text) < than\n"


def test_another_package_adds_a_checker_by_an_entry_point(package):
    package(SHORTER, "mine:shorter = mine:shorter")

    check = make_check("mine:shorter", {"than": 5})

    assert (check("1234"), check("12345")) == (True, False)
    assert checker_ids() == [*SHIPPED, *VERIFIERS, "mine:shorter"]


def test_its_arguments_are_checked_against_its_annotations(package):
    package(SHORTER, "mine:shorter = mine:shorter")

    with pytest.raises(BadInputError, match="checker 'mine:shorter': argument than is 'x'"):
        make_check("mine:shorter", {"than": "x"})


def test_a_package_that_fails_to_load_is_named_when_used(package):
    package("raise OSError('no licence')\n", "mine:shorter = mine:shorter")

    assert "mine:shorter" in checker_ids()
    with pytest.raises(UsageError, match="'mine:shorter' cannot be loaded: no licence"):
        make_check("mine:shorter", {})


def test_a_package_cannot_take_the_name_of_a_shipped_checker(package):
    package(SHORTER, "punctuation:no_comma = mine:shorter")

    with pytest.raises(
        UsageError, match="'punctuation:no_comma' is shipped, and the entry point 'mine:shorter'"
    ):
        make_check("punctuation:no_comma", {})


def test_a_function_that_returns_no_check_is_refused(package):
    package("def nothing():\n    return 3\n", "mine:nothing = mine:nothing")

    with pytest.raises(UsageError, match="'mine:nothing' made 3"):
        make_check("mine:nothing", {})


CONTAINS = """
def contains(times: int, reference_answer: str):
    return lambda text: text.count(reference_answer) >= times
"""


def test_a_checker_of_another_package_sees_the_reference_answer(package, tmp_path):
    package(CONTAINS, "mine:contains = mine:contains")
    folder = tmp_path / "data"
    folder.mkdir()
    tables = {
        "models": [{"model": "a", "family": "x"}],
        "instances": [
            {"instance_id": i, "reference_answer": answer} for i, answer in (("1", "b"), ("2", "c"))
        ],
        "rubrics": [
            {"instance_id": i, "rubric_id": "r", "checker": "mine:contains", "checker_kwargs": '{"times": 2}'}
            for i in ("1", "2")
        ],
        "responses": [{"instance_id": i, "generator": "a", "text": "abba"} for i in ("1", "2")],
    }
    for name, rows in tables.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    import_tidy(folder, Store(tmp_path / "store"), "s")

    check_study(Store(tmp_path / "store").open("s"))

    references = Store(tmp_path / "store").open("s").table("references").to_pylist()
    strict = {row["instance_id"]: row["met"] for row in references if row["source"] == "program"}
    assert strict == {"1": True, "2": False}
