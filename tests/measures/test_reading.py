"""The columns to read first, the row of all judges beside the frame, and the methods that editors show."""

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import engine
from engine.errors import SpbError
from engine.measures.catalogue import MEASURES, PRESENT
from engine.measures.entry import Measure, Option, count, difference, key, ratio, share
from engine.measures.measures_frame import frame_of_measures
from engine.measures.methods import arguments_of, docstring_of, method_name, signature_of
from engine.measures.reading import COLUMNS, columns_to_read, frame_to_read
from engine.measures.result import Result
from engine.shipped_files import RESULTS
from engine.slices import FLAGS


def measure_of(**parts):
    """Return a measure of three numbers, of which the last is the headline."""
    texts = dict.fromkeys(("question", "formula", "paper", "left_out"), "?")
    fields = (key("judge", "who"), count("n", "cases"), share("first", "one"), ratio("times", "other"))
    entry = {"name": "own-measure", "title": "Own", "fields": fields, "headline": "times", "function": print}
    return Measure(**(texts | entry | parts))


def result_of(measure, rows, by=None, filters=None):
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return Result(measure, "small", filters or {}, columns, {"lost": 1}, None, by)


def row_of(measure, **values):
    names = [name for field in measure.fields for name in field.columns()]
    return dict.fromkeys(names, 0.5) | {"reasons": {"x": "y"}} | values


def test_what_names_a_row_is_read_first_then_the_headline_with_its_interval_then_the_rest_up_to_eight():
    measure = measure_of(fields=(*measure_of().fields, count("more", "cases"), count("last", "cases")))
    result = result_of(measure, [row_of(measure, judge="a")])

    # judge, times and its two ends, then n and first, more and last, which are the eighth: without tests.
    assert columns_to_read(result) == [
        *("judge", "times", "times_low", "times_high", "n", "first", "more", "last"),
    ]
    more = replace(measure, fields=(*measure.fields, count("ninth", "cases")))
    assert columns_to_read(result_of(more, [row_of(more, judge="a")])) == columns_to_read(result)


def test_a_headline_without_an_interval_is_one_column():
    measure = measure_of(headline="n")

    assert columns_to_read(result_of(measure, [row_of(measure)])) == ["judge", "n", "first", "times"]


def test_columns_of_groups_come_before_all_others_and_absent_ones_are_not_read():
    measure = measure_of()
    row = row_of(measure, theme="t", axis="u")
    del row["first"]

    read = columns_to_read(result_of(measure, [row], by=("theme", "axis")))

    assert read == ["theme", "axis", "judge", "times", "times_low", "times_high", "n"]


def test_a_measure_with_a_list_of_columns_is_read_in_its_order_but_not_where_slices_are_compared():
    measure = MEASURES["delta"]
    rows = [row_of(measure, judge="a", generator="b")]

    assert columns_to_read(result_of(measure, rows)) == [*COLUMNS["delta"]]
    against = columns_to_read(result_of(measure, rows, filters={"against": {"theme": "x"}}))
    assert against[:5] == ["judge", "generator", "delta", "delta_low", "delta_high"]
    assert against != [*COLUMNS["delta"]]


def test_every_column_to_read_is_one_of_the_measure():
    for name, columns in COLUMNS.items():
        measure = MEASURES[name]
        declared = {column for field in measure.fields for column in field.columns()}
        assert set(columns) <= declared, name


def test_the_row_of_all_judges_is_beside_the_frame_with_what_is_defined():
    measure = MEASURES["hspp"]
    mean = row_of(measure, judge=None, hspp_self=1.25, hspp_matched=None)
    result = result_of(measure, [mean, row_of(measure, judge="a"), row_of(measure, judge="b")])

    frame = frame_to_read(result)

    assert frame["judge"].tolist() == ["a", "b"]
    assert frame.index.tolist() == [0, 1]
    assert list(frame.columns) == [*COLUMNS["hspp"]]
    assert frame.attrs["mean"]["hspp_self"] == 1.25
    assert frame.attrs["left_out"] == {"lost": 1}
    assert not {"judge", "hspp_matched", "reasons"} & set(frame.attrs["mean"])
    assert list(frame_to_read(result, full=True).columns) == result.columns


def test_without_a_row_of_all_judges_there_is_none_beside_the_frame():
    measure = MEASURES["scorecard"]

    assert frame_to_read(result_of(measure, [row_of(measure, judge="a")])).attrs["together"] is None


def test_a_measure_without_such_a_row_keeps_every_row():
    measure = measure_of()
    rows = [row_of(measure, judge=None), row_of(measure, judge="a")]

    frame = frame_to_read(result_of(measure, rows))

    assert len(frame) == 2
    assert set(frame.attrs) == {"measure", "study", "filters", "left_out", "reason"}


