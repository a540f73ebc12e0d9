"""The board of judges and its words, from rows like those of `scorecard`."""

from pathlib import Path
from typing import Any

import pytest

from engine.charts import board
from engine.charts.chart_spec import spec_of
from engine.conclusions import OF_JUDGE
from engine.explore import unavailable_views
from engine.study import Study
from engine.views.differences import DIFFERENCES
from engine.words import board_facts, caveats

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
    excess = None if estimate is None else (estimate - 1) / 10
    given = {} if excess is None else {"own_given": 0.3 + excess, "own_expected": 0.3, "excess": excess}
    given |= {} if excess is None else {"own_expected_low": 0.25, "own_expected_high": 0.36}
    counts = {
        "n_own": 120,
        "n_matched": 240,
        "n_outside": 4,
        "agreeing": 3,
        "disagreeing": 1,
        "hspp_matched": 1.1,
    }
    nothing = dict.fromkeys(("reason", "odds_family", "tipping", "tie_share", "placebo_rank", "placebo_of"))
    return numbers | given | counts | nothing | {"cautions": []} | more


ROWS = [
    row("bee", "too_few_cases", None, reason="no_judgments"),
    row("ant", "overrates_itself", 1.4, cautions=["tastes_assumed"]),
    row("cat", "favours_itself", 1.3),
    row("dog", "favours_itself", 2.0, tipping=4, tipping_share=0.1),
    row("elk", "disfavours_itself", 0.5),
]


def test_judges_are_listed_by_excess_and_those_without_a_number_last() -> None:
    assert [each["judge"] for each in board_facts.by_excess(ROWS)] == ["dog", "ant", "cat", "elk", "bee"]


def test_a_judge_without_an_estimate_has_a_dash() -> None:
    assert board_facts.value(ROWS[0]) == "–"


def test_votes_are_shown_in_points() -> None:
    voted = row("a", "favours_itself", 0.1, decided_by="vote_outside", low=0.05, high=0.15)

    assert board_facts.value(voted) == "+10.0 [+5.0, +15.0]"


def test_doubts_are_shown_with_their_numbers() -> None:
    assert list(caveats.caveats_of(ROWS[1])) == ["tastes_assumed"]
    (tipping,) = caveats.caveats_of(ROWS[3]).values()
    assert "4 wrong reference labels (10% of its own failures that it passed)" in tipping
    assert caveats.caveats_of(ROWS[3] | {"tipping": 7}) == {}


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("number", list(board_facts.NUMBERS))
def test_the_board_has_a_row_for_each_judge_whatever_number_decides(number: str, narrow: bool) -> None:
    rows = [each | {"decided_by": number} for each in ROWS]

    spec = board.shade_row(spec_of(board.board(rows, narrow=narrow)), "dog")

    names = [
        each for each in spec["layer"] if each.get("encoding", {}).get("text", {}).get("field") == "name"
    ]
    heads = names[0]["data"].get("values") or spec["datasets"][names[0]["data"]["name"]]
    assert [each["name"] for each in heads] == ["dog", "ant", "cat", "elk", "bee"]
    assert board.board_rows(rows)["judge"].nunique() == 4


def test_a_bar_leads_from_what_was_expected_of_100_to_what_was_given() -> None:
    (dog,) = board.board_rows([ROWS[3]]).to_dict("records")

    assert (round(dog["given"], 6), dog["expected"], dog["low"], dog["high"]) == (40.0, 30.0, 25.0, 36.0)
    assert dog["words"] == "40 given, 30 expected (95% CI 25 to 36)"


def test_a_number_beyond_the_axis_has_an_arrow_with_its_value() -> None:
    far = row("ape", "favours_itself", 2.0, decided_by="vote_outside", own_expected_low=-0.07)

    spec = spec_of(board.board([far]))

    texts = [value.get("under") for values in spec["datasets"].values() for value in values]
    assert "◀ -7" in texts


def test_a_long_name_is_cut_on_a_wide_board_too_and_whole_in_the_tooltip() -> None:
    spec = spec_of(board.board([row("x" * 150, "favours_itself", 2.0, decided_by="vote_outside")]))

    [head] = [value for values in spec["datasets"].values() for value in values if "name" in value]
    assert head["name"].endswith("x…")
    assert board.LETTER * len(head["name"]) <= board.WIDEST
    assert head["judge"] == "x" * 150


def test_the_address_opens_a_judge_with_its_conclusion(open_page) -> None:
    app = open_page(study="demo-health", judge="aster-large")

    texts = "\n".join(element.value for element in app.text)
    assert "aster-large favours itself: of 100 criteria that its own answers failed, it passed" in texts
    assert any("Where it differs from a judge of another family" in element.value for element in app.markdown)
    assert any("verdict_beside" in frame.value for frame in app.dataframe)
    assert app.button(key="all_judges")


def test_a_judge_is_opened_from_a_list_without_a_click_on_its_bar(open_page) -> None:
    app = open_page(study="demo-health")

    app.selectbox(key="w_judge").select("aster-large").run()

    assert app.query_params["judge"] == "aster-large"
    assert "aster-large" in {each.value for each in app.subheader}
    assert app.selectbox(key="w_judge").value == "aster-large"
    app.button(key="all_judges").click().run()
    assert app.selectbox(key="w_judge").value is None


def test_the_help_beside_the_board_begins_with_each_of_its_chips(open_page) -> None:
    texts = [element.value for element in open_page().text]
    rows = Study.open(DEMO / "demo-health").result("scorecard").rows

    first = texts.index(next(text for text in texts if text.startswith("overrates its own answers: ")))
    last = texts.index("Do the judges favour themselves, which of them stand out, and how certain is that?")

    chips = {OF_JUDGE[row["conclusion"]] for row in rows if row["judge"] is not None}
    assert {text.partition(":")[0] for text in texts[first:last]} == chips
    assert sum(text.startswith("favours itself: ") for text in texts) == 1


def test_pages_that_a_study_cannot_fill_say_what_they_need(open_page) -> None:
    lacking = unavailable_views.unavailable_views(Study.open(DEMO / "demo-pairs"))

    app = open_page(study="demo-pairs")

    links = {link.proto.label: link.proto for link in app.get("page_link")}
    assert set(lacking) == {"paradigms"}
    assert links["Paradigms and committee"].disabled
    assert "needs a reference" in links["Paradigms and committee"].help
    assert not links["Explore"].disabled


def test_a_page_starts_with_the_template_that_most_judgments_have(open_page) -> None:
    app = open_page("workbench", study="demo-pairs", item="1")

    assert any("answer" in frame.value for frame in app.dataframe)


def test_compare_starts_with_the_judges_farthest_apart(open_page) -> None:
    rows = [row for row in Study.open(DEMO / "demo-health").result("hspp").rows if row["judge"] is not None]
    highest = max(rows, key=lambda row: row["hspp_self"] or 0.0)

    app = open_page("workbench", study="demo-health", compare="slices")

    assert app.selectbox(key="w_judge_a").value == highest["judge"]
    assert app.get("vega_lite_chart")


def test_the_differences_of_an_opened_judge_are_those_of_the_view(open_page):
    texts = {"judge": "dune-large", "beside": "judge:aster-mini", "axis": "accuracy"}

    app = open_page("judges", study="demo-health", **texts)

    study = Study.open(DEMO / "demo-health")
    table = DIFFERENCES.shown(study, {name: (text,) for name, text in texts.items()}).table
    frames = [frame.value for frame in app.dataframe if tuple(frame.value.columns) == table.names]
    assert [list(frame.itertuples(index=False, name=None)) for frame in frames] == [list(table.rows)]
