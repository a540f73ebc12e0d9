"""What is said of the size of some runs alone: theirs, and not that of the whole study."""

from plain.builders import judge_rubrics, refer, study_of

import engine
from engine.explore.doctor import examine
from engine.report.audit.methods import _data
from engine.report.provenance import rows_of
from engine.views.contents import CONTENTS


def test_models_questions_and_criteria_of_a_run_alone_are_those_that_it_judged(load):
    plain = study_of(models="J:F A:G B:G K:H", rubrics=(1, 2), instances=3)
    for place in ("x0", "x1"):
        judge_rubrics(plain, "J", "A", "11", place, run_id="r1")
    judge_rubrics(plain, "K", "B", "11", "x2", run_id="r2")
    refer(plain, "A", "00", "x0")
    whole = engine.Study.open(load(plain).files.location.path)
    alone = whole.of_runs("r1")

    # J judged A alone, on two questions of two criteria each: 4 of the study's 6 judgments.
    assert _data(alone, None) == (
        "We audited 4 judgments by 1 judge of the answers of 1 model to 2 questions. Each judgment is a "
        "verdict on one criterion of an answer. Models of 2 families took part."
    )
    assert CONTENTS.shown(alone, {}).sentences == (
        "2 models, 2 families, 2 questions, 4 criteria, 2 answers, 4 judgments.",
    )
    assert (examine(whole, resamples=0).instances, examine(alone, resamples=0).instances) == (3, 2)
    assert rows_of(alone) == rows_of(whole)  # what the study's files hold
