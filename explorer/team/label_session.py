"""The item that an annotator sees next, and the actions on it."""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import streamlit as st

from engine.annotations import labels, progress, shown_items
from engine.annotations.database import Database
from engine.annotations.labels import SavedLabel
from engine.annotations.progress import OwnTask, Progress
from engine.annotations.shown_items import ShownItem
from engine.errors import SpbError, StoreError
from explorer.team import keys, visitors

Mode = Literal["answering", "skipping", "reporting", "explained"]

_SESSION = "_desk"


@dataclass
class LabelSession:
    """An annotator's current item, None when all are done, and the answer in progress.

    `levels` are those given so far to the responses of clusters, `comment` is that on the item when its box
    was last left, which Streamlit forgets while the box is not shown. `feedback` is that on a practice item.
    `turn` counts the items shown; `notice` is the latest message, that of an error if the action `failed`.
    `activity` is that of the annotator when `progress` was counted.
    """

    task: OwnTask
    annotator: str
    progress: Progress
    activity: tuple[int, int]
    item: ShownItem | None = None
    turn: int = 0
    submission: str = ""
    shown_at: float = 0.0
    mode: Mode = "answering"
    confidence: str | None = None
    levels: list[int] = field(default_factory=list)
    comment: str = ""
    feedback: SavedLabel | None = None
    notice: str = ""
    failed: bool = False
    guidelines: bool = False

    def show(self, item: ShownItem | None, notice: str = "") -> None:
        """Show an item, with no answer in progress."""
        self.item, self.mode, self.feedback, self.levels = item, "answering", None, []
        self.confidence = None if item is None else item.confidence
        self.comment = "" if item is None else item.comment or ""
        self.submission, self.shown_at = uuid.uuid4().hex, time.monotonic()
        self.turn += 1
        self.notice = notice

    @property
    def names(self) -> tuple[str, str]:
        """The task and the annotator, by name."""
        return self.task.name, self.annotator

    @property
    def comment_key(self) -> str:
        """The session key of the comment on the item."""
        return f"comment_{self.turn}"

    def keep_comment(self) -> None:
        """Keep what is in the comment's box; call before it is hidden."""
        self.comment = str(st.session_state.get(self.comment_key, self.comment))


def open_session(database: Database, task: OwnTask, annotator: str) -> LabelSession:
    """Return the session of a task; a new one starts at the first unanswered item."""
    session = st.session_state.get(_SESSION)
    if isinstance(session, LabelSession) and (session.task.name, session.annotator) == (task.name, annotator):
        session.task = task
        return session
    names = task.name, annotator
    activity = progress.activity(database, *names)  # first: what comes in between is then counted anew
    session = LabelSession(task, annotator, progress.progress(database, *names), activity)
    session.show(shown_items.next_item(database, task.name, annotator))
    session.guidelines = bool(task.guidelines) and session.progress.done == 0
    st.session_state[_SESSION] = session
    return session


def close_session() -> None:
    """Leave the task; opened again, it starts at the first unanswered item."""
    st.session_state.pop(_SESSION, None)


def act(action: Callable[..., None], place: int | None, *arguments: Any) -> None:
    """Act on the item at `place`, for a button's `on_click`; an error becomes the notice.

    Does nothing if another item is shown now, or the annotator's link has expired.
    """
    session: LabelSession | None = st.session_state.get(_SESSION)
    if session is None or (session.item.place if session.item else None) != place:
        return
    session.failed = False
    try:
        database = visitors.database()
        if database is None:
            raise StoreError("the labels are no longer in the store; tell whoever runs the labelling")
        if visitors.visitor().name == session.annotator:
            action(session, database, *arguments)
    except SpbError as error:
        session.notice, session.failed = f"Not saved: {error}", True
        session.submission = uuid.uuid4().hex


def answer(session: LabelSession, database: Database, value: Any, n_levels: int) -> None:
    """Save an answer; for clusters, once each response has its level.

    `n_levels` is the number of levels when the button was drawn: a press of an outdated button does nothing.
    """
    item = session.item
    if item is None or session.mode != "answering" or len(session.levels) != n_levels:
        return
    label = value
    if item.kind == "clusters":
        label = [*session.levels, value]
        if len(label) < len(item.texts.responses):
            session.levels = label
            session.notice = f"Answer {len(label)} has level {value}."
            return
    feedback = labels.save(
        database, *session.names, item.place, label, confidence=session.confidence, **_circumstances(session)
    )
    session.guidelines = False
    notice = f"Saved: {keys.words(item.kind, label)}."
    if item.practice:
        session.item = replace(item, answer=label)
        session.feedback, session.mode, session.notice = feedback, "explained", notice
        return
    _count_answer(session, database, item)
    _show_next(session, database, notice)


