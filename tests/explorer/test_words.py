"""Numbers and codes in a reader's words."""

import pytest

from engine.measures.catalogue import MEASURES
from engine.measures.entry import Field
from engine.measures.result import Result
from engine.measures.undefined_reasons import meaning
from engine.study import Study
from engine.views.summaries import summary_of
from engine.words import based_on, paradigm_words, row_cells, slice_words
from explorer.page_list import FILTERS, PAGES

RATIO = Field("hspp_self", "ratio", "a ratio", interval=True)
SHARE = Field("rate", "share", "a share", interval=True)


def row(name, value, low, high, **reasons):
    return {name: value, f"{name}_low": low, f"{name}_high": high, "reasons": reasons}


def test_a_ratio_has_two_decimals_and_its_interval():
    assert row_cells.cell(row("hspp_self", 1.0849, 1.03, 1.1449), RATIO) == "1.08 [1.03, 1.14]"


def test_a_share_is_in_percent():
    assert row_cells.cell(row("rate", 0.1234, 0.1, 0.2), SHARE) == "12.3% [10.0%, 20.0%]"


def test_an_undefined_number_is_a_dash_with_its_reason():
    undefined = row("hspp_self", None, None, None, hspp_self="no_relatives")

    assert row_cells.cell(undefined, RATIO) == "– (no other model of its family)"


def test_a_number_without_an_interval_says_why_it_has_none():
    bare = row("hspp_self", 1.5, None, None, hspp_self_low="too_many_undefined_resamples")

    assert row_cells.cell(bare, RATIO) == "1.50 (no interval: too few cases for an interval)"


@pytest.mark.parametrize("value", [0, 0.0])
def test_zero_is_a_number_and_no_dash(value):
    assert row_cells.cell(row("rate", value, 0.0, 0.0), SHARE).startswith("0.0%")


def test_every_column_that_pages_show_is_declared_by_its_measure():
    for name in ("hspp", "accuracy"):
        declared = row_cells.declarations(MEASURES[name])

        assert all(field.meaning for field in declared.values())


def test_left_out_judgments_are_counted_in_words():
    assert based_on.left_out({"unparsed": 1480, "error": 0}) == (
        "Left out: 1,480 judgments without a readable verdict."
    )
    assert based_on.left_out({"unparsed": 0}) == "Nothing was left out."


def test_why_a_number_that_decides_takes_no_reference_is_said():
    scores, votes, verdicts = (
        based_on.basis_of({"reference": None, "decided_by": number})
        for number in ("bonus_outside", "vote_outside", "odds_self")
    )

    assert "no reference (scores are compared with those of other judges for the same answers)" in scores
    assert "no reference (votes are compared with those of other judges on the same pairs)" in votes
    assert "no reference, decided by" in verdicts


def test_what_preferences_decide_and_leave_undecided_is_said_of_them_and_not_of_a_reference():
    def texts(**filters):
        result = Result(MEASURES["quality-baseline"], "small", filters, {}, {"reference_tie": 396}, None)
        return based_on.basis_of(filters), based_on.left_out_of(result)

    by_preferences, by_reference = texts(reference=None, gold=()), texts(reference="human", gold=())

    assert "preferences in place of a reference" in by_preferences[0]
    assert "no reference" not in by_preferences[0]
    assert by_preferences[1] == "Left out: 396 judgments of pairs that the preferences leave undecided."
    assert by_reference[1] == "Left out: 396 judgments that the reference leaves undecided."


def test_every_filter_that_applied_is_named_beside_the_numbers():
    phrases = based_on.basis_of(
        {
            "paradigm": "all_rubrics",
            "level": "rubric",
            "reference": "human",
            "axis": ("a", "b"),
            "length": (10.0, None),
            "exclude_family": True,
            "resamples": 500,
        }
    )

    for words in (
        "all criteria",
        "reference human",
        "axis a or b",
        "length 10 to",
        "exclude family on",
        "500",
    ):
        assert words in phrases


def test_every_page_has_a_file_and_the_study_in_its_address():
    for page in PAGES:
        assert page.path.is_file()
        assert ("study" in page.keys) != (page.needs == "annotator")  # annotators must not see studies
    assert {"axis", "judges", "length"} <= set(FILTERS)


@pytest.mark.parametrize(("clusters", "unit"), [("instance", "question"), ("theme", "theme")])
def test_conclusions_are_not_said_to_rest_on_resamples(clusters, unit):
    filters = {"paradigm": "single_rubric", "resamples": 1000, "clusters": clusters}

    words = based_on.basis_of(
        filters | {"interval": "percentile; questions deleted one at a time: ratio_outside"}
    )

    assert words.endswith(f"95% intervals by leaving out one {unit} at a time (Student's t, no resamples).")
    assert "1,000" not in words


def test_intervals_other_than_percentiles_are_named_with_their_numbers():
    filters = {"paradigm": "pairwise", "resamples": 1000}

    plain = based_on.basis_of(filters | {"interval": "percentile"})
    other = based_on.basis_of(filters | {"interval": "expanded; added cases: spb, pir"})

    assert plain.endswith("95% intervals from 1,000 resamples of questions.")
    assert other.endswith("of questions (expanded; added cases for “SPB” and “PIR”).")


