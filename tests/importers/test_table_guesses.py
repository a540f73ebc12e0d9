"""Tables as people have them, read with one entry at most; and tables whose columns are not to be guessed."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from command_line import spb
from importers.foreign_files import imported, judgments, lines, rows_of

import engine
from engine.errors import BadInputError, UsageError
from engine.importers.tables.table_columns import TABLE_COLUMNS, matching, plain, sided
from engine.store import Store
from engine.words.slice_words import without_scale

TABLES = Path(__file__).parent / "tables"
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FIVE = ("--set", "scale=5")

Rows = list[tuple[Any, ...]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that imports a file by `spb import auto` and returns exit code and report."""

    def run(path: Path, *words: object) -> tuple[int, str]:
        place = ("--store", tmp_path / "store", "--study", "s", "--no-doctor")
        return spb(monkeypatch, "import", "auto", path, *place, *words), capsys.readouterr().err

    return run


SHAPES: dict[str, tuple[tuple[str, ...], tuple[str, ...], Rows]] = {
    "nested-judge.jsonl": (
        FIVE,
        ("judge", "generator", "instance_id", "score"),
        [
            ("claude-3-opus", "gpt-4o", "s1", 0.8),
            ("claude-3-opus", "claude-3-opus", "s2", 1.0),
            ("gpt-4o", "claude-3-opus", "s1", 0.6),
            ("gpt-4o", "gpt-4o", "s2", 1.0),
        ],
    ),
    "spreadsheet.csv": (
        (),
        ("judge", "generator", "instance_id", "met", "explanation"),
        [
            ("gpt-4o", "gpt-4o", "1", True, "good"),
            ("claude-3-opus", "gpt-4o", "1", False, "too short"),
            ("gpt-4o", "claude-3-opus", "2", False, "wrong city"),
            ("claude-3-opus", "claude-3-opus", "2", True, "fine"),
        ],
    ),
    "camel-swapped.csv": (
        (),
        ("judge", "instance_id", "first", "choice"),
        [
            ("gpt-4o", "q1", "generator", "generator"),
            ("gpt-4o", "q1", "opponent", "generator"),
            ("claude-3-opus", "q1", "generator", "generator"),
            ("claude-3-opus", "q1", "opponent", "opponent"),
            ("gpt-4o", "q2", "generator", "tie"),
            ("gpt-4o", "q2", "opponent", "tie"),
            ("claude-3-opus", "q2", "generator", "opponent"),
            ("claude-3-opus", "q2", "opponent", "opponent"),
        ],
    ),
    "wide-scores.csv": (
        (),
        ("judge", "generator", "instance_id", "score"),
        [
            ("gpt-4o", "gpt-4o", "p1", 0.9),
            ("claude-3-opus", "gpt-4o", "p1", 0.6),
            ("gpt-4o", "claude-3-opus", "p1", 0.5),
            ("claude-3-opus", "claude-3-opus", "p1", 0.8),
            ("gpt-4o", "gpt-4o", "p2", 0.7),
            ("claude-3-opus", "gpt-4o", "p2", 0.7),
            ("gpt-4o", "claude-3-opus", "p2", 0.4),
            ("claude-3-opus", "claude-3-opus", "p2", 0.9),
        ],
    ),
    "wide-pairs.csv": (
        (),
        ("judge", "generator", "opponent", "choice"),
        [
            ("gpt-4o", "gpt-4o", "claude-3-opus", "generator"),
            ("claude-3-opus", "gpt-4o", "claude-3-opus", "opponent"),
            ("gpt-4o", "gpt-4o", "gemini-1.5-pro", "generator"),
            ("claude-3-opus", "gpt-4o", "gemini-1.5-pro", "opponent"),
            ("gpt-4o", "claude-3-opus", "gemini-1.5-pro", "generator"),
            ("claude-3-opus", "claude-3-opus", "gemini-1.5-pro", "generator"),
        ],
    ),
    "annotations-inside.jsonl": (
        (),
        ("judge", "generator", "instance_id", "met"),
        [
            ("gpt-4o", "gpt-4o", "q1", True),
            ("claude-3-opus", "gpt-4o", "q1", True),
            ("gpt-4o", "claude-3-opus", "q2", False),
            ("claude-3-opus", "claude-3-opus", "q2", True),
        ],
    ),
    "settings-and-results.json": (
        (),
        ("judge", "generator", "instance_id", "score", "status"),
        [
            ("gpt-4o", "gpt-4o", "1", 0.9, "ok"),
            ("gpt-4o", "claude-3-opus", "1", 0.4, "ok"),
            ("gpt-4o", "gpt-4o", "2", 0.7, "ok"),
            ("gpt-4o", "claude-3-opus", "2", None, "unparsed"),
        ],
    ),
    "arena-labels.csv": (
        (),
        ("judge", "instance_id", "choice", "status"),
        [
            ("gpt-4o", "u1", "generator", "ok"),
            ("gpt-4o", "u2", "tie", "ok"),
            ("claude-3-opus", "u1", "opponent", "ok"),
            ("claude-3-opus", "u2", None, "unparsed"),
        ],
    ),
    "split-frame.json": (
        (),
        ("judge", "generator", "instance_id", "met"),
        [
            ("gpt-4o", "gpt-4o", "t1", True),
            ("o3", "gpt-4o", "t1", False),
            ("gpt-4o", "o3", "t2", False),
            ("o3", "o3", "t2", True),
        ],
    ),
    "likert.tsv": (
        FIVE,
        ("judge", "generator", "score"),
        [
            ("gpt-4o", "gpt-4o", 1.0),
            ("gpt-4o", "claude-3-opus", 0.6),
            ("claude-3-opus", "gpt-4o", 0.8),
            ("claude-3-opus", "claude-3-opus", 0.8),
        ],
    ),
}
"""Tables of the shapes that tools and people write, the words that must be typed, and their judgments."""


