"""Overview: what the study is, and which judge credits itself most."""

import pandas as pd
import streamlit as st

from engine import findings
from engine.measures.result import Result
from explorer import components, context, data
from explorer.wording import title

HEADLINE = ("judge", "family", "hspp_self", "hspp_matched", "hspp_family", "n_self", "n_matched", "n_family")
RATIOS = ("hspp_self", "hspp_matched", "hspp_family")
FAILURES = ("unparsed", "refused", "error")


def render(here: context.Context) -> None:
    """Show the headline and what the study holds."""
    result = data.result(here.key, "hspp")
    if not components.lacks_rows(result):
        _headline(here, result)
    _failures(here)
    _about(here)


def _headline(here: context.Context, result: Result) -> None:
    own = findings.self_preference(result.rows, result.filters["level"] or "rubric").sentences
    family = findings.family_preference(result.rows)
    told = (" ".join(own[:2]), " ".join(own[2:]), family.text)
    components.say(*filter(None, told), key="finding")
    drawn = data.forest(here.key, (), None, RATIOS, 740)
    described = "Ratio of each judge for its own responses, on matched rubrics, and for its relatives."
    st.subheader("Does a judge credit its own failures more often than others'?", anchor=False)
    components.chart(drawn, "headline", described, result)
    components.measured(result, HEADLINE, "headline_numbers")
    st.subheader("How often is a judge right?", anchor=False)
    accuracy = data.result(here.key, "accuracy")
    if not components.lacks_rows(accuracy):
        components.measured(accuracy, _accuracy_fields(accuracy), "accuracy")
        components.basis(accuracy, "accuracy")


def _accuracy_fields(accuracy: Result) -> tuple[str, ...]:
    """Return the columns of accuracy that anything stands in: rubrics, pairs of responses, or both."""
    kinds = [kind for kind in ("mra", "mipa") if any(row[kind] is not None for row in accuracy.rows)]
    return ("judge", *(name for kind in kinds for name in (kind, f"{kind}_total")))


def _failures(here: context.Context) -> None:
    """Show judgments by paradigm and status, and the share that failed for each judge."""
    st.subheader("Judgments, and how many have no verdict", anchor=False)
    counted = data.statuses(here.key)
    if not counted:
        components.say("This study has no judgments.")
        return
    frame = pd.DataFrame(counted, columns=["judge", "paradigm", "status", "n"])
    left, right = st.columns(2)
    with left:
        _table(frame, "paradigm", "by_paradigm")
    with right:
        _table(frame, "judge", "by_judge")


def _table(frame: pd.DataFrame, by: str, key: str) -> None:
    wide = frame.pivot_table(index=by, columns="status", values="n", aggfunc="sum", fill_value=0, sort=False)
    total = wide.sum(axis=1)
    wide = wide.reindex(columns=["ok", *FAILURES], fill_value=0)
    shown = pd.DataFrame(
        {by: [str(name).replace("_", " ") if by == "paradigm" else name for name in wide.index]}
    )
    shown["failed"] = [f"{100 * (1 - ok / n):.1f}%" for ok, n in zip(wide["ok"], total, strict=True)]
    shown["n"] = [f"{n:,}" for n in total]
    for status in FAILURES:
        shown[status] = [f"{n:,}" for n in wide[status]]
    config = {
        by: st.column_config.TextColumn(title(by)),
        "failed": st.column_config.TextColumn("Failed", help="Share of judgments without a verdict"),
        "n": st.column_config.TextColumn("n", help="Judgments of any status"),
        "unparsed": st.column_config.TextColumn("unparsed", help="No verdict could be read from the answer"),
        "refused": st.column_config.TextColumn("refused", help="The provider refused"),
        "error": st.column_config.TextColumn("error", help="The call failed"),
    }
    components.table(shown, config, key)


def _about(here: context.Context) -> None:
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


context.show(render)
