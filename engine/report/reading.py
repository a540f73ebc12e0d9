"""Views that are words more than numbers: answers, judgments, assumptions, a measure's words."""

from dataclasses import asdict
from typing import Any

from engine import drill, wording
from engine.finite import whole
from engine.measures.catalogue import MEASURES
from engine.report.exhibit import MOST_ROWS, Exhibit, Table
from engine.report.looked import Looked
from engine.slices import Slice

LISTED = 12
"""Judgments that a view of the page Verdicts lists."""

LONGEST = 600
"""Characters of a text of the study that are shown."""

COLUMNS = {
    "judge": "Judge",
    "generator": "Generator",
    "opponent": "Opponent",
    "verdict": "Judge says",
    "reference": "Reference says",
    "criterion": "Criterion",
    "instance_id": "Instance",
}


def answers(looked: Looked) -> Exhibit:
    """Return the short answers of the findings."""
    found = looked.study.findings()
    sentences = [f"{answer.title} {' '.join(answer.sentences)}" for answer in found.answers]
    commands = dict.fromkeys(claim.command for claim in found.claims)
    return Exhibit(sentences=tuple(sentences), commands=tuple(commands))


def judgments(looked: Looked) -> Exhibit:
    """Return the first judgments of a selection, from the one that was read on."""
    choices, study = looked.choices, looked.study
    kind = looked.one("show", tuple(drill.KINDS), "Show") or "overestimation"
    by = looked.one("by", choices.groupings, "Group by")
    value = (looked.view.get("value") or (None,))[0] if by else None
    spec = Slice.of(**looked.filters())
    found = drill.rows(
        study,
        spec,
        kind,
        judge=looked.one("judge", choices.judges, "Judge"),
        generator=looked.one("generator", choices.models, "Generator"),
        search=(looked.view.get("q") or (None,))[0],
        by=by if value is not None else None,
        value=value,
        limit=LISTED,
        offset=_place(looked),
    )
    if not found.rows:
        return Exhibit(problems=(f"There is nothing to show: {found.reason or 'no such judgment'}.",))
    names = [name for name in COLUMNS if any(row.get(name) is not None for row in found.rows)]
    rows = tuple(tuple(_short(row.get(name)) for name in names) for row in found.rows)
    table = Table(tuple(COLUMNS[name] for name in names), rows, found.total - found.offset - len(rows))
    told = f"{wording.SHOWN[kind]}: {found.total:,} judgments; shown from number {found.offset + 1:,} on."
    return Exhibit(sentences=(told,), table=table)


def _place(looked: Looked) -> int:
    return (whole((looked.view.get("item") or ("1",))[0]) or 1) - 1


def _short(value: Any) -> str:
    text = "–" if value is None else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def power(looked: Looked) -> Exhibit:
    """Return the instances that a study of the assumptions in the view needs."""
    from engine.charts.power_curves import power_curves, rows_of
    from engine.charts.written import written
    from engine.power import TARGETS, Assumed, instances_needed, power_curve
    from engine.power_costs import assumed_from

    usual: dict[str, Any] = asdict(Assumed(1.2)) | {"generators": 6} | assumed_from(looked.study)
    for name in usual:
        told = looked.number(f"plan_{name}", (0.0, 1e9), wording.title(name))
        kept = usual[name] if told is None else told
        usual[name] = round(kept) if name in ("judges", "generators", "families") else kept
    assumed, wanted = Assumed(**usual), looked.number("plan_power", (0.1, 0.99), "Power") or 0.8
    needed = {target: instances_needed(assumed, wanted, target) for target in TARGETS}
    curves = {target: power_curve(assumed, target=target) for target in TARGETS}
    chart = power_curves(rows_of(curves, needed), wanted)
    rows = tuple((TARGETS[target], f"{found.instances:,}") for target, found in needed.items())
    listed = "; ".join(f"{wording.title(name).lower()} {value:g}" for name, value in usual.items())
    return Exhibit(
        chart=written(chart),
        told="Power by number of instances, for one judge, one of several that are tested, and their mean.",
        table=Table(("Told from 1", "Instances"), rows),
        basis=(f"Assumed: {listed}; power {wanted:g}.",),
    )


def measure(looked: Looked) -> Exhibit:
    """Return what a measure asks and how it is taken."""
    name = looked.one("measure", tuple(MEASURES), "Measure") or next(iter(MEASURES))
    found = MEASURES[name]
    fields = tuple((field.name, field.meaning) for field in found.fields[:MOST_ROWS])
    return Exhibit(
        sentences=(found.question, found.formula, f"Left out: {found.left_out}.", f"From: {found.paper}."),
        table=Table(("Field", "Meaning"), fields),
        measures=(name,),
    )
