"""A mistake in Python is answered in Python's words, with what to write."""

import datetime as dt
import re
import shutil
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import engine
from engine.errors import StoreError, UsageError, unknown
from engine.shipped_files import RESULTS


@pytest.fixture(scope="module")
def health():
    return engine.open_study(RESULTS / "demo-health")


def test_a_file_to_plot_is_sent_to_save_which_its_help_names():
    study = engine.open_study(RESULTS / "demo-health")

    with pytest.raises(UsageError, match=r"write plot\(\)\.save\('judges\.png'\)"):
        study.plot("judges.png")

    assert '.save("judges.png")' in str(engine.Study.plot.__doc__)


def test_what_is_neither_a_name_nor_a_folder_is_refused():
    with pytest.raises(UsageError, match="the study is 5; give its name or its folder"):
        engine.open_study(5)  # type: ignore[arg-type]


FRAME = pd.DataFrame({"judge": range(99)})
CSV = Path(__file__).parents[1] / "importers" / "model_names.csv"


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda study: study.save("m", run=3), "the name of the run is 3; give a text, such as 'my-run'"),
        (lambda study: study.save("m", store=b"st"), "the folder is b'st'; give its path, such as 'results'"),
        (lambda _: engine.studies(3), "the folder is 3; give its path"),  # type: ignore[arg-type]
        (lambda _: engine.explain(3), "the name is 3; give a text, such as"),  # type: ignore[arg-type]
        (lambda study: engine.audit(study, date=3), "date 3 is not valid"),  # type: ignore[arg-type]
        (lambda _: engine.import_file(CSV, study=3, format="table"), "the study name is 3"),  # type: ignore[arg-type]
        (lambda study: study.hspp(judge=b"x"), "unknown judge \"b'x'\"; choose from"),
        (lambda _: engine.open_study(FRAME), "the study is a DataFrame; give"),  # type: ignore[arg-type]
        (lambda _: engine.import_file(FRAME), "the path is a DataFrame; give"),  # type: ignore[arg-type]
        (lambda study: study.measure(FRAME), "unknown measure a DataFrame; choose"),
        (lambda study: study.measure("hspp", full=True), "option 'full'; measure() returns all columns"),
        (lambda _: engine.Slice(polarty="x"), "unknown filter 'polarty'; did you mean 'polarity'?"),  # type: ignore[call-arg]
    ],
)
def test_a_value_of_another_kind_is_answered_by_what_to_give(health, call, problem):
    with pytest.raises(UsageError, match=re.escape(problem)):
        call(health)


def test_a_number_of_numpy_is_a_number(health):
    first = health.gate(max_excess=np.float32(10))

    assert first.frame().equals(health.gate(max_excess=10.0).frame())


def test_a_filter_in_the_plural_is_taken_for_its_own():
    study = engine.open_study(RESULTS / "demo-health")

    with pytest.raises(UsageError, match=r"unknown filter or option 'runs'; did you mean run; choose from"):
        study.hspp(runs="monday")


def test_a_name_by_place_beside_a_frame_is_refused_with_the_argument():
    with pytest.raises(UsageError, match="write name='mine' for a name"):
        engine.from_frame(pd.DataFrame({"judge": ["a"]}), "mine")  # type: ignore[call-arg, misc]


def test_a_misspelt_measure_is_answered_with_the_method_that_was_perhaps_meant():
    study = engine.open_study(RESULTS / "demo-health")

    with pytest.raises(AttributeError, match="a study has no 'hsp'; did you mean hspp"):
        study.hsp()
    with pytest.raises(AttributeError, match=r"a study has no 'zzz'; study\.measures\(\) lists"):
        study.zzz()
    assert not hasattr(study, "__array__")


def test_what_is_neither_true_nor_false_is_refused_as_full():
    study = engine.open_study(RESULTS / "demo-health")

    for method in (study.hspp, study.judges, study.judgments, study.responses, study.measures):
        with pytest.raises(UsageError, match="full is 'no'; give True or False"):
            method(full="no")


