# Made from the catalogue: python -m tests.tools.study_stub --write; edit it there.
import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, Unpack, overload

import altair as alt
import pandas as pd

from engine.findings.findings import Findings
from engine.measures.entry import Measure
from engine.measures.measured_study import *
from engine.measures.result import Result
from engine.report.gate_report import GateReport
from engine.slices import Repeats, Slice

class StudyFindings(Findings): ...

class Study(MeasuredStudy):
    @overload
    def measure(self, measure: Literal["scorecard"], **arguments: Unpack[ScorecardArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["expected"], **arguments: Unpack[ExpectedArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["outside"], **arguments: Unpack[OutsideArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["together"], **arguments: Unpack[TogetherArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["hspp"], **arguments: Unpack[HsppArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["overestimation"], **arguments: Unpack[OverestimationArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["delta"], **arguments: Unpack[DeltaArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["agreement-curve", "agreement_curve"], **arguments: Unpack[AgreementCurveArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["equal-quality", "equal_quality"], **arguments: Unpack[EqualQualityArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["discriminability"], **arguments: Unpack[DiscriminabilityArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["archetypes"], **arguments: Unpack[ArchetypesArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["quality-baseline", "quality_baseline"], **arguments: Unpack[QualityBaselineArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["dbg"], **arguments: Unpack[DbgArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["gold-stress", "gold_stress"], **arguments: Unpack[GoldStressArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["votes"], **arguments: Unpack[VotesArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["which-judge", "which_judge"], **arguments: Unpack[WhichJudgeArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["accuracy"], **arguments: Unpack[AccuracyArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["people"], **arguments: Unpack[PeopleArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["reference-agreement", "reference_agreement"], **arguments: Unpack[ReferenceAgreementArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["annotators"], **arguments: Unpack[AnnotatorsArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["best-of-n", "best_of_n"], **arguments: Unpack[BestOfNArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["ranking"], **arguments: Unpack[RankingArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["vote-ranking", "vote_ranking"], **arguments: Unpack[VoteRankingArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["ranking-distance", "ranking_distance"], **arguments: Unpack[RankingDistanceArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["corrected"], **arguments: Unpack[CorrectedArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["committee"], **arguments: Unpack[CommitteeArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["committee-size", "committee_size"], **arguments: Unpack[CommitteeSizeArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["committee-families", "committee_families"], **arguments: Unpack[CommitteeFamiliesArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["position"], **arguments: Unpack[PositionArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["ordering"], **arguments: Unpack[OrderingArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["permutation"], **arguments: Unpack[PermutationArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["model-likeness", "model_likeness"], **arguments: Unpack[ModelLikenessArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["order-effect", "order_effect"], **arguments: Unpack[OrderEffectArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["list-ranks", "list_ranks"], **arguments: Unpack[ListRanksArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["mitigation"], **arguments: Unpack[MitigationArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["relatedness"], **arguments: Unpack[RelatednessArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["robustness"], **arguments: Unpack[RobustnessArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["recognition-score", "recognition_score"], **arguments: Unpack[RecognitionScoreArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["familiarity-score", "familiarity_score"], **arguments: Unpack[FamiliarityScoreArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["association"], **arguments: Unpack[AssociationArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["length"], **arguments: Unpack[LengthArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["quality-baseline-summary", "quality_baseline_summary"], **arguments: Unpack[QualityBaselineSummaryArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["ranking-flips", "ranking_flips"], **arguments: Unpack[RankingFlipsArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["transforms"], **arguments: Unpack[TransformsArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Literal["judge-costs", "judge_costs"], **arguments: Unpack[JudgeCostsArguments]) -> pd.DataFrame: ...
    @overload
    def measure(self, measure: Measure, **arguments: Any) -> pd.DataFrame: ...
    @overload
    def plot(self, measure: Literal["scorecard"], **arguments: Unpack[ScorecardArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["expected"], **arguments: Unpack[ExpectedArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["outside"], **arguments: Unpack[OutsideArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["together"], **arguments: Unpack[TogetherArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["hspp"], **arguments: Unpack[HsppArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["overestimation"], **arguments: Unpack[OverestimationArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["delta"], **arguments: Unpack[DeltaArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["agreement-curve", "agreement_curve"], **arguments: Unpack[AgreementCurveArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["equal-quality", "equal_quality"], **arguments: Unpack[EqualQualityArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["discriminability"], **arguments: Unpack[DiscriminabilityArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["archetypes"], **arguments: Unpack[ArchetypesArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["quality-baseline", "quality_baseline"], **arguments: Unpack[QualityBaselineArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["dbg"], **arguments: Unpack[DbgArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["gold-stress", "gold_stress"], **arguments: Unpack[GoldStressArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["votes"], **arguments: Unpack[VotesArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["accuracy"], **arguments: Unpack[AccuracyArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["people"], **arguments: Unpack[PeopleArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["best-of-n", "best_of_n"], **arguments: Unpack[BestOfNArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["ranking"], **arguments: Unpack[RankingArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["vote-ranking", "vote_ranking"], **arguments: Unpack[VoteRankingArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["ranking-distance", "ranking_distance"], **arguments: Unpack[RankingDistanceArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["corrected"], **arguments: Unpack[CorrectedArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["committee"], **arguments: Unpack[CommitteeArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["committee-size", "committee_size"], **arguments: Unpack[CommitteeSizeArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["committee-families", "committee_families"], **arguments: Unpack[CommitteeFamiliesArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["position"], **arguments: Unpack[PositionArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["ordering"], **arguments: Unpack[OrderingArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["permutation"], **arguments: Unpack[PermutationArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["model-likeness", "model_likeness"], **arguments: Unpack[ModelLikenessArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["order-effect", "order_effect"], **arguments: Unpack[OrderEffectArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["list-ranks", "list_ranks"], **arguments: Unpack[ListRanksArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["mitigation"], **arguments: Unpack[MitigationArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["relatedness"], **arguments: Unpack[RelatednessArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["robustness"], **arguments: Unpack[RobustnessArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["recognition-score", "recognition_score"], **arguments: Unpack[RecognitionScoreArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["familiarity-score", "familiarity_score"], **arguments: Unpack[FamiliarityScoreArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["length"], **arguments: Unpack[LengthArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["ranking-flips", "ranking_flips"], **arguments: Unpack[RankingFlipsArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Literal["judge-costs", "judge_costs"], **arguments: Unpack[JudgeCostsArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, **arguments: Unpack[ScorecardArguments]) -> alt.TopLevelMixin: ...
    @overload
    def plot(self, measure: Measure, **arguments: Any) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["scorecard"], **arguments: Unpack[ScorecardArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["expected"], **arguments: Unpack[ExpectedArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["outside"], **arguments: Unpack[OutsideArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["together"], **arguments: Unpack[TogetherArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["hspp"], **arguments: Unpack[HsppArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["overestimation"], **arguments: Unpack[OverestimationArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["delta"], **arguments: Unpack[DeltaArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["agreement-curve", "agreement_curve"], **arguments: Unpack[AgreementCurveArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["equal-quality", "equal_quality"], **arguments: Unpack[EqualQualityArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["discriminability"], **arguments: Unpack[DiscriminabilityArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["archetypes"], **arguments: Unpack[ArchetypesArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["quality-baseline", "quality_baseline"], **arguments: Unpack[QualityBaselineArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["dbg"], **arguments: Unpack[DbgArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["gold-stress", "gold_stress"], **arguments: Unpack[GoldStressArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["votes"], **arguments: Unpack[VotesArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["accuracy"], **arguments: Unpack[AccuracyArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["people"], **arguments: Unpack[PeopleArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["best-of-n", "best_of_n"], **arguments: Unpack[BestOfNArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["ranking"], **arguments: Unpack[RankingArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["vote-ranking", "vote_ranking"], **arguments: Unpack[VoteRankingArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["ranking-distance", "ranking_distance"], **arguments: Unpack[RankingDistanceArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["corrected"], **arguments: Unpack[CorrectedArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["committee"], **arguments: Unpack[CommitteeArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["committee-size", "committee_size"], **arguments: Unpack[CommitteeSizeArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["committee-families", "committee_families"], **arguments: Unpack[CommitteeFamiliesArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["position"], **arguments: Unpack[PositionArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["ordering"], **arguments: Unpack[OrderingArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["permutation"], **arguments: Unpack[PermutationArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["model-likeness", "model_likeness"], **arguments: Unpack[ModelLikenessArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["order-effect", "order_effect"], **arguments: Unpack[OrderEffectArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["list-ranks", "list_ranks"], **arguments: Unpack[ListRanksArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["mitigation"], **arguments: Unpack[MitigationArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["relatedness"], **arguments: Unpack[RelatednessArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["robustness"], **arguments: Unpack[RobustnessArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["recognition-score", "recognition_score"], **arguments: Unpack[RecognitionScoreArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["familiarity-score", "familiarity_score"], **arguments: Unpack[FamiliarityScoreArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["length"], **arguments: Unpack[LengthArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["ranking-flips", "ranking_flips"], **arguments: Unpack[RankingFlipsArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Literal["judge-costs", "judge_costs"], **arguments: Unpack[JudgeCostsArguments]) -> alt.TopLevelMixin: ...
    @overload
    def chart(self, measure: Measure, **arguments: Any) -> alt.TopLevelMixin: ...
    def find_result(self, **arguments: Unpack[FindArguments]) -> FindResult: ...
    def slices(self, **arguments: Unpack[FindArguments]) -> pd.DataFrame: ...
    def find(self, **arguments: Unpack[FindArguments]) -> pd.DataFrame: ...
    def findings(self, *, resamples: int | None = None, seed: int | None = None) -> StudyFindings: ...
    @overload
    def judges(self, *, full: bool = False, **arguments: Unpack[ScorecardArguments]) -> pd.DataFrame: ...
    @overload
    def judges(self, *, full: bool = False, **arguments: Unpack[ExpectedArguments]) -> pd.DataFrame: ...
    def judgments(self, *, full: bool = False, **columns: str | float | Sequence[str | float] | None) -> pd.DataFrame: ...
    def responses(self, *, full: bool = False, **columns: str | float | Sequence[str | float] | None) -> pd.DataFrame: ...
    def measures(self, *, full: bool = False) -> pd.DataFrame: ...
    def power(self, excess: float | Sequence[float] = (), *, questions: int | None = None, power: float = 0.8, tastes: float = 0.0) -> pd.DataFrame: ...
    def gate(self, judge: Names = (), *, max_excess: float | None = None, max_ratio: float | None = None, require: Literal["no_material_preference", "not_shown"] | None = None, independent: bool = False, group: bool = False, run: Names = (), paradigm: str | None = None, variant: str | None = None, repeats: Repeats = "majority") -> GateReport: ...
    def report(self, path: str | Path, *, story: str = "main", date: str | dt.date | None = None, force: bool = False) -> Path: ...
    def card(self, judge: str, path: str | Path, *, date: str | dt.date | None = None, force: bool = False) -> Path: ...
    def save(self, name: str, *, store: str | Path | None = None, mode: Literal["new", "append", "replace"] = "new", run: str | None = None) -> Self: ...
    def scorecard(self, *, full: bool = ..., decide: Literal["odds_self", "hspp_matched", "vote_outside", "vote_outside_lost", "bonus_outside"] | None = ..., clusters: Literal["instance", "theme"] | None = ..., material: float | None = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Do the judges favour themselves, which of them stand out, and how certain is that?

        a judge's grades of its own answers against those of judges of other families: larger than chance,
        counting all judges tested, is overrating; also larger than differences in liking between any two
        models, and there on the same criteria, is favouring. By the first of these that the study allows:
        odds on failed criteria, the matched ratio, votes above other judges', points above other judges',
        odds on all criteria; the judges together, by family

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `attrs["together"]` holds the values of all judges together. `help(engine.Study.measure)` describes
        the arguments of every measure, `help(engine.Slice)` the filters; `judge` and `generator` are short
        for `judges` and `generators`.

        Columns:
            judge: the judge
            conclusion: favours_itself, overrates_itself, no_material_preference, not_shown, too_few_cases,
                underrates_itself or disfavours_itself; of the judges together judges_favour_themselves,
                judges_overrate_themselves, judges_underrate_themselves, judges_disfavour_themselves,
                not_shown or too_few_families
            own_given: share of its own cases that the judge passed, its mean vote (a flip is one half), or
                its mean score; where decided_by is hspp_matched, the share passed of its own failures, each
                as often as another family's answer failed the same criterion
            own_expected: share expected of other judges as strict as it; where decided_by is hspp_matched,
                no other judge has a part in it: the share that the judge itself passed of those failures of
                other families
            excess: own_given minus own_expected
            excess_low: lower end of excess, as of the estimate's interval: adjusted for the number of
                judges
            excess_high: upper end of excess, as of the estimate's interval: adjusted for the number of
                judges
            n_own: criteria of its own answers (or pairs; for scores, answers) judged by it and by a judge
                of another family; where decided_by is hspp_matched, by it alone
            reason: what is open, or why nothing is shown; empty where the conclusion is complete

        Options:
            decide ('odds_self', 'hspp_matched', 'vote_outside', 'vote_outside_lost', 'bonus_outside'): the
                deciding number (default: the first that the study allows); vote_outside_lost counts lost
                pairs only
            clusters ('instance', 'theme'): what standard errors delete one at a time; theme needs verdicts
                on criteria in 10 or more themes and allows for self-preference that differs between themes
            material: bound of no material preference: odds or ratios from 1/B to B (default 1.25), for
                scores points from -B to B (default 2)
        """
    def expected(self, *, full: bool = ..., truth: Literal["failed", "met", "any"] | None = ..., pairs: Literal["all", "lost", "tied", "won", "equal"] | None = ..., opponents: Literal["outside", "all"] | None = ..., epsilon: float | None = ..., quality: Literal["judges", "reference"] | None = ..., quality_judges: Names | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Of 100 own cases, how many did a judge pass, and how many would other judges as strict pass?

        own_given - own_expected; verdicts on criteria: logit P(judge passes cell) = a + b[judge] + s[judge]
        if the cell is its own + f[judge] if its family's, with a normal around a mean of the cell's author,
        one variance for all and b summing to 0, fitted by marginal likelihood (Gauss-Hermite, 31 nodes,
        ridge 1e-4 on s and f); rate(d) = mean over own cells of expit(a + b + d), a as the verdicts of
        other families' judges on the cell leave it; with rate(d) = own_given, own_expected = rate(d - log
        odds_self); pairs: own_given - vote_outside; scores: own_given - bonus_outside

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, excess in the slice, `b`, that in the other
        one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`, which are empty: it
        cannot be tested. `help(engine.Study.measure)` describes the arguments of every measure,
        `help(engine.Slice)` the filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            own_given: share of its own cases that the judge passed, its mean vote (a flip is one half), or
                its mean score
            own_expected: share expected of other judges as strict as it; its interval, unlike that of the
                conclusions, is not adjusted for the number of judges
            own_expected_low: lower end of the 95% interval of own_expected
            own_expected_high: upper end of the 95% interval of own_expected
            excess: own_given minus own_expected; 0 means no self-preference; its interval, unlike that of
                the conclusions, is not adjusted for the number of judges
            excess_low: lower end of the 95% interval of excess
            excess_high: upper end of the 95% interval of excess
            n_own: criteria of its own answers (or pairs; for scores, answers) judged by it and by a judge
                of another family

        Options:
            truth ('failed', 'met', 'any'): which verdicts on criteria count: on criteria that the reference
                fails (default where there is a reference), on those it passes, or on any; any needs no
                reference
            pairs ('all', 'lost', 'tied', 'won', 'equal'): which pairs count: all; those that the answer
                loses, ties or wins by the gold judges; or those of equal quality
            opponents ('outside', 'all'): which opponents count: models of other families, or all
            epsilon: largest quality difference at which two answers count as equal; quality is of 0 to 10,
                true scores of 0 to 1 times 10
            quality ('judges', 'reference'): where answer quality comes from
            quality_judges: judges whose scores set the quality (default: all that are not rated themselves)
        """
    def outside(self, *, full: bool = ..., truth: Literal["failed", "met", "any"] | None = ..., pairs: Literal["all", "lost", "tied", "won", "equal"] | None = ..., opponents: Literal["outside", "all"] | None = ..., epsilon: float | None = ..., quality: Literal["judges", "reference"] | None = ..., quality_judges: Names | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Does a judge pass its own answers more often than judges of other families pass the same answers?

        (own share passed by J / by others) / (others' share passed by J / by others), others being judges
        of other families; odds: conditional logistic regression by criterion of an answer

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, ratio_outside in the slice, `b`, that in
        the other one, `difference`, which is a / b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            family: the judge's family
            ratio_outside: (own_judge / own_outside) / (other_judge / other_outside); 1 means no self-
                preference
            odds_self: odds that it passes its own answers, relative to judges of other families on the same
                criteria
            vote_outside: its mean vote for its own answer minus the mean vote of judges of neither answer's
                family on the same pairs; a pair, both orders together, is one vote: 1 if it wins both
                orders, or one and ties the other, .5 for two ties or different winners, else 0
            bonus_outside: points of 100 that it gives its own answers above other judges', minus those it
                gives others'
            own_judge: share of its own answers' criteria that the judge passes, of those that a judge of
                another family judged too; a mean over these judges
            own_outside: share of the same criteria that the judge of another family passes; a mean over
                these judges
            n_own: criteria of its own answers (or pairs; for scores, answers) judged by it and by a judge
                of another family

        Options:
            truth ('failed', 'met', 'any'): which verdicts on criteria count: on criteria that the reference
                fails (default where there is a reference), on those it passes, or on any; any needs no
                reference
            pairs ('all', 'lost', 'tied', 'won', 'equal'): which pairs count: all; those that the answer
                loses, ties or wins by the gold judges; or those of equal quality
            opponents ('outside', 'all'): which opponents count: models of other families, or all
            epsilon: largest quality difference at which two answers count as equal; quality is of 0 to 10,
                true scores of 0 to 1 times 10
            quality ('judges', 'reference'): where answer quality comes from
            quality_judges: judges whose scores set the quality (default: all that are not rated themselves)
        """
    def together(self, *, full: bool = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """What do all the measures that this study allows say about each judge?

        each measure's own; sign = sign of (value - value that means no self-preference)

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            measure: the measure; its field, where that is not the headline number
            value: value of the measure
            low: lower end of its interval
            high: upper end of its interval
            sign: +1 for self-preference, -1 against, 0 neither; empty where the measure does not speak of
                self-preference
            n: number of cases behind the value
            needs: what a study must have for this measure
        """
    def hspp(self, *, full: bool = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How many times as likely is a judge to pass its own failed criteria as those of other families?

        O(J, J) / mean of O(J, G) over models G outside J's family

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `attrs["mean"]` holds the values of all judges together. With `against`, a slice to compare with,
        the columns are `a`, hspp_self in the slice, `b`, that in the other one, `difference`, which is a /
        b, and its `low`, `high`, `p` and `p_adjusted`. `help(engine.Study.measure)` describes the arguments
        of every measure, `help(engine.Slice)` the filters; `judge` and `generator` are short for `judges`
        and `generators`.

        Columns:
            judge: the judge
            hspp_self: o_self / o_other; 1 means no self-preference
            hspp_self_low: lower end of the 95% interval of hspp_self
            hspp_self_high: upper end of the 95% interval of hspp_self
            hspp_matched: the ratio over criteria that both the judge's own answer and the other answer
                failed
            hspp_family: o_family / o_other; 1 means no preference for its family
            o_self: how often the judge passes criteria that its own answers failed
            o_other: how often it passes criteria failed by models of other families, averaged over them
            n_self: criteria failed by its own answers; at level `instance`, comparisons they lost
        """
    def overestimation(self, *, full: bool = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How often does a judge pass what a model failed, or fail what it passed?

        O(J, G) = passed by J, of G's that the reference fails / G's that the reference fails

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, rate in the slice, `b`, that in the other
        one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            generator: the model that wrote the answers
            rate: overestimations / criteria that the reference fails
            rate_low: lower end of the 95% interval of rate
            rate_high: upper end of the 95% interval of rate
            relation: self (the judge itself), family, or other
            over: overestimations
            n: criteria that the reference fails; at level `instance`, comparisons lost
        """
    def delta(self, *, full: bool = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """By how many points does a judge raise its own score, beyond its general leniency?

        delta(J, G) = 100 (raw(J, G) - mean over G of raw(J, G)), raw = Score_J(G) - Score*(G)

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, delta in the slice, `b`, that in the other
        one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            generator: the model that is scored
            delta: the judge's score minus the reference's, centered over models, in points of 100
            delta_low: lower end of the 95% interval of delta
            delta_high: upper end of the 95% interval of delta
            bonus: the judge's own delta minus its mean delta for models of other families
            leniency: mean of raw_delta over all models, with what it adds to its own and its family's
                answers
            n: questions scored by both judge and reference
        """
    def agreement_curve(self, *, full: bool = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Does self-preference vanish on criteria that judges agree on?

        mean HSPP ratio over judges, on criteria on which at least a share t of pairs of judges agree

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, hspp_self_mean in the slice, `b`, that in
        the other one, `difference`, which is a / b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            threshold: lowest share of the pairs of judges that agree
            level: `rubric` or `instance`
            hspp_self_mean: mean HSPP ratio over judges
            hspp_self_mean_low: lower end of the 95% interval of hspp_self_mean
            hspp_self_mean_high: upper end of the 95% interval of hspp_self_mean
            judges: judges whose ratio is defined
            rubrics_kept: share of criteria included
        """
    def equal_quality(self, *, full: bool = ..., quality: Literal["judges", "reference", "human"] | None = ..., quality_judges: Names | None = ..., epsilon: float | None = ..., third_party: Literal["all", "out_of_family"] | None = ..., null_pairs: Literal["drawn", "all"] | None = ..., two_stage: bool | None = ..., epsilons: Names | None = ..., binomial: Literal["near_end", "known"] | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Of two answers of equal quality, how much more often does a judge firmly choose its own?

        SPB = PIR - Null-PIR: shares of pairs in which the target is chosen in both orders: the judge's own
        answer, and in null pairs, of two others as good as each other and as its own, each in turn

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, spb in the slice, `b`, that in the other
        one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            spb: PIR - Null-PIR; above 0 the judge prefers its own answers
            spb_low: lower end of the 95% interval of spb
            spb_high: upper end of the 95% interval of spb
            pir: share of pairs with a third party in which it chose its own answer in both orders
            null_pir: share of null pairs in which it chose the target in both orders
            n_pairs: pairs of its own answer and another of equal quality
            n_null_pairs: pairs of third parties, as good as its own answer too, with each as target once

        Options:
            quality ('judges', 'reference', 'human'): what decides which answers are equal: judges' scores,
                the reference's scores or people's labels
            quality_judges: judges whose scores set the quality (default: all that are not rated themselves)
            epsilon: largest quality difference at which two answers count as equal; quality is of 0 to 10,
                true scores of 0 to 1 times 10
            third_party ('all', 'out_of_family'): whether models of the judge's family count as third
                parties
            null_pairs ('drawn', 'all'): null pairs to use: ten drawn per question, or all
            two_stage: also resample the pairs within each resampled question
            epsilons: also give SPB at these epsilons, such as 0.1,0.25,0.5
            binomial ('near_end', 'known'): what the binomial test compares with: the near end of Null-PIR's
                interval, or Null-PIR itself
        """
    def discriminability(self, *, full: bool = ..., quality: Literal["judges", "reference", "human"] | None = ..., quality_judges: Names | None = ..., gap: float | None = ..., contrast_pairs: int | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Can a judge pick the better of two answers that clearly differ in quality?

        D = correct answers / answers, on pairs whose quality differs by at least the gap

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, d in the slice, `b`, that in the other one,
        `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            d: share of clearly different pairs in which it picks the better answer
            d_low: lower end of the 95% interval of d
            d_high: upper end of the 95% interval of d
            family: the judge's family
            correct: answers that name the better answer
            n: answers with a verdict
            d_all: the same share of all pairs far apart, without a draw

        Options:
            quality ('judges', 'reference', 'human'): what decides which answers are equal: judges' scores,
                the reference's scores or people's labels
            quality_judges: judges whose scores set the quality (default: all that are not rated themselves)
            gap: smallest quality difference between a better and a worse answer; quality is of 0 to 10,
                true scores of 0 to 1 times 10
            contrast_pairs: pairs drawn per judge
        """
    def archetypes(self, *, full: bool = ..., quality: Literal["judges", "reference", "human"] | None = ..., quality_judges: Names | None = ..., epsilon: float | None = ..., third_party: Literal["all", "out_of_family"] | None = ..., null_pairs: Literal["drawn", "all"] | None = ..., two_stage: bool | None = ..., binomial: Literal["near_end", "known"] | None = ..., gap: float | None = ..., contrast_pairs: int | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Is a judge able and fair, able and partial, or unable?

        D below 0.80: Incompetent Randomizer; else by SPB: Blindly Biased, Objective, Machiavellian

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, spb in the slice, `b`, that in the other
        one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            spb: PIR - Null-PIR; above 0 the judge prefers its own answers
            spb_low: lower end of the 95% interval of spb
            spb_high: upper end of the 95% interval of spb
            family: the judge's family
            d: share of clearly different pairs in which it picks the better answer
            archetype: Incompetent Randomizer, Machiavellian, Blindly Biased or Objective
            crosses: thresholds that the intervals cross, such as `d 0.8`

        Options:
            quality ('judges', 'reference', 'human'): what decides which answers are equal: judges' scores,
                the reference's scores or people's labels
            quality_judges: judges whose scores set the quality (default: all that are not rated themselves)
            epsilon: largest quality difference at which two answers count as equal; quality is of 0 to 10,
                true scores of 0 to 1 times 10
            third_party ('all', 'out_of_family'): whether models of the judge's family count as third
                parties
            null_pairs ('drawn', 'all'): null pairs to use: ten drawn per question, or all
            two_stage: also resample the pairs within each resampled question
            binomial ('near_end', 'known'): what the binomial test compares with: the near end of Null-PIR's
                interval, or Null-PIR itself
            gap: smallest quality difference between a better and a worse answer; quality is of 0 to 10,
                true scores of 0 to 1 times 10
            contrast_pairs: pairs drawn per judge
        """
    def quality_baseline(self, *, full: bool = ..., subset: Literal["ilsp", "lsp", "all"] | None = ..., proxies: Literal["all", "out_of_family", "out_of_provider"] | None = ..., proxy_models: Names | None = ..., like_accuracy: float | None = ..., max_proxies: int | None = ..., ties: Literal["keep", "drop"] | None = ..., pool: Literal["examples", "pairs"] | None = ..., fairness: Literal["pairs", "examples"] | None = ..., gold: Names | None = ..., curves: bool | None = ..., rows: Literal["judges", "summary"] | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Does a judge prefer its own worse answers more than other models' worse answers?

        T = mean over lost examples of s(own) - mean over proxies of s(proxy), where s is the share of votes

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, ilsp_updated in the slice, `b`, that in the
        other one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            opponent: the model compared with; empty on the pooled row
            ilsp_updated: T: ilsp_matched - ilsp_proxies
            ilsp_updated_low: lower end of the 95% interval of ilsp_updated
            ilsp_updated_high: upper end of the 95% interval of ilsp_updated
            relative_change: how far T differs from ilsp_matched, in percent
            p_adjusted: one-sided p-value adjusted over judges
            n: examples of the subset with a proxy; with --pool pairs, pairs of an example and a proxy

        Options:
            subset ('ilsp', 'lsp', 'all'): examples on which the baseline is computed
            proxies ('all', 'out_of_family', 'out_of_provider'): which models may be proxies
            proxy_models: use only these models as proxies
            like_accuracy: use only proxies whose accuracy differs by at most this
            max_proxies: most proxies per example; where there are more, this many are drawn at random
            ties ('keep', 'drop'): whether tie votes count against the target or are dropped
            pool ('examples', 'pairs'): what counts once in n, ilsp_matched, T and its test: an example with
                the mean of its proxies, or each pair of an example and a proxy
            fairness ('pairs', 'examples'): what counts once in proxy_win_rate: each pair of an example and
                a proxy, or an example with the mean of its proxies
            gold: gold judges and people whose preferences count (default: all)
            curves: also give coverage and T by number of proxies
            rows ('judges', 'summary'): what the rows are: judges (default) or summary (all judges, and
                judges by opponent)
        """
    def dbg(self, *, full: bool = ..., gold: Names | None = ..., gold_rule: Literal["mean", "agreeing"] | None = ..., ties: Literal["keep", "drop"] | None = ..., length_ratio: float | None = ..., panels: bool | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How much more often does a judge let its own answer win than gold judges do?

        DBG = share won by the judge's verdicts - share won by the gold judges', ties one half

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, dbg in the slice, `b`, that in the other
        one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            opponent: the model compared with; empty on the pooled row
            dbg: win_rate - gold_win_rate; above 0 the judge favours its own answers
            dbg_low: lower end of the 95% interval of dbg
            dbg_high: upper end of the 95% interval of dbg
            family: the judge's family
            win_rate: share of items that its own answer wins; ties count one half
            gold_win_rate: share of items that its own answer wins by the gold judges or the reference's
                scores

        Options:
            gold: gold judges and people whose preferences count (default: all)
            gold_rule ('mean', 'agreeing'): how gold judges decide: by their mean vote, ties one half, or
                only where at least two of them name the same winner in both orders; the other pairs are
                left out
            ties ('keep', 'drop'): where a tie was offered: follow the choices, or leave out the tie's
                probability, average the others over both orders and let the likelier answer win, as the
                paper does
            length_ratio: only pairs whose word counts differ by at most this |ln ratio|, such as 0.1
            panels: also give DBG for every panel of gold judges
        """
    def gold_stress(self, *, full: bool = ..., epsilon: float | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How far does a judge's self-preference depend on who the gold judges are?

        DBG, SPB or own minus others' passed failures under every non-empty subset of the gold judges (of
        more than 8, each alone, all, and all but each or one family), a judge never its own; mean_change:
        the mean |change| when a gold judge leaves a panel

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, value in the slice, `b`, that in the other
        one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            number: dbg, spb, or own_minus_others (passed failures of criteria)
            value: the number under all gold judges together
            value_low: lower end of the 95% interval of value
            value_high: upper end of the 95% interval of value
            family: the judge's family
            least: its lowest value under any panel
            greatest: its highest value under any panel

        Options:
            epsilon: largest quality difference at which two answers count as equal; quality is of 0 to 10,
                true scores of 0 to 1 times 10
        """
    def votes(self, *, full: bool = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Whose answers does each judge choose, and how does it rank the models?

        share of votes won; Bradley-Terry: P(i over j) = p_i / (p_i + p_j), strength = log p

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, win_rate in the slice, `b`, that in the
        other one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            generator: the model voted on
            win_rate: share of this judge's votes that the model won; both orders of a pair are one vote: a
                winner in one and a tie in the other wins, and a tie in both, or another winner in each, is
                half a vote
            win_rate_low: lower end of the 95% interval of win_rate
            win_rate_high: upper end of the 95% interval of win_rate
            strength: the model's log-strength by this judge's votes, with half a vote each way against a
                model of log-strength 0, so that one that never lost has a strength
            rank: the model's rank by strength; 1 is the highest
            n: pairs with the model's answer that the judge voted on
        """
    def which_judge(self, *, full: bool = ..., enough: float | None = ..., bound: float | None = ..., rows: Literal["judges", "costs"] | None = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Which judge is fit for what?

        fit for use on others' answers: the whole interval of accuracy is at or above `enough`, by the first
        of repeats too; never on its own: it overrates or favours itself; add a second judge: an excess of
        `bound` is possible

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            advice: what to use it for, from the intervals
            accuracy: share of its verdicts (or comparisons), on its own answers too, that equal the
                reference
            agreement: kappa with people's majority, of verdicts as met or not met, or correlation with
                their scores
            excess: what it gives its own above what is expected
            flip_rate: share of pairs whose winner changes with the order
            missing: share of its judgments without a verdict, before repeats are merged; the interval takes
                judgments as independent
            cost_per_1000: US dollars for 1,000 verdicts, where recorded

        Options:
            enough: the accuracy required for use on others' answers
            bound: the excess on its own answers, of 1, that must be ruled out
            rows ('judges', 'costs'): what the rows are: judges (default) or costs (calls, tokens and
                dollars of each judge, paradigm and variant)
        """
    def accuracy(self, *, full: bool = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How often does a judge agree with the reference, on criteria and on comparisons?

        MRA: verdicts equal to the reference / verdicts; MIPA: the same for outcomes of comparisons

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, mra in the slice, `b`, that in the other
        one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            mra: share of verdicts on criteria that equal the reference
            mra_low: lower end of the 95% interval of mra
            mra_high: upper end of the 95% interval of mra
            family: the judge's family
            mra_correct: verdicts on criteria that equal the reference
            mra_total: verdicts on criteria with a reference
            mipa: share of pairs of answers that the judge orders as the reference does, ties included
        """
    def people(self, *, full: bool = ..., epsilon: float | None = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How far does each judge agree with people, and may it stand in for one of them?

        kappa with the people's majority, Pearson's correlation with their mean; winning_rate = share of
        people whom the judge represents the others no worse than, but for epsilon (Benjamini-Yekutieli at
        .05)

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            kind: verdict, outcome (of pairs) or score
            kappa: Cohen's kappa with the people's majority (outcomes, and verdicts as met or not met)
            kappa_low: lower end of the 95% interval of kappa
            kappa_high: upper end of the 95% interval of kappa
            family: the judge's family
            correlation: Pearson's correlation with the people's mean (scores)
            balanced_f1: mean F1 of met and of not met, every item and person counted (verdicts)

        Options:
            epsilon: how much more often than the judge a person may win before it may not be replaced
        """
    def reference_agreement(self, *, full: bool = ..., a: str | None = ..., b: str | None = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How well do two references, people, judges or runs agree?

        share equal, Cohen's kappa, balanced F1 = mean of the F1 of met and of not met, correlations

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            a: one source
            b: the other source
            kind: verdict, outcome or score
            agreement: share of items on which both are equal
            agreement_low: lower end of the 95% interval of agreement
            agreement_high: upper end of the 95% interval of agreement
            n: items that both cover
            tied: items left out: one covers them, the other's people or judges are split evenly

        Options:
            a: one source: a reference, a preference source, judge:<name> or run:<id>
            b: the other source, written in the same way
        """
    def annotators(self, *, full: bool = ..., tasks: Names | None = ..., quality: Literal["judges", "reference"] | None = ..., quality_judges: Names | None = ..., epsilon: float | None = ..., epsilons: Names | None = ..., by: Literal["annotator", "pair", "quality_difference"] | None = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Do people agree with each other, and does the automatic label of equality agree with people?

        Fleiss' kappa, Krippendorff's alpha; consistency = share of pairs labelled automatically as most
        people do

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            task: the task
            epsilon: largest quality difference, of 10, that is automatically called equal
            kappa: Fleiss' kappa; of pairs, over first, second and neither in the order stored; for
                clusters, over pairs in the same cluster or not
            kappa_low: lower end of the 95% interval of kappa
            kappa_high: upper end of the 95% interval of kappa
            kind: what people were asked: equal_pair, preference, clusters, rubric_verdict or score
            pairwise_kappa: mean Cohen's kappa over pairs of people
            alpha: Krippendorff's alpha

        Options:
            tasks: use only these tasks
            quality ('judges', 'reference'): where answer quality comes from
            quality_judges: judges whose scores set the quality (default: all that are not rated themselves)
            epsilon: largest quality difference at which two answers count as equal; quality is of 0 to 10,
                true scores of 0 to 1 times 10
            epsilons: also give a row for each of these epsilons
        """
    def best_of_n(self, *, full: bool = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """As a reward, how often does a judge pick its own answer where another is better?

        of the choices in which the reference scores another answer above the judge's own: the share in
        which the judge picks its own, equal ones each alike; pick_excess: less the mean share in which
        judges of other families pick it, each from the same answers without those of its own family

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, pick_excess in the slice, `b`, that in the
        other one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            pick_excess: picked_beside less picked_outside; above 0 it picks its own worse answers more
                often
            pick_excess_low: lower end of the 95% interval of pick_excess
            pick_excess_high: upper end of the 95% interval of pick_excess
            family: the judge's family
            own_picked: of the choices in which the reference scores another answer above the judge's own,
                the share in which it picks its own; says what picking by this judge does, not why
            picked_beside: the same of the choices that judges of other families made too
            picked_outside: share of those choices in which judges of other families pick the judge's own
        """
    def ranking(self, *, full: bool = ..., strictness: Literal["own", "equal"] | None = ..., rows: Literal["models", "flips"] | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How do the judges, all judges together and the reference rank the models?

        rank by mean score over the questions on which a source scores every model; of the reference and of
        committees only those on which a judge shown does, too

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, score in the slice, `b`, that in the other
        one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            by: whose ranking: a judge, all (the mean over judges), all-without-self, all-without-family (of
                the model), committee:<name> or reference
            model: the model
            score: mean score of the model's answers
            score_low: lower end of the 95% interval of score
            score_high: upper end of the 95% interval of score
            rank: 1 is the highest; equal scores share their mean rank
            n: complete questions; for all judges together, the most of any judge

        Options:
            strictness ('own', 'equal'): how judges are combined: as they are (own), or as judges of equal
                strictness would score, so that a model does not gain by a strict judge that is left out
            rows ('models', 'flips'): what the rows are: models (default) or flips (pairs of models in the
                opposite order to the reference)
        """
    def vote_ranking(self, *, full: bool = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How do the judges' votes together rank the models, with and without votes on their own?

        Bradley-Terry on the votes of all judges: P(i over j) = p_i / (p_i + p_j), strength = log p

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, strength in the slice, `b`, that in the
        other one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            by: whose votes: all, all-without-self (votes on pairs without the judge's own answer) or all-
                without-family (on pairs without an answer of its family)
            model: the model voted on
            strength: the model's log-strength by these votes, with half a vote each way against a model of
                log-strength 0, so that one that never lost has a strength
            strength_low: lower end of the 95% interval of strength
            strength_high: upper end of the 95% interval of strength
            rank: 1 is the highest; equal strengths share their mean rank
            n: votes on pairs with the model's answer; a pair counts once for each judge
        """
    def ranking_distance(self, *, full: bool = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Whose ranking is closest to the reference's, and how many pairs of models does it reverse?

        Kendall's tau-b, mean |rank - reference's rank|, number of reversed pairs; over the questions on
        which both score every model

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, tau in the slice, `b`, that in the other
        one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            by: whose ranking: a judge, all, all-without-self, all-without-family or committee:<name>
            tau: Kendall's tau-b with the reference's ranking
            tau_low: lower end of the 95% interval of tau
            tau_high: upper end of the 95% interval of tau
            shift: mean distance between a model's two ranks, in places
            flips: pairs of models that are ranked in the opposite order
            n_models: models in both rankings
            n: questions on which both score every model; for all judges together, the most of any judge
        """
    def corrected(self, *, full: bool = ..., method: Literal["prediction_powered", "rogan_gladen"] | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Which model is best once the judges' errors are corrected by questions with a reference?

        prediction_powered: mean judge score without a reference + mean of (reference - judge) with one;
        rogan_gladen: (share - overestimation) / (sensitivity - overestimation), own and others' apart

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, score in the slice, `b`, that in the other
        one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            model: the model
            score: corrected score
            score_low: lower end of the 95% interval of score
            score_high: upper end of the 95% interval of score
            rank: rank by the corrected score; 1 is the highest
            rank_low: best rank in the joint 95% confidence set
            rank_high: worst rank in the joint 95% confidence set
            uncorrected: mean of the judges' scores

        Options:
            method ('prediction_powered', 'rogan_gladen'): how scores are corrected
        """
    def committee(self, *, full: bool = ..., members: Names | None = ..., combine: Literal["majority", "mean", "median"] | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Does a committee's majority favour a member's answers less than the member does?

        HSPP ratio and accuracy of each member, and of the committee's majority in its place

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, hspp_self_committee in the slice, `b`, that
        in the other one, `difference`, which is a / b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            level: `rubric` or `instance`
            hspp_self_committee: the committee's ratio for that member's answers
            hspp_self_committee_low: lower end of the 95% interval of hspp_self_committee
            hspp_self_committee_high: upper end of the 95% interval of hspp_self_committee
            members: the committee's members
            hspp_self: the member's ratio for its own answers
            hspp_family: the member's ratio for its family's answers

        Options:
            members: the committee's judges (default: the first committee in study.json)
            combine ('majority', 'mean', 'median'): how judgments are combined: verdicts and pairs by
                majority, scores by mean or median
        """
    def committee_size(self, *, full: bool = ..., members: Names | None = ..., combine: Literal["majority", "mean", "median"] | None = ..., sizes: Names | None = ..., most_committees: int | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How many judges does a committee need before it stops favouring its members' answers?

        mean over all committees of k judges of their HSPP ratio and accuracy for their members

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, hspp_self in the slice, `b`, that in the
        other one, `difference`, which is a / b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            size: judges in a committee; 1 means each judge alone
            level: `rubric` or `instance`
            hspp_self: mean HSPP ratio for its members over committees
            hspp_self_low: lower end of the 95% interval of hspp_self
            hspp_self_high: upper end of the 95% interval of hspp_self
            members: the judges that committees are drawn from
            committees: committees counted; all of them, up to most_committees
            hspp_self_least: smallest value of any committee

        Options:
            members: the committee's judges (default: the first committee in study.json)
            combine ('majority', 'mean', 'median'): how judgments are combined: verdicts and pairs by
                majority, scores by mean or median
            sizes: committee sizes (default: from one judge to all of them)
            most_committees: most committees per size; where there are more, this many are drawn at random
        """
    def committee_families(self, *, full: bool = ..., members: Names | None = ..., combine: Literal["majority", "mean", "median"] | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Does a committee's preference come from the members of one family?

        mean HSPP ratio and accuracy for the other members, from the full committee and without one family

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, hspp_self in the slice, `b`, that in the
        other one, `difference`, which is a / b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            without: the family that is left out
            level: `rubric` or `instance`
            hspp_self: mean ratio for the remaining members, judged by them together
            hspp_self_low: lower end of the 95% interval of hspp_self
            hspp_self_high: upper end of the 95% interval of hspp_self
            members: the remaining members
            hspp_self_whole: mean ratio for the remaining members, judged by the full committee
            hspp_family: mean ratio for the remaining members' families, judged by the remaining members

        Options:
            members: the committee's judges (default: the first committee in study.json)
            combine ('majority', 'mean', 'median'): how judgments are combined: verdicts and pairs by
                majority, scores by mean or median
        """
    def position(self, *, full: bool = ..., by: Literal["score", "rubric", "axis", "theme", "category", "language", "segment", "run", "variant", "transform", "ordering"] | None = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Does a judge pick the score option at some places in the list more often than at others?

        share of selections at each position over the 2n balanced orderings; 1/n is expected

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            n_options: number of options in the list; lists of different lengths are never pooled
            scale: the options' scores in ascending order
            position: place in the list, from 1
            share: share of selections at this position; grouped by score, P(position | score)
            share_low: lower end of the 95% interval of share
            share_high: upper end of the 95% interval of share
            n: selections
        """
    def ordering(self, *, full: bool = ..., search: Literal["balanced", "all"] | None = ..., by: Literal["rubric", "axis", "theme", "category", "language", "segment", "run", "variant", "transform"] | None = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Which order of the score options is best, and how well does each order agree with people?

        cost(pi) = 100 * sum over p of |P(p | pi_p) - 1/n|

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            n_options: number of options in the list; lists of different lengths are never pooled
            scale: the options' scores in ascending order
            ordering: the scores in the order shown
            cost: bias cost, in percentage points
            cost_low: lower end of the 95% interval of cost
            cost_high: upper end of the 95% interval of cost
            recommended: the ordering with the lowest cost

        Options:
            search ('balanced', 'all'): orderings to choose the recommended one from: the 2n balanced ones
                or all n!
        """
    def permutation(self, *, full: bool = ..., by: Literal["rubric", "axis", "theme", "category", "language", "segment", "run", "variant", "transform"] | None = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Do 2n orderings asked once agree better with people than one ordering asked 2n times?

        correlation of the mean score over orderings minus that of the mean over repeats of 1..n

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            n_options: number of options in the list; lists of different lengths are never pooled
            scale: the options' scores in ascending order
            pearson_delta: pearson_permutation - pearson_repeat
            pearson_delta_low: lower end of the 95% interval of pearson_delta
            pearson_delta_high: upper end of the 95% interval of pearson_delta
            n_items: items with all the answers compared
            n_scored: of n_items, those with a human score
        """
    def model_likeness(self, *, full: bool = ..., models: Names | None = ..., people: Names | None = ..., by: Literal["rubric", "axis", "theme", "category", "language", "segment", "run", "variant", "transform"] | None = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Was this form filled in by a model: do places of options attract a rater as they do models?

        log of the mean over models m of the product over forms of w_m(s, p) / sum over q of a(q | s) w_m(s,
        q): w_m is how many times likelier m gives score s where it stands at p, from other questions,
        shrunk to 1 as far as chance explains it; a(q | s) how often s stood at q for the rater. Against
        people: less the same of people

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the rater: a judge, model or person
            n_options: number of options in the list; lists of different lengths are never pooled
            scale: the options' scores in ascending order
            log_ratio: natural log of the likelihood ratio of all forms; above 0: attracted as models are
            log_ratio_low: lower end of the 95% interval of log_ratio
            log_ratio_high: upper end of the 95% interval of log_ratio
            known_as: model or person, as named; null: unknown
            against: what models are held against: no effect of the place, or people

        Options:
            models: raters known to be models (default: all not named as people)
            people: raters known to be people: the others are then held against their pull, in place of none
        """
    def order_effect(self, *, full: bool = ..., quality: Literal["judges", "reference"] | None = ..., quality_judges: Names | None = ..., by: Literal["run", "transform", "theme", "category", "language", "segment", "quality_difference"] | None = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How often does a judge choose what it was shown first, or change its mind with the order?

        on pairs judged in both orders: flip rate = pairs with two different winners / pairs with two
        winners

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            variant: the prompt template; all of them, unless one is chosen
            flip_rate: of pairs with a winner in both orders, the share with two different winners
            flip_rate_low: lower end of the 95% interval of flip_rate
            flip_rate_high: upper end of the 95% interval of flip_rate
            first_share: share of answers that choose the answer shown first; without an effect of the
                order, half of those that are no tie
            firm_share: share of pairs in which the same answer is chosen in both orders
            n_pairs: pairs answered in both orders

        Options:
            quality ('judges', 'reference'): where answer quality comes from
            quality_judges: judges whose scores set the quality (default: all that are not rated themselves)
        """
    def list_ranks(self, *, full: bool = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Does a judge rank its own answer higher than judges of other families rank the same answer?

        rank_gap = mean over its own answers of (rank by the judge - mean rank by judges of other families);
        pick_gap: the same for the share of lists in which the answer is ranked first

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, pick_gap in the slice, `b`, that in the
        other one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            pick_gap: pick_own - pick_outside; above 0 the judge ranks itself first more often than others
                do
            pick_gap_low: lower end of the 95% interval of pick_gap
            pick_gap_high: upper end of the 95% interval of pick_gap
            family: the judge's family
            pick_own: share of lists in which it ranks its own answer first
            pick_outside: share of the same lists in which judges of other families rank that answer first
            rank_gap: rank_own - rank_outside; below 0 the judge ranks itself higher than others do
        """
    def mitigation(self, *, full: bool = ..., variants: Names | None = ..., quality: Literal["judges", "reference", "human"] | None = ..., quality_judges: Names | None = ..., epsilon: float | None = ..., third_party: Literal["all", "out_of_family"] | None = ..., null_pairs: Literal["drawn", "all"] | None = ..., two_stage: bool | None = ..., gap: float | None = ..., contrast_pairs: int | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Does another prompt reduce self-preference, and at what cost?

        eta = (|SPB baseline| - |SPB variant|) / |SPB baseline|, on pairs that count in both

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, reduction in the slice, `b`, that in the
        other one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            variant: the variant
            reduction: |SPB| of the baseline minus |SPB| of the variant, from the same resampled questions
            reduction_low: lower end of the 95% interval of reduction
            reduction_high: upper end of the 95% interval of reduction
            family: the judge's family
            baseline: the variant it is compared with
            spb_baseline: SPB in the baseline

        Options:
            variants: variants to compare (default: cot, structured and pointwise, where present)
            quality ('judges', 'reference', 'human'): what decides which answers are equal: judges' scores,
                the reference's scores or people's labels
            quality_judges: judges whose scores set the quality (default: all that are not rated themselves)
            epsilon: largest quality difference at which two answers count as equal; quality is of 0 to 10,
                true scores of 0 to 1 times 10
            third_party ('all', 'out_of_family'): whether models of the judge's family count as third
                parties
            null_pairs ('drawn', 'all'): null pairs to use: ten drawn per question, or all
            two_stage: also resample the pairs within each resampled question
            gap: smallest quality difference between a better and a worse answer; quality is of 0 to 10,
                true scores of 0 to 1 times 10
            contrast_pairs: pairs drawn per judge
        """
    def relatedness(self, *, full: bool = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How alike do two judges err, and do judges overrate the models they are like?

        kappa: of two judges' verdicts within each truth, on answers of neither's family; relatedness: less
        what each of the two has with all judges (residual of m + u_a + u_b); growth: Pearson's r over pairs
        of models of a judge's overrating of the other, less both means, with their relatedness

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, relatedness in the slice, `b`, that in the
        other one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: a judge
            other_judge: another judge
            relatedness: kappa above what the two judges have with all others on average
            relatedness_low: lower end of the 95% interval of relatedness
            relatedness_high: upper end of the 95% interval of relatedness
            same_family: both are of one family
            kappa: agreement beyond chance within each truth; 1 means the same errors
            n: criteria of other families' answers that both judged
        """
    def robustness(self, *, full: bool = ..., rows: Literal["verdicts", "preference"] | None = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Do verdicts stay the same when answers are changed but not improved, own and others' alike?

        difference = share of own verdicts that stay the same - share of verdicts on others' answers

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            paradigm: the paradigm
            transform: how the answers were changed
            judge: the judge
            difference: robustness_own - robustness_other; below 0 verdicts on its own answers change more
                easily
            difference_low: lower end of the 95% interval of difference
            difference_high: upper end of the 95% interval of difference
            robustness_own: share of verdicts on its own answers that stay the same
            robustness_other: share of verdicts on other families' answers that stay the same

        Options:
            rows ('verdicts', 'preference'): what the rows are: verdicts (default) or preference (self-
                preference when answers are rewritten, or authors named)
        """
    def recognition_score(self, *, full: bool = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Can a judge tell which of two answers it wrote, and does it prefer the one it takes for its own?

        mean over pairs of the probability given to its own answer in both orders; without probabilities,
        the share of right answers

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, recognition in the slice, `b`, that in the
        other one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            recognition: recognition score; 0.5 is chance, above 0.5 it recognizes its own answers
            recognition_low: lower end of the 95% interval of recognition
            recognition_high: upper end of the 95% interval of recognition
            family: the judge's family
            share_right: share of answers that name its own answer
            contradicted: share of pairs in which its two answers contradict each other
            n: pairs with its own answer, asked in both orders
        """
    def familiarity_score(self, *, full: bool = ..., verdicts: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise"] | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Are its own answers more likely to a judge than others', and is that why it prefers them?

        gap = mean over questions of (own answer's mean log-probability per token - mean of others'); own
        effect = slope on authorship of the judge's verdict minus other judges', without and with
        familiarity held constant

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, familiarity_gap in the slice, `b`, that in
        the other one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            familiarity_gap: familiarity_own - familiarity_other; above 0 its own answers are more likely to
                it
            familiarity_gap_low: lower end of the 95% interval of familiarity_gap
            familiarity_gap_high: upper end of the 95% interval of familiarity_gap
            family: the judge's family
            familiarity_own: mean log-probability per token of its own answers
            familiarity_other: mean log-probability per token of other families' answers
            own_effect: how far its verdicts exceed other judges' on its own answers, minus the same on
                others'

        Options:
            verdicts ('single_rubric', 'all_rubrics', 'direct_assessment', 'pairwise'): the paradigm whose
                verdicts are compared (default: the first that the study has)
        """
    def association(self, *, full: bool = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Do better, larger or wordier judges prefer themselves more, and do the measures agree?

        Pearson's r and Spearman's rho of two numbers over judges

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            x: a measure of self-preference
            y: quality, D, accuracy, flip rate, size, answer length (characters) or another measure
            pearson: Pearson's r over judges
            spearman: Spearman's rho over judges
            n: judges with both numbers
            low: lower end of the interval of Pearson's r, from resampled judges
            high: upper end of the interval of Pearson's r, from resampled judges
            least_without_a_family: lowest r when the judges of any one family are left out
        """
    def length(self, *, full: bool = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How often does a judge prefer the longer of two answers?

        of the pairs of answers to one question whose lengths in characters differ: the share in which the
        judge's vote, or its higher score, goes to the longer one; a tie is half

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, longer in the slice, `b`, that in the other
        one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge
            longer: share of pairs in which it prefers the longer answer; the longer one may be better, and
                above a half is no proof of a bias
            longer_low: lower end of the 95% interval of longer
            longer_high: upper end of the 95% interval of longer
            family: the judge's family
            longer_of_others: the same of pairs without its own answer
            n: pairs of answers whose lengths differ
            n_others: those of them without its own answer
        """
    def quality_baseline_summary(self, *, full: bool = ..., subset: Literal["ilsp", "lsp", "all"] | None = ..., proxies: Literal["all", "out_of_family", "out_of_provider"] | None = ..., proxy_models: Names | None = ..., like_accuracy: float | None = ..., max_proxies: int | None = ..., ties: Literal["keep", "drop"] | None = ..., pool: Literal["examples", "pairs"] | None = ..., fairness: Literal["pairs", "examples"] | None = ..., gold: Names | None = ..., curves: bool | None = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How much self-preference remains beyond the baseline, over all judges?

        means, shares and correlations over the rows of quality-baseline that have a proxy

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, mean_relative_change in the slice, `b`,
        that in the other one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            scope: `pooled`: a row for each judge; `opponent`: a row for each judge and opponent
            mean_relative_change: mean of the rows' relative changes, in percent
            mean_relative_change_low: lower end of the 95% interval of mean_relative_change
            mean_relative_change_high: upper end of the 95% interval of mean_relative_change
            n_rows: rows with at least one example that has a proxy
            share_not_positive: share of rows with T at or below 0
            share_significant: share of tested rows with naive one-sided p-value below 0.05
            share_significant_adjusted: share of tested rows with adjusted naive one-sided p-value below
                0.05

        Options:
            subset ('ilsp', 'lsp', 'all'): examples on which the baseline is computed
            proxies ('all', 'out_of_family', 'out_of_provider'): which models may be proxies
            proxy_models: use only these models as proxies
            like_accuracy: use only proxies whose accuracy differs by at most this
            max_proxies: most proxies per example; where there are more, this many are drawn at random
            ties ('keep', 'drop'): whether tie votes count against the target or are dropped
            pool ('examples', 'pairs'): what counts once in n, ilsp_matched, T and its test: an example with
                the mean of its proxies, or each pair of an example and a proxy
            fairness ('pairs', 'examples'): what counts once in proxy_win_rate: each pair of an example and
                a proxy, or an example with the mean of its proxies
            gold: gold judges and people whose preferences count (default: all)
            curves: also give coverage and T by number of proxies
        """
    def ranking_flips(self, *, full: bool = ..., by: Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"] | Sequence[Literal["run", "paradigm", "variant", "transform", "ordering", "polarity", "length", "axis", "theme", "category", "language", "segment", "checker", "agreement", "position", "response_length", "stage", "size", "rubric_id", "criterion"]] | None = ..., against: Slice | str | Mapping[str, Any] | None = ..., common: bool = ..., resamples: int = ..., seed: int = ..., interval: Literal["percentile", "expanded"] = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Which pairs of models does a ranking put in the opposite order to the reference?

        lead = score above - score below: > 0 by the ranking, < 0 by the reference; over the questions on
        which both score every model

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each. With
        `against`, a slice to compare with, the columns are `a`, lead in the slice, `b`, that in the other
        one, `difference`, which is a - b, and its `low`, `high`, `p` and `p_adjusted`.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            by: whose ranking: a judge, all, all-without-self, all-without-family or committee:<name>
            above: the model that this ranking puts higher
            below: the model that the reference puts higher
            lead: score of the model above minus score of the model below
            lead_low: lower end of the 95% interval of lead
            lead_high: upper end of the 95% interval of lead
            lead_reference: the same difference by the reference; below 0
            sure: share of resamples in which the pair is reversed too
        """
    def transforms(self, *, full: bool = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """Does self-preference fall when answers are rewritten in another style or obfuscated?

        effect = bias with the transform - bias without it, on answers judged in both forms

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            measure: the measure; its field, where that is not the headline number
            judge: the judge
            transform: how the answers were rewritten
            effect: bias when rewritten minus bias as written, from the same resamples
            effect_low: lower end of the 95% interval of effect
            effect_high: upper end of the 95% interval of effect
            without: bias on the answers as written
            under: bias on the rewritten answers
        """
    def judge_costs(self, *, full: bool = ..., resamples: int = ..., seed: int = ..., slice: Slice | str | None = ..., judge: Names = ..., generator: Names = ..., run: Names = ..., paradigm: Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality", "listwise", "recognition", "familiarity"] | None = ..., variant: str | None = ..., transform: str | None = ..., level: Literal["rubric", "instance"] | None = ..., scores: Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"] = ..., reference: str | None = ..., judges: Names = ..., generators: Names = ..., polarity: Literal["positive", "negative"] | None = ..., length: Range | None = ..., length_unit: Literal["characters", "words"] = ..., axis: Names = ..., theme: Names = ..., category: Names = ..., language: Names = ..., segment: Names = ..., checker: Names = ..., rubric_id: Names = ..., ordering: str | None = ..., position: Numbers = ..., response_length: Range | None = ..., min_agreement: float | None = ..., agreement_of: Literal["rubric", "verdict"] = ..., agreement_without_family: bool = ..., relatives: Literal["family", "provider", "base_model", "tuned_from", "distilled_from"] = ..., exclude_family: bool = ..., leave_self_out: bool = ..., repeats: Literal["majority", "first"] = ..., min_instances: float = ...) -> pd.DataFrame:
        """How many calls, tokens and dollars did each judge use?

        sums over the judge's calls; rows that share a call_id, or else a prompt, count as one call

        Returns the columns below; `full=True` returns all, and `engine.explain(NAME)` describes each.
        `help(engine.Study.measure)` describes the arguments of every measure, `help(engine.Slice)` the
        filters; `judge` and `generator` are short for `judges` and `generators`.

        Columns:
            judge: the judge; empty on the row of totals
            paradigm: the paradigm
            variant: the prompt template
            calls: answered calls
            judgments: rows that the calls gave
            verdicts: rows with a verdict
            prompt_tokens: tokens sent, where recorded
            completion_tokens: tokens received, where recorded
        """