def test_intervals_of_numbers_that_are_not_shown_are_not_described():
    filters = {"paradigm": "pairwise", "resamples": 1000, "interval": "expanded; added cases: spb, pir"}

    assert based_on.basis_of(filters, ["pir"]).endswith("of questions (expanded; added cases for “PIR”).")
    assert based_on.basis_of(filters, ["n"]).endswith("of questions (expanded).")


def test_of_one_judge_it_is_that_judges_ratio_and_an_id_has_its_name():
    fields = {"hspp_self_low": 1.0, "hspp_self_high": 1.2, "n_self": 300}
    rows = [
        fields | {"judge": judge, "slice": slice_, "hspp_self": value + (judge is None) / 100}
        for slice_, value in (("q-1", 1.1), ("q-2", 1.15))
        for judge in ("J", None)
    ]
    names = {"q-1": "says why", "q-2": "gives a source"}

    assert slice_words.slices(rows, "criterion", names).startswith(
        "By criterion, the ratio of J is highest for gives a source (1.15, 95% CI 1.00 to 1.20) and lowest "
        "for says why (1.10,"
    )
    several = [*rows, rows[0] | {"judge": "K"}]
    assert slice_words.slices(several, "criterion").startswith(
        "By criterion, the mean ratio over judges is highest for q-2 (1.16,"
    )
    assert paradigm_words.paradigms(rows).startswith("The ratio of J is highest with q-2 (1.15,")


def test_the_mean_over_judges_is_no_row_for_people_where_one_judge_is_shown():
    study = Study.open("results/demo-health")
    of_one = study.result("hspp", by="axis", judges="aster-large", resamples=0)
    of_two = study.result("hspp", by="axis", judges="aster-large,boreal-large", resamples=0)

    assert {row["judge"] for row in of_one.rows} == {"aster-large", None}
    assert {row["judge"] for row in summary_of(of_one).result.rows} == {"aster-large"}
    assert {row["judge"] for row in summary_of(of_two).result.rows} == {"aster-large", "boreal-large", None}
    card = study.result("scorecard", judges="aster-large")
    assert {row["judge"] for row in summary_of(card).result.rows} == {"aster-large", None}


def test_a_slice_is_called_highest_only_with_its_doubt():
    fields = {"judge": None, "hspp_self_low": 1.0, "hspp_self_high": 1.2, "n_self": 300}
    rows = [fields | {"slice": "a", "hspp_self": 1.1}, fields | {"slice": "b", "hspp_self": 1.15}]
    apart = fields | {"slice": "c", "hspp_self": 2.0, "hspp_self_low": 1.8, "hspp_self_high": 2.2}

    assert "highest for b (1.15, 95% CI 1.00 to 1.20) and lowest for a (1.10," in slice_words.slices(
        rows, "axis"
    )
    assert "overlap" in slice_words.slices(rows, "axis")
    assert "do not overlap" in slice_words.slices([*rows, apart], "axis")
    assert "Fewer than two slices" in slice_words.slices(rows[:1], "axis")
    few = apart | {"slice": "d", "hspp_self": 9.0, "n_self": 8}
    among_enough = slice_words.slices([*rows, few], "axis")
    assert among_enough.startswith("By axis (where it has an interval and 30 own failures or more), the mean")
    assert "highest for b (1.15, 95% CI 1.00 to 1.20) and lowest for a (1.10," in among_enough


def test_borders_of_archetypes_have_their_units():
    assert row_cells.borders(["d 0.8", "spb 0.05", "spb -0.05"]) == "D 80%; SPB +5 points; SPB -5 points"
    assert row_cells.borders([]) == "none"


def test_a_table_says_why_nothing_is_shown_as_the_code_does():
    result = Study.open("results/demo-health").result("scorecard")
    row = {**result.rows[0], "judge": "J", "conclusion": "not_shown", "reason": "undecided"}

    [text] = row_cells.format_rows(result.with_rows([row]), ["reason"])["reason"]

    assert text == "the data fit both a difference and none"


def test_a_row_says_once_why_several_of_its_numbers_are_missing():
    study = Study.open("results/demo-orders")
    result = study.result("scorecard")
    fields = ("judge", "own_expected", "p", "p_adjusted", "reason")
    row = {**result.rows[1], "own_expected": None, "p": None, "p_adjusted": None, "reason": None}
    row["reasons"] = {"own_expected": "no_common_pair", "p": "no_common_pair", "p_adjusted": "undefined"}

    frame = row_cells.format_rows(result.with_rows([row, {**row, "reason": "no_common_pair"}]), fields)

    why = f"– ({meaning('no_common_pair')})"
    assert frame.loc[0, ["own_expected", "p", "p_adjusted"]].tolist() == [why, "–", "– (not defined)"]
    assert frame.loc[1, ["own_expected", "p"]].tolist() == ["–", "–"]
    assert f"– ({frame.loc[1, 'reason']})" == why
