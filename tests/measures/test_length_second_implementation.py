"""`length` against its second implementation by plain loops, on small random studies.

Intervals are not compared: they are bootstraps, whose draws the definition does not give.
"""

import math
import random

import pytest
from plain.awkward import GENERATORS, JUDGES, awkward_study
from plain.length import length
from plain.study import PlainStudy

from engine.arrays.slicing.resolve import NoDataError
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

TEXTS = (None, "", "so", "\u00e4\U0001f642", "so it is", "so it is again")
PARADIGMS = ("pairwise", "single_rubric", "direct_assessment")
SEEDS = range(20)
OPTIONS = ({}, {"judges": list(JUDGES[1:3])}, {"generators": list(GENERATORS[:3]), "repeats": "first"})


def with_lengths(seed):
    """Return an awkward study with answers of all lengths; every fourth has one order of each pair."""
    rng = random.Random(seed)
    paradigm = PARADIGMS[seed % 3]
    study = awkward_study(rng, instances=3, paradigms=(paradigm,), committee=False)
    study.responses.clear()
    for instance in study.instances:
        for generator in GENERATORS:
            if rng.random() < 0.9:
                study.add(
                    "responses",
                    instance_id=instance["instance_id"],
                    generator=generator,
                    text=rng.choice(TEXTS),
                )
    if seed % 4 == 0:
        study.judgments[:] = [row for row in study.judgments if row["first"] != "opponent"]
    return paradigm, study


@pytest.mark.parametrize("seed", SEEDS)
def test_preference_for_length_equals_its_plain_second_implementation(tmp_path, seed):
    paradigm, rows = with_lengths(seed)
    rows.write(tmp_path / "exchange")
    import_tidy(tmp_path / "exchange", Store(tmp_path / "store"), "lengths")
    study = Study.open(tmp_path / "store" / "lengths")
    options = OPTIONS[seed // 3 % 3]
    expected = length(rows, paradigm=paradigm, **options)

    try:
        ours = study.result("length", resamples=0, paradigm=paradigm, **options).rows
    except NoDataError:
        ours = []

    assert [row["judge"] for row in ours] == [row["judge"] for row in expected], options
    for actual, row in zip(ours, expected, strict=True):
        for field, value in row.items():
            assert same(actual[field], value), (options, row["judge"], field, actual[field], value)


def same(actual, expected):
    if actual is None or expected is None or isinstance(expected, str | bool):
        return actual == expected
    return math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-9)


def test_scores_that_differ_by_rounding_alone_are_a_tie(tmp_path):
    rows = PlainStudy()
    for model in ("judge", "long", "short"):
        rows.add("models", model=model, family=model)
    rows.add("instances", instance_id="1", prompt="Why?")
    rows.add("responses", instance_id="1", generator="long", text="so it is")
    rows.add("responses", instance_id="1", generator="short", text="so")
    # The means of (0.1, 0.2) and of (0.15, 0.15) are one number, but not in floating point.
    for generator, scores in (("long", (0.1, 0.2)), ("short", (0.15, 0.15))):
        for trial, score in enumerate(scores):
            rows.add(
                "judgments",
                judge="judge",
                paradigm="direct_assessment",
                instance_id="1",
                generator=generator,
                trial=trial,
                score=score,
            )
    rows.write(tmp_path / "exchange")
    import_tidy(tmp_path / "exchange", Store(tmp_path / "store"), "rounding")

    row, *others = Study.open(tmp_path / "store" / "rounding").result("length", resamples=0).rows

    assert (row["longer"], row["n"], others) == (0.5, 1, [])
