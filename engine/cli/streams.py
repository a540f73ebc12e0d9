"""Standard output and error of a command, which does its work whether or not somebody reads on."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TextIO

from engine.errors import SpbError
from engine.plain_words import disk_words


class FullOutputError(SpbError):
    """What a command prints goes to a file for which there is no room."""


class LastingStream(TextIOWrapper):
    """A stream that drops what is written once the reader of its pipe is gone, as after `| head`.

    FullOutputError is raised if it goes to a file for which there is no room.
    """

    def write(self, text: str) -> int:
        with self._lasting():
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with self._lasting():
            super().flush()

    @contextmanager
    def _lasting(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())  # what is buffered goes there too
            os.close(nowhere)
            if not isinstance(error, BrokenPipeError):
                words = disk_words(error, "write it elsewhere")
                raise FullOutputError(f"what is printed cannot be written: {words}") from error


def set_up_streams() -> None:
    """Let a command do its work when the reader of its output is gone."""
    sys.stdout, sys.stderr = _lasting(sys.stdout), _lasting(sys.stderr)


def _lasting(stream: TextIO) -> TextIO:
    r"""Return the stream of a process, which writes what its encoding lacks as \u2013."""
    if not isinstance(stream, TextIOWrapper):
        return stream
    if stream is not sys.__stdout__ and stream is not sys.__stderr__:  # what collects the output
        stream.reconfigure(errors="backslashreplace")
        return stream
    by_line, encoding = stream.line_buffering, stream.encoding
    return LastingStream(
        stream.detach(), encoding=encoding, errors="backslashreplace", line_buffering=by_line
    )
