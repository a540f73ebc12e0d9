"""A view as a report shows it: chart, rows, basis and command; and stories of pinned views."""

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine import words
from engine.errors import UsageError, unknown
from engine.explore.find_slices import FIND
from engine.findings.claims import Claim, command_of
from engine.measures.catalogue import MEASURES, find
from engine.measures.entry import Field, FieldKind
from engine.measures.result import Result
from engine.store.study_files import Pin, StudyFiles, StudyInfo
from engine.views.shown import Figure, Shown, Table
from engine.words import cell

if TYPE_CHECKING:
    from engine.study import Study


# ------------------------------------------------------------------------------
# Stories: views pinned in order, stored in the study's `study.json`.
#
# A pinned view is a page and the part of its address that says what is shown, with a title and a note. The
# explorer presents a story screen by screen, and a report prints it.


MAIN = "main"  # the default story
LONGEST_NAME = 80  # most characters of a story's name, which appears in addresses and menus
LONGEST_TITLE, LONGEST_NOTE = 120, 2000
MOST_PINS = 100  # most views of one story
_PAGE = re.compile(r"[a-z][a-z_]{0,40}")

Pins = list[Pin]


@dataclass(frozen=True)
class View:
    """What is pinned: a page of the explorer, and the values of each key of its address but `study`."""

    page: str
    keys: Mapping[str, Sequence[str]]


def pin(files: StudyFiles, view: View, title: str, note: str = "", story: str = MAIN) -> StudyFiles:
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

    return files.change_info(lambda info: _with_story(info, name, append(info.stories.get(name, []))))


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
        raise unknown("story", story, info.stories)
    return tuple(info.stories.get(story, ()))


def _change(files: StudyFiles, pin_id: str, story: str, change: Callable[[Pins], Pins]) -> StudyFiles:
    def change_info(info: StudyInfo) -> StudyInfo:
        pins = list(pins_of(info, story))
        if all(each.id != pin_id for each in pins):
            raise unknown("pinned view", pin_id, [each.id for each in pins])
        return _with_story(info, story, change(pins))

    return files.change_info(change_info)


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


# ------------------------------------------------------------------------------
# A view in a form that can be shown anywhere: results, the chart, its rows, and commands.


MOST_ROWS = 60  # most rows of a table; the rest are counted

FIELDS: dict[str, tuple[str, ...]] = {
    "scorecard": ("judge", "conclusion", "estimate", "ratio_outside", "odds_family", "p_adjusted", "n_own"),
    "hspp": ("judge", "hspp_self", "hspp_matched", "hspp_family", "n_self", "n_matched", "n_family"),
    "overestimation": ("judge", "generator", "relation", "rate", "over", "n"),
    "delta": ("judge", "generator", "delta", "bonus", "n"),
    "accuracy": ("judge", "mra", "mra_total", "mipa", "mipa_total"),
    "committee": ("judge", "level", "hspp_self", "hspp_self_committee", "mra", "mra_committee", "n_self"),
    "archetypes": ("judge", "archetype", "d", "spb", "n_contrast", "n_pairs"),
    "equal-quality": ("judge", "pir", "null_pir", "spb", "spb_p_adjusted", "n_pairs", "n_null_pairs"),
    "quality-baseline": (
        *("judge", "opponent", "ilsp_matched", "ilsp_updated", "ilsp", "lsp", "n", "n_examples"),
    ),
    "dbg": ("judge", "opponent", "win_rate", "gold_win_rate", "dbg", "dbg_p_adjusted", "n"),
    "order-effect": ("judge", "variant", "flip_rate", "first_share", "flip_to_first", "n_pairs"),
    "together": ("judge", "measure", "value", "low", "high", "rank", "n"),
    "ordering": ("judge", "ordering", "cost", "recommended", "pearson", "n", "n_judged"),
}
"""The fields that a measure's table shows; for other measures, keys, numbers and counts."""


def measure_exhibit(
    study: "Study",
    measure: str,
    options: Mapping[str, Any],
    *,
    caption: str,
    fields: Sequence[str] = (),
    result: Result | None = None,
) -> Shown:
    """Compute a measure with these options (unless its `result` is given); return chart, rows and basis.

    `caption` is the chart's alternative text. If there is nothing to show, `problems` gives the reason.
    """
    command = command_of(study.name, measure, options)
    try:
        result = study.result(find(measure), **options) if result is None else result
    except UsageError as error:
        return Shown(problems=(f"It cannot be shown: {error}.",), commands=(command,), measures=(measure,))
    basis = words.basis_of(result.filters), words.left_out_of(result)
    facts: dict[str, Any] = {"basis": basis, "commands": (command,), "measures": (measure,)}
    if not result.rows:
        reason = result.reason or "no judgment of this selection counts"
        return Shown(problems=(f"There is nothing to show: {reason}.",), **facts)
    chart = specification(result, study.families(result.filters.get("relatives")))
    figure = None if chart is None else Figure(chart, caption)
    return Shown(figure=figure, table=table_of(result, fields), **facts)


