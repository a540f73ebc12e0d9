"""Data sets fetched as studies: small files in the documented formats, including awkward rows."""

import gzip
import hashlib
import json
import re
import sys
from pathlib import Path

import pydantic
import pytest

from engine.cli import app
from engine.errors import BadInputError
from engine.importers import format_loading as formats
from engine.importers.datasets.catalogue import Dataset, catalogue, fetch
from engine.store import Store

IFEVAL = Path(__file__).parents[3] / "shared" / "data" / "ifeval" / "input_data.jsonl"

NO_COMMA = {
    "key": 7,
    "prompt": "Write, please.",
    "instruction_id_list": ["punctuation:no_comma", "keywords:frequency"],
    "kwargs": [{"num_words": None}, {"keyword": "sea", "frequency": 2, "relation": "at least"}],
}
HEALTH = {
    "prompt_id": "p1",
    "prompt": [{"role": "user", "content": "My knee hurts."}],
    "example_tags": ["theme:hedging", "physician_agreed_category:any-reducible-uncertainty"],
    "rubrics": [
        {"criterion": "Asks when.", "points": 5, "tags": ["level:example", "axis:context_awareness"]},
        {"criterion": "Scares.", "points": -7.5, "tags": []},
    ],
    "ideal_completions_data": {"ideal_completion": "Since when?", "ideal_completions_group": "Group 1"},
    "canary": "x",
}
META = {
    "prompt_id": "p1",
    "prompt": HEALTH["prompt"],
    "completion_id": "c9",
    "completion": "Rest it.",
    "rubric": "Asks when.",
    "category": "cluster:hedging_any",
    "binary_labels": [True, False],
    "anonymized_physician_ids": ["d1", "d2"],
}
ALPACA = {
    "instruction": "Name a star.",
    "output": "Vega.",
    "generator": "text_davinci_003",
    "dataset": "koala",
}
MATH = {
    "problem": "What is $1+1$?",
    "solution": "It is $\\boxed{2}$.",
    "answer": "2",
    "subject": "Algebra",
    "level": 1,
    "unique_id": "test/algebra/1.json",
}
MBPP = {
    "task_id": "Mbpp/2",
    "prompt": '"""\nWrite a function to add.\nassert add(1, 2) == 3\n"""\n',
    "entry_point": "add",
    "canonical_solution": "\ndef add(a, b):\n    return a + b\n",
    "base_input": [[1, 2]],
}


def lines(path, *rows):
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", "utf-8")
    return str(path)


def fetched(tmp_path, name, origin):
    report = fetch(name, Store(tmp_path / "store"), origin=origin)
    files = Store(tmp_path / "store").open(name)
    return report, {
        table: files.table(table).to_pylist() for table in ("instances", "rubrics", "models", "responses")
    }


def test_ifeval_gives_a_rubric_with_checker_and_arguments_for_each_instruction(tmp_path):
    report, tables = fetched(tmp_path, "ifeval", lines(tmp_path / "data.jsonl", NO_COMMA))

    assert [(row["instance_id"], row["prompt"], row["category"]) for row in tables["instances"]] == [
        ("7", "Write, please.", "punctuation")
    ]
    assert [
        (row["rubric_id"], row["checker"], row["checker_kwargs"], row["axis"]) for row in tables["rubrics"]
    ] == [
        ("r1", "punctuation:no_comma", "{}", "punctuation"),
        (
            "r2",
            "keywords:frequency",
            '{"keyword": "sea", "frequency": 2, "relation": "at least"}',
            "keywords",
        ),
    ]
    assert tables["rubrics"][1]["criterion"] == 'The word "sea" occurs at least 2 times in the response.'
    assert tables["models"] == []
    assert any("the catalogue has none to compare it with" in warning for warning in report.warnings)


