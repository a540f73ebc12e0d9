"""The explorer as a container runs it: not root, the root file system read-only, only the store writable."""

import contextlib
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from browser.server import free_port
from security.confined import confined, needs_confinement, python

from engine.store import Store

ROOT = Path(__file__).resolve().parents[2]
SHOWN = f"""
from streamlit.testing.v1 import AppTest
app = AppTest.from_file({str(ROOT / "explorer" / "app.py")!r}, default_timeout=60).run()
assert not app.exception, app.exception
print(app.header[0].value, app.sidebar.selectbox[0].value)
"""
IMPORTED = """
import os
from pathlib import Path
from engine.importers import foreign
from engine.importers.foreign.importing import reading
from engine.store import Store
table = Path(os.environ["TMPDIR"], "verdicts.csv")
table.write_text("judge,generator,met,instance_id,rubric_id\\nj,g,true,1,r\\n")
with reading(foreign("table"), table) as read:
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


def test_the_server_becomes_healthy(tmp_path: Path) -> None:
    needs_confinement()
    store, port = tmp_path / "store", free_port()
    store.mkdir()
    command = confined(
        store, sys.executable, "-m", "streamlit", "run", str(ROOT / "explorer" / "app.py"),
        f"--server.port={port}", "--server.headless=true", "--server.address=127.0.0.1",
    )  # fmt: skip

    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        try:
            told = _health(server, port)
        finally:
            server.terminate()
            server.wait(10)

    assert told == b"ok"


def _health(server: "subprocess.Popen[bytes]", port: int) -> bytes:
    for _ in range(400):
        assert server.poll() is None, "the server ended by itself"
        with contextlib.suppress(OSError):
            url = f"http://127.0.0.1:{port}/_stcore/health"
            return bytes(urllib.request.urlopen(url, timeout=1).read())
        time.sleep(0.05)
    raise AssertionError("the server did not become healthy")


def test_studies_are_written_into_the_store_and_shown_and_nothing_beside_it(
    tmp_path: Path,
) -> None:
    needs_confinement()
    store = tmp_path / "store"
    store.mkdir()

    writing = WRITING.format(folders=[str(ROOT), str(tmp_path), "/tmp", "/"])  # noqa: S108
    told = python(store, IMPORTED + SHOWN + writing).stdout

    assert Store(store).studies() == ["mine"]
    assert told.splitlines()[0] == "Overview mine"
    assert told.count("Read-only file system") == 4


def test_the_image_is_served_by_a_user_who_is_not_root_and_tells_its_health() -> None:
    told = (ROOT / "Containerfile").read_text()
    last_stage = told.rpartition("\nFROM ")[2]

    assert re.findall(r"^USER (.+)$", last_stage, re.MULTILINE) == ["10001:10001"]
    assert re.findall(r"^VOLUME (.+)$", last_stage, re.MULTILINE) == ["/store"]
    assert "/_stcore/health" in told
    assert not re.search("(KEY|TOKEN|SECRET|PASSWORD)=", told)


def test_secrets_and_studies_of_ones_own_are_not_copied_into_the_image() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()

    assert {".*", "results/*"} <= set(ignored)
    assert [line for line in ignored if line.startswith("!")] == [
        "!.streamlit/config.toml",
        "!results/demo-*",
    ]
