"""Simulated verdicts as the tables of a study, so that they can go the whole way through the store."""

import numpy as np
import pyarrow as pa

from .population import Bools, Population, Verdicts

SOURCE = "program"


def tables(population: Population, verdicts: Verdicts) -> dict[str, pa.Table]:
    """Return the tables of a study with these verdicts; models `m0`, `m1`, ..., instances in their order."""
    instance, rubric = np.nonzero(verdicts.exists)
    models = [f"m{number}" for number in range(len(population.families))]
    rubrics = {
        "instance_id": [f"i{number:05d}" for number in instance],
        "rubric_id": [f"r{number}" for number in rubric],
    }
    of_response = [
        {"generator": [name] * len(instance), **rubrics, "met": _kept(~verdicts.failed[g], verdicts)}
        for g, name in enumerate(models)
    ]
    references = [pa.table({**part, "source": [SOURCE] * len(instance)}) for part in of_response]
    judgments = [
        pa.table(
            {
                "run_id": ["run"] * len(instance),
                "judge": [judge] * len(instance),
                "paradigm": ["single_rubric"] * len(instance),
                "status": ["ok"] * len(instance),
                **of_response[g],
                "met": _kept(verdicts.favourable[j, g], verdicts),
            }
        )
        for j, judge in enumerate(models)
        for g in range(len(models))
    ]
    ids = [f"i{number:05d}" for number in range(len(verdicts.exists))]
    return {
        "models": pa.table({"model": models, "family": list(population.families)}),
        "instances": pa.table({"instance_id": ids}),
        "rubrics": pa.table({**rubrics, "points": np.ones(len(instance))}),
        "references": pa.concat_tables(references),
        "judgments": pa.concat_tables(judgments),
    }


def _kept(verdict: Bools, verdicts: Verdicts) -> Bools:
    return np.asarray(verdict[verdicts.exists])
