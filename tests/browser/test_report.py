"""The presentation by keys and swipes, and the report from the page to a file opened without a network."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from common_server import Common
from playwright.sync_api import Browser, Page, expect
from report.test_report import hostile_study

import engine
from browser.conftest import WINDOW
from browser.server import PATIENCE_MS, await_layout, await_run, open_menu
from engine.report import written
from engine.report.exhibit import PinnedView, pin, pins_of
from engine.store import Store
from engine.store.publish import change_info

pytestmark = pytest.mark.browser

ALL_DRAWN = "() => [...document.querySelectorAll('[data-chart]')].every(place => place.dataset.drawn)"
SENTENCE = "m3 passes its own failed answers"


@pytest.fixture(scope="module")
def store(app: Common) -> Path:
    return app.store


@pytest.fixture
def pin_ids(store: Path) -> tuple[str, ...]:
    """Replace the stories by a main one of three views, and return their ids."""
    files = change_info(Store(store).open("plain"), lambda info: info.model_copy(update={"stories": {}}))
    for title, keys in (("One", {}), ("Two", {"polarity": ("negative",)}), ("Three", {"by": ("axis",)})):
        files = pin(files, PinnedView("slice", keys), title, f"The note of {title}")
    return tuple(one.id for one in pins_of(files.info))


def test_the_first_slides_fit_the_screen_of_a_phone(app_url: str, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})

    for address in ("study=demo-health&screen=start", "study=demo-health&screen=which-judge"):
        page.goto(f"{app_url}/present?{address}")
        await_layout(page)

        content = page.locator(".st-key-screen").bounding_box()
        assert content is not None
        assert content["y"] + content["height"] <= 844, address
        main = page.get_by_test_id("stMain")
        assert main.evaluate("one => one.scrollHeight <= one.clientHeight"), address
    expect(page.locator(".st-key-advice")).to_contain_text("Never on its own answers")


def open_report(browser: Browser, path: Path, scheme: str) -> Iterator[tuple[Page, list[str], list[str]]]:
    """Open a file without a network; yield the page, its requests, and its console messages."""
    context = browser.new_context(color_scheme=scheme, offline=True, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    requests: list[str] = []
    messages: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda line: messages.append(line.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("dialog", lambda dialog: messages.append(dialog.message))
    page.goto(path.as_uri())
    page.wait_for_function(ALL_DRAWN, timeout=PATIENCE_MS)
    try:
        yield page, requests, messages
    finally:
        context.close()


def test_from_the_findings_page_to_a_file_that_opens_without_a_network(
    app_url: str,
    page: Page,
    browser: Browser,
    tmp_path: Path,
    pin_ids: tuple[str, ...],
) -> None:
    page.goto(f"{app_url}/findings?study=plain")
    expect(page.locator("[class*='st-key-card_']").first).to_be_visible(timeout=3 * PATIENCE_MS)  # all rules
    await_layout(page)
    whole = page.locator(".st-key-report_html").get_by_role("button")
    open_menu(page.locator(".st-key-report").get_by_role("button", name="Report"), whole)
    with page.expect_download() as download:
        whole.click()
    path = tmp_path / "report.html"
    download.value.save_as(path)

    for document, requests, messages in open_report(browser, path, "dark"):
        charts = document.locator("[data-chart] svg")
        assert charts.count() >= len(pin_ids)
        assert charts.locator("[role=graphics-symbol]").count() > 20
        expect(document.locator(f"#pin-{pin_ids[0]}")).to_contain_text("The note of One")
        assert (requests, messages) == ([path.as_uri()], [])

    assert download.value.suggested_filename == "plain-report.html"


PRINTED, TALL = 688, 996
"""Pixels of a page of A4 between its margins: 210 - 28 mm, and 297 - 33 mm, of 96 to the inch."""


def test_a_report_shows_its_numbers_on_hover_and_is_printed_whole(
    browser: Browser, store: Path, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(written(engine.open_study(store / "demo-health"), date="2026-11-22"))

    for document, _, messages in open_report(browser, path, "dark"):
        first_figure = document.locator("#figure-1 svg").bounding_box()
        assert first_figure is not None
        assert first_figure["y"] < 400
        mark = "figure:not(#figure-1) [role=graphics-symbol][aria-label*='aster-large']"
        document.locator(mark).last.hover(force=True)
        expect(document.locator("#vg-tooltip-element")).to_be_visible()
        expect(document.locator("#vg-tooltip-element")).to_contain_text("aster-large")
        assert messages == []

        printed = document.pdf(format="A4", prefer_css_page_size=True, tagged=True)
        assert printed.startswith(b"%PDF")
        assert 3 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 15
        document.set_viewport_size({"width": PRINTED, "height": TALL})
        document.emulate_media(media="print")
        check_figures_fit_a_page(document)
        check_tables_unfold(document)


def check_figures_fit_a_page(document: Page) -> None:
    boxes = document.locator("figure").evaluate_all(
        "all => all.map(one => [one.id, one.getBoundingClientRect().height, "
        "getComputedStyle(one).breakInside])"
    )
    first = document.locator("#judges").evaluate(
        "one => [one.getBoundingClientRect().bottom, getComputedStyle(one).breakAfter]"
    )
    assert len(boxes) >= 2
    assert [box for box in boxes if box[1] > TALL or box[2] != "avoid"] == []
    assert first[0] <= TALL
    assert first[1] == "page"


def check_tables_unfold(document: Page) -> None:
    """Check that tables unfold within the page before it is printed, and fold again afterwards."""
    folded = document.locator("details:not([open])")
    closed = folded.count()
    document.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(folded).to_have_count(0)
    widths = document.locator("table, .chart svg").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().right)"
    )
    paper = document.evaluate("getComputedStyle(document.body).backgroundColor")
    document.evaluate("dispatchEvent(new Event('afterprint'))")
    assert closed > 3
    assert max(widths) <= PRINTED
    assert paper == "rgb(255, 255, 255)"
    expect(folded).to_have_count(closed)


def test_names_that_look_like_scripts_neither_run_nor_break_a_report(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(written(engine.open_study(hostile_study(tmp_path)), date="2026-11-22"))

    for document, requests, messages in open_report(browser, path, "light"):
        assert document.locator("[data-chart] svg").count() > 3
        assert document.locator("img").count() == 0
        assert (requests, messages) == ([path.as_uri()], [])


def at(page: Page, name: str) -> None:
    """Wait until the screen of that name is drawn: a key pressed meanwhile is lost with that run."""
    expect(page).to_have_url(re.compile(re.escape(f"screen={name}".replace(":", "%3A")) + "($|&)"))
    await_layout(page, 300)


def test_keys_change_the_screen_and_a_copied_link_opens_the_same_one(
    app_url: str, page: Page, other: Page, pin_ids: tuple[str, ...]
) -> None:
    page.goto(f"{app_url}/present?study=plain&show=pins")
    await_run(page)
    expect(page.get_by_text("1 of 4")).to_be_visible()
    await_layout(page)  # the part of the program that listens to keys loads last

    page.keyboard.press("ArrowRight")
    at(page, f"pin:{pin_ids[0]}")
    page.keyboard.press("Space")
    at(page, f"pin:{pin_ids[1]}")
    page.keyboard.press("End")
    at(page, f"pin:{pin_ids[2]}")
    page.keyboard.press("ArrowLeft")
    at(page, f"pin:{pin_ids[1]}")
    screen = page.locator(".st-key-screen")
    expect(screen).to_contain_text("polarity negative")
    expect(screen).not_to_contain_text("The note of Two")
    texts = screen.get_by_test_id("stText").all_inner_texts()
    other.emulate_media(color_scheme="dark")
    other.goto(page.url)
    await_run(other)
    expect(other.get_by_text("3 of 4")).to_be_visible()
    assert other.locator(".st-key-screen").get_by_test_id("stText").all_inner_texts() == texts
    page.keyboard.press("n")
    expect(screen).to_contain_text("The note of Two")
    page.keyboard.press("?")
    expect(screen).to_contain_text("Esc: leave")
    await_layout(page)
    page.keyboard.press("Home")
    at(page, "start")
    page.keyboard.press("Escape")

    expect(page).not_to_have_url(re.compile("/present"))
    await_run(page)
    expect(page.locator(".st-key-pages")).to_be_visible()


def test_a_finding_fills_its_screen_and_nothing_on_it_can_be_clicked(app_url: str, page: Page) -> None:
    page.goto(f"{app_url}/present?study=plain&screen=finding:own-failures:m3")
    await_run(page)

    screen = page.locator(".st-key-screen")
    expect(screen).to_contain_text(SENTENCE)
    expect(screen).to_contain_text("own failures")
    expect(screen).not_to_contain_text("Left out: ")
    await_layout(page)
    page.keyboard.press("n")
    expect(screen).to_contain_text("Left out: ")
    screen.locator("[role=graphics-symbol]").first.wait_for(state="attached")
    for control in page.get_by_role("button").all() + page.get_by_role("combobox").all():
        box = control.bounding_box()
        if box is not None and control.evaluate("node => node.closest('.st-key-screen') !== null"):
            raise AssertionError(control.inner_text())
    wide, tall = page.evaluate("[document.scrollingElement.scrollWidth, innerHeight]")
    assert wide <= WINDOW["width"]
    title = page.locator(".st-key-title [data-testid=stText]")
    assert float(title.evaluate("node => parseFloat(getComputedStyle(node).fontSize)")) >= 28
    box = screen.locator("[role=graphics-document]").first.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= tall


SWIPE = """([from, to, on]) => {
  const touch = x => new Touch({identifier: 1, target: document.body, clientX: x, clientY: 400});
  const send = (name, touches, changed) => (on ? document.querySelector(on) : document).dispatchEvent(
    new TouchEvent(name, {touches, changedTouches: changed, bubbles: true}));
  send('touchstart', [touch(from)], [touch(from)]);
  send('touchend', [], [touch(to)]);
}"""


ENLARGED = "svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width"
"""How many times as large as it was drawn a chart is shown, its text included."""


def test_a_chart_is_as_wide_as_a_phone_with_its_text_as_large_as_it_was_drawn(
    app_url: str, page: Page, pin_ids: tuple[str, ...]
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for name in ("finding:own-failures:m3", *(f"pin:{each}" for each in pin_ids)):
        page.goto(f"{app_url}/present?study=plain&screen={name}")
        await_run(page)
        chart = page.locator(".st-key-picture svg.marks")
        chart.wait_for()
        await_layout(page)

        assert (name, chart.evaluate(ENLARGED) > 0.9) == (name, True)
        box = chart.bounding_box()
        assert box is not None
        assert (name, box["width"] > 350) == (name, True)
        assert page.get_by_test_id("stMain").evaluate("node => node.scrollWidth") == 390


def test_on_a_phone_a_swipe_scrolls_a_table_that_is_too_wide_and_turns_no_slide(
    app_url: str, page: Page, store: Path
) -> None:
    files = pin(Store(store).open("plain"), PinnedView("which_judge", {}), "Which judge")
    pin_id = pins_of(files.info)[-1].id
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{app_url}/present?study=plain&screen=pin:{pin_id}")
    await_run(page)
    table = page.locator(".st-key-advice")
    expect(table).to_contain_text("add a second judge")
    await_layout(page)

    assert table.evaluate("node => node.scrollWidth > node.clientWidth")
    page.evaluate(SWIPE, [300, 100, ".st-key-advice td"])
    await_layout(page)
    assert pin_id in page.url
    page.evaluate(SWIPE, [100, 300])
    expect(page).not_to_have_url(re.compile(pin_id))


def test_the_first_slide_fits_a_phone_and_a_swipe_turns_it(app_url: str, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{app_url}/present?study=demo-health")
    await_run(page)
    page.locator(".st-key-picture svg.marks").wait_for()
    await_layout(page)

    main = page.get_by_test_id("stMain")
    assert main.evaluate("node => [node.scrollHeight, node.scrollWidth]") == [844, 390]
    expect(page.locator(".st-key-keys")).to_contain_text("Swipe left: next")
    page.evaluate(SWIPE, [300, 100])
    expect(page).to_have_url(re.compile("screen="))
    await_layout(page)
    page.evaluate(SWIPE, [100, 300])
    expect(page.locator(".st-key-over")).to_contain_text("1 of ")