@pytest.mark.skipif(not IFEVAL.is_file(), reason="needs ../shared/data/ifeval/input_data.jsonl")
def test_the_real_ifeval_has_541_prompts_and_834_instructions(tmp_path):
    _, tables = fetched(tmp_path, "ifeval", str(IFEVAL))

    assert (len(tables["instances"]), len(tables["rubrics"])) == (541, 834)
    assert len({row["category"] for row in tables["instances"]}) == 9
    assert len({row["checker"] for row in tables["rubrics"]}) == 25
    assert all(row["criterion"] for row in tables["rubrics"])


def test_healthbench_gives_points_axes_and_the_physicians_answer(tmp_path):
    plain = {**HEALTH, "prompt_id": "p2", "example_tags": [], "ideal_completions_data": None}

    _, tables = fetched(tmp_path, "healthbench", lines(tmp_path / "data.jsonl", HEALTH, plain))

    first, second = tables["instances"]
    assert (first["theme"], first["category"]) == ("hedging", "any-reducible-uncertainty")
    assert json.loads(first["prompt"]) == HEALTH["prompt"]
    assert (first["reference_answer"], second["reference_answer"], second["theme"]) == (
        "Since when?",
        None,
        None,
    )
    assert [(row["points"], row["axis"], row["criterion"]) for row in tables["rubrics"][:2]] == [
        (5.0, "context_awareness", "Asks when."),
        (-7.5, None, "Scares."),
    ]


def test_the_meta_evaluation_gives_each_physician_as_a_reference(tmp_path):
    other = {**META, "completion_id": "c1", "completion": "When?", "binary_labels": [True, True]}
    again = {**META, "binary_labels": [False], "anonymized_physician_ids": ["d1"]}

    report, tables = fetched(tmp_path, "healthbench-meta", lines(tmp_path / "data.jsonl", META, other, again))

    references = Store(tmp_path / "store").open("healthbench-meta").table("references").to_pylist()
    assert {(row["generator"], row["source"]): row["met"] for row in references} == {
        ("completion-1", "human:d1"): None,
        ("completion-1", "human:d2"): False,
        ("completion-2", "human:d1"): True,
        ("completion-2", "human:d2"): True,
    }
    assert [(row["generator"], row["text"]) for row in tables["responses"]] == [
        ("completion-1", "Rest it."),
        ("completion-2", "When?"),
    ]
    assert any("1 label contradicted" in warning for warning in report.warnings)


def test_alpaca_eval_numbers_its_instructions_and_keeps_the_baseline(tmp_path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps([{**ALPACA, "instruction": f"{n}"} for n in range(10)]), "utf-8")

    _, tables = fetched(tmp_path, "alpaca-eval", str(path))

    assert [row["instance_id"] for row in tables["instances"]][::9] == ["01", "10"]
    assert tables["instances"][0]["category"] == "koala"
    assert {row["generator"] for row in tables["responses"]} == {"text_davinci_003"}


def test_math500_has_a_rubric_for_the_correct_answer(tmp_path):
    _, tables = fetched(tmp_path, "math500", lines(tmp_path / "data.jsonl", MATH))

    (instance,) = tables["instances"]
    assert (instance["instance_id"], instance["reference_answer"]) == ("test/algebra/1.json", "2")
    assert (instance["category"], instance["theme"]) == ("Algebra", "level 1")
    assert tables["rubrics"][0]["criterion"] == "The final answer is mathematically equal to 2"


def test_mbpp_plus_is_decompressed_and_unquoted(tmp_path):
    path = tmp_path / "data.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(MBPP).encode()))

    _, tables = fetched(tmp_path, "mbpp-plus", str(path))

    (instance,) = tables["instances"]
    assert instance["prompt"] == "Write a Python function.\n\nWrite a function to add.\nassert add(1, 2) == 3"
    assert instance["reference_answer"].startswith("def add")
    assert "`add`" in tables["rubrics"][0]["criterion"]


