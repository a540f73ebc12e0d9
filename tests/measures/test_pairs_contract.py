"""What every measure on pairs guarantees: its fields, its refusals, and a reason if it is empty."""

import pytest
from plain.builders import compare, refer, study_of
from plain.pair_builders import G, O, both_orders, equals, rate

from engine.errors import UsageError

FEW = {"resamples": 0, "min_instances": 1}


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        ("equal-quality", {"epsilon": -1}),
        ("discriminability", {"gap": -1}),
        ("equal-quality", {"quality_judges": ["nobody"]}),
        ("quality-baseline", {"max_proxies": 0}),
        ("quality-baseline", {"like_accuracy": -0.1}),
        ("quality-baseline", {"proxy_models": ["nobody"]}),
        ("quality-baseline", {"gold": ["nobody"]}),
        ("dbg", {"length_ratio": -0.1}),
        ("mitigation", {"variants": ["nothing"]}),
    ],
)
def test_an_option_out_of_range_is_refused_by_name(load, measure, options):
    study = load(equals())
    name, value = next(iter(options.items()))

    with pytest.raises(UsageError) as refusal:
        study.result(measure, **FEW, **options)

    assert repr(value[0] if isinstance(value, list) else value) in str(refusal.value) or name in str(
        refusal.value
    )


@pytest.mark.parametrize("measure", ["equal-quality", "discriminability", "archetypes", "mitigation"])
def test_a_study_without_quality_is_answered_with_the_reason(load, measure):
    study = study_of("J:F A:G")
    both_orders(study, "J", "J", "A", (G, G))

    result = load(study).result(measure, **FEW)

    assert result.rows == []
    assert "quality" in result.reason


@pytest.mark.parametrize("measure", ["equal-quality", "discriminability", "mitigation"])
def test_without_a_counted_pair_the_reason_names_what_is_missing(load, measure):
    study = study_of("J:F A:G R:Q")
    rate(study, "R", {"J": 6, "A": 6})
    compare(study, "J", "J", "A", "generator", G)
    compare(study, "J", "J", "A", "generator", G, variant="cot")

    result = load(study).result(measure, **FEW)

    assert result.rows == []
    assert "reference" not in result.reason


CONTRACT = {
    "equal-quality": "judge mean_quality pir null_pir spb n_pairs n_null_pairs z z_p binomial_p spb_low "
    "spb_high significant",
    "discriminability": "judge d correct n p",
    "archetypes": "judge d spb archetype",
    "mitigation": "judge variant spb reduction reduction_low reduction_high eta d cost_ratio",
    "quality-baseline": "judge opponent sp acc bias ilsp lsp n_examples n ilsp_matched ilsp_updated se "
    "t_stat p relative_change entropy_self entropy_proxy entropy_gap proxy_win_rate",
    "dbg": "judge opponent win_rate gold_win_rate dbg win_rate_decided gold_win_rate_decided dbg_decided "
    "dbg_soft flip_rate ties n",
}


@pytest.mark.parametrize("measure", CONTRACT)
def test_every_field_of_the_contract_is_in_a_row_or_has_its_reason(load, measure):
    study = equals()
    rate(study, "J", {"J": 9, "A": 5, "B": 1})
    refer(study, "J", "1")
    refer(study, "A", "0")
    for model, score in (("C", 6), ("D", 9)):
        study.add("models", model=model, family=model)
        rate(study, "R", {model: score})
    both_orders(study, "J", "C", "D", (O, O))

    row = load(study).result(measure, **FEW).rows[0]

    for name in CONTRACT[measure].split():
        assert name in row
        assert row[name] is not None or row["reasons"][name]
