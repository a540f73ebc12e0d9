"""Paradigms, committees and agreement, each with its figure; and people's labels of equal quality."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from engine.arrays.references import SAYS_EQUAL
from engine.explore import published
from engine.values import quantity
from explorer import data
from explorer.parts import components, figures, pair_figures, selection
from explorer.parts.context import Context
from explorer.parts.sections import section

# ------------------------------------------------------------------------------
# People's labels of a study's pairs: instead of automatic labels, and beside them.


TASKS = ("task", "kind", "kappa", "pairwise_kappa", "alpha", "n_items", "n_annotators", "self_agreement")
BY_EPSILON = (
    *("task", "epsilon", "consistency", "n_compared", "both_equal", "automatic_only", "people_only"),
    "both_unequal",
)
_SOURCES = {"automatic": "automatic", "people": "by people"}


def source(context: Context) -> str:
    """Show whose labels of equal quality count, if people gave any; return `automatic` or `people`."""
    source_name = "people" if selection.value("quality") == "human" else "automatic"
    if source_name == "automatic" and not context.study.files.has("annotations"):
        return source_name

    def keep(other: str) -> None:
        selection.choose("quality", "human" if other == "people" else None)

    meaning = "Whether scores or people decide which responses are of equal quality, and which is better"
    selection.button_row("labels", "Labels", _SOURCES, source_name, keep, required=True, help=meaning)
    if source_name == "people":
        components.note(
            "Two responses count as equal if most people, or a coordinator's decision, say so; otherwise the "
            "better one is the one that most people prefer. Epsilon does not apply, and unlabelled pairs are "
            "left out.",
            key="labels_by_people",
        )
    return source_name


@section
def beside(context: Context, flags: data.FlagValues) -> None:
    """Show how far people agree with each other and with the automatic label, at several epsilons."""
    if not context.study.files.has("annotations"):
        return
    st.subheader("What people say", anchor=False)
    result = figures.attempt(context.key, "annotators", (*flags, pair_figures.EPSILONS))
    if components.lacks_rows(result):
        return
    components.say(*people_sentences(result.rows), key="finding_people")
    tasks = list(dict.fromkeys(row["task"] for row in result.rows))
    first_rows = [next(row for row in result.rows if row["task"] == task) for task in tasks]
    components.measure_table(result.with_rows(first_rows), TASKS, "people_tasks")
    rows = [row for row in result.rows if row["n_compared"]]
    rows.sort(key=lambda row: (tasks.index(row["task"]), row["epsilon"]))
    if rows:
        st.text("The automatic label of equal quality, compared with most people's, at several epsilons:")
        components.measure_table(result.with_rows(rows), BY_EPSILON, "people_epsilons")


def people_sentences(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a sentence on each task: its agreement, and the epsilon of the best automatic label."""
    sentences = []
    for task in dict.fromkeys(row["task"] for row in rows):
        of_task = [row for row in rows if row["task"] == task]
        words = f"{task}: {_people(of_task[0])}"
        fits = [row for row in of_task if row["consistency"] is not None]
        if fits and of_task[0]["kind"] in SAYS_EQUAL:
            current, best = fits[0], max(fits, key=lambda row: row["consistency"])
            words += (
                f" The automatic label agrees on {current['consistency']:.0%} of {current['n_compared']:,} "
                f"pairs at epsilon {current['epsilon']:g}"
            )
            better = best["consistency"] > current["consistency"]
            words += f", and on {best['consistency']:.0%} at {best['epsilon']:g}." if better else "."
        sentences.append(words)
    return sentences


def _people(row: Mapping[str, Any]) -> str:
    number = f"{quantity(row['n_annotators'], 'annotator')} gave {quantity(row['n_labels'], 'label')}"
    if row["alpha"] is None:
        return f"{number}; their agreement is not known."
    kappa = "" if row["kappa"] is None else f"Fleiss' kappa {row['kappa']:.2f}, "
    return f"{number}; {kappa}Krippendorff's alpha {row['alpha']:.2f}."


# ------------------------------------------------------------------------------
# The other parts of the page on paradigms; each shows one figure with its words and rows.


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
    rows = figures.attempt(context.key, column.measure, flags).rows
    values = {row["judge"]: row[column.field] for row in rows}
    printed = published.printed_numbers(column.table, column.column)
    recomputed = {
        model: column.as_printed(values[model], text)
        for model, text in printed.items()
        if values.get(model) is not None
    }
    return printed, recomputed
