"""What merging repeats and runs leaves out, and the sentence on it."""

import itertools

import numpy as np
import pytest
from plain.builders import compare, judge_rubrics, refer, study_of
from plain.pair_builders import G, O

from engine.arrays.split_repeats import SplitRepeats
from engine.conclusions import is_claim
from engine.measures.merged_repeats import merged_repeats
from engine.words.based_on import runs_in_picture, runs_judged, runs_together

MODELS = "JABC"


def two_nights(second="1001", without=None):
    """Four judges' verdicts on four models' answers to a question of four criteria, of two nights.

    On the second night J judges B's answer as `second`, and a judge and model, `without`, are missing;
    everything else is as on the first.
    """
    study = study_of("J:F A:G B:H C:I", rubrics=(1, 1, 1, 1))
    for generator in MODELS:
        refer(study, generator, "1010")
    for judge, generator in itertools.product(MODELS, MODELS):
        judge_rubrics(study, judge, generator, "1101", run_id="mon")
        again = second if (judge, generator) == ("J", "B") else "1101"
        if (judge, generator) != without:
            judge_rubrics(study, judge, generator, again, run_id="tue")
    return study


@pytest.fixture
def unequal_nights(load):
    """Two nights of which the second lacks C's verdict on C's answer to the question of four criteria."""
    return load(two_nights(without=("C", "C")))


def test_verdicts_in_which_runs_split_are_counted_of_those_given_in_several(unequal_nights):
    def split(**filters):
        return merged_repeats(unequal_nights, {"paradigm": "single_rubric"} | filters).split

    # Of 4 x 4 answers with 4 criteria each, J's second verdict on B's answer differs in one place; 4 of
    # these 64 verdicts were given once.
    assert split() == SplitRepeats(split=1, repeated=60, judged=64)
    assert split(judges=("A",)) == SplitRepeats(0, 16, 16)
    assert split(judges=("C",)) == SplitRepeats(0, 12, 16)
    assert split(repeats="first") == SplitRepeats(0, 60, 64)


def test_the_sentence_says_what_leaving_out_split_verdicts_does_and_how_to_keep_them(unequal_nights):
    study = unequal_nights
    result = study.result("accuracy", resamples=0)

    [sentence] = runs_together(study, result)

    assert sentence == (
        "The runs mon and tue are taken together. Of 60 verdicts given more than once, the one without a "
        "majority is left out. On the rest, judges look more accurate and more alike than in one run, and "
        "conclusions "
        "may differ (for the newest alone: --run tue; for all 64, each by its first verdict: --repeats "
        "first)."
    )
    assert sentence.in_python().endswith(
        '(for the newest alone: run="tue"; for all 64, each by its first verdict: repeats="first").'
    )
    [of_picture] = runs_in_picture(study, result)
    assert of_picture == sentence.partition(" (")[0] + "."
    [of_plan] = runs_judged(study)  # a command that knows runs only
    assert of_plan.endswith("conclusions may differ (for the newest alone: --run tue).")
    assert runs_judged(study, {"repeats": "majority"}) == [sentence]  # as of the gate, which has no result
    assert runs_together(study, study.result("accuracy", resamples=0, by="run")) == []


@pytest.mark.parametrize("by", [("theme", "polarity"), ("polarity", "theme")])
def test_grouped_by_two_columns_the_runs_are_taken_together_all_the_same(load, by):
    study = two_nights()
    for number, rubric in enumerate(study.rubrics):
        rubric["theme"] = ("care", "tone")[number % 2]
    opened = load(study)
    result = opened.result("overestimation", by=by, resamples=0)

    assert result.rows
    assert runs_together(opened, result) == runs_together(
        opened, opened.result("overestimation", resamples=0)
    )


def test_where_the_first_of_each_counts_no_majority_is_spoken_of(load):
    study = load(two_nights())

    [sentence] = runs_together(study, study.result("accuracy", resamples=0, repeats="first"))

    assert sentence == (
        "The runs mon and tue are taken together, and the first of repeated judgments counts. "
        "For the newest alone: --run tue."
    )


def test_runs_that_agree_throughout_are_merged_without_loss(load):
    study = load(two_nights(second="1101"))

    assert runs_judged(study) == [
        "The runs mon and tue are taken together, by majority. For the newest alone: --run tue."
    ]


def test_of_runs_merged_without_loss_too_it_is_said_what_each_alone_concludes(load):
    study = load(two_nights(second="1101"))

    [sentence] = runs_in_picture(study, study.result("scorecard"))

    assert sentence == (
        "The runs mon and tue are taken together, by majority. In each run alone, no judge is shown to "
        "favour, overrate or underrate itself either."
    )


