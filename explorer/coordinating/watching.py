"""How far annotators are, and how far they agree."""

import pandas as pd
import streamlit as st

from engine.annotations.agreement import Agreement, agreement
from engine.annotations.database import Database
from engine.annotations.labelling import progress
from engine.annotations.tasks import Task, assigned_people
from explorer import components
from explorer.coordinating import words

_PROGRESS = {
    "annotator": st.column_config.TextColumn("Annotator"),
    "done": st.column_config.TextColumn("Done"),
    "skipped": st.column_config.NumberColumn("Skipped"),
    "seconds": st.column_config.TextColumn("Median time", help="Of an item, over all labels"),
    "pace": st.column_config.TextColumn("Pace", help="At the median of the latest 20 labels"),
    "left": st.column_config.TextColumn("Left", help="At this pace"),
    "itself": st.column_config.TextColumn(
        "Same again", help="Hidden repeats that were labelled as the first time"
    ),
    "gold": st.column_config.TextColumn("Gold", help="Gold items answered rightly at first sight"),
}
_SAID = {"generator": "first is better", "opponent": "second is better"}
_PAIRS = {
    "one": st.column_config.TextColumn("Annotator"),
    "two": st.column_config.TextColumn("and"),
    "kappa": st.column_config.TextColumn("Kappa [95% interval]"),
    "both": st.column_config.NumberColumn("Items of both"),
}


def people(database: Database, task: Task) -> None:
    """Show how far everybody is, their pace, and how they agree with themselves and the gold items."""
    holders = assigned_people(database, task.name)
    if not holders:
        return
    found = agreement(database, task.name, resamples=0)
    rows = []
    for person in holders:
        far, seconds = progress(database, task.name, person), found.seconds.get(person)
        each, left = far.seconds_each, far.seconds_left
        rows.append(
            {
                "annotator": person,
                "done": f"{far.done:,} of {far.total:,}",
                "skipped": far.skipped,
                "seconds": "–" if seconds is None else f"{seconds:.1f} s",
                "pace": f"{3600 / each:,.0f} an hour" if each else "–",
                "left": "–" if left is None else f"{left / 60:,.0f} min",
                "itself": words.share(found.itself.get(person)),
                "gold": words.share(found.gold.get(person)),
            }
        )
    st.subheader("How far they are", anchor=False)
    components.table(pd.DataFrame(rows, columns=list(_PROGRESS)), _PROGRESS, "progress")


def agreed(database: Database, task: Task) -> None:
    """Show kappa and alpha of all, kappa of each two, and who said what where another said something else."""
    found = agreement(database, task.name)
    if not found.labels:
        components.say("Nobody has labelled an item yet.")
        return
    kappa = "Kappa is not of scores, whose differences have a size. " if task.kind == "score" else ""
    components.say(
        f"Fleiss' kappa {words.estimate(found.kappa)}; Krippendorff's alpha {words.estimate(found.alpha)}.",
        f"{found.labels:,} labels of {found.items:,} {_of(task)}. {kappa}"
        '95% intervals are over resampled questions; skips and "cannot tell" are no labels.',
        key="agreed",
    )
    if found.pairs:
        rows = [
            {"one": one, "two": two, "kappa": words.estimate(kappa), "both": _sum(found, (one, two))}
            for (one, two), kappa in found.pairs.items()
        ]
        components.table(pd.DataFrame(rows, columns=list(_PAIRS)), _PAIRS, "pairs")
    for number, (one, two) in enumerate(found.tables):
        _confusion(found, one, two, number)


def _of(task: Task) -> str:
    return "pairs of responses" if task.kind == "clusters" else "items"


def _sum(found: Agreement, pair: tuple[str, str]) -> int:
    return sum(map(sum, found.tables[pair]))


def _confusion(found: Agreement, one: str, two: str, number: int) -> None:
    """Show how often one said what where the other said what."""
    names = [_SAID.get(name, str(name).replace("_", " ")) for name in found.classes]
    with st.expander("Confusion table", expanded=number == 0, key=f"confusion_{number}"):
        order = " First and second are as stored; on screens sides were shuffled." if "equal" in names else ""
        st.text(f"Rows: {one}. Columns: {two}.{order}")
        frame = pd.DataFrame(found.tables[one, two], columns=[f"{name} " for name in names])
        frame.insert(0, "said", names)
        config = {name: st.column_config.NumberColumn(name) for name in frame.columns[1:]}
        components.table(frame, config | {"said": st.column_config.TextColumn("")}, f"confusions_{number}")
