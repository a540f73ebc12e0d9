"""What the pages read, cached once for all of them: the only module that opens studies."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd
import streamlit as st

import engine
from engine.annotations.sampling import Sampling, kinds_with_items
from engine.collect.database.exchanges import Exchange, exchanges_of
from engine.collect.plan.study_texts import Library
from engine.collect.rows.rebuilt_prompts import RebuiltPrompt, rebuild
from engine.collect.run_folder import run_path
from engine.errors import SpbError, uncomputed, unknown
from engine.explore import cells_beside, diagnosis, doctor, judgment_detail, judgment_page, unavailable_views
from engine.explore.filter_choices import Choices, choices_of
from engine.findings.findings import Findings
from engine.measures.catalogue import find
from engine.measures.result import Result
from engine.report import Form
from engine.slices import Slice
from engine.store import Store
from engine.store.study_files import StudyFiles
from engine.study import Study
from engine.views.registry import VIEWS
from engine.views.shown import Figure, Shown, VerdictQuery
from engine.words.plain_names import on_page
from explorer import permissions

if TYPE_CHECKING:
    from engine.findings.claims import RuleOutcome
    from engine.findings.rule import RuleContext
    from engine.report.card import CardForm
    from engine.report.content import Report


FlagValues = tuple[tuple[str, Any], ...]
"""Filters and options of a measure, each hashable; the measure's signature lists the valid ones."""


@dataclass(frozen=True)
class StudyKey:
    """A version of a study: the stamp changes when any of its files does."""

    path: str
    stamp: str


@dataclass(frozen=True)
class ListQuery:
    """The judgments to list, see `engine.explore.judgment_page.rows`."""

    flags: FlagValues
    kind: str
    judge: str | None = None
    generator: str | None = None
    search: str | None = None
    by: str | None = None
    value: str | None = None
    beside: cells_beside.Beside | None = None

    @classmethod
    def of(cls, query: VerdictQuery) -> "ListQuery":
        """Return the query of what a view shows."""
        others = {name: value for name, value in vars(query).items() if name != "filters"}
        return cls(flags_of(query.filters), **others)


def flags_of(flags: Mapping[str, Any]) -> FlagValues:
    """Return flags in the form of cache keys."""
    return tuple(sorted(flags.items()))


def studies(root: str) -> list[str]:
    """Return the names of the studies in a store that the visitor may see.

    Not cached, so that new studies and changed access take effect at once.
    """
    return permissions.visible_studies(Store(root).studies())


def files(root: str, name: str) -> StudyFiles:
    """Return the study on disk, with its current `study.json`, which holds the saved slices.

    Raises the same UsageError whether the study does not exist or the visitor may not see it.
    """
    if name not in (visible := studies(root)):
        raise unknown("study", name, visible)
    return StudyFiles(Store(root).location.child(name))


def key_of(files: StudyFiles) -> StudyKey:
    """Return the study's current key, from file metadata alone; saved slices change no number and no key."""
    return StudyKey(files.path, files.stamp(slices=False))


