"""Studies of pairs that were judged in one order, as AlpacaEval writes them, on every page."""

from pathlib import Path

import pytest
from importers.foreign_files import alpaca_board, dump, imported
from streamlit.testing.v1 import AppTest

from explorer.page_list import PAGES

BOARD = {"claude-2": (14, 24, 2), "gpt4": (30, 10, 0), "llama-2-70b-chat-hf": (8, 32, 0)}
OTHER = {"claude-2": (22, 16, 2), "gpt4": (26, 14, 0), "llama-2-70b-chat-hf": (4, 36, 0)}
BASELINE = "text_davinci_003"
STUDY = "read"


def store_of(folder: Path, annotators: dict[str, dict[str, tuple[int, int, int]]]) -> Path:
    rows = [row for judge, counts in annotators.items() for row in alpaca_board(judge, BASELINE, counts)]
    imported("alpaca-eval", dump(folder / "annotations.json", rows))
    return folder / "store"


@pytest.fixture(scope="module")
def one(tmp_path_factory) -> Path:
    return store_of(tmp_path_factory.mktemp("one"), {"alpaca_eval_gpt4": BOARD})


@pytest.fixture(scope="module")
def two_annotators(tmp_path_factory) -> Path:
    """Return a store with two annotators, one of them a model of the board."""
    return store_of(tmp_path_factory.mktemp("two"), {"alpaca_eval_gpt4": BOARD, "claude-2": OTHER})


def texts(app: AppTest) -> str:
    return "\n".join(element.value for element in app.text)


def links(app: AppTest) -> list[str]:
    return [link.proto.label for link in app.get("page_link")]


def charts(app: AppTest) -> int:
    return len(app.get("vega_lite_chart"))


def numbers(app: AppTest):
    """Open the numbers of the votes and return them."""
    app.session_state["votes_open"] = True
    app.run()
    return next(frame.value for frame in app.dataframe if "win_rate" in frame.value)


LET_JUDGE = "Have models judge each other, in both orders"


def test_the_first_page_shows_win_rates_votes_and_a_ranking(open_page, one):
    app = open_page(store=one, study=STUDY)

    assert charts(app) == 2
    wins = numbers(app).set_index("generator")
    # gpt4 wins 30 of 40, claude-2 14 and two draws: 15 of 40; the baseline the rest of 120.
    assert wins.loc["gpt4", "win_rate"].startswith("75.0% [")
    assert wins.loc["claude-2", "win_rate"].startswith("37.5% [")
    assert wins.loc[BASELINE, "win_rate"].startswith("55.8% [")
    assert dict(wins["n"]) == {"gpt4": "40", BASELINE: "120", "claude-2": "40", "llama-2-70b-chat-hf": "40"}
    places = next(frame.value for frame in app.dataframe if "model" in frame.value)
    assert list(places["model"]) == ["gpt4", BASELINE, "claude-2", "llama-2-70b-chat-hf"]
    assert places["by alpaca_eval_gpt4"].iloc[0].startswith("1 [1, ")
    assert "alpaca_eval_gpt4 ranks gpt4 first of 4 models: it wins 75.0% (95% CI " in texts(app)


def test_the_page_says_once_why_self_preference_is_unknown_and_what_would_help(open_page, one):
    app = open_page(store=one, study=STUDY)

    sentences = [text.value for text in app.text if "Self-preference cannot be measured here" in text.value]
    why = "Self-preference cannot be measured here, because no judge is among the models that it judged; "
    assert sentences == [
        f"{why}have these models, and judges of other families, judge the pairs in both orders."
    ]
    assert links(app).count(LET_JUDGE) == 1
    assert "This study has no reference yet" not in texts(app)


def test_a_single_order_is_reported_as_a_doubt(open_page, one):
    app = open_page(store=one, study=STUDY)

    assert "Each pair was judged in one order only, or in an unknown one, by alpaca_eval_gpt4" in texts(app)
    assert "There is nothing to show: no pair has an answer in both orders" in texts(app)
    assert "pairs of alpaca_eval_gpt4 in one order only" in texts(app)


def test_several_annotators_are_in_one_matrix(open_page, two_annotators):
    app = open_page(store=two_annotators, study=STUDY)

    cells = numbers(app)
    assert set(cells["judge"]) == {"alpaca_eval_gpt4", "claude-2"}
    assert len(cells) == 8
    own = cells[(cells["judge"] == "claude-2") & (cells["generator"] == "claude-2")].iloc[0]
    assert own["win_rate"].startswith("57.5%")


