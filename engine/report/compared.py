"""The view of the page of comparisons: two sides, and what is between them."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine import compared_words
from engine.comparison import COMPARED, Comparison, Side, compare
from engine.errors import UsageError
from engine.findings.command import command_of
from engine.measures.against import compared_as_ratio
from engine.readable import difference, plainly
from engine.report.exhibit import MOST_ROWS, Exhibit, Table
from engine.report.looked import Looked
from engine.wording import title

if TYPE_CHECKING:
    from engine.study import Study

MODES = ("slices", "judges", "runs", "studies")
ALONE = "The commands print each side alone, on all its responses; the page Compare prints both together."
HEADS = ("Row", "A [95% interval]", "B [95% interval]", "A against B", "p", "n, A and B")


def sides(looked: Looked) -> Exhibit:
    """Return two slices, judges, runs or studies held against each other."""
    number = looked.one("number", tuple(COMPARED), "Number") or "hspp_self"
    mode = looked.one("compare", MODES, "Comparison of") or "slices"
    one = Side(looked.study, looked.filters())
    two = _second(looked, mode, one)
    if mode == "judges":
        one = replace(one, judge=_of(looked, "judge_a", looked.choices.judges, 0))
    if mode == "runs":
        runs = looked.choices.values.get("run", ())
        one = replace(one, filters={**one.filters, "run": (_of(looked, "run_a", runs, 0),)})
    common = looked.one("common", ("false",), "Only in common") is None
    comparison = compare(one, two, (number,), common=common)
    if not comparison.rows:
        return Exhibit(
            problems=(f"There is nothing to compare: {comparison.reason}.",),
            basis=compared_words.basis(comparison),
        )
    commands = _commands(comparison, (one, two))
    return Exhibit(
        sentences=(*compared_words.finding(comparison, number), compared_words.common(comparison)),
        chart=_chart(comparison, number),
        told="Side A, side B and A against B, a row for each judge.",
        table=_table(comparison),
        basis=(*compared_words.basis(comparison), *([] if len(commands) == 1 else [ALONE])),
        commands=commands,
        measures=(comparison.measure.name,),
    )


def _second(looked: Looked, mode: str, one: Side) -> Side:
    """Return side B: of the same filters where judges or runs are compared, else of its own."""
    if mode == "judges":
        return replace(one, judge=_of(looked, "judge_b", looked.choices.judges, 1))
    if mode == "runs":
        runs = looked.choices.values.get("run", ())
        return replace(one, filters={**one.filters, "run": (_of(looked, "run_b", runs, 1),)})
    study, choices = looked.study, looked.choices
    if mode == "studies":
        from engine.choices import choices_of

        study = _beside(looked)
        choices = choices_of(study)
    other = Looked(study, choices, looked.view, looked.gone)
    return Side(study, other.filters(prefix="b_"))


def _beside(looked: Looked) -> "Study":
    """Return the other study: the one of that name in the same store."""
    from engine.study import Study

    name = (looked.view.get("b_study") or ("",))[0]
    here = looked.study.files.path
    if not name or name in (".", "..") or "/" in name or "\\" in name:
        raise UsageError(f"{name!r} is no study beside this one")
    place = here.rsplit("/", 1)[0] + "/" + name if here.startswith("s3://") else Path(here).parent / name
    return Study.open(place)


def _of(looked: Looked, key: str, allowed: tuple[str, ...], usual: int) -> str:
    """Return the name of a side, else the first or second there is."""
    if len(allowed) < 2:
        raise UsageError(f"there are no two to compare by {key.partition('_')[0]}")
    return looked.one(key, allowed, title(key)) or allowed[usual]


def _chart(comparison: Comparison, number: str) -> dict[str, Any]:
    from engine.charts.compared import compared, rows_of
    from engine.charts.written import written

    as_ratio = compared_as_ratio(comparison.measure, number)
    rows = rows_of(comparison.rows[:MOST_ROWS], as_ratio=as_ratio)
    return written(compared(rows, as_ratio=as_ratio))


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
    """Return the command that prints the comparison; where none does, those that print each side alone."""
    measure, (one, two) = comparison.measure, both
    told = comparison.fields == (measure.headline,) and one.judge is None and one.study is two.study
    if told and two.filters and set(one.filters) <= set(two.filters):
        against = {"against": dict(two.filters), "common": comparison.common.applied}
        return (command_of(one.study.name, measure.name, dict(one.filters) | against),)
    made = []
    for side in both:
        given = dict(side.filters) | ({} if side.judge is None else {"judges": (side.judge,)})
        made.append(command_of(side.study.name, measure.name, given))
    return tuple(made)
