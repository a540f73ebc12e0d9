"""Tables that once gave wrong numbers or none: what the command stores, asks and says."""

import json
from pathlib import Path
from typing import Any

import pytest
from importers.foreign_files import dump, judgments, lines, rows_of

import engine

CASES = Path(__file__).parent / "cases"
PAIR = "instance_id=question_id,generator=model_a,opponent=model_b,choice=winner"


def test_a_label_with_an_equals_sign_has_its_meaning_after_the_last_one(import_by: Any) -> None:
    path = CASES / "arena-label-equals" / "pairs.csv"
    words = ("--map", PAIR.replace("choice=winner", "choice=verdict"), "--set", "first=generator")

    study = import_by("table", path, *words, "--value", "choice:A>B=a,A=B=tie,B>>A=b").study

    assert judgments(study, "choice") == [("generator",), ("tie",), ("opponent",)]


def test_a_judges_table_whose_winners_are_names_is_no_file_of_votes(import_by: Any) -> None:
    imported = import_by("auto", CASES / "auto-takes-judge-table-for-arena" / "judgments.csv")

    rows = judgments(imported.study, "judge", "generator", "opponent", "first", "choice", "status")
    assert "detected table" in imported.report
    assert len(rows) == 8
    for judge, generator, opponent, first, choice, status in rows:
        winner = generator if choice == "generator" else opponent
        assert (winner, first, status) == (judge, "generator", "ok")
    assert "guessed: each pair is there both ways round" in imported.report


@pytest.mark.parametrize("winner", ["1", "none of them"])
def test_an_import_without_a_readable_verdict_fails_and_writes_nothing(
    tmp_path: Path, import_by: Any, winner: str
) -> None:
    row = {"question_id": 1, "judge": "arena_user_1", "model_a": "gpt-4o", "model_b": "o3", "winner": "error"}
    by_judge = {"question_id": 1, "judge": "gpt-4o", "model_a": "gpt-4o", "model_b": "o3", "winner": winner}

    votes = import_by("chatbot-arena", lines(tmp_path / "votes.jsonl", [by_judge]))
    table = import_by("table", lines(tmp_path / "table.jsonl", [row]))

    for imported in (votes, table):
        assert imported.code == 1
        assert "no verdict could be read from 1 judgment; nothing was written" in imported.report
        assert not imported.store.exists()


def test_ids_that_differ_by_a_decimal_are_warned_of_and_can_be_joined(import_by: Any) -> None:
    folder = CASES / "ids-1-and-1.0"
    words = ("--map", "instance_id=question_id,generator=model", "--set", "scale=5")
    assert import_by("table", folder / "a.csv", *words).code == 0

    dry = import_by("table", folder / "b.csv", *words, "--append", "--dry-run", "--whole-ids")
    apart = import_by("table", folder / "b.csv", *words, "--append", "--dry-run")
    joined = import_by("table", folder / "b.csv", *words, "--append", "--whole-ids")

    assert (dry.code, apart.code) == (0, 0)
    assert "warning" not in dry.report
    assert joined.study.table("instances")["instance_id"].to_pylist() == ["1", "2"]
    assert judgments(joined.study, "judge", "instance_id")[2:] == [
        ("claude-3-opus", "1"),
        ("claude-3-opus", "2"),
    ]


def test_the_warning_about_ids_says_how_to_join_them(import_by: Any) -> None:
    folder = CASES / "ids-1-and-1.0"
    words = ("--map", "instance_id=question_id,generator=model", "--set", "scale=5")
    import_by("table", folder / "a.csv", *words)

    imported = import_by("table", folder / "b.csv", *words, "--append")

    assert "warning: ids of questions that differ from another by .0 only: 2, such as" in imported.report
    assert "'1' and '1.0'" in imported.report
    assert "--whole-ids" in imported.report
    assert imported.study.table("instances").num_rows == 4, "ids are text as written"


