"""Views pinned in an order, a story, kept with the study in its `study.json`.

A pinned view is the page and the part of its address that says what is shown, with a title and a note. The
explorer presents a story screen by screen, and a report prints it.
"""

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.errors import UsageError, unknown
from engine.store.study_files import Pin, StudyFiles, StudyInfo

MAIN = "main"
"""The story that views are pinned to where none is named."""

LONGEST_NAME = 80
"""Characters of a story's name: it stands in addresses and menus."""

LONGEST_TITLE, LONGEST_NOTE = 120, 2000
MOST_PINS = 100
"""Views of one story; more would be no story."""

_PAGE = re.compile(r"[a-z][a-z_]{0,40}")

Pins = list[Pin]


@dataclass(frozen=True)
class View:
    """What is pinned: a page of the explorer, and the texts of each key of its address but the study's."""

    page: str
    keys: Mapping[str, Sequence[str]]


def pin(files: StudyFiles, view: View, title: str, note: str = "", story: str = MAIN) -> StudyFiles:
    """Put a view at the end of a story, which is begun where there is none of that name; return the study.

    Raises UsageError for a title, note or name that is too long, empty or not printable, and where the
    story is full; StoreError where the study cannot be written.
    """
    if not _PAGE.fullmatch(view.page):
        raise UsageError(f"{view.page!r} is no page's name; give one such as 'slice'")
    name, texts = _name(story), (_title(title), _note(note))
    keys = {
        key: [str(text) for text in texts] for key, texts in view.keys.items() if texts and key != "study"
    }

    def added(pins: Pins) -> Pins:
        if len(pins) >= MOST_PINS:
            raise UsageError(
                f"the story {name!r} has {len(pins)} views already; remove one, or begin another"
            )
        return [*pins, Pin(id=_new_id(pins), page=view.page, view=keys, title=texts[0], note=texts[1])]

    return files.change_info(lambda info: _with(info, name, added(info.stories.get(name, []))))


def rename_pin(files: StudyFiles, pin_id: str, title: str, note: str, story: str = MAIN) -> StudyFiles:
    """Give a pinned view another title and note; UsageError where there is no such view."""
    changes = {"title": _title(title), "note": _note(note)}

    def renamed(pins: Pins) -> Pins:
        return [one.model_copy(update=changes) if one.id == pin_id else one for one in pins]

    return _change(files, pin_id, story, renamed)


def move_pin(files: StudyFiles, pin_id: str, places: int, story: str = MAIN) -> StudyFiles:
    """Move a pinned view so many places towards the end (negative: the beginning) of its story."""

    def moved(pins: Pins) -> Pins:
        here = next(place for place, one in enumerate(pins) if one.id == pin_id)
        rest = [one for one in pins if one.id != pin_id]
        rest.insert(max(here + places, 0), pins[here])
        return rest

    return _change(files, pin_id, story, moved)


def unpin(files: StudyFiles, pin_id: str, story: str = MAIN) -> StudyFiles:
    """Remove a pinned view; a story without views is gone. UsageError where there is no such view."""
    return _change(files, pin_id, story, lambda pins: [one for one in pins if one.id != pin_id])


def rename_story(files: StudyFiles, story: str, name: str) -> StudyFiles:
    """Give a story another name, in its place; UsageError where another one has it."""
    given = _name(name)

    def renamed(info: StudyInfo) -> StudyInfo:
        pins_of(info, story)
        if given != story and given in info.stories:
            raise UsageError(f"there is a story {given!r} already; choose another name")
        stories = {given if key == story else key: pins for key, pins in info.stories.items()}
        return info.model_copy(update={"stories": stories})

    return files.change_info(renamed)


def pins_of(info: StudyInfo, story: str = MAIN) -> tuple[Pin, ...]:
    """Return the views of a story in their order; the main story is empty where nothing is pinned.

    Raises UsageError naming the stories there are.
    """
    if story not in info.stories and story != MAIN:
        raise unknown("story", story, info.stories)
    return tuple(info.stories.get(story, ()))


def _change(files: StudyFiles, pin_id: str, story: str, change: Callable[[Pins], Pins]) -> StudyFiles:
    def changed(info: StudyInfo) -> StudyInfo:
        pins = list(pins_of(info, story))
        if all(one.id != pin_id for one in pins):
            raise unknown("pinned view", pin_id, [one.id for one in pins])
        return _with(info, story, change(pins))

    return files.change_info(changed)


def _with(info: StudyInfo, story: str, pins: Pins) -> StudyInfo:
    stories = {key: filled for key, filled in (info.stories | {story: pins}).items() if filled}
    return info.model_copy(update={"stories": stories})


def _new_id(pins: Pins) -> str:
    """Return an id that no view of the story has; one that was removed does not come back."""
    known = {one.id for one in pins}
    while (new := secrets.token_hex(4)) in known:
        pass
    return new


def _name(name: str) -> str:
    return _line(name, "story name", LONGEST_NAME, "main")


def _title(title: str) -> str:
    return _line(title, "title", LONGEST_TITLE, "Hard rubrics")


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
