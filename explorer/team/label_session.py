"""The item that an annotator sees next, and the actions on it."""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import streamlit as st

from engine.annotations import labels
from engine.annotations.labels import OwnTask, Progress, SavedLabel, ShownItem
from engine.annotations.people import Database
from engine.errors import SpbError, StoreError
from explorer.team import keys, login

# ------------------------------------------------------------------------------
# The state of a session: one item of a task, and the actions on it.


Mode = Literal["answering", "skipping", "reporting", "explained"]

_DESK = "_desk"


@dataclass
class Desk:
    """An annotator's current item, None when all are done, and the answer in progress.

    `levels` are those given so far to the responses of clusters, `comment` is that on the item when its box
    was last left, which Streamlit forgets while the box is not shown. `explained` is the feedback on a
    practice item. `turn` counts the items shown; `notice` is the latest message. `activity` is that of the
    annotator when `progress` was counted.
    """

    task: OwnTask
    annotator: str
    progress: Progress
    activity: tuple[int, int]
    item: ShownItem | None = None
    turn: int = 0
    submission: str = ""
    since: float = 0.0
    mode: Mode = "answering"
    sure: str | None = None
    levels: list[int] = field(default_factory=list)
    comment: str = ""
    explained: SavedLabel | None = None
    notice: str = ""
    guidelines: bool = False

    def show(self, item: ShownItem | None, notice: str = "") -> None:
        """Show an item, with no answer in progress."""
        self.item, self.mode, self.explained, self.levels = item, "answering", None, []
        self.sure = None if item is None else item.confidence
        self.comment = "" if item is None else item.comment or ""
        self.submission, self.since = uuid.uuid4().hex, time.monotonic()
        self.turn += 1
        self.notice = notice

    @property
    def whose(self) -> tuple[str, str]:
        """The task and the annotator, by name."""
        return self.task.name, self.annotator

    @property
    def comment_key(self) -> str:
        """The session key of the comment on the item."""
        return f"comment_{self.turn}"

    def keep_comment(self) -> None:
        """Keep what is in the comment's box; call before it is hidden."""
        self.comment = str(st.session_state.get(self.comment_key, self.comment))


def opened(database: Database, task: OwnTask, annotator: str) -> Desk:
    """Return the session's desk for a task; a new one starts at the first unanswered item."""
    desk = st.session_state.get(_DESK)
    if isinstance(desk, Desk) and (desk.task.name, desk.annotator) == (task.name, annotator):
        desk.task = task
        return desk
    whose = task.name, annotator
    activity = labels.activity(database, *whose)  # first: what comes in between is then counted anew
    desk = Desk(task, annotator, labels.progress(database, *whose), activity)
    desk.show(labels.next_item(database, task.name, annotator))
    desk.guidelines = bool(task.guidelines) and desk.progress.done == 0
    st.session_state[_DESK] = desk
    return desk


def put_away() -> None:
    """Leave the task; opened again, it starts at the first unanswered item."""
    st.session_state.pop(_DESK, None)


def act(does: Callable[..., None], place: int | None, *arguments: Any) -> None:
    """Act on the item at `place`, for a button's `on_click`; an error becomes the notice.

    Does nothing if another item is shown now, or the annotator's link has expired.
    """
    desk: Desk | None = st.session_state.get(_DESK)
    if desk is None or (desk.item.place if desk.item else None) != place:
        return
    try:
        database = login.database()
        if database is None:
            raise StoreError("the labels are no longer in the store; tell whoever runs the labelling")
        if login.visitor().name == desk.annotator:
            does(desk, database, *arguments)
    except SpbError as error:
        desk.notice = f"Not saved: {error}"
        desk.submission = uuid.uuid4().hex


def answer(desk: Desk, database: Database, value: Any, given: int) -> None:
    """Save an answer; for clusters, once each response has its level.

    `given` is the number of levels when the button was drawn: a press of an outdated button does nothing.
    """
    item = desk.item
    if item is None or desk.mode != "answering" or len(desk.levels) != given:
        return
    given_value = value
    if item.kind == "clusters":
        given_value = [*desk.levels, value]
        if len(given_value) < len(item.texts.responses):
            desk.levels = given_value
            desk.notice = f"Response {len(given_value)} has level {value}."
            return
    saved = labels.save(
        database, *desk.whose, item.place, given_value, confidence=desk.sure, **_circumstances(desk)
    )
    desk.guidelines = False
    notice = f"Saved: {keys.words(item.kind, given_value)}."
    if item.practice:
        desk.item = replace(item, answer=given_value)
        desk.explained, desk.mode, desk.notice = saved, "explained", notice
        return
    _counted(desk, database, item)
    _go_on(desk, database, notice)