@pytest.mark.parametrize("column", ["choice", "preference"])
def test_winners_0_1_and_2_are_asked_about_and_read_as_told(
    tmp_path: Path, import_by: Any, column: str
) -> None:
    path = CASES / "labels-012-tie-is-2" / "pairs.csv"
    if column == "preference":  # a table of people's verdicts has no judge
        rows = [line.split(",") for line in path.read_text("utf-8").splitlines()]
        path = tmp_path / "people.csv"
        path.write_text("\n".join(",".join([row[0], *row[2:]]) for row in rows), "utf-8")
    words = ("--map", PAIR.replace("choice", column), "--set", "first=generator")

    without = import_by("table", path, *words)
    with_meaning = import_by("table", path, *words, "--value", f"{column}:0=a,1=b,2=tie")

    assert without.code == 2
    assert "'winner' holds '0' (3), '1' (1), '2' (1)" in without.report
    assert f"--value '{column}:0=?,1=?,2=?'" in without.report
    if column == "choice":
        rows = [choice for (choice,) in judgments(with_meaning.study, "choice")]
        assert rows == ["generator", "generator", "generator", "opponent", "tie"]
    else:
        assert sorted(rows_of(with_meaning.study.table("preferences"), "outcome")) == [
            (-1,),
            (0,),
            (1,),
            (1,),
            (1,),
        ]


def test_a_half_is_asked_about_with_the_0_and_1_beside_it(import_by: Any) -> None:
    path = CASES / "labels-half-tie" / "pairs.csv"
    words = ("--map", PAIR, "--set", "first=generator")

    first = import_by("table", path, *words)
    again = import_by("table", path, *words, "--value", "choice:0.5=tie")
    with_meaning = import_by("table", path, *words, "--value", "choice:0.5=tie,1=a,0=b")

    assert "'0' (3), '1' (1), '0.5' (1)" in first.report
    assert "--value 'choice:0=?,1=?,0.5=?'" in first.report
    assert again.code == 2
    assert "--value 'choice:0.5=tie,0=?,1=?'" in again.report
    choices = [choice for (choice,) in judgments(with_meaning.study, "choice")]
    assert choices == ["opponent", "opponent", "opponent", "generator", "tie"]


SCORES = [("0", "gpt-4o", 0.9), ("1", "claude-3-opus", 0.5)]
ROWS = [{"question_id": n, "judge": "gpt-4o", "model": m, "score": s} for n, (_, m, s) in enumerate(SCORES)]


@pytest.mark.parametrize(
    "content",
    [
        json.loads((CASES / "pandas-to-json-default" / "scores.json").read_text("utf-8")),
        {"columns": list(ROWS[0]), "index": [0, 1], "data": [list(row.values()) for row in ROWS]},
        {"0": ROWS[0], "1": ROWS[1]},
        {"a": ROWS[0], "b": ROWS[1]},
        {name: [row[name] for row in ROWS] for name in ROWS[0]},
        {"schema": {"fields": [{"name": "judge"}]}, "data": ROWS},
    ],
    ids=["columns", "split", "index", "by-name", "lists", "table"],
)
def test_a_frame_as_pandas_writes_it_is_a_table(tmp_path: Path, import_by: Any, content: object) -> None:
    path = dump(tmp_path / "scores.json", content)

    study = import_by("table", path, "--map", "instance_id=question_id,generator=model").study

    assert judgments(study, "instance_id", "generator", "score") == SCORES


def test_an_indented_frame_of_pandas_is_a_table_too(tmp_path: Path, import_by: Any) -> None:
    path = tmp_path / "scores.json"
    content = json.loads((CASES / "pandas-to-json-default" / "scores.json").read_text("utf-8"))
    path.write_text(json.dumps(content, indent=2), "utf-8")

    assert judgments(import_by("auto", path).study, "instance_id", "generator", "score") == SCORES


@pytest.mark.parametrize("form", ["table", "auto"])
def test_words_for_places_follow_the_order_shown(import_by: Any, form: str) -> None:
    words = ("--map", f"{PAIR},first=shown_first") if form == "table" else ()

    study = import_by(form, CASES / "positional-words-vs-first" / "pairs.csv", *words).study

    assert (
        judgments(study, "first", "choice")
        == [
            ("generator", "generator"),
            ("opponent", "generator"),
        ]
        * 3
    )
    (row,) = engine.Study(study).result("order-effect", resamples=0).rows
    assert row["flip_rate"] == 0
    (votes,) = [
        r for r in engine.Study(study).result("votes", resamples=0).rows if r["generator"] == "gpt-4o"
    ]
    assert votes["win_rate"] == 1


