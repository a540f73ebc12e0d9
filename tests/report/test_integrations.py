"""The page on other tools: its Python runs unchanged, and Langfuse's scores are correct."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.cli import app
from engine.report.langfuse import langfuse_scores

ROOT = Path(__file__).resolve().parents[2]
ROW = dict.fromkeys(("low", "high", "p_adjusted", "n_own", "n_other", "n_outside", "family", "estimate")) | {
    "judge": "a",
    "decided_by": "odds_self",
    "conclusion": "not_shown",
    "reason": "few_cases",
}


def blocks(kind: str) -> list[str]:
    page = (ROOT / "docs" / "integrations.md").read_text("utf-8")
    return [part.split("```")[0] for part in page.split(f"```{kind}\n")[1:]]


def test_the_conclusion_becomes_a_score_and_an_undefined_number_does_not() -> None:
    (score,) = langfuse_scores("s", [ROW], "night")

    assert (score["name"], score["value"]) == ("self_preference.a.conclusion", "not_shown")
    assert (score["dataType"], score["sessionId"]) == ("CATEGORICAL", "night")
    assert score["metadata"]["reason"] == "few_cases"


def test_the_id_of_a_score_depends_on_study_session_and_judge() -> None:
    rows = [ROW | {"estimate": 1.2, "low": 1.0, "high": 1.4}]

    ids = [[score["id"] for score in langfuse_scores(*arguments)] for arguments in
           (("s", rows, "x"), ("s", rows, "x"), ("s", rows, "y"), ("t", rows, "x"))]  # fmt: skip

    assert ids[0] == ids[1]
    assert len({each for group in ids[1:] for each in group}) == 6


def test_the_command_writes_scores_and_never_overwrites_a_file(tmp_path: Path) -> None:
    words = ["export", "--store", str(ROOT / "results"), "--study", "demo-pairs", "--format", "langfuse"]
    to = tmp_path / "scores.json"

    app([*words, "--to", str(to)], standalone_mode=False)

    scores = json.loads(to.read_text("utf-8"))
    assert {score["sessionId"] for score in scores} == {"spb-demo-pairs"}
    assert {score["dataType"] for score in scores} == {"CATEGORICAL", "NUMERIC"}
    with pytest.raises(Exception, match="exists already; choose another --out"):
        app([*words, "--to", str(to)], standalone_mode=False)
    with pytest.raises(Exception, match="--session applies to --format langfuse only"):
        app([*words[:-1], "csv", "--session", "x", "--to", str(tmp_path / "o")], standalone_mode=False)


def test_the_lines_for_mlflow_log_metrics_and_the_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "nightly").symlink_to(ROOT / "results" / "demo-pairs")
    monkeypatch.chdir(tmp_path)
    log: dict[str, Any] = {}
    mlflow = SimpleNamespace(
        start_run=lambda: _Run(),
        log_metric=log.__setitem__,
        set_tag=log.__setitem__,
        log_text=lambda text, name: log.__setitem__(name, text),
        log_dict=lambda document, name: log.__setitem__(name, document),
    )
    monkeypatch.setitem(sys.modules, "mlflow", mlflow)

    (lines,) = [block for block in blocks("python") if "mlflow" in block]
    exec(compile(lines, "integrations.md", "exec"), {})  # noqa: S102 - the page's own lines

    assert any(name.endswith("/estimate") for name in log)
    assert log["scorecard.html"].count("<img") == 1
    assert log["scorecard.schema.json"]["title"] == "spb metrics scorecard --format json"


class _Run:
    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, *_: object) -> None:
        """End."""


@pytest.mark.parametrize(
    ("grader", "model", "provider", "passes"),
    [
        ("openai:gpt-4.1", "anthropic:messages:claude-sonnet-4-20250514", None, True),
        ("openai:gpt-4.1", "openai:chat:gpt-4o-mini", None, False),
        ("openai:gpt-4.1", "zog:zog-7b", None, False),
        # From promptfoo 0.121 and 0.123: the provider as an object without its id.
        ("openai:gpt-4.1", "?", {"modelName": "claude-sonnet-4-20250514", "config": {}, "label": ""}, True),
        ("openai:gpt-4.1", "?", {"modelName": "gpt-4o", "config": {}, "label": "careful"}, False),
        ("openai:gpt-4.1", "claude-3-opus", {"options": {"config": {}}, "label": ""}, True),
    ],
)
def test_the_assertion_for_promptfoo_fails_within_a_family_or_if_one_is_unknown(
    grader: str, model: str, provider: dict[str, Any] | None, passes: bool
) -> None:
    (lines,) = [block for block in blocks("python") if "get_assert" in block]
    scope: dict[str, Any] = {}
    exec(compile(lines, "integrations.md", "exec"), scope)  # noqa: S102 - the page's own lines

    verdict = scope["get_assert"](
        "an answer", {"vars": {"grader": grader, "model": model}, "provider": provider}
    )

    assert verdict["pass"] is passes
    assert (verdict["score"], bool(verdict["reason"])) == (float(passes), True)
