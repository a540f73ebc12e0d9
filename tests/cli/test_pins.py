"""`spb study pins`, `pin` and `unpin`: the stories of the explorer, from a shell."""

import json
from pathlib import Path

import pytest
from command_line import Spb

import engine
from engine.report.exhibit import PinnedView, pin, pins_of


@pytest.fixture
def store(spb_here: Spb, tmp_path: Path) -> Path:
    rows = [f"{judge},{model},q{n},yes" for judge in "ab" for model in "ab" for n in (1, 2)]
    (tmp_path / "v.csv").write_text("\n".join(["judge,model,question,verdict", *rows]), "utf-8")
    assert spb_here("import", tmp_path / "v.csv", "--study", "mine", "--store", tmp_path).returncode == 0
    return tmp_path


def test_what_is_pinned_by_command_is_a_pin_of_the_page(spb_here: Spb, store: Path) -> None:
    words = ("study", "pin", "grid", "mine", "--store", store, "--set", "instance=q1", "--title", "Mine")

    pinned = spb_here(*words, "--note", "Read it.", "--story", "board")

    assert pinned.returncode == 0, pinned.stderr
    assert "spb report mine --story board --out report.html" in pinned.stderr
    (only,) = pins_of(engine.open_study("mine", store=store).info, "board")
    assert (only.page, only.view) == ("grid", {"instance": ["q1"]})
    assert (only.title, only.note) == ("Mine", "Read it.")


def test_what_is_pinned_on_a_page_is_listed_and_removed(spb_here: Spb, store: Path) -> None:
    files = engine.open_study("mine", store=store).files
    pin(files, PinnedView("judges", {"judge": ["a"]}), "Of a page")
    words = ("study", "pins", "mine", "--store", store, "--format", "json")

    (row,) = json.loads(spb_here(*words).stdout)["rows"]
    removed = spb_here("study", "unpin", row["pin"], "mine", "--store", store)

    assert (row["view"], row["keys"], row["title"], row["story"]) == (
        "judges",
        "judge=a",
        "Of a page",
        "main",
    )
    assert removed.returncode == 0
    assert json.loads(spb_here(*words).stdout)["rows"] == []


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("pin", "nothing", "mine"), "unknown view 'nothing'; choose from: judges"),
        (("pin", "judges", "mine", "--set", "jugde=a"), "unknown key of this view 'jugde'"),
        (("pin", "judges", "mine", "--set", "judge"), "is not KEY=VALUE"),
        (("pin", "people", "mine"), "cannot be pinned so: "),
        (("unpin", "0a1b2c3d", "mine"), "unknown pin '0a1b2c3d'"),
    ],
)
def test_a_pin_that_shows_nothing_is_refused(
    spb_here: Spb, store: Path, words: tuple[str, ...], error: str
) -> None:
    refused = spb_here("study", *words, "--store", store)

    assert refused.returncode == 2
    assert error in refused.stderr
    assert not engine.open_study("mine", store=store).info.stories


def test_the_views_listed_are_those_that_the_study_can_fill(spb_here: Spb, store: Path) -> None:
    words = ("study", "pins", "mine", "--views", "--store", store, "--format", "json")
    names = [row["view"] for row in json.loads(spb_here(*words).stdout)["rows"]]

    assert "judges" in names
    assert "people" not in names
