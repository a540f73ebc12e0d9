# Made from the catalogue: python -m tests.tools.study_stub --write; edit it there.
"""The rows of each measure, by field."""

from typing import Any, TypedDict

class HsppRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    o_self: float | None
    o_self_low: float | None
    o_self_high: float | None
    o_family: float | None
    o_family_low: float | None
    o_family_high: float | None
    o_other: float | None
    o_other_low: float | None
    o_other_high: float | None
    hspp_self: float | None
    hspp_self_low: float | None
    hspp_self_high: float | None
    hspp_self_p: float | None
    hspp_self_p_adjusted: float | None
    hspp_family: float | None
    hspp_family_low: float | None
    hspp_family_high: float | None
    hspp_family_p: float | None
    hspp_family_p_adjusted: float | None
    hspp_family_with_self: float | None
    hspp_family_with_self_low: float | None
    hspp_family_with_self_high: float | None
    hspp_family_with_self_p: float | None
    hspp_family_with_self_p_adjusted: float | None
    hspp_matched: float | None
    hspp_matched_low: float | None
    hspp_matched_high: float | None
    hspp_matched_p: float | None
    hspp_matched_p_adjusted: float | None
    hspp_mantel_haenszel: float | None
    hspp_mantel_haenszel_low: float | None
    hspp_mantel_haenszel_high: float | None
    hspp_mantel_haenszel_p: float | None
    hspp_mantel_haenszel_p_adjusted: float | None
    difference_self: float | None
    difference_self_low: float | None
    difference_self_high: float | None
    difference_self_p: float | None
    difference_self_p_adjusted: float | None
    n_self: int
    n_family: int
    n_other: int
    n_matched: int
    l2w_share_self: float | None
    l2w_share_other: float | None
    small: bool
    judges: int
    reasons: dict[str, str]

class OverestimationRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    generator: str | None
    relation: str | None
    rate: float | None
    rate_low: float | None
    rate_high: float | None
    over: int
    n: int
    under_rate: float | None
    under_rate_low: float | None
    under_rate_high: float | None
    under: int
    under_n: int
    small: bool
    reasons: dict[str, str]

class AccuracyRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    mra: float | None
    mra_low: float | None
    mra_high: float | None
    mra_correct: int
    mra_total: int
    mipa: float | None
    mipa_low: float | None
    mipa_high: float | None
    mipa_correct: int
    mipa_total: int
    reasons: dict[str, str]

class DeltaRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    generator: str | None
    delta: float | None
    delta_low: float | None
    delta_high: float | None
    raw_delta: float | None
    raw_delta_low: float | None
    raw_delta_high: float | None
    n: int
    bonus: float | None
    bonus_low: float | None
    bonus_high: float | None
    bonus_p: float | None
    bonus_p_adjusted: float | None
    family_bonus: float | None
    family_bonus_low: float | None
    family_bonus_high: float | None
    family_bonus_p: float | None
    family_bonus_p_adjusted: float | None
    leniency: float | None
    leniency_low: float | None
    leniency_high: float | None
    rank_shift: float | None
    rank_shift_low: float | None
    rank_shift_high: float | None
    pair_order: float | None
    pair_order_low: float | None
    pair_order_high: float | None
    reasons: dict[str, str]

class AgreementCurveRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    threshold: float | None
    level: str | None
    hspp_self_mean: float | None
    hspp_self_mean_low: float | None
    hspp_self_mean_high: float | None
    judges: int
    rubrics_kept: float | None
    reasons: dict[str, str]

class CommitteeRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    level: str | None
    members: list[Any]
    hspp_self: float | None
    hspp_self_low: float | None
    hspp_self_high: float | None
    hspp_self_p: float | None
    hspp_self_p_adjusted: float | None
    hspp_self_committee: float | None
    hspp_self_committee_low: float | None
    hspp_self_committee_high: float | None
    hspp_self_committee_p: float | None
    hspp_self_committee_p_adjusted: float | None
    hspp_family: float | None
    hspp_family_low: float | None
    hspp_family_high: float | None
    hspp_family_p: float | None
    hspp_family_p_adjusted: float | None
    hspp_family_committee: float | None
    hspp_family_committee_low: float | None
    hspp_family_committee_high: float | None
    hspp_family_committee_p: float | None
    hspp_family_committee_p_adjusted: float | None
    mra: float | None
    mra_low: float | None
    mra_high: float | None
    mra_committee: float | None
    mra_committee_low: float | None
    mra_committee_high: float | None
    mipa: float | None
    mipa_low: float | None
    mipa_high: float | None
    mipa_committee: float | None
    mipa_committee_low: float | None
    mipa_committee_high: float | None
    ratio_outside: float | None
    ratio_outside_low: float | None
    ratio_outside_high: float | None
    ratio_outside_p: float | None
    ratio_outside_p_adjusted: float | None
    ratio_outside_committee: float | None
    ratio_outside_committee_low: float | None
    ratio_outside_committee_high: float | None
    ratio_outside_committee_p: float | None
    ratio_outside_committee_p_adjusted: float | None
    n_effective: float | None
    n_effective_without: float | None
    n_self: int
    n_self_committee: int
    small: bool
    reasons: dict[str, str]

class CommitteeSizeRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    size: int
    level: str | None
    members: list[Any]
    committees: int
    hspp_self: float | None
    hspp_self_low: float | None
    hspp_self_high: float | None
    hspp_self_least: float | None
    hspp_self_most: float | None
    hspp_family: float | None
    hspp_family_low: float | None
    hspp_family_high: float | None
    hspp_family_least: float | None
    hspp_family_most: float | None
    mra: float | None
    mra_low: float | None
    mra_high: float | None
    mra_least: float | None
    mra_most: float | None
    mipa: float | None
    mipa_low: float | None
    mipa_high: float | None
    mipa_least: float | None
    mipa_most: float | None
    divided: float | None
    n_self: int
    small: bool
    reasons: dict[str, str]

class CommitteeFamiliesRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    without: str | None
    level: str | None
    members: list[Any]
    hspp_self: float | None
    hspp_self_low: float | None
    hspp_self_high: float | None
    hspp_self_whole: float | None
    hspp_self_whole_low: float | None
    hspp_self_whole_high: float | None
    hspp_family: float | None
    hspp_family_low: float | None
    hspp_family_high: float | None
    hspp_family_whole: float | None
    hspp_family_whole_low: float | None
    hspp_family_whole_high: float | None
    hspp_self_outside: float | None
    hspp_self_outside_low: float | None
    hspp_self_outside_high: float | None
    hspp_self_outside_whole: float | None
    hspp_self_outside_whole_low: float | None
    hspp_self_outside_whole_high: float | None
    mra: float | None
    mra_low: float | None
    mra_high: float | None
    mra_whole: float | None
    mra_whole_low: float | None
    mra_whole_high: float | None
    mipa: float | None
    mipa_low: float | None
    mipa_high: float | None
    mipa_whole: float | None
    mipa_whole_low: float | None
    mipa_whole_high: float | None
    n_self: int
    n_self_outside: int
    small: bool
    reasons: dict[str, str]

class ScorecardRow(TypedDict, total=False):
    judge: str | None
    family: str | None
    conclusion: str | None
    reason: str | None
    decided_by: str | None
    truth: str | None
    estimate: float | None
    low: float | None
    high: float | None
    low_plain: float | None
    high_plain: float | None
    low_tastes: float | None
    high_tastes: float | None
    p: float | None
    p_tastes: float | None
    p_adjusted: float | None
    p_tastes_adjusted: float | None
    p_families: float | None
    assignments: float | None
    families: float | None
    own_given: float | None
    own_expected: float | None
    own_expected_low: float | None
    own_expected_high: float | None
    excess: float | None
    excess_low: float | None
    excess_high: float | None
    excess_low_plain: float | None
    excess_high_plain: float | None
    excess_low_tastes: float | None
    excess_high_tastes: float | None
    discerned: float | None
    ratio_outside: float | None
    ratio_outside_low: float | None
    ratio_outside_high: float | None
    ratio_outside_p: float | None
    ratio_outside_p_adjusted: float | None
    hspp_self: float | None
    hspp_matched: float | None
    family_conclusion: str | None
    family_reason: str | None
    odds_family: float | None
    odds_family_low: float | None
    odds_family_high: float | None
    odds_family_p: float | None
    odds_family_p_adjusted: float | None
    odds_family_p_tastes_adjusted: float | None
    family_given: float | None
    family_expected: float | None
    family_expected_low: float | None
    family_expected_high: float | None
    excess_family: float | None
    excess_family_low: float | None
    excess_family_high: float | None
    family_estimate: float | None
    family_low: float | None
    family_high: float | None
    family_p: float | None
    family_p_families: float | None
    families_with_relatives: float | None
    agreeing: int
    disagreeing: int
    n_own: int
    n_other: int
    n_outside: int
    n_family: int
    family_in_reference: float | None
    missing_own: float | None
    missing_other: float | None
    absent_own: float | None
    absent_other: float | None
    bound_low: float | None
    bound_high: float | None
    tie_share: float | None
    tipping: float | None
    tipping_share: float | None
    placebo_rank: float | None
    placebo_of: float | None
    detectable: float | None
    needed: float | None
    themes_for: float | None
    themes_against: float | None
    cautions: list[Any]
    reasons: dict[str, str]

class ExpectedRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    own_given: float | None
    own_expected: float | None
    own_expected_low: float | None
    own_expected_high: float | None
    excess: float | None
    excess_low: float | None
    excess_high: float | None
    excess_p: float | None
    excess_p_adjusted: float | None
    n_own: int
    reasons: dict[str, str]

class CorrectedRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    model: str | None
    score: float | None
    score_low: float | None
    score_high: float | None
    rank: float | None
    rank_low: float | None
    rank_high: float | None
    uncorrected: float | None
    n_labelled: int
    n_unlabelled: int
    labels_to_halve: float | None
    reasons: dict[str, str]

class OutsideRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    ratio_outside: float | None
    ratio_outside_low: float | None
    ratio_outside_high: float | None
    ratio_outside_p: float | None
    ratio_outside_p_adjusted: float | None
    difference_outside: float | None
    difference_outside_low: float | None
    difference_outside_high: float | None
    difference_outside_p: float | None
    difference_outside_p_adjusted: float | None
    ratio_outside_family: float | None
    ratio_outside_family_low: float | None
    ratio_outside_family_high: float | None
    ratio_outside_family_p: float | None
    ratio_outside_family_p_adjusted: float | None
    own_judge: float | None
    own_outside: float | None
    other_judge: float | None
    other_outside: float | None
    n_own: int
    n_other: int
    n_outside: int
    odds_self: float | None
    odds_self_low: float | None
    odds_self_high: float | None
    odds_self_p: float | None
    odds_self_p_adjusted: float | None
    odds_self_p_tastes: float | None
    odds_self_p_tastes_adjusted: float | None
    odds_family: float | None
    odds_family_low: float | None
    odds_family_high: float | None
    odds_family_p: float | None
    odds_family_p_adjusted: float | None
    odds_family_p_tastes: float | None
    odds_family_p_tastes_adjusted: float | None
    odds_common: float | None
    odds_common_low: float | None
    odds_common_high: float | None
    odds_common_p: float | None
    odds_common_p_adjusted: float | None
    odds_shrunken: float | None
    bonus_outside: float | None
    bonus_outside_low: float | None
    bonus_outside_high: float | None
    bonus_outside_p: float | None
    bonus_outside_p_adjusted: float | None
    bonus_outside_p_tastes: float | None
    bonus_outside_p_tastes_adjusted: float | None
    vote_outside: float | None
    vote_outside_low: float | None
    vote_outside_high: float | None
    vote_outside_p: float | None
    vote_outside_p_adjusted: float | None
    vote_outside_p_tastes: float | None
    vote_outside_p_tastes_adjusted: float | None
    bonus_outside_family: float | None
    bonus_outside_family_low: float | None
    bonus_outside_family_high: float | None
    bonus_outside_family_p: float | None
    bonus_outside_family_p_adjusted: float | None
    vote_outside_family: float | None
    vote_outside_family_low: float | None
    vote_outside_family_high: float | None
    vote_outside_family_p: float | None
    vote_outside_family_p_adjusted: float | None
    n_family: int
    effect_family: float | None
    placebo_rank: int
    placebo_of: int
    taste_spread: float | None
    tastes_assumed: bool
    p_placebo: float | None
    reasons: dict[str, str]

class EqualQualityRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    mean_quality: float | None
    mean_quality_low: float | None
    mean_quality_high: float | None
    pir: float | None
    pir_low: float | None
    pir_high: float | None
    null_pir: float | None
    null_pir_low: float | None
    null_pir_high: float | None
    spb: float | None
    spb_low: float | None
    spb_high: float | None
    spb_p: float | None
    spb_p_adjusted: float | None
    n_pairs: int
    n_null_pairs: int
    firm_self: int
    firm_null: int
    z: float | None
    z_p: float | None
    z_p_adjusted: float | None
    binomial_p: float | None
    binomial_p_adjusted: float | None
    significant: bool
    pir_family: float | None
    pir_family_low: float | None
    pir_family_high: float | None
    spb_family: float | None
    spb_family_low: float | None
    spb_family_high: float | None
    spb_family_p: float | None
    spb_family_p_adjusted: float | None
    n_family_pairs: int
    small: bool
    judges_significant: int
    mean_spb_significant: float | None
    quality_judges: list[Any]
    quality_judges_kin: list[Any]
    epsilons: list[Any]
    spb_by_epsilon: list[Any]
    spb_by_epsilon_low: list[Any]
    spb_by_epsilon_high: list[Any]
    n_pairs_by_epsilon: list[Any]
    reasons: dict[str, str]

class DiscriminabilityRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    d: float | None
    d_low: float | None
    d_high: float | None
    correct: int
    n: int
    small: bool
    reasons: dict[str, str]

class ArchetypesRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    d: float | None
    d_low: float | None
    d_high: float | None
    spb: float | None
    spb_low: float | None
    spb_high: float | None
    spb_p: float | None
    spb_p_adjusted: float | None
    archetype: str | None
    crosses: list[Any]
    possible: list[Any]
    mean_quality: float | None
    mean_quality_low: float | None
    mean_quality_high: float | None
    n_contrast: int
    n_pairs: int
    reasons: dict[str, str]

class MitigationRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    variant: str | None
    baseline: str | None
    spb_baseline: float | None
    spb_baseline_low: float | None
    spb_baseline_high: float | None
    spb: float | None
    spb_low: float | None
    spb_high: float | None
    reduction: float | None
    reduction_low: float | None
    reduction_high: float | None
    reduction_p: float | None
    reduction_p_adjusted: float | None
    eta: float | None
    eta_low: float | None
    eta_high: float | None
    n_pairs: int
    n_null_pairs: int
    firm_gained: int
    firm_lost: int
    mcnemar_p: float | None
    mcnemar_p_adjusted: float | None
    d: float | None
    d_low: float | None
    d_high: float | None
    d_baseline: float | None
    d_baseline_low: float | None
    d_baseline_high: float | None
    d_change: float | None
    d_change_low: float | None
    d_change_high: float | None
    d_change_p: float | None
    d_change_p_adjusted: float | None
    n_contrast: int
    cost_ratio: float | None
    reasons: dict[str, str]

class QualityBaselineRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    opponent: str | None
    sp: float | None
    sp_low: float | None
    sp_high: float | None
    acc: float | None
    acc_low: float | None
    acc_high: float | None
    bias: float | None
    bias_low: float | None
    bias_high: float | None
    ilsp: float | None
    ilsp_low: float | None
    ilsp_high: float | None
    lsp: float | None
    lsp_low: float | None
    lsp_high: float | None
    n_examples: int
    n: int
    ilsp_matched: float | None
    ilsp_matched_low: float | None
    ilsp_matched_high: float | None
    ilsp_proxies: float | None
    ilsp_proxies_low: float | None
    ilsp_proxies_high: float | None
    ilsp_updated: float | None
    ilsp_updated_low: float | None
    ilsp_updated_high: float | None
    ilsp_updated_p: float | None
    ilsp_updated_p_adjusted: float | None
    se: float | None
    t_stat: float | None
    p_two_sided: float | None
    relative_change: float | None
    relative_change_low: float | None
    relative_change_high: float | None
    entropy_self: float | None
    entropy_self_low: float | None
    entropy_self_high: float | None
    entropy_proxy: float | None
    entropy_proxy_low: float | None
    entropy_proxy_high: float | None
    entropy_gap: float | None
    entropy_gap_low: float | None
    entropy_gap_high: float | None
    entropy_correlation: float | None
    proxy_win_rate: float | None
    n_proxies: int
    all_minus_out_of_family: float | None
    all_minus_out_of_family_low: float | None
    all_minus_out_of_family_high: float | None
    all_minus_out_of_family_p: float | None
    all_minus_out_of_family_p_adjusted: float | None
    coverage: list[Any]
    t_by_proxies: list[Any]
    t_by_proxies_se: list[Any]
    small: bool
    reasons: dict[str, str]

class QualityBaselineSummaryRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    scope: str | None
    n_rows: int
    mean_relative_change: float | None
    mean_relative_change_low: float | None
    mean_relative_change_high: float | None
    share_not_positive: float | None
    share_significant: float | None
    share_significant_adjusted: float | None
    rank_correlation: float | None
    fairness_correlation: float | None
    reasons: dict[str, str]

class DbgRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    opponent: str | None
    win_rate: float | None
    win_rate_low: float | None
    win_rate_high: float | None
    gold_win_rate: float | None
    gold_win_rate_low: float | None
    gold_win_rate_high: float | None
    dbg: float | None
    dbg_low: float | None
    dbg_high: float | None
    dbg_p: float | None
    dbg_p_adjusted: float | None
    win_rate_decided: float | None
    win_rate_decided_low: float | None
    win_rate_decided_high: float | None
    gold_win_rate_decided: float | None
    gold_win_rate_decided_low: float | None
    gold_win_rate_decided_high: float | None
    dbg_decided: float | None
    dbg_decided_low: float | None
    dbg_decided_high: float | None
    dbg_decided_p: float | None
    dbg_decided_p_adjusted: float | None
    dbg_soft: float | None
    dbg_soft_low: float | None
    dbg_soft_high: float | None
    flip_rate: float | None
    flip_rate_low: float | None
    flip_rate_high: float | None
    ties: int
    n: int
    n_decided: int
    n_soft: int
    win_share: float | None
    win_share_low: float | None
    win_share_high: float | None
    tie_share: float | None
    tie_share_low: float | None
    tie_share_high: float | None
    lose_share: float | None
    lose_share_low: float | None
    lose_share_high: float | None
    gold_judges: int
    dbg_least: float | None
    dbg_greatest: float | None
    panels: list[Any]
    dbg_by_panel: list[Any]
    size_b: float | None
    stage: str | None
    small: bool
    reasons: dict[str, str]

class VotesRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    generator: str | None
    win_rate: float | None
    win_rate_low: float | None
    win_rate_high: float | None
    strength: float | None
    strength_low: float | None
    strength_high: float | None
    rank: float | None
    rank_low: float | None
    rank_high: float | None
    n: int
    small: bool
    reasons: dict[str, str]

class PositionRow(TypedDict, total=False):
    slice: str | int | None
    judge: str | None
    n_options: int
    scale: str | None
    position: int
    share: float | None
    share_low: float | None
    share_high: float | None
    n: int
    chi2: float | None
    chi2_p: float | None
    chi2_shuffle_p: float | None
    small: bool
    reasons: dict[str, str]

class OrderingRow(TypedDict, total=False):
    slice: str | int | None
    judge: str | None
    n_options: int
    scale: str | None
    ordering: str | None
    cost: float | None
    cost_low: float | None
    cost_high: float | None
    recommended: bool
    pearson: float | None
    pearson_low: float | None
    pearson_high: float | None
    spearman: float | None
    spearman_low: float | None
    spearman_high: float | None
    n: int
    rank: float | None
    n_judged: int
    small: bool
    reasons: dict[str, str]

class PermutationRow(TypedDict, total=False):
    slice: str | int | None
    judge: str | None
    n_options: int
    scale: str | None
    n_items: int
    n_scored: int
    pearson_permutation: float | None
    pearson_permutation_low: float | None
    pearson_permutation_high: float | None
    pearson_repeat: float | None
    pearson_repeat_low: float | None
    pearson_repeat_high: float | None
    pearson_delta: float | None
    pearson_delta_low: float | None
    pearson_delta_high: float | None
    pearson_delta_p: float | None
    pearson_delta_p_adjusted: float | None
    spearman_permutation: float | None
    spearman_permutation_low: float | None
    spearman_permutation_high: float | None
    spearman_repeat: float | None
    spearman_repeat_low: float | None
    spearman_repeat_high: float | None
    spearman_delta: float | None
    spearman_delta_low: float | None
    spearman_delta_high: float | None
    spearman_delta_p: float | None
    spearman_delta_p_adjusted: float | None
    sd_permutation: float | None
    sd_permutation_low: float | None
    sd_permutation_high: float | None
    sd_repeat: float | None
    sd_repeat_low: float | None
    sd_repeat_high: float | None
    pearson_corrected: float | None
    pearson_corrected_low: float | None
    pearson_corrected_high: float | None
    pearson_delta_corrected: float | None
    pearson_delta_corrected_low: float | None
    pearson_delta_corrected_high: float | None
    pearson_delta_corrected_p: float | None
    pearson_delta_corrected_p_adjusted: float | None
    spearman_corrected: float | None
    spearman_corrected_low: float | None
    spearman_corrected_high: float | None
    spearman_delta_corrected: float | None
    spearman_delta_corrected_low: float | None
    spearman_delta_corrected_high: float | None
    spearman_delta_corrected_p: float | None
    spearman_delta_corrected_p_adjusted: float | None
    small: bool
    reasons: dict[str, str]

