"""Two slices compared, the link opened elsewhere; tables and charts downloaded and read back."""

import csv
import io
import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Page, expect

import engine
from browser.server import ROOT, await_layout, await_run, choose, download

pytestmark = pytest.mark.browser


def marks(page: Page) -> list[str]:
    symbols = page.locator(".st-key-compare [role=graphics-symbol]")
    symbols.first.wait_for(state="attached")
    return sorted(symbols.evaluate_all("marks => marks.map(mark => mark.getAttribute('aria-label') || '')"))


def finding(page: Page) -> list[str]:
    return page.locator(".st-key-finding").get_by_test_id("stText").all_inner_texts()


def open_workbench(page: Page, address: str) -> None:
    page.goto(address)
    await_run(page)
    page.locator(".st-key-slices [role=graphics-symbol]").first.wait_for(state="attached")


def test_a_comparison_with_the_rest_opens_by_its_link_and_back_undoes_a_choice(
    app_url: str, page: Page, other: Page
) -> None:
    page.goto(f"{app_url}/workbench?study=demo-health&polarity=positive")
    await_run(page)

    page.locator(".st-key-chip_polarity").get_by_test_id("stPopoverButton").click()
    page.get_by_role("button", name="Compare with the rest").click()
    expect(page).to_have_url(re.compile(r"workbench\?.*b_polarity=negative"))
    expect(page.get_by_text("Both sides use the same resamples")).to_be_visible()
    await_layout(page)
    view = finding(page), marks(page)
    other.goto(page.url)
    expect(other.get_by_text("Both sides use the same resamples")).to_be_visible()
    await_layout(other)
    elsewhere = finding(other), marks(other)

    assert elsewhere == view
    assert any("A against B" in mark and "cinder-mini" in mark for mark in view[1])

    choose(page, "w_number", "accuracy on criteria")
    expect(page).to_have_url(re.compile("number=mra"))
    page.go_back()
    expect(page).not_to_have_url(re.compile("number=mra"))
    await_run(page)
    expect(page.locator(".st-key-w_number")).not_to_contain_text("accuracy on criteria")
    page.go_forward()
    expect(page).to_have_url(re.compile("number=mra"))
    await_run(page)
    expect(page.locator(".st-key-w_number").get_by_role("combobox")).to_have_value("accuracy on criteria")


def test_a_table_and_a_chart_with_its_filters_and_n_are_downloaded_and_read_back(
    app_url: str, page: Page, tmp_path: Path
) -> None:
    open_workbench(page, f"{app_url}/workbench?study=demo-health&polarity=negative&against=responses")

    page.locator(".st-key-slices_open").get_by_text("Numbers").click()
    await_run(page)
    files = {
        ending: download(page, "slices_numbers", ending, tmp_path) for ending in ("csv", "parquet", "tex")
    }
    picture = download(page, "slices", "png", tmp_path).read_bytes()
    drawing = download(page, "slices", "svg", tmp_path).read_text("utf-8")

    expected = engine.open_study(ROOT / "results" / "demo-health").result("hspp", polarity="negative").rows
    assert files["csv"].name == "demo-health-slices-numbers.csv"
    text = files["csv"].read_text("utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["judge"] for row in rows] == [row["judge"] or "" for row in expected]
    assert [float(row["hspp_self"]) for row in rows] == [row["hspp_self"] for row in expected]
    table = pq.read_table(files["parquet"])
    assert table["n_self"].to_pylist() == [row["n_self"] for row in expected]
    assert str(table.schema.field("hspp_self").type) == "double"
    assert r"hspp\_self" in files["tex"].read_text()

    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", picture[16:24])
    assert width > 1000
    assert height > 400
    texts = " ".join(ET.fromstring(drawing).itertext())  # noqa: S314 - made by the project itself
    assert "polarity negative" in texts
    assert re.search(r"n: [\d,]+ to [\d,]+ cases", texts)
    assert "aster-large" in texts
    assert "<script" not in drawing


def test_names_that_would_be_formulas_or_markup_are_harmless_in_downloads(
    app_url: str, page: Page, tmp_path: Path
) -> None:
    open_workbench(page, f"{app_url}/workbench?study=hostile&against=responses")

    page.locator(".st-key-slices_open").get_by_text("Numbers").click()
    await_run(page)
    table = download(page, "slices_numbers", "csv", tmp_path).read_text("utf-8")
    drawing = download(page, "slices", "svg", tmp_path).read_text("utf-8")

    cells = [cell for row in csv.reader(io.StringIO(table)) for cell in row]
    assert "<script>alert(1)</script>" in cells
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)
    assert "<script" not in drawing


def test_a_slice_is_saved_on_the_page_and_opens_by_its_name(app_url: str, page: Page, other: Page) -> None:
    page.goto(f"{app_url}/workbench?study=sliced&polarity=negative&min_agreement=0.8")
    await_run(page)

    page.locator(".st-key-saved_slices").get_by_role("button").first.click()
    page.locator(".st-key-slice_name").get_by_role("textbox").fill("agreed negatives")
    page.locator(".st-key-slice_name").get_by_role("textbox").press("Enter")
    await_run(page)
    page.locator(".st-key-save_slice").get_by_role("button").click()
    expect(page).to_have_url(re.compile(r"workbench\?study=sliced&slice=agreed\+negatives$"))
    other.goto(page.url)
    await_run(other)
    expect(other.locator(".st-key-chip_polarity")).to_contain_text("negative")
