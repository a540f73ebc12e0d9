# Made from the catalogue: python -m tests.tools.study_stub > engine/study.pyi; edit it there.
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, overload

import altair as alt
import pandas as pd

from engine.arrays.study_arrays import StudyArrays
from engine.findings.claims import Findings
from engine.measures.entry import Measure
from engine.measures.result import Result
from engine.slices import Slice

Names = str | Sequence[str]
Numbers = int | str | Sequence[int]
Range = str | tuple[float | None, float | None]

class SliceArguments(TypedDict, total=False):
    slice: Slice | str | None
    run: Names
    paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None
    variant: str | None
    transform: str | None
    level: Literal["rubric", "instance"] | None
    scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"]
    reference: str | None
    judges: Names
    generators: Names
    polarity: Literal["positive", "negative"] | None
    length: Range | None
    length_unit: Literal["characters", "words"]
    axis: Names
    theme: Names
    category: Names
    language: Names
    checker: Names
    rubric_id: Names
    ordering: str | None
    position: Numbers
    response_length: Range | None
    min_agreement: float | None
    agreement_of: Literal["rubric", "verdict"]
    agreement_without_family: bool
    relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"]
    exclude_family: bool
    leave_self_out: bool
    repeats: Literal["majority", "first"]
    min_instances: float

class SlicedArguments(SliceArguments, total=False):
    by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id"] | None
    against: Slice | str | Mapping[str, Any] | None
    common: bool
    resamples: int
    seed: int
    interval: Literal["percentile", "expanded"]

class WholeArguments(SliceArguments, total=False):
    resamples: int
    seed: int

class FindArguments(SliceArguments, total=False):
    top: int | None

class HsppArguments(SlicedArguments, total=False):
    pass

class OverestimationArguments(SlicedArguments, total=False):
    pass

class AccuracyArguments(SlicedArguments, total=False):
    pass

class DeltaArguments(SlicedArguments, total=False):
    pass

class AgreementCurveArguments(SlicedArguments, total=False):
    pass

class CommitteeArguments(SlicedArguments, total=False):
    members: Names | None
    combine: Literal["majority", "mean", "median"] | None

class CommitteeSizeArguments(SlicedArguments, total=False):
    members: Names | None
    combine: Literal["majority", "mean", "median"] | None
    sizes: Names | None
    most_committees: int | None

class CommitteeFamiliesArguments(SlicedArguments, total=False):
    members: Names | None
    combine: Literal["majority", "mean", "median"] | None

class ScorecardArguments(WholeArguments, total=False):
    by: None
    decide: Literal["odds_self", "hspp_matched", "vote_outside", "vote_outside_lost", "bonus_outside"] | None
    clusters: Literal["instance", "theme"] | None
    material: float | None

class ExpectedArguments(SlicedArguments, total=False):
    truth: Literal["failed", "met", "any"] | None
    pairs: Literal["all", "lost", "tied", "won", "equal"] | None
    opponents: Literal["outside", "all"] | None
    epsilon: float | None
    quality: Literal["judges", "reference"] | None
    quality_judges: Names | None

class CorrectedArguments(SlicedArguments, total=False):
    method: Literal["prediction_powered", "rogan_gladen"] | None

class OutsideArguments(SlicedArguments, total=False):
    truth: Literal["failed", "met", "any"] | None
    pairs: Literal["all", "lost", "tied", "won", "equal"] | None
    opponents: Literal["outside", "all"] | None
    epsilon: float | None
    quality: Literal["judges", "reference"] | None
    quality_judges: Names | None

class EqualQualityArguments(SlicedArguments, total=False):
    quality: Literal["judges", "reference", "human"] | None
    quality_judges: Names | None
    epsilon: float | None
    third_party: Literal["all", "out_of_family"] | None
    null_pairs: Literal["drawn", "all"] | None
    two_stage: bool | None
    epsilons: Names | None
    binomial: Literal["near_end", "known"] | None

class DiscriminabilityArguments(SlicedArguments, total=False):
    quality: Literal["judges", "reference", "human"] | None
    quality_judges: Names | None
    gap: float | None
    contrast_pairs: int | None

