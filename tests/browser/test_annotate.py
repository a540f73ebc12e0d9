"""Annotators at work: by keys, in two browsers or tabs, across a killed server; and what they receive."""

import contextlib
import os
import re
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser, Page, Request, expect
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as NotInTime

import engine
from browser.server import ROOT, await_item, await_quiet, free_port, page_of, serving
from engine.annotations.database import Database, open_database
from engine.annotations.database_tables import ASSIGNMENTS, ITEMS, LABELS
from engine.annotations.items import Hidden, Item, ItemTexts, items_of_file
from engine.annotations.people import add_person, link
from engine.annotations.progress import progress
from engine.annotations.sampling import Sampling, select
from engine.annotations.tasks import assign, create_task
from engine.store import Store
from engine.store.study_files import StudyFiles

pytestmark = pytest.mark.browser

PAIRS, RUBRICS = "demo-pairs", "demo-health"
PRACTICE = {
    "role": "practice",
    "prompt": "How is tea made?",
    "responses": ["Boil water and pour it over the leaves.", "Tea is a drink."],
    "answer": "generator",
    "explanation": "One of them does not answer.",
}


@dataclass
class LabelSite:
    """A store with its database of labels, served at a fixed port."""

    store: Path
    database: Database
    servers: contextlib.ExitStack
    port: int = field(default_factory=free_port)
    pid: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        log = self.store.parent / "streamlit.log"
        self.pid = self.servers.enter_context(serving(log, str(self.store), self.port)).pid

    def person(self, name: str, task: str) -> str:
        """Add a person, assign them a task's items, and return their link."""
        token = add_person(self.database, name)
        assign(self.database, task, [name])
        return link(self.url, token)


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabelSite]:  # noqa: ARG001
    store = tmp_path_factory.mktemp("labels") / "store"
    for study in (PAIRS, RUBRICS):
        shutil.copytree(ROOT / "results" / study, store / study)
    database = open_database(Store(str(store)))
    of_pairs, of_rubrics = (engine.open_study(str(store / study)) for study in (PAIRS, RUBRICS))
    pairs = select(of_pairs, Sampling("equal", number=12, seed=1))
    assert len(pairs) == 12
    create_task(database, "twelve", PAIRS, "equal_pair", pairs)
    create_task(database, "few", PAIRS, "equal_pair", items_of_file("equal_pair", [PRACTICE]) + pairs[:5])
    verdicts = select(of_rubrics, Sampling("disagreement", number=5, seed=1))
    create_task(database, "criteria", RUBRICS, "rubric_verdict", verdicts)
    levels = [Item(ItemTexts("q", tuple(f"text {k}" for k in range(4))), Hidden()) for _ in range(2)]
    create_task(database, "levels", PAIRS, "clusters", levels)
    with contextlib.ExitStack() as servers:
        served_site = LabelSite(store, database, servers)
        served_site.start()
        yield served_site
    database.close()


def start_task(page: Page, link_: str) -> None:
    """Open a personal link and start the only task."""
    page.goto(link_)
    page.locator(".st-key-open_0 button").click()
    await_item(page)


def done(page: Page, number: int, total: int) -> None:
    """Wait until the page says how many are done."""
    expect(page.locator(".st-key-desk_head")).to_contain_text(f"{number} of {total} done")
    await_quiet(page)


WATCH = """() => {
  window.began = false;
  new MutationObserver((_, watch) => { window.began = true; watch.disconnect(); })
    .observe(document.querySelector('[data-testid=stApp]'), {attributeFilter: ['data-test-script-state']});
}"""
"""Notes that a run has begun."""


def press(page: Page, key: str) -> None:
    """Press a key, and wait for the run that it starts."""
    await_quiet(page)
    page.evaluate(WATCH)
    page.keyboard.press(key)
    with contextlib.suppress(NotInTime):  # it began and ended between two frames
        page.wait_for_function("window.began", timeout=5_000)
    await_quiet(page)


def press_keys(page: Page, keys: str, begin: int, total: int) -> list[tuple[str, str]]:
    """Press a key for each item; return the text on the left of each, with the key."""
    texts = []
    for number, key in enumerate(keys, start=begin + 1):
        texts.append((page.locator(".st-key-item_response_0").inner_text(), key))
        page.keyboard.press(key)
        done(page, number, total)
    return texts


def stored(database: Database, task: str, name: str) -> list[sa.Row]:
    """Return a person's labels that were not undone, by place, each with its item's texts."""
    later = LABELS.alias()
    undone = sa.exists().where(later.c.undoes == LABELS.c.id)
    assignment = sa.and_(
        ASSIGNMENTS.c.task == LABELS.c.task,
        ASSIGNMENTS.c.annotator == LABELS.c.annotator,
        ASSIGNMENTS.c.place == LABELS.c.place,
    )
    item = sa.and_(ITEMS.c.task == ASSIGNMENTS.c.task, ITEMS.c.item == ASSIGNMENTS.c.item)
    query = sa.select(LABELS.c.place, LABELS.c.value, LABELS.c.comment, LABELS.c.confidence, ITEMS.c.payload)
    source = LABELS.join(ASSIGNMENTS, assignment).join(ITEMS, item)
    conditions = LABELS.c.task == task, LABELS.c.annotator == name, LABELS.c.act != "undo", ~undone
    with database.read() as connection:
        return list(connection.execute(query.select_from(source).where(*conditions).order_by(LABELS.c.place)))


