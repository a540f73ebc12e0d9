"""`spb power` prints the result of the power calculation."""

import json

import numpy as np
import pytest
from plain.published import ROOT

from engine.explore.planned_cost import assumptions_from, votes_from
from engine.stats.conclusions.power import TARGETS, Assumptions, instances_needed, power_at
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
    assert "The judges together: no number of questions has power 0.8" in process.stdout
    assert process.stdout.index("no number") < process.stdout.index("No number of questions detects")


def test_odds_without_tastes_are_about_overrating_and_say_what_more_takes(spb_here):
    small = spb_here("plan", "power", "--measure", "odds_self", "--effect", "1.3").stdout
    large = spb_here("plan", "power", "--measure", "odds_self", "--effect", "4", "--instances", "80").stdout
    assumed = spb_here("plan", "power", "--measure", "odds_self", "--effect", "4", "--tastes", "0.34").stdout

    # tastes of .34 with 3 families: (1 + 1/2) .34 = .51 is the least error, and ln 1.3 / .51 = .514 of it;
    # power adjusted for 6 judges, p below .05 / 6: Phi(.514 - 2.638) + Phi(-.514 - 2.638) = .017 + .001
    first = " ".join(small.split())
    assert first.startswith(
        "That a judge favours itself must be more than judges' tastes explain: to say so with those"
    )
    assert "no number of questions is enough to say which of 6 judges it is (power 0.02 at most)" in first
    assert first.index("no number of questions") < first.index("To detect odds of 1.3")
    assert "with 3 families they leave an error of 0.51 in a judge's log-odds" in first
    assert "with those of the published study (0.34), the power is 0." in " ".join(large.split())
    assert "average out" not in large
    # Each sentence, and the table, names what is detected.
    assert "so that a judge is said to overrate its own answers, in 80% of studies" in first
    assert "Overrates its own" in first
    assert "overrate" not in assumed.lower()
    assert "so that a judge is said to favour itself" in " ".join(assumed.split())
    assert "Favours itself" in assumed


def test_an_excess_says_that_it_assumes_no_tastes(spb_here):
    process = spb_here("plan", "power", "--excess", "10")
    rows = json.loads(spb_here("plan", "power", "--excess", "10", "--format", "json").stdout)["rows"]
    of = {row["target"]: row["instances"] for row in rows}

    words = " ".join(process.stdout.split())
    assert words.startswith(
        "That a judge favours itself must be more than judges' tastes explain, which are not counted here "
        "(--tastes)."
    )
    assert (
        "To detect 10 of 100 cases (vote_outside), so that a judge is said to overrate its own answers, in "
        f"80% of studies takes {of['adjusted']} questions to say which of 6 judges it is (as spb judges "
        f"does) and {of['judge']} for one judge named beforehand. Assumed: 6 judges of 3 families"
    ) in words
    titles = ("a judge, adjusted for testing all of them", "the judges together", "a judge by itself")
    assert sorted(titles, key=words.index) == list(titles)
    assert list(of) == ["judge", "adjusted", "group"]  # JSON stays as it is
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
    of_cases = spb_here("plan", "power", "demo-health", "--effect", "10", *place).stderr
    of_pairs = spb_here("plan", "power", "demo-pairs", "--effect", "1.3", *place)
    quiet = spb_here("plan", "power", "demo-health", "--effect", "1.3", *place, "-q").stderr

    of_odds_alone = (
        "rest on odds_self, not on hspp; to plan them, in cases of 100: spb plan power demo-health"
    )
    assert f"{of_odds_alone} --store" in of_ratio  # without the ratio, which is no odds
    assert "in cases of 100: spb plan power demo-health --excess 10 --store" in of_cases
    assert "rest on" not in of_odds
    assert "--overestimation are typical, not the study's." in " ".join(of_pairs.stdout.split())
    assert "in cases of 100: spb plan power demo-pairs --excess 10" in of_pairs.stderr
    assert quiet == ""


