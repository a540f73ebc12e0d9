"""`spb import --append`: further files are read as the first was, and nothing of the first is lost."""

import shlex
from pathlib import Path

import pytest
from command_line import Spb

from engine.store import Store

MODELS = ("gpt-4o", "claude-3-opus")
HEADS = "rater,model,question_id,criterion,topic,verdict"
TOPICS = {"Polite": "Tone", "Right": "Accuracy"}


@pytest.fixture
def nights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write two nights with a topic for each criterion."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SPB_STORE", raising=False)
    for night in (1, 2):
        rows = [
            f"{judge},{model},q{n},{criterion},{topic},{'yes' if (n + night) % 2 else 'no'}"
            for n in range(3)
            for criterion, topic in TOPICS.items()
            for judge in MODELS
            for model in MODELS
        ]
        (tmp_path / f"night-{night}.csv").write_text("\n".join([HEADS, *rows]), "utf-8")
    return tmp_path


def first_night(spb_here: Spb, *words: str) -> None:
    output = spb_here("import", "night-1.csv", "--study", "nights", "--run", "night-1", *words)
    assert output.returncode == 0, output.stderr


def second_night(spb_here: Spb, *words: str):
    return spb_here("import", "night-2.csv", "--study", "nights", "--append", "--run", "night-2", *words)


def verdicts(folder: Path) -> dict[str, int]:
    runs = Store(folder / "results").open("nights").judgments(("run_id",))["run_id"].to_pylist()
    return {run: runs.count(run) for run in sorted(set(runs))}


@pytest.mark.parametrize("words", [("--map", "axis=topic"), ("--not", "topic")])
def test_a_further_file_is_read_as_the_first_was(spb_here: Spb, nights: Path, words: tuple[str, ...]) -> None:
    first_night(spb_here, *words)

    output = second_night(spb_here)

    assert output.returncode == 0, output.stderr
    assert "note: read as 'night-1.csv' was in this study: " in output.stderr
    assert " ".join(words) in output.stderr
    assert verdicts(nights) == {"night-1": 24, "night-2": 24}
    rubrics = Store(nights / "results").open("nights").table("rubrics", ["axis"])["axis"].to_pylist()
    assert set(rubrics) == ({"Tone", "Accuracy"} if "--map" in words else {None})


def test_constants_and_meanings_of_the_first_file_hold_too(spb_here: Spb, nights: Path) -> None:
    for night in (1, 2):
        path = nights / f"night-{night}.csv"
        lines = path.read_text("utf-8").replace(",yes", ",good").replace(",no", ",bad").splitlines()
        path.write_text(
            "\n".join(
                line.replace(",topic", "").replace(",Tone", "").replace(",Accuracy", "") for line in lines
            ),
            "utf-8",
        )
    first_night(spb_here, "--value", "met:good=no,bad=yes", "--set", "reference_source=program")

    output = second_night(spb_here)

    assert output.returncode == 0, output.stderr
    rows = Store(nights / "results").open("nights").judgments(("run_id", "instance_id", "met")).to_pylist()
    assert all(row["met"] == (int(row["instance_id"][1]) % 2 == int(row["run_id"][-1]) % 2) for row in rows)


def test_what_the_user_gives_for_the_further_file_wins(spb_here: Spb, nights: Path) -> None:
    first_night(spb_here, "--map", "axis=topic")

    output = second_night(spb_here, "--not", "topic")

    assert output.returncode == 0, output.stderr
    assert verdicts(nights) == {"night-1": 24, "night-2": 24}


def test_a_file_of_other_columns_is_read_by_itself(spb_here: Spb, nights: Path) -> None:
    first_night(spb_here, "--map", "axis=topic")
    path = nights / "night-2.csv"
    path.write_text(path.read_text("utf-8").replace("rater,", "grader,", 1), "utf-8")

    output = second_night(spb_here, "--not", "topic")

    assert output.returncode == 0, output.stderr
    assert "was in this study" not in output.stderr