def test_twelve_items_are_labelled_by_keys_in_two_browsers_and_two_of_them_undone(
    site: LabelSite, page: Page, other: Page
) -> None:
    total = 13  # twelve, and one of them again
    personal = site.person("ann", "twelve")
    start_task(page, personal)
    assert "token" not in page.url
    before = press_keys(page, "123" * 2 + "12", 0, total)
    page.keyboard.press("u")
    done(page, 7, total)
    page.keyboard.press("u")
    done(page, 6, total)

    start_task(other, personal)
    done(other, 6, total)
    after = press_keys(other, "321" * 2 + "3", 6, total)
    expect(other.locator(".st-key-all_done")).to_contain_text("Done: 12 items, 1 of them twice")

    labels = stored(site.database, "twelve", "ann")
    assert [label.place for label in labels] == list(range(1, total + 1))
    for label, (left, key) in zip(labels, before[:6] + after, strict=True):
        left_is_first = " ".join(label.payload["responses"][0].split()) == " ".join(left.split())
        better = {"1": left_is_first, "3": not left_is_first}.get(key)
        expected = "equal" if better is None else "generator" if better else "opponent"
        assert label.value == expected, label.place


def test_nothing_an_annotator_receives_names_a_model_or_a_judge(site: LabelSite, browser: Browser) -> None:
    traffic = bytearray()
    names = {name for study in (PAIRS, RUBRICS) for name in _models(Store(str(site.store)).open(study))}
    assert len(names) >= 15
    token = add_person(site.database, "blind")
    for task in ("few", "criteria"):
        assign(site.database, task, ["blind"])
    with site.database.read() as connection:
        payloads = list(connection.execute(sa.select(ITEMS.c.payload).where(ITEMS.c.task == "few")).scalars())

    with page_of(browser) as page:
        _listen(page, traffic)
        page.goto(link(site.url, token))
        for task, total in ((0, 5), (1, 5)):
            page.locator(f".st-key-open_{task} button").click()
            await_item(page)
            if task == 0:
                page.keyboard.press("1")
                expect(page.locator(".st-key-asked")).to_contain_text("One of them does not answer.")
                for key in "nddmm":
                    press(page, key)
            press_keys(page, "123"[: total % 4] + "1" * (total - total % 4), 0, total)
            page.locator(".st-key-all_tasks button").click()
            expect(page.locator(".st-key-task_0")).to_be_visible()

    received = bytes(traffic)
    for payload in payloads:  # the search works: it finds texts that must have arrived
        longest = max(payload["responses"][0].splitlines(), key=len)
        assert longest.encode() in received
    assert [name for name in sorted(names) if name.encode() in received] == []


def _models(study: StudyFiles) -> set[str]:
    """Return all models of a study, generators and judges."""
    rows = study.judgments(["judge", "generator"])
    return {*rows["judge"].to_pylist(), *rows["generator"].to_pylist()}


def _listen(page: Page, traffic: bytearray) -> None:
    """Collect all bytes that a page receives: response bodies and websocket frames."""

    def frame(received: str | bytes) -> None:
        traffic.extend(received.encode() if isinstance(received, str) else received)

    def body(request: Request) -> None:
        with contextlib.suppress(PlaywrightError):  # a redirect has no body
            traffic.extend(request.response().body())

    page.on("requestfinished", body)
    page.on("websocket", lambda socket: socket.on("framereceived", frame))


def test_two_tabs_of_one_annotator_lose_nothing_and_count_no_item_twice(
    site: LabelSite, page: Page, new_page: Page
) -> None:
    personal = site.person("two", "criteria")
    start_task(page, personal)
    new_page.goto(site.url)  # the browser remembers the annotator
    new_page.locator(".st-key-open_0 button").click()
    await_item(new_page)

    press_keys(page, "1", 0, 5)
    new_page.keyboard.press("2")
    expect(new_page.locator(".st-key-said")).to_contain_text("Saved: Not met")
    await_quiet(new_page)
    page.keyboard.press("1")
    expect(page.locator(".st-key-desk_head")).to_contain_text("2 of 5 done")
    for _ in range(4):
        if new_page.locator(".st-key-all_done").count():
            break
        before = new_page.locator(".st-key-desk_head").inner_text()
        new_page.keyboard.press("3")
        expect(new_page.locator(".st-key-desk_head")).not_to_have_text(before, use_inner_text=True)
        await_quiet(new_page)
    expect(new_page.locator(".st-key-all_done")).to_be_visible()

    values = {label.place: label.value for label in stored(site.database, "criteria", "two")}
    assert values[1] == "not_met"  # the later of two answers to one item
    assert sorted(values) == [1, 2, 3, 4, 5]
    assert progress(site.database, "criteria", "two").done == 5