def test_a_word_is_no_switch_whatever_takes_it(health, tmp_path):
    (tmp_path / "card.md").write_text("mine", encoding="utf-8")
    calls = {
        "group": health.gate,
        "independent": health.gate,
        "common": health.hspp,
        "exclude_family": health.judges,
        "leave_self_out": partial(health.measure, "hspp"),
        "agreement_without_family": health.slices,
        "panels": health.dbg,
        "force": partial(health.card, "lumen", tmp_path / "card.md"),
    }

    for name, call in calls.items():
        for given in ("no", "False", 0, []):
            with pytest.raises(UsageError, match=rf"^{name} is .*; give True or False$"):
                call(**{name: given})

    with pytest.raises(UsageError, match="force is 'no'; give True or False"):
        health.report(tmp_path / "report.md", force="no")
    with pytest.raises(UsageError, match="force is 'no'; give True or False"):
        engine.audit(health).write(tmp_path, force="no")
    assert [each.name for each in tmp_path.iterdir()] == ["card.md"]
    assert (tmp_path / "card.md").read_text(encoding="utf-8") == "mine"
    assert health.gate(max_excess=30, group=np.False_).passed == health.gate(max_excess=30).passed


def test_a_study_is_not_made_of_its_name():
    with pytest.raises(UsageError, match=r"write engine\.open_study\('demo-health'\)"):
        engine.Study("demo-health")  # type: ignore[arg-type]


def test_what_is_no_run_is_refused_and_none_means_all():
    study = engine.open_study(RESULTS / "demo-health")
    run = study.inventory.runs[0]

    for wrong in (5, "x", ["x"]):
        with pytest.raises(UsageError, match=r"unknown run .*; choose from: "):
            study.of_runs(wrong)
    assert study.of_runs(None) is study
    assert study.of_runs(each for each in [run]).only_runs == (run,)


@pytest.mark.parametrize(
    "make", [iter, lambda names: map(str, names), lambda names: (each for each in names)]
)
def test_names_that_can_be_read_once_select_as_a_list_does(health, make):
    judge, theme = health.index.models[0], health.judgments(full=True)["theme"].dropna().iloc[0]

    assert health.hspp(judge=make([judge]), resamples=0)["judge"].tolist() == [judge]
    assert health.hspp(theme=make([theme]), resamples=0).attrs["filters"]["theme"] == (theme,)
    compared = health.hspp(against={"theme": make([theme])}, resamples=0)
    assert compared.attrs["filters"]["against"]["theme"] == (theme,)


@pytest.mark.parametrize(
    "empty", ["", [], pd.Series(dtype=object), np.array([])], ids=lambda each: type(each).__name__
)
def test_a_filter_that_is_empty_selects_all_and_says_so(health, empty):
    with pytest.warns(UserWarning, match="judge= is empty, which selects all") as warned:
        frame = health.hspp(judge=empty, resamples=0)

    assert frame.equals(health.hspp(resamples=0))
    assert warned[0].filename == __file__


@pytest.mark.parametrize("by", [["theme"], np.array(["theme"]), pd.Index(["theme"]), iter(["theme"])])
def test_a_column_to_group_by_may_stand_in_any_list(health, by):
    assert health.hspp(by=by, resamples=0).equals(health.hspp(by="theme", resamples=0))


def test_no_column_to_group_by_is_refused(health):
    with pytest.raises(UsageError, match='by= names no column; give one such as "category"'):
        health.hspp(by=[])


def test_the_filters_of_a_slice_may_be_given_by_name(health):
    judge = health.index.models[0]

    assert health.hspp(slice={"judge": [judge]}, resamples=0).equals(health.hspp(judge=judge, resamples=0))


@pytest.mark.parametrize("against", [{}, engine.Slice()], ids=["filters", "Slice"])
def test_a_slice_is_not_compared_with_itself(health, against):
    with pytest.raises(UsageError, match=r'against= names no filter; give one such as against=\{"polarity"'):
        health.hspp(against=against)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"level": 0.9}, "unknown level 0.9; intervals are of 95%"),
        ({"level": "95%"}, "unknown level '95%'; intervals are of 95%"),
        ({"confidence": 0.9}, "unknown filter or option 'confidence'; intervals are of 95%"),
        ({"alpha": 0.1}, "unknown filter or option 'alpha'; intervals are of 95%"),
        ({"resamples": 10**9}, "resamples 1,000,000,000: too many for"),
        (
            {"length": "long"},
            r'length \'long\' is not a range; write LOW:HIGH, such as "20:80", or \(20, 80\)',
        ),
    ],
)
def test_a_wrong_argument_is_refused_with_what_it_is_for(health, arguments, problem):
    with pytest.raises(UsageError, match=problem):
        health.hspp(**arguments)


def test_a_family_of_an_unknown_kind_is_refused(health):
    with pytest.raises(UsageError, match="unknown relatives 'x'; choose from: family, provider"):
        health.families("x")


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"met": "true"}, "met='true': met is True or False"),
        ({"met": [True, 1]}, "met is True or False"),
        ({"judge": True}, "judge=True: True is no text"),
    ],
)
def test_a_value_that_a_column_cannot_have_is_refused(health, columns, problem):
    with pytest.raises(UsageError, match=problem):
        health.judgments(**columns)