@pytest.mark.parametrize("name", SHAPES)
def test_a_table_of_a_common_shape_needs_one_entry_at_most(tmp_path: Path, command: Any, name: str) -> None:
    words, columns, expected = SHAPES[name]

    code, report = command(TABLES / name, *words)

    assert code == 0, report
    assert judgments(Store(tmp_path / "store").open("s"), *columns) == [
        tuple(pytest.approx(value) if isinstance(value, float) else value for value in row)
        for row in expected
    ]
    assert "note: guessed" in report, "a guess is stated"


@pytest.mark.parametrize("name", [name for name, (words, *_) in SHAPES.items() if words])
def test_what_is_missing_is_in_one_command_to_copy(command: Any, name: str) -> None:
    code, question = command(TABLES / name)

    words = question.rpartition("All together: spb import table ")[2].split()[1:]
    assert code == 2
    assert command(TABLES / name, *words)[0] == 0


def test_people_and_programs_that_are_no_judges_become_references(tmp_path: Path, command: Any) -> None:
    assert command(TABLES / "split-frame.json")[0] == 0
    assert command(TABLES / "wide-pairs.csv", "--replace")[0] == 0

    assert sorted(rows_of(Store(tmp_path / "store").open("s").table("preferences"), "source", "outcome")) == [
        ("human:reference", -1),
        ("human:reference", 0),
        ("human:reference", 1),
    ]


REAL: dict[str, tuple[tuple[str, ...], int]] = {
    "multivac/scores.parquet": (("--set", "scale=10"), 2_000),
    "play-favorites/faithfulness.parquet": (("--set", "scale=4"), 2_000),
    "pelican-arena/judge_results.csv": ((), 2_673),
}
"""The entries that each needs, and its judgments: of a long table those of its first rows, one each."""


