"""`outside`: studies counted by hand, uninformative ones, the published one (MEASURES section 15)."""

import numpy as np
import pytest
from plain.builders import compare, judge_rubrics, one, refer, study_of
from plain.published import STUDY, needs_published_study

from engine.errors import UsageError
from engine.importers.formats.exchange import import_tidy
from engine.shipped_files import RESULTS
from engine.store import Store
from engine.study import Study

NAMES = "FGH"
BY_JUDGE = {"F": ("1110", "1000", "1100"), "G": ("1100", "1100", "1000"), "H": ("1000", "1000", "1110")}


def judged(models="F:1 G:2 H:3", rubrics=(1, 1, 1, 1), verdicts=None):
    """Return a study of one instance in which judges give these verdicts on F, G and H in turn."""
    plain = study_of(models=models, rubrics=rubrics)
    for judge, mets in (verdicts or BY_JUDGE).items():
        for generator, met in zip(NAMES, mets, strict=True):
            judge_rubrics(plain, judge, generator, met)
    return plain


def drawn_study(families, instances=12, seed=0, reference=True):
    """Return a study in which all judge all at random, with two rubrics an instance."""
    rng = np.random.default_rng(seed)
    names = [f"m{i}" for i in range(len(families))]
    plain = study_of(
        models=" ".join(f"{name}:{family}" for name, family in zip(names, families, strict=True)),
        rubrics=(1, 1),
        instances=instances,
    )
    for i in range(instances):
        for generator in names:
            if reference:
                refer(plain, generator, "01", f"x{i}")
            for judge in names:
                mets = "".join(str(met) for met in rng.integers(0, 2, 2))
                judge_rubrics(plain, judge, generator, mets, f"x{i}")
    return plain


def test_without_a_reference_every_verdict_counts(load):
    result = load(judged()).result("outside", resamples=0)

    row = one(result.rows, judge="F")
    # As in tests/stats: own shares 3/4 against (2/4 + 1/4) / 2; others' 3/8 against 1/4.
    assert (row["own_judge"], row["own_outside"]) == (0.75, 0.375)
    assert (row["other_judge"], row["other_outside"]) == (0.375, 0.25)
    assert row["ratio_outside"] == pytest.approx(4 / 3)
    assert row["difference_outside"] == pytest.approx(0.25)
    assert (row["n_own"], row["n_other"], row["n_outside"]) == (4, 8, 2)
    assert result.filters["truth"] == "any"
    assert result.left_out["no_reference"] == 0


def test_with_a_reference_only_failed_cells_count_by_default(load):
    plain = judged()
    for generator in NAMES:
        refer(plain, generator, "1000")
    study = load(plain)

    failed = one(study.result("outside", resamples=0).rows, judge="F")
    met = one(study.result("outside", truth="met", resamples=0).rows, judge="F")
    every = one(study.result("outside", truth="any", resamples=0).rows, judge="F")

    assert failed["own_judge"] == pytest.approx(2 / 3)
    assert failed["own_outside"] == pytest.approx((1 / 3 + 0) / 2)
    assert failed["n_own"] == 3
    assert met["own_judge"] == 1.0
    assert every["own_judge"] == 0.75


def test_undesirable_rubrics_are_favourable_if_not_met(load):
    inverted = {
        judge: tuple(text.translate(str.maketrans("01", "10")) for text in mets)
        for judge, mets in BY_JUDGE.items()
    }

    row = one(
        load(judged(rubrics=(-1, -1, -1, -1), verdicts=inverted)).result("outside", resamples=0).rows,
        judge="F",
    )

    assert row["ratio_outside"] == pytest.approx(4 / 3)


def test_a_missing_verdict_is_on_neither_side(load):
    silent = BY_JUDGE | {"G": ("uuu0", "1100", "1000")}

    result = load(judged(verdicts=silent)).result("outside", resamples=0)

    row = one(result.rows, judge="F")
    assert (row["own_judge"], row["own_outside"]) == ((0 + 0.75) / 2, (0 + 0.25) / 2)
    assert row["n_own"] == 4
    assert result.left_out["unparsed"] == 3


