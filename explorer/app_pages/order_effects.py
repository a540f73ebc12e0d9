"""Order effects: whether the place of an option, a rubric or a response decides."""

from collections.abc import Callable

from engine.measures.picked import of_scale, scales
from engine.measures.result import Result
from engine.report.pages import TOLD, first_of_orders
from explorer import components, context, data, figures, filters, order_figures, order_words, selection
from explorer.pair_figures import only, show

PARTS = {
    "positions": "Positions",
    "costs": "Cost of orderings",
    "permutation": "Permuting or repeating",
    "rubrics": "Lists of rubrics",
    "pairs": "Pairs",
}
AGREED = ("min_agreement",)
POSITIONS = ("judge", "position", "share", "n", "chi2", "chi2_p", "chi2_shuffle_p", "small")
COSTS = ("judge", "ordering", "cost", "recommended", "pearson", "spearman", "rank", "n", "n_judged")
ARMS = ("judge", "pearson_permutation", "pearson_repeat", "pearson_delta", "pearson_delta_p_adjusted")
ARMS += ("pearson_corrected", "pearson_delta_corrected", "spearman_delta", "sd_permutation", "sd_repeat")
ARMS += ("n_items", "n_scored")
LISTS = ("judge", "variant", "ordering", "position", "verdict_rate", "overestimation", "hspp_self")
LISTS += ("n_verdicts", "small")
FLIPS = ("judge", "variant", "flip_rate", "first_share", "flip_to_first", "firm_share", "tie_share")
FLIPS += ("probability_shift", "n_pairs", "small")
CELLS = "Percent of the selections; orange: more often than 1/n, blue: less; pale numbers: fewer than 30."
BANDS = "Bands are 95% intervals; hollow marks rest on fewer than 30 verdicts."
ROUGH = "Lines are 95% intervals; hollow marks: a score was selected fewer than 30 times."


def render(here: context.Context) -> None:
    """Show the part chosen."""
    first = first_of_orders(here.study.inventory.values("paradigm"))
    part = selection.part("orders", PARTS, first)
    asked = filters.sidebar(here.choices, ("paradigm", "level", *([] if part == "rubrics" else AGREED)))
    SHOW[part](here, asked)


def _positions(here: context.Context, asked: data.Asked) -> None:
    told = "Share of selections at each position in the list of options, of each judge, by score."
    _of_scale(here, asked, "position", ("positions", told, POSITIONS, CELLS), order_words.positions)


def _costs(here: context.Context, asked: data.Asked) -> None:
    meaning = "Recommend one of all orderings there are, not only of the balanced ones that were asked"
    if selection.switch("search", "Search all orderings", meaning, clears=None):
        asked = (*asked, ("search", "all"))
    shown = ("orderings", TOLD["orderings"], COSTS, ROUGH)
    _of_scale(here, asked, "ordering", shown, order_words.orderings)


def _permutation(here: context.Context, asked: data.Asked) -> None:
    shown = ("permutation", TOLD["permutation"], ARMS, components.MARKS)
    _of_scale(here, asked, "permutation", shown, order_words.permutation)


def _of_scale(
    here: context.Context,
    asked: data.Asked,
    measure: str,
    shown: tuple[str, str, tuple[str, ...], str],
    words: Callable[[list[dict[str, object]]], str],
) -> None:
    """Show a measure of score options, of one scale at a time."""
    result = figures.attempt(here.key, measure, asked)
    if components.lacks_rows(result):
        return
    name, told, fields, marks = shown
    there = scales(result)
    selection.drop_unknown("scale", there, "Scale")
    scale = there[0]
    if len(there) > 1:
        scale = selection.choice("scale", there, "Scale", scale, width=260) or scale
    kept = only(result, of_scale(result, scale))
    components.say(words(kept.rows), key=f"finding_{name}")
    _draw(here, name, asked, (scale,), told, kept, marks)
    components.measured(kept, fields, f"{name}_numbers")


def _rubrics(here: context.Context, asked: data.Asked) -> None:
    result = figures.attempt(here.key, "order-effect", order_figures.of_lists(asked))
    if components.lacks_rows(result):
        return
    titles = {field: told[0] for field, told in order_figures.SHOWN.items()}
    selection.drop_unknown("along", tuple(titles), "Curve shows")
    first = titles["verdict_rate"]
    field = selection.choice("along", tuple(titles), "Curve shows", first, titles.__getitem__, width=360)
    field = field or "verdict_rate"
    components.say(order_words.along_list(result.rows, field, titles[field]), key="finding_lists")
    told = f"Along the places of rubrics in their list, of each judge: {titles[field]}."
    _draw(here, "along_list", asked, (field,), told, result, BANDS)
    components.measured(result, LISTS, "list_numbers")


def _pairs(here: context.Context, asked: data.Asked) -> None:
    result = figures.attempt(here.key, "order-effect", order_figures.of_pairs(asked))
    if components.lacks_rows(result):
        return
    components.say(order_words.flips(result.rows), key="finding_flips")
    _draw(here, "flips", asked, (), TOLD["flips"], result, components.MARKS)
    components.measured(result, FLIPS, "flip_numbers")


def _draw(
    here: context.Context,
    name: str,
    asked: data.Asked,
    options: tuple[str, ...],
    told: str,
    result: Result,
    marks: str,
) -> None:
    empty = "There is nothing to draw: no judge has these numbers in this slice."
    show(here.key, name, asked, told, result, empty=empty, options=options, marks=marks)


SHOW = dict(zip(PARTS, (_positions, _costs, _permutation, _rubrics, _pairs), strict=True))

context.show(render)
