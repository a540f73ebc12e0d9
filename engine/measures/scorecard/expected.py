"""`expected`: how many own cases a judge gave, and other judges as strict would (MEASURES section 19)."""

from dataclasses import replace

import numpy as np

from engine.arrays.bits.cell_patterns import patterns_of
from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.arrays.one_thread import one_thread
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.columns import HANGS, judge_columns
from engine.measures.entry import CASE_COUNTS, DELETED, OF_JUDGE, Measure
from engine.measures.outside.outside import OUTSIDE, prepare_outside
from engine.measures.outside.outside_odds import has_model, model_reasons
from engine.measures.outside.outside_pairs import OutsideGaps, vote_outside
from engine.measures.outside.outside_points import left_out_of_verdicts, points_gaps
from engine.measures.rows import Column, Intervals, Options, Table
from engine.measures.scorecard.cases import NO_MODEL
from engine.stats.conditional.given_and_expected import Expectations, expectations
from engine.stats.conditional.marginal_fit import fit_marginal
from engine.stats.intervals.jackknife import Estimates
from engine.wording import option


@one_thread()
def expected_table(view: SliceView, options: Options) -> Table:
    """Return a row for each judge shown that has judged its own responses; all judges of the slice count."""
    everyone, errors = view.with_all_judges(), view.weights is not None
    if isinstance(view.cube, PairCube):
        table = _of_gaps("votes", vote_outside(everyone, options), errors=errors)
    elif view.at_rubrics:
        table = _of_verdicts(everyone, options, errors=errors)
    else:
        table = _of_gaps("points", points_gaps(everyone, errors=errors, placebos=False), errors=errors)
    shown = np.isin(np.arange(len(table.keep)), view.rows)
    columns = {**table.columns, **judge_columns(everyone)}
    return replace(table, columns=columns, keep=table.keep & shown, tested=table.keep)


def _of_verdicts(view: SliceView, options: Options, *, errors: bool) -> Table:
    truth = options["truth"] or ("any" if view.request.source is None else "failed")
    if truth != "any" and view.request.source is None:
        raise NoDataError("the study has no reference; ", option("truth", "any"), " works without one")
    joint = JointVerdicts.of(view, truth)
    masks, judges = joint.masks, len(joint.masks.own)
    own = Estimates.none(judges)
    why: list[str | None] = [NO_MODEL] * judges
    patterns = patterns_of(joint)
    each = Expectations(np.array([cells.given for cells in patterns.own]), "odds")
    if has_model(joint):
        odds = joint.odds(errors=errors, pooled=False, placebos=False)
        own, why = odds.own, model_reasons(odds.own, 0, joint, masks.own)
        fit = fit_marginal(patterns.cells, masks.own, masks.family)
        each = expectations(fit, patterns.own)
    columns = _columns(own, each, why, errors=errors)
    columns["n_own"] = Column(joint.own.cells)
    return Table(columns, joint.judged, joint.instances, left_out_of_verdicts(view, joint), {"truth": truth})


def _of_gaps(scale: str, gaps: OutsideGaps, *, errors: bool) -> Table:
    own = Estimates(gaps.value, gaps.se, gaps.instances - 1)
    each = Expectations(gaps.given, "votes" if scale == "votes" else "points")
    columns = _columns(own, each, gaps.why, errors=errors) | {"n_own": Column(gaps.n_own)}
    return Table(columns, gaps.judged, gaps.n_instances, gaps.left_out)


def _columns(
    own: Estimates, each: Expectations, undefined: list[str | None], *, errors: bool
) -> dict[str, Column]:
    """Return the share given, that expected and their difference, with the 95 % interval of the number.

    What was given is counted, so that it is known also where nothing can be expected.
    """
    given, middle = each.given, each.expected(own.value)
    why = [
        code or ("undefined" if np.isnan(value) else "all_own_cases_alike")
        for code, value in zip(undefined, own.value.tolist(), strict=True)
    ]
    of_expected = of_excess = None
    if errors:
        low, high = own.interval()
        least, most = each.expected(high), each.expected(low)
        of_expected = Intervals(least, most, own.p(), HANGS)
        of_excess = Intervals(given - most, given - least, own.p(), HANGS)
    return {
        "own_given": Column(given, reasons=undefined),
        "own_expected": Column(middle, reasons=why, intervals=of_expected),
        "excess": Column(given - middle, reasons=why, intervals=of_excess),
    }


EXPECTED = Measure(
    name="expected",
    draws=False,
    title="Own cases given and expected",
    question="Of 100 own cases, how many did a judge pass, and how many would other judges as strict pass?",
    formula=(
        "own_given - own_expected; verdicts on criteria: logit P(judge passes cell) = a + b[judge] + "
        "s[judge] if the cell is its own + f[judge] if its family's, with a normal around a mean of the "
        "cell's author, one variance for all and b summing to 0, fitted by marginal likelihood "
        "(Gauss-Hermite, 31 nodes, ridge 1e-4 on s and f); rate(d) = mean over own cells of "
        "expit(a + b + d), a as the verdicts of other families' judges on the cell leave it; with "
        "rate(d) = own_given, own_expected = rate(d - log odds_self); pairs: own_given - vote_outside; "
        "scores: own_given - bonus_outside"
    ),
    paper="none; defined by this project",
    left_out="own cases on which no judge of another family has a verdict that counts; pairs and scores "
    "likewise",
    function=expected_table,
    prepare=prepare_outside,
    headline="excess",
    chart="own-answers",
    empty="no judgment of a judge's own answer counts in this slice; pairs count only in both orders",
    options=OUTSIDE.options,
    paradigms=OUTSIDE.paradigms,
    intervals={DELETED: ("own_expected", "excess")},
    fields=(
        *OF_JUDGE,
        entry.portion(
            "own_given",
            "share of its own cases that the judge passed, its mean vote (a flip is one half), or its mean "
            "score",
            title="Given",
        ),
        entry.share(
            "own_expected",
            "share expected of other judges as strict as it; its interval, unlike that of the conclusions, "
            "is not adjusted for the number of judges",
            title="Expected",
        ),
        entry.difference(
            "excess",
            "own_given minus own_expected; 0 means no self-preference; its interval, unlike that of the "
            "conclusions, is not adjusted for the number of judges",
            title="Given minus expected",
        ),
        CASE_COUNTS[0],
    ),
)
