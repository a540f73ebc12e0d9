"""What is computed in parts, to fit the memory, is the same as at once."""

import itertools
import random

import pytest
from plain.builders import judge_rubrics, refer, study_of
from plain.study import PlainStudy


def raters():
    """Two raters who pick the first option more often than not, on six questions in both orders."""
    study, draw = PlainStudy(), random.Random(3)
    for name in "ab":
        study.add("models", model=name, family=name)
    for n in range(6):
        study.add("instances", instance_id=f"x{n}")
        study.add("rubrics", instance_id=f"x{n}", rubric_id="k")
        for name, ordering in itertools.product("ab", ("1-2", "2-1")):
            score = int(ordering[0] if draw.random() < 0.8 else ordering[-1])
            study.add(
                "judgments", judge=name, paradigm="score_rubric", instance_id=f"x{n}", generator=name,
                rubric_id="k", ordering=ordering, score=score,
            )  # fmt: skip
    return study


def committee():
    study, draw = study_of("J:F A:G B:H C:I", rubrics=(1, 1), instances=4), random.Random(4)
    for n, generator in itertools.product(range(4), "JABC"):
        refer(study, generator, draw.choice(("00", "10", "01")), f"x{n}")
        for judge in "JABC":
            judge_rubrics(study, judge, generator, draw.choice(("00", "10", "01", "11")), f"x{n}")
    return study


def scored():
    study, draw = study_of("J:F A:G B:H", rubrics=(1,), instances=6), random.Random(5)
    for n, generator in itertools.product(range(6), "JAB"):
        for person in ("human:1", "human:2"):
            study.add(
                "references", instance_id=f"x{n}", generator=generator, rubric_id="k0", source=person,
                score=draw.random(),
            )  # fmt: skip
    return study


@pytest.mark.parametrize(
    ("make", "measure", "size", "options"),
    [
        (raters, "model-likeness", "orders.model_likeness._MOST_NUMBERS", {}),
        (committee, "committee-size", "committees.committee_size.AT_ONCE", {"members": list("JABC")}),
        (
            scored,
            "reference-agreement",
            "quality.reference_agreement._CHUNK",
            {"a": "human:1", "b": "human:2"},
        ),
    ],
)
def test_the_size_of_the_parts_changes_nothing(load, monkeypatch, make, measure, size, options):
    study = load(make())
    at_once = study.result(measure, resamples=30, **options).rows

    for number in (1, 7):
        monkeypatch.setattr(f"engine.measures.{size}", number)
        in_parts = study.result(measure, resamples=30, **options).rows

        for one, row in zip(at_once, in_parts, strict=True):
            assert row == {name: approximate(value) for name, value in one.items()}
    numbers = [value for row in at_once for name, value in row.items() if name.endswith("_low")]
    assert any(value is not None for value in numbers)


def approximate(value):
    return pytest.approx(value, rel=1e-9) if isinstance(value, float) else value
