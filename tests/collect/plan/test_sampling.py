"""Which instances take part."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.collect.configuration.config import Sample
from engine.collect.plan.shown_orders import sample_instances
from engine.errors import UsageError

IDS = [f"i{number}" for number in range(100)]
STRATA = {name: ("rare" if number < 10 else "common") for number, name in enumerate(IDS)}


def test_without_a_sample_all_take_part():
    assert sample_instances(IDS, {}, None, 0) == IDS


def test_with_one_seed_a_larger_sample_contains_the_smaller_one():
    small, large = (sample_instances(IDS, {}, Sample(n=n), 1) for n in (10, 40))

    assert len(small) == 10
    assert set(small) < set(large)
    assert large == [name for name in IDS if name in set(large)]


def test_another_seed_draws_other_instances():
    assert sample_instances(IDS, {}, Sample(n=10), 1) != sample_instances(IDS, {}, Sample(n=10), 2)


def test_strata_are_sampled_in_proportion():
    names_drawn = sample_instances(IDS, STRATA, Sample(n=20, stratify="category"), 0)

    assert sum(STRATA[name] == "rare" for name in names_drawn) == 2


def test_a_small_stratum_gives_at_least_the_minimum():
    names_drawn = sample_instances(IDS, STRATA, Sample(n=20, stratify="category", min_per_stratum=7), 0)

    assert (len(names_drawn), sum(STRATA[name] == "rare" for name in names_drawn)) == (20, 7)


@given(
    st.lists(st.sampled_from(["x", "y", "z", None]), min_size=1, max_size=40),
    st.integers(1, 40),
    st.integers(0, 3),
)
def test_a_sample_has_the_requested_size_and_the_minimum_of_each_stratum(strata, n, least):
    names = [f"i{number}" for number in range(len(strata))]
    of = dict(zip(names, strata, strict=True))
    sample = Sample(n=min(n, len(names)), stratify="category", min_per_stratum=least)
    floors = {name: min(least, strata.count(name)) for name in set(strata)}

    if sum(floors.values()) > sample.n:
        with pytest.raises(UsageError):
            sample_instances(names, of, sample, 0)
        return
    names_drawn = sample_instances(names, of, sample, 0)

    assert len(names_drawn) == sample.n
    assert all(sum(of[name] == value for name in names_drawn) >= floor for value, floor in floors.items())


def test_a_sample_larger_than_the_study_is_refused():
    with pytest.raises(UsageError, match=r"sample\.n is 101, and there are 100"):
        sample_instances(IDS, {}, Sample(n=101), 0)
