"""A simulated study of rubric verdicts: its tables, its judgments, and what was planted in it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from engine.simulation.design import Design, ModelTraits
from engine.simulation.rubric_items import Items, draw_items
from engine.simulation.rubric_truth import Chances, Truth, chances, draw_truth, expected
from engine.simulation.study_tables import Simulation, judgment_schema, models_table, runs_table, table_of
from engine.simulation.verdict_draws import DRAW, Unit, regroup
from engine.stats import Floats

BATCH_ROWS = 1 << 20

# Each kind of draw has its own random numbers, so that adding a judge changes no response.
_ITEMS, _TRUTH, _INSTANCES, _VERDICTS = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedStudy(Simulation):
    """A drawn study, without its verdicts, which `judgments` draws lazily.

    `instance_factor` (N instances) multiplies all judges' error rates on each instance.
    """

    schema = judgment_schema(
        "run_id judge paradigm instance_id generator opponent first rubric_id ordering position met score "
        "choice status"
    )
    design: Design
    truth: Truth
    instance_factor: Floats

    @property
    def items(self) -> Items:
        return self.truth.items

    def tables(self) -> dict[str, pa.Table]:
        paradigms, judges = self.design.paradigms, self.design.judges
        calls = [(judge.name, paradigm, "default") for paradigm in paradigms for judge in judges]
        return {
            "models": models_table(self.design.models),
            "instances": self.items.instances_table(),
            "rubrics": self.items.rubrics_table(),
            "references": self.truth.references_table(),
            "runs": runs_table(self.design, calls),
        }

    def judgments(self, batch_rows: int = BATCH_ROWS) -> pa.RecordBatchReader:
        """Return the verdicts as a stream of record batches; every call returns the same rows.

        They are sorted by paradigm, judge and generator. One batch and one judge's chances are in memory.
        """
        batches = (batch for table in self._tables() for batch in table.to_batches())
        return pa.RecordBatchReader.from_batches(self.schema, regroup(batches, batch_rows))

    def planted(self) -> dict[str, Any]:
        judges = {
            judge.name: asdict(judge.bias)
            | {
                "on": None if judge.bias.on is None else str(judge.bias.on),
                "overestimation": judge.overestimation,
                "underestimation": judge.underestimation,
                "first_bias": judge.first_bias,
                "expected": expected(judge, self.truth, self._chances(judge)),
            }
            for judge in self.design.judges
        }
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

    def _chances(self, judge: ModelTraits) -> Chances:
        return chances(judge, self.truth, self.instance_factor)

    def _tables(self) -> Iterator[pa.Table]:
        design = self.design
        for paradigm in design.paradigms:
            code = list(DRAW).index(paradigm)  # fixed, whichever paradigms the study has
            for number, judge in enumerate(design.judges):
                chance = self._chances(judge)
                for row, generator in enumerate(design.generators):
                    unit = Unit(design, self.truth, chance, paradigm, judge, row)
                    columns = DRAW[paradigm](unit, design.rng(_VERDICTS, code, number, row))
                    names = {"judge": judge.name, "generator": generator.name, "paradigm": paradigm}
                    yield table_of(columns | names | {"run_id": design.run_id}, self.schema)


def simulate(design: Design, *, instances: int = 200, rubrics_per_instance: int = 6) -> SimulatedStudy:
    return simulate_items(design, draw_items(instances, rubrics_per_instance, design.rng(_ITEMS)))


def simulate_items(design: Design, items: Items) -> SimulatedStudy:
    for judge in design.judges:
        if judge.bias.on is not None:
            items.slice_mask(judge.bias.on)
    truth = draw_truth(design, items, design.rng(_TRUTH))
    spread = design.instance_spread
    uniform = design.rng(_INSTANCES).random(len(items.instance_ids))
    return SimulatedStudy(design, truth, 1 - spread + 2 * spread * uniform)
