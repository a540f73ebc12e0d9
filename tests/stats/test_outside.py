"""Judges compared with judges outside their family, by hand and by properties (MEASURES section 15)."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from engine.stats.conditional.taste_spread import placebo_p, placebo_ranks, taste_spread
from engine.stats.intervals.delete_one import error_of_deleting
from engine.stats.intervals.jackknife import Estimates
from engine.stats.outside.outside import (
    CommonCells,
    FamilyMasks,
    blocks,
    compare_with_outside,
    outside_means,
    vote_gaps,
)
from engine.stats.outside.outside_scores import (
    Placebos,
    Points,
    bonus_outside,
    near_copies,
    placebo_bonuses,
    points_against,
)


def masks(families, generators=None):
    """Return the masks of judges, one family letter each; they are the generators unless given."""
    judges = np.array(list(families))
    written = judges if generators is None else np.array(list(generators))
    same = judges[:, None] == written[None]
    own = np.eye(len(judges), len(written), dtype=bool)
    return FamilyMasks(
        own,
        same & ~own,
        ~same & ~own,
        judges[:, None] != judges[None],
        written[:, None] != written[None],
    )


def common_cells(verdicts, present=None):
    """Return the shared counts of verdicts (judges, generators, cells), counted one by one."""
    judges, generators, _ = verdicts.shape
    judged = np.ones_like(verdicts, dtype=bool) if present is None else present

    def of(judge):
        both = judged[judge] & judged  # of every judge, in the order of judges and generators
        alone = np.zeros(generators)  # every judge is treated as lacking something
        return tuple(
            np.concatenate([alone, cells.sum(axis=-1).ravel()])
            for cells in (both, both & verdicts[judge].astype(bool))
        )

    return cells_of(np.ones((judges, generators), dtype=bool), of)


def cells_of(lacking, of):
    """Return the shared counts with a separate entry for each judge that lacks some verdict."""
    judges, generators = lacking.shape
    place = np.tile(np.arange(generators), (judges, 1))
    place[lacking] = generators + np.arange(lacking.sum())
    return CommonCells(place, np.concatenate([np.arange(generators), np.nonzero(lacking)[1]]), of)


def bits(*rows):
    """Return rows of texts like `110 001` as an array (rows, generators, cells)."""
    return np.array([[[int(c) for c in part] for part in row.split()] for row in rows])


def test_the_ratio_and_difference_of_a_small_study_by_hand():
    verdicts = bits("1110 1000 1100", "1100 1100 1000", "1000 1000 1110")

    [result] = compare_with_outside(common_cells(verdicts), masks("FGH"), masks("FGH").own)

    # Judge F, own cells: F 3/4, G 2/4, H 1/4. Against G the others' cells are H's: F 2/4, G 1/4;
    # against H they are G's: F 1/4, H 1/4.
    assert result.own_judge[0] == 0.75
    assert result.own_outside[0] == (0.5 + 0.25) / 2
    assert result.other_judge[0] == (0.5 + 0.25) / 2
    assert result.other_outside[0] == 0.25
    assert result.ratio[0] == pytest.approx((0.75 / 0.375) / (0.375 / 0.25))
    assert result.difference[0] == pytest.approx((0.75 - 0.375) - (0.375 - 0.25))
    assert result.judges.tolist() == [2, 2, 2]


def test_cells_not_judged_by_both_count_for_neither():
    verdicts = bits("1110 1000 1100", "1100 1100 1000", "1000 1000 1110")
    present = np.ones_like(verdicts, dtype=bool)
    present[1, 0, :3] = False  # G judged only the last of F's cells, which nobody credits

    [result] = compare_with_outside(common_cells(verdicts, present), masks("FGH"), masks("FGH").own)

    assert result.own_judge[0] == (0.0 + 0.75) / 2
    assert result.own_outside[0] == (0.0 + 0.25) / 2


def test_a_judge_is_no_outside_judge_of_itself_or_its_relatives():
    verdicts = bits("11 10 10 10", "10 11 10 10", "10 10 11 10", "10 10 10 11")

    [result] = compare_with_outside(common_cells(verdicts), masks("FFGH"), masks("FFGH").own)
    [family] = compare_with_outside(common_cells(verdicts), masks("FFGH"), masks("FFGH").family)

    assert result.judges[0] == 2
    assert result.own_judge[0] == 1.0
    assert result.own_outside[0] == 0.5
    assert family.own_judge[0] == 0.5
    assert np.isnan(family.ratio[2])


def test_a_share_of_0_leaves_only_the_difference_defined():
    verdicts = bits("10 10 10", "00 10 10", "00 10 10")

    [result] = compare_with_outside(common_cells(verdicts), masks("FGH"), masks("FGH").own)

    assert np.isnan(result.ratio[0])
    assert result.difference[0] == pytest.approx(0.5)


def test_without_a_judge_of_another_family_everything_is_undefined():
    [result] = compare_with_outside(common_cells(bits("10 10", "11 01")), masks("FF"), masks("FF").own)

    assert np.isnan(result.ratio).all()
    assert np.isnan(result.difference).all()
    assert result.judges.tolist() == [0, 0]


@pytest.mark.parametrize("seed", range(3))
def test_the_shares_equal_plain_loops(seed):
    rng = np.random.default_rng(seed)
    families = "FFGHI"
    around = masks(families)
    verdicts, present = (rng.random((5, 5, 6)) < share for share in (0.5, 0.7))

    [result] = compare_with_outside(common_cells(verdicts, present), around, around.own)

    for j in range(5):
        fours = []
        for b in (b for b in range(5) if families[b] != families[j]):

            def share(judge, g, b=b, j=j):
                both = present[j, g] & present[b, g]
                return verdicts[judge, g][both].mean() if both.any() else None

            third = [g for g in range(5) if families[g] not in (families[j], families[b])]
            others = [g for g in third if share(j, g) is not None]
            if share(j, j) is None or not others:
                continue
            fours.append(
                [
                    share(j, j),
                    share(b, j),
                    np.mean([share(j, g) for g in others]),
                    np.mean([share(b, g) for g in others]),
                ]
            )
        shares = [result.own_judge[j], result.own_outside[j], result.other_judge[j], result.other_outside[j]]
        assert shares == pytest.approx(np.mean(fours, axis=0).tolist())


def test_a_judge_without_missing_verdicts_shares_all_cells_of_another():
    rng = np.random.default_rng(1)
    verdicts, present = rng.random((4, 4, 9)) < 0.5, rng.random((4, 4, 9)) < 0.7
    present[:, 1], present[0] = True, True
    around, one_by_one = masks("FGHI"), common_cells(verdicts, present)
    lacking = ~present.all(axis=-1)

    def of(judge):
        counts = [part[4:].reshape(4, 4) for part in one_by_one.of(judge)]
        return tuple(np.concatenate([each[judge], each[lacking]]) for each in counts)

    [expected] = compare_with_outside(one_by_one, around, around.own)
    [result] = compare_with_outside(cells_of(lacking, of), around, around.own)

    assert 0 < lacking.sum() < lacking.size
    assert result.ratio == pytest.approx(expected.ratio)
    assert result.own_outside == pytest.approx(expected.own_outside)


def test_cases_and_kinds_of_own_responses_are_compared_separately():
    rng = np.random.default_rng(2)
    around = masks("FFGHI")
    studies = [common_cells(rng.random((5, 5, 9)) < 0.5) for _ in range(2)]
    both = CommonCells(
        studies[0].place,
        studies[0].generator,
        lambda judge: tuple(
            np.stack(parts, axis=-1) for parts in zip(*(one.of(judge) for one in studies), strict=True)
        ),
    )

    together = compare_with_outside(both, around, around.own, around.family)

    for case, study in enumerate(studies):
        for result, of in zip(together, (around.own, around.family), strict=True):
            [alone] = compare_with_outside(study, around, of)
            assert result.ratio[:, case] == pytest.approx(alone.ratio, nan_ok=True)
            assert result.judges[:, case].tolist() == alone.judges.tolist()


def test_the_delete_one_error_of_a_mean_matches_the_textbook():
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    without = np.array([np.delete(values, i).mean() for i in range(5)])

    error = error_of_deleting(values.mean(), without, np.array(5))

    assert error == pytest.approx(values.std(ddof=1) / np.sqrt(5))


def test_a_value_undefined_without_some_instance_has_no_error():
    error = error_of_deleting(np.array([1.0]), np.array([[1.1], [np.nan], [0.9]]), np.array([3]))

    assert np.isnan(Estimates(np.array([1.0]), error, np.array([2])).p()).all()


def test_studentised_intervals_equal_students():
    estimate = Estimates(np.array([2.0]), np.array([0.5]), np.array([4]))
    low, high = estimate.interval()

    assert (low[0], high[0]) == pytest.approx(scipy_stats.t.interval(0.95, 4, 2.0, 0.5))
    assert estimate.p(null=1.0)[0] == pytest.approx(2 * scipy_stats.t.sf(2.0, 4))


def test_the_bonus_in_points_of_two_instances_by_hand():
    scores = np.empty((3, 3, 2))
    scores[0] = [[0.9, 0.7], [0.5, 0.5], [0.6, 0.4]]
    scores[1] = [[0.5, 0.5], [0.8, 0.8], [0.4, 0.4]]
    scores[2] = [[0.7, 0.5], [0.3, 0.5], [0.9, 0.9]]
    around = masks("FGH")

    points = points_against(scores, around)
    bonus = bonus_outside(points.total.sum(axis=-1), points.number.sum(axis=-1), around.own, around.other)

    # F on itself: .9 - .6 and .7 - .5, mean .25. On G against H alone: .2 and 0, mean .1; on H against G
    # alone: .2 and 0, mean .1.
    assert bonus[0] == pytest.approx(100 * (0.25 - 0.1))


def test_a_score_without_a_counterpart_does_not_count():
    scores = np.full((3, 3, 2), 0.5)
    scores[1:, 0, 1] = np.nan
    scores[0, 0, 1] = 0.9

    points = points_against(scores, masks("FGH"))

    assert points.number[0, 0].tolist() == [1, 0]
    assert points.total[0, 0].tolist() == [0.0, 0.0]


def test_placebos_leave_out_the_family_of_the_substituted_generator():
    rng = np.random.default_rng(3)
    scores = rng.random((5, 5, 4))
    around = masks("FGGHI")

    bonuses = placebo_bonuses(scores, around)

    # Judge F with G's first model substituted: only H and I are outside judges and other generators; on H's
    # responses only I stands outside, on I's only H.
    own = (scores[0, 1] - scores[3:, 1].mean(axis=0)).mean()
    others = [(scores[0, 3] - scores[4, 3]).mean(), (scores[0, 4] - scores[3, 4]).mean()]
    assert bonuses.value[0, 1] == pytest.approx(100 * (own - np.mean(others)))
    assert np.isnan(bonuses.value[0, 0])
    assert np.isnan(bonuses.value[1, 2])


def test_a_vote_is_compared_with_judges_related_to_neither_response():
    votes = np.array([[1.0, 0.0, 0.5, 0.0], [0.5, np.nan, 1.0, 0.5]])
    first, second = np.array([0, 0]), np.array([1, 2])

    gaps = vote_gaps(votes, first, second, masks("FGHI"))

    # The first pair is F's and G's: F against H and I; the second F's and H's: F against I (G is silent).
    assert gaps[0, 0] == 1.0 - 0.25
    assert gaps[1, 0] == 0.0
    assert np.isnan(gaps[1, 1])


def test_the_spread_of_tastes_by_hand():
    theta, se = np.array([[1.0, -1.0, np.nan], [0.5, 0.5, 2.0]]), np.full((2, 3), 0.5)

    tastes = taste_spread(theta, se, judges=5)

    # sum theta^2 / se^2 = 4 + 4 + 1 + 1 + 16 = 26 over m = 5; sum 1 / se^2 = 20; (1 - 1/5)^2 = .64.
    assert tastes.spread == pytest.approx(np.sqrt((26 - 5) / (0.64 * 20)))


def test_placebos_no_wider_than_their_errors_show_no_tastes():
    assert taste_spread(np.array([[0.1, -0.1]]), np.array([[0.5, 0.5]]), judges=6).spread == 0.0


def test_four_judges_are_too_few_to_estimate_tastes():
    theta, se = np.array([[1.0]]), np.array([[0.1]])

    assumed, unknown = taste_spread(theta, se, 4, 0.34), taste_spread(theta, se, 4)

    assert (assumed.spread, assumed.assumed) == (0.34, True)
    assert np.isnan(unknown.spread)
    assert not unknown.assumed


def test_the_rank_of_the_true_number_among_placebos():
    placebos = np.array([[np.nan, 1.0, 3.0], [2.0, np.nan, 2.0]])

    rank, number = placebo_ranks(np.array([2.0, np.nan]), placebos)

    assert (rank.tolist(), number.tolist()) == ([2, 0], [3, 0])


def test_a_p_by_placebos_is_never_below_1_of_the_assignments_that_there_are():
    placebos = np.array([[0.0, 0.1], [0.2, 0.1]])
    rng = np.random.default_rng(0)

    # Two judges with two placebos each: four assignments, and the true one.
    assert placebo_p(np.array([1.0, 1.0]), placebos, rng) == 1 / 5
    assert placebo_p(np.array([-1.0, -1.0]), placebos, rng) == 1.0
    # Seven judges with four: 16,384 assignments, of which 10,000 are drawn.
    assert placebo_p(np.ones(7), np.zeros((7, 4)), rng) == 1 / 10_001
    assert np.isnan(placebo_p(np.array([np.nan]), np.array([[1.0]]), rng))


def test_the_assignments_that_reach_the_true_one_are_counted_with_it():
    # Two judges with two placebos each: four assignments of sums 0, 1, 1, 2; three reach the true sum 1.
    p = placebo_p(np.array([0.5, 0.5]), np.array([[0.0, 1.0], [0.0, 1.0]]), np.random.default_rng(0))

    assert p == (3 + 1) / (4 + 1)


def test_only_what_is_judged_as_a_judges_own_responses_by_everybody_is_a_copy():
    # a and b answer alike for both judges; c differs in one verdict of judge b
    alike, other = [[1, 0, 1], [0, 0, 1]], [[1, 0, 1], [0, 1, 1]]
    verdicts = np.array([alike, alike, other]).transpose(1, 0, 2)
    related = masks("ab", "abc")

    assert near_copies(verdicts, np.ones(3, dtype=bool), related).tolist() == [
        [False, True, False],
        [True, False, False],
    ]
    assert not near_copies(verdicts, np.zeros(3, dtype=bool), related).any()
    assert not near_copies(verdicts, np.ones(3, dtype=bool), masks("aa", "aac")).any()


def test_a_response_has_the_mean_of_its_outside_judges():
    values = np.array([0.2, 0.4, 0.9, 0.1, 0.8])
    cell, outside = np.array([1, 1, 1, 0, 3]), np.array([True, True, False, False, True])

    means = outside_means(values, cell, outside)

    np.testing.assert_allclose(means, [0.3, 0.3, 0.3, np.nan, 0.8])


def test_masks_know_who_has_own_responses_relatives_and_outside_judges():
    alone, pair = masks("FF", "FFG"), masks("FG", "FH")

    assert (alone.has_own.tolist(), alone.has_family.tolist()) == ([True, True], [True, True])
    assert alone.has_outside.tolist() == [False, False]
    assert (pair.has_family.tolist(), pair.has_outside.tolist()) == ([False, False], [True, True])


def test_items_are_processed_in_blocks_that_cover_each_once(monkeypatch):
    monkeypatch.setattr("engine.stats.outside.outside._BLOCK", 10)

    assert list(blocks(7, 3)) == [slice(0, 3), slice(3, 6), slice(6, 7)]
    assert list(blocks(2, 11)) == [slice(0, 1), slice(1, 2)]
    assert list(blocks(3, 0)) == [slice(0, 3)]
    assert list(blocks(0, 3)) == []


def test_instances_are_those_with_a_case_of_the_marked_generators():
    number = np.array([[[1, 0, 0], [0, 2, 0], [1, 1, 1]]])
    points = Points(np.zeros((1, 3, 3)), number)

    assert points.instances(np.array([[True, True, False]])).tolist() == [2]
    assert points.instances(np.array([[False, False, True]])).tolist() == [3]
    assert points.instances(np.array([[False, False, False]])).tolist() == [0]


def test_placebos_of_near_copies_are_left_out_and_none_are_undefined():
    placebos = Placebos(np.array([[0.1, 0.2]]), np.array([[0.3, 0.4]])).without(np.array([[False, True]]))

    np.testing.assert_array_equal(placebos.value, [[0.1, np.nan]])
    np.testing.assert_array_equal(placebos.se, [[0.3, np.nan]])
    nothing = Placebos.none((2, 3))
    assert nothing.value.shape == nothing.se.shape == (2, 3)
    assert np.isnan([nothing.value, nothing.se]).all()


def test_placebos_and_their_errors_equal_loops():
    rng = np.random.default_rng(6)
    scores = rng.random((5, 6, 5))
    scores[rng.random(scores.shape) < 0.1] = np.nan
    families, of_generators = "FGGHI", "FGGHIK"
    around = masks(families, of_generators)

    placebos = placebo_bonuses(scores, around)

    def points(judge, generator, family, skip):
        gaps = []
        for i in range(5):
            rest = [
                scores[b, generator, i]
                for b in range(5)
                if families[b] not in (families[judge], of_generators[generator], family)
                and not np.isnan(scores[b, generator, i])
            ]
            if i != skip and rest and not np.isnan(scores[judge, generator, i]):
                gaps.append(scores[judge, generator, i] - np.mean(rest))
        return np.mean(gaps) if gaps else np.nan

    def placebo(judge, generator, skip=None):
        family = of_generators[generator]
        others = [
            points(judge, g, family, skip)
            for g in range(6)
            if of_generators[g] not in (families[judge], family)
        ]
        return 100 * (points(judge, generator, family, skip) - np.nanmean(others))

    for judge, generator in np.ndindex(5, 6):
        if families[judge] == of_generators[generator]:
            assert np.isnan([placebos.value[judge, generator], placebos.se[judge, generator]]).all()
            continue
        value = placebo(judge, generator)
        without = np.array([placebo(judge, generator, skip) for skip in range(5)])
        assert placebos.value[judge, generator] == pytest.approx(value)
        error = np.sqrt(4 / 5 * ((without - value) ** 2).sum())
        assert placebos.se[judge, generator] == pytest.approx(error)


def test_a_bonus_with_leading_axes_is_that_of_each():
    rng = np.random.default_rng(1)
    total, number, around = rng.random((2, 3, 4, 4)), rng.integers(0, 3, (2, 3, 4, 4)), masks("FGGH")

    bonus = bonus_outside(total, number, around.own, around.other)

    for lead in np.ndindex(2, 3):
        expected = bonus_outside(total[lead], number[lead], around.own, around.other)
        np.testing.assert_allclose(bonus[lead], expected)
        for j in range(4):
            mean = [t / n if n else np.nan for t, n in zip(total[*lead, j], number[*lead, j], strict=True)]
            others = [mean[g] for g in np.flatnonzero(around.other[j]) if not np.isnan(mean[g])]
            assert bonus[*lead, j] == pytest.approx(
                100 * (mean[j] - (np.mean(others) if others else np.nan)), nan_ok=True
            )


@pytest.mark.parametrize("zero", ["outside on own", "judge on others", "outside on others"])
def test_each_share_that_divides_must_not_be_0(zero):
    verdicts = np.ones((3, 3, 4), dtype=bool)
    if zero == "outside on own":
        verdicts[1:, 0] = False
    elif zero == "judge on others":
        verdicts[0, 1:] = False
    else:
        verdicts[1, 2] = verdicts[2, 1] = False
    around = masks("FGH")

    [result] = compare_with_outside(common_cells(verdicts), around, around.own)

    assert np.isnan(result.ratio[0])
    assert abs(result.difference[0]) == 1


def test_a_response_that_no_outside_judge_scored_has_no_mean():
    means = outside_means(np.array([0.2, 0.7]), np.array([0, 3]), np.array([True, False]))

    np.testing.assert_array_equal(means, [0.2, np.nan])
