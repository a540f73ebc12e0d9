"""`spb power` prints the result of the power calculation."""

import json

import pytest
from plain.published import ROOT

from engine.explore.planned_cost import assumptions_from, votes_from
from engine.stats.power import TARGETS, Assumptions, instances_needed, power_at
from engine.store import Store
from engine.study import Study


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
    assert "a ratio of 1.5" in process.stdout
    assert "Assumed: 6 judges and 6 models of 3 families" in process.stdout


def test_the_power_of_a_given_study_is_printed_with_its_simulation(spb_here):
    process = spb_here(
        "power", "--effect", "1.5", "--instances", "60", "--simulate", "20", "--format", "json", "--seed", "3"
    )

    row = json.loads(process.stdout)["rows"][0]
    assert row["instances"] == 60
    assert row["power"] == power_at(Assumptions(1.5), 60)
    assert 0 < row["simulated_power"] < 1


def test_an_impossible_effect_is_refused_without_a_traceback(spb_here):
    process = spb_here("power", "--effect", "1")

    assert process.returncode == 2
    assert "effect 1.0" in process.stderr
    assert "Traceback" not in process.stderr


def test_other_measures_have_their_own_numbers_of_instances(spb_here):
    process = spb_here(
        "power", "--measure", "spb", "--effect", "0.2", "--cases", "1", "--families", "4", "--format", "json"
    )

    output = json.loads(process.stdout)
    # .5 against .3 with one pair an instance: (.25 + .21) (1.95996 + .84162)^2 / .2^2 = 90.3.
    assert [row["target"] for row in output["rows"]] == ["judge", "adjusted", "group"]
    assert output["rows"][0]["instances"] == 91
    assert output["assumed"]["measure"] == "spb"


def test_an_unknown_measure_or_a_flag_of_another_is_refused(spb_here):
    unknown = spb_here("power", "--measure", "pir", "--effect", "1")
    simulated = spb_here("power", "--measure", "dbg", "--effect", "0.1", "--simulate", "5")

    assert (unknown.returncode, simulated.returncode) == (2, 2)
    assert "unknown measure 'pir'; choose from: hspp, spb" in unknown.stderr
    assert "--simulate is not used for dbg" in simulated.stderr


def test_tastes_that_no_study_outweighs_are_named(spb_here):
    process = spb_here(
        "power",
        "--measure",
        "odds_self",
        "--effect",
        "1.5",
        "--judges",
        "4",
        "--families",
        "4",
        "--tastes",
        "0.5",
    )

    assert "none" in process.stdout
    assert "the judges together: no number of questions has power 0.8" in process.stderr


def test_odds_without_tastes_are_about_overrating_and_say_what_more_takes(spb_here):
    small = spb_here("plan", "power", "--measure", "odds_self", "--effect", "1.3").stdout
    large = spb_here("plan", "power", "--measure", "odds_self", "--effect", "4", "--instances", "80").stdout
    assumed = spb_here("plan", "power", "--measure", "odds_self", "--effect", "4", "--tastes", "0.34").stdout

    # tastes of .34 with 3 families: (1 + 1/2) .34 = .51 is the least error, and ln 1.3 / .51 = .514 of it;
    # power Phi(.514 - 1.96) + Phi(-.514 - 1.96) = .074 + .007
    assert "no number of questions has power 0.8: tastes of 0.34 leave 0.08 at most" in " ".join(
        small.split()
    )
    assert "with those of the published study (0.34), the power is 0." in " ".join(large.split())
    assert "overrates" not in assumed


def test_an_excess_says_that_it_assumes_no_tastes(spb_here):
    process = spb_here("plan", "power", "--excess", "10")
    rows = json.loads(spb_here("plan", "power", "--excess", "10", "--format", "json").stdout)["rows"]
    of = {row["target"]: row["instances"] for row in rows}

    words = " ".join(process.stdout.split())
    assert words.startswith(
        f"To detect 10 of 100 cases (vote_outside) in 80% of studies takes {of['judge']} questions for one "
        f"judge named beforehand and {of['adjusted']} to say which of 6 judges it is. Assumed: 6 judges of 3 "
        "families"
    )
    assert "no tastes of judges, with which it takes more questions, or none are enough (--tastes)" in words


TOO_FEW = "3 families are too few for a conclusion on the judges as a group; four are needed"


