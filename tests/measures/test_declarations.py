"""What the measures declare: which numbers are tested against what, the defaults of options, and bounds.

They are those of the definitions: a change here changes what every study says, and is meant or a mistake.
"""

import pytest

from engine.measures import compute, rows
from engine.measures.catalogue import MEASURES, PRESENT
from engine.measures.causes import association, recognition_score
from engine.measures.committees import committee_size
from engine.measures.orders import permutation
from engine.measures.outside import outside, outside_odds
from engine.measures.pairs import own_pairs, pair_sets, votes
from engine.measures.quality import best_of_n, which_judge
from engine.measures.rankings import corrected
from engine.measures.reference import agreement_curve, ratio_intervals
from engine.measures.scorecard import deciding_source, group_row, scorecard_caveats, scorecard_inputs

TESTED_AGAINST_1 = {
    "scorecard": {"ratio_outside"},
    "outside": {"ratio_outside", "ratio_outside_family", "odds_self", "odds_family", "odds_common"},
    "hspp": {"hspp_self", "hspp_family", "hspp_family_with_self", "hspp_matched", "hspp_mantel_haenszel"},
    "committee": {
        *("hspp_self", "hspp_self_committee", "hspp_family", "hspp_family_committee"),
        *("ratio_outside", "ratio_outside_committee"),
    },
}
TESTED_AGAINST_0 = {
    "expected": {"excess"},
    "outside": {
        *("difference_outside", "bonus_outside", "vote_outside"),
        *("bonus_outside_family", "vote_outside_family"),
    },
    "hspp": {"difference_self"},
    "delta": {"bonus", "family_bonus"},
    "equal-quality": {"spb", "spb_family"},
    "archetypes": {"spb"},
    "quality-baseline": {"ilsp_updated", "all_minus_out_of_family"},
    "dbg": {"dbg", "dbg_decided"},
    "best-of-n": {"pick_excess", "lost_beyond"},
    "permutation": {
        *("pearson_delta", "spearman_delta", "pearson_delta_corrected", "spearman_delta_corrected"),
    },
    "model-likeness": {"log_ratio"},
    "list-ranks": {"pick_gap", "rank_gap"},
    "mitigation": {"reduction", "d_change"},
    "robustness": {"difference", "lift_difference", "lift_own"},
    "familiarity-score": {
        *("familiarity_gap", "own_effect", "own_effect_held", "explained", "familiarity_effect"),
    },
    "transforms": {"effect"},
}
TESTED_AGAINST_HALF = {"recognition-score": {"recognition"}}


@pytest.mark.parametrize(
    ("null", "tested"), [(1.0, TESTED_AGAINST_1), (0.0, TESTED_AGAINST_0), (0.5, TESTED_AGAINST_HALF)]
)
def test_numbers_are_tested_against_what_no_preference_would_be(null, tested):
    declared = {
        name: {field.name for field in measure.fields if field.null == null}
        for name, measure in MEASURES.items()
    }

    assert {name: fields for name, fields in declared.items() if fields} == tested


def test_no_number_is_tested_against_anything_else():
    nulls = {field.null for measure in MEASURES.values() for field in measure.fields}

    assert nulls == {None, 0.0, 0.5, 1.0}


def test_every_tested_number_and_every_headline_of_judges_has_an_interval():
    for name, measure in MEASURES.items():
        fields = {field.name: field for field in measure.fields}
        assert all(field.interval for field in fields.values() if field.null is not None), name
    for name, number in (
        *(("delta", "delta"), ("ordering", "cost"), ("recognition-score", "recognition")),
        *(
            ("which-judge", each)
            for each in ("accuracy", "agreement", "excess", "excess_family", "flip_rate")
        ),
        ("which-judge", "missing"),
    ):
        [field] = [field for field in MEASURES[name].fields if field.name == number]
        assert field.interval, (name, number)


def test_the_defaults_of_numbers_and_switches():
    declared = {
        name: {
            option.name: option.default
            for option in measure.options
            if isinstance(option.default, int | float)
        }
        for name, measure in MEASURES.items()
    }
    pairs, contrast = {"epsilon": 0.25, "two_stage": False}, {"gap": 2.0, "contrast_pairs": 100}

    assert {name: defaults for name, defaults in declared.items() if defaults} == {
        **{key: {"epsilon": 0.25} for key in ("expected", "outside", "gold-stress", "annotators")},
        "equal-quality": pairs,
        "discriminability": contrast,
        **dict.fromkeys(("archetypes", "mitigation"), pairs | contrast),
        **{key: {"curves": False} for key in ("quality-baseline", "quality-baseline-summary")},
        "dbg": {"panels": False},
        "which-judge": {"enough": 0.8, "bound": 0.1},
        "people": {"epsilon": 0.15},
        "committee-size": {"most_committees": 5000},
    }


