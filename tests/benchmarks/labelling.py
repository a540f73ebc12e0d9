"""How long an annotator waits from a key press to the next item on the screen, in a real browser.

It is measured by the page's own clock, from the key press to the frame that shows another question. The task
has 5,000 items, half of them done, so that a query that scans all of them would show.
"""

import statistics
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import sqlalchemy as sa
from playwright.sync_api import Browser, Page

from engine.annotations.database import Database, now, open_database
from engine.annotations.database_tables import ASSIGNMENTS, LABELS
from engine.annotations.items import Hidden, Item, ItemTexts
from engine.annotations.labels import save, undo
from engine.annotations.people import add_person
from engine.annotations.progress import progress
from engine.annotations.shown_items import next_item
from engine.annotations.tasks import assign, create_task
from engine.store import Store

from .timing import Row, median_ms

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from browser.server import chromium, page_of, serving

ITEMS, DONE = 5_000, 2_500
KEYS = 40
TARGET_MS = 300.0
_TASK = "large"

CLOCK = """() => {
  let pressed = null, before = null;
  const shown = () => document.querySelector('.st-key-item_question')?.innerText;
  window.answered = [];
  addEventListener('keydown', event => {
    if (!'123'.includes(event.key)) return;
    [pressed, before] = [performance.now(), shown()];
  }, true);
  new MutationObserver(() => {
    const now = shown();
    if (pressed === null || !now || now === before) return;
    const start = pressed;
    pressed = null;
    requestAnimationFrame(() => window.answered.push(performance.now() - start));
  }).observe(document, {subtree: true, childList: true, characterData: true});
}"""


def labelling_rows(work: Path) -> Iterator[Row]:
    """Time the page, and the database behind it."""
    store = work / "labelling"
    store.mkdir(parents=True, exist_ok=True)
    database = open_database(Store(str(store)))
    try:
        name = f"ann-{now()}"
        token = add_person(database, name)
        task = f"{_TASK}-{now()}"
        _fill(database, task, name)
        with serving(work / "labelling.log", str(store)) as served, chromium() as browser:
            taken = _keys(browser, f"{served.url}/?token={token}")
        yield Row(f"labelling, {ITEMS:,} items: key to next item", statistics.median(taken), "ms", TARGET_MS)
        slow = statistics.quantiles(taken, n=20)[-1]
        yield Row("the same, the slowest of twenty", slow, "ms")
        yield from _queries(database, task, name)
    finally:
        database.close()


def _fill(database: Database, task: str, name: str) -> None:
    """Make a task whose first half is labelled."""
    answer = "A sentence of an answer, as long as such sentences are. " * 40
    items = [
        Item(ItemTexts(f"Question {number}", (f"{number} {answer}", f"{answer} {number}")), Hidden())
        for number in range(ITEMS)
    ]
    create_task(database, task, "none", "equal_pair", items)
    assign(database, task, [name])
    with database.write() as connection:
        places = connection.execute(
            sa.select(ASSIGNMENTS.c.place).where(ASSIGNMENTS.c.task == task, ASSIGNMENTS.c.place <= DONE)
        ).scalars()
        rows = [
            {
                "submission": f"{task}-{place}",
                "task": task,
                "annotator": name,
                "place": place,
                "act": "label",
                "value": "equal",
                "seconds": 5.0,
                "created_at": now(),
            }
            for place in places
        ]
        connection.execute(sa.insert(LABELS), rows)


def _keys(browser: Browser, link: str) -> list[float]:
    with page_of(browser) as page:
        page.add_init_script(f"({CLOCK})()")
        page.goto(link)
        page.locator(".st-key-open_0 button").wait_for()
        page.locator(".st-key-open_0 button").click()
        page.locator(".st-key-item_question").wait_for()
        for number in range(KEYS):
            _quiet(page)
            page.keyboard.press("123"[number % 3])
            page.wait_for_function(f"window.answered.length > {number}")
        return [float(each) for each in page.evaluate("window.answered")]


def _quiet(page: Page) -> None:
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')


def _queries(database: Database, task: str, name: str) -> Iterator[Row]:
    """Time the queries behind a key, and those on opening a task."""
    waiting = next_item(database, task, name)
    assert waiting is not None
    place, numbers = waiting.place, count()

    def key() -> None:
        at = place + next(numbers)
        save(database, task, name, at, "left", submission=f"{task}-bench-{at}")
        next_item(database, task, name, at)

    def back() -> None:
        undo(database, task, name, submission=f"{task}-undo-{next(numbers)}")

    yield Row("labelling: a label saved, and the next item read", median_ms(key, 30), "ms")
    yield Row("labelling: a label taken back", median_ms(back, 10), "ms")
    yield Row("labelling: progress counted anew", median_ms(lambda: progress(database, task, name), 10), "ms")
