"""Who works on a study: the text of a lock, and the error for those who must wait."""

import getpass
import json
import os
import socket
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from engine.errors import SpbError


class BusyError(SpbError):
    """Another process is working on the study."""

    exit_code = 6


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock, and since when."""

    name: str
    host: str
    pid: int
    since: str

    @classmethod
    def from_text(cls, text: str | bytes) -> "Holder | None":
        """Return the holder that a lock's text names, None if it names none."""
        try:
            return cls(**json.loads(text))
        except (ValueError, TypeError, RecursionError):
            return None


def own_text() -> bytes:
    """Return the text of a lock that this process holds."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        name = str(os.getuid())
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return json.dumps(asdict(Holder(name, socket.gethostname(), os.getpid(), now))).encode()


def busy_error(study: str, holder: Holder | None, shard: str = "") -> BusyError:
    """Return the error for a study, or a shard of it such as `1-of-2`, that `holder` is working on."""
    who = "another process"
    if holder is not None:
        who = f"{holder.name!r} on {holder.host!r} (process {holder.pid}, since {holder.since})"
    what = f"shard {shard.replace('-of-', '/')} of a run" if shard else "a run"
    return BusyError(
        f"{what} of the study {study!r} is active already, started by {who}; wait for it or stop it"
    )
