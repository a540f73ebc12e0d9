"""Commands confined like in a container: not root, with only a store and a temporary folder writable."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

USER = 10001
TEMPORARY = "/mnt"
_CONFINE = f"""
set -e
store=$1; shift
mount --make-rprivate /
mount -t tmpfs none {TEMPORARY}
chmod 777 {TEMPORARY}
mount --bind "$store" "$store"
mount -o remount,bind,ro /
# To read everything is all that is left of root's rights: the tests' own Python may lie in root's home.
exec setpriv --reuid {USER} --regid {USER} --clear-groups --no-new-privs \
  --inh-caps=-all,+dac_read_search --ambient-caps=-all,+dac_read_search --bounding-set=-all,+dac_read_search \
  env -i PATH=/usr/bin:/bin HOME=/nonexistent TMPDIR={TEMPORARY} SPB_STORE="$store" "$@"
"""


def needs_confinement() -> None:
    """Skip if this machine cannot confine a process so."""
    tools = [shutil.which(name) for name in ("unshare", "setpriv", "mount")]
    may = all(tools) and os.geteuid() == 0
    if not may or subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode:
        pytest.skip("a read-only root needs Linux, root and the right to a mount namespace of one's own")


def confined(store: Path, *command: str) -> list[str]:
    """Return the command that confines `command`, with `store` writable and in SPB_STORE."""
    for path in (store, *store.rglob("*")):
        os.chown(path, USER, USER)
    return ["unshare", "--mount", "sh", "-c", _CONFINE, "sh", str(store), *command]


def python(store: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run Python code confined; it must print and succeed."""
    command = confined(store, sys.executable, "-c", code)
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
