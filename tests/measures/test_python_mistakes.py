"""A mistake in Python is answered in Python's words, with what to write."""

import pandas as pd
import pytest

import engine
from engine.errors import UsageError
from engine.shipped_files import RESULTS


def test_a_file_to_plot_is_sent_to_save_which_its_help_names():
    study = engine.open_study(RESULTS / "demo-health")

    with pytest.raises(UsageError, match=r"write plot\(\)\.save\('judges\.png'\)"):
        study.plot("judges.png")

    assert '.save("judges.png")' in str(engine.Study.plot.__doc__)


def test_what_is_neither_a_name_nor_a_folder_is_refused():
    with pytest.raises(UsageError, match="the study is 5; give its name or its folder"):
        engine.open_study(5)  # type: ignore[arg-type]


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
