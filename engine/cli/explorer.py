"""`spb open` opens the explorer on a store, and with --demo on the demonstration studies."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from engine.cli.options import AnyStudyArgument, StoreOption
from engine.cli.output import say
from engine.errors import UsageError
from engine.process import user_folder
from engine.shipped_files import SETTINGS

PortOption = Annotated[int, typer.Option(help="Port of the explorer.", min=1, max=65535)]
BrowserOption = Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser window.")]


def open_explorer(
    study: AnyStudyArgument = None,
    store: StoreOption = None,
    demo: Annotated[
        bool,
        typer.Option(
            "--demo", help="Open the demonstration studies; with --store, they are added to that folder."
        ),
    ] = False,
    port: PortOption = 8501,
    browser: BrowserOption = True,
) -> None:
    """Open the explorer on the studies of this store.

    It begins with STUDY, or with the study of SPB_STUDY. Ctrl-C stops it.
    """
    if demo:
        _open_demonstrations(None if store is None else Path(store), study, port, browser=browser)
    from engine.cli.study.study_place import study_of
    from engine.store import Store
    from engine.store.named_study import VARIABLE

    if study is None and os.environ.get(VARIABLE):
        study, store = study_of(None, None, store)
    folder = Store(store)
    if study is not None:
        study = folder.open(study).name
    elif not folder.studies():
        say(
            f"the store {folder.root!r} holds no study yet: import one on the page Data, or with "
            "`spb import PATH`"
        )
    _serve(folder.root, study, port, browser=browser)


def demo(
    store: Annotated[
        Path | None,
        typer.Option(
            help="Folder to open; the demonstration studies are added to it (default: a folder of your "
            "own under XDG_DATA_HOME)."
        ),
    ] = None,
    port: PortOption = 8501,
    browser: BrowserOption = True,
) -> None:
    """Open the explorer on the demonstration studies.

    Studies that you import into the same folder are shown too.
    """
    _open_demonstrations(store, None, port, browser=browser)


def _open_demonstrations(folder: Path | None, study: str | None, port: int, *, browser: bool) -> None:
    from engine.importers.datasets.catalogue import copy_demonstrations

    if folder is None:
        folder = user_folder("XDG_DATA_HOME") / "spb-explorer" / "results"
    _explorer()  # before anything is copied
    copy_demonstrations(folder)
    _serve(str(folder), study, port, browser=browser)


def _serve(root: str, study: str | None, port: int, *, browser: bool) -> None:
    """Run the explorer until it is stopped, and exit with its code."""
    command = [sys.executable, "-m", "streamlit", "run", str(_explorer())]
    command += [*_settings(), f"--server.port={port}", f"--server.headless={str(not browser).lower()}"]
    print(f"studies are stored in {root}; stop with Ctrl-C", file=sys.stderr)
    environment = os.environ | {"SPB_STORE": root} | ({} if study is None else {"SPB_STUDY": study})
    try:
        code = run_until_ended(command, environment)
    except KeyboardInterrupt:
        raise typer.Exit from None
    raise typer.Exit(code)


def run_until_ended(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command and return its code; a signal that ends this process ends that one first."""
    with subprocess.Popen(command, env=environment) as process:  # noqa: S603 - our own page
        before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
        try:
            return process.wait()
        finally:
            signal.signal(signal.SIGTERM, before)


def _explorer() -> Path:
    """Return the explorer's page; UsageError if it, or what it needs, is not installed."""
    app = find_spec("explorer")
    if app is None or app.origin is None:
        raise UsageError("the explorer is not installed; reinstall spb-explorer")
    if find_spec("streamlit") is None:
        raise UsageError("the explorer needs streamlit, which is not installed; run: pip install streamlit")
    return Path(app.origin).with_name("app.py")


def _settings() -> list[str]:
    """Return the project's settings as flags: Streamlit finds them only in the project's folder."""
    import tomllib

    flags = []
    for section, settings in tomllib.loads(SETTINGS.read_text("utf-8")).items():
        for name, value in settings.items():
            flags.append(f"--{section}.{name}={str(value).lower() if isinstance(value, bool) else value}")
    return flags