def test_shown_judges_are_compared_with_those_not_shown(load):
    study = load(judged())

    (row,) = study.result("outside", judges=["F"], resamples=0).rows

    assert row["n_outside"] == 2
    assert row["ratio_outside"] == pytest.approx(4 / 3)


def test_scores_give_points_and_no_ratio(load):
    plain = study_of(models="F:1 G:2 H:3", rubrics=(1, 1), instances=2)
    scores = {"F": (0.9, 0.5, 0.6), "G": (0.5, 0.8, 0.4), "H": (0.7, 0.3, 0.9)}
    for i in range(2):
        for judge, values in scores.items():
            for generator, score in zip(NAMES, values, strict=True):
                plain.add(
                    "judgments",
                    judge=judge,
                    paradigm="direct_assessment",
                    instance_id=f"x{i}",
                    generator=generator,
                    score=score,
                )

    row = one(load(plain).result("outside", resamples=0).rows, judge="F")

    # F on itself .9 - .6; on G against H .5 - .3; on H against G .6 - .4.
    assert row["bonus_outside"] == pytest.approx(100 * (0.3 - 0.2))
    assert row["ratio_outside"] is None
    assert row["reasons"]["ratio_outside"] == "not_of_these_judgments"
    assert row["n_own"] == 2


def test_pairs_give_votes_and_need_no_gold(load):
    plain = study_of(models="F:1 G:2 H:3 I:4", rubrics=(1,), instances=1)
    winners = {"F": "F", "G": "G", "H": "G", "I": "tie"}
    for judge, winner in winners.items():
        for first in ("generator", "opponent"):
            choice = {"F": "generator", "G": "opponent", "tie": "tie"}[winner]
            compare(plain, judge, "F", "G", first, choice)

    rows = load(plain).result("outside", resamples=0).rows

    # F votes 1 for its own response, H 0 and I a half; G is the opponent's relative.
    assert one(rows, judge="F")["vote_outside"] == pytest.approx(1 - 0.25)
    assert one(rows, judge="G")["vote_outside"] == pytest.approx(1 - 0.75)
    assert [row["judge"] for row in rows] == ["F", "G"]


def test_pairs_lost_by_the_gold_votes_alone(load):
    plain = study_of(models="F:1 G:2 H:3 I:4", rubrics=(1,), instances=2)
    for instance, better in (("x0", "F"), ("x1", "G")):
        plain.add(
            "preferences",
            instance_id=instance,
            generator="F",
            opponent="G",
            source="human",
            outcome=1 if better == "F" else -1,
        )
        for judge, choice in (("F", "generator"), ("H", "opponent"), ("I", "opponent")):
            for first in ("generator", "opponent"):
                compare(plain, judge, "F", "G", first, choice if instance == "x1" else "generator", instance)
    study = load(plain)

    lost = one(study.result("outside", pairs="lost", resamples=0).rows, judge="F")
    every = one(study.result("outside", resamples=0).rows, judge="F")

    assert (lost["vote_outside"], lost["n_own"]) == (1.0, 1)
    assert (every["vote_outside"], every["n_own"]) == (0.5, 2)


@pytest.mark.parametrize(
    ("families", "field", "reason"),
    [
        ("A", "ratio_outside", "no_outside_judge"),
        ("AAA", "ratio_outside", "no_outside_judge"),
        ("AAA", "odds_self", "fewer_than_three_judges_or_one_family"),
        ("AB", "odds_self", "fewer_than_three_judges_or_one_family"),
        ("AB", "ratio_outside", "no_common_cell"),
        ("ABC", "ratio_outside_family", "no_relatives"),
        ("ABC", "odds_family", "no_relatives"),
    ],
)
def test_an_undefined_number_has_a_reason(load, families, field, reason):
    rows = load(drawn_study(families)).result("outside", resamples=20).rows

    assert len(rows) == len(families)
    assert {row[field] for row in rows} == {None}
    assert {row["reasons"][field] for row in rows} == {reason}


