"""The proxy to a server, by the environment variables that other programs read too."""

import os
from urllib.request import getproxies, proxy_bypass

from yarl import URL

from engine.errors import UsageError


def proxy_of(url: URL) -> URL | None:
    """Return the proxy for calls to an address; None if there is none, or NO_PROXY excepts the address.

    HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY count, in capitals or not, and the system's settings where
    Python reads these. UsageError if the proxy cannot be used.
    """
    host = url.host or ""
    if proxy_bypass(host) or proxy_bypass(f"{host}:{url.port}"):
        return None
    proxies = getproxies()
    text = proxies.get(url.scheme) or proxies.get("all")
    if not text:
        return None
    variable = f"{url.scheme}_proxy" if proxies.get(url.scheme) else "all_proxy"
    name = variable.upper() if os.environ.get(variable.upper()) else variable
    try:
        proxy = URL(text if "://" in text else f"http://{text}")
        usable = proxy.scheme in ("http", "https") and bool(proxy.host)
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(
            f"the environment variable {name} is not the address of an HTTP proxy; write it like "
            f"http://proxy.example:3128, or put {host} into NO_PROXY"
        )
    return proxy


def shown(proxy: URL) -> str:
    """Return a proxy's address without its user's name and password."""
    return str(proxy.with_user(None).with_password(None).origin())
