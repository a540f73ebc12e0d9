"""Effects of the order of score options and rubrics, and `order-effect`: of the responses of a pair."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays.confusion import Resampled, combine
from engine.arrays.group_by import group_views, single_view
from engine.arrays.left_out import in_slice, pairs_left_out
from engine.arrays.pair_orders import RESOLVED, UNKNOWN, PairRows, PairValues, pair_up, winners
from engine.arrays.pair_quality import distance_groups, quality_of
from engine.arrays.references import NONE
from engine.arrays.resolve import NoDataError, choose_paradigm
from engine.arrays.score_options import JudgeScores, OptionSlice, option_slices
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.verdicts import VerdictCube
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.measures.columns import NO_CORRELATION, STATISTICS, ByJudge, correlation, difference, empty_column
from engine.measures.rows import FEW, Column, Options, Table, stack
from engine.measures.self_preference import preference_columns
from engine.schema import LIST_PARADIGMS, PAIR_PARADIGMS, TRAITS
from engine.slices import Slice
from engine.stats import Floats, Ints, Weights, option_orders, response_orders
from engine.stats.cost_intervals import cost_draws
from engine.stats.ranks import ranks
from engine.stats.ratios import rate

# ------------------------------------------------------------------------------
# `position`: how often a judge picks the option at each position (MEASURES section 12).


BY_SCORE = "score"


def position_table(study: StudyArrays, spec: Slice, options: Options, weights: Weights | None) -> list[Table]:
    """Return a table for each group; by score, one for each score that is selected."""
    by_score = options["by"] == BY_SCORE
    slices = option_slices(study, spec, None if by_score else options["by"], weights)
    tables: list[Table] = []
    for part in slices:
        first_trial = part.rows.trial == 0
        judges = [judge.with_choice for judge in part.judges(part.rows.select(first_trial))]
        by_judge = [_Positions(judge, options["seed"]) for judge in judges if len(judge.rows.judge)]
        left_out = part.left_out(first_trial, selections=True)
        scores = sorted({score for each in by_judge for score in each.scores}) if by_score else [None]
        for place, score in enumerate(scores):
            tables.append(_position_table(part, by_judge, {} if place else left_out, score))
    return tables


class _Positions:
    """One judge's selections on one scale, counted once for all of its rows."""

    def __init__(self, judge: JudgeScores, seed: int) -> None:
        self.judge, self.selections = judge, judge.selections
        self.shuffled: Ints | None = None
        if judge.weights is not None:
            rows = judge.rows
            place = np.frombuffer(judge.name.encode(), dtype=np.uint8).tolist()  # whoever is shown
            rng = np.random.default_rng([seed, *place])
            orderings = judge.scale.orderings
            self.shuffled = option_orders.shuffled_selections(
                rows.item, rows.ordering, rows.choice, orderings, len(judge.weights), rng
            )

    @property
    def scores(self) -> list[float]:
        selected = np.flatnonzero(np.asarray(self.selections.total).sum(axis=1) > 0)
        return [self.judge.scale.scores[place] for place in selected]

    def instances(self, score: float | None) -> set[int]:
        rows = self.judge.rows
        if score is None:
            return set(rows.instance.tolist())
        return set(rows.instance[rows.choice == self.judge.scale.scores.index(score)].tolist())

    def row(self, score: float | None) -> dict[str, Column]:
        """Return P(p | score), or the shares over all scores."""
        scale = self.judge.scale
        places = slice(None) if score is None else [scale.scores.index(score)]
        counts = self.selections.apply(lambda counts: counts[..., places, :].sum(axis=-2))
        n = counts.total.shape[-1]
        number, fit = int(counts.total.sum()), option_orders.chi_square(counts.total)
        draws = None if counts.draws is None else rate(counts.draws, counts.draws.sum(axis=-1, keepdims=True))
        shuffle: list[Any] = [None] * n
        no_shuffle = "no_resamples"
        if self.shuffled is not None:
            shuffled, no_shuffle = self.shuffled[:, places].sum(axis=1), "one_option"
            shuffle = [
                float(option_orders.shuffle_p(fit.statistic, option_orders.chi_square(shuffled).statistic))
            ] * n
        return {
            "judge": Column([self.judge.name] * n),
            "n_options": Column([n] * n),
            "scale": Column([scale.write(np.arange(n))] * n),
            "position": Column(list(range(1, n + 1))),
            "share": Column(rate(counts.total, np.full(n, number)), draws),
            "n": Column([number] * n),
            "chi2": Column([float(fit.statistic)] * n, reasons="one_option"),
            "chi2_p": Column([float(fit.p)] * n, reasons="one_option"),
            "chi2_shuffle_p": Column(shuffle, reasons=no_shuffle),
            "small": Column([number < FEW] * n),
        }


