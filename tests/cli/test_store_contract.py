"""`spb metrics MEASURE --format json` prints the fields that other programs rely on.

The lists are those of the section "JSON of `spb metrics ... --format json`" of the store's specification.
More fields may be added, none may go.
"""

import json

import pytest
from command_line import Spb
from plain.published import ROOT

STUDIES = ("demo-health", "demo-pairs", "demo-orders", "demo-verifiable")

FIELDS = {
    "hspp": "judge family o_self o_family o_other hspp_self hspp_family hspp_family_with_self n_self "
    "n_family n_other hspp_self_low hspp_self_high hspp_family_low hspp_family_high "
    "difference_self hspp_matched hspp_matched_low hspp_matched_high n_matched judges",
    "overestimation": "judge generator relation rate over n under_rate under under_n",
    "accuracy": "judge mra mra_correct mra_total mipa mipa_correct mipa_total",
    "delta": "judge generator delta raw_delta n bonus leniency rank_shift pair_order",
    "agreement-curve": "threshold level hspp_self_mean judges rubrics_kept",
    "committee": "judge level members hspp_self hspp_self_committee hspp_family hspp_family_committee mra "
    "mra_committee mipa mipa_committee n_effective",
    "equal-quality": "judge mean_quality pir null_pir spb n_pairs n_null_pairs z z_p binomial_p spb_low "
    "spb_high significant",
    "discriminability": "judge d correct n p",
    "archetypes": "judge d spb archetype",
    "mitigation": "judge variant spb reduction reduction_low reduction_high eta d cost_ratio",
    "quality-baseline": "judge opponent sp acc bias ilsp lsp n_examples n ilsp_matched ilsp_updated se "
    "t_stat p relative_change entropy_self entropy_proxy entropy_gap proxy_win_rate",
    "dbg": "judge opponent win_rate gold_win_rate dbg win_rate_decided gold_win_rate_decided "
    "dbg_decided dbg_soft flip_rate ties n",
    "position": "judge n_options position share n chi2 chi2_p",
    "ordering": "judge n_options ordering cost pearson spearman n recommended",
    "permutation": "judge n_options n_items n_scored pearson_permutation pearson_repeat pearson_delta "
    "spearman_permutation spearman_repeat spearman_delta sd_permutation sd_repeat",
    "reference-agreement": "a b kind n agreement kappa balanced_f1 win_rate_a win_rate_b spearman pearson "
    "mean_difference median_difference sd_difference within",
    "order-effect": "judge variant n_pairs first_share flip_rate flip_to_first firm_share tie_share "
    "probability_shift",
    "association": "x y pearson spearman n low high",
    "together": "judge measure value low high sign n needs",
    "ranking": "by model rank rank_low rank_high score",
    "annotators": "task kappa alpha n_items n_annotators consistency epsilon",
    "outside": "judge ratio_outside difference_outside ratio_outside_family own_judge own_outside "
    "other_judge other_outside n_own n_other n_outside odds_self odds_family odds_common "
    "odds_shrunken bonus_outside vote_outside placebo_rank placebo_of taste_spread p_placebo "
    "odds_self_p odds_self_p_tastes family effect_family low high p",
    "scorecard": "judge family conclusion reason decided_by estimate low high low_plain high_plain "
    "low_tastes high_tastes p p_tastes p_adjusted p_tastes_adjusted p_families families "
    "own_given own_expected own_expected_low own_expected_high excess excess_low excess_high "
    "excess_low_tastes excess_high_tastes family_conclusion family_estimate family_low "
    "family_high family_p family_given family_expected excess_family excess_family_low "
    "excess_family_high ratio_outside hspp_self hspp_matched odds_family agreeing disagreeing "
    "n_own n_other n_outside family_in_reference missing_own missing_other absent_own "
    "absent_other bound_low bound_high tie_share tipping tipping_share placebo_rank "
    "detectable cautions",
    "expected": "judge own_given own_expected own_expected_low own_expected_high excess excess_low "
    "excess_high n_own",
    "which-judge": "judge accuracy accuracy_low accuracy_high agreement agreement_low agreement_high excess "
    "excess_family flip_rate missing cost_per_1000 advice",
    "people": "judge kappa correlation balanced_f1 ceiling winning_rate advantage_probability n",
    "corrected": "model score score_low score_high rank rank_low rank_high uncorrected n_labelled "
    "n_unlabelled",
}
"""The fields that must be there by measure."""

