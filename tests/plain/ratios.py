"""From counts to ratios and shares (MEASURES sections 2 and 5)."""

from typing import Any

from plain.asking import Query, family, mean, models, relation
from plain.scores import Comparison, Scored
from plain.verdicts import Cell, Cells, Verdict

Fields = dict[str, Any]


def instance_cells(scored: list[Scored], comparisons: list[Comparison]) -> Cells:
    """Equation 3's counts: every comparison counts for both of its generators, seen from each."""
    cells: Cells = {(one.judge, one.generator): Cell() for one in scored}
    for c in comparisons:
        cells.setdefault((c.judge, c.first), Cell()).add(c.judged, c.true)
        cells.setdefault((c.judge, c.second), Cell()).add(-c.judged, -c.true)
    return cells


def ratio_rows(query: Query, cells: Cells, verdicts: list[Verdict] | None = None) -> list[Fields]:
    """One row of ratios for each judge that has a cell; matched ratios where verdicts are given."""
    rows = []
    for judge in judges_of(query, cells):
        mine = {generator: cell for (other, generator), cell in cells.items() if other == judge}
        groups: dict[str, list[Cell]] = {"self": [], "family": [], "other": []}
        for generator, cell in mine.items():
            groups[relation(query, judge, generator)].append(cell)
        o_self, o_family, o_other = (mean_rate(groups[name]) for name in ("self", "family", "other"))
        row = {
            "judge": judge,
            "family": family(query, judge),
            "o_self": o_self,
            "o_family": o_family,
            "o_other": o_other,
            "hspp_self": ratio(o_self, o_other),
            "hspp_family": ratio(o_family, o_other),
            "hspp_family_with_self": ratio(mean_rate(groups["self"] + groups["family"]), o_other),
            "n_self": sum(cell.lost for cell in groups["self"]),
            "n_family": sum(cell.lost for cell in groups["family"]),
            "n_other": sum(cell.lost for cell in groups["other"]),
            "difference_self": None if o_self is None or o_other is None else o_self - o_other,
        }
        if verdicts is not None:
            row |= matched(query, judge, verdicts)
        else:
            row |= {"hspp_matched": None, "hspp_mantel_haenszel": None, "n_matched": 0}
            row["l2w_share_self"] = loss_to_win_share(groups["self"])
            row["l2w_share_other"] = loss_to_win_share(groups["other"])
        rows.append(row)
    return rows


def judges_of(query: Query, cells: Cells) -> list[str]:
    """The judges with a cell, in the order of the table `models`."""
    present = {judge for judge, _generator in cells}
    return [model for model in models(query) if model in present]


def rate(cell: Cell) -> float | None:
    """O(J, G) of one cell."""
    return ratio(cell.over, cell.lost)


def ratio(above: float | None, below: float | None) -> float | None:
    """The quotient; None where a part is missing or the denominator is 0."""
    if above is None or below is None or below == 0:
        return None
    return above / below


def mean_rate(cells: list[Cell]) -> float | None:
    """The mean of the rates; a generator without one is left out."""
    return mean([r for r in map(rate, cells) if r is not None])


def loss_to_win_share(cells: list[Cell]) -> float | None:
    """Of the overestimations of all the cells together, the share from a loss to a win."""
    return ratio(sum(cell.to_win for cell in cells), sum(cell.over for cell in cells))


def matched(query: Query, judge: str, verdicts: list[Verdict]) -> Fields:
    """The ratio over the rubrics that both the judge's own response and another's truly fail."""
    failed = [v for v in verdicts if v.judge == judge and not v.truly_favourable]
    own = {(v.instance_id, v.rubric_id): v for v in failed if v.generator == judge}
    credited_self = credited_other = n = 0
    by_rubric: dict[tuple[str, str], list[bool]] = {}
    for v in failed:
        mine = own.get((v.instance_id, v.rubric_id))
        if mine is None or relation(query, judge, v.generator) != "other":
            continue
        n += 1
        credited_self += mine.favourable
        credited_other += v.favourable
        by_rubric.setdefault((v.instance_id, v.rubric_id), []).append(v.favourable)
    weighted_self = weighted_other = 0.0
    for (
        rubric,
        others,
    ) in by_rubric.items():  # Mantel and Haenszel: one own failure against those of the others
        weighted_self += own[rubric].favourable * len(others) / (len(others) + 1)
        weighted_other += sum(others) / (len(others) + 1)
    return {
        "hspp_matched": ratio(credited_self, credited_other),
        "hspp_mantel_haenszel": ratio(weighted_self, weighted_other),
        "n_matched": n,
    }


def mean_row(rows: list[Fields]) -> Fields:
    """The means of the defined ratios over the judges."""
    means = {
        name: mean([row[name] for row in rows if row[name] is not None])
        for name in ("hspp_self", "hspp_family", "hspp_family_with_self")
    }
    return {"judge": None, **means, "judges": sum(row["hspp_self"] is not None for row in rows)}


def accuracy_fields(judge: str, verdicts: list[Verdict], comparisons: list[Comparison]) -> Fields:
    """The six fields of one judge."""
    mine = [v.met == v.truly_met for v in verdicts if v.judge == judge]
    pairs = [c.judged == c.true for c in comparisons if c.judge == judge]
    return {
        "mra": ratio(sum(mine), len(mine)),
        "mra_correct": sum(mine),
        "mra_total": len(mine),
        "mipa": ratio(sum(pairs), len(pairs)),
        "mipa_correct": sum(pairs),
        "mipa_total": len(pairs),
    }
