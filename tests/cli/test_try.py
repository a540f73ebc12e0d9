"""`spb try`: one's own questions and models, by one command up to the board."""

import json
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest
import tomli_w
from collect.run.killing import wait_until
from command_line import Spb
from importers.test_question_file import FORMS
from loopback import Loopback, serving

from engine.collect.configuration.prices import listed_price
from engine.store import Store
from engine.store.writer import validate_study

SIMULATED = "simulated/fir-1,simulated/oak-1,simulated/elm-1"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder, in which nothing is set."""
    monkeypatch.chdir(tmp_path)
    for name in ("SPB_STORE", "SPB_STUDY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def questions(folder: Path, number: int = 6) -> Path:
    path = folder / "mine.txt"
    path.write_text("".join(f"What is the square root of {n}, and why?\n" for n in range(number)), "utf-8")
    return path


def served(server: Loopback, *names: str, price: str = "0/0") -> list[str]:
    """Return the options of models on a server, each of a family of its own."""
    options = ["--models", ",".join(f"openai/{name}" for name in names)]
    for number, name in enumerate(names):
        options += ["--api-base", f"{name}={server.url}", "--price", f"{name}={price}"]
        options += ["--family", f"{name}=family {number}"]
    return options


def test_twenty_questions_and_three_simulated_models_end_in_the_board_that_judges_prints(
    spb_here: Spb, folder: Path
) -> None:
    questions(folder, 20)

    output = spb_here("try", "mine.txt", "--models", SIMULATED)

    assert output.returncode == 0, output.stderr
    assert output.stdout == spb_here("judges", "mine").stdout
    assert {"fir-1", "oak-1", "elm-1"} <= set(output.stdout.split())
    assert output.stderr.rstrip().endswith("open it with: spb open mine")
    files = Store(folder / "results").open("mine")
    validate_study(files)
    rows = files.table("judgments").to_pylist()
    # 20 questions, 3 pairs of answers, 3 judges, both orders
    assert len(rows) == 20 * 3 * 3 * 2
    assert Counter(row["first"] for row in rows) == {"generator": 180, "opponent": 180}


@pytest.mark.parametrize("name", FORMS)
def test_every_kind_of_file_ends_in_a_board(name: str, spb_here: Spb, folder: Path) -> None:
    FORMS[name](folder / name)

    output = spb_here("try", name, "--models", SIMULATED)

    assert output.returncode == 0, output.stderr
    assert "fir-1" in output.stdout
    assert Store(folder / "results").open("q").table("judgments").num_rows == 4 * 3 * 3 * 2


def test_criteria_are_judged_one_by_one_too(spb_here: Spb, folder: Path) -> None:
    (folder / "q.csv").write_text('question,criteria\nWhy?,"Is true\nIs kind"\nHow?,\n', "utf-8")

    output = spb_here("try", "q.csv", "--models", SIMULATED)

    assert output.returncode == 0, output.stderr
    rows = Store(folder / "results").open("q").table("judgments").to_pylist()
    assert Counter(row["paradigm"] for row in rows) == {"pairwise": 2 * 3 * 3 * 2, "single_rubric": 2 * 3 * 3}


def test_the_same_command_again_calls_nothing_and_prints_the_board(spb_here: Spb, folder: Path) -> None:
    questions(folder)
    with serving() as server:
        words = ("try", "mine.txt", *served(server, "ok", "slow", "reasoning"), "--yes")
        first = spb_here(*words)
        calls = server.calls
        second = spb_here(*words)

        assert first.returncode == second.returncode == 0, first.stderr + second.stderr
        assert calls == 3 + 3 * 6 + 108, "a trial of each, the answers and the judgments"
        assert server.calls == calls
    assert second.stdout == first.stdout


def test_spb_run_on_the_configuration_makes_the_same_run(spb_here: Spb, folder: Path) -> None:
    questions(folder)
    tried = spb_here("try", "mine.txt", "--models", SIMULATED)

    run = spb_here("run", "mine.toml", "--store", "other")

    assert run.returncode == 0, run.stderr
    names = ["judge", "generator", "opponent", "first", "instance_id", "choice"]
    ours, theirs = (
        Store(root).open("mine").table("judgments", names).to_pylist() for root in ("results", "other")
    )
    assert sorted(ours, key=str) == sorted(theirs, key=str)
    assert spb_here("judges", "mine", "--store", "other").stdout == tried.stdout


def test_a_command_that_was_killed_goes_on_where_it_was(spb_here: Spb, folder: Path) -> None:
    questions(folder)
    with serving(delay_s=0.02) as server:
        words = ["try", "mine.txt", *served(server, "ok", "slow", "reasoning"), "--yes"]
        process = subprocess.Popen(
            [sys.executable, "-m", "engine.cli", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        reached = wait_until(lambda: server.calls >= 60, process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        before = server.calls

        output = spb_here(*words)

        assert reached
        assert output.returncode == 0, output.stderr
        # a second trial of each; calls under way at the kill are made again
        assert before < 129 <= server.calls < before + 129
    files = Store(folder / "results").open("mine")
    validate_study(files)
    assert files.table("judgments").num_rows == 6 * 3 * 3 * 2
    assert files.table("responses").num_rows == 6 * 3


def test_models_that_do_not_answer_are_named_with_a_remedy_and_nothing_is_collected(
    spb_here: Spb, folder: Path
) -> None:
    questions(folder)
    with serving() as server:
        output = spb_here("try", "mine.txt", *served(server, "ok", "401*", "404*"), "--yes")

        assert server.calls == 3
    assert output.returncode == 2
    assert "2 of 3 models do not answer, and nothing was collected:" in output.stderr
    assert "401*: It did not answer: " in output.stderr
    assert "check the key" in output.stderr
    assert "check the model's name" in output.stderr
    assert "ok: It answered in " in output.stderr
    assert not (folder / "results" / "mine").exists()


def test_a_missing_key_names_its_variable_and_calls_nobody_else(spb_here: Spb, folder: Path) -> None:
    questions(folder)
    models = "openai/gpt-5,anthropic/claude-sonnet-4-5,ollama/qwen3"

    output = spb_here("try", "mine.txt", "--models", models, "--max-usd", "5", "--yes")

    assert output.returncode == 2
    assert "set it with export OPENAI_API_KEY=KEY" in output.stderr
    assert "ANTHROPIC_API_KEY" in output.stderr
    assert "3 models of 3 families: GPT (gpt-5), Claude (claude-sonnet-4-5) and Qwen (qwen3)" in output.stderr


def test_a_server_that_is_not_there_is_named_with_a_remedy(spb_here: Spb, folder: Path) -> None:
    questions(folder)
    options = ["--api-base", "lost=http://127.0.0.1:9/v1", "--price", "lost=0/0", "--yes"]

    output = spb_here("try", "mine.txt", "--models", "openai/lost,simulated/a,simulated/b", *options)

    assert output.returncode == 2
    assert "1 of 3 models does not answer" in output.stderr
    assert "cannot connect to http://127.0.0.1:9" in output.stderr


def test_models_that_cost_money_need_a_cap_and_a_yes(spb_here: Spb, folder: Path) -> None:
    questions(folder)
    with serving() as server:
        words = ["try", "mine.txt", *served(server, "ok", "slow", "reasoning", price="1/2")]
        without_yes = spb_here(*words, "--max-usd", "5")
        without_cap = spb_here(*words, "--yes")
        both = spb_here(*words, "--max-usd", "5", "--yes")

        assert (without_yes.returncode, without_cap.returncode, both.returncode) == (2, 2, 0)
        assert server.calls == 129
    assert "models of this run may cost money; give --yes" in without_yes.stderr
    assert "no spending cap is set" in without_cap.stderr
    assert "126 calls, for about $" in both.stderr
    assert "max_usd = 5.0" in (folder / "mine.toml").read_text("utf-8")


def test_the_cap_ends_the_run_with_the_command_that_goes_on(spb_here: Spb, folder: Path) -> None:
    questions(folder)
    with serving() as server:
        words = ["try", "mine.txt", *served(server, "ok", "slow", "reasoning", price="1/100"), "--yes"]
        output = spb_here(*words, "--max-usd", "0.001")

        assert output.returncode == 4
        assert "spb run " in output.stderr
        again = spb_here(*words, "--max-usd", "1000")
    assert again.returncode == 0, again.stderr
    assert "max_usd = 1000.0" in (folder / "mine.toml").read_text("utf-8")


def test_a_dry_run_says_cost_and_power_and_calls_and_writes_nothing(spb_here: Spb, folder: Path) -> None:
    questions(folder, 20)
    models = "openai/gpt-5,anthropic/claude-sonnet-4-5,ollama/qwen3"
    before = sorted(folder.iterdir())

    output = spb_here("try", "mine.txt", "--models", models, "--dry-run")

    assert output.returncode == 0, output.stderr
    assert sorted(folder.iterdir()) == before
    assert "420 calls, for about $" in output.stderr
    needed = spb_here(
        *("plan", "power", "--measure", "vote_outside", "--effect", "0.1"),
        *("--judges", "3", "--families", "3", "--format", "csv"),
    ).stdout.splitlines()[1]
    number = needed.split(",")[1]
    assert f"is found, four times in five, with about {number} questions, for about $" in output.stderr
    assert "; these are 20" in output.stderr
    assert "how long it takes is not known yet" in output.stderr
    to_run = re.search(
        r"the run itself needs a spending cap.*: spb (try .* --max-usd (\d+))\n", output.stderr
    )
    assert to_run is not None
    middle = re.search(r"420 calls, for about \$([\d.]+), at least", output.stderr)
    assert middle is not None
    assert float(middle[1]) < int(to_run[2]) < 2 * float(middle[1]) + 1.1
    assert "spending cap" not in spb_here(*to_run[1].split(), "--dry-run").stderr
    assert (
        "that it does so because they are its own takes 5 models of 4 families; a conclusion on all"
        in output.stderr
    )


def test_a_dry_run_says_whether_the_cap_would_stop_it(spb_here: Spb, folder: Path) -> None:
    questions(folder, 20)
    words = ("try", "mine.txt", "--models", "openai/gpt-5,anthropic/claude-sonnet-4-5", "--dry-run")
    cost = re.search(
        r"for about \$([\d.]+), at least \$[\d.]+; \$([\d.]+) if gpt-5 thinks as long as it may in every",
        spb_here(*words).stderr,
    )

    assert cost is not None
    for cap, words_of_cap in (
        (float(cost[1]) / 2, "is below that, and would stop the run before its end"),
        ((float(cost[1]) + float(cost[2])) / 2, "stops the run if the answers are so long that they cost"),
        (float(cost[2]) * 2, "is above all of that"),
    ):
        output = spb_here(*words, "--max-usd", str(cap)).stderr
        assert re.search(rf"the cap of \$[\d.]+ {words_of_cap}", output), (cap, output)


def test_what_a_script_lacks_to_spend_is_said_at_once(spb_here: Spb, folder: Path) -> None:
    questions(folder)
    models = "openai/gpt-5,anthropic/claude-sonnet-4-5,ollama/qwen3"

    refused = spb_here("try", "mine.txt", "--models", models)

    assert refused.returncode == 2
    assert "no spending cap is set, and " in refused.stderr
    assert "give --yes to go on without being asked, and --max-usd X" in refused.stderr
    (command,) = re.findall(r"such as: spb (try .*) \(nothing was called\)", refused.stderr)
    planned = spb_here(*shlex.split(command), "--dry-run")
    assert planned.returncode == 0, planned.stderr
    assert "--yes" in command
    assert "needs a spending cap" not in planned.stderr
    assert "spending cap" not in spb_here("try", "mine.txt", "--models", models, "--max-usd", "3").stderr


def test_fewer_than_three_families_are_asked_about_with_what_they_cannot_show(
    spb_here: Spb, folder: Path
) -> None:
    questions(folder)
    two = "simulated/fir-1,simulated/fir-2,simulated/oak-1"

    refused = spb_here("try", "mine.txt", "--models", two)
    accepted = spb_here("try", "mine.txt", "--models", two, "--yes")
    one = spb_here("try", "mine.txt", "--models", "simulated/fir-1,simulated/fir-2", "--dry-run")

    assert refused.returncode == 2
    assert "the models are of two families, 'fir' and 'oak': whether a model favours" in refused.stderr
    assert "add models of one more family; give --yes to go on" in refused.stderr
    assert accepted.returncode in (0, 3), accepted.stderr
    assert Store(folder / "results").open("mine").table("judgments").num_rows == 6 * 3 * 3 * 2
    assert "all models are of one family, 'fir'" in one.stderr
    assert "add models of two more families" in one.stderr


@pytest.mark.parametrize(
    ("models", "words"),
    [
        (
            "gpt-5,simulated/a,simulated/b",
            "'gpt-5' is not a provider and a name; write it as litellm knows it, such as openai/gpt-5",
        ),
        ("simulated/a,simulated/b,simulated/a", "model 'simulated/a' is named twice; keep one"),
        ("simulated/a", "names fewer than two models"),
        ("", "a list of names is empty"),
        ("simulated/a,/b", "'/b' is not a provider and a name"),
        (
            "simulated/a,simulated/b,lm_studio/qwen3",
            "needs the address of its server; give --api-base qwen3=URL",
        ),
    ],
)
def test_wrong_models_are_refused(models: str, words: str, spb_here: Spb, folder: Path) -> None:
    questions(folder)

    output = spb_here("try", "mine.txt", "--models", models)

    assert output.returncode == 2
    assert words in output.stderr
    assert not (folder / "results").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--family", "d=Dune"], "unknown model of --family 'd'"),
        (["--family", "a"], "--family 'a' is not understood; write it like --family my-model=Llama"),
        (["--price", "a=1"], "--price 'a=1' is not understood; write it like --price my-model=1.25/10"),
        (["--price", "a=-1/2"], "is not understood"),
        (["--price", "a=nan/2"], "is not understood"),
        (["--map", "prompt=x", "--map", "prompt=y"], "--map names 'prompt' twice"),
        (["--map", "prompt=x"], "has one question on each line and no columns"),
        (["--max-usd", "1", "--no-cap"], "cannot be combined"),
        (["--study", "a/b"], "holds a path separator"),
        (["--api-base", "a=https://me:secret@example.org/v1"], "must not contain a key"),
        (["--sample", "0"], "--sample"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_written(
    options: list[str], words: str, spb_here: Spb, folder: Path
) -> None:
    questions(folder)

    output = spb_here("try", "mine.txt", "--models", "simulated/a,simulated/b,simulated/c", *options)

    assert output.returncode == 2
    assert words in output.stderr
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


def test_an_open_column_is_answered_by_the_command_to_copy(spb_here: Spb, folder: Path) -> None:
    (folder / "q.csv").write_text("Nr,Meine Frage\n1,Warum ist der Himmel blau?\n2,Wie geht das?\n", "utf-8")

    refused = spb_here("try", "q.csv", "--models", SIMULATED)

    assert refused.returncode == 2
    command = refused.stderr.partition("for example: spb ")[2].strip()
    assert command == f"try q.csv --models {SIMULATED} --map 'prompt=Meine Frage'"
    dry = spb_here("try", "q.csv", "--models", SIMULATED, "--dry-run")
    assert dry.stderr.strip().endswith(f"try q.csv --models {SIMULATED} --dry-run --map 'prompt=Meine Frage'")
    accepted = spb_here("try", "q.csv", "--models", SIMULATED, "--map", "prompt=Meine Frage")
    assert accepted.returncode == 0, accepted.stderr
    assert 'prompt = "Meine Frage"' in (folder / "q.toml").read_text("utf-8")


def test_a_study_of_other_questions_is_left_alone(spb_here: Spb, folder: Path) -> None:
    questions(folder)
    spb_here("try", "mine.txt", "--models", SIMULATED)
    (folder / "mine.txt").write_text("Quite another question?\n", "utf-8")

    output = spb_here("try", "mine.txt", "--models", SIMULATED)

    assert output.returncode == 2
    assert "has other questions than 'mine.txt'" in output.stderr
    assert "(6 that the file lacks; it lacks 1 of the file)" in output.stderr


def test_a_configuration_that_was_edited_is_not_overwritten(spb_here: Spb, folder: Path) -> None:
    path = questions(folder).with_suffix(".toml")
    path.write_text("# mine\n", "utf-8")

    output = spb_here("try", "mine.txt", "--models", SIMULATED)
    elsewhere = spb_here("try", "mine.txt", "--models", SIMULATED, "--config", "own.toml")

    assert output.returncode == 2
    assert "holds something else, or was edited" in output.stderr
    assert path.read_text("utf-8") == "# mine\n"
    assert elsewhere.returncode == 0, elsewhere.stderr
    assert (folder / "own.toml").is_file()


def test_a_model_can_be_added_later(spb_here: Spb, folder: Path) -> None:
    questions(folder)
    spb_here("try", "mine.txt", "--models", SIMULATED)

    output = spb_here("try", "mine.txt", "--models", f"{SIMULATED},simulated/dune-1")

    assert output.returncode == 0, output.stderr
    # 6 pairs of answers, 4 judges, both orders
    assert Store(folder / "results").open("mine").table("judgments").num_rows == 6 * 6 * 4 * 2


def test_names_after_the_last_slash_that_meet_are_kept_whole(spb_here: Spb, folder: Path) -> None:
    questions(folder)

    output = spb_here(
        *("try", "mine.txt", "--models", "simulated/x/a,simulated/y/a,simulated/b", "--dry-run"),
        *("--family", "simulated/x/a=X", "--family", "simulated/y/a=Y"),
    )

    assert "X (simulated/x/a), Y (simulated/y/a) and b (b)" in output.stderr


def test_only_a_sample_is_asked(spb_here: Spb, folder: Path) -> None:
    questions(folder)

    output = spb_here("try", "mine.txt", "--models", SIMULATED, "--sample", "5")

    assert output.returncode in (0, 3), output.stderr
    assert "5 questions of 6" in output.stderr
    assert Store(folder / "results").open("mine").table("judgments").num_rows == 5 * 3 * 3 * 2
    more = spb_here("try", "mine.txt", "--models", SIMULATED, "--sample", "60", "--dry-run")
    assert "--sample 60: the file has 6 questions, all are taken" in more.stderr


def test_an_unknown_price_under_a_cap_says_what_to_add(spb_here: Spb, folder: Path) -> None:
    questions(folder)

    output = spb_here(
        "try", "mine.txt", "--models", "openai/nobody-knows-1,simulated/a,simulated/b", "--max-usd", "1"
    )

    assert output.returncode == 2
    assert "give --price nobody-knows-1=IN/OUT" in output.stderr


def test_of_a_name_without_a_price_those_like_it_are_named_that_have_one(spb_here: Spb, folder: Path) -> None:
    questions(folder)
    words = ("try", "mine.txt", "--models", "openai/gpt-5-minni,simulated/a,simulated/b", "--dry-run")

    output = spb_here(*words).stderr

    like = re.search(r"no price is known of openai/gpt-5-minni: correct its name \(listed: ([^)]+)\)", output)
    assert like is not None, output
    names = like[1].replace(" and ", ", ").split(", ")
    assert "openai/gpt-5-mini" in names
    for name in names:
        assert listed_price(name) is not None
    assert "give --price gpt-5-minni=IN/OUT" in output


def test_a_dry_run_writes_the_configuration_if_its_file_is_named_and_calls_nothing(
    spb_here: Spb, folder: Path
) -> None:
    questions(folder)
    words = ("try", "mine.txt", "--models", SIMULATED, "--config", "own.toml")

    dry = spb_here(*words, "--dry-run")
    text = (folder / "own.toml").read_text("utf-8")

    assert dry.returncode == 0, dry.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["mine.txt", "own.toml"]
    assert re.search(r"nothing was called; the run is in .*own.toml: spb run ", dry.stderr)
    assert "# which of them judge\njudges = [" in text
    assert text.count("# as litellm knows it\n") == 1
    assert spb_here("run", "own.toml", "--dry-run").returncode == 0
    assert spb_here(*words).returncode in (0, 3)  # it was not edited
    assert (folder / "own.toml").read_text("utf-8") == text


def test_a_terminal_is_asked_after_the_trial_and_no_stops(
    spb_here: Spb, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions(folder)
    with serving() as server:
        words = ["try", "mine.txt", *served(server, "ok", "slow", "reasoning", price="1/2"), "--max-usd", "5"]
        monkeypatch.setattr("engine.cli.run.try_run.at_terminal", lambda: True)
        monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
        output = spb_here(*words)

        assert server.calls == 3, "the trials alone"
    assert output.returncode == 1
    assert "stopped before the run; go on with: spb try mine.txt" in output.stderr
    assert not (folder / "results" / "mine").exists()


def test_a_file_that_may_not_be_read_is_named(
    spb_here: Spb, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = questions(folder)
    whole = Path.open

    def denied(self: Path, *args: object, **options: object) -> object:
        if self.name == path.name:
            raise PermissionError(13, "Permission denied", str(self))
        return whole(self, *args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", denied)

    output = spb_here("try", "mine.txt", "--models", SIMULATED)

    assert output.returncode == 2
    assert "'mine.txt' cannot be read: access to it is denied" in output.stderr


@pytest.mark.parametrize(
    ("models", "open_tastes"),
    [("oak-1,oak-2,fir-1,fir-2,elm", True), ("oak-1,oak-2,fir,ash,elm", False)],
)
def test_what_few_families_can_show_is_what_the_plan_says(
    models: str, open_tastes: bool, spb_here: Spb, folder: Path
) -> None:
    (folder / "q.txt").write_text("".join(f"What is {n}?\n" for n in range(15)), "utf-8")
    names = ",".join(f"simulated/{name}" for name in models.split(","))
    plan = spb_here("try", "q.txt", "--models", names, "--study", "plan", "--sample", "1")
    planted = tomllib.loads((folder / "plan.toml").read_text("utf-8")) | {"study": "planted"}
    del planted["sample"]
    planted["models"]["elm"]["simulated"] = {"self_ratio": 4.5}
    (folder / "planted.toml").write_text(tomli_w.dumps(planted), "utf-8")

    run = spb_here("run", "planted.toml")

    assert run.returncode == 0, run.stderr
    rows = json.loads(spb_here("judges", "planted", "--format", "json").stdout)["rows"]
    elm = next(row for row in rows if row["judge"] == "elm")
    assert elm["conclusion"] in ("overrates_itself", "favours_itself")
    assert (elm["reason"] == "tastes_unknown") == open_tastes
    assert ("takes 5 models of 4 families" in plan.stderr) == open_tastes


@pytest.mark.parametrize(
    ("maps", "words", "header"),
    [
        (
            ["frage=prompt"],
            "the name of our column comes first: prompt=frage",
            "frage,criterion_1,criterion_2",
        ),
        (
            ["criterion_1=criteria", "criteria=criterion_2"],
            "criterion_1 and criterion_2 are read together as they are called, without --map",
            "question,criterion_1,criterion_2",
        ),
    ],
)
def test_a_column_named_the_wrong_way_round_or_several_of_criteria_end_with_the_command(
    spb_here: Spb, folder: Path, maps: list[str], words: str, header: str
) -> None:
    (folder / "q.csv").write_text(f"{header}\nWhy?,It says why.,It is short.\n", "utf-8")
    given = [word for text in maps for word in ("--map", text)]

    refused = spb_here("try", "q.csv", "--models", SIMULATED, "--dry-run", *given)

    assert refused.returncode == 2
    assert words in refused.stderr
    written = shlex.split(refused.stderr.partition("; write: spb ")[2])
    assert spb_here(*written).returncode == 0


def test_several_columns_of_criteria_without_numbers_are_to_be_renamed(spb_here: Spb, folder: Path) -> None:
    (folder / "q.csv").write_text("question,short,true\nWhy?,It says why.,It is short.\n", "utf-8")

    refused = spb_here(
        "try", "q.csv", "--models", SIMULATED, "--map", "criteria=short", "--map", "criteria=true"
    )

    assert refused.returncode == 2
    assert "call them criterion_1, criterion_2 and so on" in refused.stderr


def test_all_models_without_a_price_are_named_at_once_and_nothing_is_written(
    spb_here: Spb, folder: Path
) -> None:
    questions(folder)
    words = ("try", "mine.txt", "--models", "openai/not-listed-1,openai/not-listed-2,simulated/a", "--yes")

    capped = spb_here(*words, "--max-usd", "1")

    assert capped.returncode == 2
    assert (
        "no price is known of openai/not-listed-1 and openai/not-listed-2: give --price not-listed-1=IN/OUT "
        "--price not-listed-2=IN/OUT, in US dollars"
    ) in capped.stderr
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


def test_a_refused_trial_leaves_no_configuration_and_prints_the_command_that_writes_it(
    spb_here: Spb, folder: Path
) -> None:
    questions(folder)
    models = "openai/gpt-5,anthropic/claude-sonnet-4-5,ollama/qwen3"

    refused = spb_here("try", "mine.txt", "--models", models, "--max-usd", "5", "--yes")  # without keys
    left = [path.name for path in folder.iterdir()]
    command = refused.stderr.rpartition("which this writes: ")[2]
    written = spb_here(*shlex.split(command)[1:])

    assert refused.returncode == 2
    assert left == ["mine.txt"]
    assert written.returncode == 0, written.stderr
    assert (folder / "mine.toml").is_file()
