"""Rankings: hand arithmetic, and the second implementation by plain loops."""

import math
import random

import pytest
from plain.asking import RefusedError
from plain.awkward import COMMITTEE, GENERATORS, JUDGES, awkward_study
from plain.builders import judge_rubrics, one, refer, study_of
from plain.ranking import ranking

from engine.errors import UsageError
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

SEEDS = range(4)


@pytest.fixture
def study(load):
    """J (a relative of K) and B judge J, K and A on two rubrics each of two instances."""
    plain = study_of(models="J:F K:F A:G B:H", rubrics=(1, 1), instances=2)
    for judge, verdicts in (("J", ("11", "10", "00")), ("B", ("10", "10", "11"))):
        for generator, mets in zip("JKA", verdicts, strict=True):
            judge_rubrics(plain, judge, generator, mets, "x0")
    judge_rubrics(plain, "B", "J", "00", "x1")  # no other response there: not a complete instance
    refer(plain, "J", "10", "x0")
    refer(plain, "K", "11", "x0")
    refer(plain, "A", "00", "x0")
    return load(plain)


def test_a_judge_ranks_by_its_mean_scores_over_complete_instances(study):
    result = study.result("ranking", resamples=0)

    by_model = {(row["by"], row["model"]): (row["rank"], row["score"], row["n"]) for row in result.rows}
    assert [by_model["J", model][:2] for model in "JKA"] == [(1, 1.0), (2, 0.5), (3, 0.0)]
    assert [by_model["B", model] for model in "JKA"] == [(2.5, 0.5, 1), (2.5, 0.5, 1), (1, 1.0, 1)]
    assert [by_model["reference", model][:2] for model in "JKA"] == [(2, 0.5), (1, 1.0), (3, 0.0)]
    assert result.left_out["incomplete"] == 1


def test_the_ranking_of_all_judges_may_exclude_the_model_itself_or_its_family(study):
    rows = study.result("ranking", resamples=0).rows

    by_model = {(row["by"], row["model"]): row["score"] for row in rows}
    # J: its own 1 and B's 0.5; K: 0.5 twice; A: 0 and 1. Without its own J has B's 0.5; without kin K too.
    assert [by_model["all", model] for model in "JKA"] == [0.75, 0.5, 0.5]
    assert [by_model["all-without-self", model] for model in "JKA"] == [0.5, 0.5, 0.5]
    assert [by_model["all-without-family", model] for model in "JKA"] == [0.5, 0.5, 0.5]


@pytest.mark.parametrize("name", ["reference", "all"])
def test_a_judge_named_like_a_ranking_keeps_its_own_rows(load, name):
    plain = study_of(models=f"{name}:F A:G B:H", rubrics=(1,), instances=1)
    for judge, verdicts in ((name, "01"), ("A", "11"), ("B", "11")):
        for generator, met in zip("AB", verdicts, strict=True):
            judge_rubrics(plain, judge, generator, met, "x0")
    refer(plain, "A", "1", "x0")
    refer(plain, "B", "1", "x0")

    rows = load(plain).result("ranking", resamples=0).rows

    # its own ranking, and the one after which it is named: all, of which it is one of three, or the reference
    scores = [row["score"] for row in rows if row["by"] == name and row["model"] == "A"]
    assert scores == pytest.approx([0, 1 if name == "reference" else 2 / 3])


def test_all_judges_together_have_the_most_questions_of_any_and_leave_out_the_incomplete_ones(load):
    plain = study_of(models="all:F A:G B:H", rubrics=(1,), instances=3)
    for i in range(3):
        for generator in "AB":
            judge_rubrics(plain, "all", generator, "1", f"x{i}")
    for instance, generators in (("x0", "AB"), ("x1", "A"), ("x2", "B")):
        for generator in generators:
            judge_rubrics(plain, "A", generator, "0", instance)
    refer(plain, "A", "1", "x0")
    refer(plain, "B", "?", "x0")  # a verdict without a reference is left out of no judge's ranking

    result = load(plain).result("ranking", resamples=0)

    n = {(row["by"], place): row["n"] for place, row in enumerate(result.rows) if row["model"] == "A"}
    # The judge named `all` and A, then all judges together in three ways.
    assert [by for by, _ in n] == ["all", "A", "all", "all-without-self", "all-without-family", "reference"]
    assert list(n.values()) == [3, 1, 3, 3, 3, 1]
    assert {code: number for code, number in result.left_out.items() if number} == {"incomplete": 2}
    assert {"no_reference", "reference_tie"}.isdisjoint(result.left_out)


