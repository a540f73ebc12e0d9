"""A cache of values that are built once for all threads."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any, TypeVar

Cached = TypeVar("Cached")


@dataclass
class _Place:
    """The place of one value; a thread that requests it while it is built waits for the lock."""

    lock: Any = field(default_factory=RLock)
    values: list[Any] = field(default_factory=list)


class OnceCache:
    """The `most` values requested last (None: all), by key; each is built by one thread only.

    A thread that requests a value while another builds it waits, so that it is built only once. Building a
    value may request others, as long as none of them needs it in turn.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._lock = Lock()
        self._places: dict[Hashable, _Place] = {}

    def get(self, key: Hashable, make: Callable[[], Cached]) -> Cached:
        """Return the value cached under the key, else build it with `make`; its errors are not cached."""
        with self._lock:
            place = self._places.pop(key) if key in self._places else _Place()
            self._places[key] = place  # at the end, with those requested last
            if self._most is not None and len(self._places) > self._most:
                del self._places[next(iter(self._places))]
        with place.lock:
            if not place.values:
                place.values.append(make())
            value: Cached = place.values[0]
            return value
