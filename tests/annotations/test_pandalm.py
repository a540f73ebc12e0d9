"""`spb import pandalm`: the published labels of three people."""

import json
from pathlib import Path

import pytest

from engine.errors import BadInputError
from engine.importers.formats.pandalm import import_pandalm
from engine.store import Store
from engine.study import Study

PAIRS = Path(__file__).resolve().parents[3] / "shared" / "data" / "pandalm" / "pairs.jsonl"
needs_pandalm = pytest.mark.skipif(not PAIRS.exists(), reason="needs ../shared/data/pandalm/pairs.jsonl")


def line(**changes):
    return {
        "idx": 0,
        "motivation_app": "Letters",
        "cmp_key": "bloom-7b_llama-7b",
        "instruction": "Shorten it.",
        "input": "Dear all",
        "response1": "All",
        "response2": "Dear",
        "annotator1": 0,
        "annotator2": 1,
        "annotator3": 2,
        "gpt35_verdict": "Tie",
        "pandalm_verdict": 2,
    } | changes


def write_lines(folder, *lines):
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    return path


@needs_pandalm
def test_three_people_agree_as_published_and_call_105_pairs_a_tie(tmp_path):
    import_pandalm(PAIRS, Store(tmp_path))

    row = Study.open(tmp_path / "pandalm").result("annotators", resamples=0).rows[0]

    # The study's own figures: Fleiss' kappa .86 of three people on 999 pairs.
    assert row["kappa"] == pytest.approx(0.86, abs=0.005)
    assert (row["n_items"], row["n_annotators"], row["n_equal"]) == (999, 3, 105)


@needs_pandalm
def test_every_line_keeps_its_texts(tmp_path):
    import_pandalm(PAIRS, Store(tmp_path))

    files = Store(tmp_path).open("pandalm")
    texts = {
        (row["instance_id"], row["generator"]): row["text"] for row in files.table("responses").to_pylist()
    }
    pairs = {row["item"]: row for row in files.table("annotations").to_pylist()}
    for each in map(json.loads, PAIRS.read_text(encoding="utf-8").splitlines()):
        pair = pairs[str(each["idx"])]
        for model, field in ((pair["generator"], "response1"), (pair["opponent"], "response2")):
            assert texts[pair["instance_id"], model] == str(each[field])


def test_a_number_of_the_file_becomes_a_label_about_a_model(tmp_path):
    import_pandalm(write_lines(tmp_path, line()), Store(tmp_path / "store"), "p")

    files = Store(tmp_path / "store").open("p")
    rows = files.table("annotations").to_pylist()
    assert [(row["annotator"], row["value"]) for row in rows] == [
        ("annotator1", "tie"),
        ("annotator2", "generator"),
        ("annotator3", "opponent"),
    ]
    assert {(row["generator"], row["opponent"]) for row in rows} == {("bloom-7b", "llama-7b")}


def test_an_answer_without_a_verdict_is_counted_as_missing(tmp_path):
    import_pandalm(write_lines(tmp_path, line(gpt35_verdict="garbage")), Store(tmp_path / "store"), "p")

    rows = Store(tmp_path / "store").open("p").table("judgments").to_pylist()
    assert [(row["judge"], row["choice"], row["status"]) for row in rows] == [
        ("gpt-3.5-turbo", None, "unparsed"),
        ("pandalm-7b", "opponent", "ok"),
    ]


def test_a_second_answer_of_a_model_becomes_a_separate_instance(tmp_path):
    again = line(idx=1, response1="Everybody")

    import_pandalm(write_lines(tmp_path, line(), again), Store(tmp_path / "store"), "p")

    rows = Store(tmp_path / "store").open("p").table("responses").to_pylist()
    assert {(row["instance_id"], row["text"]) for row in rows} == {
        ("1", "All"),
        ("1", "Dear"),
        ("1-2", "Everybody"),
        ("1-2", "Dear"),
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"annotator2": 3}, "row 2: annotator2 is '3'"),
        ({"cmp_key": "bloom-7b"}, "row 2: cmp_key is 'bloom-7b'"),
        ({"response1": None}, "row 2: response1 is 'None'"),
    ],
)
def test_a_line_in_another_format_is_refused_with_its_number(tmp_path, changes, message):
    with pytest.raises(BadInputError, match=message):
        import_pandalm(write_lines(tmp_path, line(), line(**changes)), Store(tmp_path / "store"), "p")