@pytest.mark.skipif(not DATA.exists(), reason="the published tables are not beside the project")
@pytest.mark.parametrize("name", REAL)
def test_a_published_table_needs_one_entry_at_most(tmp_path: Path, command: Any, name: str) -> None:
    words, n = REAL[name]
    path = DATA / name
    if path.suffix == ".parquet":  # the atlas reads all of them
        path = tmp_path / path.name
        pq.write_table(pq.read_table(DATA / name).slice(0, n), path)

    code, report = command(path, *words)

    assert code == 0, report
    study = Store(tmp_path / "store").open("s")
    assert len(judgments(study, "judge")) == n
    if "pelican" in name:
        assert "people gave several verdicts on 17 pairs, and differ on 4" in report
        assert study.table("preferences").num_rows == 297


# Columns that may be several things are asked about.

PAIR = {"judge": "gpt-4o", "model_a": "gpt-4o", "model_b": "o3", "question_id": 1}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (PAIR | {"winner": "a", "vote": "b"}, "no column is choice.*it may be 'winner' or 'vote'"),
        (
            {"judge": "o3", "model": "o3", "id": 1, "passed": "yes", "rating": 0.4},
            "may be 'passed' or 'rating'",
        ),
        (
            {"judge": "o3", "model": "o3", "question_id": 1, "case_id": 7, "score": 1},
            "instance_id, the question's id, may be 'question_id' or 'case_id'",
        ),
        (
            {"grader": "o3", "reviewer": "gpt-4o", "model": "o3", "id": 1, "score": 1},
            "judge, the model that judged, may be 'grader' or 'reviewer'",
        ),
        (PAIR | {"winner": "yes"}, "'winner' holds 'yes' .1.; these name neither model"),
        (
            {"model_a": "gpt-4o", "model_b": "o3", "question_id": 1, "winner": "a"},
            "no column is judge.*with --judge NAME; if people chose, give --map preference=winner",
        ),
    ],
)
def test_what_two_columns_may_be_is_asked_about(
    tmp_path: Path, command: Any, row: dict[str, Any], words: str
) -> None:
    code, question = command(lines(tmp_path / "t.jsonl", [row]))

    assert code == 2
    assert re.search(words, question), question
    assert "All together, with ? for what you decide: spb import table" in question
    assert not (tmp_path / "store").exists()


def test_everything_that_is_missing_is_said_at_once(tmp_path: Path, command: Any) -> None:
    rows = [{"text": "x", "who": "y", "winner": n} for n in (0, 1)]

    code, question = command(lines(tmp_path / "t.jsonl", rows))

    assert code == 2
    for column in ("generator", "judge", "instance_id"):
        assert f"--map '{column}=?'" in question


@pytest.mark.parametrize("name", ["p7", "worker 12", "anna"])
def test_votes_of_annotators_who_are_no_models_are_not_a_judges(
    tmp_path: Path, command: Any, name: str
) -> None:
    row = {"annotator": name, "model_a": "gpt-4o", "model_b": "o3", "question_id": 1, "winner": "a"}

    code, question = command(lines(tmp_path / "t.jsonl", [row]))

    assert code == 2
    assert "no column is judge" in question


def test_annotators_that_are_models_are_judges(tmp_path: Path, command: Any) -> None:
    row = {"annotator": "gpt-4o", "model_a": "gpt-4o", "model_b": "o3", "question_id": 1, "preference": "a"}

    assert command(lines(tmp_path / "t.jsonl", [row]))[0] == 0

    study = Store(tmp_path / "store").open("s")
    assert judgments(study, "judge", "choice") == [("gpt-4o", "generator")]
    assert not study.has("preferences")


def test_a_command_that_names_all_columns_guesses_none(tmp_path: Path, command: Any) -> None:
    row = {"rater": "o3", "model": "gpt-4o", "q": 1, "ok": "yes", "k": "r", "truth": "no", "domain": "law"}
    columns = "judge=rater,generator=model,instance_id=q,met=ok,rubric_id=k"

    code, report = command(lines(tmp_path / "t.jsonl", [row]), "--map", columns)

    study = Store(tmp_path / "store").open("s")
    assert code == 0
    assert "guessed" not in report
    assert "not stored: 'domain', 'truth'" in report
    assert not study.has("references")


