"""How many independent judges a panel is worth: by hand and against NumPy's correlations."""

import numpy as np
import pytest

from engine.stats.judges.effective_number import SharedErrors, effective_number, error_correlations

NAN = np.nan


def test_errors_are_counted_on_what_both_judged():
    counted = np.array([[1, 1, 1, 0, 0], [1, 1, 0, 1, 1]], dtype=bool)
    wrong = np.array([[1, 0, 1, 0, 0], [1, 1, 0, 0, 1]], dtype=bool)

    errors = SharedErrors.of(counted, wrong)

    # Both judged cells 0 and 1: the first is wrong about 0, the second about 0 and 1.
    assert errors.both.tolist() == [[3, 2], [2, 4]]
    assert errors.wrong.tolist() == [[2, 1], [2, 3]]
    assert errors.both_wrong.tolist() == [[2, 1], [1, 3]]
    assert errors.both.dtype == np.int64


def test_counts_of_two_parts_are_added():
    parts = [SharedErrors(*(np.full((1, 1), n + k) for n in (10, 5, 2))) for k in (0, 3)]

    total = parts[0] + parts[1]

    assert (total.both.item(), total.wrong.item(), total.both_wrong.item()) == (23, 13, 7)


def test_correlations_are_pearsons_of_the_errors_on_shared_cells():
    rng = np.random.default_rng(3)
    counted = rng.random((4, 40)) < 0.8
    wrong = (rng.random((4, 40)) < np.array([0.2, 0.5, 0.7, 0.4])[:, None]) & counted

    r = error_correlations(SharedErrors.of(counted, wrong))

    for a in range(4):
        for b in range(4):
            both = counted[a] & counted[b]
            assert r[a, b] == pytest.approx(np.corrcoef(wrong[a, both], wrong[b, both])[0, 1])


def test_a_judge_that_is_never_wrong_or_shares_no_cell_has_no_correlation():
    counted = np.array([[1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]], dtype=bool)
    wrong = np.array([[1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 1]], dtype=bool)

    r = error_correlations(SharedErrors.of(counted, wrong))

    assert r[0, 0] == pytest.approx(1)
    assert np.isnan([r[0, 1], r[1, 0], r[1, 1], r[0, 2], r[2, 0]]).all()


R = np.array([[1, 0.1, 0.4, NAN], [0.1, 1, 0.25, NAN], [0.4, 0.25, 1, NAN], [NAN, NAN, NAN, 1]])


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ("1110", 3 / (1 + 2 * 0.25)),  # the mean of .1, .4 and .25
        ("1010", 2 / 1.4),
        ("1111", 4 / (1 + 3 * 0.25)),  # what is undefined is left out of the mean
        ("0010", 1.0),
        ("0000", NAN),
        ("0011", NAN),
    ],
)
def test_judges_are_worth_less_the_more_their_errors_are_shared(votes, expected):
    voting = np.array([vote == "1" for vote in votes])

    assert effective_number(R, voting) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(("r", "expected"), [(-0.5, 2.0), (1.0, 1.0), (0.0, 2.0)])
def test_two_judges_are_worth_one_to_two(r, expected):
    assert effective_number(np.array([[1.0, r], [r, 1.0]]), np.array([True, True])) == pytest.approx(expected)
