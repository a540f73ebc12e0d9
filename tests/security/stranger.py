"""A stranger without a browser: a session of a server by its websocket, and requests of any kind."""

import contextlib
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

PATIENCE_S = 60
BOUNDARY = "boundary"


@dataclass(frozen=True)
class Answer:
    """A server's answer to one request."""

    status: int
    headers: Mapping[str, str]
    text: str


def request(
    url: str, method: str = "GET", body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> Answer:
    """Send one request; an answer of any status is returned."""
    message = urllib.request.Request(url, data=body, method=method, headers=dict(headers or {}))  # noqa: S310
    try:
        with urllib.request.urlopen(message, timeout=PATIENCE_S) as answer:  # noqa: S310 - loopback
            return Answer(answer.status, answer.headers, answer.read().decode("utf-8", "replace"))
    except urllib.error.HTTPError as error:
        return Answer(error.code, error.headers, error.read().decode("utf-8", "replace"))


@dataclass(frozen=True)
class Session:
    """A session of the server at `url`, as a browser would have it."""

    url: str
    id: str
    connection: ClientConnection

    def open_page(self, name: str, query: str = "") -> list[ForwardMsg]:
        """Open a page and return what the server sends until the run has ended."""
        message = BackMsg()
        message.rerun_script.page_name = name
        message.rerun_script.query_string = query
        self.connection.send(message.SerializeToString())
        return _until_finished(self.connection)

    def upload(self, size: int, name: str = "one") -> Answer:
        """Send a file of so many bytes to this session."""
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="{name}"\r\n\r\n'
        body = head.encode() + b"x" * size + f"\r\n--{BOUNDARY}--\r\n".encode()
        cookie = request(f"{self.url}/_stcore/health").headers["Set-Cookie"].partition(";")[0]
        headers = {
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
            "Cookie": cookie,
            "X-Xsrftoken": cookie.partition("=")[2],
        }
        return request(f"{self.url}/_stcore/upload_file/{self.id}/{name}", "PUT", body, headers)


@contextlib.contextmanager
def session_of(
    url: str, page: str = "judges", query: str = "", headers: Mapping[str, str] | None = None
) -> Iterator[Session]:
    """Open a session at a page; it ends with the block."""
    place = urlsplit(url)
    address = f"ws://{place.netloc}{place.path}/_stcore/stream"
    with connect(
        address, subprotocols=["streamlit"], max_size=None, additional_headers=dict(headers or {})
    ) as connection:
        message = BackMsg()
        message.rerun_script.page_name = page
        message.rerun_script.query_string = query
        connection.send(message.SerializeToString())
        arrived = _until_finished(connection)
        [first, *_] = [each.new_session for each in arrived if each.HasField("new_session")]
        yield Session(url, first.initialize.session_id, connection)


def _until_finished(connection: ClientConnection) -> list[ForwardMsg]:
    arrived = []
    while True:
        content = connection.recv(PATIENCE_S)
        message = ForwardMsg()
        message.ParseFromString(content)
        arrived.append(message)
        if message.HasField("script_finished") and message.script_finished == (
            ForwardMsg.FINISHED_SUCCESSFULLY
        ):
            return arrived


def texts(messages: list[ForwardMsg]) -> str:
    """Return the plain texts that a run has sent."""
    elements = [message.delta.new_element for message in messages if message.HasField("delta")]
    return "\n".join(element.text.body for element in elements if element.HasField("text"))
