"""`spb demo`: the explorer on the demonstration studies, from anywhere."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import UsageError


def demo(
    store: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the studies; the demonstrations are added to it. "
            "Unless given, a folder of your own below XDG_DATA_HOME."
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="Port of the explorer.", min=1, max=65535)] = 8501,
    browser: Annotated[bool, typer.Option(help="Open a browser window.")] = True,
) -> None:
    """Open the explorer on the demonstration studies; studies imported into its folder appear there too."""
    folder = store or _own_folder()
    _lay_out(folder)
    app = find_spec("explorer")
    if app is None or app.origin is None:
        raise UsageError("the explorer is not installed beside the engine; install spb-explorer anew")
    command = [sys.executable, "-m", "streamlit", "run", str(Path(app.origin).with_name("app.py"))]
    command += [*_settings(), f"--server.port={port}", f"--server.headless={str(not browser).lower()}"]
    print(f"the studies lie in {folder}; end with Ctrl-C", file=sys.stderr)
    try:
        ended = subprocess.run(  # noqa: S603 - this Python, our own page
            command, env=os.environ | {"SPB_STORE": str(folder)}, check=False
        )
    except KeyboardInterrupt:
        return
    raise typer.Exit(ended.returncode)


def _own_folder() -> Path:
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(data) / "spb-explorer" / "results"


def _lay_out(folder: Path) -> None:
    """Copy the demonstration studies that are not in the folder; one that is there is left as it is."""
    from engine.shipped import RESULTS

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for study in sorted(RESULTS.glob("demo-*")):
            if not (folder / study.name).exists():
                coming = folder / f".{study.name}.coming"
                shutil.copytree(study, coming, dirs_exist_ok=True)
                coming.rename(folder / study.name)
    except OSError as error:
        raise UsageError(
            f"the studies cannot be laid out in {str(folder)!r}: {error}; name another with --store"
        ) from error


def _settings() -> list[str]:
    """Return the project's own settings as flags: away from its folder Streamlit does not find them."""
    import tomllib

    from engine.shipped import SETTINGS

    told = tomllib.loads(SETTINGS.read_text("utf-8"))
    flat = ((f"{section}.{name}", value) for section, part in told.items() for name, value in part.items())
    return [f"--{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in flat]
