"""What axe-core finds serious on a page: names, contrast, roles, focus."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser.server import explorer, unmoved
from playwright.sync_api import Browser, Page

from engine.values import RESULTS

pytestmark = pytest.mark.browser

PAGES = (
    *("judges?study=demo-health", "findings?study=demo-health", "paradigms?study=demo-health"),
    *("equal_quality?study=demo-pairs", "order_effects?study=demo-orders", "power?study=demo-health"),
    *("data", "measures?study=demo-health", "judges?study=demo-pairs"),
)


@pytest.fixture(scope="module")
def url(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:  # noqa: ARG001
    with explorer(tmp_path_factory.mktemp("axe") / "streamlit.log", str(RESULTS)) as served:
        yield served


@pytest.mark.parametrize("address", PAGES)
def test_nothing_serious_stands_in_the_way_of_a_reader(page: Page, url: str, address: str) -> None:
    page.goto(f"{url}/{address}")
    unmoved(page)

    violations = Axe().run(page).response["violations"]

    serious = [
        f"{each['id']}: {node['html'][:160]}"
        for each in violations
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]
    assert not serious, "\n".join(serious)