AT_INSTANCE_LEVEL = "l2w_share_self l2w_share_other"

CODES = {
    "conclusion": "favours_itself overrates_itself no_material_preference not_shown too_few_cases "
    "underrates_itself disfavours_itself",
    "family_conclusion": "favours_family overrates_family no_material_preference not_shown too_few_cases "
    "underrates_family disfavours_family",
}
GROUP_CODES = {
    "conclusion": "judges_favour_themselves judges_overrate_themselves judges_underrate_themselves "
    "judges_disfavour_themselves not_shown too_few_families",
    "family_conclusion": "judges_favour_their_families judges_overrate_their_families "
    "judges_underrate_their_families judges_disfavour_their_families not_shown too_few_families",
}

STORE = ("--store", str(ROOT / "results"))
FEW = ("--resamples", "50")  # which the recorded outputs have too: computed once for both


@pytest.mark.parametrize("measure", FIELDS)
def test_every_field_is_there_and_null_has_a_reason(spb_here: Spb, measure):
    n_rows = 0
    for study in STUDIES:
        output = spb_here("metrics", measure, "--study", study, "--format", "json", *FEW, *STORE)

        assert output.returncode == 0, output.stderr
        (line,) = output.stdout.splitlines()
        document = json.loads(line)
        assert list(document) == ["measure", "study", "filters", "rows", "left_out", "reason"]
        assert (document["measure"], document["study"]) == (measure, study)
        assert all(type(count) is int for count in document["left_out"].values())
        assert (document["reason"] is None) == bool(document["rows"])
        for row in document["rows"]:
            assert set(FIELDS[measure].split()) <= set(row)
            assert {name for name, value in row.items() if value is None} == set(row["reasons"])
        n_rows += len(document["rows"])
    assert n_rows or measure in ("people", "annotators")  # no demonstration has labels by people


def test_comparisons_turned_into_wins_are_there_at_instance_level(spb_here: Spb):
    command = ("metrics", "hspp", "--study", "demo-health", "--level", "instance", "--resamples", "0")
    rows = json.loads(spb_here(*command, "--format", "json", *STORE).stdout)["rows"]

    assert set(AT_INSTANCE_LEVEL.split()) <= set(rows[0])
    assert rows[-1]["judge"] is None


def test_the_scorecard_begins_with_the_judges_together_and_has_no_other_codes(spb_here: Spb):
    for study in STUDIES:
        output = spb_here("metrics", "scorecard", "--study", study, "--format", "json", *STORE)
        first, *rows = json.loads(output.stdout)["rows"]

        assert first["judge"] is None
        for name, codes in GROUP_CODES.items():
            assert first[name] is None or first[name] in codes.split()
        for row in rows:
            assert isinstance(row["cautions"], list)
            for name, codes in CODES.items():
                assert row[name] is None or row[name] in codes.split()


def test_a_position_by_score_has_the_score_as_a_number(spb_here: Spb):
    command = ("metrics", "position", "--study", "demo-orders", "--by", "score", "--resamples", "0")
    rows = json.loads(spb_here(*command, "--format", "json", *STORE).stdout)["rows"]

    assert all(isinstance(row["slice"], int | float) for row in rows)


@pytest.mark.parametrize(
    ("words", "choices"),
    [
        (("metrics", "hspp", "--study", "demo-nowhere"), "demo-health"),
        (("metrics", "beauty", "--study", "demo-health"), "beauty"),
        (("metrics", "expected", "--study", "demo-health", "--judges", "nobody"), "aster-large"),
        (("metrics", "expected", "--study", "demo-health", "--by", "colour"), "polarity"),
        (("metrics", "outside", "--study", "demo-health", "--truth", "sometimes"), "failed"),
        (("metrics", "hspp", "--study", "demo-health", "--theme", "cooking"), "theme"),
    ],
)
def test_a_value_that_is_not_known_exits_2_and_names_the_choices(spb_here: Spb, words, choices):
    output = spb_here(*words, "--format", "json", *STORE)

    assert output.returncode == 2
    assert output.stdout == ""
    assert choices in output.stderr


def test_a_study_that_lacks_what_a_measure_needs_gives_no_rows_and_the_reason(spb_here: Spb):
    output = spb_here("metrics", "hspp", "--study", "demo-pairs", "--format", "json", *STORE)

    document = json.loads(output.stdout)
    assert output.returncode == 0
    assert document["rows"] == []
    assert document["reason"]
