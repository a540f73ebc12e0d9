"""A local S3: moto's server in a process of its own, and a proxy that records what is fetched from it."""

import http.client
import http.server
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow.fs as pafs

_SERVE = (
    "from moto.server import ThreadedMotoServer as S; s = S('127.0.0.1', 0, verbose=False); s.start(); "
    "print(s.get_host_and_port()[1], flush=True); import time; time.sleep(3600)"
)


@contextmanager
def served() -> Iterator[str]:
    """Start moto's server with a bucket named `bucket`; yield its host and port.

    Tests use the fixture `object_store`, one server for all, each with folders of its own.
    """
    server = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", _SERVE], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        place = f"127.0.0.1:{int(server.stdout.readline())}"
        _wait_for(place)
        pafs.S3FileSystem(
            endpoint_override=place,
            scheme="http",
            access_key="test",
            secret_key="test",  # noqa: S106 - moto takes any
            region="us-east-1",
            allow_bucket_creation=True,
        ).create_dir("bucket")
        yield place
    finally:
        server.kill()
        server.communicate()


def url(place: str, folder: str) -> str:
    """Return the address of a store in a folder of the bucket."""
    endpoint = urllib.parse.quote(place, safe="")
    return f"s3://test:test@bucket/{folder}?region=us-east-1&scheme=http&endpoint_override={endpoint}"


def _wait_for(place: str) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(f"http://{place}/", timeout=5)
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


@dataclass(frozen=True)
class Fetched:
    """One GET: the object's key, the byte range requested (None: all), and the bytes received."""

    key: str
    byte_range: str | None
    size: int


@contextmanager
def watched(place: str) -> Iterator[tuple[str, list[Fetched]]]:
    """Yield the host and port of a read-only proxy of the server, and a list of the GETs through it."""
    seen: list[Fetched] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            connection = http.client.HTTPConnection(place)
            connection.request(self.command, self.path, headers=dict(self.headers))
            answer = connection.getresponse()
            body = answer.read()
            connection.close()
            if self.command == "GET":
                seen.append(Fetched(self.path.partition("?")[0], self.headers["Range"], len(body)))
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("connection", "transfer-encoding"):
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_HEAD(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
