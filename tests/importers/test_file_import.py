"""`engine.import_file` and `study.save`: studies written from Python, by the checks of the command."""

from pathlib import Path

import pandas as pd
import pytest

import engine
from engine.errors import BadInputError, UsageError

MODELS = ("gpt-4o", "claude-3-opus")
READ = {"judge": "rater", "generator": "model", "instance_id": "question", "met": "verdict"}
ONE_CRITERION = {"rubric_id": "correct"}


def verdicts(first: int = 0, **columns: object) -> pd.DataFrame:
    """Each judge on the answers of both to two questions, from the number `first` on."""
    rows = [
        {"rater": judge, "model": model, "question": f"q{number}", "verdict": judge == model}
        for judge in MODELS
        for model in MODELS
        for number in (first, first + 1)
    ]
    return pd.DataFrame(rows).assign(**columns)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "monday.csv"
    verdicts().to_csv(path, index=False)
    return path


def test_a_file_becomes_a_study_of_the_store_as_the_command_makes_it(spb_here, table, tmp_path):
    study = engine.import_file(table, store=tmp_path / "store", set=ONE_CRITERION, **READ)

    words = ",".join(f"{ours}={theirs}" for ours, theirs in READ.items())
    done = spb_here(
        *("import", table, "--store", tmp_path / "other", "--map", words, "--set", "rubric_id=correct")
    )
    assert done.returncode == 0, done.stderr
    assert study.name == "monday"
    assert engine.studies(tmp_path / "store") == ["monday"]
    by_command = engine.open_study("monday", store=tmp_path / "other")
    pd.testing.assert_frame_equal(study.judgments(full=True), by_command.judgments(full=True))
    assert study.info.imports == by_command.info.imports


def test_a_second_file_is_added_as_a_run_of_its_own(table, tmp_path):
    verdicts(2).to_csv(tmp_path / "tuesday.csv", index=False)
    place = {"store": tmp_path / "store", "study": "weeks", "set": ONE_CRITERION}

    engine.import_file(table, run="monday", **place, **READ)
    study = engine.import_file(tmp_path / "tuesday.csv", run="tuesday", mode="append", **place, **READ)

    assert study.inventory.runs == ["monday", "tuesday"]
    assert len(study.judgments(run="tuesday")) == 8
    with pytest.raises(BadInputError, match="the same as those of run 'tuesday'; nothing was added"):
        engine.import_file(tmp_path / "tuesday.csv", mode="append", **place, **READ)


def test_a_file_of_another_tool_is_recognised_and_has_no_columns_to_name(tmp_path):
    row = {"question_id": 81, "judge": ["gpt-4", "single-v1"], "turn": 1, "user_prompt": "Hi"}
    rows = [row | {"model": model, "score": score} for model, score in (("o3", 7), ("gpt-4o", 9))]
    path = tmp_path / "answers.jsonl"
    pd.DataFrame(rows).to_json(path, orient="records", lines=True)

    study = engine.import_file(path, store=tmp_path / "store")

    assert len(study.judgments()) == 2
    with pytest.raises(UsageError, match="met= names a column of a table, and the file is read as"):
        engine.import_file(path, store=tmp_path / "store", study="b", format="mt-bench", met="score")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"mode": "apend"}, "unknown mode 'apend'; did you mean 'append'? choose from: new"),
        (
            {"mode": "append", "study": "none"},
            "append to; leave out mode='append' the first time (engine.studies()",
        ),
        ({"format": "tidi"}, "unknown format 'tidi'; choose from: auto, tidy"),
        ({"judges": 5}, "judges is 5, of type 'int'; give a list of columns"),
        ({"rows": "x", "format": "tidy"}, "rows= does not apply to 'tidy'; leave it out"),
        ({"run": "a/b"}, "the name of the run 'a/b' holds a path separator"),
    ],
)
def test_a_wrong_argument_is_answered_in_pythons_words(table, tmp_path, arguments, problem):
    with pytest.raises(UsageError) as raised:
        engine.import_file(table, store=tmp_path / "store", **arguments)

    assert problem in str(raised.value)
    assert "--" not in str(raised.value)
    assert engine.studies(tmp_path / "store") == []


def test_an_open_question_ends_with_the_whole_call(tmp_path):
    path = tmp_path / "scores.csv"
    verdicts().drop(columns="verdict").assign(score=5).to_csv(path, index=False)
    names = {name: READ[name] for name in ("judge", "generator", "instance_id")}

    with pytest.raises(BadInputError) as raised:
        engine.import_file(path, store=tmp_path / "store", **names)

    call = str(raised.value).partition("All together: ")[2]
    assert call.endswith(f"scale=5, store={str(tmp_path / 'store')!r})")
    assert len(eval(call).judgments()) == 8  # noqa: S307 - the call that the error proposes


