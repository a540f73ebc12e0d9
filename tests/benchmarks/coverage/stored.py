"""Simulated verdicts as the tables of a study, to pass them through the store."""

import numpy as np
import pyarrow as pa

from .pairs import MODELS, ONE, TWO, PairPopulation, Pairs
from .population import Bools, Ints, Population, Verdicts

SOURCE = "program"


def tables(population: Population, verdicts: Verdicts) -> dict[str, pa.Table]:
    """Return the tables of a study with these verdicts; models are `m0`, `m1`, ..., instances in order."""
    instance, rubric = np.nonzero(verdicts.exists)
    models = [f"m{number}" for number in range(len(population.families))]
    rubrics = {
        "instance_id": [f"i{number:05d}" for number in instance],
        "rubric_id": [f"r{number}" for number in rubric],
    }
    of_response = [
        {"generator": [name] * len(instance), **rubrics, "met": _existing(~verdicts.failed[g], verdicts)}
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
                "met": _existing(verdicts.favourable[j, g], verdicts),
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


def _existing(verdict: Bools, verdicts: Verdicts) -> Bools:
    return np.asarray(verdict[verdicts.exists])


DIMENSIONS = ("relevance", "accuracy", "depth", "logic", "clarity")
FORCED, ANSWERED = "forced", "default"
"""The variants of pairs: choices with probabilities, and the same choices without."""


def pair_tables(pairs: Pairs) -> dict[str, pa.Table]:
    """Return the tables of a study with these answers on pairs; a separate model rates quality."""
    models = [f"m{number}" for number in range(MODELS)]
    model, question = np.nonzero(pairs.answered)
    rated = {
        "judge": ["rater"] * len(model),
        "paradigm": ["quality"] * len(model),
        "variant": ["default"] * len(model),
        "instance_id": _ids(question),
        "generator": [models[m] for m in model],
        "score": pairs.quality[model, question],
    }
    parts = [pa.table({**_run(len(model)), **rated, "rubric_id": [name] * len(model)}) for name in DIMENSIONS]
    pair, question = np.nonzero(pairs.exists)
    sides = {
        "instance_id": _ids(question),
        "generator": [models[m] for m in ONE[pair]],
        "opponent": [models[m] for m in TWO[pair]],
    }
    for judge, name in enumerate(models):
        for first, p in zip(("generator", "opponent"), pairs.p[:, judge, pair, question], strict=True):
            answer = {
                "judge": [name] * len(pair),
                "paradigm": ["pairwise"] * len(pair),
                "first": [first] * len(pair),
                "choice": np.where(p > 0.5, "generator", "opponent").tolist(),
            }
            plain = {**_run(len(pair)), **sides, **answer}
            parts.append(pa.table({**plain, "variant": [FORCED] * len(pair), "p_generator": p}))
            parts.append(pa.table({**plain, "variant": [ANSWERED] * len(pair)}))
    votes = {"source": ["gold"] * len(pair), "outcome": np.where(pairs.gold[pair, question], 1, -1)}
    families = [*PairPopulation().families, "raters"]
    return {
        "models": pa.table({"model": [*models, "rater"], "family": families}),
        "instances": pa.table({"instance_id": _ids(np.arange(pairs.answered.shape[1]))}),
        "judgments": pa.concat_tables(parts, promote_options="default"),
        "preferences": pa.table({**sides, **votes}),
    }


def _run(size: int) -> dict[str, list[str]]:
    return {"run_id": ["run"] * size, "status": ["ok"] * size}


def _ids(numbers: Ints) -> list[str]:
    return [f"i{number:05d}" for number in numbers]
