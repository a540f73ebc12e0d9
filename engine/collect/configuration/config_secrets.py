"""Keys in a configuration: it is stored with its run and may be published, so it must contain none."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, unquote, urlsplit

_SECRET_FIELD = re.compile(
    r"(api|access|private|secret|auth)[_-]?key|secret|password|passwd|credential|authorization|bearer"
    r"|(^|[_-])(key|token)$",
    re.IGNORECASE,
)
KEY_PREFIXES = ("sk-", "sk_", "AIza", "gsk_", "hf_", "xai-", "AKIA", "ghp_", "r8_", "pplx-", "Bearer ", "eyJ")
SHORTEST_KEY = 20
_WORD_ENDS = re.compile(r"[\s/?&=,;:'\"<>()\[\]{}#]+")
_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_SENT_TABLES = frozenset(
    {"headers", "extra_headers", "default_headers", "query", "extra_query", "default_query"}
)
"""Tables of `params` that are sent as headers, or as parameters of the address."""
_SECRET_PARAMETER = re.compile(
    r"(set-)?cookie|code|sig|sign|signature|auth|x-auth|session(_?id)?|sas|hmac|pass|pwd|ticket",
    re.IGNORECASE,
)


def names_secret(field: str) -> bool:
    """Return whether a field of that name would hold a secret; `api_key_env` holds only a variable's name."""
    return field != "api_key_env" and _SECRET_FIELD.search(field) is not None


def looks_secret(value: object) -> bool:
    """Return whether a text is shaped like a key, or is an address that holds one."""
    if not isinstance(value, str):
        return False
    if (value.startswith(KEY_PREFIXES) and len(value) >= SHORTEST_KEY) or holds_key(value):
        return True
    return "://" in value and _is_secret_address(value)


def holds_key(text: str) -> bool:
    """Return whether a word of a text is shaped like a provider's key."""
    words = (word for word in _WORD_ENDS.split(text) if len(word) >= SHORTEST_KEY)
    return any(word.startswith(KEY_PREFIXES) and any(map(str.isdigit, word)) for word in words)


def _is_secret_address(address: str) -> bool:
    """Return whether an address has a password, or a key in its path or its parameters."""
    try:
        parts = urlsplit(address)
        if parts.password is not None:
            return True
    except ValueError:
        return False
    parameters = (*parse_qsl(parts.query), *parse_qsl(parts.fragment))
    return _mixes_kinds(unquote(parts.path)) or any(_sends_secret(*each) for each in parameters)


def _mixes_kinds(path: str) -> bool:
    """Return whether a path holds a run of small and large letters and digits that is no word."""
    runs = re.findall(rf"[A-Za-z0-9]{{{SHORTEST_KEY},}}", path)
    return any(all(any(map(kind, run)) for kind in (str.isupper, str.islower, str.isdigit)) for run in runs)


def _sends_secret(name: str, value: object) -> bool:
    """Return whether a header or a parameter of an address holds a secret, by its name or its value."""
    if names_secret(name) or _SECRET_PARAMETER.fullmatch(name) is not None:
        return True
    if not isinstance(value, str):
        return False
    runs = _RUN.findall(value)
    return any(any(map(str.isdigit, run)) and any(map(str.isalpha, run)) for run in runs)


def secret_places(value: object, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    places = []
    if isinstance(value, Mapping):
        for name, inner in value.items():
            inner_place = (*place, str(name))
            # A table of that name may be a model called `token`; a list or a text is not.
            is_sent = place[-1:] != () and str(place[-1]).lower() in _SENT_TABLES
            of_secret = _sends_secret(str(name), inner) if is_sent else names_secret(str(name))
            if of_secret and not isinstance(inner, Mapping):
                places.append(inner_place)
            else:
                places += secret_places(inner, inner_place)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for number, inner in enumerate(value):
            places += secret_places(inner, (*place, number))
    elif looks_secret(value) and place[-1:] != ("api_key_env",):
        places.append(place)
    return places