def _position_table(
    part: OptionSlice, by_judge: list[_Positions], left_out: dict[str, int], score: float | None = None
) -> Table:
    """Return the rows over all scores, or of one; with too few instances they have no p-values."""
    with_score = [positions for positions in by_judge if score is None or score in positions.scores]
    rows = [positions.row(score) for positions in with_score]
    instances = len(set().union(*(positions.instances(score) for positions in with_score)))
    if instances < part.request.spec.min_instances:
        for row in rows:
            untested = Column([None] * len(row["judge"].values), reasons="too_few_instances")
            row |= {"chi2_p": untested, "chi2_shuffle_p": untested}
    return Table.of(rows, instances, left_out, part.filters(), part.value if score is None else score)


# ------------------------------------------------------------------------------
# `ordering`: the cost of each order of score options, and its agreement with people (section 12).


def ordering_table(study: StudyArrays, spec: Slice, options: Options, weights: Weights | None) -> list[Table]:
    """Return a table for each group: a row for each judge and balanced ordering, judged in it or not."""
    tables = []
    for part in option_slices(study, spec, options["by"], weights):
        first_trial = part.rows.trial == 0
        rows = part.rows.select(first_trial)
        judges = [_ordering_rows(judge, options["search"]) for judge in part.judges(rows)]
        left_out = part.left_out(first_trial, selections=False)
        instances = len(np.unique(rows.instance))
        tables.append(Table.of(judges, instances, left_out, part.filters(), part.value))
    return tables


def _ordering_rows(judge: JudgeScores, search: str) -> dict[str, Column]:
    selections, orderings = judge.selections, judge.scale.orderings
    candidates, best = _candidates(judge, selections.total, orderings, search)
    costs = option_orders.bias_costs(selections.total, candidates)
    draws = None if selections.draws is None else cost_draws(selections.total, selections.draws, candidates)
    size, n = candidates.shape
    judged = [judge.select(judge.rows.ordering == place) for place in range(len(orderings))]
    judged += [judge.select(np.zeros(len(judge.rows.judge), dtype=bool))] * (size - len(orderings))
    with_people = [part.select(~np.isnan(part.human)) for part in judged]
    correlations = {
        name: stack(
            [
                correlation(statistic, part.rows.score, part.human, part.rows.instance, part.weights)
                for part in with_people
            ]
        )
        for name, statistic in STATISTICS.items()
    }
    pearson = np.asarray(correlations["pearson"].values, dtype=np.float64)
    few = bool((np.asarray(selections.total).sum(axis=1) < FEW).any())
    return {
        "judge": Column([judge.name] * size),
        "n_options": Column([n] * size),
        "scale": Column([judge.scale.write(np.arange(n))] * size),
        "ordering": Column([judge.scale.write(ordering) for ordering in candidates]),
        "cost": Column(costs, draws),
        "recommended": Column([place == best for place in range(size)]),
        **correlations,
        "n": Column([len(part.rows.judge) for part in with_people]),
        "rank": Column(ranks(pearson), reasons=NO_CORRELATION),
        "n_judged": Column([len(part.rows.judge) for part in judged]),
        "small": Column([few] * size),
    }


