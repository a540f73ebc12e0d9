"""Order effects: whether the position of an option, a rubric or a response affects verdicts."""

from collections.abc import Callable

from engine.measures.result import scale_rows, scales
from engine.report.exhibit import ABOUT, first_of_orders
from explorer import data
from explorer.new_run import studies
from explorer.parts import components, figures, pair_figures, selection
from explorer.parts.context import Context, show_page
from explorer.parts.pair_figures import show
from explorer.parts.sections import section
from explorer.workbench import filters

PARTS = {
    "positions": "Positions",
    "costs": "Cost of orderings",
    "permutation": "Permuting versus repeating",
    "rubrics": "Lists of rubrics",
    "pairs": "Pairs",
}
OF_AGREEMENT = ("min_agreement",)
POSITIONS = ("judge", "position", "share", "n", "chi2", "chi2_p", "chi2_shuffle_p", "small")
COSTS = ("judge", "ordering", "cost", "recommended", "pearson", "spearman", "rank", "n", "n_judged")
ARMS = (
    *("judge", "pearson_permutation", "pearson_repeat", "pearson_delta", "pearson_delta_p_adjusted"),
    *("pearson_corrected", "pearson_delta_corrected", "spearman_delta", "sd_permutation", "sd_repeat"),
    *("n_items", "n_scored"),
)
LISTS = (
    *("judge", "variant", "ordering", "position", "verdict_rate", "overestimation", "hspp_self"),
    *("n_verdicts", "small"),
)
FLIPS = (
    *("judge", "variant", "flip_rate", "first_share", "flip_to_first", "firm_share", "tie_share"),
    *("probability_shift", "n_pairs", "small"),
)
CELLS = "Percent of selections. Orange: more often than 1/n; blue: less often; pale numbers: fewer than 30."
BANDS = "Bands are 95% intervals; hollow marks rest on fewer than 30 verdicts."
EMPTY = "Nothing to draw: no judge has these numbers in this slice."
ROUGH = "Lines are 95% intervals; hollow marks: a score was selected fewer than 30 times."


def render(context: Context) -> None:
    """Show the chosen part."""
    first = first_of_orders(context.study.inventory.values("paradigm"))
    part = selection.part("orders", PARTS, first)
    flags = filters.bar(context, ("paradigm", "level", *([] if part == "rubrics" else OF_AGREEMENT)))
    SHOW[part](context, flags)


@section
def _positions(context: Context, flags: data.FlagValues) -> None:
    about = "Share of selections at each position in the list of options, of each judge, by score."
    _of_scale(context, flags, "position", "positions", about, POSITIONS, CELLS, pair_figures.position_words)


@section
def _costs(context: Context, flags: data.FlagValues) -> None:
    meaning = "Choose the recommended ordering from all possible ones, not only from the balanced ones tried"
    if selection.switch("search", "Search all orderings", meaning, clears=None):
        flags = (*flags, ("search", "all"))
    about = ABOUT["orderings"]
    _of_scale(context, flags, "ordering", "orderings", about, COSTS, ROUGH, pair_figures.ordering_words)


@section
def _permutation(context: Context, flags: data.FlagValues) -> None:
    about, words = ABOUT["permutation"], pair_figures.permutation_words
    _of_scale(context, flags, "permutation", "permutation", about, ARMS, components.MARKS, words)


def _of_scale(
    context: Context,
    flags: data.FlagValues,
    measure: str,
    name: str,
    about: str,
    fields: tuple[str, ...],
    marks: str,
    words: Callable[[list[dict[str, object]]], str],
) -> None:
    """Show a measure of score options, for one scale at a time."""
    result = figures.attempt(context.key, measure, flags)
    if components.lacks_rows(result):
        return
    options = scales(result)
    selection.drop_unknown("scale", options, "Scale")
    scale = options[0]
    if len(options) > 1:
        scale = selection.choice("scale", options, "Scale", scale, width=260) or scale
    part = result.with_rows(scale_rows(result, scale))
    components.say(words(part.rows), key=f"finding_{name}")
    show(context.key, name, flags, about, part, empty=EMPTY, options=(scale,), marks=marks)
    components.measure_table(part, fields, f"{name}_numbers")


@section
def _rubrics(context: Context, flags: data.FlagValues) -> None:
    result = figures.attempt(context.key, "order-effect", pair_figures.of_lists(flags))
    if components.lacks_rows(result):
        return
    titles = {field: description[0] for field, description in pair_figures.LIST_FIELDS.items()}
    selection.drop_unknown("along", tuple(titles), "Curve shows")
    first = titles["verdict_rate"]
    field = selection.choice("along", tuple(titles), "Curve shows", first, titles.__getitem__, width=360)
    field = field or "verdict_rate"
    components.say(pair_figures.list_words(result.rows, field, titles[field]), key="finding_lists")
    description = f"Along the places of rubrics in their list, of each judge: {titles[field]}."
    show(context.key, "along_list", flags, description, result, empty=EMPTY, options=(field,), marks=BANDS)
    components.measure_table(result, LISTS, "list_numbers")


@section
def _pairs(context: Context, flags: data.FlagValues) -> None:
    result = figures.attempt(context.key, "order-effect", pair_figures.of_pairs(flags))
    if components.lacks_rows(result):
        studies.let_judge(context, both_orders=True)
        return
    components.say(pair_figures.flip_words(result.rows), key="finding_flips")
    show(context.key, "flips", flags, ABOUT["flips"], result, empty=EMPTY)
    fields = [name for name in FLIPS if any(row[name] is not None for row in result.rows)]
    components.measure_table(result, fields, "flip_numbers")


SHOW = dict(zip(PARTS, (_positions, _costs, _permutation, _rubrics, _pairs), strict=True))

show_page(render)
