"""`spb open`: the explorer on a store, run as by a user; the explorer itself is replaced."""

import os
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from command_line import Spb
from plain.published import ROOT

from engine.cli import explorer


@pytest.fixture
def started(monkeypatch):
    """Return the commands that are started in place of the explorer, each with its environment."""
    commands = []

    def run(command, env):
        commands.append((command, env))
        return 0

    installed = ModuleSpec("explorer", None, origin=str(ROOT / "explorer" / "__init__.py"))
    monkeypatch.setattr(explorer, "find_spec", lambda _name: installed)
    monkeypatch.setattr(explorer, "run_until_ended", run)
    monkeypatch.delenv("SPB_STUDY", raising=False)
    monkeypatch.delenv("SPB_STORE", raising=False)
    return commands


@pytest.fixture
def homeless(monkeypatch):
    """Take the home folder from the user, and the variable that replaces it."""

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)


def test_the_explorer_opens_on_the_store_and_the_study_that_are_named(spb_here: Spb, started):
    by_path = spb_here("open", ROOT / "results" / "demo-pairs", "--port", "9000", "--no-browser")
    by_name = spb_here("open", "demo-orders", "--store", ROOT / "results")
    of_store = spb_here("open", "--store", ROOT / "results")

    assert [each.returncode for each in (by_path, by_name, of_store)] == [0, 0, 0]
    (command, first), (_, second), (_, third) = started
    assert {"--server.port=9000", "--server.headless=true"} <= set(command)
    assert {env["SPB_STORE"] for env in (first, second, third)} == {str(ROOT / "results")}
    assert (first["SPB_STUDY"], second["SPB_STUDY"]) == ("demo-pairs", "demo-orders")
    assert "SPB_STUDY" not in third


def test_an_empty_store_opens_and_says_how_to_fill_it(spb_here: Spb, started, tmp_path):
    output = spb_here("open", "--store", tmp_path)

    assert output.returncode == 0
    assert "holds no study yet" in output.stderr
    assert len(started) == 1


def test_an_unknown_study_opens_nothing_and_names_the_choices(spb_here: Spb, started):
    output = spb_here("open", "nowhere", "--store", ROOT / "results")

    assert output.returncode == 2
    assert "demo-health" in output.stderr
    assert started == []


def test_without_streamlit_it_says_what_to_install(spb_here: Spb, started, monkeypatch):
    installed = explorer.find_spec("explorer")
    monkeypatch.setattr(explorer, "find_spec", lambda name: installed if name == "explorer" else None)
    output = spb_here("open", "--store", ROOT / "results")

    assert output.returncode == 2
    assert output.stderr == (
        "error: the explorer needs streamlit, which is not installed; run: pip install streamlit\n"
    )
    assert started == []


@pytest.mark.usefixtures("homeless")
@pytest.mark.parametrize("words", [("demo",), ("open", "--demo")])
def test_the_demonstrations_in_a_named_folder_need_no_home(spb_here: Spb, started, tmp_path, words):
    output = spb_here(*words, "--store", tmp_path / "mine", "--no-browser")

    assert output.returncode == 0
    assert [env["SPB_STORE"] for _, env in started] == [str(tmp_path / "mine")]
    assert (tmp_path / "mine" / "demo-health" / "study.json").exists()


@pytest.mark.usefixtures("homeless", "started")
@pytest.mark.parametrize("words", [("demo",), ("open", "--demo")])
def test_the_demonstrations_without_a_home_folder_name_the_variable_to_set(spb_here: Spb, words):
    output = spb_here(*words, "--no-browser")

    assert output.returncode == 2
    assert output.stderr.splitlines()[-1] == (
        "error: this user has no home folder; name a folder in XDG_DATA_HOME"
    )


SERVER = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
OPENED = f"""
import os, sys
from engine.cli.explorer import run_until_ended
sys.exit(run_until_ended([sys.executable, "-c", {SERVER!r}], os.environ) != 0)
"""


def test_ending_the_command_ends_its_server():
    with subprocess.Popen([sys.executable, "-c", OPENED], stdout=subprocess.PIPE, text=True) as opened:
        assert opened.stdout is not None
        server = int(opened.stdout.readline())

        opened.terminate()

        assert opened.wait(30) == 1  # the server's own code is that of a process ended by a signal
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)
