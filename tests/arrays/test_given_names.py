"""A name with a comma, in a list that separates names by commas."""

import itertools
import json

import pandas as pd
import pytest
from command_line import Spb

import engine
from engine.errors import UsageError

OPENINGS = ("Sicilian, Najdorf", "Sicilian", "Najdorf", "French")
NUMBERS = {name: place + 2 for place, name in enumerate(OPENINGS)}
"""How many questions are of each opening, so that a slice shows which of them it holds."""


@pytest.fixture(scope="module")
def study() -> "engine.Study":
    questions = [(f"{name} {n}", name) for name, number in NUMBERS.items() for n in range(number)]
    rows = [
        {
            "judge": judge,
            "generator": author,
            "instance_id": question,
            "category": opening,
            "rubric_id": "sound",
        }
        | {
            "met": (len(question) + len(judge)) % 3 > 0,
            "reference_met": False,
            "reference_source": "program",
            "run_id": "week 1, day 2",
        }
        for (question, opening), judge, author in itertools.product(
            questions, ("gpt-4o", "claude-3-opus"), ("gpt-4o", "claude-3-opus")
        )
    ]
    return engine.from_frame(pd.DataFrame(rows), guess=False)


def n_of(study: "engine.Study", **filters: object) -> int:
    return int(study.hspp(**filters, resamples=0, full=True)["n_self"].max())


@pytest.mark.parametrize(
    ("given", "openings"),
    [
        ("Sicilian, Najdorf", ["Sicilian, Najdorf"]),
        ("Sicilian,Najdorf", ["Sicilian", "Najdorf"]),
        ("French,Sicilian, Najdorf", ["French", "Sicilian, Najdorf"]),
        ("Sicilian, Najdorf , Najdorf", ["Sicilian, Najdorf", "Najdorf"]),
        ("Sicilian, French", ["Sicilian", "French"]),
        (["Sicilian", "Najdorf"], ["Sicilian", "Najdorf"]),
        (["Sicilian, Najdorf"], ["Sicilian, Najdorf"]),
    ],
)
def test_a_name_of_the_study_goes_before_those_of_its_parts(
    study: "engine.Study", given: object, openings: list[str]
) -> None:
    expected = sum(NUMBERS[name] for name in openings)

    assert n_of(study, category=given) == expected
    assert n_of(study, slice={"category": given}) == expected
    of_text, of_list = (
        study.hspp(category="French", against={"category": each}, resamples=0) for each in (given, openings)
    )
    pd.testing.assert_frame_equal(of_text, of_list)


def test_a_run_with_a_comma_is_one_run(study: "engine.Study") -> None:
    assert n_of(study, run="week 1, day 2") == sum(NUMBERS.values())
    with pytest.raises(UsageError, match=r"unknown run 'week 1'"):
        n_of(study, run="week 1, day 3")


@pytest.mark.parametrize(
    "words", [("--category", "Sicilian, Najdorf"), ("--where", "category=Sicilian, Najdorf")]
)
def test_the_command_reads_it_so_too(
    study: "engine.Study", spb_here: Spb, tmp_path_factory: pytest.TempPathFactory, words: tuple[str, ...]
) -> None:
    store = str(tmp_path_factory.mktemp("store"))
    study.save("openings", store=store)

    answer = spb_here(
        "measure", "hspp", "openings", "--store", store, *words, "--run", "week 1, day 2", "--format", "json"
    )

    rows = json.loads(answer.stdout)["rows"]
    assert max(row["n_self"] for row in rows if row["judge"] is not None) == NUMBERS["Sicilian, Najdorf"]