@pytest.mark.parametrize(
    ("words", "choices"),
    [
        ("choice:A=generator,B=opponent", ["generator", "opponent"]),
        ("choice:A=first,B=second", ["generator", "generator"]),
    ],
)
def test_letters_are_asked_about_where_the_order_differs(
    tmp_path: Path, import_by: Any, words: str, choices: list[str]
) -> None:
    rows = [
        "q,judge,model_a,model_b,first,winner",
        "1,gpt-4o,gpt-4o,o3,model_a,A",
        "1,gpt-4o,gpt-4o,o3,model_b,B",
    ]
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(rows), "utf-8")
    mapping = ("--map", "instance_id=q,generator=model_a,opponent=model_b,choice=winner")

    without = import_by("table", path, *mapping)
    with_meaning = import_by("table", path, *mapping, "--value", words)

    assert without.code == 2
    assert "Does a letter stand for the model" in without.report
    assert [choice for (choice,) in judgments(with_meaning.study, "choice")] == choices


@pytest.mark.parametrize(("one", "two"), [("1", "2"), ("alpha", "beta")])
@pytest.mark.parametrize(
    ("meanings", "choices"),
    [(("a", "b"), ["generator", "opponent"]), (("first", "second"), ["generator", "generator"])],
)
def test_numbers_and_other_words_are_asked_about_as_models_or_places_where_the_order_differs(
    tmp_path: Path, import_by: Any, one: str, two: str, meanings: tuple[str, str], choices: list[str]
) -> None:
    rows = [
        "q,judge,model_a,model_b,swapped,winner",
        f"1,gpt-4o,gpt-4o,o3,no,{one}",
        f"1,gpt-4o,gpt-4o,o3,yes,{two}",
    ]
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(rows), "utf-8")
    mapping = ("--map", "instance_id=q,generator=model_a,opponent=model_b,choice=winner,first=swapped")
    words = f"choice:{one}={meanings[0]},{two}={meanings[1]}"

    without = import_by("table", path, *mapping)
    with_meaning = import_by("table", path, *mapping, "--value", words)

    assert without.code == 2
    assert "a or b for the model (a is `generator`, in any order)" in without.report
    assert "first or second for the place (first was shown first)" in without.report
    assert [choice for (choice,) in judgments(with_meaning.study, "choice")] == choices
    of_models = f"{one!r} and {two!r} in 'winner' are taken for the models of 'model_a' and 'model_b'"
    assert (of_models in with_meaning.report) == (meanings == ("a", "b"))


def test_letters_are_sides_in_a_table_of_our_own_columns(tmp_path: Path, import_by: Any) -> None:
    row = {
        "judge": "o3",
        "generator": "gpt-4o",
        "opponent": "o3",
        "instance_id": 1,
        "choice": "a",
        "first": "b",
    }

    study = import_by("table", lines(tmp_path / "t.jsonl", [row])).study

    assert judgments(study, "first", "choice") == [("opponent", "generator")]


def test_a_path_without_a_list_is_refused(tmp_path: Path, import_by: Any) -> None:
    path = lines(tmp_path / "t.jsonl", [{"judge": "o3", "": [{"score": 1}]}])

    assert "--rows '[]' names no list" in import_by("table", path, "--rows", "[]").report
    assert "no list at 'votes'" in import_by("table", path, "--rows", "votes").report


def test_a_place_is_not_guessed_in_a_row_without_the_order(tmp_path: Path, import_by: Any) -> None:
    rows = [
        "q,judge,model_a,model_b,first,winner",
        "1,gpt-4o,gpt-4o,o3,model_b,first",
        "2,gpt-4o,gpt-4o,o3,,first",
    ]
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(rows), "utf-8")

    imported = import_by("auto", path, "--map", "instance_id=q")

    assert judgments(imported.study, "instance_id", "choice") == [("1", "opponent")]
    assert "choice names a place, and the row does not say which was shown first: 1 row" in imported.report


@pytest.mark.parametrize(("flag", "first"), [("0", "generator"), ("1", "opponent"), ("true", "opponent")])
def test_a_flag_of_swapped_responses_is_the_order(
    tmp_path: Path, import_by: Any, flag: str, first: str
) -> None:
    row = {"question_id": 1, "judge": "o3", "model_a": "gpt-4o", "model_b": "o3", "winner": "first"}

    imported = import_by("auto", lines(tmp_path / "t.jsonl", [row | {"swapped": flag}]))

    winner = first  # the response shown first
    assert judgments(imported.study, "first", "choice") == [(first, winner)]


