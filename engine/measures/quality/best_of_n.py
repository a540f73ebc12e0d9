"""`best-of-n`: what a judge picks when its verdicts are used as a reward, and what that costs.

Each judge picks the best of the models' answers to an instance. The question is how often it picks its own
where the reference scores another one higher, and how often outside judges pick it from the same answers.
"""

from collections.abc import Mapping

import numpy as np

from engine.arrays.bits.confusion import Resampled
from engine.arrays.left_out import of_own_answers, pairs_left_out
from engine.arrays.pairs.judged_pairs import prefer_variant
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.slicing.family_masks import family_masks
from engine.arrays.slicing.resolve import common_paradigm
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.gold_preferences import GoldTruth, resolve_truth
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.columns import judge_columns, mean_column, share_of_few, within_one
from engine.measures.entry import ADDED, DELETED, OF_JUDGE, SMALL, Measure
from engine.measures.outside.outside_pairs import pair_gaps
from engine.measures.rows import FEW, Column, Options, Reasons, Table, first_reason
from engine.paradigms import PAIR_PARADIGMS, RESPONSE_SCORES, TRAITS
from engine.slices import Slice
from engine.stats import Floats, Ints
from engine.stats.judges.best_of_n import JudgesPicks, PairChoices, picks_of_pairs, picks_of_scores
from engine.stats.outside.outside import FamilyMasks
from engine.stats.ratios import rate

PARADIGMS = (*RESPONSE_SCORES, *PAIR_PARADIGMS)


def prepare_best_of_n(study: StudyArrays, spec: Slice, _options: Options, by: str | None) -> Slice:
    """Return the slice of pairs with section 11's truth and the usual variant; of scores as it is."""
    paradigm = common_paradigm(study, spec, by, PARADIGMS)
    if paradigm is None or not TRAITS[paradigm].of_pairs:
        return spec
    return resolve_truth(study, prefer_variant(study, spec, by, "default", "forced", "forced_tie"))


def best_of_n_table(view: SliceView, options: Options) -> Table:
    """Return a row for each judge shown that chose between its own answer and others."""
    everyone = view.with_all_judges()
    masks = family_masks(everyone)
    left_out: Mapping[str, int] = view.left_out
    if isinstance(view.cube, PairCube):
        gold = GoldTruth(everyone)
        picks = _of_pairs(everyone, gold, masks)
        left_out = pairs_left_out(view, view.cube, concerned=of_own_answers, blame=gold.blame)
    else:
        picks = picks_of_scores(everyone.scored.judge.values, everyone.scored.reference.values, masks)
    columns = judge_columns(everyone) | _columns(everyone, picks, masks, options["seed"])
    tested = picks.choices.sum(axis=1) > 0
    keep = tested & np.isin(np.arange(len(tested)), view.rows)
    instances = int((picks.choices[view.rows] > 0).any(axis=0).sum())
    return Table(columns, keep, instances, left_out, tested=tested)


def _of_pairs(view: SliceView, gold: GoldTruth, masks: FamilyMasks) -> JudgesPicks:
    """Return what judges pick of the pairs with their own answer that have a gold vote."""
    pairs, gaps = pair_gaps(view)
    choices = []
    for target, other, first in ((pairs.first, pairs.second, True), (pairs.second, pairs.first, False)):
        pair, judge = np.nonzero(masks.own[:, target].T & ~np.isnan(pairs.votes))
        votes, outside = (
            part[pair, judge] if first else 1 - part[pair, judge]
            for part in (pairs.votes, pairs.votes - gaps)
        )
        sides = view.generators[target[pair]], view.generators[other[pair]]
        truth = gold.votes(judge, pairs.instance[pair], *sides).win
        every = PairChoices(judge, pairs.instance[pair], votes, outside, truth)
        choices.append(every.select(~np.isnan(truth)))
    return picks_of_pairs(PairChoices.concatenate(choices), len(view.judges), view.study.index.n_instances)


