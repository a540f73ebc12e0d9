"""What a session is at: one item of a task, and all that can be done with it.

Each act is committed before the next item is shown. An act names the place that its button was drawn for, so
that a key pressed twice in haste does not answer an item that nobody has seen.
"""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import streamlit as st

from engine.annotations import labelling
from engine.annotations.database import Database
from engine.annotations.labelling import OwnTask, Progress, Saved, Shown
from engine.errors import SpbError, StoreError
from explorer import identity
from explorer.annotating import choosing

Mode = Literal["answering", "skipping", "reporting", "explained"]

COUNTED_ANEW = 25
"""Items after which progress is counted from the database: another window may have labelled too."""

_DESK = "_desk"


@dataclass
class Desk:
    """The item in front of an annotator, None when all are done, and what was begun with it.

    `levels` are those given so far to the responses of clusters. `explained` is what came back of a practice
    item. `turn` counts the items shown; `said` is the last thing told.
    """

    task: OwnTask
    annotator: str
    progress: Progress
    item: Shown | None = None
    turn: int = 0
    submission: str = ""
    since: float = 0.0
    mode: Mode = "answering"
    sure: str | None = None
    levels: list[int] = field(default_factory=list)
    explained: Saved | None = None
    said: str = ""
    guidelines: bool = False

    def show(self, item: Shown | None, said: str = "") -> None:
        """Put an item on the desk, with nothing begun."""
        self.item, self.mode, self.explained, self.levels = item, "answering", None, []
        self.sure = None if item is None else item.confidence
        self.submission, self.since = uuid.uuid4().hex, time.monotonic()
        self.turn += 1
        self.said = said

    @property
    def comment_key(self) -> str:
        """The session's key of the comment on the item."""
        return f"comment_{self.turn}"


def opened(database: Database, task: OwnTask, annotator: str) -> Desk:
    """Return the session's desk at a task: at the first item that waits, if it was not there already."""
    desk = st.session_state.get(_DESK)
    if isinstance(desk, Desk) and (desk.task.name, desk.annotator) == (task.name, annotator):
        desk.task = task
        return desk
    desk = Desk(task, annotator, labelling.progress(database, task.name, annotator))
    desk.show(labelling.next_item(database, task.name, annotator))
    desk.guidelines = bool(task.guidelines) and desk.progress.done == 0
    st.session_state[_DESK] = desk
    return desk


def put_away() -> None:
    """Leave the task: opened again, it goes on with the first item that waits."""
    st.session_state.pop(_DESK, None)


def act(does: Callable[..., None], place: int | None, *arguments: Any) -> None:
    """Do something with the item at `place`, for a button's `on_click`; a failure is told, no more.

    Nothing happens where that item is not the one on the desk, or the annotator's link has ended.
    """
    desk: Desk | None = st.session_state.get(_DESK)
    if desk is None or (desk.item.place if desk.item else None) != place:
        return
    try:
        database = identity.database()
        if database is None:
            raise StoreError("the labels are gone from the store; tell whoever runs the labelling")
        if identity.visitor().name == desk.annotator:
            does(desk, database, *arguments)
    except SpbError as error:
        desk.said = f"Not saved: {error}"
        desk.submission = uuid.uuid4().hex


def answer(desk: Desk, database: Database, value: Any, given: int) -> None:
    """Commit an answer; of clusters, once each response has its level.

    `given` is how many had one when the button was drawn: a key pressed before that was seen does nothing.
    """
    item = desk.item
    if item is None or desk.mode != "answering" or len(desk.levels) != given:
        return
    said = value
    if item.kind == "clusters":
        said = [*desk.levels, value]
        if len(said) < len(item.texts.responses):
            desk.levels = said
            desk.said = f"Response {len(said)} has level {value}."
            return
    saved = labelling.save(
        database,
        desk.task.name,
        desk.annotator,
        item.place,
        said,
        submission=desk.submission,
        confidence=desk.sure,
        comment=_comment(desk),
        seconds=_seconds(desk),
    )
    desk.guidelines = False
    told = f"Saved: {choosing.words(item.kind, said)}."
    if item.practice:
        desk.item = replace(item, answer=said)
        desk.explained, desk.mode, desk.said = saved, "explained", told
        return
    _counted(desk, database, item)
    _go_on(desk, database, told)


