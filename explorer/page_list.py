"""The pages, and the part of the view that the address of each holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.annotations.people import Role
from engine.study import Study
from engine.views.keys import FILTER_KEYS, SAVED_SLICE, SECOND
from engine.views.registry import VIEWS

View = dict[str, tuple[str, ...]]
"""The current choices: the texts of each key."""

FOLDER = Path(__file__).parent / "app_pages"

SAVED, FILTERS = SAVED_SLICE, FILTER_KEYS

READING = ("beside", "differ", "rendered")
"""How judgments are shown: what is beside each, and whether texts are rendered."""


@dataclass(frozen=True)
class Page:
    """One page: its file, its title, and the keys of the view that its address holds.

    Links to pages of one `section` share a button. `needs` is the role that a visitor must have; None for
    pages with numbers. A page without the key `study` never opens one; a page that is not `of_study` does
    not describe the open one. `parts` has the views of each of its parts, the first of which a pin shows;
    `part_key` names the chosen one.
    `former` holds the names of pages that it replaces, each with the choices that
    the name implied: their addresses and pinned views lead to it.
    """

    name: str
    title: str
    icon: str
    keys: tuple[str, ...]
    section: str | None = None
    needs: Role | None = None
    of_study: bool = True
    former: Mapping[str, View] = field(default_factory=dict)
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    part_key: str = "part"

    @property
    def path(self) -> Path:
        """The page's file."""
        return FOLDER / f"{self.name}.py"


COMPARING = ("compare", "number", "common", "judge_a", "judge_b", "run_a", "run_b", "b_study", "side")
"""What is compared, by which number, and the side whose verdicts are listed."""

CHART = ("chart", "against", "by", "sort", "shade", "find", "instance", "response")
"""What the chart shows, and how."""

LIST = ("judge", "generator", "value", "show", "q", "item")
"""Which verdicts are listed, and the open one."""

PLAN_KEYS = tuple(
    f"plan_{name}"
    for name in (
        *("effect", "judges", "generators", "families", "rubrics_per_instance", "failure_rate"),
        *(
            "excess",
            "overestimation",
            "clustering",
            "power",
            "tokens_in",
            "tokens_out",
            "price_in",
            "price_out",
        ),
    )
)
"""The assumptions about a planned study, and the prices of its calls."""

WITHOUT_OWN = "without_own"
"""The part of the first page for a study in which no judge has judged its own responses."""

BELOW = "below"
"""The views of a page below its parts."""

ONE_JUDGE = "one_judge"
"""The views of the judge that is opened on the first page."""

MEASURES, DO, SHARE = "Measures", "Do", "Share"
"""The sections of the pages for which the row of links has no room."""

SECTION_ICONS = {MEASURES: ":material/query_stats:", DO: ":material/construction:", SHARE: ":material/share:"}

