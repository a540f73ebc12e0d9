import numpy as np
import pytest

from engine.errors import UsageError
from engine.simulation.design import BiasedRubrics
from engine.simulation.rubric_items import Items, draw_items


@pytest.fixture
def items():
    """Two instances: the first with two rubrics, the second with three."""
    return Items(
        instance_ids=["x", "y"],
        themes=["sea", "land"],
        instance=np.array([0, 0, 1, 1, 1], dtype=np.int32),
        rubric_ids=["r1", "r2", "r1", "r2", "r3"],
        points=np.array([5.0, -3.0, 1.0, -1.0, 0.0]),
        length=np.array([10, 20, 30, 40, 50]),
        axis=["accuracy", "tone", "tone", "tone", "accuracy"],
    )


@pytest.mark.parametrize(
    ("part", "rubrics"),
    [
        ("polarity=negative", [1, 3]),
        ("polarity=positive", [0, 2, 4]),  # no points count as positive
        ("length=20:40", [1, 2, 3]),
        ("length=extreme", [0, 4]),  # the outer tenths of 10..50 begin at 14 and 46
        ("theme=land", [2, 3, 4]),
        ("axis=tone", [1, 2, 3]),
    ],
)
def test_a_slice_selects_the_rubrics_it_names(items, part, rubrics):
    mask = items.slice_mask(BiasedRubrics.parse(part))

    assert np.flatnonzero(mask).tolist() == rubrics


def test_a_slice_without_a_rubric_is_refused(items):
    with pytest.raises(UsageError, match="no criterion is in the slice 'theme=air'"):
        items.slice_mask(BiasedRubrics.parse("theme=air"))


def test_positions_count_from_one_within_each_instance(items):
    assert items.place.tolist() == [1, 2, 1, 2, 3]


def test_values_are_averaged_within_instances(items):
    means = items.mean_over_instance(np.array([[1.0, 2.0, 3.0, 4.0, 8.0]]))

    # (1 + 2) / 2 and (3 + 4 + 8) / 3
    assert means.tolist() == [[1.5, 5.0]]


def test_an_instance_without_a_rubric_is_no_item():
    with pytest.raises(ValueError, match="every question must have one"):
        Items(["x", "y"], ["a", "b"], np.zeros(1, dtype=np.int32), ["r"], np.ones(1), np.ones(1, int), ["q"])


def test_fewer_than_one_instance_is_refused():
    with pytest.raises(UsageError, match="questions 0"):
        draw_items(0, 3, np.random.default_rng(0))


def test_drawn_items_have_both_polarities_and_ids_of_one_length():
    items = draw_items(100, 5, np.random.default_rng(0))

    assert 0.1 < items.negative.mean() < 0.3
    assert {len(name) for name in items.instance_ids} == {4}
    assert items.counts.tolist() == [5] * 100
