# Made from the catalogue: python -m tests.tools.study_stub --write; edit it there.
"""The rows of each measure, by field."""

from typing import Any, TypedDict

MaybeNone = Any
"""In place of None where a value may be undefined: readers are held to the fields' names alone."""

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
    other_given: float | None
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
    shared_taste_left: float | None
    shared_taste_p: float | None
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
    family_shared_taste_left: float | None
    family_shared_taste_p: float | None
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
    n_matched: int
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

class OutsideRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    ratio_outside: float | MaybeNone
    ratio_outside_low: float | MaybeNone
    ratio_outside_high: float | MaybeNone
    ratio_outside_p: float | MaybeNone
    ratio_outside_p_adjusted: float | MaybeNone
    difference_outside: float | MaybeNone
    difference_outside_low: float | MaybeNone
    difference_outside_high: float | MaybeNone
    difference_outside_p: float | MaybeNone
    difference_outside_p_adjusted: float | MaybeNone
    ratio_outside_family: float | MaybeNone
    ratio_outside_family_low: float | MaybeNone
    ratio_outside_family_high: float | MaybeNone
    ratio_outside_family_p: float | MaybeNone
    ratio_outside_family_p_adjusted: float | MaybeNone
    own_judge: float | MaybeNone
    own_outside: float | MaybeNone
    other_judge: float | MaybeNone
    other_outside: float | MaybeNone
    n_own: int
    n_other: int
    n_outside: int
    odds_self: float | MaybeNone
    odds_self_low: float | MaybeNone
    odds_self_high: float | MaybeNone
    odds_self_p: float | MaybeNone
    odds_self_p_adjusted: float | MaybeNone
    odds_self_p_tastes: float | MaybeNone
    odds_self_p_tastes_adjusted: float | MaybeNone
    odds_family: float | MaybeNone
    odds_family_low: float | MaybeNone
    odds_family_high: float | MaybeNone
    odds_family_p: float | MaybeNone
    odds_family_p_adjusted: float | MaybeNone
    odds_family_p_tastes: float | MaybeNone
    odds_family_p_tastes_adjusted: float | MaybeNone
    odds_common: float | MaybeNone
    odds_common_low: float | MaybeNone
    odds_common_high: float | MaybeNone
    odds_common_p: float | MaybeNone
    odds_common_p_adjusted: float | MaybeNone
    odds_shrunken: float | MaybeNone
    bonus_outside: float | MaybeNone
    bonus_outside_low: float | MaybeNone
    bonus_outside_high: float | MaybeNone
    bonus_outside_p: float | MaybeNone
    bonus_outside_p_adjusted: float | MaybeNone
    bonus_outside_p_tastes: float | MaybeNone
    bonus_outside_p_tastes_adjusted: float | MaybeNone
    vote_outside: float | MaybeNone
    vote_outside_low: float | MaybeNone
    vote_outside_high: float | MaybeNone
    vote_outside_p: float | MaybeNone
    vote_outside_p_adjusted: float | MaybeNone
    vote_outside_p_tastes: float | MaybeNone
    vote_outside_p_tastes_adjusted: float | MaybeNone
    bonus_outside_family: float | MaybeNone
    bonus_outside_family_low: float | MaybeNone
    bonus_outside_family_high: float | MaybeNone
    bonus_outside_family_p: float | MaybeNone
    bonus_outside_family_p_adjusted: float | MaybeNone
    vote_outside_family: float | MaybeNone
    vote_outside_family_low: float | MaybeNone
    vote_outside_family_high: float | MaybeNone
    vote_outside_family_p: float | MaybeNone
    vote_outside_family_p_adjusted: float | MaybeNone
    n_family: int
    effect_family: float | MaybeNone
    placebo_rank: int
    placebo_of: int
    taste_spread: float | MaybeNone
    tastes_assumed: bool
    p_placebo: float | MaybeNone
    reasons: dict[str, str]

class TogetherRow(TypedDict, total=False):
    judge: str | MaybeNone
    measure: str | MaybeNone
    value: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    sign: float | MaybeNone
    n: int
    needs: str | MaybeNone
    null: float | MaybeNone
    clear: bool
    rank: float | MaybeNone
    agree: float | MaybeNone
    field: str | MaybeNone
    sentence: str | MaybeNone
    reasons: dict[str, str]

class HsppRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    o_self: float | MaybeNone
    o_self_low: float | MaybeNone
    o_self_high: float | MaybeNone
    o_family: float | MaybeNone
    o_family_low: float | MaybeNone
    o_family_high: float | MaybeNone
    o_other: float | MaybeNone
    o_other_low: float | MaybeNone
    o_other_high: float | MaybeNone
    hspp_self: float | MaybeNone
    hspp_self_low: float | MaybeNone
    hspp_self_high: float | MaybeNone
    hspp_self_p: float | MaybeNone
    hspp_self_p_adjusted: float | MaybeNone
    hspp_family: float | MaybeNone
    hspp_family_low: float | MaybeNone
    hspp_family_high: float | MaybeNone
    hspp_family_p: float | MaybeNone
    hspp_family_p_adjusted: float | MaybeNone
    hspp_family_with_self: float | MaybeNone
    hspp_family_with_self_low: float | MaybeNone
    hspp_family_with_self_high: float | MaybeNone
    hspp_family_with_self_p: float | MaybeNone
    hspp_family_with_self_p_adjusted: float | MaybeNone
    hspp_matched: float | MaybeNone
    hspp_matched_low: float | MaybeNone
    hspp_matched_high: float | MaybeNone
    hspp_matched_p: float | MaybeNone
    hspp_matched_p_adjusted: float | MaybeNone
    hspp_mantel_haenszel: float | MaybeNone
    hspp_mantel_haenszel_low: float | MaybeNone
    hspp_mantel_haenszel_high: float | MaybeNone
    hspp_mantel_haenszel_p: float | MaybeNone
    hspp_mantel_haenszel_p_adjusted: float | MaybeNone
    difference_self: float | MaybeNone
    difference_self_low: float | MaybeNone
    difference_self_high: float | MaybeNone
    difference_self_p: float | MaybeNone
    difference_self_p_adjusted: float | MaybeNone
    n_self: int
    n_family: int
    n_other: int
    n_matched: int
    l2w_share_self: float | MaybeNone
    l2w_share_other: float | MaybeNone
    small: bool
    judges: int
    reasons: dict[str, str]

class OverestimationRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    generator: str | MaybeNone
    relation: str | MaybeNone
    rate: float | MaybeNone
    rate_low: float | MaybeNone
    rate_high: float | MaybeNone
    over: int
    n: int
    under_rate: float | MaybeNone
    under_rate_low: float | MaybeNone
    under_rate_high: float | MaybeNone
    under: int
    under_n: int
    small: bool
    reasons: dict[str, str]

class DeltaRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    generator: str | MaybeNone
    delta: float | MaybeNone
    delta_low: float | MaybeNone
    delta_high: float | MaybeNone
    raw_delta: float | MaybeNone
    raw_delta_low: float | MaybeNone
    raw_delta_high: float | MaybeNone
    n: int
    bonus: float | MaybeNone
    bonus_low: float | MaybeNone
    bonus_high: float | MaybeNone
    bonus_p: float | MaybeNone
    bonus_p_adjusted: float | MaybeNone
    family_bonus: float | MaybeNone
    family_bonus_low: float | MaybeNone
    family_bonus_high: float | MaybeNone
    family_bonus_p: float | MaybeNone
    family_bonus_p_adjusted: float | MaybeNone
    leniency: float | MaybeNone
    leniency_low: float | MaybeNone
    leniency_high: float | MaybeNone
    leniency_outside: float | MaybeNone
    leniency_outside_low: float | MaybeNone
    leniency_outside_high: float | MaybeNone
    rank_shift: float | MaybeNone
    rank_shift_low: float | MaybeNone
    rank_shift_high: float | MaybeNone
    pair_order: float | MaybeNone
    pair_order_low: float | MaybeNone
    pair_order_high: float | MaybeNone
    n_ranked: int
    reasons: dict[str, str]

class AgreementCurveRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    threshold: float | MaybeNone
    level: str | MaybeNone
    hspp_self_mean: float | MaybeNone
    hspp_self_mean_low: float | MaybeNone
    hspp_self_mean_high: float | MaybeNone
    judges: int
    rubrics_kept: float | MaybeNone
    reasons: dict[str, str]

class EqualQualityRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    mean_quality: float | MaybeNone
    mean_quality_low: float | MaybeNone
    mean_quality_high: float | MaybeNone
    pir: float | MaybeNone
    pir_low: float | MaybeNone
    pir_high: float | MaybeNone
    null_pir: float | MaybeNone
    null_pir_low: float | MaybeNone
    null_pir_high: float | MaybeNone
    spb: float | MaybeNone
    spb_low: float | MaybeNone
    spb_high: float | MaybeNone
    spb_p: float | MaybeNone
    spb_p_adjusted: float | MaybeNone
    n_pairs: int
    n_null_pairs: int
    firm_self: int
    firm_null: int
    z: float | MaybeNone
    z_p: float | MaybeNone
    z_p_adjusted: float | MaybeNone
    binomial_p: float | MaybeNone
    binomial_p_adjusted: float | MaybeNone
    significant: bool
    pir_family: float | MaybeNone
    pir_family_low: float | MaybeNone
    pir_family_high: float | MaybeNone
    spb_family: float | MaybeNone
    spb_family_low: float | MaybeNone
    spb_family_high: float | MaybeNone
    spb_family_p: float | MaybeNone
    spb_family_p_adjusted: float | MaybeNone
    n_family_pairs: int
    small: bool
    judges_significant: int
    mean_spb_significant: float | MaybeNone
    quality_judges: list[Any]
    quality_judges_kin: list[Any]
    epsilons: list[Any]
    spb_by_epsilon: list[Any]
    spb_by_epsilon_low: list[Any]
    spb_by_epsilon_high: list[Any]
    n_pairs_by_epsilon: list[Any]
    reasons: dict[str, str]

class DiscriminabilityRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    d: float | MaybeNone
    d_low: float | MaybeNone
    d_high: float | MaybeNone
    correct: int
    n: int
    d_all: float | MaybeNone
    n_apart: int
    small: bool
    reasons: dict[str, str]

class ArchetypesRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    d: float | MaybeNone
    d_low: float | MaybeNone
    d_high: float | MaybeNone
    spb: float | MaybeNone
    spb_low: float | MaybeNone
    spb_high: float | MaybeNone
    spb_p: float | MaybeNone
    spb_p_adjusted: float | MaybeNone
    archetype: str | MaybeNone
    crosses: list[Any]
    possible: list[Any]
    mean_quality: float | MaybeNone
    mean_quality_low: float | MaybeNone
    mean_quality_high: float | MaybeNone
    n_contrast: int
    d_all: float | MaybeNone
    n_apart: int
    n_pairs: int
    reasons: dict[str, str]

class QualityBaselineRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    opponent: str | MaybeNone
    sp: float | MaybeNone
    sp_low: float | MaybeNone
    sp_high: float | MaybeNone
    acc: float | MaybeNone
    acc_low: float | MaybeNone
    acc_high: float | MaybeNone
    bias: float | MaybeNone
    bias_low: float | MaybeNone
    bias_high: float | MaybeNone
    ilsp: float | MaybeNone
    ilsp_low: float | MaybeNone
    ilsp_high: float | MaybeNone
    lsp: float | MaybeNone
    lsp_low: float | MaybeNone
    lsp_high: float | MaybeNone
    n_examples: int
    n: int
    ilsp_matched: float | MaybeNone
    ilsp_matched_low: float | MaybeNone
    ilsp_matched_high: float | MaybeNone
    ilsp_proxies: float | MaybeNone
    ilsp_proxies_low: float | MaybeNone
    ilsp_proxies_high: float | MaybeNone
    ilsp_updated: float | MaybeNone
    ilsp_updated_low: float | MaybeNone
    ilsp_updated_high: float | MaybeNone
    ilsp_updated_p: float | MaybeNone
    ilsp_updated_p_adjusted: float | MaybeNone
    se: float | MaybeNone
    t_stat: float | MaybeNone
    p_two_sided: float | MaybeNone
    relative_change: float | MaybeNone
    relative_change_low: float | MaybeNone
    relative_change_high: float | MaybeNone
    entropy_self: float | MaybeNone
    entropy_self_low: float | MaybeNone
    entropy_self_high: float | MaybeNone
    entropy_proxy: float | MaybeNone
    entropy_proxy_low: float | MaybeNone
    entropy_proxy_high: float | MaybeNone
    entropy_gap: float | MaybeNone
    entropy_gap_low: float | MaybeNone
    entropy_gap_high: float | MaybeNone
    entropy_correlation: float | MaybeNone
    proxy_win_rate: float | MaybeNone
    n_proxies: int
    all_minus_out_of_family: float | MaybeNone
    all_minus_out_of_family_low: float | MaybeNone
    all_minus_out_of_family_high: float | MaybeNone
    all_minus_out_of_family_p: float | MaybeNone
    all_minus_out_of_family_p_adjusted: float | MaybeNone
    coverage: list[Any]
    t_by_proxies: list[Any]
    t_by_proxies_se: list[Any]
    small: bool
    reasons: dict[str, str]

class DbgRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    opponent: str | MaybeNone
    win_rate: float | MaybeNone
    win_rate_low: float | MaybeNone
    win_rate_high: float | MaybeNone
    gold_win_rate: float | MaybeNone
    gold_win_rate_low: float | MaybeNone
    gold_win_rate_high: float | MaybeNone
    dbg: float | MaybeNone
    dbg_low: float | MaybeNone
    dbg_high: float | MaybeNone
    dbg_p: float | MaybeNone
    dbg_p_adjusted: float | MaybeNone
    win_rate_decided: float | MaybeNone
    win_rate_decided_low: float | MaybeNone
    win_rate_decided_high: float | MaybeNone
    gold_win_rate_decided: float | MaybeNone
    gold_win_rate_decided_low: float | MaybeNone
    gold_win_rate_decided_high: float | MaybeNone
    dbg_decided: float | MaybeNone
    dbg_decided_low: float | MaybeNone
    dbg_decided_high: float | MaybeNone
    dbg_decided_p: float | MaybeNone
    dbg_decided_p_adjusted: float | MaybeNone
    dbg_soft: float | MaybeNone
    dbg_soft_low: float | MaybeNone
    dbg_soft_high: float | MaybeNone
    flip_rate: float | MaybeNone
    flip_rate_low: float | MaybeNone
    flip_rate_high: float | MaybeNone
    ties: int
    n: int
    n_decided: int
    n_soft: int
    win_share: float | MaybeNone
    win_share_low: float | MaybeNone
    win_share_high: float | MaybeNone
    tie_share: float | MaybeNone
    tie_share_low: float | MaybeNone
    tie_share_high: float | MaybeNone
    lose_share: float | MaybeNone
    lose_share_low: float | MaybeNone
    lose_share_high: float | MaybeNone
    gold_judges: int
    dbg_least: float | MaybeNone
    dbg_greatest: float | MaybeNone
    panels: list[Any]
    dbg_by_panel: list[Any]
    size_b: float | MaybeNone
    stage: str | MaybeNone
    small: bool
    reasons: dict[str, str]

class GoldStressRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    number: str | MaybeNone
    value: float | MaybeNone
    value_low: float | MaybeNone
    value_high: float | MaybeNone
    least: float | MaybeNone
    greatest: float | MaybeNone
    same_side: float | MaybeNone
    matters_most: str | MaybeNone
    mean_change: float | MaybeNone
    hspp_self: float | MaybeNone
    hspp_least: float | MaybeNone
    hspp_greatest: float | MaybeNone
    n: int
    gold_judges: list[Any]
    changes: list[Any]
    panels: list[Any]
    value_by_panel: list[Any]
    families_without: list[Any]
    value_without: list[Any]
    small: bool
    reasons: dict[str, str]

class VotesRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    generator: str | MaybeNone
    win_rate: float | MaybeNone
    win_rate_low: float | MaybeNone
    win_rate_high: float | MaybeNone
    strength: float | MaybeNone
    strength_low: float | MaybeNone
    strength_high: float | MaybeNone
    rank: float | MaybeNone
    rank_low: float | MaybeNone
    rank_high: float | MaybeNone
    n: int
    small: bool
    reasons: dict[str, str]

class WhichJudgeRow(TypedDict, total=False):
    judge: str | MaybeNone
    family: str | MaybeNone
    accuracy: float | MaybeNone
    accuracy_low: float | MaybeNone
    accuracy_high: float | MaybeNone
    accuracy_of: str | MaybeNone
    agreement: float | MaybeNone
    agreement_low: float | MaybeNone
    agreement_high: float | MaybeNone
    agreement_of: str | MaybeNone
    excess: float | MaybeNone
    excess_low: float | MaybeNone
    excess_high: float | MaybeNone
    excess_family: float | MaybeNone
    excess_family_low: float | MaybeNone
    excess_family_high: float | MaybeNone
    conclusion: str | MaybeNone
    flip_rate: float | MaybeNone
    flip_rate_low: float | MaybeNone
    flip_rate_high: float | MaybeNone
    missing: float | MaybeNone
    missing_low: float | MaybeNone
    missing_high: float | MaybeNone
    cost_per_1000: float | MaybeNone
    advice: str | MaybeNone
    reasons: dict[str, str]

class AccuracyRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    mra: float | MaybeNone
    mra_low: float | MaybeNone
    mra_high: float | MaybeNone
    mra_correct: int
    mra_total: int
    mipa: float | MaybeNone
    mipa_low: float | MaybeNone
    mipa_high: float | MaybeNone
    mipa_correct: int
    mipa_total: int
    reasons: dict[str, str]

class PeopleRow(TypedDict, total=False):
    judge: str | MaybeNone
    family: str | MaybeNone
    kind: str | MaybeNone
    kappa: float | MaybeNone
    kappa_low: float | MaybeNone
    kappa_high: float | MaybeNone
    correlation: float | MaybeNone
    correlation_low: float | MaybeNone
    correlation_high: float | MaybeNone
    balanced_f1: float | MaybeNone
    balanced_f1_low: float | MaybeNone
    balanced_f1_high: float | MaybeNone
    ceiling: float | MaybeNone
    ceiling_low: float | MaybeNone
    ceiling_high: float | MaybeNone
    winning_rate: float | MaybeNone
    winning_rate_low: float | MaybeNone
    winning_rate_high: float | MaybeNone
    advantage_probability: float | MaybeNone
    advantage_probability_low: float | MaybeNone
    advantage_probability_high: float | MaybeNone
    may_stand_in: bool
    n_ceiling: int
    ceiling_unnamed: bool
    n_people: int
    n: int
    small: bool
    reasons: dict[str, str]

class ReferenceAgreementRow(TypedDict, total=False):
    a: str | MaybeNone
    b: str | MaybeNone
    kind: str | MaybeNone
    n: int
    tied: int
    agreement: float | MaybeNone
    agreement_low: float | MaybeNone
    agreement_high: float | MaybeNone
    kappa: float | MaybeNone
    kappa_low: float | MaybeNone
    kappa_high: float | MaybeNone
    balanced_f1: float | MaybeNone
    balanced_f1_low: float | MaybeNone
    balanced_f1_high: float | MaybeNone
    win_rate_a: float | MaybeNone
    win_rate_b: float | MaybeNone
    spearman: float | MaybeNone
    spearman_low: float | MaybeNone
    spearman_high: float | MaybeNone
    pearson: float | MaybeNone
    pearson_low: float | MaybeNone
    pearson_high: float | MaybeNone
    mean_difference: float | MaybeNone
    median_difference: float | MaybeNone
    sd_difference: float | MaybeNone
    within: list[Any]
    reasons: dict[str, str]

class AnnotatorsRow(TypedDict, total=False):
    slice: str | int | None
    task: str | MaybeNone
    kind: str | MaybeNone
    kappa: float | MaybeNone
    kappa_low: float | MaybeNone
    kappa_high: float | MaybeNone
    pairwise_kappa: float | MaybeNone
    pairwise_kappa_low: float | MaybeNone
    pairwise_kappa_high: float | MaybeNone
    alpha: float | MaybeNone
    alpha_low: float | MaybeNone
    alpha_high: float | MaybeNone
    level: str | MaybeNone
    n_items: int
    n_annotators: int
    n_labels: int
    self_agreement: float | MaybeNone
    n_repeats: int
    n_equal: int
    consistency: float | MaybeNone
    consistency_low: float | MaybeNone
    consistency_high: float | MaybeNone
    epsilon: float | MaybeNone
    n_compared: int
    both_equal: int
    automatic_only: int
    people_only: int
    both_unequal: int
    small: bool
    reasons: dict[str, str]

class BestOfNRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    own_picked: float | MaybeNone
    own_picked_low: float | MaybeNone
    own_picked_high: float | MaybeNone
    picked_beside: float | MaybeNone
    picked_beside_low: float | MaybeNone
    picked_beside_high: float | MaybeNone
    picked_outside: float | MaybeNone
    picked_outside_low: float | MaybeNone
    picked_outside_high: float | MaybeNone
    pick_excess: float | MaybeNone
    pick_excess_low: float | MaybeNone
    pick_excess_high: float | MaybeNone
    pick_excess_p: float | MaybeNone
    pick_excess_p_adjusted: float | MaybeNone
    lost_by_picks: float | MaybeNone
    lost_by_picks_low: float | MaybeNone
    lost_by_picks_high: float | MaybeNone
    lost_to_own: float | MaybeNone
    lost_to_own_low: float | MaybeNone
    lost_to_own_high: float | MaybeNone
    lost_beyond: float | MaybeNone
    lost_beyond_low: float | MaybeNone
    lost_beyond_high: float | MaybeNone
    lost_beyond_p: float | MaybeNone
    lost_beyond_p_adjusted: float | MaybeNone
    n: int
    n_beside: int
    choices: int
    answers: float | MaybeNone
    small: bool
    reasons: dict[str, str]

class RankingRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    by: str | MaybeNone
    model: str | MaybeNone
    rank: float | MaybeNone
    rank_low: float | MaybeNone
    rank_high: float | MaybeNone
    score: float | MaybeNone
    score_low: float | MaybeNone
    score_high: float | MaybeNone
    n: int
    reasons: dict[str, str]

class VoteRankingRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    by: str | MaybeNone
    model: str | MaybeNone
    rank: float | MaybeNone
    rank_low: float | MaybeNone
    rank_high: float | MaybeNone
    strength: float | MaybeNone
    strength_low: float | MaybeNone
    strength_high: float | MaybeNone
    n: int
    reasons: dict[str, str]

class RankingDistanceRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    by: str | MaybeNone
    tau: float | MaybeNone
    tau_low: float | MaybeNone
    tau_high: float | MaybeNone
    shift: float | MaybeNone
    shift_low: float | MaybeNone
    shift_high: float | MaybeNone
    flips: float | MaybeNone
    flips_low: float | MaybeNone
    flips_high: float | MaybeNone
    n_models: int
    n: int
    gain: float | MaybeNone
    gain_low: float | MaybeNone
    gain_high: float | MaybeNone
    nearest: bool
    reasons: dict[str, str]

class CorrectedRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    model: str | MaybeNone
    score: float | MaybeNone
    score_low: float | MaybeNone
    score_high: float | MaybeNone
    rank: float | MaybeNone
    rank_low: float | MaybeNone
    rank_high: float | MaybeNone
    uncorrected: float | MaybeNone
    n_labelled: int
    n_unlabelled: int
    labels_to_halve: float | MaybeNone
    reasons: dict[str, str]

class CommitteeRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    level: str | MaybeNone
    members: list[Any]
    hspp_self: float | MaybeNone
    hspp_self_low: float | MaybeNone
    hspp_self_high: float | MaybeNone
    hspp_self_p: float | MaybeNone
    hspp_self_p_adjusted: float | MaybeNone
    hspp_self_committee: float | MaybeNone
    hspp_self_committee_low: float | MaybeNone
    hspp_self_committee_high: float | MaybeNone
    hspp_self_committee_p: float | MaybeNone
    hspp_self_committee_p_adjusted: float | MaybeNone
    hspp_family: float | MaybeNone
    hspp_family_low: float | MaybeNone
    hspp_family_high: float | MaybeNone
    hspp_family_p: float | MaybeNone
    hspp_family_p_adjusted: float | MaybeNone
    hspp_family_committee: float | MaybeNone
    hspp_family_committee_low: float | MaybeNone
    hspp_family_committee_high: float | MaybeNone
    hspp_family_committee_p: float | MaybeNone
    hspp_family_committee_p_adjusted: float | MaybeNone
    o_self: float | MaybeNone
    o_self_low: float | MaybeNone
    o_self_high: float | MaybeNone
    o_self_committee: float | MaybeNone
    o_self_committee_low: float | MaybeNone
    o_self_committee_high: float | MaybeNone
    o_self_common: float | MaybeNone
    o_self_common_low: float | MaybeNone
    o_self_common_high: float | MaybeNone
    o_self_common_committee: float | MaybeNone
    o_self_common_committee_low: float | MaybeNone
    o_self_common_committee_high: float | MaybeNone
    mra: float | MaybeNone
    mra_low: float | MaybeNone
    mra_high: float | MaybeNone
    mra_committee: float | MaybeNone
    mra_committee_low: float | MaybeNone
    mra_committee_high: float | MaybeNone
    mipa: float | MaybeNone
    mipa_low: float | MaybeNone
    mipa_high: float | MaybeNone
    mipa_committee: float | MaybeNone
    mipa_committee_low: float | MaybeNone
    mipa_committee_high: float | MaybeNone
    ratio_outside: float | MaybeNone
    ratio_outside_low: float | MaybeNone
    ratio_outside_high: float | MaybeNone
    ratio_outside_p: float | MaybeNone
    ratio_outside_p_adjusted: float | MaybeNone
    ratio_outside_committee: float | MaybeNone
    ratio_outside_committee_low: float | MaybeNone
    ratio_outside_committee_high: float | MaybeNone
    ratio_outside_committee_p: float | MaybeNone
    ratio_outside_committee_p_adjusted: float | MaybeNone
    ratio_outside_common: float | MaybeNone
    ratio_outside_common_low: float | MaybeNone
    ratio_outside_common_high: float | MaybeNone
    ratio_outside_common_committee: float | MaybeNone
    ratio_outside_common_committee_low: float | MaybeNone
    ratio_outside_common_committee_high: float | MaybeNone
    n_effective: float | MaybeNone
    n_effective_without: float | MaybeNone
    n_self: int
    n_self_committee: int
    n_common: int
    divided: float | MaybeNone
    small: bool
    reasons: dict[str, str]

class CommitteeSizeRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    size: int
    level: str | MaybeNone
    members: list[Any]
    committees: int
    hspp_self: float | MaybeNone
    hspp_self_low: float | MaybeNone
    hspp_self_high: float | MaybeNone
    hspp_self_least: float | MaybeNone
    hspp_self_most: float | MaybeNone
    hspp_family: float | MaybeNone
    hspp_family_low: float | MaybeNone
    hspp_family_high: float | MaybeNone
    hspp_family_least: float | MaybeNone
    hspp_family_most: float | MaybeNone
    mra: float | MaybeNone
    mra_low: float | MaybeNone
    mra_high: float | MaybeNone
    mra_least: float | MaybeNone
    mra_most: float | MaybeNone
    mipa: float | MaybeNone
    mipa_low: float | MaybeNone
    mipa_high: float | MaybeNone
    mipa_least: float | MaybeNone
    mipa_most: float | MaybeNone
    divided: float | MaybeNone
    n_self: int
    small: bool
    reasons: dict[str, str]

class CommitteeFamiliesRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    without: str | MaybeNone
    level: str | MaybeNone
    members: list[Any]
    hspp_self: float | MaybeNone
    hspp_self_low: float | MaybeNone
    hspp_self_high: float | MaybeNone
    hspp_self_whole: float | MaybeNone
    hspp_self_whole_low: float | MaybeNone
    hspp_self_whole_high: float | MaybeNone
    hspp_family: float | MaybeNone
    hspp_family_low: float | MaybeNone
    hspp_family_high: float | MaybeNone
    hspp_family_whole: float | MaybeNone
    hspp_family_whole_low: float | MaybeNone
    hspp_family_whole_high: float | MaybeNone
    hspp_self_outside: float | MaybeNone
    hspp_self_outside_low: float | MaybeNone
    hspp_self_outside_high: float | MaybeNone
    hspp_self_outside_whole: float | MaybeNone
    hspp_self_outside_whole_low: float | MaybeNone
    hspp_self_outside_whole_high: float | MaybeNone
    mra: float | MaybeNone
    mra_low: float | MaybeNone
    mra_high: float | MaybeNone
    mra_whole: float | MaybeNone
    mra_whole_low: float | MaybeNone
    mra_whole_high: float | MaybeNone
    mipa: float | MaybeNone
    mipa_low: float | MaybeNone
    mipa_high: float | MaybeNone
    mipa_whole: float | MaybeNone
    mipa_whole_low: float | MaybeNone
    mipa_whole_high: float | MaybeNone
    n_self: int
    n_self_outside: int
    small: bool
    reasons: dict[str, str]

class PositionRow(TypedDict, total=False):
    slice: str | int | None
    judge: str | MaybeNone
    n_options: int
    scale: str | MaybeNone
    position: int
    share: float | MaybeNone
    share_low: float | MaybeNone
    share_high: float | MaybeNone
    n: int
    chi2: float | MaybeNone
    chi2_p: float | MaybeNone
    chi2_shuffle_p: float | MaybeNone
    small: bool
    reasons: dict[str, str]

class OrderingRow(TypedDict, total=False):
    slice: str | int | None
    judge: str | MaybeNone
    n_options: int
    scale: str | MaybeNone
    ordering: str | MaybeNone
    cost: float | MaybeNone
    cost_low: float | MaybeNone
    cost_high: float | MaybeNone
    recommended: bool
    pearson: float | MaybeNone
    pearson_low: float | MaybeNone
    pearson_high: float | MaybeNone
    spearman: float | MaybeNone
    spearman_low: float | MaybeNone
    spearman_high: float | MaybeNone
    n: int
    rank: float | MaybeNone
    n_judged: int
    small: bool
    reasons: dict[str, str]

class PermutationRow(TypedDict, total=False):
    slice: str | int | None
    judge: str | MaybeNone
    n_options: int
    scale: str | MaybeNone
    n_items: int
    n_scored: int
    pearson_permutation: float | MaybeNone
    pearson_permutation_low: float | MaybeNone
    pearson_permutation_high: float | MaybeNone
    pearson_repeat: float | MaybeNone
    pearson_repeat_low: float | MaybeNone
    pearson_repeat_high: float | MaybeNone
    pearson_delta: float | MaybeNone
    pearson_delta_low: float | MaybeNone
    pearson_delta_high: float | MaybeNone
    pearson_delta_p: float | MaybeNone
    pearson_delta_p_adjusted: float | MaybeNone
    spearman_permutation: float | MaybeNone
    spearman_permutation_low: float | MaybeNone
    spearman_permutation_high: float | MaybeNone
    spearman_repeat: float | MaybeNone
    spearman_repeat_low: float | MaybeNone
    spearman_repeat_high: float | MaybeNone
    spearman_delta: float | MaybeNone
    spearman_delta_low: float | MaybeNone
    spearman_delta_high: float | MaybeNone
    spearman_delta_p: float | MaybeNone
    spearman_delta_p_adjusted: float | MaybeNone
    sd_permutation: float | MaybeNone
    sd_permutation_low: float | MaybeNone
    sd_permutation_high: float | MaybeNone
    sd_repeat: float | MaybeNone
    sd_repeat_low: float | MaybeNone
    sd_repeat_high: float | MaybeNone
    pearson_corrected: float | MaybeNone
    pearson_corrected_low: float | MaybeNone
    pearson_corrected_high: float | MaybeNone
    pearson_delta_corrected: float | MaybeNone
    pearson_delta_corrected_low: float | MaybeNone
    pearson_delta_corrected_high: float | MaybeNone
    pearson_delta_corrected_p: float | MaybeNone
    pearson_delta_corrected_p_adjusted: float | MaybeNone
    spearman_corrected: float | MaybeNone
    spearman_corrected_low: float | MaybeNone
    spearman_corrected_high: float | MaybeNone
    spearman_delta_corrected: float | MaybeNone
    spearman_delta_corrected_low: float | MaybeNone
    spearman_delta_corrected_high: float | MaybeNone
    spearman_delta_corrected_p: float | MaybeNone
    spearman_delta_corrected_p_adjusted: float | MaybeNone
    small: bool
    reasons: dict[str, str]

class ModelLikenessRow(TypedDict, total=False):
    slice: str | int | None
    judge: str | MaybeNone
    n_options: int
    scale: str | MaybeNone
    known_as: str | MaybeNone
    against: str | MaybeNone
    log_ratio: float | MaybeNone
    log_ratio_low: float | MaybeNone
    log_ratio_high: float | MaybeNone
    log_ratio_p: float | MaybeNone
    log_ratio_p_adjusted: float | MaybeNone
    log_ratio_se: float | MaybeNone
    per_100: float | MaybeNone
    per_100_low: float | MaybeNone
    per_100_high: float | MaybeNone
    nearest: str | MaybeNone
    n: int
    n_questions: int
    n_models: int
    n_people: int
    small: bool
    reasons: dict[str, str]

