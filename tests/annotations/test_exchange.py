"""Labels in files: exported from a task, imported into a study, and refused if invalid."""

import csv
import itertools
import json

import pyarrow.csv as pacsv
import pytest

from annotations.small import fresh
from annotations.test_results import answered, open_study, rated, verdicts
from engine.annotations import label_rows
from engine.annotations.counted_labels import effective_labels, hidden_of
from engine.annotations.database import open_database
from engine.annotations.disputes import settle_item
from engine.annotations.items import Hidden, Item, ItemTexts
from engine.annotations.label_files import import_labels, write_labels
from engine.annotations.label_rows import annotation_rows, export_task
from engine.annotations.label_templates import template_rows
from engine.annotations.labels import save, skip, undo
from engine.annotations.people import add_person, rename_person
from engine.annotations.progress import activity, progress
from engine.annotations.sampling import Sampling, select
from engine.annotations.shown_items import next_item
from engine.annotations.tasks import assign, create_task
from engine.errors import BadInputError, SpbError, StudyChangedError, UsageError
from engine.explore.filter_choices import choices_of
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.store.writer import replace_tables
from engine.study import Study

LABEL = {
    "annotator": "ann",
    "task": "t",
    "item": "1",
    "kind": "equal_pair",
    "instance_id": "x0",
    "generator": "A",
    "opponent": "B",
    "value": "equal",
}
PREFERENCE = LABEL | {"kind": "preference", "value": "tie"}
CLUSTERS = LABEL | {"kind": "clusters", "generator": None, "opponent": None}
VERDICT = LABEL | {"kind": "rubric_verdict", "opponent": None, "rubric_id": "k0", "value": "met"}


def lines(path, *rows):
    objects = ({name: value for name, value in row.items() if value is not None} for row in rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in objects), "utf-8")
    return path


def plain(rows):
    """Rows in comparable form: times as text, sorted by key."""
    rows = [row | {"created_at": row["created_at"] and str(row["created_at"])[:10]} for row in rows]
    return sorted(rows, key=lambda row: (row["annotator"], row["item"], row["round"]))


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_labels_imported_from_a_file_equal_those_exported_into_the_study(tmp_path, ending):
    study = open_study(rated(6), tmp_path)
    database = open_database(Store(tmp_path / "store"))
    for person in ("ann", "bo"):
        add_person(database, person)
    create_task(database, "t", "small", "equal_pair", select(study, Sampling(number=12)))
    assign(database, "t", ["ann", "bo"])
    while (item := next_item(database, "t", "ann")) is not None:
        details = {"submission": fresh(), "comment": 'a "quoted", word', "seconds": 1.5}
        save(database, "t", "ann", item.place, "left", confidence="guess", **details)
    skip(database, "t", "bo", 1, "other", submission=fresh())
    rows = annotation_rows(database, "t")
    write_labels(rows, tmp_path / f"labels{ending}")

    export_task(database, "t", study.files)
    exported = Store(tmp_path / "store").open("small").table("annotations").to_pylist()
    no_labels = study.files.table("annotations").slice(0, 0)
    replace_tables(Store(tmp_path / "store").open("small"), {"annotations": no_labels})
    counts = import_labels(Store(tmp_path / "store").open("small"), tmp_path / f"labels{ending}")
    imported = Store(tmp_path / "store").open("small").table("annotations").to_pylist()
    database.close()

    assert counts.annotations == len(rows) == 14  # twelve, a hidden repeat, a skip
    assert plain(imported) == plain(exported)


def test_labels_with_the_same_key_are_replaced_and_others_stay(tmp_path):
    study = open_study(rated(2), tmp_path)
    import_labels(
        study.files, lines(tmp_path / "one.jsonl", LABEL, LABEL | {"item": "2", "instance_id": "x1"})
    )

    change = lines(tmp_path / "two.jsonl", LABEL | {"value": "generator"}, LABEL | {"annotator": "bo"})
    import_labels(Store(tmp_path / "store").open("small"), change)

    rows = Store(tmp_path / "store").open("small").table("annotations").to_pylist()
    assert {(row["annotator"], row["item"]): row["value"] for row in rows} == {
        ("ann", "1"): "generator", ("ann", "2"): "equal", ("bo", "1"): "equal"
    }  # fmt: skip