def test_rows_of_all_judges_are_by_slice_and_of_two_columns_by_the_second_then_the_first():
    measure = MEASURES["hspp"]
    values = {("s", "u"): 1.0, ("t", "u"): 2.0, ("s", "v"): 3.0}
    rows = [
        row_of(measure, judge=judge, theme=theme, axis=axis, hspp_self=value)
        for (theme, axis), value in values.items()
        for judge in (None, "a")
    ]
    two = frame_to_read(result_of(measure, rows, by=("theme", "axis"))).attrs["mean"]
    renamed = [{"slice": row["theme"]} | {name: row[name] for name in row if name not in ("theme", "axis")}
               for row in rows[:4]]  # fmt: skip
    one = frame_to_read(result_of(measure, renamed, by="theme")).attrs["mean"]

    of_two = {axis: {theme: cell["hspp_self"] for theme, cell in of.items()} for axis, of in two.items()}
    assert of_two == {"u": {"s": 1.0, "t": 2.0}, "v": {"s": 3.0}}
    assert {name: cell["hspp_self"] for name, cell in one.items()} == {"s": 1.0, "t": 2.0}
    assert "slice" not in one["s"]
    assert not {"theme", "axis"} & set(two["u"]["s"])


def test_a_method_has_the_name_of_its_measure_with_underscores():
    assert method_name(measure_of(name="own-odd-measure")) == "own_odd_measure"


FILTERS = {flag.name: flag.default for flag in FLAGS}
LAST = {"slice": None, "judge": (), "generator": ()} | FILTERS
SHARED = {"common": False, "resamples": 1000, "seed": 0, "interval": None}


def test_the_arguments_of_a_measure_of_slices_are_its_own_then_those_of_all():
    option = Option("epsilon", "number", "how far", 0.75)
    arguments = arguments_of(measure_of(options=(option,)))

    assert arguments == {"epsilon": 0.75, "by": None, "against": None} | SHARED | LAST
    assert next(iter(arguments)) == "epsilon"


def test_a_measure_that_reads_the_study_itself_cannot_compare_and_groups_only_if_it_has_groups():
    own = {"resamples": 1000, "seed": 0}

    assert arguments_of(measure_of(sliced=False)) == own | LAST
    assert arguments_of(measure_of(sliced=False, groups=("pair",))) == {"by": None} | own | LAST


def test_the_signature_takes_names_alone_and_begins_with_full():
    signature = signature_of(measure_of())

    first, full, *others = signature.parameters.values()
    assert (first.name, first.kind) == ("self", first.POSITIONAL_OR_KEYWORD)
    assert (full.name, full.default, full.kind) == ("full", False, full.KEYWORD_ONLY)
    assert {each.name: each.default for each in others} == arguments_of(measure_of())
    assert {each.kind for each in others} == {full.KEYWORD_ONLY}


def test_the_docstring_has_question_formula_the_columns_to_read_and_the_options():
    more = tuple(count(f"c{n}", f"count {n}") for n in range(6))
    option = Option("epsilon", "number", "how far apart", 0.75)
    measure = measure_of(
        question="Who?",
        formula="word " * 19 + "longer",
        fields=(*measure_of().fields[:3], *more),
        headline="first",
        options=(option,),
    )

    lines = docstring_of(measure).splitlines()

    assert lines[:2] == ["Who?", ""]
    # 19 words of 4 letters with their spaces are 95 wide; with the last one the line would be 101.
    assert lines[2:5] == [" ".join(["word"] * 19), "longer", ""]
    # Of nine fields, judge and the headline first, with the ends of its interval: eight columns in all.
    columns = lines[lines.index("Columns:") + 1 : lines.index("Options:") - 1]
    assert columns == [
        *("    judge: who", "    first: one"),
        *(f"    first_{end}: {which} end of the 95% interval of first"
          for end, which in (("low", "lower"), ("high", "upper"))),
        "    n: cases",
        *(f"    c{n}: count {n}" for n in range(3)),
    ]  # fmt: skip
    assert lines[lines.index("Options:") :] == ["Options:", "    epsilon: how far apart"]
    assert "attrs" not in docstring_of(measure)


def test_the_docstring_of_a_measure_without_options_ends_with_its_columns():
    assert docstring_of(measure_of(question="Who?")).splitlines()[-1] == "    first: one"


def test_long_meanings_go_on_below_with_twice_the_margin():
    measure = measure_of(fields=(key("judge", "word " * 25),))

    lines = docstring_of(measure).splitlines()[-2:]

    # "    judge: " is 11 wide: with 18 words of 4 letters and 17 spaces the line is 100 wide, the limit.
    assert lines == [f"    judge: {' '.join(['word'] * 18)}", f"        {' '.join(['word'] * 7)}"]


@pytest.mark.parametrize(("name", "attribute"), [("hspp", "mean"), ("scorecard", "together")])
def test_the_docstring_says_where_the_values_of_all_judges_are(name, attribute):
    text = " ".join(docstring_of(MEASURES[name]).split())

    assert f'`attrs["{attribute}"]` holds the values of all judges together.' in text
    assert "    hspp_self: " in docstring_of(MEASURES["hspp"])


