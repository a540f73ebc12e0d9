"""`scorecard` against plain loops: both questions' numbers, the judges together, given and expected."""

import math
import random

import pytest
from plain.adjusting import level_of_intervals
from plain.builders import judge_rubrics, one, refer, study_of
from plain.deciding import appeal_of
from plain.discernment import discerned, in_log_odds
from plain.families import df_with, p_with_tastes, spread_of_families, together, variance_of_judge
from plain.given_expected import Cell, expected_of_group, fit, given_and_expected, own_cells, rate
from plain.opinions import verdicts
from plain.outside import frame_of, odds, question
from plain.resampling import benjamini_hochberg
from scipy import stats
from scipy.optimize import brentq

FAMILIES = "J:F K:F A:G B:H C:I D:I"
FAMILY = dict(pair.split(":") for pair in FAMILIES.split())
RELATIONS = {
    (one_, two): "self" if one_ == two else "family" if FAMILY[one_] == FAMILY[two] else "other"
    for one_ in FAMILY
    for two in FAMILY
}


def expit(x):
    return 1 / (1 + math.exp(-x))


def drawn(seed, own, instances=30):
    """Return a study of failed criteria in which judges add `own` log-odds to their own, and some to kin."""
    draw = random.Random(seed)
    study = study_of(FAMILIES, rubrics=(1, 1), instances=instances)
    strict = {name: draw.gauss(0, 0.6) for name in FAMILY}
    taste = {(judge, of): draw.gauss(0, 0.4) for judge in FAMILY for of in set(FAMILY.values())}
    for n in range(instances):
        for generator in FAMILY:
            refer(study, generator, "00", f"x{n}")
            appeal = [draw.gauss(-0.3, 1.2) for _rubric in range(2)]
            for judge in FAMILY:
                extra = taste[judge, FAMILY[generator]] + own * (judge == generator)
                mets = "".join(str(int(draw.random() < expit(a + strict[judge] + extra))) for a in appeal)
                judge_rubrics(
                    study, judge, generator, "-" + mets[1] if draw.random() < 0.05 else mets, f"x{n}"
                )
    return study


class Numbers:
    """What the definitions say of the study."""

    def __init__(self, study):
        query = question(study)
        frame = frame_of(query)
        self.opinions = verdicts(query, "failed").opinions
        model = odds(frame, self.opinions)
        self.placebos, self.judges = model.tastes.placebos, frame.models
        self.own = {judge: model.of(judge) for judge in self.judges}
        given = {}
        for o in self.opinions:
            given.setdefault((o.judge, o.generator), []).append(float(o.favourable))
        appeal = appeal_of(frame, given, in_log_odds)
        self.discerned = {
            judge: discerned(
                number, self.placebos, appeal, [judge], frame.outsiders(judge), judge, model.tastes.spread
            )
            for judge, number in self.own.items()
        }
        self.near = {judge: model.of(judge, "family") for judge in self.judges}
        self.spread = spread_of_families(self.placebos, self.judges, FAMILY, True)
        tests = [*self.own.values(), *self.near.values()]
        self.p = [test.p() for test in tests]
        self.variance = {
            judge: variance_of_judge([p for p in self.placebos if p.judge == judge], self.spread, 6)
            for judge in self.judges
        }
        variances = [self.variance[judge] for judge in self.judges] * 2
        self.p_tastes = [
            p_with_tastes(test, variance, self.spread.df)
            for test, variance in zip(tests, variances, strict=True)
        ]

    def interval(self, judge, level, variance=0.0, *, of_discerned=False):
        own = self.discerned[judge] if of_discerned else self.own[judge]
        df = df_with(own.se, own.df, variance, self.spread.df)
        reach = stats.t.ppf((1 + level) / 2, df) * math.sqrt(own.se**2 + variance)
        return math.exp(own.value - reach), math.exp(own.value + reach)


@pytest.fixture(scope="module", params=[0.0, 1.2], ids=["nothing planted", "planted"])
def studied(request, tmp_path_factory):
    from engine.importers.formats.exchange import import_tidy
    from engine.store import Store
    from engine.study import Study

    folder = tmp_path_factory.mktemp("drawn")
    study = drawn(3, request.param)
    study.write(folder / "drawn")
    import_tidy(folder / "drawn", Store(folder / "store"), "drawn")
    result = Study.open(folder / "store" / "drawn").result("scorecard", resamples=0)
    return Numbers(study), result.rows


