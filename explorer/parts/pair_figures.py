"""Charts of pairs and of orders, and the sentences beside them."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from engine.charts import change, forest, heatmap, lines, panels, scatter
from engine.charts.export import spec_of
from engine.charts.panels import Panel
from engine.charts.style import Form
from engine.measures.result import Result, opponent_rows, pooled_rows, scale_rows
from engine.measures.rows import SURE
from engine.values import quantity
from engine.words import Row, in_sentence, with_interval
from engine.words.sentences import excludes, significant, unadjusted
from explorer import data
from explorer.data import Chart, FlagValues, StudyKey
from explorer.parts import components, figures
from explorer.parts.figures import MOST, Figure, attempt, first_judges_chart, titles, without

# ------------------------------------------------------------------------------
# The charts of the pages on pairs and on all measures together.


MOST_PANELS = 12
"""Most judges drawn with a panel each."""

PANEL_TITLES = titles(label="Row", panel="Panel", series="Series", words="Value [95% interval]")
QUADRANT_TITLES = titles(
    judge="Judge",
    archetype="Archetype",
    x_words="D [95% interval]",
    y_words="SPB [95% interval]",
    crosses="Borders crossed",
    n_contrast="Answers behind D",
)
ARROW_TITLES = titles(
    judge="Judge",
    variant="Variant",
    series="Prompt",
    words="SPB [95% interval]",
    reduction_words="Reduction of |SPB|",
    eta_words="Relative reduction (eta)",
)
CATEGORY_TITLES = titles(judge="Judge", kind="Category", words="SPB [95% interval]")
EPSILONS = ("epsilons", ("0.1", "0.25", "0.5", "1", "1.5", "2"))
"""The option of `equal-quality` with which the page shows how SPB depends on epsilon."""

SPB_BY_EPSILON = partial(
    lines.line_series, along="epsilon", title="SPB", form="difference", line=0.0, is_count=False
)
EPSILON_TITLES = titles(judge="Judge", place="Epsilon", words="SPB")
PROXY_TITLES = titles(judge="Judge", place="Proxies", words="T")
SIGN_TITLES = (
    ("judge", "Judge"),
    ("measure", "Measure"),
    ("words", "Value [95% interval]"),
    ("says", "Direction"),
    ("rank", "Rank"),
    ("n", "n"),
)


WIN_TITLES = titles(panel="Judge", generator="Model", series="Relation", words="Win rate [95% interval]")

SIGNS_TEXT = "Judges in rows, measures in columns; colours show for or against self-preference."
SIGN_COLOURS = (
    "Orange: self-preference; blue: the opposite; grey: neither. Pale: the 95% interval includes no "
    "preference, or is missing. Hover for the interval and n."
)


def say_cut(chart: Chart) -> None:
    """Say how many judges are drawn, unless all are."""
    if chart.panels < chart.all_panels:
        components.note(
            f"Showing the first {chart.panels} of {chart.all_panels} judges; choose others in the filters.",
            key=f"cut_{chart.panels}_{chart.all_panels}_{len(chart.rows)}",
        )


def panel_chart(rows: Sequence[dict[str, Any]], parts: Sequence[Panel], label: str = "judge") -> Chart:
    """Draw the numbers of at most MOST rows in panels."""
    every = panels.panel_rows(rows, parts, label)
    frame = every[every["label_order"] < MOST].reset_index(drop=True)
    spec = spec_of(panels.panels(frame, parts)) if len(frame) else {}
    return Chart(spec, frame, frame["label"].nunique(), every["label"].nunique(), PANEL_TITLES)


def firm_choices(key: StudyKey, flags: FlagValues) -> Chart:
    """Draw PIR beside Null-PIR, and their difference."""
    return panel_chart(attempt(key, "equal-quality", flags).rows, panels.EQUAL_QUALITY)


def baseline(key: StudyKey, flags: FlagValues, judge: str | None = None) -> Chart:
    """Draw ILSP before and after, LSP and entropies: of all judges, or of one by opponent."""
    return _by_opponent(attempt(key, "quality-baseline", flags), panels.BASELINE, judge)


def dbg(key: StudyKey, flags: FlagValues, judge: str | None = None) -> Chart:
    """Draw win rates and DBG: of all judges, or of one by opponent."""
    return _by_opponent(attempt(key, "dbg", flags), panels.DBG, judge)


def _by_opponent(result: Result, parts: Sequence[Panel], judge: str | None) -> Chart:
    if judge is None:
        return panel_chart(pooled_rows(result), parts)
    return panel_chart(opponent_rows(result, judge), parts, "opponent")


def proxies(key: StudyKey, flags: FlagValues) -> Chart:
    """Draw T by number of proxies."""
    frame = lines.of_proxies(pooled_rows(attempt(key, "quality-baseline", flags)))
    draw = partial(lines.line_series, along="proxies", title="T beyond baseline", form="difference", line=0.0)
    return first_judges_chart(frame, draw, PROXY_TITLES, MOST_PANELS)


def win_rates(
    key: StudyKey, flags: FlagValues, by: str | None = None, order: panels.Order = "value"
) -> Chart:
    """Draw how often each model wins with each judge, in each slice of a column if one is given."""
    rows, families = attempt(key, "votes", flags, by).rows, data.study(key).families()
    every = panels.win_rate_rows(rows, families, order=order, most=MOST)
    frame = every[every["panel_order"] < MOST_PANELS].reset_index(drop=True)
    spec = spec_of(panels.win_rates(frame)) if len(frame) else {}
    return Chart(spec, frame, frame["panel"].nunique(), every["panel"].nunique(), WIN_TITLES)


def show(
    key: StudyKey,
    name: str,
    flags: FlagValues,
    description: str,
    result: Result,
    *,
    empty: str | None = None,
    options: tuple[Any, ...] = (),
    marks: str = components.MARKS,
) -> None:
    """Show one of these charts with its basis and rows, or say `empty` if there is nothing to draw."""
    chart = data.figure(key, name, flags, options)
    if chart.rows.empty:
        if empty is not None:
            components.say(empty)
        return
    say_cut(chart)
    components.chart(chart, name, description, result, marks=marks)


# ------------------------------------------------------------------------------
# The charts of the page on order effects; like those above, they join `figures.FIGURES`.


LIST_FIELDS: dict[str, tuple[str, Form, float | None]] = {
    "verdict_rate": ("judged met", "share", None),
    "overestimation": ("overestimation", "share", None),
    "hspp_self": ("ratio (1 = no preference)", "ratio", 1.0),
}
"""The numbers that a curve along a list of rubrics can show: words, form, and the value of no effect."""

PLACE_TITLES = titles(
    judge="Judge", score="Score", position="Position", words="Share [95% interval]", expected="Expected"
)
COST_TITLES = titles(
    judge="Judge",
    ordering="Order shown",
    series="Kind",
    words="Cost [95% interval]",
    r_words="Pearson's r with people",
)
COURSE_TITLES = titles(judge="Judge", series="Ordering", place="Place", words="Value [95% interval]")


def positions(key: StudyKey, flags: FlagValues, scale: str) -> Chart:
    """Draw P by position, for all scores and for each, a panel for each judge."""
    over_all = scale_rows(attempt(key, "position", flags), scale)
    by_score = scale_rows(attempt(key, "position", flags, "score"), scale)
    frame = panels.position_rows(over_all, by_score)
    return first_judges_chart(frame, panels.position_shares, PLACE_TITLES, MOST_PANELS)


def orderings(key: StudyKey, flags: FlagValues, scale: str) -> Chart:
    """Draw what each ordering costs, a panel for each judge."""
    frame = panels.cost_rows(scale_rows(attempt(key, "ordering", flags), scale))
    return first_judges_chart(frame, panels.costs, COST_TITLES, MOST_PANELS)


def permutation(key: StudyKey, flags: FlagValues, scale: str) -> Chart:
    """Draw permuted orderings against repeats of one."""
    return panel_chart(scale_rows(attempt(key, "permutation", flags), scale), panels.PERMUTATION)


def of_lists(flags: FlagValues) -> FlagValues:
    """Return the flags of the measure on lists of rubrics."""
    return (*without(flags, "paradigm", "level"), ("paradigm", "all_rubrics"))


def of_pairs(flags: FlagValues) -> FlagValues:
    """Return the flags of the measure on pairs."""
    return (*without(flags, "paradigm", "level", "min_agreement"), ("paradigm", "pairwise"))


def along_list(key: StudyKey, flags: FlagValues, field: str) -> Chart:
    """Draw a number by position of rubrics in their list."""
    title, form, null = LIST_FIELDS[field]
    frame = lines.of_positions(attempt(key, "order-effect", of_lists(flags)).rows, field, form)
    draw = partial(lines.line_series, along="place in the list", title=title, form=form, line=null)
    return first_judges_chart(frame, draw, COURSE_TITLES, MOST_PANELS)


def flips(key: StudyKey, flags: FlagValues) -> Chart:
    """Draw how often the order shown decides, a row for each judge and variant."""
    rows = attempt(key, "order-effect", of_pairs(flags)).rows
    several = len({row["variant"] for row in rows}) > 1
    table = [row | {"who": f"{row['judge']}, {row['variant']}" if several else row["judge"]} for row in rows]
    table.sort(key=lambda row: [each["judge"] for each in rows].index(row["judge"]))
    return panel_chart(table, panels.FLIPS, "who")


figures.FIGURES |= {
    "quadrant": Figure("archetypes", scatter.quadrant_rows, scatter.quadrant, QUADRANT_TITLES),
    "firm_choices": firm_choices,
    "categories": Figure(
        "equal-quality", forest.category_rows, forest.by_category, CATEGORY_TITLES, MOST_PANELS, by="category"
    ),
    "by_epsilon": Figure(
        "equal-quality", lines.of_epsilons, SPB_BY_EPSILON, EPSILON_TITLES, MOST_PANELS, flags=(EPSILONS,)
    ),
    "mitigation": Figure("mitigation", change.before_after_rows, change.before_after, ARROW_TITLES, MOST),
    "baseline": baseline,
    "dbg": dbg,
    "proxies": proxies,
    "together": Figure("together", heatmap.direction_rows, heatmap.direction_grid, SIGN_TITLES, MOST),
    "win_rates": win_rates,
    "positions": positions,
    "orderings": orderings,
    "permutation": permutation,
    "along_list": along_list,
    "flips": flips,
}


# ------------------------------------------------------------------------------
# The results of measures on pairs, in words.


FEW = 6
"""Judges named in a sentence."""


def points(row: Row, field: str) -> str:
    """Return `+12.0 points (95% CI +3.1 to +20.4)`."""
    return in_sentence(row[field], row[f"{field}_low"], row[f"{field}_high"], "change")


def _first_few(parts: Sequence[str], mark: str = ", ") -> str:
    """Join the first FEW parts, and count the others."""
    return mark.join([*parts[:FEW], *([f"and {len(parts) - FEW} more"] if len(parts) > FEW else [])])


def _judges_in_words(rows: Sequence[Row], field: str) -> str:
    return _first_few([_judge_with_number(row, field) for row in rows], "; ")


def _judge_with_number(row: Row, field: str) -> str:
    return f"{row['judge']} {with_interval(row[field], row[f'{field}_low'], row[f'{field}_high'], 'change')}"


ARCHETYPES = {
    "Incompetent Randomizer": "cannot tell better from worse",
    "Objective": "tells better from worse, and treats its own like others'",
    "Machiavellian": "tells better from worse, and prefers its own among equals",
    "Blindly Biased": "tells better from worse, and prefers others' among equals",
}
"""What each archetype does."""


def archetype_words(rows: Sequence[Row]) -> list[str]:
    """Name the judges of each archetype, and count those whose intervals allow another."""
    judges = [row for row in rows if row["archetype"] is not None]
    if not judges:
        return ["No judge has an archetype here: that needs both SPB and D, from pairs far apart in quality."]
    sentences = []
    for name in dict.fromkeys(row["archetype"] for row in judges):
        names = [row["judge"] for row in judges if row["archetype"] == name]
        sentences.append(f"{name} ({ARCHETYPES[name]}): {_first_few(names)}.")
    unsure = sum(len(row["possible"] or ()) > 1 for row in judges)
    if unsure:
        sentences.append(
            f"For {unsure} of {quantity(len(judges), 'judge')} the intervals allow another archetype."
        )
    return sentences


def epsilon_words(rows: Sequence[Row]) -> str:
    """Say for how many judges SPB keeps its sign at every epsilon at which they have one."""
    values_of = [[spb for spb in row["spb_by_epsilon"] if spb is not None] for row in rows]
    values_of = [values for values in values_of if len(values) > 1]
    if not values_of:
        return "No judge has SPB at two epsilons."
    same_sign = sum(min(values) > 0 or max(values) < 0 for values in values_of)
    return f"SPB keeps its sign at every epsilon for {same_sign} of {len(values_of)} judges."


def category_words(rows: Sequence[Row]) -> str:
    """Say in which category judges lean most to and from themselves, and in how many cells that is clear."""
    cells = [row for row in rows if row["judge"] is not None and row["spb"] is not None]
    if not cells:
        return "No judge has SPB in a category."
    names = list(dict.fromkeys("(no value)" if row["slice"] is None else str(row["slice"]) for row in cells))
    least, most = min(cells, key=lambda row: row["spb"]), max(cells, key=lambda row: row["spb"])
    sure = [row for row in cells if excludes(row, "spb", 0)]
    above = sum(row["spb"] > 0 for row in sure)
    return (
        f"Of {len(cells)} pairs of a judge and one of {quantity(len(names), 'category')}, SPB is clearly "
        f"above 0 in {above} and clearly below 0 in {len(sure) - above}; chance alone would give about 1 in "
        f"40 each way. Highest: {most['judge']} on {most['slice']}, {points(most, 'spb')}; lowest: "
        f"{least['judge']} on {least['slice']}, {points(least, 'spb')}."
    )


def baseline_words(rows: Sequence[Row]) -> str:
    """Say for which judges T is above 0."""
    if not any(row["ilsp_updated"] is not None for row in rows):
        return (
            "T is not defined: no lost example has a proxy, another model with the same result against the "
            "same opponent that the judge also judged. ILSP and LSP are shown without a baseline."
        )
    doing = "vote for their own worse responses more than for equally bad ones of other models"
    return preferring(rows, "ilsp_updated", doing)


def preferring(rows: Sequence[Row], field: str, doing: str) -> str:
    """Say for how many judges a number is clearly above 0, clearly below, and neither."""
    judges = sorted((row for row in rows if row[field] is not None), key=lambda row: -row[field])
    if not judges:
        return "No judge has this number here."
    above, below = (
        [row for row in judges if significant(row, field, 0) and sign * row[field] > 0] for sign in (1, -1)
    )
    sentence = f"{len(above) or 'None'} of {quantity(len(judges), 'judge')} {doing}"
    sentence += f" ({_judges_in_words(above, field)})." if above else "."
    if below:
        doing = "does" if len(below) == 1 else "do"
        sentence += f" {len(below)} clearly {doing} the opposite ({_judges_in_words(below[::-1], field)})."
    parts = [sentence, *unadjusted(judges, field, 0, partial(_judge_with_number, field=field))]
    unclear = sum(not excludes(row, field, 0) for row in judges)
    if unclear:
        parts.append(f"For {unclear} the interval includes 0 or is missing.")
    return " ".join(parts)


def mitigation_words(rows: Sequence[Row]) -> str:
    """Say for how many judges each prompt lowers |SPB|."""
    sentences = []
    for name in dict.fromkeys(row["variant"] for row in rows):
        judges = [row for row in rows if row["variant"] == name and row["reduction"] is not None]
        if not judges:
            sentences.append(f"{name}: no judge has SPB in both.")
            continue
        less = sum(row["reduction"] > 0 for row in judges)
        sure = sum(excludes(row, "reduction", 0) and row["reduction"] > 0 for row in judges)
        worse = sum(excludes(row, "reduction", 0) and row["reduction"] < 0 for row in judges)
        sentences.append(
            f"{name} lowers |SPB| for {less} of {quantity(len(judges), 'judge')}, clearly so for {sure}, and "
            f"clearly raises it for {worse}."
        )
    return " ".join(sentences)


# ------------------------------------------------------------------------------
# The effects of the order shown, in words.


def position_words(rows: Sequence[Row]) -> str:
    """Say which position each judge picks most, and for how many that differs from chance."""
    judges = list(dict.fromkeys(row["judge"] for row in rows))
    picks, sure = [], 0
    for judge in judges:
        of_judge = [row for row in rows if row["judge"] == judge and row["share"] is not None]
        if not of_judge:
            continue
        most = max(of_judge, key=lambda row: row["share"])
        sure += most["chi2_shuffle_p"] is not None and most["chi2_shuffle_p"] < SURE
        picks.append(f"{judge} position {most['position']} ({most['share']:.1%})")
    if not picks:
        return "No judge has a selection here."
    return (
        f"Chosen most often (chance: {1 / rows[0]['n_options']:.1%}): {_first_few(picks)}. "
        f"{sure} of {quantity(len(picks), 'judge')} {'differs' if sure == 1 else 'differ'} from chance (p "
        f"below {SURE:g}, by permuting the scores of each item)."
    )


def ordering_words(rows: Sequence[Row]) -> str:
    """Say which ordering is recommended for each judge."""
    best = [row for row in rows if row["recommended"] and row["cost"] is not None]
    if not best:
        return "No ordering has a cost here."
    names = [f"{row['judge']} {row['ordering']} ({row['cost']:.1f} points)" for row in best]
    return f"Recommended ordering (lowest bias cost): {_first_few(names, '; ')}."


def permutation_words(rows: Sequence[Row]) -> str:
    """Say for how many judges permuting agrees better with people than repeating."""
    judges = [row for row in rows if row["pearson_delta"] is not None]
    if not judges:
        return "No judge has both permuted and repeated orderings with human scores to compare."
    better = sum(row["pearson_delta"] > 0 for row in judges)
    sure = [row for row in judges if row["pearson_delta_low"] is not None]
    clearly = sum(row["pearson_delta_low"] > 0 for row in sure)
    worse = sum(row["pearson_delta_high"] < 0 for row in sure)
    return (
        f"Permuted orderings agree better with people than the same number of repeats of one ordering for "
        f"{better} of {len(judges)} judges, clearly so for {clearly}; they agree clearly worse for {worse}."
    )


def list_words(rows: Sequence[Row], field: str, words: str) -> str:
    """Say in how many series a number falls from the first to the last position of a list."""
    ends: dict[tuple[str, str], dict[int, float]] = {}
    for row in rows:
        if row["position"] is not None and row[field] is not None:
            ends.setdefault((row["judge"], row["ordering"]), {})[row["position"]] = row[field]
    curves = [(course[min(course)], course[max(course)]) for course in ends.values() if len(course) > 1]
    if not curves:
        return "No judge has this number at two positions in a list."
    fell = sum(first > last for first, last in curves)
    return (
        f"From the first to the last position, the number ({words}) falls in {fell} of {len(curves)} series "
        "(one per judge and ordering); the intervals show how much of that may be chance."
    )


def flip_words(rows: Sequence[Row]) -> str:
    """Say which judge flips most, and how many flip to the response shown first or second."""
    judges = [row for row in rows if row["flip_rate"] is not None]
    if not judges:
        return "No pair was decided in both orders."
    enough = [row for row in judges if not row["small"]] or judges
    most = max(enough, key=lambda row: row["flip_rate"])
    leaning = [row for row in judges if row["flip_to_first_low"] is not None]
    first = sum(row["flip_to_first_low"] > 0.5 for row in leaning)
    second = sum(row["flip_to_first_high"] < 0.5 for row in leaning)
    several = len({row["variant"] for row in judges}) > 1
    variant, of = (f" (variant {most['variant']})", " and variants") if several else ("", "")
    rate = in_sentence(most["flip_rate"], most["flip_rate_low"], most["flip_rate_high"], "percent")
    verb = "flips" if first == 1 else "flip"
    return (
        f"{most['judge']}{variant} changes its vote with the order most often: in {rate} of pairs with a "
        f"winner in both (n {most['n_pairs']:,}). Of {len(judges)} judges{of}, {first or 'none'} clearly "
        f"{verb} to the response shown first and {second or 'none'} to the one shown second."
    )
