"""`spb freeze` and `spb reproduce`: the same numbers elsewhere, what differs, and folders from strangers."""

import json
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import Spb
from plain.published import ROOT

from engine.measures.catalogue import MEASURES
from engine.report.frozen import content
from engine.store import Store
from engine.store.checksums import write_parquet
from engine.store.study_files import StudyInfo
from engine.store.writer import replace_tables
from engine.study import Study

MODELS = ("gpt-4o", "claude-3-5-sonnet", "llama-3.1-70b")
FAMILIES = dict(zip(MODELS, ("GPT", "Claude", "Llama"), strict=True))


def write_study(store: Path, name: str = "small") -> None:
    """Write three models' scores of each other's answers to twelve questions."""
    judgments = [
        {
            "judge": judge,
            "generator": model,
            "instance_id": f"q{question}",
            "paradigm": "single_rubric",
            "rubric_id": "r1",
            "met": (question * 7 + 3 * place + 5 * other) % 4 > 0 or judge == model,
        }
        for question in range(12)
        for place, model in enumerate(MODELS)
        for other, judge in enumerate(MODELS)
    ]
    tables = {
        "models": [{"model": model, "family": FAMILIES[model]} for model in MODELS],
        "instances": [{"instance_id": f"q{question}"} for question in range(12)],
        "rubrics": [{"instance_id": f"q{question}", "rubric_id": "r1"} for question in range(12)],
        "judgments": judgments,
    }
    Store(store).write(name, {name: pa.Table.from_pylist(rows) for name, rows in tables.items()}, StudyInfo())


@pytest.fixture(scope="module")
def frozen_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A frozen small study, for copies of it."""
    folder = tmp_path_factory.mktemp("frozen")
    write_study(folder / "store")
    study = Study.open("small", store=folder / "store")
    content.write_frozen(content.content_of(study), folder / "small")
    return folder / "small"


@pytest.fixture
def frozen(frozen_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(frozen_once, tmp_path / "frozen"))


def part_of(frozen: Path) -> Path:
    """Return the file of the frozen study's judgments."""
    return next((frozen / "study" / "judgments").glob("*.parquet"))


