"""What each page of the explorer shows, as an exhibit, for use outside the explorer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine import words
from engine.errors import StoreError, UsageError, uncomputed
from engine.explore import judgment_detail, judgment_list
from engine.explore.compare import COMPARED_NUMBERS, Comparison, Side, compare
from engine.explore.filter_choices import Choices, choices_of
from engine.findings.claims import command_of
from engine.measures.catalogue import MEASURES, find
from engine.measures.compute import compared_as_ratio
from engine.measures.result import Result
from engine.report.exhibit import (
    ABOUT,
    MOST_ROWS,
    ResolvedPin,
    expand_slices,
    measure_exhibit,
)
from engine.slices import Slice
from engine.store.study_files import Pin
from engine.values import parse_int
from engine.views.shown import Figure, Shown, Table
from engine.words import difference, text_of, title
from engine.words import sentences as comparison_sentences

if TYPE_CHECKING:
    from engine.study import Study


# ------------------------------------------------------------------------------
# The view of a comparison: two sides, and their difference.


MODES = ("slices", "judges", "runs", "studies")
ALONE = "The commands print each side alone, on all its responses; the page Workbench compares both."
HEADS = ("Row", "A [95% interval]", "B [95% interval]", "A against B", "p", "n, A and B")


def sides(pin: ResolvedPin) -> Shown:
    """Return a comparison of two slices, judges, runs or studies."""
    number = pin.value("number", tuple(COMPARED_NUMBERS), "Number") or "hspp_self"
    mode = pin.value("compare", MODES, "Comparison of") or "slices"
    base = Side(pin.study, pin.filters())
    b, a = _side(pin, mode, base, "b"), _side(pin, mode, base, "a")
    common = pin.value("common", ("false",), "Only in common") is None
    comparison = compare(a, b, (number,), common=common)
    if not comparison.rows:
        problem = f"There is nothing to compare: {comparison.reason}."
        return Shown(problems=(problem,), basis=comparison_sentences.basis(comparison))
    commands = _commands(comparison, (a, b))
    finding = comparison_sentences.finding(comparison, number)
    return Shown(
        sentences=(*finding, comparison_sentences.common(comparison)),
        figure=Figure(_chart(comparison, number), "Side A, side B and A against B, a row for each judge."),
        table=_table(comparison),
        basis=(*comparison_sentences.basis(comparison), *([] if len(commands) == 1 else [ALONE])),
        commands=commands,
        measures=(comparison.measure.name,),
    )


def _side(pin: ResolvedPin, mode: str, base: Side, letter: Literal["a", "b"]) -> Side:
    """Return one side: a judge or run of `base` if these are compared; else B has filters of its own."""
    usual = "ab".index(letter)
    if mode == "judges":
        return replace(base, judge=_side_name(pin, f"judge_{letter}", pin.choices.judges, usual))
    if mode == "runs":
        run = _side_name(pin, f"run_{letter}", pin.choices.values.get("run", ()), usual)
        return replace(base, filters={**base.filters, "run": (run,)})
    if letter == "a":
        return base
    study, choices = pin.study, pin.choices
    if mode == "studies":
        study = _other_study(pin)
        choices = choices_of(study)
    other = ResolvedPin(study, choices, pin.view, pin.unavailable)
    return Side(study, other.filters(prefix="b_"))


def _other_study(pin: ResolvedPin) -> "Study":
    """Return the other study, by its name in the same store; UsageError if that is not a plain name."""
    from engine.study import Study

    name = (pin.view.get("b_study") or ("",))[0]
    path = pin.study.files.path
    if not name or name in (".", "..") or "/" in name or "\\" in name:
        raise UsageError(f"{name!r} is not another study of this store")
    place = path.rsplit("/", 1)[0] + "/" + name if path.startswith("s3://") else Path(path).parent / name
    return Study.open(place)


def _side_name(pin: ResolvedPin, key: str, allowed: tuple[str, ...], usual: int) -> str:
    """Return the name of a side, by default the first or second; UsageError with fewer than two."""
    if len(allowed) < 2:
        raise UsageError(f"there are not two sides to compare by {key.partition('_')[0]}")
    return pin.value(key, allowed, title(key)) or allowed[usual]


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
        text_of(row, "a", "a_low", "a_high", kind=kind),
        text_of(row, "b", "b_low", "b_high", kind=kind),
        difference(row, kind=kind),
        text_of(row, "p"),
        f"{row['n_a']:,} and {row['n_b']:,}",
    )


def _commands(comparison: Comparison, sides: tuple[Side, Side]) -> tuple[str, ...]:
    """Return the command that prints the comparison; if none can, those that print each side alone."""
    measure, (a, b) = comparison.measure, sides
    is_single = comparison.fields == (measure.headline,) and a.judge is None and a.study is b.study
    if is_single and b.filters and set(a.filters) <= set(b.filters):
        against = {"against": dict(b.filters), "common": comparison.common.applied}
        return (command_of(a.study.name, measure.name, dict(a.filters) | against),)
    commands = []
    for side in sides:
        filters = dict(side.filters) | ({} if side.judge is None else {"judges": (side.judge,)})
        commands.append(command_of(side.study.name, measure.name, filters))
    return tuple(commands)


# ------------------------------------------------------------------------------
# Views with more words than numbers: answers, judgments, assumptions, a measure's definition.


MOST_JUDGMENTS = 12  # how many judgments a view of the list shows
LONGEST = 600  # most characters shown of a text of the study

COLUMNS = {
    "judge": "Judge",
    "generator": "Generator",
    "opponent": "Opponent",
    "verdict": "Judge says",
    "reference": "Reference says",
    "criterion": "Criterion",
    "instance_id": "Instance",
}


def answers(pin: ResolvedPin) -> Shown:
    """Return the short answers of the findings."""
    findings = pin.study.findings()
    sentences = [f"{answer.title} {' '.join(answer.sentences)}" for answer in findings.answers]
    commands = dict.fromkeys(claim.command for claim in findings.claims)
    return Shown(sentences=tuple(sentences), commands=tuple(commands))


def judgments_exhibit(pin: ResolvedPin) -> Shown:
    """Return judgments of a selection, starting from the one that was open."""
    choices, study = pin.choices, pin.study
    kind = pin.value("show", tuple(judgment_list.KINDS), "Show") or "overestimation"
    by = pin.value("by", choices.groupings, "Group by")
    value = (pin.view.get("value") or (None,))[0] if by else None
    first = parse_int((pin.view.get("item") or ("1",))[0]) or 1
    spec = Slice.of(**pin.filters())
    listing = judgment_detail.rows(
        study,
        spec,
        kind,
        judge=pin.value("judge", choices.judges, "Judge"),
        generator=pin.value("generator", choices.models, "Generator"),
        search=(pin.view.get("q") or (None,))[0],
        by=by if value is not None else None,
        value=value,
        limit=MOST_JUDGMENTS,
        offset=first - 1,
    )
    if not listing.rows:
        return Shown(problems=(f"There is nothing to show: {listing.reason or 'no such judgment'}.",))
    names = [name for name in COLUMNS if any(row.get(name) is not None for row in listing.rows)]
    rows = tuple(tuple(_short(row.get(name)) for name in names) for row in listing.rows)
    table = Table(tuple(COLUMNS[name] for name in names), rows, listing.total - listing.offset - len(rows))
    sentence = (
        f"{words.ROW_KINDS[kind]}: {listing.total:,} judgments; shown from number {listing.offset + 1:,} on."
    )
    return Shown(sentences=(sentence,), table=table)


def _short(value: Any) -> str:
    text = "–" if value is None else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def power(pin: ResolvedPin) -> Shown:
    """Return how many instances a study needs under the view's assumptions."""
    from engine.charts.export import spec_of
    from engine.charts.lines import power_curves, power_rows
    from engine.explore.doctor import assumptions_from
    from engine.stats.power import TARGETS, Assumptions, instances_needed, power_curve

    assumptions: dict[str, Any] = asdict(Assumptions(1.2)) | {"generators": 6} | assumptions_from(pin.study)
    for name in assumptions:
        number = pin.number(f"plan_{name}", (0.0, 1e9), words.title(name))
        value = assumptions[name] if number is None else number
        assumptions[name] = round(value) if name in ("judges", "generators", "families") else value
    plan, goal = Assumptions(**assumptions), pin.number("plan_power", (0.1, 0.99), "Power") or 0.8
    answers = {target: instances_needed(plan, goal, target) for target in TARGETS}
    curves = {target: power_curve(plan, target=target) for target in TARGETS}
    chart = power_curves(power_rows(curves, answers), goal)
    rows = tuple((TARGETS[target], f"{answer.instances:,}") for target, answer in answers.items())
    settings = "; ".join(f"{words.title(name).lower()} {value:g}" for name, value in assumptions.items())
    return Shown(
        figure=Figure(
            spec_of(chart),
            "Power by number of instances, for one judge, one of several that are tested, and their mean.",
        ),
        table=Table(("Detected", "Instances"), rows),
        basis=(f"Assumed: {settings}; power {goal:g}.",),
    )


