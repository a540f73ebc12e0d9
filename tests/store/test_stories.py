"""Views pinned in an order, kept with the study."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from explorer_studies import PLANS, write

from engine.errors import BadInputError, UsageError
from engine.report.exhibit import (
    LONGEST_NOTE,
    MOST_PINS,
    PinnedView,
    move_pin,
    pin,
    pins_of,
    rename_pin,
    unpin,
)
from engine.store import Store

SLICE = PinnedView(
    "slice", {"study": ("plain",), "polarity": ("negative",), "judges": ("m1", "m2"), "axis": ()}
)


@pytest.fixture
def files(tmp_path):
    write(tmp_path, "plain", PLANS["plain"])
    return Store(tmp_path).open("plain")


def titles(files, story="main"):
    return [one.title for one in pins_of(files.info, story)]


def test_a_pinned_view_keeps_its_page_and_chosen_keys_but_not_the_study(files, tmp_path):
    pin(files, SLICE, "  Hard ones ", "They fail\nmore often.")

    (view,) = json.loads((tmp_path / "plain" / "study.json").read_text())["stories"]["main"]
    del view["id"]
    assert view == {
        "page": "slice",
        "view": {"polarity": ["negative"], "judges": ["m1", "m2"]},
        "title": "Hard ones",
        "note": "They fail\nmore often.",
    }


def test_pinning_changes_no_table_and_no_stamp_of_numbers(files, tmp_path):
    before = {path.name: path.read_bytes() for path in (tmp_path / "plain").rglob("*.parquet")}
    stamp = files.stamp(slices=False)

    after = pin(files, SLICE, "one")

    assert {path.name: path.read_bytes() for path in (tmp_path / "plain").rglob("*.parquet")} == before
    assert after.stamp(slices=False) == stamp


def test_moving_renaming_and_removing_views_leaves_the_others(files):
    for title in ("one", "two", "three"):
        files = pin(files, SLICE, title)
    first, second, third = pins_of(files.info)

    files = move_pin(files, third.id, -2)
    files = rename_pin(files, first.id, "eins", "a note")
    files = unpin(files, second.id)

    assert titles(files) == ["three", "eins"]
    assert [one.note for one in pins_of(files.info)] == ["", "a note"]


@pytest.mark.parametrize(
    ("places", "order"), [(-9, ["c", "a", "b"]), (9, ["a", "b", "c"]), (-1, ["a", "c", "b"])]
)
def test_a_view_moved_beyond_an_end_stays_at_that_end(files, places, order):
    for title in "abc":
        files = pin(files, SLICE, title)

    files = move_pin(files, pins_of(files.info)[2].id, places)

    assert titles(files) == order


def test_stories_have_names_and_one_without_views_is_deleted(files):
    files = pin(files, SLICE, "one")
    files = pin(files, SLICE, "two", story="board")

    files = unpin(files, pins_of(files.info)[0].id)

    assert list(files.info.stories) == ["board"]
    assert titles(files, "board") == ["two"]
    assert titles(files) == []


@pytest.mark.parametrize("title", ["", "   ", "x" * 121, "two\nlines", "right\u202eleft"])
def test_an_unreadable_title_is_refused(files, title):
    with pytest.raises(UsageError, match="the title"):
        pin(files, SLICE, title)


@pytest.mark.parametrize("note", ["x" * (LONGEST_NOTE + 1), "bell\a"])
def test_a_note_that_is_too_long_or_holds_control_characters_is_refused(files, note):
    with pytest.raises(UsageError, match="the note"):
        pin(files, SLICE, "fine", note)


def test_an_unknown_story_or_view_is_refused_with_the_choices(files):
    files = pin(files, SLICE, "one", story="board")

    with pytest.raises(UsageError, match=r"unknown story 'bored'; did you mean 'board'. choose from: board"):
        pins_of(files.info, "bored")
    with pytest.raises(UsageError, match="unknown pinned view 'ffffffff'; choose from: "):
        unpin(files, "ffffffff", "board")


def test_a_page_s_name_is_never_a_path(files):
    with pytest.raises(UsageError, match="is not the name of a page"):
        pin(files, PinnedView("../x", {}), "one")


def test_a_full_story_accepts_no_further_view(files):
    for place in range(MOST_PINS):
        files = pin(files, SLICE, f"{place}")

    with pytest.raises(UsageError, match="has 100 views already"):
        pin(files, SLICE, "one more")


def test_views_pinned_at_the_same_time_are_all_kept(files, tmp_path):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda place: pin(files, SLICE, f"view {place}"), range(8)))

    assert sorted(titles(Store(tmp_path).open("plain"))) == [f"view {place}" for place in range(8)]


@pytest.mark.usefixtures("files")
def test_a_view_written_by_hand_without_a_title_is_named(tmp_path):
    path = tmp_path / "plain" / "study.json"
    info = json.loads(path.read_text()) | {"stories": {"main": [{"id": "0a1b2c3d", "page": "slice"}]}}
    path.write_text(json.dumps(info))

    with pytest.raises(BadInputError, match=r"stories\.main\.0\.title"):
        Store(tmp_path).open("plain")
