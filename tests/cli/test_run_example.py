"""`spb run example` prints a configuration that `spb run` takes as it is."""

import json
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest
from command_line import Spb, spb

from engine.collect.plan.example_configuration import SMALLEST, example_configuration

RESULTS = Path(__file__).resolve().parents[2] / "results"
DEMONSTRATIONS = ("demo-health", "demo-orders", "demo-pairs", "demo-verifiable")
JUDGES = "openai/gpt-4o-mini,anthropic/claude-haiku-4-5"


def example(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert spb(monkeypatch, "run", *words) == 0
    return capsys.readouterr().out


def test_it_is_run_in_the_store_that_was_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = example(monkeypatch, capsys, "example", "demo-health", "--judge", JUDGES, "--store", RESULTS)

    assert f"then: spb run run.toml --dry-run --store {RESULTS}\n" in text
    assert f"(spb study list --store {RESULTS})\n" in text


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

    assert spb(monkeypatch, "run", "example", "v", "--store", tmp_path / "store") == 2

    printed = capsys.readouterr()
    assert printed.out == ""
    assert (
        "no run can judge the study 'v', as it has no questions and texts of answers, which judges read: "
        "import it again with --map prompt=COLUMN --map response=COLUMN, or"
    ) in printed.err


def test_the_line_of_a_sample_holds_without_its_comment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = example(monkeypatch, capsys, "example", "demo-pairs", "--store", RESULTS)

    assert tomllib.loads(text.replace("# sample =", "sample ="))["sample"] == {"n": 20}


MODELS = ("gpt-4o", "claude-3-5-sonnet", "gemini-1.5-pro")


def ratings(path: Path, criterion: str = "") -> None:
    """Write scores of whole answers, two to each of six questions."""
    rows = ["judge,model,question,prompt,answer,score,rubric_id,criterion"]
    rows += [
        f"{judge},{MODELS[(number + n) % 3]},q{number},Why {number}?,Since {n}.,0.{number},c,{criterion}"
        for judge in MODELS
        for number in range(6)
        for n in range(2)
    ]
    path.write_text("\n".join(rows), "utf-8")


@pytest.mark.parametrize(("criterion", "paradigm"), [("", "pairwise"), ("Says why.", "direct_assessment")])
def test_a_study_that_cannot_be_judged_as_it_was_is_judged_as_its_texts_allow(
    criterion: str,
    paradigm: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store, path = ("--store", tmp_path / "store"), tmp_path / "run.toml"
    ratings(tmp_path / "ratings.csv", criterion)
    assert spb(monkeypatch, "import", tmp_path / "ratings.csv", *store) == 0
    capsys.readouterr()
    text = example(monkeypatch, capsys, "example", "ratings", "--judge", "simulated/a", *store)
    path.write_text(text, "utf-8")

    assert spb(monkeypatch, "run", path, "--dry-run", "--format", "json", *store) == 0

    forecast = json.loads(capsys.readouterr().out)
    assert tomllib.loads(text)["paradigms"] == [paradigm]
    assert (
        "# not score_rubric, as the study was judged: paradigms: score_rubric needs criteria with options"
        in text
    )
    assert forecast["planned"] == 12  # six questions: a pair in both orders, or two answers
    left_out, answerless = forecast["remarks"]
    assert left_out == (
        "6 answers of which the study has no text are left out (gpt-4o: 2, claude-3-5-sonnet: 2, "
        "gemini-1.5-pro: 2)"
    )
    assert answerless == (
        "whether a favours itself cannot be said, as it has no answers of its own among those judged; new "
        "ones would be judged by a alone: for a conclusion add judges of other families to `judges`; to have "
        f"it answer too, write: generators = {json.dumps([*MODELS, 'a'])}"
    )


@pytest.mark.parametrize(("ids", "field"), [(("polite", "right"), "aspect"), (("R1", "R2"), "COLUMN")])
def test_criteria_without_texts_are_imported_again_by_the_command_it_prints(
    ids: tuple[str, str],
    field: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = ["judge,model,question,prompt,answer,verdict,aspect"]
    rows += [
        f"{judge},{model},q{number},Why {number}?,Since.,{('yes', 'no')[number % 2]},{name}"
        for judge in MODELS
        for model in MODELS
        for number in range(4)
        for name in ids
    ]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPB_STORE", str(tmp_path / "store"))
    Path("verdicts.csv").write_text("\n".join(rows), "utf-8")
    assert spb(monkeypatch, "import", "verdicts.csv") == 0
    capsys.readouterr()

    before = example(monkeypatch, capsys, "example", "verdicts", "--judge", "simulated/a")
    [line] = [each for each in before.splitlines() if each.startswith("# not ")]
    command = shlex.split(line.split("`")[1].replace("COLUMN", "aspect"))
    assert spb(monkeypatch, *command[1:]) == 0
    capsys.readouterr()
    after = example(monkeypatch, capsys, "example", "verdicts", "--judge", "simulated/a")

    assert line.startswith(
        f"# not single_rubric, as the study was judged, or all_rubrics: criterion {ids[0]!r} of question "
        "'q0' (and 7 others) has no text; a study without texts cannot be judged: import it again with the "
        "texts, `spb import verdicts.csv "
    )
    assert f" --map criterion={field} " in line
    assert tomllib.loads(before)["paradigms"] == ["pairwise"]
    assert tomllib.loads(after)["paradigms"] == ["single_rubric"]
    assert "# not " not in after


def test_a_run_ends_with_what_was_left_out_and_its_remedy_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store, path = ("--store", tmp_path / "store"), tmp_path / "run.toml"
    ratings(tmp_path / "ratings.csv")
    assert spb(monkeypatch, "import", tmp_path / "ratings.csv", *store) == 0
    capsys.readouterr()
    path.write_text(
        example(monkeypatch, capsys, "example", "ratings", "--judge", "simulated/a", *store), "utf-8"
    )

    assert spb(monkeypatch, "run", path, "--format", "json", *store) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    remedy = report["notes"][-1].rpartition("write: ")[2]
    path.write_text(f"{remedy}\n{path.read_text('utf-8')}", "utf-8")
    assert spb(monkeypatch, "run", path, "--fresh", "--dry-run", "--format", "json", *store) == 0

    forecast = json.loads(capsys.readouterr().out)
    assert report["missing_responses"] == []
    assert "6 answers of which the study has no text are left out" in report["notes"][-2]
    assert {line["role"]: line["calls"] for line in forecast["by_judge"]} == {
        "generator": 6,
        "judge": 36,  # now three pairs of each question in both orders
    }
    _, inconclusive = forecast["remarks"]  # the first is on what is left out
    assert inconclusive.startswith(
        "whether a favours itself cannot be concluded, as its answers are judged by a"
    )


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


@pytest.mark.parametrize(
    ("judges", "proposed"),
    [
        ({"openai/gpt-4o-mini"}, ["claude-haiku-4-5"]),
        ({"claude-haiku-4-5", "gemini-3-flash"}, ["gpt-4o-mini"]),
        ({"gpt-4o-mini", "claude-haiku-4-5"}, ["gpt-4o-mini", "claude-haiku-4-5"]),
    ],
)
def test_a_judge_that_the_study_has_is_not_proposed_while_another_is_left(
    judges: set[str], proposed: list[str], tmp_path: Path, spb_here: Spb
) -> None:
    lines = ["judge,model,question,answer,criterion,verdict"]
    lines += [
        f"{judge},{model},q1,The words of {model}.,Is it right?,yes"
        for judge in judges
        for model in ("m1", "m2", "m3")
    ]
    (tmp_path / "v.csv").write_text("\n".join(lines))
    words = ("--map", "prompt=question", "--study", "mine", "--store", tmp_path)
    assert spb_here("import", tmp_path / "v.csv", *words).returncode == 0

    printed = spb_here("run", "example", "mine", "--store", tmp_path)

    assert printed.returncode == 0
    assert list(tomllib.loads(printed.stdout)["models"]) == proposed


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


def test_a_model_that_nobody_knows_has_an_address_and_no_family_of_its_route(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    judges = "openai/local-vet,openai/gpt-4o-mini"

    text = example(monkeypatch, capsys, "example", "--store", tmp_path, "--judge", judges)

    models = tomllib.loads(text)["models"]
    assert models["local-vet"]["api_base"] == "http://127.0.0.1:8000/v1"
    assert models["local-vet"]["family"] not in ("GPT", "OpenAI")
    assert "no list knows this model: correct its family" in text
    assert "api_base" not in models["gpt-4o-mini"]
    assert models["gpt-4o-mini"]["family"] == "GPT"
