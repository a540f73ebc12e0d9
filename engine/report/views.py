"""What each page of the explorer shows, as an exhibit, for use outside the explorer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine import words
from engine.errors import SpbError, UsageError
from engine.explore import judgment_detail, judgment_list
from engine.explore.compare import COMPARED, Comparison, Side, compare
from engine.explore.filter_choices import Choices, choices_of
from engine.findings.claims import command_of
from engine.measures.catalogue import MEASURES, find
from engine.measures.compute import compared_as_ratio
from engine.measures.result import Result
from engine.report.exhibit import (
    ABOUT,
    MOST_ROWS,
    OF_RUBRICS,
    Exhibit,
    ResolvedPin,
    Table,
    first_of_orders,
    measured,
    unfolded,
    usual_quality,
)
from engine.slices import Slice
from engine.store.study_files import Pin
from engine.values import parse_int
from engine.words import conclusions, difference, plainly, title
from engine.words import sentences as comparison_sentences

if TYPE_CHECKING:
    from engine.study import Study


# ------------------------------------------------------------------------------
# The view of a comparison: two sides, and their difference.


MODES = ("slices", "judges", "runs", "studies")
ALONE = "The commands print each side alone, on all its responses; the page Workbench compares both."
HEADS = ("Row", "A [95% interval]", "B [95% interval]", "A against B", "p", "n, A and B")


def sides(looked: ResolvedPin) -> Exhibit:
    """Return a comparison of two slices, judges, runs or studies."""
    number = looked.one("number", tuple(COMPARED), "Number") or "hspp_self"
    mode = looked.one("compare", MODES, "Comparison of") or "slices"
    whole = Side(looked.study, looked.filters())
    two, one = _side(looked, mode, whole, "b"), _side(looked, mode, whole, "a")
    common = looked.one("common", ("false",), "Only in common") is None
    comparison = compare(one, two, (number,), common=common)
    if not comparison.rows:
        problem = f"There is nothing to compare: {comparison.reason}."
        return Exhibit(problems=(problem,), basis=comparison_sentences.basis(comparison))
    commands = _commands(comparison, (one, two))
    finding = comparison_sentences.finding(comparison, number)
    return Exhibit(
        sentences=(*finding, comparison_sentences.common(comparison)),
        chart=_chart(comparison, number),
        caption="Side A, side B and A against B, a row for each judge.",
        table=_table(comparison),
        basis=(*comparison_sentences.basis(comparison), *([] if len(commands) == 1 else [ALONE])),
        commands=commands,
        measures=(comparison.measure.name,),
    )


def _side(looked: ResolvedPin, mode: str, whole: Side, letter: Literal["a", "b"]) -> Side:
    """Return one side: a judge or run of the whole if these are compared; else B has filters of its own."""
    usual = "ab".index(letter)
    if mode == "judges":
        return replace(whole, judge=_of(looked, f"judge_{letter}", looked.choices.judges, usual))
    if mode == "runs":
        run = _of(looked, f"run_{letter}", looked.choices.values.get("run", ()), usual)
        return replace(whole, filters={**whole.filters, "run": (run,)})
    if letter == "a":
        return whole
    study, choices = looked.study, looked.choices
    if mode == "studies":
        study = _beside(looked)
        choices = choices_of(study)
    other = ResolvedPin(study, choices, looked.view, looked.gone)
    return Side(study, other.filters(prefix="b_"))


def _beside(looked: ResolvedPin) -> "Study":
    """Return the other study, by its name in the same store; UsageError if that is not a plain name."""
    from engine.study import Study

    name = (looked.view.get("b_study") or ("",))[0]
    here = looked.study.files.path
    if not name or name in (".", "..") or "/" in name or "\\" in name:
        raise UsageError(f"{name!r} is not another study of this store")
    place = here.rsplit("/", 1)[0] + "/" + name if here.startswith("s3://") else Path(here).parent / name
    return Study.open(place)


def _of(looked: ResolvedPin, key: str, allowed: tuple[str, ...], usual: int) -> str:
    """Return the name of a side, by default the first or second; UsageError with fewer than two."""
    if len(allowed) < 2:
        raise UsageError(f"there are not two sides to compare by {key.partition('_')[0]}")
    return looked.one(key, allowed, title(key)) or allowed[usual]


def _chart(comparison: Comparison, number: str) -> dict[str, Any]:
    from engine.charts.change import two_side_rows, two_sides
    from engine.charts.export import spec_of

    as_ratio = compared_as_ratio(comparison.measure, number)
    rows = two_side_rows(comparison.rows[:MOST_ROWS], as_ratio=as_ratio)
    return spec_of(two_sides(rows, as_ratio=as_ratio))


def _table(comparison: Comparison) -> Table:
    kinds = {field.name: field.kind for field in comparison.measure.fields}
    rows = tuple(_cells(row, kinds[row["field"]]) for row in comparison.rows[:MOST_ROWS])
    return Table(HEADS, rows, max(len(comparison.rows) - MOST_ROWS, 0))


def _cells(row: dict[str, Any], kind: str) -> tuple[str, ...]:
    judges = row["judge"], row["judge_b"]
    label = "mean of judges" if judges[0] is None else str(judges[0])
    return (
        label if judges[0] == judges[1] else f"{judges[0]} against {judges[1]}",
        plainly(row, "a", "a_low", "a_high", kind=kind),
        plainly(row, "b", "b_low", "b_high", kind=kind),
        difference(row, kind=kind),
        plainly(row, "p"),
        f"{row['n_a']:,} and {row['n_b']:,}",
    )


def _commands(comparison: Comparison, both: tuple[Side, Side]) -> tuple[str, ...]:
    """Return the command that prints the comparison; if none can, those that print each side alone."""
    measure, (one, two) = comparison.measure, both
    one_command = comparison.fields == (measure.headline,) and one.judge is None and one.study is two.study
    if one_command and two.filters and set(one.filters) <= set(two.filters):
        against = {"against": dict(two.filters), "common": comparison.common.applied}
        return (command_of(one.study.name, measure.name, dict(one.filters) | against),)
    commands = []
    for side in both:
        given = dict(side.filters) | ({} if side.judge is None else {"judges": (side.judge,)})
        commands.append(command_of(side.study.name, measure.name, given))
    return tuple(commands)


# ------------------------------------------------------------------------------
# Views with more words than numbers: answers, judgments, assumptions, a measure's definition.


LISTED = 12
"""How many judgments a view of the list shows."""

LONGEST = 600
"""Most characters shown of a text of the study."""

COLUMNS = {
    "judge": "Judge",
    "generator": "Generator",
    "opponent": "Opponent",
    "verdict": "Judge says",
    "reference": "Reference says",
    "criterion": "Criterion",
    "instance_id": "Instance",
}


def answers(looked: ResolvedPin) -> Exhibit:
    """Return the short answers of the findings."""
    findings = looked.study.findings()
    sentences = [f"{answer.title} {' '.join(answer.sentences)}" for answer in findings.answers]
    commands = dict.fromkeys(claim.command for claim in findings.claims)
    return Exhibit(sentences=tuple(sentences), commands=tuple(commands))


def judgments_exhibit(looked: ResolvedPin) -> Exhibit:
    """Return judgments of a selection, starting from the one that was open."""
    choices, study = looked.choices, looked.study
    kind = looked.one("show", tuple(judgment_list.KINDS), "Show") or "overestimation"
    by = looked.one("by", choices.groupings, "Group by")
    value = (looked.view.get("value") or (None,))[0] if by else None
    first = parse_int((looked.view.get("item") or ("1",))[0]) or 1
    spec = Slice.of(**looked.filters())
    drilled = judgment_detail.rows(
        study,
        spec,
        kind,
        judge=looked.one("judge", choices.judges, "Judge"),
        generator=looked.one("generator", choices.models, "Generator"),
        search=(looked.view.get("q") or (None,))[0],
        by=by if value is not None else None,
        value=value,
        limit=LISTED,
        offset=first - 1,
    )
    if not drilled.rows:
        return Exhibit(problems=(f"There is nothing to show: {drilled.reason or 'no such judgment'}.",))
    names = [name for name in COLUMNS if any(row.get(name) is not None for row in drilled.rows)]
    rows = tuple(tuple(_short(row.get(name)) for name in names) for row in drilled.rows)
    table = Table(tuple(COLUMNS[name] for name in names), rows, drilled.total - drilled.offset - len(rows))
    sentence = (
        f"{words.SHOWN[kind]}: {drilled.total:,} judgments; shown from number {drilled.offset + 1:,} on."
    )
    return Exhibit(sentences=(sentence,), table=table)


def _short(value: Any) -> str:
    text = "–" if value is None else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def power(looked: ResolvedPin) -> Exhibit:
    """Return how many instances a study needs under the view's assumptions."""
    from engine.charts.export import spec_of
    from engine.charts.lines import power_curves, power_rows
    from engine.explore.doctor import assumed_from
    from engine.stats.power import TARGETS, Assumptions, instances_needed, power_curve

    assumptions: dict[str, Any] = asdict(Assumptions(1.2)) | {"generators": 6} | assumed_from(looked.study)
    for name in assumptions:
        given = looked.number(f"plan_{name}", (0.0, 1e9), words.title(name))
        value = assumptions[name] if given is None else given
        assumptions[name] = round(value) if name in ("judges", "generators", "families") else value
    assumed, wanted = Assumptions(**assumptions), looked.number("plan_power", (0.1, 0.99), "Power") or 0.8
    needed = {target: instances_needed(assumed, wanted, target) for target in TARGETS}
    curves = {target: power_curve(assumed, target=target) for target in TARGETS}
    chart = power_curves(power_rows(curves, needed), wanted)
    rows = tuple((TARGETS[target], f"{needs.instances:,}") for target, needs in needed.items())
    listed = "; ".join(f"{words.title(name).lower()} {value:g}" for name, value in assumptions.items())
    return Exhibit(
        chart=spec_of(chart),
        caption="Power by number of instances, for one judge, one of several that are tested, and "
        "their mean.",
        table=Table(("Detected", "Instances"), rows),
        basis=(f"Assumed: {listed}; power {wanted:g}.",),
    )


