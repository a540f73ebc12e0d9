"""What to beware of in a study's numbers, and what it still needs, with the buttons that supply it."""

from collections.abc import Callable

import streamlit as st

from engine.annotations.committees import write_committee
from engine.annotations.gold import write_gold
from engine.arrays.truths.references import FEWEST_MEMBERS
from engine.checkers.run import check_study
from engine.explore.cautions import Caution, family_in_reference, few_cases, many_failures
from engine.measures.catalogue import MEASURES
from engine.measures.no_reference import PAIRS_ALONE
from engine.measures.result import Result
from engine.paradigms import PAIR_PARADIGMS, RUBRIC_PARADIGMS
from engine.phrases import sentence_case
from engine.store.study_files import StudyFiles
from explorer import data, permissions
from explorer.parts import components
from explorer.parts.context import Context
from explorer.parts.sections import section

MAJORITY = "all-judges"
"""The name of the committee of all judges."""


@section
def cautions(context: Context, result: Result) -> None:
    """Show the cautions about the rows of `hspp`, if there are any."""
    reference, info = result.filters["reference"], context.info
    committee = info.committees.get((reference or "").removeprefix("committee:"))
    notes: list[Caution] = []
    if not result.filters.get("exclude_family"):
        notes += family_in_reference(
            [row["judge"] for row in result.rows if row["judge"] is not None],
            reference,
            committee.members if committee else (),
            context.study.families(),
            leave_self_out=bool(result.filters.get("leave_self_out")),
        )
    statuses = ((judge, status, n) for judge, _, status, n in data.statuses(context.key))
    notes += many_failures(statuses, context.study.files.table("runs").to_pylist())
    notes += few_cases(result.rows)
    for caution in notes:
        with st.container(key=f"caution_{caution.kind}", border=True):
            st.text(f"⚠ {caution.text}")


@section
def next_steps(context: Context) -> None:
    """Say what a study without numbers lacks, each with the button that supplies it.

    That is judgments or a reference; nothing is said of a study that has both. Preferences on pairs are no
    reference: of a study that has only those it is said where they count.
    """
    if not data.statuses(context.key):
        components.note("There are no judgments yet.", key="next")
        context.link("new_run", "Run judges on the answers")
        return
    if context.study.references.sources:
        return
    if _of_pairs(context) and _has_preferences(context):
        components.note(f"{sentence_case(PAIRS_ALONE)}. Where preferences count:", key="next")
        with st.container(horizontal=True, key="next_steps"):
            context.link("quality_baseline", "Votes for own worse answers, and the DBG score")
            context.link("people", "How judges agree with people")
        return
    components.note("This study has no reference yet. Ways to get one:", key="next")
    with st.container(horizontal=True, key="next_steps"):
        if _can_be_labelled(context):
            context.link("coordinate", "Have people label answers")
        if permissions.may_write():
            context.link("data", "Import a file with references")
            _mending(context)


def _can_be_labelled(context: Context) -> bool:
    """Return whether the study has texts, and the judgments by which items are drawn."""
    paradigms = set(context.study.inventory.values("paradigm"))
    return context.study.files.has("responses") and bool(paradigms & {*RUBRIC_PARADIGMS, "quality"})


def supply(context: Context, measure: str) -> None:
    """Link to what a measure needs and the study lacks: judgments of its kind, or a reference."""
    of_measure = MEASURES[measure].paradigms
    paradigms = set(context.study.inventory.values("paradigm"))
    if paradigms and not paradigms & set(of_measure) and "pairwise" in of_measure:
        let_judge(context, both_orders=True)
    elif not context.study.references.sources:
        next_steps(context)


def let_judge(context: Context, *, both_orders: bool) -> None:
    """Link to a run in which models judge their own responses too."""
    orders = ", in both orders" if both_orders else ""
    context.link("new_run", f"Have models judge each other{orders}")


def mend(context: Context) -> None:
    """Show how a study gets what conclusions on its judges need, and say what that is."""
    if data.statuses(context.key) and (_of_pairs(context) or not data.judges_itself(context.key)):
        components.say(data.unknown_self_preference(context.key), key="mend")
        let_judge(context, both_orders=_of_pairs(context))
    elif not context.study.references.sources:
        next_steps(context)


def _of_pairs(context: Context) -> bool:
    return set(context.study.inventory.values("paradigm")) <= {*PAIR_PARADIGMS, "quality"}


def _mending(context: Context) -> None:
    """Show the buttons that write references: checks by program, and the majority of the judges."""
    judges = list(context.choices.judges)
    of_rubrics = any(paradigm in RUBRIC_PARADIGMS for _, paradigm, _, _ in data.statuses(context.key))
    if "checker" in context.choices.groupings and st.button("Check answers by program", key="run_checks"):
        _mend(context, lambda files: check_study(files, processes=1))
    if of_rubrics and len(judges) >= FEWEST_MEMBERS:
        label = f"Use the majority of the {len(judges)} judges"
        if st.button(label, key="majority", help="No judge votes on its own family's answers"):
            _mend(context, lambda files: write_committee(files, MAJORITY, judges))

    if _of_pairs(context) and len(judges) >= FEWEST_MEMBERS and not _has_preferences(context):
        label = f"Take the {len(judges)} judges as gold judges of pairs"
        if st.button(label, key="gold", help="Each is a source of its own; their majority is a panel"):
            _mend(context, lambda files: write_gold(files, MAJORITY, judges))


def _has_preferences(context: Context) -> bool:
    return bool(context.study.files.table("preferences", ("source",)).num_rows)


def _mend(context: Context, write: Callable[[StudyFiles], object]) -> None:
    """Write references, and rerun the page with what they allow."""
    permissions.check_writable(context.name)
    with st.spinner("Writing references …"):
        write(data.files(context.root, context.name))
    st.rerun()
