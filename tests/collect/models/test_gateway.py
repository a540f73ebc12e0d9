"""litellm: imported only in the gateway, lazily and quietly; its prices."""

import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest
from loopback import Loopback

from engine.collect.calls import Reply
from engine.collect.client import litellm_gateway
from engine.collect.client.model_client import Models
from engine.collect.configuration.config import ModelConfig, Price

from .asking import ask, model_on

ROOT = Path(__file__).parents[3]


def test_litellm_is_imported_only_by_its_gateway() -> None:
    importing = re.compile(r"^\s*(?:import|from) litellm|import_module\(.litellm", re.MULTILINE)
    paths = {
        path.relative_to(ROOT).as_posix()
        for folder in ("engine", "explorer")
        for path in (ROOT / folder).rglob("*.py")
        if importing.search(path.read_text())
    }

    assert paths == {"engine/collect/client/litellm_gateway.py"}


def test_creating_models_and_asking_their_prices_does_not_import_litellm() -> None:
    program = (
        "import sys\n"
        "from engine.collect.client.model_client import Models\n"
        "from engine.collect.configuration.config import ModelConfig\n"
        "models = Models({'a': ModelConfig(model='simulated/a'), 'b': ModelConfig(model='openai/x')})\n"
        "models.price('a'), models.missing_keys()\n"
        "sys.exit('litellm' in sys.modules or 'openai' in sys.modules)\n"
    )

    process = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=False, capture_output=True, text=True
    )

    assert (process.returncode, process.stderr) == (0, "")


def test_an_answered_call_leaks_no_prompt_answer_or_key_to_a_log_or_the_terminal(
    server: Loopback,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD", "1")  # prints each call if litellm sees it
    monkeypatch.setenv("SPB_TEST_KEY", "a-key-of-ours-12345")
    litellm_gateway.load.cache_clear()

    with caplog.at_level(logging.DEBUG):
        reply, _ = ask(model_on(server.url, api_key_env="SPB_TEST_KEY"))

    output = capfd.readouterr()
    printed_words = "\n".join([*(str(record.__dict__) for record in caplog.records), output.out, output.err])
    assert isinstance(reply, Reply)
    assert server.keys == {"a-key-of-ours-12345"}
    assert [word for word in ("Say which", reply.text, "a-key-of-ours") if word in printed_words] == []


def test_the_users_price_precedes_litellms_and_without_either_it_is_unknown() -> None:
    own = Price(input_per_million=1, output_per_million=2)
    models = Models(
        {
            "own": ModelConfig(model="openai/gpt-4o-mini", price=own),
            "listed": ModelConfig(model="openai/gpt-4o-mini"),
            "bare": ModelConfig(model="gpt-4o-mini"),
            "unknown": ModelConfig(model="openai/nobody-knows-this"),
            "elsewhere": ModelConfig(model="hosted_vllm/gpt-4o-mini"),
            "free": ModelConfig(model="simulated/x"),
        }
    )

    prices = {name: models.price(name) for name in ("own", "listed", "bare", "unknown", "elsewhere", "free")}

    assert prices["own"] == own
    # OpenAI's list: 15 and 60 cents for a million tokens
    assert prices["listed"] == prices["bare"]
    assert prices["listed"] is not None
    assert prices["listed"].input_per_million == pytest.approx(0.15)
    assert prices["listed"].output_per_million == pytest.approx(0.60)
    assert prices["unknown"] is prices["elsewhere"] is None
    assert prices["free"] == Price(input_per_million=0, output_per_million=0)


def test_a_providers_key_is_required_by_its_usual_name_except_for_the_users_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    models = Models(
        {
            "a": ModelConfig(model="openai/gpt-4o-mini"),
            "b": ModelConfig(model="openai/x", api_base="http://127.0.0.1:9/v1"),
            "c": ModelConfig(model="gemini/gemini-2.0-flash"),
            "d": ModelConfig(model="simulated/x"),
            "e": ModelConfig(model="bedrock/x"),
        }
    )

    assert models.missing_keys() == {"a": "OPENAI_API_KEY", "c": "GEMINI_API_KEY"}

    monkeypatch.setenv("GOOGLE_API_KEY", "some key")
    assert models.missing_keys() == {"a": "OPENAI_API_KEY"}
