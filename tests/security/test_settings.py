"""The server's settings, and what a read-only or public server forbids."""

import tomllib
from pathlib import Path

import pytest
import streamlit as st
from explorer_studies import PLANS, write
from streamlit.testing.v1 import AppTest

from explorer.page_list import PAGES
from explorer.permissions import writing_refusal
from explorer.serving.uploads import LARGEST_UPLOAD_MB

ROOT = Path(__file__).resolve().parents[2]
WRITING = {"save_slice", "delete_slice", "pin_view", "look_ahead", "start_run", "import_look", "import_write"}
WRITING |= {"export_task", "add_person", "assign", "cancel_run", "go_on"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("store")
    write(root, "plain", PLANS["one-family"])
    return root


def test_the_server_accepts_no_larger_upload_than_the_page_reads() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())

    assert settings["server"]["maxUploadSize"] == LARGEST_UPLOAD_MB
    assert settings["server"]["address"] == "127.0.0.1"
    assert settings["client"]["showErrorDetails"] == "none"
    assert not {"enableXsrfProtection", "enableCORS"} & set(settings["server"])  # on by default


def _files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_read_only_explorer_writes_nothing_on_any_page(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPB_STORE", str(store))
    monkeypatch.setenv("SPB_READ_ONLY", "1")
    before = _files(store)
    app = AppTest.from_file(str(ROOT / "explorer" / "app.py"), default_timeout=60).run()

    offered = {}
    for page in PAGES:
        app.switch_page(f"app_pages/{page.name}.py").run()
        assert not app.exception
        keys = {button.key for button in app.button if not button.disabled}
        offered[page.name] = WRITING & keys
        assert not app.get("file_uploader")

    assert offered == {page.name: set() for page in PAGES}
    assert _files(store) == before


def test_without_read_only_the_same_pages_offer_to_write(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPB_STORE", str(store))
    monkeypatch.delenv("SPB_READ_ONLY", raising=False)
    app = AppTest.from_file(str(ROOT / "explorer" / "app.py"), default_timeout=60).run()

    for page, key in (("workbench", "save_slice"), ("new_run", "look_ahead")):
        app.switch_page(f"app_pages/{page}.py").run()
        assert key in {button.key for button in app.button}


@pytest.mark.parametrize(
    ("address", "bound", "public"),
    [
        ("https://spb.example.org", "127.0.0.1", True),
        ("", "0.0.0.0", True),  # noqa: S104 - nothing is bound here
        ("http://localhost:8501", "127.0.0.1", False),
    ],
)
def test_a_server_that_others_reach_is_closed_unless_it_is_opened(
    store: Path, monkeypatch: pytest.MonkeyPatch, address: str, bound: str, *, public: bool
) -> None:
    monkeypatch.setenv("SPB_STORE", str(store))
    monkeypatch.setenv("SPB_ADDRESS", address)
    option = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: bound if name == "server.address" else option(name))

    closed = writing_refusal()
    monkeypatch.setenv("SPB_ANYONE_MAY_WRITE", "1")

    assert (closed is not None) is public
    assert writing_refusal() is None
