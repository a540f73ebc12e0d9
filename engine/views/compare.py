"""A comparison of two slices, judges, runs or studies: both sides, and their difference."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engine.arrays.once_cache import OnceCache
from engine.charts import two_sides
from engine.charts.chart_marks import PICK
from engine.charts.chart_spec import spec_of
from engine.charts.forest import MEANS
from engine.charts.two_sides import PANELS
from engine.errors import UsageError
from engine.explore.compare import COMPARED_NUMBERS, Comparison, Side, compare
from engine.explore.judgment_list import usual_kind
from engine.findings.commands import command_of
from engine.measures.comparison import compared_as_ratio
from engine.views.keys import (
    Filters,
    choice,
    choices_in,
    filters,
    needs_verdicts,
    nowhere,
    second_filters,
    switch,
    texts,
)
from engine.views.of_measure import measure
from engine.views.shown import Figure, Shown, ShownTable, VerdictQuery
from engine.views.view import View
from engine.words import comparison_words
from engine.words.row_cells import difference, text_of
from engine.words.short_titles import title

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import HsppRow

Mode = Literal["slices", "judges", "runs", "studies"]
MODES: Mapping[Mode, str] = {"slices": "Slices", "judges": "Judges", "runs": "Runs", "studies": "Studies"}
NUMBERS = {
    "hspp_self": "ratio for own answers",
    "hspp_matched": "ratio on criteria both failed",
    "hspp_family": "ratio for its family",
    "o_self": "passed own failures",
    "o_other": "passed others' failures",
    "mra": "accuracy on criteria",
    "mipa": "pair accuracy",
}
RATIOS = tuple(name for name in COMPARED_NUMBERS if name.startswith("hspp"))
COMMON = "Only answers that every judge on both sides has judged; off: all answers of each side"

MOST = 40
"""Most judges drawn: those highest on side A."""

MOST_COMPARED = 30
"""How many comparisons of a study are kept."""

MARKS = (
    "Lines are 95% intervals; hollow marks rest on fewer than 30 cases; an arrow stands for what lies beyond "
    "the axis; both sides share one scale."
)
LEADS = "Click a mark to list its judgments."
ALONE = "The commands print each side alone, on all its answers; the page Explore compares both."

COLUMNS = {
    "row": ("Row", "The judge, or the number where two judges are compared"),
    "a": ("A [95% interval]", "The number on side A"),
    "b": ("B [95% interval]", "The number on side B"),
    "difference": ("A against B", "Ratios: A / B; shares: A - B, in points"),
    "p": ("p", "p-value of no difference, from the resamples"),
    "p_adjusted": ("p, adjusted", "Adjusted for the number of judges (Benjamini-Hochberg)"),
    "n": ("n, A and B", "Cases behind the number on each side"),
    "rank": ("Rank, A to B", "1 is highest, among judges on both sides"),
}
SWAPS = {
    "above": ("Higher in A", "The judge of the two that is higher on side A"),
    "below": ("Higher in B", "The judge of the two that is higher on side B"),
    "share": ("Share of resamples", "Resamples in which both orders hold; about a quarter by chance"),
}


def _offered(name: str) -> Callable[["MeasuredStudy"], Mapping[str, str]]:
    def offers(study: "MeasuredStudy") -> Mapping[str, str]:
        choices = choices_in(study)
        values = choices.judges if name == "judge" else choices.values.get(name, ())
        return {value: value for value in values}

    return offers


def _usual(name: str, place: int) -> Callable[["MeasuredStudy", Mapping[str, Any]], str | None]:
    def usual(study: "MeasuredStudy", before: Mapping[str, Any]) -> str | None:
        if name == "judge" and before.get("compare") == "slices":
            return None  # the one of the two farthest apart
        values = list(_offered(name)(study))
        return values[place] if len(values) > 1 else None

    return usual


def _study_of_b(study: "MeasuredStudy", before: Mapping[str, Any]) -> "MeasuredStudy":
    """Return the study of side B: another of the same store where studies are compared."""
    if before["compare"] != "studies":
        return study
    name = next(iter(before["b_study"]), "")
    if not name:
        raise UsageError("choose the other study")
    if name in (".", "..") or "/" in name or "\\" in name:
        raise UsageError(f"{name!r} is not another study of this store")
    path = study.files.path
    place = path.rsplit("/", 1)[0] + "/" + name if path.startswith("s3://") else Path(path).parent / name
    other = type(study).open(place)
    other_study: MeasuredStudy = study.remember(
        f"study {place} {other.files.stamp(slices=False)}", lambda: other
    )
    return other_study


@dataclass(frozen=True)
class CompareKeys:
    """What is compared, by which number, and the two sides."""

    slice_: Annotated[Filters, filters()]
    compare: Annotated[Mode, choice("Compare", "What the sides are", lambda _: MODES, where=nowhere)]
    number: Annotated[str, choice("Number", "The number compared", lambda _: NUMBERS)]
    common: Annotated[bool, switch("Only answers on both sides", COMMON, usual=lambda *_: True)]
    judge_a: Annotated[
        str | None,
        choice("Judge A", "The judge of A", _offered("judge"), usual=_usual("judge", 0), where=nowhere),
    ]
    judge_b: Annotated[
        str | None,
        choice("Judge B", "The judge of B", _offered("judge"), usual=_usual("judge", 1), where=nowhere),
    ]
    run_a: Annotated[
        str | None, choice("Run A", "The run of A", _offered("run"), usual=_usual("run", 0), where=nowhere)
    ]
    run_b: Annotated[
        str | None, choice("Run B", "The run of B", _offered("run"), usual=_usual("run", 1), where=nowhere)
    ]
    b_study: Annotated[tuple[str, ...], texts("Study of B", "Another study of the store")]
    b_slice_: Annotated[Filters, second_filters(_study_of_b)]


def sides_of(study: "MeasuredStudy", keys: CompareKeys) -> tuple[Side, Side]:
    """Return both sides; UsageError if the study has no two of them, or their filters are the same."""
    base = Side(study, keys.slice_)
    if keys.compare == "judges":
        return _two(base, "judge", keys.judge_a, keys.judge_b)
    if keys.compare == "runs":
        return _two(base, "run", keys.run_a, keys.run_b)
    other = Side(_study_of_b(study, vars(keys)), keys.b_slice_)
    if keys.compare == "slices" and keys.slice_ == keys.b_slice_:
        if keys.slice_ and None in (keys.judge_a, keys.judge_b):
            raise UsageError("sides A and B have the same filters; change those of one of them")
        farthest = farthest_judges(study, keys.slice_)
        if farthest is not None:
            return _two(base, "judge", keys.judge_a or farthest[0], keys.judge_b or farthest[1])
    return base, other


def _two(base: Side, what: Literal["judge", "run"], a: str | None, b: str | None) -> tuple[Side, Side]:
    if a is None or b is None:
        raise UsageError(f"this study has fewer than two {what}s to compare")
    if a == b:
        raise UsageError(f"{what} {a!r} is on both sides; change one of them")
    if what == "judge":
        return replace(base, judge=a), replace(base, judge=b)
    first, second = (replace(base, filters={**base.filters, "run": (run,)}) for run in (a, b))
    return first, second


def farthest_judges(study: "MeasuredStudy", slice_: Filters) -> tuple[str, str] | None:
    """Return the two judges with the highest and the lowest ratio; None without two ratios."""
    rows: list[HsppRow] = measure(study, "hspp", slice_).rows
    ratios = [row for row in rows if row["judge"] is not None and row["hspp_self"] is not None]
    ratios.sort(key=lambda row: -float(row["hspp_self"]))
    return (str(ratios[0]["judge"]), str(ratios[-1]["judge"])) if len(ratios) > 1 else None


def _compared(study: "MeasuredStudy", keys: CompareKeys) -> Comparison:
    """Compare two sides once for all views of the study: two judges by every ratio."""
    a, b = sides_of(study, keys)
    fields = RATIOS if a.judge is not None and keys.number in RATIOS else (keys.number,)
    results: OnceCache = study.remember("comparisons of views", lambda: OnceCache(MOST_COMPARED))
    key = (a.judge, b.judge, id(b.study), repr((a.filters, b.filters)), fields, keys.common)
    compared: Comparison = results.get(key, lambda: compare(a, b, fields, common=keys.common))
    return compared


def answer(study: "MeasuredStudy", keys: CompareKeys) -> Shown:
    """Show both sides and their difference."""
    comparison, sides = _compared(study, keys), sides_of(study, keys)
    basis = comparison_words.basis(comparison)
    queries = tuple(VerdictQuery(side.filters, usual_kind(side.study), side.judge) for side in sides)
    if not comparison.rows:
        problem = f"There is nothing to compare: {comparison.reason}."
        return Shown(problems=(problem,), basis=basis, queries=queries)
    commands = _commands(comparison, sides)
    finding = comparison_words.finding(comparison, keys.number)
    others = comparison_words.one_side_only(comparison), comparison_words.smallest_p(comparison)
    return Shown(
        sentences=(
            comparison_words.compared(NUMBERS[keys.number]),
            *finding,
            comparison_words.common(comparison),
            *filter(None, others),
        ),
        figure=_figure(comparison, keys.number, two_judges=sides[0].judge is not None),
        table=_table(comparison),
        basis=(*basis, *([] if len(commands) == 1 else [ALONE])),
        commands=commands,
        measures=(comparison.measure.name,),
        queries=queries,
    )


def swaps(study: "MeasuredStudy", keys: CompareKeys) -> Shown:
    """Show the judges that change places between the sides."""
    comparison = _compared(study, keys)
    if sides_of(study, keys)[0].judge is not None or not comparison.rows:
        return Shown()
    if not comparison.swaps:
        return Shown(sentences=("The judges are in the same order on both sides.",))
    rows = (
        (swap.above, swap.below, "–" if swap.share is None else f"{100 * swap.share:.0f}%")
        for swap in comparison.swaps
    )
    return Shown(table=ShownTable.under(SWAPS, rows, map(asdict, comparison.swaps)))


def _figure(comparison: Comparison, number: str, *, two_judges: bool) -> Figure:
    as_ratio = compared_as_ratio(comparison.measure, number)
    rows = comparison.rows
    if len(rows) > MOST + 1:
        ranked = (row for row in rows if row["judge"] is None or row["rank_a"] is not None)
        rows = [row for row in ranked if row["judge"] is None or row["rank_a"] <= MOST]
    label = (lambda row: title(row["field"])) if two_judges else two_sides.judge_of
    frame = two_sides.two_side_rows(rows, as_ratio=as_ratio, label=label)
    spec = spec_of(two_sides.two_sides(frame, as_ratio=as_ratio))
    caption = f"Side A, side B and A against B by {NUMBERS[number]}."
    return Figure(spec, caption, MARKS, len(rows), len(comparison.rows), pick=PICK)


def _table(comparison: Comparison) -> ShownTable:
    kinds = {field.name: field.kind for field in comparison.measure.fields}
    rows = [_cells(row, kinds[row["field"]]) for row in comparison.rows]
    idle = ("p_adjusted", "rank") if any(row["judge"] != row["judge_b"] for row in comparison.rows) else ()
    names = tuple(name for name in COLUMNS if name not in idle)
    heads, meanings = zip(*(COLUMNS[name] for name in names), strict=True)
    cells = tuple(tuple(row[name] for name in names) for row in rows)
    return ShownTable(heads, cells, 0, names, meanings, records=tuple(comparison.rows))


def _cells(row: Mapping[str, Any], kind: str) -> dict[str, str]:
    name = title(str(row["field"])) if row["judge"] != row["judge_b"] else row["judge"]
    return {
        "row": "mean of judges" if name is None else str(name),
        "a": text_of(row, "a", "a_low", "a_high", kind=kind),
        "b": text_of(row, "b", "b_low", "b_high", kind=kind),
        "difference": difference(row, kind=kind),
        "p": text_of(row, "p"),
        "p_adjusted": "–" if row["judge"] is None else text_of(row, "p_adjusted"),
        "n": f"{row['n_a']:,} and {row['n_b']:,}",
        "rank": "–" if row["rank_a"] is None else f"{row['rank_a']} to {row['rank_b']}",
    }


def _commands(comparison: Comparison, sides: tuple[Side, Side]) -> tuple[str, ...]:
    """Return the command that prints the comparison; if none can, those that print each side alone."""
    name, (a, b) = comparison.measure.name, sides
    is_single = comparison.fields == (comparison.measure.headline,) and a.judge is None and a.study is b.study
    if is_single and b.filters and set(a.filters) <= set(b.filters):
        against = {"against": dict(b.filters), "common": comparison.common.applied}
        return (command_of(a.study.name, name, dict(a.filters) | against),)
    commands = []
    for side in sides:
        options = dict(side.filters) | ({} if side.judge is None else {"judges": (side.judge,)})
        commands.append(command_of(side.study.name, name, options))
    return tuple(commands)


def click(mark: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    """Return the keys of the verdicts behind a mark: the side, and the judge on its own answers."""
    of_judge = mark["label"] != MEANS and mark["label"] not in {title(name) for name in NUMBERS}
    judge = (str(mark["label"]),) if of_judge else ()
    return {"judge": judge, "generator": judge, "side": ("b",) if mark["panel"] == PANELS[1] else ()}


COMPARE = View(
    "compare",
    "Comparison",
    "How do two slices, judges, runs or studies differ?",
    CompareKeys,
    answer,
    needs_verdicts,
    click=click,
    leads=LEADS,
    stays=True,
)
SWAPPED = View(
    "swaps", "Judges that change places", "Which judges change places?", CompareKeys, swaps, needs_verdicts
)
