"""Tables and charts downloaded and read back."""

import csv
import io
import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from playwright.sync_api import Page

import engine
from browser.server import ROOT, await_run, download

pytestmark = pytest.mark.browser


def test_a_table_and_a_chart_with_its_filters_and_n_are_downloaded_and_read_back(
    app_url: str, page: Page, tmp_path: Path
) -> None:
    page.goto(f"{app_url}/workbench?study=demo-health&polarity=negative&against=responses")
    await_run(page)

    page.locator(".st-key-slices_open").get_by_text("Numbers").click()
    await_run(page)
    file = download(page, "slices_numbers", "csv", tmp_path)
    picture = download(page, "slices", "png", tmp_path).read_bytes()
    drawing = download(page, "slices", "svg", tmp_path).read_text("utf-8")

    expected = engine.open_study(ROOT / "results" / "demo-health").result("hspp", polarity="negative").rows
    assert file.name == "demo-health-slices-numbers.csv"
    rows = list(csv.DictReader(io.StringIO(file.read_text("utf-8"))))
    assert [row["judge"] for row in rows] == [row["judge"] or "" for row in expected]
    assert [float(row["hspp_self"]) for row in rows] == [row["hspp_self"] for row in expected]

    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", picture[16:24])
    assert width > 1000
    assert height > 400
    texts = " ".join(ET.fromstring(drawing).itertext())  # noqa: S314 - made by the project itself
    assert "polarity negative" in texts
    assert re.search(r"n: [\d,]+ to [\d,]+ cases", texts)
    assert "aster-large" in texts
    assert "<script" not in drawing
