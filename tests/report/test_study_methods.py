"""The library as a notebook meets it: a study's frames, the measures as methods, and how it is found."""

import inspect
import shutil
from functools import partial
from pathlib import Path

import altair as alt
import pandas as pd
import pytest

import engine
from engine.errors import UsageError
from engine.measures.catalogue import OWN
from engine.measures.methods import method_name

RESULTS = Path(__file__).resolve().parents[2] / "results"
MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")


@pytest.fixture(scope="module")
def study():
    return engine.open_study(RESULTS / "demo-health")


def pairs(**columns):
    """Every judge on every pair of models, both ways round."""
    return pd.DataFrame(
        {"judge": judge, "generator": a, "opponent": b, "choice": "generator", "instance_id": n, **columns}
        for judge in MODELS
        for a in MODELS
        for b in MODELS
        if a != b
        for n in range(3)
    )


def test_a_measure_is_a_method_that_completes_its_arguments(study):
    names = inspect.signature(study.equal_quality).parameters

    assert {"epsilon", "by", "judge", "paradigm", "full"} <= set(names)
    assert "Options:\n    quality ('judges', 'reference', 'human'): " in inspect.getdoc(study.equal_quality)
    assert "hspp" in dir(study)
    hidden = {"cube", "planes", "_cubes", "remember", "files", "chart", "find_result", "open", "transforms"}
    assert not hidden & set(dir(study))
    assert {"save", "report", "card", "gate"} <= set(dir(study))
    assert not {"save", "report", "card", "gate"} & {method_name(measure) for measure in OWN}


def test_a_method_reads_easily_and_measure_keeps_every_field_and_row(study):
    short, full = study.hspp(resamples=0), study.hspp(resamples=0, full=True)
    rows = study.measure("hspp", resamples=0)

    assert 6 <= len(short.columns) <= 9
    assert list(full.columns) == list(rows.columns)
    assert len(rows) == len(short) + 1
    assert short.attrs["mean"]["hspp_self"] == pytest.approx(short["hspp_self"].mean())


def test_grouped_rows_keep_the_mean_of_each_slice(study):
    frame = study.hspp(by="polarity", resamples=0)

    for polarity, rows in frame.groupby("slice"):
        assert frame.attrs["mean"][polarity]["hspp_self"] == pytest.approx(rows["hspp_self"].mean())


def test_one_judge_may_be_named_in_the_singular(study):
    assert list(study.expected(judge="aster-large", resamples=0)["judge"]) == ["aster-large"]
    with pytest.raises(UsageError, match="both judge= and judges="):
        study.expected(judge="aster-large", judges="aster-mini")


def test_the_judges_and_their_board_are_those_of_the_page(study):
    frame = study.judges()

    assert list(frame.columns[:2]) == ["judge", "conclusion"]
    assert "conclusion" in frame.attrs["together"]
    assert isinstance(study.plot(), alt.TopLevelMixin)


def test_rows_are_selected_by_texts_and_by_nothing_for_none(study):
    assert len(study.judgments(judge=None)) == len(study.judgments())
    for judge in (5, ["aster-large", 5]):
        with pytest.raises(UsageError, match=r"judge=.*: 5 is no text; give one, or a list of texts"):
            study.judgments(judge=judge)


def test_rows_are_selected_by_every_column_that_they_show(study):
    frame = study.judgments()
    counts = {"points": -3, "reference_met": True, "met": False, "score": 0.5}

    for column, value in counts.items():
        rows = study.judgments(**{column: value})
        assert len(rows) == (frame[column] == value).sum() > 0
        assert set(rows[column]) == {value}
    both = study.judgments(points=[-3, 5], judge="aster-large")
    assert set(both["points"]) == {-3, 5}
    with pytest.raises(UsageError, match=r"unknown points 77; choose from: -10, -9, .*, 9, 10$"):
        study.judgments(points=77)
    with pytest.raises(UsageError, match="reference_met='yes': reference_met is True or False"):
        study.judgments(reference_met="yes")


def test_a_list_without_a_value_selects_all_with_a_warning_as_in_measures(study):
    for call in (study.judgments, study.responses, partial(study.hspp, resamples=0)):
        with pytest.warns(UserWarning, match="generator= is empty, which selects all, as without it"):
            rows = call(generator=[])
        assert len(rows) == len(call())


def test_raw_verdicts_keep_what_is_missing_missing(study):
    frame = study.judgments(paradigm="single_rubric", judge="aster-large")

    assert set(frame["judge"]) == {"aster-large"}
    assert frame["met"].dtype == pd.BooleanDtype()
    assert frame.loc[frame["status"] != "ok", "met"].isna().all()
    assert (frame["status"] != "ok").any()
    decided = frame[frame["status"] == "ok"].dropna(subset="reference_met")
    accuracy = study.accuracy(judge="aster-large", resamples=0)["mra"].item()
    assert (decided["met"] == decided["reference_met"]).mean() == pytest.approx(accuracy)


