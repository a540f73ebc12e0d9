"""The server: Streamlit's, behind the doorkeeper, with the sessions that have ended closed in time."""

import asyncio
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import streamlit as st
from starlette.middleware import Middleware

from explorer.serving.doorkeeper import Doorkeeper
from explorer.serving.downloads import let_downloads_last
from explorer.serving.preload import Preload
from explorer.serving.program import ProgramFiles
from explorer.serving.sending import send_at_once
from explorer.serving.uploads import close_ended_sessions

LOOK_AGAIN_S = 5.0
"""Seconds between two looks for sessions that have ended."""

MIDDLEWARE = (Middleware(Doorkeeper), Middleware(Preload), Middleware(ProgramFiles))

let_downloads_last()


@asynccontextmanager
async def lifetime(_: st.App) -> AsyncIterator[None]:
    """Open a browser unless the server is headless, and close ended sessions for as long as it runs."""
    send_at_once()
    loop = asyncio.get_running_loop()
    if not st.get_option("server.headless"):
        loop.call_later(0.3, _open_browser)
    closing = loop.create_task(_close_ended_sessions())
    try:
        yield
    finally:
        closing.cancel()
        with suppress(asyncio.CancelledError):
            await closing


async def _close_ended_sessions() -> None:
    while True:
        await asyncio.sleep(LOOK_AGAIN_S)
        close_ended_sessions()


def _open_browser() -> None:
    host = st.get_option("server.address") or "localhost"
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    webbrowser.open(f"{scheme}://{host}:{st.get_option('server.port')}/{base}")
