"""A store of small awkward studies, the demonstration study, and the app under test."""

import json
from pathlib import Path
from typing import Any

import pytest
from explorer_studies import PLANS, Open, write
from streamlit.testing.v1 import AppTest

from engine.study import Study

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "explorer" / "app.py"
DEMO = ROOT / "results"


@pytest.fixture(scope="session")
def awkward_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("store")
    for name, plan in PLANS.items():
        write(root, name, plan, title=f"Study <b>{name}</b> $x$ :red[x]")
    return root


@pytest.fixture(scope="session")
def demo() -> Study:
    """Open the demonstration study of rubrics."""
    return Study.open(DEMO / "demo-health")


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Open a small study without anything awkward."""
    root = tmp_path_factory.mktemp("plain")
    write(root, "plain", PLANS["plain"])
    return Study.open(root / "plain")


def cards(app: AppTest) -> list[dict[str, Any]]:
    """Return the judgments that the workbench lists."""
    [component] = [each for each in app.get("bidi_component") if "spb_verdicts" in each.proto.component_name]
    return list(json.loads(component.proto.json)["cards"])


def failed_parts(app: AppTest) -> list[str]:
    """Return what the page says of parts that failed: it shows the rest, which hides no fault from tests."""
    return [element.value for element in app.text if "could not be computed" in element.value]


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open a page of the app like an address."""

    def open_app(page: str = "judges", store: Path = DEMO, **parameters: str | list[str]) -> AppTest:
        monkeypatch.setenv("SPB_STORE", str(store))
        app = AppTest.from_file(str(APP), default_timeout=60)
        for name, value in parameters.items():
            app.query_params[name] = value
        if page != "judges":
            app.switch_page(f"app_pages/{page}.py")
        app.run()
        assert not app.exception, [error.stack_trace for error in app.exception]
        assert failed_parts(app) == []
        return app

    return open_app