def measure(pin: ResolvedPin) -> Shown:
    """Return what a measure asks, its formula, and its fields."""
    name = pin.value("measure", tuple(MEASURES), "Measure") or next(iter(MEASURES))
    entry = MEASURES[name]
    fields = tuple((field.name, field.meaning) for field in entry.fields[:MOST_ROWS])
    return Shown(
        sentences=(entry.question, entry.formula, f"Left out: {entry.left_out}.", f"From: {entry.paper}."),
        table=Table(("Field", "Meaning"), fields),
        measures=(name,),
    )


# ------------------------------------------------------------------------------
# Pinned views without the explorer: what each page's view shows.


def exhibit_of(study: "Study", pin: Pin, choices: Choices | None = None) -> Shown:
    """Return what a pinned view shows now, with a sentence for every value no longer available."""
    view, problems = expand_slices(study.info, pin.view)
    exhibit = view_exhibit(study, pin.page, view, choices or choices_of(study))
    return replace(exhibit, problems=(*problems, *exhibit.problems))


def view_exhibit(study: "Study", page: str, view: Mapping[str, Sequence[str]], choices: Choices) -> Shown:
    """Return what a page shows for a view without saved slices; see `exhibit_of`."""
    from engine.views.registry import view_of  # which needs Altair

    declared = view_of(page, view)
    if declared is not None:
        return declared.shown(study, view)
    build = PAGES.get(page)
    if build is None:
        return Shown(problems=(f"There is no page {page!r} whose views can be shown here.",))
    pin = ResolvedPin(study, choices, view)
    try:
        exhibit = build(pin)
    except (OSError, StoreError):
        raise
    except Exception as error:
        exhibit = Shown(problems=(f"It cannot be shown: {uncomputed(error)}.",))
    return replace(exhibit, problems=(*pin.unavailable, *exhibit.problems))


