"""The proxy to a server, by the environment variables that other programs read too."""

import os
from dataclasses import dataclass
from urllib.request import getproxies, proxy_bypass

from aiohttp import BasicAuth
from yarl import URL

from engine.errors import UsageError


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy's address without the user's name and password, and these."""

    url: URL
    auth: BasicAuth | None = None


def proxy_of(url: URL) -> Proxy | None:
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
        if proxy.scheme not in ("http", "https") or not proxy.host:
            raise ValueError
        auth = BasicAuth(proxy.user or "", proxy.password or "") if proxy.user or proxy.password else None
    except ValueError:
        raise UsageError(
            f"the environment variable {name} is not the address of an HTTP proxy; write it like "
            f"http://proxy.example:3128, or put {host} into NO_PROXY"
        ) from None
    return Proxy(proxy.with_user(None).with_password(None), auth)
