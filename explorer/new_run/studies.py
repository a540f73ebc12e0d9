"""The ways to a first study, and what a study still needs."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from engine.annotations.committees import write_committee
from engine.annotations.gold import write_gold
from engine.arrays.references import FEWEST_MEMBERS
from engine.checkers.run import check_study
from engine.errors import SpbError
from engine.explore.cautions import Caution, family_in_reference, few_cases, many_failures
from engine.importers.datasets import Dataset, catalogue, copy_demonstrations, demonstrations, fetch
from engine.measures.catalogue import MEASURES
from engine.measures.result import Result
from engine.paradigms import PAIR_PARADIGMS, RUBRIC_PARADIGMS
from engine.phrases import sentence_case
from engine.store import Store
from engine.store.study_files import StudyFiles
from explorer import data
from explorer.parts import components, published
from explorer.parts.page_list import BY_NAME
from explorer.parts.sections import section

if TYPE_CHECKING:
    from explorer.parts.context import Context

# ------------------------------------------------------------------------------
# A first study: the demonstration, a published study, or an imported file.


PUBLISHED = "rubric-self-preference"
"""The published study behind the second door: small, and it allows every conclusion."""


def doors(root: str) -> None:
    """Show the three ways to a first study of an empty store."""
    st.header("Does your judge favour itself?", anchor=False)
    components.say(WHAT_IT_IS, *published.sentences(), key="known_so_far")
    if not data.may_write():
        components.note(f"No study yet in {root}; {data.writing_refusal()}.", key="first_start")
        return
    components.note(f"No study yet in {root}. Start with one of these.", key="first_start")
    with st.container(horizontal=True, key="doors"):
        with _door("demo", "A demonstration", "Simulated studies in which some judges favour themselves."):
            if "://" not in root and st.button("Open the demonstration", key="door_demo", type="primary"):
                copy_demonstrations(Path(root))
                _open("demo-health")
        entry = catalogue()[PUBLISHED]
        with _door("published", "A published study", f"{entry.title}. Licence: {entry.licence}."):
            _button(root, entry, "door_published")
        with _door(
            "own", "Your own file", "Judgments from another tool, or a table: CSV, Excel, JSON, Parquet."
        ):
            st.page_link(BY_NAME["data"].path, label="Choose a file", icon=BY_NAME["data"].icon)
            run = BY_NAME["new_run"]
            st.page_link(run.path, label="Or have your models answer your questions", icon=run.icon)
    published.draw("study")
    st.page_link(BY_NAME["atlas"].path, label="All published numbers", icon=BY_NAME["atlas"].icon)


WHAT_IT_IS = (
    "A judge prefers itself if it passes its own answers more often than other judges as strict pass the "
    "same answers."
)
"""What self-preference is, for somebody who has never heard of it."""


def after_the_demonstration(root: str, studies: tuple[str, ...]) -> None:
    """Show the other two ways if the store holds only demonstrations."""
    if not data.may_write() or not set(studies) <= set(demonstrations()):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="doors"):
        st.text("This is a demonstration. Next:", width="content")
        entry = catalogue()[PUBLISHED]
        _button(root, entry, "door_published", f"Get a published study ({entry.size})")
        st.page_link(BY_NAME["data"].path, label="Import your own file", icon=BY_NAME["data"].icon)


def gallery(root: str) -> None:
    """Show the published studies and data sets, each with its download button."""
    entries = list(catalogue().values())
    st.subheader("Published studies", anchor=False)
    components.note("Downloaded from their authors, checked, and added to your studies.", key="gallery")
    _cards(root, [entry for entry in entries if entry.measures])
    with st.expander("Data sets to run judges on", key="questions_to_run"):
        _cards(root, [entry for entry in entries if not entry.measures])


def _cards(root: str, entries: list[Dataset]) -> None:
    stored_studies = data.studies(root)
    for entry in entries:
        with st.container(
            border=True, horizontal=True, vertical_alignment="center", key=f"published_{entry.name}"
        ):
            with st.container(gap=None, key=f"about_{entry.name}"):
                st.text(entry.title)
                measures = f"{entry.measures[0].upper()}{entry.measures[1:]}. " if entry.measures else ""
                about = f"{sentence_case(entry.size)} from {entry.host}; licence: {entry.licence}."
                components.note(f"{measures}{about}", key=f"published_{entry.name}")
            _button(root, entry, f"get_{entry.name}", stored_studies=stored_studies)


def _door(key: str, title: str, about: str) -> "st.delta_generator.DeltaGenerator":
    place = st.container(border=True, key=f"door_{key}_box", width=340)
    place.subheader(title, anchor=False)
    place.text(about)
    return place


def _button(
    root: str, entry: Dataset, key: str, label: str | None = None, stored_studies: Collection[str] = ()
) -> None:
    """Show the button that downloads a study, or a link to it if it is stored."""
    if entry.name in stored_studies:
        link = {"study": [entry.name]}
        st.page_link(BY_NAME["judges"].path, label="Open it", icon=BY_NAME["judges"].icon, query_params=link)
        return
    if not data.may_write():
        return
    icon = ":material/download:"
    if st.button(label or f"Download ({entry.size})", key=key, icon=icon):
        _get(root, entry)


def offer(root: str, name: str) -> None:
    """Show the button that downloads a study of the catalogue, if the visitor may write."""
    _button(root, catalogue()[name], f"offer_{name}")


def _get(root: str, entry: Dataset) -> None:
    """Download a study, write it and open it; or say why that failed."""
    bar = st.progress(0.0, f"Downloading from {entry.host} …")

    def progress(done: int, total: int | None) -> None:
        share = min(done / total, 1.0) if total else 0.0
        bar.progress(share, f"{done / 1e6:.1f} of {entry.size} from {entry.host}")

    try:
        data.check_writable(entry.name)
        fetch(entry.name, Store(root), progress=progress)
    except SpbError as error:
        problem = str(error).rpartition("; ")[0] or str(error)  # its remedy is for the command line
        components.say(
            f"{problem}.",
            "Try again, or download the file yourself and import it on the Data page.",
            key=f"failed_{entry.name}",
        )
        return
    finally:
        bar.empty()
    _open(entry.name)


def _open(study: str) -> None:
    st.switch_page(BY_NAME["judges"].path, query_params={"study": [study]})


# ------------------------------------------------------------------------------
# What to beware of in a study's numbers, and what it still needs.


MAJORITY = "all-judges"
"""The name of the committee of all judges."""


@section
def cautions(context: "Context", result: Result) -> None:
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
    notes += many_failures((judge, status, n) for judge, _, status, n in data.statuses(context.key))
    notes += few_cases(result.rows)
    for caution in notes:
        with st.container(key=f"caution_{caution.kind}", border=True):
            st.text(f"⚠ {caution.text}")


@section
def next_steps(context: "Context") -> None:
    """Say what a study without numbers lacks, each with the button that supplies it.

    That is judgments or a reference; nothing is said of a study that has both.
    """
    if not data.statuses(context.key):
        components.note("There are no judgments yet.", key="next")
        context.link("new_run", "Run judges on the answers")
        return
    if context.study.references.sources:
        return
    components.note("This study has no reference yet. Ways to get one:", key="next")
    with st.container(horizontal=True, key="next_steps"):
        if _can_be_labelled(context):
            context.link("coordinate", "Have people label answers")
        if data.may_write():
            context.link("data", "Import a file with references")
            _mending(context)


def _can_be_labelled(context: "Context") -> bool:
    """Return whether the study has texts, and the judgments by which items are drawn."""
    paradigms = set(context.study.inventory.values("paradigm"))
    return context.study.files.has("responses") and bool(paradigms & {*RUBRIC_PARADIGMS, "quality"})


def lacks_rows(context: "Context", result: Result) -> bool:
    """Say why a measure has no rows, and how to get the pairs or the reference that the study lacks."""
    if not components.lacks_rows(result):
        return False
    supply(context, result.measure.name)
    return True


def supply(context: "Context", measure: str) -> None:
    """Link to what a measure needs and the study lacks: judgments of its kind, or a reference."""
    of_measure = MEASURES[measure].paradigms
    paradigms = set(context.study.inventory.values("paradigm"))
    if paradigms and not paradigms & set(of_measure) and "pairwise" in of_measure:
        let_judge(context, both_orders=True)
    elif not context.study.references.sources:
        next_steps(context)


def let_judge(context: "Context", *, both_orders: bool) -> None:
    """Link to a run in which models judge their own responses too."""
    orders = ", in both orders" if both_orders else ""
    context.link("new_run", f"Have models judge each other{orders}")


def mend(context: "Context") -> None:
    """Show how a study gets what conclusions on its judges need, and say what that is."""
    if data.statuses(context.key) and (_of_pairs(context) or not data.judges_itself(context.key)):
        components.say(data.unknown_self_preference(context.key), key="mend")
        let_judge(context, both_orders=_of_pairs(context))
    elif not context.study.references.sources:
        next_steps(context)


def _of_pairs(context: "Context") -> bool:
    return set(context.study.inventory.values("paradigm")) <= {*PAIR_PARADIGMS, "quality"}


def _mending(context: "Context") -> None:
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


def _has_preferences(context: "Context") -> bool:
    return bool(context.study.files.table("preferences", ("source",)).num_rows)


def _mend(context: "Context", write: Callable[[StudyFiles], object]) -> None:
    """Write references, and rerun the page with what they allow."""
    data.check_writable(context.name)
    with st.spinner("Writing references …"):
        write(data.files(context.root, context.name))
    st.rerun()
