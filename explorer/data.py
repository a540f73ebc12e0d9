"""The only caching module.

Everything is kept by small things: a study's path and stamp, names, and tuples of texts. Arrays and
frames are never arguments, because Streamlit hashes only a sample of large ones and then answers with
the result for another.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

import engine
from engine import drill
from engine.choices import Choices, choices_of
from engine.comparison import Comparison, Side, compare
from engine.errors import unknown
from engine.findings import Findings
from engine.measures.result import Result
from engine.plan import Rebuilt
from engine.report import Exhibit, Form
from engine.slices import Slice
from engine.store import Store, StudyFiles
from engine.study import Study
from explorer import open_studies

if TYPE_CHECKING:
    import pandas as pd

    from engine.findings import Outcome
    from engine.findings.material import Material

Asked = tuple[tuple[str, tuple[str, ...] | str], ...]
"""Flags and their values, sorted."""


@dataclass(frozen=True)
class StudyKey:
    """A study at one moment: the stamp changes when any of its files does."""

    path: str
    stamp: str


@dataclass(frozen=True)
class Query:
    """Which judgments are listed, see `engine.drill.rows`."""

    asked: Asked
    kind: str
    judge: str | None = None
    generator: str | None = None
    search: str | None = None
    by: str | None = None
    value: str | None = None
    beside: drill.Beside | None = None


@dataclass(frozen=True)
class Sides:
    """Two sides of a comparison, see `engine.comparison.Side`."""

    a: StudyKey
    b: StudyKey
    asked_a: Asked
    asked_b: Asked
    judge_a: str | None = None
    judge_b: str | None = None

    @property
    def apart(self) -> bool:
        """Whether the sides are two studies."""
        return self.a != self.b

    @property
    def alike(self) -> bool:
        """Whether nothing tells the sides apart."""
        return (self.a, self.asked_a, self.judge_a) == (self.b, self.asked_b, self.judge_b)


def asked_of(flags: Mapping[str, tuple[str, ...] | str]) -> Asked:
    """Return flags in the form that results are kept by."""
    return tuple(sorted(flags.items()))


def studies(root: str) -> list[str]:
    """Return the names of the studies of a store that are open to who is here.

    Not kept, so that a new one shows at once, and one that is no longer open is gone at once.
    """
    return open_studies.seen(Store(root).studies())


def files(root: str, name: str) -> StudyFiles:
    """Return the study on disk with its `study.json` as it is now, and with it the saved slices.

    Raises UsageError for a study that is not there, or not open to who is here, all the same.
    """
    if name not in (there := studies(root)):
        raise unknown("study", name, there)
    return StudyFiles(Store(root).location.child(name))


def key_of(found: StudyFiles) -> StudyKey:
    """Return the study's key as it is now: a few file facts, no content. Saved slices change no number."""
    return StudyKey(found.path, found.stamp(slices=False))


@st.cache_resource(max_entries=3, show_spinner="Opening the study …")
def study(key: StudyKey) -> Study:
    """Return the opened study; at most three keep their arrays."""
    return engine.open_study(key.path)


@st.cache_resource(max_entries=6, show_spinner=False)
def choices(key: StudyKey) -> Choices:
    """Return what can be chosen in the study."""
    return choices_of(study(key))


def result(key: StudyKey, measure: str, asked: Asked = (), by: str | None = None) -> Result:
    """Take a measure of a slice; raises what `Study.result` raises."""
    return _result(key, measure, asked, by)  # all of them: what is left to a default is another key


@st.cache_data(max_entries=300, show_spinner="Measuring …")
def _result(key: StudyKey, measure: str, asked: Asked, by: str | None) -> Result:
    return study(key).result(measure, by=by, **dict(asked))


@st.cache_data(max_entries=50, show_spinner="Trying all slices …")
def found(key: StudyKey, asked: Asked = ()) -> Result:
    """Search a slice for slices that stand apart; raises what `Study.found` raises."""
    return study(key).found(**dict(asked))


@st.cache_data(max_entries=20, show_spinner="Measuring …")
def pilot(key: StudyKey) -> dict[str, float]:
    """Return what the study says of another one like it, to be planned."""
    from engine.power_costs import assumed_from

    return assumed_from(study(key))


@dataclass(frozen=True)
class Drawn:
    """A chart as a Vega-Lite specification, with the rows it draws: `panels` of `all_panels` judges.

    `titles` are the columns of the rows to be read, with their titles; those of a ratio where empty.
    """

    spec: dict[str, Any]
    rows: "pd.DataFrame"
    panels: int = 1
    all_panels: int = 1
    titles: tuple[tuple[str, str], ...] = ()


@st.cache_data(max_entries=100, show_spinner="Comparing …")
def comparison(sides: Sides, fields: tuple[str, ...], common: bool) -> Comparison:
    """Compare two sides; raises what `engine.comparison.compare` raises."""
    one = Side(study(sides.a), dict(sides.asked_a), sides.judge_a)
    two = Side(study(sides.b), dict(sides.asked_b), sides.judge_b)
    return compare(one, two, fields, common=common)