class ModelLikenessRow(TypedDict, total=False):
    slice: str | int | None
    judge: str | None
    n_options: int
    scale: str | None
    known_as: str | None
    against: str | None
    log_ratio: float | None
    log_ratio_low: float | None
    log_ratio_high: float | None
    log_ratio_p: float | None
    log_ratio_p_adjusted: float | None
    log_ratio_se: float | None
    per_100: float | None
    per_100_low: float | None
    per_100_high: float | None
    nearest: str | None
    n: int
    n_questions: int
    n_models: int
    n_people: int
    small: bool
    reasons: dict[str, str]

class OrderEffectRow(TypedDict, total=False):
    slice: str | int | None
    judge: str | None
    variant: str | None
    n_pairs: int
    first_share: float | None
    first_share_low: float | None
    first_share_high: float | None
    flip_rate: float | None
    flip_rate_low: float | None
    flip_rate_high: float | None
    flip_to_first: float | None
    flip_to_first_low: float | None
    flip_to_first_high: float | None
    firm_share: float | None
    firm_share_low: float | None
    firm_share_high: float | None
    tie_share: float | None
    tie_share_low: float | None
    tie_share_high: float | None
    probability_shift: float | None
    probability_shift_low: float | None
    probability_shift_high: float | None
    ordering: str | None
    position: float | None
    verdict_rate: float | None
    verdict_rate_low: float | None
    verdict_rate_high: float | None
    overestimation: float | None
    overestimation_low: float | None
    overestimation_high: float | None
    hspp_self: float | None
    hspp_self_low: float | None
    hspp_self_high: float | None
    n_verdicts: int
    small: bool
    reasons: dict[str, str]

class ListRanksRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    pick_gap: float | None
    pick_gap_low: float | None
    pick_gap_high: float | None
    pick_gap_p: float | None
    pick_gap_p_adjusted: float | None
    pick_own: float | None
    pick_own_low: float | None
    pick_own_high: float | None
    pick_outside: float | None
    pick_outside_low: float | None
    pick_outside_high: float | None
    rank_gap: float | None
    rank_gap_low: float | None
    rank_gap_high: float | None
    rank_gap_p: float | None
    rank_gap_p_adjusted: float | None
    rank_own: float | None
    rank_own_low: float | None
    rank_own_high: float | None
    rank_outside: float | None
    rank_outside_low: float | None
    rank_outside_high: float | None
    n: int
    n_outside: int
    mean_length: float | None
    first_picked: float | None
    first_picked_low: float | None
    first_picked_high: float | None
    first_expected: float | None
    n_orders: int
    small: bool
    reasons: dict[str, str]

class RobustnessRow(TypedDict, total=False):
    judge: str | None
    paradigm: str | None
    transform: str | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    difference_p: float | None
    difference_p_adjusted: float | None
    robustness_own: float | None
    robustness_own_low: float | None
    robustness_own_high: float | None
    robustness_other: float | None
    robustness_other_low: float | None
    robustness_other_high: float | None
    lift_difference: float | None
    lift_difference_low: float | None
    lift_difference_high: float | None
    lift_difference_p: float | None
    lift_difference_p_adjusted: float | None
    lift_own: float | None
    lift_own_low: float | None
    lift_own_high: float | None
    lift_own_p: float | None
    lift_own_p_adjusted: float | None
    lift_other: float | None
    n_own: int
    n_other: int
    small: bool
    reasons: dict[str, str]

class RecognitionScoreRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    recognition: float | None
    recognition_low: float | None
    recognition_high: float | None
    recognition_p: float | None
    recognition_p_adjusted: float | None
    share_right: float | None
    share_right_low: float | None
    share_right_high: float | None
    contradicted: float | None
    contradicted_low: float | None
    contradicted_high: float | None
    n: int
    n_soft: int
    preference_rho: float | None
    preference_rho_low: float | None
    preference_rho_high: float | None
    n_preference: int
    small: bool
    reasons: dict[str, str]

class FamiliarityScoreRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    familiarity_gap: float | None
    familiarity_gap_low: float | None
    familiarity_gap_high: float | None
    familiarity_gap_p: float | None
    familiarity_gap_p_adjusted: float | None
    familiarity_own: float | None
    familiarity_own_low: float | None
    familiarity_own_high: float | None
    familiarity_other: float | None
    familiarity_other_low: float | None
    familiarity_other_high: float | None
    own_effect: float | None
    own_effect_low: float | None
    own_effect_high: float | None
    own_effect_p: float | None
    own_effect_p_adjusted: float | None
    own_effect_held: float | None
    own_effect_held_low: float | None
    own_effect_held_high: float | None
    own_effect_held_p: float | None
    own_effect_held_p_adjusted: float | None
    explained: float | None
    explained_low: float | None
    explained_high: float | None
    explained_p: float | None
    explained_p_adjusted: float | None
    familiarity_effect: float | None
    familiarity_effect_low: float | None
    familiarity_effect_high: float | None
    familiarity_effect_p: float | None
    familiarity_effect_p_adjusted: float | None
    preference_rho: float | None
    preference_rho_low: float | None
    preference_rho_high: float | None
    n_own: int
    n_other: int
    n_cases: int
    small: bool
    reasons: dict[str, str]

class ReferenceAgreementRow(TypedDict, total=False):
    a: str | None
    b: str | None
    kind: str | None
    n: int
    agreement: float | None
    agreement_low: float | None
    agreement_high: float | None
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    balanced_f1: float | None
    balanced_f1_low: float | None
    balanced_f1_high: float | None
    win_rate_a: float | None
    win_rate_b: float | None
    spearman: float | None
    spearman_low: float | None
    spearman_high: float | None
    pearson: float | None
    pearson_low: float | None
    pearson_high: float | None
    mean_difference: float | None
    median_difference: float | None
    sd_difference: float | None
    within: list[Any]
    reasons: dict[str, str]

class PeopleRow(TypedDict, total=False):
    judge: str | None
    family: str | None
    kind: str | None
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    correlation: float | None
    correlation_low: float | None
    correlation_high: float | None
    balanced_f1: float | None
    balanced_f1_low: float | None
    balanced_f1_high: float | None
    ceiling: float | None
    ceiling_low: float | None
    ceiling_high: float | None
    winning_rate: float | None
    winning_rate_low: float | None
    winning_rate_high: float | None
    advantage_probability: float | None
    advantage_probability_low: float | None
    advantage_probability_high: float | None
    may_stand_in: bool
    n_people: int
    n: int
    small: bool
    reasons: dict[str, str]

class RankingRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    by: str | None
    model: str | None
    rank: float | None
    rank_low: float | None
    rank_high: float | None
    score: float | None
    score_low: float | None
    score_high: float | None
    n: int
    reasons: dict[str, str]

class RankingDistanceRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    by: str | None
    tau: float | None
    tau_low: float | None
    tau_high: float | None
    shift: float | None
    shift_low: float | None
    shift_high: float | None
    flips: float | None
    flips_low: float | None
    flips_high: float | None
    n_models: int
    gain: float | None
    gain_low: float | None
    gain_high: float | None
    nearest: bool
    reasons: dict[str, str]

class RankingFlipsRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    by: str | None
    above: str | None
    below: str | None
    lead: float | None
    lead_low: float | None
    lead_high: float | None
    lead_reference: float | None
    lead_reference_low: float | None
    lead_reference_high: float | None
    sure: float | None
    p_flip: float | None
    p_flip_adjusted: float | None
    itself: bool
    reasons: dict[str, str]

class AssociationRow(TypedDict, total=False):
    x: str | None
    y: str | None
    pearson: float | None
    spearman: float | None
    spearman_low: float | None
    spearman_high: float | None
    n: int
    low: float | None
    high: float | None
    least_without_a_family: float | None
    greatest_without_a_family: float | None
    reasons: dict[str, str]

class TogetherRow(TypedDict, total=False):
    judge: str | None
    measure: str | None
    value: float | None
    low: float | None
    high: float | None
    sign: float | None
    n: int
    needs: str | None
    null: float | None
    clear: bool
    rank: float | None
    agree: float | None
    field: str | None
    sentence: str | None
    reasons: dict[str, str]

class TransformsRow(TypedDict, total=False):
    measure: str | None
    judge: str | None
    transform: str | None
    without: float | None
    without_low: float | None
    without_high: float | None
    under: float | None
    under_low: float | None
    under_high: float | None
    effect: float | None
    effect_low: float | None
    effect_high: float | None
    effect_p: float | None
    effect_p_adjusted: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    n: int
    n_instances: int
    small: bool
    field: str | None
    reasons: dict[str, str]

class JudgeCostsRow(TypedDict, total=False):
    judge: str | None
    paradigm: str | None
    variant: str | None
    calls: int
    judgments: int
    verdicts: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    costed: int
    reasons: dict[str, str]

