"""What merging repeats and runs leaves out, and the sentence on it."""

import itertools

from plain.builders import compare, judge_rubrics, refer, study_of
from plain.pair_builders import G, O

from engine.arrays.split_repeats import SplitRepeats
from engine.measures.merged_repeats import merged_repeats
from engine.words.based_on import runs_together

MODELS = "JABC"


def two_nights(second="1001"):
    """Four judges' verdicts on four models' answers to a question of four criteria, of two nights.

    On the second night J judges B's answer as `second`; everything else is as on the first.
    """
    study = study_of("J:F A:G B:H C:I", rubrics=(1, 1, 1, 1))
    for generator in MODELS:
        refer(study, generator, "1010")
    for judge, generator in itertools.product(MODELS, MODELS):
        judge_rubrics(study, judge, generator, "1101", run_id="mon")
        again = second if (judge, generator) == ("J", "B") else "1101"
        judge_rubrics(study, judge, generator, again, run_id="tue")
    return study


def test_verdicts_in_which_runs_split_are_counted_of_all_that_have_one(load):
    study = load(two_nights())

    # Of 4 x 4 answers with 4 criteria each, J's second verdict on B's answer differs in one place.
    assert merged_repeats(study, {"paradigm": "single_rubric"}).split == SplitRepeats(1, 64)
    assert merged_repeats(study, {"paradigm": "single_rubric", "judges": ("A",)}).split == SplitRepeats(0, 16)
    assert merged_repeats(study, {"paradigm": "single_rubric", "repeats": "first"}).split == SplitRepeats(
        0, 64
    )


def test_the_sentence_says_what_leaving_out_split_verdicts_does_and_how_to_take_one_run(load):
    study = load(two_nights())
    result = study.result("accuracy", resamples=0)

    [sentence] = runs_together(study, result)

    assert sentence.startswith("The runs mon and tue are taken together, and the 1 of 64 verdicts in which")
    assert "judges look more accurate and more alike than in one run" in sentence
    assert sentence.endswith("For one run: --run mon.")
    [in_python] = runs_together(study, result, in_python=True)
    assert in_python.endswith('For one run: run="mon".')
    assert runs_together(study, study.result("accuracy", resamples=0, by="run")) == []


def test_runs_that_agree_throughout_are_merged_without_loss(load):
    study = load(two_nights(second="1101"))

    assert runs_together(study) == [
        "The runs mon and tue are taken together, by majority. For one run: --run mon."
    ]


def test_repeats_of_pairs_that_split_are_called_so_in_one_run_too(load):
    study = study_of("J:F A:G B:H", instances=3)
    for n, first in itertools.product(range(3), ("generator", "opponent")):
        for trial in range(2):  # on the second question the two trials with A's answer first differ
            splits = (n, first, trial) == (1, "generator", 1)
            compare(study, "J", "A", "B", first, O if splits else G, f"x{n}", trial=trial)
    study = load(study)

    [sentence] = runs_together(study, study.result("votes", resamples=0))

    assert "the 1 of 6 verdicts in which they split are left out" in sentence
    assert sentence.endswith("The first of each: --repeats first.")


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