def measure(looked: ResolvedPin) -> Exhibit:
    """Return what a measure asks, its formula, and its fields."""
    name = looked.one("measure", tuple(MEASURES), "Measure") or next(iter(MEASURES))
    entry = MEASURES[name]
    fields = tuple((field.name, field.meaning) for field in entry.fields[:MOST_ROWS])
    return Exhibit(
        sentences=(entry.question, entry.formula, f"Left out: {entry.left_out}.", f"From: {entry.paper}."),
        table=Table(("Field", "Meaning"), fields),
        measures=(name,),
    )


# ------------------------------------------------------------------------------
# Pinned views without the explorer: what each page's view shows.


PARTS = {
    "positions": ("position", "Share of selections at each position in the list of options, of each judge."),
    "costs": ("ordering", ABOUT["orderings"]),
    "permutation": ("permutation", ABOUT["permutation"]),
    "rubrics": ("order-effect", "Verdicts along the places of rubrics in their list."),
    "pairs": ("order-effect", ABOUT["flips"]),
}
"""The parts of the page on orders: the measure of each, and its chart's alternative text."""


def exhibit_of(study: "Study", pin: Pin, choices: Choices | None = None) -> Exhibit:
    """Return what a pinned view shows now, with a sentence for every value no longer available."""
    view, problems = unfolded(study.info, pin.view)
    shown = shown_by(study, pin.page, view, choices or choices_of(study))
    return replace(shown, problems=(*problems, *shown.problems))


