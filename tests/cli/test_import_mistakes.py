"""A table whose columns are named wrongly, or not at all, is refused with a command that imports it."""

import random
import shlex
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from command_line import Spb

import engine
from engine.errors import BadInputError
from engine.store import Store

MODELS = ("gpt-4o", "gpt-4o-mini", "claude-3-opus", "claude-3-haiku")
OURS = ("judge", "generator", "question")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "t.csv"


def write(table: Path, heads: str) -> None:
    """Write verdicts, and true ones where there is a fifth head."""
    chance = random.Random(1)
    rows = [
        (judge, author, f"What is {n}?", *(chance.choice(("ok", "bad")) for _ in range(2)))
        for n in range(6)
        for judge in MODELS
        for author in MODELS
    ]
    n_columns = len(heads.split(","))
    table.write_text("\n".join([heads, *(",".join(row[:n_columns]) for row in rows)]), "utf-8")


def command_of(stderr: str) -> list[str]:
    """Return the words of the command that an error ends with."""
    line = stderr.splitlines()[-1]
    assert line.startswith("  spb import ")
    return shlex.split(line)[1:]


def filled(command: list[str], heads: str) -> list[str]:
    """Return the words of a command, the first two columns as judge and author where it leaves these open."""
    judge, author, *_ = heads.split(",")
    answers = {"judge=?": f"judge={judge}", "generator=?": f"generator={author}"}
    return [answers.get(word, word) for word in command]


ODD = "Alpha,Beta,Item,Outcome"


@pytest.mark.parametrize(
    ("heads", "words", "problem"),
    [
        ("Richter,Verfasser,Frage,Urteil", (), "no column is generator, the model that answered"),
        ("Richter,Verfasser,Frage,Urteil,Wahrheit", (), "no column is met or score"),
        ("Judge Name,Answer By,The Question,Pass/Fail?", (), "no column is met or score"),
        (f"{ODD},Gold", (), "judge, the model that judged, may be 'Alpha' or 'Beta'"),
        ("grader,author,question,passed,correct", (), "it may be 'passed' or 'correct'"),
        (ODD, ("--map", "jugde=Alpha"), "unknown column of --map 'jugde'; did you mean judge"),
        (ODD, ("--map", "judge=Alfa"), "--map judge= names 'Alfa', which no row has; did you mean 'Alpha'"),
        (ODD, ("--map", "judge=Zzz"), "--map judge= names 'Zzz', which no row has; the fields are 'Alpha'"),
        (ODD, ("--map", "thing=Alpha"), "unknown column of --map 'thing'; choose from: judge, generator"),
        (
            ODD,
            ("--map", "Alpha=judge"),
            "unknown column of --map 'Alpha'; the name of our column comes first",
        ),
        (ODD, ("--map", "judge=Alpha,verdict=Outcome"), "--map 'verdict'; it is called met here"),
        (ODD, ("--map", "judge=Alpha,generator=Alpha"), "judge and generator are both read from 'Alpha'"),
        (
            ODD,
            ("--value", "met:ok=maybe"),
            "met:ok=maybe: 'maybe' is no verdict; give yes, no, good, bad, none or refused",
        ),
    ],
)
def test_the_command_after_a_mistake_imports_the_table(spb_here: Spb, table, tmp_path, heads, words, problem):
    write(table, heads)

    refused = spb_here("import", table, "--study", "mine", "--store", tmp_path, *words)
    command = command_of(refused.stderr)
    imported = spb_here(*filled(command, heads))

    assert refused.returncode == 2
    assert problem in refused.stderr
    assert ("judge=?" in command) == ("generator=?" in command)  # which of two is never a guess
    last = "give what stands for ?, and run:" if "judge=?" in command else "and run:"
    assert f"correct what is wrong, {last}" in refused.stderr
    assert imported.returncode == 0, imported.stderr
    study = Store(tmp_path).open("mine")
    rows = study.judgments(("judge", "generator", "met")).to_pylist()
    assert {row["judge"] for row in rows} == {row["generator"] for row in rows} == set(MODELS)
    assert len(rows) == 6 * len(MODELS) ** 2
    verdicts = [line.split(",")[3] == "ok" for line in table.read_text("utf-8").splitlines()[1:]]
    assert sum(row["met"] for row in rows) == sum(verdicts)
    assert [row["judge"] for row in rows if row["met"]].count(MODELS[0]) == sum(verdicts[:4]) + sum(
        sum(verdicts[16 * n : 16 * n + 4]) for n in range(1, 6)
    )


