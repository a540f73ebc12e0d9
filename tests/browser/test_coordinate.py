"""A task of a study: created, assigned, labelled in two browsers, settled, and written back."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.server import ROOT, await_layout, await_run, choose, page_of, serving
from engine.annotations.counted_labels import decisions
from engine.annotations.database import open_database
from engine.annotations.disputes import case, disputes
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


def fill(page: Page, key: str, text: str) -> None:
    await_run(page)
    field = page.locator(f".st-key-{key}").locator("input, textarea").first
    field.fill(text)
    field.press("Tab")
    await_run(page)


def part(page: Page, key: str, words: str) -> None:
    await_run(page)
    page.locator(f".st-key-w_{key}").get_by_role("radio", name=words, exact=True).click()
    await_run(page)


def expect_words(page: Page, words: str) -> None:
    expect(page.locator(".st-key-coordinator_notice")).to_contain_text(words)


def new_link(page: Page, name: str) -> str:
    """Add a person on the page and return the link that it shows once."""
    fill(page, "person_name", name)
    click(page, "add_person")
    new_link = page.locator(".st-key-new_link")
    expect(new_link).to_contain_text(f"Link for {name}.")
    link = new_link.locator("code").inner_text().strip()
    click(page, "put_away_link")
    expect(new_link).to_have_count(0)
    return link


def label_all(page: Page, link: str, key: str) -> None:
    """Answer all items of the only task with one key, as somebody new to this browser."""
    page.context.clear_cookies()
    page.goto(link)
    page.locator(".st-key-open_0 button").click()
    for number in range(1, ITEMS + 1):
        expect(page.locator(".st-key-item_question")).to_be_visible()
        expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
        page.keyboard.press(key)
        expect(page.locator(".st-key-desk_head")).to_contain_text(f"{number} of {ITEMS} done")
    expect(page.locator(".st-key-all_done")).to_be_visible()


def make_task(page: Page) -> None:
    fill(page, "task_name", "equal-1")
    fill(page, "task_items", str(ITEMS))
    fill(page, "task_guidelines", "Read both to the end.")
    expect(page.get_by_test_id("stMain")).to_contain_text(
        "2 items of 2 questions: 1 called equal, 1 far apart."
    )
    click(page, "make_task")
    expect_words(page, "equal-1: 2 items")
    expect(page.get_by_test_id("stMain")).to_contain_text("No items of this task are assigned yet.")


def open_people(page: Page) -> None:
    """Open the list of people, unless an earlier step has left it open."""
    await_layout(page)
    people = page.locator(".st-key-people details")
    if people.get_attribute("open") is None:
        people.locator("summary").click()
    expect(people).to_have_attribute("open", "")


def assign_task(page: Page, *names: str) -> dict[str, str]:
    """Add a coordinator and annotators, assign the task to the latter, and return their links."""
    open_people(page)
    new_link(page, "cy")  # the coordinator's own, which the page now uses
    assert "token" not in page.url
    open_people(page)
    links = {}
    for name in names:
        choose(page, "person_role_False", "annotator")
        links[name] = new_link(page, name)
    for name in names:
        choose(page, "assign_to_equal-1", name)
    page.keyboard.press("Escape")
    click(page, "assign")
    expect_words(page, "; ".join(f"{name}: 2 new items" for name in names))
    return links


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
    page.keyboard.press("q")
    expect(page.get_by_label("Reason")).to_have_value("The guidelines say so")
    for key, left in (("1", 1), ("2", 0)):
        await_run(page)
        page.keyboard.press(key)
        expect(main).to_contain_text(f"People differ on 2 items; {left} of them open.")
    part(page, "listed", "decided")
    expect(page.locator(".st-key-decided")).to_contain_text("Decided by cy")


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


COUNT_CLICKS = """
window.addEventListener("click", (event) => {
  if (event.isTrusted) sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1;
}, true);
"""


def test_a_task_is_set_up_in_at_most_five_clicks(browser: Browser, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "results" / STUDY, tmp_path / "store" / STUDY)
    with serving(tmp_path / "streamlit.log", str(tmp_path / "store")) as server, page_of(browser) as page:
        page.add_init_script(COUNT_CLICKS)
        page.goto(f"{server.url}/?study={STUDY}")
        await_run(page)
        page.locator(".st-key-pages").get_by_role("button", name="Do", exact=True).click()
        page.get_by_role("link", name="Coordinate", exact=True).click()
        await_run(page)
        people = page.locator(".st-key-task_people").get_by_role("combobox")
        people.click()
        for name in ("ann", "bo"):
            page.keyboard.type(name)
            page.keyboard.press("Enter")
            await_run(page)
        page.keyboard.press("Escape")
        click(page, "make_task")

        links = page.locator(".st-key-new_link")
        for name in ("ann", "bo"):
            expect(links).to_contain_text(f"Link for {name}.")
        assert page.evaluate("Number(sessionStorage.clicks)") <= 5


def test_two_annotators_disagree_and_the_coordinator_settles_it(
    url: str, store: Path, page: Page, other: Page
) -> None:
    models = set(Store(str(store)).open(STUDY).table("models", ["model"])["model"].to_pylist())

    def response_names(page: Page) -> list[str]:
        return [name for name in models if name in page.get_by_test_id("stMain").inner_text()]

    page.goto(f"{url}/coordinate?study={STUDY}")
    make_task(page)
    links = assign_task(page, "ann", "bo")
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
