"""Files of a repository at one commit, by the list that Git keeps of them."""

import hashlib
import json
import re
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from engine.bounded_files import bytes_of
from engine.errors import BadInputError
from engine.importers.reading.files import MOST_FILES

_REMEDY = "try again, or give a folder with --from"


def listed_files(path: Path, folders: Collection[str], pattern: str) -> tuple[dict[str, str], list[str]]:
    """Return the files in `folders` whose names match, with Git's sums, and the folders without one.

    The list is a tree of a repository as GitHub's interface gives it. Raises BadInputError if it is not one,
    is cut short, has too many such files, or names a file outside of the repository.
    """
    try:
        tree = json.loads(bytes_of(path))
        entries = [(each["path"], each["sha"]) for each in tree["tree"] if each["type"] == "blob"]
        is_short = bool(tree.get("truncated"))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise BadInputError(
            f"the list of files is not a tree of a repository ({error}); {_REMEDY}"
        ) from error
    if is_short:
        raise BadInputError(f"the list of files is cut short by its server; {_REMEDY}")
    files: dict[str, str] = {}
    empty = dict.fromkeys(folders)
    for name, sha in entries:
        folder = next((folder for folder in folders if str(name).startswith(folder)), None)
        if folder is None or not re.fullmatch(pattern, PurePosixPath(name).name):
            continue
        if not _is_inside(name) or not isinstance(sha, str):
            raise BadInputError(f"the list of files has the path {name[:80]!r}; {_REMEDY}")
        files[name] = sha
        empty.pop(folder, None)
    if len(files) > MOST_FILES:
        raise BadInputError(f"the list has {len(files):,} files, more than {MOST_FILES:,}; {_REMEDY}")
    return files, list(empty)


def git_sum(path: Path) -> str:
    """Return the sum by which Git names a file's content."""
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _is_inside(name: object) -> bool:
    """Return whether a path of the list is plain text for a place inside the repository."""
    if not isinstance(name, str) or "\\" in name or not name.isprintable():
        return False
    parts = PurePosixPath(name).parts
    return bool(parts) and not PurePosixPath(name).is_absolute() and ".." not in parts