def test_a_demonstration_study_freezes_and_gives_the_same_numbers_elsewhere(
    spb_here: Spb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {name: MEASURES[name] for name in ("hspp", "expected", "outside")}
    monkeypatch.setattr(content, "MEASURES", few)

    done = spb_here("freeze", "demo-verifiable", "--store", ROOT / "results", "--out", tmp_path / "first")
    os.rename(tmp_path / "first", tmp_path / "elsewhere")
    again = spb_here("reproduce", tmp_path / "elsewhere", "--format", "json")

    assert done.returncode == 0, done.stderr
    assert "next: spb reproduce" in done.stderr
    assert again.returncode == 0, again.stderr
    answer = json.loads(again.stdout)
    assert (answer["status"], answer["rows"], answer["versions"]) == ("same", [], [])
    numbers = json.loads((tmp_path / "elsewhere" / "numbers" / "hspp.json").read_text("utf-8"))
    printed = spb_here("measure", "hspp", tmp_path / "elsewhere" / "study", "--format", "json")
    rows = json.loads(printed.stdout)["rows"]
    assert numbers["rows"] == [
        {
            field: pytest.approx(value, rel=1e-9) if isinstance(value, float) else value
            for field, value in row.items()
        }
        for row in rows
    ]
    assert answer["compared_rows"] >= len(numbers["rows"])


def test_a_study_in_place_of_its_frozen_folder_is_answered_with_that_folder(
    spb_here: Spb, frozen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = frozen.parent
    (folder / "plain").mkdir()
    monkeypatch.chdir(folder)
    before = spb_here("reproduce", "small")
    frozen.rename(folder / "small-frozen")

    named = spb_here("reproduce", "small")
    other = spb_here("reproduce", "plain")

    assert {answer.returncode for answer in (before, named, other)} == {2}
    for answer in (before, other):
        assert answer.stderr.strip().endswith("give the one that `spb freeze` wrote")
    assert "'small' is not a folder; give the one that `spb freeze` wrote: spb reproduce small-frozen" in (
        named.stderr
    )


def test_a_changed_vote_is_named_with_the_numbers_that_it_changes(spb_here: Spb, frozen: Path) -> None:
    part = part_of(frozen)
    rows = pq.read_table(part)
    names = rows.column_names
    changed = rows.to_pylist()
    assert changed[4]["met"] is True
    changed[4]["met"] = False
    write_parquet(pa.Table.from_pylist(changed, schema=rows.schema).select(names), part)

    done = spb_here("reproduce", frozen, "--format", "json")

    assert done.returncode == 1, done.stderr
    answer = json.loads(done.stdout)
    assert answer["status"] == "differs"
    by_kind: dict[str, list[dict[str, object]]] = {}
    for row in answer["rows"]:
        by_kind.setdefault(row["kind"], []).append(row)
    assert [row["row"] for row in by_kind["file"]] == [f"study/judgments/{part.name}"]
    (vote,) = by_kind["verdict"]
    assert (vote["field"], vote["before"], vote["after"]) == ("met", True, False)
    for name in ("judge", "generator", "instance_id"):
        assert f"{name}={changed[4][name]}" in str(vote["row"])
    assert any(row["table"] == "expected" and row["before"] != row["after"] for row in by_kind["number"])


def test_a_difference_is_printed_as_a_table_and_written_to_a_file(spb_here: Spb, frozen: Path) -> None:
    (frozen / "methods.txt").write_text("other\n", "utf-8")

    shown = spb_here("reproduce", frozen)
    written = spb_here("reproduce", frozen, "--out", frozen.parent / "answer.json")

    assert (shown.returncode, written.returncode) == (1, 1)
    assert "methods.txt" in shown.stdout
    assert json.loads((frozen.parent / "answer.json").read_text("utf-8"))["status"] == "differs"


def test_other_versions_are_named_and_change_nothing_by_themselves(spb_here: Spb, frozen: Path) -> None:
    change_record(frozen, lambda record: record["software"].update(numpy="1.0.0", elsewhere="2"))

    done = spb_here("reproduce", frozen)

    assert done.returncode == 0, done.stderr
    assert "(was 1.0.0)" in done.stdout
    assert "elsewhere missing (was 2)" in done.stdout


def change_record(frozen: Path, change) -> None:
    """Change the content of `freeze.json`."""
    path = frozen / "freeze.json"
    record = json.loads(path.read_text("utf-8"))
    change(record)
    path.write_text(json.dumps(record), "utf-8")


def removed(name: str):
    return lambda frozen: (frozen / name).unlink()


def truncated(frozen: Path) -> None:
    part = part_of(frozen)
    part.write_bytes(part.read_bytes()[:-100])


def linked(frozen: Path) -> None:
    part = part_of(frozen)
    part.unlink()
    part.symlink_to("/etc/passwd")


def linked_folder(frozen: Path) -> None:
    shutil.move(frozen / "study", frozen.parent / "outside")
    (frozen / "study").symlink_to(frozen.parent / "outside")


def of_version(number: object):
    return lambda frozen: change_record(frozen, lambda record: record.update(version=number))


def with_path(path: str):
    return lambda frozen: change_record(frozen, lambda record: record["files"][0].update(path=path))


def with_measure(name: str):
    return lambda frozen: change_record(frozen, lambda record: record["measures"][0].update(measure=name))


def with_text(text: str):
    return lambda frozen: (frozen / "freeze.json").write_text(text, "utf-8")


def with_numbers(frozen: Path) -> None:
    path = frozen / "numbers" / "scorecard.json"
    path.write_text(path.read_text("utf-8").replace("0.", "0.1", 1), "utf-8")


def with_later_tables(frozen: Path) -> None:
    path = frozen / "study" / "study.json"
    info = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(info | {"schema_version": 99}), "utf-8")


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (removed("freeze.json"), "is not a frozen study"),
        (removed("study/models.parquet"), "models.parquet, which study.json lists, is missing"),
        (removed("study/study.json"), "study.json' is missing"),
        (removed("numbers/scorecard.json"), "scorecard.json' is missing"),
        (removed("numbers/verdicts.parquet"), "verdicts.parquet' is missing"),
        (truncated, "does not end as a Parquet file"),
        (with_numbers, "is not as it was frozen"),
        (of_version(2), "version is 2"),
        (of_version("x"), "version"),
        (with_later_tables, "schema_version is 99"),
        (linked, "is a link"),
        (linked_folder, "is a link"),
        (with_path("../../etc/passwd"), "files.0.path"),
        (with_path("/etc/passwd"), "files.0.path"),
        (with_path("study/../../x.parquet"), "files.0.path"),
        (with_measure("../x"), "measures.0.measure"),
        (with_text("{" * 100_000), "freeze.json"),
        (with_text("[1]"), "freeze.json"),
        (with_text(""), "freeze.json"),
    ],
)
def test_a_folder_that_is_not_whole_is_an_error_with_a_remedy(
    spb_here: Spb, frozen: Path, damage, problem: str
) -> None:
    damage(frozen)

    done = spb_here("reproduce", frozen)

    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == ""
    message = " ".join(done.stderr.split())
    assert problem in message
    assert "; " in message, "a remedy"
    assert "Traceback" not in message