def test_verdicts_are_selected_by_numpys_true_too(health):
    assert len(health.judgments(met=np.bool_(True))) == len(health.judgments(met=True)) > 0


def test_the_conclusions_on_judges_are_drawn_by_group_as_they_are_listed(health):
    assert health.plot("judges", by="theme", resamples=0).to_dict()
    with pytest.raises(
        UsageError, match=r"which-judge has no chart, .*; plot\(.judges.\) draws the conclusions; choose"
    ):
        health.plot("which-judge")


def test_a_study_that_is_gone_is_said_to_be_so_by_every_table(tmp_path):
    shutil.copytree(RESULTS / "demo-pairs", tmp_path / "gone")
    study = engine.open_study(tmp_path / "gone")
    shutil.rmtree(tmp_path / "gone")

    for rows in (study.responses, study.judgments):
        with pytest.raises(UsageError, match="gone"):
            rows()


def test_a_list_in_a_slice_is_kept_so_that_it_can_be_hashed():
    slices = {engine.Slice(judges=["a"], length=[1, 2]), engine.Slice.of(judges="a", length="1:2")}

    assert len(slices) == 1
    with pytest.raises(UsageError, match="length 3 is not a range"):
        engine.Slice(length=3)


@pytest.mark.parametrize(
    ("measure", "arguments", "remark"),
    [
        (
            "hspp",
            {"exclude_family": True},
            "exclude_family= changes nothing: the reference is .*, no committee",
        ),
        (
            "judges",
            {"exclude_family": True, "leave_self_out": True},
            "exclude_family=, leave_self_out= change no",
        ),
        ("hspp", {"agreement_of": "verdict"}, "agreement_of= changes nothing without min_agreement="),
        ("hspp", {"length_unit": "words"}, "length_unit= changes nothing without length="),
        ("outside", {"quality_judges": "zz"}, 'quality_judges= changes nothing without pairs="equal"'),
    ],
)
def test_a_filter_that_changes_nothing_is_said_to(health, measure, arguments, remark):
    with pytest.warns(UserWarning, match=remark):
        frame = getattr(health, measure)(resamples=0, **arguments)

    assert len(frame.attrs["remarks"]) == 1
    assert frame.equals(getattr(health, measure)(resamples=0))


