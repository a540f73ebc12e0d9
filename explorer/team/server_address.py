"""Where the explorer is served, as the browser sees it."""

import contextlib
from urllib.parse import urlsplit

import streamlit as st


def base_path() -> str:
    """Return the path that the explorer is served under: `/`, or a sub-path such as `/spb`."""
    return "/" + str(st.get_option("server.baseUrlPath") or "").strip("/")


def origin() -> str | None:
    """Return the scheme, host and port of the address, such as `https://example.org`; None where unknown."""
    place = urlsplit(st.context.url or "")
    return f"{place.scheme}://{place.netloc}" if place.netloc else None


def cookie_name(name: str) -> str:
    """Return a cookie name that is distinct for each port of a host; sub-paths have their own path."""
    with contextlib.suppress(ValueError):
        return f"{name}_{urlsplit(st.context.url or '').port or ''}"
    return f"{name}_"