def test_both_questions_have_the_numbers_of_the_definitions(studied):
    numbers, rows = studied
    adjusted, with_tastes = benjamini_hochberg(numbers.p), benjamini_hochberg(numbers.p_tastes)
    levels = level_of_intervals(numbers.p), level_of_intervals(numbers.p_tastes)

    for place, judge in enumerate(numbers.judges):
        row = one(rows, judge=judge)

        assert row["estimate"] == pytest.approx(math.exp(numbers.own[judge].value), rel=1e-6)
        assert row["p"] == pytest.approx(numbers.p[place], rel=1e-4)
        assert row["p_adjusted"] == pytest.approx(adjusted[place], rel=1e-4)
        assert row["p_tastes"] == pytest.approx(numbers.p_tastes[place], rel=1e-4)
        assert row["p_tastes_adjusted"] == pytest.approx(with_tastes[place], rel=1e-4)
        assert (row["low_plain"], row["high_plain"]) == pytest.approx(numbers.interval(judge, 0.95), rel=1e-6)
        fallen = row["reason"] == "discernment"  # then the interval shown is that of what is left
        expected = numbers.interval(judge, levels[0], of_discerned=fallen)
        assert (row["low"], row["high"]) == pytest.approx(expected, rel=1e-6)
        tastes = numbers.interval(judge, levels[1], numbers.variance[judge])
        assert (row["low_tastes"], row["high_tastes"]) == pytest.approx(tastes, rel=1e-5)


@pytest.mark.parametrize("prefix", ["", "family_"])
def test_the_judges_together_have_the_numbers_of_the_definitions(studied, prefix):
    numbers, rows = studied
    row = one(rows, judge=None)
    of_whom = numbers.near if prefix else numbers.own
    expected = together(of_whom, FAMILY, numbers.placebos, numbers.spread)

    assert row["families_with_relatives" if prefix else "families"] == expected.families
    assert row[f"{prefix}estimate"] == pytest.approx(math.exp(expected.estimate), rel=1e-6)
    if expected.families < 4:
        assert row[f"{prefix}conclusion"] == "too_few_families"
        return
    ends = math.exp(expected.low), math.exp(expected.high)
    assert (row[f"{prefix}low"], row[f"{prefix}high"]) == pytest.approx(ends, rel=1e-5)
    assert row[f"{prefix}p"] == pytest.approx(expected.p, rel=1e-5)
    assert row[f"{prefix}p_families"] == pytest.approx(expected.p_families, abs=1e-9)


@pytest.mark.parametrize("studied", [1.2], ids=["planted"], indirect=True, scope="module")
def test_given_and_expected_are_those_of_a_fit_by_plain_integration(studied):
    numbers, rows = studied
    by_cell = {}
    for o in numbers.opinions:
        by_cell.setdefault((o.instance_id, o.rubric_id, o.generator), {})[o.judge] = o.favourable
    cells = [Cell(generator, passed) for (_x, _k, generator), passed in by_cell.items()]
    model = fit(cells, numbers.judges, RELATIONS)
    members, given = {}, {}

    for judge in numbers.judges:
        row, own = one(rows, judge=judge), numbers.own[judge]
        ends = math.log(row["low"]), math.log(row["high"])
        expected = given_and_expected(model, cells, judge, RELATIONS, own.value, ends)
        assert row["own_given"] == pytest.approx(expected.given)
        assert row["own_expected"] == pytest.approx(expected.expected, abs=5e-4)
        assert row["own_expected_low"] == pytest.approx(expected.low, abs=5e-4)
        assert row["own_expected_high"] == pytest.approx(expected.high, abs=5e-4)
        assert row["excess"] == pytest.approx(row["own_given"] - row["own_expected"])
        assert (row["excess"] > 0) == (row["estimate"] > 1)
        at = rate(model, own_cells(cells, judge, RELATIONS), judge, RELATIONS)
        d1 = brentq(lambda d, at=at, g=expected.given: at(d) - g, -40, 40)
        members.setdefault(FAMILY[judge], []).append((at, d1))
        given.setdefault(FAMILY[judge], []).append(expected.given)
        near = numbers.near[judge]
        if near.value is not None:
            relatives = given_and_expected(model, cells, judge, RELATIONS, near.value, kind="family")
            assert row["family_given"] == pytest.approx(relatives.given)
            assert row["family_expected"] == pytest.approx(relatives.expected, abs=5e-4)

    group = one(rows, judge=None)
    mean, centre = expected_of_group(members, given, math.log(group["estimate"]))
    assert group["own_given"] == pytest.approx(mean)
    assert group["own_expected"] == pytest.approx(centre, abs=5e-4)