def test_a_device_in_the_folder_is_not_opened(spb_here: Spb, frozen: Path) -> None:
    (frozen / "methods.txt").unlink()
    os.mkfifo(frozen / "methods.txt")

    done = spb_here("reproduce", frozen)

    assert (done.returncode, "no plain file" in done.stderr) == (2, True)


def test_nothing_is_executed_written_or_believed_that_lies_beside_the_tables(
    spb_here: Spb, frozen: Path
) -> None:
    mark = frozen.parent / "ran"
    change_record(
        frozen, lambda record: [each.update(command=f"touch {mark}") for each in record["measures"]]
    )
    (frozen / "conftest.py").write_text(f"open({str(mark)!r}, 'w')", "utf-8")
    (frozen / ".packed" / "study").mkdir(parents=True)
    before = sorted(frozen.rglob("*"))

    done = spb_here("reproduce", frozen)

    assert done.returncode == 0, done.stderr
    assert not mark.exists()
    assert sorted(frozen.rglob("*")) == before


def test_a_table_that_was_added_is_named(spb_here: Spb, frozen: Path) -> None:
    references = pa.Table.from_pylist(
        [{"instance_id": "q1", "generator": MODELS[0], "rubric_id": "r1", "source": "program", "met": True}]
    )
    replace_tables(Store(frozen).open("study"), {"references": references})

    done = spb_here("reproduce", frozen, "--format", "json")

    files = {row["row"] for row in json.loads(done.stdout)["rows"] if row["kind"] == "file"}
    assert done.returncode == 1
    assert "study/references.parquet" in files


def test_a_measure_of_another_version_is_named_and_hides_no_other(spb_here: Spb, frozen: Path) -> None:
    def rename(record) -> None:
        entry = next(each for each in record["measures"] if each["measure"] == "scorecard")
        entry["measure"] = "of-the-future"
        file = next(each for each in record["files"] if each["path"] == "numbers/scorecard.json")
        file["path"] = "numbers/of-the-future.json"

    (frozen / "numbers" / "scorecard.json").rename(frozen / "numbers" / "of-the-future.json")
    change_record(frozen, rename)

    done = spb_here("reproduce", frozen, "--format", "json")

    answer = json.loads(done.stdout)
    assert done.returncode == 1
    assert [(row["table"], row["after"]) for row in answer["rows"]] == [
        ("of-the-future", "this version has no such measure")
    ]
    assert answer["measures"] > 1


def test_without_a_number_nothing_is_frozen_and_nothing_is_reproduced(
    spb_here: Spb, frozen: Path, tmp_path: Path
) -> None:
    tables = {
        "models": [{"model": "gpt-4o", "family": "GPT"}],
        "instances": [{"instance_id": "q1"}],
    }
    written = {name: pa.Table.from_pylist(rows) for name, rows in tables.items()}
    Store(tmp_path / "store").write("none", written, StudyInfo())
    change_record(frozen, lambda record: record.update(measures=[]))

    freezing = spb_here("freeze", "none", "--store", tmp_path / "store", "--out", tmp_path / "out")
    reproducing = spb_here("reproduce", frozen)

    assert (freezing.returncode, reproducing.returncode) == (3, 3), (freezing.stderr, reproducing.stderr)
    assert not (tmp_path / "out").exists()


def test_names_of_judges_are_printed_as_data(spb_here: Spb, tmp_path: Path) -> None:
    write_study(tmp_path / "store")
    folder = tmp_path / "frozen"
    assert spb_here("freeze", "small", "--store", tmp_path / "store", "--out", folder).returncode == 0
    path = folder / "freeze.json"
    path.write_text(path.read_text("utf-8").replace('"small"', '"\\u001b[31m$(touch x)"'), "utf-8")

    done = spb_here("reproduce", folder)

    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "$(touch x)" in done.stdout


def test_a_folder_in_use_is_left_as_it_is(spb_here: Spb, tmp_path: Path) -> None:
    write_study(tmp_path / "store")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("x", "utf-8")

    done = spb_here("freeze", "small", "--store", tmp_path / "store", "--out", tmp_path / "mine")

    assert done.returncode == 2
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["file"]
