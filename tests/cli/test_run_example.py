"""`spb run example` prints a configuration that `spb run` takes as it is."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest
from command_line import Spb, spb

from engine.collect.example_configuration import SMALLEST, example_configuration

RESULTS = Path(__file__).resolve().parents[2] / "results"
DEMONSTRATIONS = ("demo-health", "demo-orders", "demo-pairs", "demo-verifiable")
JUDGES = "openai/gpt-4o-mini,anthropic/claude-haiku-4-5"


def example(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert spb(monkeypatch, "run", *words) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("study", DEMONSTRATIONS)
def test_as_printed_it_can_be_tried(
    study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.toml"
    path.write_text(example(monkeypatch, capsys, "example", study, "--judge", JUDGES, "--store", RESULTS))

    code = spb(monkeypatch, "run", path, "--store", RESULTS, "--dry-run", "--format", "json")

    forecast = json.loads(capsys.readouterr().out)
    assert code == 0
    assert {line["model"] for line in forecast["by_judge"]} == {"gpt-4o-mini", "claude-haiku-4-5"}
    assert {line["role"] for line in forecast["by_judge"]} == {"judge"}
    assert forecast["planned"] > 0
    assert forecast["cost_usd"] > 0  # both have a price
    assert all(line["most_usd"] is not None for line in forecast["by_judge"])  # max_tokens bounds both


def test_without_a_study_its_name_is_to_be_replaced_unless_there_is_only_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nameless = example(monkeypatch, capsys, "--example", "--store", tmp_path)
    shutil.copytree(RESULTS / "demo-orders", tmp_path / "demo-orders")
    one = example(monkeypatch, capsys, "example", "--store", tmp_path)

    assert 'study = "NAME"' in nameless
    assert (tomllib.loads(one)["study"], tomllib.loads(one)["paradigms"]) == ("demo-orders", ["all_rubrics"])
    assert spb(monkeypatch, "run", "example", "none", "--store", tmp_path) == 2


def test_a_study_without_texts_of_answers_is_said_to_lack_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        f"{judge},{model},q1,c1,pass" for judge in ("gpt-4o", "claude-3") for model in ("gpt-4o", "claude-3")
    ]
    (tmp_path / "v.csv").write_text("\n".join(["judge,model,question,criterion,verdict", *rows]))
    assert spb(monkeypatch, "import", tmp_path / "v.csv", "--store", tmp_path / "store") == 0
    capsys.readouterr()

    assert spb(monkeypatch, "run", "example", "v", "--store", tmp_path / "store") == 0

    assert "the study 'v' has no texts of answers, which judges read" in capsys.readouterr().err


def test_the_lines_of_ones_own_questions_work_once_they_are_no_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "questions.csv").write_text("question,criteria\nWhy?,Says why.\n")
    text = example(monkeypatch, capsys, "example", "--store", tmp_path, "--judge", JUDGES)
    for line in ("data", "generators"):
        text = text.replace(f"# {line} =", f"{line} =")
    (tmp_path / "run.toml").write_text(text)

    code = spb(
        monkeypatch, "run", tmp_path / "run.toml", "--store", tmp_path, "--dry-run", "--format", "json"
    )

    lines = json.loads(capsys.readouterr().out)["by_judge"]
    assert code == 0
    assert [(line["role"], line["calls"]) for line in lines] == [("generator", 1)] * 2 + [("judge", 2)] * 2


def test_each_model_has_what_it_needs() -> None:
    names = ["openai/gpt-5", "ollama/qwen3", "hosted_vllm/Qwen/Qwen2.5-7B", "anthropic/nobody-lists-this"]

    text = example_configuration("s", None, names)

    models = tomllib.loads(text)["models"]
    assert list(models) == ["gpt-5", "qwen3", "Qwen2.5-7B", "nobody-lists-this"]
    assert models["gpt-5"]["params"]["max_tokens"] > models["qwen3"]["params"]["max_tokens"]  # it thinks
    assert models["qwen3"]["price"] == "0/0"
    assert models["Qwen2.5-7B"]["api_base"].startswith("http")
    assert "OPENAI_API_KEY" in text
    assert text.endswith("not known to litellm, and without it no cap can be kept\n")


def test_the_help_shows_a_whole_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert spb(monkeypatch, "run", "-h") == 0
    words = capsys.readouterr().out
    (tmp_path / "run.toml").write_text(SMALLEST.replace("NAME", "demo-health"))

    code = spb(monkeypatch, "run", tmp_path / "run.toml", "--store", RESULTS, "--dry-run")

    assert "".join(f"  {line}\n" for line in SMALLEST.splitlines()) in words
    assert "spb run example STUDY" in words
    assert code == 0
    assert "7,236 calls, for about $" in capsys.readouterr().out


def test_a_model_without_a_listed_price_is_named_beside_the_configuration(
    spb_here: Spb, tmp_path: Path
) -> None:
    listed, unlisted, local = "openai/gpt-4o-mini", "openai/not-listed-1", "ollama/not-listed-2"

    printed = spb_here("run", "example", "--store", tmp_path, "--judge", f"{listed},{unlisted},{local}")

    assert printed.returncode == 0
    assert [line for line in printed.stderr.splitlines() if "no price is known" in line] == [
        f"no price is known of {unlisted}, and without it no cap can be kept: fill in its line price"
    ]
    assert "no price is known" not in printed.stdout