def test_a_contradiction_ends_with_a_remedy_that_loses_nothing(spb_here: Spb, nights: Path) -> None:
    first_night(spb_here, "--not", "topic")
    path = nights / "night-2.csv"
    lines = path.read_text("utf-8").replace("rater,", "grader,", 1).splitlines()
    path.write_text("\n".join(line for line in lines if "Accuracy" not in line), "utf-8")

    refused = second_night(spb_here, "--map", "theme=topic")
    done = second_night(spb_here, *shlex.split(refused.stderr.strip().rpartition("of it: ")[2]))

    assert refused.returncode == 2
    assert "theme is 'Tone', but the study has the same instance_id with None" in refused.stderr
    assert (
        "write these rows as a study of their own; or leave out what the file says of it: " in refused.stderr
    )
    assert "--replace" not in refused.stderr
    assert done.returncode == 0, done.stderr
    assert verdicts(nights) == {"night-1": 24, "night-2": 12}


def test_a_column_of_texts_is_added_by_commands_that_keep_all_runs(spb_here: Spb, nights: Path) -> None:
    for night in (1, 2):
        path = nights / f"night-{night}.csv"
        head, *lines = path.read_text("utf-8").splitlines()
        texts = (f"{line},{line.split(',')[1]} to {line.split(',')[2]}" for line in lines)
        path.write_text("\n".join([f"{head},words", *texts]), "utf-8")
    first_night(spb_here, "--map", "axis=topic")
    assert second_night(spb_here).returncode == 0

    refused = spb_here("label", "new", "task", "nights", "--kind", "rubric_verdict")
    [line] = [each for each in refused.stderr.split("`") if each.startswith("spb import")]
    commands = line.split(" && ")
    outputs = [spb_here(*shlex.split(each.replace("COLUMN", "words"))[1:]) for each in commands]

    assert len(commands) == 2
    assert [each.returncode for each in outputs] == [0, 0]
    assert verdicts(nights) == {"night-1": 24, "night-2": 24}
    texts = Store(nights / "results").open("nights").table("responses", ["text"])["text"].to_pylist()
    assert "gpt-4o to q1" in texts


@pytest.mark.usefixtures("nights")
def test_the_data_of_a_study_are_all_files_that_were_imported(spb_here: Spb) -> None:
    first_night(spb_here, "--not", "topic")
    before = spb_here("explain", "cite", "nights").stdout
    assert second_night(spb_here).returncode == 0

    output = " ".join(spb_here("explain", "cite", "nights").stdout.split())

    assert "The data: night-1; no source is recorded" in " ".join(before.split())
    assert (
        "The data: nights, from night-1.csv (run night-1) and night-2.csv (run night-2); no source is "
        "recorded: cite who collected them." in output
    )


@pytest.mark.parametrize("words", [(), ("--study", "mine"), ("--map", "axis=topic")])
def test_two_files_end_with_the_commands_that_import_each_as_a_run(
    spb_here: Spb, nights: Path, words: tuple[str, ...]
) -> None:
    refused = spb_here("import", "night-1.csv", "night-2.csv", *words)
    commands = [shlex.split(line) for line in refused.stderr.splitlines() if line.startswith("  spb import")]
    outputs = [
        spb_here(*command[1:], *(() if words[:1] == ("--map",) else ("--not", "topic")))
        for command in commands
    ]

    study = "mine" if "mine" in words else "night"
    runs = Store(nights / "results").open(study).judgments(("run_id",))["run_id"].to_pylist()
    assert refused.returncode == 2
    assert "2 paths were given, and one is read at a time. If each is a run of its own" in refused.stderr
    assert [output.returncode for output in outputs] == [0, 0]
    assert {run: runs.count(run) for run in runs} == {"night-1": 24, "night-2": 24}


def test_files_of_the_same_name_get_runs_of_different_names(spb_here: Spb, nights: Path) -> None:
    for night in (1, 2):
        (nights / f"day{night}").mkdir()
        (nights / f"night-{night}.csv").rename(nights / f"day{night}" / "verdicts.csv")

    refused = spb_here("import", "day1/verdicts.csv", "day2/verdicts.csv")

    first, second = (line for line in refused.stderr.splitlines() if line.startswith("  spb import"))
    assert first == "  spb import day1/verdicts.csv --study verdicts --run verdicts-1"
    assert second == "  spb import day2/verdicts.csv --study verdicts --run verdicts-2 --append"


