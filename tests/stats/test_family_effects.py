"""What judges add to scores of their families."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.importers.families import resolve
from engine.stats.family_effects import family_effects

MULTIVAC = Path(__file__).parents[3] / "shared" / "data" / "multivac" / "scores.parquet"


@pytest.mark.skipif(not MULTIVAC.exists(), reason=f"needs {MULTIVAC}, which is not part of the project")
def test_effects_of_families_are_those_printed_for_52_judges_without_self_judgments():
    table = pd.read_parquet(MULTIVAC)
    models = sorted({*table.judge, *table.generator})
    families = [resolve(model).family for model in models]
    printed = {
        "Claude": (0.42, 0.04), "MiniMax": (0.40, 0.12), "Qwen": (0.52, 0.22), "Gemini": (0.20, 0.11),
        "Llama": (0.15, 0.13), "Grok": (-0.03, 0.22), "GPT": (-0.13, 0.14), "Mistral": (-0.14, 0.12),
    }  # fmt: skip
    names = [*printed, *sorted(set(families) - set(printed))]
    codes = np.array([names.index(family) for family in families])
    instances = table.instance_id.unique().tolist()
    scores = np.full((len(models), len(models), len(instances)), np.nan)
    for judge, generator, instance, value in zip(
        table.judge, table.generator, table.instance_id, table.score, strict=True
    ):
        scores[models.index(judge), models.index(generator), instances.index(instance)] = value

    effects = family_effects(scores, codes, codes, np.eye(len(models), dtype=bool), len(names))

    assert effects.n == 22_252
    for place, (value, se) in enumerate(printed.values()):
        assert effects.estimates.value[place] == pytest.approx(value, abs=0.0051)
        assert effects.estimates.se[place] == pytest.approx(se, abs=0.0051)
