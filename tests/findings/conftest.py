"""Studies with and without a planted bias, and the demonstration's findings."""

import pytest

from engine import open_study
from engine.findings.findings import Findings
from engine.simulation.default_models import default_models
from engine.simulation.design import Bias, Design
from engine.simulation.rubrics import simulate
from engine.simulation.study_tables import write_simulated
from engine.store import Store
from engine.study import Study

JUDGES = ["a", "b", "c", "d"]
MANY = [*JUDGES, "e", "f", "g", "h"]
"""As many as it takes to tell how far judges' tastes differ: with fewer than five nothing is claimed."""


@pytest.fixture(scope="package")
def store(tmp_path_factory):
    """Return a store with `biased` (judge `a` credits its own failures twice as often), `hard` and `fair`."""
    folder = tmp_path_factory.mktemp("planted")
    for name, judges, bias in (
        ("biased", MANY, Bias(self_ratio=2.0)),
        ("hard", JUDGES, Bias(hard_items=3.0)),
        ("fair", JUDGES, Bias()),
    ):
        models = default_models(judges, [], bias, ["a"], overestimation=0.25, underestimation=0.06)
        design = Design(models, models, paradigms=("single_rubric",), seed=5)
        write_simulated(Store(folder), name, simulate(design, instances=200))
    return folder


@pytest.fixture(scope="package")
def findings_of(store):
    """Return a function that gives the findings of one of these studies."""
    cache: dict[str, Findings] = {}

    def of(name):
        if name not in cache:
            cache[name] = Study.open(store / name).findings()
        return cache[name]

    return of


@pytest.fixture(scope="package")
def demo():
    """Return the findings of the demonstration study."""
    return open_study("results/demo-health").findings()