def test_of_several_references_none_is_taken_unless_one_is_given(load):
    plain = study_of(models="J:F A:G B:H", rubrics=(1,), instances=2)
    for i in range(2):
        for generator, met in (("A", "1"), ("B", "0")):
            judge_rubrics(plain, "J", generator, met, f"x{i}")
            refer(plain, generator, "1", f"x{i}", source="one")
            refer(plain, generator, "0", f"x{i}", source="other")
    study = load(plain)

    def by_reference(**options):
        rows = study.result("ranking", resamples=0, **options).rows
        return [row["score"] for row in rows if row["by"] == "reference"]

    assert by_reference() == []
    assert by_reference(reference="one") == [1.0, 1.0]
    assert by_reference(reference="other") == [0.0, 0.0]


def test_where_each_judge_keeps_criteria_of_its_own_the_reference_ranks_none(load):
    plain = study_of(models="J:F A:G B:H", rubrics=(1, 1), instances=2)
    for i in range(2):
        for judge in "JAB":
            for generator, mets in (("A", "11"), ("B", "10")):
                judge_rubrics(plain, judge, generator, mets, f"x{i}")
                if judge == "J":
                    refer(plain, generator, mets, f"x{i}")
    study = load(plain)

    def sources(**options):
        return {row["by"] for row in study.result("ranking", resamples=0, **options).rows}

    assert sources(min_agreement=0.9) - sources(min_agreement=0.9, agreement_without_family=True) == {
        "reference"
    }
    own = {"min_agreement": 0.9, "agreement_without_family": True}
    assert study.result("ranking", rows="flips", **own).rows == []
    distances = study.result("ranking-distance", **own)
    assert distances.rows == []
    assert distances.reason.startswith("the reference ranks no models in this slice")


def test_judges_of_equal_strictness_leave_a_model_no_gain_by_a_strict_judge_that_is_left_out(load):
    # J gives each answer half, K all.
    plain = study_of(models="J:F A:G B:H K:K", rubrics=(1, 1), instances=2)
    for i in range(2):
        for judge, mets in (("J", "10"), ("K", "11")):
            for generator in "JAB":
                judge_rubrics(plain, judge, generator, mets, f"x{i}")
    study = load(plain)

    def without_self(model, **options):
        rows = study.result("ranking", resamples=0, **options).rows
        return one(rows, by="all-without-self", model=model)["score"]

    # Every answer is as good: only J's own, which the strict J does not count for, seems better.
    assert (without_self("A"), without_self("B"), without_self("J")) == (0.75, 0.75, 1.0)
    equal = [without_self(model, strictness="equal") for model in "JAB"]
    assert equal == pytest.approx([equal[0]] * 3)


def test_a_rank_equal_in_every_resample_has_zero_width(load):
    plain = study_of(models="J:F A:G B:H", rubrics=(1, 1), instances=12)
    for i in range(12):
        judge_rubrics(plain, "J", "A", "11", f"x{i}")
        judge_rubrics(plain, "J", "B", "10" if i % 2 else "00", f"x{i}")

    rows = load(plain).result("ranking", resamples=200).rows

    first, second = (row for row in rows if row["by"] == "J")
    assert (first["rank"], first["rank_low"], first["rank_high"]) == (1, 1, 1)
    assert second["score_low"] < 0.25 < second["score_high"]


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """Return the awkward studies by seed, both as plain rows and opened from a store."""
    by_seed = {}
    for seed in SEEDS:
        rows = awkward_study(random.Random(seed), instances=5 + seed % 3, statuses=0.02, missing=0.01)
        folder = tmp_path_factory.mktemp("ranking")
        rows.write(folder / "exchange")
        import_tidy(folder / "exchange", Store(folder / "store"), "awkward")
        by_seed[seed] = rows, Study.open(folder / "store" / "awkward")
    return by_seed


QUESTIONS = [
    {},
    {"scores": "weighted"},
    {"scores": "weighted_mean_clipped"},
    {"paradigm": "direct_assessment"},
    {"paradigm": "direct_assessment", "scores": "uniform", "reference": "human"},
    {"polarity": "positive", "relatives": "provider"},
    {"generators": list(GENERATORS[:3]), "judges": list(JUDGES[1:])},
    {"reference": f"committee:{COMMITTEE}", "repeats": "first"},
    {"paradigm": "pairwise"},
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", QUESTIONS, ids=str)
def test_a_ranking_equals_its_plain_second_implementation(studies, seed, options):
    rows, study = studies[seed]
    try:
        expected, _ = ranking(rows, **options)
    except RefusedError:
        with pytest.raises(UsageError):
            study.result("ranking", resamples=0, **options)
        return

    result = study.result("ranking", resamples=0, **options)

    ours = {(row["by"], row["model"]): (row["rank"], row["score"]) for row in result.rows}
    theirs = {(row["by"], row["model"]): (row["rank"], row["score"]) for row in expected}
    assert list(ours) == list(theirs)
    for key, values in theirs.items():
        assert all(math.isclose(a, b, abs_tol=1e-9) for a, b in zip(ours[key], values, strict=True)), key
