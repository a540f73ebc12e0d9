"""The board of judges and its words, from rows like those of `scorecard`."""

from pathlib import Path
from typing import Any

import pytest

from engine.charts import board
from engine.charts.export import spec_of
from engine.explore import doctor
from engine.measures.catalogue import find
from engine.measures.result import Result, columns_of
from engine.study import Study
from engine.words import conclusions
from explorer import data
from explorer.workbench import board as board_parts

DEMO = Path(__file__).resolve().parents[2] / "results"


def row(judge: str, conclusion: str, estimate: float | None, **more: Any) -> dict[str, Any]:
    """Return a row of `scorecard`."""
    ends = (
        {"low": None, "high": None} if estimate is None else {"low": estimate / 1.3, "high": estimate * 1.3}
    )
    numbers = {
        "judge": judge,
        "conclusion": conclusion,
        "decided_by": "odds_self",
        "estimate": estimate,
        **ends,
    }
    ratio = {"ratio_outside": estimate, "ratio_outside_low": ends["low"], "ratio_outside_high": ends["high"]}
    counts = {"n_own": 120, "n_outside": 4, "agreeing": 3, "disagreeing": 1, "hspp_matched": 1.1}
    nothing = dict.fromkeys(("reason", "odds_family", "tipping", "tie_share", "placebo_rank", "placebo_of"))
    return numbers | ratio | counts | nothing | {"cautions": []} | more


ROWS = [
    row("bee", "too_few_cases", None, reason="no_judgments"),
    row("ant", "overrates_itself", 1.4, cautions=["tastes_assumed"]),
    row("cat", "favours_itself", 1.3),
    row("dog", "favours_itself", 2.0, tipping=7, tipping_share=0.1),
    row("elk", "disfavours_itself", 0.5),
]


def test_judges_are_listed_by_conclusion_and_the_highest_first() -> None:
    assert [each["judge"] for each in conclusions.by_excess(ROWS)] == ["dog", "cat", "ant", "bee", "elk"]


def test_a_judge_without_an_estimate_has_a_dash() -> None:
    assert conclusions.value(ROWS[0]) == "–"


def test_votes_are_shown_in_points() -> None:
    voted = row("a", "favours_itself", 0.1, decided_by="vote_outside", low=0.05, high=0.15)

    assert conclusions.value(voted) == "+10.0 [+5.0, +15.0]"


def test_doubts_are_shown_with_their_numbers() -> None:
    assert list(conclusions.doubts(ROWS[1])) == ["tastes_assumed"]
    (tipping,) = conclusions.doubts(ROWS[3]).values()
    assert "wrong about 7 of its own failures that it passed (10%)" in tipping


def test_the_note_says_why_a_line_clear_of_1_is_inconclusive() -> None:
    def note(reason: str) -> str:
        ape = row("ape", "not_shown", 2.4, low=1.7, high=3.2, reason=reason)
        return board_parts._marks([ape], "odds_self")

    assert "must hold on the criteria that the judge's own responses failed" in note("same_items")
    assert "the criteria" not in note("undecided")
    assert "need not be a conclusion" in note("undecided")


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("number", list(conclusions.NUMBERS))
def test_the_board_has_a_row_for_each_judge_whatever_number_decides(number: str, narrow: bool) -> None:
    rows = [each | {"decided_by": number} for each in ROWS]

    spec = board.shade_row(spec_of(board.board(rows, narrow=narrow)), "dog")

    names = [
        each for each in spec["layer"] if each.get("encoding", {}).get("text", {}).get("field") == "name"
    ]
    heads = names[0]["data"].get("values") or spec["datasets"][names[0]["data"]["name"]]
    assert [each["name"] for each in heads] == ["dog", "cat", "ant", "bee", "elk"]
    assert board.board_rows(rows)["judge"].nunique() == 5


def test_the_address_opens_a_judge_with_its_conclusion(open_page, monkeypatch) -> None:
    def scorecard(key: data.StudyKey) -> Result:
        judges = data.choices(key).judges
        rows = [row(judge, "favours_itself", 1.5) for judge in judges]
        return Result(find("hspp"), "demo-health", {}, columns_of(rows), {}, None)

    monkeypatch.setattr(board_parts, "scorecard", scorecard)

    app = open_page(study="demo-health", judge="aster-large")

    texts = "\n".join(element.value for element in app.text)
    assert "aster-large favours itself: it passes its own failed answers 1.50 times" in texts
    assert any("Where it differs from an outside judge" in element.value for element in app.markdown)
    assert any("verdict_beside" in frame.value for frame in app.dataframe)
    assert app.button(key="all_judges")


def test_pages_that_a_study_cannot_fill_say_what_they_need(open_page) -> None:
    lacking = doctor.unavailable_views(Study.open(DEMO / "demo-pairs"))

    app = open_page(study="demo-pairs")

    links = {link.proto.label: link.proto for link in app.get("page_link")}
    assert set(lacking) == {"paradigms"}
    assert links["Paradigms and committee"].disabled
    assert "needs a reference" in links["Paradigms and committee"].help
    assert not links["Workbench"].disabled


def test_a_page_starts_with_the_template_that_most_judgments_have(open_page) -> None:
    app = open_page("workbench", study="demo-pairs", item="1")

    assert any("answer" in frame.value for frame in app.dataframe)


def test_compare_starts_with_the_judges_farthest_apart(open_page) -> None:
    rows = [row for row in Study.open(DEMO / "demo-health").result("hspp").rows if row["judge"] is not None]
    highest = max(rows, key=lambda row: row["hspp_self"] or 0.0)

    app = open_page("workbench", study="demo-health", compare="slices")

    assert app.selectbox(key="w_judge_a").value == highest["judge"]
    assert app.get("vega_lite_chart")
