"""Reports of the demonstration study with a story, written once, and of a small study."""

import shutil
from pathlib import Path

import pytest
from explorer_studies import PLANS, write

import engine
from engine.report import in_form
from engine.report.content import content_of
from engine.report.exhibit import PinnedView, pin
from engine.store import Store

DEMO = Path(__file__).resolve().parents[2] / "results" / "demo-health"
DATE = "2026-11-22"


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reported") / "demo-health"
    shutil.copytree(DEMO, folder)
    files = Store(folder.parent).open("demo-health")
    files = pin(
        files, PinnedView("slice", {"by": ("axis",)}), "By axis", "Look at context awareness.\nTwo lines."
    )
    pin(files, PinnedView("matrix", {"polarity": ("negative",)}), "Everyone on everyone")
    return folder


@pytest.fixture(scope="session")
def demo_content(demo_folder):
    return content_of(engine.open_study(demo_folder), date=DATE)


@pytest.fixture(scope="session")
def demo_report(demo_content):
    return in_form(demo_content, "html").decode()


@pytest.fixture
def plain(tmp_path):
    write(tmp_path, "plain", PLANS["plain"])
    return tmp_path / "plain"
