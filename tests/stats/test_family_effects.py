"""What judges add to scores of their families."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from plain.family_without_self import effects_of_families

from engine.importers.families import resolve
from engine.stats.outside.family_effects import family_effects

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


CODES = np.array([0, 0, 0, 1, 1, 2, 2, 3, 4])
"""The families of nine models; the last two are alone, and the seventh answers but does not judge."""


def recused(seed=1, instances=9, missing=0.25):
    rng = np.random.default_rng(seed)
    scores = rng.random((9, 9, instances)) + 0.3 * (CODES[:, None] == CODES)[..., None]
    scores[rng.random(scores.shape) < missing] = np.nan
    scores[6] = np.nan
    return scores


def as_dict(scores):
    return {
        (f"m{j}", int(x), f"m{g}"): scores[j, g, x]
        for j, g, x in zip(*np.nonzero(~np.isnan(scores)), strict=True)
    }


@pytest.mark.parametrize(("seed", "instances"), [(0, 9), (1, 9), (2, 4), (3, 3)])
def test_effects_are_those_of_a_regression_with_a_dummy_for_everything(seed, instances):
    scores = recused(seed, instances)
    expected = effects_of_families(as_dict(scores), {f"m{n}": str(code) for n, code in enumerate(CODES)})

    effects = family_effects(scores, CODES, CODES, np.eye(9, dtype=bool), 3)

    assert list(expected) == ["0", "1", "2"]
    for place, effect in enumerate(expected.values()):
        assert effects.estimates.value[place] == pytest.approx(effect.value)
        assert effects.estimates.se[place] == pytest.approx(effect.se, nan_ok=True)
        assert effects.estimates.freedom[place] == min(effect.judges, effect.instances) - 1
        numbers = effects.cells[place], effects.judges[place], effects.instances[place]
        assert numbers == (effect.cells, effect.judges, effect.instances)
    assert effects.n == (~np.isnan(scores) & ~np.eye(9, dtype=bool)[..., None]).sum()
    assert effects.judges[2] == 1
    assert not effects.estimates.defined[2]  # one judge


def test_with_fewer_instances_than_judges_freedom_is_that_of_the_instances():
    effects = family_effects(recused(instances=2, missing=0), CODES, CODES, np.eye(9, dtype=bool), 1)

    assert (effects.judges, effects.instances, effects.estimates.freedom) == (3, 2, 1)


def test_an_exact_fit_has_the_effect_and_no_error():
    level, quality = np.array([0.3, 0.1, 0.4, 0.2]), np.random.default_rng(0).random((4, 5))
    codes = np.array([0, 0, 1, 2])
    scores = level[:, None, None] + quality + 0.25 * (codes[:, None] == codes)[..., None]

    effects = family_effects(scores, codes, codes, np.eye(4, dtype=bool), 2)

    assert effects.estimates.value[0] == pytest.approx(0.25)
    assert np.isnan(effects.estimates.se[0])
    assert np.isnan(effects.estimates.value[1])  # nobody else of the second family is there
    assert effects.cells.tolist() == [10, 0]


def test_an_effect_that_judges_and_responses_explain_is_undefined():
    # Each family's judges score nothing but their family's responses.
    codes, scores = np.array([0, 0, 1, 1]), np.random.default_rng(0).random((4, 4, 6))
    scores[codes[:, None] != codes] = np.nan

    effects = family_effects(scores, codes, codes, np.eye(4, dtype=bool), 2)

    assert np.isnan(effects.estimates.value).all()
    assert effects.cells.tolist() == [12, 12]


def test_without_scores_there_is_no_effect():
    effects = family_effects(np.full((3, 3, 2), np.nan), CODES[:3], CODES[:3], np.eye(3, dtype=bool), 1)

    assert np.isnan(effects.estimates.value).all()
    assert (effects.n, effects.cells.tolist()) == (0, [0])


def test_two_families_that_make_up_the_whole_study_cannot_be_separated():
    # What the first adds to its own is what the second adds, once judges and responses have their effects.
    codes, scores = np.array([0, 0, 1, 1, 1]), np.random.default_rng(0).random((5, 5, 6))

    effects = family_effects(scores, codes, codes, np.eye(5, dtype=bool), 2)

    assert np.isnan(effects.estimates.value).all()
    assert effects.cells.tolist() == [12, 36]
