"""The views for studies that cannot measure self-preference: people, families and mean scores."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

import engine
from engine.importers.format_loading import row_format
from engine.importers.pipeline import reading
from engine.store import Store
from engine.views.registry import VIEWS
from engine.words.families import effect_sentences
from engine.words.mean_scores import questions_counted, score_sentences
from engine.words.people import people_sentences
from explorer.page_list import BY_NAME, part_of

ROOT = Path(__file__).resolve().parents[2]
HANNA = ROOT.parent / "shared" / "data" / "hanna" / "scores_long.parquet"
needs_hanna = pytest.mark.skipif(not HANNA.exists(), reason="needs ../shared/data/hanna/scores_long.parquet")


@pytest.fixture(scope="module")
def hanna(tmp_path_factory):
    """The stories of every fourth prompt, by all models and with all scores."""
    store = tmp_path_factory.mktemp("store")
    some = tmp_path_factory.mktemp("hanna") / HANNA.name
    pq.write_table(pq.read_table(HANNA, filters=[("prompt_id", "in", range(0, 96, 4))]), some)
    with reading(row_format("hanna"), some) as source:
        source.write(Store(store), "hanna")
    return store


def judge_of_people(judge, correlation, *, passes, ceiling=(0.4, 0.35, 0.45), n=300):
    value, low, high = correlation
    names = ("ceiling", "ceiling_low", "ceiling_high")
    return {
        "judge": judge,
        "kind": "score",
        "n": n,
        "small": n < 30,
        "n_ceiling": n,
        "may_stand_in": passes,
        "correlation": value,
        "correlation_low": low,
        "correlation_high": high,
        **dict(zip(names, ceiling, strict=True)),
    }


def test_a_judge_that_passes_the_test_of_people_with_a_low_correlation_is_warned_of():
    close = judge_of_people("close", (0.6, 0.5, 0.7), passes=True)
    flat = judge_of_people("flat", (0.1, 0.0, 0.2), passes=True)

    sentences = people_sentences([close, flat])

    assert "All 2 judges pass the alternative annotator test" in sentences[2]
    assert sentences[3].startswith("For flat that means little: the test rewards scores near people's mean")


def test_no_judge_is_warned_of_whose_correlation_may_reach_that_of_people():
    sentences = people_sentences([judge_of_people("one", (0.3, 0.2, 0.4), passes=True)])

    assert not any("means little" in sentence for sentence in sentences)


def test_judges_with_few_items_are_not_called_the_closest_to_people():
    few = judge_of_people("few", (0.9, None, None), passes=None, n=5)
    many = judge_of_people("many", (0.3, 0.2, 0.4), passes=None)

    sentences = people_sentences([few, many])

    assert "many agrees with people" in sentences[0]
    assert "few" not in sentences[0]
    assert "three people with 30 questions each" in sentences[-1]


def test_the_judge_that_agrees_most_is_that_among_judges_with_enough_items_where_others_have_few():
    few = judge_of_people("few", (0.9, None, None), passes=None, n=5)
    close = judge_of_people("close", (0.6, 0.5, 0.7), passes=None)
    far = judge_of_people("far", (0.1, 0.0, 0.2), passes=None)

    assert people_sentences([few, close, far])[0].startswith(
        "Of judges that share 30 items or more with people, close agrees most with people"
    )
    assert people_sentences([close, far])[0].startswith("close agrees most with people")


def test_families_are_named_only_where_their_interval_excludes_no_effect():
    def family(name, value, low, high):
        return {"family": name, "effect_family": value, "low": low, "high": high}

    sentences = effect_sentences(
        [family("A", 4.0, 3.0, 5.0), family("B", 9.0, -1.0, 19.0), family("C", -30.0, None, None)]
    )

    assert [sentence.count("A 4.0 points") for sentence in sentences] == [1, 0]
    assert sentences[1] == "No difference is shown for the other family."


def test_a_model_with_few_scores_is_neither_highest_nor_lowest():
    def model(name, score, n):
        return {"by": "all", "model": name, "score": score, "score_low": 0.0, "score_high": 1.0, "n": n}

    [sentence] = score_sentences([model("a", 0.9, 50), model("b", 0.7, 50), model("c", 0.1, 3)], None)

    assert sentence.startswith(
        "Of 2 models with 30 questions or more, a has the highest mean score by the judges together: 90.0%"
    )
    assert "b the lowest" in sentence


def test_a_study_without_people_says_what_would_help():
    shown = VIEWS["people"].shown(engine.open_study(ROOT / "results" / "demo-health"), {})

    assert shown.table is None
    assert "Import them as references" in shown.problems[0]


@needs_hanna
def test_stories_scored_by_people_open_on_agreement_with_them_families_and_mean_scores(hanna, monkeypatch):
    monkeypatch.setenv("SPB_STORE", str(hanna))
    app = AppTest.from_file(str(ROOT / "explorer" / "app.py"), default_timeout=120)
    app.query_params["study"] = "hanna"

    app.run()

    assert not app.exception
    assert [each.value for each in app.subheader][:3] == ["People", "Families", "Mean scores"]
    texts = "\n".join(each.value for each in app.text)
    assert "no judge is among the models that it judged" in texts
    assert "ChatGPT agrees most with people" in texts
    assert "could not be computed" not in texts


@needs_hanna
def test_a_prompt_of_another_name_than_default_is_chosen_like_the_measures_choose_it(hanna):
    study = engine.open_study(hanna / "hanna")

    shown = VIEWS["mean_scores"].shown(study, {})

    assert study.result("ranking").filters["variant"] == "prompt1"
    assert shown.commands == ("spb measure ranking hanna --variant prompt1",)
    assert shown.table is not None


@needs_hanna
def test_explore_opens_scores_by_criterion_on_the_grid_of_all_verdicts(hanna):
    study = engine.open_study(hanna / "hanna")

    assert part_of(BY_NAME["workbench"], None, study) == "grid"
    assert VIEWS["grid"].shown(study, {}).table is not None
    assert part_of(BY_NAME["paradigms"], None, study) == "paradigms"
    assert VIEWS["paradigms"].lacks(study) is not None


@pytest.mark.parametrize(
    ("of_all", "counted"), [(68, "57 to 68 questions. So"), (70, "57 to 68 of 70 questions. So")]
)
def test_a_judges_own_most_is_no_total_of_questions(of_all, counted):
    rows = [{"by": by, "n": n} for by, n in (("a", 57), ("b", 68), ("reference", of_all))]

    assert counted in questions_counted(rows)
