"""The command that an import prints reads a table as the guess does that it stands for."""

import csv
import itertools
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import Spb, spb

import engine
from engine.errors import UsageError
from engine.importers.earlier_imports import import_words
from engine.schema import TABLES
from engine.store import Store

FOLDER = Path(__file__).parent
MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
TICKETS = [(f"T-{1000 + n}", f"What is to be done about case {n}?", "billing" if n % 2 else "delivery")
           for n in range(6)]  # fmt: skip


def write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def model_rows() -> list[dict[str, Any]]:
    return [
        {
            "ticket": ticket, "topic": topic, "channel": ("mail", "chat")[len(model) % 2],
            "difficulty": ("easy", "hard")[n % 2], "judge_model": judge, "model": model,
            "criterion": criterion, "verdict": ("yes", "no")[(n + len(judge) + len(criterion)) % 2],
        }
        for n, (ticket, _, topic) in enumerate(TICKETS)
        for judge in MODELS for model in MODELS for criterion in ("polite", "correct")
    ]  # fmt: skip


def pair_rows() -> list[dict[str, Any]]:
    return [
        {"ticket": ticket, "judge_model": judge, "model_a": a, "model_b": b,
         "winner": ("model_a", "model_b", "tie")[(n + len(judge) + len(a)) % 3]}
        for n, (ticket, *_) in enumerate(TICKETS)
        for judge in MODELS for a, b in itertools.permutations(MODELS, 2)
    ]  # fmt: skip


def score_rows() -> list[dict[str, Any]]:
    return [
        {"ticket": ticket, "judge_model": judge, "model": model, "rating": 1 + (n + len(judge)) % 10,
         "human_rating": 1 + (n + len(model)) % 10, "topic": topic}
        for n, (ticket, _, topic) in enumerate(TICKETS) for judge in MODELS for model in MODELS
    ]  # fmt: skip


TABLES_WRITTEN: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "model": model_rows,
    "pairs": pair_rows,
    "pairs-by-flag": lambda: [row | {"swapped": ("no", "yes")[n % 2]} for n, row in enumerate(pair_rows())],
    "pairs-twice": lambda: [row for row in pair_rows() for _ in range(2)],
    "pairs-of-people": lambda: [row | {"preference": row["winner"]} for row in pair_rows()],
    "pairs-by-preference": lambda: [
        {"preference" if name == "winner" else name: cell for name, cell in row.items()}
        for row in pair_rows()
    ],
    "scores": score_rows,
    "scores-out-of": lambda: [row | {"out_of": 10} for row in score_rows()],
    "scores-by-people": lambda: [row | {"text": f"{row['ticket']} {row['model']}"} for row in score_rows()],
    "annotator-judges": lambda: [
        {"annotator" if name == "judge_model" else name: cell for name, cell in row.items()}
        for row in model_rows()
    ],
    "category-of-criteria": lambda: [row | {"category": row["criterion"][:3]} for row in model_rows()],
    "wide": lambda: [
        {"ticket": ticket, "model": model, **{f"{judge}_verdict": "yes" for judge in MODELS}}
        for ticket, *_ in TICKETS for model in MODELS
    ],
}  # fmt: skip

ANSWERS = {
    "scores": ("--set", "scale=10"),
    "scores-by-people": ("--set", "scale=10"),
    "tables/nested-judge.jsonl": ("--set", "scale=5"),
    "tables/likert.tsv": ("--set", "scale=5"),
    "cases/labels-012-tie-is-2/pairs.csv": ("--set", "first=generator", "--value", "choice:0=a,1=b,2=tie"),
}  # fmt: skip
"""What only the user knows of a table."""

FIXTURES = (
    *(f"tables/{path.name}" for path in sorted((FOLDER / "tables").iterdir())),
    "cases/positional-words-vs-first/pairs.csv",
    "cases/auto-takes-judge-table-for-arena/judgments.csv",
    "cases/labels-012-tie-is-2/pairs.csv",
    "cases/pandas-to-json-default/scores.json",
)


@pytest.fixture
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param in TABLES_WRITTEN:
        return write(tmp_path / f"{request.param}.csv", TABLES_WRITTEN[request.param]())
    return FOLDER / str(request.param)


