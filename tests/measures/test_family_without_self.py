"""How judges treat their families where none judges itself (section 20)."""

import itertools
import random

import pytest
from plain.builders import compare, judge_rubrics, one, refer, study_of
from plain.family_without_self import bonus_outside_family, effects_of_families, vote_outside_family
from plain.opinions import Vote
from scipy import stats

from engine.words.conclusions import conclusion_sentence

FAMILIES = "A1:A A2:A A3:A B1:B B2:B B3:B C1:C D1:D"
FAMILY = {pair.split(":")[0]: pair.split(":")[1] for pair in FAMILIES.split()}
RELATIONS = {
    (one, two): "self" if one == two else "family" if FAMILY[one] == FAMILY[two] else "other"
    for one in FAMILY
    for two in FAMILY
}


def score(study, judge, generator, instance, value):
    study.add(
        "judgments",
        judge=judge,
        paradigm="direct_assessment",
        instance_id=instance,
        generator=generator,
        score=value,
    )


def recused(instances=12, seed=2, effect=0.2):
    """Return a study without self-judgments in which family A adds `effect`, and its scores."""
    draw = random.Random(seed)
    study, scores = study_of(FAMILIES, instances=instances), {}
    for n, judge, generator in itertools.product(range(instances), FAMILY, FAMILY):
        if judge != generator and draw.random() < 0.85:
            value = 0.2 + 0.4 * draw.random() + effect * (FAMILY[judge] == FAMILY[generator] == "A")
            scores[judge, f"x{n}", generator] = value
            score(study, judge, generator, f"x{n}", value)
    return study, scores


def test_an_added_tenth_is_the_effect_and_an_exact_fit_has_no_interval(load):
    study = study_of("A1:A A2:A B1:B C1:C", instances=3)
    levels = {"A1": 0.3, "A2": 0.4, "B1": 0.5, "C1": 0.2}  # of judges and, halved, of responses
    for n, judge, generator in itertools.product(range(3), levels, levels):
        if judge != generator:
            near = {judge, generator} == {"A1", "A2"}
            score(study, judge, generator, f"x{n}", levels[judge] + levels[generator] / 2 + 0.1 * near)

    rows = load(study).result("outside", resamples=0).rows

    row = one(rows, judge=None)
    assert (row["family"], row["n_family"], row["n_outside"]) == ("A", 6, 2)
    assert row["effect_family"] == pytest.approx(10)
    assert (row["low"], row["p"]) == (None, None)


def test_effects_of_families_equal_a_regression_with_a_dummy_for_everything(load):
    study, scores = recused()
    expected = effects_of_families(scores, FAMILY)

    rows = load(study).result("outside", resamples=20).rows

    families = {row["family"]: row for row in rows if row["judge"] is None}
    assert list(families) == list(expected) == ["A", "B"]
    for name, row in families.items():
        effect = expected[name]
        assert row["effect_family"] == pytest.approx(100 * effect.value, rel=1e-8)
        assert (row["n_family"], row["n_outside"]) == (effect.cells, effect.judges)
        reach = stats.t.ppf(0.975, min(effect.judges, effect.instances) - 1) * 100 * effect.se
        assert row["high"] - row["effect_family"] == pytest.approx(reach, rel=1e-8)
        t = effect.value / effect.se
        assert row["p"] == pytest.approx(2 * stats.t.sf(abs(t), effect.judges - 1), rel=1e-8)
    assert families["A"]["p"] < 0.05 < families["B"]["p"]


def test_judges_without_own_responses_have_points_on_their_families(load):
    study, scores = recused()

    rows = load(study).result("outside", resamples=20, min_instances=1).rows

    judges = [row for row in rows if row["judge"] is not None]
    assert [row["judge"] for row in judges] == ["A1", "A2", "A3", "B1", "B2", "B3"]
    for row in judges:
        expected = bonus_outside_family(scores, RELATIONS, row["judge"])
        low, high = expected.interval()
        assert row["bonus_outside"] is None
        assert row["bonus_outside_family"] == pytest.approx(expected.value, rel=1e-8)
        assert row["bonus_outside_family_low"] == pytest.approx(low, rel=1e-8)
        assert row["bonus_outside_family_high"] == pytest.approx(high, rel=1e-8)
        assert row["bonus_outside_family_p"] == pytest.approx(expected.p(), rel=1e-8)