def test_imported_labels_say_that_a_labeller_is_there_under_two_spellings_or_called_like_a_model(tmp_path):
    study = open_study(rated(2), tmp_path)
    import_labels(study.files, lines(tmp_path / "one.jsonl", LABEL))

    more = lines(tmp_path / "two.jsonl", LABEL | {"annotator": "Ann"}, LABEL | {"annotator": "gpt-4.1"})
    counts = import_labels(Store(tmp_path / "store").open("small"), more)

    alike, like_model = counts.cautions
    assert alike.startswith("'Ann' and 'ann' count as 2 people")
    assert like_model.startswith("'gpt-4.1' is called like a model")


def test_imported_verdicts_become_references_of_the_person(tmp_path):
    study = open_study(verdicts(), tmp_path)

    counts = import_labels(study.files, lines(tmp_path / "labels.jsonl", VERDICT))

    assert (counts.annotations, counts.references) == (1, 1)
    rows = Store(tmp_path / "store").open("small").table("references").to_pylist()
    assert [row["met"] for row in rows if row["source"] == "human:ann"] == [True]
    study = Study.open(tmp_path / "store" / "small")
    assert {"human", "human:ann"} <= set(choices_of(study).values["reference"])
    # J finds k0 met, as ann does; the program does not.
    rows = study.result("accuracy", reference="human:ann", resamples=0, min_instances=1).rows
    assert [(row["judge"], row["mra"]) for row in rows if row["judge"] == "J"] == [("J", 1.0)]


def test_a_preference_with_the_pair_reversed_replaces_the_existing_one(tmp_path):
    study = open_study(rated(1), tmp_path)
    preferred = LABEL | {"kind": "preference", "value": "generator"}
    import_labels(study.files, lines(tmp_path / "one.jsonl", preferred))

    swapped = preferred | {"task": "later", "generator": "B", "opponent": "A"}
    import_labels(Store(tmp_path / "store").open("small"), lines(tmp_path / "two.jsonl", swapped))

    rows = Store(tmp_path / "store").open("small").table("preferences").to_pylist()
    assert [(row["generator"], row["opponent"], row["outcome"]) for row in rows] == [("B", "A", 1)]


