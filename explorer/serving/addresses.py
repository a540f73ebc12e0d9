"""Where the explorer is served: the names that it answers to, and whether others than its user reach it."""

import os
from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st

from engine.annotations.people import ADDRESS_VARIABLE, LOOPBACK_NAMES

FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip")
"""Headers that a proxy adds for whoever it serves."""

ANY = "*"


def answered_names() -> tuple[str, ...]:
    """Return the host names that the server answers to; none stand for all.

    They are Streamlit's `server.allowedHosts` if set. Else they are the loopback names and that of
    SPB_ADDRESS; a server beyond the loopback address that does not know its own address answers to all.
    """
    allowed = tuple(st.get_option("server.allowedHosts") or ())
    if allowed:
        return () if ANY in allowed else allowed
    public_name = _host_of(os.environ.get(ADDRESS_VARIABLE) or "")
    if public_name:
        return (*LOOPBACK_NAMES, public_name)
    return LOOPBACK_NAMES if _is_loopback(_bound_address()) else ()


def answers_to(host: str | None, names: Collection[str]) -> bool:
    """Return whether a request's `Host`, with or without a port, is one of the names; none stand for all."""
    if not names:
        return True
    name = _host_of(f"//{host}") if host else ""
    return any(
        name == own.lower() or (own.startswith("*.") and name.endswith(own[1:].lower())) for own in names
    )


def is_public() -> bool:
    """Return whether anybody but the user of this machine may reach the server.

    That is so if it has a public address (SPB_ADDRESS), listens beyond the loopback address, or if the
    visitor comes by a proxy.
    """
    public_name = _host_of(os.environ.get(ADDRESS_VARIABLE) or "")
    if public_name and not _is_loopback(public_name):
        return True
    if not _is_loopback(_bound_address()):
        return True
    return any(name in st.context.headers for name in FORWARDED)


def _bound_address() -> str:
    return str(st.get_option("server.address") or "")


def _host_of(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name.lower() == "localhost"
