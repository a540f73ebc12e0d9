"""Rows are grouped by the word that readers have for a column, in any case."""

import pytest

import engine
from engine.errors import UsageError
from engine.slices import GROUPINGS, grouping, parse_filters


@pytest.fixture(scope="module")
def demo():
    return engine.open_study("results/demo-health")


@pytest.mark.parametrize("word", ["Criterion", "criteria", "rubric-id"])
def test_criteria_have_several_words(word):
    assert grouping(word, GROUPINGS) == "rubric_id"


def test_criteria_are_split_by_their_word(demo):
    options = {"level": "rubric", "judges": "aster-large", "resamples": 0}
    by_column = demo.result("hspp", by="rubric_id", **options)

    by_word = demo.result("hspp", by="criteria", **options)

    assert by_word.by == "rubric_id"
    assert by_word.filters == by_column.filters
    assert by_word.rows == by_column.rows


def test_topics_are_themes(demo):
    assert demo.result("hspp", by="Topic", resamples=0).by == "theme"


def test_two_columns_may_be_given_by_their_words(demo):
    frame = demo.expected(by=["Polarity", "axis"], resamples=0)

    assert list(frame.columns[:2]) == ["polarity", "axis"]


def test_every_column_is_found_by_its_name_with_hyphens_and_capitals():
    assert [grouping(name.replace("_", "-").title(), GROUPINGS) for name in GROUPINGS] == list(GROUPINGS)


@pytest.mark.parametrize("by", ["generator", "rater", "rubrc_id", 3])
def test_an_unknown_column_is_refused_with_the_words_of_readers(demo, by):
    with pytest.raises(UsageError, match="unknown column to group by") as refused:
        demo.measure("hspp", by=by)

    assert str(refused.value).endswith("size, criterion")


@pytest.mark.parametrize(
    ("name", "word"), [("check", "criterion"), ("Metric Name", "criterion"), ("domain", "category")]
)
def test_the_column_of_a_file_is_refused_with_the_name_that_it_has_here(demo, name, word):
    with pytest.raises(UsageError, match=f"reads a column '{name}' as {word}; choose from"):
        demo.measure("hspp", by=name)


def test_a_file_s_column_that_is_no_filter_is_refused_with_the_filter(demo):
    with pytest.raises(UsageError, match="reads a column 'topic' as theme; choose from"):
        demo.measure("hspp", topic="sleep")


def test_labellers_are_people_whose_labels_are_split(demo):
    with pytest.raises(UsageError, match="choose from: labeller, pair, quality_difference"):
        demo.measure("annotators", by="axis")


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("Topic=billing; criteria=r1,r2", {"theme": "billing", "rubric_id": "r1,r2"}),
        ("criterion=r1;judge=ada;run-id=monday", {"rubric_id": "r1", "judges": "ada", "run": "monday"}),
    ],
)
def test_filters_in_one_text_take_the_words_of_readers_too(text, filters):
    assert parse_filters(text) == filters


def test_a_filter_that_two_words_give_is_refused():
    with pytest.raises(
        UsageError, match="'topic=a;theme=b' gives theme twice; separate its values by commas"
    ):
        parse_filters("topic=a;theme=b")


def test_topics_select_the_same_slice_in_a_terminal(spb_here):
    theme = "global_health"
    by_name, by_word = (
        spb_here("measure", "hspp", "results/demo-health", "--where", f"{name}={theme}", "--format", "json")
        for name in ("theme", "topic")
    )

    assert by_word.returncode == 0
    assert by_word.stdout == by_name.stdout
