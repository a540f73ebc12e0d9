"""The pages as a reader uses them."""

import re

import pytest
from browser.server import OUTSIDE, choose, page_of, settled, unmoved
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser


def go_to(page: Page, title: str) -> None:
    page.locator(".st-key-pages").get_by_role("link", name=title, exact=True).click()
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    settled(page)


def choose_row(page: Page, key: str, row: int) -> None:
    page.locator(f".st-key-{key}").get_by_test_id("stDataFrame").click(
        position={"x": 20, "y": 38 + 35 * row + 17}
    )


def counter(page: Page) -> str:
    return page.get_by_text(re.compile(r"^[\d,]+ of [\d,]+$")).inner_text()


def facts(page: Page) -> list[str]:
    return page.locator(".st-key-rubric").get_by_test_id("stText").all_inner_texts()


def test_from_the_overview_to_one_verdict_and_back_by_its_address(
    app_url: str, page: Page, browser: Browser
) -> None:
    page.goto(app_url)
    settled(page)
    expect(page.get_by_text("credits itself most")).to_be_visible()

    go_to(page, "Slice")
    choose(page, "w_polarity", "negative")
    choose(page, "w_by", "Axis")
    expect(page).to_have_url(re.compile(r"slice\?.*polarity=negative.*by=axis"))
    choose_row(page, "numbers", 0)
    expect(page.get_by_role("heading", name="Verdicts", exact=True)).to_be_visible()
    settled(page)
    expect(page.get_by_text("Only axis: accuracy")).to_be_visible()
    page.get_by_role("button", name="All slices").click()
    settled(page)
    page.get_by_role("button", name=re.compile("^Next")).click()
    expect(page.get_by_text(re.compile(r"^2 of "))).to_be_visible()
    page.locator("body").press("n")
    expect(page.get_by_text(re.compile(r"^3 of "))).to_be_visible()
    expect(page).to_have_url(re.compile(r"item=3"))
    shown = counter(page), facts(page)

    page.reload()
    expect(page.get_by_text(re.compile(r"^3 of "))).to_be_visible()
    settled(page)
    again = counter(page), facts(page)
    with page_of(browser) as other:
        other.goto(page.url)
        expect(other.get_by_text(re.compile(r"^3 of "))).to_be_visible()
        settled(other)
        elsewhere = counter(other), facts(other)

    assert again == shown
    assert elsewhere == shown
    assert any("points -" in fact for fact in shown[1])


def test_filters_stay_on_the_way_through_the_pages_and_back_undoes_a_step(app_url: str, page: Page) -> None:
    page.goto(f"{app_url}/slice?study=demo-health&axis=accuracy")
    settled(page)

    choose(page, "w_polarity", "negative")
    expect(page).to_have_url(re.compile("polarity=negative"))
    go_to(page, "Verdicts")
    expect(page).to_have_url(
        re.compile("verdicts.*axis=accuracy.*polarity=negative|polarity=negative.*axis=accuracy")
    )
    go_to(page, "Overview")
    go_to(page, "Slice")
    expect(page).to_have_url(re.compile("axis=accuracy"))

    choose(page, "w_theme", "global_health")
    expect(page).to_have_url(re.compile("theme=global_health"))
    page.go_back()
    expect(page).not_to_have_url(re.compile("theme=global_health"))
    settled(page)
    expect(page.locator(".st-key-w_theme")).not_to_contain_text("global_health")
    expect(page.locator(".st-key-w_axis")).to_contain_text("accuracy")


MARKS = """() => [...document.querySelectorAll('.st-key-forest svg path[aria-roledescription]')]
  .map(mark => mark.getAttribute('aria-label') + mark.getAttribute('transform'))"""


def marks(page: Page) -> list[str]:
    expect(page.locator(".st-key-forest svg.marks")).to_be_visible()
    unmoved(page)
    return list(page.evaluate(MARKS))


def test_marks_moved_by_a_filter_stand_where_a_new_page_draws_them(
    app_url: str, page: Page, browser: Browser
) -> None:
    page.goto(f"{app_url}/slice?study=demo-health")
    before = marks(page)

    choose(page, "w_polarity", "negative")
    moved = marks(page)
    with page_of(browser) as other:
        other.goto(page.url)
        new = marks(other)

    assert moved == new
    assert moved != before
    assert len(moved) > 5


def test_hostile_names_and_texts_are_only_text(app_url: str, page: Page) -> None:
    alerts: list[str] = []
    outside: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: outside.append(request.url) if OUTSIDE.match(request.url) else None)

    for name in ("?", "verdicts?show=all&", "slice?by=axis&"):
        page.goto(f"{app_url}/{name}study=hostile")
        settled(page)
        expect(page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
        assert page.locator("[data-testid=stMain]").locator("img, b, i, script").count() == 0
    marks = page.locator(".st-key-forest [role=graphics-symbol]")
    marks.first.wait_for(state="attached")
    told = " ".join(mark.get_attribute("aria-label") or "" for mark in marks.all())

    assert alerts == []
    assert outside == []
    assert "<b>plain</b>" in told
    assert "a.b[c]" in told