@st.cache_data(max_entries=100, show_spinner=False)
def compared_chart(sides: Sides, fields: tuple[str, ...], common: bool) -> Drawn:
    """Return the chart of a comparison."""
    from explorer.result_figures import compared

    return compared(sides, fields, common)


@st.cache_data(max_entries=400, show_spinner=False)
def figure(key: StudyKey, name: str, asked: Asked, options: tuple[Any, ...] = ()) -> Drawn:
    """Return one of the charts of `explorer.figures`, by its name."""
    from explorer.figures import FIGURES

    return FIGURES[name](key, asked, *options)


@st.cache_data(max_entries=100, show_spinner="Looking for judgments …")
def listing(key: StudyKey, query: Query, limit: int, offset: int) -> drill.Listing:
    """Return one page of judgments."""
    return drill.rows(
        study(key),
        Slice.of(**dict(query.asked)),
        query.kind,
        judge=query.judge,
        generator=query.generator,
        search=query.search,
        by=query.by,
        value=query.value,
        beside=query.beside,
        limit=limit,
        offset=offset,
    )


@st.cache_data(max_entries=200, show_spinner=False)
def item(
    key: StudyKey, query: Query, limit: int, offset: int, place: int, generator: str | None = None
) -> drill.Item:
    """Return the item that row `place` of a page of judgments points at; of another `generator` if given."""
    page = listing(key, query, limit, offset)
    row: dict[str, Any] = page.rows[place]
    names = ("instance_id", "generator", "rubric_id", "opponent")
    told = {name: row[name] for name in names} | ({} if generator is None else {"generator": generator})
    assert page.request is not None  # noqa: S101 - a page with rows has one
    return drill.item(study(key), page.request, **told)


@st.cache_data(max_entries=200, show_spinner=False, hash_funcs={drill.Said: lambda said: dict(said.call)})
def prompt(key: StudyKey, said: drill.Said) -> Rebuilt:
    """Return what a judge was sent, or why that cannot be told."""
    return drill.prompt(study(key), said)


@st.cache_data(max_entries=20, show_spinner=False)
def sizes(key: StudyKey) -> dict[str, int]:
    """Return how many of each thing the study holds."""
    opened = study(key)
    index = opened.index
    families = {name for name in index.model_fields["family"] if name is not None}
    return {
        "models": len(index.models),
        "families": len(families),
        "instances": index.n_instances,
        "rubrics": index.n_rubrics,
        "responses": len(opened.files.table("responses", ["instance_id"])),
        "judgments": opened.inventory.total(),
    }


@st.cache_data(max_entries=20, show_spinner=False)
def statuses(key: StudyKey) -> list[tuple[str, str, str, int]]:
    """Return the number of judgments for each (judge, paradigm, status) there is."""
    opened = study(key)
    return opened.inventory.statuses(opened.index.models)


@st.cache_data(max_entries=10, show_spinner="Trying the rules of the findings …")
def findings(key: StudyKey) -> Findings:
    """Return all that is claimed of the study."""
    from engine.findings import RULES
    from engine.findings.gathering import gathered

    return gathered(study(key), [outcome(key, rule.name) for rule in RULES])


@st.cache_data(max_entries=100, show_spinner="Measuring …")
def pinned(key: StudyKey, page: str, view: Asked) -> Exhibit:
    """Return what a pinned view shows, its saved slices unfolded; see `engine.report.views.shown_by`."""
    from engine.report.views import shown_by

    return shown_by(study(key), page, dict(view), choices(key))  # type: ignore[arg-type]


@st.cache_data(max_entries=100, show_spinner="Measuring …")
def behind(key: StudyKey, claim_id: str) -> Exhibit:
    """Return the chart and rows that a claim rests on."""
    from engine.report.content import behind as shown

    claim = findings(key).of(claim_id)
    return shown(_material(key), claim.chart or claim.measure, claim.options)


@st.cache_data(max_entries=3, show_spinner="Writing the report …")
def report(key: StudyKey, story: str, date: str, pins: str) -> dict[Form, bytes]:  # noqa: ARG001
    """Return the report as a file's bytes in each form, of numbers taken once.

    `pins` changes whenever the story does.
    """
    from engine.report import FORMS, content_of, in_form

    told = content_of(study(key).as_now(), date=date, story=story, found=findings(key))
    return {form: in_form(told, form) for form in FORMS}


@st.cache_resource(max_entries=3, show_spinner=False)
def _material(key: StudyKey) -> "Material":
    """Return what the rules of the findings take their numbers from: the results that pages keep."""
    from engine.finder import FIND
    from engine.findings.material import Material

    def take(measure: str, options: Mapping[str, Any]) -> Result:
        return (
            found(key, tuple(options.items()))
            if measure == FIND.name
            else result(key, measure, tuple(options.items()))
        )

    return Material(study(key), take)


@st.cache_resource(max_entries=100, show_spinner=False)
def outcome(key: StudyKey, rule: str) -> "Outcome":
    """Return what came of a rule of the findings, told what those before it came to."""
    from engine.findings import RULES
    from engine.findings.crossing import crossed

    names = [each.name for each in RULES]
    before = crossed(outcome(key, name) for name in names[: names.index(rule)])
    return RULES[names.index(rule)].outcome(_material(key), before)
