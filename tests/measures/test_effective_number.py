"""How many independent judges a committee is worth (section 20)."""

import itertools
import random

import numpy as np
import pytest
from plain.builders import compare, judge_rubrics, one, refer, study_of

ERRORS = {"A": "11110000", "B": "11110000", "C": "11001100"}


def panel(errors, generator="G", kinds="A:1 B:2 C:3 G:4"):
    """Return a study in which the reference passes everything and judges fail what they are wrong about."""
    study = study_of(kinds, rubrics=(1,) * len(next(iter(errors.values()))))
    for model in kinds.split():
        refer(study, model.split(":")[0], "1" * len(errors["A"]))
    for judge, wrong in errors.items():
        judge_rubrics(study, judge, generator, wrong.translate({48: "1", 49: "0", 117: "u"}))
    study.committees = {"all": {"members": list(errors), "paradigm": None, "variant": None}}
    return study


def test_two_judges_with_the_same_errors_count_as_one(load):
    rows = load(panel(ERRORS)).result("committee", level="rubric", resamples=0).rows

    # r of A and B is 1, of both with C 0: mean 1/3, and 3 / (1 + 2/3) = 1.8.
    assert [row["n_effective"] for row in rows] == pytest.approx([1.8] * 3)
    without = {row["judge"]: row["n_effective_without"] for row in rows}
    assert without == {"A": pytest.approx(2), "B": pytest.approx(2), "C": pytest.approx(1)}


def of_whole_responses(errors, judge_as):
    """Return a study of two responses to each instance, the first better; `judge_as` adds a judgment."""
    study = study_of("A:1 B:2 C:3 G:4 H:5", rubrics=(1,), instances=len(errors["A"]))
    for n in range(len(errors["A"])):
        refer(study, "G", "1", f"x{n}")
        refer(study, "H", "0", f"x{n}")
        for judge, wrong in errors.items():
            judge_as(study, judge, f"x{n}", wrong[n])
    study.committees = {"all": {"members": list(errors), "paradigm": None, "variant": None}}
    return study


def judge_pair(study, judge, instance, error):
    """Choose the better response, the worse one (1), or neither (t); `-` judges in one order only."""
    choice = {"0": "generator", "1": "opponent", "t": "tie", "-": "generator"}[error]
    compare(study, judge, "G", "H", "generator", choice, instance)
    if error != "-":
        compare(study, judge, "G", "H", "opponent", choice, instance)


def judge_scores(study, judge, instance, error):
    """Score the better response higher, lower (1), or both alike (t); `-` scores only one."""
    scores = {"0": (0.9, 0.2), "1": (0.4, 0.5), "t": (0.5, 0.5), "-": (0.9, None)}[error]
    for generator, score in zip("GH", scores, strict=True):
        if score is not None:
            study.add(
                "judgments",
                judge=judge,
                paradigm="direct_assessment",
                instance_id=instance,
                generator=generator,
                score=score,
            )


@pytest.mark.parametrize("judge_as", [judge_pair, judge_scores])
def test_a_comparison_that_is_not_the_references_is_an_error_in_pairs_and_scores(load, judge_as):
    # a tie where one response is better is an error; C's errors are those of A and B in two of four
    errors = {"A": "1t110000", "B": "11t10000", "C": "1t001100"}
    rows = load(of_whole_responses(errors, judge_as)).result("committee", resamples=0).rows

    assert [row["level"] for row in rows] == ["instance"] * 3
    assert [row["n_effective"] for row in rows] == pytest.approx([1.8] * 3)  # as above
    assert one(rows, judge="C")["n_effective_without"] == pytest.approx(1)


def test_the_gold_votes_decide_on_pairs_without_a_reference(load):
    errors = {"A": "1t110000", "B": "11t10000", "C": "1t001100"}
    study = of_whole_responses(errors, judge_pair)
    study.references.clear()
    for n in range(8):
        for source, outcome in (("human:1", 1), ("human:2", 1), ("human:3", -1)):
            study.add(
                "preferences",
                instance_id=f"x{n}",
                generator="G",
                opponent="H",
                source=source,
                outcome=outcome,
            )
    study.committees = {}

    rows = load(study).result("committee", members="A,B,C", resamples=0).rows

    assert [row["n_effective"] for row in rows] == pytest.approx([1.8] * 3)