def test_scores_in_an_unknown_column_are_read_on_the_scale_they_reach(spb_here: Spb, table, tmp_path):
    rows = [f"{j},{g},q{n},{1 + (n + len(j)) % 5}" for n in range(5) for j in MODELS for g in MODELS]
    table.write_text("\n".join(["Richter,Verfasser,Frage,Punkte", *rows]), "utf-8")

    refused = spb_here("import", table, "--study", "mine", "--store", tmp_path)
    imported = spb_here(*filled(command_of(refused.stderr), "Richter,Verfasser"))

    assert imported.returncode == 0, imported.stderr
    scores = Store(tmp_path).open("mine").judgments(("score",))["score"].to_pylist()
    assert set(scores) == {0.2, 0.4, 0.6, 0.8, 1.0}


def test_what_no_column_can_be_stays_open_and_is_not_imported(spb_here: Spb, table, tmp_path):
    write(table, "judge,author,question,verdict")
    lines = [
        ",".join(line.split(",")[i] for i in (0, 2, 3)) for line in table.read_text("utf-8").splitlines()
    ]
    table.write_text("\n".join(lines), "utf-8")

    refused = spb_here("import", table, "--study", "mine", "--store", tmp_path)
    command = command_of(refused.stderr)
    again = spb_here(*command)
    named = spb_here(*("gpt-4o" if word == "?" else word for word in command))

    assert "give what stands for ?, and run:" in refused.stderr
    assert "Name it with --generator NAME if one model wrote all answers" in refused.stderr
    assert again.returncode == 2
    assert again.stderr.endswith("error: a model is called '?'; write its name in place of the ?\n")
    assert named.returncode == 0, named.stderr


def test_which_number_is_which_side_is_not_guessed(spb_here: Spb, table, tmp_path):
    rows = [f"{j},gpt-4o,claude-3-opus,q{n},{n % 2}" for n in range(6) for j in MODELS]
    table.write_text("\n".join(["judge,model_a,model_b,question,winner", *rows]), "utf-8")

    refused = spb_here("import", table, "--store", tmp_path)

    assert "choice:0=?,1=?" in refused.stderr.splitlines()[-1]
    assert refused.stderr.splitlines()[-2] == "give what stands for ? here, and run:"


LETTERS = {  # who won in the rows below, each shown first once
    "a letter stands for the model": ["gpt-4o", "o3", "gpt-4o", "o3"],
    "a letter stands for the place": ["gpt-4o", "o3", "o3", "gpt-4o"],
}


@pytest.mark.parametrize(
    "answer",
    [(), ("--value", "choice:a=first"), ("--value", "choice:b=opponent"), ("--value", "choice:b=generator")],
)
@pytest.mark.parametrize("when", LETTERS)
def test_each_reading_of_letters_has_its_whole_command(spb_here: Spb, table, tmp_path, answer, when):
    rows = [f"gpt-4o,q{n},gpt-4o,o3,{'gpt-4o' if n < 2 else 'o3'},{'AB'[n % 2]}" for n in range(4)]
    table.write_text("\n".join(["judge,question,model_a,model_b,shown_first,winner", *rows]), "utf-8")

    refused = spb_here("import", table, "--study", "mine", "--store", tmp_path, *answer)
    lines = refused.stderr.splitlines()
    command = next(after for line, after in pairwise(lines) if line.endswith(f"if {when}:"))
    imported = spb_here(*shlex.split(command)[1:])

    assert imported.returncode == 0, imported.stderr
    rows = (
        Store(tmp_path).open("mine").judgments(("instance_id", "generator", "opponent", "choice")).to_pylist()
    )
    winners = {row["instance_id"]: row[row["choice"]] for row in rows}
    assert [winners[f"q{n}"] for n in range(4)] == LETTERS[when]
    assert "--value choice:a=generator,b=opponent, or --value choice:a=first,b=second" in refused.stderr
    assert ("turns the sides around" in refused.stderr) == ("choice:b=generator" in answer)


