"""Studies with and without a planted bias, and the demonstration's findings."""

import pytest

from engine import open_study
from engine.findings import Findings
from engine.simulation import Bias, Design, cast, simulate
from engine.simulation.writing import write_simulated
from engine.store import Store
from engine.study import Study

JUDGES = ["a", "b", "c", "d"]


@pytest.fixture(scope="package")
def store(tmp_path_factory):
    """Return a store with `biased` (judge `a` credits its own failures twice as often), `hard` and `fair`."""
    folder = tmp_path_factory.mktemp("planted")
    for name, bias in (
        ("biased", Bias(self_ratio=2.0)),
        ("hard", Bias(hard_items=3.0)),
        ("fair", Bias()),
    ):
        models = cast(JUDGES, [], bias, ["a"], overestimation=0.25, underestimation=0.06)
        design = Design(models, models, paradigms=("single_rubric",), seed=5)
        write_simulated(Store(folder), name, simulate(design, instances=200))
    return folder


@pytest.fixture(scope="package")
def found(store):
    """Return a function that tells the findings of one of these studies."""
    kept: dict[str, Findings] = {}

    def of(name):
        if name not in kept:
            kept[name] = Study.open(store / name).findings()
        return kept[name]

    return of


@pytest.fixture(scope="package")
def demo():
    """Return the findings of the demonstration study."""
    return open_study("results/demo-health").findings()