def test_a_folder_in_exchange_format_is_also_read(tmp_path):
    study = open_study(rated(1), tmp_path)
    (tmp_path / "labels").mkdir()
    lines(tmp_path / "labels" / "annotations.jsonl", LABEL)

    assert import_labels(study.files, tmp_path / "labels").annotations == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([LABEL, LABEL | {"item": "2", "generator": "Z"}], "row 2: generator is 'Z'"),
        ([LABEL | {"instance_id": "x9"}], "row 1: instance_id is 'x9'"),
        (
            [LABEL | {"value": "left"}],
            "row 1: value is 'left'; write generator, equal or opponent, or",
        ),
        ([LABEL | {"kind": "beauty"}], "row 1: kind is 'beauty'"),
        ([LABEL, LABEL | {"value": "generator"}], "row 2: the key"),
        (
            [LABEL, LABEL | {"item": "2", "kind": "preference", "value": "tie"}],
            "row 2: kind is 'preference', and other labels of the task 't' are of 'equal_pair'",
        ),
        ([VERDICT | {"value": "yes"}], "row 1: value is 'yes'; write met, not_met or cannot_tell"),
        (
            [VERDICT | {"rubric_id": None, "generator": None}],
            "row 1: generator and rubric_id are missing from a rubric_verdict; say .*rubric_id: the",
        ),
        ([VERDICT, VERDICT | {"item": "2", "rubric_id": "k9"}], "row 2: rubric_id is 'k9', which question"),
        ([PREFERENCE | {"opponent": None}], "row 1: opponent is missing from a preference"),
        ([PREFERENCE | {"instance_id": None}], "row 1: instance_id is missing from a preference"),
        ([LABEL, LABEL | {"item": "2", "opponent": "A"}], "row 2: opponent is 'A', which is the `generator`"),
        ([VERDICT, VERDICT | {"annotator": "bo", "rubric_id": "k1"}], "row 2: item '1' of task 't' is about"),
        ([CLUSTERS | {"value": '{"A": null, "B": null}'}], "row 1: value is .* write a JSON object"),
        ([CLUSTERS | {"value": '{"A": true, "B": 1}'}], "row 1: value is .* write a JSON object"),
        ([CLUSTERS | {"value": "[" * 5_000}], "row 1: value is .* write a JSON object"),
        ([], "holds no label"),
    ],
)
def test_an_invalid_label_is_refused_with_its_row_and_changes_nothing(tmp_path, rows, message):
    study = open_study(verdicts() if rows and "rubric_id" in rows[0] else rated(1), tmp_path)
    before = study.files.stamp()

    with pytest.raises(BadInputError, match=message):
        import_labels(study.files, lines(tmp_path / "labels.jsonl", *rows))

    assert Store(tmp_path / "store").open("small").stamp() == before


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_label_in_a_column_of_another_name_is_refused_and_not_taken_for_a_withdrawal(tmp_path, ending):
    study = open_study(rated(1), tmp_path)
    row = {"labeler" if name == "annotator" else name: value for name, value in LABEL.items()}
    row["labl"] = row.pop("value")
    path = tmp_path / f"labels.{ending}"
    if ending == "csv":
        path.write_text(",".join(row) + "\n" + ",".join(map(str, row.values())) + "\n", "utf-8")
    else:
        lines(path, row)

    with pytest.raises(BadInputError) as refused:
        import_labels(study.files, path)

    message = str(refused.value)
    assert "unknown columns 'labeler' and 'labl'; 'labeler' is perhaps 'annotator'" in message
    assert "the columns are annotator, task, item, round, kind" in message
    if ending == "csv":
        assert "missing columns 'annotator' and 'value'" in message


def test_all_columns_that_labels_lack_are_named_at_once(tmp_path):
    study = open_study(rated(1), tmp_path)
    path = tmp_path / "labels.csv"
    path.write_text("annotator,item,value\nann,1,met\n", "utf-8")

    missing = r"missing columns 'task' and 'kind'; add .*kind: what"
    with pytest.raises(BadInputError, match=missing) as refused:
        import_labels(study.files, path)

    assert "equal_pair, preference, clusters, rubric_verdict or score" in str(refused.value)
    assert "rubric_verdict needs instance_id, generator and rubric_id" in str(refused.value)


@pytest.fixture
def pairs(tmp_path):
    """A study, and a database with a task `t` of six of its pairs."""
    study = open_study(rated(6), tmp_path)
    database = open_database(Store(tmp_path / "store"))
    create_task(database, "t", "small", "equal_pair", select(study, Sampling(number=6)), seed=5)
    yield study, database
    database.close()