def test_the_other_letter_is_in_the_answer_where_only_one_has_been_read(spb_here: Spb, table, tmp_path):
    table.write_text(
        "judge,question,model_a,model_b,shown_first,winner\n"
        "gpt-4o,q1,gpt-4o,o3,o3,A\ngpt-4o,q2,gpt-4o,o3,gpt-4o,A\n",
        "utf-8",
    )

    refused = spb_here("import", table, "--store", tmp_path)

    assert refused.stderr.count("--value choice:a=generator,b=opponent") == 2
    assert refused.stderr.count("--value choice:a=first,b=second") == 2


def test_a_column_given_twice_is_refused_with_both_fields(spb_here: Spb, table, tmp_path):
    write(table, ODD)

    refused = spb_here("import", table, "--store", tmp_path, "--map", "judge=Alpha", "--map", "judge=Beta")

    assert refused.returncode == 2
    assert refused.stderr == (
        "error: --map gives judge twice, 'Alpha' and 'Beta'; keep one of them, such as --map judge=Alpha\n"
    )


def test_a_folder_of_other_files_is_not_guessed_at_and_the_file_is_named(spb_here: Spb, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "ada.csv").write_text(
        "task,item,kind,criterion,answer,value,annotator,comment\n"
        + "".join(f"check30,{n:05},rubric_verdict,Names the person,An answer {n},,ada,\n" for n in range(9)),
        "utf-8",
    )

    refused = spb_here("import", folder, "--dry-run", "--store", tmp_path)

    assert refused.returncode == 2
    assert "error: of 'ada.csv': no column is generator" in refused.stderr
    assert "'task' as met" not in refused.stderr
    assert "give what stands for ? here, and run:" in refused.stderr


def test_a_table_of_numbers_that_shows_no_model_is_not_guessed_at(spb_here: Spb, table, tmp_path):
    table.write_text("a,b,c\n1,2,3\n4,5,6\n", "utf-8")

    refused = spb_here("import", table, "--store", tmp_path)

    assert refused.returncode == 2
    assert "this reads" not in refused.stderr
    assert refused.stderr.splitlines()[-1].count("=?") == 4


@pytest.mark.parametrize("name", ["note.docx", "notes.md"])
def test_a_file_of_no_known_kind_says_at_once_what_can_be_read(spb_here: Spb, tmp_path, name):
    (tmp_path / name).write_text("Dear team,", "utf-8")

    refused = spb_here("import", tmp_path / name, "--store", tmp_path)

    assert refused.returncode == 2
    assert f"{name!r} matches no known format; what can be read are tables (.csv, .tsv" in refused.stderr
    assert "save it as one of them, such as CSV" in refused.stderr


def test_a_file_of_a_known_kind_and_no_known_format_may_be_named_one(spb_here: Spb, tmp_path):
    (tmp_path / "my notes.json").write_text("42", "utf-8")

    refused = spb_here("import", tmp_path / "my notes.json", "--store", tmp_path)
    command = shlex.split(refused.stderr.split("`")[1])

    assert command == ["spb", "import", str(tmp_path / "my notes.json"), "--as", "FORMAT"]
    assert (
        "it has no row" in spb_here(*("table" if word == "FORMAT" else word for word in command[1:])).stderr
    )


@pytest.mark.parametrize(("content", "kind"), [("[]", "list"), ("[ ]\n", "list"), ("{}", "object")])
def test_an_empty_list_is_said_to_be_empty(spb_here: Spb, tmp_path: Path, content: str, kind: str) -> None:
    (tmp_path / "e.json").write_text(content, "utf-8")

    refused = spb_here("import", tmp_path / "e.json", "--store", tmp_path)

    assert refused.returncode == 2
    assert f"'e.json' is an empty {kind}, without any row; export it again" in refused.stderr


@pytest.mark.parametrize("name", ["csv", "json", "parquet", "Excel", ".xlsx"])
def test_a_kind_of_file_is_told_from_a_format(spb_here: Spb, table: Path, tmp_path: Path, name: str) -> None:
    write(table, "judge,generator,question,met")

    refused = spb_here("import", table, "--as", name, "--store", tmp_path)

    assert refused.returncode == 2
    assert (
        f"{name!r} is a kind of file; the format of a table in any of them is named `table`" in refused.stderr
    )
    assert "leave --as out" in refused.stderr
    assert "alpaca" not in refused.stderr


