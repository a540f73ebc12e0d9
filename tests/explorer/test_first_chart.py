"""The first chart of a visit: tables wait until a browser has had time to draw it, and nothing else does."""

from types import SimpleNamespace

import pytest
from explorer_studies import Open
from streamlit.testing.v1 import AppTest

from explorer.parts import first_chart
from explorer.parts.first_chart import DRAWN_WITHIN, await_chart, chart_sent


class Visit:
    """A visit from a browser, and how long it has waited on a clock that only waiting moves."""

    def __init__(self) -> None:
        self.session_state: dict[str, float] = {}
        self.context = SimpleNamespace(headers={"User-Agent": "a browser"})
        self.seconds = 0.0

    def monotonic(self) -> float:
        return 1_000 + self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


@pytest.fixture
def visit(monkeypatch: pytest.MonkeyPatch) -> Visit:
    visit = Visit()
    monkeypatch.setattr(first_chart, "st", visit)
    monkeypatch.setattr(first_chart, "time", visit)
    return visit


def test_the_first_table_waits_for_the_chart_before_it(visit: Visit) -> None:
    chart_sent()
    await_chart()

    assert visit.seconds == pytest.approx(DRAWN_WITHIN)


def test_time_that_has_passed_counts(visit: Visit) -> None:
    chart_sent()
    visit.sleep(DRAWN_WITHIN * 3 / 4)
    await_chart()

    assert visit.seconds == pytest.approx(DRAWN_WITHIN)


def test_later_charts_and_tables_wait_for_nothing(visit: Visit) -> None:
    chart_sent()
    await_chart()
    chart_sent()
    await_chart()
    await_chart()

    assert visit.seconds == pytest.approx(DRAWN_WITHIN)


def test_after_a_table_there_is_nothing_to_wait_for(visit: Visit) -> None:
    await_chart()
    chart_sent()
    await_chart()

    assert visit.seconds == 0


def test_without_a_browser_nothing_waits(visit: Visit) -> None:
    visit.context.headers = {}

    chart_sent()
    await_chart()

    assert visit.seconds == 0


def test_the_first_page_sends_its_chart_before_the_first_table(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    monkeypatch.setattr(first_chart, "chart_sent", lambda: order.append("chart"))
    monkeypatch.setattr(first_chart, "await_chart", lambda: order.append("table"))

    app: AppTest = open_page(study="demo-health")

    assert order[0] == "chart"
    assert order.count("table") == len(app.dataframe) > 0
