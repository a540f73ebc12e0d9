"""The planted ratios, recovered by plain counting in the tables, on large samples."""

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from engine.simulation.design import Bias, BiasedRubrics, Design, ModelTraits
from engine.simulation.rubrics import simulate


def models(bias):
    return (
        ModelTraits("a-1", "a", 0.6, overestimation=0.2, bias=bias),
        ModelTraits("a-2", "a", 0.7),
        ModelTraits("b-1", "b", 0.55),
        ModelTraits("c-1", "c", 0.8),
    )


def draw(bias, paradigm="single_rubric", instances=6000, **rest):
    """Draw a study with one judge, a-1."""
    everyone = models(bias)
    design = Design(everyone[:1], everyone, paradigms=(paradigm,), unparsed=0.02, seed=11, **rest)
    return simulate(design, instances=instances, rubrics_per_instance=10)


def plain(table):
    """Dictionary-encoded columns as plain text."""
    return pa.table(
        {
            name: table[name].cast(pa.string()) if pa.types.is_dictionary(table[name].type) else table[name]
            for name in table.column_names
        }
    )


def cells(study):
    """One row for each ok verdict on an unfavourable reference: its key, and whether it is favourable."""
    keys = ["instance_id", "generator", "rubric_id"]
    judged = plain(study.judgments().read_all().select([*keys, "met"])).filter(pc.field("met").is_valid())
    true = plain(study.tables()["references"].select([*keys, "met"])).rename_columns([*keys, "true"])
    points = plain(study.tables()["rubrics"].select(["instance_id", "rubric_id", "points"]))
    rows = judged.join(true, keys, join_type="inner").join(points, ["instance_id", "rubric_id"])
    negative = pc.less(rows["points"], 0)
    rows = rows.append_column("favourable", pc.xor(rows["met"], negative))
    return rows.filter(pc.invert(pc.xor(rows["true"], negative)))


def rates(rows):
    counted = rows.group_by("generator").aggregate([("favourable", "mean")])
    return dict(zip(counted["generator"].to_pylist(), counted["favourable_mean"].to_pylist(), strict=True))


def ratios(by_model):
    """The ratio to the mean over b-1 and c-1, of the judge's own rate and of its relative's."""
    other = (by_model["b-1"] + by_model["c-1"]) / 2
    return by_model["a-1"] / other, by_model["a-2"] / other


# The own rate uses some 24,000 verdicts with a chance of 0.3: a standard error of 1 %, and of the ratio
# some 1.3 %; 5 % is nearly four of them.
CLOSE = 0.05


@pytest.mark.parametrize(("self_ratio", "family_ratio"), [(1.0, 1.0), (1.5, 1.2), (0.7, 1.4)])
@pytest.mark.parametrize("paradigm", ["single_rubric", "all_rubrics"])
def test_rubric_verdicts_have_the_planted_ratios(paradigm, self_ratio, family_ratio):
    study = draw(Bias(self_ratio, family_ratio), paradigm)

    own, relative = ratios(rates(cells(study)))

    assert own == pytest.approx(self_ratio, rel=CLOSE)
    assert relative == pytest.approx(family_ratio, rel=CLOSE)


def test_a_bias_on_negative_rubrics_is_found_only_there():
    study = draw(Bias(self_ratio=2.0, on=BiasedRubrics("polarity", "negative")))

    rows = cells(study)

    inside, _ = ratios(rates(rows.filter(pc.field("points") < 0)))
    outside, _ = ratios(rates(rows.filter(pc.field("points") > 0)))
    # the slice holds a fifth of the rubrics, so its standard error is about 2.5 %
    assert inside == pytest.approx(2.0, rel=0.1)
    assert outside == pytest.approx(1.0, rel=CLOSE)


def test_hard_items_raise_the_plain_ratio_and_not_the_matched_one():
    study = draw(Bias(hard_items=2.5))

    rows = cells(study)

    own, _ = ratios(rates(rows))
    favourable = {
        (row["generator"], row["instance_id"], row["rubric_id"]): row["favourable"]
        for row in rows.to_pylist()
    }
    credited_own = credited_other = 0
    for (generator, instance, rubric), verdict in favourable.items():
        own_verdict = favourable.get(("a-1", instance, rubric))
        if generator in ("b-1", "c-1") and own_verdict is not None:
            credited_own += own_verdict
            credited_other += verdict
    assert own > 1.2
    assert own == pytest.approx(study.planted()["judges"]["a-1"]["expected"]["hspp_self"], rel=CLOSE)
    assert credited_own / credited_other == pytest.approx(1.0, rel=CLOSE)


def test_pairs_have_the_planted_ratios_on_lost_comparisons():
    study = draw(Bias(1.5, 1.2), "pairwise")
    score = {}
    for row in study.tables()["references"].to_pylist():
        score.setdefault((row["instance_id"], row["generator"]), {})[row["rubric_id"]] = row["met"]
    points = {(r["instance_id"], r["rubric_id"]): r["points"] for r in study.tables()["rubrics"].to_pylist()}
    good = {
        key: sum(met == (points[key[0], rubric] >= 0) for rubric, met in verdicts.items())
        for key, verdicts in score.items()
    }

    orders = {}
    for row in plain(study.judgments().read_all()).to_pylist():
        if row["choice"] is not None:
            sign = {"generator": 1, "opponent": -1, "tie": 0}[row["choice"]]
            orders.setdefault((row["instance_id"], row["generator"], row["opponent"]), []).append(sign)
    over = {}
    for (instance, first, second), signs in orders.items():
        gap = good[instance, first] - good[instance, second]
        if len(signs) < 2 or gap == 0:
            continue
        loser, spared = (first, sum(signs) >= 0) if gap < 0 else (second, sum(signs) <= 0)
        over.setdefault(loser, []).append(spared)

    own, relative = ratios({name: sum(hits) / len(hits) for name, hits in over.items()})
    # some 7,000 lost comparisons of each generator: a standard error of 2.5 %
    assert own == pytest.approx(1.5, rel=0.1)
    assert relative == pytest.approx(1.2, rel=0.1)
