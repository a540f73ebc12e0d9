"""`outside`: how a judge treats its own responses, compared with outside judges (MEASURES section 15)."""

from dataclasses import replace

import numpy as np

from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.arrays.pairs.judged_pairs import prefer_variant
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.pairs.pair_quality import check_difference
from engine.arrays.slicing.family_masks import family_masks
from engine.arrays.slicing.resolve import NoDataError, common_paradigm
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.gold_preferences import resolve_truth
from engine.arrays.truths.references import NONE
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures import entry
from engine.measures.columns import HANGS, judge_columns, student_t_column
from engine.measures.entry import CASE_COUNTS, DELETED, EPSILON, OF_JUDGE, QUALITY, Field, Measure, Option
from engine.measures.outside.outside_odds import has_model, if_errors, odds_columns, placebo_columns
from engine.measures.outside.outside_pairs import OutsideGaps, vote_outside
from engine.measures.outside.outside_points import left_out_of_verdicts, own_bonuses, points_gaps
from engine.measures.outside.outside_ratios import SHARES, ratio_columns
from engine.measures.rows import Column, Options, Table
from engine.measures.scorecard.family_gaps import OF_FAMILIES, with_families
from engine.paradigms import COMPARABLE, OPTION_PARADIGMS, PAIR_PARADIGMS, TRAITS
from engine.slices import Slice
from engine.stats import Floats
from engine.stats.conditional import taste_spread
from engine.stats.conditional.tastes import family_tastes
from engine.stats.intervals.adjusted_p import benjamini_hochberg
from engine.stats.intervals.jackknife import Estimates
from engine.stats.outside.outside import compare_with_outside
from engine.wording import option

_ELSEWHERE = "not_of_these_judgments"
_NUMBERS = ("odds_self", "odds_family", "bonus_outside", "vote_outside")
_OF_RELATIVES = ("bonus_outside_family", "vote_outside_family")
_NOT_OF_ALL = (
    *("ratio_outside", "difference_outside", "ratio_outside_family", "odds_common", "odds_shrunken"),
    *SHARES,
    *_NUMBERS,
    *_OF_RELATIVES,
    *(f"{name}_p_tastes" for name in _NUMBERS),
)
"""The columns that not every kind of judgment has."""
OUTSIDE_VALUES = {"ratio_outside": 1.0, "bonus_outside": 0.0, "vote_outside": 0.0, "odds_self": 1.0}
"""The numbers on a judge itself, each with the value that means no preference."""


def prepare_outside(study: StudyArrays, spec: Slice, options: Options, by: str | None) -> Slice:
    """Return the slice without a reference if none is needed; for pairs, with the variant `default`."""
    paradigm = common_paradigm(study, spec, by, (*COMPARABLE, *OPTION_PARADIGMS))
    if paradigm is None:
        return spec
    check_difference("epsilon", options["epsilon"])
    _refuse_unused(paradigm, options)
    if TRAITS[paradigm].of_pairs:
        spec = prefer_variant(study, spec, by, "default", "forced", "forced_tie")
        if options["pairs"] in ("lost", "tied", "won"):
            return resolve_truth(study, spec)
        free = options["quality"] != "reference"
    else:
        free = options["truth"] == "any" or not TRAITS[paradigm].of_rubrics or spec.level == "instance"
    return replace(spec, reference=NONE) if free and spec.reference is None else spec


def _refuse_unused(paradigm: str, options: Options) -> None:
    """Raise UsageError for an option of pairs where other judgments are read, which it does not change."""
    usual = OUTSIDE.defaults
    of_pairs = next((name for name in ("pairs", "opponents") if options[name] != usual[name]), None)
    if of_pairs is not None and not TRAITS[paradigm].of_pairs:
        raise UsageError(
            option(of_pairs, str(options[of_pairs])),
            f" applies to pairs of answers, but {paradigm} judgments are read; leave it out, or give ",
            option("paradigm", PAIR_PARADIGMS[0]),
        )


