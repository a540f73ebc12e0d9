"""What has changed since the run before the last."""

from collections.abc import Sequence
from dataclasses import replace

from engine.findings.claims import Claim, Outcome, Row
from engine.findings.declared import Made
from engine.findings.making import Number, claim_of, near_end
from engine.findings.material import Material
from engine.findings.wording import counted
from engine.findings.wording import number as shown
from engine.measures.result import Result

RATIO = Number("since-last-run", "changed", "hspp", "difference", "compare", null=1.0)
SHARE = replace(RATIO, null=0.0, form="share")
COMPARED = (RATIO, replace(SHARE, measure="equal-quality"), replace(SHARE, measure="dbg"))
"""The changes of a measure's headline, of which the first is told that both runs allow."""


def runs_in_order(material: Material) -> list[str]:
    """Return the runs that judged, the oldest first: as `runs` says when they began, else by their names."""
    names = [str(run) for run in material.study.inventory.values("run_id") if run is not None]
    table = material.study.files.table("runs", ("run_id", "started_at")).to_pylist()
    began = {row["run_id"]: row["started_at"] for row in table if row["started_at"] is not None}
    return sorted(names, key=lambda run: (run in began, str(began.get(run, "")), run))


def since_last_run(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Claim of each judge whose number differs between the last run and the one before it.

    The number is the ratio's change (`hspp`, last / before), in studies of pairs that of SPB or of DBG. It
    is claimed where its interval leaves out no change; not significant where p, adjusted over all judges, is
    0.05 or more. The surest and largest change comes first.
    """
    runs = runs_in_order(material)
    if len(runs) < 2:
        name = f", {runs[0]}" if runs else ""
        return Made(reason=f"the study has one run{name}; nothing came before it to compare with")
    last, earlier = runs[-1], runs[-2]
    asked = {"run": (last,), "against": {"run": earlier}}
    reason = None
    for change in COMPARED:
        result = material.result(change.measure, **asked)
        rows = [row for row in result.rows if row.get("judge") is not None and row["difference"] is not None]
        rows = [row for row in rows if row.get("opponent") is None]
        if rows:
            return _changes(material, result, rows, (earlier, last), change)
        reason = reason or result.reason
    return Made(reason=f"runs {last} and {earlier} have no judge in common with a number: {reason}")


def _changes(
    material: Material, result: Result, rows: Sequence[Row], runs: tuple[str, str], change: Number
) -> Made:
    earlier, last = runs
    found = [row for row in rows if near_end(row, change) > 0]
    found.sort(key=lambda row: -near_end(row, change))
    claims = tuple(_change(material, result, row, runs, change) for row in found)
    of = counted(len(rows), "judge")
    return Made(claims, f"{len(found)} of {of} changed from run {earlier} to run {last}")


def _change(material: Material, result: Result, row: Row, runs: tuple[str, str], change: Number) -> Claim:
    earlier, last = runs
    was, now = shown(row["b"], change.form), shown(row["a"], change.form)
    verb = "rose" if row["a"] > row["b"] else "fell"
    of_ratio = change.form == "ratio"
    name = "ratio" if of_ratio else result.measure.title
    times = f"{change.told(row)} times" if of_ratio else f"by {change.told(row)}"
    return claim_of(
        material,
        result,
        row,
        change,
        row["judge"],
        f"From run {earlier} to run {last} the {name} of {row['judge']} {verb} from "
        f"{was} to {now} ({times}).",
        asked={"run": (last,), "against": {"run": earlier}},
        view={"compare": ("runs",), "run_a": (last,), "run_b": (earlier,)},
    )
