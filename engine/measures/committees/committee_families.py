"""`committee-families`: the committee without each family of its members in turn (MEASURES section 7)."""

import numpy as np

from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.committees.committee import NUMBERS, committee_columns
from engine.measures.committees.committee_members import COMMITTEE_OPTIONS, committee_members
from engine.measures.entry import SMALL, Field, Measure
from engine.measures.rows import FEW, Column, FewCases, Options, Table, stack_rows
from engine.stats import Bools
from engine.stats.ratios import mean_of_defined


def committee_families_table(view: SliceView, options: Options) -> Table:
    """Return a row for each family left out, at rubric level and then at instance level."""
    members = committee_members(view, options)
    of_models = view.study.index.model_fields[view.request.exclusion.relatives]
    family_of = np.array([of_models[j] for j in members.present], dtype=object)
    families = [family for family in dict.fromkeys(family_of) if family is not None]
    everyone = np.ones(len(members.present), dtype=bool)
    rows, splits = [], members.splits(everyone)
    for level in members.levels:
        full = committee_columns(members, everyone, level)
        for family in families:
            reduced = committee_columns(members, family_of != family, level)
            left_out = np.array([of_models[j] == family for j in members.view.judges], dtype=bool)
            remaining = [view.study.index.models[j] for j in members.present[family_of != family]]
            row = {
                "without": Column([family]),
                "level": Column([level]),
                "members": Column([remaining]),
            }
            means = [(name, name, ~left_out) for name in NUMBERS]
            for name, number, who in (*means, ("hspp_self_outside", "hspp_self", left_out)):
                row[name], row[f"{name}_whole"] = _mean(reduced[number], who), _mean(full[number], who)
            for name, who in (("n_self", ~left_out), ("n_self_outside", left_out)):
                row[name] = Column([min(np.asarray(reduced["n_self"].values)[who].tolist(), default=0)])
            row["small"] = Column([bool(row["n_self"].values[0] < FEW)])
            rows.append(row)
    keep = np.full(len(rows), members.view.counted_cells.any())
    return members.table(stack_rows(rows), keep, splits)


def _mean(column: Column, who: Bools) -> Column:
    """Return the mean over some judges of what is defined; without any, the reason of the first.

    Of one judge the interval is its own; a mean that is the same in all resamples has none.
    """
    values = np.array([np.nan if value is None else value for value in column.values], dtype=np.float64)
    draws = None if column.draws is None else mean_of_defined(column.draws[:, who])[:, None]
    places = np.flatnonzero(who)
    reason = column.reason(int(places[0])) if len(places) else "nobody_to_judge"
    mean, few = np.array([mean_of_defined(values[who])]), None
    if len(places) == 1 and column.few is not None:
        few = column.few.changed(lambda part: part[places])
    elif draws is not None and len(np.unique(draws[~np.isnan(draws)])) == 1:
        few = FewCases.without("all_own_cases_alike")
    return Column(mean, draws, reason, few=few)


def _with_whole(
    name: str, whom: str, judges: str = "the remaining members", *, title: str = "", of_whole: str = ""
) -> tuple[Field, ...]:
    """Return the fields of a ratio for `whom`, without a family and from the full committee, with titles."""
    mean = f"mean ratio for {whom}, judged by"
    full = entry.ratio(f"{name}_whole", f"{mean} the full committee", tested=False, title=of_whole)
    return entry.ratio(name, f"{mean} {judges}", tested=False, title=title), full


COMMITTEE_FAMILIES = Measure(
    name="committee-families",
    title="Committees without a family",
    question="Does a committee's preference come from the members of one family?",
    formula="mean HSPP ratio and accuracy for the other members, from the full committee and without one "
    "family",
    paper="rubric-self-preference, Figure 3, leaving a family out",
    left_out="criteria (or pairs) on which the committee is split or fewer than three members gave a verdict",
    function=committee_families_table,
    chart="without-family",
    keys=("without", "level"),
    headline="hspp_self",
    compared_as="ratio",
    options=COMMITTEE_OPTIONS,
    fields=(
        entry.key("without", "the family that is left out"),
        entry.key("level", "`rubric` or `instance`"),
        Field("members", "list", "the remaining members"),
        *_with_whole("hspp_self", "the remaining members", "them together", of_whole="Ratio, full committee"),
        *_with_whole("hspp_family", "the remaining members' families"),
        *_with_whole(
            "hspp_self_outside",
            "the members left out",
            title="Removed members' ratio, by the rest",
            of_whole="Removed members' ratio, full committee",
        ),
        entry.share("mra", "accuracy on criteria of the remaining members together"),
        entry.share(
            "mra_whole",
            "accuracy on criteria of the full committee",
            title="Accuracy on criteria, full committee",
        ),
        entry.share("mipa", "pair accuracy of the remaining members together"),
        entry.share(
            "mipa_whole", "pair accuracy of the full committee", title="Pair accuracy, full committee"
        ),
        entry.count("n_self", "fewest own failures behind the ratio of any remaining member"),
        entry.count(
            "n_self_outside",
            "fewest own failures behind the ratio of any member left out",
            title="n own, removed members",
        ),
        SMALL,
    ),
)