def outside_table(view: SliceView, options: Options) -> Table:
    """Return a row for each judge that has judged its own or its family's responses, then for each family.

    Families have rows if the judgments give scores.
    """
    everyone, errors = view.with_all_judges(), view.weights is not None
    if isinstance(view.cube, PairCube):
        table = _gap_table("vote_outside", vote_outside(everyone, options), errors, options)
    elif view.at_rubrics:
        table = _verdict_table(everyone, options)
    else:
        table = _gap_table("bonus_outside", points_gaps(everyone, errors=errors), errors, options)
    columns = dict(table.columns) | judge_columns(everyone)
    columns |= dict.fromkeys(OF_FAMILIES, Column(np.full(len(table.keep), np.nan), reasons="row_of_judge"))
    tested = table.keep
    for name in _NUMBERS:
        p = np.where(tested, np.asarray(columns[f"{name}_p_tastes"].values, dtype=np.float64), np.nan)
        reasons = columns[f"{name}_p_tastes"].reasons
        columns[f"{name}_p_tastes_adjusted"] = Column(benjamini_hochberg(p), reasons=reasons)
    keep = tested & np.isin(np.arange(len(tested)), view.rows)
    table = replace(table, columns=columns, keep=keep, tested=tested)
    without = view.at_rubrics or isinstance(view.cube, PairCube)
    return table if without else with_families(everyone, table)


def outside_values(view: SliceView, options: Options, *, odds: bool) -> Table:
    """Return each judge's values of `OUTSIDE_VALUES` alone: to compare their sides takes no more.

    Without `odds` none are fitted.
    """
    everyone = view.with_all_judges()
    judges, masks = len(everyone.judges), family_masks(everyone)
    values: dict[str, Floats] = {}
    if isinstance(view.cube, PairCube):
        values["vote_outside"] = vote_outside(everyone, options).value
    elif view.at_rubrics:
        joint = JointVerdicts.of(everyone, _truth(everyone, options))
        [shares] = compare_with_outside(joint.common, masks, masks.own)
        values["ratio_outside"] = shares.ratio
        if odds and has_model(joint):
            values["odds_self"] = np.exp(joint.odds(errors=False, pooled=False, placebos=False).own.value)
    else:
        values["bonus_outside"] = own_bonuses(everyone.scored.judge.values, masks)
    nothing = np.full(judges, np.nan)
    columns = {name: Column(values.get(name, nothing), reasons="undefined") for name in OUTSIDE_VALUES}
    shown = np.isin(np.arange(judges), view.rows)
    return Table(columns | judge_columns(everyone), shown, 0, {}, {})


def _truth(view: SliceView, options: Options) -> str:
    truth: str = options["truth"] or ("any" if view.request.source is None else "failed")
    if truth != "any" and view.request.source is None:
        raise NoDataError("the study has no reference; ", option("truth", "any"), " works without one")
    return truth


def _verdict_table(view: SliceView, options: Options) -> Table:
    truth = _truth(view, options)
    joint = JointVerdicts.of(view, truth)
    elsewhere = Column(np.full(len(view.judges), np.nan), reasons=_ELSEWHERE)
    columns = dict.fromkeys(_NOT_OF_ALL, elsewhere) | ratio_columns(view, joint)
    columns |= odds_columns(view, joint, options)
    left_out = left_out_of_verdicts(view, joint)
    keep = joint.judged | (joint.family.cells > 0)
    return Table(columns, keep, joint.instances, left_out, {"truth": truth})


