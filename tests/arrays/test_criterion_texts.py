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