def _slice(pin: ResolvedPin) -> Shown:
    by = pin.value("by", pin.choices.groupings, "Group by")
    options = pin.filters(by=by)
    if pin.value("against", ("responses", "judges"), "Against") == "judges":
        return _outside(pin, options)
    result = pin.study.result(find("hspp"), **options)
    exhibit = measure_exhibit(pin.study, "hspp", options, caption=ABOUT["slice"], result=result)
    if not result.rows:
        outside = _outside(pin, options)
        return outside if outside.table is not None else exhibit
    if by is not None:
        return replace(exhibit, sentences=(comparison_sentences.slices(result.rows, by.replace("_", " ")),))
    return replace(exhibit, sentences=_about_ratios(result))


def _about_ratios(result: Result) -> tuple[str, ...]:
    return tuple(comparison_sentences.self_preference(result.rows, result.filters["level"] or "rubric"))


def _outside(pin: ResolvedPin, options: Mapping[str, Any]) -> Shown:
    from engine.charts.forest import forest_rows, forest_spec, outside_series

    result = pin.study.result(find("outside"), **options)
    exhibit = measure_exhibit(pin.study, "outside", options, caption=ABOUT["outside"], result=result)
    if not result.rows:
        return exhibit
    series = outside_series(result.rows)
    rows = forest_rows(result.rows, by=result.by, fields=(series.field,))
    chart = forest_spec(rows, width=940 if result.by else 620, outside=series.form) if len(rows) else None
    return replace(exhibit, figure=None if chart is None else Figure(chart, ABOUT["outside"]))


def _matrix(pin: ResolvedPin) -> Shown:
    from engine.charts.heatmap import SHADES

    shade = pin.value("shade", tuple(SHADES), "Cells show")
    by = pin.value("by", pin.choices.groupings, "Group by")
    options = pin.filters(*(("level",) if shade == "delta" else ()), by=by)
    measure = "delta" if shade == "delta" else "overestimation"
    caption = f"Judges in rows, generators in columns, each cell the {measure} of one pair."
    fields = ("judge", "generator", "relation", "under_rate", "under", "under_n")
    return measure_exhibit(
        pin.study, measure, options, caption=caption, fields=fields if shade == "underestimation" else ()
    )


def _workbench(pin: ResolvedPin) -> Shown:
    """Return what the workbench shows: a comparison, judgments being read or searched, cells, or ratios."""
    if pin.view.get("compare"):
        return sides(pin)
    if pin.view.get("item") or pin.view.get("q"):
        return judgments_exhibit(pin)
    return _matrix(pin) if "matrix" in pin.view.get("chart", ()) else _slice(pin)


def _together(pin: ResolvedPin) -> Shown:
    caption = "Every measure for each judge: for or against self-preference."
    return measure_exhibit(pin.study, "together", pin.filters(), caption=caption)


PAGES: Mapping[str, Callable[[ResolvedPin], Shown]] = {
    "findings": answers,
    "workbench": _workbench,
    "slice": _slice,
    "matrix": _matrix,
    "compare": sides,
    "verdicts": judgments_exhibit,
    "together": _together,
    "power": power,
    "measures": measure,
}
"""The function that shows each page's pinned views."""