@pytest.mark.parametrize("words", [("--not", "human_label"), ("--no-guess",)])
def test_a_wrong_guess_can_be_prevented(tmp_path: Path, command: Any, words: tuple[str, ...]) -> None:
    row = {"judge": "o3", "generator": "gpt-4o", "instance_id": 1, "met": "yes", "human_label": "no"}
    path = lines(tmp_path / "t.jsonl", [row | {"rubric_id": "r"}])

    assert command(path)[0] == 0
    assert Store(tmp_path / "store").open("s").has("references")
    assert command(path, "--replace", *words)[0] == 0
    assert not Store(tmp_path / "store").open("s").has("references")


def test_a_column_about_a_judge_is_no_judge(tmp_path: Path, command: Any) -> None:
    path = tmp_path / "t.csv"
    path.write_text("q,model,gpt-4o_score,gpt-4o_latency\n1,o3,0.5,12\n2,o3,0.25,9\n", "utf-8")

    code, report = command(path, "--map", "instance_id=q")

    assert code == 0, report
    assert judgments(Store(tmp_path / "store").open("s"), "judge", "score") == [
        ("gpt-4o", 0.5),
        ("gpt-4o", 0.25),
    ]


def test_lists_that_do_equally_well_are_asked_about(tmp_path: Path, command: Any) -> None:
    row = {"judge": "o3", "model": "gpt-4o", "id": 1, "score": 0.5}
    path = tmp_path / "two.json"
    path.write_text(pd.Series({"before": [row], "after": [row]}).to_json(), "utf-8")

    code, question = command(path)

    assert code == 2
    assert "'two.json' has several lists: 'before', 'after'" in question
    assert command(path, "--rows", "after")[0] == 0


def test_an_inner_field_hides_the_one_around_the_list(tmp_path: Path, command: Any) -> None:
    members = [{"id": n, "grader": "o3", "score": 0.5} for n in range(2)]
    rows = [{"id": f"q{n}", "model": "gpt-4o", "grades": members} for n in range(2)]

    code, report = command(lines(tmp_path / "t.jsonl", rows))

    assert code == 0, report
    ids = judgments(Store(tmp_path / "store").open("s"), "instance_id")
    assert ids == [("q0",), ("q0",), ("q1",), ("q1",)], "an annotation's id is not the question's"


def test_each_file_of_a_folder_is_read_by_its_own_columns(tmp_path: Path, command: Any) -> None:
    folder = tmp_path / "judged"
    lines(folder / "a.jsonl", [{"judge": "o3", "model": "gpt-4o", "id": 1, "score": 0.5}])
    lines(folder / "b.jsonl", [{"graded by": "gpt-4o", "model": "gpt-4o", "id": 1, "rating": 0.25}])
    lines(folder / "c.jsonl", [{"title": "Notes", "text": "on the study"}])

    code, report = command(folder)

    assert code == 0, report
    rows = judgments(Store(tmp_path / "store").open("s"), "judge", "score")
    assert rows == [("o3", 0.5), ("gpt-4o", 0.25)]
    assert "3 rows read, 2 taken, 1 left out" in report


def test_the_values_of_each_file_of_a_folder_are_asked_about(tmp_path: Path, command: Any) -> None:
    folder = tmp_path / "judged"
    lines(folder / "a.jsonl", [{"judge": "o3", "model": "gpt-4o", "id": 1, "score": 0.5}])
    lines(folder / "b.jsonl", [{"judge": "o3", "model": "gpt-4o", "id": n, "score": n} for n in (1, 5)])

    code, question = command(folder)

    assert code == 2
    assert "'b.jsonl': 'score' goes up to 5" in question


# The same in a frame.


def test_a_frame_is_read_with_the_same_guesses_and_a_warning_says_so() -> None:
    frame = pd.read_csv(TABLES / "spreadsheet.csv")

    with pytest.warns(
        UserWarning, match="guessed from the names and values of columns: generator='Answered by'"
    ):
        study = engine.from_frame(frame)

    assert judgments(study.files, "judge", "met")[:2] == [("gpt-4o", True), ("claude-3-opus", False)]