def test_raw_verdicts_have_their_theme_and_are_selected_by_it(study):
    frame = study.judgments(judge="aster-large", full=True)
    theme = frame["theme"].dropna().iloc[0]

    one = study.judgments(judge="aster-large", theme=theme)

    assert len(one) == (frame["theme"] == theme).sum() < len(frame)
    with pytest.raises(UsageError, match=f"unknown theme 'topic'; choose from: .*{theme}"):
        study.judgments(theme="topic")
    with pytest.raises(UsageError, match="reads a column 'topic' as theme"):
        study.judgments(topic=theme)


def test_raw_verdicts_in_full_have_the_texts_of_question_and_criterion(study):
    frame = study.judgments(judge="aster-large", paradigm="single_rubric", full=True)
    row = frame.iloc[0]

    stored = study.files.table("rubrics", ("instance_id", "rubric_id", "criterion")).to_pandas()
    of_row = (stored["instance_id"] == row["instance_id"]) & (stored["rubric_id"] == row["rubric_id"])
    assert row["criterion"] == stored.loc[of_row, "criterion"].item()
    prompts = study.files.table("instances", ("instance_id", "prompt")).to_pandas().set_index("instance_id")
    assert row["question"] in prompts.loc[row["instance_id"], "prompt"]
    assert "question" not in study.judgments(judge="aster-large")


def test_raw_verdicts_in_full_have_what_their_criteria_and_questions_are_about(study):
    frame = study.judgments(judge="aster-large", paradigm="single_rubric", full=True)
    row = frame.iloc[0]

    stored = study.files.table("rubrics", ("instance_id", "rubric_id", "axis", "points")).to_pandas()
    of_row = (stored["instance_id"] == row["instance_id"]) & (stored["rubric_id"] == row["rubric_id"])
    assert row["axis"] == stored.loc[of_row, "axis"].item()
    assert row["points"] == stored.loc[of_row, "points"].item()
    assert "en" in set(frame["language"])
    assert not {"category", "checker"} & {*frame.columns}  # of which the study has no values
    assert "axis" not in study.judgments(judge="aster-large")


def test_raw_choices_are_grouped_and_selected_by_the_questions_category():
    pairs = engine.open_study("results/demo-pairs")
    frame = pairs.judgments(paradigm="pairwise", full=True)
    category = frame["category"].iloc[0]

    one = pairs.judgments(paradigm="pairwise", category=category)

    assert len(one) == frame.groupby("category").size()[category] < len(frame)
    assert "points" not in frame
    with pytest.raises(UsageError, match="unknown category 'poetry'; choose from: "):
        pairs.judgments(category="poetry")


def test_slices_are_those_of_the_command_and_its_former_name(study):
    pd.testing.assert_frame_equal(study.slices(top=2), study.find(top=2))


def test_a_judge_that_is_not_there_is_refused_with_the_names(study):
    with pytest.raises(UsageError, match=r"unknown judge 'astr'.*aster-large"):
        study.judgments(judge="astr")


def test_responses_and_measures_are_frames(study):
    assert {"generator", "instance_id", "text"} <= set(study.responses().columns)
    measures = study.measures().set_index("measure")

    assert measures.loc["hspp", "applies"]
    assert not measures.loc["list-ranks", "applies"]


