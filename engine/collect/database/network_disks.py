"""Whether a folder is on a network disk, where SQLite's write-ahead log is not safe."""

import os
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_NETWORK = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4"}
    | {"ocfs2", "orangefs", "panfs", "smb3", "smbfs"}
)
_FUSE = "fuse."
"""File systems that programs serve, such as `fuse.sshfs`: most are remote, and none need be coherent."""


def network_disk(path: Path) -> str | None:
    """Return the kind of network disk that a path is on, such as `nfs4`; None for a disk of this machine.

    A system that does not list its mounts is taken to have none.
    """
    try:
        mounts = _MOUNTS.read_text("utf-8", "surrogateescape")
    except OSError:
        return None
    kind = _kind_of_mount(mounts, os.path.realpath(path))
    return kind if kind in _NETWORK or kind.startswith(_FUSE) else None


def _kind_of_mount(mounts: str, path: str) -> str:
    """Return the file system of the mount that holds a path: the longest one, and of several the last."""
    longest, kind = "", ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        place = _unescaped(fields[4])
        holds = path == place or path.startswith(place.rstrip("/") + "/")
        if holds and len(place) >= len(longest):
            longest, kind = place, after.split(" ")[0]
    return kind


def _unescaped(text: str) -> str:
    """Return a path as it is; the kernel writes some characters, such as a space, as octal numbers."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text