DEMONSTRATIONS = sorted(Path(__file__).parents[2].joinpath("results").glob("demo-*"))


def columns_described(measure):
    described = docstring_of(measure).split("Columns:\n")[1].split("\n\n")[0].splitlines()
    return [line.split(":")[0].strip() for line in described if not line.startswith("        ")]


@pytest.mark.parametrize("study", DEMONSTRATIONS, ids=lambda path: path.name)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_docstring_lists_exactly_the_columns_that_the_method_returns(study):
    one_study, compared = engine.open_study(study), 0

    for measure in PRESENT.values():
        try:
            frame = getattr(one_study, method_name(measure))(resamples=0)
        except SpbError:  # it needs an option, or what the study lacks
            continue
        compared += not frame.empty
        assert list(frame.columns) == columns_described(measure), measure.name
        assert not any("change" in remark.partition(":")[0] for remark in frame.attrs["remarks"]), (
            measure.name
        )
        words = docstring_of(measure)
        has_row_of_means = not frame.empty and "judge" in frame and frame["judge"].isna().any()
        assert has_row_of_means or not re.search(r"\b(on|the) (first row|row of means)\b", words), (
            measure.name
        )

    assert compared > 10


def test_the_docstring_says_which_values_an_option_takes_and_where_filters_are_described():
    words = " ".join(docstring_of(MEASURES["outside"]).split())

    assert "truth ('failed', 'met', 'any'): which verdicts on criteria count" in words
    assert "`help(engine.Slice)` the filters" in words
    assert (
        "`a`, ratio_outside in the slice, `b`, that in the other one, `difference`, which is a / b" in words
    )
    assert "With `against`" not in docstring_of(MEASURES["scorecard"])  # which cannot compare


def test_help_on_a_slice_describes_every_filter_with_its_values():
    described = " ".join(engine.Slice.__doc__.split("Filters:")[1].split())

    for flag in FLAGS:
        assert re.search(rf"\b{flag.name}( \(.*?\))?: {re.escape(flag.meaning)}", described), flag.name
    assert "scores ('fraction', 'weighted', 'weighted_mean_clipped', 'uniform'): how" in described


@pytest.fixture(scope="module")
def scores():
    """Scores alone, of people too, by three judges of each other's answers."""
    models = ("gpt-4.1", "claude-3-5-haiku", "mistral-large")
    return engine.from_frame(
        pd.DataFrame(
            {
                "instance_id": f"q{question}",
                "judge": judge,
                "generator": generator,
                "score": (question * 7 + 3 * place + len(judge)) % 11 / 10,
                "reference_score": (question * 7 + 3 * place) % 11 / 10,
            }
            for question in range(20)
            for judge in models
            for place, generator in enumerate(models)
        ),
        set={"reference_source": "human", "rubric_id": "overall"},
    )


@pytest.mark.parametrize("name", ["scores", "demo-orders", "demo-verifiable"])
def test_a_measure_applies_exactly_if_it_has_rows(name, request):
    study = request.getfixturevalue(name) if name == "scores" else engine.open_study(RESULTS / name)

    for row in study.measures().itertuples():
        try:
            has_rows = len(study.measure(row.measure, resamples=10)) > 0
        except engine.errors.UsageError:
            has_rows = False
        assert row.applies == has_rows, row.measure


def test_what_works_with_scores_alone_applies_and_labels_that_are_not_there_do_not(scores):
    applies = scores.measures().set_index("method")["applies"]

    assert applies[["scorecard", "together", "which_judge", "people", "delta"]].all()
    assert not applies[["annotators", "hspp", "dbg", "position"]].any()


def test_the_frame_of_measures_in_full_says_how_they_are_defined(scores):
    short, full = frame_of_measures(scores), frame_of_measures(scores, full=True)

    first = ["measure", "method", "title", "question", "headline", "chart", "applies"]
    assert list(short.columns) == first
    assert list(full.columns) == [*first, "formula", "paper", "left_out"]
    assert short["measure"].tolist() == list(PRESENT)
    rows = full.set_index("measure").loc["equal-quality"]
    assert (rows["method"], rows["formula"]) == ("equal_quality", PRESENT["equal-quality"].formula)


def test_a_tested_number_is_read_up_to_its_interval():
    measure = measure_of(fields=(key("judge", "who"), difference("gap", "apart")), headline="gap")

    assert columns_to_read(result_of(measure, [row_of(measure)])) == ["judge", "gap", "gap_low", "gap_high"]


def test_the_conclusions_in_words_are_those_that_the_command_prints(spb_here):
    printed = " ".join(spb_here("judges", "demo-health", "--store", "results").stdout.split())
    sentences = engine.open_study("demo-health", store="results").judges().attrs["sentences"]

    assert "for the judges as a group" in sentences[0]
    alike = [sentence.partition(": see `")[0] for sentence in sentences]  # before a call, or a command
    assert all(" ".join(sentence.split()) in printed for sentence in alike)
