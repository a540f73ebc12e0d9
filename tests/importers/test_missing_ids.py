"""Rows that lack the id of their question or criterion, and questions and names written in two ways."""

import re
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from importers.foreign_files import imported

import engine
from engine.errors import UsageError
from engine.importers.import_options import ImportOptions
from engine.importers.tables.asking.split_questions import id_key
from engine.store import Store

MODELS = ("gpt-4o", "claude-3-haiku", "gemini-1.5-pro")
COLUMNS = {"judge": "judge", "generator": "model", "instance_id": "q", "prompt": "prompt", "met": "met"}


def verdicts(n_questions: int = 3) -> pd.DataFrame:
    """Each model judges all, by two criteria; each judge says yes to its own alone."""
    return pd.DataFrame(
        {
            "q": f"q{n}", "prompt": f"What is {n} and {n}?", "judge": judge, "model": model,
            "crit_id": f"c{k}", "crit": f"says {k}", "met": judge == model,
        }
        for judge in MODELS
        for model in MODELS
        for n in range(n_questions)
        for k in range(2)
    ).astype(object)  # fmt: skip


def read(frame: pd.DataFrame, **columns: Any) -> tuple[engine.Study, str]:
    """Return the study of a frame, and what `from_frame` warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study = engine.from_frame(
            frame, **{**COLUMNS, "rubric_id": "crit_id", "criterion": "crit", **columns}
        )
    return study, "\n".join(str(each.message) for each in caught)


def ids(study: engine.Study, table: str, column: str) -> set[str]:
    return set(study.files.table(table)[column].to_pylist())


@pytest.mark.parametrize("missing", [None, "", "  ", "nan", "None", "<NA>"])
def test_a_row_without_a_questions_id_gets_that_of_the_row_with_its_text(missing: str | None) -> None:
    frame = verdicts()
    frame.loc[frame.judge == "gpt-4o", "q"] = missing  # the first rows, before any with an id

    study, warned = read(frame)

    assert ids(study, "instances", "instance_id") == {"q0", "q1", "q2"}
    assert "18 rows lack the question's id in 'q', and get that of the question with their text" in warned


def test_blanks_do_not_tell_the_texts_of_a_question_apart() -> None:
    frame = verdicts()
    of_judge = frame.judge == "gpt-4o"
    frame.loc[of_judge, "q"] = None
    frame.loc[of_judge, "prompt"] = " " + frame.prompt.str.replace(" ", "\u00a0 ") + "\r\n"

    study, warned = read(frame)

    assert study.files.table("instances").num_rows == 3
    assert "left out" not in warned
    assert "What is 0 and 0?" in ids(study, "instances", "prompt")


def test_a_row_without_a_criterions_id_gets_that_of_the_text_within_its_question() -> None:
    frame = verdicts()
    frame["crit_id"] = frame.q + frame.crit_id  # other ids for each question
    frame["prompt"] = "Sum up the text."
    frame.loc[frame.judge == "gpt-4o", "crit_id"] = None

    study, warned = read(frame)

    assert ids(study, "rubrics", "rubric_id") == {f"q{n}c{k}" for n in range(3) for k in range(2)}
    assert "18 rows lack the criterion's id in 'crit_id', and get that of the criterion with their" in warned


def test_a_text_that_several_ids_have_leaves_rows_without_an_id_out() -> None:
    frame = verdicts()
    frame["prompt"] = "Sum up the text."
    frame.loc[frame.judge == "gpt-4o", "q"] = None

    study, warned = read(frame)

    assert study.files.table("judgments").num_rows == 36
    assert "no id of the question, whose text several ids have: 18 of 54 rows left out" in warned


@pytest.mark.parametrize(
    ("column", "text", "thing"), [("q", "prompt", "question"), ("crit_id", "crit", "criterion")]
)
def test_rows_whose_text_no_row_with_an_id_has_are_said_to_share_none(
    column: str, text: str, thing: str
) -> None:
    frame = verdicts()
    of_judge = frame.judge == "gpt-4o"
    frame.loc[of_judge, column] = None
    frame.loc[~of_judge, text] = None

    _, warned = read(frame)

    assert f"18 rows lack the {thing}'s id in {column!r}, and no row with one has the same text" in warned
    assert f"'gpt-4o' shares no {thing} with another judge" in warned


def test_files_of_a_folder_and_a_file_added_to_a_study_share_questions_by_their_texts(
    tmp_path: Path, import_by: Any
) -> None:
    frame = verdicts()
    with_ids, without = frame[frame.judge != "gpt-4o"], frame[frame.judge == "gpt-4o"].drop(columns="q")
    folder = tmp_path / "folder"
    folder.mkdir()
    without.to_csv(folder / "a.csv", index=False)
    with_ids.rename(columns={"q": "instance_id"}).to_csv(folder / "b.csv", index=False)
    with_ids.to_csv(tmp_path / "study.csv", index=False)
    without.to_csv(tmp_path / "more.csv", index=False)
    maps = ("--map", "generator=model,prompt=prompt,rubric_id=crit_id,criterion=crit,met=met")
    options = ImportOptions(map={"generator": "model", "rubric_id": "crit_id", "criterion": "crit"})

    report, both = imported("table", folder, options)
    import_by("table", tmp_path / "study.csv", *maps, "--map", "instance_id=q")
    more = import_by("table", tmp_path / "more.csv", *maps, "--append")

    for study in (both, more.study):
        assert set(study.table("instances")["instance_id"].to_pylist()) == {"q0", "q1", "q2"}
        assert study.table("judgments").num_rows == 54
    assert "18 rows lack the question's id, and get that of the question with their text" in more.report
    assert any("get that of the question with their text" in note for note in report.cautions)


def test_a_cell_that_no_file_could_hold_does_not_keep_a_row_from_waiting() -> None:
    frame = verdicts()
    frame.loc[frame.judge == "gpt-4o", "q"] = None
    frame["client"] = [lambda: None] * len(frame)

    study, _ = read(frame)

    assert study.files.table("instances").num_rows == 3


def change(frame: pd.DataFrame, column: str, values: Any) -> pd.DataFrame:
    """Return the frame with other values of a column in the rows of one judge."""
    of_judge = frame.judge == "gpt-4o"
    return frame.assign(**{column: frame[column].where(~of_judge, values(frame[column]))})


@pytest.mark.parametrize(
    ("column", "values", "words"),
    [
        ("q", lambda q: q.str.upper(), "3 questions may each be there under several ids, such as 'Q0'"),
        ("q", lambda q: q.str[1:] + ".0", "3 questions may each be there under several ids"),
        ("q", lambda q: "2024-01-0" + q.str[1:], "3 questions may each be there under several ids"),
        ("crit", lambda text: text + "\u200b", "6 criteria may each be there under several wordings"),
        ("crit", lambda text: text.str.upper() + ".", "6 criteria may each be there under several wordings"),
    ],
)  # fmt: skip
def test_a_question_or_criterion_under_several_ids_is_warned_of(column: str, values: Any, words: str) -> None:
    columns = {"rubric_id": None} if column == "crit" else {}
    frame = change(verdicts(), column, values)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        given = {**COLUMNS, "rubric_id": "crit_id", "criterion": "crit"}
        engine.from_frame(frame, **{name: each for name, each in given.items() if name not in columns})

    assert words in "\n".join(str(each.message) for each in caught)


def test_the_same_text_under_several_ids_is_no_doubt_where_each_judge_judged_both() -> None:
    frame = verdicts()
    frame["prompt"] = "Sum up the text."

    _, warned = read(frame)

    assert warned == ""


def test_questions_whose_ids_differ_and_that_have_no_text_are_found_by_judges_that_share_none() -> None:
    frame = change(verdicts(), "q", lambda q: "item " + q.map({"q0": "red", "q1": "blue", "q2": "green"}))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        given = {name: column for name, column in COLUMNS.items() if name != "prompt"}
        engine.from_frame(frame.drop(columns="prompt"), **given, rubric_id="crit_id")
    warned = "\n".join(str(each.message) for each in caught)

    assert "'gpt-4o' shares no question with another judge, so that nothing is compared" in warned


def test_new_questions_that_are_like_the_studys_are_warned_of(tmp_path: Path, import_by: Any) -> None:
    frame = verdicts()
    frame[frame.judge != "gpt-4o"].to_csv(tmp_path / "a.csv", index=False)
    further = frame[frame.judge == "gpt-4o"]
    further.assign(q=further.q.str.upper()).to_csv(tmp_path / "b.csv", index=False)
    words = ("--map", "generator=model,instance_id=q,prompt=prompt,rubric_id=crit_id")

    import_by("table", tmp_path / "a.csv", *words)
    more = import_by("table", tmp_path / "b.csv", *words, "--append")

    assert "warning: all 3 new questions may be there under another id, such as 'Q0' and 'q0'" in more.report


def test_ids_are_alike_but_for_case_signs_blanks_zeros_and_forms_of_a_number() -> None:
    alike = [
        ("Q 007", "q-7", "Q_07", "\u200bq 7 "),
        ("1e6", "1000000", "1000000.0", "1,000,000", "1E+6"),
        ("a1", "A1", "\uff41\uff11"),
    ]

    assert [{id_key(name) for name in names} for names in alike] == [{"q-7"}, {"1000000"}, {"a1"}]
    assert len({id_key(name) for name in ("q1", "q10", "1.5", "15", "2024-01-02", "2024-02-01")}) == 6


@pytest.mark.parametrize("name", ["gpt-4o\u200b", "\ufeffgpt-4o", "\u00a0gpt-4o ", "gpt\u00ad-4o"])
def test_invisible_characters_do_not_tell_names_apart(name: str) -> None:
    frame = verdicts()
    frame["model"] = frame.model.replace("gpt-4o", name)

    study, _ = read(frame)

    assert ids(study, "models", "model") == set(MODELS)


@pytest.mark.parametrize("name", ['"gpt-4o"', "'gpt-4o", "\u201cgpt-4o\u201d", "gpt-4o-2024-08-06"])
def test_an_author_that_is_a_judge_under_a_name_with_quotes_or_a_date_is_warned_of(name: str) -> None:
    frame = change(verdicts(), "model", lambda model: model.replace("gpt-4o", name))

    _, warned = read(frame)

    assert f"{name!r} (answers) and 'gpt-4o' (judges and answers) may be one model" in warned


def test_two_snapshots_that_a_judge_was_shown_side_by_side_are_two_models() -> None:
    frame = verdicts()
    further = frame[frame.model == "gpt-4o"].assign(model="gpt-4o-2024-08-06")

    _, warned = read(pd.concat([frame, further]))

    assert "may be one model" not in warned


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([None, None], "'points' has no points for all 6 criteria: meeting them counts as good"),
        ([0, 0], "'points' has no points but 0 for all 6 criteria: meeting them counts as good"),
        ([-1, None], "'points' has no points for 3 of 6 criteria: meeting them counts as good"),
    ],
)
def test_criteria_without_points_are_warned_of(points: list[float | None], words: str) -> None:
    frame = verdicts()
    frame["points"] = frame.crit_id.map(dict(zip(("c0", "c1"), points, strict=True))).astype(object)

    _, warned = read(frame, points="points")

    assert words in warned
    assert (
        "points" not in read(frame.assign(points=frame.crit_id.map({"c0": 1, "c1": -1})), points="points")[1]
    )


def test_truths_of_one_value_or_none_are_warned_of() -> None:
    frame = verdicts()
    frame["truth"] = [True if n % 2 else None for n in range(len(frame))]

    _, warned = read(frame, reference_met="truth")

    assert "'truth' says true or nothing: 27 rows in which it says nothing have no truth" in warned


def test_contradicting_truths_are_said_to_be_left_out() -> None:
    """Of two verdicts that differ, none is of the majority: of 3 questions, 3 authors and 2 criteria, 18."""
    frame = verdicts()
    frame["truth"] = frame.judge == "gpt-4o"

    _, warned = read(frame, reference_met="truth")

    assert re.search(r"differ on 18: .*; 18 without a majority have no truth, and are left out", warned)


def test_a_column_may_be_named_by_its_number_and_an_empty_criterion_by_its_column() -> None:
    study, _ = read(verdicts().rename(columns={"judge": 7}), judge=7)

    assert ids(study, "judgments", "judge") == set(MODELS)
    with pytest.raises(
        engine.errors.SpbError, match="no rubric_id, which single_rubric needs, and none is in 'x'"
    ):
        engine.from_frame(
            verdicts().assign(x=None).drop(columns=["crit", "crit_id"]), **COLUMNS, criterion="x"
        )


def test_errors_of_an_imported_file_name_arguments_in_python(tmp_path: Path) -> None:
    verdicts().to_csv(tmp_path / "a.csv", index=False)
    options = ImportOptions(map={**COLUMNS, "rubric_id": "crit_id"})
    from engine.importers.format_loading import row_format
    from engine.importers.pipeline import reading

    with reading(row_format("table"), tmp_path / "a.csv", options) as source:
        source.write(Store(tmp_path), "s")

    with (
        reading(row_format("table"), tmp_path / "a.csv", options) as source,
        pytest.raises(UsageError, match="exists already; give another name, mode='replace' to replace it"),
    ):
        source.write(Store(tmp_path), "s")


@pytest.mark.parametrize("name", ["openai/gpt-4o", "gpt-4o-2024-08-06"])
def test_an_author_that_has_another_name_on_one_side_of_pairs_is_warned_of(name: str) -> None:
    rows = [
        {"judge": judge, "a": one.replace("gpt-4o", name), "b": other, "q": q, "choice": "A"}
        for judge in MODELS
        for one in MODELS
        for other in MODELS
        for q in range(2)
        if one != other
    ]

    with pytest.warns(UserWarning, match=f"{name!r} .answers. and 'gpt-4o' .judges and answers. may be one"):
        engine.from_frame(
            pd.DataFrame(rows), judge="judge", generator="a", opponent="b", instance_id="q", choice="choice",
            set={"first": "generator"},
        )  # fmt: skip


def scores(change: Any) -> pd.DataFrame:
    """Scores from 3 to 8 of three judges on 30 answers each."""
    rows = [
        {"judge": judge, "generator": model, "instance_id": q, "score": change(judge, q, 3 + (q + n) % 6)}
        for judge in MODELS
        for n, model in enumerate(MODELS)
        for q in range(10)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda judge, _, score: score / 10 if judge == "gpt-4o" else score,
            "'gpt-4o' gives no score above 0.08 of the scale, and others give up to 0.8",
        ),
        (
            lambda _, q, score: score if q else 0,
            "0 is read as a score; if it stands for none, give value={'score': {'0': 'none'}}",
        ),
    ],
)
def test_scores_of_another_scale_or_that_may_be_none_are_warned_of(change: Any, words: str) -> None:
    with pytest.warns(UserWarning, match=re.escape(words)):
        engine.from_frame(scores(change), scale=10)


def test_a_score_that_is_left_out_says_nothing_of_the_scales_of_judges() -> None:
    frame = scores(lambda judge, q, score: 75 if (judge, q, score) == ("gpt-4o", 5, 8) else score)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert len(engine.from_frame(frame, scale=10).judgments()) == 89
    assert not [each for each in caught if "others give up to" in str(each.message)]


def test_scores_over_the_whole_scale_raise_no_doubt() -> None:
    frame = scores(lambda _judge, q, score: score if q else 1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(engine.from_frame(frame, scale=10).judgments()) == 90
