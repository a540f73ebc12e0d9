"""A small run from the page: estimated, started, left and found again, cancelled, resumed, opened."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.server import ROOT, await_layout, await_run, choose, explorer, open_menu
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

LONG = "a-study-whose-name-is-much-too-long-for-one-line-of-a-phone"

LONG_MODEL = f"""
[models."a-provider/{LONG}"]
model = "simulated/slow"
family = "slow"
simulated = {{ slow_s = 0.9 }}
"""

CUT = """boxes => boxes.flatMap(box => [box, ...box.querySelectorAll('*')])
  .filter(each => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
  .map(each => each.innerText)"""
"""The elements that are wider than the place that they have."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "store"
    shutil.copytree(ROOT / "results" / "demo-verifiable", folder / "demo-verifiable")
    shutil.copytree(folder / "demo-verifiable", folder / LONG)
    (folder / "models.toml").write_text(SLOW + LONG_MODEL)
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


def test_on_a_phone_the_names_of_studies_and_of_chosen_models_are_whole(page: Page, url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{url}/new_run?study=demo-verifiable")
    await_run(page)
    choose(page, "run_judges", "Select all")
    page.keyboard.press("Escape")
    await_layout(page)

    judges = page.locator(".st-key-run_judges").get_by_test_id("stMultiSelectTagsContainer")
    expect(judges.locator("[data-tag]")).to_have_count(6)
    assert judges.evaluate_all(CUT) == []
    box = judges.bounding_box()
    paradigms = page.locator(".st-key-run_paradigms").bounding_box()
    assert box is not None
    assert paradigms is not None
    assert box["y"] + box["height"] < paradigms["y"]

    options = page.get_by_role("option")
    open_menu(page.get_by_role("combobox").first, options.filter(has_text=LONG))
    assert options.evaluate_all(CUT) == []
