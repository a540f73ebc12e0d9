"""Visitors of the explorer without browsers, which speak Streamlit's websocket protocol.

A visitor opens a page by its address, records what the server shows, chooses options, follows links, and
re-runs fragments at their intervals, like a browser. Nothing is rendered, so that many of them cost little.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import StringArray
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.MultiSelect_pb2 import MultiSelect
from streamlit.proto.PageLink_pb2 import PageLink
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

PATIENCE_S = 120.0
"""The longest time of a script run before the benchmark gives up."""

MOST_OPTIONS = 3
"""Most options that a visitor chooses in one filter; then all are cleared."""

CUT_SHORT = ForwardMsg.FINISHED_EARLY_FOR_RERUN


@dataclass
class Shown:
    """The elements of a page's last run that are used here."""

    filters: dict[str, MultiSelect] = field(default_factory=dict)
    links: dict[str, PageLink] = field(default_factory=dict)
    exceptions: list[str] = field(default_factory=list)


class Visitor:
    """One session of the explorer."""

    def __init__(self, connection: ClientConnection) -> None:
        """Start listening on an open connection, made by `visiting`."""
        self.shown = Shown()
        self.received = 0
        """Bytes received from the server."""
        self._connection = connection
        self._page = ""
        self._query = ""
        self._states: dict[str, list[str]] = {}
        self._finished = asyncio.Event()
        self._started = False
        self._listening = asyncio.create_task(self._listen())
        self._repeating: dict[str, asyncio.Task[None]] = {}

    async def open(self, page: str, query: str) -> float:
        """Open a page by its address; return the seconds until its script has finished."""
        self._query = query
        return await self._run(page_name=page)

    async def choose(self, rng: random.Random) -> float:
        """Choose another option of some filter; return the seconds until the script has finished."""
        widget = rng.choice([each for each in self.shown.filters.values() if each.options])
        now = self._states.get(widget.id, list(widget.raw_values))
        free = [option for option in widget.options if option not in now]
        self._states[widget.id] = [*now, rng.choice(free)] if free and len(now) < MOST_OPTIONS else []
        return await self._run()

    async def follow(self, page: str) -> float:
        """Go to the page with this title by its link; return the seconds until its script has finished."""
        link = self.shown.links[page]
        self._page, self._query, self._states = link.page_script_hash, link.query_string, {}
        return await self._run()

    async def _run(self, page_name: str = "") -> float:
        self._finished.clear()
        self._started = False
        start = time.perf_counter()
        await self._ask(page_name=page_name)
        async with asyncio.timeout(PATIENCE_S):
            await self._finished.wait()
        taken = time.perf_counter() - start
        if self._listening.done():
            await self._listening
            raise RuntimeError("the server closed the connection")
        if self.shown.exceptions:
            raise RuntimeError(f"the page shows an exception: {self.shown.exceptions}")
        return taken

    async def _ask(self, page_name: str = "", fragment: str = "") -> None:
        message = BackMsg()
        request = message.rerun_script
        request.query_string, request.page_script_hash, request.page_name = self._query, self._page, page_name
        request.fragment_id, request.is_auto_rerun = fragment, bool(fragment)
        request.widget_states.widgets.extend(
            WidgetState(id=name, string_array_value=StringArray(data=chosen))
            for name, chosen in self._states.items()
        )
        await self._connection.send(message.SerializeToString())

    async def leave(self) -> None:
        """Close the connection, like a browser tab."""
        await self._connection.close()
        await self._listening

    async def _listen(self) -> None:
        """Handle the server's messages until the connection ends."""
        try:
            async for payload in self._connection:
                assert isinstance(payload, bytes)
                self.received += len(payload)
                self._take(ForwardMsg.FromString(payload))
        finally:
            self._stop(list(self._repeating))
            self._finished.set()

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session" and not message.metadata.run.fragment_ids:
            self.shown, self._started = Shown(), True
            self._page = message.new_session.page_script_hash
            self._stop(list(self._repeating))
        elif kind == "navigation":
            self._page = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string
        elif kind == "auto_rerun":
            self._repeat(message.auto_rerun.fragment_id, message.auto_rerun.interval)
        elif kind == "stop_auto_rerun":
            self._stop(message.stop_auto_rerun.fragment_ids)
        elif kind == "script_finished" and self._started and message.script_finished != CUT_SHORT:
            self._finished.set()  # also for a fragment: the server may omit the page's own end
        elif kind == "delta" and message.delta.HasField("new_element"):
            self._note(message)

    def _note(self, message: ForwardMsg) -> None:
        element, shown = message.delta.new_element, self.shown
        kind = element.WhichOneof("type")
        if kind == "multiselect" and not element.multiselect.disabled:
            shown.filters[element.multiselect.id] = element.multiselect
        elif kind == "page_link":
            shown.links[element.page_link.label] = element.page_link
        elif kind == "exception":
            shown.exceptions.append(element.exception.message)

    def _repeat(self, fragment: str, interval: float) -> None:
        async def again() -> None:
            while True:
                await asyncio.sleep(interval)
                await self._ask(fragment=fragment)

        self._stop([fragment])
        self._repeating[fragment] = asyncio.create_task(again())

    def _stop(self, fragments: list[str]) -> None:
        for fragment in fragments:
            if task := self._repeating.pop(fragment, None):
                task.cancel()


@contextlib.asynccontextmanager
async def visiting(url: str) -> AsyncIterator[Visitor]:
    """Connect to the explorer at `url` like a browser, in a session of its own, and leave at the end."""
    address = url.replace("http", "ws", 1) + "/_stcore/stream"
    async with connect(address, max_size=None, compression=None, subprotocols=["streamlit"]) as connection:
        visitor = Visitor(connection)
        try:
            yield visitor
        finally:
            await visitor.leave()