def specification(result: Result, families: Mapping[str, str | None]) -> dict[str, Any] | None:
    """Return the chart of a result as a specification, given the models' families; None if it has none."""
    from engine.charts import CHARTS, draw
    from engine.charts.export import spec_of

    if result.measure.name not in CHARTS or not result.rows:
        return None
    try:
        chart = draw(result, families)
    except UsageError:  # the chart shows one slice, but the rows have several: they are in the table
        return None
    spec = spec_of(chart)
    datasets = spec.get("datasets", {}).values()
    has_marks = any("end" not in row for rows in datasets for row in rows)
    return spec if has_marks else None  # rows that only hold an axis open are not a chart


def table_of(result: Result, fields: Sequence[str] = ()) -> Table:
    """Return the rows of a result as readable texts."""
    from engine.words import format_rows, heading

    columns = {name for field in result.measure.fields for name in field.columns()}
    names = [name for name in fields or FIELDS.get(result.measure.name, ()) if name in columns]
    frame = format_rows(result, names or _usual_fields(result), by=result.by)
    rows = tuple(tuple(row) for row in frame.head(MOST_ROWS).itertuples(index=False))
    heads = tuple(heading(name, result.by) for name in frame.columns)
    return Table(heads, rows, max(len(frame) - MOST_ROWS, 0))


def _usual_fields(result: Result) -> list[str]:
    """Return the keys, up to 4 numbers with an interval, and up to 3 counts."""
    fields = result.measure.fields
    numbers = [field.name for field in fields if field.interval and _any(result, field.name)]
    counts = [field.name for field in fields if field.kind == "count" and _any(result, field.name)]
    keys = [name for name in result.measure.keys if _any(result, name)]
    return [*keys, *numbers[:4], *counts[:3]]


def _any(result: Result, name: str) -> bool:
    return any(row[name] is not None for row in result.rows)


# ------------------------------------------------------------------------------
# A pinned view resolved against the current study.


SLICE_KEYS = ("slice", "b_slice")  # the keys of saved slices: that of a view, and that of its second side
Keys = dict[str, tuple[str, ...]]


def expand_slices(info: StudyInfo, view: Mapping[str, Sequence[str]]) -> tuple[Keys, tuple[str, ...]]:
    """Return a view with its saved slices replaced by their filters; filters of the view itself win.

    A slice that is not saved is left out, with a sentence that says so.
    """
    keys: Keys = {key: tuple(texts) for key, texts in view.items()}
    problems = []
    for key in SLICE_KEYS:
        name = next(iter(keys.pop(key, ())), None)
        if name is None:
            continue
        if name not in info.slices:
            problems.append(f"There is no saved slice {name!r} in this study; it was left out.")
            continue
        prefix = key.removesuffix("slice")
        for filter_, texts in info.slices[name].items():
            keys.setdefault(prefix + filter_, (texts,) if isinstance(texts, str) else tuple(texts))
    return keys, tuple(problems)


# ------------------------------------------------------------------------------
# A claim's number in words.


def number_of(claim: Claim) -> tuple[str, ...]:
    """Return the number with its interval, unless its sentence has cases of 100; n and p if any."""
    parts = [] if claim.measure == "scorecard" else [_value(claim)]  # its sentence has the cases of 100
    if claim.n is not None:
        parts.append(f"{claim.n:,} {claim.cases}" if claim.cases else f"n {claim.n:,}")
    if claim.p_adjusted is not None:
        parts.append(f"adjusted p {words.p_value(claim.p_adjusted)}")
    return tuple(parts)


def kinds_of_doubt(claim: Claim) -> list[tuple[str, list[str]]]:
    """Return the caveats on a claim: each kind with its reasons."""
    reasons: dict[str, list[str]] = {}
    for mark in claim.marks:
        reasons.setdefault(mark.title, []).append(mark.why)
    return list(reasons.items())


def _value(claim: Claim) -> str:
    measure = FIND if claim.measure == FIND.name else MEASURES.get(claim.measure)
    fields = () if measure is None else measure.fields
    kind: FieldKind = next((field.kind for field in fields if field.name == claim.field), "number")
    if claim.value is None:
        return "no number"
    has_interval = claim.low is not None and claim.high is not None
    row: dict[str, Any] = {
        claim.field: claim.value,
        f"{claim.field}_low": claim.low,
        f"{claim.field}_high": claim.high,
        "reasons": {},
    }
    return cell(row, Field(claim.field, kind, "", interval=has_interval))