def test_repeats_of_scores_are_counted_where_no_reference_is_used(load):
    study = study_of("J:F A:G B:H")
    for run, (judge, generator) in itertools.product(("mon", "tue"), itertools.product("JAB", "JAB")):
        study.add(
            "judgments", judge=judge, paradigm="direct_assessment", instance_id="x0", generator=generator,
            score=0.5, run_id=run,
        )  # fmt: skip
    study = load(study)
    result = study.result("ranking", resamples=0)

    assert result.left_out["merged"] == 9  # each of 3 x 3 scores was given twice
    assert "the mean of their scores counts" in runs_together(study, result)[0]


def test_repeats_of_pairs_that_split_are_called_so_in_one_run_too(load):
    study = study_of("J:F A:G B:H", instances=3)
    for n, first in itertools.product(range(3), ("generator", "opponent")):
        for trial in range(2):  # on the second question the two trials with A's answer first differ
            splits = (n, first, trial) == (1, "generator", 1)
            compare(study, "J", "A", "B", first, O if splits else G, f"x{n}", trial=trial)
    study = load(study)

    [sentence] = runs_together(study, study.result("votes", resamples=0))

    assert "Of 6 verdicts given more than once, the one without a majority is left out." in sentence
    assert sentence.endswith("may differ (for all 6, each by its first verdict: --repeats first).")


def test_the_gate_says_of_one_runs_repeats_too_that_they_split(load):
    study = study_of("J:F A:G B:H C:I", rubrics=(1, 1))
    for generator in MODELS:
        refer(study, generator, "10")
    for judge, generator, trial in itertools.product(MODELS, MODELS, range(2)):
        splits = (judge, generator, trial) == ("J", "B", 1)
        judge_rubrics(study, judge, generator, "10" if splits else "11", trial=trial)
    study = load(study)

    [sentence] = runs_judged(study, {"repeats": "majority"})

    assert "Of 32 verdicts given more than once, the one without a majority is left out." in sentence
    assert runs_judged(study, {"repeats": "first"}) == runs_judged(study) == []


def test_of_scores_the_mean_counts_and_nothing_is_split(load):
    study = study_of("J:F A:G")
    for generator in "JA":
        refer(study, generator, "1")
    for run, score in (("mon", 0.2), ("tue", 0.6)):
        for generator in "JA":
            study.add(
                "judgments",
                judge="J",
                paradigm="direct_assessment",
                instance_id="x0",
                generator=generator,
                score=score,
                run_id=run,
            )
    study = load(study)

    [sentence] = runs_together(study, study.result("delta", resamples=0))

    assert sentence.startswith(
        "The runs mon and tue are taken together, and the mean of their scores counts."
    )


def test_a_committee_judges_own_failures_too_on_which_the_members_own_repeats_split(load):
    study = study_of("J:F A:G B:H C:I", rubrics=(1, 1, 1, 1))
    for generator in MODELS:
        refer(study, generator, "1010")
    for judge, generator, run in itertools.product(MODELS, MODELS, ("mon", "tue")):
        splits = (judge, generator, run) == ("J", "J", "tue")
        judge_rubrics(study, judge, generator, "1001" if splits else "1101", run_id=run)

    result = load(study).result("committee", resamples=0, members=tuple(MODELS), level="rubric")

    # The reference fails the second and the fourth criterion; J's verdicts on its second differ.
    [own] = [row for row in result.rows if row["judge"] == "J"]
    assert (own["n_self"], own["n_self_committee"]) == (1, 2)
    field = next(field for field in result.measure.fields if field.name == "n_self_committee")
    assert "also where the member's own verdict is missing or its repeats split" in field.meaning


@pytest.fixture
def one_partial_night(load):
    """Six judges of six families; on the first of two nights J passes most of its own failures."""
    models, draw = "JABCDE", np.random.default_rng(3)
    study = study_of(
        " ".join(f"{name}:{number}" for number, name in enumerate(models)), rubrics=(1, 1, 1, 1), instances=40
    )
    for generator, n in itertools.product(models, range(40)):
        truth = draw.random(4) < 0.5
        refer(study, generator, "".join("01"[int(met)] for met in truth), f"x{n}")
        for judge, run in itertools.product(models, ("mon", "tue")):
            passing = 0.8 if (judge, generator, run) == ("J", "J", "mon") else 0.2
            met = draw.random(4) < np.where(truth, 0.85, passing)
            judge_rubrics(
                study, judge, generator, "".join("01"[int(each)] for each in met), f"x{n}", run_id=run
            )
    return load(study)


def test_the_conclusions_are_those_of_a_scorecard_of_each_run(one_partial_night) -> None:
    study = one_partial_night
    of = {
        run: {row["judge"]: row["conclusion"] for row in study.result("scorecard", run=run).rows}
        for run in ((), "mon", "tue")
    }

    [remark] = runs_together(study, study.result("scorecard"))

    assert is_claim(of["mon"]["J"])
    assert not is_claim(of["tue"]["J"])
    assert "Conclusions differ: " in remark
    in_tuesday = remark.partition("in run tue alone, ")[2].partition(";")[0]
    assert of["tue"]["J"] == "not_shown" != of[()]["J"]
    assert "no difference is shown for J" in in_tuesday
    assert "J favours itself" in remark