def test_an_extra_press_answers_no_unseen_item_and_saves_are_announced(site: LabelSite, page: Page) -> None:
    start_task(page, site.person("quick", "criteria"))

    page.evaluate(
        """() => { for (const key of ['1', '2']) document.body.dispatchEvent(new KeyboardEvent(
          'keydown', {key, code: `Digit${key}`, bubbles: true, cancelable: true})); }"""
    )

    done(page, 1, 5)
    assert [label.place for label in stored(site.database, "criteria", "quick")] == [1]
    expect(page.get_by_role("region", name="Answer")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Met")).focus()
    page.keyboard.press("Enter")
    done(page, 2, 5)
    expect(page.get_by_role("status").filter(has_text="Saved: Met. Item 3 of 5.")).to_have_count(1)
    expect(page.get_by_role("button", name=re.compile("^Met"))).to_be_focused()
    page.keyboard.press("p")
    expect(page.locator(".st-key-asked")).to_contain_text("Your answer was")


def test_a_confidence_a_comment_a_skip_and_a_report_are_saved(site: LabelSite, page: Page) -> None:
    start_task(page, site.person("ida", "criteria"))
    press(page, "k")
    expect(page.locator(".st-key-sure_likely button[kind=primary]")).to_be_visible()
    page.keyboard.press("w")
    expect(page.locator('[class*="st-key-comment_"] input')).to_be_focused()
    page.keyboard.type("12 of 13")
    page.keyboard.press("Enter")
    expect(page.locator('[class*="st-key-comment_"] input')).not_to_be_focused()
    await_quiet(page)
    press_keys(page, "1", 0, 5)
    press(page, "s")
    page.keyboard.press("2")
    done(page, 2, 5)
    press(page, "h")
    page.locator(".st-key-comment_report input").fill("it threatens")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-comment_report input")).not_to_be_focused()
    press(page, "1")
    done(page, 3, 5)

    first = stored(site.database, "criteria", "ida")[0]
    assert (first.value, first.confidence, first.comment) == ("met", "likely", "12 of 13")
    query = sa.select(LABELS.c.place, LABELS.c.act, LABELS.c.reason, LABELS.c.comment)
    with site.database.read() as connection:
        acts = connection.execute(query.where(LABELS.c.annotator == "ida").order_by(LABELS.c.id)).all()[1:]
    assert [tuple(act) for act in acts] == [
        (2, "skip", "broken_text", None),
        (3, "report", None, "it threatens"),
        (3, "skip", "harmful", None),
    ]


def test_levels_are_given_by_keys_one_response_after_another(site: LabelSite, page: Page) -> None:
    start_task(page, site.person("lea", "levels"))
    texts = [page.locator(f".st-key-item_response_low_{place}").inner_text() for place in range(4)]

    for number, key in enumerate("2112", start=1):
        page.keyboard.press(key)
        if number < 4:
            expect(page.locator(f".st-key-note_name_{number - 1}")).to_contain_text(f"level {key}")
            await_quiet(page)

    done(page, 1, 2)
    label = stored(site.database, "levels", "lea")[0]
    levels_of = dict(zip(texts, (2, 1, 1, 2), strict=True))
    assert label.value == [levels_of[text] for text in label.payload["responses"]]


def test_on_a_phone_both_responses_stand_above_a_small_bar(site: LabelSite, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    start_task(page, site.person("fay", "few"))
    await_quiet(page)

    first, second, bar = (
        page.locator(selector).first.bounding_box()
        for selector in (
            *(".st-key-item_response_0", ".st-key-item_response_1"),
            '[class*="st-key-desk_controls_"]',
        )
    )
    assert first is not None
    assert second is not None
    assert bar is not None
    assert bar["height"] <= 844 / 5, "the bar is small"
    assert first["y"] + first["height"] <= second["y"]
    assert second["y"] + second["height"] <= bar["y"], "it hides no response"
    assert min(first["height"], second["height"]) >= 150, "six lines of each can be read"
    for words in ("Left is better", "Equal", "Right is better"):
        box = page.get_by_role("button", name=words).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390, words
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_nothing_that_was_shown_as_saved_is_lost_when_the_server_is_killed(
    site: LabelSite, page: Page
) -> None:
    start_task(page, site.person("kay", "twelve"))
    for number, key in enumerate("123", start=1):
        page.keyboard.press(key)
        done(page, number, 13)
    page.keyboard.press("1")  # in flight when the server dies
    os.kill(site.pid, signal.SIGKILL)
    count = int(re.search(r"(\d+) of 13 done", page.locator(".st-key-desk_head").inner_text())[1])
    site.start()
    page.reload()
    await_item(page)
    saved = progress(site.database, "twelve", "kay").done
    done(page, saved, 13)
    press_keys(page, "2" * (6 - saved), saved, 13)

    assert 3 <= count <= saved
    counts = Counter(label.place for label in stored(site.database, "twelve", "kay"))
    assert counts == dict.fromkeys(range(1, 7), 1)
