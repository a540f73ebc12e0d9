"""`spb annotators` and `spb annotations`, as the shell sees them."""

import json

import pytest
from typer.testing import CliRunner

from annotations.small import fresh
from annotations.test_results import opened, rated
from engine.annotations.database import open_database
from engine.annotations.labelling import next_item, own_tasks, save
from engine.annotations.people import person_of
from engine.cli import app
from engine.errors import SpbError
from engine.store import Store


@pytest.fixture
def store(tmp_path):
    opened(rated(), tmp_path)
    return tmp_path / "store"


def spb(store, *words):
    return CliRunner().invoke(app, [*words, "--store", str(store)], catch_exceptions=False)


def test_a_task_is_made_shared_out_labelled_watched_and_written_back(store, tmp_path):
    (tmp_path / "guide.txt").write_text("Read both.", encoding="utf-8")
    extra = {"role": "practice", "prompt": "p", "responses": ["good", "bad"], "answer": "generator"}
    (tmp_path / "extra.jsonl").write_text(json.dumps(extra | {"explanation": "it answers"}) + "\n", "utf-8")
    files = ("--guidelines", str(tmp_path / "guide.txt"), "--extra", str(tmp_path / "extra.jsonl"))

    token = spb(store, "annotators", "add", "ann").stdout.strip()
    made = spb(store, "annotations", "create", "t", "--study", "small", "--items", "6", *files)
    shared = spb(store, "annotations", "assign", "t", "--to", "ann")
    database = open_database(Store(store))
    name = person_of(database, token).name
    assert own_tasks(database, name)[0].guidelines == "Read both."
    while (item := next_item(database, "t", name)) is not None:
        save(database, "t", name, item.place, "equal", submission=fresh(), seconds=2)
    database.close()
    watched = spb(store, "annotations", "status", "t")
    written = spb(store, "annotations", "export", "t")

    assert {each.exit_code for each in (made, shared, watched, written)} == {0}
    assert watched.stdout.splitlines()[1].split("\t") == ["ann", "6", "6", "0", "2.00", "–"]
    rows = Store(store).open("small").table("annotations").to_pylist()
    assert [row["value"] for row in rows] == ["equal"] * 6


def test_a_token_is_printed_once_and_listed_never(store):
    token = spb(store, "annotators", "add", "ann", "--role", "coordinator").stdout.strip()

    listed = spb(store, "annotators", "list").stdout

    assert listed.split("\t")[:2] == ["ann", "coordinator"]
    assert token not in listed


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("annotations", "create", "t", "--study", "nowhere"), "nowhere"),
        (("annotations", "create", "t", "--study", "small", "--kind", "beauty"), "beauty"),
        (("annotations", "create", "t", "--study", "small", "--extra", "/nowhere"), "cannot be read"),
        (("annotations", "assign", "t", "--to", "ann"), "unknown task 't'"),
        (("annotations", "status", "t"), "unknown task 't'"),
        (("annotations", "export", "t"), "unknown task 't'"),
        (("annotators", "add", "adjudicated"), "settled"),
    ],
)
def test_what_cannot_be_done_is_said(store, words, named):
    with pytest.raises(SpbError, match=named):
        spb(store, *words)