def test_a_run_that_is_there_is_named_with_one_of_its_verdicts(spb_here: Spb, nights: Path) -> None:
    first_night(spb_here, "--not", "topic")

    refused = spb_here("import", "night-2.csv", "--study", "nights", "--append", "--run", "night-1")

    line = refused.stderr.splitlines()[-1]
    assert refused.returncode == 2
    assert line == (
        "error: judgments, row 1: run 'night-1' is already in the study, with the verdict of 'gpt-4o' on "
        "'gpt-4o', question 'q0'; leave out the rows that are there already, or, if the judges judged once "
        "more, give these another run with `--run NAME`; to put this file in the place of that run, which "
        "was imported, add --replace"
    )
    assert verdicts(nights) == {"night-1": 24}


@pytest.mark.parametrize("words", [(), ("--run", "night-1"), ("--dry-run",)])
def test_the_judgments_of_a_stored_run_are_not_added_again(
    spb_here: Spb, nights: Path, words: tuple[str, ...]
) -> None:
    first_night(spb_here, "--not", "topic")
    second_night(spb_here)
    heads, *rows = (nights / "night-1.csv").read_text("utf-8").splitlines()
    (nights / "again.csv").write_text("\n".join([heads, *reversed(rows)]), "utf-8")

    refused = spb_here("import", "again.csv", "--study", "nights", "--append", *words)

    assert refused.returncode == 2
    assert refused.stderr.splitlines()[-1] == (
        "error: the file's 24 judgments are the same as those of run 'night-1'; nothing was added. If the "
        "judges judged once more, and all gave the same verdicts, name the new run: --run NAME"
    )
    assert verdicts(nights) == {"night-1": 24, "night-2": 24}


def test_a_run_with_the_verdicts_of_another_is_warned_of(spb_here: Spb, nights: Path) -> None:
    first_night(spb_here, "--not", "topic")

    output = spb_here("import", "night-1.csv", "--study", "nights", "--append", "--run", "night-3")

    assert output.returncode == 0, output.stderr
    assert "warning: the file's 24 judgments are the same as those of run 'night-1'" in output.stderr
    assert verdicts(nights) == {"night-1": 24, "night-3": 24}


def test_a_run_that_differs_in_one_verdict_is_another(spb_here: Spb, nights: Path) -> None:
    first_night(spb_here, "--not", "topic")
    text = (nights / "night-1.csv").read_text("utf-8")
    (nights / "other.csv").write_text(text.removesuffix("yes") + "no", "utf-8")

    output = spb_here("import", "other.csv", "--study", "nights", "--append")

    assert text.endswith(",yes")
    assert output.returncode == 0, output.stderr
    assert "are the same" not in output.stderr
    assert verdicts(nights) == {"import": 24, "night-1": 24}


def criteria(folder: Path) -> set[tuple[str | None, str | None]]:
    rows = Store(folder / "results").open("nights").table("rubrics").to_pylist()
    return {(None if row["criterion"] else row["rubric_id"], row["criterion"]) for row in rows}


def change_second_night(folder: Path, **words: str) -> None:
    """Replace words in the table of the second night."""
    path = folder / "night-2.csv"
    text = path.read_text("utf-8")
    for old, new in words.items():
        text = text.replace(old, new)
    path.write_text(text, "utf-8")


@pytest.mark.parametrize(
    ("first", "second", "example", "stored"),
    [
        ("rubric_id=criterion", "criterion=criterion", "the text 'Polite'", "the id 'Polite'"),
        ("criterion=criterion", "rubric_id=criterion", "the id 'Polite'", "the text 'Polite'"),
    ],
)
@pytest.mark.parametrize("run", ["night-1", "night-2"])
def test_criteria_read_from_another_column_than_the_study_has_are_asked_about(
    spb_here: Spb, nights: Path, first: str, second: str, example: str, stored: str, run: str
) -> None:
    is_id = first.startswith("rubric_id")
    first_night(spb_here, "--map", first, "--not", "topic", *(("--not", "criterion") if is_id else ()))
    before = criteria(nights)
    more = () if is_id else ("--not", "criterion")
    command = ("import", "night-2.csv", "--study", "nights", "--append", "--map", second, "--not", "topic")

    refused = spb_here(*command, *more, "--run", run)
    tried = spb_here(*command, *more, "--run", run, "--dry-run")
    [line] = [each for each in refused.stderr.splitlines() if each.startswith("  spb import ")]
    done = spb_here(*shlex.split(line.replace(run, "night-2"))[1:])

    assert (refused.returncode, tried.returncode) == (2, 2)
    assert (
        "error: 'night-2.csv': all 6 criteria on questions of the study would be added as others, and share "
        f"no case with those that are alike there: such as {example} of question 'q0', which the study has "
        f"as {stored}. If they are others, import the file as a study of its own; if they are the same, give "
        f"--map {first}"
    ) in refused.stderr
    assert done.returncode == 0, done.stderr
    assert criteria(nights) == before
    assert verdicts(nights) == {"night-1": 24, "night-2": 24}