def test_an_own_pair_of_one_order_asks_for_the_other(open_page, two_annotators):
    app = open_page(store=two_annotators, study=STUDY)

    assert "is known to be judged in both orders; judge the pairs in the other order too" in texts(app)


def test_explore_shows_win_rates_and_lists_the_judgments_behind_a_mark(open_page, two_annotators):
    whole = open_page("workbench", two_annotators, study=STUDY)
    one_model = open_page("workbench", two_annotators, study=STUDY, judge="claude-2", generator="gpt4")

    assert charts(whole) == 2  # how often each model wins, and who votes for whom
    assert "This shows how often each model wins with each judge" in texts(whole)
    assert len(numbers(whole)) == 8
    assert "40 judgments." in texts(one_model)


@pytest.mark.parametrize(
    "split", [{"by": "category"}, {"chart": "curve"}, {"by": ["category", "response_length"]}]
)
def test_win_rates_are_split_by_a_column(open_page, two_annotators, split):
    app = open_page("workbench", two_annotators, study=STUDY, **split)

    assert charts(app) == 2
    assert split.get("chart") or numbers(app)["slice"].notna().all()
    assert (
        "Each pair was judged in one order only, or in an unknown one, by claude-2; alpaca_eval_gpt4"
        in texts(app)
    )


def test_a_filter_narrows_the_win_rates(open_page, two_annotators):
    app = open_page("workbench", two_annotators, study=STUDY, generators=["gpt4", BASELINE])

    assert set(numbers(app)["generator"]) == {"gpt4", BASELINE}


def test_two_sides_that_cannot_be_compared_say_why(open_page, two_annotators):
    app = open_page("workbench", two_annotators, study=STUDY, compare="slices")

    assert "There is nothing to compare: the study has no reference" in texts(app)
    assert "Import a file with references" in links(app)
    assert "Have people label answers" not in links(app), "no item can be drawn by these judgments"


REMEDIES = {
    "findings": LET_JUDGE,
    "paradigms": "Import a file with references",
    "equal_quality": "Import a file with references",
    "quality_baseline": "Import a file with references",
    "order_effects": LET_JUDGE,
}


@pytest.mark.parametrize(("page", "button"), REMEDIES.items())
def test_a_page_with_nothing_to_show_says_why_and_has_a_button_with_the_remedy(open_page, one, page, button):
    app = open_page(page, one, study=STUDY)

    assert charts(app) == 0
    assert any(
        words in texts(app)
        for words in ("othing to show: ", "cannot be measured", "It needs ", "The study has no ")
    )
    assert links(app).count(button) == 1


def test_the_pages_on_order_say_that_no_pair_has_both(open_page, one):
    app = open_page("order_effects", one, study=STUDY)

    assert "There is nothing to show: no pair has an answer in both orders" in texts(app)
    assert "120 pair judgments without a verdict in the other order" in texts(app)


def test_a_ranking_without_scores_leads_to_that_by_votes(open_page, one):
    app = open_page("findings", one, study=STUDY, part="ranking")

    assert "How each judge ranks the models by its votes" in links(app)


def test_a_run_from_such_a_study_starts_with_pairs(open_page, one):
    app = open_page("new_run", one, study=STUDY)

    assert app.multiselect(key="run_paradigms").value == ["pairwise"]


def test_it_is_presented_with_the_model_that_the_judge_ranks_first(open_page, one):
    app = open_page("present", one, study=STUDY)

    assert charts(app) == 1
    assert "alpaca_eval_gpt4 ranks gpt4 first of 4 models" in texts(app)
    assert "pairs of alpaca_eval_gpt4 in one order only" in texts(app)


@pytest.mark.parametrize("page", [page.name for page in PAGES if page.needs is None])
def test_every_page_opens(open_page, two_annotators, page):
    app = open_page(page, two_annotators, study=STUDY)  # fails on an exception

    assert texts(app) or app.dataframe


def test_a_study_of_pairs_in_both_orders_shows_win_rates_without_that_doubt(open_page):
    app = open_page(study="demo-pairs")

    places = next(frame.value for frame in app.dataframe if "model" in frame.value)
    assert len([name for name in places if name.startswith("by ")]) == 9
    assert "Each pair was judged in one order only" not in texts(app)
