"""The words of the operating system and of pydantic, in those of this project."""

import errno
from collections.abc import Mapping
from typing import Any

from engine.wording import Sentence

_OF_SYSTEM = {
    errno.ENOENT: "there is no such file or folder",
    errno.EACCES: "access to it is denied",
    errno.EPERM: "access to it is denied",
    errno.EISDIR: "it is a folder",
    errno.ENOTDIR: "a part of its path is a file, not a folder",
    errno.EEXIST: "it exists already",
    errno.ENOTEMPTY: "the folder is not empty",
    errno.ENOSPC: "the disk is full",
    errno.EFBIG: "the file would be too large",
    errno.EDQUOT: "your share of the disk is full",
    errno.EROFS: "its disk can only be read",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "its links lead back to themselves",
    errno.EMFILE: "too many files are open",
}

_FIRST_REMEDIES = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.EFBIG: "free some space",
    errno.EACCES: "check its permissions",
    errno.EPERM: "check its permissions",
}

GIVE_TABLE = "give a table"

_OF_TYPES = {
    "missing": "give it a value",
    "extra_forbidden": "there is no such field",
    "json_invalid": "it is not JSON",
    "int_type": "give an integer without quotes",
    "int_parsing": "give an integer",
    "int_from_float": "give a whole number",
    "float_type": "give a number",
    "float_parsing": "give a number",
    "finite_number": "give a finite number",
    "string_type": "give a text in quotes",
    "bool_type": "give true or false",
    "bool_parsing": "give true or false",
    "list_type": "give a list in brackets",
    "tuple_type": "give a list in brackets",
    "dict_type": GIVE_TABLE,
    "mapping_type": GIVE_TABLE,
    "model_type": GIVE_TABLE,
    "model_attributes_type": GIVE_TABLE,
}

_OF_BOUNDS = {
    "greater_than": ("gt", "give a number greater than {}"),
    "greater_than_equal": ("ge", "give a number greater than or equal to {}"),
    "less_than": ("lt", "give a number less than {}"),
    "less_than_equal": ("le", "give a number less than or equal to {}"),
    "string_too_short": ("min_length", "give a text of {} or more letters"),
    "string_too_long": ("max_length", "give a text of {} letters at most"),
    "too_short": ("min_length", "give {} or more"),
    "too_long": ("max_length", "give {} at most"),
    "string_pattern_mismatch": ("pattern", "give a text of the form {}"),
}


def system_words(error: Exception) -> str:
    """Return why a file cannot be read or written, as a part of a sentence: `there is no such file`."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    if not isinstance(error, OSError):
        return str(error)
    text = _OF_SYSTEM.get(error.errno or 0) or error.strerror or str(error)
    return (text[:1].lower() + text[1:]).rstrip(".")


def disk_words(error: Exception, remedy: str, state: str = "") -> Sentence:
    """Return why something cannot be written and what to do, to end an error with, in every place alike.

    The `remedy` comes after the one that the reason itself suggests; `state` says what became of the data:
    `the disk is full; nothing was changed: free some space, or choose another --store`.
    """
    first = _FIRST_REMEDIES.get(error.errno or 0) if isinstance(error, OSError) else None
    before = f"{first}, or " if first else ""
    return Sentence(f"{system_words(error)}; {state + ': ' if state else ''}{before}", Sentence(remedy))


def mistake_words(mistake: Mapping[str, Any]) -> str:
    """Return what to give in place of a value, from one of pydantic's `errors()`."""
    kind, context = mistake["type"], mistake.get("ctx") or {}
    if kind in _OF_TYPES:
        return _OF_TYPES[kind]
    if kind in ("literal_error", "enum"):
        return f"give {context['expected']}"
    if kind in _OF_BOUNDS:
        bound, words = _OF_BOUNDS[kind]
        value = context.get(bound)
        return words.format(f"{value:g}" if isinstance(value, float) else value)
    text = str(mistake["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return (text[:1].lower() + text[1:]).rstrip(".")