@st.cache_resource(show_spinner=False)
def share_cores() -> None:
    """Limit BLAS to half of the cores, once per process: its idle threads would spin on all of them.

    The browser draws on the others: on two cores a click on a new filter then takes a fifth less time.
    """
    from threadpoolctl import threadpool_info, threadpool_limits

    half = max((os.cpu_count() or 1) // 2, 1)
    threads = [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]
    threadpool_limits(min([half, *threads]), user_api="blas")


@st.cache_resource(max_entries=3, show_spinner="Opening the study …")
def study(key: StudyKey) -> Study:
    """Return the opened study; at most three stay in memory."""
    return engine.open_study(key.path)


@st.cache_resource(max_entries=6, show_spinner=False)
def choices(key: StudyKey) -> Choices:
    """Return the values that filters and groupings of the study can take."""
    return choices_of(study(key))


def result(key: StudyKey, measure: str, flags: FlagValues = (), by: str | None = None) -> Result:
    """Compute a measure of a slice; raises the same errors as `Study.result` for what a user can mend.

    A measure that fails otherwise has no rows, with the reason, so that pages show what they have beside it.
    """
    try:
        return _result(key, measure, flags, by)  # all arguments: an omitted default is another cache key
    except (OSError, SpbError):
        raise
    except Exception as error:
        return Result(find(measure), Path(key.path).name, dict(flags), {}, {}, uncomputed(error), by)


@st.cache_data(max_entries=300, show_spinner="Measuring …")
def _result(key: StudyKey, measure: str, flags: FlagValues, by: str | None) -> Result:
    return study(key).result(find(measure), by=by, **dict(flags))


@st.cache_data(max_entries=100, show_spinner="Looking for judgments …")
def listing(key: StudyKey, query: ListQuery, limit: int, offset: int) -> judgment_page.Listing:
    """Return one page of judgments."""
    options = dict(vars(query))
    spec = Slice.of(**dict(options.pop("flags")))
    return judgment_page.rows(study(key), spec, **options, limit=limit, offset=offset)


MOST_DOWNLOADED = 100_000
"""Most judgments in one download."""


def listed_frame(key: StudyKey, query: ListQuery) -> pd.DataFrame:
    """Return the judgments of a selection with their texts to download, at most `MOST_DOWNLOADED` of them."""
    page = listing(key, query, MOST_DOWNLOADED, 0)
    if page.request is None:
        return pd.DataFrame(page.rows)
    return pd.DataFrame(judgment_detail.with_texts(study(key), page.request, page.rows))


@st.cache_data(max_entries=40, show_spinner=False)
def items(key: StudyKey, query: ListQuery, limit: int) -> list[judgment_detail.JudgedItem]:
    """Return the items of the first `limit` judgments of a selection."""
    page = listing(key, query, limit, 0)
    return judgment_detail.items(study(key), page.request, page.rows) if page.request is not None else []


@st.cache_data(max_entries=200, show_spinner=False)
def item(
    key: StudyKey, query: ListQuery, limit: int, offset: int, place: int, generator: str | None = None
) -> judgment_detail.JudgedItem:
    """Return the item of row `place` of a page of judgments, for another `generator` if given."""
    page = listing(key, query, limit, offset)
    row: dict[str, Any] = page.rows[place]
    names = ("instance_id", "generator", "rubric_id", "opponent")
    filters = {name: row[name] for name in names} | ({} if generator is None else {"generator": generator})
    assert page.request is not None  # noqa: S101 - a page with rows has one
    return judgment_detail.item(study(key), page.request, **filters)


@st.cache_data(
    max_entries=200,
    show_spinner=False,
    hash_funcs={judgment_detail.StoredVerdict: lambda verdict: dict(verdict.call)},
)
def prompt(key: StudyKey, verdict: judgment_detail.StoredVerdict) -> RebuiltPrompt:
    """Return the prompt that a judge was sent, or the reason it is unknown."""
    return rebuild(Library(study(key).files, verdict.call["instance_id"]), verdict.call)


def exchanges(key: StudyKey, verdict: judgment_detail.StoredVerdict) -> list[Exchange]:
    """Return a judgment's requests and responses as sent, if its run stored them."""
    root, _, name = key.path.rpartition("/")
    call_id = verdict.call["call_id"]
    return exchanges_of(run_path(Store(root), name, verdict.run_id), call_id) if call_id else []


@st.cache_data(max_entries=20, show_spinner=False)
def lacking(key: StudyKey) -> dict[str, str]:
    """Return what each page that the study cannot fill would need, by page name."""
    return unavailable_views.unavailable_views(study(key))


@st.cache_data(max_entries=100, show_spinner=False)
def kinds_to_label(key: StudyKey, selection: str) -> list[str]:
    """Return the kinds of labelling task for which a selection has items of the study."""
    return kinds_with_items(study(key), Sampling(selection))


@st.cache_data(max_entries=20, show_spinner=False)
def relations(key: StudyKey) -> list[str]:
    """Return sentences on whose responses the judges judge: their own, their family's, others'."""
    sentences = diagnosis.relation_sentences(doctor.judge_relations(study(key)))
    return [on_page(sentence) for sentence in sentences]


@st.cache_data(max_entries=20, show_spinner=False)
def unknown_self_preference(key: StudyKey) -> str:
    """Return a sentence on why a study cannot show whether any judge favours itself."""
    return on_page(doctor.unknown_self_preference(study(key)))


@st.cache_data(max_entries=20, show_spinner=False)
def judges_itself(key: StudyKey) -> bool:
    """Return whether any judge judged responses of its own."""
    return any(each.own for each in doctor.judge_relations(study(key)))


@st.cache_data(max_entries=20, show_spinner=False)
def statuses(key: StudyKey) -> list[tuple[str, str, str, int]]:
    """Return the number of judgments for each (judge, paradigm, status) that occurs."""
    source = study(key)
    return source.inventory.statuses(source.index.models)


@st.cache_data(max_entries=10, show_spinner="Looking for findings …")
def findings(key: StudyKey) -> Findings:
    """Return all findings of the study."""
    from engine.findings.gather import sum_up
    from engine.findings.rules import RULES

    return sum_up(study(key), [outcome(key, rule.name) for rule in RULES])


def shown(key: StudyKey, view: str, texts: Mapping[str, Sequence[str]]) -> Shown:
    """Return what a view shows for keys as texts; see `engine.views.view.View.shown`."""
    parts = tuple((name, tuple(values)) for name, values in sorted(texts.items()))
    other = next(iter(texts.get("b_study", ())), None)
    return _shown(key, view, parts, None if other is None else key_of(files(root_of(key), other)))


def root_of(key: StudyKey) -> str:
    """Return the store of a study."""
    return key.path.rpartition("/")[0]


@st.cache_data(max_entries=400, show_spinner="Measuring …")
def _shown(
    key: StudyKey,
    view: str,
    texts: tuple[tuple[str, tuple[str, ...]], ...],
    other: StudyKey | None,  # noqa: ARG001 - the version of a second study
) -> Shown:
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):  # Altair's validation would double the time; tests validate the charts
        return VIEWS[view].shown(study(key), dict(texts))