class AnnotatorsRow(TypedDict, total=False):
    slice: str | int | None
    task: str | None
    kind: str | None
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    pairwise_kappa: float | None
    pairwise_kappa_low: float | None
    pairwise_kappa_high: float | None
    alpha: float | None
    alpha_low: float | None
    alpha_high: float | None
    level: str | None
    n_items: int
    n_annotators: int
    n_labels: int
    self_agreement: float | None
    n_repeats: int
    n_equal: int
    consistency: float | None
    consistency_low: float | None
    consistency_high: float | None
    epsilon: float | None
    n_compared: int
    both_equal: int
    automatic_only: int
    people_only: int
    both_unequal: int
    small: bool
    reasons: dict[str, str]

class WhichJudgeRow(TypedDict, total=False):
    judge: str | None
    family: str | None
    accuracy: float | None
    accuracy_low: float | None
    accuracy_high: float | None
    accuracy_of: str | None
    agreement: float | None
    agreement_low: float | None
    agreement_high: float | None
    agreement_of: str | None
    excess: float | None
    excess_low: float | None
    excess_high: float | None
    excess_family: float | None
    excess_family_low: float | None
    excess_family_high: float | None
    conclusion: str | None
    flip_rate: float | None
    flip_rate_low: float | None
    flip_rate_high: float | None
    missing: float | None
    missing_low: float | None
    missing_high: float | None
    cost_per_1000: float | None
    advice: str | None
    reasons: dict[str, str]

class BestOfNRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    own_picked: float | None
    own_picked_low: float | None
    own_picked_high: float | None
    picked_beside: float | None
    picked_beside_low: float | None
    picked_beside_high: float | None
    picked_outside: float | None
    picked_outside_low: float | None
    picked_outside_high: float | None
    pick_excess: float | None
    pick_excess_low: float | None
    pick_excess_high: float | None
    pick_excess_p: float | None
    pick_excess_p_adjusted: float | None
    lost_by_picks: float | None
    lost_by_picks_low: float | None
    lost_by_picks_high: float | None
    lost_to_own: float | None
    lost_to_own_low: float | None
    lost_to_own_high: float | None
    lost_beyond: float | None
    lost_beyond_low: float | None
    lost_beyond_high: float | None
    lost_beyond_p: float | None
    lost_beyond_p_adjusted: float | None
    n: int
    n_beside: int
    choices: int
    answers: float | None
    small: bool
    reasons: dict[str, str]

class GoldStressRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    number: str | None
    value: float | None
    value_low: float | None
    value_high: float | None
    least: float | None
    greatest: float | None
    same_side: float | None
    matters_most: str | None
    mean_change: float | None
    hspp_self: float | None
    hspp_least: float | None
    hspp_greatest: float | None
    n: int
    gold_judges: list[Any]
    changes: list[Any]
    panels: list[Any]
    value_by_panel: list[Any]
    families_without: list[Any]
    value_without: list[Any]
    small: bool
    reasons: dict[str, str]

class RelatednessRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    other_judge: str | None
    same_family: bool
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    relatedness: float | None
    relatedness_low: float | None
    relatedness_high: float | None
    n: int
    growth: float | None
    growth_low: float | None
    growth_high: float | None
    growth_p: float | None
    growth_n: float | None
    growth_across: float | None
    growth_across_low: float | None
    growth_across_high: float | None
    growth_across_p: float | None
    growth_across_n: float | None
    small: bool
    reasons: dict[str, str]

class VoteRankingRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    by: str | None
    model: str | None
    rank: float | None
    rank_low: float | None
    rank_high: float | None
    strength: float | None
    strength_low: float | None
    strength_high: float | None
    n: int
    reasons: dict[str, str]

class LengthRow(TypedDict, total=False):
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    slice: str | int | None
    judge: str | None
    family: str | None
    longer: float | None
    longer_low: float | None
    longer_high: float | None
    longer_of_others: float | None
    longer_of_others_low: float | None
    longer_of_others_high: float | None
    n: int
    n_others: int
    small: bool
    reasons: dict[str, str]

class FindRow(TypedDict, total=False):
    judge: str | None
    where: str | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    p: float | None
    p_adjusted: float | None
    hspp_self: float | None
    hspp_rest: float | None
    hspp_matched: float | None
    n_self: int
    n_rest: int
    n_matched: int
    instances: int
    small: bool
    filters: list[Any]
    by: str | None
    reasons: dict[str, str]