def filled(path, rows, values, annotator="ann"):
    """A file of a template's rows, the nth with the nth value."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        for row, value in itertools.zip_longest(rows, values, fillvalue=""):
            writer.writerow(row | {"value": value, "annotator": annotator if value else ""})
    return path


def test_a_filled_template_is_labels_of_the_study_and_of_the_task(pairs, tmp_path):
    study, database = pairs
    rows, values = template_rows(database, "t"), ["left", "right", "equal", "left"]

    counts = import_labels(study.files, filled(tmp_path / "labels.csv", rows, values), database)

    texts = ["question", "left", "right"]
    assert [*rows[0]] == ["task", "item", "kind", *texts, "value", "annotator", "comment"]
    assert len({row["left"][-1] for row in rows}) > 1  # the end of a text tells its author, the side does not
    assert (counts.in_tasks, counts.unfilled, counts.new_people) == ({"t": 4}, 2, ("ann",))
    better = {
        row["item"]: "ABC"[int(row[value][-1])] if value in row else None
        for row, value in zip(rows, values, strict=False)
    }
    stored = Store(tmp_path / "store").open("small").table("annotations").to_pylist()
    assert {row["item"]: row.get(row["value"]) for row in stored} == better
    of_ann = progress(database, "t", "ann")
    assert (of_ann.done, of_ann.total) == (4, 6)  # the two rows left blank were given to her too
    assert export_task(database, "t", Store(tmp_path / "store").open("small")).annotations == 4


def test_labels_of_another_studys_task_are_refused_with_that_study(pairs, tmp_path):
    study, database = pairs
    gold = Item(ItemTexts("?", ("a", "b")), Hidden(gold="left"), "gold")
    create_task(database, "elsewhere", "large", "preference", [gold])
    rows = [row | {"task": "elsewhere"} for row in template_rows(database, "t")]

    with pytest.raises(
        BadInputError, match="no task of the study 'small'; it is of 'large': import the file"
    ):
        import_labels(study.files, filled(tmp_path / "labels.csv", rows, ["left"]), database)


def test_labels_imported_again_are_not_added_and_changed_ones_replace_the_first(pairs, tmp_path):
    _, database = pairs
    rows, acts = template_rows(database, "t"), []

    for values in (["left", "left"], ["left", "left"], ["left", "equal"]):
        files = Store(tmp_path / "store").open("small")
        import_labels(files, filled(tmp_path / "labels.csv", rows, values), database)
        acts.append(activity(database, "t", "ann"))

    assert acts == [(2, 6), (2, 6), (3, 6)]
    assert "equal" in [label.value for label in effective_labels(database, "t")]


def test_levels_of_a_template_belong_to_the_answers_in_their_order_and_gold_stays_out_of_the_study(tmp_path):
    study = open_study(rated(2), tmp_path)
    database = open_database(Store(tmp_path / "store"))
    gold = Item(ItemTexts("?", ("a", "b", "c")), Hidden(gold=[1, 1, 2]), "gold")
    items = select(study, Sampling("hard", "clusters", 2, cluster=3))
    create_task(database, "t", "small", "clusters", [*items, gold])
    rows = template_rows(database, "t")

    counts = import_labels(study.files, filled(tmp_path / "l.csv", rows, ["1 2 3"] * 3), database)

    levels = {
        row["item"]: {"ABC"[int(row[f"answer_{k}"][-1])]: k for k in (1, 2, 3)}
        for row in rows
        if row["answer_1"].startswith("answer")
    }
    stored = Store(tmp_path / "store").open("small").table("annotations").to_pylist()
    assert {row["item"]: json.loads(row["value"]) for row in stored} == levels
    assert (len(levels), counts.in_tasks, counts.annotations) == (2, {"t": 3}, 2)
    with pytest.raises(BadInputError, match="row 1: value is '1 2'; write a level for each answer"):
        import_labels(study.files, filled(tmp_path / "l.csv", rows, ["1 2"]), database)
    for value in ("[" * 5_000, "[1]", '{"A": 1}', '{"A": 1, "B": 1, "C": "high"}'):
        odd = lines(tmp_path / "odd.jsonl", {**stored[0], "created_at": None, "value": value})
        with pytest.raises(BadInputError, match=r"row 1: value is .* write a JSON object of models"):
            import_labels(Store(tmp_path / "store").open("small"), odd, database)
    database.close()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": "generator"}, "row 2: value is 'generator'; write left, equal or right"),
        ({"item": "99"}, "row 2: item is '99', which the task 't' does not have; .*spb label template t"),
        ({"task": "u"}, "row 2: task is 'u', which is no task of the study 'small'; choose from: t"),
        ({"annotator": ""}, "row 2: annotator is"),
    ],
)
def test_a_row_that_is_no_label_of_the_task_is_named_and_nothing_is_changed(pairs, tmp_path, change, message):
    study, database = pairs
    rows = template_rows(database, "t")[:2]
    rows = [row | {"value": "left", "annotator": "ann"} for row in rows]
    before = study.files.stamp()
    path = lines(tmp_path / "labels.jsonl", rows[0], rows[1] | change)

    with pytest.raises(BadInputError, match=message):
        import_labels(study.files, path, database)

    assert Store(tmp_path / "store").open("small").stamp() == before
    assert effective_labels(database, "t") == []


def references(tmp_path):
    """The verdicts of people in the study, by source and rubric."""
    rows = Store(tmp_path / "store").open("small").table("references").to_pylist()
    return {(row["source"], row["rubric_id"]): row["met"] for row in rows if row["source"] != "program"}


def test_a_score_is_written_as_it_was_given(tmp_path):
    study = open_study(verdicts(), tmp_path)
    database = open_database(Store(tmp_path / "store"))
    add_person(database, "ann")
    scores = (0.0, 1 / 3, 1_234_567.0)
    texts = ItemTexts(None, ("the answer",), None, tuple((score, "words") for score in scores))
    items = [Item(texts, Hidden("x0", ("A",), f"k{k}")) for k in range(3)]
    create_task(database, "t", "small", "score", items)
    assign(database, "t", ["ann"])
    for place, score in enumerate(scores, start=1):
        save(database, "t", "ann", place, score, submission=fresh())
    export_task(database, "t", study.files)
    values = sorted(row["value"] for row in annotation_rows(database, "t"))
    database.close()

    rows = Store(tmp_path / "store").open("small").table("references").to_pylist()
    assert sorted(row["score"] for row in rows if row["source"] == "human:ann") == list(scores)
    assert values == ["0", "0.3333333333333333", "1234567"]


def test_a_reference_goes_with_the_label_that_it_came_from(tmp_path):
    study = open_study(verdicts(), tmp_path)
    database = open_database(Store(tmp_path / "store"))
    for name, role in (("ann", "annotator"), ("bo", "annotator"), ("cy", "coordinator")):
        add_person(database, name, role)
    create_task(database, "t", "small", "rubric_verdict", select(study, Sampling("disagreement")))
    assign(database, "t", ["ann", "bo"])
    rubrics = {item: hidden.rubric_id for item, hidden in hidden_of(database, "t", "item").items()}
    (first_key, first), (_, second) = sorted(rubrics.items())
    for name in ("ann", "bo"):
        for place in (1, 2):
            save(database, "t", name, place, "met", submission=fresh())
    settle_item(database, "t", first_key, "met", by="cy")
    export_task(database, "t", study.files)
    everybody = ("human:ann", "human:bo")
    both = {(source, rubric): True for source in everybody for rubric in (first, second)}
    assert references(tmp_path) == both | {("human:adjudicated", first): True}

    skip(database, "t", "ann", 1, "other", submission=fresh())
    undo(database, "t", "bo", submission=fresh())
    settle_item(database, "t", first_key, None, by="cy")
    rename_person(database, "ann", "anna")
    export_task(database, "t", Store(tmp_path / "store").open("small"))
    rows = [row for row in annotation_rows(database, "t") if row["value"] is not None]
    database.close()

    assert [row["annotator"] for row in rows] == ["anna", "bo"]
    assert references(tmp_path) == {(f"human:{row['annotator']}", row["rubric_id"]): True for row in rows}


def test_labels_of_texts_that_have_changed_since_are_left_out_and_counted(tmp_path):
    before = open_study(rated(4), tmp_path)
    database = open_database(Store(tmp_path / "store"))
    add_person(database, "ann")
    items = select(before, Sampling(kind="preference", number=8))
    create_task(database, "t", "small", "preference", items)
    assign(database, "t", ["ann"])
    for place in range(1, 9):
        save(database, "t", "ann", place, "tie", submission=fresh())
    assert export_task(database, "t", before.files) == label_rows.ExportCounts(8, 0, 8)

    change = rated(3)  # x3 is gone
    change.responses[0]["text"] = "rewritten"  # of A to x0
    change.responses[4]["text"] = None  # of B to x1: nothing to compare
    change.write(tmp_path / "again")
    import_tidy(tmp_path / "again", Store(tmp_path / "store"), "small", mode="replace")
    outdated = [
        item.hidden
        for item in items
        if item.hidden.instance_id == "x3" or (item.hidden.instance_id == "x0" and "A" in item.hidden.models)
    ]
    counts = export_task(database, "t", Store(tmp_path / "store").open("small"))
    database.close()

    assert len(outdated) >= 3
    assert counts == label_rows.ExportCounts(8 - len(outdated), 0, 8 - len(outdated), outdated=len(outdated))


def test_labels_of_a_reworded_rubric_are_left_out(tmp_path):
    worded = verdicts()
    for row in worded.rubrics:
        row["criterion"] = "names a date"
    before = open_study(worded, tmp_path)
    database = open_database(Store(tmp_path / "store"))
    add_person(database, "ann")
    create_task(database, "t", "small", "rubric_verdict", select(before, Sampling("disagreement")))
    assign(database, "t", ["ann"])
    for place in (1, 2):
        save(database, "t", "ann", place, "met", submission=fresh())

    worded.rubrics[1]["criterion"] = "names no date"  # of k1
    worded.rubrics[2]["criterion"] = None  # nothing to compare
    worded.write(tmp_path / "again")
    import_tidy(tmp_path / "again", Store(tmp_path / "store"), "small", mode="replace")
    counts = export_task(database, "t", Store(tmp_path / "store").open("small"))
    database.close()

    assert counts == label_rows.ExportCounts(1, 1, 0, outdated=1)
    assert references(tmp_path) == {("human:ann", "k2"): True}


def test_a_reference_of_another_task_counts_again_once_the_later_one_is_gone(tmp_path):
    study = open_study(verdicts(), tmp_path)
    import_labels(study.files, lines(tmp_path / "one.jsonl", VERDICT))
    later = VERDICT | {"task": "later", "value": "not_met"}
    import_labels(study.files, lines(tmp_path / "two.jsonl", later))
    assert references(tmp_path) == {("human:ann", "k0"): False}

    import_labels(study.files, lines(tmp_path / "three.jsonl", later | {"value": None}))

    assert references(tmp_path) == {("human:ann", "k0"): True}


def test_what_labels_take_the_place_of_is_counted(tmp_path):
    study = open_study(verdicts(), tmp_path)
    second = VERDICT | {"item": "2", "rubric_id": "k1"}
    import_labels(study.files, lines(tmp_path / "one.jsonl", VERDICT, second))
    mended = [VERDICT | {"value": "not_met"}, second]  # one of two has another value
    later = VERDICT | {"task": "later", "value": "not_met"}  # the same person on the same criterion

    again = import_labels(Store(tmp_path / "store").open("small"), lines(tmp_path / "two.jsonl", *mended))
    other = import_labels(Store(tmp_path / "store").open("small"), lines(tmp_path / "three.jsonl", later))

    assert (again.replaced, again.overwritten) == (1, 0)
    assert (other.replaced, other.overwritten) == (0, 1)


def test_labels_of_a_study_with_values_that_no_task_has_can_be_replaced(tmp_path):
    study = open_study(rated(2), tmp_path)
    odd = [
        PREFERENCE | {"value": "better", "round": 1},
        PREFERENCE
        | {"item": "2", "task": "scores", "kind": "score", "rubric_id": "k0", "value": "high", "round": 1},
    ]
    replace_tables(study.files, {"annotations": label_rows.exchange_table("annotations", odd)})
    fixed = lines(tmp_path / "fixed.jsonl", PREFERENCE, odd[1] | {"value": "2"})

    counts = import_labels(Store(tmp_path / "store").open("small"), fixed)

    assert (counts.annotations, counts.references, counts.preferences) == (2, 1, 1)


def test_labels_written_meanwhile_are_not_lost(tmp_path, monkeypatch):
    study = open_study(verdicts(), tmp_path)
    other = lines(tmp_path / "other.jsonl", VERDICT | {"annotator": "bo"})

    def slow(name, rows):
        monkeypatch.undo()
        import_labels(Store(tmp_path / "store").open("small"), other)
        return label_rows.exchange_table(name, rows)

    monkeypatch.setattr(label_rows, "exchange_table", slow)
    with pytest.raises(StudyChangedError, match="changed meanwhile; run the command again"):
        import_labels(study.files, lines(tmp_path / "mine.jsonl", VERDICT))

    rows = Store(tmp_path / "store").open("small").table("annotations").to_pylist()
    assert [row["annotator"] for row in rows] == ["bo"]


def test_an_existing_task_of_another_kind_accepts_no_labels(tmp_path):
    study = open_study(rated(1), tmp_path)
    import_labels(study.files, lines(tmp_path / "one.jsonl", LABEL))
    other = LABEL | {"item": "2", "kind": "preference", "value": "tie"}

    with pytest.raises(BadInputError, match="row 1: kind is 'preference', and other labels of the task 't'"):
        import_labels(Store(tmp_path / "store").open("small"), lines(tmp_path / "two.jsonl", other))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none.jsonl", "there is no file or folder '.*none.jsonl'"),
        ("labels.txt", "is no table of labels by its ending; give a .csv"),
        (".", "has none"),
    ],
)
def test_a_file_without_labels_is_named(tmp_path, name, words):
    study = open_study(rated(1), tmp_path)
    (tmp_path / "labels.txt").write_text("x", "utf-8")

    with pytest.raises(SpbError, match=words):
        import_labels(study.files, tmp_path / name)


def test_an_existing_file_is_not_overwritten_and_the_format_is_named(tmp_path):
    (tmp_path / "there.csv").write_text("mine", "utf-8")

    with pytest.raises(UsageError, match="exists already"):
        write_labels([], tmp_path / "there.csv")
    with pytest.raises(UsageError, match="has no known file ending"):
        write_labels([], tmp_path / "labels.xlsx")


def test_a_file_has_the_columns_of_the_table(tmp_path):
    write_labels([LABEL | {"round": 1}], tmp_path / "labels.csv")

    table = pacsv.read_csv(tmp_path / "labels.csv")
    assert table.column_names[:4] == ["annotator", "task", "item", "round"]
    assert table.to_pylist()[0]["value"] == "equal"


def test_exported_answers_refer_to_responses_whichever_side_they_were_shown_on(tmp_path):
    study = open_study(rated(3), tmp_path)
    database = open_database(Store(tmp_path / "store"))
    add_person(database, "ann")
    items = select(study, Sampling("hard", number=3, cluster=2))
    create_task(database, "t", "small", "clusters", items)
    assign(database, "t", ["ann"])
    answered(database, "ann", {item.texts.responses[0]: [2, 1] for item in items})
    rows = annotation_rows(database, "t")
    database.close()

    assert [json.loads(row["value"]) for row in rows] == [{"A": 2, "B": 1}] * 3


def test_labels_may_be_written_as_people_write_them(tmp_path):
    study = open_study(verdicts(), tmp_path)
    written = ["Met", "not met", " NOT-MET ", "Cannot tell", "  "]
    rows = [VERDICT | {"annotator": f"p{n}", "value": value} for n, value in enumerate(written)]

    import_labels(study.files, lines(tmp_path / "labels.jsonl", *rows))

    stored = Store(tmp_path / "store").open("small").table("annotations").to_pylist()
    assert {row["annotator"]: row["value"] for row in stored} == {
        "p0": "met", "p1": "not_met", "p2": "not_met", "p3": "cannot_tell", "p4": None
    }  # fmt: skip


def test_a_template_may_be_filled_in_capitals(pairs, tmp_path):
    study, database = pairs
    rows = template_rows(database, "t")

    counts = import_labels(study.files, filled(tmp_path / "labels.csv", rows, ["Left", "RIGHT"]), database)

    assert counts.in_tasks == {"t": 2}


def test_a_file_of_something_else_is_told_the_header_line_and_no_more(tmp_path):
    study = open_study(rated(1), tmp_path)
    path = tmp_path / "vets.csv"
    path.write_text("case_no,vet,opinion\nV1,ann,fulfilled\n", "utf-8")

    with pytest.raises(BadInputError) as refused:
        import_labels(study.files, path)

    message = str(refused.value)
    assert (
        "the header line annotator,task,item,kind,value,instance_id,generator,rubric_id (of pairs" in message
    )
    assert len(message) < 400