def without(row, field):
    return {name: value for name, value in row.items() if name != field}


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("ifeval", without(NO_COMMA, "key"), "row 1: the field 'key' is missing; it has 'prompt'"),
        ("ifeval", {**NO_COMMA, "key": True}, "key is 'True', expected a whole number"),
        ("ifeval", {**NO_COMMA, "kwargs": [{}]}, "2 instructions and 1 kwargs"),
        ("ifeval", {**NO_COMMA, "kwargs": [{}, {}]}, "'keywords:frequency': missing a required argument"),
        (
            "ifeval",
            {**NO_COMMA, "instruction_id_list": ["a:b", "c:d"]},
            "has 'a:b', expected one of keywords:",
        ),
        ("healthbench", {**HEALTH, "rubrics": []}, "criteria is empty"),
        (
            "healthbench",
            {**HEALTH, "rubrics": [{"criterion": "x", "points": "5"}]},
            "points is '5', expected a number",
        ),
        ("healthbench", {**HEALTH, "prompt": "My knee"}, "prompt is 'My knee', expected a list"),
        ("healthbench", {**HEALTH, "prompt": [{"role": "user"}]}, "the field 'content' is missing"),
        ("healthbench-meta", {**META, "binary_labels": [True]}, "2 physicians and 1 labels"),
        (
            "healthbench-meta",
            {**META, "binary_labels": [1, 0]},
            "binary_labels is '1', expected true or false",
        ),
        ("math500", without(MATH, "unique_id"), "the field 'unique_id' is missing"),
        ("mbpp-plus", {**MBPP, "task_id": 2}, "task_id is '2', expected a text"),
    ],
)
def test_a_changed_format_is_refused_with_the_line_and_the_expected_form(tmp_path, name, row, message):
    with pytest.raises(BadInputError, match=f"data.jsonl, row 1: .*{message.removeprefix('row 1: ')}"):
        fetch(name, Store(tmp_path / "store"), origin=lines(tmp_path / "data.jsonl", row))

    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("ifeval", b"", "the file has no line"),
        ("ifeval", b"<html>404</html>", "row 1: the line is not JSON"),
        ("ifeval", b"[1]\n", "row 1: the line is .*expected an object"),
        ("ifeval", b"\xff\xfe", "byte 0 is not UTF-8"),
        ("ifeval", b"[" * 100_000, "row 1: the line is not JSON"),
        ("mbpp-plus", gzip.compress(b"{}" * 5000, mtime=0)[:-20], "cannot be read"),
        ("alpaca-eval", b"{}", "expected a list of objects"),
        ("alpaca-eval", b"[1]", "row 1: it is '1', expected an object"),
    ],
)
def test_a_broken_file_is_refused(tmp_path, name, content, message):
    path = tmp_path / "data"
    path.write_bytes(content)

    with pytest.raises(BadInputError, match=f"data.*{message}"):
        fetch(name, Store(tmp_path / "store"), origin=str(path))


def test_a_repeated_id_is_refused(tmp_path):
    with pytest.raises(BadInputError, match="instances, row 2"):
        fetch("ifeval", Store(tmp_path / "store"), origin=lines(tmp_path / "data.jsonl", NO_COMMA, NO_COMMA))


def test_a_users_file_with_a_wrong_checksum_is_accepted_with_a_warning(tmp_path):
    origin = lines(tmp_path / "data.jsonl", MATH)

    report, _ = fetched(tmp_path, "math500", origin)

    digest = hashlib.sha256(Path(origin).read_bytes()).hexdigest()
    (warning,) = report.warnings
    assert f"{origin!r} is {digest}, the catalogue has {catalogue()['math500'].sha256}" in warning
    assert warning.endswith("it is another version of the file")


def test_the_list_marks_unpinned_entries(capsys):
    app(["datasets", "list"], standalone_mode=False)

    rows = {line.split("\t")[0]: line.split("\t") for line in capsys.readouterr().out.splitlines()}
    assert {"ifeval", "healthbench", "healthbench-meta", "alpaca-eval", "math500", "mbpp-plus"} < set(rows)
    assert rows["ifeval"][5].startswith("not pinned")
    assert rows["math500"][5] == catalogue()["math500"].sha256
    assert all(row[4].startswith("https://") for row in rows.values())


