"""Every measure obeys its slice: what it gives for a group, for its filter and for its judgments alone."""

import copy
import math
import random

import pytest
from plain.awkward import awkward_study
from plain.awkward_orders import awkward_orders
from plain.awkward_pairs import annotate, awkward_pairs_study

from engine.errors import SpbError
from engine.importers.formats.exchange import import_tidy
from engine.measures.catalogue import MEASURES
from engine.slices import FLAG_NAMES, FLAGS, GROUPINGS, TEXT_COLUMNS
from engine.store import Store
from engine.study import Study

KINDS = ("rubrics", "pairs", "orders")
LISTS = {flag.name for flag in FLAGS if flag.kind in ("names", "numbers")}
LIKE_CATEGORY = {*TEXT_COLUMNS} - {"category", "axis"}
"""Texts that are grouped as these two are; all of them would take long."""
RANGES = {flag.name for flag in FLAGS if flag.kind == "range"}

DRAWN = "its contrast pairs are drawn anew from those of the study"
QUALITY = "quality is always over all runs (MEASURES section 6)"
MAY_DIFFER = {
    "category": {
        **dict.fromkeys(("discriminability", "archetypes", "mitigation", "association", "together"), DRAWN),
        "gold-stress": "it lists gold judges in the order of the stored rows",
        "judge-costs": "calls cannot be filtered by question",
        "which-judge": "it has a row for a judge of whom nothing but its calls is known",
    },
    "run": dict.fromkeys(
        (
            *("equal-quality", "discriminability", "archetypes", "gold-stress", "annotators", "mitigation"),
            *("association", "together"),
        ),
        QUALITY,
    ),
}
"""Why a filter may give other rows than a study of its judgments alone, by measure."""


@pytest.fixture(scope="module")
def plain():
    """Return a plain study of each kind."""
    rubrics = awkward_study(random.Random(1), instances=4, statuses=0.02, missing=0.02)
    pairs = awkward_pairs_study(random.Random(1), instances=5)
    annotate(pairs, random.Random(1))
    return {"rubrics": rubrics, "pairs": pairs, "orders": awkward_orders(random.Random(1), instances=3)}


@pytest.fixture(scope="module")
def opened(plain, tmp_path_factory):
    """Return a function that stores a plain study and opens it, and the studies of each kind by name."""
    folder = tmp_path_factory.mktemp("slices")

    def store(study, name):
        study.write(folder / name)
        import_tidy(folder / name, Store(folder / "store"), name)
        return Study.open(folder / "store" / name)

    return store, {kind: store(plain[kind], kind) for kind in KINDS}


def rows_of(study, measure, **options):
    """Return a measure's rows without intervals, by its keys, or the kind of error that refuses them."""
    try:
        rows = [dict(row) for row in study.result(measure, resamples=0, **options).rows]
    except SpbError as error:
        return type(error)
    return sorted(rows, key=lambda row: [str(row[name]) for name in measure.keys])


def are_alike(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(are_alike, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(are_alike(a[key], b[key]) for key in a)
    return a == b


def filter_of(column, value):
    """Return the filter that a group's value stands for; None if there is no such filter."""
    if value is None or column not in FLAG_NAMES:
        return None
    if column in RANGES:
        return {column: value.replace("-", ":")}
    return {column: [value] if column in LISTS else value}


@pytest.mark.parametrize("kind", KINDS)
def test_the_rows_of_a_group_are_those_of_its_filter(opened, kind):
    study, compared, differing = opened[1][kind], set(), []
    columns = [name for name in GROUPINGS if name in FLAG_NAMES and name not in LIKE_CATEGORY]
    for measure in MEASURES.values():
        of_measure = ["category"] if measure.name == "relatedness" else columns  # it is slow
        for column in of_measure if measure.sliced else measure.groups:
            groups = {}
            rows = rows_of(study, measure, by=column)
            for row in rows if isinstance(rows, list) else ():
                groups.setdefault(row.pop("slice", None), []).append(row)
            filters = [(value, one) for value in groups if (one := filter_of(column, value))]
            for value, only in filters[-1:]:  # one is enough: a column that is ignored differs everywhere
                compared.add((measure.name, column))
                if not are_alike(groups[value], rows_of(study, measure, **only)):
                    differing.append((measure.name, only))

    assert differing == []
    assert len(compared) > 30


def alone(plain, column, value):
    """Return a study of one run's judgments, or of the questions with a value of a column."""
    part = copy.deepcopy(plain)
    if column == "run":
        part.judgments = [row for row in part.judgments if row["run_id"] == value]
        return part
    names = {row["instance_id"] for row in part.instances if row[column] == value}
    for name, rows in vars(part).items():
        if name not in ("models", "committees"):
            setattr(part, name, [row for row in rows if row["instance_id"] in names])
    return part


@pytest.mark.parametrize(
    ("kind", "column", "value"),
    [
        ("rubrics", "category", "open"),
        ("rubrics", "run", "run-1"),
        ("pairs", "category", "open"),
        ("pairs", "run", "run-1"),
        ("orders", "category", "maths"),
    ],
)
def test_the_rows_of_a_filter_are_those_of_a_study_of_its_judgments_alone(plain, opened, kind, column, value):
    store, studies = opened
    part = store(alone(plain[kind], column, value), f"{kind}-{column}")
    of_runs, one = studies[kind].of_runs(value if column == "run" else None), {column: [value]}

    differing = []
    for measure in MEASURES.values():
        rows = rows_of(studies[kind], measure, **one)
        if measure.name not in MAY_DIFFER[column] and not are_alike(rows, rows_of(part, measure)):
            differing.append(measure.name)
        if column == "run" and not are_alike(rows, rows_of(of_runs, measure)):
            differing.append((measure.name, "of_runs"))

    assert differing == []
