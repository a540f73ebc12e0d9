"""What a study holds, how much of it failed, and what to beware of in its numbers."""

import shlex

import pandas as pd
import streamlit as st

from engine import cautions as warned
from engine.measures.result import Result
from engine.metrics.shares import wilson
from engine.wording import title
from explorer import components, context, data

FAILURES = ("unparsed", "refused", "error")
FAILED = "Share of judgments without a verdict, with Wilson's 95% interval: each judgment taken for itself"


def cautions(here: context.Context, result: Result) -> None:
    """Show what to beware of in the rows of `hspp`, where there is anything."""
    reference, info = result.filters["reference"], here.info
    committee = info.committees.get((reference or "").removeprefix("committee:"))
    index = here.study.index
    families = dict(zip(index.models, index.model_fields["family"], strict=True))
    told: list[warned.Caution] = []
    if not result.filters.get("exclude_family"):
        told += warned.kin_in_reference(
            [row["judge"] for row in result.rows if row["judge"] is not None],
            reference,
            committee.members if committee else (),
            families,
            leave_self_out=bool(result.filters.get("leave_self_out")),
        )
    told += warned.many_failures((judge, status, n) for judge, _, status, n in data.statuses(here.key))
    told += warned.few_cases(result.rows)
    for caution in told:
        with st.container(key=f"caution_{caution.kind}", border=True):
            st.text(f"⚠ {caution.text}")


def next_steps(here: context.Context) -> None:
    """Say what a study without numbers lacks, and who can add it."""
    if data.statuses(here.key):
        lacking = (
            "Who was right must be known: import references, let several judges vote (spb committee), or let "
            "people label (Coordinate, under More)."
        )
    else:
        lacking = (
            "No judge was asked yet: New run, under More, lets judges judge its responses; so does spb run."
        )
    doctor = f"spb doctor --study {shlex.quote(here.name)}"
    components.note(
        lacking, f"{doctor} says what can be measured, and what is missing for the rest.", key="next"
    )


def failures(here: context.Context) -> None:
    """Show judgments by paradigm and status, and the share that failed for each judge."""
    st.subheader("Judgments, and how many have no verdict", anchor=False)
    counted = data.statuses(here.key)
    if not counted:
        components.say("This study has no judgments.")
        return
    frame = pd.DataFrame(counted, columns=["judge", "paradigm", "status", "n"])
    _table(frame, "paradigm", "by_paradigm")
    _table(frame, "judge", "by_judge")
    components.note(f"Failed: {FAILED[0].lower()}{FAILED[1:]}.", key="failed_share")


def _table(frame: pd.DataFrame, by: str, key: str) -> None:
    wide = frame.pivot_table(index=by, columns="status", values="n", aggfunc="sum", fill_value=0, sort=False)
    total = wide.sum(axis=1)
    wide = wide.reindex(columns=["ok", *FAILURES], fill_value=0)
    failed = wilson(total - wide["ok"], total)
    ends = zip(failed.value, failed.low, failed.high, strict=True)
    shown = pd.DataFrame(
        {by: [str(name).replace("_", " ") if by == "paradigm" else name for name in wide.index]}
    )
    shown["failed"] = [f"{value:.1%} [{low:.1%}, {high:.1%}]" for value, low, high in ends]
    shown["n"] = [f"{n:,}" for n in total]
    for status in FAILURES:
        shown[status] = [f"{n:,}" for n in wide[status]]
    numbers = wide.assign(n=total, failed=failed.value, failed_low=failed.low, failed_high=failed.high)
    config = {
        by: st.column_config.TextColumn(title(by)),
        "failed": st.column_config.TextColumn("Failed", help=FAILED),
        "n": st.column_config.TextColumn("n", help="Judgments of any status"),
        "unparsed": st.column_config.TextColumn("unparsed", help="No verdict could be read from the answer"),
        "refused": st.column_config.TextColumn("refused", help="The provider refused"),
        "error": st.column_config.TextColumn("error", help="The call failed"),
    }
    components.table(shown, config, key, typed=lambda: numbers.reset_index())


def about(here: context.Context) -> None:
    """Show how much of each thing the study holds, and where it comes from."""
    st.subheader("The study", anchor=False)
    sizes, info = data.sizes(here.key), here.info
    components.note(", ".join(f"{count:,} {name}" for name, count in sizes.items()) + ".", key="sizes")
    facts = {
        "name": here.name,
        "provenance": info.provenance,
        "data set": info.dataset,
        "licence": info.licence,
        "source": info.source,
        "created": info.created_at,
        "notes": info.notes,
    }
    components.note(*(f"{name}: {told}" for name, told in facts.items() if told), key="about")