def test_the_columns_of_a_table_are_said_to_be_more_where_some_rows_lack_one(
    spb_here: Spb, tmp_path: Path
) -> None:
    rows = "judge,model,question,passed,truth\nj,a,1,yes,yes\nj,b,1,no,\n"
    (tmp_path / "t.csv").write_text(rows, "utf-8")

    report = spb_here("import", tmp_path / "t.csv", "--store", tmp_path).stderr

    assert "it has the columns judge, model, question, passed and others" in report


def test_a_frame_is_answered_with_the_column_that_the_command_proposes(
    spb_here: Spb, table: Path, tmp_path: Path
) -> None:
    write(table, "judge,generator,thing,met")
    rows = pd.read_csv(table).assign(part=lambda frame: frame["thing"].str[-2:], model=MODELS[0])
    rows = pd.concat([rows, rows])
    rows.to_csv(table, index=False)

    refused = spb_here("import", table, "--store", tmp_path)
    with pytest.raises(BadInputError) as error:
        engine.from_frame(rows)

    assert "--map instance_id=thing" in refused.stderr.splitlines()[-1]
    assert "instance_id='thing'" in str(error.value).partition(" All together")[2]
    assert "and 'thing' as instance_id; correct what is wrong" in str(error.value)
    assert "?" not in str(error.value).partition(" All together")[2]


def test_the_commands_for_several_files_keep_what_was_given(spb_here: Spb, tmp_path: Path) -> None:
    for name in ("week1", "week2"):
        write(tmp_path / f"{name}.csv", "judge,model,question,verdict")
    files = (tmp_path / "week1.csv", tmp_path / "week2.csv")
    values = ("--value", "met:ok=yes,bad=no")

    dry = spb_here("import", *files, "--study", "x", "--store", tmp_path / "s", "--dry-run", *values)
    strict = spb_here("import", *files, "--study", "x", "--store", tmp_path / "s", "--strict", "--replace")
    commands = [line.strip() for line in dry.stderr.splitlines() if line.startswith("  spb ")]
    done = [spb_here(*shlex.split(command)[1:]) for command in commands]

    assert dry.returncode == strict.returncode == 2
    assert len(commands) == 2
    assert all("--dry-run" in command for command in commands)
    assert [each.returncode for each in done] == [0, 0], done
    assert not (tmp_path / "s").exists()
    first, second = (line for line in strict.stderr.splitlines() if line.startswith("  spb "))
    assert all("--strict" in command for command in (first, second))
    assert (first.split()[-1], second.split()[-1]) == ("--replace", "--append")


