"""`relatedness`: by hand, against plain loops, and with and without shared errors planted."""

import random
from itertools import combinations

import numpy as np
import pytest
from plain.awkward import awkward_study
from plain.builders import judge_rubrics, one, refer, study_of
from plain.relatedness import kappas

from engine.importers.exchange import import_tidy
from engine.stats.relatedness import beyond_means, kappa_within_truth, mantel, tree, two_way_margins
from engine.store import Store
from engine.study import Study

PAIRS = list(combinations(range(4), 2))
FIRST, SECOND = (np.array(part) for part in zip(*PAIRS, strict=True))


def test_kappa_counts_agreement_within_each_truth_only():
    # Where the truth is not met: 10 cells, each judge passes 5, both 5: po 1, pe .5. Where it is met: 10
    # cells, each passes all: no disagreement is possible, nothing is added. (10 - 5) / (10 - 5) = 1.
    # The second pair passes 5 each, 2 and 3 of them together: po (2 + 2) / 10, pe .5: (4 - 5) / 5 = -.2.
    counts = np.array([[[10, 5, 5, 5], [10, 10, 10, 10]], [[10, 5, 5, 2], [0, 0, 0, 0]]])

    np.testing.assert_allclose(kappa_within_truth(counts), [1.0, -0.2])


def test_what_each_judge_has_with_all_others_is_taken_away():
    # Judge 0 agrees with everybody by .2 more: nothing is left. Then 2 and 3 agree by .3 more with another.
    # In the residual of six pairs on four judges' means a single pair keeps 1 - 4 / 6 = 1 / 3 of it.
    of_judges = np.array([0.2, 0, 0, 0])
    kappa = of_judges[FIRST] + of_judges[SECOND]

    np.testing.assert_allclose(beyond_means(kappa, FIRST, SECOND, 4), 0, atol=1e-12)
    kappa[-1] += 0.3
    excess = beyond_means(kappa, FIRST, SECOND, 4)
    assert excess[-1] == pytest.approx(0.1)
    assert np.isnan(beyond_means(kappa[:3], FIRST[:3], np.array([1, 2, 1]), 3)).all()


def test_the_tree_joins_first_those_that_err_most_alike():
    excess = np.array([[0, 0.1, 0.5, 0], [0.1, 0, 0, 0.4], [0.5, 0, 0, 0.1], [0, 0.4, 0.1, 0]])

    merges, leaves = tree(excess)

    assert set(merges[0][:2]) == {0, 2}
    assert set(merges[1][:2]) == {1, 3}
    assert {frozenset(leaves[:2]), frozenset(leaves[2:])} == {frozenset({0, 2}), frozenset({1, 3})}


def test_margins_leave_out_lenience_and_quality():
    judges, generators = np.arange(5)[:, None] / 10, np.arange(5)[None] / 20

    np.testing.assert_allclose(two_way_margins(judges + generators)[~np.eye(5, dtype=bool)], 0, atol=1e-12)


def test_overrating_that_follows_relatedness_is_found_and_is_unknown_of_four_models():
    draw = np.random.default_rng(1)
    related = draw.normal(size=(8, 8))
    related += related.T
    overrating = related + draw.normal(size=(8, 8)) / 2
    np.fill_diagonal(related, np.nan)

    growth = mantel(overrating, related, np.random.default_rng(0))

    assert growth.n == 56
    assert growth.p <= 0.005
    assert 0 < growth.low < growth.value < growth.high
    assert np.isnan(mantel(overrating[:4, :4], related[:4, :4], draw).p)


def test_judges_that_pass_the_same_failures_are_related_whatever_their_families(load):
    # J and A pass the same third of B's to E's failures, B to E each pass another at random.
    draw, names = random.Random(3), "JABCDE"
    plain = study_of(" ".join(f"{name}:{name}" for name in names), instances=60)
    for n in range(60):
        for generator in names:
            refer(plain, generator, "0", f"x{n}")
            shared = draw.random() < 0.33
            for judge in names:
                met = shared if judge in "JA" else draw.random() < 0.33
                judge_rubrics(plain, judge, generator, str(int(met)), f"x{n}")

    rows = load(plain).result("relatedness", resamples=50).rows

    alike = one(rows, judge="J", other_judge="A")
    assert alike["kappa"] == 1
    assert alike["relatedness_low"] > 0.2
    assert alike["n"] == 4 * 60
    assert max(row["relatedness"] for row in rows if row is not alike) < alike["relatedness_low"]


def test_without_a_reference_nothing_is_wrong_and_the_remedy_is_named(load):
    plain = study_of("J:F A:G B:H")
    for judge in "JAB":
        for generator in "JAB":
            judge_rubrics(plain, judge, generator, "1")

    result = load(plain).result("relatedness", resamples=0)

    assert result.rows == []
    assert "spb reference" in result.reason


def test_three_judges_have_a_kappa_and_no_relatedness_with_the_reason(load):
    plain = study_of("J:F A:G B:H C:I", rubrics=(1, 1), instances=5)
    for n in range(5):
        refer(plain, "C", "10", f"x{n}")
        for judge in "JAB":
            judge_rubrics(plain, judge, "C", "11" if n % 2 else "00", f"x{n}")

    row = one(load(plain).result("relatedness", resamples=0).rows, judge="J", other_judge="A")

    assert row["kappa"] == 1
    assert (row["relatedness"], row["reasons"]["relatedness"]) == (None, "fewer_than_four_judges")
    assert row["reasons"]["growth"] == "fewer_than_five_judges_that_answer"


@pytest.mark.parametrize("options", [{}, {"reference": "human"}, {"relatives": "provider"}], ids=str)
def test_it_equals_its_plain_second_implementation(tmp_path, options):
    rows = awkward_study(random.Random(5), instances=7, paradigms=("single_rubric",))
    rows.write(tmp_path / "exchange")
    import_tidy(tmp_path / "exchange", Store(tmp_path / "store"), "awkward")
    expected = kappas(rows, **options)

    result = Study.open(tmp_path / "store" / "awkward").result("relatedness", resamples=0, **options)

    ours = {(row["judge"], row["other_judge"]): (row["kappa"], row["n"]) for row in result.rows}
    assert set(ours) == set(expected)
    for pair, (kappa, n) in expected.items():
        assert ours[pair][1] == n
        assert ours[pair][0] == (None if kappa is None else pytest.approx(kappa, abs=1e-9))