def _gap_table(name: str, gaps: OutsideGaps, errors: bool, options: Options) -> Table:
    """Return the columns of votes or points, with intervals if they are requested."""
    column = Column(gaps.value, reasons=gaps.why)
    if errors:
        column = student_t_column(gaps.value, gaps.se, gaps.instances - 1, gaps.draws, gaps.why, HANGS)
    columns = dict.fromkeys(_NOT_OF_ALL, Column(np.full(len(gaps.value), np.nan), reasons=_ELSEWHERE))
    placebos = gaps.placebos
    spread = taste_spread.taste_spread(placebos.value, placebos.se, gaps.n_judges)
    tastes = family_tastes(placebos.value, placebos.se, gaps.families, gaps.present, in_log_odds=False)
    why = [column.reason(row) if np.isnan(value) else None for row, value in enumerate(gaps.value)]
    number = Estimates(gaps.value, gaps.se, gaps.instances - 1)
    p = number.with_variance(tastes.variance_of_judges(placebos.value, placebos.se), tastes.freedom).p()
    no_tastes: list[str | None] = [code or "tastes_unknown" for code in why]
    columns |= {name: column, f"{name}_p_tastes": if_errors(errors, p, no_tastes)}
    columns |= placebo_columns(gaps.value, placebos.value, spread, why, options)
    columns |= {of: Column(getattr(gaps, of)) for of in ("n_own", "n_other", "n_outside")}
    near = gaps.relatives
    columns |= {f"{name}_family": near.column(errors=errors), "n_family": Column(near.n_family)}
    return Table(columns, gaps.judged | near.judged, gaps.n_instances, gaps.left_out)


_TASTES = "allowing for the spread of judges' tastes"


def _tested_with_tastes(name: str) -> tuple[Field, ...]:
    return (
        entry.number(f"{name}_p_tastes", f"p-value of {name}, {_TASTES}"),
        entry.number(f"{name}_p_tastes_adjusted", f"p-value of {name} with tastes, adjusted over judges"),
    )


_BESIDE = "relative to judges of other families on the same criteria"
ODDS_FAMILY = entry.ratio(
    "odds_family",
    f"odds that it passes its family's answers, {_BESIDE}",
    title="Odds, family's answers",
    axis="odds (1 = no preference)",
)

