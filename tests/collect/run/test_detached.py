"""Runs in a detached process, and the list of a store's runs."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

from command_line import Spb

from .small import write_folder


def spb(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "engine.cli", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_a_detached_run_outlives_its_command_and_is_listed_until_it_is_done(
    tmp_path: Path, spb_here: Spb
) -> None:
    folder, store = write_folder(tmp_path / "data"), tmp_path / "store"
    models = "".join(f"[models.{name}]\nmodel = 'simulated/{name}'\n" for name in "ab")
    top = f"study = 's'\ndata = '{folder}'\ngenerators = ['a', 'b']\njudges = ['a', 'b']\n"
    config = tmp_path / "run.toml"
    config.write_text(f"{top}paradigms = ['single_rubric']\n{models}")

    started = spb("run", str(config), "--store", str(store), "--detach")
    watching = spb_here(*shlex.split(re.findall(r"`spb (.*)`", started.stderr)[0]))
    rows = json.loads(spb_here("runs", "--store", store, "--format", "json").stdout)

    assert started.returncode == 0
    assert watching.returncode == 0
    assert "24 of 24 calls answered" in watching.stderr
    assert [row["run_id"] for row in rows] == [started.stdout.strip()]
    assert (rows[0]["state"], rows[0]["done"], rows[0]["total"]) == ("done", 24, 24)
    assert started.stdout.strip() in spb_here("runs", "--store", store).stdout


def test_a_run_imports_neither_pandas_nor_litellm_nor_scipy(
    tmp_path: Path,
) -> None:
    folder, config = write_folder(tmp_path / "data"), tmp_path / "run.toml"
    top = f"study = 's'\ndata = '{folder}'\njudges = ['a']\nparadigms = ['single_rubric']\n"
    config.write_text(f"{top}[models.a]\nmodel = 'simulated/a'\n")
    arguments = ["run", str(config), "--store", str(tmp_path / "store")]
    script = (
        "import sys\nfrom engine.cli import app\n"
        f"app({arguments!r}, standalone_mode=False)\n"
        "print('heavy:', sorted({'pandas', 'litellm', 'scipy'} & sys.modules.keys()))"
    )

    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)

    assert done.stdout.splitlines()[-1] == "heavy: []"
