"""Downloads: a file lasts until a browser has had time to fetch it.

Streamlit writes the file of a download when its button is clicked, and drops it once two runs have ended,
whoever's they are: where many visit a server, that may be before the browser has fetched it.
"""

import time
from collections.abc import Callable

from streamlit.runtime import media_file_manager
from streamlit.runtime.media_file_storage import MediaFileKind

LASTS_S = 60.0
"""Seconds that a file is held at least; the browser fetches it as soon as it has the address."""


class LastingFile(media_file_manager.MediaFileMetadata):
    """What Streamlit notes of a file, which cannot be dropped at once."""

    clock: Callable[[], float] = time.monotonic

    def __init__(self, kind: MediaFileKind = MediaFileKind.MEDIA) -> None:
        super().__init__(kind)
        self._since = LastingFile.clock()

    @property
    def is_marked_for_delete(self) -> bool:
        return super().is_marked_for_delete and LastingFile.clock() - self._since > LASTS_S


def let_downloads_last() -> None:
    """Let the files of all later downloads last; called once, by the server."""
    media_file_manager.MediaFileMetadata = LastingFile  # type: ignore[misc]
