"""The charts of the page on orders; they join `figures.FIGURES` here."""

from functools import partial

from engine.charts import costs, courses, panels, places
from engine.charts.marks import Form
from engine.measures.picked import of_scale
from explorer import figures
from explorer.data import Drawn, StudyKey
from explorer.figures import Flags, attempt, without
from explorer.pair_figures import in_panels, of_first_judges

SHOWN: dict[str, tuple[str, Form, float | None]] = {
    "verdict_rate": ("said to be met", "share", None),
    "overestimation": ("overestimation", "share", None),
    "hspp_self": ("ratio, 1 = none", "ratio", 1.0),
}
"""What a course along a list of rubrics can show: its words, its form, and where nothing would be."""

PLACE_TITLES = (
    ("judge", "Judge"),
    ("score", "Score"),
    ("position", "Position"),
    ("words", "Share [95% interval]"),
    ("expected", "Expected"),
    ("n", "n"),
    ("small", "Few cases"),
)
COST_TITLES = (
    ("judge", "Judge"),
    ("ordering", "Order shown"),
    ("series", "It is"),
    ("words", "Cost [95% interval]"),
    ("r_words", "Pearson's r with people"),
    ("n", "n"),
    ("small", "Few cases"),
)
COURSE_TITLES = (
    ("judge", "Judge"),
    ("series", "Ordering"),
    ("place", "Place"),
    ("words", "Value [95% interval]"),
    ("n", "n"),
    ("small", "Few cases"),
)


def positions(key: StudyKey, asked: Flags, scale: str) -> Drawn:
    """Draw P by position, of all scores and of each, a panel for each judge."""
    whole = of_scale(attempt(key, "position", asked), scale)
    by_score = of_scale(attempt(key, "position", asked, "score"), scale)
    return of_first_judges(places.rows_of(whole, by_score), places.places, PLACE_TITLES)


def orderings(key: StudyKey, asked: Flags, scale: str) -> Drawn:
    """Draw what each ordering costs, a panel for each judge."""
    frame = costs.rows_of(of_scale(attempt(key, "ordering", asked), scale))
    return of_first_judges(frame, costs.costs, COST_TITLES)


def permutation(key: StudyKey, asked: Flags, scale: str) -> Drawn:
    """Draw permuted orderings against repeats of one."""
    return in_panels(of_scale(attempt(key, "permutation", asked), scale), panels.PERMUTATION)


def of_lists(asked: Flags) -> Flags:
    """Return the flags of the measure on lists of rubrics."""
    return (*without(asked, "paradigm", "level"), ("paradigm", "all_rubrics"))


def of_pairs(asked: Flags) -> Flags:
    """Return the flags of the measure on pairs."""
    return (*without(asked, "paradigm", "level", "min_agreement"), ("paradigm", "pairwise"))


def along_list(key: StudyKey, asked: Flags, field: str) -> Drawn:
    """Draw a number along the places of rubrics in their list."""
    title, form, line = SHOWN[field]
    frame = courses.of_positions(attempt(key, "order-effect", of_lists(asked)).rows, field, form)
    draw = partial(courses.courses, along="place in the list", title=title, form=form, line=line)
    return of_first_judges(frame, draw, COURSE_TITLES)


def flips(key: StudyKey, asked: Flags) -> Drawn:
    """Draw how often the order shown decides, a row for each judge and way of asking."""
    rows = attempt(key, "order-effect", of_pairs(asked)).rows
    several = len({row["variant"] for row in rows}) > 1
    named = [row | {"who": f"{row['judge']}, {row['variant']}" if several else row["judge"]} for row in rows]
    named.sort(key=lambda row: [told["judge"] for told in rows].index(row["judge"]))
    return in_panels(named, panels.FLIPS, "who")


figures.FIGURES |= {
    "positions": positions,
    "orderings": orderings,
    "permutation": permutation,
    "along_list": along_list,
    "flips": flips,
}