def test_a_frames_open_questions_come_with_one_whole_call() -> None:
    frame = pd.read_csv(Path(__file__).parent / "cases" / "labels-012-tie-is-2" / "pairs.csv")

    with pytest.raises(BadInputError) as error:
        engine.from_frame(frame, set={"first": "generator"})

    call = (
        "engine.from_frame(frame, generator='model_a', opponent='model_b', choice='winner', "
        "instance_id='question_id', set={'first': 'generator'}, "
        "value={'choice': {'0': '?', '1': '?', '2': '?'}})"
    )
    assert str(error.value).endswith(f"All together, with ? for what you decide: {call}")
    assert "--" not in str(error.value)


def test_a_frames_codes_are_read_as_told() -> None:
    frame = pd.read_csv(Path(__file__).parent / "cases" / "labels-012-tie-is-2" / "pairs.csv")

    study = engine.from_frame(
        frame, generator="model_a", opponent="model_b", choice="winner", instance_id="question_id",
        set={"first": "generator"}, value={"choice": {0: "a", 1: "b", 2: "tie"}},
    )  # fmt: skip

    choices = [choice for (choice,) in judgments(study.files, "choice")]
    assert choices == ["generator", "generator", "generator", "opponent", "tie"]


def test_a_frame_without_a_readable_verdict_is_warned_of() -> None:
    frame = pd.DataFrame([{"judge": "o3", "generator": "o3", "instance_id": 1, "score": "error"}])

    with pytest.warns(UserWarning, match="no verdict could be read"):
        engine.from_frame(frame)


def test_a_frames_lists_are_rows_and_its_guesses_can_be_turned_off() -> None:
    frame = pd.read_json(TABLES / "annotations-inside.jsonl", lines=True)

    with pytest.warns(UserWarning, match="guessed"):
        study = engine.from_frame(frame, rows="annotations")

    assert len(judgments(study.files, "judge")) == 4
    with pytest.raises(UsageError, match="no column is generator"):
        engine.from_frame(frame, rows="annotations", guess=False)


# The declarations.


def test_a_name_is_a_synonym_of_one_group_of_a_column() -> None:
    for column in TABLE_COLUMNS:
        names = [name for group in column.groups() for name in group]
        assert sorted(set(names)) == sorted(names), column.name
        assert all(plain(name) == name for name in names), column.name


@pytest.mark.parametrize(
    ("column", "name"),
    [
        ("judgeModel", "judge_model"),
        ("Graded By", "graded_by"),
        ("score (1-10)", "score"),
        ("Model-Name", "model_name"),
    ],
)
def test_names_of_columns_are_compared_by_their_words(column: str, name: str) -> None:
    assert matching([column], [name]) == [column]


def test_columns_of_two_sides_differ_in_one_mark() -> None:
    columns = ["model_a", "model_b", "Response 1", "Response 2", "left model", "right model", "a", "note"]

    pairs = [(pair.first, pair.second) for pair in sided(columns)]

    assert pairs == [("model_a", "model_b"), ("Response 1", "Response 2"), ("left model", "right model")]


def _several_checks(column: str) -> str:
    """Return verdicts of two judges on two checks of two answers to two questions, one row each."""
    heads = f"question,author,grader,{column},passed,note"
    rows = (
        f"q{q},{author},{judge},{check},yes,{q}{author}{judge}{check}"
        for q in (1, 2)
        for author in ("gpt-4o", "claude-3-opus")
        for judge in ("gpt-4o", "claude-3-opus")
        for check in ("polite", "short")
    )
    return "\n".join([heads, *rows]) + "\n"


def test_a_column_that_tells_repeated_verdicts_apart_is_asked_about(command, tmp_path):
    (tmp_path / "v.csv").write_text(_several_checks("part"))

    code, text = command(tmp_path / "v.csv")

    assert code == 2
    assert "several verdicts on the same answer, which differ in 'part'" in text
    assert "--map criterion=part" in text.splitlines()[-1]
    code, text = command(tmp_path / "v.csv", "--map", "criterion=part")
    assert code == 0
    assert "part -> criterion: 16 rows" in text