def test_an_excess_is_planned_for_the_number_on_which_a_study_concludes(spb_here):
    place = ("--store", str(ROOT / "results"), "--format", "json")
    process = spb_here("plan", "power", "demo-health", "--excess", "10", *place)
    together = Study(Store(ROOT / "results").open("demo-health")).result("scorecard").rows[0]

    output, expected = json.loads(process.stdout), together["own_expected"]
    given = expected + 0.1
    assert output["excess"] == 10
    assert output["assumed"]["measure"] == "odds_self"
    assert output["assumed"]["rate"] == pytest.approx(expected)
    odds = given / (1 - given) / (expected / (1 - expected))
    assert output["assumed"]["effect"] == pytest.approx(odds)
    table = " ".join(spb_here("plan", "power", "demo-health", "--excess", "10", *place[:2]).stdout.split())
    assert f"10 of 100 more than {100 * expected:.0f} expected (odds of {odds:.2f}, odds_self)" in table
    assert "rest on" not in process.stderr
    pairs = json.loads(spb_here("plan", "power", "demo-pairs", "--excess", "10", *place).stdout)["assumed"]
    assert (pairs["measure"], pairs["effect"]) == ("vote_outside", 0.1)


def test_an_excess_of_odds_needs_no_study_and_cannot_pass_more_than_all(spb_here):
    words = ("plan", "power", "--measure", "odds_self", "--excess")
    some, all_pass = spb_here(*words, "10", "--rate", "0.5"), spb_here(*words, "60", "--rate", "0.5")

    assert "10 of 100 more than 50 expected (odds of 1.50, odds_self)" in some.stdout  # .6 / .4
    assert all_pass.returncode == 2
    assert "50 of 100 are expected to pass (--rate), so that fewer than 50 more can" in all_pass.stderr


@pytest.fixture
def scores(spb_here, tmp_path):
    """Return the words that name a study of scores by four judges of four families, all of which answer."""
    rng = np.random.default_rng(5)
    lines = ["judge,generator,question,score"]
    models = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro", "mistral-large")
    for question in range(60):
        for generator in models:
            quality = rng.normal(60, 10)
            noise = rng.normal(0, 6, len(models))
            lines += [
                f"{judge},{generator},q{question},{quality + each:.1f}"
                for judge, each in zip(models, noise, strict=True)
            ]
    (tmp_path / "scores.csv").write_text("\n".join(lines), "utf-8")
    words = ("--store", str(tmp_path / "store"))
    imported = spb_here("import", tmp_path / "scores.csv", "--study", "scores", "--set", "scale=100", *words)
    assert imported.returncode == 0, imported.stderr
    return ("scores", *words)


def test_a_study_of_scores_is_planned_in_points_with_its_own_judges_and_spread(spb_here, scores):
    table = spb_here("plan", "power", *scores)
    votes = spb_here("plan", "power", *scores, "--measure", "vote_outside", "--excess", "10")
    study = Study(Store(scores[2]).open("scores"))
    rows = [row for row in study.result("scorecard").rows if row["judge"]]

    assert "4 judges of 4 families" in table.stdout
    assert "bonus_outside" in table.stdout
    assert "two judges that answer too" not in table.stdout + table.stderr
    words = " ".join(votes.stdout.split())
    assert "scores has no verdicts on criteria or pairs: --rate and --cases are typical" in words
    assert "4 judges of 4 families" in words
    # What the study of 60 questions says would have been shown takes 60 questions, on average over judges.
    size = float(np.sqrt(np.mean([row["detectable"] ** 2 for row in rows])))
    planned = spb_here(
        "plan", "power", *scores, "--measure", "bonus_outside", "--effect", str(size), "--format", "json"
    )
    assert abs(json.loads(planned.stdout)["rows"][0]["instances"] - 60) <= 1
    # Noise of 6 points in each score: two-way noise alone, so the spread is about that.
    assert json.loads(planned.stdout)["assumed"]["spread"] == pytest.approx(6, rel=0.15)