def skip(session: LabelSession, database: Database, reason: str) -> None:
    """Save a skip of the item."""
    if session.item is None:
        return
    place, notice = session.item.place, f"Skipped: {keys.SKIP_WORDS[reason].lower()}."
    labels.skip(database, *session.names, place, reason, **_circumstances(session))
    _recount(session, database)
    _show_next(session, database, notice)


def report(session: LabelSession, database: Database, skips: bool) -> None:
    """Report the item to the coordinator, and also skip it if `skips`."""
    if session.item is None:
        return
    words = st.session_state.get("report_words", "").strip()
    labels.report(database, *session.names, session.item.place, words, submission=uuid.uuid4().hex)
    session.mode = "answering"
    session.notice = "Reported to the coordinator; the item still needs your answer."
    if skips:
        skip(session, database, "harmful")
        session.notice = "Reported to the coordinator, and skipped."


def undo(session: LabelSession, database: Database) -> None:
    """Take back the latest label or skip, and show its item."""
    item = labels.undo(database, *session.names, submission=session.submission)
    if item is None:
        session.notice = "There is nothing to undo."
        return
    _recount(session, database)
    session.show(item, "Undone: this item needs your answer again.")


def step_back(session: LabelSession, database: Database) -> None:
    """Show the previous item, with its answer."""
    place = None if session.item is None else session.item.place
    item = shown_items.item_before(database, *session.names, place)
    if item is not None:
        session.show(item, "An earlier item: a new answer replaces yours.")


def step_on(session: LabelSession, database: Database) -> None:
    """Show the next unanswered item; after an earlier item, the one that follows it."""
    if session.item is None:
        return
    if session.feedback is not None or not is_handled(session.item):
        _show_next(session, database, "")
        return
    item = shown_items.item_after(database, *session.names, session.item.place)
    session.show(item, "" if item is None or not is_handled(item) else "An earlier item.")


def choose_sure(session: LabelSession, _: Database, value: str) -> None:
    """Set the annotator's confidence; choosing the same again clears it."""
    session.confidence = None if session.confidence == value else value


def switch_mode(session: LabelSession, _: Database, mode: Mode) -> None:
    """Ask for the reason for a skip or the words of a report; a second press returns to answering."""
    session.keep_comment()
    session.mode = "answering" if session.mode == mode else mode


def restart_levels(session: LabelSession, _: Database) -> None:
    """Clear the levels given to the responses of this item."""
    session.levels = []


def toggle_guidelines(session: LabelSession, _: Database) -> None:
    """Open or close the guidelines."""
    session.guidelines = not session.guidelines


def is_handled(item: ShownItem) -> bool:
    """Return whether the item has a label or a skip."""
    return item.answer is not None or item.skip_reason is not None


def _show_next(session: LabelSession, database: Database, notice: str) -> None:
    after = 0 if session.item is None else session.item.place
    session.show(shown_items.next_item(database, *session.names, after), notice)


def _count_answer(session: LabelSession, database: Database, item: ShownItem) -> None:
    """Count the item just answered; recount all only if more has changed, such as in another window."""
    acts, items = session.activity
    now = progress.activity(database, *session.names)
    if is_handled(item) or now != (acts + 1, items):
        _recount(session, database)
        return
    pace = progress.seconds_each(database, *session.names)
    session.activity = now
    session.progress = replace(session.progress, done=session.progress.done + 1, seconds_each=pace)


def _recount(session: LabelSession, database: Database) -> None:
    session.activity = progress.activity(database, *session.names)
    session.progress = progress.progress(database, *session.names)


def _circumstances(session: LabelSession) -> dict[str, Any]:
    """Return what is stored with a label or a skip: its submission, comment and seconds."""
    session.keep_comment()
    return {
        "submission": session.submission,
        "comment": session.comment.strip() or None,
        "seconds": round(time.monotonic() - session.shown_at, 2),
    }