def test_pairs_without_a_reference_or_gold_votes_have_no_number(load):
    study = of_whole_responses(ERRORS, judge_pair)
    study.references.clear()
    study.committees = {}

    row = load(study).result("committee", members="A,B,C", resamples=0).rows[0]

    assert (row["n_effective"], row["reasons"]["n_effective"]) == (None, "no_reference")


@pytest.mark.parametrize("judge_as", [judge_pair, judge_scores])
def test_only_comparisons_that_both_made_count(load, judge_as):
    errors = {"A": "1100----", "B": "11001100", "C": "----1010"}
    rows = load(of_whole_responses(errors, judge_as)).result("committee", resamples=0).rows

    assert rows[0]["n_effective"] == pytest.approx(1.5)  # as above


def test_rubric_verdicts_have_the_number_of_their_comparisons_at_instance_level(load):
    study = of_whole_responses(ERRORS, lambda *_: None)
    for judge, wrong in ERRORS.items():
        for n, error in enumerate(wrong):
            for generator, met in zip("GH", "01" if error == "1" else "10", strict=True):
                judge_rubrics(study, judge, generator, met, f"x{n}")

    rows = load(study).result("committee", resamples=0).rows

    of_levels = {row["level"]: row["n_effective"] for row in rows}
    assert of_levels == {"rubric": pytest.approx(1.8), "instance": pytest.approx(1.8)}


def test_errors_that_exclude_each_other_are_worth_no_more_than_the_members(load):
    opposite = {"A": "11110000", "B": "00001111", "C": "00110011"}

    rows = load(panel(opposite)).result("committee", level="rubric", resamples=0).rows

    assert rows[0]["n_effective"] == 3


def test_only_cells_that_both_judged_count(load):
    missing = {"A": "1100uuuu", "B": "11001100", "C": "uuuu1010"}
    rows = load(panel(missing)).result("committee", level="rubric", resamples=0).rows

    # A and B share four cells, r = 1; B and C four, r = 0; A and C none. Mean 1/2: 3 / 2.
    assert rows[0]["n_effective"] == pytest.approx(1.5)


def test_without_a_reference_or_an_error_there_is_no_number(load):
    faultless = dict.fromkeys("ABC", "00000000")
    row = load(panel(faultless)).result("committee", level="rubric", resamples=0).rows[0]

    assert (row["n_effective"], row["reasons"]["n_effective"]) == (None, "errors_all_alike")


def test_the_number_equals_numpys_correlations_on_a_random_panel(load):
    draw = random.Random(5)
    study = study_of("A:1 B:2 C:3 D:4 G:5", rubrics=(1, -1, 1), instances=30)
    wrong = {name: [] for name in "ABCD"}
    for n, generator in itertools.product(range(30), "AG"):
        truth = [draw.random() < 0.5 for _ in range(3)]
        refer(study, generator, "".join(str(int(met)) for met in truth), f"x{n}")
        hard = [draw.random() < 0.4 for _ in range(3)]
        for judge in "ABCD":
            errs = [draw.random() < (0.7 if h else 0.1) for h in hard]
            wrong[judge] += errs
            judge_rubrics(
                study,
                judge,
                generator,
                "".join(str(int(m != e)) for m, e in zip(truth, errs, strict=True)),
                f"x{n}",
            )
    study.committees = {"all": {"members": list("ABCD"), "paradigm": None, "variant": None}}

    rows = load(study).result("committee", level="rubric", resamples=0).rows

    r = np.corrcoef([wrong[judge] for judge in "ABCD"])[np.triu_indices(4, 1)].mean()
    assert one(rows, judge="A")["n_effective"] == pytest.approx(4 / (1 + 3 * r))
