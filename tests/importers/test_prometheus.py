"""`spb import prometheus`: responses with a score rubric, and the scores of GPT-4 or of people."""

import json
from pathlib import Path

import pytest

from engine.errors import BadInputError
from engine.importers.formats.prometheus import import_prometheus
from engine.store import Store

MT_BENCH = Path(__file__).resolve().parents[3] / "shared" / "data" / "prometheus" / "mt_bench_eval.jsonl"
needs_file = pytest.mark.skipif(not MT_BENCH.exists(), reason="needs ../shared/data/prometheus")
PROMPT = """###Task Description: score it.

###The instruction to evaluate:
{request}

###Response to evaluate:
A haiku.
With two lines.

###Reference Answer (Score 5):
Three lines.

###Score Rubrics:
[Is it a haiku?]
Score 1: Not at all.
Score 2: Nearly.
Score 3: It is.

###Feedback: """


def line(request="Write a haiku.", **changed):
    columns = {
        "idx": 7,
        "response_source": "vicuna_13b",
        "instruction": PROMPT.format(request=request),
        "gpt4_score": [3, None, 2],
        "gpt4_feedback": ["good", "??", "nearly"],
    }
    return json.dumps(columns | changed)


def imported(folder, *lines):
    path = folder / "mine.jsonl"
    path.write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")
    import_prometheus(path, Store(folder / "store"))
    return Store(folder / "store").open("mine")


def test_a_prompt_is_split_into_its_parts_and_each_repeat_is_a_judgment(tmp_path):
    files = imported(tmp_path, line())

    (instance,) = files.table("instances").to_pylist()
    assert json.loads(instance["prompt"]) == [{"role": "user", "content": "Write a haiku."}]
    assert instance["reference_answer"] == "Three lines."
    (response,) = files.table("responses").to_pylist()
    assert (response["generator"], response["text"]) == ("vicuna_13b", "A haiku.\nWith two lines.")
    (rubric,) = files.table("rubrics").to_pylist()
    assert rubric["criterion"] == "Is it a haiku?"
    assert [option["score"] for option in json.loads(rubric["options"])] == [1, 2, 3]
    rows = sorted(files.table("judgments").to_pylist(), key=lambda row: row["trial"])
    assert [(row["status"], row["score"], row["position"]) for row in rows] == [
        ("ok", 3.0, 3),
        ("unparsed", None, None),
        ("ok", 2.0, 2),
    ]
    assert [row["explanation"] for row in rows] == ["good", "??", "nearly"]


def test_the_users_turns_of_a_dialogue_are_kept(tmp_path):
    dialogue = "User: Write a haiku.\n\nAssistant: (mine)\n\nUser: Shorter!\n\nAssistant: "

    files = imported(tmp_path, line(dialogue))

    (instance,) = files.table("instances").to_pylist()
    turns = [turn["content"] for turn in json.loads(instance["prompt"])]
    assert turns == ["Write a haiku.", "Shorter!"]


def test_human_scores_are_references(tmp_path):
    files = imported(tmp_path, line(gpt4_score=None, gpt4_feedback=None, human_score=[3, None, 1]))

    rows = files.table("references").to_pylist()
    assert [(row["source"], row["score"]) for row in rows] == [("human:1", 3.0), ("human:3", 1.0)]
    assert files.table("judgments").num_rows == 0


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ("{", "row 2: the line is not JSON"),
        ("[1]", "expected an object"),
        (line(gpt4_score=[9]), "gpt4_score is '9', expected one of 1, 2, 3"),
        (line(gpt4_score=[[3]]), r"gpt4_score is '\[3\]', expected one of 1, 2, 3"),
        (line(gpt4_score=True), "gpt4_score is 'True', expected one of 1, 2, 3"),
        (line(instruction="no sections"), "instruction has no request, `response`, answer and `rubric`"),
        (line(response_source=None), "response_source is 'None', expected a text"),
    ],
)
def test_another_format_is_refused_with_the_line_and_the_expected_form(tmp_path, broken, message):
    with pytest.raises(BadInputError, match=message):
        imported(tmp_path, line(idx=1), broken)


@needs_file
def test_every_response_of_the_published_file_is_there(tmp_path):
    import_prometheus(MT_BENCH, Store(tmp_path))

    files = Store(tmp_path).open("mt_bench_eval")
    entries = [json.loads(each) for each in MT_BENCH.read_text(encoding="utf-8").splitlines()]
    texts = {
        (row["instance_id"], row["generator"]): row["text"] for row in files.table("responses").to_pylist()
    }
    assert len(texts) == len(entries)
    assert all(texts[str(row["idx"]), row["response_source"]] in row["instruction"] for row in entries)
    scores = sum(score is not None for row in entries for score in row["gpt4_score"])
    stored = files.table("judgments").column("status").to_pylist()
    assert stored.count("ok") == scores


def test_a_folder_with_one_possible_file_is_read(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "README.md").write_text("about", "utf-8")
    (folder / "mine.jsonl").write_text(line() + "\n", "utf-8")

    import_prometheus(folder, Store(tmp_path / "store"))

    assert Store(tmp_path / "store").studies() == ["mine"]
    (folder / "other.jsonl").write_text(line() + "\n", "utf-8")
    with pytest.raises(BadInputError, match=r"2 files .*\(mine\.jsonl, other\.jsonl\); import them one"):
        import_prometheus(folder, Store(tmp_path / "store"), "again")
