"""The explorer as a container runs it: not root, the root file system read-only, only the store writable."""

import contextlib
import json
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from browser.server import free_port
from security.confined import confined, needs_confinement, python

from engine.store import Store

ROOT = Path(__file__).resolve().parents[2]
TRIES = 3
"""After as many failed checks in a row a container counts as unhealthy; a busy machine may fail one."""

SHOWN = f"""
from streamlit.testing.v1 import AppTest
app = AppTest.from_file({str(ROOT / "explorer" / "app.py")!r}, default_timeout=60).run()
assert not app.exception, app.exception
print(app.header[0].value, app.selectbox[0].value)
"""
IMPORTED = """
import os
from pathlib import Path
from engine.importers.pipeline import reading
from engine.importers.format_loading import row_format
from engine.store import Store
table = Path(os.environ["TMPDIR"], "verdicts.csv")
table.write_text("judge,generator,met,instance_id,rubric_id\\nj,g,true,1,r\\n")
with reading(row_format("table"), table) as read:
    read.write(Store(), "mine")
"""
WRITING = """
from pathlib import Path
for folder in {folders!r}:
    try:
        Path(folder, "written").touch()
    except OSError as error:
        print(folder, error.strerror)
"""


@pytest.mark.parametrize("sub_path", ["", "/spb"])
def test_the_server_becomes_healthy_and_the_health_check_sees_it(tmp_path: Path, sub_path: str) -> None:
    needs_confinement()
    store, port = tmp_path / "store", free_port()
    store.mkdir()
    command = confined(
        store, sys.executable, "-m", "streamlit", "run", str(ROOT / "explorer" / "app.py"),
        f"--server.port={port}", "--server.headless=true", "--server.address=127.0.0.1",
        f"--server.baseUrlPath={sub_path}",
    )  # fmt: skip

    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        try:
            _wait(server, port)
            for _ in range(TRIES):
                seen = subprocess.run(
                    [sys.executable, "-c", _health_check(port)],
                    env={"STREAMLIT_SERVER_BASE_URL_PATH": sub_path},
                    capture_output=True,
                    check=False,
                )
                if seen.returncode == 0:
                    break
        finally:
            server.terminate()
            server.wait(10)

    assert (seen.returncode, seen.stderr) == (0, b"")


def _health_check(port: int) -> str:
    """Return the image's health check, adapted to a server at another port."""
    instruction = re.search(
        r"^HEALTHCHECK .* CMD (\[.*\])$", (ROOT / "Containerfile").read_text(), re.MULTILINE
    )
    assert instruction
    python, option, program = json.loads(instruction[1])
    assert (python, option) == ("python", "-c")
    assert ":8501" in program
    return str(program.replace(":8501", f":{port}"))


def _wait(server: "subprocess.Popen[bytes]", port: int) -> None:
    """Wait until the server takes connections."""
    for _ in range(400):
        assert server.poll() is None, "the server ended by itself"
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        time.sleep(0.05)
    raise AssertionError("the server was not there in time")


def test_studies_are_written_to_the_store_and_shown_and_nothing_else_is_written(
    tmp_path: Path,
) -> None:
    needs_confinement()
    store = tmp_path / "store"
    store.mkdir()

    writing = WRITING.format(folders=[str(ROOT), str(tmp_path), "/tmp", "/"])  # noqa: S108
    output = python(store, IMPORTED + SHOWN + writing).stdout

    assert Store(store).studies() == ["mine"]
    shown, *refusals = output.splitlines()
    assert shown == "Judges mine"
    assert len(refusals) == 4
    assert all(line.endswith(("Read-only file system", "Permission denied")) for line in refusals)


def test_the_image_runs_as_a_user_other_than_root() -> None:
    containerfile = (ROOT / "Containerfile").read_text()
    last_stage = containerfile.rpartition("\nFROM ")[2]

    assert re.findall(r"^USER (.+)$", last_stage, re.MULTILINE) == ["10001:10001"]
    assert re.findall(r"^VOLUME (.+)$", last_stage, re.MULTILINE) == ["/store"]
    assert not re.search("(KEY|TOKEN|SECRET|PASSWORD)=", containerfile)


def test_secrets_and_private_studies_are_not_copied_into_the_image() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()

    assert {".*", "results/*"} <= set(ignored)
    assert [line for line in ignored if line.startswith("!")] == [
        "!.streamlit/config.toml",
        "!results/demo-*",
    ]
