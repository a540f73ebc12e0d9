"""`spb import FORMAT`, `spb doctor` and `spb export --format llm-comparator`, as a user types them."""

import json
from pathlib import Path

import pytest
from command_line import spb
from importers.foreign_files import alpaca, dump, imported, judgments, lines, rows_of

from engine.importers.format_loading import by_rows, row_format
from engine.importers.import_options import ImportOptions
from engine.importers.tables.table_columns import COLUMNS
from engine.store import Store

DOCS = Path(__file__).resolve().parents[2] / "docs" / "importing.md"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPB_STORE", str(tmp_path / "store"))
    return dump(tmp_path / "annotations.json", [*alpaca(1, 2, 1.5, None), 7])


def test_a_dry_run_reports_everything_and_writes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(monkeypatch, "import", str(path), "--as", "alpaca-eval", "--dry-run")

    out, err = capsys.readouterr()
    assert (code, err) == (0, "dry run: nothing was written\n")
    assert "AlpacaEval annotations: 5 rows read, 4 taken, 1 left out" in out
    assert "3 with a verdict (ties: 1), 1 unparsed; pairwise 4" in out
    assert "left out, it is not an object: 1 row, such as annotations.json, row 5 (7)" in out
    assert "gpt-4o-2024-05-13: GPT (answers, snapshot 2024-05-13)" in out
    assert "the study has no reference" in out, "the doctor says what is missing"
    assert not Store().studies()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--study", "../elsewhere"], "the study name '../elsewhere' begins with a dot"),
        (["--study", "none", "--append"], "there is no study"),
        (["--study", "mine"], "exists already"),
        (["--study", "mine", "--append"], "are the same as those of run 'import'; nothing was added"),
    ],
)
def test_a_dry_run_refuses_what_the_import_would_refuse(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    shared = ("import", "alpaca-eval", str(path), "--no-doctor")
    spb(monkeypatch, *shared, "--study", "mine")
    capsys.readouterr()

    wet, dry = (
        (spb(monkeypatch, *shared, *options, *more), capsys.readouterr()) for more in ((), ("--dry-run",))
    )

    assert (wet[0], dry[0]) == (2, 2)
    assert message in wet[1].err
    assert message in dry[1].err
    assert "AlpacaEval annotations: 5 rows read" in dry[1].out


def test_the_report_is_printed_before_the_study_is_written(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(monkeypatch, "import", "alpaca-eval", str(path), "--study", "mine", "--no-doctor")

    err = capsys.readouterr().err
    assert code == 0
    assert err.index("rows read") < err.index("judgments: 4 rows") < err.index("wrote the study")
    assert Store().studies() == ["mine"]


def test_another_file_with_the_same_questions_is_added(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    others = [row | {"generator_2": "claude-3-opus", "output_2": "Plum."} for row in alpaca(2, 2, 1, 1)]
    more = dump(tmp_path / "more" / "annotations.json", others)
    spb(monkeypatch, "import", "alpaca-eval", str(path), "--study", "mine", "--no-doctor")

    code = spb(monkeypatch, "import", "alpaca-eval", str(more), "--study", "mine", "--append", "--no-doctor")

    study = Store().open("mine")
    assert code == 0
    assert study.table("instances").num_rows == 4
    assert len(judgments(study, "judge")) == 8


def test_adding_a_file_keeps_the_studys_facts_about_a_model(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    models = tmp_path / "models.csv"
    models.write_text(
        "model,family,base_model,size_b,open_weights\ntext_davinci_003,Old,davinci,175,false\n", "utf-8"
    )
    shared = ("--study", "mine", "--no-doctor")
    spb(monkeypatch, "import", "alpaca-eval", str(path), *shared, "--models", str(models))
    rows = [row | {"generator_2": "vicuna-7b", "output_2": "Plum."} for row in alpaca(2, 2, 1, 1)]
    more = dump(tmp_path / "more" / "annotations.json", rows)

    code = spb(monkeypatch, "import", "alpaca-eval", str(more), *shared, "--append")

    table = Store().open("mine").table("models")
    assert code == 0
    assert ("text_davinci_003", "Old", "davinci") in rows_of(table, "model", "family", "base_model")


def test_the_guessed_families_can_be_exported_corrected_and_imported(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    models = tmp_path / "models.csv"
    shared = ("import", "alpaca-eval", str(path), "--no-doctor")
    spb(monkeypatch, *shared, "--dry-run", "--write-models", str(models))
    text = models.read_text("utf-8")
    models.write_text(text.replace("text_davinci_003,GPT", "text_davinci_003,Davinci"), "utf-8")

    code = spb(monkeypatch, *shared, "--models", str(models))

    assert code == 0
    assert ("text_davinci_003", "Davinci") in rows_of(
        Store().open("annotations").table("models"), "model", "family"
    )


def test_if_the_guessed_families_cannot_be_written_neither_is_the_study(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = path / "models.csv"  # below a file

    code = spb(monkeypatch, "import", "alpaca-eval", str(path), "--write-models", str(nowhere))

    assert code == 1
    assert f"{str(nowhere)!r} cannot be written" in capsys.readouterr().err
    assert not Store().studies()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["import", "alpaca", "PATH"], "unknown format 'alpaca'; choose from: auto, tidy,"),
        (["import", "alpaca-eval", "PATH", "--baseline", "x"], "--baseline does not apply to 'alpaca-eval'"),
        (["import", "tidy", "PATH", "--judge", "x"], "--judge does not apply to 'tidy'"),
        (["import", "alpaca-eval", "nowhere.json"], "there is no file or folder 'nowhere.json'"),
        (["import", "alpaca-eval", "PATH", "--strict"], "row 5: it is not an object: 7"),
        (["import", "mt-bench", "PATH"], "expected a judgment file of FastChat's llm_judge"),
        (["import", "table", "PATH", "--map", "judge"], "--map 'judge' is not COLUMN=FIELD"),
        (["import", "table", "PATH", "--set", "scale=0"], "--set scale=0 is not a number above 0"),
        (["import", "alpaca-eval", "PATH", "--models", "no.csv"], "'no.csv' cannot be read"),
        (["import", "alpaca-eval", "PATH", "--append"], "there is no study"),
        (["doctor", "--study", "none"], "unknown study 'none'"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_what_to_do(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    code = spb(monkeypatch, *[str(path) if argument == "PATH" else argument for argument in arguments])

    assert code == 2
    assert words in capsys.readouterr().err
    assert not Store().studies()


def test_the_doctor_says_what_can_be_measured_and_why_the_rest_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = {"judge": "gpt-4o", "criterion": "Names a fruit.", "reference_met": "no"}
    rows = [
        {**shared, "prompt": f"Question {n}", "generator": model, "met": n % period == 0}
        for n in range(40)
        for model, period in (("gpt-4o", 2), ("gemma-2-9b", 4))
    ]
    imported("table", lines(tmp_path / "t.jsonl", rows))

    code = spb(monkeypatch, "doctor", "--study", "read", "--store", str(tmp_path / "store"))

    out = capsys.readouterr().out
    assert code == 0
    assert "gpt-4o judges its own answers" in out
    assert "  hspp: hspp_self in 1 of 1 row, 95% interval about ±" in out
    assert "position, ordering, permutation, model-likeness: the study has no score_rubric judgments" in out


def test_pairs_survive_a_round_trip_through_llm_comparator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = {"model_1": "a", "model_2": "b", "judge": "gpt-4"}
    bench = tmp_path / "bench"
    lines(bench / "question.jsonl", [{"question_id": n, "turns": [f"Q{n}"]} for n in (1, 2)])
    for model in "ab":
        answers = [
            {"question_id": n, "model_id": model, "choices": [{"turns": [f"{model}{n}"]}]} for n in (1, 2)
        ]
        lines(bench / "model_answer" / f"{model}.jsonl", answers)
    judged = [
        {**pair, "question_id": 1, "g1_winner": "model_1", "g2_winner": "tie"},
        {**pair, "question_id": 2, "g1_winner": "error", "g2_winner": "error"},
    ]
    lines(bench / "model_judgment" / "gpt-4_pair.jsonl", judged)
    imported("mt-bench", bench)
    out = tmp_path / "out" / "sxs.json"
    out.parent.mkdir()

    arguments = ("--study", "read", "--store", str(tmp_path / "store"), "--format", "llm-comparator")
    code = spb(monkeypatch, "export", *arguments, "--judge", "gpt-4", "--models", "b,a", "--to", str(out))

    assert code == 0, capsys.readouterr().err
    first, second = json.loads(out.read_text("utf-8"))["examples"]
    assert (first["output_text_a"], first["score"], second["score"]) == ("b1", -0.5, None)
    assert [(one["score"], one["is_flipped"]) for one in first["individual_rater_scores"]] == [
        (-1, True),
        (0, False),
    ]
    _, study = imported("llm-comparator", out, ImportOptions(judge="gpt-4"))
    assert judgments(study, "generator", "first", "choice", "status") == [
        ("b", "opponent", "opponent", "ok"),
        ("b", "generator", "tie", "ok"),
        ("b", "unknown", None, "unparsed"),
    ]


@pytest.mark.parametrize("name", [form.name for form in by_rows()])
def test_every_format_is_described(name: str) -> None:
    page = DOCS.read_text("utf-8")

    assert f"\n### {name}\n" in page, "describe the format in docs/importing.md"
    assert f" --as {name}" in page or name == "table"  # a table is what remains
    assert row_format(name).name == name


def test_every_documented_column_of_a_table_matches_the_code() -> None:
    page = DOCS.read_text("utf-8")

    missing = [name for name, meaning in COLUMNS.items() if f"| `{name}` | {meaning} |" not in page]

    assert missing == []
