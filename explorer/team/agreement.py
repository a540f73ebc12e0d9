"""Progress and agreement of annotators."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from engine.annotations.agreement import Agreement, agreement
from engine.annotations.database import Database
from engine.annotations.progress import progress
from engine.annotations.tasks import Task, assigned_people
from engine.phrases import duration, quantity
from engine.words.annotator_words import agreement_of_people, kappa_of_two, shown_again
from explorer.parts import components
from explorer.team import task_words

_PROGRESS = {
    "annotator": "Labeller",
    "done": ("Done", "Each item once"),
    "skipped": st.column_config.NumberColumn("Skipped"),
    "seconds": ("Median time", "Per item, over all labels"),
    "pace": ("Pace", "At the median of the latest 20 labels"),
    "left": ("Left", "At this pace"),
    "itself": ("Self-agreement", "Hidden repeats labelled the same way"),
    "gold": ("Gold", "Gold items answered correctly the first time"),
}
_DIRECTIONS = {"generator": "first is better", "opponent": "second is better"}
_PAIRS = {
    "one": "Labeller",
    "two": "and",
    "kappa": "Kappa [95% interval]",
    "both": st.column_config.NumberColumn("Items in common"),
}


def show_progress(database: Database, task: Task) -> None:
    """Show everybody's progress, pace, and agreement with themselves and the gold items."""
    annotators = assigned_people(database, task.name)
    if not annotators:
        return
    result = agreement(database, task.name, resamples=0)
    rows, repeats = [], []
    for person in annotators:
        status, seconds = progress(database, task.name, person), result.seconds.get(person)
        repeats.append(status.repeated)
        pace, seconds_left = status.seconds_each, status.seconds_left
        rows.append(
            {
                "annotator": person,
                "done": f"{status.items_done:,} of {status.items:,}",
                "skipped": status.skipped,
                "seconds": "–" if seconds is None else f"{seconds:.1f} s",
                "pace": f"{3600 / pace:,.0f} an hour" if pace else "–",
                "left": "–" if seconds_left is None else duration(seconds_left),
                "itself": task_words.share_words(result.self_agreement.get(person)),
                "gold": task_words.share_words(result.gold.get(person)),
            }
        )
    st.subheader("Progress", anchor=False)
    components.table(rows, _PROGRESS, "progress")
    if any(repeats):
        components.note(
            f"Done counts each item once. Annotate shows {shown_again(repeats)}.", key="progress_repeats"
        )


def show_agreement(database: Database, task: Task, questions: Sequence[str]) -> None:
    """Show kappa and alpha of all, and kappa and a confusion table of each pair of annotators."""
    result = agreement(database, task.name, questions=questions)
    if not result.labels:
        components.say("Nobody has labelled an item yet.")
        return
    things = "pairs of answers" if task.kind == "clusters" else "items"
    kappa = "Scores have no kappa, as their differences have a size. " if task.kind == "score" else ""
    components.say(
        f"{agreement_of_people(result, task.kind)}.",
        f"{quantity(result.labels, 'label')} of {result.items:,} {things}. {kappa}"
        '95% intervals are over resampled questions; skips and "cannot tell" do not count as labels.',
        key="agreed",
    )
    if result.pairs:
        rows = [
            {
                "one": one,
                "two": two,
                "kappa": kappa_of_two(kappa),
                "both": sum(map(sum, result.tables[one, two])),
            }
            for (one, two), kappa in result.pairs.items()
        ]
        components.table(rows, _PAIRS, "pairs")
    for number, (one, two) in enumerate(result.tables):
        _confusion(result, one, two, number)


def _confusion(result: Agreement, first: str, second: str, number: int) -> None:
    names = [
        f"{name:g}" if isinstance(name, float) else _DIRECTIONS.get(name, name.replace("_", " "))
        for name in result.classes
    ]
    with st.expander("Confusion table", expanded=number == 0, key=f"confusion_{number}"):
        order = " First and second are as stored; on screens sides were shuffled." if "equal" in names else ""
        st.text(f"Rows: {first}. Columns: {second}.{order}")
        frame = pd.DataFrame(result.tables[first, second], columns=[f"{name} " for name in names])
        frame.insert(0, "said", names)
        config = {name: st.column_config.NumberColumn(name) for name in frame.columns[1:]}
        components.table(frame, config | {"said": st.column_config.TextColumn("")}, f"confusions_{number}")
