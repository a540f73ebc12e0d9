"""Simulated studies of pairs of any size: draws follow the planted effects."""

import dataclasses

import numpy as np
import pytest
from simulation.judgment_rows import rows_of

from engine.errors import UsageError
from engine.schema import DIMENSIONS
from engine.simulation.pair_choices import draw_answers
from engine.simulation.pair_design import Contestant, PairDesign, default_contestants
from engine.simulation.pairs import simulate_pairs

NAMES = ["a-1", "a-2", "b-1", "c-1", "d-1"]


def study(questions=40, **settings):
    return simulate_pairs(PairDesign(default_contestants(NAMES), **settings), questions=questions)


def test_only_the_same_seed_draws_the_same_study():
    first, again, other = (study(seed=seed).judgments().read_all() for seed in (1, 1, 2))

    assert first.equals(again)
    assert not first.equals(other)


def test_every_pair_with_a_forced_letter_is_judged_in_both_orders():
    rows = rows_of(study(), judge="b-1", variant="forced")

    keys = {(row["instance_id"], row["generator"], row["opponent"], row["first"]) for row in rows}
    assert len(rows) == len(keys) == 40 * 10 * 2
    assert all(
        row["p_tie"] is None and (row["p_generator"] > 0.5) == (row["choice"] == "generator") for row in rows
    )


def test_if_a_tie_is_offered_the_likeliest_of_three_is_the_choice():
    rows = rows_of(study(), judge="b-1", variant="forced_tie")

    for row in rows:
        shares = {
            "generator": row["p_generator"] * (1 - row["p_tie"]),
            "opponent": (1 - row["p_generator"]) * (1 - row["p_tie"]),
            "tie": row["p_tie"],
        }
        assert shares[row["choice"]] == pytest.approx(max(shares.values()), abs=1e-9)
    assert {row["choice"] for row in rows} == {"generator", "opponent", "tie"}


def test_structured_answers_cover_five_dimensions_at_the_cost_of_one_call():
    rows = rows_of(study(), judge="b-1", variant="structured")

    calls = {}
    for row in rows:
        calls.setdefault(row["call_id"], []).append(row)
    assert all([row["rubric_id"] for row in call] == list(DIMENSIONS) for call in calls.values())
    assert all(
        [row["cost_usd"] is not None for row in call] == [True] + 4 * [False] for call in calls.values()
    )


def test_only_ok_answers_have_a_choice():
    rows = rows_of(study(unparsed=0.05, refused=0.05), paradigm="pairwise")

    statuses = {
        status: [row for row in rows if row["status"] == status] for status in ("ok", "unparsed", "refused")
    }
    assert all(row["choice"] is not None and row["raw"] is None for row in statuses["ok"])
    for status in ("unparsed", "refused"):
        assert all(
            row["choice"] is None and row["p_generator"] is None and row["raw"] for row in statuses[status]
        )
        assert len(statuses[status]) / len(rows) == pytest.approx(0.05, abs=0.01)


def test_pairs_are_drawn_by_the_rules_for_equal_null_and_contrast_pairs():
    simulation = study()
    quality = dict(zip(NAMES, simulation.responses.quality, strict=True))
    place = {name: number for number, name in enumerate(simulation.questions)}
    counts = {}

    for row in simulation.tables()["pairs"].to_pylist():
        q = {name: values[place[row["instance_id"]]] for name, values in quality.items()}
        gap = abs(q[row["generator"]] - q[row["opponent"]])
        own = row["judge"] in (row["generator"], row["opponent"])
        if row["purpose"] == "contrast":
            assert gap >= 2
            assert not own
            continue
        assert gap <= 0.25 + 1e-9
        assert own == (row["purpose"] == "equal")
        assert row["purpose"] == "null" or row["generator"] == row["judge"]
        if row["purpose"] == "null":
            key = row["judge"], row["instance_id"]
            counts[key] = counts.get(key, 0) + 1
            assert (
                max(abs(q[side] - q[row["judge"]]) for side in (row["generator"], row["opponent"]))
                <= 0.25 + 1e-9
            )
    assert max(counts.values()) <= 10


def test_firm_choices_occur_as_often_as_planted():
    models = (Contestant("a", "a", firm=0.2, spb=0.4), *(Contestant(name, name) for name in "bcd"))
    simulation = simulate_pairs(PairDesign(models), questions=3000)
    answers = draw_answers(simulation.case(0), "forced", np.random.default_rng(5))

    choice = answers.choice.reshape(3000, -1, 2)  # of a's own pairs the first response is its own
    firm = (choice == 1).all(axis=-1)[simulation.drawn_pairs[0].own].mean()

    # some 3,700 pairs: a standard error below 0.009
    assert firm == pytest.approx(0.6, abs=0.03)


def test_archetypes_are_assigned_in_turn_and_a_given_bias_to_the_named_judges():
    usual = simulate_pairs(PairDesign(default_contestants(NAMES)), questions=5).planted()["judges"]
    contestants = default_contestants(NAMES, biased=["b-1"], spb=0.15, beyond=0.05)

    assert [usual[name]["archetype"] for name in NAMES] == [
        "Objective",
        "Machiavellian",
        "Blindly Biased",
        "Incompetent Randomizer",
        "Objective",
    ]
    assert [(model.spb, model.beyond) for model in contestants if model.name == "b-1"] == [(0.15, 0.05)]
    assert all((model.spb, model.beyond) == (0.0, 0.0) for model in contestants if model.name != "b-1")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"firm": 0.6}, "firm 0.6 of 'a'"),
        ({"firm": 0.2, "spb": -0.3}, "spb -0.3 of 'a' leaves no share"),
        ({"firm": 0.1, "family_spb": 0.2}, "family_spb 0.2 of 'a' is beyond firm"),
        ({"losing": 0.5, "beyond": 0.3}, "beyond 0.3 of 'a' leaves no share, as it votes for 0.5"),
        ({"losing": 0.1, "beyond": -0.1}, "beyond -0.1 of 'a' leaves no share, as it votes for 0.1"),
        ({"sight": 1.2}, "sight 1.2 of 'a' is not a share"),
    ],
)
def test_impossible_judge_settings_are_refused(change, message):
    with pytest.raises(UsageError, match=message):
        dataclasses.replace(Contestant("a", "a"), **change)


def test_a_study_without_a_third_party_or_a_question_is_refused():
    with pytest.raises(UsageError, match="2 models are too few"):
        PairDesign(default_contestants(["a", "b"]))
    with pytest.raises(UsageError, match="questions 0"):
        study(questions=0)


def test_a_purpose_without_drawn_pairs_leaves_a_valid_table() -> None:
    design = PairDesign(default_contestants(["a-1", "a-2", "b", "c"]), seed=3)

    simulation = simulate_pairs(design, questions=1)
    pairs = simulation.tables()["pairs"]

    assert any(not case.null_question.size for case in simulation.drawn_pairs)
    assert {str(field.type) for field in pairs.schema} == {"string", "int64"}