class OrderEffectRow(TypedDict, total=False):
    slice: str | int | None
    judge: str | MaybeNone
    variant: str | MaybeNone
    n_pairs: int
    n_decided: int
    n_answers: int
    first_share: float | MaybeNone
    first_share_low: float | MaybeNone
    first_share_high: float | MaybeNone
    flip_rate: float | MaybeNone
    flip_rate_low: float | MaybeNone
    flip_rate_high: float | MaybeNone
    flip_to_first: float | MaybeNone
    flip_to_first_low: float | MaybeNone
    flip_to_first_high: float | MaybeNone
    firm_share: float | MaybeNone
    firm_share_low: float | MaybeNone
    firm_share_high: float | MaybeNone
    tie_share: float | MaybeNone
    tie_share_low: float | MaybeNone
    tie_share_high: float | MaybeNone
    probability_shift: float | MaybeNone
    probability_shift_low: float | MaybeNone
    probability_shift_high: float | MaybeNone
    ordering: str | MaybeNone
    position: float | MaybeNone
    verdict_rate: float | MaybeNone
    verdict_rate_low: float | MaybeNone
    verdict_rate_high: float | MaybeNone
    overestimation: float | MaybeNone
    overestimation_low: float | MaybeNone
    overestimation_high: float | MaybeNone
    hspp_self: float | MaybeNone
    hspp_self_low: float | MaybeNone
    hspp_self_high: float | MaybeNone
    n_verdicts: int
    small: bool
    reasons: dict[str, str]

class ListRanksRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    pick_gap: float | MaybeNone
    pick_gap_low: float | MaybeNone
    pick_gap_high: float | MaybeNone
    pick_gap_p: float | MaybeNone
    pick_gap_p_adjusted: float | MaybeNone
    pick_own: float | MaybeNone
    pick_own_low: float | MaybeNone
    pick_own_high: float | MaybeNone
    pick_outside: float | MaybeNone
    pick_outside_low: float | MaybeNone
    pick_outside_high: float | MaybeNone
    rank_gap: float | MaybeNone
    rank_gap_low: float | MaybeNone
    rank_gap_high: float | MaybeNone
    rank_gap_p: float | MaybeNone
    rank_gap_p_adjusted: float | MaybeNone
    rank_own: float | MaybeNone
    rank_own_low: float | MaybeNone
    rank_own_high: float | MaybeNone
    rank_outside: float | MaybeNone
    rank_outside_low: float | MaybeNone
    rank_outside_high: float | MaybeNone
    n: int
    n_outside: int
    mean_length: float | MaybeNone
    first_picked: float | MaybeNone
    first_picked_low: float | MaybeNone
    first_picked_high: float | MaybeNone
    first_expected: float | MaybeNone
    n_orders: int
    small: bool
    reasons: dict[str, str]

class MitigationRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    variant: str | MaybeNone
    baseline: str | MaybeNone
    spb_baseline: float | MaybeNone
    spb_baseline_low: float | MaybeNone
    spb_baseline_high: float | MaybeNone
    spb: float | MaybeNone
    spb_low: float | MaybeNone
    spb_high: float | MaybeNone
    reduction: float | MaybeNone
    reduction_low: float | MaybeNone
    reduction_high: float | MaybeNone
    reduction_p: float | MaybeNone
    reduction_p_adjusted: float | MaybeNone
    eta: float | MaybeNone
    eta_low: float | MaybeNone
    eta_high: float | MaybeNone
    n_pairs: int
    n_null_pairs: int
    firm_gained: int
    firm_lost: int
    mcnemar_p: float | MaybeNone
    mcnemar_p_adjusted: float | MaybeNone
    d: float | MaybeNone
    d_low: float | MaybeNone
    d_high: float | MaybeNone
    d_baseline: float | MaybeNone
    d_baseline_low: float | MaybeNone
    d_baseline_high: float | MaybeNone
    d_change: float | MaybeNone
    d_change_low: float | MaybeNone
    d_change_high: float | MaybeNone
    d_change_p: float | MaybeNone
    d_change_p_adjusted: float | MaybeNone
    n_contrast: int
    cost_ratio: float | MaybeNone
    reasons: dict[str, str]

class RelatednessRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    other_judge: str | MaybeNone
    same_family: bool
    kappa: float | MaybeNone
    kappa_low: float | MaybeNone
    kappa_high: float | MaybeNone
    relatedness: float | MaybeNone
    relatedness_low: float | MaybeNone
    relatedness_high: float | MaybeNone
    n: int
    growth: float | MaybeNone
    growth_low: float | MaybeNone
    growth_high: float | MaybeNone
    growth_p: float | MaybeNone
    growth_n: float | MaybeNone
    growth_across: float | MaybeNone
    growth_across_low: float | MaybeNone
    growth_across_high: float | MaybeNone
    growth_across_p: float | MaybeNone
    growth_across_n: float | MaybeNone
    small: bool
    reasons: dict[str, str]

class RobustnessRow(TypedDict, total=False):
    judge: str | MaybeNone
    paradigm: str | MaybeNone
    transform: str | MaybeNone
    difference: float | MaybeNone
    difference_low: float | MaybeNone
    difference_high: float | MaybeNone
    difference_p: float | MaybeNone
    difference_p_adjusted: float | MaybeNone
    robustness_own: float | MaybeNone
    robustness_own_low: float | MaybeNone
    robustness_own_high: float | MaybeNone
    robustness_other: float | MaybeNone
    robustness_other_low: float | MaybeNone
    robustness_other_high: float | MaybeNone
    lift_difference: float | MaybeNone
    lift_difference_low: float | MaybeNone
    lift_difference_high: float | MaybeNone
    lift_difference_p: float | MaybeNone
    lift_difference_p_adjusted: float | MaybeNone
    lift_own: float | MaybeNone
    lift_own_low: float | MaybeNone
    lift_own_high: float | MaybeNone
    lift_own_p: float | MaybeNone
    lift_own_p_adjusted: float | MaybeNone
    lift_other: float | MaybeNone
    n_own: int
    n_other: int
    small: bool
    reasons: dict[str, str]

class RecognitionScoreRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    recognition: float | MaybeNone
    recognition_low: float | MaybeNone
    recognition_high: float | MaybeNone
    recognition_p: float | MaybeNone
    recognition_p_adjusted: float | MaybeNone
    share_right: float | MaybeNone
    share_right_low: float | MaybeNone
    share_right_high: float | MaybeNone
    contradicted: float | MaybeNone
    contradicted_low: float | MaybeNone
    contradicted_high: float | MaybeNone
    n: int
    n_soft: int
    preference_rho: float | MaybeNone
    preference_rho_low: float | MaybeNone
    preference_rho_high: float | MaybeNone
    n_preference: int
    small: bool
    reasons: dict[str, str]

class FamiliarityScoreRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    familiarity_gap: float | MaybeNone
    familiarity_gap_low: float | MaybeNone
    familiarity_gap_high: float | MaybeNone
    familiarity_gap_p: float | MaybeNone
    familiarity_gap_p_adjusted: float | MaybeNone
    familiarity_own: float | MaybeNone
    familiarity_own_low: float | MaybeNone
    familiarity_own_high: float | MaybeNone
    familiarity_other: float | MaybeNone
    familiarity_other_low: float | MaybeNone
    familiarity_other_high: float | MaybeNone
    own_effect: float | MaybeNone
    own_effect_low: float | MaybeNone
    own_effect_high: float | MaybeNone
    own_effect_p: float | MaybeNone
    own_effect_p_adjusted: float | MaybeNone
    own_effect_held: float | MaybeNone
    own_effect_held_low: float | MaybeNone
    own_effect_held_high: float | MaybeNone
    own_effect_held_p: float | MaybeNone
    own_effect_held_p_adjusted: float | MaybeNone
    explained: float | MaybeNone
    explained_low: float | MaybeNone
    explained_high: float | MaybeNone
    explained_p: float | MaybeNone
    explained_p_adjusted: float | MaybeNone
    familiarity_effect: float | MaybeNone
    familiarity_effect_low: float | MaybeNone
    familiarity_effect_high: float | MaybeNone
    familiarity_effect_p: float | MaybeNone
    familiarity_effect_p_adjusted: float | MaybeNone
    preference_rho: float | MaybeNone
    preference_rho_low: float | MaybeNone
    preference_rho_high: float | MaybeNone
    n_own: int
    n_other: int
    n_cases: int
    small: bool
    reasons: dict[str, str]

class AssociationRow(TypedDict, total=False):
    x: str | MaybeNone
    y: str | MaybeNone
    pearson: float | MaybeNone
    spearman: float | MaybeNone
    spearman_low: float | MaybeNone
    spearman_high: float | MaybeNone
    n: int
    low: float | MaybeNone
    high: float | MaybeNone
    least_without_a_family: float | MaybeNone
    greatest_without_a_family: float | MaybeNone
    reasons: dict[str, str]

class LengthRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    judge: str | MaybeNone
    family: str | MaybeNone
    longer: float | MaybeNone
    longer_low: float | MaybeNone
    longer_high: float | MaybeNone
    longer_of_others: float | MaybeNone
    longer_of_others_low: float | MaybeNone
    longer_of_others_high: float | MaybeNone
    n: int
    n_others: int
    small: bool
    reasons: dict[str, str]

class QualityBaselineSummaryRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    scope: str | MaybeNone
    n_rows: int
    mean_relative_change: float | MaybeNone
    mean_relative_change_low: float | MaybeNone
    mean_relative_change_high: float | MaybeNone
    share_not_positive: float | MaybeNone
    share_significant: float | MaybeNone
    share_significant_adjusted: float | MaybeNone
    rank_correlation: float | MaybeNone
    fairness_correlation: float | MaybeNone
    reasons: dict[str, str]

class RankingFlipsRow(TypedDict, total=False):
    a: float | MaybeNone
    b: float | MaybeNone
    difference: float | MaybeNone
    low: float | MaybeNone
    high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    slice: str | int | None
    by: str | MaybeNone
    above: str | MaybeNone
    below: str | MaybeNone
    lead: float | MaybeNone
    lead_low: float | MaybeNone
    lead_high: float | MaybeNone
    lead_reference: float | MaybeNone
    lead_reference_low: float | MaybeNone
    lead_reference_high: float | MaybeNone
    sure: float | MaybeNone
    p_flip: float | MaybeNone
    p_flip_adjusted: float | MaybeNone
    itself: bool
    reasons: dict[str, str]

class TransformsRow(TypedDict, total=False):
    measure: str | MaybeNone
    judge: str | MaybeNone
    transform: str | MaybeNone
    without: float | MaybeNone
    without_low: float | MaybeNone
    without_high: float | MaybeNone
    under: float | MaybeNone
    under_low: float | MaybeNone
    under_high: float | MaybeNone
    effect: float | MaybeNone
    effect_low: float | MaybeNone
    effect_high: float | MaybeNone
    effect_p: float | MaybeNone
    effect_p_adjusted: float | MaybeNone
    ratio: float | MaybeNone
    ratio_low: float | MaybeNone
    ratio_high: float | MaybeNone
    n: int
    n_instances: int
    small: bool
    field: str | MaybeNone
    reasons: dict[str, str]

class JudgeCostsRow(TypedDict, total=False):
    judge: str | MaybeNone
    paradigm: str | MaybeNone
    variant: str | MaybeNone
    calls: int
    judgments: int
    verdicts: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | MaybeNone
    costed: int
    reasons: dict[str, str]

class FindRow(TypedDict, total=False):
    judge: str | MaybeNone
    where: str | MaybeNone
    difference: float | MaybeNone
    difference_low: float | MaybeNone
    difference_high: float | MaybeNone
    p: float | MaybeNone
    p_adjusted: float | MaybeNone
    hspp_self: float | MaybeNone
    hspp_rest: float | MaybeNone
    hspp_matched: float | MaybeNone
    n_self: int
    n_rest: int
    n_matched: int
    instances: int
    stands_out: bool
    small: bool
    filters: list[Any]
    by: str | MaybeNone
    criterion: str | MaybeNone
    reasons: dict[str, str]