def _columns(view: SliceView, picks: JudgesPicks, masks: FamilyMasks, seed: int) -> dict[str, Column]:
    n, n_beside, n_compared = (part.sum(axis=1) for part in (picks.better, picks.beside, picks.compared))
    nothing_better = (n == 0, "no_better_answer")
    why = first_reason(nothing_better)
    alone = ((~masks.has_outside, "no_outside_judge"), (n_beside == 0, "no_common_choice"))
    why_beside = first_reason(nothing_better, *alone)
    why_compared = first_reason(alone[0], (n_compared == 0, "no_common_choice"))

    def share(total: Floats, number: Ints, reasons: Reasons) -> Column:
        hits, trials = (Resampled.over_instances(part, view.weights) for part in (total, number))
        return share_of_few(hits, trials, seed, reasons)

    def mean(total: Floats, number: Ints, reasons: Reasons) -> Column:
        return mean_column(total, number, view.weights, reasons)

    return {
        "own_picked": share(picks.own, picks.better, why),
        "picked_beside": share(picks.own_beside, picks.beside, why_beside),
        "picked_outside": share(picks.own_outside, picks.beside, why_beside),
        "pick_excess": within_one(mean(picks.own_beside - picks.own_outside, picks.beside, why_beside)),
        "lost_by_picks": mean(picks.lost, picks.choices, None),
        "lost_to_own": mean(picks.lost_to_own, picks.choices, None),
        "lost_beyond": mean(picks.cost, picks.compared, why_compared),
        "n": Column(n),
        "n_beside": Column(n_beside),
        "choices": Column(picks.choices.sum(axis=1)),
        "answers": Column(rate(picks.answers.sum(axis=1), picks.choices.sum(axis=1))),
        "small": Column(list(n < FEW)),
    }


BEST_OF_N = Measure(
    name="best-of-n",
    title="Best of n",
    question="As a reward, how often does a judge pick its own answer where another is better?",
    formula=(
        "of the choices in which the reference scores another answer above the judge's own: the share in "
        "which the judge picks its own, equal ones each alike; pick_excess: less the mean share in which "
        "judges of other families pick it, each from the same answers without those of its own family"
    ),
    paper="none; defined by this project",
    left_out="answers without a score from judge or reference; pairs without a gold vote",
    function=best_of_n_table,
    chart="picks",
    prepare=prepare_best_of_n,
    headline="pick_excess",
    level="instance",
    paradigms=PARADIGMS,
    empty="no judge chose between its own answer and another that the reference scored too",
    intervals={
        ADDED: ("own_picked", "picked_beside", "picked_outside"),
        DELETED: ("pick_excess", "lost_by_picks", "lost_to_own", "lost_beyond"),
    },
    fields=(
        *OF_JUDGE,
        entry.share(
            "own_picked",
            "of the choices in which the reference scores another answer above the judge's own, the share in "
            "which it picks its own; says what picking by this judge does, not why",
            title="Picked its own, in all choices",
        ),
        entry.share(
            "picked_beside",
            "the same of the choices that judges of other families made too",
            title="Picked by the judge",
        ),
        entry.share(
            "picked_outside",
            "share of those choices in which judges of other families pick the judge's own",
            title="Picked by judges of other families",
        ),
        entry.difference(
            "pick_excess",
            "picked_beside less picked_outside; above 0 it picks its own worse answers more often",
            title="Difference",
        ),
        entry.difference(
            "lost_by_picks",
            "what the best answer scores by the reference above the one picked, a mean over all choices",
            tested=False,
            title="Lost by its picks",
        ),
        entry.difference(
            "lost_to_own",
            "the part of it that is lost by picking its own",
            tested=False,
            title="Lost by picking its own",
        ),
        entry.difference(
            "lost_beyond",
            "what it loses more than judges of other families do from the same answers",
            title="Lost beyond judges of other families",
        ),
        entry.count("n", "choices in which the reference scores another answer above the judge's own"),
        entry.count("n_beside", "those of them that judges of other families made too", title="n compared"),
        entry.count("choices", "choices with its own answer: questions, or pairs"),
        entry.number("answers", "mean number of answers in a choice; of pairs 2"),
        SMALL,
    ),
)
