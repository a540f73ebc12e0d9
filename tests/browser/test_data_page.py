"""Files of other tools on the page: uploaded, previewed, corrected, imported, opened; wrong files too."""

import json
from pathlib import Path

import pytest
from importers.foreign_files import alpaca
from playwright.sync_api import Page, expect

from browser.common import Common
from browser.server import await_run, choose
from engine.store import Store

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)> [x](http://a.b)"


def open_data_page(page: Page, url: str) -> None:
    page.goto(f"{url}/data")
    await_run(page)


def upload_file(page: Page, key: str, name: str, content: bytes) -> None:
    upload = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.locator(f".st-key-{key} input[type=file]").set_input_files(upload)
    await_run(page)


def test_a_file_is_uploaded_previewed_corrected_and_imported(page: Page, app: Common) -> None:
    store = Store(app.store)
    before = store.studies()
    rows = [*alpaca(1, 2, 1.5, None), {"instruction": HOSTILE}, 7]
    open_data_page(page, app.url)
    upload_file(page, "import_file", "annotations.json", json.dumps(rows).encode())

    summary = page.locator(".st-key-import_found")
    expect(summary).to_contain_text("6 rows read, 4 taken, 2 left out")
    expect(summary).to_contain_text("3 with a verdict (ties: 1), 1 unparsed")
    assert store.studies() == before, "the preview writes nothing"
    page.locator(".st-key-import_more summary").click()
    upload_file(page, "import_models_file", "models.csv", b"model,family\ntext_davinci_003,Davinci\n")
    page.locator(".st-key-import_target input").first.fill("mine")
    page.locator(".st-key-import_write button").click()

    expect(page.get_by_role("heading", name="Judges")).to_be_visible()
    families = store.open("mine").table("models")["family"].to_pylist()
    assert sorted(families) == ["Davinci", "GPT", "GPT"]


def test_a_file_of_another_format_is_refused_with_what_was_expected(page: Page, app_url: str) -> None:
    open_data_page(page, app_url)
    upload_file(page, "import_file", "<b>x</b>.jsonl", b'{"a": 1}\nno json\n')
    choose(page, "import_format", "Arena-Hard judgments (arena-hard)")
    await_run(page)

    expect(page.get_by_text("it has no row of the format")).to_be_visible()
    expect(page.get_by_text("expected a judgment file of Arena-Hard-Auto")).to_be_visible()
    assert page.locator("[data-testid=stException]").count() == 0


MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
VERDICTS = {True: "yes", False: "no"}
OWN = "item,model,rater,rule,ok,truth\n" + "".join(
    f"Q{item},{model},{judge},Polite?,{VERDICTS[judge == model or item % 2 == 1]},{VERDICTS[item % 3 == 1]}\n"
    for item in range(12)
    for model in MODELS
    for judge in MODELS
)
COUNT_CLICKS = """
window.addEventListener("click", (event) => {
  if (event.isTrusted) sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1;
}, true);
"""


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


def test_a_column_that_no_guess_was_made_for_is_chosen_from_its_list(page: Page, app_url: str) -> None:
    open_data_page(page, app_url)
    upload_file(
        page, "import_file", "mine.csv", b"who,model,qid,ok\ngpt-4o,gpt-4o,1,true\ngpt-4o,gemma-2,1,no\n"
    )
    choose(page, "import_column_0", "Who judged")

    expect(page.locator(".st-key-import_found")).to_contain_text(
        "2 with a verdict (ties: 0); single criterion 2"
    )
