"""The numbers that a paper printed, beside those computed here."""

import pandas as pd
import streamlit as st

from engine.explore import published
from engine.views.of_measure import measure
from explorer import data
from explorer.parts import components
from explorer.parts.context import Context
from explorer.parts.sections import section

OF_RUBRICS = (("paradigm", "single_rubric"),)
"""The judgments behind the paper's tables."""

PRINTED = {
    "Table 1": (
        "Single rubrics, whole study, no filters. The paper's family ratio includes the judge itself; the "
        "ratio for the family alone is below."
    ),
    "Table 2": (
        "Lost comparisons that the judge overestimated: the share turned into wins (l2w); the rest were "
        "turned into ties (l2t). Most became ties, for own and others' responses alike."
    ),
}
"""Notes on each table."""


@section
def as_printed(context: Context) -> None:
    """Show the paper's printed numbers beside those computed here, a table for each of the paper's."""
    dataset = published.dataset_of(context.study)
    assert dataset is not None  # noqa: S101 - the part is offered for the published study only
    columns = published.comparables(dataset)
    pairs = [_printed_and_recomputed(context, column) for column in columns]
    equal = sum(new.get(model) == text for printed, new in pairs for model, text in printed.items())
    total = sum(len(printed) for printed, _ in pairs)
    components.say(
        f"{equal} of {total} printed numbers are reproduced to the last digit.", key="finding_printed"
    )
    for table in dict.fromkeys(column.table for column in columns):
        st.subheader(f"{table} of the paper", anchor=False)
        texts: dict[str, dict[str, str]] = {}
        for column, (printed, new) in zip(columns, pairs, strict=True):
            if column.table == table:
                short = column.column.removeprefix(f"{dataset} ")
                texts |= {f"{short}, printed": printed, f"{short}, here": new}
        frame = pd.DataFrame(texts).reindex(context.choices.judges).fillna("–")
        frame.insert(0, "judge", frame.index)
        config = {"judge": st.column_config.TextColumn("Judge", pinned=True)}
        components.table(frame, config, f"printed_{table.lower().replace(' ', '_')}")
        components.note(PRINTED[table], key=f"note_{table}")
    st.subheader("Family alone", anchor=False)
    relatives = data.result(context.key, "hspp", OF_RUBRICS)
    components.measure_table(relatives, ("judge", "hspp_family", "n_family"), "relatives")
    components.basis(relatives, "relatives")


def _printed_and_recomputed(
    context: Context, column: published.Comparable
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the numbers of one column by judge, as printed and as computed here to as many digits."""
    flags = (*OF_RUBRICS, *((("level", column.level),) if column.level else ()))
    rows = measure(context.study, column.measure, dict(flags)).rows
    values = {row["judge"]: row[column.field] for row in rows}
    printed = published.printed_numbers(column.table, column.column)
    recomputed = {
        model: column.as_printed(values[model], text)
        for model, text in printed.items()
        if values.get(model) is not None
    }
    return printed, recomputed