class ArchetypesArguments(SlicedArguments, total=False):
    quality: Literal["judges", "reference", "human"] | None
    quality_judges: Names | None
    epsilon: float | None
    third_party: Literal["all", "out_of_family"] | None
    null_pairs: Literal["drawn", "all"] | None
    two_stage: bool | None
    binomial: Literal["near_end", "known"] | None
    gap: float | None
    contrast_pairs: int | None

class MitigationArguments(SlicedArguments, total=False):
    variants: Names | None
    quality: Literal["judges", "reference", "human"] | None
    quality_judges: Names | None
    epsilon: float | None
    third_party: Literal["all", "out_of_family"] | None
    null_pairs: Literal["drawn", "all"] | None
    two_stage: bool | None
    gap: float | None
    contrast_pairs: int | None

class QualityBaselineArguments(SlicedArguments, total=False):
    subset: Literal["ilsp", "lsp", "all"] | None
    proxies: Literal["all", "out_of_family", "out_of_provider"] | None
    proxy_models: Names | None
    like_accuracy: float | None
    max_proxies: int | None
    ties: Literal["keep", "drop"] | None
    pool: Literal["examples", "pairs"] | None
    fairness: Literal["pairs", "examples"] | None
    gold: Names | None
    curves: bool | None

class QualityBaselineSummaryArguments(SlicedArguments, total=False):
    subset: Literal["ilsp", "lsp", "all"] | None
    proxies: Literal["all", "out_of_family", "out_of_provider"] | None
    proxy_models: Names | None
    like_accuracy: float | None
    max_proxies: int | None
    ties: Literal["keep", "drop"] | None
    pool: Literal["examples", "pairs"] | None
    fairness: Literal["pairs", "examples"] | None
    gold: Names | None
    curves: bool | None

class DbgArguments(SlicedArguments, total=False):
    gold: Names | None
    gold_rule: Literal["mean", "agreeing"] | None
    length_ratio: float | None
    panels: bool | None

class VotesArguments(SlicedArguments, total=False):
    pass

class PositionArguments(WholeArguments, total=False):
    by: Literal["score", "rubric", "axis", "theme", "category", "language", "run", "variant", "transform", "ordering"] | None

class OrderingArguments(WholeArguments, total=False):
    by: Literal["rubric", "axis", "theme", "category", "language", "run", "variant", "transform"] | None
    search: Literal["balanced", "all"] | None

class PermutationArguments(WholeArguments, total=False):
    by: Literal["rubric", "axis", "theme", "category", "language", "run", "variant", "transform"] | None

class OrderEffectArguments(WholeArguments, total=False):
    by: Literal["run", "transform", "theme", "category", "language", "quality_difference"] | None
    quality: Literal["judges", "reference"] | None
    quality_judges: Names | None

class ListRanksArguments(SlicedArguments, total=False):
    pass

class RobustnessArguments(WholeArguments, total=False):
    by: None

class RecognitionScoreArguments(SlicedArguments, total=False):
    pass

class FamiliarityScoreArguments(SlicedArguments, total=False):
    verdicts: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise"] | None

class ReferenceAgreementArguments(WholeArguments, total=False):
    by: None
    a: str | None
    b: str | None

class PeopleArguments(WholeArguments, total=False):
    by: None
    epsilon: float | None

class RankingArguments(SlicedArguments, total=False):
    pass

class RankingDistanceArguments(SlicedArguments, total=False):
    pass

class RankingFlipsArguments(SlicedArguments, total=False):
    pass

class AssociationArguments(WholeArguments, total=False):
    by: None

class TogetherArguments(WholeArguments, total=False):
    by: None

class TransformsArguments(WholeArguments, total=False):
    by: None

class JudgeCostsArguments(WholeArguments, total=False):
    by: None

class AnnotatorsArguments(WholeArguments, total=False):
    by: Literal["annotator", "pair", "quality_difference"] | None
    tasks: Names | None
    quality: Literal["judges", "reference"] | None
    quality_judges: Names | None
    epsilon: float | None
    epsilons: Names | None

class WhichJudgeArguments(WholeArguments, total=False):
    by: None
    enough: float | None
    bound: float | None

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

