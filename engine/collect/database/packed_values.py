"""Values as compressed JSON, the form in which databases have raw exchanges and cached answers."""

import gzip
import json
import zlib
from dataclasses import asdict
from typing import Any, TypeVar

import pydantic

Value = TypeVar("Value")


def packed_json(value: Any) -> bytes:
    """Return a dataclass as compressed JSON."""
    return gzip.compress(json.dumps(asdict(value)).encode(), compresslevel=6, mtime=0)


def unpacked(form: "pydantic.TypeAdapter[Value]", packed: bytes) -> Value:
    """Return the dataclass that `packed_json` packed; one of NOT_PACKED for other bytes."""
    return form.validate_json(gzip.decompress(packed))


NOT_PACKED = (OSError, EOFError, ValueError, TypeError, zlib.error)
"""What unpacking raises for bytes that `packed_json` did not produce."""