@st.cache_data(max_entries=100, show_spinner="Measuring …")
def pinned_exhibit(key: StudyKey, page: str, view: FlagValues) -> Shown:
    """Return what a pinned view without saved slices shows."""
    from engine.views.registry import shown_by_name

    return shown_by_name(study(key), page, dict(view))


@st.cache_data(max_entries=400, show_spinner=False)
def claim_figure(key: StudyKey, claim_id: str, width: int) -> Figure | None:
    """Draw the small chart of a claim, without Altair's validation; tests validate the charts."""
    from altair.utils.schemapi import debug_mode

    from engine.views.claims import figure_of_claims

    claims = outcome(key, claim_id.partition(":")[0]).claims
    with debug_mode(False):
        return figure_of_claims([next(each for each in claims if each.id == claim_id)], width)


@st.cache_data(max_entries=100, show_spinner="Measuring …")
def claim_exhibit(key: StudyKey, claim_id: str) -> Shown:
    """Return the chart and rows that a claim rests on."""
    from engine.views.claims import rows_behind

    claim = findings(key).of(claim_id)
    result = _rule_context(key).result(claim.chart or claim.measure, **claim.options)
    return rows_behind(study(key), result, claim.options)


def report(key: StudyKey, story: str, date: str, pins: str, form: Form) -> bytes:
    """Return the report as a file; every form of it has the same numbers."""
    from engine.report import in_form

    return in_form(_report_content(key, story, date, pins), form)


@st.cache_resource(max_entries=3, show_spinner=False)
def _report_content(key: StudyKey, story: str, date: str, pins: str) -> "Report":  # noqa: ARG001
    """Return the content of a report; `pins` changes whenever the story does, and so renews the cache."""
    from engine.report.content import content_of

    return content_of(study(key).as_now(), date=date, story=story, findings=findings(key))


AuditForm = Literal["html", "markdown", "zip"]
"""The files of an audit: its page, its summary, or all of them in one."""


def audit(key: StudyKey, date: str, form: AuditForm) -> bytes:
    """Return an audit as a file."""
    from engine.report.audit.audit import audit_of
    from engine.report.audit.files import archive

    audited = audit_of(study(key), date=date)
    if form == "zip":
        return archive(audited)
    return (audited.html() if form == "html" else audited.markdown()).encode()


def card(key: StudyKey, judge: str, form: "CardForm") -> bytes:
    """Return a judge's card as a file."""
    from engine.report.card import card_of, in_form

    return in_form(card_of(study(key), judge), form)


@st.cache_resource(max_entries=3, show_spinner=False)
def _rule_context(key: StudyKey) -> "RuleContext":
    """Return the source of the numbers in findings: the cached results of pages."""
    from engine.explore.find_slices import FIND
    from engine.findings.rule import RuleContext
    from engine.views.standout_slices import search

    def take(measure: str, options: Mapping[str, Any]) -> Result:
        return (
            search(study(key), options)
            if measure == FIND.name
            else result(key, measure, tuple(options.items()))
        )

    return RuleContext(study(key), take)


@st.cache_resource(max_entries=100, show_spinner=False)
def outcome(key: StudyKey, rule: str) -> "RuleOutcome":
    """Return the outcome of a rule of the findings, given the outcomes of the rules before it."""
    from engine.findings.cross_checks import cross_check
    from engine.findings.rules import RULES

    names = [each.name for each in RULES]
    earlier = cross_check(outcome(key, name) for name in names[: names.index(rule)])
    return RULES[names.index(rule)].outcome(_rule_context(key), earlier)
