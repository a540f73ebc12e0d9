"""Downloads that break and resume."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from engine.errors import SpbError
from engine.importers.datasets.downloads import local_copies, local_copy, partial_path

CONTENT = bytes(range(256)) * 4096


class Breaking(BaseHTTPRequestHandler):
    """Sends half of the file to the first request; then ranges of it, if the file is unchanged."""

    tag = '"one"'
    state = "ETag"
    ranges: list[str | None] = []  # noqa: RUF012 - each test gives it a new list

    def do_GET(self) -> None:
        byte_range, tag = self.headers.get("Range"), self.headers.get("If-Range")
        self.ranges.append(byte_range)
        start = int(byte_range.removeprefix("bytes=").rstrip("-")) if byte_range and tag == self.tag else 0
        if "missing" in self.path or start >= len(CONTENT):
            self.send_error(404 if "missing" in self.path else 416)
            return
        self.send_response(206 if start else 200)
        self.send_header(self.state, self.tag)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        self.end_headers()
        body = CONTENT[start:]
        self.wfile.write(body[: len(CONTENT) // 2] if len(self.ranges) == 1 else body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(Breaking, "ranges", [])
    monkeypatch.setattr(Breaking, "tag", '"one"')
    monkeypatch.setattr(Breaking, "state", "ETag")
    with ThreadingHTTPServer(("127.0.0.1", 0), Breaking) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/a%20file.json"
        server.shutdown()
        thread.join()


def broken(url: str) -> None:
    with pytest.raises(SpbError, match="the connection ended after"), local_copy(url, None):
        pass


def test_a_broken_download_resumes_where_it_stopped(url: str) -> None:
    broken(url)
    calls: list[tuple[int, int | None]] = []

    with local_copy(url, lambda done, total: calls.append((done, total))) as path:
        assert (path.name, path.read_bytes() == CONTENT) == ("a_file.json", True)

    assert Breaking.ranges == [None, f"bytes={len(CONTENT) // 2}-"]
    assert calls[-1] == (len(CONTENT), len(CONTENT))
    assert not path.exists()
    assert not partial_path(url).exists()


def test_a_file_that_changed_meanwhile_is_downloaded_again(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(url)
    monkeypatch.setattr(Breaking, "tag", '"two"')

    with local_copy(url, None) as path:
        assert path.read_bytes() == CONTENT


def test_a_server_without_an_etag_is_asked_by_modification_time(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Breaking, "state", "Last-Modified")
    monkeypatch.setattr(Breaking, "tag", "Mon, 23 Nov 2026 05:00:00 GMT")
    broken(url)

    with local_copy(url, None) as path:
        assert path.read_bytes() == CONTENT

    assert Breaking.ranges == [None, f"bytes={len(CONTENT) // 2}-"]


def test_a_complete_partial_file_does_not_block_a_download(url: str) -> None:
    broken(url)
    partial_path(url).write_bytes(CONTENT)

    with local_copy(url, None) as path:
        assert path.read_bytes() == CONTENT

    assert Breaking.ranges == [None, f"bytes={len(CONTENT)}-", None]


def test_several_files_keep_their_positions_and_a_missing_one_is_named(url: str) -> None:
    base = url.removesuffix("a%20file.json")
    broken(url)

    with local_copies(base, ["a file.json", "judge/b.json", "missing.json"], None) as (folder, missing):
        files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        assert (files, missing) == ({"a file.json", "judge/b.json"}, ["missing.json"])
        assert (folder / "a file.json").read_bytes() == CONTENT

    assert f"bytes={len(CONTENT) // 2}-" in Breaking.ranges
    assert not folder.exists()
    with pytest.raises(SpbError, match="none of the 1 files"), local_copies(base, ["missing.json"], None):
        pass
