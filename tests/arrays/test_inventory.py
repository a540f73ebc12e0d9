"""The contents of a study are counted by the fields of a selection."""

from engine.arrays.inventory import Inventory


def row(judge, paradigm, variant, status):
    return (judge, paradigm, variant, "none", None, "run-1", status)


def test_judgments_are_counted_by_status_over_variants_in_the_order_of_models_and_schema():
    inventory = Inventory(
        (
            row("b", "pairwise", "default", "ok"),
            row("b", "pairwise", "cot", "ok"),
            row("b", "pairwise", "cot", "error"),
            row("b", "pairwise", "cot", "unparsed"),
            row("b", "all_rubrics", "default", "ok"),
            row("a", "pairwise", "default", "ok"),
        ),
        (3, 4, 1, 2, 5, 6),
    )

    statuses = inventory.statuses(["b", "a", "never asked"])

    assert statuses == [
        ("b", "all_rubrics", "ok", 5),
        ("b", "pairwise", "ok", 7),  # 3 default, 4 chain of thought
        ("b", "pairwise", "unparsed", 2),
        ("b", "pairwise", "error", 1),
        ("a", "pairwise", "ok", 6),
    ]


def test_it_is_shown_by_its_counts():
    rows = (row("a", "pairwise", "default", "ok"), row("b", "pairwise", "default", "error"))

    assert repr(Inventory(rows, (1200, 34))) == "Inventory(2 judges, 1 paradigm, 1,234 judgments)"
