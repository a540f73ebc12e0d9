# Made from the catalogue: python -m tests.tools.study_stub --write; edit it there.
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, TypedDict, Unpack, overload

from engine.arrays.study_arrays import StudyArrays
from engine.measures import row_types
from engine.measures.entry import Measure
from engine.measures.result import Result
from engine.slices import Slice

Names = str | Sequence[str]
Numbers = int | str | Sequence[int]
Range = str | tuple[float | None, float | None]

class SliceArguments(TypedDict, total=False):
    judge: Names
    generator: Names
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
    segment: Names
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
    by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None
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
    by: str | Sequence[str]

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

class OutsideArguments(SlicedArguments, total=False):
    truth: Literal["failed", "met", "any"] | None
    pairs: Literal["all", "lost", "tied", "won", "equal"] | None
    opponents: Literal["outside", "all"] | None
    epsilon: float | None
    quality: Literal["judges", "reference"] | None
    quality_judges: Names | None

class TogetherArguments(WholeArguments, total=False):
    by: None

class HsppArguments(SlicedArguments, total=False):
    pass

class OverestimationArguments(SlicedArguments, total=False):
    pass

class DeltaArguments(SlicedArguments, total=False):
    pass

class AgreementCurveArguments(SlicedArguments, total=False):
    pass

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
    rows: Literal["judges", "summary"] | None

class DbgArguments(SlicedArguments, total=False):
    gold: Names | None
    gold_rule: Literal["mean", "agreeing"] | None
    ties: Literal["keep", "drop"] | None
    length_ratio: float | None
    panels: bool | None

class GoldStressArguments(SlicedArguments, total=False):
    epsilon: float | None

class VotesArguments(SlicedArguments, total=False):
    pass

class WhichJudgeArguments(WholeArguments, total=False):
    by: None
    enough: float | None
    bound: float | None
    rows: Literal["judges", "costs"] | None

class AccuracyArguments(SlicedArguments, total=False):
    pass

class PeopleArguments(WholeArguments, total=False):
    by: None
    epsilon: float | None

class ReferenceAgreementArguments(WholeArguments, total=False):
    by: None
    a: str | None
    b: str | None

class AnnotatorsArguments(WholeArguments, total=False):
    by: Literal["annotator", "pair", "quality_difference"] | None
    tasks: Names | None
    quality: Literal["judges", "reference"] | None
    quality_judges: Names | None
    epsilon: float | None
    epsilons: Names | None

class BestOfNArguments(SlicedArguments, total=False):
    pass

class RankingArguments(SlicedArguments, total=False):
    strictness: Literal["own", "equal"] | None
    rows: Literal["models", "flips"] | None

class VoteRankingArguments(SlicedArguments, total=False):
    pass

class RankingDistanceArguments(SlicedArguments, total=False):
    pass

class CorrectedArguments(SlicedArguments, total=False):
    method: Literal["prediction_powered", "rogan_gladen"] | None

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

class PositionArguments(WholeArguments, total=False):
    by: Literal["score", "rubric", "axis", "theme", "category", "language", "segment", "run", "variant", "transform", "ordering"] | None

class OrderingArguments(WholeArguments, total=False):
    by: Literal["rubric", "axis", "theme", "category", "language", "segment", "run", "variant", "transform"] | None
    search: Literal["balanced", "all"] | None

class PermutationArguments(WholeArguments, total=False):
    by: Literal["rubric", "axis", "theme", "category", "language", "segment", "run", "variant", "transform"] | None

class ModelLikenessArguments(WholeArguments, total=False):
    by: Literal["rubric", "axis", "theme", "category", "language", "segment", "run", "variant", "transform"] | None
    models: Names | None
    people: Names | None

class OrderEffectArguments(WholeArguments, total=False):
    by: Literal["run", "transform", "theme", "category", "language", "segment", "quality_difference"] | None
    quality: Literal["judges", "reference"] | None
    quality_judges: Names | None

class ListRanksArguments(SlicedArguments, total=False):
    pass

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

class RelatednessArguments(SlicedArguments, total=False):
    pass

class RobustnessArguments(WholeArguments, total=False):
    by: None
    rows: Literal["verdicts", "preference"] | None

class RecognitionScoreArguments(SlicedArguments, total=False):
    pass

class FamiliarityScoreArguments(SlicedArguments, total=False):
    verdicts: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise"] | None