def test_the_scorecard_concludes_on_families_of_judges_that_recuse_themselves(load):
    study, scores = recused(instances=40)

    result = load(study).result("scorecard", resamples=0)

    rows = {row["judge"]: row for row in result.rows}
    assert list(rows) == [None, "A1", "A2", "A3", "B1", "B2", "B3"]
    for judge in ("A1", "A2", "A3"):
        row, expected = rows[judge], bonus_outside_family(scores, RELATIONS, judge)
        assert row["conclusion"] is None
        assert row["reasons"]["conclusion"] == "no_own_cells"
        assert row["family_conclusion"] in ("favours_family", "overrates_family")
        assert row["excess_family"] == pytest.approx(expected.value / 100, rel=1e-8)
        assert row["family_given"] - row["family_expected"] == pytest.approx(row["excess_family"])
    assert {rows[judge]["family_conclusion"] for judge in ("B1", "B2", "B3")} <= {
        *("not_shown", "no_material_preference", "too_few_cases")
    }
    assert rows[None]["families_with_relatives"] == 2
    assert rows[None]["family_conclusion"] == "too_few_families"


def test_votes_for_relatives_are_held_against_outside_judges(load):
    draw = random.Random(4)
    study, votes = study_of(FAMILIES, instances=8), []
    for n, judge in itertools.product(range(8), FAMILY):
        for one_, two in itertools.combinations(FAMILY, 2):
            if judge in (one_, two) or draw.random() < 0.3:
                continue
            choice = draw.choice(["generator", "opponent", "tie"])
            compare(study, judge, one_, two, None, choice, f"x{n}")
            value = {"generator": 1.0, "tie": 0.5, "opponent": 0.0}[choice]
            votes += [Vote(judge, f"x{n}", one_, two, value), Vote(judge, f"x{n}", two, one_, 1 - value)]

    rows = load(study).result("outside", resamples=20, min_instances=1).rows

    assert [row["judge"] for row in rows] == ["A1", "A2", "A3", "B1", "B2", "B3"]
    for row in rows:
        expected = vote_outside_family(votes, RELATIONS, row["judge"])
        assert row["vote_outside_family"] == pytest.approx(expected.value, rel=1e-8)
        assert row["vote_outside_family_p"] == pytest.approx(expected.p(), rel=1e-8)
        assert row["vote_outside"] is None


def test_odds_of_relatives_exist_without_own_cells(load):
    draw = random.Random(6)
    study = study_of(FAMILIES, instances=30)
    for n, judge, generator in itertools.product(range(30), FAMILY, FAMILY):
        if judge != generator:
            near = FAMILY[judge] == FAMILY[generator] == "A"
            judge_rubrics(study, judge, generator, "1" if draw.random() < 0.4 + 0.35 * near else "0", f"x{n}")

    rows = load(study).result("outside", resamples=20).rows

    assert [row["judge"] for row in rows] == ["A1", "A2", "A3", "B1", "B2", "B3"]
    row = one(rows, judge="A1")
    assert (row["odds_self"], row["reasons"]["odds_self"]) == (None, "no_own_cells")
    assert row["odds_family_low"] > 1
    assert one(rows, judge="B1")["odds_family_low"] < 1.2


def test_own_answers_without_a_reference_are_said_to_lack_that_and_no_verdict(load):
    study = study_of("A:A Z:A B:B C:C D:D", instances=20)
    draw = random.Random(3)
    for n, judge, generator in itertools.product(range(20), "AZBCD", "AZBCD"):
        judge_rubrics(study, judge, generator, "01"[draw.random() < 0.5], f"x{n}")
        if judge == "A" and generator != "A":
            refer(study, generator, "0", f"x{n}")

    rows = load(study).result("scorecard", resamples=20).rows

    row = one(rows, judge="A")
    assert (row["conclusion"], row["reason"]) == (None, "no_reference_of_own")
    assert row["reasons"]["own_given"] == "no_reference_of_own"
    assert conclusion_sentence(row) == "A judged answers of its own, for which there is no reference."
    assert one(rows, judge="B")["n_own"] == 20
