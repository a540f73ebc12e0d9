import pytest

from engine.errors import UsageError
from engine.simulation.default_models import default_models, names_of
from engine.simulation.design import Bias, BiasedRubrics, Design, ModelTraits


def test_a_chance_raised_above_one_by_the_ratios_is_refused_naming_the_judge():
    # 0.5 * 1.7 * (1 + 0.3) = 1.105
    judge = ModelTraits("keen", "a", overestimation=0.5, bias=Bias(self_ratio=1.7))

    with pytest.raises(UsageError, match=r"judge 'keen'.*1\.1"):
        Design(judges=(judge,), generators=(judge,), instance_spread=0.3)


def test_a_model_described_twice_differently_is_refused():
    with pytest.raises(UsageError, match="'twin' is described twice"):
        Design(
            judges=(ModelTraits("twin", "a", skill=0.6),), generators=(ModelTraits("twin", "a", skill=0.7),)
        )


def test_two_judges_of_one_name_are_refused():
    with pytest.raises(UsageError, match="judge 'a-1' is empty or occurs twice"):
        Design(
            judges=(ModelTraits("a-1", "a"), ModelTraits("a-1", "a")), generators=(ModelTraits("b-1", "b"),)
        )


@pytest.mark.parametrize(("unparsed", "refused"), [(0.6, 0.4), (-0.1, 0.0)])
def test_shares_of_missing_verdicts_must_leave_some_verdicts(unparsed, refused):
    model = ModelTraits("a-1", "a")

    with pytest.raises(UsageError, match="sum is below 1"):
        Design((model,), (model,), unparsed=unparsed, refused=refused)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("negative", "names no slice"),
        ("colour=red", "unknown column of a biased slice 'colour'; choose from: polarity"),
        ("polarity=both", "unknown polarity 'both'"),
        ("length=short", "neither 'extreme' nor LO:HI"),
    ],
)
def test_an_invalid_slice_is_refused_with_the_valid_forms(text, message):
    with pytest.raises(UsageError, match=message):
        BiasedRubrics.parse(text)


def test_an_open_end_of_a_length_is_infinite():
    bounds = BiasedRubrics.parse("length=40:").bounds()

    assert bounds == (40.0, float("inf"))


@pytest.mark.parametrize(
    ("field", "value"), [("self_ratio", 0.0), ("family_ratio", -1.0), ("hard_items", 0.0)]
)
def test_a_ratio_of_zero_or_less_is_refused(field, value):
    with pytest.raises(UsageError, match=f"{field} {value}"):
        Bias(**{field: value})


def test_a_number_of_models_makes_families_of_three():
    names = names_of(["4"])

    models = default_models(names, [], Bias(), None, overestimation=0.2, underestimation=0.1)

    assert names == ["f1-1", "f1-2", "f1-3", "f2-1"]
    assert [model.family for model in models] == ["f1", "f1", "f1", "f2"]


def test_only_the_named_judges_have_the_bias():
    bias = Bias(self_ratio=1.5)

    models = default_models(["a", "b"], ["x", "y"], bias, ["b"], overestimation=0.2, underestimation=0.1)

    assert [model.bias.self_ratio for model in models] == [1.0, 1.5]


def test_families_that_do_not_match_the_models_are_refused():
    with pytest.raises(UsageError, match="1 families for 2 models"):
        default_models(["a", "b"], ["x"], Bias(), None, overestimation=0.2, underestimation=0.1)
