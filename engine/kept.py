"""What was made once and is kept for all who ask, of whatever thread."""

from collections.abc import Callable, Hashable
from threading import Lock, RLock
from typing import Any, TypeVar

Made = TypeVar("Made")


class _Place:
    """Where one value stands once it is made; those who ask meanwhile wait for it here."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.values: list[Any] = []


class Kept:
    """Values by key, the `most` that were asked for last of them; each is made by one thread alone.

    Who asks for a value that another thread is making waits for it, so that there are never two of it. One
    that is made may ask for others, as long as none of them needs it in turn.
    """

    def __init__(self, most: int | None = None) -> None:
        """Keep `most` values, all of them where it is None."""
        self._most = most
        self._lock = Lock()
        self._places: dict[Hashable, _Place] = {}

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what is kept under the key, else what `make` makes; an error that it raises is not kept."""
        with self._lock:
            place = self._places.pop(key) if key in self._places else _Place()
            self._places[key] = place  # at the end, where those asked for last stand
            if self._most is not None and len(self._places) > self._most:
                del self._places[next(iter(self._places))]
        with place.lock:
            if not place.values:
                place.values.append(make())
            made: Made = place.values[0]
            return made
