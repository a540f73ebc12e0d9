"""The measures find the planted effects, with intervals of the stated coverage."""

import pytest

import engine
from engine.simulation.design import Bias, Design, ModelTraits
from engine.simulation.rubrics import simulate
from engine.simulation.study_tables import write_simulated
from engine.store import Store


def first_judge(folder, bias, *, seed=0, paradigm="single_rubric", instances=150, resamples=1000):
    """Simulate six models of three families, the first of which judges, and measure it."""
    models = tuple(
        ModelTraits(f"f{index // 2}-{index % 2}", f"f{index // 2}", 0.6 + 0.04 * index, bias=bias)
        for index in range(6)
    )
    design = Design(models[:1], models, paradigms=(paradigm,), unparsed=0.01, seed=seed)
    study = simulate(design, instances=instances, rubrics_per_instance=6)
    write_simulated(Store(folder), f"seed-{seed}", study)
    study = engine.open_study(str(folder / f"seed-{seed}"))
    return study.measure("hspp", resamples=resamples, seed=0).iloc[0]


@pytest.mark.parametrize(("of_self", "of_family"), [(1.0, 1.0), (1.5, 1.3)])
def test_at_least_16_of_20_intervals_hold_the_planted_ratios(tmp_path, of_self, of_family):
    bias = Bias(self_ratio=of_self, family_ratio=of_family)
    rows = [first_judge(tmp_path, bias, seed=seed) for seed in range(20)]

    for name, planted in (("hspp_self", of_self), ("hspp_family", of_family)):
        covered = sum(row[f"{name}_low"] <= planted <= row[f"{name}_high"] for row in rows)
        # 15 or fewer of 20 95% intervals hold it with a chance below 3 in 1,000
        assert covered >= 16, name


def test_the_matched_ratio_distinguishes_hard_items_from_a_bias(tmp_path):
    hard = first_judge(tmp_path, Bias(hard_items=3.0), seed=1, instances=3000)
    biased = first_judge(tmp_path, Bias(self_ratio=1.5), seed=2, instances=3000)

    # some 7,000 own failures each
    assert hard["hspp_self"] > 1.2
    assert hard["hspp_matched"] == pytest.approx(1.0, abs=0.05)
    assert biased["hspp_self"] == pytest.approx(1.5, rel=0.08)
    assert biased["hspp_matched"] == pytest.approx(1.5, rel=0.08)


def test_the_ratio_planted_in_pairs_is_measured_at_instance_level(tmp_path):
    row = first_judge(tmp_path, Bias(self_ratio=1.5), paradigm="pairwise", instances=3000, resamples=0)

    # some 7,000 lost comparisons
    assert row["hspp_self"] == pytest.approx(1.5, rel=0.08)
