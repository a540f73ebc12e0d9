"""A study with a planted slice for searches."""

import pytest
from explore.studies import simulated

from engine.simulation.design import Bias, BiasedRubrics
from engine.study import Study


@pytest.fixture(scope="session")
def planted_store(tmp_path_factory):
    """Return a store with the study `planted`, in which `a` favours itself on negative rubrics only."""
    folder = tmp_path_factory.mktemp("finder")
    bias = Bias(self_ratio=3.0, on=BiasedRubrics.parse("polarity=negative"))
    simulated(folder, "planted", bias, seed=5, instances=300, unparsed=0.01)
    return folder


@pytest.fixture(scope="session")
def planted(planted_store):
    """Return that study, opened."""
    return Study.open(planted_store / "planted")
