"""The ways to a first study: the demonstration, a downloaded study, an imported file."""

import json
from pathlib import Path

import pytest
from explorer_studies import Open
from importers.foreign_files import alpaca
from streamlit.testing.v1 import AppTest

from engine.importers.datasets import catalogue as datasets
from engine.store import Store

ENTRY = """
[rubric-self-preference]
title = "Votes on answers"
licence = "MIT"
size = "1 kB"
url = "{url}"
format = "alpaca-eval"
measures = "self-preference in pairs"

[questions]
title = "Questions"
licence = "MIT"
size = "2 MB"
url = "https://example.org/questions"
loader = "program_sets:import_alpaca"
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    return tmp_path / "store"


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path that the catalogue downloads from; it does not exist yet."""
    answers, catalogue = tmp_path / "answers.json", tmp_path / "catalogue.toml"
    catalogue.write_text(ENTRY.format(url=answers.as_uri()), "utf-8")
    monkeypatch.setattr(datasets, "catalogue_path", lambda: catalogue)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return answers


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception, [error.stack_trace for error in app.exception]
    return app


def texts(app: AppTest) -> str:
    return "\n".join(text.value for text in app.text)


def links(app: AppTest) -> list[str]:
    return [link.label for link in app.main.get("page_link")]


def test_an_empty_store_opens_on_three_ways_in(open_page: Open, store: Path) -> None:
    app = open_page(store=store)

    assert [box.value for box in app.subheader] == ["A demonstration", "A published study", "Your own file"]
    assert "Choose a file" in links(app)


def test_nothing_is_offered_if_nothing_can_be_written(
    open_page: Open, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPB_READ_ONLY", "1")

    app = open_page(store=store)

    assert not app.button
    assert "Choose a file" not in links(app)


def test_the_demonstration_opens_on_its_conclusion_and_shows_the_other_ways(
    open_page: Open, store: Path
) -> None:
    app = press(open_page(store=store), "door_demo")

    assert "demo-health" in Store(store).studies()
    assert "aster-large favours itself" in texts(app)
    assert "Import your own file" in links(app)
    assert [button.label for button in app.button if button.key == "door_published"] == [
        "Get a published study (1.1 MB)"
    ]


def test_a_published_study_is_downloaded_and_opened(open_page: Open, store: Path, published: Path) -> None:
    published.write_text(json.dumps(alpaca(1, 2)), "utf-8")

    app = press(open_page(store=store), "door_published")

    assert Store(store).studies() == ["rubric-self-preference"]
    assert app.query_params["study"] == "rubric-self-preference"


def test_a_failed_download_says_why_and_writes_nothing(open_page: Open, store: Path, published: Path) -> None:
    app = press(open_page(store=store), "door_published")

    assert "could not be downloaded" in texts(app)
    assert published.name in texts(app)
    assert "import it on the Data page" in texts(app)
    assert "--from" not in texts(app)
    assert Store(store).studies() == []


def test_the_gallery_names_source_size_and_licence_of_each_study(
    open_page: Open, store: Path, published: Path
) -> None:
    published.write_text(json.dumps(alpaca(1, 2)), "utf-8")
    app = open_page("data", store)

    assert "Self-preference in pairs. 1 kB from" in texts(app)
    assert "2 MB from example.org; licence: MIT." in texts(app)
    press(app, "get_rubric-self-preference")
    assert Store(store).studies() == ["rubric-self-preference"]
