"""Who may see which study: in lists, in addresses, on pages, and in what is written."""

import re
from pathlib import Path

import pytest
import streamlit as st
from explorer_studies import PLANS, write
from streamlit import config
from streamlit.runtime.secrets import secrets_singleton
from streamlit.testing.v1 import AppTest

from engine.annotations.database import open_database
from engine.annotations.people import add_person
from engine.collect.run_folder import RunFolder
from engine.collect.watch.watched_runs import WatchedRun
from engine.errors import UsageError
from engine.store import Store
from explorer import data
from explorer.new_run import panel, run_processes
from explorer.team import study_access, visitors
from explorer.team.visitors import Visitor

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("clinic-a", "clinic-b", "open", "unnamed")
RULES = {
    "open": ["*"],
    "clinic-*": ["Ann@clinic.example", "*@clinic.example"],
    "clinic-b": ["bo@example.org"],
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("store")
    for name in NAMES:
        write(root, name, PLANS["one-family"], title=f"Title of {name}")
    return root


@pytest.fixture(autouse=True)
def restricted(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    for name in ("SPB_ANNOTATIONS_URL", "SPB_COORDINATORS_ONLY", "SPB_READ_ONLY", "SPB_ANYONE_MAY_WRITE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPB_STORE", str(store))
    monkeypatch.setattr(st, "secrets", {"access": RULES})


def login(monkeypatch: pytest.MonkeyPatch, email: str | None) -> None:
    user = {"is_logged_in": False} if email is None else {"is_logged_in": True, "email": email}
    monkeypatch.setattr(st, "user", user)


def visit_as(monkeypatch: pytest.MonkeyPatch, who: Visitor) -> None:
    monkeypatch.setattr(visitors, "visitor", lambda: who)


def words(app: AppTest) -> str:
    return "\n".join(element.value for element in [*app.text, *app.header])


@pytest.mark.parametrize(
    ("email", "visible"),
    [
        (None, ["open"]),
        ("ANN@clinic.example", ["clinic-a", "clinic-b", "open"]),
        ("eve@clinic.example", ["clinic-a", "clinic-b", "open"]),
        ("bo@example.org", ["clinic-b", "open"]),
        ("eve@clinic.example.evil.example", ["open"]),
        ("evil@x@clinic.example", ["open"]),
        ("", ["open"]),
    ],
)
def test_a_login_sees_the_studies_that_are_open_to_it(
    monkeypatch: pytest.MonkeyPatch, store: Path, email: str | None, visible: list[str]
) -> None:
    visit_as(monkeypatch, Visitor(email=email))

    assert data.studies(str(store)) == visible
    for name in NAMES:
        if name in visible:
            assert data.files(str(store), name).name == name
        else:
            with pytest.raises(UsageError, match=f"^unknown study '{name}'") as error:
                data.files(str(store), name)
            assert not any(
                f"{other}" in str(error.value).partition(";")[2] for other in {*NAMES} - {*visible}
            )


@pytest.mark.parametrize(
    ("who", "visible"),
    [
        (Visitor("cy", "coordinator"), list(NAMES)),
        (Visitor("ann", "annotator", email="ann@clinic.example"), []),
        (Visitor(refused="This link has ended", email="ann@clinic.example"), []),
    ],
)
def test_coordinators_see_all_studies_and_annotators_and_ended_links_see_none(
    monkeypatch: pytest.MonkeyPatch, store: Path, who: Visitor, visible: list[str]
) -> None:
    visit_as(monkeypatch, who)

    assert data.studies(str(store)) == visible


def test_a_name_is_matched_literally_before_it_is_matched_as_a_pattern() -> None:
    assert study_access.opens({"a[1]": ("*",)}, "a[1]", None)
    assert not study_access.opens({"a[1]": ("*",)}, "b", None)


def test_without_a_list_everybody_sees_every_study(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    monkeypatch.setattr(st, "secrets", {"auth": {}})

    assert data.studies(str(store)) == list(NAMES)
    assert study_access.access_rules() is None


@pytest.mark.parametrize("page", ["judges", "workbench", "present"])
def test_an_address_does_not_open_what_a_login_may_not_see(
    open_page, store: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    login(monkeypatch, "bo@example.org")

    app = open_page(page, store, study="clinic-a", compare="studies", b_study="unnamed")

    text = words(app)
    assert "There is no study 'clinic-a' in this store. It has: clinic-b and open." in text
    assert "Title of" not in text
    options = {option for box in app.selectbox for option in box.options}
    assert options.isdisjoint({"clinic-a", "unnamed"})


def test_a_visitor_who_has_not_logged_in_is_asked_to(
    open_page, monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    monkeypatch.setattr(st, "secrets", {"access": {"clinic-*": ["*@clinic.example"]}})
    login(monkeypatch, None)

    app = open_page(store=store)

    assert "Access to these studies is restricted" in words(app)
    assert app.button(key="log_in").label == "Log in"
    assert "clinic" not in words(app)


def test_a_page_that_needs_a_role_offers_the_login_once(
    open_page, monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    login(monkeypatch, None)

    app = open_page("coordinate", store)

    assert "opens with a coordinator's personal link" in words(app)
    assert [button.label for button in app.button].count("Log in") == 1


def test_a_login_without_access_to_any_study_is_told_so(
    open_page, monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    monkeypatch.setattr(st, "secrets", {"access": {}})
    login(monkeypatch, "eve@example.org")

    app = open_page("data", store)

    assert "You have no access to any study" in words(app)
    assert not app.get("file_uploader")


def test_an_unverified_e_mail_opens_nothing(open_page, monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    user = {"is_logged_in": True, "email": "ann@clinic.example", "email_verified": False}
    monkeypatch.setattr(st, "user", user)

    app = open_page(store=store)

    assert "has not verified" in words(app)
    assert not [box for box in app.selectbox if box.label == "Study"]


def test_a_laptop_with_access_rules_has_no_local_coordinator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(st, "user", {})
    monkeypatch.setattr(visitors, "_token", lambda: None)

    assert visitors.visitor() == Visitor()


def test_an_annotators_login_opens_only_their_tasks(
    open_page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "open", PLANS["one-family"], title="Title of open")
    database = open_database(Store(str(tmp_path)))
    add_person(database, "ann", email="ann@clinic.example")
    database.close()
    login(monkeypatch, "ann@clinic.example")

    app = open_page(store=tmp_path)

    assert "Tasks of ann" in words(app)
    assert "Title of open" not in words(app)


@pytest.mark.parametrize(
    ("email", "study", "may"),
    [
        ("ann@clinic.example", "clinic-new", True),
        ("ann@clinic.example", "unnamed", False),
        (None, "open", False),
        ("bo@example.org", "open", True),
    ],
)
def test_a_study_is_written_only_by_a_login_that_may_see_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    email: str | None,
    study: str,
    may: bool,
) -> None:
    monkeypatch.setenv("SPB_ANYONE_MAY_WRITE", "1")
    visit_as(monkeypatch, Visitor(email=email))
    monkeypatch.setattr(run_processes, "_launch", lambda *_: None)

    if may:
        assert run_processes.start(str(tmp_path), study, "")
    else:
        with pytest.raises(UsageError, match=f"you may not change the study '{study}'|log in to change"):
            run_processes.start(str(tmp_path), study, "")


@pytest.mark.parametrize(
    "visitor",
    [
        Visitor(),
        Visitor(email="ann@clinic.example"),
        Visitor("ann", "annotator", email="ann@clinic.example"),
        Visitor(refused="This link does not work"),
    ],
)
def test_only_a_coordinator_starts_a_run_unless_the_server_lets_anyone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, visitor: Visitor
) -> None:
    monkeypatch.delenv("SPB_ANYONE_MAY_WRITE", raising=False)
    monkeypatch.setattr(run_processes, "_launch", lambda *_: None)
    visit_as(monkeypatch, visitor)

    with pytest.raises(UsageError, match="only coordinators can change studies here"):
        run_processes.start(str(tmp_path), "clinic-new", "")

    visit_as(monkeypatch, Visitor("cora", "coordinator"))
    assert run_processes.start(str(tmp_path), "clinic-new", "")


def test_a_study_open_to_all_offers_nothing_to_save_without_a_login(
    open_page, monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    login(monkeypatch, None)

    app = open_page("workbench", store, study="open", polarity="negative")

    assert not {"save_slice", "pin_view"} & {button.key for button in app.button}


def test_a_slice_of_somebody_who_has_logged_out_meanwhile_is_not_saved(
    open_page, monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    login(monkeypatch, "bo@example.org")
    monkeypatch.setenv("SPB_ANYONE_MAY_WRITE", "1")
    app = open_page("workbench", store, study="open", polarity="negative")
    app.text_input(key="slice_name").set_value("mine")
    login(monkeypatch, None)

    app.button(key="save_slice").click().run()

    assert Store(store).open("open").info.slices == {}


def test_runs_of_closed_studies_are_not_listed_and_not_opened_by_address(
    open_page, monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    login(monkeypatch, "bo@example.org")
    state = {"state": "done", "done": 1, "total": 1}
    runs = [WatchedRun(study, f"run-of-{study}", RunFolder(store), "done", state) for study in NAMES]
    monkeypatch.setattr(panel, "all_runs", lambda _: runs)

    app = open_page("new_run", store, study="open", started="unnamed/run-of-unnamed")

    frames = [frame.value for frame in app.dataframe if "run" in frame.value]
    assert [list(frame["study"]) for frame in frames] == [["clinic-b", "open"]]
    assert "run-of-unnamed" not in words(app)


def test_every_module_that_writes_a_study_checks_access() -> None:
    writing = re.compile(r"importing\.write\(|save_slice\(|delete_slice\(|change\(files|_launch\(root")
    paths = [path for path in (ROOT / "explorer").rglob("*.py") if writing.search(path.read_text())]

    assert {path.stem for path in paths} == {"data", "context", "run_processes", "saved_slices"}
    assert all("check_writable(" in path.read_text() for path in paths)


@pytest.mark.parametrize("broken", ["[access", '[access]\nopen = "*"\n', "access = 1\n"])
def test_secrets_that_cannot_be_read_open_nothing(
    open_page, monkeypatch: pytest.MonkeyPatch, store: Path, tmp_path: Path, broken: str
) -> None:
    place = tmp_path / "secrets.toml"
    place.write_text(broken)
    before = config.get_option("secrets.files")
    config.set_option("secrets.files", [str(place)])
    monkeypatch.setattr(st, "secrets", secrets_singleton)
    try:
        app = open_page(store=store)
    finally:
        config.set_option("secrets.files", before)
        secrets_singleton._reset()

    assert "so nothing is shown" in words(app)
    assert not [box for box in app.selectbox if box.label == "Study"]


def test_studies_are_opened_in_one_place_only() -> None:
    """Elsewhere nothing would check access; only coordinators reach `task_results`; `visitors` opens none."""
    opening = re.compile(r"Store\([^)]*\)\.(open|studies|location)|StudyFiles[.(]|open_study\(")
    paths = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "explorer").rglob("*.py")
        if opening.search(path.read_text())
    }

    assert paths == {"explorer/data.py", "explorer/team/task_results.py", "explorer/team/visitors.py"}