class AssociationArguments(WholeArguments, total=False):
    by: None

class LengthArguments(SlicedArguments, total=False):
    pass

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

class RankingFlipsArguments(SlicedArguments, total=False):
    pass

class TransformsArguments(WholeArguments, total=False):
    by: None

class JudgeCostsArguments(WholeArguments, total=False):
    by: None

class ScorecardResult(Result):
    @property
    def rows(self) -> list[row_types.ScorecardRow]: ...

class ExpectedResult(Result):
    @property
    def rows(self) -> list[row_types.ExpectedRow]: ...

class OutsideResult(Result):
    @property
    def rows(self) -> list[row_types.OutsideRow]: ...

class TogetherResult(Result):
    @property
    def rows(self) -> list[row_types.TogetherRow]: ...

class HsppResult(Result):
    @property
    def rows(self) -> list[row_types.HsppRow]: ...

class OverestimationResult(Result):
    @property
    def rows(self) -> list[row_types.OverestimationRow]: ...

class DeltaResult(Result):
    @property
    def rows(self) -> list[row_types.DeltaRow]: ...

class AgreementCurveResult(Result):
    @property
    def rows(self) -> list[row_types.AgreementCurveRow]: ...

class EqualQualityResult(Result):
    @property
    def rows(self) -> list[row_types.EqualQualityRow]: ...

class DiscriminabilityResult(Result):
    @property
    def rows(self) -> list[row_types.DiscriminabilityRow]: ...

class ArchetypesResult(Result):
    @property
    def rows(self) -> list[row_types.ArchetypesRow]: ...

class QualityBaselineResult(Result):
    @property
    def rows(self) -> list[row_types.QualityBaselineRow]: ...

class DbgResult(Result):
    @property
    def rows(self) -> list[row_types.DbgRow]: ...

class GoldStressResult(Result):
    @property
    def rows(self) -> list[row_types.GoldStressRow]: ...

class VotesResult(Result):
    @property
    def rows(self) -> list[row_types.VotesRow]: ...

class WhichJudgeResult(Result):
    @property
    def rows(self) -> list[row_types.WhichJudgeRow]: ...

class AccuracyResult(Result):
    @property
    def rows(self) -> list[row_types.AccuracyRow]: ...

class PeopleResult(Result):
    @property
    def rows(self) -> list[row_types.PeopleRow]: ...

class ReferenceAgreementResult(Result):
    @property
    def rows(self) -> list[row_types.ReferenceAgreementRow]: ...

class AnnotatorsResult(Result):
    @property
    def rows(self) -> list[row_types.AnnotatorsRow]: ...

class BestOfNResult(Result):
    @property
    def rows(self) -> list[row_types.BestOfNRow]: ...

class RankingResult(Result):
    @property
    def rows(self) -> list[row_types.RankingRow]: ...

class VoteRankingResult(Result):
    @property
    def rows(self) -> list[row_types.VoteRankingRow]: ...

class RankingDistanceResult(Result):
    @property
    def rows(self) -> list[row_types.RankingDistanceRow]: ...

class CorrectedResult(Result):
    @property
    def rows(self) -> list[row_types.CorrectedRow]: ...

class CommitteeResult(Result):
    @property
    def rows(self) -> list[row_types.CommitteeRow]: ...

class CommitteeSizeResult(Result):
    @property
    def rows(self) -> list[row_types.CommitteeSizeRow]: ...

class CommitteeFamiliesResult(Result):
    @property
    def rows(self) -> list[row_types.CommitteeFamiliesRow]: ...

class PositionResult(Result):
    @property
    def rows(self) -> list[row_types.PositionRow]: ...

class OrderingResult(Result):
    @property
    def rows(self) -> list[row_types.OrderingRow]: ...

class PermutationResult(Result):
    @property
    def rows(self) -> list[row_types.PermutationRow]: ...

class ModelLikenessResult(Result):
    @property
    def rows(self) -> list[row_types.ModelLikenessRow]: ...

class OrderEffectResult(Result):
    @property
    def rows(self) -> list[row_types.OrderEffectRow]: ...

class ListRanksResult(Result):
    @property
    def rows(self) -> list[row_types.ListRanksRow]: ...

class MitigationResult(Result):
    @property
    def rows(self) -> list[row_types.MitigationRow]: ...