def test_a_column_of_runs_is_taken_by_its_name_and_else_asked_about(command, tmp_path):
    once = _several_checks("check").splitlines()
    for column in ("night", "part"):
        rows = [f"{row},{run}" for run in ("n1", "n2") for row in once[1:]]
        (tmp_path / f"{column}.csv").write_text("\n".join([f"{once[0]},{column}", *rows]))

    code, text = command(tmp_path / "night.csv")
    assert code == 0
    assert "night -> run_id: 32 rows" in text
    code, text = command(tmp_path / "part.csv", "--replace")
    assert code == 2
    assert "on the same answer and criterion, which differ in 'part'" in text
    assert "--map run_id=part" in text.splitlines()[-1]
    assert command(tmp_path / "part.csv", "--replace", "--not", "part")[0] == 0


def test_names_of_judges_on_two_sides_are_a_pair_shown_left_first(command, tmp_path):
    def duels(*judges):
        rows = (
            f"{judge},q{q},otter,maple,{'left' if q % 2 else 'right'}" for judge in judges for q in range(9)
        )
        (tmp_path / "d.csv").write_text("\n".join(["grader,question,left,right,vote", *rows]))
        return command(tmp_path / "d.csv", "--replace")

    code, text = duels("otter", "maple")
    assert code == 0
    assert "left -> generator: 18 rows" in text
    assert "'right' is on the right, so that 'left' is taken to be the answer shown first" in text
    study = Store(tmp_path / "store").open("s")
    assert set(judgments(study, "first")) == {("generator",)}
    code, text = duels("nobody", "else")
    assert code == 2  # nothing shows that the names are models


def test_a_column_of_checks_holds_the_criteria(command, tmp_path):
    (tmp_path / "v.csv").write_text(_several_checks("check"))

    code, text = command(tmp_path / "v.csv")

    assert code == 0
    assert "check -> criterion: 16 rows" in text


def graded(*grades: tuple[str, float, Any], column: str = "out_of") -> list[dict[str, Any]]:
    return [
        {"grader": judge, "candidate": model, "task": f"q{n}", "grade": grade, column: top}
        for n, (judge, grade, top) in enumerate(grades)
        for model in ("o3", "gpt-4o")
    ]


@pytest.mark.parametrize("column", ["out_of", "max_score", "Max points", "scale_max", "maximum"])
def test_a_column_that_says_the_top_of_the_scale_divides_the_scores(command, tmp_path, column):
    path = lines(tmp_path / "t.jsonl", graded(("o3", 9, 10), ("gpt-4o", 4, 10), column=column))

    code, report = command(path)

    assert code == 0, report
    assert (
        f"{column!r} is taken for the top of the scale of 'grade' (10), by which scores are divided" in report
    )
    assert judgments(Store(tmp_path / "store").open("s"), "score") == [(0.9,), (0.9,), (0.4,), (0.4,)]


def test_the_scale_of_grades_by_criterion_divides_those_of_experts_too(command, tmp_path):
    grades = graded(("o3", 9, 10), ("gpt-4o", 4, 10))
    path = lines(tmp_path / "t.jsonl", [row | {"check": "clear", "expert_grade": 8} for row in grades])

    code, report = command(path)

    assert code == 0, report
    assert "reference_score goes above 1 like the scores, and is divided by the scale too" in report
    study = Store(tmp_path / "store").open("s")
    assert judgments(study, "score") == [(0.9,), (0.9,), (0.4,), (0.4,)]
    assert study.table("references", ["score"])["score"].to_pylist() == [0.8] * 4


