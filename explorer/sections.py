"""The parts of the page on paradigms but committees; each shows one figure with its words and rows."""

import pandas as pd
import streamlit as st

from engine import contrasts, published
from engine.report.pages import TOLD
from engine.wording import title
from explorer import components, context, data, figures, selection

SLICES = ("polarity", "length", "axis", "theme")
OF_RUBRICS = (("paradigm", "single_rubric"),)
"""The judgments that the paper's tables are of."""

PRINTED = {
    "Table 1": (
        "Of single rubrics, whole study, without filters. What the paper prints as the family's ratio holds "
        "the judge itself; the ratio for relatives alone stands below."
    ),
    "Table 2": (
        "Of comparisons that a response lost and the judge credited: the share made wins (l2w), the rest "
        "made ties (l2t). Most are ties, of the judge's own responses and of others'."
    ),
}
"""What is to be known of each table."""

LINES = "Lines are 95% intervals of both numbers; hollow marks rest on fewer than 30 own failures."


def paradigms(here: context.Context, asked: data.Asked) -> None:
    """Show accuracy against ratio in each way of judging."""
    meaning = "Responses with a counted judgment in every way of judging and by every judge that has any"
    common = selection.common("Only what all have in common", meaning)
    accuracy, ratios = figures.by_paradigm(here.key, asked, common)
    if components.lacks_rows(ratios) or components.lacks_rows(accuracy):
        return
    components.say(contrasts.paradigms(ratios.rows), key="finding_paradigms")
    drawn = data.figure(here.key, "paradigms", asked, (common,))
    if drawn.rows.empty:
        components.say("No judge has both an accuracy and a ratio in this slice.")
    else:
        told = (
            "Accuracy of each judge against its ratio, in each way of judging, at instance and rubric level."
        )
        components.chart(drawn, "paradigms", told, ratios, marks=LINES)


def agreement(here: context.Context, asked: data.Asked) -> None:
    """Show the mean ratio on rubrics that judges agree on."""
    result = figures.agreement_of(here.key, asked)
    if components.lacks_rows(result):
        return
    components.say(contrasts.agreement(result.rows), key="finding_agreement")
    drawn = data.figure(here.key, "agreement", asked)
    if drawn.rows.empty:
        components.say("No judge has a ratio at any threshold.")
        return
    components.chart(drawn, "agreement", TOLD["agreement"], result, marks="Bands are 95% intervals.")


def slices(here: context.Context, asked: data.Asked) -> None:
    """Show the mean ratio over judges by polarity, length, axis and theme, where the study has them."""
    groupings = [by for by in SLICES if by in here.choices.groupings]
    if not groupings:
        components.say("The rubrics of this study differ in none of polarity, length, axis and theme.")
    for by in groupings:
        st.subheader(f"By {title(by).lower()}", anchor=False)
        result = figures.attempt(here.key, "hspp", asked, by)
        if components.lacks_rows(result):
            continue
        drawn = data.figure(here.key, "means", asked, (by,))
        if drawn.rows.empty:
            components.say("No slice has a mean ratio.")
        else:
            components.say(contrasts.slices(result.rows, title(by).lower()), key=f"finding_{by}")
            components.chart(drawn, f"means_{by}", f"Mean ratio over judges by {by}.", result)


def as_printed(here: context.Context) -> None:
    """Show what the paper printed beside what is computed of the same study, a table for each of its own."""
    dataset = published.dataset_of(here.study)
    assert dataset is not None  # noqa: S101 - the part is offered for the published study only
    known = published.comparables(dataset)
    pairs = [_printed_and_here(here, column) for column in known]
    equal = sum(mine.get(model) == text for told, mine in pairs for model, text in told.items())
    total = sum(len(told) for told, _ in pairs)
    components.say(
        f"{equal} of {total} printed numbers are found again to their last digit.", key="finding_printed"
    )
    for table in dict.fromkeys(column.table for column in known):
        st.subheader(f"{table} of the paper", anchor=False)
        columns: dict[str, dict[str, str]] = {}
        for column, (told, mine) in zip(known, pairs, strict=True):
            if column.table == table:
                short = column.column.removeprefix(f"{dataset} ")
                columns |= {f"{short}, printed": told, f"{short}, here": mine}
        frame = pd.DataFrame(columns).reindex(here.choices.judges).fillna("–")
        frame.insert(0, "judge", frame.index)
        config = {"judge": st.column_config.TextColumn("Judge", pinned=True)}
        components.table(frame, config, f"printed_{table.lower().replace(' ', '_')}")
        components.note(PRINTED[table], key=f"note_{table}")
    st.subheader("Relatives alone", anchor=False)
    relatives = data.result(here.key, "hspp", OF_RUBRICS)
    components.measured(relatives, ("judge", "hspp_family", "n_family"), "relatives")
    components.basis(relatives, "relatives")


def _printed_and_here(
    here: context.Context, column: published.Comparable
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the numbers of one column by judge, as printed and as computed here to as many digits."""
    flags = (*OF_RUBRICS, *((("level", column.level),) if column.level else ()))
    rows = figures.attempt(here.key, column.measure, flags).rows
    found = {row["judge"]: row[column.field] for row in rows}
    told = published.printed(column.table, column.column)
    mine = {
        model: column.recomputed(found[model], text)
        for model, text in told.items()
        if found.get(model) is not None
    }
    return told, mine