def test_an_option_that_is_one_of_several_names_has_one_of_them_or_none_as_its_default():
    for name, measure in MEASURES.items():
        names = [option.name for option in measure.options]
        assert len(set(names)) == len(names), name
        for option in measure.options:
            if option.choices:
                assert option.default in (None, *option.choices), (name, option.name)


def test_which_measures_read_the_study_themselves_and_how_they_can_be_grouped():
    itself = {name: measure.groups for name, measure in MEASURES.items() if not measure.sliced}
    columns = ("axis", "theme", "category", "language", "segment", "run", "variant", "transform")

    none = ("association", "judge-costs", "people", "reference-agreement", "robustness", "scorecard")
    assert itself == {
        **dict.fromkeys((*none, "together", "transforms", "which-judge"), ()),
        "annotators": ("annotator", "pair", "quality_difference"),
        **dict.fromkeys(("ordering", "permutation", "model-likeness"), ("rubric", *columns)),
        "position": ("score", "rubric", *columns, "ordering"),
        "order-effect": (
            "run",
            "transform",
            "theme",
            "category",
            "language",
            "segment",
            "quality_difference",
        ),
    }
    assert [name for name, measure in MEASURES.items() if not measure.resampled] == ["scorecard"]
    assert [name for name, measure in MEASURES.items() if not measure.draws] == ["expected"]


def test_rows_of_other_measures_are_not_among_those_present():
    parts = {"quality-baseline-summary", "ranking-flips", "transforms", "judge-costs"}

    assert set(MEASURES) - set(PRESENT) == parts


def test_what_is_few_and_what_is_sure():
    assert (rows.FEW, rows.SURE) == (30, 0.05)
    assert (compute.RESAMPLES, compute.FEWEST_RESAMPLES) == (1000, 10)
    assert (ratio_intervals.FEWEST_INSTANCES, votes.MOST_RESAMPLED, pair_sets.MOST_NULL_PAIRS) == (60, 60, 10)
    assert (*(3, 3, 3, 10),) == (
        association.FEWEST,
        outside_odds.FEWEST_JUDGES,
        corrected._FEWEST,
        recognition_score.FEWEST,
    )
    assert (deciding_source.FEWEST_THEMES, scorecard_caveats.MOST_THEMES) == (10, 50)
    assert (scorecard_caveats.MOST_REFITTED, scorecard_caveats.MOST_CELLS_REFITTED) == (20, 2_000_000)
    assert (committee_size.AT_ONCE, permutation._DIGITS) == (32, 10)


def test_how_much_of_a_number_must_be_left():
    assert (pytest.approx(2 / 3), pytest.approx(1 / 3)) == (group_row.MOST_LEFT, group_row.LEAST_LEFT)
    assert pytest.approx(2 / 3) == scorecard_inputs.FEWEST_LEFT
    assert (scorecard_inputs.FEWEST_LEFT_BALANCED, scorecard_inputs._CLEARLY) == (0.5, 4.0)
    assert group_row.MOST_FITTED == 10


def test_a_judge_is_advised_against_from_a_tenth_of_flips_and_two_missing_in_a_hundred():
    assert (which_judge.FLIPS, which_judge.MISSING) == (0.1, 0.02)


def test_agreement_is_cut_at_every_twentieth_from_a_half_to_one():
    expected = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0]

    assert list(agreement_curve.THRESHOLDS) == expected


def test_no_preference_is_1_in_ratios_and_odds_and_0_in_points_and_votes():
    assert {
        **{name: 0.0 for name in outside.OUTSIDE_VALUES if name.startswith(("bonus", "vote", "difference"))},
        **{name: 1.0 for name in outside.OUTSIDE_VALUES if name.startswith(("ratio", "odds"))},
    } == outside.OUTSIDE_VALUES
    for name, null in ratio_intervals.NULLS.items():
        [field] = [field for field in MEASURES["hspp"].fields if field.name == name]
        assert field.null == null


def test_a_gold_vote_is_a_win_for_the_target_from_0_to_1():
    assert own_pairs._GOLD == {"lost": 0.0, "tied": 0.5, "won": 1.0}


def test_best_of_n_tests_only_what_goes_beyond_others():
    untested = [field.name for field in best_of_n.BEST_OF_N.fields if field.interval and field.null is None]

    assert untested == ["own_picked", "picked_beside", "picked_outside", "lost_by_picks", "lost_to_own"]


def test_no_meaning_says_a_unit_that_tables_do_not_show():
    fields = (field for measure in MEASURES.values() for field in measure.fields)

    assert not [field.name for field in fields if field.meaning.startswith("of 1,")]