class RelatednessResult(Result):
    @property
    def rows(self) -> list[row_types.RelatednessRow]: ...

class RobustnessResult(Result):
    @property
    def rows(self) -> list[row_types.RobustnessRow]: ...

class RecognitionScoreResult(Result):
    @property
    def rows(self) -> list[row_types.RecognitionScoreRow]: ...

class FamiliarityScoreResult(Result):
    @property
    def rows(self) -> list[row_types.FamiliarityScoreRow]: ...

class AssociationResult(Result):
    @property
    def rows(self) -> list[row_types.AssociationRow]: ...

class LengthResult(Result):
    @property
    def rows(self) -> list[row_types.LengthRow]: ...

class QualityBaselineSummaryResult(Result):
    @property
    def rows(self) -> list[row_types.QualityBaselineSummaryRow]: ...

class RankingFlipsResult(Result):
    @property
    def rows(self) -> list[row_types.RankingFlipsRow]: ...

class TransformsResult(Result):
    @property
    def rows(self) -> list[row_types.TransformsRow]: ...

class JudgeCostsResult(Result):
    @property
    def rows(self) -> list[row_types.JudgeCostsRow]: ...

class FindResult(Result):
    @property
    def rows(self) -> list[row_types.FindRow]: ...

class MeasuredStudy(StudyArrays):
    @classmethod
    def open(cls, path: str | Path | None = None, *, store: str | Path | None = None) -> Self: ...
    @overload
    def result(self, measure: Literal["scorecard"], **arguments: Unpack[ScorecardArguments]) -> ScorecardResult: ...
    @overload
    def result(self, measure: Literal["expected"], **arguments: Unpack[ExpectedArguments]) -> ExpectedResult: ...
    @overload
    def result(self, measure: Literal["outside"], **arguments: Unpack[OutsideArguments]) -> OutsideResult: ...
    @overload
    def result(self, measure: Literal["together"], **arguments: Unpack[TogetherArguments]) -> TogetherResult: ...
    @overload
    def result(self, measure: Literal["hspp"], **arguments: Unpack[HsppArguments]) -> HsppResult: ...
    @overload
    def result(self, measure: Literal["overestimation"], **arguments: Unpack[OverestimationArguments]) -> OverestimationResult: ...
    @overload
    def result(self, measure: Literal["delta"], **arguments: Unpack[DeltaArguments]) -> DeltaResult: ...
    @overload
    def result(self, measure: Literal["agreement-curve", "agreement_curve"], **arguments: Unpack[AgreementCurveArguments]) -> AgreementCurveResult: ...
    @overload
    def result(self, measure: Literal["equal-quality", "equal_quality"], **arguments: Unpack[EqualQualityArguments]) -> EqualQualityResult: ...
    @overload
    def result(self, measure: Literal["discriminability"], **arguments: Unpack[DiscriminabilityArguments]) -> DiscriminabilityResult: ...
    @overload
    def result(self, measure: Literal["archetypes"], **arguments: Unpack[ArchetypesArguments]) -> ArchetypesResult: ...
    @overload
    def result(self, measure: Literal["quality-baseline", "quality_baseline"], **arguments: Unpack[QualityBaselineArguments]) -> QualityBaselineResult: ...
    @overload
    def result(self, measure: Literal["dbg"], **arguments: Unpack[DbgArguments]) -> DbgResult: ...
    @overload
    def result(self, measure: Literal["gold-stress", "gold_stress"], **arguments: Unpack[GoldStressArguments]) -> GoldStressResult: ...
    @overload
    def result(self, measure: Literal["votes"], **arguments: Unpack[VotesArguments]) -> VotesResult: ...
    @overload
    def result(self, measure: Literal["which-judge", "which_judge"], **arguments: Unpack[WhichJudgeArguments]) -> WhichJudgeResult: ...
    @overload
    def result(self, measure: Literal["accuracy"], **arguments: Unpack[AccuracyArguments]) -> AccuracyResult: ...
    @overload
    def result(self, measure: Literal["people"], **arguments: Unpack[PeopleArguments]) -> PeopleResult: ...
    @overload
    def result(self, measure: Literal["reference-agreement", "reference_agreement"], **arguments: Unpack[ReferenceAgreementArguments]) -> ReferenceAgreementResult: ...
    @overload
    def result(self, measure: Literal["annotators"], **arguments: Unpack[AnnotatorsArguments]) -> AnnotatorsResult: ...
    @overload
    def result(self, measure: Literal["best-of-n", "best_of_n"], **arguments: Unpack[BestOfNArguments]) -> BestOfNResult: ...
    @overload
    def result(self, measure: Literal["ranking"], **arguments: Unpack[RankingArguments]) -> RankingResult: ...
    @overload
    def result(self, measure: Literal["vote-ranking", "vote_ranking"], **arguments: Unpack[VoteRankingArguments]) -> VoteRankingResult: ...
    @overload
    def result(self, measure: Literal["ranking-distance", "ranking_distance"], **arguments: Unpack[RankingDistanceArguments]) -> RankingDistanceResult: ...
    @overload
    def result(self, measure: Literal["corrected"], **arguments: Unpack[CorrectedArguments]) -> CorrectedResult: ...
    @overload
    def result(self, measure: Literal["committee"], **arguments: Unpack[CommitteeArguments]) -> CommitteeResult: ...
    @overload
    def result(self, measure: Literal["committee-size", "committee_size"], **arguments: Unpack[CommitteeSizeArguments]) -> CommitteeSizeResult: ...
    @overload
    def result(self, measure: Literal["committee-families", "committee_families"], **arguments: Unpack[CommitteeFamiliesArguments]) -> CommitteeFamiliesResult: ...
    @overload
    def result(self, measure: Literal["position"], **arguments: Unpack[PositionArguments]) -> PositionResult: ...
    @overload
    def result(self, measure: Literal["ordering"], **arguments: Unpack[OrderingArguments]) -> OrderingResult: ...
    @overload
    def result(self, measure: Literal["permutation"], **arguments: Unpack[PermutationArguments]) -> PermutationResult: ...
    @overload
    def result(self, measure: Literal["model-likeness", "model_likeness"], **arguments: Unpack[ModelLikenessArguments]) -> ModelLikenessResult: ...
    @overload
    def result(self, measure: Literal["order-effect", "order_effect"], **arguments: Unpack[OrderEffectArguments]) -> OrderEffectResult: ...
    @overload
    def result(self, measure: Literal["list-ranks", "list_ranks"], **arguments: Unpack[ListRanksArguments]) -> ListRanksResult: ...
    @overload
    def result(self, measure: Literal["mitigation"], **arguments: Unpack[MitigationArguments]) -> MitigationResult: ...
    @overload
    def result(self, measure: Literal["relatedness"], **arguments: Unpack[RelatednessArguments]) -> RelatednessResult: ...
    @overload
    def result(self, measure: Literal["robustness"], **arguments: Unpack[RobustnessArguments]) -> RobustnessResult: ...
    @overload
    def result(self, measure: Literal["recognition-score", "recognition_score"], **arguments: Unpack[RecognitionScoreArguments]) -> RecognitionScoreResult: ...
    @overload
    def result(self, measure: Literal["familiarity-score", "familiarity_score"], **arguments: Unpack[FamiliarityScoreArguments]) -> FamiliarityScoreResult: ...
    @overload
    def result(self, measure: Literal["association"], **arguments: Unpack[AssociationArguments]) -> AssociationResult: ...
    @overload
    def result(self, measure: Literal["length"], **arguments: Unpack[LengthArguments]) -> LengthResult: ...
    @overload
    def result(self, measure: Literal["quality-baseline-summary", "quality_baseline_summary"], **arguments: Unpack[QualityBaselineSummaryArguments]) -> QualityBaselineSummaryResult: ...
    @overload
    def result(self, measure: Literal["ranking-flips", "ranking_flips"], **arguments: Unpack[RankingFlipsArguments]) -> RankingFlipsResult: ...
    @overload
    def result(self, measure: Literal["transforms"], **arguments: Unpack[TransformsArguments]) -> TransformsResult: ...
    @overload
    def result(self, measure: Literal["judge-costs", "judge_costs"], **arguments: Unpack[JudgeCostsArguments]) -> JudgeCostsResult: ...
    @overload
    def result(self, measure: Measure, **arguments: Any) -> Result: ...
    def _finished(self, result: Result) -> Result: ...
    def of_runs(self, runs: Iterable[str] | None) -> Self: ...
    def families(self, relatives: str | None = None) -> dict[str, str | None]: ...

def measure_of(measure: str | Measure) -> Measure: ...
def say_successor(entry: Measure) -> None: ...
