"""Hostile names and texts in a real browser, plain and rendered; and the page of measures."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Dialog, Page, Request, expect

from browser.server import OUTSIDE, await_run, follow
from engine.measures.catalogue import MEASURES
from explorer.parts.components import HEAD, ROW

pytestmark = pytest.mark.browser

ACTIVE = "b, i, img, script, iframe, object, embed, video, audio, form:not(.vega-bindings), "
ACTIVE += "a:not([data-testid=stPageLink-NavLink])"
"""Elements that no text of a study may become; the explorer's own links lead to its pages."""

TEXTS, NAMES = "study=hostile-texts", "study=hostile"
VIEWS = (
    *(f"?{TEXTS}", f"findings?{TEXTS}", f"which_judge?{TEXTS}", f"present?{TEXTS}&screen=which-judge"),
    *(f"workbench?{TEXTS}&show=all", f"workbench?{TEXTS}&show=all&item=1"),
    *(f"?{NAMES}", f"workbench?{NAMES}&by=axis&axis=%3Cb%3Eplain%3C%2Fb%3E&against=responses"),
)
"""A view for each way in which names and texts reach the screen: charts, cards, tables, HTML, lists."""


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


def check_inactive(page: Page, heard: list[str], view: str) -> None:
    active = page.locator("[data-testid=stMain]").locator(ACTIVE).count()
    within = page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert (view, active, within, heard) == (view, 0, True, [])


def test_hostile_names_and_texts_are_only_text(app_url: str, page: Page, heard: list[str]) -> None:
    page.goto(f"{app_url}/annotate?{TEXTS}")

    for view in VIEWS:
        follow(page, f"{app_url}/{view}")
        # The page's own content is below the head, which it shows first.
        texts = page.locator("[data-testid=stMain] [data-testid=stText]")
        expect(texts.nth(0 if "present" in view else 1)).to_be_visible()
        await_run(page)
        page.wait_for_timeout(400)

        check_inactive(page, heard, view)

    expect(page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
    marks = page.locator(".st-key-slices [role=graphics-symbol]")
    marks.first.wait_for(state="attached")
    labels = " ".join(mark.get_attribute("aria-label") or "" for mark in marks.all())
    assert "<b>plain</b>" in labels
    assert "a.b[c]" in labels


def test_rendered_texts_have_structure_and_their_own_direction(
    app_url: str, page: Page, heard: list[str]
) -> None:
    name = "datum.x[0] {{expression}} ${alert(1)} @x.invalid www.x.invalid".replace(" ", "%20")
    reading = f"show=all&rendered=true&beside=judge:{name.replace('$', '%24').replace('@', '%40')}"

    page.goto(f"{app_url}/workbench?{TEXTS}&item=1&{reading}")
    await_run(page)

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
    check_inactive(page, heard, "rendered")


def test_a_measure_is_chosen_in_the_list_and_is_in_the_address(app_url: str, page: Page) -> None:
    page.goto(f"{app_url}/measures?study=demo-health")
    await_run(page)

    second = HEAD + ROW * 3 // 2  # the middle of the second row
    page.locator(".st-key-measures").get_by_test_id("stDataFrame").click(position={"x": 20, "y": second})

    expect(page).to_have_url(re.compile("measure=expected"))
    await_run(page)
    expect(page.get_by_role("heading", name=MEASURES["expected"].title, exact=True)).to_be_visible()
