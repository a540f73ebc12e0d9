"""What strangers can take, write or reach of a running server, by HTTP and websocket, without a browser."""

import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from browser.server import Server, serving
from explorer_studies import PLANS, write
from security.stranger import PATIENCE_S, Answer, request, session_of, texts
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection

from engine.annotations.database import open_database
from engine.annotations.people import add_person
from engine.store import Store

MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("store")
    write(root, "plain", PLANS["one-family"])
    return root


@pytest.fixture(scope="module")
def server(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve a laptop's explorer, which forgets a lost session after a second."""
    log = tmp_path_factory.mktemp("server") / "log"
    with serving(log, str(store), options=["--server.disconnectedSessionTTL=2"]) as server:
        yield server


@pytest.fixture(scope="module")
def labelling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Serve a store with personal links; yield the address, and a coordinator's token."""
    root = tmp_path_factory.mktemp("labelled")
    write(root, "plain", PLANS["one-family"])
    database = open_database(Store(str(root)))
    token = add_person(database, "cora", "coordinator")
    database.close()
    with serving(tmp_path_factory.mktemp("server") / "log", str(root)) as server:
        yield server.url, token


def test_a_page_without_an_uploader_takes_no_file(server: Server) -> None:
    with session_of(server.url, "judges") as stranger:
        answer = stranger.upload(1_000)

    assert (answer.status, answer.text) == (403, "No page that is open here takes files.")


def test_a_page_takes_files_while_it_shows_an_uploader(server: Server) -> None:
    with session_of(server.url, "data") as visitor:
        during = visitor.upload(1_000)
        visitor.open_page("judges")
        afterwards = visitor.upload(1_000)

    assert (during.status, afterwards.status) == (204, 403)


def test_another_sessions_uploader_opens_nothing(server: Server) -> None:
    with session_of(server.url, "data"), session_of(server.url, "judges") as stranger:
        answer = stranger.upload(1_000)

    assert answer.status == 403


def test_nobody_fills_the_memory_with_files(server: Server) -> None:
    size = 190 * MEGABYTE
    with session_of(server.url, "data") as visitor, ThreadPoolExecutor(4) as pool:
        at_once = list(pool.map(lambda number: visitor.upload(size, f"file-{number}"), range(4)))
        full = server.megabytes()

        visitor.open_page("judges")

        _await(lambda: server.megabytes() < full - 3 * 190)
        visitor.open_page("data")
        one_more = visitor.upload(size)
        held = server.megabytes()

    assert sorted(answer.status for answer in at_once) == [204, 204, 204, 413]
    refused = next(answer for answer in at_once if answer.status == 413)
    assert refused.text.startswith("The server holds as many uploads as it may.")
    assert one_more.status == 204
    _await(lambda: server.megabytes() < held - 150)  # the session has ended


def _await(condition: object) -> None:
    assert callable(condition)
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.2)


def test_a_large_message_ends_the_connection(server: Server) -> None:
    with session_of(server.url, "judges") as stranger, pytest.raises(ConnectionClosed):
        stranger.open_page("judges", "q=" + "x" * (5 * MEGABYTE))


def test_a_message_without_an_end_is_not_held(server: Server) -> None:
    pieces = [b"x" * MEGABYTE for _ in range(40)]

    with session_of(server.url, "judges") as stranger, pytest.raises(ConnectionClosed):
        _send(stranger.connection, pieces)


def _send(connection: ClientConnection, pieces: list[bytes]) -> None:
    """Send the pieces of one message, and read what the server sends until it is silent or closes."""
    connection.send(pieces)
    while True:
        connection.recv(PATIENCE_S)


def test_the_program_is_sent_with_the_same_headers_from_memory(server: Server) -> None:
    page = request(server.url)
    [script] = re.findall(r'<script type="module"[^>]* src="\./(static/js/[^"]+)"', page.text)

    read, remembered = (request(f"{server.url}/{script}") for _ in range(2))
    refused = request(f"{server.url}/{script}", headers={"Host": "evil.example"})

    assert (read.status, remembered.status, refused.status) == (200, 200, 403)
    assert len(read.text) > MEGABYTE // 4
    assert remembered.text == read.text
    assert _without_date(remembered) == _without_date(read)
    assert read.headers["X-Frame-Options"] == "DENY"


def _without_date(answer: Answer) -> dict[str, str]:
    return {name: text for name, text in answer.headers.items() if name.lower() != "date"}


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "10.0.0.1:80", "[::2]"])
def test_a_loopback_server_answers_to_no_other_name(server: Server, host: str) -> None:
    answer = request(server.url, headers={"Host": host})

    assert answer.status == 403
    assert "SPB_ADDRESS=https://" in answer.text
    with (
        pytest.raises(InvalidStatus),
        session_of(server.url, headers={"Host": host, "Origin": f"http://{host}"}),
    ):
        pass


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:99", "127.0.0.1", "[::1]:8501"])
def test_a_loopback_server_answers_to_its_own_names(server: Server, host: str) -> None:
    assert request(server.url, headers={"Host": host}).status == 200


def test_a_server_with_an_address_answers_to_it_and_takes_no_file(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPB_ADDRESS", "https://spb.example.org/team")
    with serving(tmp_path / "log", str(store)) as server:
        statuses = [
            request(server.url, headers={"Host": host}).status
            for host in ("spb.example.org", "127.0.0.1", "evil.example")
        ]
        health = request(f"{server.url}/_stcore/health", headers={"Host": "10.1.2.3"})
        with session_of(server.url, "data") as visitor:
            upload = visitor.upload(1_000)

    assert statuses == [200, 200, 403]
    assert health.status == 200  # watched by number
    assert upload.status == 403


def test_no_other_page_shows_the_explorer_in_a_frame(server: Server) -> None:
    for path in ("/", "/data", "/_stcore/health", "/static/none.js"):
        headers = request(server.url + path).headers

        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        assert headers["Referrer-Policy"] == "same-origin"  # a token may be in the address


def test_a_stranger_writes_nothing_where_people_have_links(labelling: tuple[str, str]) -> None:
    url, _ = labelling
    with session_of(url, "data") as stranger:
        upload = stranger.upload(1_000)
        shown = texts(stranger.open_page("data"))
        form = stranger.open_page("new_run")

    assert upload.status == 403
    assert "Only coordinators can change studies here" in shown
    assert "Only coordinators can change studies here" in texts(form)
    assert not _keys(form) & {"start_run", "look_ahead"}


def test_a_coordinator_writes_there(labelling: tuple[str, str]) -> None:
    url, token = labelling
    with session_of(url, "data", f"token={token}") as coordinator:
        coordinator.open_page("data", f"token={token}")  # the browser has stored the token by now
        upload = coordinator.upload(1_000)
        form = coordinator.open_page("new_run")

    assert upload.status == 204
    assert "look_ahead" in _keys(form)


def _keys(messages: list) -> set[str]:  # type: ignore[type-arg]
    elements = [message.delta.new_element for message in messages if message.HasField("delta")]
    ids = [element.button.id for element in elements if element.HasField("button")]
    return {name for name in ("start_run", "look_ahead", "import_look") if any(name in each for each in ids)}


def test_whoever_comes_by_a_proxy_is_not_the_user_of_this_machine(server: Server) -> None:
    with session_of(server.url, "data", headers={"X-Forwarded-For": "203.0.113.9"}) as visitor:
        assert visitor.upload(1_000).status == 403
