"""What looks like a key. A configuration is stored with its run and may be published, so it holds none."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

_SECRET_FIELD = re.compile(
    r"(api|access|private|secret|auth)[_-]?key|secret|password|passwd|credential|authorization|bearer"
    r"|(^|[_-])(key|token)$",
    re.IGNORECASE,
)
_PREFIXES = ("sk-", "sk_", "AIza", "gsk_", "hf_", "xai-", "AKIA", "ghp_", "r8_", "pplx-", "Bearer ", "eyJ")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST_VARIABLE = 64
_SHORTEST_KEY = 20


def names_secret(field: str) -> bool:
    """Return whether a field of that name would hold a secret; `api_key_env`, the name of one, does not."""
    return field != "api_key_env" and _SECRET_FIELD.search(field) is not None


def looks_secret(value: object) -> bool:
    """Return whether a value looks like a key rather than a word."""
    if not isinstance(value, str):
        return False
    if value.startswith(_PREFIXES) and len(value) >= _SHORTEST_KEY:
        return True
    return _holds_credentials(value)


def is_variable(value: str) -> bool:
    """Return whether the text can be an environment variable's name and does not look like a key itself."""
    if _VARIABLE.fullmatch(value) is None or len(value) > _LONGEST_VARIABLE or value.startswith(_PREFIXES):
        return False
    kinds = [any(map(kind, value)) for kind in (str.isupper, str.islower, str.isdigit)]
    return len(value) < _SHORTEST_KEY or not all(kinds)


def secret_places(value: object, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the places of all fields that are named like a secret or look like one."""
    places = []
    if isinstance(value, Mapping):
        for name, inner in value.items():
            here = (*place, str(name))
            # A table of that name may be a model called `token`; a list or a text is not.
            if names_secret(str(name)) and not isinstance(inner, Mapping):
                places.append(here)
            else:
                places += secret_places(inner, here)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for number, inner in enumerate(value):
            places += secret_places(inner, (*place, number))
    elif looks_secret(value) and place[-1:] != ("api_key_env",):
        places.append(place)
    return places


def _holds_credentials(value: str) -> bool:
    """Return whether an address names a user and a password."""
    if "://" not in value or "@" not in value:
        return False
    try:
        return urlsplit(value).password is not None
    except ValueError:
        return False
