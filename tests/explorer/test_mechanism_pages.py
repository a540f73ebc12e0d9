"""Pages of a study on the mechanisms of preference, with questions of several turns."""

from pathlib import Path

import pytest
from conversations import TURNS, judged

from engine.measures.catalogue import MEASURES
from engine.store import Store

PARADIGMS = ["pairwise", "recognition", "familiarity", "listwise"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("mechanism")
    judged(root, Store(root / "store"), PARADIGMS)
    return root / "store"


@pytest.mark.parametrize("page", ["judges", "findings", "paradigms", "data"])
def test_the_pages_of_such_a_study_open(open_page, store, page):
    app = open_page(page, store, study="s")

    assert [text.value for text in (*app.text, *app.markdown)]


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_the_workbench_lists_and_shows_its_judgments(open_page, store, paradigm):
    app = open_page(
        "workbench", store, study="s", judge="a", show="all", paradigm=paradigm, rendered="true", item="1"
    )

    words = "\n".join(code.value for code in app.code)
    assert all(turn["content"] in words for turn in TURNS) or "One part." in words


@pytest.mark.parametrize("measure", ["recognition-score", "familiarity-score", "list-ranks"])
def test_the_page_of_measures_says_what_they_hold(open_page, store, measure):
    app = open_page("measures", store, study="s", measure=measure)

    fields = {field.name for field in MEASURES[measure].fields}
    assert any(fields <= set(frame.value.iloc[:, 0]) for frame in app.dataframe)
