"""`spb annotators` and `spb annotations`, run from a shell."""

import csv
import json
import shutil
from pathlib import Path

import pytest
from command_line import Spb
from plain.published import ROOT
from typer.testing import CliRunner

from annotations.small import fresh, task
from annotations.test_results import open_study, rated
from engine.annotations import sampling
from engine.annotations.database import open_database
from engine.annotations.items import Hidden, Item, ItemTexts
from engine.annotations.labels import save
from engine.annotations.people import person_of
from engine.annotations.progress import own_tasks
from engine.annotations.shown_items import next_item
from engine.cli import app
from engine.errors import SpbError
from engine.store import Store


@pytest.fixture
def store(tmp_path):
    open_study(rated(), tmp_path)
    return tmp_path / "store"


def spb(store, *words):
    return CliRunner().invoke(app, [*words, "--store", str(store)], catch_exceptions=False)


def token_in(output):
    """The token of the personal link that was printed."""
    return output.strip().partition("http://localhost:8501/?token=")[2]


def test_labels_of_a_study_without_texts_name_the_column_to_import(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.csv").write_text("judge,model,question,verdict\na,a,q,yes\nb,a,q,no\n", "utf-8")
    (tmp_path / "t.csv").write_text("judge,model,question,verdict,answer\na,a,q,yes,So.\n", "utf-8")
    imported = spb(tmp_path, "import", "v.csv", "--study", "bare")
    with_texts = spb(tmp_path, "import", "t.csv", "--study", "texts")
    assert (imported.exit_code, with_texts.exit_code) == (0, 0)
    what = "no column was read as the answers' texts, so people cannot label verdicts or read them on pages"
    assert f"{what}; if the file has one, name it with --map response=COLUMN\n" in imported.stderr
    assert what not in with_texts.stderr

    with pytest.raises(SpbError) as refused:
        spb(tmp_path, "label", "new", "task", "bare")

    assert refused.value.exit_code == 3  # the study lacks what is needed
    assert str(refused.value).endswith(
        f"--map response=COLUMN --set rubric_id=overall --study bare --replace --store {tmp_path}`"
    )
    assert not (tmp_path / ".annotations").exists()
    with pytest.raises(SpbError, match="unknown task 'task': this store has no tasks yet; create it with"):
        spb(tmp_path, "label", "assign", "task", "--people", "ann")


def test_items_are_selected_once_where_no_selection_is_named(store, monkeypatch):
    selected = []

    def selecting(name, select):
        return lambda source: selected.append(name) or select(source)

    for name, select in sampling._SELECTORS.items():
        monkeypatch.setitem(sampling._SELECTORS, name, selecting(name, select))

    spb(store, "label", "new", "task", "small")

    assert selected == list(dict.fromkeys(selected))


def test_a_task_is_created_assigned_labelled_watched_and_exported(store, tmp_path):
    (tmp_path / "guide.txt").write_text("Read both.", encoding="utf-8")
    extra = {"role": "practice", "prompt": "p", "responses": ["good", "bad"], "answer": "generator"}
    (tmp_path / "extra.jsonl").write_text(json.dumps(extra | {"explanation": "it answers"}) + "\n", "utf-8")
    files = ("--guidelines", str(tmp_path / "guide.txt"), "--extra", str(tmp_path / "extra.jsonl"))

    token = token_in(spb(store, "annotators", "add", "ann").stdout)
    created = spb(store, "annotations", "create", "t", "--study", "small", "--items", "6", *files)
    shared = spb(store, "annotations", "assign", "t", "--to", "ann")
    database = open_database(Store(store))
    name = person_of(database, token).name
    assert own_tasks(database, name)[0].guidelines == "Read both."
    while (item := next_item(database, "t", name)) is not None:
        save(database, "t", name, item.place, "equal", submission=fresh(), seconds=2)
    database.close()
    watched = spb(store, "annotations", "status", "t")
    result = spb(store, "annotations", "export", "t")

    assert {each.exit_code for each in (created, shared, watched, result)} == {0}
    assert watched.stdout.splitlines()[1].split("\t") == ["ann", "6", "6", "0", "2.00", "–", "–"]
    rows = Store(store).open("small").table("annotations").to_pylist()
    assert [row["value"] for row in rows] == ["equal"] * 6


def test_a_task_without_labels_writes_nothing_and_says_so_but_by_its_former_name(spb_here, store, tmp_path):
    spb_here("label", "new", "t", "small", "--items", "6", "--store", store)
    written = spb_here("label", "write", "t", "--store", store)
    to_file = spb_here("label", "write", "t", "--out", tmp_path / "t.csv", "--store", store)
    former = spb_here("annotations", "export", "t", "--store", store)

    assert (written.returncode, to_file.returncode, former.returncode) == (3, 3, 0)
    assert written.stdout == "The task 't' has no labels yet; nothing was written.\n"
    assert not (tmp_path / "t.csv").exists()


def test_what_was_done_is_one_object_for_programs(spb_here, store):
    place = ("--store", store, "--format", "json")
    created = json.loads(spb_here("label", "new", "t", "small", "--items", "6", *place).stdout)
    added = json.loads(spb_here("label", "people", "add", "ann", *place).stdout)
    shared = json.loads(spb_here("label", "assign", "t", "--people", "ann", *place).stdout)

    assert created["rows"] == [{"task": "t", "study": "small", "kind": "equal_pair", "items": 6}]
    assert [(row["name"], "?token=" in row["link"]) for row in added["rows"]] == [("ann", True)]
    assert (shared["rows"], shared["understaffed"]) == ([{"annotator": "ann", "new_items": 6}], 0)
    assert shared["added"] == []


def test_without_logins_those_who_are_new_are_added_as_items_are_assigned(spb_here, store):
    place = ("--store", store, "--format", "json")
    spb(store, "label", "new", "t", "small", "--items", "4")
    shared = spb_here("label", "assign", "t", "--people", "Ana,Ben", *place)
    more = spb_here("label", "assign", "t", "--people", "Cy,Ana", *place)
    everyone = json.loads(spb_here("label", "people", "list", *place).stdout)["rows"]

    assert json.loads(shared.stdout)["added"] == ["Ana", "Ben"]
    assert shared.stderr.startswith("added Ana and Ben\nAna: 4 new items\nBen: 4 new items\n")
    assert more.stderr.startswith("added Cy\nCy: 4 new items\nAna: 0 new items\n")
    assert [(row["name"], row["link"]) for row in everyone] == [
        (name, "none") for name in ("Ana", "Ben", "Cy")
    ]


@pytest.mark.parametrize("name", ["Anna", "ana"])
def test_a_name_that_is_perhaps_anothers_is_not_added(spb_here, store, name):
    spb(store, "label", "new", "t", "small", "--items", "4")
    spb(store, "label", "assign", "t", "--people", "Ana,rater 1")

    refused = spb_here("label", "assign", "t", "--people", f"Ben,{name}", "--store", store)
    people = spb(store, "label", "people", "list", "--format", "json").stdout

    assert refused.returncode == 2
    assert f"unknown labeller {name!r}; did you mean 'Ana'?" in refused.stderr
    assert f"`spb label people add {name} --store {store}`" in refused.stderr
    assert [row["name"] for row in json.loads(people)["rows"]] == ["Ana", "rater 1"]


def test_names_that_differ_in_their_number_are_two_people(spb_here, store):
    spb(store, "label", "new", "t", "small", "--items", "4")
    for name in ("rater 1", "rater 2"):
        assert spb_here("label", "assign", "t", "--people", name, "--store", store).returncode == 0


def test_where_somebody_has_a_link_nobody_is_added_unasked(spb_here, store):
    spb(store, "label", "new", "t", "small", "--items", "4")
    spb(store, "label", "people", "add", "Ana")

    refused = spb_here("label", "assign", "t", "--people", "Ben", "--store", store)

    assert (refused.returncode, "unknown labeller 'Ben'; choose from: Ana" in refused.stderr) == (2, True)


def test_fewer_items_than_wanted_and_repeated_ones_are_explained(store):
    spb(store, "annotators", "add", "ann")
    created = spb(store, "label", "new", "t", "small", "--items", "1000")
    spb(store, "label", "assign", "t", "--people", "ann")
    items = int(created.stderr.split("t: ")[1].split()[0])
    watched = spb(store, "label", "status", "t", "--format", "json")
    (row,) = json.loads(watched.stdout)["rows"]

    assert "(1,000 wanted; the study has no more for equal)" in created.stderr
    assert row["of"] == items + row["repeated"]
    assert row["repeated"] > 0
    shown = spb(store, "label", "status", "t").stdout
    assert "Done and Of count each item once. The page Annotate shows" in shown
    assert [shown.splitlines()[-1].split()[n] for n in (0, 1, 2)] == ["ann", "0", str(items)]


def test_items_done_a_second_time_are_counted_apart(store):
    spb(store, "annotators", "add", "ann")
    spb(store, "label", "new", "t", "small", "--items", "1000")
    spb(store, "label", "assign", "t", "--people", "ann")
    database = open_database(Store(store))
    while (item := next_item(database, "t", "ann")) is not None:
        save(database, "t", "ann", item.place, "equal", submission=fresh())
    database.close()

    (row,) = json.loads(spb(store, "label", "status", "t", "--format", "json").stdout)["rows"]
    shown = spb(store, "label", "status", "t").stdout.splitlines()[-1].split()

    assert row["done"] == row["of"]
    assert row["repeated_done"] == row["repeated"] > 0
    assert shown[1] == shown[2] == str(row["of"] - row["repeated"])


def test_a_template_is_for_those_who_are_assigned_or_added_if_anybody_is(store):
    spb(store, "label", "new", "t", "small", "--items", "6")
    anybody = spb(store, "label", "template", "t", "--people", "adaa")
    spb(store, "label", "assign", "t", "--people", "ada,ben")
    spb(store, "label", "people", "add", "cleo")

    with pytest.raises(SpbError) as refused:
        spb(store, "label", "template", "t", "--people", "adaa")
    added = spb(store, "label", "template", "t", "--people", "cleo")

    assert (anybody.exit_code, added.exit_code) == (0, 0)
    words = str(refused.value)
    assert words.startswith("unknown labeller 'adaa'; ")
    assert f"spb label assign t --people adaa --store {store}; choose from: ada, ben" in words


def test_the_agreement_of_a_task_is_one_number_in_its_status_and_in_the_measure(store):
    spb(store, "label", "new", "t", "small", "--items", "1000", "--kind", "preference", "--select", "random")
    spb(store, "label", "assign", "t", "--people", "ada,ben")
    database = open_database(Store(store))
    for person, answers in (("ada", ("left", "right", "tie")), ("ben", ("left", "left", "tie"))):
        number = 0
        while (item := next_item(database, "t", person)) is not None:
            save(database, "t", person, item.place, answers[number % 3], submission=fresh())
            number += 1
    database.close()
    spb(store, "label", "write", "t")

    status = json.loads(spb(store, "label", "status", "t", "--format", "json").stdout)
    words = " ".join(spb(store, "label", "status", "t").stdout.split())
    (row,) = json.loads(spb(store, "measure", "annotators", "small", "--format", "json").stdout)["rows"]

    for name in ("kappa", "pairwise_kappa", "alpha"):
        for each in (name, f"{name}_low", f"{name}_high"):
            assert status[each] == row[each], each
    assert status["kappa"] is not None
    assert status["n_shared"] == row["n_items"]
    assert status["pairs"][0]["people"] == ["ada", "ben"]
    assert status["agreement_reason"] is None
    assert "count which answer is better as stored, first or second" in words
    for person in status["rows"]:
        assert person["items"] == person["of"] - person["repeated"]
        assert person["items_done"] == person["done"] - person["repeated_done"]


@pytest.mark.parametrize(("selection", "is_said"), [("equal", True), ("hard", True), ("random", False)])
def test_items_chosen_by_what_judges_said_are_called_no_random_sample(store, selection, is_said):
    created = spb(store, "label", "new", "t", "small", "--items", "4", "--select", selection)

    assert created.exit_code == 0, created.stderr
    words = f"items selected by {selection} are no random sample: how often judges and people agree on them"
    assert (words in created.stderr) is is_said


def test_an_answer_cannot_tell_is_done_but_counts_in_no_agreement(store):
    database = open_database(Store(store))
    texts = [ItemTexts(f"question {n}", ("answer",), criterion="is short") for n in range(3)]
    items = [Item(each, Hidden(instance_id=f"x{n}", models=("alpha",))) for n, each in enumerate(texts)]
    task(database, items, people=("ann", "bo"), kind="rubric_verdict")
    for name, values in (("ann", ["met", "cannot_tell", "cannot_tell"]), ("bo", ["met", "met", "met"])):
        for value in values:
            place = next_item(database, "t", name).place
            save(database, "t", name, place, value, submission=fresh(), seconds=2)
    database.close()

    watched = " ".join(spb(store, "label", "status", "t").stdout.split())
    rows = json.loads(spb(store, "label", "status", "t", "--format", "json").stdout)

    assert (
        '2 answers are "cannot tell": like skips, done but no label, and left out of agreement and of the '
        "reference."
    ) in watched
    assert [row["done"] for row in rows["rows"]] == [3, 3]
    assert rows["differ"] == 0


def test_only_selections_that_have_items_are_suggested(store):
    with pytest.raises(SpbError) as refused:
        spb(store, "label", "new", "t", "small", "--select", "scores")

    assert "or take a selection of which this study has items: equal, hard" in str(refused.value)
    assert "disagreement" not in str(refused.value)


def test_scores_of_a_study_of_pairs_name_what_scores_need_and_what_can_be_labelled(tmp_path):
    rows = [
        "judge,model_a,model_b,question,winner,answer_a,answer_b",
        "j,a,b,q,A,So.,No.",
        "k,a,b,q,B,So.,No.",
    ]
    (tmp_path / "p.csv").write_text("\n".join(rows), "utf-8")
    texts = ("--map", "response=answer_a", "--map", "opponent_response=answer_b")
    spb(tmp_path, "import", str(tmp_path / "p.csv"), "--study", "pairs", *texts)

    with pytest.raises(SpbError) as refused:
        spb(tmp_path, "label", "new", "t", "pairs", "--kind", "score")

    words = str(refused.value)
    assert words.startswith("a task of scores needs criteria with a scale (options)")
    assert "this study has items: random (--kind preference or equal_pair)" in words
    assert "spb import" not in words


def test_a_file_of_which_every_column_is_read_is_said_to_have_no_texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.csv").write_text("judge,model,question,verdict\na,a,q,yes\nb,a,q,no\n", "utf-8")
    (tmp_path / "w.csv").write_text("judge,model,question,verdict,body\na,a,q,yes,x\nb,a,q,no,y\n", "utf-8")
    spb(tmp_path, "import", "v.csv", "--study", "bare")
    spb(tmp_path, "import", "w.csv", "--study", "spare")

    problems = []
    for study in ("bare", "spare"):
        with pytest.raises(SpbError) as refused:
            spb(tmp_path, "label", "new", "t", study)
        problems.append(str(refused.value))

    assert (
        "no column of v.csv has the answers' texts, as each is read as something else: add one" in problems[0]
    )
    assert "no column of" not in problems[1]
    assert "import the file again with its column of the answers' texts: `spb import w.csv" in problems[1]


def test_a_token_is_printed_once_and_never_listed(store):
    token = token_in(spb(store, "annotators", "add", "ann", "--role", "coordinator").stdout)

    listing = spb(store, "annotators", "list").stdout

    assert listing.split("\t")[:2] == ["ann", "coordinator"]
    assert token not in listing


@pytest.mark.parametrize(
    ("words", "message"),
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
def test_an_impossible_request_is_refused_with_the_reason(store, words, message):
    with pytest.raises(SpbError, match=message):
        spb(store, *words)


def labelled(store):
    """A task `t` of two items for two people each, labelled by the only person assigned."""
    for name in ("ann", "bo"):
        spb(store, "annotators", "add", name)
    spb(store, "annotations", "create", "t", "--study", "small", "--items", "4", "--overlap", "2")
    shared = spb(store, "annotations", "assign", "t", "--to", "ann")
    database = open_database(Store(store))
    while (item := next_item(database, "t", "ann")) is not None:
        save(database, "t", "ann", item.place, "equal", submission=fresh())
    database.close()
    return shared


def test_items_that_lack_annotators_are_reported_until_they_are_assigned(store):
    shared = labelled(store)
    then = spb(store, "annotations", "assign", "t", "--to", "bo")

    assert "4 items with fewer labellers than the task's overlap" in shared.stderr
    assert "fewer people" not in then.stderr


def test_a_name_with_a_comma_can_be_assigned(store):
    for name in ("ann", "bo", "Doe, Jane"):
        spb(store, "annotators", "add", name)
    spb(store, "annotations", "create", "t", "--study", "small", "--items", "4")

    shared = spb(store, "label", "assign", "t", "--people", "ann, bo", "--people", "Doe, Jane")

    assert shared.stderr == "ann: 4 new items\nbo: 4 new items\nDoe, Jane: 4 new items\n"


def test_labels_are_exported_to_a_file_and_imported_from_it(store, tmp_path):
    labelled(store)
    path = str(tmp_path / "labels.csv")

    export = spb(store, "annotations", "export", "t", "--to", path)
    assert Store(store).open("small").table("annotations").num_rows == 0
    importing = spb(store, "annotations", "import", path, "--study", "small")

    assert "4 labels of the task t" in export.stderr
    assert "small: 4 labels, 0 references and 0 preferences" in importing.stderr
    assert Store(store).open("small").table("annotations").num_rows == 4


def two_labels_beside_a_truth(spb_here: Spb, tmp_path: Path) -> tuple[Path, tuple[object, ...]]:
    """Return a file in which Ann labels both criteria of a task, and the store of the study and the task.

    The truth of the study says met of both, Ann of the first.
    """
    lines = ["judge,model,question,check,answer,verdict,truth"]
    judges, models = ("gpt-4o", "claude-3"), ("a", "b")
    lines += [f"{judge},{model},q,c,by {model},pass,pass" for judge in judges for model in models]
    (tmp_path / "verdicts.csv").write_text("\n".join(lines), "utf-8")
    path, store = tmp_path / "labels.csv", ("--store", tmp_path / "store")
    assert spb_here("import", tmp_path / "verdicts.csv", *store).returncode == 0
    task = spb_here("label", "new", "t", "verdicts", "--items", "2", "--select", "random", *store)
    assert task.returncode == 0, task.stderr
    assert spb_here("label", "template", "t", "--people", "Ann", "--out", path, *store).returncode == 0
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, value in zip(rows, ("met", "not_met"), strict=True):  # the truth says met of both
        row["value"] = value
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)

    return path, store


def test_an_import_says_what_labels_do_to_the_reference_how_they_are_compared_and_what_undoes_it(
    spb_here: Spb, tmp_path: Path
) -> None:
    path, store = two_labels_beside_a_truth(spb_here, tmp_path)

    importing = spb_here("label", "import", path, "verdicts", *store)

    lines = importing.stderr.splitlines()
    assert (
        "these labels count in the reference `human`, now the majority of human:unnamed and human:Ann; it "
        "leaves 1 case undecided, where they split"
    ) in lines
    place = f"--store {tmp_path / 'store'}"
    alone = "the reference without them is human:unnamed: spb judges verdicts --reference human:unnamed"
    assert f"{alone} {place}" in lines
    comparing = "spb measure reference-agreement verdicts"
    assert f"compare them, each person with the others: {comparing} {place}" in lines
    removing = f"spb label write t --remove {place}"
    assert f"take the labels of t out of the study again: {removing}" in lines
    compared = spb_here(*comparing.split()[1:], *store, "--format", "json")
    (row,) = json.loads(compared.stdout)["rows"]
    assert (row["a"], row["b"], row["n"], row["agreement"]) == ("human:unnamed", "human:Ann", 2, 0.5)


def test_labels_are_taken_out_of_the_study_and_written_again(spb_here: Spb, tmp_path: Path) -> None:
    path, store = two_labels_beside_a_truth(spb_here, tmp_path)
    spb_here("label", "import", path, "verdicts", *store)

    def sources() -> set[str]:
        return set(Store(tmp_path / "store").open("verdicts").table("references")["source"].to_pylist())

    again = spb_here("label", "write", "t", *store)
    assert sources() == {"human", "human:Ann"}
    removed = spb_here("label", "write", "t", "--remove", *store)
    assert sources() == {"human"}
    written = spb_here("label", "write", "t", *store)
    assert sources() == {"human", "human:Ann"}
    refused = spb_here("label", "write", "t", "--remove", "--out", tmp_path / "t.csv", *store)

    counts = "verdicts: 2 labels, 2 references and 0 preferences of the task t"
    assert again.stderr.splitlines()[0] == f"{counts}, none of them new: the study has them already"
    assert removed.stderr == f"{counts} taken out; the task still has its labels\n"
    assert written.stderr.splitlines()[0] == counts
    assert (refused.returncode, "--remove and --out cannot be combined" in refused.stderr) == (2, True)


def test_nobody_new_is_called_unnamed(spb_here: Spb, tmp_path: Path) -> None:
    path, store = two_labels_beside_a_truth(spb_here, tmp_path)
    path.write_text(path.read_text("utf-8").replace(",Ann,", ",unnamed,"), "utf-8")

    added = spb_here("label", "people", "add", "unnamed", *store)
    imported = spb_here("label", "import", path, "verdicts", *store)

    assert (added.returncode, imported.returncode) == (2, 2)
    assert "'unnamed' is that of labels without a person's name" in added.stderr
    assert "row 1: annotator is 'unnamed'" in imported.stderr


def test_a_template_filled_in_elsewhere_counts_in_the_status_and_list_of_its_task(store, tmp_path):
    spb(store, "label", "new", "t", "small", "--items", "4")
    path = tmp_path / "labels.csv"

    written = spb(store, "label", "template", "t", "--people", "ann,bob", "--out", str(path))
    path.write_text(path.read_text("utf-8").replace(",,ann,", ",left,ann,", 3), "utf-8")
    importing = spb(store, "label", "import", str(path), "--study", "small")
    (row,) = json.loads(spb(store, "label", "status", "t", "--format", "json").stdout)["rows"]
    (task,) = json.loads(spb(store, "label", "list", "--format", "json").stdout)["rows"]

    assert "fill in `value`: left, equal or right" in written.stderr
    assert "new labellers: ann\n3 labels count in the progress of the task t" in importing.stderr
    assert (row["annotator"], row["done"], row["of"]) == ("ann", 3, 4)
    assert (task["task"], task["annotators"], task["done"], task["of"]) == ("t", ["ann"], 3, 4)


def test_a_dry_run_says_what_a_file_of_labels_would_replace_and_writes_nothing(store, tmp_path):
    spb(store, "label", "new", "t", "small", "--items", "4")
    path, mended = tmp_path / "labels.csv", tmp_path / "mended.csv"
    spb(store, "label", "template", "t", "--people", "ann", "--out", str(path))
    path.write_text(path.read_text("utf-8").replace(",,ann,", ",left,ann,", 3), "utf-8")
    mended.write_text(path.read_text("utf-8").replace(",left,ann,", ",equal,ann,", 2), "utf-8")

    def state() -> tuple[list[str | None], object]:
        rows = Store(store).open("small").table("annotations").to_pylist()
        return [row["value"] for row in rows], spb(
            store, "label", "people", "list", "--format", "json"
        ).stdout

    nothing = state()
    first = spb(store, "label", "import", str(path), "small", "--dry-run")
    assert state() == nothing
    assert spb(store, "label", "import", str(path), "small").exit_code == 0
    imported = state()
    second = spb(store, "label", "import", str(mended), "small", "--dry-run", "--format", "json")
    assert state() == imported != nothing

    assert first.stderr.splitlines() == [
        f"small: 3 labels, 0 references and 0 preferences of {path}",
        "1 row without a value left out",
        "new labellers: ann",
        f"3 labels count in the progress of the task t: spb label status t --store {store}",
        "dry run: nothing was written",
    ]
    assert "in place of 2 earlier labels with another value" in second.stderr.splitlines()
    (counts,) = json.loads(second.stdout)["rows"]
    assert (counts["dry_run"], counts["annotations"], counts["replaced"]) == (True, 3, 2)


def test_a_dry_run_refuses_the_labels_that_an_import_refuses(spb_here, store, tmp_path):
    spb(store, "label", "new", "t", "small", "--items", "4")
    path = tmp_path / "labels.csv"
    spb(store, "label", "template", "t", "--people", "ann", "--out", str(path))
    path.write_text(path.read_text("utf-8").replace(",,ann,", ",above,ann,", 1), "utf-8")

    dry = spb_here("label", "import", path, "small", "--dry-run", "--store", store)
    real = spb_here("label", "import", path, "small", "--store", store)

    assert (dry.returncode, real.returncode) == (2, 2)
    assert "value is 'above'" in dry.stderr
    assert dry.stderr == real.stderr


def test_a_list_of_tasks_counts_each_item_once_as_the_status_does(tmp_path):
    store = tmp_path / "store"
    shutil.copytree(ROOT / "results" / "demo-health", store / "demo-health")
    spb(store, "label", "new", "t", "demo-health", "--items", "40")
    spb(store, "label", "assign", "t", "--people", "ann,bob")
    options = ("--format", "json")
    (task,) = json.loads(spb(store, "label", "list", *options).stdout)["rows"]
    people = json.loads(spb(store, "label", "status", "t", *options).stdout)["rows"]

    (line,) = (line for line in spb(store, "label", "list").stdout.splitlines() if line.startswith("t "))

    once = sum(row["of"] - row["repeated"] for row in people)
    assert task["of"] > once  # some are shown a second time
    assert line.split()[-3:-1] == ["0", str(once)]


@pytest.mark.parametrize("name", ["bad name/x", ".hidden", ""])
def test_a_task_has_a_name_that_a_study_could_have(store, name):
    with pytest.raises(SpbError, match=r"the task name .* choose a plain name"):
        spb(store, "label", "new", name, "small", "--items", "4")


def test_a_template_without_questions_says_so_and_has_no_empty_column(tmp_path):
    table, path = tmp_path / "t.csv", tmp_path / "labels.csv"
    table.write_text(
        "judge,model,question,criterion,verdict,answer\na,a,q,c,yes,So.\nb,a,q,c,no,So.\n", "utf-8"
    )
    spb(tmp_path, "import", str(table), "--study", "texts")
    spb(tmp_path, "label", "new", "t", "texts", "--kind", "rubric_verdict", "--select", "random")

    written = spb(tmp_path, "label", "template", "t", "--out", str(path))

    assert (
        path.read_text("utf-8").splitlines()[0] == "task,item,kind,criterion,answer,value,annotator,comment"
    )
    assert "the items have no questions to read, as texts has no texts of them" in written.stderr
    assert "--map prompt=COLUMN --study texts --replace --store" in written.stderr
    path.write_text(path.read_text("utf-8").replace("So.,,,", "So.,met,ann,"), "utf-8")
    assert "1 label counts" in spb(tmp_path, "label", "import", str(path), "texts").stderr


def test_a_template_names_a_criterion_without_a_text_by_its_id(tmp_path):
    table, path = tmp_path / "t.csv", tmp_path / "labels.csv"
    table.write_text(
        "judge,model,question,aspect,verdict,answer\na,a,q,tone,yes,So.\nb,a,q,tone,no,So.\n", "utf-8"
    )
    spb(tmp_path, "import", str(table), "--study", "texts", "--map", "rubric_id=aspect")
    spb(tmp_path, "label", "new", "t", "texts", "--kind", "rubric_verdict", "--select", "random")

    spb(tmp_path, "label", "template", "t", "--out", str(path))

    with path.open(encoding="utf-8", newline="") as file:
        assert [row["criterion"] for row in csv.DictReader(file)] == ["tone"]


def test_answers_that_cannot_tell_are_counted_apart_from_references(tmp_path):
    lines = [f"a,m,q{n},c,yes,So.\nb,m,q{n},c,no,So." for n in range(3)]
    table, path = tmp_path / "t.csv", tmp_path / "labels.csv"
    table.write_text("\n".join(["judge,model,question,criterion,verdict,answer", *lines]), "utf-8")
    spb(tmp_path, "import", str(table), "--study", "texts")
    spb(tmp_path, "label", "new", "t", "texts", "--kind", "rubric_verdict", "--select", "random")
    spb(tmp_path, "label", "template", "t", "--people", "ann", "--out", str(path))
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        for row, value in zip(rows, ("met", "cannot_tell", "not_met"), strict=True):
            writer.writerow(row | {"value": value})

    imported = spb(tmp_path, "label", "import", str(path), "texts")
    again = spb(tmp_path, "label", "write", "t", "--format", "json")
    removed = spb(tmp_path, "label", "write", "t", "--remove")

    words = '3 labels (1 "cannot tell"), 2 references and 0 preferences'
    assert f"texts: {words} of {path}\n" in imported.stderr
    (counts,) = json.loads(again.stdout)["rows"]
    assert (counts["annotations"], counts["references"], counts["undecided"]) == (3, 2, 1)
    assert f"texts: {words} of the task t taken out" in removed.stderr


def test_a_template_names_the_file_that_was_written_and_how_each_labeller_gets_one(store, tmp_path):
    spb(store, "label", "new", "t", "small", "--items", "4")
    own, anybodys = str(tmp_path / "ana.csv"), str(tmp_path / "all.csv")

    of_ana = spb(store, "label", "template", "t", "--people", "ana", "--out", own)
    of_all = spb(store, "label", "template", "t", "--out", anybodys)

    place = f"--store {store}"
    assert f"then: spb label import {own} small {place}\n" in of_ana.stderr
    assert f"then: spb label import {anybodys} small {place}\n" in of_all.stderr
    command = f"spb label template t --people ana --out ana.csv {place}\n"
    assert of_all.stderr.count(command) == 1
    assert command not in of_ana.stderr
    spb(store, "label", "assign", "t", "--people", "bo")
    assigned = spb(store, "label", "template", "t", "--out", str(tmp_path / "more.csv"))
    assert f"such as bo: spb label template t --people bo --out bo.csv {place}\n" in assigned.stderr


def test_a_task_can_be_closed_and_reopened(store):
    labelled(store)

    closed = spb(store, "label", "close", "t")
    database = open_database(Store(store))
    with pytest.raises(SpbError, match="'t' is closed"):
        save(database, "t", "ann", 1, "left", submission=fresh())
    database.close()
    opened_again = spb(store, "label", "close", "t", "--reopen")

    assert (closed.stderr, opened_again.stderr) == ("t is closed\n", "t is open\n")


def test_whoever_assigns_a_closed_task_is_told_how_to_open_it(store):
    labelled(store)
    spb(store, "label", "close", "t")

    assigned = spb(store, "label", "assign", "t", "--people", "bo")

    opening = f"t is closed and takes no labels; open it with: spb label close t --reopen --store {store}"
    assert opening in assigned.stderr.splitlines()


def test_names_between_semicolons_are_not_one_new_person(store):
    spb(store, "label", "new", "t", "small", "--items", "4")

    with pytest.raises(SpbError, match="'ann; bo' is one name; separate names by commas: ann,bo"):
        spb(store, "label", "assign", "t", "--people", "ann; bo")


@pytest.mark.parametrize(
    ("study", "selection"),
    [("demo-pairs", "equal"), ("demo-health", "disagreement"), ("demo-orders", "disagreement")],
)
def test_without_a_selection_the_first_that_has_items_is_taken(
    spb_here: Spb, tmp_path: Path, study: str, selection: str
) -> None:
    shutil.copytree(ROOT / "results" / study, tmp_path / study)

    done = spb_here("label", "new", "task", study, "--items", "5", "--store", tmp_path)

    assert done.returncode == 0, done.stderr
    assert f"task: 5 items, selected by {selection}" in done.stderr


def test_of_a_kind_of_task_without_items_the_reason_is_that_of_its_selection(
    spb_here: Spb, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "results" / "demo-health", tmp_path / "demo-health")

    refused = spb_here("label", "new", "task", "demo-health", "--kind", "score", "--store", tmp_path)

    assert refused.returncode == 3
    assert "a task of scores needs criteria with a scale (options)" in refused.stderr


def test_a_link_to_this_computer_says_so(store):
    spb(store, "label", "new", "t", "small", "--items", "4")
    spb(store, "label", "assign", "t", "--people", "bo")

    here = spb(store, "label", "people", "renew", "bo")
    there = spb(store, "label", "people", "renew", "bo", "--address", "https://example.org")

    assert "opens on this computer alone, while `spb open` runs" in here.stderr
    assert "this computer" not in there.stderr


def test_an_item_without_the_zeros_before_its_number_is_still_that_item(store, tmp_path):
    spb(store, "label", "new", "t", "small", "--items", "4")
    path = tmp_path / "labels.csv"
    spb(store, "label", "template", "t", "--people", "ann", "--out", str(path))
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    assert all(row["item"].startswith("0") for row in rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(row | {"item": row["item"].lstrip("0"), "value": "equal"} for row in rows)

    imported = spb(store, "label", "import", str(path), "small")

    assert imported.exit_code == 0, imported.stderr
    assert f"{len(rows)} labels" in imported.stderr
