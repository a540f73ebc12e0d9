"""`length`: how often each judge prefers the longer of two answers to one question."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from engine.arrays.bits.confusion import Resampled
from engine.arrays.left_out import pairs_left_out
from engine.arrays.pairs.judged_pairs import judged_pairs, prefer_variant
from engine.arrays.pairs.pair_outcomes import PairCube, with_single_orders
from engine.arrays.slicing.resolve import common_paradigm
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.references import NONE
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.columns import ByJudge, judge_columns, share_column
from engine.measures.entry import OF_JUDGE, SMALL, Measure
from engine.measures.pairs.votes import SINGLE
from engine.measures.rankings.ranking import prepare_ranking
from engine.measures.rows import FEW, Column, Options, Table
from engine.paradigms import PAIR_PARADIGMS, RESPONSE_SCORES, TRAITS
from engine.slices import Slice, how_stored
from engine.stats import Floats, Ints
from engine.stats.pairs.longer import LongerVotes, longer_in_scores, longer_in_votes
from engine.wording import Sentence, Wording

PARADIGMS = (*RESPONSE_SCORES, *PAIR_PARADIGMS)
NO_PAIRS = "no_answers_of_unequal_length"


def prepare_length(study: StudyArrays, spec: Slice, options: Options, by: str | None) -> Slice:
    """Return the slice of pairs with the usual variant; no reference is used."""
    paradigm = common_paradigm(study, spec, by, PARADIGMS)
    if paradigm is None:
        return spec
    if not TRAITS[paradigm].of_pairs:
        return prepare_ranking(study, spec, options, by)
    return replace(prefer_variant(study, spec, by, "default", "forced", "forced_tie"), reference=NONE)


def length_table(view: SliceView, _options: Options) -> Table:
    """Return a row for each judge shown that judged two answers of unequal length."""
    lengths = view.study.characters(view.request.selection.transform)[view.generators]
    facts = {}
    if isinstance(view.cube, PairCube):
        stored = view.cube
        cube, single = view.study.remember(
            (SINGLE, view.request.selection), lambda: with_single_orders(stored)
        )
        votes = _of_pairs(view, cube, lengths)
        left_out: Mapping[str, int] = pairs_left_out(view, cube)
        names = [view.study.index.models[judge] for judge in np.intersect1d(single, view.judges)]
        facts = {SINGLE: names} if names else {}
    else:
        votes = longer_in_scores(view.scored.judge.values, lengths, view.relations.self_mask)
        no_reference = ("no_reference", "reference_tie")
        left_out = {code: n for code, n in view.left_out.items() if code not in no_reference}
    columns = judge_columns(view) | {
        "longer": _share(view, votes.longer, votes.pairs),
        "longer_of_others": _share(view, votes.others_longer, votes.others),
        "n": Column(votes.pairs.sum(axis=1)),
        "n_others": Column(votes.others.sum(axis=1)),
        "small": Column(list(votes.pairs.sum(axis=1) < FEW)),
    }
    keep = votes.pairs.sum(axis=1) > 0
    instances = int((votes.pairs > 0).any(axis=0).sum())
    return Table(columns, keep, instances, left_out, facts, why_empty=_why_no_length(lengths))


def _why_no_length(lengths: Floats) -> str:
    """Return that answers have no texts, and how they come into a study; nothing where some have one."""
    if not np.isnan(lengths).all():
        return ""
    reads = f"the study has no texts of answers, {how_stored('response_length')}"
    return Sentence(reads, Wording(" (--map response=FIELD)", " (response='COLUMN')", ""))


def _of_pairs(view: SliceView, cube: PairCube, lengths: Floats) -> LongerVotes:
    pairs = judged_pairs(view, cube.rows, cube.pairs)
    sides = [np.searchsorted(view.generators, side) for side in (pairs.target, pairs.other)]
    long, short = (lengths[side, pairs.instance] for side in sides)
    to_longer = longer_in_votes((1 + pairs.value) / 2, long, short)
    counts = ~np.isnan(to_longer)
    others = counts & (pairs.target != pairs.judge) & (pairs.other != pairs.judge)
    sums = ByJudge(view, pairs.row, pairs.instance)
    return LongerVotes(
        sums.counts(counts),
        sums.sums(np.where(counts, to_longer, 0.0)),
        sums.counts(others),
        sums.sums(np.where(others, to_longer, 0.0)),
    )


def _share(view: SliceView, longer: Floats, pairs: Ints) -> Column:
    hits, trials = (Resampled.over_instances(part, view.weights) for part in (longer, pairs))
    return share_column(hits, trials, view.weights, NO_PAIRS)


LENGTH = Measure(
    name="length",
    title="Preference for the longer answer",
    question="How often does a judge prefer the longer of two answers?",
    formula=(
        "of the pairs of answers to one question whose lengths in characters differ: the share in which the "
        "judge's vote, or its higher score, goes to the longer one; a tie is half"
    ),
    paper="none; defined by this project",
    left_out="answers without a text or a verdict; pairs of equal length",
    function=length_table,
    chart="length",
    prepare=prepare_length,
    headline="longer",
    level="instance",
    paradigms=PARADIGMS,
    empty="no judge has judged two answers to one question whose texts differ in length",
    fields=(
        *OF_JUDGE,
        entry.share(
            "longer",
            "share of pairs in which it prefers the longer answer; the longer one may be better, and above a "
            "half is no proof of a bias",
        ),
        entry.share("longer_of_others", "the same of pairs without its own answer"),
        entry.count("n", "pairs of answers whose lengths differ"),
        entry.count("n_others", "those of them without its own answer"),
        SMALL,
    ),
)