@pytest.mark.parametrize("column", ["rubric_id", "criterion"])
def test_criteria_spelt_otherwise_than_in_the_study_are_asked_about(
    spb_here: Spb, nights: Path, column: str
) -> None:
    words = ("--map", f"{column}=criterion", "--not", "topic")
    words += ("--not", "criterion") if column == "rubric_id" else ()
    first_night(spb_here, *words)
    before = criteria(nights)
    change_second_night(nights, **{",Polite,": ",polite!,"})

    refused = second_night(spb_here, *words)
    [line] = [each for each in refused.stderr.splitlines() if each.startswith("  spb import ")]
    done = spb_here(*shlex.split(line)[1:])

    kind = "the id" if column == "rubric_id" else "the text"
    assert refused.returncode == 2
    assert "3 of 6 criteria on questions of the study would be added as others" in refused.stderr
    assert f"{kind} 'polite!' of question 'q0', which the study has as {kind} 'Polite'" in refused.stderr
    assert f"give --value '{column}:polite!=Polite'" in refused.stderr
    assert done.returncode == 0, done.stderr
    assert criteria(nights) == before
    assert verdicts(nights) == {"night-1": 24, "night-2": 24}


def test_a_text_under_another_id_is_read_as_the_id_that_the_study_has(spb_here: Spb, nights: Path) -> None:
    for night, ids in ((1, ("R1", "R2")), (2, ("x1", "x2"))):
        path = nights / f"night-{night}.csv"
        text = path.read_text("utf-8").replace("criterion,topic", "criterion,rubric_id")
        for topic, own in zip(TOPICS.values(), ids, strict=True):
            text = text.replace(topic, own).replace(f"Polite,{own}", f'"Polite, and warm",{own}')
        path.write_text(text, "utf-8")
    first_night(spb_here)

    refused = second_night(spb_here)
    [line] = [each for each in refused.stderr.splitlines() if each.startswith("  spb import ")]
    done = spb_here(*shlex.split(line)[1:])

    assert refused.returncode == 2
    assert "which the study has as the text 'Polite, and warm' under the id 'R1', not 'x1'" in refused.stderr
    assert done.returncode == 0, done.stderr
    rows = Store(nights / "results").open("nights").table("rubrics", ["rubric_id"])["rubric_id"].to_pylist()
    assert set(rows) == {"R1", "R2"}


def test_criteria_that_are_all_others_are_pointed_out_at_the_end(spb_here: Spb, nights: Path) -> None:
    first_night(spb_here, "--not", "topic")
    change_second_night(nights, Polite="Brief", Right="Kind")

    output = second_night(spb_here, "--not", "topic")

    assert output.returncode == 0, output.stderr
    assert (
        "The study had none of the file's criteria on the 3 questions that both have, such as 'Brief' beside "
        "'Polite' on question 'q0': the new judgments share no case with earlier ones."
    ) in " ".join(output.stdout.split())


def test_a_criterion_more_is_added_without_a_word(spb_here: Spb, nights: Path) -> None:
    first_night(spb_here, "--not", "topic")
    change_second_night(nights, Right="Rightly")

    output = second_night(spb_here, "--not", "topic")

    assert output.returncode == 0, output.stderr
    assert "none of the file's criteria" not in output.stdout
    assert criteria(nights) == {(None, "Polite"), (None, "Right"), (None, "Rightly")}


@pytest.mark.parametrize("name", ["", "  "])
@pytest.mark.parametrize("words", [("import", "night-1.csv"), ("data", "fetch", "math-500")])
def test_an_empty_name_of_a_study_is_refused(
    spb_here: Spb, nights: Path, words: tuple[str, ...], name: str
) -> None:
    refused = spb_here(*words, "--study", name)

    assert refused.returncode == 2
    assert f"the study name {name!r} is empty" in refused.stderr
    assert not (nights / "results").exists()
