"""The pages there are, and what of the view each of them shows."""

from dataclasses import dataclass
from pathlib import Path

from engine.annotations.people import Role
from engine.slices import FLAGS

FOLDER = Path(__file__).parent / "app_pages"

SAVED = "slice"
"""The key of the saved slice chosen."""

FILTERS = (SAVED, *(flag.name for flag in FLAGS if flag.name != "min_instances"))
"""The keys that say which slice is shown."""

READING = ("beside", "differ", "rendered")
"""How judgments are read: what is set beside each, and texts plain or rendered."""


@dataclass(frozen=True)
class Page:
    """One page: its file, its title, and the keys of the view that its address holds.

    The links to pages of one `section` stand behind one button. `needs` is the role that its visitor must
    have; None for pages with numbers. A page that shows no `study` never opens one; a page that is not
    `of_study` says nothing of the one that is open.
    """

    name: str
    title: str
    icon: str
    keys: tuple[str, ...]
    section: str | None = None
    needs: Role | None = None
    of_study: bool = True

    @property
    def path(self) -> Path:
        """The page's file."""
        return FOLDER / f"{self.name}.py"


COMPARING = ("compare", "number", "common", "judge_a", "judge_b", "run_a", "run_b", "b_study", "row")
"""What is compared, by which number, and the row chosen."""

SECOND = "b_"
"""What stands before the keys of the second side, where two are compared."""

PLANNED = tuple(
    f"plan_{name}"
    for name in (
        *("effect", "judges", "generators", "families", "rubrics_per_instance", "failure_rate"),
        *("overestimation", "clustering", "power", "tokens_in", "tokens_out", "price_in", "price_out"),
    )
)
"""What is assumed of a study to come, and what its calls cost."""

MORE = "More"
"""The section of all pages but those that one slices with: a row of links has no room for more."""

PAGES = (
    Page("overview", "Overview", ":material/home:", ("study",)),
    Page("findings", "Findings", ":material/lightbulb:", ("study", "part", "all_claims")),
    Page("slice", "Slice", ":material/filter_alt:", ("study", *FILTERS, "by", "find")),
    Page(
        "matrix",
        "Judges x generators",
        ":material/grid_on:",
        ("study", *FILTERS, "shade", "row_order", "column_order"),
    ),
    Page(
        "compare",
        "Compare",
        ":material/compare_arrows:",
        ("study", *FILTERS, *COMPARING, *(SECOND + name for name in FILTERS)),
    ),
    Page(
        "paradigms",
        "Paradigms and committee",
        ":material/groups:",
        ("study", *FILTERS, "part", "common", "members"),
    ),
    Page(
        "verdicts",
        "Verdicts",
        ":material/gavel:",
        ("study", *FILTERS, "by", "value", "judge", "generator", "show", "q", "item", *READING),
    ),
    Page(
        "equal_quality",
        "Equal quality",
        ":material/balance:",
        ("study", *FILTERS, "epsilon", "quality"),
        MORE,
    ),
    Page(
        "quality_baseline",
        "Quality baseline",
        ":material/align_vertical_bottom:",
        ("study", *FILTERS, "proxies", "judge"),
        MORE,
    ),
    Page(
        "order_effects",
        "Order effects",
        ":material/format_list_numbered:",
        ("study", *FILTERS, "orders", "scale", "search", "along"),
        MORE,
    ),
    Page("together", "Together", ":material/join_full:", ("study", *FILTERS, "judge"), MORE),
    Page("power", "Power", ":material/bolt:", ("study", *PLANNED), MORE),
    Page("new_run", "New run", ":material/play_circle:", ("study", "started"), MORE),
    Page("data", "Data", ":material/upload_file:", ("study",), MORE, of_study=False),
    Page("annotate", "Annotate", ":material/edit_note:", ("task",), MORE, needs="annotator"),
    Page(
        "coordinate",
        "Coordinate",
        ":material/supervisor_account:",
        ("study", *FILTERS, "task", "desk", "listed", "case", "rendered"),
        MORE,
        needs="coordinator",
    ),
    Page("present", "Present", ":material/slideshow:", ("study", "story", "show", "screen"), MORE),
    Page("measures", "Measures", ":material/menu_book:", ("study", "measure"), MORE),
)

BY_NAME = {page.name: page for page in PAGES}
