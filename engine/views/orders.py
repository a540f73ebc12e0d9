"""Order effects: the place of an option, a criterion or an answer, and what it does to verdicts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from engine import paradigms
from engine.charts import measure_charts
from engine.charts.measure_charts import ALONG
from engine.measures.orders.order_effect import NEITHER_ORDER
from engine.measures.result import Result, Rows
from engine.measures.row_kinds import scale_rows, scales
from engine.views.drawing import MARKS, figure_of_judges, figure_of_panels
from engine.views.keys import Filters, choice, filters, needs_pairs, needs_paradigm, switch
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Figure, Shown
from engine.views.view import View
from engine.words import orders

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import OrderEffectRow

POSITION_FIELDS = ("judge", "position", "share", "n", "chi2", "chi2_p", "chi2_shuffle_p", "small")
COST_FIELDS = ("judge", "ordering", "cost", "recommended", "pearson", "spearman", "rank", "n", "n_judged")
ARM_FIELDS = (
    *("judge", "pearson_permutation", "pearson_repeat", "pearson_delta", "pearson_delta_p_adjusted"),
    *("pearson_corrected", "pearson_delta_corrected", "spearman_delta", "sd_permutation", "sd_repeat"),
    *("n_items", "n_scored"),
)
LIST_FIELDS = (
    *("judge", "variant", "ordering", "position", "verdict_rate", "overestimation", "hspp_self"),
    *("n_verdicts", "small"),
)
FLIP_FIELDS = (
    *("judge", "variant", "flip_rate", "flip_to_first", "first_share", "firm_share", "tie_share"),
    *("probability_shift", "n_decided", "n_pairs", "small"),
)
ONE_ORDER_FIELDS = ("judge", "variant", "first_share", "tie_share", "n_answers", "small")
CELLS = "Percent of selections. Orange: more often than 1/n; blue: less often; pale numbers: fewer than 30."
BANDS = "Bands are 95% intervals; hollow marks rest on fewer than 30 verdicts."
ROUGH = "Lines are 95% intervals; hollow marks: a score was selected fewer than 30 times."


def scales_of(study: "MeasuredStudy") -> Mapping[str, str]:
    """Return the scales on which options were scored, the longest first."""
    return {scale: scale for scale in scales(measure(study, "position", {}))}


@dataclass(frozen=True)
class ScaleKeys:
    """The slice, and the scale: those of different lengths are never pooled."""

    slice_: Annotated[Filters, filters("paradigm", "level", "min_agreement")]
    scale: Annotated[str | None, choice("Scale", "The scores that could be chosen", scales_of)]


@dataclass(frozen=True)
class CostKeys(ScaleKeys):
    """The same, and which orderings are searched for the best one."""

    search: Annotated[
        bool,
        switch(
            "Search all orderings",
            "Choose the recommended ordering from all possible ones, not only from the balanced ones tried",
        ),
    ]


@dataclass(frozen=True)
class ListKeys:
    """The slice, and the number along the list."""

    slice_: Annotated[Filters, filters("paradigm", "level")]
    along: Annotated[
        str,
        choice(
            "Curve shows",
            "The number at each place of the list",
            lambda _: {field: words for field, (words, _, _) in ALONG.items()},
        ),
    ]


@dataclass(frozen=True)
class PairKeys:
    """The slice."""

    slice_: Annotated[Filters, filters("paradigm", "level", "min_agreement")]


Sentence = Callable[[Rows], str]


def _of_scale(
    study: "MeasuredStudy",
    result: Result,
    options: Mapping[str, Any],
    scale: str | None,
    fields: Sequence[str],
    sentence: Sentence,
    draw: Callable[[Result], Figure | None],
) -> Shown:
    """Show the rows of one scale."""
    rows = scale_rows(result, scale) if scale is not None else []
    if not rows:
        return shown_of(study, result, options, fields)
    part = result.with_rows(rows)
    return shown_of(study, part, options, fields, sentences=(sentence(rows),), figure=draw(part))


def _positions(study: "MeasuredStudy", keys: ScaleKeys) -> Shown:
    by_score = scale_rows(measure(study, "position", {**keys.slice_, "by": "score"}), keys.scale or "")
    caption = "Share of selections at each position in the list of options, of each judge, by score."

    def draw(part: Result) -> Figure | None:
        return figure_of_judges(measure_charts.positions(part, by_score), caption, CELLS)

    result = measure(study, "position", keys.slice_)
    return _of_scale(study, result, keys.slice_, keys.scale, POSITION_FIELDS, orders.position_words, draw)


def _costs(study: "MeasuredStudy", keys: CostKeys) -> Shown:
    options = {**keys.slice_, **({"search": "all"} if keys.search else {})}
    caption = "Bias cost of each order of score options, of each judge; the recommended one is marked."

    def draw(part: Result) -> Figure | None:
        return figure_of_judges(part, caption, ROUGH)

    result = measure(study, "ordering", options)
    return _of_scale(study, result, options, keys.scale, COST_FIELDS, orders.ordering_words, draw)


def _permutation(study: "MeasuredStudy", keys: ScaleKeys) -> Shown:
    caption = "Correlation with people of orderings permuted, one repeated, and repeats corrected."

    def draw(part: Result) -> Figure | None:
        return figure_of_panels(part, caption, MARKS)

    result = measure(study, "permutation", keys.slice_)
    return _of_scale(study, result, keys.slice_, keys.scale, ARM_FIELDS, orders.permutation_words, draw)


def _lists(study: "MeasuredStudy", keys: ListKeys) -> Shown:
    (paradigm,) = paradigms.LIST_PARADIGMS
    options = {**keys.slice_, "paradigm": paradigm}
    result = measure(study, "order-effect", options)
    title, _, _ = ALONG[keys.along]
    caption = f"Along the places of criteria in their list, of each judge: {title}."
    chart = measure_charts.along_a_list(result, keys.along)
    return shown_of(
        study,
        result,
        options,
        LIST_FIELDS,
        sentences=(orders.list_words(result.rows, keys.along, title),) if result.rows else (),
        figure=figure_of_judges(chart, caption, BANDS),
    )


def _flips(study: "MeasuredStudy", keys: PairKeys) -> Shown:
    (paradigm,) = paradigms.PAIR_PARADIGMS
    options = {**keys.slice_, "paradigm": paradigm}
    result = measure(study, "order-effect", options)
    rows: list[OrderEffectRow] = result.rows
    caption = "Flip rate, share that chose the first shown, and flips to the first, of each judge."
    if not any(row["n_pairs"] for row in result.rows):  # a page shows what changes with the order
        result = replace(result.with_rows([]), reason=result.reason or NEITHER_ORDER)
    fields = [name for name in FLIP_FIELDS if result.has_values(name)]
    return shown_of(
        study,
        result,
        options,
        fields,
        sentences=tuple(filter(None, (orders.flip_words(rows), orders.ties_words(rows)))) if rows else (),
        figure=figure_of_panels(result, caption),
    )


POSITIONS = View(
    "positions",
    "Positions",
    "Does a judge choose a score for its place in the list?",
    ScaleKeys,
    _positions,
    needs_paradigm(*paradigms.OPTION_PARADIGMS),
)
COSTS = View(
    "costs",
    "Cost of orderings",
    "Which order of the options distorts least?",
    CostKeys,
    _costs,
    needs_paradigm(*paradigms.OPTION_PARADIGMS),
)
PERMUTATION = View(
    "permutation",
    "Permuting versus repeating",
    "Do scores agree better with people when the order of the options varies?",
    ScaleKeys,
    _permutation,
    needs_paradigm(*paradigms.OPTION_PARADIGMS),
)
LISTS = View(
    "lists",
    "Lists of criteria",
    "Does the place of a criterion in its list matter?",
    ListKeys,
    _lists,
    needs_paradigm(*paradigms.LIST_PARADIGMS),
)
FLIPS = View(
    "flips",
    "Pairs",
    "Does the order of the two answers decide the vote?",
    PairKeys,
    _flips,
    needs_pairs,
)