def skip(desk: Desk, database: Database, reason: str) -> None:
    """Save a skip of the item."""
    if desk.item is None:
        return
    place, notice = desk.item.place, f"Skipped: {keys.reason_words(reason).lower()}."
    labels.skip(database, *desk.whose, place, reason, **_circumstances(desk))
    _recount(desk, database)
    _go_on(desk, database, notice)


def report(desk: Desk, database: Database, skips: bool) -> None:
    """Report the item to the coordinator, and also skip it if `skips`."""
    if desk.item is None:
        return
    words = st.session_state.get("report_words", "").strip()
    place = desk.item.place
    labels.report(database, *desk.whose, place, words, submission=uuid.uuid4().hex)
    desk.mode, desk.notice = "answering", "Reported to the coordinator; the item still needs your answer."
    if skips:
        skip(desk, database, "harmful")
        desk.notice = "Reported to the coordinator, and skipped."


def undo(desk: Desk, database: Database) -> None:
    """Take back the latest label or skip, and show its item."""
    item = labels.undo(database, *desk.whose, submission=desk.submission)
    if item is None:
        desk.notice = "There is nothing to undo."
        return
    _recount(desk, database)
    desk.show(item, "Undone: this item needs your answer again.")


def step_back(desk: Desk, database: Database) -> None:
    """Show the previous item, with its answer."""
    place = None if desk.item is None else desk.item.place
    item = labels.item_before(database, *desk.whose, place)
    if item is not None:
        desk.show(item, "An earlier item: a new answer replaces yours.")


def step_on(desk: Desk, database: Database) -> None:
    """Show the next unanswered item; after an earlier item, the one that follows it."""
    if desk.item is None:
        return
    if desk.explained is not None or not said_before(desk.item):
        _go_on(desk, database, "")
        return
    item = labels.item_after(database, *desk.whose, desk.item.place)
    desk.show(item, "" if item is None or not said_before(item) else "An earlier item.")


def choose_sure(desk: Desk, _: Database, value: str) -> None:
    """Set the annotator's confidence; choosing the same again clears it."""
    desk.sure = None if desk.sure == value else value


def take_mode(desk: Desk, _: Database, mode: Mode) -> None:
    """Ask for the reason for a skip or the words of a report; a second press returns to answering."""
    desk.keep_comment()
    desk.mode = "answering" if desk.mode == mode else mode


def restart_levels(desk: Desk, _: Database) -> None:
    """Clear the levels given to the responses of this item."""
    desk.levels = []


def toggle_guidelines(desk: Desk, _: Database) -> None:
    """Open or close the guidelines."""
    desk.guidelines = not desk.guidelines


def said_before(item: ShownItem) -> bool:
    """Return whether the item has a label or a skip."""
    return item.answer is not None or item.skip_reason is not None


def _go_on(desk: Desk, database: Database, notice: str) -> None:
    after = 0 if desk.item is None else desk.item.place
    desk.show(labels.next_item(database, *desk.whose, after), notice)


def _counted(desk: Desk, database: Database, item: ShownItem) -> None:
    """Count the item just answered; recount all only if more has changed, such as in another window."""
    acts, items = desk.activity
    now = labels.activity(database, *desk.whose)
    if said_before(item) or now != (acts + 1, items):
        _recount(desk, database)
        return
    pace = labels.seconds_each(database, *desk.whose)
    desk.activity = now
    desk.progress = replace(desk.progress, done=desk.progress.done + 1, seconds_each=pace)


def _recount(desk: Desk, database: Database) -> None:
    desk.activity = labels.activity(database, *desk.whose)
    desk.progress = labels.progress(database, *desk.whose)


def _circumstances(desk: Desk) -> dict[str, Any]:
    """Return what is stored with a label or a skip: its submission, comment and seconds."""
    desk.keep_comment()
    return {
        "submission": desk.submission,
        "comment": desk.comment.strip() or None,
        "seconds": round(time.monotonic() - desk.since, 2),
    }
