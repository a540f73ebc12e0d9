"""Names that are paths, markup, formulas or terminal codes are treated as mere names everywhere."""

import csv
from pathlib import Path

import pytest
from explorer_studies import HOSTILE
from streamlit.testing.v1 import AppTest

from engine.cli import main
from engine.collect.run_folder import run_path
from engine.collect.watch.watched_runs import watched_run
from engine.errors import UsageError
from engine.report.exhibit import PinnedView, pin
from engine.saved_slices import save_slice
from engine.store import Store
from explorer.new_run import run_processes
from explorer.parts import selection
from explorer.parts.downloads import file_name

APP = Path(__file__).resolve().parents[2] / "explorer" / "app.py"
STEERING = ("\x1b]0;title\x07\x1b[31mred", "gpt\u202eexe.4", "a\x00b", "line\nline", "\x9b31m")
PATHS = ("../out", "..", "/etc/passwd", "a\\..\\b", "a\x00b", ".hidden", "", "x" * 300)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store whose models have names with terminal codes."""
    root = tmp_path_factory.mktemp("names")
    with (root / "names.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("judge", "generator", "met", "instance_id", "rubric_id", "reference_met"))
        for judge in STEERING:
            for generator in (*STEERING, "=1+1"):
                writer.writerows((judge, generator, "true", n, "r", "false") for n in range(2))
    with pytest.MonkeyPatch.context() as patched:
        typed(
            patched,
            "import",
            "table",
            str(root / "names.csv"),
            "--store",
            str(root / "store"),
            "--study",
            "s",
        )
    return root / "store"


def typed(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr("sys.argv", ["spb", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("doctor", "--resamples", "0"),
        ("metrics", "overestimation", "--resamples", "0"),
        ("metrics", "together", "--resamples", "0"),
        ("validate",),
    ],
    ids=lambda words: " ".join(words),
)
def test_no_name_controls_the_terminal(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    typed(monkeypatch, *words, "--store", str(store), "--study", "s")

    printed = capsys.readouterr()
    shown = printed.out + printed.err
    assert shown
    assert [letter for letter in shown if not letter.isprintable() and letter != "\n"] == []


@pytest.mark.parametrize("name", PATHS)
def test_a_run_id_in_an_address_cannot_leave_the_store(tmp_path: Path, name: str) -> None:
    place = Store(tmp_path)

    for study, run_id in (("s", name), (name, "r")):
        for look in (
            run_path,
            watched_run,
            lambda *arguments: run_processes.last_line(str(tmp_path), *arguments[1:]),
        ):
            with pytest.raises(UsageError, match="choose a plain name"):
                look(place, study, run_id)

    assert list(tmp_path.iterdir()) == []


def test_looking_for_an_unknown_run_creates_no_folder(tmp_path: Path) -> None:
    assert watched_run(Store(tmp_path), "s", "r") is None
    assert run_processes.last_line(str(tmp_path), "s", "r") is None

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../../x", "\x00", "\u202ex", "", "a\nb"])
def test_names_of_slices_and_stories_are_readable_and_not_paths(store: Path, name: str) -> None:
    study = Store(store).open("s")
    before = set(store.rglob("*"))

    for keep in (
        lambda: save_slice(study, name, {"polarity": "negative"}),
        lambda: pin(study, PinnedView("slice", {}), "title", story=name),
    ):
        if name.isprintable() and name:
            keep()
        else:
            with pytest.raises(UsageError):
                keep()

    assert set(store.rglob("*")) == before


@pytest.mark.parametrize("study", [*PATHS, *HOSTILE, *STEERING])
def test_a_downloads_name_has_only_letters_digits_dots_and_dashes(
    monkeypatch: pytest.MonkeyPatch, study: str
) -> None:
    monkeypatch.setattr(selection, "value", lambda _: study)

    name = file_name("overestimation", "csv")

    assert name.isascii()
    assert not set(name) - set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    assert not name.startswith(".")


@pytest.mark.parametrize("given", [*HOSTILE, *STEERING, "../../etc/passwd"])
def test_parameters_of_an_address_are_shown_as_text_only(
    store: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("SPB_STORE", str(store))
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params["study"] = given

    app.run()

    assert not app.exception
    assert any(repr(given) in text.value for text in app.text)
    kinds = (app.markdown, app.header, app.subheader, app.caption, app.title, app.warning, app.error)
    assert not any(given in str(shown.value) for kind in kinds for shown in kind)
