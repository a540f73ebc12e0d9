"""Studies drawn to count false claims are as described, and a few of each kind are concluded correctly."""

import numpy as np
import pyarrow.compute as pc
import pytest
from benchmarks.claims import analysts, missing_gate, report, run
from benchmarks.claims.judges import AUTHOR, Judges
from benchmarks.claims.kinds import NULLS, PLANTS
from benchmarks.claims.pairs import PairStudies
from benchmarks.claims.rubrics import RubricStudies
from benchmarks.claims.scores import ScoreStudies
from benchmarks.claims.trial import CLAIMS, Answers, Truth, conclude, side
from scipy.special import expit, logit

ALIKE = {"strictness": 0.0}
PLAIN = {"instances": 3000, "subtlety": 0.0, "mood": 0.0}


def credited(study, judge, generator):
    failed = study.failed[generator]
    return study.favourable[judge, generator][failed].mean()


def test_a_planted_judge_credits_its_own_failures_by_the_planted_log_odds():
    study = RubricStudies(Judges(planted=1.0, **ALIKE), **PLAIN).draw(np.random.default_rng(1))

    base = 1.15 * logit(0.3)
    assert credited(study, AUTHOR, AUTHOR) == pytest.approx(expit(base + 1.0), abs=0.03)
    assert credited(study, AUTHOR, 1) == pytest.approx(expit(base), abs=0.03)
    assert credited(study, 1, 1) == pytest.approx(expit(base), abs=0.03)


def test_all_judges_credit_convincing_responses_and_the_author_no_more_than_others():
    study = RubricStudies(Judges(appeal=2.0, **ALIKE), **PLAIN).draw(np.random.default_rng(2))

    of_author = [credited(study, judge, AUTHOR) for judge in range(12)]
    assert of_author == pytest.approx([expit(1.15 * logit(0.3) + 2.0)] * 12, abs=0.04)
    assert credited(study, AUTHOR, 1) == pytest.approx(expit(1.15 * logit(0.3)), abs=0.03)


def test_if_judges_are_alike_the_expected_ratio_is_that_of_the_shares():
    studies = RubricStudies(Judges(planted=1.5, **ALIKE), subtlety=0.0, mood=0.0)

    base = 1.15 * logit(0.3)
    ratio = studies.expected_ratio(np.random.default_rng(3))
    # judges credit others' failures alike, so the second quotient is 1
    assert ratio == pytest.approx(expit(base + 1.5) / expit(base), rel=1e-9)


def test_the_reference_of_a_committee_of_three_is_its_majority():
    study = RubricStudies(Judges(family_size=2), instances=20, committee=True).draw(np.random.default_rng(4))

    assert ((study.favourable[:3].sum(axis=0) < 2) == study.failed).all()
    assert study.committees["three"]["members"] == ["m00", "m01", "m02"]


def test_only_unfavourable_verdicts_on_own_failures_are_missing():
    study = RubricStudies(instances=50, missing=0.3).draw(np.random.default_rng(5))

    judge, generator, instance, rubric = np.nonzero(~study.answered)
    assert len(judge)
    assert (judge == generator).all()
    assert study.failed[generator, instance, rubric].all()
    assert not study.favourable[judge, generator, instance, rubric].any()


def test_without_self_preference_the_expected_votes_and_points_are_null():
    rng = np.random.default_rng(6)

    assert PairStudies(Judges(appeal=1.0)).expected_gap(rng) == pytest.approx(0, abs=1e-9)
    assert PairStudies(Judges(planted=1.0)).expected_gap(rng) > 0.1
    assert ScoreStudies(Judges(**ALIKE)).expected_bonus(rng) == pytest.approx(0, abs=0.5)


def test_every_judge_credits_its_own_failures_more_if_that_is_common_to_all():
    study = RubricStudies(Judges(common=1.0, **ALIKE), **PLAIN).draw(np.random.default_rng(7))

    base = 1.15 * logit(0.3)
    assert [credited(study, j, j) for j in range(12)] == pytest.approx([expit(base + 1.0)] * 12, abs=0.04)
    assert [credited(study, j, j - 1) for j in range(12)] == pytest.approx([expit(base)] * 12, abs=0.04)


def test_what_a_judge_adds_for_everybody_and_all_for_one_model_is_no_overrating():
    judges = Judges(models=4)
    added = np.add.outer([0.5, -1.0, 0.0, 2.0], [3.0, 0.0, -2.0, 1.0])

    assert np.diag(judges.overrating(added)).tolist() == [0, 0, 0, 0]
    added[1, 1] += 0.7
    assert np.diag(judges.overrating(added)) == pytest.approx([0, 0.7, 0, 0])


def test_an_undiscerning_judge_has_no_reason_of_its_own_to_underrate_what_convinces_others():
    judges = Judges(models=6, appeal=2.0, discernment=0.3)

    assert np.diag(judges.overrating(judges.liking(np.random.default_rng(8)))) == pytest.approx([0] * 6)


def test_dropped_verdicts_leave_no_row_and_are_the_authors_only():
    studies = RubricStudies(instances=30, missing=0.6, missing_of_author=True, dropped=True)
    study = studies.draw(np.random.default_rng(9))

    judgments = study.tables()["judgments"]
    assert set(judgments["status"].to_pylist()) == {"ok"}
    rows = dict.fromkeys(study.studies.judges.names, 0)
    for judge, generator in zip(
        *(judgments[name].to_pylist() for name in ("judge", "generator")), strict=True
    ):
        rows[judge] += judge == generator
    assert rows.pop("m00") < 120  # of 30 instances of 4 criteria
    assert set(rows.values()) == {120}