def _candidates(
    judge: JudgeScores, selections: NDArray[Any], orderings: Ints, search: str
) -> tuple[Ints, int]:
    """Return the orderings that have a row, and the place of the recommended one among them."""
    if search == "balanced":
        return orderings, option_orders.first_cheapest(option_orders.bias_costs(selections, orderings))
    if len(judge.scale.scores) > option_orders.MOST_OPTIONS:
        raise UsageError(
            f"search 'all' tries every ordering of at most {option_orders.MOST_OPTIONS} options, but "
            f"{judge.name!r} was shown {len(judge.scale.scores)}; choose 'balanced'"
        )
    candidates = np.vstack([orderings, option_orders.cheapest_of_all(selections)])
    best = option_orders.first_cheapest(option_orders.bias_costs(selections, candidates))
    return (orderings if best < len(orderings) else candidates), best


# ------------------------------------------------------------------------------
# `permutation`: many orderings once against one ordering many times (MEASURES section 12).

ARMS = ("permutation", "repeat", "corrected")
_DIGITS = 10


@dataclass(frozen=True, eq=False)
class Arms:
    """A judge's scores of the items complete in the arms it has: shape (items, 2n), None for an arm it lacks.

    `corrected` holds one score for each item. `incomplete` counts the other items that it judged.
    """

    instance: Ints
    human: Floats
    permutation: Floats | None
    repeat: Floats | None
    corrected: Floats | None
    incomplete: int

    @property
    def means(self) -> dict[str, Floats | None]:
        """The score of each item in each arm, rounded so that equal ones tie in any order of addition."""
        both = {"permutation": self.permutation, "repeat": self.repeat}
        means = {name: None if scores is None else scores.mean(axis=1) for name, scores in both.items()}
        means["corrected"] = self.corrected
        return {name: None if scores is None else scores.round(_DIGITS) for name, scores in means.items()}


def permutation_table(
    study: StudyArrays, spec: Slice, options: Options, weights: Weights | None
) -> list[Table]:
    """Return a table for each group: a row for each judge that has an item complete in an arm."""
    tables = []
    for part in option_slices(study, spec, options["by"], weights):
        # An arm uses trial 0, and of 1..n the trials below 2n.
        trials = np.array([len(scale.orderings) for scale in part.scales], dtype=np.int64)
        in_arms = part.rows.trial == 0
        in_arms |= (part.rows.ordering == 0) & (part.rows.trial < trials[part.rows.scale])
        judges = [(judge, _arms(judge)) for judge in part.judges(part.rows.select(in_arms))]
        in_an_arm = [each for each in judges if each[1].permutation is not None or each[1].repeat is not None]
        rows = [_row(judge, arms) for judge, arms in in_an_arm]
        left_out = part.left_out(in_arms, selections=False)
        left_out["incomplete"] = sum(arms.incomplete for _, arms in judges)
        instances = len(set().union(*(arms.instance.tolist() for _, arms in judges)))
        tables.append(Table.of(rows, instances, left_out, part.filters(), part.value))
    return tables


