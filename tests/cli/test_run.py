"""`spb run` from a shell, with simulated models."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from collect.run.small import config_text, write_folder
from command_line import spb
from plain.published import ROOT

from engine.cli.run.run_progress import status_text
from engine.collect.configuration.read_config import load_config
from engine.collect.dispatch.run_status import Status
from engine.collect.locks.study_locks import run_lock
from engine.collect.run.prepared_run import facts_of
from engine.collect.run_folder import run_folder
from engine.collect.run_options import RunOptions
from engine.store import Store


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Write a configuration of two simulated models."""
    text = config_text(write_folder(tmp_path / "data"))
    path = tmp_path / "run.toml"
    path.write_text(text.replace("openai/", "simulated/"), "utf-8")
    return path


def test_a_dry_run_says_what_it_would_call_and_writes_nothing(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(monkeypatch, "run", config, "--store", tmp_path / "store", "--dry-run", "--format", "json")

    forecast = json.loads(capsys.readouterr().out)
    assert code == 0
    assert forecast["planned"] == sum(line["calls"] for line in forecast["by_judge"]) == 24
    assert forecast["cost_usd"] == 0.0
    assert forecast["prompt_tokens"] > 0
    assert not (tmp_path / "store").exists()


def test_a_dry_run_says_first_how_many_calls_there_are_and_what_they_cost(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(monkeypatch, "run", config, "--store", tmp_path / "store", "--dry-run")

    assert (code, capsys.readouterr().out.splitlines()[0]) == (0, "24 calls, at no cost.")


RANGE = (
    r"about \$[\d.]+ \(\$[\d.]+ to \$[\d.]+\); the range is that of usual lengths of answers, which "
    r"max_tokens bounds"
)
OPEN = (
    r"about \$[\d.]+ \(at least \$[\d.]+, without an upper bound\): set max_tokens in the params of a and b"
)


@pytest.mark.parametrize(
    ("lines", "cap", "words"),
    [
        (
            "params = { max_tokens = 100 }",
            "1000",
            rf"{RANGE}\. The cap of \$1,000\.00 is above all of that\.",
        ),
        ("params = { max_tokens = 100 }", "0", rf"{RANGE}\. The cap of \$0\.00 is below that, and"),
        ("", "1000", rf"{OPEN}\. The cap of \$1,000\.00 stops the run if the answers are so long"),
        ("", "0", rf"{OPEN}\. The cap of \$0\.00 is below that, and"),
    ],
)
def test_a_dry_run_says_what_its_range_depends_on_and_whether_the_cap_covers_it(
    config: Path,
    tmp_path: Path,
    lines: str,
    cap: str,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    price = f'\nprice = "1/10"\n{lines}\n'
    config.write_text(re.sub(r"(\nmodel = .*\n)", rf"\1{price}", config.read_text("utf-8")), "utf-8")

    spb(monkeypatch, "run", config, "--store", tmp_path / "store", "--dry-run", "--max-usd", cap)

    text = " ".join(capsys.readouterr().out.partition("\n\n")[0].split())
    assert re.match(f"24 calls, for {words}", text)


def test_a_dry_run_says_that_a_cap_cannot_be_kept_without_a_price_and_how_to_give_it(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own_server = ("simulated/a'", "openai/x'\napi_base = 'http://127.0.0.1:9/v1'")
    config.write_text(config.read_text("utf-8").replace(*own_server), "utf-8")
    command = ("run", config, "--store", tmp_path / "store", "--max-usd", "5")

    assert spb(monkeypatch, *command, "--dry-run") == 0
    shown = capsys.readouterr()
    assert spb(monkeypatch, *command) == 2
    refused = capsys.readouterr().err

    first = " ".join(shown.out.partition("\n\n")[0].split())
    line = 'add price = "IN/OUT", in US dollars per million tokens sent and received such as "0.8/4", under'
    assert f"{line} [models.a]" in shown.err
    reason = f"models.a: the price is unknown, so max_usd cannot be kept; {line} [models.a]"
    assert reason in refused
    assert first.startswith(f"The run would not start: {reason}")
    assert first.endswith("in place of a cap. 24 calls, of unknown cost: no price is known of a.")


@pytest.mark.parametrize(
    ("change", "options", "reasons"),
    [
        ("price = '1/10'", (), ["no spending cap is set, and a may cost money; give --max-usd X"]),
        ("price = '1/10'", ("--max-usd", "5"), []),
        ("price = '1/10'", ("--no-cap",), []),
        ("api_base = 'http://127.0.0.1:9/v1'", (), []),
        (
            "price = '1/10'\napi_key_env = 'SPB_ABSENT_KEY'",
            (),
            [
                "models.a: its key is read from the environment variable SPB_ABSENT_KEY, which is not set",
                "no spending cap is set, and a may cost money; give --max-usd X",
            ],
        ),
    ],
)
def test_a_dry_run_of_what_would_not_start_says_first_all_that_is_lacking(
    config: Path,
    tmp_path: Path,
    change: str,
    options: tuple[str, ...],
    reasons: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    text = config.read_text("utf-8").replace("simulated/a'", f"openai/x'\n{change}")
    config.write_text(text, "utf-8")
    command = ("run", config, "--store", tmp_path / "store", *options, "--dry-run")

    code = spb(monkeypatch, *command, "--format", "json")  # keys may be set elsewhere than the costs are read
    answer = json.loads(capsys.readouterr().out)
    spb(monkeypatch, *command)
    shown = " ".join(capsys.readouterr().out.split())

    assert code == 0
    assert answer["planned"] == 24
    assert len(answer["obstacles"]) == len(reasons)
    for obstacle, reason in zip(answer["obstacles"], reasons, strict=True):
        assert obstacle.startswith(reason)
        assert f"The run would not start: {obstacle}." in shown
    assert shown.startswith("The run would not start: " if reasons else "24 calls, ")


def test_a_dry_run_says_that_calls_cannot_be_divided(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    divided = "[run]\nprocesses = 3\nconcurrency = 2"
    config.write_text(config.read_text("utf-8").replace("[run]", divided), "utf-8")
    command = ("run", config, "--store", tmp_path / "store")
    reason = "run.concurrency is 2, and run.processes is 3: each process needs a call of its own"

    assert spb(monkeypatch, *command) == 2
    assert reason in capsys.readouterr().err
    assert spb(monkeypatch, *command, "--dry-run") == 0
    assert f"The run would not start: {reason}" in " ".join(capsys.readouterr().out.split())
    assert not (tmp_path / "store").exists()


def test_a_dry_run_says_that_another_run_is_active(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path / "store")
    settings = load_config(config, store)
    command = ("run", config, "--store", tmp_path / "store")
    assert spb(monkeypatch, *command) == 0
    folder = run_folder(store, settings.study, "20990101-000000-abc")
    status = Status(folder.status, facts_of(settings, store, RunOptions(), folder.path.name))
    status.set("running")
    capsys.readouterr()

    with run_lock(store, settings.study, RunOptions()):
        codes = [spb(monkeypatch, *command, *options) for options in ((), ("--dry-run",))]
    shown = " ".join(capsys.readouterr().out.split())
    status.set("done")
    spb(monkeypatch, *command, "--dry-run")

    assert codes == [6, 0]
    assert f"The run would not start: the run '{folder.path.name}' of the study" in shown
    assert "would not start" not in capsys.readouterr().out


def test_a_dry_run_refuses_what_the_run_refuses_of_a_study_that_exists(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("run", config, "--store", tmp_path / "store")
    assert spb(monkeypatch, *command) == 0
    text = config.read_text("utf-8").replace("[models.a]", "[models.a]\nfamily = 'other'")
    config.write_text(text, "utf-8")
    capsys.readouterr()

    for words in (command, (*command, "--dry-run")):
        assert spb(monkeypatch, *words) == 2
        assert "models.a.family is 'other', and the study has 'x'" in capsys.readouterr().err


@pytest.mark.parametrize("paradigms", ['paradigms = ["single_rubric"]', ""])
def test_a_misspelt_study_names_the_store_and_the_study_that_was_meant(
    paradigms: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, store = tmp_path / "run.toml", tmp_path / "store"
    path.write_text(
        f"study = 'lega'\njudges = ['a']\n{paradigms}\n[models.a]\nmodel = 'simulated/a'\n", "utf-8"
    )
    command = ("run", path, "--store", store)

    for words in (command, (*command, "--dry-run")):
        assert spb(monkeypatch, *words) == 2
        assert f"no 'lega' in the store {str(store)!r}; it holds none; import one" in capsys.readouterr().err
    for name in ("legal", "other"):
        shutil.copytree(ROOT / "results" / "demo-orders", store / name)
    for words in (command, (*command, "--dry-run")):
        assert spb(monkeypatch, *words) == 2
        assert (
            f"run.toml: study: there is no 'lega' in the store {str(store)!r}; did you mean 'legal'? choose "
            "from: legal, other; or for a new study"
        ) in capsys.readouterr().err


@pytest.mark.parametrize("other", [("--shard", "1/2"), ("--detach",)])
@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_a_cluster_goes_with_neither_a_shard_nor_the_background(
    config: Path,
    other: tuple[str, ...],
    dry: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = spb(monkeypatch, "run", config, "--cluster", "tcp://127.0.0.1:9", *other, *dry)

    assert code == 2
    assert f"--cluster and {other[0]} cannot be combined" in capsys.readouterr().err


def test_a_dry_run_says_where_what_is_collected_goes(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store"
    command = ("run", config, "--store", store)

    spb(monkeypatch, *command, "--dry-run")
    before = capsys.readouterr().err
    spb(monkeypatch, *command, "--run-id", "first")
    capsys.readouterr()
    spb(monkeypatch, *command, "--dry-run")
    after = capsys.readouterr().err
    spb(monkeypatch, *command, "--dry-run", "--fresh")
    afresh = capsys.readouterr().err

    assert f"a new study is written from {str(tmp_path / 'data')!r}: 's' in {str(store)!r}" in before
    added = f"new answers and judgments are added to the study 's' in {str(store)!r}"
    assert f"{added}, in its run 'first', which is continued" in after
    assert f"{added}, as a new run" in afresh


def judged_by(judge: str, folder: Path, more: str = "") -> Path:
    """Write a configuration in which a simulated model judges the data in a folder."""
    path = folder / f"{judge}.toml"
    text = f"study = 's'\ndata = '{folder / 'data'}'\njudges = ['{judge}']\nparadigms = ['single_rubric']\n"
    path.write_text(f"{text}{more}\n[models.{judge}]\nmodel = 'simulated/{judge}'\nprice = '1000/1000'\n")
    return path


def test_a_configuration_of_other_judges_leaves_a_finished_run_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_folder(tmp_path / "data")
    store = ("--store", tmp_path / "store")
    spb(monkeypatch, "run", judged_by("c", tmp_path, "sample = {n = 2}"), *store, "--max-usd", "100")
    capsys.readouterr()

    code = spb(monkeypatch, "run", judged_by("d", tmp_path), *store, "--max-usd", "100")
    new = capsys.readouterr().err
    spb(monkeypatch, "run", judged_by("c", tmp_path), *store, "--max-usd", "100")
    again = capsys.readouterr().err
    spb(monkeypatch, "run", judged_by("c", tmp_path), *store, "--dry-run", "--fresh")
    afresh = capsys.readouterr().err
    spb(monkeypatch, "run", "list", *store, "--format", "json")
    runs = json.loads(capsys.readouterr().out)

    assert code == 0
    assert "as a new run, since its others have other judges" in new
    assert "sample" not in new
    assert "which is continued (judges so far: c); --fresh begins another" in again
    assert "other runs" not in new + again
    assert "other runs have judgments by c, which this run does not count" in afresh
    # 2 generators and 2 criteria: of the sample of 2 questions, and of all 3.
    states = sorted((run["done"], run["total"], run["state"]) for run in runs)
    assert states == [(8, 8, "done"), (12, 12, "done")]


def test_what_a_run_cannot_show_is_said_at_its_start_and_end_and_shortly_in_a_list(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store, remedy = ("--store", tmp_path / "store"), "to have it answer too"
    spb(monkeypatch, "run", config, *store)
    capsys.readouterr()

    spb(monkeypatch, "run", judged_by("c", tmp_path), *store, "--no-cap")
    lines = capsys.readouterr().err.splitlines()
    spb(monkeypatch, "run", "list", *store)
    shown = capsys.readouterr().err

    (start, end) = [number for number, line in enumerate(lines) if remedy in line]
    (first, *_, last) = [number for number, line in enumerate(lines) if line.startswith("judgments: ")]
    assert start < first < last < end
    assert "whether c favours itself cannot be said" in shown
    assert remedy not in shown


@pytest.mark.parametrize(("answered", "says"), [(24, False), (25, True)])
def test_the_time_that_is_left_is_said_once_enough_calls_of_this_run_are_answered(
    answered: int, says: bool
) -> None:
    status = {"done": answered, "already_done": 5, "total": 100, "rate": 1.0, "seconds_left": 75.0}
    status |= {"cost_usd": 0.0, "errors": {}, "unparsed": 0, "pace": [], "message": ""}

    assert ("0:01:15 left" in status_text(status)) == says


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("paradigms", "paradigmes"), "paradigmes"),
        (("single_rubric", "single_rubrics"), "choose from: single_rubric"),
        (("simulated/a'", "openai/x'\napi_base = 'http://127.0.0.1:9/v1'"), "the price is unknown"),
        (("[run]", "[run]\nmax_usd = -1"), "max_usd is -1"),
    ],
)
def test_a_wrong_configuration_is_exit_2_and_names_what_is_wrong(
    config: Path,
    tmp_path: Path,
    change: tuple[str, str],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    config.write_text(config.read_text("utf-8").replace(*change), "utf-8")

    code = spb(monkeypatch, "run", config, "--store", tmp_path / "store", "--max-usd", "1")

    assert code == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "store" / "s").exists()


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "a/b", "1/0", "1/" + "9" * 500])
def test_an_invalid_shard_is_refused(
    config: Path, shard: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(monkeypatch, "run", config, "--shard", shard)

    assert code == 2
    assert f"--shard {shard!r} is not K/N" in capsys.readouterr().err


def test_a_run_ends_with_one_json_object_on_standard_output(config: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "engine.cli", "run", str(config), "--store", str(tmp_path / "store")]

    result = subprocess.run([*command, "--format", "json"], capture_output=True, text=True, check=True)

    report = json.loads(result.stdout)
    fields = {"planned", "done", "ok", "unparsed", "refused", "error", "already_done", "calls"}
    fields |= {"prompt_tokens", "completion_tokens", "cost_usd", "seconds", "run_id"}
    assert fields <= report.keys()
    assert (report["planned"], report["done"], report["cost_usd"]) == (24, 24, 0.0)
    assert "24 of 24 calls answered" in result.stderr
    assert "of 24 calls in all" in result.stderr
    assert f"next: spb judges s --store {tmp_path / 'store'}" in result.stderr


def test_the_command_that_continues_a_run_keeps_its_cap(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    price = "price = { input_per_million = 1, output_per_million = 1 }"
    nowhere = f"openai/x'\napi_base = 'http://127.0.0.1:9/v1'\n{price}"
    unreachable = config.read_text("utf-8").replace("simulated/a'", nowhere)
    config.write_text(unreachable.replace("[run]", "[run]\nretries = 0"), "utf-8")

    code = spb(monkeypatch, "run", config, "--store", tmp_path / "store", "--max-usd", "1")

    assert code == 3
    assert f"spb run {config} --store {tmp_path / 'store'} --max-usd 1" in capsys.readouterr().err
