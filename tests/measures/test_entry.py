"""The entry of a measure: what kinds of columns carry, the options of rows, and the words on intervals."""

from dataclasses import replace

import pytest

from engine.measures import entry
from engine.measures.catalogue import MEASURES
from engine.measures.entry import ADDED, OF_FEW_CASES, TESTED, Field

PLAIN = replace(MEASURES["hspp"], intervals={})


@pytest.mark.parametrize(
    ("field", "kind", "interval", "null"),
    [
        (entry.key("a", "it"), "text", False, None),
        (entry.count("a", "it"), "count", False, None),
        (entry.share("a", "it"), "share", True, None),
        (entry.portion("a", "it"), "share", False, None),
        (entry.number("a", "it"), "number", False, None),
        (entry.estimate("a", "it"), "number", True, None),
        (entry.estimate("a", "it", 0.5), "number", True, 0.5),
        (entry.ratio("a", "it"), "ratio", True, 1.0),
        (entry.ratio("a", "it", tested=False), "ratio", True, None),
        (entry.difference("a", "it"), "difference", True, 0.0),
        (entry.difference("a", "it", "points", tested=False), "points", True, None),
    ],
)
def test_a_kind_of_column_says_whether_it_has_an_interval_and_what_it_is_tested_against(
    field, kind, interval, null
):
    assert (field.name, field.meaning) == ("a", "it")
    assert (field.kind, field.interval, field.null) == (kind, interval, null)


def test_titles_and_axes_are_those_given():
    makers = (entry.key, entry.count, entry.share, entry.portion, entry.number, entry.estimate, entry.ratio)
    for make in (*makers, entry.difference):
        assert make("a", "it", title="T").title == "T"
        assert make("a", "it").title == ""
    for make in (entry.estimate, entry.ratio, entry.difference):
        assert make("a", "it", axis="X").axis == "X"


def test_a_column_is_followed_by_the_ends_of_its_interval_and_its_tests():
    assert Field("a", "count", "it").columns() == ["a"]
    assert Field("a", "share", "it", interval=True).columns() == ["a", "a_low", "a_high"]
    assert Field("a", "ratio", "it", True, 0.0).columns() == ["a", "a_low", "a_high", "a_p", "a_p_adjusted"]


def test_the_option_of_rows_names_the_usual_ones_and_explains_the_others():
    option = entry.rows_option("pairs", judges="one each", flips="who wins")

    assert (option.name, option.kind, option.default) == ("rows", "name", None)
    assert option.choices == ("pairs", "judges", "flips")
    assert option.meaning == "what the rows are: pairs (default) or judges (one each), flips (who wins)"


def test_a_choice_is_its_first_name_unless_given():
    option = entry.choice("quality", "where from", "judges", "reference")

    assert (option.default, option.choices, option.kind) == ("judges", ("judges", "reference"), "name")


def test_what_the_options_and_columns_of_several_measures_begin_with():
    # Of scores from 0 to 10 in quarters, one step apart is equal quality.
    assert entry.EPSILON.default == 0.25
    assert [option.default for option in entry.QUALITY] == ["judges", ()]
    assert (entry.SMALL.kind, entry.SMALL.interval) == ("flag", False)


def test_a_measure_is_of_slices_and_resampled_with_draws_that_can_be_compared_unless_it_says_otherwise():
    texts = dict.fromkeys(("name", "title", "question", "formula", "paper", "left_out", "headline"), "?")

    measure = entry.Measure(**texts, function=print, fields=())

    assert (measure.sliced, measure.resampled, measure.draws, measure.compared_in_common) == (
        *(True, True, True, False),
    )
    assert (measure.keys, measure.compared_as, measure.level, measure.groups) == (
        *(("judge",), "difference", None, ()),
    )


def test_a_measure_has_a_chart_if_one_is_named():
    assert replace(PLAIN, chart="ratios").has_chart is True
    assert replace(PLAIN, chart=None).has_chart is False


def test_a_field_has_the_method_that_names_it_other_than_that_of_few_cases():
    measure = replace(PLAIN, intervals={OF_FEW_CASES: ("a", "b"), ADDED: ("b", "c"), TESTED: ("d",)})

    assert [measure.method(name) for name in "abcde"] == [None, ADDED, ADDED, TESTED, None]


def test_intervals_of_few_cases_replace_only_expanded_ones():
    few = replace(PLAIN, intervals={OF_FEW_CASES: ("a",)})
    both = replace(PLAIN, intervals={OF_FEW_CASES: ("a",), ADDED: ("b", "c")})

    assert PLAIN.interval_words("percentile") is None
    assert PLAIN.interval_words("expanded") == "expanded"
    assert few.interval_words("percentile") is None
    assert few.interval_words("expanded") == "expanded; effective cases where few: a"
    assert both.interval_words("percentile") == "percentile; added cases: b, c"
    assert both.interval_words("expanded") == ("expanded; effective cases where few: a; added cases: b, c")
