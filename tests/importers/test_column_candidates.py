"""What a column of a table may be, by its name and its values."""

import pytest

from engine.importers.tables.column_candidates import CRITERIA, FEW, JUDGES, MEANINGS, candidates
from engine.importers.tables.table_columns import COLUMNS
from engine.importers.tables.table_sample import FirstRows
from explorer.new_run.column_labels import LABELS

ROWS = [
    {
        "wrote": "gpt-4o",
        "graded_by": "o3",
        "good": "yes",
        "mark": 7,
        "says": "The answer is polite and short.",
        "won": "left",
        "empty": None,
    },
    {
        "wrote": "gemma-2-9b",
        "graded_by": "o3",
        "good": "no",
        "mark": 3,
        "says": "It is rude to the user.",
        "won": "right",
        "empty": "",
    },
]


def first_of(column: str, guess: str | None = None, *, pairs: bool = False) -> tuple[str, ...]:
    sample = FirstRows.of(ROWS)
    return candidates(sample, column, guess, models=["gpt-4o", "gemma-2-9b"], pairs=pairs)[:FEW]


@pytest.mark.parametrize(
    ("column", "pairs", "expected"),
    [
        ("wrote", False, {"judge", "generator", "opponent"}),
        ("graded_by", False, {"judge"}),
        ("good", False, {"met", "reference_met", JUDGES}),
        ("mark", False, {"score", "reference_score"}),
        ("says", False, {"prompt", "response", "criterion", "explanation", "raw"}),
        ("won", True, {"choice", "preference"}),
    ],
)
def test_the_first_six_meanings_fit_a_columns_values(column: str, pairs: bool, expected: set[str]) -> None:
    assert expected <= set(first_of(column, pairs=pairs))


def test_a_columns_name_counts_before_its_values() -> None:
    assert first_of("graded_by")[0] == "judge"


def test_what_the_import_takes_a_column_for_comes_first() -> None:
    assert first_of("good", "reference_met")[0] == "reference_met"


def test_what_another_column_is_taken_for_comes_after_what_is_still_open() -> None:
    sample = FirstRows.of([{"rule": "Polite?", "ok": "yes"}])

    assert candidates(sample, "rule", None, others=["met", "instance_id"])[:4] == (
        *(JUDGES, "reference_met", CRITERIA, "rubric_id"),
    )


def test_a_column_without_values_may_be_anything() -> None:
    sample = FirstRows.of(ROWS)

    assert set(candidates(sample, "empty", None)) == set(MEANINGS)


def test_every_meaning_has_its_words_on_the_page() -> None:
    assert LABELS.keys() == {*COLUMNS, JUDGES, CRITERIA} == {*MEANINGS}
    assert len(set(LABELS.values())) == len(LABELS)
