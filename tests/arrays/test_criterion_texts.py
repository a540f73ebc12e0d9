"""A criterion is named by its id or by its own text, wherever criteria are chosen."""

import re
from pathlib import Path

import pandas as pd
import pytest
from command_line import Spb

import engine
from engine.errors import UsageError

MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
RISK, LAW = "flags_risk", "cites the law, and the page"


@pytest.fixture
def study() -> engine.Study:
    frame = pd.DataFrame(
        [
            {
                "judge": judge,
                "generator": author,
                "prompt": f"Question {number}?",
                "criterion": criterion,
                "met": "yes" if (number + len(criterion)) % 2 else "no",
            }
            for judge in MODELS
            for author in MODELS
            for number in range(6)
            for criterion in (RISK, LAW)
        ]
    )
    return engine.from_frame(frame)


@pytest.mark.parametrize("text", [RISK, LAW, [LAW], f" {RISK} "])
def test_a_text_stands_for_the_id_made_of_it(study: engine.Study, text: str) -> None:
    criteria = study.files.table("rubrics", ("rubric_id", "criterion")).to_pylist()
    sought = text[0] if isinstance(text, list) else text.strip()
    name = next(row["rubric_id"] for row in criteria if row["criterion"] == sought)

    by_text = study.result("overestimation", rubric_id=text)
    by_id = study.result("overestimation", rubric_id=name)

    assert by_text.rows == by_id.rows
    assert by_text.filters["rubric_id"] == (name,)


def test_both_criteria_are_the_whole_study(study: engine.Study) -> None:
    rows = study.result("overestimation", rubric_id=[RISK, LAW], resamples=0).rows

    assert rows == study.result("overestimation", resamples=0).rows


def test_judgments_are_selected_by_the_text(study: engine.Study) -> None:
    assert len(study.judgments(rubric_id=RISK)) == len(study.judgments(rubric_id=[LAW])) == 54


def test_a_refusal_lists_the_texts_beside_the_ids(study: engine.Study) -> None:
    listed = rf"unknown criterion id 'risk'; choose from: q-\w+ \('{RISK}'\), q-\w+ \('{LAW}'\)"
    swapped = rf"unknown criterion id 'risk'; choose from: q-\w+ \('{LAW}'\), q-\w+ \('{RISK}'\)"

    with pytest.raises(UsageError) as refused:
        study.result("overestimation", rubric_id="risk")
    with pytest.raises(UsageError) as of_judgments:
        study.judgments(rubric_id="risk")

    assert str(refused.value) == str(of_judgments.value)
    assert re.fullmatch(f"{listed}|{swapped}", str(refused.value))


def test_a_text_of_several_criteria_is_refused_with_their_ids() -> None:
    rows = [("claude-3-opus", "gpt-4o", "q1", name, "same", "yes") for name in ("r1", "r2")]
    columns = ["judge", "generator", "instance_id", "rubric_id", "criterion", "met"]
    study = engine.from_frame(pd.DataFrame(rows, columns=columns))

    with pytest.raises(UsageError, match=r"several criteria have this text; choose from: r1 .*, r2 "):
        study.result("overestimation", rubric_id="same")


def test_commands_take_the_text_and_name_it(spb_here: Spb, tmp_path: Path, study: engine.Study) -> None:
    frame = study.judgments(full=True)[["judge", "generator", "question", "criterion", "met"]]
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert spb_here("import", tmp_path / "t.csv", "--study", "mine", "--store", tmp_path).returncode == 0

    flag = spb_here("judges", "mine", "--store", tmp_path, "--rubric-id", LAW)
    where = spb_here("judges", "mine", "--store", tmp_path, "--where", f"criterion={LAW}")

    assert flag.stdout == where.stdout
    assert f"Only criterion {LAW} is counted." in " ".join(flag.stdout.split())


def study_with_ids(criterion_of_id: dict[str, tuple[str, str]], **columns: str) -> engine.Study:
    """Return a study with an id of a criterion for each question, and its text."""
    rows = [
        {"judge": judge, "generator": author, "instance_id": question, "rubric_id": name}
        | {"criterion": text, "met": "yes" if judge == author else "no"}
        | columns
        for name, (question, text) in criterion_of_id.items()
        for judge in MODELS
        for author in MODELS
    ]
    return engine.from_frame(pd.DataFrame(rows))


def test_ids_of_one_question_each_are_grouped_and_filtered_by_the_text_that_recurs() -> None:
    recurring = study_with_ids({"a-0": ("a", RISK), "b-0": ("b", RISK), "a-1": ("a", LAW), "b-1": ("b", LAW)})

    grouped = recurring.result("ranking", by="criterion_text", resamples=0).rows
    rows = recurring.result("ranking", rubric_id=RISK, resamples=0)

    assert {row["slice"] for row in grouped} == {RISK, LAW}
    assert {row["n"] for row in grouped if row["by"] == "all"} == {2}
    assert rows.filters["rubric_id"] == ("a-0", "b-0")
    assert len(recurring.judgments(rubric_id=LAW)) == 2 * len(MODELS) ** 2


def test_ids_of_texts_that_do_not_recur_are_grouped_by_themselves() -> None:
    each_its_own = study_with_ids({"a-0": ("a", RISK), "b-0": ("b", LAW)})
    shared = study_with_ids({"r1": ("a", RISK), "r2": ("a", LAW)})

    for study, ids in ((each_its_own, {"a-0", "b-0"}), (shared, {"r1", "r2"})):
        assert {row["slice"] for row in study.result("ranking", by="criterion", resamples=0).rows} == ids


def test_rows_of_one_question_each_name_the_column_that_groups_them(spb_here: Spb, tmp_path: Path) -> None:
    lines = ["judge,generator,instance_id,rubric_id,axis,met"]
    lines += [
        f"{judge},{author},q{question},q{question}-{axis},{axis},{(question + len(author)) % 2}"
        for question in range(4)
        for axis in ("dose", "tone")
        for judge in MODELS
        for author in MODELS
    ]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n", "utf-8")
    place = ("--store", str(tmp_path / "store"))
    assert spb_here("import", tmp_path / "rows.csv", "--study", "mine", *place).returncode == 0

    for words in (("judges", "mine"), ("measure", "ranking", "mine")):
        printed = " ".join(spb_here(*words, "--by", "criterion", *place).stdout.split())
        assert "Each criterion is of one question alone; --by axis groups them." in printed


def test_judgments_have_points_where_a_criterion_speaks_against_an_answer() -> None:
    texts = {"a-0": ("a", RISK), "b-0": ("b", LAW)}

    assert "points" not in study_with_ids(texts, points="2").judgments().columns
    negative = study_with_ids(texts, points="-5").judgments()
    assert set(negative["points"]) == {-5.0}
