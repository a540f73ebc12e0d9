"""The pages as a reader uses them."""

import re
from pathlib import Path

import pytest
from common_server import Common
from playwright.sync_api import Page, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from browser.server import COUNT_CLICKS, add_filter, await_layout, await_run, choose, follow
from browser.test_pictures import TOO_WIDE
from engine.store import Store

pytestmark = pytest.mark.browser


def go_to(page: Page, title: str) -> None:
    page.locator(".st-key-pages").get_by_role("link", name=title, exact=True).click()
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    await_run(page)


def counter(page: Page) -> str:
    return page.get_by_text(re.compile(r"^[\d,]+ of [\d,]+$")).inner_text()


def facts(page: Page) -> list[str]:
    return page.locator(".st-key-rubric").get_by_test_id("stText").all_inner_texts()


def mark(page: Page, **fields: str):
    """Return the mark of a chart that has these values in its accessible label."""
    marks = page.locator(".st-key-slices path[role=graphics-symbol]")
    for field, value in fields.items():
        marks = marks.and_(page.locator(f'[aria-label*="{field}: {value};"]'))
    return marks.last


def click(page: Page, drawn_mark) -> None:
    """Click the middle of a mark, once no other mark's tooltip covers it."""
    drawn_mark.wait_for(state="attached")
    await_layout(page)
    drawn_mark.scroll_into_view_if_needed()
    page.mouse.move(0, 0)
    box = drawn_mark.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def count_line(page: Page) -> str:
    return page.locator(".st-key-note_listed").inner_text()


def test_from_a_claim_to_its_number_a_mark_and_one_judgment_and_back_by_its_address(
    app_url: str, page: Page, other: Page
) -> None:
    page.goto(f"{app_url}/findings?study=demo-health")
    await_run(page)
    claim = page.locator("[class*='st-key-card_who_0']")
    number = re.search(r"95% CI \d+ to \d+", claim.get_by_test_id("stText").first.inner_text())
    assert number is not None
    claim.get_by_test_id("stPageLink").get_by_role("link").click()
    expect(page.get_by_role("heading", name="Judges", exact=True)).to_be_visible()
    await_run(page)
    expect(page.get_by_text(number.group()).first).to_be_visible()

    go_to(page, "Explore")
    add_filter(page, "Polarity", "negative")
    expect(page).to_have_url(re.compile(r"workbench\?.*polarity=negative"))
    before = count_line(page)
    click(page, mark(page, row="cinder-mini", of="own answers"))
    expect(page.locator(".st-key-chip_judge")).to_contain_text("cinder-mini")
    expect(page).to_have_url(re.compile("judge=cinder-mini"))
    await_run(page)
    assert count_line(page) != before
    page.locator("article").nth(1).get_by_role("button", name="Read").click()
    expect(page.get_by_text(re.compile(r"^2 of "))).to_be_visible()
    expect(page).to_have_url(re.compile(r"item=2"))
    await_run(page)
    page.locator("body").press("n")
    expect(page.get_by_text(re.compile(r"^3 of "))).to_be_visible()
    expect(page).to_have_url(re.compile(r"item=3"))
    await_layout(page)
    view = counter(page), facts(page)
    other.goto(page.url)
    expect(other.get_by_text(re.compile(r"^3 of "))).to_be_visible()
    await_layout(other)
    elsewhere = counter(other), facts(other)

    assert elsewhere == view
    assert any("points -" in fact for fact in view[1])
    page.locator(".st-key-all_judgments").get_by_role("button").click()
    await_layout(page)  # until the list replaces the judgment, chips of both are there
    page.locator(".st-key-off_judge").get_by_role("button").click()
    expect(page.locator(".st-key-chip_judge")).to_have_count(0)
    await_run(page)
    click(page, mark(page, row="cinder-mini", of="own answers"))  # the same mark once more
    expect(page.locator(".st-key-chip_judge")).to_contain_text("cinder-mini")


MARKS = """() => [...document.querySelectorAll('.st-key-slices svg path[aria-roledescription]')]
  .map(mark => mark.getAttribute('aria-label') + mark.getAttribute('transform'))"""


def marks(page: Page) -> list[str]:
    expect(page.locator(".st-key-slices svg.marks")).to_be_visible()
    await_layout(page)
    return list(page.evaluate(MARKS))


def test_a_filter_moves_the_marks_stays_on_other_pages_and_is_undone_by_back(
    app_url: str, page: Page
) -> None:
    page.goto(f"{app_url}/slice?study=demo-health&axis=accuracy")
    before = marks(page)

    add_filter(page, "Polarity", "negative")
    expect(page).to_have_url(re.compile("polarity=negative"))
    page.wait_for_function(f"before => JSON.stringify(({MARKS})()) !== JSON.stringify(before)", arg=before)
    moved = marks(page)

    assert moved != before
    assert len(moved) > 5
    go_to(page, "Judges")
    go_to(page, "Explore")
    expect(page).to_have_url(re.compile("axis=accuracy.*polarity=negative|polarity=negative.*axis=accuracy"))
    await_layout(page)
    page.locator(".st-key-off_polarity").get_by_role("button").click()
    expect(page).not_to_have_url(re.compile("polarity"))
    page.go_back()

    expect(page).to_have_url(re.compile("polarity=negative"))
    await_run(page)
    expect(page.locator(".st-key-chip_polarity")).to_contain_text("negative")
    expect(page.locator(".st-key-chip_axis")).to_contain_text("accuracy")
    page.go_forward()
    expect(page).not_to_have_url(re.compile("polarity"))
    expect(page.locator(".st-key-chip_polarity")).to_have_count(0)


