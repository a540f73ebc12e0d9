"""A private PostgreSQL server for tests: its cluster is in a temporary folder, on loopback."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


def missing() -> str | None:
    """Return why no server can be started here; None if one can."""
    if not _BINARIES:
        return "needs PostgreSQL: apt-get install postgresql"
    if os.getuid() == 0:
        try:
            pwd.getpwnam("postgres")
        except KeyError:
            return "needs the user postgres, since the server does not run as root"
    return None


@contextmanager
def server() -> Iterator[str]:
    """Start a server and yield the address of an empty database; stop and remove it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="spb-postgres-"))
    if os.getuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = folder / "data"
    _run("initdb", "-D", data, "-A", "trust", "-U", "spb", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    options += " -c fsync=off -c autovacuum=off -c jit=off"  # nothing here outlives the machine
    _run("pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
    try:
        yield f"postgresql+psycopg://spb@127.0.0.1:{port}/postgres"
    finally:
        _run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def _run(program: str, *words: object) -> None:
    command = [str(_BINARIES[-1] / program), *map(str, words)]
    if os.getuid() == 0:
        command = ["runuser", "-u", "postgres", "--", *command]
    # The server inherits its starter's streams: a pipe would never end.
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
