"""Simulated studies for slice searches."""

from engine.simulation.default_models import default_models
from engine.simulation.design import Design
from engine.simulation.rubrics import simulate
from engine.simulation.study_tables import write_simulated
from engine.store import Store
from engine.study import Study

JUDGES = ("a", "b", "c", "d")


def simulated(folder, name, bias, seed, instances=120, paradigms=("single_rubric",), unparsed=0.0):
    """Write a study in which judge `a` alone has the bias; return it opened."""
    models = default_models(list(JUDGES), [], bias, ["a"], overestimation=0.25, underestimation=0.06)
    design = Design(models, models, paradigms=paradigms, unparsed=unparsed, seed=seed)
    write_simulated(Store(folder), name, simulate(design, instances=instances))
    return Study.open(folder / name)