def test_a_rerun_sends_the_chart_before_links_and_list_and_keeps_the_title(
    app_url: str, new_page: Page
) -> None:
    frames: list[bytes] = []
    new_page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(frame)))
    address = f"{app_url}/workbench?study=demo-health"
    new_page.goto(address)
    await_layout(new_page)
    frames.clear()

    follow(new_page, f"{address}&polarity=negative")
    await_layout(new_page)

    messages = [ForwardMsg.FromString(frame) for frame in frames]
    elements = [message.delta.new_element.WhichOneof("type") for message in messages]
    chart = elements.index("vega_lite_chart")
    assert elements.index("page_link") > chart
    assert elements.index("bidi_component") > chart
    titles = [message.page_config_changed.title for message in messages if message.page_config_changed.title]
    assert titles == ["Explore · demo-health"]


def test_the_list_continues_at_its_end_and_a_measure_is_explained_beside_its_chart(
    app_url: str, page: Page
) -> None:
    page.goto(f"{app_url}/workbench?study=demo-health")
    await_run(page)
    cards = page.locator("article")
    expect(cards).to_have_count(40)

    await_layout(page)
    cards.last.scroll_into_view_if_needed()
    cards.last.hover()
    page.mouse.wheel(0, 3000)

    expect(cards).to_have_count(80)
    assert page.locator(".list").evaluate("list => list.scrollTop") > 1000

    page.get_by_role("button", name="Own cases given and expected").first.click()
    words = "Of 100 own cases, how many did a judge pass, and how many would other judges as strict pass?"
    expect(page.get_by_text(words)).to_be_visible()


def test_in_any_window_nothing_scrolls_sideways_and_links_and_the_board_are_in_reach(
    app_url: str, page: Page
) -> None:
    page.set_viewport_size({"width": 360, "height": 844})
    page.goto(f"{app_url}/workbench?study=demo-health")
    await_layout(page)
    assert page.evaluate(TOO_WIDE) == []
    page.locator(".st-key-all_pages").get_by_role("button").first.click(timeout=5_000)
    page.get_by_test_id("stPageLink").get_by_role("link", name="Judges").first.click(timeout=5_000)
    await_run(page)
    expect(page).to_have_title("Judges · demo-health")

    for width, within in ((390, 844 / 2), (1280, 844), (1920, 844)):
        page.set_viewport_size({"width": width, "height": 844})
        await_layout(page)

        assert page.evaluate(TOO_WIDE) == []
        finding = page.locator(".st-key-finding_judges")
        board = page.locator(".st-key-judges [role=graphics-document]").bounding_box()
        assert board is not None
        assert (width, board["y"] < within) == (width, True)
        answer = finding.evaluate("node => node.getBoundingClientRect().bottom")
        assert (width, answer < 844) == (width, True)
        mark = page.locator(".st-key-judges path[aria-label*='favours itself']").first
        assert (mark.bounding_box() or {"y": 844})["y"] < 844
        sentence = finding.get_by_test_id("stText").first
        lines = "node => node.getBoundingClientRect().height / parseFloat(getComputedStyle(node).lineHeight)"
        assert (width, round(float(sentence.evaluate(lines))) <= 2) == (width, True)
    page.get_by_test_id("stPageLink").get_by_role("link", name="Explore").first.click(timeout=5_000)
    expect(page).to_have_title("Explore · demo-health")


MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
VERDICTS = {True: "yes", False: "no"}
OWN = "item,model,rater,rule,ok,truth\n" + "".join(
    f"Q{item},{model},{judge},Polite?,{VERDICTS[judge == model or item % 2 == 1]},{VERDICTS[item % 3 == 1]}\n"
    for item in range(12)
    for model in MODELS
    for judge in MODELS
)


def test_an_own_table_leads_to_an_answer_in_at_most_eight_clicks(
    new_page: Page, app: Common, tmp_path: Path
) -> None:
    """The choice of the file in the system's window is a click that the page does not see."""
    (tmp_path / "own-table.csv").write_text(OWN)
    page = new_page
    page.add_init_script(COUNT_CLICKS)
    page.goto(app.url)
    await_run(page)
    page.locator(".st-key-pages").get_by_role("link", name="Data", exact=True).click()
    await_run(page)

    with page.expect_file_chooser() as chooser:
        page.locator(".st-key-import_file button").first.click()
    chooser.value.set_files(tmp_path / "own-table.csv")
    await_run(page)
    column = page.locator(".st-key-import_column_3")
    expect(column).to_contain_text("rule")
    expect(column).to_contain_text("Polite?")
    choose(page, "import_column_3", "Criterion's text")
    expect(page.locator(".st-key-import_found")).to_contain_text("108 rows read, 108 taken")
    await_run(page)
    page.locator(".st-key-import_write button").click()
    expect(page.get_by_role("heading", name="Judges")).to_be_visible()
    await_run(page)

    clicks = page.evaluate("Number(sessionStorage.clicks)") + 1
    assert clicks <= 8, clicks
    study = Store(app.store).open("own-table")
    assert study.table("rubrics")["criterion"].to_pylist() == ["Polite?"] * 12