class HsppResult(Result):
    @property
    def rows(self) -> list[HsppRow]: ...  # type: ignore[override]

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

class OverestimationResult(Result):
    @property
    def rows(self) -> list[OverestimationRow]: ...  # type: ignore[override]

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

class AccuracyResult(Result):
    @property
    def rows(self) -> list[AccuracyRow]: ...  # type: ignore[override]

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

class DeltaResult(Result):
    @property
    def rows(self) -> list[DeltaRow]: ...  # type: ignore[override]

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

class AgreementCurveResult(Result):
    @property
    def rows(self) -> list[AgreementCurveRow]: ...  # type: ignore[override]

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

class CommitteeResult(Result):
    @property
    def rows(self) -> list[CommitteeRow]: ...  # type: ignore[override]

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

class CommitteeSizeResult(Result):
    @property
    def rows(self) -> list[CommitteeSizeRow]: ...  # type: ignore[override]

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

class CommitteeFamiliesResult(Result):
    @property
    def rows(self) -> list[CommitteeFamiliesRow]: ...  # type: ignore[override]

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

class ScorecardResult(Result):
    @property
    def rows(self) -> list[ScorecardRow]: ...  # type: ignore[override]

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

class ExpectedResult(Result):
    @property
    def rows(self) -> list[ExpectedRow]: ...  # type: ignore[override]

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

class CorrectedResult(Result):
    @property
    def rows(self) -> list[CorrectedRow]: ...  # type: ignore[override]

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

class OutsideResult(Result):
    @property
    def rows(self) -> list[OutsideRow]: ...  # type: ignore[override]

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

class EqualQualityResult(Result):
    @property
    def rows(self) -> list[EqualQualityRow]: ...  # type: ignore[override]

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

class DiscriminabilityResult(Result):
    @property
    def rows(self) -> list[DiscriminabilityRow]: ...  # type: ignore[override]

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

class ArchetypesResult(Result):
    @property
    def rows(self) -> list[ArchetypesRow]: ...  # type: ignore[override]

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

class MitigationResult(Result):
    @property
    def rows(self) -> list[MitigationRow]: ...  # type: ignore[override]

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

class QualityBaselineResult(Result):
    @property
    def rows(self) -> list[QualityBaselineRow]: ...  # type: ignore[override]

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

class QualityBaselineSummaryResult(Result):
    @property
    def rows(self) -> list[QualityBaselineSummaryRow]: ...  # type: ignore[override]

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

class DbgResult(Result):
    @property
    def rows(self) -> list[DbgRow]: ...  # type: ignore[override]

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

class VotesResult(Result):
    @property
    def rows(self) -> list[VotesRow]: ...  # type: ignore[override]

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

class PositionResult(Result):
    @property
    def rows(self) -> list[PositionRow]: ...  # type: ignore[override]

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

class OrderingResult(Result):
    @property
    def rows(self) -> list[OrderingRow]: ...  # type: ignore[override]

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

class PermutationResult(Result):
    @property
    def rows(self) -> list[PermutationRow]: ...  # type: ignore[override]

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

class OrderEffectResult(Result):
    @property
    def rows(self) -> list[OrderEffectRow]: ...  # type: ignore[override]

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

class ListRanksResult(Result):
    @property
    def rows(self) -> list[ListRanksRow]: ...  # type: ignore[override]

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

class RobustnessResult(Result):
    @property
    def rows(self) -> list[RobustnessRow]: ...  # type: ignore[override]

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

class RecognitionScoreResult(Result):
    @property
    def rows(self) -> list[RecognitionScoreRow]: ...  # type: ignore[override]

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

class FamiliarityScoreResult(Result):
    @property
    def rows(self) -> list[FamiliarityScoreRow]: ...  # type: ignore[override]

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

class ReferenceAgreementResult(Result):
    @property
    def rows(self) -> list[ReferenceAgreementRow]: ...  # type: ignore[override]

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

class PeopleResult(Result):
    @property
    def rows(self) -> list[PeopleRow]: ...  # type: ignore[override]

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

class RankingResult(Result):
    @property
    def rows(self) -> list[RankingRow]: ...  # type: ignore[override]

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

