"""Agreement of people: by hand, by printed examples, and by properties of any labels."""

import numpy as np
import pytest

from engine.stats.judges.agreement import cohens_kappa
from engine.stats.judges.several_raters import (
    confusion,
    fleiss_kappa,
    krippendorff_alpha,
    label_counts,
    majority_of_two,
    pair_tables,
)

# Ten patients, each put into one of five diagnoses by fourteen psychiatrists: the worked example of the
# article "Fleiss' kappa" in Wikipedia, printed there as kappa = 0.210.
FOURTEEN_RATERS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)

# Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011, section C: four observers, twelve units,
# nine values missing; printed there as .743 (nominal), .815 (ordinal) and .849 (interval).
FOUR_OBSERVERS = (
    np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
            [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
        ]
    ).T
    - 1
)


def test_fleiss_kappa_equals_the_printed_example():
    assert fleiss_kappa(FOURTEEN_RATERS) == pytest.approx(0.210, abs=5e-4)


@pytest.mark.parametrize(("level", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_equals_the_printed_example(level, printed):
    counts = label_counts(FOUR_OBSERVERS, 5)

    assert krippendorff_alpha(counts, level) == pytest.approx(printed, abs=5e-4)


def test_kappa_of_three_people_on_two_items_by_hand():
    # Items (2, 1) and (0, 3): P = (1/3 + 1) / 2 = 2/3; shares 2/6 and 4/6, P_e = 1/9 + 4/9 = 5/9.
    counts = np.array([[2, 1], [0, 3]])

    assert fleiss_kappa(counts) == pytest.approx((2 / 3 - 5 / 9) / (4 / 9))


def test_alpha_of_two_people_on_two_items_by_hand():
    # Labels 0 0 and 0 1. Ordered pairs: 00 twice, 01 and 10 once each; n = 4, n_0 = 3, n_1 = 1.
    # D_o = 2 / 4, D_e = 2 * 3 * 1 / (4 * 3) = 1/2: alpha 0.
    counts = np.array([[2, 0], [1, 1]])

    assert krippendorff_alpha(counts, "nominal") == pytest.approx(0.0)


def test_an_item_with_one_label_does_not_affect_agreement():
    counts = np.array([[2, 1], [0, 3], [1, 0]])

    assert fleiss_kappa(counts) == pytest.approx(float(fleiss_kappa(counts[:2])))
    assert krippendorff_alpha(counts, "nominal") == pytest.approx(
        float(krippendorff_alpha(counts[:2], "nominal"))
    )


def test_identical_labels_have_neither_kappa_nor_alpha():
    counts = np.array([[3, 0], [2, 0]])

    assert np.isnan(fleiss_kappa(counts))
    assert np.isnan(krippendorff_alpha(counts, "ordinal"))


def test_a_weight_of_two_equals_duplicating_the_item():
    twice = np.vstack([FOURTEEN_RATERS, FOURTEEN_RATERS[3:4]])
    weights = np.ones((1, 10))
    weights[0, 3] = 2

    assert fleiss_kappa(FOURTEEN_RATERS, weights)[0] == pytest.approx(float(fleiss_kappa(twice)))
    for level in ("nominal", "ordinal", "interval"):
        weighted = krippendorff_alpha(FOURTEEN_RATERS, level, weights=weights)
        assert weighted[0] == pytest.approx(float(krippendorff_alpha(twice, level)))


def test_alpha_of_scores_depends_on_their_distances():
    counts = label_counts(np.array([[0, 0], [1, 2], [2, 2]]), 3)

    near = krippendorff_alpha(counts, "interval", np.array([1.0, 4.5, 5.0]))
    far = krippendorff_alpha(counts, "interval", np.array([1.0, 2.0, 5.0]))

    assert near > far


def test_two_people_are_compared_on_the_items_that_both_labelled():
    # Wikipedia, "Cohen's kappa": 50 proposals, 20 yes by both, 15 no by both, 5 and 10 apart: kappa 0.4.
    labels = np.array([[1, 1]] * 20 + [[1, 0]] * 5 + [[0, 1]] * 10 + [[0, 0]] * 15 + [[1, -1]] * 7)

    tables = pair_tables(labels, 2)

    assert tables.tolist() == [[[15, 10], [5, 20]]]
    assert cohens_kappa(tables)[0] == pytest.approx(0.4)


def test_an_even_split_is_no_majority():
    labels = np.array([[1, 1, 0], [1, 0, -1], [2, 0, 1], [-1, -1, -1], [1, -1, -1]])

    assert majority_of_two(labels, 1).tolist() == pytest.approx([1, np.nan, 0, np.nan, 1], nan_ok=True)


def test_the_confusion_table_has_one_cell_for_each_item():
    automatic, people = np.array([True, True, False, False]), np.array([True, False, True, False])

    assert confusion(automatic, people).tolist() == np.eye(4, dtype=int).tolist()


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_weights_with_leading_axes_are_computed_together(level):
    rng = np.random.default_rng(2)
    labels = rng.integers(-1, 3, (12, 4))
    weights = rng.integers(0, 4, (2, 3, 12)).astype(float)
    counts = label_counts(labels, 3)

    alpha, kappa = krippendorff_alpha(counts, level, weights=weights), fleiss_kappa(counts, weights)
    tables = pair_tables(labels, 3, weights)

    for lead in np.ndindex(2, 3):
        assert alpha[lead] == pytest.approx(krippendorff_alpha(counts, level, weights=weights[lead]))
        assert kappa[lead] == pytest.approx(fleiss_kappa(counts, weights[lead]))
        np.testing.assert_array_equal(tables[(slice(None), *lead)], pair_tables(labels, 3, weights[lead]))
