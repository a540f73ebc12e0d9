"""The prompt behind a verdict, as the workbench shows it."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from explorer_studies import HOSTILE

from engine.collect.calls import Message
from engine.collect.client.model_client import CallOutcome, Models
from engine.collect.configuration.config import ModelConfig
from engine.collect.configuration.read_config import parse_config
from engine.collect.limits.spending import Charge
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions
from engine.store import Store


class Listening(Models):
    """Simulated models that record what each was sent."""

    def __init__(self, configs: Mapping[str, ModelConfig]) -> None:
        super().__init__(configs)
        self.sent: list[tuple[str, list[Message]]] = []

    async def ask(
        self,
        name: str,
        messages: Sequence[Message],
        *,
        logprobs: bool = False,
        schema: Mapping[str, Any] | None = None,
        on_charge: Callable[[Charge], bool] | None = None,
        tokens: int | None = None,
    ) -> CallOutcome:
        """Record the messages, and ask."""
        self.sent.append((name, list(messages)))
        return await super().ask(
            name, messages, logprobs=logprobs, schema=schema, on_charge=on_charge, tokens=tokens
        )


def _exchange(folder: Path, prompt: str, criterion: str) -> Path:
    tables = {
        "models": [{"model": name, "family": name} for name in ("a", "b")],
        "instances": [{"instance_id": "i1", "prompt": prompt}],
        "rubrics": [{"instance_id": "i1", "rubric_id": "r1", "criterion": criterion, "points": 1}],
        "responses": [{"instance_id": "i1", "generator": name, "text": f"{name}: {prompt}"} for name in "ab"],
        "references": [
            {"instance_id": "i1", "generator": name, "rubric_id": "r1", "source": "program", "met": False}
            for name in "ab"
        ],
    }
    folder.mkdir()
    for name, rows in tables.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


def _run(
    tmp_path: Path, prompt: str, criterion: str = "Says so.", *, keep_raw: bool = False
) -> list[tuple[str, list[Message]]]:
    config = parse_config(
        f"""
study = "s"
data = {json.dumps(str(_exchange(tmp_path / "data", prompt, criterion)))}
generators = ["a", "b"]
judges = ["a", "b"]
paradigms = ["single_rubric", "all_rubrics"]
[models.a]
model = "simulated/a"
[models.b]
model = "simulated/b"
"""
    )
    models = Listening(config.models)
    run(config, Store(tmp_path / "store"), RunOptions(keep_raw=keep_raw), models=models)
    return models.sent


@pytest.mark.parametrize("paradigm", ["single_rubric", "all_rubrics"])
def test_the_messages_that_a_judge_was_sent_are_shown_verbatim(open_page, tmp_path, paradigm):
    sent = _run(tmp_path, " ".join(HOSTILE), criterion=HOSTILE[0])

    app = open_page(
        "workbench",
        tmp_path / "store",
        study="s",
        judge="a",
        show="all",
        paradigm=paradigm,
        rendered="true",
        item="1",
    )

    blocks = [code.value for code in app.code]
    assert blocks in [[message["content"] for message in messages] for name, messages in sent if name == "a"]
    assert all(code.language == "plaintext" for code in app.code)
    assert any(HOSTILE[0] in text for text in blocks)
    assert not any("<script" in element.value for element in app.markdown)


def test_a_study_without_its_templates_says_why_no_prompt_is_shown(open_page, tmp_path):
    _run(tmp_path, "Ask.")
    study = tmp_path / "store" / "s"
    (study / "templates.parquet").unlink()
    info = json.loads((study / "study.json").read_text("utf-8"))
    info["tables"].remove("templates")  # or it would be lost
    (study / "study.json").write_text(json.dumps(info), "utf-8")

    app = open_page("workbench", tmp_path / "store", study="s", judge="a", show="all", item="1")

    lines = [text.value for text in app.text]
    assert not app.code
    assert "The prompt that was sent cannot be shown: the study does not have its template." in lines


def test_raw_requests_and_answers_are_shown_if_the_run_stored_them(open_page, tmp_path):
    _run(tmp_path, HOSTILE[0], keep_raw=True)

    app = open_page("workbench", tmp_path / "store", study="s", judge="a", show="all", item="1")

    labels = [each.label for each in app.expander]
    assert "Requests and answers (1)" in labels
    assert any(code.value.startswith('{"messages": ') for code in app.code)
    assert not any("<script" in element.value for element in app.markdown)