class RankingDistanceResult(Result):
    @property
    def rows(self) -> list[RankingDistanceRow]: ...  # type: ignore[override]

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

class RankingFlipsResult(Result):
    @property
    def rows(self) -> list[RankingFlipsRow]: ...  # type: ignore[override]

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

class AssociationResult(Result):
    @property
    def rows(self) -> list[AssociationRow]: ...  # type: ignore[override]

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

class TogetherResult(Result):
    @property
    def rows(self) -> list[TogetherRow]: ...  # type: ignore[override]

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

class TransformsResult(Result):
    @property
    def rows(self) -> list[TransformsRow]: ...  # type: ignore[override]

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

class JudgeCostsResult(Result):
    @property
    def rows(self) -> list[JudgeCostsRow]: ...  # type: ignore[override]

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

class AnnotatorsResult(Result):
    @property
    def rows(self) -> list[AnnotatorsRow]: ...  # type: ignore[override]

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

class WhichJudgeResult(Result):
    @property
    def rows(self) -> list[WhichJudgeRow]: ...  # type: ignore[override]

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

class FindResult(Result):
    @property
    def rows(self) -> list[FindRow]: ...  # type: ignore[override]

class Study(StudyArrays):
    @classmethod
    def open(cls, path: str | Path) -> Study: ...
    @overload
    def result(self, measure: Literal["hspp"], **arguments: Unpack[HsppArguments]) -> HsppResult: ...
    @overload
    def result(self, measure: Literal["overestimation"], **arguments: Unpack[OverestimationArguments]) -> OverestimationResult: ...
    @overload
    def result(self, measure: Literal["accuracy"], **arguments: Unpack[AccuracyArguments]) -> AccuracyResult: ...
    @overload
    def result(self, measure: Literal["delta"], **arguments: Unpack[DeltaArguments]) -> DeltaResult: ...
    @overload
    def result(self, measure: Literal["agreement-curve", "agreement_curve"], **arguments: Unpack[AgreementCurveArguments]) -> AgreementCurveResult: ...
    @overload
    def result(self, measure: Literal["committee"], **arguments: Unpack[CommitteeArguments]) -> CommitteeResult: ...
    @overload
    def result(self, measure: Literal["committee-size", "committee_size"], **arguments: Unpack[CommitteeSizeArguments]) -> CommitteeSizeResult: ...
    @overload
    def result(self, measure: Literal["committee-families", "committee_families"], **arguments: Unpack[CommitteeFamiliesArguments]) -> CommitteeFamiliesResult: ...
    @overload
    def result(self, measure: Literal["scorecard"], **arguments: Unpack[ScorecardArguments]) -> ScorecardResult: ...
    @overload
    def result(self, measure: Literal["expected"], **arguments: Unpack[ExpectedArguments]) -> ExpectedResult: ...
    @overload
    def result(self, measure: Literal["corrected"], **arguments: Unpack[CorrectedArguments]) -> CorrectedResult: ...
    @overload
    def result(self, measure: Literal["outside"], **arguments: Unpack[OutsideArguments]) -> OutsideResult: ...
    @overload
    def result(self, measure: Literal["equal-quality", "equal_quality"], **arguments: Unpack[EqualQualityArguments]) -> EqualQualityResult: ...
    @overload
    def result(self, measure: Literal["discriminability"], **arguments: Unpack[DiscriminabilityArguments]) -> DiscriminabilityResult: ...
    @overload
    def result(self, measure: Literal["archetypes"], **arguments: Unpack[ArchetypesArguments]) -> ArchetypesResult: ...
    @overload
    def result(self, measure: Literal["mitigation"], **arguments: Unpack[MitigationArguments]) -> MitigationResult: ...
    @overload
    def result(self, measure: Literal["quality-baseline", "quality_baseline"], **arguments: Unpack[QualityBaselineArguments]) -> QualityBaselineResult: ...
    @overload
    def result(self, measure: Literal["quality-baseline-summary", "quality_baseline_summary"], **arguments: Unpack[QualityBaselineSummaryArguments]) -> QualityBaselineSummaryResult: ...
    @overload
    def result(self, measure: Literal["dbg"], **arguments: Unpack[DbgArguments]) -> DbgResult: ...
    @overload
    def result(self, measure: Literal["votes"], **arguments: Unpack[VotesArguments]) -> VotesResult: ...
    @overload
    def result(self, measure: Literal["position"], **arguments: Unpack[PositionArguments]) -> PositionResult: ...
    @overload
    def result(self, measure: Literal["ordering"], **arguments: Unpack[OrderingArguments]) -> OrderingResult: ...
    @overload
    def result(self, measure: Literal["permutation"], **arguments: Unpack[PermutationArguments]) -> PermutationResult: ...
    @overload
    def result(self, measure: Literal["order-effect", "order_effect"], **arguments: Unpack[OrderEffectArguments]) -> OrderEffectResult: ...
    @overload
    def result(self, measure: Literal["list-ranks", "list_ranks"], **arguments: Unpack[ListRanksArguments]) -> ListRanksResult: ...
    @overload
    def result(self, measure: Literal["robustness"], **arguments: Unpack[RobustnessArguments]) -> RobustnessResult: ...
    @overload
    def result(self, measure: Literal["recognition-score", "recognition_score"], **arguments: Unpack[RecognitionScoreArguments]) -> RecognitionScoreResult: ...
    @overload
    def result(self, measure: Literal["familiarity-score", "familiarity_score"], **arguments: Unpack[FamiliarityScoreArguments]) -> FamiliarityScoreResult: ...
    @overload
    def result(self, measure: Literal["reference-agreement", "reference_agreement"], **arguments: Unpack[ReferenceAgreementArguments]) -> ReferenceAgreementResult: ...
    @overload
    def result(self, measure: Literal["people"], **arguments: Unpack[PeopleArguments]) -> PeopleResult: ...
    @overload
    def result(self, measure: Literal["ranking"], **arguments: Unpack[RankingArguments]) -> RankingResult: ...
    @overload
    def result(self, measure: Literal["ranking-distance", "ranking_distance"], **arguments: Unpack[RankingDistanceArguments]) -> RankingDistanceResult: ...
    @overload
    def result(self, measure: Literal["ranking-flips", "ranking_flips"], **arguments: Unpack[RankingFlipsArguments]) -> RankingFlipsResult: ...
    @overload
    def result(self, measure: Literal["association"], **arguments: Unpack[AssociationArguments]) -> AssociationResult: ...
    @overload
    def result(self, measure: Literal["together"], **arguments: Unpack[TogetherArguments]) -> TogetherResult: ...
    @overload
    def result(self, measure: Literal["transforms"], **arguments: Unpack[TransformsArguments]) -> TransformsResult: ...
    @overload
    def result(self, measure: Literal["judge-costs", "judge_costs"], **arguments: Unpack[JudgeCostsArguments]) -> JudgeCostsResult: ...
    @overload
    def result(self, measure: Literal["annotators"], **arguments: Unpack[AnnotatorsArguments]) -> AnnotatorsResult: ...
    @overload
    def result(self, measure: Literal["which-judge", "which_judge"], **arguments: Unpack[WhichJudgeArguments]) -> WhichJudgeResult: ...
    @overload
    def result(self, measure: Measure, **arguments: Any) -> Result: ...
    @overload
    def measure(self, measure: Literal["hspp"], **arguments: Unpack[HsppArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["overestimation"], **arguments: Unpack[OverestimationArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["accuracy"], **arguments: Unpack[AccuracyArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["delta"], **arguments: Unpack[DeltaArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["agreement-curve", "agreement_curve"], **arguments: Unpack[AgreementCurveArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["committee"], **arguments: Unpack[CommitteeArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["committee-size", "committee_size"], **arguments: Unpack[CommitteeSizeArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["committee-families", "committee_families"], **arguments: Unpack[CommitteeFamiliesArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["scorecard"], **arguments: Unpack[ScorecardArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["expected"], **arguments: Unpack[ExpectedArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["corrected"], **arguments: Unpack[CorrectedArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["outside"], **arguments: Unpack[OutsideArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["equal-quality", "equal_quality"], **arguments: Unpack[EqualQualityArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["discriminability"], **arguments: Unpack[DiscriminabilityArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["archetypes"], **arguments: Unpack[ArchetypesArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["mitigation"], **arguments: Unpack[MitigationArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["quality-baseline", "quality_baseline"], **arguments: Unpack[QualityBaselineArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["quality-baseline-summary", "quality_baseline_summary"], **arguments: Unpack[QualityBaselineSummaryArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["dbg"], **arguments: Unpack[DbgArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["votes"], **arguments: Unpack[VotesArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["position"], **arguments: Unpack[PositionArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["ordering"], **arguments: Unpack[OrderingArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["permutation"], **arguments: Unpack[PermutationArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["order-effect", "order_effect"], **arguments: Unpack[OrderEffectArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["list-ranks", "list_ranks"], **arguments: Unpack[ListRanksArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["robustness"], **arguments: Unpack[RobustnessArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["recognition-score", "recognition_score"], **arguments: Unpack[RecognitionScoreArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["familiarity-score", "familiarity_score"], **arguments: Unpack[FamiliarityScoreArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["reference-agreement", "reference_agreement"], **arguments: Unpack[ReferenceAgreementArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["people"], **arguments: Unpack[PeopleArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["ranking"], **arguments: Unpack[RankingArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["ranking-distance", "ranking_distance"], **arguments: Unpack[RankingDistanceArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["ranking-flips", "ranking_flips"], **arguments: Unpack[RankingFlipsArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["association"], **arguments: Unpack[AssociationArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["together"], **arguments: Unpack[TogetherArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["transforms"], **arguments: Unpack[TransformsArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["judge-costs", "judge_costs"], **arguments: Unpack[JudgeCostsArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["annotators"], **arguments: Unpack[AnnotatorsArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["which-judge", "which_judge"], **arguments: Unpack[WhichJudgeArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Measure, **arguments: Any) -> pd.DataFrame: ...
    @overload
    def chart(self, measure: Literal["hspp"], **arguments: Unpack[HsppArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["overestimation"], **arguments: Unpack[OverestimationArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["accuracy"], **arguments: Unpack[AccuracyArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["delta"], **arguments: Unpack[DeltaArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["agreement-curve", "agreement_curve"], **arguments: Unpack[AgreementCurveArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["committee"], **arguments: Unpack[CommitteeArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["committee-size", "committee_size"], **arguments: Unpack[CommitteeSizeArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["committee-families", "committee_families"], **arguments: Unpack[CommitteeFamiliesArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["equal-quality", "equal_quality"], **arguments: Unpack[EqualQualityArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["archetypes"], **arguments: Unpack[ArchetypesArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["mitigation"], **arguments: Unpack[MitigationArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["quality-baseline", "quality_baseline"], **arguments: Unpack[QualityBaselineArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["dbg"], **arguments: Unpack[DbgArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["votes"], **arguments: Unpack[VotesArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["position"], **arguments: Unpack[PositionArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["ordering"], **arguments: Unpack[OrderingArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["permutation"], **arguments: Unpack[PermutationArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["order-effect", "order_effect"], **arguments: Unpack[OrderEffectArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["list-ranks", "list_ranks"], **arguments: Unpack[ListRanksArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["robustness"], **arguments: Unpack[RobustnessArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["recognition-score", "recognition_score"], **arguments: Unpack[RecognitionScoreArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["familiarity-score", "familiarity_score"], **arguments: Unpack[FamiliarityScoreArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["ranking"], **arguments: Unpack[RankingArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["ranking-distance", "ranking_distance"], **arguments: Unpack[RankingDistanceArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["together"], **arguments: Unpack[TogetherArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Measure, **arguments: Any) -> alt.TopLevelMixin: ...
    def find_result(self, **arguments: Unpack[FindArguments]) -> FindResult: ...
    def find(self, **arguments: Unpack[FindArguments]) -> pd.DataFrame: ...
    def findings(self, *, resamples: int | None = None, seed: int | None = None) -> Findings: ...
    def families(self, relatives: str | None = None) -> dict[str, str | None]: ...
