"""The error that `spb power` assumes of odds is the one that a study of such judges has."""

import math
import random

import pytest
from plain.builders import judge_rubrics, study_of

from engine.stats.conclusions.power_of_differences import AssumedStudy


def test_odds_of_judges_that_differ_by_chance_have_the_assumed_error(load):
    draw, names = random.Random(1), [f"m{place}" for place in range(6)]
    study = study_of(" ".join(f"{name}:{name}" for name in names), instances=150)
    for n in range(150):
        for generator in names:
            for judge in names:
                judge_rubrics(study, judge, generator, str(int(draw.random() < 0.3)), f"x{n}")

    rows = load(study).result("outside", resamples=20, truth="any").rows

    # t with some 130 degrees of freedom; six errors, each uncertain by a tenth.
    errors = [math.log(row["odds_self_high"] / row["odds_self"]) / 1.978 for row in rows]
    assumed = math.sqrt(AssumedStudy("odds_self", 2.0, 6, 6, cases=1.0).variance / 150)
    assert sum(errors) / 6 == pytest.approx(assumed, rel=0.08)