def test_grades_by_criterion_without_a_scale_are_said_to_count_nowhere(command, tmp_path):
    grades = graded(("o3", 9, "x"), ("gpt-4o", 4, "x"), ("o3", 1, "x"), column="mood")
    path = lines(
        tmp_path / "t.jsonl", [row | {"check": "clear", "paradigm": "score_rubric"} for row in grades]
    )

    assert command(path)[0] == 0
    result = engine.open_study(tmp_path / "store" / "s").result("scorecard")

    assert without_scale(result.left_out).startswith(
        "4 scores by criterion lie beyond 0 to 1 and count nowhere, as no scale is known: "
    )
    nothing = lines(
        tmp_path / "u.jsonl", [row | {"check": "clear", "paradigm": "score_rubric"} for row in grades[:4]]
    )
    assert command(nothing, "--replace")[0] == 0
    reason = engine.open_study(tmp_path / "store" / "s").result("scorecard").reason
    assert reason is not None
    assert "go beyond 0 to 1 and have no scale; import them with --set scale=5" in reason
    assert without_scale({"no_scale": 1}).startswith("1 score by criterion lies beyond 0 to 1 and counts")
    assert without_scale({}) == ""


def test_each_judge_may_have_a_scale_of_its_own(command, tmp_path):
    path = lines(tmp_path / "t.jsonl", graded(("o3", 8, 10), ("gpt-4o", 4, "5"), ("o3", 2, 10)))

    code, report = command(path)

    assert code == 0, report
    assert "(5 to 10, one for each judge)" in report
    assert judgments(Store(tmp_path / "store").open("s"), "score") == [
        (x,) for x in (0.8, 0.8, 0.8, 0.8, 0.2, 0.2)
    ]


@pytest.mark.parametrize(
    "grades",
    [
        (("o3", 9, 10), ("o3", 4, 5)),  # one judge, two scales
        (("o3", 9, 10), ("gpt-4o", 12, 10)),  # a score above the top
        (("o3", 9, 10), ("gpt-4o", -1, 10)),  # below 0: its lower end is not known
        (("o3", 9, 10), ("gpt-4o", 4, "ten")),
        (("o3", 9, 10), ("gpt-4o", 4, None)),
    ],
)
def test_a_column_that_is_no_certain_top_of_the_scale_leaves_it_a_question(command, tmp_path, grades):
    code, report = command(lines(tmp_path / "t.jsonl", graded(*grades)))

    assert code == 2
    assert "On which scale are the scores?" in report
    assert "judge=grader" in report, "what is known is in the command to copy"


def test_scores_up_to_1_are_not_divided_by_a_column_of_their_top(command, tmp_path):
    code, _ = command(lines(tmp_path / "t.jsonl", graded(("o3", 0.9, 10), ("gpt-4o", 0.4, 10))))

    assert code == 0
    assert judgments(Store(tmp_path / "store").open("s"), "score") == [(0.9,), (0.9,), (0.4,), (0.4,)]


def test_the_top_of_the_scale_can_be_left_out(command, tmp_path):
    path = lines(tmp_path / "t.jsonl", graded(("o3", 9, 10), ("gpt-4o", 4, 10)))

    code, report = command(path, "--not", "out_of")

    assert code == 2
    assert "On which scale are the scores?" in report


def _stars(*columns: str, texts: str = "own") -> list[dict[str, Any]]:
    """Return ratings from 1 to 5 of two answers by two judges, with true ones in some columns."""
    return [
        {
            "rater": judge,
            "author": model,
            "item": f"q{n}",
            "text": f"An answer to {n}" + (f" of {model}." if texts == "own" else "."),
            "stars": stars,
            **dict.fromkeys(columns, 5 - n),
        }
        for judge in ("o3", "gpt-4o")
        for model in ("o3", "gpt-4o")
        for n, stars in enumerate((5, 1, 3))
    ]