@pytest.mark.parametrize(("families", "are_few"), [("3", True), ("4", False)])
@pytest.mark.parametrize("words", [(), ("--excess", "10"), ("--effect", "1.5")])
def test_fewer_than_four_families_have_no_number_for_the_judges_together_and_the_reason(
    spb_here, words, families, are_few
):
    command = ("plan", "power", *words, "--families", families, "-q")

    rows = json.loads(spb_here(*command, "--format", "json").stdout)["rows"]
    table = " ".join(spb_here(*command).stdout.split())

    together = [row for row in rows if row["target"] in ("group", "mean")]
    assert together
    for row in together:
        of_ratio = row["target"] == "mean"  # a number that any judges have
        assert (row["instances"] is None, row["power"] is None) == (are_few and not of_ratio,) * 2
        assert (TOO_FEW in row.get("note" if of_ratio else "reason", "")) == are_few
    assert (f"{TOO_FEW}." in table) == are_few


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--excess", "10", "--rubrics-per-instance", "5", "--failure-rate", "0.2"),
            "--failure-rate and --rubrics-per-instance are not used for vote_outside, which is computed from",
        ),
        (("--effect", "1.5", "--rate", "0.2"), "--rate is not used for hspp"),
        (("--excess", "10", "--spread", "20"), "--spread is not used for vote_outside"),
        (("--effect", "1.5", "--seed", "2"), "--seed is that of a simulation"),
        (("--effect", "1.5", "--power", "0.9", "--instances", "50"), "--power is not used"),
    ],
)
def test_an_option_that_is_not_used_is_refused_by_name(spb_here, words, message):
    process = spb_here("plan", "power", *words)

    assert (process.returncode, process.stdout) == (2, "")
    assert message in process.stderr


def test_the_power_of_many_questions_is_a_number(spb_here):
    process = spb_here("plan", "power", "--excess", "10", "--instances", "120", "--families", "4")

    assert "nan" not in process.stdout
    assert "1.00" in process.stdout


def test_without_an_effect_there_is_a_row_for_each_of_a_few_excesses(spb_here):
    one = json.loads(spb_here("plan", "power", "--excess", "10", "--format", "json").stdout)["rows"]
    process = spb_here("plan", "power", "--format", "json")
    ratio = spb_here("plan", "power", "--measure", "hspp")

    rows = json.loads(process.stdout)["rows"]
    assert [row["effect"] for row in rows] == [0.05] * 3 + [0.1] * 3 + [0.2] * 3
    assert [row["instances"] for row in rows[3:6]] == [row["instances"] for row in one]
    assert "spb plan power STUDY" in process.stderr
    assert (ratio.returncode, "give one such as --effect 1.5" in ratio.stderr) == (2, True)


def test_what_is_not_given_is_taken_from_a_study(spb_here):
    store = ("--store", ROOT / "results", "--format", "json")
    ratio, votes = (
        json.loads(spb_here("plan", "power", "demo-health", *words, *store).stdout)["assumed"]
        for words in (("--effect", "1.5", "--n-judges", "8"), ("--excess", "10", "--rate", "0.2"))
    )

    study = Study(Store(ROOT / "results").open("demo-health"))
    assert ratio == {"effect": 1.5, "clustering": 0.1} | assumptions_from(study) | {"judges": 8}
    assert {name: votes[name] for name in ("judges", "families", "rate")} == {
        "judges": 9, "families": 4, "rate": 0.2
    }  # fmt: skip
    assert votes["cases"] == votes_from(study)["cases"]


def test_a_plan_of_a_study_says_by_which_number_that_is_concluded_on(spb_here):
    place = ("--store", str(ROOT / "results"))
    of_ratio = spb_here("plan", "power", "demo-health", "--effect", "1.3", *place).stderr
    of_odds = spb_here(
        "plan", "power", "demo-health", "--measure", "odds_self", "--effect", "1.3", *place
    ).stderr
    of_pairs = spb_here("plan", "power", "demo-pairs", "--effect", "1.3", *place).stderr

    assert "rest on odds_self, not on hspp; to plan them: spb plan power demo-health --measure" in of_ratio
    assert "rest on" not in of_odds
    assert "typical values are taken" in of_pairs
    assert "assumed as in" not in of_pairs
    assert "to plan them: spb plan power demo-pairs --excess 10" in of_pairs
