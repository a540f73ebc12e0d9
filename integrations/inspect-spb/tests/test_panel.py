"""A panel's verdicts come through Inspect's log into the tables of a study."""

import json
from pathlib import Path

import pytest
from inspect_ai import eval as run
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_spb import panel
from inspect_spb.export import main, tables_of
from inspect_spb.panel import read_samples, read_verdict

ROW = {
    "instance_id": "1",
    "prompt": "Name a colour.",
    "generator": "a",
    "response": "Blue.",
    "rubric_id": "r",
    "criterion": "Names a colour.",
    "points": 1,
    "reference": True,
}


@pytest.fixture
def responses(tmp_path: Path) -> Path:
    path = tmp_path / "responses.jsonl"
    path.write_text("".join(json.dumps(ROW | {"generator": name}) + "\n" for name in ("a", "b")))
    return path


def mocked(monkeypatch: pytest.MonkeyPatch, answers: dict[str, str]) -> None:
    def model(name: str):
        outputs = [ModelOutput.from_content("mockllm/model", answers[name]) for _ in range(4)]
        for output in outputs:
            output.usage = ModelUsage(
                input_tokens=1, output_tokens=1, total_tokens=2
            )  # else they are counted
        return get_model("mockllm/model", custom_outputs=outputs, memoize=False)

    monkeypatch.setattr(panel, "get_model", model)


def test_a_panel_becomes_a_folder_that_spb_imports(
    responses: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mocked(monkeypatch, {"x/a": '{"criteria_met": true}', "y/c": "I cannot say."})
    task = panel.panel(str(responses), "x/a,y/c", "a=Alpha,c=Gamma")

    (log,) = run(task, model="mockllm/model", log_dir=str(tmp_path / "logs"), display="none")
    code = main([str(log.location), "--out", str(tmp_path / "study")])

    rows = [json.loads(line) for line in (tmp_path / "study" / "judgments.jsonl").read_text().splitlines()]
    assert (log.status, code) == ("success", 0)
    assert {(row["judge"], row["generator"], row["status"], row.get("met")) for row in rows} == {
        ("a", "a", "ok", True),
        ("a", "b", "ok", True),
        ("c", "a", "unparsed", None),
        ("c", "b", "unparsed", None),
    }
    models = [json.loads(line) for line in (tmp_path / "study" / "models.jsonl").read_text().splitlines()]
    assert {row["model"]: row["family"] for row in models} == {"a": "Alpha", "b": "b", "c": "Gamma"}
    assert "spb import tidy" in capsys.readouterr().out


def test_a_line_that_lacks_a_field_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(ROW) + "\n" + '{"prompt": "p"}\n')

    with pytest.raises(ValueError, match="line 2: lacks instance_id"):
        read_samples(str(path))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('so {"criteria_met": false} or {"criteria_met": "True"}', None),
        ('first {"note": 1}, then {"criteria_met": "True"}', True),
        ('{"criteria_met": 1}', None),
        ("no", None),
    ],
)
def test_a_verdict_is_read_if_no_object_contradicts_it(text: str, verdict: bool | None) -> None:
    assert read_verdict(text) is verdict


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("openai/gpt-4o", "gpt-4o"),
        ("openrouter/openai/gpt-4o", "gpt-4o"),
        ("hf/meta/zog", "meta/zog"),
        ("openrouter/x/other", "x/other"),
        ("gpt-4o", "gpt-4o"),
    ],
)
def test_a_judge_has_the_name_of_the_generator_that_it_is(model: str, name: str) -> None:
    assert panel.short_name(model, {"gpt-4o", "meta/zog", "zog"}) == name


def test_logs_without_a_verdict_are_no_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("inspect_spb.export.tables_of", lambda _: tables_of([]))

    assert main(["x.eval", "--out", str(tmp_path / "study")]) == 2
    assert "hold no verdicts" in capsys.readouterr().err
    assert not (tmp_path / "study").exists()


def test_a_log_without_samples_gives_no_rows() -> None:
    assert tables_of([])["judgments"] == {}
