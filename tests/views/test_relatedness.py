"""The view of relatedness: its matrix and tree, and that chance is not called a finding."""

import json
from pathlib import Path

import engine
from engine.charts.fit_width import fit_to_width
from engine.views.registry import VIEWS
from engine.words.relatedness import relatedness_sentences

ROOT = Path(__file__).resolve().parents[2]


def row_of(one, two, number, same, p=0.4, low=-0.2):
    return {
        "judge": one, "other_judge": two, "same_family": same, "relatedness": number, "n": 100,
        "relatedness_low": number - 0.02, "relatedness_high": number + 0.02,
        "growth": 0.3, "growth_low": low, "growth_high": 0.5, "growth_p": p, "growth_n": 20,
    }  # fmt: skip


def test_the_pair_most_alike_families_and_growth_are_said():
    first, families, growth = relatedness_sentences(
        [row_of("a", "b", 0.05, True), row_of("a", "c", 0.01, False)]
    )

    assert first.startswith("Of 2 pairs of judges, a and b, of one family, err most alike: kappa +0.050")
    assert families == "Pairs of one family: +0.050 on average; of different families: +0.010."
    assert growth.startswith("It is not shown that judges overrate")


def test_growth_is_claimed_only_if_both_the_test_and_the_interval_say_so():
    assert "not shown" in relatedness_sentences([row_of("a", "b", 0.05, True, p=0.01)])[-1]
    assert relatedness_sentences([row_of("a", "b", 0.05, True, p=0.01, low=0.1)])[-1].startswith(
        "Judges overrate other models more, the more alike they err (r +0.30, 95% CI +0.10 to +0.50"
    )


def test_growth_without_an_interval_is_said_without_one_and_not_claimed():
    row = row_of("a", "b", 0.05, True, p=0.01) | {"growth_low": None, "growth_high": None}

    assert relatedness_sentences([row])[-1] == (
        "It is not shown that judges overrate the models they are like (r +0.30, p 0.010 over 20 ordered "
        "pairs of models)."
    )


def test_the_picture_has_each_pair_twice_and_a_tree():
    shown = VIEWS["relatedness"].shown(engine.open_study(ROOT / "results" / "demo-health"), {})

    text = json.dumps(shown.figure.spec)
    assert shown.problems == ()
    assert text.count("different families") + text.count('"one family"') >= 72
    assert '"merge"' in text
    assert any("within each truth" in line for line in shown.basis)


def test_on_a_phone_the_tree_stands_below_the_matrix_with_the_names_of_its_rows():
    spec = VIEWS["relatedness"].shown(engine.open_study(ROOT / "results" / "demo-health"), {}).figure.spec

    matrix, tree = fit_to_width(spec, 374)["vconcat"]

    axes = [layer["encoding"]["y"]["axis"] for layer in tree["layer"] if layer["encoding"]["y"]["axis"]]
    assert [axis["labels"] for axis in axes] == [True]
    assert tree["width"] == matrix["width"] < 374


def test_bars_of_criteria_do_not_overlap_on_a_phone():
    spec = VIEWS["agreement"].shown(engine.open_study(ROOT / "results" / "demo-health"), {}).figure.spec

    _, bars = fit_to_width(spec, 374)["vconcat"]

    low, high = bars["encoding"]["x"]["scale"]["domain"]
    assert bars["mark"]["size"] < 0.05 / (high - low) * bars["width"]
