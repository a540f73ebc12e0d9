"""The imported published study gives the numbers printed in its paper."""

import pytest
from plain.published import STUDY, as_printed, needs_published_study, printed

from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

pytestmark = needs_published_study


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    store = tmp_path_factory.mktemp("store")
    import_tidy(STUDY, Store(store), "ifeval")
    return Study.open(store / "ifeval")


@pytest.mark.parametrize(
    ("measure", "column", "field"),
    [
        ("accuracy", "IFEval MRA", "mra"),
        ("hspp", "IFEval HSPP-Rub. (Self)", "hspp_self"),
        ("hspp", "IFEval HSPP-Rub. (Fam.)", "hspp_family_with_self"),
    ],
)
def test_all_cells_of_table_1_are_reproduced(study, measure, column, field):
    expected = printed("Table 1", column)

    rows = study.result(measure, paradigm="single_rubric", resamples=0).rows

    assert len(expected) == 12
    assert {row["judge"]: as_printed(row[field], "0.00") for row in rows if row["judge"]} == expected


@pytest.mark.parametrize(("who", "field"), [("Self", "l2w_share_self"), ("Other", "l2w_share_other")])
def test_all_cells_of_table_2_are_reproduced(study, who, field):
    to_win, to_tie = (printed("Table 2", f"{who} {kind} (%)") for kind in ("l2w", "l2t"))

    rows = [row for row in study.result("hspp", level="instance", resamples=0).rows if row["judge"]]

    assert len(to_win) == len(to_tie) == 12
    assert {row["judge"]: as_printed(100 * row[field], "0.0") for row in rows} == to_win
    assert {row["judge"]: as_printed(100 * (1 - row[field]), "0.0") for row in rows} == to_tie


def test_matched_ratios_are_those_quoted_in_the_definitions(study):
    rows = study.result("hspp", paradigm="single_rubric", resamples=0).rows

    matched = {row["judge"]: row["hspp_matched"] for row in rows}
    assert as_printed(matched["gpt_5"], "1.03") == "1.03"
    assert as_printed(matched["claude_4_5_sonnet"], "0.81") == "0.81"
    # The definitions quote 1.37; the study's verdicts give 217 / 159 = 1.3648.
    assert matched["qwen3_235b_instruct"] == pytest.approx(1.37, abs=0.006)


def test_family_ratios_without_self_are_below_one_for_the_three_named_judges(study):
    rows = study.result("hspp", paradigm="single_rubric", resamples=0).rows

    below = {row["judge"]: row["hspp_family"] for row in rows if row["judge"] and row["hspp_family"] < 1}
    assert as_printed(below.pop("gpt_5"), "0.85") == "0.85"
    assert as_printed(below.pop("claude_4_5_haiku"), "0.98") == "0.98"
    assert as_printed(below.pop("gemma_3_27b_it"), "0.997") == "0.997"
    assert below == {}


@pytest.mark.parametrize(("agreement_of", "expected"), [("rubric", "1.12"), ("verdict", "1.01")])
def test_an_agreement_threshold_changes_the_mean_ratio_as_quoted(study, agreement_of, expected):
    options = {"min_agreement": 0.9, "agreement_of": agreement_of}

    rows = study.result("hspp", paradigm="single_rubric", resamples=0, **options).rows

    [mean] = [row for row in rows if row["judge"] is None]
    assert as_printed(mean["hspp_self"], expected) == expected