def test_a_copied_model_answers_and_is_judged_as_the_author_is():
    study = RubricStudies(Judges(planted=1.0), instances=20, copied=True).draw(np.random.default_rng(10))

    assert (study.failed[1] == study.failed[0]).all()
    assert (study.favourable[:, 1] == study.favourable[:, 0]).all()


def test_judges_miss_most_of_their_own_kinds_of_error_and_few_of_others():
    studies = RubricStudies(Judges(**ALIKE), **{**PLAIN, "instances": 1000}, weak_errors=True)
    study = studies.draw(np.random.default_rng(11))

    # 70 % of a model's errors are of its own two kinds, of six; others share these kinds less often
    assert np.diag(study.added) == pytest.approx([1.5 * 0.7] * 12, abs=0.05)
    of_others = study.added[~np.eye(12, dtype=bool)].mean()
    assert of_others < 0.9
    assert credited(study, 0, 0) > np.mean([credited(study, 0, other) for other in range(1, 12)])


def test_only_the_generators_of_a_study_have_answers():
    study = RubricStudies(Judges(models=5, generators=2), instances=10).draw(np.random.default_rng(12))

    tables = study.tables()
    assert set(tables["judgments"]["generator"].to_pylist()) == {"m00", "m01"}
    assert len(pc.unique(tables["judgments"]["judge"])) == 5
    assert set(tables["references"]["generator"].to_pylist()) == {"m00", "m01"}


def test_a_claim_is_wrong_if_its_sign_is_not_that_of_the_truth_or_nothing_is_true():
    answers = Answers(
        conclusions={
            "a": "overrates_itself",
            "b": "underrates_itself",
            "c": "favours_itself",
            "d": "not_shown",
        },
        relatives={"a": "disfavours_family"},
        group="judges_underrate_themselves",
        signs={"a": 1, "b": 1, "c": 0, "d": -1},
        relatives_signs={"a": -1},
        group_sign=1,
    )

    assert answers.wrong() == {"b", "c"}
    assert answers.wrong_of_family() == set()
    assert answers.wrong_of_group()
    assert side("judges_favour_their_families") == 1
    assert side("too_few_families") == side("no_material_preference") == 0


@pytest.mark.parametrize("method", [analysts.two_way, analysts.mixed])
def test_an_analysts_fit_recovers_the_planted_log_odds_and_claims_it(method):
    study = RubricStudies(Judges(planted=1.0), instances=300, subtlety=0.0, mood=0.0)

    effects = method(study.draw(np.random.default_rng(13)))
    assert effects.value[AUTHOR] == pytest.approx(1.0, abs=0.25)
    assert np.delete(effects.value, AUTHOR) == pytest.approx([0] * 11, abs=0.3)
    assert effects.claims(study.judges.names) == {"m00": 1}


def test_the_mixed_model_allows_for_the_subtlety_of_failures_and_for_tastes():
    rng = np.random.default_rng(14)
    plain = RubricStudies(instances=100, subtlety=0.0, mood=0.0).draw(rng)
    tastes = RubricStudies(Judges(tastes=0.7), instances=100, subtlety=1.5).draw(rng)

    assert analysts.mixed(tastes).se.min() > 2 * analysts.mixed(plain).se.min()


def test_missing_verdicts_are_called_unequal_where_they_are_and_seldom_where_not():
    rng = np.random.default_rng(15)
    unequal = missing_gate.Missing(100, 0.05, extra=0.2, whole=False)
    equal = missing_gate.Missing(400, 0.05, extra=0.0, whole=False)

    assert sum(unequal.closes(rng) for _ in range(20)) >= 18
    assert sum(equal.closes(rng) for _ in range(40)) <= 5


def test_a_stopped_run_goes_on_with_the_studies_that_it_has(tmp_path, monkeypatch):
    monkeypatch.setattr(missing_gate, "DRAWS", 1)
    run.claims_tables(1, 0, tmp_path, "six judges, tastes")
    before = run.claims_tables(2, 0, tmp_path, "six judges, tastes")

    def drawn_again(*_):
        raise AssertionError("drawn again")

    monkeypatch.setattr(run, "conclude", drawn_again)
    monkeypatch.setattr(run, "gate_rows", drawn_again)
    assert run.claims_tables(2, 0, tmp_path, "six judges, tastes") == before
    assert "| six judges, tastes | 2 | 0 % (0 to 84) |" in before["nulls"]  # .025 ** (1 / 2) = .16


def test_the_page_has_a_place_for_each_table(tmp_path, monkeypatch):
    page = tmp_path / "claims.md"
    page.write_text(report.PAGE.read_text())
    monkeypatch.setattr(report, "PAGE", page)
    parts = ("nulls", "planted", "common", "analysts", "gate", "rules")

    report.put_into(dict.fromkeys(parts, "| a table |"))
    assert page.read_text().count("| a table |") == len(parts)


NULL_KINDS = ("one convinces everybody", "an undiscerning judge convinces", "pairs, tastes", "scores, tastes")
KINDS = {kind.name: kind for kind in (*NULLS, *PLANTS)}


@pytest.mark.parametrize("name", NULL_KINDS)
def test_nothing_is_claimed_if_no_judge_favours_itself(name):
    kind = KINDS[name]

    for answers in conclude(kind, range(3), Truth.of(kind)):
        assert not answers.claimed(*CLAIMS)


@pytest.mark.parametrize("name", ["rubrics, 1.5, 100", "scores, 1, 100"])
def test_the_planted_judge_is_claimed(name):
    kind = KINDS[name]

    for answers in conclude(kind, range(2), Truth.of(kind)):
        assert answers.conclusions["m00"] == "favours_itself"