def test_a_terminal_lists_the_data_sets_in_lines_to_read(monkeypatch, capsys):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)

    app(["datasets", "list"], standalone_mode=False)

    lines = capsys.readouterr().out.splitlines()
    assert "healthbench: HealthBench: 5,000 health conversations with 48,562 rubrics" in lines[4]
    assert lines[4].endswith("(56 MB; licence: MIT)")
    assert lines[5] == "    questions for a run"
    assert len(lines) == 2 * len(catalogue())


def test_every_entry_names_its_measures_and_its_format():
    studies = [entry for entry in catalogue().values() if entry.format]

    assert {entry.format for entry in studies} <= set(formats.row_formats())
    assert all(entry.measures for entry in studies)


def test_every_entry_states_its_source_licence_and_size():
    for entry in catalogue().values():
        assert entry.url.startswith("https://"), entry.name
        assert entry.licence, entry.name
        assert re.search(r"\d[\d.]* MB", entry.size), entry.name


def test_only_entries_at_fixed_addresses_have_checksums():
    for entry in catalogue().values():
        if "/main/" in entry.url or "refs%2F" in entry.url:
            assert entry.sha256 is None, entry.name


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"format": "table", "loader": "a:b"}, "loader or format"),
        ({"format": "table", "files": ("a",), "url": "https://x/y"}, "ends in a slash"),
        ({"loader": "a:b", "files": ("a",)}, "with a format"),
    ],
)
def test_an_unreadable_entry_is_refused(fields, message):
    entry = {"name": "n", "title": "t", "licence": "l", "size": "1 MB", "url": "https://x/"}

    with pytest.raises(pydantic.ValidationError, match=message):
        Dataset(**entry | fields)


def test_arena_hard_is_read_as_a_folder_of_two_judges(tmp_path):
    for judge in ("gpt-4.1", "gemini-2.5"):
        for model in ("gpt-4.1", "gemini-2.5", "o3-2025-04-16"):
            file = tmp_path / "files" / judge / f"{model}.jsonl"
            file.parent.mkdir(parents=True, exist_ok=True)
            games = [{"score": "B>A"}, {"score": "A>>B"}] if judge == model else [{"score": "A=B"}, None]
            rows = [
                {"uid": str(n), "category": "hard_prompt", "judge": judge, "model": model, "games": games}
                for n in range(3)
            ]
            file.write_text("".join(json.dumps(row) + "\n" for row in rows))

    report = fetch("arena-hard-v2", Store(tmp_path / "store"), origin=str(tmp_path / "files"))

    study = Store(tmp_path / "store").open("arena-hard-v2")
    judged = study.judgments(["judge", "generator", "opponent", "first", "choice", "status"]).to_pylist()
    assert len(judged) == 2 * 3 * 3 * 2
    assert {row["opponent"] for row in judged} == {"o3-mini-2025-01-31"}
    own = [row for row in judged if row["judge"] == row["generator"]]
    assert {(row["first"], row["choice"]) for row in own} == {
        ("opponent", "generator"),
        ("generator", "generator"),
    }
    assert report.warnings == []


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("llm-council", "llm-council/lmc_ei.jsonl"),
        (
            "wildbench-gpt35",
            "wildbench/gpt-3.5-turbo-0125.judged-by-gpt-4o-2024-05-13.first60.json",
        ),
        (
            "alpaca-eval-gemma-7b-it",
            "alpaca_eval/gemma-7b-it.weighted_alpaca_eval_gpt4_turbo.first150.json",
        ),
    ],
)
def test_published_studies_are_read_from_their_files(tmp_path, name, path):
    origin = Path(__file__).resolve().parents[3] / "shared" / "data" / path
    if not origin.exists():
        pytest.skip(f"{origin} is not here")

    report = fetch(name, Store(tmp_path / "store"), origin=str(origin))

    assert Store(tmp_path / "store").open(name).has("judgments")
    assert not [warning for warning in report.warnings if warning.startswith("left out")]
