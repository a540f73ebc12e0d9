"""`spb check`: runs the programs of a study's rubrics on its responses."""

import pyarrow as pa
import pytest

from engine.checkers import run
from engine.checkers.run import check_study
from engine.cli import app
from engine.errors import BadInputError, UsageError
from engine.store import Store
from engine.store.study_files import StudyInfo

WORDS = {
    "checker": "length_constraints:number_words",
    "checker_kwargs": '{"num_words": 2, "relation": "at least"}',
}
COMMA = {"checker": "punctuation:no_comma"}


def write(tmp_path, rubrics=None, responses=None, references=()):
    """Two instances (i1 with two instructions and a criterion for people, i2 with one) and two generators."""
    rubrics = rubrics or [
        {"instance_id": "i1", "rubric_id": "words", **WORDS},
        {"instance_id": "i1", "rubric_id": "comma", **COMMA},
        {"instance_id": "i1", "rubric_id": "nice", "criterion": "Is kind."},
        {"instance_id": "i2", "rubric_id": "comma", **COMMA},
    ]
    if responses is None:
        responses = [
            {"instance_id": "i1", "generator": "a", "text": "two, words"},
            {"instance_id": "i1", "generator": "b", "text": ""},
            {"instance_id": "i2", "generator": "a", "text": "Hm,\nnone"},
        ]
    tables = {
        "models": [{"model": "a", "family": "x"}, {"model": "b", "family": "y"}],
        "instances": [{"instance_id": "i1"}, {"instance_id": "i2"}],
        "rubrics": rubrics,
        "responses": responses,
        "references": list(references),
    }
    columns = {name: dict.fromkeys(key for row in rows for key in row) for name, rows in tables.items()}
    store = Store(tmp_path)
    store.write(
        "s",
        {
            name: pa.table({key: [row.get(key) for row in rows] for key in columns[name]})
            for name, rows in tables.items()
            if rows
        },
        StudyInfo(),
    )
    return store.open("s")


def verdicts(files):
    return {
        (row["instance_id"], row["generator"], row["rubric_id"], row["source"]): row["met"]
        for row in files.table("references").to_pylist()
    }


def test_every_response_with_text_gets_a_strict_and_a_loose_verdict(tmp_path):
    files = write(tmp_path)

    report = check_study(files)

    assert verdicts(Store(tmp_path).open("s")) == {
        ("i1", "a", "words", "program"): True,
        ("i1", "a", "words", "program:loose"): True,
        ("i1", "a", "comma", "program"): False,
        ("i1", "a", "comma", "program:loose"): False,
        ("i1", "b", "words", "program"): False,
        ("i1", "b", "words", "program:loose"): False,
        ("i1", "b", "comma", "program"): False,
        ("i1", "b", "comma", "program:loose"): False,
        ("i2", "a", "comma", "program"): False,
        ("i2", "a", "comma", "program:loose"): True,
    }
    assert (report.responses, report.missing, report.textless, report.verdicts) == (3, 1, 0, 5)
    assert report.by_checker["punctuation:no_comma"].not_met == 3
    assert report.by_checker["punctuation:no_comma"].met_loosely == 1


def test_earlier_verdicts_of_programs_are_replaced_and_others_stay(tmp_path):
    keys = {"instance_id": "i1", "generator": "a"}
    files = write(
        tmp_path,
        references=[
            {**keys, "rubric_id": "words", "source": "program", "met": False},
            {**keys, "rubric_id": "words", "source": "human:1", "met": False},
            {**keys, "rubric_id": "nice", "source": "program", "met": True},
        ],
    )

    check_study(files)
    check_study(Store(tmp_path).open("s"))

    by_rubric = verdicts(Store(tmp_path).open("s"))
    assert by_rubric["i1", "a", "words", "program"] is True
    assert by_rubric["i1", "a", "words", "human:1"] is False
    assert by_rubric["i1", "a", "nice", "program"] is True
    assert len(by_rubric) == 12


