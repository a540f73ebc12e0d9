"""Marks of two answers in both orders, for every combination of winners."""

import numpy as np
import pytest

from engine.stats.orders.response_orders import order_effects

NAN = np.nan


@pytest.mark.parametrize(
    ("one", "two", "marks"),
    [
        (1, 1, {"firsts": 1, "decided": 1, "firm": 1}),
        (-1, -1, {"firsts": 1, "decided": 1, "firm": 1}),
        (1, -1, {"firsts": 2, "decided": 1, "flips": 1, "to_first": 1}),
        (-1, 1, {"decided": 1, "flips": 1}),
        (1, 0, {"firsts": 1, "ties": 1}),
        (0, -1, {"firsts": 1, "ties": 1}),
        (-1, 0, {"ties": 1}),
        (0, 1, {"ties": 1}),
        (0, 0, {"ties": 2}),
    ],
)
def test_each_pair_of_answers_has_its_marks(one, two, marks):
    effects = order_effects(np.array([one]), np.array([two]), np.array([0.9]), np.array([0.2]))

    shift = effects.pop("shift").item()
    counts = {name: int(part.item()) for name, part in effects.items() if part.any()}
    assert counts == {"pairs": 1, "answers": 2, "shifted": 1, **marks}
    assert shift == pytest.approx(0.7)


def test_without_both_probabilities_there_is_no_shift():
    nothing = np.zeros(3)

    effects = order_effects(nothing, nothing, np.array([0.2, NAN, 0.9]), np.array([0.5, 0.3, NAN]))

    np.testing.assert_allclose(effects["shift"], [0.3, 0, 0])
    assert effects["shifted"].tolist() == [1, 0, 0]
    assert {part.dtype for part in effects.values()} == {np.dtype(np.float64)}