@pytest.mark.parametrize(
    "column", ["human_stars", "stars_human", "Expert Stars", "gold_stars", "annotator_5"]
)
def test_numbers_of_people_on_the_judges_scale_are_the_true_scores(command, tmp_path, column):
    path = lines(tmp_path / "t.jsonl", _stars(column))

    refusal, question = command(path)
    code, report = command(path, *FIVE)

    assert refusal == 2
    options = question.splitlines()[-1]
    name = f"'reference_score={column}'" if " " in column else f"reference_score={column}"
    assert f"--map {name}" in options
    assert "--map response=text" in options
    assert code == 0, report
    study = Store(tmp_path / "store").open("s")
    assert sorted(study.table("references", ["score"])["score"].to_pylist()) == [0.6, 0.6, 0.8, 0.8, 1.0, 1.0]
    assert set(study.table("responses", ["text"])["text"].to_pylist()) == {
        f"An answer to {n} of {model}." for n in range(3) for model in ("o3", "gpt-4o")
    }


@pytest.mark.parametrize("column", ["human_count", "annotator_id", "humans", "humanity_index"])
def test_other_numbers_about_people_are_no_true_scores(command, tmp_path, column):
    code, report = command(lines(tmp_path / "t.jsonl", _stars(column)), *FIVE)

    assert (code, "reference_score" in report) == (0, column == "humans")


def test_numbers_of_people_on_another_scale_are_no_true_scores(command, tmp_path):
    rows = [row | {"human_stars": 90} for row in _stars()]

    code, report = command(lines(tmp_path / "t.jsonl", rows), *FIVE)

    assert code == 0, report
    assert "not stored: 'human_stars'" in report


def test_of_several_columns_of_people_none_is_taken(command, tmp_path):
    code, report = command(lines(tmp_path / "t.jsonl", _stars("human_stars", "expert_stars")), *FIVE)

    assert code == 0, report
    assert "'human_stars' and 'expert_stars' may each be what is true; none is taken" in report


def test_a_text_that_all_answers_of_a_question_share_is_the_questions(command, tmp_path):
    code, report = command(lines(tmp_path / "t.jsonl", _stars(texts="shared")), *FIVE)

    assert code == 0, report
    assert "text -> prompt" in report


@pytest.mark.parametrize("column", ["human_pick", "picked_by_human", "expert_side"])
def test_sides_that_people_took_are_the_preferences(command, tmp_path, column):
    heads = f"referee,item,left_model,right_model,verdict,{column}"
    rows = (
        f"{judge},q{n},o3,gpt-4o,{'left' if n % 2 else 'tie'},right"
        for judge in ("o3", "gpt-4o")
        for n in range(9)
    )
    (tmp_path / "d.csv").write_text("\n".join([heads, *rows]))

    code, report = command(tmp_path / "d.csv")

    assert code == 0, report
    assert f"{column} -> preference: 18 rows" in report
    study = Store(tmp_path / "store").open("s")
    assert set(study.table("preferences", ["outcome"])["outcome"].to_pylist()) == {-1}  # the opponent


@pytest.mark.parametrize(
    ("name", "is_id"), [("criterion_id", True), ("crit", True), ("criterion_name", False)]
)
def test_an_id_beside_the_text_of_a_criterion_is_its_id_and_a_name_of_several_is_none(
    tmp_path: Path, name: str, is_id: bool
) -> None:
    texts = ("names the cause", "names the dose", "is short")
    rows = [
        {
            "judge": judge,
            "model": model,
            "question": f"q{q}",
            "criterion": text,
            "verdict": "yes" if (q + c) % 2 else "no",
        }
        | {name: f"k{c}" if is_id else ("content", "content", "style")[c]}
        for q in range(8)
        for judge in ("gpt-4o", "o3")
        for model in ("gpt-4o", "o3")
        for c, text in enumerate(texts)
    ]

    _, study = imported("table", lines(tmp_path / "t.jsonl", rows))

    rubrics = study.table("rubrics").to_pylist()
    assert {row["criterion"] for row in rubrics} == {*texts}
    if is_id:
        assert {(row["rubric_id"], row["criterion"]) for row in rubrics} == {
            *zip(("k0", "k1", "k2"), texts, strict=True)
        }
    else:
        assert {row["axis"] for row in rubrics} == {"content", "style"}
