"""What can be measured with a file that was read, before it is written anywhere: a study for the doctor."""

import tempfile
from collections.abc import Callable
from typing import TypeVar

from engine.importers.foreign.importing import Reading
from engine.store import Store, StudyFiles

T = TypeVar("T")

_NAME = "tried"


def tried(reading: Reading, look: Callable[[StudyFiles], T]) -> T:
    """Write the study into a temporary store, look at it, and throw it away. Raises as `Store.write`."""
    with tempfile.TemporaryDirectory(prefix="spb-trial-") as folder:
        store = Store(folder)
        reading.write(store, _NAME)
        return look(store.open(_NAME))
