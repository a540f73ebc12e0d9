"""Which study a command is about: a name, a path, or none where only one can be meant."""

import os
from collections.abc import Iterator
from pathlib import Path

import typer

from engine.errors import UsageError
from engine.wording import command_line, in_store


def study_of(place: str | None, option: str | None, store: str | None) -> tuple[str, str | None]:
    """Return the name of the study that a command is about, and its store.

    `place` is what was given by place, `option` by `--study`; either may be the path of a study's folder,
    which names its store too.
    """
    from engine.store import Store
    from engine.store.named_study import VARIABLE, is_path, only_study

    if place is not None and option is not None and place != option:
        raise UsageError(f"two studies are named, {place!r} and --study {option!r}; give one of them")
    given = option if place is None else place
    if given is None:
        with in_store(store):
            given = os.environ.get(VARIABLE) or only_study(store)
    if os.path.isfile(file := os.path.expanduser(given)) and (
        is_path(given) or given not in Store(store).studies()
    ):
        with in_store(store):
            importing = command_line("import", file, "--study", "NAME")
        raise UsageError(f"{given!r} is a file and not a study; import it first: `{importing}`")
    if not is_path(given):
        return given, store
    root, name = _split(given)
    if store is not None and _whole(store) != _whole(root):
        raise UsageError(
            f"{given!r} is a path, and --store {store!r} is another folder; leave --store out, or give the "
            "study's name alone"
        )
    return name, root if store is None else store


def is_study(word: object, store: str | None) -> bool:
    """Return whether a word names a study of the store, or is the path of a study's folder."""
    from engine.store import Store
    from engine.store.named_study import is_path

    if not isinstance(word, str) or not word:
        return False
    if not is_path(word):
        return word in Store(store).studies()
    root, name = _split(word)
    return name in Store(root).studies()


def new_name(place: str | None, option: str | None) -> str:
    """Return the name of a study that is to be written, given by place or by `--study`."""
    if place is not None and option is not None and place != option:
        raise UsageError(f"two studies are named, {place!r} and --study {option!r}; give one of them")
    name = option if place is None else place
    if name is None:
        raise UsageError("the new study has no name; give one, such as my-study")
    return name


def studies_beginning(context: typer.Context, incomplete: str) -> Iterator[str]:
    """Yield the studies of the store whose names begin so, for the shell's completion."""
    from engine.store import Store

    store = context.params.get("store")
    yield from (name for name in Store(store).studies() if name.startswith(incomplete))


def _split(path: str) -> tuple[str, str]:
    """Return the store and the name of the study at a path."""
    if "://" in path:
        root, _, name = path.rstrip("/").rpartition("/")
        return root, name
    folder = Path(os.path.expanduser(path))
    if not folder.name or folder.name == "..":
        folder = Path(os.path.abspath(folder))
    return str(folder.parent), folder.name


def _whole(root: str) -> str:
    return root.rstrip("/") if "://" in root else os.path.abspath(os.path.expanduser(root))
