"""`order-effect`: effects of the order on answers on pairs and verdicts on lists (MEASURES section 14)."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine.arrays.left_out import in_slice, pairs_left_out
from engine.arrays.pairs.pair_orders import (
    HIGH_FIRST,
    LOW_FIRST,
    RESOLVED,
    UNKNOWN,
    PairRows,
    pair_up,
    winners,
)
from engine.arrays.pairs.pair_quality import distance_groups, quality_of
from engine.arrays.slicing.group_by import SliceGroup, group_views
from engine.arrays.slicing.resolve import NoDataError, choose_paradigm
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.references import NONE
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures import entry
from engine.measures.columns import ByJudge, share_column
from engine.measures.entry import ONE_JUDGE, QUALITY, SMALL, Measure
from engine.measures.orders.list_positions import LIST_FIELDS, tables_of_lists
from engine.measures.rows import FEW, Column, Options, Table
from engine.paradigms import LIST_PARADIGMS, PAIR_PARADIGMS, TRAITS
from engine.slices import INSTANCE_COLUMNS, Slice
from engine.stats import Floats, Ints, Weights
from engine.stats.orders import response_orders
from engine.wording import option

BY_QUALITY = "quality_difference"
NEITHER_ORDER = "no pair has an answer in both orders, and no list of criteria a verdict"
SHARES = {
    "first_share": ("firsts", "answers", "no_pairs"),
    "flip_rate": ("flips", "decided", "no_pair_with_two_winners"),
    "flip_to_first": ("to_first", "flips", "no_flips"),
    "firm_share": ("firm", "pairs", "no_pairs"),
    "tie_share": ("ties", "answers", "no_pairs"),
    "probability_shift": ("shift", "shifted", "no_probabilities"),
}
"""Each share of pairs: its numerator, its denominator, and why it may be undefined."""


def order_effect_table(
    study: StudyArrays, spec: Slice, options: Options, weights: Weights | None
) -> list[Table]:
    """Return a table for each group and variant: of pairs, or of lists if those are requested."""
    by = options["by"]
    paradigm = choose_paradigm(study, spec, (*PAIR_PARADIGMS, *LIST_PARADIGMS))
    if TRAITS[paradigm].lists_rubrics and by is not None:
        problem = "lists of criteria are grouped by ordering and position already"
        raise UsageError(f"{problem}; leave out ", option("by"))
    variants = [spec.variant] if spec.variant else study.inventory.values("variant", paradigm=paradigm)
    tables: list[Table] = []
    no_data: NoDataError | None = None
    for variant in variants:
        variant_spec = replace(spec, paradigm=paradigm, variant=variant)
        try:
            if TRAITS[paradigm].of_pairs:
                tables += _tables(study, variant_spec, options, weights)
            else:
                tables += tables_of_lists(study, variant_spec, weights)
        except NoDataError as error:
            no_data = error
    if no_data is not None and not tables:
        raise no_data
    values = list(dict.fromkeys(table.slice for table in tables))
    return sorted(tables, key=lambda table: values.index(table.slice))


def _tables(study: StudyArrays, spec: Slice, options: Options, weights: Weights | None) -> Iterator[Table]:
    """Yield a table of pairs for each group; a reference is needed only if it defines quality."""
    by_quality = options["by"] == BY_QUALITY
    if not (by_quality and options["quality"] == "reference"):
        spec = replace(spec, reference=NONE)
    for part in group_views(study, spec, None if by_quality else options["by"], weights, PAIR_PARADIGMS):
        view, rows = part.view, part.view.pair_cube.rows
        # Pairs with an answer in both orders; rows that are resolved already have none.
        rows = replace(rows, order=np.where(rows.order == RESOLVED, UNKNOWN, rows.order))
        has_winner = (rows.order != UNKNOWN) & ~np.isnan(winners(rows))
        pairs = pair_up(rows, has_winner, lambda _, one, __: np.zeros(len(one)))
        counts = pairs_left_out(view, replace(view.pair_cube, rows=rows, pairs=pairs))
        filters = {name: value for name, value in view.request.filters().items() if name != "reference"}
        inside = np.flatnonzero(in_slice(view, pairs))
        if not len(inside) and not by_quality:
            table = _of_one_order(part, rows, filters, counts)
            if table is not None:
                yield table
                continue
        groups = [(part.value, inside)]
        if by_quality:  # by the difference in quality of a pair's responses; those without a quality last
            quality, row = quality_of(view, options), np.searchsorted(view.judges, pairs.judge[inside])
            sides = (pairs.generator[inside], pairs.opponent[inside])
            first, second = (quality.of(row, model, pairs.instance[inside]) for model in sides)
            apart = np.abs(first - second)
            groups = [(name, inside[items]) for name, items in distance_groups(apart)]
            groups.append((None, inside[np.isnan(apart)]))
        for value, keep in groups:
            winner, one, two = winners(rows), pairs.one[keep], pairs.two[keep]
            effects = response_orders.order_effects(winner[one], winner[two], rows.p[one], rows.p[two])
            columns = _columns(view, effects, pairs.judge[keep], pairs.instance[keep])
            has_pairs = np.asarray(columns["n_pairs"].values) > 0
            instances = len(np.unique(pairs.instance[keep]))
            yield Table(columns, has_pairs, instances, counts, filters, value)
            counts = Counter()


def _of_one_order(
    part: SliceGroup, rows: PairRows, filters: Mapping[str, Any], counts: Mapping[str, int]
) -> Table | None:
    """Return a table of answers where no pair has one in both orders; None if no order is known either.

    It has how often the answer shown first was chosen, and what may be told from both orders is undefined.
    """
    winner = winners(rows)
    placed = in_slice(part.view, rows) & np.isin(rows.order, (LOW_FIRST, HIGH_FIRST)) & ~np.isnan(winner)
    if not placed.any():
        return None
    answers = rows.select(placed)
    effects = response_orders.shown_first(winner[placed], answers.order == LOW_FIRST)
    columns = _columns(part.view, effects, answers.judge, answers.instance)
    has_answers = np.asarray(columns["n_answers"].values) > 0
    instances = len(np.unique(answers.instance))
    return Table(columns, has_answers, instances, counts, filters, part.value)


def _columns(
    view: SliceView, effects: Mapping[str, Floats], judge: Ints, instance: Ints
) -> dict[str, Column]:
    """Return the columns from marks of pairs or answers, each by a judge on an instance."""
    by_judge = ByJudge(view, np.searchsorted(view.judges, judge), instance)
    totals = {name: by_judge.totals(marks) for name, marks in effects.items()}
    names = [view.study.index.models[j] for j in view.judges]
    n_pairs, n_decided, n_answers = (
        totals[name].total.astype(np.int64) for name in ("pairs", "decided", "answers")
    )
    columns = {
        "judge": Column(names),
        "variant": Column([view.request.selection.variant] * len(names)),
        "n_pairs": Column(n_pairs),
        "n_decided": Column(n_decided),
        "n_answers": Column(n_answers),
        "small": Column(list(np.where(n_pairs > 0, n_pairs, n_answers) < FEW)),
    }
    for name, (hits, trials, reason) in SHARES.items():
        columns[name] = share_column(totals[hits], totals[trials], view.weights, reason)
    columns |= dict.fromkeys(LIST_FIELDS, Column([None] * len(names), reasons="not_of_pairs"))
    columns["n_verdicts"] = Column([0] * len(names))
    return columns


ORDER_EFFECT = Measure(
    name="order-effect",
    title="Effect of the order shown",
    question="How often does a judge choose what it was shown first, or change its mind with the order?",
    formula="on pairs judged in both orders: flip rate = pairs with two different winners / pairs with two "
    "winners",
    paper="equal-quality-pairs and dbg-score; for lists of criteria, this project",
    left_out="pairs not answered in both orders, where any is; for lists, what `overestimation` leaves out",
    function=order_effect_table,
    chart="flips",
    empty=NEITHER_ORDER,
    keys=("judge", "variant", "ordering", "position"),
    headline="flip_rate",
    paradigms=(*PAIR_PARADIGMS, *LIST_PARADIGMS),
    sliced=False,
    groups=("run", "transform", *INSTANCE_COLUMNS, "quality_difference"),
    options=QUALITY,
    fields=(
        ONE_JUDGE,
        entry.key("variant", "the prompt template; all of them, unless one is chosen"),
        entry.count("n_pairs", "pairs answered in both orders"),
        entry.count("n_decided", "those with a winner in both orders, of which flip_rate is the share"),
        entry.count(
            "n_answers",
            "answers that first_share and tie_share count: two for each such pair; where there is none, all "
            "in a known order",
        ),
        entry.share(
            "first_share",
            "share of answers that choose the answer shown first; without an effect of the order, half of "
            "those that are no tie",
            title="Chose the first shown",
        ),
        entry.share(
            "flip_rate", "of pairs with a winner in both orders, the share with two different winners"
        ),
        entry.share(
            "flip_to_first",
            "of the flips, the share toward the answer shown first",
            title="Flips to the first shown",
        ),
        entry.share(
            "firm_share",
            "share of pairs in which the same answer is chosen in both orders",
            title="Firm choices",
        ),
        entry.share("tie_share", "share of answers that are ties", title="Ties"),
        entry.share(
            "probability_shift",
            "mean absolute difference of the probability between the two orders",
            title="Probability shift",
        ),
        entry.key("ordering", "lists (paradigm all_rubrics): the order of the criteria"),
        entry.number("position", "lists: the criterion's place; empty for the whole list"),
        entry.share("verdict_rate", "lists: share of verdicts that pass a criterion", title="Share passed"),
        entry.share(
            "overestimation", "lists: passed / judged criteria that the reference fails, over all models"
        ),
        entry.ratio("hspp_self", "lists: the HSPP ratio for this order or place", tested=False),
        entry.count("n_verdicts", "lists: number of verdicts"),
        SMALL,
    ),
)
