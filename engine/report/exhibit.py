"""Stories: views pinned in order, stored in the study's `study.json`.

A pinned view is a page and the part of its address that says what is shown, with a title and a note. The
explorer presents a story screen by screen, and a report prints it.
"""

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import UsageError, unknown
from engine.store.publish import change_info
from engine.store.study_files import Pin, StudyFiles, StudyInfo
from engine.views.shown import Shown

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

MAIN = "main"  # the default story
LONGEST_NAME = 80  # most characters of a story's name, which appears in addresses and menus
LONGEST_TITLE, LONGEST_NOTE = 120, 2000
MOST_PINS = 100  # most views of one story
_PAGE = re.compile(r"[a-z][a-z_]{0,40}")

Pins = list[Pin]


@dataclass(frozen=True)
class PinnedView:
    """What is pinned: a page of the explorer, and the values of each key of its address but `study`."""

    page: str
    keys: Mapping[str, Sequence[str]]


def pin(files: StudyFiles, view: PinnedView, title: str, note: str = "", story: str = MAIN) -> StudyFiles:
    """Add a view to the end of a story, which is created if needed; return the study.

    Raises UsageError for a title, note or name that is too long, empty or not printable, or if the story is
    full; StoreError if the study cannot be written.
    """
    if not _PAGE.fullmatch(view.page):
        raise UsageError(f"{view.page!r} is not the name of a page; give one such as 'slice'")
    name, texts = _line(story, "story name", LONGEST_NAME, "main"), (_title(title), _note(note))
    keys = {
        key: [str(text) for text in texts] for key, texts in view.keys.items() if texts and key != "study"
    }

    def append(pins: Pins) -> Pins:
        if len(pins) >= MOST_PINS:
            raise UsageError(
                f"the story {name!r} has {len(pins)} views already; remove one, or start another story"
            )
        return [*pins, Pin(id=_new_id(pins), page=view.page, view=keys, title=texts[0], note=texts[1])]

    return change_info(files, lambda info: _with_story(info, name, append(info.stories.get(name, []))))


def rename_pin(files: StudyFiles, pin_id: str, title: str, note: str, story: str = MAIN) -> StudyFiles:
    """Give a pinned view another title and note; UsageError for an unknown view."""
    changes = {"title": _title(title), "note": _note(note)}

    def rename(pins: Pins) -> Pins:
        return [each.model_copy(update=changes) if each.id == pin_id else each for each in pins]

    return _change(files, pin_id, story, rename)


def move_pin(files: StudyFiles, pin_id: str, places: int, story: str = MAIN) -> StudyFiles:
    """Move a pinned view by this many places towards the end (negative: the start) of its story."""

    def move(pins: Pins) -> Pins:
        place = next(i for i, each in enumerate(pins) if each.id == pin_id)
        others = [each for each in pins if each.id != pin_id]
        others.insert(max(place + places, 0), pins[place])
        return others

    return _change(files, pin_id, story, move)


def unpin(files: StudyFiles, pin_id: str, story: str = MAIN) -> StudyFiles:
    """Remove a pinned view, and its story if that is then empty; UsageError for an unknown view."""
    return _change(files, pin_id, story, lambda pins: [each for each in pins if each.id != pin_id])


def pins_of(info: StudyInfo, story: str = MAIN) -> tuple[Pin, ...]:
    """Return the views of a story in order; the main story is empty if nothing is pinned.

    Raises UsageError, naming the stories, for an unknown one.
    """
    if story not in info.stories and story != MAIN:
        if not info.stories:
            raise UsageError(
                f"unknown story {story!r}: the study has none; pin views to one by `spb study pin`, or in "
                "the explorer (`spb open`, *Pin* beside a page's title)"
            )
        raise unknown("story", story, info.stories)
    return tuple(info.stories.get(story, ()))


def _change(files: StudyFiles, pin_id: str, story: str, change: Callable[[Pins], Pins]) -> StudyFiles:
    def with_change(info: StudyInfo) -> StudyInfo:
        pins = list(pins_of(info, story))
        if all(each.id != pin_id for each in pins):
            raise unknown("pinned view", pin_id, [each.id for each in pins])
        return _with_story(info, story, change(pins))

    return change_info(files, with_change)


def _with_story(info: StudyInfo, story: str, pins: Pins) -> StudyInfo:
    stories = {key: views for key, views in (info.stories | {story: pins}).items() if views}
    return info.model_copy(update={"stories": stories})


def _new_id(pins: Pins) -> str:
    """Return a random id that no view of the story has; ids of removed views are not reused."""
    ids = {each.id for each in pins}
    while (new := secrets.token_hex(4)) in ids:
        pass
    return new


def _title(title: str) -> str:
    return _line(title, "title", LONGEST_TITLE, "Hard criteria")


def _line(text: str, what: str, longest: int, example: str) -> str:
    text = text.strip()
    if not text or not text.isprintable() or len(text) > longest:
        raise UsageError(
            f"the {what} {text!r} is empty, longer than {longest} characters or not printable; "
            f"choose one such as {example!r}"
        )
    return text


def _note(note: str) -> str:
    note = note.strip()
    if len(note) > LONGEST_NOTE or any(ord(letter) < 32 and letter not in "\n\t" for letter in note):
        raise UsageError(
            f"the note {note[:40]!r}... is longer than {LONGEST_NOTE} characters or holds control "
            "characters; shorten it"
        )
    return note


def exhibit_of(study: "MeasuredStudy", pin: Pin) -> Shown:
    """Return what a pinned view shows now, with a sentence for every value no longer available."""
    from engine.views.registry import shown_by_name  # with every view

    return shown_by_name(study, pin.page, pin.view)
