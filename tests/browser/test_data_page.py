"""Files of other tools on the page: uploaded, previewed, corrected, imported, opened; wrong files too."""

import json

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


def press_preview(page: Page) -> None:
    page.locator(".st-key-import_look button").click()
    await_run(page)


def test_a_file_is_uploaded_previewed_corrected_and_imported(page: Page, app: Common) -> None:
    store = Store(app.store)
    before = store.studies()
    rows = [*alpaca(1, 2, 1.5, None), {"instruction": HOSTILE}, 7]
    open_data_page(page, app.url)
    upload_file(page, "import_file", "annotations.json", json.dumps(rows).encode())
    press_preview(page)

    summary = page.locator(".st-key-import_found")
    expect(summary).to_contain_text("6 rows read, 4 taken, 2 left out")
    expect(summary).to_contain_text("3 with a verdict (ties: 1), 1 unparsed")
    assert store.studies() == before, "the preview writes nothing"
    page.locator(".st-key-import_more summary").click()
    upload_file(page, "import_models_file", "models.csv", b"model,family\ntext_davinci_003,Davinci\n")
    expect(summary).to_have_count(0)
    press_preview(page)
    page.locator(".st-key-import_target input").first.fill("mine")
    page.locator(".st-key-import_write button").click()

    expect(page.locator(".st-key-import_done")).to_contain_text("The study 'mine' was imported.")
    families = store.open("mine").table("models")["family"].to_pylist()
    assert sorted(families) == ["Davinci", "GPT", "GPT"]
    page.locator(".st-key-import_done a").click()
    expect(page.get_by_role("heading", name="Judges")).to_be_visible()


def test_a_file_of_another_format_is_refused_with_what_was_expected(page: Page, app_url: str) -> None:
    open_data_page(page, app_url)
    upload_file(page, "import_file", "<b>x</b>.jsonl", b'{"a": 1}\nno json\n')
    choose(page, "import_format", "Arena-Hard judgments (arena-hard)")
    await_run(page)
    press_preview(page)

    expect(page.get_by_text("it has no row of the format")).to_be_visible()
    expect(page.get_by_text("expected a judgment file of Arena-Hard-Auto")).to_be_visible()
    assert page.locator("[data-testid=stException]").count() == 0


def test_a_tables_columns_are_chosen_from_lists_that_begin_with_a_guess(page: Page, app_url: str) -> None:
    open_data_page(page, app_url)
    upload_file(
        page, "import_file", "mine.csv", b"who,model,qid,ok\ngpt-4o,gpt-4o,1,true\ngpt-4o,gemma-2,1,no\n"
    )
    press_preview(page)
    expect(page.get_by_text("it has no row of the format")).to_be_visible()

    choose(page, "import_column_judge", "who")
    await_run(page)
    press_preview(page)

    expect(page.locator(".st-key-import_found")).to_contain_text(
        "2 with a verdict (ties: 0); single rubric 2"
    )