@pytest.fixture
def import_as(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that imports into a study of a name by words; it returns the exit code and stderr."""

    def run(study: str, *words: object) -> tuple[int, str]:
        place = ("--store", tmp_path / "store", "--study", study, "--no-doctor")
        return spb(monkeypatch, *words, *place), capsys.readouterr().err

    return run


def contents(store: Path, study: str) -> dict[str, list[str]]:
    files = Store(store).open(study)
    return {name: sorted(map(repr, files.table(name).to_pylist())) for name in TABLES}


@pytest.mark.parametrize("table", [*TABLES_WRITTEN, *FIXTURES], indirect=True)
def test_the_noted_columns_and_the_recorded_command_read_a_table_as_the_guess_does(
    import_as: Any, tmp_path: Path, table: Path, request: pytest.FixtureRequest
) -> None:
    words = ANSWERS.get(request.node.callspec.params["table"], ())

    code, report = import_as("guess", "import", table, *words)
    assert code == 0, report
    noted = re.search("guessed from the names and values of columns: (.*)", report)
    columns = shlex.split(noted[1]) if noted else []
    columns += ["--set", "rubric_id=overall"] if "'overall' (--set rubric_id=overall)" in report else []
    wide = re.search("these columns hold a judge's verdicts each: (.*)", report)
    judges = re.sub(r" \(as [^)]*\)", "", wide[1]).replace(", ", ",") if wide else ""
    by_columns = import_as(
        "noted", "import", table, *words, *columns, *(["--judge-columns", judges] if wide else [])
    )
    (record,) = Store(tmp_path / "store").open("guess").info.imports
    recorded = import_words(record)
    by_record = import_as("recorded", "import", table, *recorded[2:])

    assert by_columns[0] == by_record[0] == 0, by_columns[1] + by_record[1]
    assert contents(tmp_path / "store", "noted") == contents(tmp_path / "store", "guess"), columns
    assert contents(tmp_path / "store", "recorded") == contents(tmp_path / "store", "guess"), recorded


@pytest.mark.parametrize("table", ANSWERS, indirect=True)
def test_the_command_of_a_refusal_reads_a_table_as_its_answers_alone_do(
    import_as: Any, tmp_path: Path, table: Path, request: pytest.FixtureRequest
) -> None:
    words = ANSWERS[request.node.callspec.params["table"]]

    code, report = import_as("asked", "import", table)
    assert code == 2, report
    command = shlex.split(report.splitlines()[-1])
    command = command[2 : command.index("--study")]
    pairs = itertools.pairwise((*command, ""))
    closed = [word for word, after in pairs if "?" not in word + (after if word.startswith("--") else "")]
    answers = () if closed == command else words
    by_command = import_as("printed", "import", *closed, *answers)
    by_answers = import_as("answers", "import", table, *words)

    assert (by_command[0], by_answers[0]) == (0, 0), by_command[1] + by_answers[1]
    assert contents(tmp_path / "store", "printed") == contents(tmp_path / "store", "answers"), command


def test_the_order_is_guessed_beside_columns_that_the_user_names_and_scores_stay_of_answers(
    import_as: Any, tmp_path: Path
) -> None:
    pairs = write(tmp_path / "pairs.csv", pair_rows())
    columns = "generator=model_a,opponent=model_b,judge=judge_model,choice=winner,instance_id=ticket"
    scores = write(tmp_path / "scores.csv", score_rows())
    of_scores = (
        "generator=model,judge=judge_model,score=rating,reference_score=human_rating,instance_id=ticket"
    )

    _, report = import_as("pairs", "import", pairs, "--map", columns)
    import_as("unknown", "import", pairs, "--map", columns, "--set", "first=unknown")
    import_as("strict", "import", pairs, "--map", columns, "--no-guess")
    import_as("scores", "import", scores, "--map", of_scores, "--set", "scale=10")

    store = Store(tmp_path / "store")
    firsts = {
        study: set(store.open(study).judgments(("first",))["first"].to_pylist())
        for study in ("pairs", "unknown", "strict")
    }
    assert firsts == {"pairs": {"generator"}, "unknown": {"unknown"}, "strict": {"unknown"}}
    assert "guessed: each pair is there both ways round" in report
    assert set(store.open("scores").judgments(("paradigm",))["paradigm"].to_pylist()) == {"direct_assessment"}


def test_a_flag_that_nobody_named_keeps_the_order_from_being_guessed_otherwise(
    import_as: Any, tmp_path: Path
) -> None:
    pairs = write(tmp_path / "pairs.csv", TABLES_WRITTEN["pairs-by-flag"]())
    columns = "generator=model_a,opponent=model_b,judge=judge_model,choice=winner,instance_id=ticket"

    import_as("named", "import", pairs, "--map", columns)
    import_as("flag", "import", pairs, "--map", f"{columns},first=swapped")

    store = Store(tmp_path / "store")
    assert set(store.open("named").judgments(("first",))["first"].to_pylist()) == {"unknown"}
    assert set(store.open("flag").judgments(("first",))["first"].to_pylist()) == {"generator", "opponent"}


def test_of_columns_that_may_be_the_question_the_one_of_single_verdicts_is_taken(
    import_as: Any, tmp_path: Path
) -> None:
    table = write(tmp_path / "v.csv", model_rows())
    numbered = [row | {"row_code": f"r{n}"} for n, row in enumerate(model_rows())]
    twice = write(tmp_path / "twice.csv", [row for row in numbered for _ in range(2)])
    equal = [row | {"batch": "b" + row["ticket"][-2:]} for row in model_rows()]
    finer = [row | {"batch": f"{row['ticket']} by {row['model']}"} for row in model_rows()]
    finer_file = write(tmp_path / "finer.csv", finer)

    code, report = import_as("s", "import", table)
    numbered_code, by_row = import_as("n", "import", write(tmp_path / "n.csv", numbered))
    equal_code, by_equal = import_as("e", "import", write(tmp_path / "e.csv", equal))

    assert (code, numbered_code, equal_code) == (0, 0, 0), report + by_row + by_equal
    assert "only by 'ticket' (or 'batch', one to one with it) no judge has two verdicts" in by_equal
    assert "only by 'ticket' no judge has two verdicts on one answer and criterion, so it is taken" in report
    assert "only by 'ticket'" in by_row
    ids = Store(tmp_path / "store").open("s").table("instances")["instance_id"].to_pylist()
    assert sorted(ids) == [ticket for ticket, *_ in TICKETS]
    for open_one in (twice, finer_file):
        code, question = import_as("open", "import", open_one)
        assert code == 2
        assert "instance_id, the question's id, may be 'ticket' or" in question


def with_texts(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    texts = {ticket: text for ticket, text, _ in TICKETS}
    return [{"question": texts[row["ticket"]], **row} for row in rows]


def test_a_column_that_is_one_to_one_with_the_questions_text_is_its_id(
    import_as: Any, tmp_path: Path
) -> None:
    rows = with_texts(model_rows())
    table = write(tmp_path / "v.csv", rows)
    two = write(tmp_path / "two.csv", [row | {"case": row["ticket"][-1:] * 2} for row in rows])
    other = write(tmp_path / "o.csv", [row | {"ticket": row["topic"]} for row in rows])

    _, report = import_as("s", "import", table)
    import_as("left", "import", table, "--not", "ticket")
    import_as("other", "import", other)

    store = Store(tmp_path / "store")
    questions = store.open("s").table("instances").select(["instance_id", "prompt"]).to_pylist()
    assert sorted((each["instance_id"], each["prompt"]) for each in questions) == [
        (ticket, text) for ticket, text, _ in TICKETS
    ]
    assert "'ticket' has one value for each text in 'question', so it is taken" in report
    for study in ("left", "other"):
        ids = store.open(study).table("instances")["instance_id"].to_pylist()
        assert len(ids) == len(TICKETS)
        assert not {*ids} & {ticket for ticket, *_ in TICKETS}
    assert import_as("two", "import", two)[0] == 0


def test_an_id_that_has_another_text_after_the_first_rows_loses_no_row(
    import_as: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = with_texts(model_rows())
    monkeypatch.setattr("engine.importers.tables.table.SAMPLE", len(rows))
    later = [row | {"question": "What is new?", "model": "o3"} for row in rows[:6]]
    renamed = [row | {"ticket": "T-1", "model": "o3"} for row in rows[6:12]]

    code, report = import_as("s", "import", write(tmp_path / "v.csv", [*rows, *later, *renamed]))

    assert code == 0, report
    assert f"{len(rows) + 12} rows read, {len(rows) + 12} taken, 0 left out" in report
    assert "questions whose id in 'ticket' an earlier question with another text has" in report
    questions = Store(tmp_path / "store").open("s").table("instances").to_pylist()
    prompts = {each["instance_id"]: each["prompt"] for each in questions}
    assert prompts["T-1000"] == prompts["T-1"] == TICKETS[0][1]
    assert sorted(prompts.values()).count("What is new?") == 1


@pytest.mark.parametrize(
    ("role", "column", "extra"),
    [
        ("judge", "judge_model", ("--map", "instance_id=ticket")),
        ("judge", "judge", ("--map", "instance_id=ticket")),
        ("generator", "model", ("--map", "instance_id=ticket")),
        ("judge", "judge_model", ("--map", "generator=model,met=verdict,instance_id=ticket")),
    ],
)
def test_one_name_for_all_is_refused_beside_a_column_of_several(
    import_as: Any, tmp_path: Path, role: str, column: str, extra: tuple[str, ...]
) -> None:
    rows = [{column if k == "judge_model" and role == "judge" else k: v for k, v in row.items()}
            for row in model_rows()]  # fmt: skip
    table = write(tmp_path / "v.csv", rows)

    code, report = import_as("s", "import", table, f"--{role}", "o3", *extra)

    assert code == 2
    assert f"and {column!r} names 3 models, such as 'gpt-4o' and 'claude-3-opus'" in report
    assert f"Leave out --{role}, so that {column!r} is read" in report
    assert f"if it is something else: --not {column}" in report
    assert not (tmp_path / "store" / "s").exists()
    assert import_as("s", "import", table, f"--{role}", "o3", "--not", column, *extra)[0] == 0


def test_one_name_for_all_is_taken_where_no_column_has_another(import_as: Any, tmp_path: Path) -> None:
    one = [row for row in model_rows() if row["judge_model"] == "gpt-4o"]
    none = [{name: cell for name, cell in row.items() if name != "judge_model"} for row in one]

    for number, rows in enumerate((one, none)):
        table = write(tmp_path / f"{number}.csv", rows)
        code, report = import_as(f"s{number}", "import", table, "--judge", "gpt-4o")
        assert code == 0, report


def test_one_judge_for_all_is_refused_in_a_frame_too() -> None:
    frame = pd.DataFrame(model_rows())

    with pytest.raises(UsageError, match=r"Leave out set=\{'judge': 'o3'\}, so that 'judge_model' is read"):
        engine.from_frame(frame, set={"judge": "o3"})


def test_the_command_of_an_open_question_repeats_all_that_was_given(spb_here: Spb, tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", [row | {"verdict": "perhaps"} for row in model_rows()])
    models = tmp_path / "m.csv"
    models.write_text("model,family\ngpt-4o,Other\n", "utf-8")
    given = (
        f"--study s --store st --run r --models {models} --write-models w.csv --append --strict --no-doctor"
    )
    given += " --dry-run --format json"

    done = spb_here("import", table, *given.split())

    assert done.returncode == 2
    assert shlex.split(done.stderr.splitlines()[-1])[-len(given.split()) :] == given.split()


@pytest.mark.parametrize("criteria", ["what we look at", "checkpoint"])
def test_a_sheet_with_a_column_for_each_judge_in_everyday_words_is_read_by_the_printed_command(
    spb_here: Spb, tmp_path: Path, criteria: str
) -> None:
    judges = ("gpt-4o", "claude-3-5-sonnet", "gemini-1.5-pro")
    texts = {"names a likely cause": 4, "says when to water": 3, "recommends a banned pesticide": -5}
    words = ("Yes", "no", "nope", "YES ", "Y", "I cannot assess this.")
    rows = [
        {"ticket": f"G-{n}", "advisor": author, criteria: text, "weighting": points}
        | {judge: words[(n + 2 * a + 3 * j + 5 * c) % 6] for j, judge in enumerate(judges)}
        for n in range(20)
        for a, author in enumerate(judges)
        for c, (text, points) in enumerate(texts.items())
    ]
    path = tmp_path / "checks.csv"
    pd.DataFrame(rows).to_csv(path, index=False)

    first = spb_here("import", path, "--store", tmp_path / "s")
    assert first.returncode == 2
    second = spb_here(*shlex.split(first.stderr.splitlines()[-1])[1:])

    assert second.returncode == 0, second.stderr
    study = Store(tmp_path / "s").open("checks")
    assert {row["criterion"]: row["points"] for row in study.table("rubrics").to_pylist()} == texts
    counts = study.judgments(["met", "status"]).group_by(["met", "status"]).aggregate([([], "count_all")])
    n_each = len(rows) * len(judges) // 6
    assert {(row["met"], row["status"]): row["count_all"] for row in counts.to_pylist()} == {
        (True, "ok"): 3 * n_each,
        (False, "ok"): 2 * n_each,
        (None, "unparsed"): n_each,
    }
