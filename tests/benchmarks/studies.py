"""The simulated studies of the benchmarks."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from engine.simulation.default_models import default_models, names_of
from engine.simulation.design import SIMULATED_PARADIGMS, Bias, Design
from engine.simulation.rubric_items import AXES, THEMES, Items
from engine.simulation.rubrics import SimulatedStudy, simulate_items

MODELS = 12
MANY_MODELS = 60
BOARD_MODELS = 200
PART_ROWS = 1 << 22


def large() -> SimulatedStudy:
    """Return 8.2 million verdicts: 12 judges on 12 generators, 56,944 rubrics in 5,000 instances.

    The size of HealthBench; one verdict in a hundred is unparsed.
    """
    return _study(instances=5_000, rubrics=56_944, paradigms=("single_rubric",))


def published_size() -> SimulatedStudy:
    """Return a study of the size of the published one: 834 rubrics in 541 instances, four paradigms."""
    return _study(instances=541, rubrics=834, paradigms=SIMULATED_PARADIGMS)


def sized(millions: int) -> SimulatedStudy:
    """Return so many million verdicts: 60 judges, 60 generators, 280 rubrics and 25 instances per million."""
    return _study(
        instances=25 * millions, rubrics=280 * millions, paradigms=("single_rubric",), models=MANY_MODELS
    )


def board() -> SimulatedStudy:
    """Return 1.44 million verdicts: 200 judges on 200 generators, 36 rubrics in as many instances."""
    return _study(instances=36, rubrics=36, paradigms=("single_rubric",), models=BOARD_MODELS)


def write_exchange(study: SimulatedStudy, folder: Path) -> None:
    """Write a study as an exchange folder of Parquet files, the judgments in parts of 4 million rows."""
    (folder / "judgments").mkdir(parents=True)
    for name, table in study.tables().items():
        pq.write_table(table, folder / f"{name}.parquet")
    for number, batch in enumerate(study.judgments(PART_ROWS)):
        pq.write_table(pa.Table.from_batches([batch]), folder / "judgments" / f"part-{number:03d}.parquet")


def _study(instances: int, rubrics: int, paradigms: tuple[str, ...], models: int = MODELS) -> SimulatedStudy:
    taking_part = default_models(
        names_of([str(models)]), [], Bias(self_ratio=1.5), None, overestimation=0.2, underestimation=0.06
    )
    design = Design(judges=taking_part, generators=taking_part, paradigms=paradigms, unparsed=0.01)
    return simulate_items(design, _items(instances, rubrics, np.random.default_rng(0)))


def _items(instances: int, rubrics: int, rng: np.random.Generator) -> Items:
    """Return rubrics spread at random over the instances, at least one for each."""
    extra = rng.integers(instances, size=rubrics - instances)
    counts = 1 + np.bincount(extra, minlength=instances)
    sign = np.where(rng.random(rubrics) < 0.2, -1.0, 1.0)
    return Items(
        instance_ids=[f"i{number:04d}" for number in range(instances)],
        themes=[THEMES[index] for index in rng.integers(len(THEMES), size=instances)],
        instance=np.repeat(np.arange(instances, dtype=np.int32), counts),
        rubric_ids=[f"r{place}" for count in counts for place in range(count)],
        points=sign * rng.integers(1, 11, size=rubrics),
        length=np.clip(rng.lognormal(4.2, 0.8, size=rubrics), 5, 600).astype(np.int64),
        axis=[AXES[index] for index in rng.integers(len(AXES), size=rubrics)],
    )