def shown_by(study: "Study", page: str, view: Mapping[str, Sequence[str]], choices: Choices) -> Exhibit:
    """Return what a page shows for a view without saved slices; see `exhibit_of`."""
    show = PAGES.get(page)
    if show is None:
        return Exhibit(problems=(f"There is no page {page!r} whose views can be shown here.",))
    looked = ResolvedPin(study, choices, view)
    try:
        shown = show(looked)
    except SpbError as error:
        shown = Exhibit(problems=(f"It cannot be shown: {error}.",))
    return replace(shown, problems=(*looked.gone, *shown.problems))


def _slice(looked: ResolvedPin) -> Exhibit:
    by = looked.one("by", looked.choices.groupings, "Group by")
    options = looked.filters(by=by)
    if looked.one("against", ("responses", "judges"), "Against") == "judges":
        return _outside(looked, options)
    result = looked.study.result(find("hspp"), **options)
    shown = measured(looked.study, "hspp", options, caption=ABOUT["slice"], result=result)
    if not result.rows:
        instead = _outside(looked, options)
        return instead if instead.table is not None else shown
    if by is not None:
        return replace(shown, sentences=(comparison_sentences.slices(result.rows, by.replace("_", " ")),))
    return replace(shown, sentences=_about_ratios(result))


def _about_ratios(result: Result) -> tuple[str, ...]:
    return tuple(comparison_sentences.self_preference(result.rows, result.filters["level"] or "rubric"))


def _outside(looked: ResolvedPin, options: Mapping[str, Any]) -> Exhibit:
    from engine.charts.export import spec_of
    from engine.charts.forest import forest, forest_rows, outside_series

    result = looked.study.result(find("outside"), **options)
    shown = measured(looked.study, "outside", options, caption=ABOUT["outside"], result=result)
    if not result.rows:
        return shown
    series = outside_series(result.rows)
    rows = forest_rows(result.rows, by=result.by, fields=(series.field,))
    chart = spec_of(forest(rows, width=940 if result.by else 620, outside=series.form)) if len(rows) else None
    return replace(shown, chart=chart)


def _matrix(looked: ResolvedPin) -> Exhibit:
    from engine.charts.heatmap import SHADES

    shade = looked.one("shade", tuple(SHADES), "Cells show")
    by = looked.one("by", looked.choices.groupings, "Group by")
    options = looked.filters(*(("level",) if shade == "delta" else ()), by=by)
    measure = "delta" if shade == "delta" else "overestimation"
    caption = f"Judges in rows, generators in columns, each cell the {measure} of one pair."
    fields = ("judge", "generator", "relation", "under_rate", "under", "under_n")
    return measured(
        looked.study, measure, options, caption=caption, fields=fields if shade == "underestimation" else ()
    )


