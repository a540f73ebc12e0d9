"""Slices: what a reader learns where no number is defined, and which interval a number has."""

import re
from pathlib import Path

import pytest

import engine
from engine.measures.scorecard.beyond_scale import OWN_EXPECTED
from engine.views.keys import choices_in
from engine.views.registry import VIEWS
from engine.views.summaries import summary_of
from engine.words import given_expected

ROOT = Path(__file__).resolve().parents[2]


def test_a_slice_without_a_number_says_which_comparison_has_some():
    study = engine.open_study(ROOT / "results" / "demo-health")
    lacking, other = ({"language": ("sw",), "against": (name,)} for name in ("expected", "judges"))

    problems = VIEWS["slices"].shown(study, lacking).problems

    assert problems[-1].startswith("There are numbers with Against: “outside judges, as a ratio”")
    assert not VIEWS["slices"].shown(study, other).problems


def test_a_slice_in_which_nothing_can_be_compared_offers_no_other_comparison():
    study = engine.open_study(ROOT / "results" / "demo-health")

    problems = VIEWS["slices"].shown(study, {"generators": ("aster-mini",)}).problems

    assert problems == ("No number is defined in this slice; the table says why.",)


def test_an_interval_of_sampling_alone_is_never_shown_as_that_of_the_conclusion():
    study = engine.open_study(ROOT / "results" / "demo-health")
    board = " ".join(VIEWS["judges"].shown(study, {}).sentences)

    explore = VIEWS["slices"].shown(study, {}).sentences
    command = summary_of(study.result("expected")).sentences

    assert "sampling alone" not in board
    assert re.search(r"\(95% CI \d+ to \d+, of sampling alone\)", explore[0])
    assert "The conclusions on the page Judges also allow for judges' tastes" in explore[1]
    assert all(", of sampling alone)" in sentence for sentence in command if "95% CI" in sentence)
    assert "of sampling alone" in summary_of(study.result("expected", by="axis")).sentences[0]


def test_slices_by_two_columns_have_the_caveat_on_expected_numbers_beyond_the_scale():
    study = engine.open_study(ROOT / "results" / "demo-pairs")

    shown = VIEWS["slices"].shown(study, {"by": ("response_length", "category")})

    results = [
        study.result("expected", by="response_length", category=(value,), variant="forced", pairs="all")
        for value in choices_in(study).values["category"]
    ]
    rows = [row for result in results for row in result.rows if row["excess"] is not None]
    ends = [[row[name] for name in OWN_EXPECTED if row[name] is not None] for row in rows]
    beyond = sum(min(values) < -1e-9 or max(values) > 1 + 1e-9 for values in ends)
    assert beyond
    _, caveat = shown.sentences
    assert caveat.startswith(
        f"In {beyond} of {len(rows)} rows the expected number or its interval lies beyond"
    )


def test_slices_by_two_columns_rest_on_all_of_their_judgments():
    study = engine.open_study(ROOT / "results" / "demo-health")

    whole, crossed = (VIEWS["slices"].shown(study, {"by": by}) for by in ((), ("theme", "axis")))

    assert crossed.basis[1] == whole.basis[1] != ""
    assert "axis accuracy or" in crossed.basis[0]
    n_slices = len({(row["theme"], row["axis"]) for row in crossed.table.numbers})
    assert crossed.sentences[0].startswith(f"{n_slices} slices by theme and ")
    assert crossed.commands == ("spb measure expected demo-health --by theme,axis",)
    rows = study.result("expected", by=["theme", "axis"]).rows
    assert list(crossed.table.numbers) == rows
    assert len(crossed.table.rows) + crossed.table.n_more == len(rows)


def test_slices_by_two_columns_without_a_number_are_named():
    study = engine.open_study(ROOT / "results" / "demo-health")
    rows = study.result("hspp", by=["theme", "axis"]).rows
    has = {}
    for row in rows:
        words = f"{row['theme']} · {row['axis']}".replace("_", " ")
        has[words] = has.get(words, False) or row["hspp_self"] is not None

    problems = VIEWS["slices"].shown(study, {"by": ("theme", "axis"), "against": ("responses",)}).problems

    lacking = [words for words, has_number in has.items() if not has_number]
    assert any(problem.startswith("Without a number: ") for problem in problems) == bool(lacking)
    assert all(any(words in problem for problem in problems) for words in lacking[:8])


def test_judges_in_slices_that_are_above_what_was_expected_are_named_also_with_few_cases():
    result = engine.open_study(ROOT / "results" / "demo-health").result("expected", by="axis")
    below = {"own_given": 0.4, "own_expected": 0.5, "excess": -0.1, "excess_low": -0.2, "excess_high": 0.1}
    above = {"own_given": 0.9, "own_expected": 0.5, "excess": 0.4, "excess_low": 0.1, "n_own": 3}
    first, *others = result.rows
    [axis] = (first[name] for name in result.group_columns)

    [counted] = given_expected.of_rows(
        result.with_rows([{**first, **below, **above}, *({**row, **below} for row in others)])
    )

    assert counted.startswith("1 of ")
    assert f"(95% interval of each alone): {first['judge']} where axis is {axis}. " in counted


@pytest.mark.parametrize("by", [None, "axis"])
def test_no_judge_is_named_above_what_was_expected_that_is_not(by):
    result = engine.open_study(ROOT / "results" / "demo-health").result("expected", by=by)
    below = {"own_given": 0.4, "own_expected": 0.5, "excess": -0.1, "excess_low": -0.2, "excess_high": 0.1}
    rows = [{**row, **below} for row in result.rows]

    named = given_expected.of_rows(result)
    [counted] = given_expected.of_rows(result.with_rows(rows))

    assert "above is" in named[0]
    assert counted.startswith(
        f"None of {len(rows)} {'judges' if by is None else 'pairs of judge and slice'} is above"
    )