def test_identical_verdicts_give_rows_with_reasons(load):
    alike = dict.fromkeys(NAMES, ("1111", "1111", "1111"))

    rows = load(judged(verdicts=alike)).result("outside").rows

    assert [row["ratio_outside"] for row in rows] == [1.0, 1.0, 1.0]
    assert {row["reasons"]["odds_self"] for row in rows} == {"no_own_cell_disputed"}
    assert {row["odds_self_p_tastes"] for row in rows} == {None}


def test_a_reference_that_fails_nothing_gives_rows_with_reasons(load):
    plain = judged()
    for generator in NAMES:
        refer(plain, generator, "1111")

    rows = load(plain).result("outside").rows

    assert [row["judge"] for row in rows] == list(NAMES)
    assert {row["ratio_outside"] for row in rows} == {row["odds_self"] for row in rows} == {None}
    assert {row["reasons"]["ratio_outside"] for row in rows} == {"no_own_failures"}


def test_a_judge_whose_own_answers_met_nothing_has_no_case_among_those_that_the_reference_passes(load):
    plain = judged()
    for generator, met in zip(NAMES, ("0000", "0101", "1111"), strict=True):
        refer(plain, generator, met)

    study = load(plain)

    first, _, _ = study.result("outside", truth="met").rows
    _, _, last = study.result("outside").rows
    assert first["reasons"]["ratio_outside"] == "no_own_passes"
    assert last["reasons"]["ratio_outside"] == "no_own_failures"


def test_intervals_and_p_values_do_not_depend_on_the_number_of_resamples(load):
    study = load(drawn_study("ABCDE"))

    few, many = (study.result("outside", resamples=n).rows for n in (20, 200))

    for name in ("ratio_outside", "odds_self", "difference_outside"):
        assert [row[f"{name}_p"] for row in few] == [row[f"{name}_p"] for row in many]
        assert all(row[f"{name}_low"] <= row[name] <= row[f"{name}_high"] for row in few)


def test_tastes_are_assumed_with_four_judges_and_estimated_with_five(load, tmp_path):
    four = load(drawn_study("ABCD")).result("outside").rows
    drawn_study("ABCDE").write(tmp_path / "more")
    import_tidy(tmp_path / "more", Store(tmp_path / "five"), "five")
    five = Study.open(tmp_path / "five" / "five").result("outside").rows

    assert {(row["taste_spread"], row["tastes_assumed"]) for row in four} == {(0.34, True)}
    assert {row["tastes_assumed"] for row in five} == {False}
    assert all(row["odds_self_p_tastes"] >= row["odds_self_p"] for row in five)
    assert all(1 <= row["placebo_rank"] <= row["placebo_of"] == 5 for row in five)


def test_two_slices_are_compared_by_the_ratio(load):
    plain = drawn_study("ABCD")
    study = load(plain)

    rows = study.result("outside", truth="any", against={"judges": ["m0"]}).rows

    (row,) = rows
    assert row["difference"] == pytest.approx(1.0)


@needs_published_study
def test_the_assumed_tastes_are_those_of_the_published_study(tmp_path):
    import_tidy(STUDY, Store(tmp_path), "ifeval")
    rows = Study.open(tmp_path / "ifeval").result("outside", paradigm="single_rubric").rows

    assert len(rows) == 12
    assert round(rows[0]["taste_spread"], 2) == 0.34
    assert all(row["odds_self"] > 0 and row["ratio_outside"] > 0 for row in rows)
    assert one(rows, judge="qwen3_235b_instruct")["odds_self_p_adjusted"] < 0.05
    assert min(row["odds_self_p_tastes_adjusted"] for row in rows) > 0.05


def test_an_epsilon_below_0_is_refused():
    study = Study.open(RESULTS / "demo-pairs")

    with pytest.raises(UsageError, match=r"epsilon -1\.0 is below 0; give"):
        study.result("outside", pairs="equal", epsilon=-1.0)