def _workbench(looked: ResolvedPin) -> Exhibit:
    """Return what the workbench shows: a comparison, judgments being read or searched, cells, or ratios."""
    if looked.view.get("compare"):
        return sides(looked)
    if looked.view.get("item") or looked.view.get("q"):
        return judgments_exhibit(looked)
    return _matrix(looked) if "matrix" in looked.view.get("chart", ()) else _slice(looked)


def _paradigms(looked: ResolvedPin) -> Exhibit:
    part = looked.one("part", ("paradigms", "committee", "agreement", "slices", "printed"), "Part")
    if part == "committee":
        members = looked.many("members", looked.choices.judges, "Member")
        options = looked.filters("level", members=members or None)
        return measured(looked.study, "committee", options, caption=ABOUT["committee"])
    if part == "agreement":
        options = looked.filters("level", "min_agreement")
        return measured(looked.study, "agreement-curve", options, caption=ABOUT["agreement"])
    by = next((by for by in ("polarity", "axis", "theme") if by in looked.choices.groupings), None)
    if part == "slices" and by is not None:
        caption = f"Ratio of each judge by {by}."
        return measured(looked.study, "hspp", looked.filters(by=by), caption=caption)
    options = looked.filters("level", "paradigm", level="instance", by="paradigm")
    return measured(looked.study, "hspp", options, caption="Ratio of each judge in each paradigm.")


def _order_effects(looked: ResolvedPin) -> Exhibit:
    first = first_of_orders(looked.study.inventory.values("paradigm"))
    part = looked.one("orders", tuple(PARTS), "Part") or first
    measure, caption = PARTS[part]
    way = {"rubrics": "all_rubrics", "pairs": "pairwise"}.get(part)
    idle = ("paradigm", "level", *(() if part == "rubrics" else ("min_agreement",)))
    return measured(looked.study, measure, looked.filters(*idle, paradigm=way), caption=caption)


def _together(looked: ResolvedPin) -> Exhibit:
    caption = "Every measure for each judge: for or against self-preference."
    return measured(looked.study, "together", looked.filters(), caption=caption)


def _equal_quality(looked: ResolvedPin) -> Exhibit:
    usual = usual_quality(looked.study.inventory.values("paradigm"))
    quality = looked.option("archetypes", "quality", "Quality from") or usual
    epsilon = looked.number("epsilon", (0.0, 2.0), "Equal within")
    options = looked.filters(*OF_RUBRICS, quality=quality, epsilon=epsilon)
    return measured(looked.study, "archetypes", options, caption=ABOUT["archetypes"])


def _quality_baseline(looked: ResolvedPin) -> Exhibit:
    proxies = looked.option("quality-baseline", "proxies", "Proxies from")
    options = looked.filters(*OF_RUBRICS, proxies=proxies)
    return measured(looked.study, "quality-baseline", options, caption=ABOUT["baseline"])


def _judges(looked: ResolvedPin) -> Exhibit:
    """Return the board of judges; if no conclusion is possible, the ratios, or else all measures."""
    from engine.charts.board import board
    from engine.charts.export import spec_of

    result = looked.study.result(find("scorecard"))
    if not result.rows:
        return _ratios(looked)
    shown = measured(looked.study, "scorecard", {}, caption=ABOUT["judges"], result=result)
    sentences = (conclusions.study_sentence(result.rows),)
    if not conclusions.can_be_tested(result.rows):
        return replace(shown, sentences=sentences)
    return replace(shown, sentences=sentences, chart=spec_of(board(result.rows[:MOST_ROWS])))


def _ratios(looked: ResolvedPin) -> Exhibit:
    result = looked.study.result(find("hspp"))
    if not result.rows:
        return measured(looked.study, "together", {}, caption="Every measure for each judge.")
    shown = measured(looked.study, "hspp", {}, caption=ABOUT["overview"], result=result)
    return replace(shown, sentences=_about_ratios(result))


PAGES: Mapping[str, Callable[[ResolvedPin], Exhibit]] = {
    "judges": _judges,
    "overview": _judges,
    "findings": answers,
    "workbench": _workbench,
    "slice": _slice,
    "matrix": _matrix,
    "compare": sides,
    "paradigms": _paradigms,
    "verdicts": judgments_exhibit,
    "equal_quality": _equal_quality,
    "quality_baseline": _quality_baseline,
    "order_effects": _order_effects,
    "together": _together,
    "power": power,
    "measures": measure,
}
"""The function that shows each page's pinned views."""