def test_a_folder_that_is_mostly_of_another_kind_is_refused_with_the_one_file(
    spb_here: Spb, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    write(folder / "a.csv", "judge,model,question,verdict,truth")
    (folder / "z.csv").write_text("\n".join(["topic,words", *(f"t{n},{n}" for n in range(97))]), "utf-8")
    values = ("--value", "met:ok=yes,bad=no", "--value", "reference_met:ok=yes,bad=no")
    given = ("--study", "mine", "--store", tmp_path / "s", *values)

    refused = spb_here("import", folder, *given)
    imported = spb_here(*command_of(refused.stderr))
    (folder / "z.csv").write_text("\n".join(["topic,words", *(f"t{n},{n}" for n in range(96))]), "utf-8")
    whole = spb_here("import", folder, *given, "--replace")

    assert refused.returncode == 2
    assert "97 of 193 rows would be left out, as z.csv is a file of another kind than a.csv" in refused.stderr
    assert imported.returncode == 0, imported.stderr
    assert whole.returncode == 0, whole.stderr
    assert "Left out: 96 of 192 rows" in whole.stdout


def test_of_several_files_of_the_kind_the_longest_is_named(spb_here: Spb, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("a.csv", "b.csv"):
        write(folder / name, "judge,model,question,verdict")
    with (folder / "b.csv").open("a") as file:
        file.write("\ngpt-4o,gpt-4o,What is 9?,ok")
    (folder / "z.csv").write_text("\n".join(["topic,words", *(f"t{n},{n}" for n in range(500))]), "utf-8")

    refused = spb_here("import", folder, "--store", tmp_path / "s", "--value", "met:ok=yes,bad=no")

    assert "as z.csv is a file of another kind than a.csv and b.csv" in refused.stderr
    assert "Put files of one kind in a folder of their own" in refused.stderr
    assert command_of(refused.stderr)[1] == str(folder / "b.csv")
    assert spb_here(*command_of(refused.stderr)).returncode == 0


def write_scores(table: Path) -> None:
    """Write a table with two columns of scores beside its judges."""
    rows = [
        f"q{n},{author},{judge},{1 + n % 5},{1 + (n + 1) % 5}"
        for n in range(6)
        for author in MODELS
        for judge in MODELS
    ]
    table.write_text("\n".join(["question_id,model,judge,accuracy,clarity", *rows]), "utf-8")


@pytest.mark.parametrize(
    "judge", [("--map", "judge=judge"), ("--judge", "gpt-4o"), ("--set", "judge=gpt-4o")]
)
def test_columns_of_a_judge_each_are_not_read_beside_a_judge_of_each_row(
    table: Path, spb_here: Spb, judge: tuple[str, ...]
) -> None:
    write_scores(table)

    refused = spb_here("import", table, *judge, "--judge-columns", "accuracy,clarity", "--set", "scale=5")

    assert refused.returncode == 2
    assert "--judge-columns names columns that each hold the verdicts of one judge" in refused.stderr
    assert f"{'--map' if judge[0] == '--map' else '--set'} judge=" in refused.stderr
    assert "leave out one of them; if each has the verdicts on a criterion, give --criterion-columns" in (
        refused.stderr
    )


def test_several_columns_for_one_of_ours_are_named_and_taken_for_no_value(table: Path, spb_here: Spb) -> None:
    write_scores(table)

    refused = spb_here("import", table, "--map", "score=Accuracy, clarity", "--set", "scale=5")

    assert refused.returncode == 2
    assert "'accuracy' and 'clarity' are columns each, and one fills score" in refused.stderr
    assert "--map score=accuracy; if each is a criterion, give --criterion-columns accuracy,clarity" in (
        refused.stderr
    )
    assert "for one value in every row" not in refused.stderr


def test_a_folder_without_judgments_is_named_also_where_it_is_the_working_one(
    spb_here: Spb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "nothing"
    folder.mkdir()
    monkeypatch.chdir(folder)

    refused = spb_here("import", ".")

    assert refused.stderr == "error: 'nothing' is an empty folder; put files of judgments into it\n"


def test_commands_of_a_dry_run_name_the_study_that_the_import_writes(
    table: Path, spb_here: Spb, tmp_path: Path
) -> None:
    write(table, "judge,model,question,verdict")
    words = ("import", table, "--store", tmp_path / "s", "--value", "met:ok=yes,bad=no", "--dry-run")

    named, unnamed = spb_here(*words, "--study", "mine"), spb_here(*words)

    assert "spb measure reference-agreement mine --a " in named.stdout
    assert "spb measure reference-agreement t --a " in unnamed.stdout


def test_verdicts_whose_repeats_are_all_split_are_not_said_to_be_missing(
    table: Path, spb_here: Spb, tmp_path: Path
) -> None:
    rows = [
        f"{judge},{author},q{n},{verdict}"
        for n in range(6)
        for judge in MODELS
        for author in MODELS
        for verdict in ("yes", "no")
    ]
    table.write_text("\n".join(["judge,model,question_id,verdict", *rows]), "utf-8")

    imported = spb_here("import", table, "--store", tmp_path / "s", "--set", "rubric_id=overall")

    assert imported.returncode == 0, imported.stderr
    # 4 judges of their own 6 answers, two trials each
    answer = " ".join(imported.stdout.split())
    assert "of each verdict as many trials say yes as say no, so that none of 48 counts" in answer
    assert "no judge has judged its own answers" not in answer


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--study", "a/b"), "the study name 'a/b' holds a path separator"),
        (("--study", "none", "--append"), "there is no study"),
        (("--study", "there"), "give another --study, --replace to replace it, or --append to add to it"),
    ],
)
def test_where_a_study_goes_is_refused_before_its_columns_are_asked_about(
    table: Path, spb_here: Spb, tmp_path: Path, words: tuple[str, ...], problem: str
) -> None:
    write(table, "judge,generator,question,passed")
    value = ("--value", "met:ok=yes,bad=no")
    assert spb_here("import", table, "--store", tmp_path, "--study", "there", *value).returncode == 0
    write(table, ODD)

    refused = spb_here("import", table, "--store", tmp_path, *words)

    assert refused.returncode == 2
    assert problem in refused.stderr
    assert "may be 'Alpha' or 'Beta'" not in refused.stderr