def test_the_call_for_a_folder_of_several_kinds_names_the_file_to_import(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    own = verdicts().rename(columns={theirs: ours for ours, theirs in READ.items()})
    own.head(2).to_csv(folder / "a.csv", index=False)
    pd.DataFrame({"note": range(9), "who": "me"}).to_csv(folder / "b.csv", index=False)

    with pytest.raises(BadInputError, match="has files of several kinds") as raised:
        engine.import_file(folder, store=tmp_path / "store", set=ONE_CRITERION)

    assert f"engine.import_file({str(folder / 'a.csv')!r}, " in str(raised.value)


def test_a_path_that_is_none_and_a_name_by_place_are_refused_with_what_to_write(table):
    with pytest.raises(UsageError, match="the path is 5; give that of a file or folder"):
        engine.import_file(5)
    with pytest.raises(UsageError, match="takes the path alone by place; write study='mine' for a name"):
        engine.import_file(table, "mine")


def saved(tmp_path, frame, name="mine", families=None, **arguments):
    study = engine.from_frame(frame, set=ONE_CRITERION, families=families, **READ)
    return study.save(name, store=tmp_path / "store", **arguments)


def test_a_frames_study_is_saved_as_it_is(tmp_path):
    memory = engine.from_frame(verdicts(), set=ONE_CRITERION, **READ)

    stored = memory.save("mine", store=tmp_path / "store")

    assert engine.studies(tmp_path / "store") == ["mine"]
    pd.testing.assert_frame_equal(stored.judgments(full=True), memory.judgments(full=True))
    assert stored.families() == memory.families()
    assert engine.open_study("mine", store=tmp_path / "store") == stored


def test_an_existing_study_is_replaced_or_added_to_only_if_asked_for(tmp_path):
    saved(tmp_path, verdicts(), run="monday")

    with pytest.raises(UsageError, match="exists already; give another name, mode='replace'"):
        saved(tmp_path, verdicts(2))
    both = saved(tmp_path, verdicts(2), mode="append", run="tuesday")

    assert both.inventory.runs == ["monday", "tuesday"]
    assert len(both.judgments()) == 16
    assert len(both.of_runs("tuesday").judgments()) == 8
    assert len(saved(tmp_path, verdicts(2), mode="replace").judgments()) == 8


def test_the_same_judgments_are_not_added_twice_unless_as_a_run(tmp_path):
    saved(tmp_path, verdicts(), run="monday")

    with pytest.raises(BadInputError, match="are the same as those of run 'monday'; nothing was added"):
        saved(tmp_path, verdicts(), mode="append")
    with pytest.warns(UserWarning, match=r"save: these 8 judgments are the same .*count once more"):
        study = saved(tmp_path, verdicts(), mode="append", run="tuesday")

    assert len(study.judgments()) == 16


def test_a_run_that_holds_an_earlier_one_again_is_said_to(spb_here, tmp_path):
    saved(tmp_path, verdicts(), run="week1")
    both = pd.concat([verdicts(2), verdicts()])

    with pytest.warns(UserWarning, match="8 of these 16 judgments are those of run 'week1' again, and count"):
        saved(tmp_path, both, mode="append", run="week2")

    both.to_csv(tmp_path / "both.csv", index=False)
    words = ",".join(f"{ours}={theirs}" for ours, theirs in READ.items())
    place = ("--store", tmp_path / "store", "--study", "mine", "--append", "--run", "week3")
    done = spb_here("import", tmp_path / "both.csv", *place, "--map", words, "--set", "rubric_id=correct")
    assert "file's 16 judgments are the same as those of run 'week2', and count once more" in done.stderr

    saved(tmp_path, verdicts(), mode="replace", run="week1")
    done = spb_here("import", tmp_path / "both.csv", *place, "--map", words, "--set", "rubric_id=correct")
    assert "8 of the file's 16 judgments are those of run 'week1' again, and count once more" in done.stderr


def test_a_run_that_judges_an_earlier_one_anew_beside_others_is_no_repetition(tmp_path):
    saved(tmp_path, verdicts(), run="week1")
    anew = pd.concat([verdicts(2), verdicts(verdict=True)])

    study = saved(tmp_path, anew, mode="append", run="week2")  # half of the verdicts are the same

    assert len(study.judgments()) == 24


def test_what_contradicts_the_study_is_refused_and_nothing_is_written(tmp_path):
    before = saved(tmp_path, verdicts(), run="monday")

    with pytest.raises(BadInputError, match="family is 'Zog', but the study has the same model with 'GPT'"):
        saved(tmp_path, verdicts(2), mode="append", run="b", families={"gpt-4o": "Zog"})

    assert engine.open_study("mine", store=tmp_path / "store") == before


def test_texts_that_contradict_the_study_are_shown_where_they_begin_to_differ(tmp_path):
    long = "Look closely. " * 30
    texts = verdicts().assign(response=long)
    engine.from_frame(texts, **READ, set=ONE_CRITERION).save("mine", store=tmp_path)
    changed = texts.assign(response=long[:200] + "X" + long[201:])

    with pytest.raises(BadInputError) as raised:
        engine.from_frame(changed, **READ, set=ONE_CRITERION).save(
            "mine", store=tmp_path, mode="append", run="b"
        )
    with pytest.warns(UserWarning, match="another text of this model's answer.*X"):
        engine.from_frame(pd.concat([texts, changed]), **READ, set=ONE_CRITERION)

    assert len(str(raised.value)) < 400
    assert f"…{long[170:200]}X" in str(raised.value)
    assert f"…{long[170:201]}" in str(raised.value)


def test_runs_that_rows_name_are_not_given_another_name(tmp_path):
    frame = verdicts(run_id="monday")

    with pytest.raises(UsageError, match="these name their own, such as 'monday'; leave run= out"):
        saved(tmp_path, frame, run="tuesday")
    with pytest.raises(UsageError, match="the name is None; give that of the study"):
        saved(tmp_path, frame, name=None)


def test_some_runs_of_a_study_are_saved_alone(tmp_path):
    saved(tmp_path, verdicts(), run="monday")
    both = saved(tmp_path, verdicts(2), mode="append", run="tuesday")

    one = both.of_runs("tuesday").save("one", store=tmp_path / "store")

    assert one.inventory.runs == ["tuesday"]
    assert set(one.judgments()["instance_id"]) == {"q2", "q3"}
