"""A request is validated before anything is read, and the tables of its slices become one result."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from plain.builders import judge_rubrics, refer, study_of

from engine.errors import StudyChangedError, UsageError
from engine.measures.catalogue import MEASURES
from engine.measures.compute import (
    check_grouping,
    check_resamples,
    compute_measure,
    shared_filters,
    why_empty,
)
from engine.measures.entry import Measure, Option, count, key
from engine.measures.measured_study import MeasuredStudy
from engine.measures.rows import Column, Table
from engine.study import Study


@pytest.fixture
def study(load):
    """Return a study of two instances in which J credits its own failure and A does not."""
    plain = study_of(models="J:F A:G", rubrics=(1, -1), instances=2)
    for place in ("x0", "x1"):
        for judge, mets in (("J", "11"), ("A", "01")):
            for generator in "JA":
                judge_rubrics(plain, judge, generator, mets, place)
        for generator in "JA":
            refer(plain, generator, "01", place)
    return load(plain)


def own_measure(function, **parts):
    """Return a measure that reads the study itself, with one text and one count."""
    texts = dict.fromkeys(("title", "question", "formula", "paper", "left_out"), "?")
    fields = (key("judge", "who"), count("n", "cases"))
    entry = {"name": "own", "function": function, "fields": fields, "headline": "n", "sliced": False}
    return Measure(**(texts | entry | parts))


def table_of(names, number, *, keep=True, **parts):
    columns = {"judge": Column(names), "n": Column(np.full(len(names), number))}
    return Table(columns, np.full(len(names), keep), 5, **parts)


@pytest.mark.parametrize(("given", "number"), [(0, 0), (10, 10), (11, 11), ("12", 12)])
def test_no_resamples_or_ten_and_more_are_enough(given, number):
    assert check_resamples(given) == number


@pytest.mark.parametrize("number", [1, 9])
def test_from_one_to_nine_resamples_are_too_few(number):
    with pytest.raises(UsageError, match=f"resamples {number}: too few for an interval; give 10 or more"):
        check_resamples(number)


def test_filters_of_tables_are_shared_where_all_are_equal_and_lists_are_merged():
    first = {"reference": "program", "members": ["a", "b"], "quality": "judges"}
    second = {"reference": "human", "members": ["b", "c"], "quality": "judges", "more": 1}

    assert shared_filters([]) == {}
    assert shared_filters([first]) == first
    assert shared_filters([first, second]) == {
        "reference": None, "members": ["a", "b", "c"], "quality": "judges",
    }  # fmt: skip


def test_why_there_are_no_rows_is_what_the_measure_says_or_what_is_missing(study):
    sliced = MEASURES["overestimation"]
    bare, itself = replace(sliced, empty=""), own_measure(print)
    without, with_one = {"reference": None}, {"reference": "program"}

    assert why_empty(study, replace(sliced, empty="nobody did"), []) == "nobody did"
    assert why_empty(study, itself, [without]) == "no judgment of this slice counts"
    no_reference = "the study has no reference for these judgments; import one"  # two judges are no committee
    nothing = "no judgment of this slice has a verdict and a reference"
    assert why_empty(study, bare, [without, without]) == no_reference
    assert why_empty(study, bare, [without, with_one]) == nothing
    assert why_empty(study, bare, []) == nothing


def refused(measure, by=(), *, comparing=False, common=False):
    with pytest.raises(UsageError) as error:
        check_grouping("small", measure, by, comparing=comparing, common=common)
    return str(error.value)


def test_a_measure_that_reads_the_study_itself_compares_no_slices():
    measure = own_measure(print, groups=("pair",))

    message = "own cannot compare slices; leave out --against and --common"
    assert refused(measure, comparing=True) == refused(measure, common=True) == message
    check_grouping("small", measure, (), comparing=False, common=False)
    check_grouping("small", measure, ("pair",), comparing=False, common=False)
    assert refused(measure, ("pair", "x")) == (
        "own takes one column to group by, or none; leave out a column"
    )
    assert refused(own_measure(print), ("theme",)).startswith("own cannot be grouped by theme")


def test_slices_are_compared_or_grouped_and_by_two_columns_only_without_more():
    measure = MEASURES["overestimation"]

    assert refused(measure, ("theme",), comparing=True).startswith("--against cannot be combined with --by")
    check_grouping("small", measure, (), comparing=True, common=True)
    check_grouping("small", measure, ("theme",), comparing=False, common=True)
    check_grouping("small", measure, ("theme", "axis"), comparing=False, common=False)
    assert refused(measure, ("theme", "axis"), common=True) == (
        "--common compares the slices of one column; leave it out, or give --by one column"
    )


def test_a_column_of_the_rows_cannot_be_one_of_two_to_group_by():
    measure = MEASURES["mitigation"]

    assert refused(measure, ("theme", "variant")) == (
        "mitigation has a column 'variant' of its own; group by the other column alone"
    )
    check_grouping("small", measure, ("variant",), comparing=False, common=False)


def refusal(measure: Measure, *by: str) -> UsageError:
    with pytest.raises(UsageError) as refused:
        check_grouping("small", measure, by, comparing=False, common=False)
    return refused.value


def test_what_cannot_be_grouped_names_the_command_that_can_be():
    of_expected = refusal(own_measure(print, by_slice="expected"), "theme", "rubric_id")
    of_none = refusal(own_measure(print), "Topic")

    assert str(of_expected) == (
        "own cannot be grouped by theme and criterion; type `spb measure expected small --by "
        "theme,criterion`, or `spb slices small`, which tries every column"
    )
    assert of_expected.message.in_python() == (
        'own cannot be grouped by theme and criterion; type `study.measure("expected", by=["theme", '
        '"criterion"])`, or `study.slices()`, which tries every column'
    )
    assert str(of_none) == (
        "own cannot be grouped by theme; leave out --by; `spb slices small` tries every column"
    )


@pytest.mark.parametrize(("by_slice", "measure"), [("", "expected"), ("accuracy", "accuracy")])
def test_an_unknown_column_is_refused_with_how_the_measure_that_groups_takes_one(by_slice, measure):
    error = refusal(own_measure(print, by_slice=by_slice), "colour")

    assert str(error).startswith(
        f"own cannot be grouped, as `spb measure {measure} small --by COLUMN` is; `spb slices small` tries "
        "every column; unknown column to group by 'colour'; choose from: "
    )
    assert f'as `study.measure("{measure}", by="COLUMN")` is' in error.message.in_python()


def test_intervals_are_expanded_for_measures_of_slices_and_percentiles_for_others(study):
    def words(measure, **options):
        return study.result(measure, resamples=10, **options).filters.get("interval")

    assert words("overestimation").startswith("expanded")
    assert words("overestimation", interval="percentile") is None
    assert words("reference-agreement") is None
    assert words("reference-agreement", interval="percentile") is None
    assert study.result("overestimation", resamples=0).filters.get("interval") is None
    with pytest.raises(UsageError, match="interval 'expanded' does not apply to reference-agreement"):
        study.result("reference-agreement", interval="expanded")
    with pytest.raises(UsageError, match="unknown interval 'wide'; choose from: expanded, percentile"):
        study.result("overestimation", interval="wide")


def test_the_default_intervals_are_those_of_their_name(study):
    default, expanded, percentile = (
        study.result("overestimation", resamples=50, **how).rows
        for how in ({}, {"interval": "expanded"}, {"interval": "percentile"})
    )

    assert default == expanded != percentile

    def widths(rows):
        ends = [name.removesuffix("_high") for name in rows[0] if name.endswith("_high")]
        spans = [(row[f"{name}_low"], row[f"{name}_high"]) for row in rows for name in ends]
        return [0 if low is None else high - low for low, high in spans]

    wider = zip(widths(expanded), widths(percentile), strict=True)
    assert all(one >= other for one, other in wider)
    assert sum(widths(expanded)) > sum(widths(percentile))


def test_a_measure_of_one_level_takes_no_other(study):
    measure = replace(MEASURES["overestimation"], level="rubric")

    assert study.result(measure, resamples=0).filters["level"] == "rubric"
    assert study.result(measure, level="rubric", resamples=0).rows
    with pytest.raises(UsageError, match="defined at level 'rubric' only; leave out --level"):
        study.result(measure, level="instance")


def test_resamples_and_the_seed_are_a_thousand_and_zero_unless_given(study):
    filters = study.result("reference-agreement").filters

    assert (filters["resamples"], filters["seed"]) == (1000, 0)
    assert "common" not in filters
    assert study.result("overestimation", resamples=0).filters["common"] is False
    assert study.result("overestimation", resamples=0, seed=0, common="yes").filters["common"] is True
    with pytest.raises(UsageError, match="seed -1 is not a whole number from 0"):
        study.result("overestimation", seed=-1)


def test_options_of_each_kind_are_read_from_their_words_and_have_their_defaults(study):
    options = (
        Option("deep", "switch", "?", False),
        Option("names", "names", "?", ()),
        Option("many", "integer", "?"),
        Option("share", "number", "?", 0.5),
        Option("way", "name", "?", "up", ("up", "down")),
        Option("rows", "name", "?", None, ("usual", "others")),
    )
    seen = []

    def function(_study, _spec, options, _weights):
        seen.append(dict(options))
        return table_of(["a"], 3)

    measure = own_measure(function, options=options)
    given = {"deep": "yes", "names": "a, b", "many": "0", "share": "0.25", "way": "down"}
    compute_measure(study, measure, resamples=0, seed=3, **given)
    compute_measure(study, measure, resamples=0, seed=3, deep=None, way=None)

    read = {"deep": True, "names": ("a", "b"), "many": 0, "share": 0.25, "way": "down"}
    defaults = {"deep": False, "names": (), "many": None, "share": 0.5, "way": "up"}
    assert seen == [each | {"seed": 3, "by": None} for each in (read, defaults)]
    for name, value, words in (
        ("many", 2.5, "many 2.5 is not a whole number from 0; write one such as 3"),
        ("share", "x", "share 'x' is not a number; write one such as 0.5"),
        ("way", "left", "unknown way 'left'; choose from: up, down"),
        ("rows", "others", "unknown filter or option 'rows'"),
    ):
        with pytest.raises(UsageError, match=words):
            compute_measure(study, measure, **{name: value})


def test_weights_are_drawn_for_resamples_alone(study):
    seen = []

    def function(_study, _spec, _options, weights):
        seen.append(None if weights is None else weights.shape)
        return table_of(["a"], 3)

    compute_measure(study, own_measure(function), resamples=0)
    compute_measure(study, own_measure(function), resamples=10)
    compute_measure(study, own_measure(function, resampled=False), resamples=10)

    assert seen == [None, (10, 2), None]  # two instances


def test_tables_of_groups_become_rows_one_below_the_other_and_what_they_leave_out_is_added(study):
    def function(*_):
        yield table_of(["a", "b"], 3, left_out={"lost": 2}, filters={"kind": "x"}, slice="first")
        yield table_of(["c"], 4, left_out={"lost": 5}, filters={"kind": "x"}, slice="second", keep=False)
        yield table_of(["d"], 6, left_out={"torn": 1}, filters={"kind": "x"}, slice="third")

    result = compute_measure(study, own_measure(function, groups=("pair",)), by="pair", resamples=0)

    assert [(row["slice"], row["judge"], row["n"]) for row in result.rows] == [
        *(("first", "a", 3), ("first", "b", 3), ("third", "d", 6)),
    ]
    assert result.left_out == Counter({"lost": 7, "torn": 1})
    assert (result.filters["kind"], result.filters["by"], result.reason) == ("x", "pair", None)


def test_without_groups_rows_have_no_slice_and_without_rows_a_reason(study):
    measure = own_measure(lambda *_: table_of(["a"], 3))
    empty = own_measure(lambda *_: table_of(["a"], 3, keep=False))

    assert "slice" not in compute_measure(study, measure, resamples=0).values
    nothing = compute_measure(study, empty, resamples=0)
    assert (nothing.rows, nothing.reason) == ([], "no judgment of this slice counts")


def test_a_lowest_agreement_that_leaves_nothing_is_named_in_the_reason(study):
    """J and A agree on the negative criterion alone."""
    strict = study.result("overestimation", resamples=0, polarity="positive", min_agreement=0.75)

    assert strict.rows == []
    assert strict.reason.endswith(
        "; only criteria on which at least 75% of the pairs of judges agree count: lower --min-agreement"
    )
    assert strict.reason.in_python().endswith("lower min_agreement=")


def test_two_slices_are_compared_with_the_other_filters_of_both(study):
    against = study.result(
        "overestimation", judges="J", polarity="positive", against="polarity=negative", resamples=0
    )
    same = study.result(
        "overestimation", judges="J", polarity="positive", against={"polarity": "negative"}, resamples=0
    )

    assert against.rows == same.rows
    # J credits the positive rubric, which both failed, and sees the fault of the negative one.
    assert [(row["judge"], row["a"], row["b"]) for row in against.rows] == [("J", 1.0, 0.0)] * len(
        against.rows
    )


def test_one_judge_or_generator_may_be_given_in_the_singular_but_not_both_ways(study):
    one = study.result("overestimation", judge="J", generator="A", resamples=0)
    many = study.result("overestimation", judges="J", generators="A", resamples=0)

    assert one.rows == many.rows
    assert {row["judge"] for row in one.rows} == {"J"}
    for singular in ("judge", "generator"):
        with pytest.raises(UsageError, match=f"both {singular}= and {singular}s= are given; give one"):
            study.result("overestimation", **{singular: "J", f"{singular}s": "J"})


def test_a_former_measure_answers_with_a_warning_at_the_line_that_asks_for_it(study):
    measured = MeasuredStudy.open(study.files.location.path)

    with pytest.warns(FutureWarning, match="ranking-flips is now .* with rows='") as warned:
        former_name = ask(measured, "ranking-flips")
    assert former_name.measure.name == "ranking-flips"
    line = ask.__code__.co_firstlineno + 1
    assert [(warning.filename, warning.lineno) for warning in warned] == [(__file__, line)]
    assert ask(measured, MEASURES["ranking-flips"]).rows == former_name.rows


def ask(study, measure):
    return study.result(measure, resamples=0)


def test_a_study_of_some_runs_counts_their_judgments_alone(load):
    plain = study_of(models="J:F A:G", rubrics=(1,), instances=2)
    for place, run in (("x0", "r1"), ("x1", "r2")):
        judge_rubrics(plain, "J", "A", "1", place, run_id=run)
        refer(plain, "A", "0" if run == "r1" else "1", place)
    measured = MeasuredStudy.open(load(plain).files.location.path)

    def accuracy(study, **filters):
        return study.result("accuracy", judges="J", resamples=0, **filters).rows[0]["mra"]

    # J is wrong in the first run and right in the second.
    assert (accuracy(measured), accuracy(measured.of_runs(["r1"]))) == (0.5, 0.0)
    assert accuracy(measured.of_runs(["r2", "r2"])) == 1.0
    assert measured.of_runs(["r2", "r2"]).only_runs == ("r2",)
    assert measured.of_runs([]) is measured
    assert accuracy(measured.of_runs(["r1", "r2"]), run="r2") == 1.0
    with pytest.raises(UsageError, match="unknown run 'r3'; choose from: r1, r2"):
        measured.of_runs(["r1", "r3"])
    with pytest.raises(UsageError, match="unknown run 'r2'; choose from: r1"):
        accuracy(measured.of_runs("r1"), run="r2")


def test_frames_and_slices_of_a_study_of_some_runs_are_of_those_alone(load):
    plain = study_of(models="J:F A:G", rubrics=(1,), instances=2)
    for place, run in (("x0", "r1"), ("x1", "r2")):
        judge_rubrics(plain, "J", "A", "1", place, run_id=run)
        refer(plain, "A", "0", place)
    study = Study.open(load(plain).files.location.path)

    alone = study.of_runs("r1")

    assert set(study.judgments()["run_id"]) == {"r1", "r2"}
    assert set(alone.judgments()["run_id"]) == {"r1"}
    assert list(alone.find_result().filters["run"]) == ["r1"]
    for other in (lambda: alone.judgments(run="r2"), lambda: alone.find_result(run="r2")):
        with pytest.raises(UsageError, match="unknown run 'r2'; choose from: r1"):
            other()


def test_families_are_those_of_the_models_or_what_is_named_in_their_place(load):
    plain = study_of(models="A:G")
    plain.add("models", model="J", family="F", provider="east")
    judge_rubrics(plain, "J", "A", "1")
    measured = MeasuredStudy.open(load(plain).files.location.path)

    assert measured.families() == {"A": "G", "J": "F"}
    assert measured.families("provider") == {"A": None, "J": "east"}


def test_a_study_that_is_replaced_while_it_is_read_is_read_once_more(load, monkeypatch):
    plain = study_of(models="J:F A:G")
    judge_rubrics(plain, "J", "A", "1")
    refer(plain, "A", "1")
    measured = MeasuredStudy.open(load(plain).files.location.path)
    studies = []

    def compute(study, *arguments, **options):
        studies.append(study)
        if len(studies) == 1:
            raise StudyChangedError("replaced")
        return compute_measure(study, *arguments, **options)

    monkeypatch.setattr("engine.measures.measured_study.compute_measure", compute)
    result = measured.of_runs(measured.inventory.runs).result("accuracy", resamples=0)

    assert [row["mra"] for row in result.rows] == [1.0]
    assert len({id(study) for study in studies}) == 2
    assert studies[0].only_runs == studies[1].only_runs != ()
