"""`discriminability`: does a judge find the better of two responses far apart (MEASURES section 9)."""

import numpy as np

from engine.arrays.bits.confusion import Resampled
from engine.arrays.left_out import in_slice
from engine.arrays.pairs.pair_outcomes import OutcomesOfPairs, PairCube, single_answers
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.columns import judge_columns, share_of_few
from engine.measures.entry import ADDED, OF_JUDGE, PAIRWISE, SMALL, Measure
from engine.measures.pairs.labelled_pairs import quality_of_pairs
from engine.measures.pairs.pair_options import (
    CONTRAST_OPTIONS,
    D_FIELD,
    EQP,
    OF_ALL_FIELDS,
    QUALITY_OR_PEOPLE,
)
from engine.measures.pairs.pair_sets import adjusted_p, contrast_answers, count_left_out, prepare_pairs
from engine.measures.rows import FEW, Column, Options, Table, first_reason
from engine.stats import Bools, Ints
from engine.stats.pairs.equal_pairs import at_least
from engine.stats.ratios import rate


def discriminability_table(view: SliceView, options: Options) -> Table:
    cube = view.pair_cube
    quality = quality_of_pairs(view, options)
    answers = answers_of(view, cube, options)
    correct, ok = contrast_answers(view, quality, answers, options)
    columns = judge_columns(view) | answer_columns(view, correct, ok, options["seed"])
    everything = {**options, "contrast_pairs": len(answers.judge)}
    columns |= _of_all(contrast_answers(view, quality, answers, everything))

    def apart(row: Ints, one: Ints, two: Ints, instance: Ints) -> Bools:
        return np.asarray(quality.better(row, one, two, instance, options["gap"]) != 0)

    left_out = count_left_out(view, cube, quality, apart)
    left_out = {code: n for code, n in left_out.items() if code != "order_missing"}  # one order is enough
    return Table(columns, np.asarray(ok.any(axis=1)), int(ok.any(axis=0).sum()), left_out)


def answers_of(view: SliceView, cube: PairCube, options: Options) -> OutcomesOfPairs:
    """Return the single answers to the pairs that are shown and kept."""
    answers = single_answers(cube, options["seed"])
    return answers.select(in_slice(view, answers))


def answer_columns(view: SliceView, correct: Ints, ok: Ints, seed: int) -> dict[str, Column]:
    """Return D with its draws, which have cases added, the counts, and the chance of as many by guessing."""
    right, total = (Resampled.over_instances(part, view.weights) for part in (correct, ok))
    none = total.total == 0
    few = np.full(len(none), ok.any(axis=0).sum() < view.request.spec.min_instances)
    nothing = (none, "no_contrast_pair")
    values = np.where(few, np.nan, at_least(right.total, total.total, 0.5))
    p = Column(values, reasons=first_reason(nothing, (few, "too_few_instances")))
    return {
        "d": share_of_few(right, total, seed, first_reason(nothing)),
        "correct": Column(right.total),
        "n": Column(total.total),
        "p": p,
        "p_adjusted": adjusted_p(p),
        "small": Column(list(total.total < FEW)),
    }


def _of_all(counts: tuple[Ints, Ints]) -> dict[str, Column]:
    """Return D on all pairs far apart, of which those behind D are drawn, and their number."""
    right, total = (part.sum(axis=1) for part in counts)
    return {"d_all": Column(rate(right, total), reasons="no_contrast_pair"), "n_apart": Column(total)}


DISCRIMINABILITY = Measure(
    name="discriminability",
    title="Discriminability",
    question="Can a judge pick the better of two answers that clearly differ in quality?",
    formula="D = correct answers / answers, on pairs whose quality differs by at least the gap",
    paper=f"{EQP}, equation 1 and Table 6",
    left_out="pairs with the judge's own answer; answers without a verdict",
    function=discriminability_table,
    prepare=prepare_pairs,
    empty="no two answers that differ that much in quality are judged",
    headline="d",
    chart="discerned",
    paradigms=PAIRWISE,
    options=(*QUALITY_OR_PEOPLE, *CONTRAST_OPTIONS),
    intervals={ADDED: ("d",)},
    fields=(
        *OF_JUDGE,
        D_FIELD,
        entry.count("correct", "answers that name the better answer"),
        entry.count("n", "answers with a verdict"),
        *OF_ALL_FIELDS,
        entry.number("p", "probability of doing as well by guessing; naive", title="p (naive)"),
        entry.number("p_adjusted", "p-value adjusted over judges", title="p, adjusted (naive)"),
        SMALL,
    ),
)
