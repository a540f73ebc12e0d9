"""A small run from the page: estimated, started, left and found again, cancelled, resumed, opened."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.server import ROOT, await_run, choose, explorer
from engine.store import Store

pytestmark = pytest.mark.browser

RUN_MS = 180_000
"""How long a small run may take on a busy machine, the loading of its libraries included."""

SLOW = """
[models.slow]
model = "simulated/slow"
family = "slow"
concurrency = 3
simulated = { slow_s = 0.9 }
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "store"
    shutil.copytree(ROOT / "results" / "demo-verifiable", folder / "demo-verifiable")
    (folder / "models.toml").write_text(SLOW)
    return folder


@pytest.fixture(scope="module")
def url(browser: Browser, store: Path) -> Iterator[str]:  # noqa: ARG001
    with explorer(store.parent / "streamlit.log", str(store)) as url:
        yield url


def test_a_run_is_estimated_started_found_elsewhere_cancelled_resumed_and_ends_on_its_judges(
    page: Page, url: str, other: Page, store: Path
) -> None:
    page.goto(f"{url}/new_run?study=demo-verifiable")
    await_run(page)
    for key, value in (("run_study", "slow"), ("run_instances", "3")):
        page.locator(f".st-key-{key} input").fill(value)
        page.locator(f".st-key-{key} input").press("Enter")
        await_run(page)
    choose(page, "run_judges", "slow")
    page.keyboard.press("Escape")
    page.locator(".st-key-look_ahead button").click()
    expect(page.locator(".st-key-forecast")).to_contain_text("calls")
    forecast = page.locator(".st-key-forecast").inner_text()
    page.locator(".st-key-start_run button").click()
    expect(page.locator(".st-key-watched_run")).to_be_visible()
    expect(page.locator(".st-key-cancel_run button")).to_be_visible()
    link = page.url
    page.goto("about:blank")

    other.goto(link)
    await_run(other)
    run = other.locator(".st-key-watched_run")
    expect(run).to_contain_text("calls answered")
    other.locator(".st-key-cancel_run button").click()
    expect(run).to_contain_text("was stopped")
    answered = Store(store).open("slow").judgments(["status"]).num_rows
    other.locator(".st-key-go_on button").click()
    expect(other.get_by_role("heading", name="Judges", exact=True)).to_be_visible(timeout=RUN_MS)
    await_run(other)

    planned = int(re.search(r"([\d,]+) calls", forecast)[1].replace(",", ""))
    rows = Store(store).open("slow").judgments(["judge", "generator", "rubric_id", "instance_id"]).to_pylist()
    assert answered < len(rows) == planned
    assert len({tuple(row.values()) for row in rows}) == planned
    assert {row["judge"] for row in rows} == {"slow"}
    other.goto(link)
    await_run(other)
    expect(run).to_contain_text("is done")
    other.locator(".st-key-open_run button").click()
    expect(other).to_have_url(re.compile(r"/workbench\?.*study=slow"))
    expect(other.locator(".st-key-note_listed")).to_contain_text(f"{planned:,} judgments")