@pytest.mark.parametrize(
    "arguments",
    [
        {"min_agreement": 0.5, "agreement_of": "verdict"},
        {"length": "5:", "length_unit": "words"},
        {"by": "length", "length_unit": "words"},
        {"by": "agreement", "agreement_without_family": True},
    ],
)
def test_nothing_is_said_of_a_filter_that_counts(health, arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        health.hspp(resamples=0, **arguments)


def test_options_of_pairs_are_refused_where_verdicts_on_criteria_are_read(health):
    with pytest.raises(
        UsageError, match='pairs="lost" applies to pairs of answers, but single_rubric judgments'
    ):
        health.outside(pairs="lost")
    with pytest.raises(UsageError, match=r"--opponents all applies to pairs .* --paradigm pairwise"):
        health.result("expected", opponents="all")


def test_a_deciding_number_of_other_judgments_is_named_as_such():
    pairs = engine.open_study(RESULTS / "demo-pairs")

    with pytest.warns(UserWarning, match="odds_self is of verdicts on criteria, of which the study has none"):
        frame = pairs.scorecard(decide="odds_self")

    assert frame.attrs["reason"].endswith("leave out decide=")


def test_the_pairs_matched_of_the_judges_together_do_not_depend_on_those_shown(health):
    one = health.index.models[:1]

    assert health.judges(judge=one).attrs["mean"] == health.judges().attrs["mean"]


def test_without_intervals_no_accuracy_is_said_to_be_unknown(health):
    advice = health.which_judge(resamples=0)["advice"]

    assert advice.str.startswith("compute intervals, or judge more").all()


@pytest.mark.parametrize("name", ["ASTER-LARGE", "aster large", "aster-lrge"])
def test_a_judge_in_another_spelling_is_meant(health, name):
    with pytest.raises(UsageError, match=r"did you mean 'aster-large'. choose from: aster-large"):
        health.hspp(judge=name)


def test_a_value_of_a_filter_is_meant_once(health):
    with pytest.raises(UsageError) as refused:
        health.hspp(theme="emergency_referal")

    assert str(refused.value).count("did you mean 'emergency_referrals'?") == 1


def test_a_judge_with_another_number_is_not_meant():
    assert "did you mean" not in str(unknown("judge", "gpt-4", ["gpt-5", "gpt-4.1"]))


def test_a_share_where_cases_are_counted_is_said_to_be_so(health):
    words = "is 0.1 of 100 own cases; a share of 0.1 is"
    assert f"excess=0.1 {words} excess=10." in health.power(0.1).attrs["sentences"]
    assert health.gate(max_excess=0.1).sentences[-1] == f"max_excess=0.1 {words} max_excess=10."


def test_an_array_of_excesses_is_a_sequence_and_true_is_no_number(health):
    assert health.power(np.array([5, 10])).equals(health.power([5, 10]))
    for call in (partial(health.power, True), partial(health.power, 10, questions=True)):
        with pytest.raises(UsageError, match="=True: give a number of"):
            call()


def test_a_date_is_printed_as_its_text_is(health, tmp_path):
    texts = {
        health.card("aster-large", tmp_path / "card.md", date=date, force=True).read_text(encoding="utf-8")
        for date in ("2026-11-22", dt.date(2026, 11, 22), dt.datetime(2026, 11, 22, 9, tzinfo=dt.UTC))
    }

    assert len(texts) == 1
    assert "2026-11-22" in texts.pop()


def test_what_a_command_would_do_is_said_as_a_call(health, tmp_path):
    with pytest.raises(UsageError, match=r"import one with `engine\.import_file`, or give .* as store="):
        engine.open_study("none", store=tmp_path / "empty")
    with pytest.raises(UsageError, match=r"nothing is called 'qwerty'; `engine\.explain\('judge'\)`, say"):
        engine.explain("qwerty")
    with pytest.raises(StoreError, match=r"choose another store=$"):
        health.save("mine", store="/proc/none")
    with pytest.raises(UsageError, match=r"without format=, .*leave format= out$"):
        engine.import_file(CSV, format="excel", store=tmp_path)
    health.save("mine", store=tmp_path)
    shutil.rmtree(tmp_path / "mine")
    with pytest.raises(UsageError, match=r"import one with `engine\.import_file`$"):
        engine.open_study(tmp_path / "mine" / ".")


def test_a_value_that_means_none_is_shown_as_none():
    frame = pd.DataFrame({"rater": ["gpt-4o", "o3"], "says": ["yes", "can't say"], "q": [1, 2]})

    with pytest.raises(UsageError) as refused:
        engine.from_frame(frame, met="says", instance_id="q", value={"met": {"can't say": None}})

    assert "value={'met': {\"can't say\": None}}" in str(refused.value)


def test_an_audit_that_is_there_names_force(health, tmp_path):
    audit = engine.audit(health)
    audit.write(tmp_path)

    with pytest.raises(UsageError, match=r"choose another folder, or overwrite it with force=True$"):
        audit.write(tmp_path)


def test_everything_that_power_assumes_is_explained(health):
    assumed = health.power(10).attrs["assumed"]

    for name in assumed:
        assert f"{name} (column of plan power): " in engine.explain(name)
        assert f"`{name}`" in str(engine.Study.power.__doc__)


def test_a_gate_that_fails_says_so_where_it_is_asserted_as_documented(health):
    result = health.gate(max_excess=5)

    with pytest.raises(AssertionError, match=r"^FAIL .*\n +The rule: fewer than 5 of 100 own cases"):
        assert result, str(result)
    assert "assert result, str(result)" in str(engine.Study.gate.__doc__)


def test_what_a_study_says_in_python_names_no_flag():
    pairs = engine.open_study(RESULTS / "demo-verifiable")

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # as of a filter that a search sets itself
        pairs.slices(by="axis", top=1)
    assert 'quality="reference"' in str(pairs.findings(resamples=0))
    assert " --" not in str(pairs.findings(resamples=0))
    assert " --" not in str(engine.audit(pairs))
    assert " --" not in engine.audit(pairs)._repr_html_()


def test_a_group_of_lengths_is_a_filter_as_it_is_printed(health):
    grouped = health.result("accuracy", by="length", resamples=0).rows
    group = grouped[0]["slice"]

    alone = health.result("accuracy", length=group, resamples=0).rows

    assert re.fullmatch(r"\d+-\d+", group)
    assert alone[0]["mra_total"] == grouped[0]["mra_total"]


def test_a_comparison_of_ratios_is_not_said_to_be_a_difference(health):
    compared = health.result("hspp", polarity="negative", against={"polarity": "positive"}, resamples=0)

    [ratio] = [field for field in compared.measure.fields if field.name == "difference"]
    assert (ratio.title, ratio.meaning) == ("Ratio a / b", "ratio a / b; 1: no difference")