def skip(desk: Desk, database: Database, reason: str) -> None:
    """Commit that the item was skipped."""
    if desk.item is None:
        return
    place, told = desk.item.place, f"Skipped: {choosing.reason(reason).lower()}."
    labelling.skip(
        database,
        desk.task.name,
        desk.annotator,
        place,
        reason,
        submission=desk.submission,
        comment=_comment(desk),
        seconds=_seconds(desk),
    )
    desk.progress = labelling.progress(database, desk.task.name, desk.annotator)
    _go_on(desk, database, told)


def report(desk: Desk, database: Database, skips: bool) -> None:
    """Report the item to the coordinator, and skip it too where that is wanted."""
    if desk.item is None:
        return
    words = st.session_state.get("report_words", "").strip()
    place = desk.item.place
    labelling.report(database, desk.task.name, desk.annotator, place, words, submission=uuid.uuid4().hex)
    desk.mode, desk.said = "answering", "Reported to the coordinator; the item still waits for your answer."
    if skips:
        skip(desk, database, "harmful")
        desk.said = "Reported to the coordinator, and skipped."


def undo(desk: Desk, database: Database) -> None:
    """Take back the latest label or skip, and show its item."""
    item = labelling.undo(database, desk.task.name, desk.annotator, submission=desk.submission)
    if item is None:
        desk.said = "There is nothing to take back."
        return
    desk.progress = labelling.progress(database, desk.task.name, desk.annotator)
    desk.show(item, "Taken back: this item waits for your answer again.")


def step_back(desk: Desk, database: Database) -> None:
    """Show the item before, with what was said of it."""
    place = None if desk.item is None else desk.item.place
    item = labelling.item_before(database, desk.task.name, desk.annotator, place)
    if item is not None:
        desk.show(item, "An earlier item: a new answer takes the place of yours.")


def step_on(desk: Desk, database: Database) -> None:
    """Show what comes next: after an item that was looked back at, the one that follows it."""
    if desk.item is None:
        return
    if desk.explained is not None or not said_before(desk.item):
        _go_on(desk, database, "")
        return
    item = labelling.item_after(database, desk.task.name, desk.annotator, desk.item.place)
    desk.show(item, "" if item is None or not said_before(item) else "An earlier item.")


def choose_sure(desk: Desk, _: Database, value: str) -> None:
    """Note how sure the annotator is; choosing the same again takes it back."""
    desk.sure = None if desk.sure == value else value


def take_mode(desk: Desk, _: Database, mode: Mode) -> None:
    """Ask for the reason of a skip, or the words of a report; or return to answering."""
    desk.mode = "answering" if desk.mode == mode else mode


def restart_levels(desk: Desk, _: Database) -> None:
    """Take back the levels given to the responses of this item."""
    desk.levels = []


def toggle_guidelines(desk: Desk, _: Database) -> None:
    """Open or close the guidelines."""
    desk.guidelines = not desk.guidelines


def said_before(item: Shown) -> bool:
    """Return whether the item has a label or a skip."""
    return item.answer is not None or item.skipped is not None


def _go_on(desk: Desk, database: Database, said: str) -> None:
    after = 0 if desk.item is None else desk.item.place
    desk.show(labelling.next_item(database, desk.task.name, desk.annotator, after), said)


def _counted(desk: Desk, database: Database, item: Shown) -> None:
    """Count the item just answered, without looking at all of the others."""
    if said_before(item) or desk.turn % COUNTED_ANEW == 0:
        desk.progress = labelling.progress(database, desk.task.name, desk.annotator)
        return
    pace = labelling.seconds_each(database, desk.task.name, desk.annotator)
    desk.progress = replace(desk.progress, done=desk.progress.done + 1, seconds_each=pace)


def _comment(desk: Desk) -> str | None:
    return str(st.session_state.get(desk.comment_key) or "").strip() or None


def _seconds(desk: Desk) -> float:
    return round(time.monotonic() - desk.since, 2)
