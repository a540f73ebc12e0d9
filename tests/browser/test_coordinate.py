"""A task of a study: created, assigned, labelled in two browsers, settled, and written back."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.server import COUNT_CLICKS, ROOT, await_item, await_layout, await_run, serving
from engine.annotations.counted_labels import decisions
from engine.annotations.database import open_database
from engine.annotations.disputes import case, disputes
from engine.annotations.people import local_name
from engine.store import Store

pytestmark = pytest.mark.browser

STUDY = "demo-pairs"
ITEMS = 2


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coordinate") / "store"
    shutil.copytree(ROOT / "results" / STUDY, folder / STUDY)
    return folder


@pytest.fixture(scope="module")
def url(browser: Browser, store: Path) -> Iterator[str]:  # noqa: ARG001
    with serving(store.parent / "streamlit.log", str(store)) as server:
        yield server.url


def click(page: Page, key: str) -> None:
    await_run(page)
    # While a run replaces the page, the old button may stand beside the new one, which alone can be pressed.
    page.locator(f".st-key-{key} button:enabled").first.click()
    await_run(page)


def part(page: Page, key: str, words: str) -> None:
    await_run(page)
    page.locator(f".st-key-w_{key}").get_by_role("radio", name=words, exact=True).click()
    await_run(page)


def expect_words(page: Page, words: str) -> None:
    expect(page.locator(".st-key-coordinator_notice")).to_contain_text(words)


def label_all(page: Page, link: str, key: str) -> None:
    """Answer all items of the only task with one key, as somebody new to this browser."""
    page.context.clear_cookies()
    page.goto(link)
    page.locator(".st-key-open_0 button").click()
    for number in range(1, ITEMS + 1):
        await_item(page)
        page.keyboard.press(key)
        expect(page.locator(".st-key-desk_head")).to_contain_text(f"{number} of {ITEMS} done")
    expect(page.locator(".st-key-all_done")).to_be_visible()


def make_task(page: Page, url: str, *names: str) -> dict[str, str]:
    """Make a task for people who are new, in at most five clicks, and return the links of all."""
    page.add_init_script(COUNT_CLICKS)
    page.goto(f"{url}/measures?study={STUDY}")
    await_run(page)
    page.locator(".st-key-pages").get_by_role("button", name="Do", exact=True).click()
    page.get_by_role("link", name="Coordinate", exact=True).click()
    await_run(page)
    items = page.locator(".st-key-task_items input")
    items.click()
    items.fill(str(ITEMS))
    items.press("Enter")
    expect(page.get_by_test_id("stMain")).to_contain_text(
        "2 items of 2 questions: 1 called equal, 1 far apart."
    )
    await_run(page)
    page.locator(".st-key-task_people").get_by_role("combobox").click()
    for name in names:
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        await_run(page)
    page.keyboard.press("Escape")
    click(page, "make_task")

    new_links = page.locator(".st-key-new_link")
    everybody = (local_name(), *names)  # the local user becomes the coordinator
    for name in everybody:
        expect(new_links).to_contain_text(f"Link for {name}.")
    assert page.evaluate("Number(sessionStorage.clicks)") <= 5
    assert "token" not in page.url
    links = [link.strip() for link in new_links.locator("code").all_inner_texts()]
    return dict(zip(everybody, links, strict=True))


def see_differences(page: Page) -> None:
    part(page, "desk", "Agreement")
    expect(page.locator(".st-key-agreed")).to_contain_text("4 labels of 2 items")
    part(page, "desk", "Differences")
    expect(page.get_by_test_id("stMain")).to_contain_text("People differ on 2 items; 2 of them open.")
    expect(page.locator(".st-key-opinions")).to_contain_text("ann: equal")
    expect(page.locator(".st-key-opinions")).to_contain_text("bo: left is better")


def settle_all(page: Page) -> None:
    """Decide the first item for the left, with a reason, the other as equal, by keys alone."""
    main = page.get_by_test_id("stMain")
    await_run(page)
    page.keyboard.press("q")
    expect(page.get_by_label("Reason")).to_have_value("The guidelines say so")
    for key, left in (("1", 1), ("2", 0)):
        await_run(page)
        page.keyboard.press(key)
        expect(main).to_contain_text(f"People differ on 2 items; {left} of them open.")
    part(page, "listed", "decided")
    expect(page.locator(".st-key-decided")).to_contain_text(f"Decided by {local_name()}")


def show_models(page: Page) -> None:
    page.get_by_text("Show the models").click()
    expect(page.locator(".st-key-note_case_name_0")).to_contain_text("Left: ")
    await_run(page)


def write_back(page: Page) -> None:
    part(page, "desk", "Write to the study")
    click(page, "export_task")
    expect_words(page, f"{STUDY} has 6 labels")
    click(page, "by_labels")
    expect(page.get_by_role("heading", name="Equal quality", exact=True)).to_be_visible()
    await_layout(page)
    expect(page.locator(".st-key-finding_archetypes")).to_contain_text("Epsilon does not apply")
    expect(page.locator(".st-key-finding_labels")).to_contain_text("equal-1: 2 labellers gave 4 labels")


def test_two_annotators_disagree_and_the_coordinator_settles_it(
    url: str, store: Path, page: Page, other: Page
) -> None:
    models = set(Store(str(store)).open(STUDY).table("models", ["model"])["model"].to_pylist())

    def response_names(page: Page) -> list[str]:
        return [name for name in models if name in page.get_by_test_id("stMain").inner_text()]

    links = make_task(page, url, "ann", "bo")
    label_all(other, links["ann"], "2")
    label_all(other, links["bo"], "1")
    see_differences(page)
    assert response_names(page) == []
    settle_all(page)
    assert response_names(page) == []
    show_models(page)
    assert len(response_names(page)) >= 2
    write_back(page)

    database = open_database(Store(str(store)))
    by_item, every = decisions(database, "equal-1"), disputes(database, "equal-1")
    reasons = [decision.reason for decision in by_item.values()]
    answers = [case(database, "equal-1", dispute.item).decision for dispute in every]
    database.close()
    assert reasons.count("The guidelines say so") == 1
    assert sorted(answers) == ["equal", "left"]
    rows = Store(str(store)).open(STUDY).table("annotations").to_pylist()
    assert {row["item"]: row["value"] for row in rows if row["annotator"] == "adjudicated"} == {
        item: decision.value for item, decision in by_item.items()
    }
    assert {row["value"] for row in rows if row["annotator"] == "ann"} == {"equal"}
