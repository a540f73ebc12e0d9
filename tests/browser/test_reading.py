"""Hostile texts in a real browser, side by side, plain and rendered; and the page of measures."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Dialog, Page, Request, expect

from browser.server import OUTSIDE, await_run, choose, follow
from engine.measures.catalogue import MEASURES
from explorer.parts.components import HEAD, ROW
from explorer.parts.page_list import PAGES

pytestmark = pytest.mark.browser

ACTIVE = "img, script, iframe, object, embed, video, audio, form:not(.vega-bindings), "
ACTIVE += "a:not([data-testid=stPageLink-NavLink])"
"""Elements that no text of a study may become; the explorer's own links lead to its pages."""

ADDRESSES = ["" if page.name == "judges" else page.name for page in PAGES]


def open_settled(page: Page, address: str) -> None:
    page.goto(address)
    await_content(page)


def await_content(page: Page) -> None:
    """Wait for the page's own content below the head, which it shows last."""
    await_run(page)
    expect(page.locator("[data-testid=stMain] [data-testid=stText]").nth(1)).to_be_visible(timeout=20_000)
    await_run(page)


@pytest.fixture
def heard(page: Page) -> Iterator[list[str]]:
    """Return the page's requests to other hosts, and the messages of its dialogs."""
    messages: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        messages.append(dialog.message)
        dialog.dismiss()

    def note(request: Request) -> None:
        if OUTSIDE.match(request.url):
            messages.append(request.url)

    page.on("dialog", dismiss)
    page.on("request", note)
    yield messages
    page.remove_listener("dialog", dismiss)
    page.remove_listener("request", note)


def test_hostile_texts_do_nothing_on_any_page(app_url: str, page: Page, heard: list[str]) -> None:
    page.goto(f"{app_url}/annotate?study=hostile-texts")

    for name in (*ADDRESSES, "workbench?show=all&rendered=true&item=1", "workbench?show=all&item=1"):
        follow(page, f"{app_url}/{name}{'&' if '?' in name else '?'}study=hostile-texts")
        await_content(page)
        page.wait_for_timeout(400)

        active = page.locator("[data-testid=stMain]").locator(ACTIVE).count()
        within = page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert (name, active, within, heard) == (name, 0, True, [])


@pytest.mark.parametrize("beside", ["judge", "generator"])
def test_rendered_texts_have_structure_and_their_own_direction(
    app_url: str, page: Page, heard: list[str], beside: str
) -> None:
    name = "datum.x[0] {{expression}} ${alert(1)} @x.invalid www.x.invalid".replace(" ", "%20")
    reading = f"show=all&rendered=true&beside={beside}:{name.replace('$', '%24').replace('@', '%40')}"

    open_settled(page, f"{app_url}/workbench?study=hostile-texts&item=1&{reading}")

    main = page.locator("[data-testid=stMain]")
    expect(main.locator(".katex").first).to_be_visible()
    expect(main.locator("[class*=st-key-text_] table").first).to_be_visible()
    expect(main.get_by_role("heading", name="Heading").first).to_be_visible()
    expect(main.get_by_text("<script>alert(1)</script>", exact=True).first).to_be_visible()
    expect(main.get_by_text("שלום", exact=True).first).to_be_visible()
    # Polled until the page is stable: a word may be redrawn while its style is loading.
    page.wait_for_function(
        """word => {
            const all = Array.from(document.querySelectorAll("[data-testid=stMain] *"))
            const shown = all.find(one => !one.children.length && one.textContent.trim() === word)
            if (!shown) return false
            const range = document.createRange()
            range.selectNodeContents(shown)
            const text = range.getBoundingClientRect(), box = shown.getBoundingClientRect()
            return text.left > box.left + box.width / 2
        }""",
        arg="שלום",
    )
    assert main.locator(ACTIVE).count() == 0
    assert heard == []


def test_a_reading_side_by_side_is_the_same_after_a_reload(app_url: str, page: Page) -> None:
    open_settled(page, f"{app_url}/workbench?study=demo-health&judge=dune-large&show=all&item=1")

    choose(page, "w_beside", "judge aster-mini")
    page.locator(".st-key-w_differ label").first.click()
    await_run(page)
    expect(page).to_have_url(re.compile("beside=judge.*differ=true"))
    counter = page.get_by_text(re.compile(r"^1 of [\d,]+$"))
    text = counter.inner_text()
    page.reload()
    await_run(page)

    expect(counter).to_have_text(text)
    expect(page.locator(".st-key-w_beside").get_by_role("combobox")).to_have_value("judge aster-mini")
    expect(page.get_by_text(re.compile(r"^aster-mini \(.*not met|^aster-mini \(.*met")).first).to_be_visible()


def test_a_measure_is_chosen_in_the_list_and_is_in_the_address(app_url: str, page: Page) -> None:
    open_settled(page, f"{app_url}/measures?study=demo-health")

    second = HEAD + ROW * 3 // 2  # the middle of the second row
    page.locator(".st-key-measures").get_by_test_id("stDataFrame").click(position={"x": 20, "y": second})

    expect(page).to_have_url(re.compile("measure=expected"))
    await_run(page)
    expect(page.get_by_role("heading", name=MEASURES["expected"].title, exact=True)).to_be_visible()
