"""People whose names are one person's in two spellings, or a model's."""

from pathlib import Path

import pytest
from importers.foreign_files import lines

from engine.importers.import_options import ImportOptions
from engine.importers.person_names import person_cautions
from engine.importers.pipeline import reading
from engine.importers.tables.table import FORMAT
from engine.store import Store

TWO = "'Annika' and 'annika' count as 2 people"


def truths(*people: str) -> list[dict[str, str]]:
    named = {"generator": "gpt-4o", "instance_id": "q1", "criterion": "short", "reference_met": "yes"}
    return [named | {"annotator": each} for each in people]


@pytest.mark.parametrize(
    ("people", "stored", "caution"),
    [
        (["Annika", "annika"], [], TWO),
        (["annika"], ["Annika"], TWO),
        (["Dr Ho", "dr  ho"], [], "'Dr Ho' and 'dr  ho' count as 2 people"),
        (["gpt-4.1"], [], "'gpt-4.1' is called like a model"),
        (["My-Judge"], [], "'My-Judge' is called like a model"),
        (["Annika", "Anna"], ["bo", "Bo"], None),
        (["Claude", "R1", "w1", "w01"], [], None),
    ],
)
def test_people_are_cautioned_about_whose_names_may_be_of_one_or_of_a_model(
    people: list[str], stored: list[str], caution: str | None
) -> None:
    sources, others = ([f"human:{each}" for each in some] for some in (people, stored))

    cautions = list(person_cautions([*sources, "human", "program"], ["my-judge"], others))

    assert len(cautions) == (caution is not None)
    assert all(each.startswith(str(caution)) for each in cautions)


def test_an_import_says_that_one_person_is_there_under_two_spellings(tmp_path: Path) -> None:
    with reading(FORMAT, lines(tmp_path / "t.jsonl", truths("Annika", "annika")), ImportOptions()) as read:
        assert [each for each in read.report.doubts if each.startswith(TWO)]


def test_what_is_added_to_a_study_says_that_its_person_may_be_one_of_the_study(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    with reading(FORMAT, lines(tmp_path / "a.jsonl", truths("Annika")), ImportOptions()) as read:
        read.write(store, "s")
    with reading(FORMAT, lines(tmp_path / "b.jsonl", truths("annika")), ImportOptions()) as read:
        report = read.write(store, "s", mode="append")

    assert [each for each in report.warnings if each.startswith(TWO)]