def _arms(judge: JudgeScores) -> Arms:
    """Return the arms of one judge; if it has both, with the items complete in both."""
    rows, number = judge.rows, len(judge.scale.orderings)
    item, first, place = np.unique(rows.item, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    tables = {}
    for name, mask, column in (
        ("permutation", rows.trial == 0, rows.ordering),
        ("repeat", rows.ordering == 0, rows.trial),
    ):
        table = np.full((len(item), number), np.nan)
        table[place[mask], column[mask]] = rows.score[mask]
        tables[name] = table
    complete = {name: ~np.isnan(table).any(axis=1) for name, table in tables.items()}
    started = {name: ~np.isnan(table).all(axis=1) for name, table in tables.items()}
    has = [name for name in tables if complete[name].any()]
    complete_items = np.logical_and.reduce([complete[name] for name in has or tables])
    judged = np.logical_or.reduce([started[name] for name in has or tables])
    return Arms(
        instance=rows.instance[first][complete_items],
        human=judge.human[first][complete_items],
        **{name: tables[name][complete_items] if name in has else None for name in tables},
        corrected=_corrected_scores(judge, tables["repeat"][complete_items]) if len(has) == 2 else None,
        incomplete=int((judged & ~complete_items).sum()),
    )


def _corrected_scores(judge: JudgeScores, repeats: Floats) -> Floats:
    """Return the mean of each item's repeats, weighted by how seldom each score is picked at its position."""
    probe = judge.select(judge.rows.trial == 0)
    weights = option_orders.correction_weights(probe.selections.total, judge.scale.orderings[0])
    each = np.interp(repeats, judge.scale.scores, weights)  # a mean of runs may lie between two options
    return np.asarray((each * repeats).sum(axis=1) / each.sum(axis=1))


def _row(judge: JudgeScores, arms: Arms) -> dict[str, Column]:
    scored = ~np.isnan(arms.human)
    n = len(judge.scale.scores)
    row = {
        "judge": Column([judge.name]),
        "n_options": Column([n]),
        "scale": Column([judge.scale.write(np.arange(n))]),
        "n_items": Column([len(arms.instance)]),
        "n_scored": Column([int(scored.sum())]),
        "sd_permutation": _spread(judge, arms, arms.permutation, "permutation"),
        "sd_repeat": _spread(judge, arms, arms.repeat, "repeat"),
        "small": Column([int(scored.sum()) < FEW]),
    }
    for name, statistic in STATISTICS.items():
        for arm, means in arms.means.items():
            row[f"{name}_{arm}"] = (
                empty_column(1, judge.weights, f"no_{arm}_arm")
                if means is None
                else correlation(
                    statistic, means[scored], arms.human[scored], arms.instance[scored], judge.weights
                )
            )
        row[f"{name}_delta"] = difference(row[f"{name}_permutation"], row[f"{name}_repeat"])
        row[f"{name}_delta_corrected"] = difference(row[f"{name}_corrected"], row[f"{name}_repeat"])
    return row


def _spread(judge: JudgeScores, arms: Arms, scores: Floats | None, arm: str) -> Column:
    """Return the mean over items of the spread within each."""
    if scores is None:
        return empty_column(1, judge.weights, f"no_{arm}_arm")
    spread = option_orders.spread_within(scores)
    sums = np.bincount(arms.instance, weights=spread, minlength=judge.n_instances)
    number = np.bincount(arms.instance, minlength=judge.n_instances)
    total, items = (Resampled.over_instances(counts[None, :], judge.weights) for counts in (sums, number))
    return Column(*combine(rate, total, items), "one_answer_for_each_item" if len(spread) else "no_items")


# ------------------------------------------------------------------------------
# Verdicts by a rubric's position in the list, and by the order of the list (MEASURES section 14).

LIST_FIELDS = ("ordering", "position", "verdict_rate", "overestimation", "hspp_self")
_PAIR_FIELDS = ("first_share", "flip_rate", "flip_to_first", "firm_share", "tie_share", "probability_shift")


def tables_of_lists(study: StudyArrays, spec: Slice, weights: Weights | None) -> Iterator[Table]:
    """Yield for each ordering a table of the whole list, then one for each position in it."""
    stored = study.inventory.values("ordering", paradigm=LIST_PARADIGMS, variant=spec.variant)
    orderings = list(dict.fromkeys(name or "original" for name in stored))
    for ordering in orderings if spec.ordering is None else [spec.ordering]:
        list_spec = replace(spec, ordering=ordering, level="rubric")
        view = single_view(study, list_spec, weights, LIST_PARADIGMS)
        yield _effect_table(view, ordering, None, view.left_out)
        for part in group_views(study, list_spec, "position", weights, LIST_PARADIGMS):
            if part.value is not None:
                yield _effect_table(part.view, ordering, part.value, {})


def _effect_table(view: SliceView, ordering: str, position: Any, left_out: Any) -> Table:
    """Return a row for each judge with a verdict there; the share that say met needs no reference."""
    cube, counts, size = view.cube, view.rubric, len(view.judges)
    assert isinstance(cube, VerdictCube)  # noqa: S101 - the paradigm says so

    def over_instances(plane: Any) -> Resampled:
        by_instance = view.study.index.layout.count_by_instance(counts.take(plane))
        return Resampled.over_instances(by_instance.sum(axis=1, dtype=np.int64), view.weights)

    verdicts, met = over_instances(cube.ok), over_instances(cube.met & cube.ok)
    over, failed = (count.apply(lambda cells: cells.sum(axis=-1)) for count in (counts.over, counts.failed))
    columns = {
        "judge": Column([view.study.index.models[j] for j in view.judges]),
        "variant": Column([view.request.selection.variant] * size),
        "ordering": Column([ordering] * size),
        "position": Column([position] * size, reasons="whole_list"),
        "n_verdicts": Column(verdicts.total.astype(np.int64)),
        "verdict_rate": Column(*combine(rate, met, verdicts), "no_verdicts"),
        "overestimation": Column(*combine(rate, over, failed), "no_unfavourable_reference"),
        "hspp_self": preference_columns(view, counts)["hspp_self"],
        "small": Column(list(failed.total < FEW)),
        "n_pairs": Column([0] * size),
    }
    columns |= dict.fromkeys(_PAIR_FIELDS, empty_column(size, view.weights, "not_of_lists"))
    filters = {name: value for name, value in view.request.filters().items() if name != "position"}
    return Table(columns, verdicts.total > 0, counts.instances, left_out, filters)


# ------------------------------------------------------------------------------
# `order-effect`: effects of the order on answers on pairs and verdicts on lists (MEASURES section 14).

BY_QUALITY = "quality_difference"
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
        raise UsageError("lists of rubrics are grouped by ordering and position already; leave out --by")
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
        groups = [(part.value, inside)]
        if by_quality:  # by the difference in quality of a pair's responses; those without a quality last
            quality, row = quality_of(view, options), np.searchsorted(view.judges, pairs.judge[inside])
            sides = (pairs.generator[inside], pairs.opponent[inside])
            first, second = (quality.of(row, model, pairs.instance[inside]) for model in sides)
            apart = np.abs(first - second)
            groups = [(name, inside[items]) for name, items in distance_groups(apart)]
            groups.append((None, inside[np.isnan(apart)]))
        for value, keep in groups:
            columns, instances = _columns(view, rows, pairs, keep)
            has_pairs = np.asarray(columns["n_pairs"].values) > 0
            yield Table(columns, has_pairs, instances, counts, filters, value)
            counts = Counter()


def _columns(view: SliceView, rows: PairRows, pairs: PairValues, keep: Ints) -> tuple[dict[str, Column], int]:
    first, second = pairs.one[keep], pairs.two[keep]
    winner = winners(rows)
    effects = response_orders.order_effects(winner[first], winner[second], rows.p[first], rows.p[second])
    by_judge = ByJudge(view, np.searchsorted(view.judges, pairs.judge[keep]), pairs.instance[keep])
    totals = {name: by_judge.totals(marks) for name, marks in effects.items()}
    names = [view.study.index.models[j] for j in view.judges]
    n_pairs = totals["pairs"].total.astype(np.int64)
    columns = {
        "judge": Column(names),
        "variant": Column([view.request.selection.variant] * len(names)),
        "n_pairs": Column(n_pairs),
        "small": Column(list(n_pairs < FEW)),
    }
    for name, (hits, trials, reason) in SHARES.items():
        columns[name] = Column(*combine(rate, totals[hits], totals[trials]), reason)
    columns |= dict.fromkeys(LIST_FIELDS, Column([None] * len(names), reasons="not_of_pairs"))
    columns["n_verdicts"] = Column([0] * len(names))
    return columns, len(np.unique(pairs.instance[keep]))
