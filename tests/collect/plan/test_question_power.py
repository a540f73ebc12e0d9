"""What a run of so many models, families and questions can show, and what its calls cost."""

import pytest

from engine.collect.forecast.question_power import (
    CostRange,
    families_words,
    limits_words,
    power_words,
    questions_needed,
)
from engine.collect.plan.token_estimates import EstimateLine


def families(*names: str) -> dict[str, str]:
    return {f"m{number}": name for number, name in enumerate(names)}


def test_fewer_than_three_families_conclude_nothing_and_it_is_said_how_many_more_would() -> None:
    one, two = families_words(families("x", "x")), families_words(families("x", "y", "x"))

    assert one is not None
    assert two is not None
    assert one.startswith("all models are of one family, 'x': ")
    assert one.endswith("add models of two more families")
    assert two.startswith("the models are of two families, 'x' and 'y': ")
    assert two.endswith("add models of one more family")
    assert families_words(families("x", "y", "z")) is None


GROUP = "a conclusion on all together takes 4 families"
TASTES = (
    "a model can be shown to overrate its own answers; that it does so because they are its own takes "
    "5 models of 4 families"
)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("xy", None),  # nothing at all, which other words say
        ("xyz", f"{TASTES}; {GROUP}"),
        ("xyzxyz", f"{TASTES}; {GROUP}"),  # of three families
        ("wxyz", TASTES),  # four models
        ("wxyzz", None),
        ("vwxyz", None),
    ],
)
def test_the_conclusions_that_take_more_models_or_families_are_named(names: str, words: str | None) -> None:
    assert limits_words(families(*names)) == words


def test_what_is_needed_falls_with_more_models_and_is_unknown_for_two_families() -> None:
    three, six = questions_needed(families(*"xyz")), questions_needed(families(*"uvwxyz"))

    assert three is not None
    assert six is not None
    assert three > six > 1
    assert questions_needed(families(*"xy")) is None


def test_a_cost_is_multiplied_and_said_with_its_ends() -> None:
    cost = CostRange(0.5, 0.25, 2.0)

    assert cost.times(4) == CostRange(2.0, 1.0, 8.0)
    assert cost.words() == "about $0.50 ($0.25 to $2.00)"


def test_a_cost_is_known_if_all_its_ends_are() -> None:
    line = EstimateLine("m", "judge", None, None, cost_usd=2.0, cost_usd_low=1.0, cost_usd_high=3.0)

    assert CostRange.of(line) == CostRange(2.0, 1.0, 3.0)
    for name in ("cost_usd", "cost_usd_low", "cost_usd_high"):
        before = getattr(line, name)
        setattr(line, name, None)
        assert CostRange.of(line) is None
        setattr(line, name, before)


@pytest.mark.parametrize(
    ("cap", "words"),
    [
        (0.4, "the cap of $0.40 is below that, and would stop the run before its end"),
        (0.5, "the cap of $0.50 stops the run if the answers are so long that they cost more"),
        (1.9, "the cap of $1.90 stops the run if the answers are so long that they cost more"),
        (2.0, "the cap of $2.00 is above all of that"),
    ],
)
def test_a_cap_may_stop_a_run_before_its_end(cap: float, words: str) -> None:
    assert CostRange(0.5, 0.25, 2.0).within(cap) == words


@pytest.mark.parametrize(
    ("spent", "words"),
    [
        (1.0, "the cap of $3.00, of which $2.00 is left, is above all of that"),
        (
            2.6,
            "the cap of $3.00, of which $0.40 is left, is below that, and would stop the run before its end",
        ),
        (
            3.5,
            "the cap of $3.00, of which $0.00 is left, is below that, and would stop the run before its end",
        ),
    ],
)
def test_what_earlier_calls_cost_is_no_longer_left_of_a_cap(spent: float, words: str) -> None:
    assert CostRange(0.5, 0.25, 2.0).within(3.0, spent=spent) == words


def test_no_cap_covers_answers_of_any_length() -> None:
    cost = CostRange(0.5, 0.25, 2.0)

    assert cost.words_without_bound() == "about $0.50 (at least $0.25, without an upper bound)"
    assert cost.within(9.0, is_bounded=False).startswith(
        "the cap of $9.00 stops the run if the answers are so"
    )
    assert cost.within(0.4, is_bounded=False).startswith("the cap of $0.40 is below that")


def test_the_questions_that_are_needed_are_said_with_their_cost_if_there_are_fewer() -> None:
    of = families(*"uvwxyz")
    needed = questions_needed(of)
    assert needed is not None
    cost = CostRange(1.0, 0.5, 2.0)

    few, enough = power_words(of, needed // 2, cost), power_words(of, needed, cost)

    assert few is not None
    expected = f"about ${needed / (needed // 2):.2f}"
    assert f"with about {needed:,} questions, for {expected}; these are" in few
    assert few.startswith("an excess of 10 in 100 own cases is found, four times in five")
    assert enough == (
        f"an excess of 10 in 100 own cases is found, four times in five, with about {needed:,} questions; "
        f"these are {needed:,}"
    )
    assert power_words(of, 1, None) == power_words(of, 1, CostRange(0.0, 0.0, 0.0))
    assert power_words(families(*"xy"), 1, cost) is None