PAGES = (
    Page(
        "judges",
        "Judges",
        ":material/home:",
        ("study", *FILTERS, "judge", "beside", "all_claims", "epsilon", "scale", "in_words"),
        former={"overview": {}, "together": {}},
        parts={
            "": ("judges",),
            WITHOUT_OWN: ("people", "families", "mean_scores", "positions"),
            BELOW: ("ratios", "accuracy", "statuses_by_paradigm", "statuses_by_judge", "contents"),
            ONE_JUDGE: ("conclusion", "differences", "reasons", "strongest_slices", "own_rank"),
        },
    ),
    Page(
        "findings",
        "Findings",
        ":material/lightbulb:",
        ("study", "part", "all_claims"),
        parts={"findings": ("findings",), "ranking": ("rankings", "distances", "rank_flips")},
    ),
    Page(
        "workbench",
        "Explore",
        ":material/filter_alt:",
        (
            *("study", *FILTERS, *CHART, "in_words", *COMPARING, *(SECOND + name for name in FILTERS)),
            *(*LIST, *READING),
        ),
        former={
            "slice": {},
            "matrix": {"chart": ("matrix",)},
            "compare": {"compare": ("slices",)},
            "verdicts": {},
        },
        parts={
            "judges": ("slices",),
            "votes": ("votes", "vote_matrix", "vote_ranks"),
            "matrix": ("matrix", "lifts"),
            "curve": ("curve",),
            "compare": ("compare", "swaps"),
            "together": ("together", "associations"),
            "verdicts": ("verdicts",),
            "grid": ("grid",),
            "find": ("standout_slices",),
        },
        part_key="chart",
    ),
    Page(
        "paradigms",
        "Paradigms and committee",
        ":material/groups:",
        ("study", *FILTERS, "part", "common", "members", "by", "table"),
        parts={
            "paradigms": ("paradigms",),
            "committee": ("committee", "committee_size", "committee_families"),
            "agreement": ("agreement", "relatedness"),
            "slices": ("kinds",),
            "printed": ("printed_rubrics",),
        },
    ),
    Page("data", "Data", ":material/upload_file:", ("study",), of_study=False),
    Page("new_run", "New run", ":material/play_circle:", ("study", "started")),
    Page(
        "audit",
        "Audit",
        ":material/fact_check:",
        ("study",),
        MEASURES,
        parts={
            "": ("audit",),
            BELOW: ("ranking_without_own", "longer", "missing_verdicts", "independent_votes", "detectable"),
        },
    ),
    Page(
        "which_judge",
        "Which judge",
        ":material/how_to_reg:",
        ("study", *FILTERS, "enough", "bound"),
        MEASURES,
        parts={"": ("which_judge", "best_of_n")},
    ),
    Page(
        "people",
        "People",
        ":material/diversity_3:",
        ("study", *FILTERS, "epsilon"),
        MEASURES,
        parts={"": ("people",)},
    ),
    Page(
        "scores",
        "Scores and families",
        ":material/leaderboard:",
        ("study", *FILTERS, "part"),
        MEASURES,
        parts={"scores": ("mean_scores",), "families": ("families",)},
    ),
    Page(
        "equal_quality",
        "Equal quality",
        ":material/balance:",
        ("study", *FILTERS, "epsilon", "quality"),
        MEASURES,
        parts={
            "": (
                *("firm_choices", "archetypes", "spb_by_epsilon", "spb_by_category", "mitigation"),
                "labels",
            )
        },
    ),
    Page(
        "quality_baseline",
        "Quality baseline",
        ":material/align_vertical_bottom:",
        ("study", *FILTERS, "proxies", "judge", "part", "table"),
        MEASURES,
        parts={
            "": ("baseline", "baseline_curve", "baseline_summary", "dbg", "gold_stress"),
            "printed": ("printed_votes",),
        },
    ),
    Page(
        "order_effects",
        "Order effects",
        ":material/format_list_numbered:",
        ("study", *FILTERS, "orders", "scale", "search", "along", "models", "people"),
        MEASURES,
        parts={
            "positions": ("positions",),
            "costs": ("costs",),
            "permutation": ("permutation",),
            "models": ("model_likeness",),
            "pairs": ("flips",),
            "rubrics": ("lists",),
        },
        part_key="orders",
    ),
    Page(
        "measures",
        "Measures",
        ":material/menu_book:",
        ("study", "measure"),
        MEASURES,
        parts={"": ("measures", "measure_list", "measure_options", "glossary")},
    ),
    Page("atlas", "Atlas", ":material/public:", ("study", "atlas_by", "atlas_row"), MEASURES, of_study=False),
    Page(
        "power",
        "Power",
        ":material/bolt:",
        ("study", *PLAN_KEYS),
        DO,
        parts={"": ("power", "planned_cost", "planned_excess")},
    ),
    Page("annotate", "Annotate", ":material/edit_note:", ("task",), DO, needs="annotator"),
    Page(
        "coordinate",
        "Coordinate",
        ":material/supervisor_account:",
        ("study", *FILTERS, "task", "desk", "listed", "case", "rendered"),
        DO,
        needs="coordinator",
    ),
    Page("present", "Present", ":material/slideshow:", ("study", "story", "show", "screen"), SHARE),
)

BY_NAME = {name: page for page in PAGES for name in (page.name, *page.former)}
"""The pages by name, including former names."""

PARTS_OF_VIEWS = {
    view: (page, part) for page in PAGES for part, views in page.parts.items() for view in views
}
"""The page on which each view stands, and its part there."""


def part_of(page: Page, value: str | None, study: Study) -> str:
    """Return the part of a page that is shown: the chosen one, else the first that the study can fill."""
    if value in page.parts:
        return str(value)
    fillable = {
        part: [VIEWS[view].lacks(study) is None for view in views] for part, views in page.parts.items()
    }
    about_it = [part for part, fit in fillable.items() if fit[0]]  # the first view is what a part is about
    return next(iter([*about_it, *(part for part, fit in fillable.items() if any(fit)), *page.parts]))


def pinned_view(page: Page, view: View, study: Study) -> str | None:
    """Return the view that a pin of the page shows now: its first; None if the page has none.

    On Explore that is the comparison, or the list while a judgment is read or a text is searched.
    """
    if not page.parts:
        return None
    if page.part_key == CHART[0] and view.get("compare"):
        return "compare"
    if page.part_key == CHART[0] and (view.get("item") or view.get("q")):
        return "verdicts"
    part = next(iter(view.get(page.part_key, ())), None)
    views = page.parts[part_of(page, part, study)]
    return next((name for name in views if VIEWS[name].lacks(study) is None), views[0])


def link(name: str, keys: Mapping[str, Sequence[str]]) -> tuple[Page, dict[str, list[str]]]:
    """Return the page that a view's name leads to, and the part of its keys that the page shows."""
    of_view = name in PARTS_OF_VIEWS and not any(name in page.former for page in PAGES)
    if of_view and PARTS_OF_VIEWS[name][0].part_key not in keys:
        page, part = PARTS_OF_VIEWS[name]
        keys = {page.part_key: (part,), **keys} if part else keys
        return page, {key: list(texts) for key, texts in keys.items() if key in page.keys}
    page = BY_NAME[name]
    view = current_view(page.former[name], keys) if name in page.former else keys
    return page, {key: list(texts) for key, texts in view.items() if key in page.keys}


NEW_NAMES = {"row": "judge", "row_order": "sort"}
"""Keys of former pages that have another name now."""


def current_view(implied: Mapping[str, Sequence[str]], keys: Mapping[str, Sequence[str]]) -> View:
    """Return the view of a former page under current keys, with what its name implied."""
    view = {NEW_NAMES.get(key, key): tuple(texts) for key, texts in keys.items()}
    return {key: tuple(texts) for key, texts in implied.items()} | view
