"""`agreement-curve` of slices: those of a group are those of its filter."""

import pytest
from plain.builders import judge_rubrics, refer, study_of


@pytest.fixture
def study(load):
    """Return a study in which J passes its own failures in x0 alone, and B's in both; the others none."""
    plain = study_of("J:F A:G B:H", rubrics=(1, 1), instances=2)
    for i, category in enumerate(("easy", "hard")):
        plain.instances[i]["category"] = category
        for generator in "JAB":
            refer(plain, generator, "00", f"x{i}")
            for judge in "JAB":
                passes = judge == "J" and (generator == "B" or (generator == "J" and i == 0))
                judge_rubrics(plain, judge, generator, "11" if passes else "00", f"x{i}")
    return load(plain)


@pytest.mark.parametrize("by", ["category", "rubric_id", "run"])
def test_the_curve_of_a_group_is_that_of_its_filter(study, by):
    groups = {}
    for row in study.result("agreement-curve", by=by, resamples=0).rows:
        groups.setdefault(row.pop("slice"), []).append(row)

    assert len(groups) == (1 if by == "run" else 2)
    for value, rows in groups.items():
        assert rows == study.result("agreement-curve", resamples=0, **{by: value}).rows


def test_the_ratio_of_each_group_is_its_own(study):
    rows = study.result("agreement-curve", by="category", level="rubric", resamples=0).rows

    # J passes all of B's failures and none of A's, half on average, and all or none of its own. In x0
    # two of three pairs of judges differ on J's answer, and on B's: 5 of 9 agree. In x1 it is 7 of 9.
    of = {(row["slice"], row["threshold"]): row for row in rows}
    assert [of["easy", at]["hspp_self_mean"] for at in (0.5, 0.55, 0.6)] == [2, 2, None]
    assert [of["hard", at]["hspp_self_mean"] for at in (0.5, 0.75, 0.8)] == [0, 0, None]
    assert [of[name, 0.6]["rubrics_kept"] for name in ("easy", "hard")] == [0, 1]


def test_the_curve_begins_at_a_bound_on_agreement(study):
    rows = study.result("agreement-curve", level="rubric", min_agreement=0.7, resamples=0).rows

    # x1 alone has so much agreement; without the bound the first ratio is 1, the mean of both questions.
    assert [row["hspp_self_mean"] for row in rows if row["threshold"] in (0.5, 0.75)] == [0, 0]
    assert rows[0]["rubrics_kept"] == 1
