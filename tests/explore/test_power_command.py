"""`spb power` prints the result of the power calculation."""

import json

from command_line import spb_apart

from engine.stats.power import TARGETS, Assumptions, instances_needed, power_at


def test_the_json_has_assumptions_a_row_for_each_question_and_curves(spb_here):
    process = spb_here("power", "--effect", "1.2", "--judges", "5", "--clustering", "0.2", "--format", "json")

    output = json.loads(process.stdout)
    assumed = Assumptions(1.2, judges=5, clustering=0.2)
    assert output["assumed"]["generators"] == 5
    assert output["power"] == 0.8
    assert [row["target"] for row in output["rows"]] == list(TARGETS)
    needed = [instances_needed(assumed, 0.8, target).instances for target in TARGETS]
    assert [row["instances"] for row in output["rows"]] == needed
    assert {target: curve[0]["instances"] for target, curve in output["curves"].items()} == dict.fromkeys(
        TARGETS, 10
    )


def test_the_table_has_the_instances_and_the_assumptions_beside_it(spb_here):
    process = spb_here("power", "--effect", "1.5")

    needed = instances_needed(Assumptions(1.5))
    assert f"{needed.instances:,}" in process.stdout
    assert f"{needed.verdicts:,}" in process.stdout
    assert "effect 1.5; judges 6; generators 6; families 3" in process.stderr


def test_the_power_of_a_given_study_is_printed_with_its_simulation(spb_here):
    process = spb_here(
        "power", "--effect", "1.5", "--instances", "60", "--simulate", "20", "--format", "json", "--seed", "3"
    )

    row = json.loads(process.stdout)["rows"][0]
    assert row["instances"] == 60
    assert row["power"] == power_at(Assumptions(1.5), 60)
    assert 0 < row["simulated_power"] < 1


def test_an_impossible_effect_is_refused_without_a_traceback():
    process = spb_apart("power", "--effect", "1")

    assert process.returncode == 2
    assert "effect 1.0" in process.stderr
    assert "Traceback" not in process.stderr
