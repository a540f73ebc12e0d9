"""A table of one's own: chosen in the system's window, uploaded, described, imported, opened."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.common import Common
from browser.server import COUNT_CLICKS, await_run, choose
from engine.store import Store

pytestmark = pytest.mark.browser

MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
VERDICTS = {True: "yes", False: "no"}
OWN = "item,model,rater,rule,ok,truth\n" + "".join(
    f"Q{item},{model},{judge},Polite?,{VERDICTS[judge == model or item % 2 == 1]},{VERDICTS[item % 3 == 1]}\n"
    for item in range(12)
    for model in MODELS
    for judge in MODELS
)


def test_an_own_table_leads_to_an_answer_in_at_most_eight_clicks(
    page: Page, app: Common, tmp_path: Path
) -> None:
    """The choice of the file in the system's window is a click that the page does not see."""
    (tmp_path / "own-table.csv").write_text(OWN)
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