OUTSIDE = Measure(
    name="outside",
    title="Comparison with judges of other families",
    question=(
        "Does a judge pass its own answers more often than judges of other families pass the same answers?"
    ),
    formula=(
        "(own share passed by J / by others) / (others' share passed by J / by others), others being judges "
        "of other families; odds: conditional logistic regression by criterion of an answer"
    ),
    paper="none; defined by this project",
    left_out=(
        "criteria of answers without a verdict from the judge or from any judge of another family; pairs and "
        "scores likewise"
    ),
    function=outside_table,
    prepare=prepare_outside,
    paradigms=(*COMPARABLE, *OPTION_PARADIGMS),
    headline="ratio_outside",
    chart="own-answers",
    compared_as="ratio",
    keys=("judge", "family"),
    empty=(
        "no judgment of a judge's own or its family's answers counts in this slice; pairs count only in both "
        "orders"
    ),
    options=(
        Option(
            "truth",
            "name",
            "which verdicts on criteria count: on criteria that the reference fails (default where there "
            "is a reference), on those it passes, or on any; any needs no reference",
            choices=("failed", "met", "any"),
        ),
        entry.choice(
            "pairs",
            "which pairs count: all; those that the answer loses, ties or wins by the gold "
            "judges; or those of equal quality",
            "all",
            "lost",
            "tied",
            "won",
            "equal",
        ),
        entry.choice(
            "opponents", "which opponents count: models of other families, or all", "outside", "all"
        ),
        EPSILON,
        *QUALITY,
    ),
    intervals={
        DELETED: (
            *("ratio_outside", "difference_outside", "ratio_outside_family"),
            *("odds_self", "odds_family", "odds_common", "bonus_outside", "vote_outside"),
            *("bonus_outside_family", "vote_outside_family"),
        )
    },
    fields=(
        *OF_JUDGE,
        entry.ratio(
            "ratio_outside",
            "(own_judge / own_outside) / (other_judge / other_outside); 1 means no self-preference",
            title="Ratio to other judges",
        ),
        entry.difference(
            "difference_outside",
            "(own_judge - own_outside) - (other_judge - other_outside); 0 means no self-preference",
            title="Difference from judges of other families",
        ),
        entry.ratio(
            "ratio_outside_family",
            "ratio_outside for its family's answers in place of its own",
            title="Ratio to other judges, family's answers",
        ),
        entry.portion(
            "own_judge",
            "share of its own answers' criteria that the judge passes, of those that a judge of another "
            "family judged too; a mean over these judges",
            title="Own answers, by the judge",
        ),
        entry.portion(
            "own_outside",
            "share of the same criteria that the judge of another family passes; a mean over these judges",
            title="Own answers, by other judges",
        ),
        entry.portion(
            "other_judge",
            "share of other families' criteria that the judge passes, of those that a judge of another "
            "family judged too; a mean over models, and over these judges",
            title="Others' answers, by the judge",
        ),
        entry.portion(
            "other_outside",
            "share of the same criteria that the judge of another family passes; a mean over models, and "
            "over these judges",
            title="Others' answers, by other judges",
        ),
        *CASE_COUNTS,
        entry.ratio(
            "odds_self", f"odds that it passes its own answers, {_BESIDE}", title="Odds, own answers"
        ),
        *_tested_with_tastes("odds_self"),
        ODDS_FAMILY,
        *_tested_with_tastes("odds_family"),
        entry.ratio(
            "odds_common", "odds_self estimated as one value for all judges", title="Odds, all judges as one"
        ),
        Field(
            "odds_shrunken",
            "ratio",
            "odds_self shrunk toward the judges' mean",
            title="Odds, drawn to the mean",
        ),
        entry.difference(
            "bonus_outside",
            "points of 100 that it gives its own answers above other judges', minus those it gives others'",
            "points",
            title="Points above other judges'",
        ),
        *_tested_with_tastes("bonus_outside"),
        entry.difference(
            "vote_outside",
            "its mean vote for its own answer minus the mean vote of judges of neither answer's family on "
            "the same pairs; a pair, both orders together, is one vote: 1 if it wins both orders, or one and "
            "ties the other, .5 for two ties or different winners, else 0",
            title="Votes above other judges'",
        ),
        *_tested_with_tastes("vote_outside"),
        entry.difference(
            "bonus_outside_family",
            "points of 100 that it gives its family's other models above other judges', minus those it "
            "gives others'",
            "points",
        ),
        entry.difference(
            "vote_outside_family",
            (
                "its vote for its family's other models minus the mean vote of judges of other families "
                "on the same pairs"
            ),
        ),
        entry.count(
            "n_family",
            "criteria (or pairs) of its family's other models judged by it and by a judge of another family",
        ),
        Field(
            "effect_family",
            "points",
            "of a family, on its row: points of 100 that its judges add to their family's answers",
            title="For its family, points",
        ),
        entry.number(
            "low", "lower end of the 95% interval of effect_family, clustered by judge and by question"
        ),
        entry.number("high", "upper end of the 95% interval of effect_family"),
        entry.number("p", "p-value of no difference on its family's answers, of `effect_family`"),
        entry.count(
            "placebo_rank", "rank of itself among the models that it favours; 1 is the most favoured"
        ),
        entry.count("placebo_of", "models ranked in placebo_rank"),
        entry.number(
            "taste_spread", "spread of judges' tastes for models of other families, one number of all judges"
        ),
        Field(
            "tastes_assumed",
            "flag",
            "taste_spread is that of the published study, because there are fewer than 5 judges",
        ),
        entry.number(
            "p_placebo",
            "of all judges together, and so the same in every row: share of the ways to give each judge one "
            "other model in place of itself (10,000 drawn of more) in which the judges' mean is as large, "
            "the true one counted with them",
            title="p by placebos, all judges",
        ),
    ),
)