def test_a_study_is_found_by_its_name_as_by_a_command(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPB_STORE", str(RESULTS))

    assert engine.open_study("demo-health").name == "demo-health"
    monkeypatch.setenv("SPB_STUDY", "demo-pairs")
    assert engine.open_study().name == "demo-pairs"
    with pytest.raises(UsageError, match=r"choose from: .*demo-health"):
        engine.open_study("demo-helth")


def test_pairs_without_an_order_give_a_warning_that_names_what_is_missing():
    with pytest.warns(UserWarning, match="which answer was shown first.*first='COLUMN'") as caught:
        engine.from_frame(pairs(), guess=False)

    assert not any("further trials" in str(each.message) for each in caught)


def test_pairs_that_say_their_order_give_none():
    assert len(engine.from_frame(pairs(first="generator"), guess=False).judges()) == len(MODELS)


def test_rows_by_two_columns_are_those_of_each_value_by_the_other(study):
    frame = study.measure("hspp", by=["axis", "polarity"], resamples=0)

    assert list(frame.columns[:2]) == ["axis", "polarity"]
    for polarity, rows in frame.groupby("polarity", sort=False):
        alone = study.measure("hspp", by="axis", polarity=polarity, resamples=0)
        values = rows.drop(columns=["axis", "polarity"]).reset_index(drop=True)
        pd.testing.assert_frame_equal(values, alone.drop(columns="slice"), check_dtype=False)
        assert rows["axis"].tolist() == alone["slice"].tolist()
    assert frame.attrs["filters"]["by"] == ["axis", "polarity"]
    assert sum(frame.attrs["left_out"].values()) > 0


def test_a_method_by_two_columns_keeps_the_mean_of_each_slice(study):
    frame = study.hspp(by=["axis", "polarity"], axis=["accuracy", "completeness"], resamples=0)

    assert set(frame["axis"]) == {"accuracy", "completeness"}
    for (axis, polarity), rows in frame.groupby(["axis", "polarity"]):
        mean = frame.attrs["mean"][polarity][axis]["hspp_self"]
        assert mean == pytest.approx(rows["hspp_self"].mean())


@pytest.mark.parametrize(
    ("by", "words"),
    [
        (["axis", "axis"], "give one column, or two different ones"),
        (["axis", "polarity", "theme"], "at most two columns can be; leave out the others"),
        (["a", "b", "criterion"], "'a', 'b' and 'criterion' to group by: at most two columns can be"),
        (["axis", "nobody"], "unknown column to group by 'nobody'"),
        (["length", "response_length"], "neither column is a filter of several values"),
    ],
)
def test_columns_that_cannot_be_combined_are_refused(study, by, words):
    with pytest.raises(UsageError, match=words):
        study.hspp(by=by)


def test_a_list_of_one_column_is_that_column(study):
    frame = study.hspp(by=["polarity"], resamples=0)

    pd.testing.assert_frame_equal(frame, study.hspp(by="polarity", resamples=0))


def test_a_method_without_rows_warns_with_the_reason_at_the_line_that_calls_it():
    study = engine.open_study("results/demo-pairs")

    with pytest.warns(
        UserWarning, match="hspp of demo-pairs has no rows: the study has no reference"
    ) as caught:
        frame = study.hspp()

    assert frame.empty
    assert caught[0].filename == __file__
    assert study.measure("hspp").empty  # whose `attrs` say so


def test_the_judges_together_are_in_attrs_under_the_name_that_other_measures_have_too(study):
    frame = study.judges(resamples=0)

    assert frame.attrs["mean"] == frame.attrs["together"]
    assert frame.attrs["mean"]["conclusion"] == study.result("scorecard").rows[0]["conclusion"]


def test_judges_by_a_column_are_those_of_the_command(study):
    frame, expected = study.judges(by="theme", resamples=0), study.expected(by="theme", resamples=0)

    pd.testing.assert_frame_equal(frame, expected)
    assert list(frame.columns[:2]) == ["slice", "judge"]


def test_beside_made_ids_of_criteria_stand_their_texts():
    rows = pd.DataFrame(
        {"judge": judge, "model": model, "question": f"q{n}", "criterion": text, "ok": n % 2 == 0}
        for judge in MODELS
        for model in MODELS
        for n in range(4)
        for text in ("is short", "is true")
    )
    imported = engine.from_frame(rows, judge="judge", generator="model", met="ok", instance_id="question")

    with pytest.warns(UserWarning, match="has no excess: all judges agree on its own answers"):
        frame = imported.expected(by="criterion", resamples=0)
    texts = {row["rubric_id"]: row["criterion"] for row in imported.files.table("rubrics").to_pylist()}

    assert list(frame.columns[:2]) == ["slice", "criterion"]
    assert set(frame["criterion"]) == {"is short", "is true"}
    assert all(texts[name] == text for name, text in zip(frame["slice"], frame["criterion"], strict=True))


def test_the_answers_of_some_runs_are_those_that_they_judged():
    rows = pairs(prompt="Hi").assign(
        response=lambda frame: frame["generator"],
        opponent_response=lambda frame: frame["opponent"],
        run_id=lambda frame: frame["instance_id"].map({0: "monday", 1: "monday", 2: "tuesday"}),
    )
    study = engine.from_frame(rows, set={"first": "generator"})

    assert set(study.of_runs("tuesday").responses()["instance_id"]) == {"2"}
    assert len(study.of_runs("tuesday").responses()) == len(MODELS)
    assert len(study.responses()) == 3 * len(MODELS)


def test_a_study_whose_folder_is_gone_has_no_empty_tables(tmp_path):
    shutil.copytree(RESULTS / "demo-pairs", tmp_path / "one")
    study = engine.open_study(tmp_path / "one")
    shutil.rmtree(tmp_path / "one")

    for method in (study.responses, study.judgments):
        with pytest.raises(UsageError, match="there is no study in"):
            method()