def test_words_for_places_without_an_order_are_read_as_the_columns_and_noted(
    tmp_path: Path, import_by: Any
) -> None:
    row = {"question_id": 1, "judge": "o3", "model_a": "gpt-4o", "model_b": "o3", "winner": "right"}

    imported = import_by("auto", lines(tmp_path / "t.jsonl", [row]), "--set", "first=unknown")

    assert judgments(imported.study, "first", "choice") == [("unknown", "opponent")]
    assert "'right' in 'winner' are taken for the models of 'model_a' and 'model_b'" in imported.report


def test_in_a_verdict_over_both_orders_words_for_places_name_the_columns(
    tmp_path: Path, import_by: Any
) -> None:
    row = {"question_id": 1, "judge": "o3", "left": "gpt-4o", "right": "o3"}
    rows = [row | {"vote": vote} for vote in ("left", "right", "tie")]
    rows = [each | {"question_id": number} for number, each in enumerate(rows)]

    imported = import_by("auto", lines(tmp_path / "t.jsonl", rows), "--set", "first=both")

    assert judgments(imported.study, "first", "choice") == [
        (None, "generator"),
        (None, "opponent"),
        (None, "tie"),
    ]
    assert (
        "'left' and 'right' in 'vote' are the models of 'left' and 'right', which are called so"
        in imported.report
    )
    assert "order: each of 3 comparisons is over both orders already" in imported.report


def test_two_votes_of_people_on_one_pair_are_two_people(import_by: Any) -> None:
    imported = import_by(
        "table",
        CASES / "two-human-votes-one-pair" / "votes.csv",
        *("--map", "generator=model_a,opponent=model_b,instance_id=task,preference=human"),
        *("--judges", "gpt-4o,claude-3-opus", "--set", "first=generator"),
    )

    preferences = imported.study.table("preferences")
    assert len(judgments(imported.study, "judge")) == 6
    assert sorted(rows_of(preferences, "instance_id", "generator", "source", "outcome")) == [
        ("t1", "gpt-4o", "human:1", 1),
        ("t1", "gpt-4o", "human:2", -1),
        ("t2", "gpt-4o", "human:1", -1),
    ]
    assert (
        "people gave several verdicts on 1 pair, and differ on 1: they are human:1 and human:2"
        in imported.report
    )


def test_people_have_the_ids_of_their_column(tmp_path: Path, import_by: Any) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(
        "task,model_a,model_b,human,worker_id,gpt-4o\n"
        "t1,gpt-4o,o3,a,w7,a\nt1,o3,gpt-4o,a,w9,b\nt1,gpt-4o,o3,b,w7,a\n",
        "utf-8",
    )
    columns = "generator=model_a,opponent=model_b,instance_id=task,preference=human,annotator=worker_id"

    imported = import_by("table", path, "--map", columns, "--judges", "gpt-4o", "--set", "first=generator")

    assert sorted(rows_of(imported.study.table("preferences"), "generator", "source", "outcome")) == [
        ("gpt-4o", "human:w7", 1),
        ("gpt-4o", "human:w9", -1),
    ]
    assert "contradict an earlier one of the same source on the same thing" in imported.report
    assert "not stored: 1" in imported.report
    assert len(judgments(imported.study, "judge")) == 3, "the judge's verdict of that row is kept"


def test_a_label_beside_each_judges_verdict_is_one_persons(tmp_path: Path, import_by: Any) -> None:
    rows = [
        {"q": 1, "judge": judge, "model_a": "gpt-4o", "model_b": "o3", "winner": "a", "human_winner": "b"}
        for judge in ("gpt-4o", "o3", "o3")
    ]

    study = import_by("auto", lines(tmp_path / "t.jsonl", rows), "--map", "instance_id=q").study

    assert rows_of(study.table("preferences"), "source", "outcome") == [("human:reference", -1)]


def test_people_who_differ_on_a_response_are_stored_side_by_side(tmp_path: Path, import_by: Any) -> None:
    rows = [
        {"id": 1, "model": "gpt-4o", "judge": "o3", "verdict": "yes", "human_label": label, "run": n}
        for n, label in enumerate(("yes", "no"))
    ]

    imported = import_by("auto", lines(tmp_path / "t.jsonl", rows))

    references = imported.study.table("references")
    assert sorted(rows_of(references, "source", "met")) == [("human:1", True), ("human:2", False)]
    assert "on 1 answer, and differ on 1" in imported.report


