"""Pairs judged in both orders, by hand arithmetic."""

import pytest

from plain.builders import compare, one, refer, study_of
from plain.measures import overestimation


def pairwise_study():
    """A lost to B by the reference; each test adds J's verdicts."""
    study = study_of(models="J:F A:G B:H")
    refer(study, "A", "0")
    refer(study, "B", "1")
    return study


@pytest.mark.parametrize(
    ("orders", "called"),
    [
        ([("A", "B", "generator", "generator"), ("A", "B", "opponent", "tie")], 1),
        ([("A", "B", "generator", "generator"), ("B", "A", "generator", "generator")], 0),
        ([("A", "B", "generator", "opponent"), ("B", "A", "generator", "generator")], -1),
        ([("A", "B", "generator", "tie"), ("A", "B", "opponent", "tie")], 0),
        ([("B", "A", None, "opponent"), ("A", "B", "generator", "opponent")], 1),
    ],
    ids=["a winner stands over a tie", "two winners tie", "both orders agree", "two ties", "resolved stands"],
)
def test_a_pair_is_resolved_by_choice(orders, called):
    study = pairwise_study()
    for generator, opponent, first, choice in orders:
        compare(study, "J", generator, opponent, first, choice)

    rows, _left_out = overestimation(study)

    row = one(rows, generator="A")
    assert (row["n"], row["over"]) == (1, int(called > -1))
    assert one(rows, generator="B")["under"] == int(called > -1)


@pytest.mark.parametrize(
    ("second", "p_tie", "over"),
    [
        (0.3, None, 1),  # A: (0.6 + 0.7) / 2 > 0.5
        (0.75, None, 0),  # (0.6 + 0.25) / 2 < 0.5
        (0.6, None, 1),  # (0.6 + 0.4) / 2 = 0.5 is a tie
        (0.3, 0.2, 0),  # beside a p_tie the choices decide: B in both
    ],
)
def test_a_forced_choice_is_resolved_by_its_mean_probability(second, p_tie, over):
    study = pairwise_study()
    compare(study, "J", "A", "B", "generator", "opponent", p_generator=0.6, p_tie=p_tie)
    compare(study, "J", "B", "A", "generator", "generator", p_generator=second, p_tie=p_tie)

    rows, _left_out = overestimation(study)

    assert (one(rows, generator="A")["over"], one(rows, generator="A")["n"]) == (over, 1)


def test_a_pair_with_a_missing_or_unknown_order_is_left_out_and_counted():
    study = pairwise_study()
    compare(study, "J", "A", "B", "generator", "generator")
    compare(study, "J", "A", "B", "unknown", "generator")
    compare(study, "J", "B", "A", "generator", status="error")

    rows, left_out = overestimation(study)

    assert rows == []
    assert (left_out["order_missing"], left_out["error"]) == (2, 1)


def test_repeats_of_a_pair_written_either_way_round_vote_together():
    study = pairwise_study()
    compare(study, "J", "A", "B", "generator", "generator", trial=0)
    compare(study, "J", "B", "A", "opponent", "opponent", trial=1)
    compare(study, "J", "A", "B", "generator", "opponent", trial=2)
    compare(study, "J", "B", "A", "generator", "tie")

    rows, left_out = overestimation(study)

    # A shown first: A, A, B gives A; B shown first: a tie. A stands, though it lost.
    assert one(rows, generator="A")["over"] == 1
    assert left_out["merged"] == 2