def test_a_response_without_text_is_counted_and_keeps_its_earlier_verdicts(tmp_path):
    files = write(
        tmp_path,
        responses=[
            {"instance_id": "i1", "generator": "a", "text": "two words"},
            {"instance_id": "i2", "generator": "a", "text": None},
        ],
        references=[
            {"instance_id": "i2", "generator": "a", "rubric_id": "comma", "source": "program", "met": True}
        ],
    )

    report = check_study(files)

    assert (report.responses, report.missing, report.textless) == (1, 0, 1)
    assert verdicts(Store(tmp_path).open("s"))["i2", "a", "comma", "program"] is True


def test_only_the_generators_own_words_are_checked(tmp_path):
    files = write(
        tmp_path,
        responses=[
            {"instance_id": "i2", "generator": "a", "text": "none", "transform": "none"},
            {"instance_id": "i2", "generator": "a", "text": "a, b", "transform": "lists"},
        ],
    )

    report = check_study(files)

    assert report.responses == 1
    assert verdicts(Store(tmp_path).open("s"))["i2", "a", "comma", "program"] is True


def test_a_checker_that_cannot_decide_gives_no_verdict_and_is_reported(tmp_path):
    files = write(
        tmp_path,
        rubrics=[{"instance_id": "i2", "rubric_id": "json", "checker": "detectable_format:json_format"}],
        responses=[{"instance_id": "i2", "generator": "a", "text": "[" * 200_000}],
    )

    report = check_study(files)

    assert verdicts(Store(tmp_path).open("s")) == {
        ("i2", "a", "json", "program"): None,
        ("i2", "a", "json", "program:loose"): None,
    }
    assert report.by_checker["detectable_format:json_format"].undecided == 1
    assert "'a' on 'i2', criterion 'json': RecursionError" in report.problems["detectable_format:json_format"]


@pytest.mark.parametrize(
    ("fields", "kind", "message"),
    [
        ({"checker": "no:such"}, UsageError, "criterion 'bad' of question 'i1': unknown checker 'no:such'"),
        (
            {**WORDS, "checker_kwargs": '{"num_words": 2}'},
            BadInputError,
            "criterion 'bad' of question 'i1': checker 'length_constraints:number_words': .*'relation'",
        ),
        (
            {**WORDS, "checker_kwargs": "[2]"},
            BadInputError,
            r"criterion 'bad' of question 'i1': .*checker_kwargs is '\[2\]'",
        ),
    ],
)
def test_a_bad_rubric_is_refused_by_name_and_nothing_is_written(tmp_path, fields, kind, message):
    files = write(tmp_path, rubrics=[{"instance_id": "i1", "rubric_id": "bad", **fields}])

    with pytest.raises(kind, match=message):
        check_study(files)

    assert not Store(tmp_path).open("s").has("references")


def test_a_study_without_checkers_or_without_texts_is_refused(tmp_path):
    without = write(
        tmp_path / "1", rubrics=[{"instance_id": "i1", "rubric_id": "nice", "criterion": "Kind."}]
    )
    silent = write(tmp_path / "2", responses=[{"instance_id": "i1", "generator": "a", "text": None}])

    with pytest.raises(UsageError, match="no criterion of the study 's' names a checker"):
        check_study(without)
    with pytest.raises(UsageError, match="'s' has no answer with a text to check"):
        check_study(silent)


def test_several_processes_give_the_same_verdicts_as_one(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "_CHUNK", 1)
    first, second = write(tmp_path / "1"), write(tmp_path / "2")

    check_study(first, processes=1)
    report = check_study(second, processes=2)

    assert verdicts(Store(tmp_path / "2").open("s")) == verdicts(Store(tmp_path / "1").open("s"))
    assert report.verdicts == 5


def test_the_command_prints_counts_by_checker_and_says_what_is_missing(tmp_path, capsys):
    write(tmp_path)

    app(["check", "--study", "s", "--store", str(tmp_path)], standalone_mode=False)

    output = capsys.readouterr()
    assert output.out.splitlines() == [
        "checker\tmet\tnot_met\tmet_loosely\tundecided",
        "length_constraints:number_words\t1\t1\t1\t0",
        "punctuation:no_comma\t0\t3\t1\t0",
    ]
    assert "5 verdicts on 3 answers" in output.err
    assert "no verdict on 1 missing answer" in output.err