def test_several_verdicts_of_people_are_counted_by_criterion(tmp_path: Path, import_by: Any) -> None:
    """Of the answers to questions 0 and 1, people differ on both criteria of one and one of the other."""
    twice = [(0, "clear"), (0, "short"), (1, "clear")]
    row = {"model": "gpt-4o", "judge": "o3", "verdict": "yes"}
    rows = [
        row | {"id": n, "criterion": criterion, "human_label": label}
        for n, criterion in [*twice, (1, "short")]
        for label in (("yes", "no") if (n, criterion) in twice else ("yes",))
    ]

    imported = import_by("auto", lines(tmp_path / "t.jsonl", rows))

    assert "on 3 criteria of 2 answers, and differ on 3: they are human:1" in imported.report


def test_a_missing_label_and_a_row_left_out_are_nobodys_vote(tmp_path: Path, import_by: Any) -> None:
    single = {"id": 1, "model": "gpt-4o", "judge": "o3", "verdict": "yes"}
    labels = lines(tmp_path / "a.jsonl", [single | {"human_label": x} for x in ("n/a", "yes", "yes")])
    pair = {"id": 1, "model_a": "gpt-4o", "model_b": "o3", "judge": "o3", "human_winner": "a", "status": "ok"}
    rows = [pair | {"winner": "a", "status": "lost"}, pair | {"winner": "b", "human_winner": "b"}]

    met = import_by("auto", labels)
    votes = import_by("auto", lines(tmp_path / "b.jsonl", rows), "--replace")

    assert "people gave" not in met.report + votes.report
    assert "status is not one of ok, unparsed, refused, error: 1 row" in votes.report
    assert rows_of(votes.study.table("preferences"), "source", "outcome") == [("human:reference", -1)]


BATTLE = [("q0", "generator"), ("q1", "opponent"), ("q2", "tie"), ("q3", "generator"), ("q4", None)]


def test_a_list_inside_an_object_is_found(import_by: Any) -> None:
    study = import_by("auto", CASES / "wrapped-list-in-object" / "results.json").study

    assert judgments(study, "judge", "instance_id", "generator", "opponent", "choice") == [
        ("gpt-4o", "s1", "gpt-4o", "claude-3-opus", "generator"),
        ("gpt-4o", "s2", "gpt-4o", "claude-3-opus", "opponent"),
    ]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--rows", "results"),
        ("--rows", "results[]"),
        (
            *("--rows", "results", "--map", "judge=judge.model,generator=fighter_a.model"),
            *("--map", "opponent=fighter_b.model,instance_id=id,choice=winner"),
        ),
    ],
)
def test_the_fields_around_a_list_are_fields_of_its_members(import_by: Any, words: tuple[str, ...]) -> None:
    imported = import_by("auto", CASES / "wrapped-list-in-object" / "battle.json", *words)

    rows = judgments(imported.study, "judge", "generator", "opponent", "instance_id", "choice")
    assert rows == [("gpt-4o", "gpt-4o", "claude-3-opus", *each) for each in BATTLE]
    assert "5 rows read, 5 taken, 0 left out" in imported.report


def test_a_path_that_picks_one_of_many_counts_the_others(import_by: Any) -> None:
    path = CASES / "wrapped-list-in-object" / "battle.json"
    columns = "judge=judge.model,generator=fighter_a.model,opponent=fighter_b.model"

    imported = import_by(
        "table", path, "--map", f"{columns},instance_id=results[0].id,choice=results[0].winner"
    )

    assert "5 rows read, 1 taken, 4 left out" in imported.report
    assert (
        "one member of results is picked by its number (--rows results reads each): 4 rows" in imported.report
    )


def test_scores_by_criterion_have_a_conclusion(tmp_path: Path, import_by: Any) -> None:
    """Each of three judges gives itself a point of five more."""
    models = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
    rows = [
        {
            "question_id": n,
            "judge": judge,
            "model": model,
            "criterion": "helpful",
            "score": 3 + (judge == model),
        }
        for n in range(40)
        for judge in models
        for model in models
    ]

    study = import_by("auto", lines(tmp_path / "scores.jsonl", rows), "--set", "scale=5").study

    rows = engine.Study(study).result("outside", resamples=0).rows
    bonuses = {row["judge"]: row["bonus_outside"] for row in rows if row["judge"]}
    assert bonuses == {model: pytest.approx(20) for model in models}, "a fifth of the scale, in points of 100"
