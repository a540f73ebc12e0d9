"""One simulated study: its tables, its stream of judgments, and what was planted in it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from engine.simulation.columns import runs_table
from engine.simulation.design import Design, Model
from engine.simulation.items import Items, draw_items
from engine.simulation.probabilities import Chances, Floats, chances, expected
from engine.simulation.rows import SCHEMA, Unit, Vocabulary, draw_unit, regroup, run_id
from engine.simulation.truth import Truth, draw_truth

BATCH_ROWS = 1 << 20

# Each kind of draw has its own random numbers, so that one more judge changes no response.
_ITEMS, _TRUTH, _INSTANCES, _VERDICTS = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedStudy:
    """A study that was drawn, short of its verdicts, which `judgments` draws as they are read.

    `instance_factor` (N instances) is how readily all judges err on each instance.
    """

    design: Design
    truth: Truth
    instance_factor: Floats

    @property
    def items(self) -> Items:
        """The instances and rubrics."""
        return self.truth.items

    @property
    def run_id(self) -> str:
        """The name of the one run that the study consists of."""
        return run_id(self.design)

    def tables(self) -> dict[str, pa.Table]:
        """Return every table but `judgments`, in the columns of the exchange form."""
        paradigms, judges = self.design.paradigms, self.design.judges
        asked = [(judge.name, paradigm, "default") for paradigm in paradigms for judge in judges]
        return {
            "models": _models_table(self.design.models),
            "instances": self.items.instances_table(),
            "rubrics": self.items.rubrics_table(),
            "references": self.truth.references_table(),
            "runs": runs_table(self.run_id, self.design.seed, asked),
        }

    def judgments(self, batch_rows: int = BATCH_ROWS) -> pa.RecordBatchReader:
        """Return the verdicts as a stream of record batches; every call returns the same rows.

        They come by paradigm, judge and generator. Memory is that of one batch and one judge's chances.
        """
        return pa.RecordBatchReader.from_batches(SCHEMA, regroup(self._units(), batch_rows))

    def judgments_table(self) -> pa.Table:
        """Return all verdicts at once, for small studies."""
        return self.judgments().read_all()

    def planted(self) -> dict[str, Any]:
        """Return what was planted and what it makes one expect, as JSON values."""
        judges = {}
        for judge in self.design.judges:
            planted = asdict(judge.bias)
            planted["on"] = None if judge.bias.on is None else str(judge.bias.on)
            planted["overestimation"] = judge.overestimation
            planted["underestimation"] = judge.underestimation
            planted["first_bias"] = judge.first_bias
            planted["expected"] = asdict(expected(judge, self.truth, self._chances(judge)))
            judges[judge.name] = planted
        return {
            "kind": "simulation",
            "seed": self.design.seed,
            "paradigms": list(self.design.paradigms),
            "instance_spread": self.design.instance_spread,
            "unparsed": self.design.unparsed,
            "refused": self.design.refused,
            "judges": judges,
            "generators": {model.name: {"skill": model.skill} for model in self.design.generators},
        }

    def _chances(self, judge: Model) -> Chances:
        return chances(judge, self.truth, self.instance_factor)

    def _units(self) -> Iterator[pa.RecordBatch]:
        words = Vocabulary.of(self.design, self.truth)
        for paradigm in self.design.paradigms:
            for number, judge in enumerate(self.design.judges):
                of_judge = self._chances(judge)
                for generator in range(len(self.design.generators)):
                    unit = Unit(paradigm, number, generator)
                    yield draw_unit(unit, self.design, self.truth, of_judge, words, _VERDICTS)


def simulate(design: Design, *, instances: int = 200, rubrics_per_instance: int = 6) -> SimulatedStudy:
    """Draw a study without texts: items, reference and the instances' factors, all from `design.seed`.

    Raises UsageError where a judge's bias names a slice in which no rubric lies.
    """
    rng = np.random.default_rng([design.seed, _ITEMS])
    return simulate_items(design, draw_items(instances, rubrics_per_instance, rng))


def simulate_items(design: Design, items: Items) -> SimulatedStudy:
    """Draw a study on items that are there already."""
    for judge in design.judges:
        if judge.bias.on is not None:
            items.chosen(judge.bias.on)
    truth = draw_truth(design, items, np.random.default_rng([design.seed, _TRUTH]))
    spread = design.instance_spread
    uniform = np.random.default_rng([design.seed, _INSTANCES]).random(len(items.instance_ids))
    return SimulatedStudy(design, truth, 1 - spread + 2 * spread * uniform)


def _models_table(models: tuple[Model, ...]) -> pa.Table:
    return pa.table(
        {
            "model": pa.array([model.name for model in models]),
            "family": pa.array([model.family for model in models]),
            "provider": pa.array([model.provider for model in models], pa.string()),
            "size_b": pa.array([model.size_b for model in models], pa.float64()),
        }
    )
