"""What people said of a study's pairs: in the place of automatic labels, and beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from engine.cubes.annotations import SAYS_EQUAL
from explorer import address, components, context, data, figures, pair_figures, selection

TASKS = ("task", "kind", "kappa", "pairwise_kappa", "alpha", "n_items", "n_annotators", "self_agreement")
BY_EPSILON = ("task", "epsilon", "consistency", "n_compared", "both_equal", "automatic_only", "people_only")
BY_EPSILON += ("both_unequal",)
_SOURCES = {"automatic": "automatic", "people": "by people"}


def source(here: context.Context) -> str:
    """Show whose labels of equal quality count, where people gave any, and return `automatic` or `people`."""
    chosen = "people" if address.value("quality") == "human" else "automatic"
    if chosen == "automatic" and not here.study.files.has("annotations"):
        return chosen

    def keep(other: str) -> None:
        address.choose("quality", "human" if other == "people" else None)

    meaning = "Which responses are of equal quality, and which one is better: as scores say, or as people do"
    selection.few("labels", "Labels", _SOURCES, chosen, keep, required=True, help=meaning)
    if chosen == "people":
        components.note(
            "Pairs that most people call equal, or that were decided so, are equal; the one that most call "
            "better is better. No epsilon applies, and what nobody labelled takes no part.",
            key="labels_by_people",
        )
    return chosen


def beside(here: context.Context, flags: data.Asked) -> None:
    """Show how far people agree with each other and with the automatic label, at several epsilons."""
    if not here.study.files.has("annotations"):
        return
    st.subheader("What people say", anchor=False)
    result = figures.attempt(here.key, "annotators", (*flags, pair_figures.EPSILONS))
    if components.lacks_rows(result):
        return
    components.say(*sentences(result.rows), key="finding_people")
    one = list(dict.fromkeys(row["task"] for row in result.rows))
    first = [next(row for row in result.rows if row["task"] == task) for task in one]
    components.measured(replace(result, rows=first), TASKS, "people_tasks")
    compared = [row for row in result.rows if row["n_compared"]]
    compared.sort(key=lambda row: (one.index(row["task"]), row["epsilon"]))
    if compared:
        st.text("The automatic label of equal quality against that of most people, at several epsilons:")
        components.measured(replace(result, rows=compared), BY_EPSILON, "people_epsilons")


def sentences(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what is said of each task: its agreement, and at which epsilon the automatic label fits best."""
    told = []
    for task in dict.fromkeys(row["task"] for row in rows):
        mine = [row for row in rows if row["task"] == task]
        words = f"{task}: {_people(mine[0])}"
        fits = [row for row in mine if row["consistency"] is not None]
        if fits and mine[0]["kind"] in SAYS_EQUAL:
            now, best = fits[0], max(fits, key=lambda row: row["consistency"])
            words += (
                f" The automatic label is theirs for {now['consistency']:.0%} of {now['n_compared']:,} pairs "
                f"at epsilon {now['epsilon']:g}"
            )
            better = best["consistency"] > now["consistency"]
            words += f", and for {best['consistency']:.0%} at {best['epsilon']:g}." if better else "."
        told.append(words)
    return told


def _people(row: Mapping[str, Any]) -> str:
    number = f"{row['n_annotators']:,} people gave {row['n_labels']:,} labels"
    if row["alpha"] is None:
        return f"{number}; how far they agree is not known."
    kappa = "" if row["kappa"] is None else f"Fleiss' kappa {row['kappa']:.2f}, "
    return f"{number}; {kappa}Krippendorff's alpha {row['alpha']:.2f}."
