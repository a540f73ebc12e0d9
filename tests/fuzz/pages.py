"""Readers of addresses: the pages of the explorer, opened by an address."""

import logging
import os
from functools import cache
from pathlib import Path
from unittest.mock import patch
from urllib.parse import parse_qs

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from explorer.page_list import BY_NAME

from .readers import Reader
from .samples import corpus_of, fresh_folder, write

APP = Path(__file__).parents[2] / "explorer" / "app.py"
logging.getLogger("streamlit").setLevel(logging.ERROR)  # it warns that there is no server

CLOSED = ("annotate", "coordinate")
"""Pages that are open to those only who have a role."""


@cache
def _store() -> str:
    """Return a store with two small studies, so that two can be compared."""
    folder = fresh_folder()
    for name in ("csv", "jsonl"):
        (folder / name).mkdir()
        write(corpus_of("tidy")[name], folder / name)
        import_tidy(folder / name, Store(folder / "store"), name)
    return str(folder / "store")


def open_page(given: Path, _: Path) -> None:
    """Open the page and follow the address `PAGE?KEY=VALUE&...`; a page shows errors, and raises none."""
    page, _sign, query = given.read_bytes().decode("utf-8", "replace").strip().partition("?")
    if page not in BY_NAME or page in CLOSED:
        page = "slice"
    parameters = parse_qs(query)
    app = AppTest.from_file(str(APP), default_timeout=30)
    none = patch.object(manifest_scanner, "scan_component_manifests", list)  # it would take most of the time
    with patch.dict(os.environ, SPB_STORE=_store()), none:
        _address(app, parameters)
        if BY_NAME[page] is not BY_NAME["judges"]:
            app.switch_page(f"app_pages/{BY_NAME[page].name}.py")
        app.run()
    assert not app.exception, "\n".join(app.exception[0].stack_trace)


def _address(app: AppTest, parameters: dict[str, list[str]]) -> None:
    for key, values in parameters.items():
        app.query_params[key] = values


PAGES = (Reader("addresses", open_page, 0),)
